"""Earlier results of which only that is read which counts: the answers are the same."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evalcontract._version import __version__
from evalcontract.checks.outcome import Outcome
from evalcontract.grading.basis import each_as_json, to_json
from evalcontract.grading.comparison import Comparison
from evalcontract.grading.earlier import (
    WrittenResults,
    by_id,
    counted_of,
    fingerprint_of,
    written_results,
)
from evalcontract.grading.groups import Grouping
from evalcontract.grading.printed import row_fields, row_lines, summary_fields
from evalcontract.grading.results import (
    CheckResult,
    RowResult,
    bytes_of,
    earlier_results,
    run_path,
)
from evalcontract.grading.rows import without_texts
from evalcontract.grading.summary import OPEN, Summary
from evalcontract.library.scores import Bounds
from evalcontract.model.errors import UsageError
from evalcontract.source.encoding import texts_as_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TOOL = {"name": "evalcontract", "version": __version__}


def write(path: Path, data: bytes, **manifest: Any) -> None:
    """Write lines as results, and a run file with their digest."""
    file = {"file": "x", "sha256": "0" * 64}
    run = {
        "manifest": {"version": "3.0", "tool": TOOL, "dataset": file, "outputs": file, **manifest},
        "used": {},
        "summary": summary_fields(Summary.of([]), OPEN),
        "results": {"file": path.name, "sha256": sha256(data).hexdigest(), "rows": 0},
    }
    path.write_bytes(data)
    run_path(path).write_text(json.dumps(run), encoding="utf-8")


def lines_of(rows: list[RowResult], *, texts: bool = True) -> bytes:
    return bytes_of("".join(row_lines(rows if texts else map(without_texts, rows))))


def row(id_: str, score: float = 1.0, reason: str | None = None, **of_row: Any) -> RowResult:
    outcome = Outcome.PASSED if score == 1 else Outcome.FAILED
    check = CheckResult("x", "regex", outcome, score, reason)
    return RowResult(id_, "rubric/a@1.0.0", outcome, score, checks=(check,), **of_row)


TEXTS = st.text(st.characters(exclude_categories=()), max_size=5)
IDS = (
    st.sampled_from(["a", "b", "row 1", "é", "日本", "🚀", "\u202e", "##vso[", "'", "\x7f"]) | TEXTS
)
SCORES = st.sampled_from([0.0, 0.1 + 0.2, 0.5, 1.0])
PARTS: dict[str, Any] = {
    "score": st.none() | SCORES,
    "reason": st.none() | TEXTS,
    "bounds": st.none() | st.sampled_from([Bounds(), Bounds(0.25, 0.5)]),
}
OUTCOMES = st.sampled_from(Outcome)


def possible(result: Any) -> Any:
    """Return a result without bounds if its score is known, or it has none."""
    has_score = result.score is not None
    is_skipped = result.outcome is Outcome.SKIPPED
    return result._replace(bounds=None) if has_score or is_skipped else result


OF_ROWS = st.sampled_from([None, Outcome.PASSED, Outcome.FAILED, Outcome.UNDECIDED])
CHECKS = st.recursive(
    st.builds(
        CheckResult,
        id=st.sampled_from("xyz"),
        checks=st.just(()),
        kind=st.sampled_from(["regex", "own"]),
        outcome=OUTCOMES,
        details=st.none() | st.dictionaries(TEXTS, TEXTS | SCORES, min_size=1, max_size=2),
        **PARTS,
    ).map(possible),
    lambda inner: st.builds(
        CheckResult,
        id=st.just("c"),
        kind=st.just("composite"),
        outcome=OUTCOMES,
        details=st.none(),
        checks=st.lists(inner, min_size=1, max_size=2).map(tuple),
        **PARTS,
    ).map(possible),
    max_leaves=3,
)
ROWS = st.builds(
    RowResult,
    id=IDS,
    outcome=OF_ROWS,
    rubric=st.sampled_from([None, "rubric/a@1.0.0", "rubric/a@2.0.0"]),
    checks=st.lists(CHECKS, max_size=3).map(tuple),
    sample=st.none(),
    content=st.none() | st.fixed_dictionaries({"tags": st.just(["t"]), "output": TEXTS}),
    **PARTS,
).map(possible)


def found(comparison: Comparison, before: Any) -> list[Any]:
    """Return all that a comparison has found."""
    checks = {key: tally.changes for key, tally in comparison.checks.items()}
    groups = {key: tally.changes for key, tally in comparison.groups.items()}
    changed = [(each.before, each.after, each.checks) for each in comparison.changed]
    return [
        comparison.rows.changes,
        [*checks.items()],
        groups,
        changed,
        comparison.flipped,
        comparison.versions,
        comparison.uncompared,
        (comparison.change_count, comparison.flip_count),
        comparison.new,
        comparison.seen,
        comparison.lost_ids(before),
    ]


def fields_of(result: Any, key: str, by: str | None, *, texts: bool) -> dict[str, Any]:
    """Return what a row and a check have in common; `by` is what graded the one or the other."""
    fields: dict[str, Any] = {"id": result.id, key: by, "outcome": result.outcome}
    fields["score"] = result.score
    if result.bounds is not None:
        fields["bounds"] = [*result.bounds]
    if texts and result.reason is not None:
        fields["reason"] = result.reason
    return fields


def check_fields(check: CheckResult, *, texts: bool = True) -> dict[str, Any]:
    fields = fields_of(check, "kind", check.kind, texts=texts)
    if texts and check.details:
        fields["details"] = dict(check.details)
    if check.checks:
        fields["checks"] = [check_fields(each, texts=texts) for each in check.checks]
    return fields


@given(written=st.lists(ROWS, max_size=4))
def test_a_line_has_the_fields_of_its_row(written: list[RowResult]) -> None:
    for texts in (True, False):
        expected = []
        for each in written:
            checks = [check_fields(check, texts=texts) for check in each.checks]
            content = {
                key: value for key, value in (each.content or {}).items() if texts or key == "tags"
            }
            fields = fields_of(each, "rubric", each.rubric, texts=texts)
            id_ = {"id": fields.pop("id"), "fingerprint": fingerprint_of(counted_of(each))}
            expected.append({**id_, **fields, "checks": checks, **content})
        assert [*row_lines(written, texts=texts)] == [f"{to_json(each)}\n" for each in expected]


def test_fingerprints_tell_what_counts_apart() -> None:
    """Each of the others differs from the first in one thing that counts."""
    first = row("a")
    (check,) = first.checks
    others = [
        row("a", 0.0),
        first._replace(rubric="rubric/a@1.0.1"),
        first._replace(rubric=None),
        first._replace(outcome=None),
        first._replace(bounds=Bounds(0.0, 1.0)),
        first._replace(checks=()),
        first._replace(checks=(check._replace(id="y"),)),
        first._replace(checks=(check._replace(score=0.5),)),
        first._replace(checks=(check._replace(outcome=Outcome.FAILED),)),
        first._replace(checks=(check._replace(bounds=Bounds(0.0, 0.5)),)),
        first._replace(checks=(check._replace(id="c", checks=(check,)),)),
        first._replace(checks=(check, check._replace(id="y"))),
    ]
    prints = [fingerprint_of(counted_of(each)) for each in (first, *others)]
    assert len({*prints}) == len(prints)
    same = [
        row("b"),
        first._replace(reason="why", content={"output": "said"}, sample=2),
        first._replace(checks=(check._replace(kind="own", reason="why", details={"a": 1}),)),
        first._replace(score=1, checks=(check._replace(score=1),)),
    ]
    for each in same:
        fingerprint_of.cache_clear()
        assert fingerprint_of(counted_of(each)) == prints[0]
    assert prints[0] == "b495792f6850da55", "it stays what it is in later versions"


@given(written=st.lists(ROWS, max_size=4))
def test_lines_without_texts_are_those_of_results_without_texts(written: list[RowResult]) -> None:
    assert [*row_lines(written, texts=False)] == [*row_lines(map(without_texts, written))]
    assert row_fields(written) == [*map(json.loads, row_lines(written))]


@given(texts=st.lists(TEXTS, max_size=5))
def test_texts_are_written_as_json_does(texts: list[str]) -> None:
    assert [*texts_as_json(texts)] == [*map(to_json, texts)]


# What a table or YAML may have and JSON has not.
ODD = [float("nan"), {1: "x"}, {"a": {2}}, 10**5000, ["%s", "%"], {"%d": None}, b"x", "\ud800"]


@pytest.mark.parametrize("number", range(len(ODD)))
def test_content_that_is_no_json_is_written_as_text(number: int) -> None:
    contents: list[dict[str, Any]] = [
        {"metadata": ODD[number], "output": "said"},
        {"tags": ["t"], "100%": "x"},
    ]
    rows = [row("a", content=content) for content in contents]
    lines = [json.loads(line) for line in row_lines(rows)]
    always = {"id", "fingerprint", "rubric", "outcome", "score", "checks"}
    assert [line.keys() - always for line in lines] == [content.keys() for content in contents]
    assert lines[0]["output"] == "said"
    assert "NaN" not in "".join(row_lines(rows))


@given(
    values=st.lists(
        st.recursive(st.sampled_from(["\x1e", '", "', 1, 1.0, True, None]), st.lists, max_leaves=6)
    )
)
def test_values_are_the_same_written_at_once_and_one_by_one(values: list[Any]) -> None:
    assert [*each_as_json(values)] == [*map(to_json, values)]


@settings(max_examples=60, deadline=None)
@given(
    before=st.lists(ROWS, min_size=1, max_size=6, unique_by=lambda each: each.id),
    others=st.lists(ROWS, max_size=4),
    kept=st.sets(st.integers(0, 5)),
    texts=st.booleans(),
    cluster=st.sampled_from([None, None, "metadata.x"]),
)
def test_a_comparison_is_the_same_as_with_all_lines_read(
    tmp_path_factory: pytest.TempPathFactory,
    before: list[RowResult],
    others: list[RowResult],
    kept: set[int],
    texts: bool,  # noqa: FBT001 - hypothesis passes it by name
    cluster: str | None,
) -> None:
    path = tmp_path_factory.mktemp("written") / "results.jsonl"
    write(path, lines_of(before, texts=texts))
    after = [each for at, each in enumerate(before) if at in kept]
    after += [each for each in others if each.id not in {one.id for one in after}]
    read = earlier_results(path).rows
    exact, written = by_id(read), written_results(path)
    assert written is not None
    grouping = Grouping(cluster=cluster)
    assert [*written.rows] == [each.id for each in read]
    assert [written.row(each.id) for each in read] == read
    assert found(Comparison.of(written, after, grouping), written) == found(
        Comparison.of(exact, after, grouping), exact
    )
    halves = Comparison(grouping)
    for half in (after[:1], after[1:]):
        halves.merge(Comparison.of(written, half, grouping))
    assert found(halves, written)[0] == found(Comparison.of(exact, after, grouping), exact)[0]


@pytest.mark.parametrize("texts", [True, False])
def test_lines_of_rows_that_are_the_same_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, texts: bool
) -> None:
    path = tmp_path / "results.jsonl"
    content = {"tags": ["t"], "output": "said"}
    before = [row(f"r{at}", at % 2, f"not {at}", content=content) for at in range(300)]
    write(path, lines_of(before, texts=texts))
    written = written_results(path)
    assert written is not None
    read: list[str] = []
    row_of = WrittenResults.row

    def noted(written: WrittenResults, id_: str, at: int = 0) -> RowResult:
        read.append(id_)
        return row_of(written, id_, at)

    monkeypatch.setattr(WrittenResults, "row", noted)
    after = [each if at != 7 else row("r7", 0.25) for at, each in enumerate(before)]
    comparison = Comparison.of(written, after)
    assert read == ["r7"]
    assert comparison.rows.changes.total() == 300
    assert [each.after.score for each in comparison.changed] == [0.25]
    assert comparison.lost_ids(written) == []


def test_no_more_changed_rows_are_read_than_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, lines_of([row(f"r{at}") for at in range(200)]))
    written = written_results(path)
    assert written is not None
    after = [row(f"r{at}", 0.0) for at in range(200)]
    whole = Comparison.of(written, after, keep=3)
    assert (whole.flip_count, [each.after.id for each in whole.flipped]) == (
        200,
        ["r0", "r1", "r2"],
    )
    monkeypatch.setattr(WrittenResults, "row", None)
    assert Comparison.of(written, [row(f"r{at}") for at in range(200)], keep=3).change_count == 0


LINE = lines_of([row("a"), row("b")])
FINGERPRINT = re.compile(b'"[0-9a-f]{16}"')
# What may not be read line by line: the data, and what the manifest says.
OTHERS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "another version": (LINE, {"tool": {**TOOL, "version": "0.0.1"}}),
    "another tool": (LINE, {"tool": {**TOOL, "name": "another"}}),
    "repeated ids": (LINE + LINE, {}),
    "samples": (lines_of([row("a", sample=1), row("a", sample=2)]), {}),
    "no id": (LINE.replace(b'{"id": "a", ', b"{"), {}),
    "an id that is no text": (LINE.replace(b'"id": "a"', b'"id": 1'), {}),
    "another fingerprint": (FINGERPRINT.sub(b'"0123456789abcdef"', LINE), {}),
    "no fingerprint": (LINE.replace(b'"fingerprint"', b'"finger"'), {}),
    "an outcome that is none": (LINE.replace(b'"passed"', b'"well"'), {}),
    "a list for an outcome": (LINE.replace(b'"passed"', b'["passed"]'), {}),
    "checks that are none": (LINE.replace(b'"checks": [', b'"checks": [1, '), {}),
    "a list for a line": (LINE + b"[]\n", {}),
    "no JSON": (LINE + b"{\n", {}),
    "an empty line": (LINE + b"\n", {}),
    "no UTF-8": (LINE.replace(b'"a"', b'"\xff"'), {}),
    "nothing": (b"", {}),
}


@pytest.mark.parametrize(("data", "manifest"), OTHERS.values(), ids=OTHERS)
def test_what_is_not_certainly_written_by_this_version(
    tmp_path: Path, data: bytes, manifest: dict[str, Any]
) -> None:
    path = tmp_path / "results.jsonl"
    write(path, LINE)
    assert written_results(path) is not None
    write(path, data, **manifest)
    assert written_results(path) is None


def edited(path: Path) -> None:
    path.write_bytes(LINE.replace(b"1.0", b"0.5"))


def without_run(path: Path) -> None:
    run_path(path).unlink()


def with_broken_run(path: Path) -> None:
    run_path(path).write_text("{")


def with_other_run(path: Path) -> None:
    run_path(path).write_text("{}")


@pytest.mark.parametrize("change", [edited, without_run, with_broken_run, with_other_run])
def test_what_has_changed_is_refused(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path = tmp_path / "results.jsonl"
    write(path, LINE)
    change(path)
    assert written_results(path) is None
    with pytest.raises(UsageError):
        earlier_results(path)


def test_other_forms_of_the_same_lines_are_read(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    forms = (
        LINE.replace(b'{"id": "a", ', b'{"score": 1.0, "id": "a", '),
        LINE.replace(b": ", b":"),
        LINE.replace(b'"a"', b'"\\u0061"'),
        LINE[:-1],
    )
    for data in forms:
        write(path, data)
        written = written_results(path)
        assert written is not None, data
        assert [written.row("a"), written.row("b")] == earlier_results(path).rows


@pytest.mark.parametrize("texts", [True, False])
def test_rows_with_bounds_and_checks_inside_are_told_apart(tmp_path: Path, *, texts: bool) -> None:
    """Each differs from the first only in what most rows do not have."""
    path = tmp_path / "results.jsonl"
    open_ = CheckResult("x", "own", Outcome.UNAVAILABLE, None, "why", bounds=Bounds(0.0, 1.0))
    composite = CheckResult("c", "composite", Outcome.PASSED, 1.0, checks=row("a").checks)
    failing = composite._replace(checks=row("a", 0.0).checks)
    rows = [
        RowResult(str(at), None, Outcome.PASSED, 1.0, checks=(check,))
        for at, check in enumerate(
            [open_, open_._replace(bounds=Bounds(0.0, 0.5)), composite, failing]
        )
    ]
    rows.append(rows[0]._replace(id="4", bounds=Bounds(0.0, 0.5), score=None))
    rows.append(rows[4]._replace(id="5", bounds=Bounds(0.0, 0.25)))
    write(path, lines_of(rows, texts=texts))
    written = written_results(path)
    assert written is not None
    assert len({*written.rows.values()}) == len(rows)
    assert written.rows == {each.id: counted_of(each) for each in rows}


def test_a_line_that_has_changed_since_is_told(tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    write(path, LINE)
    written = written_results(path)
    assert written is not None
    path.write_bytes(LINE.replace(b'"id": "b"', b'"id": "c"'))
    assert written.row("a").id == "a"
    with pytest.raises(UsageError, match="changed while it was read"):
        written.row("b")
    path.unlink()
    with pytest.raises(UsageError, match="no such file"):
        written.row("a")
