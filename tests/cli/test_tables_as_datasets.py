"""Tables, CSV and Parquet, as datasets of evalcontract: their columns are keys of rows."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from doors import Input, Kind, Options, command_line, validate
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.columns import OurTable, checked
from evalcontract.datasets.opening import files_below
from evalcontract.datasets.tables import source_of
from evalcontract.model.errors import UsageError
from evalcontract.source.external import read_external_stream
from evalcontract.source.tables.delimited import CsvTable
from evalcontract.source.yaml.writing import csv_text

USUAL = "Question,Answer,topic,tags\nHow long?,30 days,returns,a | b\nWhere?,,orders,\n"


def graded_by_the_runner(folder: Path) -> None:
    """Say that what a row expects is read, so that only its shape is reported."""
    text = 'row_keys_graded = ["criteria", "expected"]\n'
    (folder / "evalcontract.toml").write_text(text, encoding="utf-8")


def rows(text: str, *columns: tuple[str, str], name: str = "d.csv") -> list[Any]:
    """Return the rows that a table is read as."""
    file = read_external_stream(io.BytesIO(text.encode()), name)
    source = source_of(file, checked(columns))
    assert source.unreadable is None, source.unreadable
    return [row for batch in source.stream.batches() for row in batch.rows]


def test_columns_are_read_by_their_usual_names() -> None:
    first, second = rows(USUAL)
    assert first == {
        "id": "row_1",
        "input": "How long?",
        "expected": {"reference": "30 days"},
        "tags": ["a", "b"],
        "metadata": {"topic": "returns"},
    }
    assert second == {"id": "row_2", "input": "Where?", "metadata": {"topic": "orders"}}


@every_case(
    ("text", "columns", "row"),
    [
        ("id,prompt\nx,a\n", [], {"id": "x", "input": "a"}),
        ("frage\na\n", [("frage", "input")], {"input": "a"}),
        ("input,a=b\na,c\n", [("a=b", "context")], {"input": "a", "context": "c"}),
        # What the caller names comes first, and the other column is one of `metadata`.
        (
            "prompt,question\na,b\n",
            [("question", "input")],
            {"input": "b", "metadata": {"prompt": "a"}},
        ),
        ("question,prompt\na,b\n", [], {"input": "a", "metadata": {"prompt": "b"}}),
        ("input,expected.lang\na,en\n", [], {"input": "a", "expected": {"lang": "en"}}),
        ("input,metadata.n\na,007\n", [], {"input": "a", "metadata": {"n": "007"}}),
        ("input,n\na,NA\n", [], {"input": "a", "metadata": {"n": "NA"}}),
        ("Ground Truth;input\nb;a\n", [], {"input": "a", "expected": {"reference": "b"}}),
        ("input\tcontext\na\tb, c; d\n", [], {"input": "a", "context": "b, c; d"}),
        ("\ufeffinput,tags\na,x\n", [], {"input": "a", "tags": ["x"]}),
        ('input,tags\na,"[""x, y"", ""z""]"\n', [], {"input": "a", "tags": ["x, y", "z"]}),
        ('input,facts\na,"[x] is, y"\n', [], {"input": "a", "expected_facts": ["[x] is, y"]}),
        ("input,\na,b\n", [], {"input": "a", "metadata": {"column_2": "b"}}),
        ("input,x_own\na,b\n", [("x_own", "x_own")], {"input": "a", "x_own": "b"}),
    ],
)
def test_columns_and_cells(text: str, columns: list[tuple[str, str]], row: dict[str, Any]) -> None:
    assert rows(text, *columns) == [{"id": "row_1", **row}]


@every_case(
    ("text", "places"),
    [
        ("criteria,input,tags\na,b,c\nd,e\n", {"dataset/ragged-row": "3:1"}),
        ("question,answer\na,b\n", {"dataset/mapped-column": "1:1"}),
        ("input,criteria,expecteed_facts\na,b,c\n", {"dataset/near-miss-key": "1:16"}),
        ("input,criteria\na,b\n,b\n", {"dataset/missing-key": "3:1"}),
        ("input,criteria\na,b,c\nd,e,f\n", {"dataset/ragged-row": "2:1"}),
        (
            "input,criteria\na,b\nc\n",
            {"dataset/ragged-row": "3:1", "dataset/nothing-to-grade": "3:1"},
        ),
        ("input,criteria,criteria\na,b,c\n", {"dataset/repeated-column": "1:16"}),
        ("id,input,criteria\nx,a,b\nx,a,b\n", {"dataset/duplicate-id": "3:1"}),
        ("input,rubric_ref\na,rubric/b@1.0\n", {"reference/dangling": "2:3"}),
        ("input;criteria;rubric_ref\na;b;rubric/b@1.0\n", {"reference/dangling": "2:5"}),
        ("input,criteria\n", {"dataset/no-rows": "1:1"}),
        ("qestion,answer\na,b\n", {"source/unsupported": "1:1"}),
        ("", {"source/empty": "1:1"}),
    ],
)
def test_findings_have_the_places_of_cells(
    text: str, places: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded_by_the_runner(tmp_path)
    path = tmp_path / "d.csv"
    path.write_text(text, encoding="utf-8")
    command_line("validate-dataset", path, "--output-format", "concise")
    found = dict(_concise(line) for line in capsys.readouterr().out.splitlines() if "[" in line)
    assert found == places


def _concise(line: str) -> tuple[str, str]:
    place, code = line.split("[", maxsplit=1)[0], line.split("[")[1].split("]", maxsplit=1)[0]
    return code, ":".join(place.split("d.csv:")[1].split(":")[:2])


@every_case(
    ("options", "message"),
    [
        (["--map", "Topic=tags"], "did you mean `topic`?"),
        (["--map", "topic=tgs"], "did you mean `tags`?"),
        (["--map", "topic"], "expected COLUMN=KEY"),
        (["--map", "topic=tags", "--map", "topic=id"], "`topic` is mapped twice"),
        (["--map", "topic=tags", "--map", "tags=tags"], "`tags` is mapped twice"),
        (["--map", "topic=tags", "--dialect", "evret"], "has names of its own"),
        (["--map", "topic=expected"], None),
    ],
)
def test_what_cannot_be_mapped_is_said(
    options: list[str], message: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    graded_by_the_runner(tmp_path)
    path = tmp_path / "d.csv"
    path.write_text(USUAL, encoding="utf-8")
    code = command_line("validate-dataset", path, *options)
    printed = capsys.readouterr()
    if message is None:  # the value is no mapping, which is a finding in each row
        assert code == 0
        assert "dataset/wrong-type" in printed.out
    else:
        assert code == 2
        assert message in printed.err


def test_a_file_that_is_no_table_has_no_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "d.jsonl"
    path.write_text('{"a": "b"}\n', encoding="utf-8")
    assert command_line("validate-dataset", path, "--map", "a=input") == 2
    assert "it is no CSV or Parquet file" in capsys.readouterr().err


def test_a_table_is_converted_and_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.csv").write_text(USUAL, encoding="utf-8")
    for source, target in (
        ("in.csv", "a.yaml"), ("a.yaml", "b.csv"), ("b.csv", "c.yaml"), ("c.yaml", "d.tsv"),
        ("d.tsv", "e.json"), ("in.csv", "f.json"),
    ):  # fmt: skip
        assert command_line("convert", source, target) == 0
    assert (tmp_path / "a.yaml").read_bytes() == (tmp_path / "c.yaml").read_bytes()
    assert (tmp_path / "e.json").read_bytes() == (tmp_path / "f.json").read_bytes()
    assert "\t" in (tmp_path / "d.tsv").read_text(encoding="utf-8")


def test_what_a_table_cannot_hold_is_a_loss(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    row = {
        "id": "a", "input": "b", "criteria": "", "tags": [], "metadata": {"n": 1, "t": "x"},
        "context": {"k": ["v"]}, "own": "c",
    }  # fmt: skip
    text = json.dumps({"label": "All", "questions": [row]})
    (tmp_path / "in.json").write_text(text, encoding="utf-8")
    assert command_line("convert", "in.json", "out.csv", "--loss-report", "lost.json") == 0
    written = (tmp_path / "out.csv").read_text(encoding="utf-8")
    assert written == "id,input,metadata.t\na,b,x\n"
    lost = json.loads((tmp_path / "lost.json").read_text(encoding="utf-8"))["losses"]
    paths = {each["path"].rpartition("questions[0].")[2] for each in lost}
    assert paths == {"$.label", "criteria", "tags", "metadata.n", "context.k", "own"}
    assert not any(each["kept"] for each in lost)


TEXTS = st.text(max_size=8)
ROWS = st.fixed_dictionaries(
    {"id": TEXTS.filter(bool), "input": TEXTS.filter(bool)},
    optional={
        "criteria": TEXTS,
        "expected_facts": st.lists(TEXTS, max_size=3),
        "tags": st.lists(st.sampled_from(["a", "b|c", " d", "[e", "f\ng", ""]), max_size=3),
        "expected_tools": st.lists(
            st.one_of(TEXTS, st.fixed_dictionaries({"name": TEXTS})), max_size=2
        ),
        "expected": st.fixed_dictionaries({}, optional={"reference": TEXTS, "n": st.integers()}),
        "metadata": st.dictionaries(st.sampled_from(["x", "y.z"]), TEXTS, max_size=2),
    },
)


@given(st.lists(ROWS, min_size=1, max_size=3), st.sampled_from([",", ";", "\t"]))
def test_what_is_no_loss_comes_back(given_rows: list[dict[str, Any]], delimiter: str) -> None:
    table = OurTable()
    written = [table.cells(row) for row in given_rows]
    (header, cells), _ = table.wrap([row for row, _ in written], {})
    text = csv_text(header, cells, delimiter)
    if "\x00" in text or any(0xD800 <= ord(c) < 0xE000 for c in text):
        return  # no text of a CSV file
    back = rows(text)
    for row, (_, losses), read in zip(given_rows, written, back, strict=True):
        lost = {loss.path for loss in losses}
        assert _leaves(row) - read_leaves(lost, row) == _leaves(read)


def _leaves(row: dict[str, Any]) -> set[tuple[tuple[str, ...], str]]:
    flat: dict[tuple[str, ...], Any] = {}
    for key, value in row.items():
        if isinstance(value, dict):
            flat |= {(key, name): part for name, part in value.items()}
        else:
            flat[(key,)] = value
    return {(path, json.dumps(value)) for path, value in flat.items()}


def read_leaves(lost: set[Any], row: dict[str, Any]) -> set[tuple[tuple[str, ...], str]]:
    """Return the leaves of a row that are told as lost."""
    return {(path, value) for path, value in _leaves(row) if path in lost}


def test_the_delimiter_is_that_of_the_header() -> None:
    table = CsvTable("d", "a;b\n1,2;3\n", b"").with_delimiter(";")
    assert table.records == [["1,2", "3"]]
    place = table.place((0, "b"))
    assert (place.span and (place.span.line, place.span.column)) == (2, 5)


@pytest.mark.costly
def test_findings_of_a_large_table_are_few() -> None:
    header = ",".join(f"inpt{n}" for n in range(20_000))
    text = f"input,{header}\n" + "a\n" * 5_000
    file = read_external_stream(io.BytesIO(text.encode()), "d.csv")
    source = source_of(file, ())
    assert source.unreadable is None
    codes = [problem.code for problem in source.problems]
    assert codes.count("dataset/ragged-row") == 1
    assert len(codes) <= 1_002


#: Tables, and the code, line and column of what is reported beside the note on names.
SHAPES: dict[str, tuple[str, list[tuple[str, int, int]]]] = {
    "a quote without an end": (
        'input,criteria\na,"b\nc,d\n',
        [("dataset/unclosed-quote", 2, 3)],
    ),
    "an inch": ('input,criteria\na,5" wide\n', []),
    "a quote at the end": ('input,criteria\na,"b""\n', [("dataset/unclosed-quote", 2, 3)]),
    "columns of one meaning": (
        "input,criteria,prompt\na,b,c\n",
        [("dataset/mapped-column", 1, 16)],
    ),
    "a whole and a part": (
        "input,criteria,context.x,context\na,b,,d\na,b,c,\na,b,c,d\n",
        [("dataset/repeated-column", 4, 5)],
    ),
}


@every_case("name", SHAPES)
def test_what_a_table_would_lose_is_told(name: str, tmp_path: Path) -> None:
    text, expected = SHAPES[name]
    graded_by_the_runner(tmp_path)
    (tmp_path / "d.csv").write_text(text, encoding="utf-8")
    options = Options(root=tmp_path, strict=False, dialect="csv")
    found = validate(Kind.DATASET, [Input(tmp_path / "d.csv")], options).diagnostics
    places = [
        (each.code, each.place.span.line, each.place.span.column)
        for each in found
        if each.place.span
    ]
    assert places == expected


def test_a_table_may_be_named_as_one(tmp_path: Path) -> None:
    """A table that looks like one of another system is one of ours if somebody says so."""
    (tmp_path / "d.csv").write_text("query_id,query_text,prompt\nq,x,a\n", encoding="utf-8")
    (tmp_path / "d.yaml").write_text("questions: []\n", encoding="utf-8")
    options = Options(root=tmp_path)
    done = convert(
        Input(tmp_path / "d.csv"), tmp_path / "o.csv", ConvertOptions("csv", "csv"), options
    )
    assert (done.refusal, done.from_, done.rows) == (None, "evalcontract", 1)
    assert (tmp_path / "o.csv").read_text(encoding="utf-8").startswith("id,input,")
    with pytest.raises(UsageError, match="no table"):
        convert(
            Input(tmp_path / "d.yaml"), tmp_path / "p.csv", ConvertOptions("csv", "csv"), options
        )
    with pytest.raises(UsageError, match="no table"):
        convert(
            Input(tmp_path / "d.csv"), tmp_path / "p.yaml", ConvertOptions("csv", "csv"), options
        )
    assert files_below(tmp_path, Kind.DATASET, "csv") == [tmp_path / "d.csv", tmp_path / "o.csv"]


def test_a_list_has_the_separator_that_the_caller_names() -> None:
    text = "input,labels,facts\na,x; y|z,one / two\n"
    (row,) = rows(text, ("labels", "tags[;]"), ("facts", "expected_facts[ / ]"))
    assert row["tags"] == ["x", "y|z"]
    assert row["expected_facts"] == ["one", "two"]
    with pytest.raises(UsageError, match="`criteria` is no list"):
        checked([("labels", "criteria[;]")])
    with pytest.raises(UsageError, match="mapped twice"):
        checked([("a", "tags[;]"), ("b", "tags")])
    with pytest.raises(UsageError, match="no such key"):
        checked([("a", "tags[]")])


OUR_ROWS: list[dict[str, Any]] = [
    {"id": "a", "input": "When?", "metadata": {"n": 1, "of": ["x"]}, "expected_facts": ["May"]},
    {"id": "b", "input": "Who?", "expected": {"reference": "Ann"}, "tags": [], "x_own": 2.5},
]


def converted(rows: list[dict[str, Any]], name: str, to: str = "evalcontract") -> str:
    """Write rows, convert them to a file of a name, and return what is said if it is refused."""
    text = "".join(f"{json.dumps(row)}\n" for row in rows)
    Path("rows.jsonl").write_text(text, encoding="utf-8")
    try:
        done = convert(Input(Path("rows.jsonl")), Path(name), ConvertOptions(None, to), Options())
    except UsageError as error:
        return str(error)
    return "; ".join(f"{loss.reason}" for loss in done.losses.counts)


@pytest.mark.parametrize("name", ["o.parquet", "o.pq", "o.arrow", "o.feather"])
def test_rows_are_converted_to_typed_columns_and_back(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    assert converted(OUR_ROWS, name) == ""
    for source, out in ((name, "back.jsonl"), ("back.jsonl", "again.parquet")):
        convert(Input(Path(source)), Path(out), ConvertOptions(None, "evalcontract"), Options())
    lines = Path("back.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == OUR_ROWS
    options = Options(root=tmp_path, is_joined=False)
    found, again = (
        validate(Kind.DATASET, [Input(Path(each))], options) for each in ("rows.jsonl", name)
    )
    assert [each.code for each in found.diagnostics] == [each.code for each in again.diagnostics]
    assert again.rows == len(OUR_ROWS)


@every_case(
    ("rows", "said"),
    [
        ([{"metadata": {"n": 1}}, {"metadata": {"n": "1"}}], "one Parquet schema: the column `met"),
        ([{"metadata": {}}], "Cannot write struct type 'metadata'"),
        ([{"answer": "May"}], "the key `answer` of row 0 would be read as another"),
        ([{"metadata": {"n": 1 << 70}}], "one Parquet schema: the column `metadata`"),
        ([{"metadata": {"n": None, "m": 1}}], "a null in a table is an absent key"),
        ([{"metadata": {"n": [None, {"m": None}]}}], "a null in a table is an absent key"),
        ([{"metadata": {"n": [None, 1]}}], ""),
    ],
)
def test_what_typed_columns_cannot_hold_is_said(
    rows: list[dict[str, Any]], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    for file in tmp_path.iterdir():
        file.unlink()
    usual = {"input": "When?", "expected_facts": ["May"]}
    whole = [{"id": f"r{number}", **usual, **row} for number, row in enumerate(rows)]
    answer = converted(whole, "o.parquet")
    assert said in answer if said else answer == ""
    assert Path("o.parquet").exists() == ("cannot be written" not in answer)


def test_a_row_that_lacks_the_keys_of_others_may_be_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    monkeypatch.chdir(tmp_path)
    given_rows: list[dict[str, Any]] = [
        {"user_input": "When?", "response": "May"},
        {"user_input": "Who?", "response": "Ann", "reference": "Ann"},
    ]
    assert converted(given_rows, "o.parquet", to="ragas") == ""
    assert parquet.read_table("o.parquet").column("reference").to_pylist() == [None, "Ann"]


@pytest.mark.parametrize("out", ["t/o.jsonl", "link/o.jsonl", "t/../t/k=1/o.parquet", "o.jsonl"])
@pytest.mark.parametrize("source", ["t", "link"])
def test_a_folder_that_is_read_is_not_written_to(
    source: str, out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t" / "k=1").mkdir(parents=True)
    (tmp_path / "link").symlink_to("t")
    converted(OUR_ROWS, "t/k=1/x.parquet")
    more = ["--loss-report", out] if out == "o.jsonl" else []
    target = "t/x.jsonl" if more else out
    assert command_line("convert", source, target, *more) == 2
    assert f"the files in {source} are read: what is written needs" in capsys.readouterr().err
    assert [file.name for file in (tmp_path / "t").rglob("*.*")] == ["x.parquet"]
