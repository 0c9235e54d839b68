"""The schema, our judge and the real loader give one verdict on any JSON value."""

from __future__ import annotations

import json
import os
import random
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from evret_files import EDGES, REAL, is_rejected, laid_out, read_text, rejects, stage_of
from examples import examples, tries
from hypothesis import example, given
from hypothesis import strategies as st
from needs import PEERS, missing

from evalcontract.formats.evret import Evret, document_problems
from evalcontract.formats.evret.releases import RELEASES, items_of, parsed
from evalcontract.source.yaml.writing import csv_text
from evalcontract.structure.exact import validator_for
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import definition, load
from evalcontract.workspace.catalogue import is_rejection

if TYPE_CHECKING:
    from collections.abc import Callable

KEYS = (
    "query_id",
    "id",
    "query_text",
    "query",
    "expected_answers",
    "expected_doc_ids",
    "relevant_doc_ids",
    "relevant_docs",
    "other",
)
VALUES = st.sampled_from(EDGES) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=2)
    ),
    max_leaves=4,
)
ROWS = VALUES | st.dictionaries(st.sampled_from(KEYS), VALUES, max_size=6)
DOCUMENTS = VALUES | st.dictionaries(
    st.sampled_from(("doc_id", "text", "metadata", "other")), VALUES, max_size=4
)


def is_plain(value: Any) -> bool:
    """Whether a value is one of JSON and of Unicode, on which the engines have a verdict."""
    try:
        json.dumps(value, allow_nan=False, ensure_ascii=False).encode()
    except ValueError:
        return False
    return True


def row_checker(release: str) -> Any:
    return Evret(release).checker(stage_of(release))


def check_schema(value: Any, of: str, release: str, *, is_rejected: bool) -> None:
    schema = definition(of, of=f"formats/evret-{release}")
    if is_plain(value):
        assert native_for(schema).is_valid(value) is not is_rejected
        assert validator_for(schema).is_valid(value) is not is_rejected


@pytest.mark.slow
@pytest.mark.parametrize("release", RELEASES)
@examples(400)
@given(row=ROWS)
@example(row={"query_id": "a", "query_text": "b", "relevant_docs": "d1"})
def test_the_schema_of_a_query_agrees_with_the_judge(release: str, row: Any) -> None:
    check_schema(row, "row", release, is_rejected=rejects(row, release))


@pytest.mark.parametrize("release", RELEASES)
@examples(200)
@given(item=DOCUMENTS)
def test_the_schema_of_a_document_agrees_with_the_judge(release: str, item: Any) -> None:
    found = document_problems([item], stage_of(release))
    is_rejected = any(is_rejection(each.code) for each in found)
    check_schema(item, "document", release, is_rejected=is_rejected)


@examples(200)
@given(
    value=VALUES
    | st.dictionaries(
        st.sampled_from(("queries", "documents", "other")), VALUES | st.lists(ROWS), max_size=3
    )
)
def test_the_schema_of_a_file_agrees_with_the_judge(value: Any) -> None:
    if not is_plain(value):
        return
    read = read_text(json.dumps(value))
    layout = laid_out(read, "0.0.3")
    found = [each.code for each in layout.problems]
    is_rejected = any(map(is_rejection, found)) or any(
        rejects(row, "0.0.3") for row in layout.rows or ()
    )
    assert native_for(load("formats/evret-0.0.3")).is_valid(value) is not is_rejected


@pytest.mark.parametrize("release", RELEASES)
@examples(300)
@given(row=ROWS)
def test_a_row_that_the_gate_passes_has_no_findings_but_silent_ones(release: str, row: Any) -> None:
    if not stage_of(release).passes([row]):
        return
    slow = row_checker(release).check(row, ("queries", 0), is_clean=False)
    fast = row_checker(release).check(row, ("queries", 0), is_clean=True)
    assert list(fast) == list(slow)


# From here on the real loaders are asked.


@pytest.fixture(scope="module")
def peers() -> str:
    """Return the interpreter of the environment that the real packages are installed in."""
    found = os.environ.get("EVALCONTRACT_PEERS")
    if not found:
        missing(PEERS)
    return str(found)


@pytest.fixture(params=RELEASES)
def ask(request: pytest.FixtureRequest, peers: str, tmp_path: Path) -> Callable[..., Any]:
    """Return what asks the loader of a release for its verdicts on texts.

    0.0.3 is installed in the environment, the others stand in it as folders `evret-RELEASE`.
    """
    release: str = request.param
    folder = Path(peers).parents[1] / f"evret-{release}"
    if release != "0.0.3" and not folder.is_dir():
        missing(PEERS)

    def verdicts(loader: str, texts: list[str]) -> list[Any]:
        source = tmp_path / "texts.jsonl"
        source.write_text("".join(f"{json.dumps(text)}\n" for text in texts), encoding="utf-8")
        done = subprocess.run(
            [peers, str(REAL), loader, str(source)],
            check=True,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(folder)},
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    verdicts.release = release  # type: ignore[attr-defined]
    return verdicts


def some_value(chance: random.Random, depth: int = 0) -> Any:
    if depth < 2 and chance.random() < 0.3:
        return [some_value(chance, depth + 1) for _ in range(chance.randrange(4))]
    return chance.choice(EDGES)


def some_document(chance: random.Random) -> Any:
    row: Any = {key: some_value(chance) for key in KEYS if chance.random() < 0.3}
    if chance.random() < 0.8:
        row = {"query_id": "a", "query_text": "b", **row}
    if chance.random() < 0.05:
        row = some_value(chance)
    value: dict[str, Any] = {"queries": [row]}
    if chance.random() < 0.3:
        keys = ("doc_id", "text", "metadata")
        item = {key: some_value(chance) for key in keys if chance.random() < 0.6}
        value["documents"] = [{"doc_id": "d", **item}]
    if chance.random() < 0.05:
        value[chance.choice(("queries", "documents"))] = some_value(chance)
    return value if chance.random() > 0.02 else some_value(chance)


def same(real: list[Any], text: str, release: str, name: str) -> bool:
    """Whether our verdict is the real one, and what is read the same."""
    if is_rejected(text, release, name):
        return bool(real[0] == "reject")
    if real[0] == "reject":
        return False
    rows = laid_out(read_text(text, name), release).rows or []
    queries = [
        (
            each["query_id"],
            each["query_text"],
            each.get("expected_doc_ids", each.get("relevant_doc_ids", [])),
            each["expected_answers"],
        )
        for each in real[1]["queries"]
    ]
    return [tuple(parsed(row, RELEASES[release])) for row in rows] == queries


@pytest.mark.slow
@pytest.mark.no_cover
def test_json_is_judged_as_by_the_real_loader(ask: Any) -> None:
    chance = random.Random(1)  # noqa: S311 - the same cases each time
    texts = [json.dumps(some_document(chance)) for _ in range(tries(2000))]
    real = ask("from_json", texts)
    assert len(real) == len(texts)
    assert {each[0] for each in real} == {"accept", "reject"}
    differ = [
        (text, each)
        for text, each in zip(texts, real, strict=True)
        if not same(each, text, ask.release, "d.json")
    ]
    assert differ == []


CELLS = (
    *(
        "q1",
        "",
        " ",
        "how deep",
        '"a,b"',
        '"[""a"", ""b""]"',
        "\"['a', 'b']\"",
        "true",
        "9",
        "null",
    ),
    *(
        '"[]"',
        '"{}"',
        '"""x"""',
        "a;b",
        '"a, ,b"',
        "[1",
        "NaN",
        "0",
        "[NaN]",
        '"\n"',
        "\xa0",
        "\ufeff",
    ),
    *("[" * 3000, "1" * 5000, '"[[1], null]"', "-", '" [""a""] "'),
)
COLUMNS = (*KEYS, "Query_ID", " query_text", "metadata")


def some_table(chance: random.Random) -> str:
    header = chance.choices(COLUMNS, k=chance.randrange(1, 5))
    if chance.random() < 0.8:
        header += ["query_text", "expected_answers"]
    mark = "\ufeff" if chance.random() < 0.1 else ""
    lines = [",".join(f'"{name}"' if chance.random() < 0.1 else name for name in header)]
    for _ in range(chance.randrange(3)):
        width = len(header) + chance.choice((0, 0, 0, 0, -1, 1))
        lines.append(",".join(chance.choices(CELLS, k=max(width, 0))))
    return mark + chance.choice(("\n", "\r\n", "\r")).join(lines)


@pytest.mark.slow
@pytest.mark.no_cover
def test_csv_is_judged_as_by_the_real_loader(ask: Any) -> None:
    chance = random.Random(2)  # noqa: S311 - the same cases each time
    texts = [some_table(chance) for _ in range(tries(2000))]
    texts += ["query_text,expected_answers\na," + "x" * 140_000, '\ufeff"query_text,a",query\nb,c']
    real = ask("from_csv", texts)
    assert {each[0] for each in real} == {"accept", "reject"}
    differ = [
        (text, each)
        for text, each in zip(texts, real, strict=True)
        if not same(each, text, ask.release, "d.csv")
    ]
    assert differ == []


def some_row(chance: random.Random) -> dict[str, Any]:
    texts = ("a", " b ", "c,d", '"e"', "[f]", "7", "null", "\n", "true", "Ä")
    row: dict[str, Any] = {"id": chance.choice(texts) + "1", "input": chance.choice(texts) + "?"}
    if chance.random() < 0.7:
        found = chance.choices(texts, k=chance.randrange(3))
        row["expected_documents"] = [{"id": each, "content": "x"} for each in found]
    if chance.random() < 0.7:
        row["expected_facts"] = chance.choices(texts, k=chance.randrange(3))
    if chance.random() < 0.3:
        row["tags"] = ["t"]
    return row


@pytest.mark.slow
@pytest.mark.no_cover
@pytest.mark.parametrize("medium", ["json", "csv"])
def test_what_we_write_is_read_by_the_real_loader(ask: Any, medium: str) -> None:
    chance = random.Random(3)  # noqa: S311 - the same cases each time
    files = [[some_row(chance) for _ in range(3)] for _ in range(50)]
    texts = []
    for rows in files:
        writer = Evret(ask.release).writer(medium)
        written = [writer.write(row, None, index) for index, row in enumerate(rows)]
        assert [each.problems for each in written] == [()] * len(rows)
        whole, _ = writer.wrap([each.row for each in written], {"label": "x"})
        texts.append(csv_text(*whole) if medium == "csv" else json.dumps(whole))
    release = RELEASES[ask.release]
    for rows, (verdict, read) in zip(files, ask(f"from_{medium}", texts), strict=True):
        assert verdict == "accept"
        ids, facts = ("expected_documents", "expected_facts")
        assert [
            (
                each["query_id"],
                each["query_text"],
                each.get("expected_doc_ids", each.get("relevant_doc_ids", [])),
                each["expected_answers"],
            )
            for each in read["queries"]
        ] == [
            (
                row["id"].strip(),
                row["input"].strip(),
                items_of([each["id"] for each in row.get(ids, ())]) if release.ids else [],
                items_of(row.get(facts)),
            )
            for row in rows
        ]
