"""Plain CSV tables: what their columns mean, what is reported, and conversions both ways."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tables import every_case

from evalcontract.engine.convert import ConvertOptions, ConvertResult, convert
from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.formats.csv.cells import cell_of, list_of
from evalcontract.formats.csv.columns import columns_of
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic


def findings(folder: Path, data: bytes | str, name: str = "d.csv") -> list[Diagnostic]:
    path = folder / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return validate(Kind.DATASET, [Input(path)], Options(root=folder, dialect="csv")).diagnostics


def converted(folder: Path, data: bytes | str, name: str = "d.csv", **maps: str) -> Any:
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    done = run(folder, name, "out.json", ConvertOptions("csv", "evalcontract", columns=maps))
    assert done.refusal is None, done.diagnostics
    return json.loads((folder / "out.json").read_text(encoding="utf-8"))["questions"]


def run(folder: Path, source: str, target: str, options: ConvertOptions) -> ConvertResult:
    return convert(Input(folder / source), folder / target, options, Options(root=folder))


#: A table, and the codes and places (line and column) of what is reported.
REPORTED: dict[str, tuple[str, list[tuple[str, int, int]]]] = {
    "a good table": ("question,answer\nHow?,So.\n", []),
    "other delimiters": ("question;answer;tags\nHow, long?;so;x\n", []),
    "a longer row": ("question,answer\nHow?,so, or so\n", [("extra-cell", 2, 9)]),
    "empty cells at the end": ("question,answer\nHow?,so,,\n", []),
    "a shorter row": ("question,answer\nHow?\n", [("short-row", 2, 1)]),
    "a row of commas": ("question,answer\n,\n", [("empty-value", 2, 1)]),
    "no question": ("question,answer\n ,so\n", [("empty-value", 2, 1)]),
    "no rows": ("question,answer\n", [("no-rows", 1, 1)]),
    "equal columns": ("question,a,a\nHow?,1,2\n", [("duplicate-column", 1, 12)]),
    "columns of one meaning": ("answer,question,target\n1,How?,2\n", [("shadowed-column", 1, 17)]),
    "no column of questions": ("text,answer\nHow?,so\n", [("missing-key", 1, 1)]),
    "a misspelled question": ("answer,questoin\nso,How?\n", [("missing-key", 1, 8)]),
    "a misspelled answer": ("question,anwser\nHow?,so\n", [("near-miss-key", 1, 10)]),
    "a quote without an end": ('question,answer\nHow?,"so\na,b\n', [("unclosed-quote", 2, 6)]),
    "an inch": ('question,answer\nHow?,5" wide\n', []),
    "equal ids": ("id,question\n1,How?\n1,Why?\n", [("duplicate-id", 3, 1)]),
    "a whole and a part": (
        "context.a,question,context\nx,How?,\n,How?,y\nx,How?,y\n",
        [("malformed-cell", 4, 1)],
    ),
    "a list of numbers": ('question,tags\nHow?,"[1, 2]"\n', [("malformed-cell", 2, 6)]),
}


@every_case("name", REPORTED)
def test_what_is_reported_has_its_place(name: str, tmp_path: Path) -> None:
    text, expected = REPORTED[name]
    found = [
        (each.code, each.place.span.line, each.place.span.column)
        for each in findings(tmp_path, text)
        if each.place.span
    ]
    assert found == [(f"csv/{code}", line, column) for code, line, column in expected]


def test_cells_are_texts(tmp_path: Path) -> None:
    text = "question,answer,level,score,flag\nHow?,007,NA,1.0,true\nWhy?,,,null,\n"
    assert converted(tmp_path, text) == [
        {
            "id": "row_1",
            "input": "How?",
            "expected": {"reference": "007"},
            "metadata": {"level": "NA", "score": "1.0", "flag": "true"},
        },
        {"id": "row_2", "input": "Why?", "metadata": {"score": "null"}},
    ]


@every_case("data", [
    b"\xef\xbb\xbfQuestion,Ground Truth\r\nHow?,so\r\n",
    b"question;ground-truth\nHow?;so\n",
    b"QUESTION\tground_truth\nHow?\tso\n",
    b'"prompt"|"answer"\n"How?"|so\n',
    b"query,ideal\rHow?,so\r",
], ids=repr)  # fmt: skip
def test_programs_write_tables_differently(data: bytes, tmp_path: Path) -> None:
    expected = {"id": "row_1", "input": "How?", "expected": {"reference": "so"}}
    assert converted(tmp_path, data) == [expected]


def test_a_tsv_has_tabs(tmp_path: Path) -> None:
    rows = converted(tmp_path, "question\tanswer\nHow, long?\tso\n", "d.tsv")
    assert rows[0]["input"] == "How, long?"


def test_columns_are_mapped(tmp_path: Path) -> None:
    text = "text,is,says,who,question\nHow?,so,a|b;c,Ann,Why?\n"
    maps = {"text": "input", "is": "expected.reference", "says": "expected_facts[|]"}
    assert converted(tmp_path, text, **maps, who="metadata.author") == [
        {
            "id": "row_1",
            "input": "How?",
            "expected": {"reference": "so"},
            "expected_facts": ["a", "b;c"],
            "metadata": {"author": "Ann", "question": "Why?"},
        }
    ]


@every_case("maps", [
    ({"qestion": "input"}, "did you mean `question`?"),
    ({"question": "inptu"}, "did you mean `input`?"),
    ({"question": "input[;]"}, "is no list"),
    ({"question": "input", "answer": "input"}, "two columns the key `input`"),
], ids=repr)  # fmt: skip
def test_a_wrong_map_is_told_and_nothing_written(
    maps: tuple[dict[str, str], str], tmp_path: Path
) -> None:
    (tmp_path / "d.csv").write_text("question,answer\nHow?,so\n", encoding="utf-8")
    options = ConvertOptions("csv", "evalcontract", columns=maps[0])
    with pytest.raises(UsageError) as raised:
        run(tmp_path, "d.csv", "out.json", options)
    assert maps[1] in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == ["d.csv"]


def test_only_columns_of_tables_are_mapped(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("query_text\nHow?\n", encoding="utf-8")
    options = ConvertOptions("evret", "evalcontract", columns={"query_text": "input"})
    with pytest.raises(UsageError, match="not those of `evret`"):
        run(tmp_path, "d.csv", "out.json", options)


ROW: dict[str, Any] = {
    "id": "a",
    "input": 'How "deep",\nor\r wide?',
    "expected": {"reference": " 9 m ", "format": "text"},
    "expected_facts": ["9 m; low", "tide"],
    "expected_tools": ["chart", {"name": "tide", "arguments": {"port": "Wick"}}],
    "criteria": "Kind; short",
    "context": {"port.of": "Wick"},
    "rubric_ref": "rubric/depth@1.0",
    "tags": ["a", "b c"],
    "metadata": {"level": "NA"},
}


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_texts_and_lists_come_back(ending: str, tmp_path: Path) -> None:
    rows = [ROW, {"id": "b", "input": "Why?", "context": "none"}]
    (tmp_path / "in.json").write_text(json.dumps({"questions": rows}), encoding="utf-8")
    out = f"out.{ending}"
    done = run(tmp_path, "in.json", out, ConvertOptions(None, "csv"))
    assert done.refusal is None
    assert done.losses.total == 0
    assert findings(tmp_path, (tmp_path / out).read_bytes(), out) == []
    # A row has the whole context or parts of it; a table with both has columns for both.
    back = run(tmp_path, out, "back.json", ConvertOptions("csv", "evalcontract"))
    assert back.refusal is None
    assert json.loads((tmp_path / "back.json").read_text(encoding="utf-8"))["questions"] == rows


def test_what_is_no_text_is_a_loss(tmp_path: Path) -> None:
    row = {"id": "a", "input": "How?", "metadata": {"n": 1, "e": ""}, "level": 5, "criteria": "x"}
    (tmp_path / "in.json").write_text(json.dumps({"questions": [row]}), encoding="utf-8")
    done = run(tmp_path, "in.json", "out.csv", ConvertOptions(None, "csv", tmp_path / "l.json"))
    told = json.loads((tmp_path / "l.json").read_text(encoding="utf-8"))["losses"]
    assert {each["path"] for each in told} == {
        "$.questions[0].metadata.n",
        "$.questions[0].metadata.e",
        "$.questions[0].level",
    }
    assert not any(each["kept"] for each in told)
    assert done.refusal is None
    assert (tmp_path / "out.csv").read_text(encoding="utf-8") == (
        "id,input,criteria,metadata.n\na,How?,x,1\n"
    )


def test_losses_have_the_place_of_their_column(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("question,my tags,tags\nHow?,x,y\n", encoding="utf-8")
    done = run(tmp_path, "d.csv", "o.json", ConvertOptions("csv", "evret", tmp_path / "l.json"))
    assert done.refusal is None
    told = json.loads((tmp_path / "l.json").read_text(encoding="utf-8"))["losses"]
    assert [each["path"] for each in told] == ["$[0].tags"]


def test_a_cell_that_readers_refuse_is_not_written(tmp_path: Path) -> None:
    row = {"id": "a", "input": "x" * 131_073}
    (tmp_path / "in.json").write_text(json.dumps({"questions": [row]}), encoding="utf-8")
    with pytest.raises(UsageError, match="131,073 characters"):
        run(tmp_path, "in.json", "out.csv", ConvertOptions(None, "csv"))
    assert not (tmp_path / "out.csv").exists()


@every_case(
    "items", [["a"], ["a;b", "c"], ["[a", "b"], ["a\nb"], [" a"], [{"name": "x"}]], ids=repr
)
def test_a_list_comes_back(items: list[Any]) -> None:
    assert list_of(cell_of(items, ";"), ";") == items


def test_columns_without_names_and_hostile_ones_are_metadata() -> None:
    columns = columns_of(["", "question", "metadata", "__proto__", "../x"], {})
    assert [column.key for column in columns.known] == [
        "metadata.column_1",
        "input",
        "metadata.metadata",
        "metadata.__proto__",
        "metadata.../x",
    ]
