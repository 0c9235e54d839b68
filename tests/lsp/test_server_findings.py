"""What the language server finds while somebody writes: the same as the command line."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from doors import ROOT, Options, check_workspaces
from examples import some
from live import Live
from page_examples import CODES, ENCODINGS
from writing import write

from evalcontract.checking.findings import prevents_reading
from evalcontract.formats import FORMATS
from evalcontract.model.codes import example_files, is_published
from evalcontract.model.errors import EvalContractError

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Place

#: A finding: its file, code and severity, and the lines and UTF-16 units of its beginning and end.
Shown = tuple[str, str, int, tuple[int, ...]]
_SEVERITIES = {"error": 1, "warning": 2, "note": 3}
_OPENED = {".yaml", ".yml", ".json", ".jsonl"}


def by_command_line(folder: Path) -> set[Shown] | None:
    """Return what the command line shows of a folder; None if it refuses to check."""
    try:
        found = check_workspaces(folder, Options(allows_empty=True)).diagnostics
    except EvalContractError:
        return None
    shown: set[Shown] = set()
    for each in found:
        others = [site.place for site in each.sites.first] if each.sites else []
        if each.place not in others and prevents_reading(each):
            others = []  # the rows that refer to a file have no fault of its
        for place in (each.place, *others):
            path = str(Path(place.file).absolute().resolve())
            shown.add((path, each.code, _SEVERITIES[str(each.severity)], units(place)))
    return shown


def units(place: Place) -> tuple[int, ...]:
    """Return where a place begins and ends as an editor counts."""
    span = place.span
    if span is None:
        return (0, 0, 0, 0)
    text = Path(place.file).read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    ats = ((span.line, span.column), (span.end_line, span.end_column))
    return tuple(
        part
        for line, column in ats
        for part in (line - 1, len(lines[line - 1][: column - 1].encode("utf-16-le")) // 2)
    )


def by_server(server: Live, folder: Path) -> set[Shown]:
    shown: set[Shown] = set()
    top = folder.as_uri() + "/"
    for uri, found in server.published().items():
        if uri.startswith(top):
            path = str(Path(unquote(uri.removeprefix("file://"))).resolve())
            for each in found:
                start, end = each["range"]["start"], each["range"]["end"]
                at = (start["line"], start["character"], end["line"], end["character"])
                shown.add((path, each.get("code", ""), each["severity"], at))
    return shown


def write_example(folder: Path, example: str, code: str) -> None:
    for name, text in example_files(example, code).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding=ENCODINGS.get(code, "utf-8"))
    configuration = folder / "evalcontract.toml"  # makes a workspace of what is none
    configuration.touch()


def examples() -> list[str]:
    """List the codes whose examples the command line checks as a workspace."""
    others = {"output", "labels", *(each.name for each in FORMATS)}
    return [code for code in CODES if code.partition("/")[0] not in others]


def agree(server: Live, folder: Path) -> None:
    """Open all files of a folder, and compare what both find in them."""
    expected = by_command_line(folder)
    if expected is None:
        return
    opened = []
    for path in sorted(folder.rglob("*")):
        if path.suffix in _OPENED and path.is_file():
            try:
                opened.append(server.start(path))
            except UnicodeDecodeError:  # an editor shows something else than the file has
                continue
    if not opened:
        return
    server.until(
        opened[0].uri, lambda _: by_server(server, folder) == expected, about=lambda: (
            f"only the server: {sorted(by_server(server, folder) - expected)}\n"
            f"only the command line: {sorted(expected - by_server(server, folder))}"
        ),
    )  # fmt: skip
    for document in opened:
        document.close()


@pytest.mark.parametrize("code", some(examples(), times=4))
def test_bad_examples(server: Live, code: str) -> None:
    folder = server.folder / code.replace("/", "_")
    write_example(folder, CODES[code].page.bad, code)
    agree(server, folder)


WORKSPACES = [*sorted((ROOT / "fixtures/workspaces").iterdir()), ROOT / "demo"]


@pytest.mark.parametrize(
    "top", [path for path in WORKSPACES if path.is_dir()], ids=lambda p: p.name
)
def test_workspaces(server: Live, top: Path) -> None:
    folder = server.folder / "workspaces" / top.name
    shutil.copytree(top, folder, symlinks=True)
    (folder / "evalcontract.toml").touch()
    agree(server, folder)


RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - id: thanks
    kind: must_contain_any
    values: [thank you]
scoring:
  combine: all_pass
"""
ROWS = """\
questions:
  - id: one
    input: Hello
    rubric_ref: rubric/polite@1.0.0
"""


@pytest.fixture
def folder(server: Live, request: pytest.FixtureRequest) -> Path:
    path: Path = server.folder / "live" / str(request.node.name)
    (path / "rubrics").mkdir(parents=True)
    (path / "datasets").mkdir()
    (path / "rubrics/polite.yaml").write_text(RUBRIC, encoding="utf-8")
    return path


def test_typing(server: Live, folder: Path) -> None:
    document = server.start(folder / "datasets/a.yaml", ROWS)
    document.codes()
    version = document.replace((2, 4), (2, 9), "inptu")
    (found,) = document.codes("dataset/near-miss-key", version=version)
    assert ("codeDescription" in found) is is_published()
    assert found["source"] == "evalcontract"
    assert "did you mean" in found["message"] or "help:" in found["message"]
    version = document.replace((2, 4), (2, 9), "input")
    document.codes(version=version)
    version = document.replace((3, 0), (3, 99), '    rubric_ref: "rubric')
    document.codes("source/syntax", version=version)
    version = document.replace_all(ROWS)
    document.codes(version=version)


def test_an_open_rubric_changes_the_findings_of_an_open_dataset(server: Live, folder: Path) -> None:
    dataset = server.start(folder / "datasets/a.yaml", ROWS)
    dataset.codes()
    rubric = server.start(folder / "rubrics/polite.yaml")
    rubric.replace((1, 0), (1, 99), 'version: "2.0.0"')
    (found,) = dataset.codes("reference/dangling")
    assert found["range"]["start"] == {"line": 3, "character": 16}
    rubric.replace((1, 0), (1, 99), 'version: "1.0.0"')
    dataset.codes()
    rubric.replace((1, 0), (1, 99), 'version: "2.0.0"')
    dataset.codes("reference/dangling")
    rubric.close()  # without saving
    dataset.codes()


def test_a_new_file_that_is_not_saved(server: Live, folder: Path) -> None:
    text = ROWS.replace("polite@1.0.0", "fresh@1.0.0")
    dataset = server.start(folder / "datasets/a.yaml", text)
    dataset.codes("reference/dangling")
    server.start(folder / "rubrics/fresh.yaml", RUBRIC.replace("polite", "fresh"))
    dataset.codes()


def test_a_bundle_and_a_configuration_count(server: Live, folder: Path) -> None:
    text = ROWS.replace("input: Hello", "input: Hello\n    bundle: shop")
    dataset = server.start(folder / "datasets/a.yaml", text)
    (folder / "bundles").mkdir()
    bundle = '{"type": "object", "required": ["basket"]}'
    server.start(folder / "bundles/shop.schema.json", bundle)
    server.until(dataset.uri, lambda found: any("basket" in each["message"] for each in found))
    toml = server.start(folder / "evalcontract.toml", "strict = true\n", "toml")
    server.until(dataset.uri, lambda found: any(each["severity"] == 1 for each in found))
    toml.replace((0, 0), (0, 99), "strct = true")
    (found,) = server.until(toml.uri, bool)
    assert "strct" in found["message"]
    assert found["range"]["start"] == {"line": 0, "character": 0}


#: Texts before a fault, and the units of UTF-16, UTF-8 and UTF-32 that they take.
BEFORE = {
    "emoji": "\U0001f600\U0001f600",
    "combining": "e\u0301\u0308",
    "family": "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "wide": "\u6f22\u5b57",
}


@pytest.mark.parametrize(
    ("encoding", "codec", "size"),
    [("utf-16", "utf-16-le", 2), ("utf-8", "utf-8", 1), ("utf-32", "utf-32-le", 4)],
)
def test_positions_count_what_the_editor_counts(
    tmp_path: Path, encoding: str, codec: str, size: int
) -> None:
    (tmp_path / "rubrics").mkdir()
    with Live(tmp_path, encodings=[encoding]) as live:
        for name, before in BEFORE.items():
            positions_are_those(live, tmp_path / "datasets" / name, before, codec, size)


def positions_are_those(live: Live, folder: Path, before: str, codec: str, size: int) -> None:
    texts = {
        "a.yaml": f'questions:\n  - {{id: a, input: "{before}", rubric_ref: rubric/none@1.0.0}}\n',
        "a.json": (
            f'{{"questions": [{{"id": "a", "input": "{before}",'
            ' "rubric_ref": "rubric/none@1.0.0"}]}'
        ),
        "a.jsonl": f'{{"id": "a", "input": "{before}", "rubric_ref": "rubric/none@1.0.0"}}\n',
    }
    folder.mkdir(parents=True)
    for file, text in texts.items():
        document = live.start(folder / file, text)
        (found,) = document.codes("reference/dangling")
        line = text.splitlines()[found["range"]["start"]["line"]]
        data = line.encode(codec)
        start, end = (found["range"][side]["character"] * size for side in ("start", "end"))
        assert data[start:end].decode(codec).strip('"') == "rubric/none@1.0.0"
        at = found["range"]["end"]
        spot = (at["line"], at["character"] - (file != "a.yaml"))
        version = document.replace(spot, spot, "x")  # an edit after them, too
        (found,) = document.until_message("1.0.0x", version)


def test_other_line_ends(server: Live, folder: Path) -> None:
    path = folder / "datasets/ends.yaml"
    text = ROWS.replace("\n", "\r\n").replace(
        "Hello", "a\u2028b \u0085c \x0c d".replace("\x0c ", "")
    )
    document = server.start(path, text.replace("input:", "inptu:"))
    (found,) = document.codes("dataset/near-miss-key")
    assert found["range"]["start"] == {"line": 2, "character": 4}
    version = document.replace((2, 4), (2, 9), "input")
    document.codes(version=version)
    version = document.replace((3, 16), (3, 99), "rubric/polite")
    document.codes("reference/unpinned", version=version)


def test_the_same_cause_is_shown_at_each_row(server: Live, folder: Path) -> None:
    rows = "".join(
        f"  - {{id: r{n}, input: x, rubric_ref: rubric/none@1.0.0}}\n" for n in range(20)
    )
    document = server.start(folder / "datasets/many.yaml", f"questions:\n{rows}")
    found = document.codes(*["reference/dangling"] * 20)
    assert [each["range"]["start"]["line"] for each in found] == list(range(1, 21))
    assert len(found[0]["relatedInformation"]) == 19


def test_tags_and_related_places(server: Live, folder: Path) -> None:
    text = RUBRIC.replace("polite", "faded") + "  weights:\n    thanks: 1\n"
    rubric = server.start(folder / "rubrics/faded.yaml", text)
    found = server.until(rubric.uri, lambda found: any(each.get("tags") for each in found))
    assert [(each["code"], each["tags"]) for each in found if each.get("tags")] == [
        ("rubric/weights-unused", [1])
    ]
    twice = ROWS + ROWS.partition("\n")[2]
    dataset = server.start(folder / "datasets/twice.yaml", twice)
    found = server.until(
        dataset.uri, lambda found: any("duplicate-id" in each.get("code", "") for each in found)
    )
    (one,) = [each for each in found if each["code"] == "dataset/duplicate-id"]
    (related,) = one["relatedInformation"]
    assert related["location"]["uri"].endswith("/datasets/twice.yaml")
    assert related["location"]["range"]["start"]["line"] == 1


def test_a_broken_file_has_its_fault_alone(server: Live, folder: Path) -> None:
    """The line that refers to it has no fault of syntax; the fault leads to that line."""
    dataset = server.start(folder / "datasets/a.yaml", ROWS)
    dataset.codes()
    rubric = server.start(folder / "rubrics/polite.yaml", RUBRIC + "extra: [\n")
    (fault,) = rubric.codes("source/syntax")
    (related,) = fault["relatedInformation"]
    assert related["location"]["uri"] == dataset.uri
    dataset.codes("dataset/near-miss-key", version=dataset.replace_all(ROWS.replace("inp", "ipn")))
    rubric.replace_all(RUBRIC)
    dataset.codes("dataset/near-miss-key")


def test_a_file_that_is_nobodys_business(server: Live, folder: Path) -> None:
    other = server.start(folder / "compose.yaml", "services:\n  - [broken\n")
    dataset = server.start(folder / "datasets/a.yaml", ROWS.replace("input:", "inptu:"))
    dataset.codes("dataset/near-miss-key")
    assert server.published().get(other.uri, []) == []


def test_a_file_outside_of_every_workspace(server: Live, tmp_path: Path) -> None:
    dataset = server.start(tmp_path / "alone.yaml", ROWS.replace("input:", "inptu:"))
    found = server.until(dataset.uri, bool)
    assert "dataset/near-miss-key" in {each["code"] for each in found}
    modeline = "# yaml-language-server: $schema=x/rubric.schema.json\n"
    rubric = server.start(tmp_path / "other.yaml", modeline + RUBRIC.replace("combine", "combne"))
    server.until(rubric.uri, bool)
    dataset.close()
    server.until(dataset.uri, lambda found: not found)


def test_a_closed_file_has_the_findings_of_the_disk(server: Live, folder: Path) -> None:
    path = folder / "datasets/closed.yaml"
    path.write_text(ROWS.replace("input:", "inptu:"), encoding="utf-8")
    document = server.start(path)
    document.codes("dataset/near-miss-key")
    version = document.replace_all(ROWS)
    document.codes(version=version)
    document.close()
    document.codes("dataset/near-miss-key")
    server.start(path)
    document.codes("dataset/near-miss-key")
    document.close()
    server.until(document.uri, lambda found: not found)
    document.codes("dataset/near-miss-key")


def test_findings_are_shown_as_they_are_found(tmp_path: Path) -> None:
    """Those in a small file while a large one of the same workspace is read."""
    row = '{{"id": "r{}", "{}": "x", "expected_facts": ["y"]}}\n'
    large = "".join(row.format(n, "input") for n in range(25_000)) + row.format("last", "inptu")
    files = {"datasets/a.yaml": ROWS.replace("input:", "inptu:"), "datasets/z.jsonl": large}
    write(tmp_path, {**files, "rubrics/polite.yaml": RUBRIC, "datasets/b.yaml": ROWS})
    told: list[list[Any]] = []
    found = check_workspaces(tmp_path, Options(found=told.append)).diagnostics
    assert len(told) == 2
    assert all(each in found for some in told for each in some)
    with Live(tmp_path) as live:
        live.start(tmp_path / "datasets/b.yaml")
        first, last = ((tmp_path / name).as_uri() for name in files)
        live.until(first, bool)
        begin = time.monotonic()
        assert live.until(last, bool)
        assert time.monotonic() - begin > 0.1
