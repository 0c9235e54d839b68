"""`fix` as a person types it: what is mended, what stays, and what is told."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import subprocess
import sys
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from doors import Options, command_line
from examples import a_few, examples, some
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from writing import write

from evalcontract import fixing
from evalcontract.checking.pipeline import check_workspaces
from evalcontract.fixing import fix
from evalcontract.source.writing import replace_all
from evalcontract.source.yaml.writing import block, flow
from evalcontract.workspace import writing as fix_options
from evalcontract.workspace.writing import FixOptions

if TYPE_CHECKING:
    from collections.abc import Callable

WORKSPACES = Path(__file__).parents[2] / "fixtures" / "workspaces"
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
ROW = "{id: first, input: Where is the exit?, rubric_ref: rubric/polite@1.0.0}"
GOOD = f"questions:\n  - {ROW}\n"
FAULTY = GOOD + "  - id: second  # two\n    input: Where?\n    expecteed_facts: [left]  # of it\n"
MENDED = FAULTY.replace("expecteed", "expected")


class Result(NamedTuple):
    """What a call gave: its exit code, and what it printed."""

    code: int
    out: str
    err: str


@pytest.fixture
def call(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Result]:
    """Return a function that runs `evalcontract fix` in this process."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)

    def typed(*arguments: str | Path) -> Result:
        capsys.readouterr()
        code = command_line("fix", *arguments)
        printed = capsys.readouterr()
        return Result(code, printed.out, printed.err)

    return typed


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a small workspace the current folder."""
    folder = tmp_path / "evals"
    write(folder, {"rubrics/polite.yaml": RUBRIC})
    monkeypatch.chdir(folder)
    return folder


def texts(folder: Path) -> dict[str, str]:
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes().decode() for path in paths}


# What is mended, in every form that a dataset is written in

BEGUN = {"id": "r", "input": "a"}
PINNED = "rubric/polite@1.0.0"
ROWS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "a misspelled key": (
        {"id": "r", "inptu": "a", "criteria": "b"},
        {"id": "r", "input": "a", "criteria": "b"},
    ),
    "two of them": (
        {**BEGUN, "expecteed_facts": ["a, b"], "tgas": ["#x"]},
        {**BEGUN, "expected_facts": ["a, b"], "tags": ["#x"]},
    ),
    "a key that goes down": (
        {**BEGUN, "format": "json", "tags": ["z"]},
        {**BEGUN, "expected": {"format": "json"}, "tags": ["z"]},
    ),
    "a key that goes down, beside another": (
        {**BEGUN, "expected": {"answer": "'"}, "format": "json"},
        {**BEGUN, "expected": {"answer": "'", "format": "json"}},
    ),
    "a key that goes up": (
        {**BEGUN, "expected": {"format": "text", "expected_facts": ["a", "b: c"]}, "tags": ["z"]},
        {**BEGUN, "expected": {"format": "text"}, "expected_facts": ["a", "b: c"], "tags": ["z"]},
    ),
    "the only key there, which goes up": (
        {**BEGUN, "expected": {"expected_facts": ["a"]}, "tags": ["z"]},
        {**BEGUN, "expected_facts": ["a"], "tags": ["z"]},
    ),
    "one fix that shows the next": (
        {**BEGUN, "expectd": {"fromat": "jsn"}},
        {**BEGUN, "expected": {"format": "json"}},
    ),
    "another tool's key": (
        {"id": "r", "question": "a", "criteria": "b"},
        {"id": "r", "input": "a", "criteria": "b"},
    ),
    "a value": (
        {**BEGUN, "expected": {"format": "JSON"}},
        {**BEGUN, "expected": {"format": "json"}},
    ),
    "a number for an id": (
        {"id": 12, "input": "a", "criteria": "b"},
        {"id": "12", "input": "a", "criteria": "b"},
    ),
    "a reference without a version": (
        {**BEGUN, "rubric_ref": "rubric/polite"},
        {**BEGUN, "rubric_ref": PINNED},
    ),
    "a reference without its kind": (
        {**BEGUN, "rubric_ref": "polite@1.0.0"},
        {**BEGUN, "rubric_ref": PINNED},
    ),
    "a misspelled key of a reference": (
        {**BEGUN, "rubricref": "rubric/polite"},
        {**BEGUN, "rubric_ref": PINNED},
    ),
}
FORMS = {
    "block.yaml": lambda row: "# head\nquestions:\n" + _indented(block([row], 2, 2)) + "\n# tail\n",
    "flow.yaml": lambda row: f"# head\nquestions:\n- {flow(row)} # tail\n",
    "data.json": lambda row: json.dumps({"questions": [row]}),
    "rows.json": lambda row: json.dumps([row]),
    "rows.jsonl": lambda row: (
        f"\n{json.dumps({**BEGUN, 'id': 'z', 'tags': []})}\n{json.dumps(row)}\n"
    ),
}


def _indented(lines: list[str]) -> str:
    return "\n".join(f"  {line}" for line in lines)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "form"), some(product(ROWS, FORMS), times=4))
def test_a_row_is_mended(name: str, form: str, call: Callable[..., Result], place: Path) -> None:
    before, after = (FORMS[form](row) for row in ROWS[name])
    write(place, {f"datasets/{form}": before})
    assert call("--diff").code == 1
    assert texts(place / "datasets") == {form: before}
    assert call().code == 0
    assert texts(place / "datasets") == {form: after}
    assert call("--diff") == (0, "", "nothing to fix\n")
    assert call().out.startswith("nothing fixed")
    assert texts(place / "datasets") == {form: after}


LIBRARY: dict[str, tuple[str, str, str]] = {
    "a version without quotes": (
        "rubrics/polite.yaml",
        RUBRIC.replace('"1.0.0"', "1.10  # the tenth"),
        RUBRIC.replace('"1.0.0"', "'1.10'  # the tenth"),
    ),
    "a version in JSON": (
        "judges/right.json",
        '{"id": "right", "version": 1.10, "template": "{{output}}"}',
        '{"id": "right", "version": "1.10", "template": "{{output}}"}',
    ),
    "a misspelled parameter, and a kind": (
        "rubrics/polite.yaml",
        RUBRIC.replace("kind: must_not_contain, values", "kind: must_not_contian, valus"),
        RUBRIC,
    ),
    "the id of a weight": (
        "rubrics/polite.yaml",
        RUBRIC.replace("all_pass", "weighted_avg, weights: {no_insult: 2}"),
        RUBRIC.replace("all_pass", "weighted_avg, weights: {no_insults: 2}"),
    ),
    "a keyword of a schema": (
        "rubrics/polite.yaml",
        RUBRIC.replace("must_not_contain, values: [stupid]", "json_schema, schema: {tpye: object}"),
        RUBRIC.replace("must_not_contain, values: [stupid]", "json_schema, schema: {type: object}"),
    ),
    "a keyword of a bundle": (
        "bundles/rag.schema.json",
        '{\n\t"requierd": ["context"]\n}\n',
        '{\n\t"required": ["context"]\n}\n',
    ),
    "numbers of a judge": (
        "judges/right.yaml",
        "id: right\nversion: '1.0'\ntemplate: '{{output}}'\ntpr: 0.9  # yes\ntnr: 0.80\n",
        (
            "id: right\nversion: '1.0'\ntemplate: '{{output}}'\nvalidation:\n  tpr: 0.9  # yes\n"
            "  tnr: 0.80\n"
        ),
    ),
    "a target": (
        "targets/nightly.yaml",
        "dataset: datasets/good.yaml\nstrict_validaton: false # for now\n",
        "dataset: datasets/good.yaml\nstrict_validation: false # for now\n",
    ),
}


@pytest.mark.parametrize(("name", "by_name"), a_few(product(LIBRARY, ["", "by name"])))
def test_an_artifact_is_mended(
    name: str, by_name: str, call: Callable[..., Result], place: Path
) -> None:
    file, before, after = LIBRARY[name]
    write(place, {"datasets/good.yaml": GOOD, file: before})
    call(*([file] if by_name else []))
    assert (place / file).read_text() == after
    assert call(file).out.startswith("nothing fixed")


def test_files_wait_for_one_another(call: Callable[..., Result], place: Path) -> None:
    """The rubric has no version until its key is mended, and can be pinned only then."""
    write(
        place,
        {
            "rubrics/polite.yaml": RUBRIC.replace('version: "1.0.0"', "verison: 2.10"),
            "datasets/rows.yaml": GOOD.replace("@1.0.0", ""),
        },
    )
    shown = call("--diff").out
    assert call("--soft").out.endswith("3 findings fixed in 2 files; none left\n")
    assert (place / "rubrics/polite.yaml").read_text() == RUBRIC.replace('"1.0.0"', "'2.10'")
    assert (place / "datasets/rows.yaml").read_text() == GOOD.replace("1.0.0", "2.10.0")
    assert ("+version: '2.10'" in shown, "polite@2.10.0" in shown) == (True, True)


@pytest.mark.parametrize(
    ("name", "options"),
    a_few(
        product(
            sorted(path.name for path in WORKSPACES.iterdir() if path.is_dir()),
            [(), ("--unsafe-fixes",)],
        )
    ),
)
def test_a_second_time_changes_nothing(
    name: str, options: tuple[str, ...], call: Callable[..., Result], tmp_path: Path
) -> None:
    folder = tmp_path / name
    shutil.copytree(WORKSPACES / name, folder)
    first = call(folder, *options)
    assert first.code < 2
    after = texts(folder)
    second = call(folder, *options)
    assert (second.out.splitlines()[0].split(";")[0], texts(folder)) == ("nothing fixed", after)


@every_case(
    ("text", "after"),
    [
        (
            (
                "  - {id: a, input: b, expected: &e {fromat: json}}\n"
                "  - {id: c, input: d, expectd: *e}\n"
            ),
            (
                "  - {id: a, input: b, expected: &e {format: json}}\n"
                "  - {id: c, input: d, expected: *e}\n"
            ),
        ),
        (
            (
                "  - {id: a, input: b, expected: &e {fromat: &f json}}\n"
                "  - {id: c, input: d, expected: {fromat: *f}}\n"
                "  - {id: e, inptu: f, expectd: *e}\n"
            ),
            (
                "  - {id: a, input: b, expected: &e {format: &f json}}\n"
                "  - {id: c, input: d, expected: {format: *f}}\n"
                "  - {id: e, input: f, expected: *e}\n"
            ),
        ),
    ],
    ids=str,
)
def test_what_another_fix_makes_possible_is_fixed_at_once(
    text: str, after: str, call: Callable[..., Result], place: Path
) -> None:
    """A key of several aliases is renamed once all of them may have the new name."""
    write(place, {"a.yaml": f"questions:\n{text}"})
    assert "not fixed" not in call("a.yaml").err
    assert (place / "a.yaml").read_text() == f"questions:\n{after}"


# Near misses that were planted are mended to the byte

KEYS = {"input", "criteria", "expected", "expected_facts", "format", "must_not_contain", "tags"}
CLEAN = """\
# A dataset, with remarks.
questions:
  - id: one   # the first
    input: "Where?"   # asked
    expected_facts: # what is said
      - left
      # and not
      - right
    tags: [ a, 'b' ]

  # a second one
  - {id: two, input: 'Why?', criteria: it is so, expected: {format: json} }
  - id: three
    input: |
      Two lines,
        or three
    must_not_contain: [ never ]
    metadata: {inptu: free}
"""


@st.composite
def planted(draw: st.DrawFn) -> str:
    text = CLEAN
    for found in reversed(list(re.finditer(r"(?<![\w'])(\w+)(?=:)", CLEAN))):
        if found[0] in KEYS and draw(st.booleans()):
            at = draw(st.integers(0, len(found[0]) - 2))
            key = found[0]
            slip = draw(
                st.sampled_from(
                    [
                        key[:at] + key[at] + key[at:],
                        key[:at] + key[at : at + 2][::-1] + key[at + 2 :],
                        f"{key[:at]}q{key[at + 1 :]}",
                    ]
                )
            )
            text = text[: found.start()] + slip + text[found.end() :]
    return text


@pytest.mark.slow
@examples(40)
@given(planted(), st.sampled_from(["\n", "\r\n"]), st.sampled_from(["", "\ufeff"]))
def test_planted_near_misses_are_mended_to_the_byte(
    tmp_path: Path, text: str, end: str, begin: str
) -> None:
    path = tmp_path / "rows.yaml"
    path.write_bytes((begin + text.replace("\n", end)).encode())
    found = fix([path], Options(), FixOptions())
    after = [each.after for each in found.files]
    wanted = (begin + CLEAN.replace("\n", end)).encode()
    assert after == ([wanted] if text != CLEAN else [])
    assert found.refused == ()


# What is told, and the exit codes


@pytest.mark.slow
def test_what_is_told(call: Callable[..., Result], place: Path) -> None:
    write(
        place,
        {
            "datasets/faulty.yaml": FAULTY + "    rubric_ref: rubric/polit@1.0.0\n",
            "datasets/rows.jsonl": '{"id": 1, "input": "a", "format": "text"}\n',
        },
    )
    assert call("--diff") == (
        1,
        (
            "--- datasets/faulty.yaml\n"
            "+++ datasets/faulty.yaml\n"
            "@@ -2,5 +2,5 @@\n"
            "   - {id: first, input: Where is the exit?, rubric_ref: rubric/polite@1.0.0}\n"
            "   - id: second  # two\n"
            "     input: Where?\n"
            "-    expecteed_facts: [left]  # of it\n"
            "+    expected_facts: [left]  # of it\n"
            "     rubric_ref: rubric/polit@1.0.0\n"
            "--- datasets/rows.jsonl\n"
            "+++ datasets/rows.jsonl\n"
            "@@ -1 +1 @@\n"
            '-{"id": 1, "input": "a", "format": "text"}\n'
            '+{"id": "1", "input": "a", "expected": {"format": "text"}}\n'
        ),
        "3 findings fixable in 2 files\n",
    )
    assert call() == (
        0,
        (
            "datasets/faulty.yaml\n"
            "  5:5  dataset/near-miss-key  `expecteed_facts` is now `expected_facts`\n"
            "datasets/rows.jsonl\n"
            '  1:8  dataset/wrong-type  `id` is now "1"\n'
            "  1:25  dataset/misplaced-key  `format` is now `expected.format`\n"
            "3 findings fixed in 2 files; 2 left: 2 warnings\n"
            "1 more fixable with `--unsafe-fixes`\n"
        ),
        "",
    )
    assert call("--unsafe-fixes", "--limit", "1").out.startswith("datasets/faulty.yaml\n  6:17")


def test_a_diff_is_what_patch_takes(call: Callable[..., Result], place: Path) -> None:
    before = {
        "a.yaml": FAULTY.replace("\n", "\r\n"),
        "b.yaml": FAULTY.rstrip("\n"),
        "c.json": '{"questions": [{"id": 1,\n\t"input": " é"}]}',
    }
    write(place, before)
    (place / "all.diff").write_bytes(call("--diff").out.encode())
    patched = subprocess.run(
        ["patch", "-p0", "--binary", "-i", "all.diff"], cwd=place, capture_output=True, check=False
    )
    assert patched.returncode == 0, patched.stdout
    assert call("--diff").code == 0
    assert (place / "a.yaml").read_bytes() == MENDED.replace("\n", "\r\n").encode()


def test_exit_codes(call: Callable[..., Result], place: Path) -> None:
    write(place, {"datasets/faulty.yaml": FAULTY})
    assert call("--diff", "--select", "reference").code == 0
    assert call("--diff").code == 1
    assert call("--strict", "--select", "reference").code == 1
    assert call("--soft", "--select", "reference").code == 0
    assert call("--strict").code == 0
    for wrong in (["nosuch.yaml"], [""], ["*.nosuch"], ["--select", "nosuch/code"], ["-", "x"]):
        assert call(*wrong).code == 2
    assert call("nosuch.yaml").err == "error: there is no file or folder nosuch.yaml\n"
    near = call("--select", "dataset/near-mis-key").err
    assert "did you mean `dataset/near-miss-key`?" in near


def test_only_what_is_selected_is_mended(call: Callable[..., Result], place: Path) -> None:
    text = FAULTY.replace("@1.0.0", "")
    write(place, {"datasets/faulty.yaml": text})
    call("--select", "reference")
    assert (place / "datasets/faulty.yaml").read_text() == FAULTY
    call("--select", "dataset/near-miss-key", "--select", "dataset/no-rows")
    assert (place / "datasets/faulty.yaml").read_text() == MENDED


@pytest.mark.slow
@every_case(
    ("options", "after"),
    [
        (["--select", "dataset"], MENDED),
        (["--select", "dataset/"], MENDED),
        (["--select", "dataset/*,rubric/"], MENDED),
        (["--select", "reference/"], FAULTY),
        (["--ignore", "dataset/near-miss-key"], FAULTY),
        (["--ignore", "dataset/*"], FAULTY),
        (["--ignore", "rubric,reference/"], MENDED),
        (["--select", "dataset", "--ignore", "dataset/near-miss-key"], FAULTY),
    ],
)
def test_codes_are_written_as_for_check(
    options: list[str], after: str, call: Callable[..., Result], place: Path
) -> None:
    write(place, {"datasets/faulty.yaml": FAULTY})
    assert command_line("check", "--fail-on", "warning", *options) == int(after == MENDED)
    assert call("--diff", *options).code == int(after == MENDED)
    call(*options)
    assert (place / "datasets/faulty.yaml").read_text() == after


def test_a_code_that_is_ignored_is_left_alone(call: Callable[..., Result], place: Path) -> None:
    write(
        place,
        {
            "datasets/faulty.yaml": FAULTY,
            "evalcontract.toml": '[severity]\n"dataset/near-miss-key" = "ignore"\n',
        },
    )
    assert call().out.startswith("nothing fixed")
    assert (place / "datasets/faulty.yaml").read_text() == FAULTY


def test_datasets_of_other_systems_are_left_alone(call: Callable[..., Result], place: Path) -> None:
    text = '{"inputs": {"a": 1}, "expectaions": {"expected_facts": ["a"]}, "tags": {}}\n'
    write(place, {"records.jsonl": text})
    assert call("records.jsonl").out.startswith("nothing fixed")


# Which files are written


@pytest.mark.costly
def test_only_the_files_that_are_named_are_written(
    call: Callable[..., Result], place: Path
) -> None:
    faulty = RUBRIC.replace('"1.0.0"', "1.0")
    files = {
        "rubrics/polite.yaml": faulty,
        "datasets/a.yaml": FAULTY.replace("@1.0.0", ""),
        "datasets/b.yaml": FAULTY,
        "more/c.yaml": FAULTY,
    }
    write(place, files)
    call("datasets/a.yaml")
    files["datasets/a.yaml"] = MENDED
    assert texts(place) == files
    call("more")
    files["more/c.yaml"] = MENDED
    assert texts(place) == files
    call("datasets/[b-z].yaml")
    files["datasets/b.yaml"] = MENDED
    assert texts(place) == files
    call(place)
    assert texts(place)["rubrics/polite.yaml"] == RUBRIC.replace('"1.0.0"', "'1.0'")


@pytest.mark.parametrize("kind", ["rubric", "judge", "dataset"])
def test_a_file_is_known_by_what_it_holds(
    kind: str, call: Callable[..., Result], tmp_path: Path
) -> None:
    text = {
        "rubric": RUBRIC.replace("all_pass", "al_pass"),
        "judge": "id: a\nversion: '1.0'\ntemplate: '{{output}}'\nscoretype: binary\n",
        "dataset": FAULTY,
    }[kind]
    write(tmp_path, {"file.yaml": text})
    assert call(tmp_path / "file.yaml").out.splitlines()[-1].startswith("1 finding fixed in 1 file")


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_that_leads_out_is_not_followed(
    call: Callable[..., Result], place: Path, tmp_path: Path
) -> None:
    write(tmp_path, {"elsewhere/rows.yaml": FAULTY})
    outside = tmp_path / "elsewhere/rows.yaml"
    (place / "datasets").mkdir()
    (place / "datasets/link.yaml").symlink_to(outside)
    result = call()
    assert outside.read_text() == FAULTY
    assert "fixed" not in result.err
    call("datasets/link.yaml")  # whoever names it means it
    assert outside.read_text() == MENDED
    assert (place / "datasets/link.yaml").is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_is_no_second_file(call: Callable[..., Result], place: Path) -> None:
    write(place, {"datasets/rows.yaml": FAULTY})
    (place / "datasets/link.yaml").symlink_to("rows.yaml")
    assert call().out.splitlines()[-1].startswith("1 finding fixed in 1 file")
    assert (place / "datasets/rows.yaml").read_text() == MENDED


@pytest.mark.skipif(sys.platform == "win32", reason="modes are others there")
def test_the_mode_is_kept(call: Callable[..., Result], place: Path) -> None:
    write(place, {"datasets/rows.yaml": FAULTY})
    (place / "datasets/rows.yaml").chmod(0o640)
    call()
    assert (place / "datasets/rows.yaml").stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_written_changes_nothing(
    call: Callable[..., Result], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place, {"datasets/rows.yaml": FAULTY})
    before = texts(place)

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", "rows.yaml")

    monkeypatch.setattr(os, "replace", fail)
    assert call() == (
        2,
        "",
        "error: datasets/rows.yaml cannot be written: no space left on device\n",
    )
    assert texts(place) == before


@pytest.mark.costly
def test_a_file_that_changes_meanwhile_is_left_alone(
    call: Callable[..., Result], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(place, {"datasets/a.yaml": FAULTY, "datasets/b.yaml": FAULTY})

    def late(changes: Any, new: Any) -> None:
        (place / "datasets/b.yaml").write_text("somebody else's\n")
        replace_all(changes, new)

    monkeypatch.setattr(fix_options, "replace_all", late)
    assert (
        call().err == "error: datasets/b.yaml cannot be written: the file changed in the meantime\n"
    )
    assert (place / "datasets/a.yaml").read_text() == FAULTY


# Standard input


def given_(monkeypatch: pytest.MonkeyPatch, text: str | bytes) -> None:
    data = text.encode() if isinstance(text, str) else text
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "after"),
    [
        (None, FAULTY, MENDED),
        (None, GOOD, GOOD),
        (None, RUBRIC.replace('"1.0.0"', "1.0"), RUBRIC.replace('"1.0.0"', "'1.0'")),
        ("rows.jsonl", '{"id": 1, "input": "a"}\r\n', '{"id": "1", "input": "a"}\r\n'),
        (None, '{"id": 1, "input": "a"}\n{}\n', '{"id": "1", "input": "a"}\n{}\n'),
        ("datasets/new.yaml", GOOD.replace("@1.0.0", ""), GOOD),
        ("rubrics/polite.yaml", RUBRIC.replace("al", "ol"), RUBRIC.replace("val", "vol")),
    ],
)
def test_standard_input_comes_out_mended(
    name: str | None,
    text: str,
    after: str,
    call: Callable[..., Result],
    place: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = texts(place)
    options = ["--stdin-filename", name] if name else []
    given_(monkeypatch, text)
    if name == "rubrics/polite.yaml":
        after = RUBRIC
    assert call("-", *options).out == after
    given_(monkeypatch, text)
    assert call("-", "--diff", *options).code == (text != after)
    assert texts(place) == before


def test_standard_input_that_cannot_be_read_comes_out_as_it_is(
    call: Callable[..., Result], place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del place
    given_(monkeypatch, "questions: [\n")
    assert call("-")[:2] == (1, "questions: [\n")


# Whatever a file holds

HOSTILE: dict[str, tuple[str, str | None]] = {
    "aliases of a row": (
        "questions:\n  - &a {id: a, inptu: b, criteria: c}\n  - {<<: *a, id: d}\n",
        "questions:\n  - &a {id: a, input: b, criteria: c}\n  - {<<: *a, id: d}\n",
    ),
    "an alias that may not change": (
        "x_all: &a {inptu: b}\nquestions:\n  - {<<: *a, id: d, criteria: c}\n",
        None,
    ),
    "a key twice": ("questions:\n  - {id: a, inptu: b, inptu: c}\n", None),
    "two documents": ("questions:\n  - {id: a, inptu: b}\n---\na: 1\n", None),
    "tabs behind values": (
        "questions:\t\n  - id: a\t# c\n    inptu: b\t\n    tags: [\tx ]\n",
        "questions:\t\n  - id: a\t# c\n    input: b\t\n    tags: [\tx ]\n",
    ),
    "a directive": (
        "%YAML 1.2\n---\nquestions:\n  - {id: a, inptu: b}\n...\n",
        "%YAML 1.2\n---\nquestions:\n  - {id: a, input: b}\n...\n",
    ),
    "letters that are written as others": (
        'questions:\n  - {id: a, "inp\\u0074u": b}\n',
        'questions:\n  - {id: a, "input": b}\n',
    ),
    "keys that end a line in YAML 1.1": (
        "questions:\n  - {id: a, 'x\u2028y': 1, inptu: b}\n",
        "questions:\n  - {id: a, 'x\u2028y': 1, input: b}\n",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files(name: str, call: Callable[..., Result], place: Path) -> None:
    before, after = HOSTILE[name]
    write(place, {"datasets/rows.yaml": before})
    result = call()
    assert result.code < 2
    assert (place / "datasets/rows.yaml").read_text() == (before if after is None else after)


def test_bytes_that_are_no_text_stay(call: Callable[..., Result], place: Path) -> None:
    lines = [b'{"id": "a", "inptu": "b"}', b'{"id": "\xff"}', b"\xf0\x28 broken", b""]
    (place / "rows.jsonl").write_bytes(b"\n".join(lines))
    call("rows.jsonl")
    lines[0] = lines[0].replace(b"inptu", b"input")
    assert (place / "rows.jsonl").read_bytes() == b"\n".join(lines)


def test_nothing_that_a_terminal_acts_on_is_printed(
    call: Callable[..., Result], place: Path
) -> None:
    name = "datasets/\x1b[31m.yaml"
    write(place, {name: 'questions:\n  - {id: a, input: b, "tag\\e[2Js": [x]}\n'})
    write(
        place,
        {
            "rubrics/b.yaml": RUBRIC.replace("polite", "b").replace(
                "{combine: all_pass}", '{combine: weighted_avg, weights: {"no_insult\\a": 1}}'
            )
        },
    )
    result = call("--unsafe-fixes")
    assert "\x1b" not in result.out + result.err
    assert "\a" not in result.out + result.err


@pytest.mark.slow
def test_many_aliases_are_not_tried_without_end(call: Callable[..., Result], place: Path) -> None:
    """Each of 80 rows repeats what cannot be changed for it alone."""
    shared = "".join(f"  - &x{row} {{inptu: b}}\n" for row in range(80))
    rows = "".join(f"  - {{<<: *x{row}, id: r{row}}}\n" for row in range(80))
    write(place, {"datasets/rows.yaml": f"x_shared:\n{shared}questions:\n{rows}"})
    before = texts(place)
    result = call("--limit", "60")
    assert texts(place) == before
    assert result.err.count("not fixed: ") == 60
    assert result.err.endswith("… 20 more findings: `--limit 0` shows all\n")


def test_a_value_is_not_changed_where_it_stands(place: Path) -> None:
    """What is handed out of memory is not what the next check reads."""
    write(place, {"rows.yaml": FAULTY})
    first = fix([place / "rows.yaml"], Options(), FixOptions())
    again = fix([place / "rows.yaml"], Options(), FixOptions())
    assert first.files == again.files
    assert deepcopy(first.files) == first.files
    assert (place / "rows.yaml").read_text() == FAULTY


@pytest.mark.costly
@pytest.mark.parametrize(("length", "checks"), [(10, 4), (500_000, 3)], ids=["small", "large"])
def test_a_large_file_is_checked_three_times(
    length: int, checks: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows have a reference once their list is known, and its version once it is one."""
    rows = "questoins:\n  - {id: a, input: b, rubric_reff: rubric/polite}\n"
    comment = f"# {'x' * 98}\n" * (length // 100)
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": f"{rows}{comment}"})
    calls: list[object] = []

    def counted(*given: Any) -> Any:
        calls.append(given)
        return check_workspaces(*given)

    monkeypatch.setattr(fixing, "check_workspaces", counted)
    result = fix([tmp_path], Options(), FixOptions())
    assert len(calls) == checks
    assert result.is_settled == (checks == 4)


@pytest.mark.costly
@every_case(
    "limits",
    [{"_MAX_ROUNDS_OF_MANY": 1, "_MANY_CHARACTERS": 1}, {"_MANY_FINDINGS": 0}],
    ids=["characters", "findings"],
)
def test_large_files_have_few_rounds(
    limits: dict[str, int],
    call: Callable[..., Result],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A reference can be pinned only once the version of its rubric is known."""
    row = "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite}\n"
    rubric = RUBRIC.replace("version:", "verison:")
    assert rubric != RUBRIC
    write(tmp_path, {"rubrics/polite.yaml": rubric, "datasets/a.yaml": row})
    assert "run it again" not in call(tmp_path, "--diff").err
    for name, limit in limits.items():
        monkeypatch.setattr(fixing, name, limit)
    assert "run it again" in call(tmp_path).err
    assert (tmp_path / "datasets" / "a.yaml").read_text(encoding="utf-8") == row
    assert "run it again" not in call(tmp_path).err
    assert (tmp_path / "datasets" / "a.yaml").read_text(encoding="utf-8") != row
