"""A dataset format is added in the steps of CONTRIBUTING.md: a copy of the package has one more."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from checkout import add_below, copy_package
from doors import ROOT, Printed, command_lines

from evalcontract.formats._format import codes_of_system
from evalcontract.model.codes import example_files, parse_shared

if TYPE_CHECKING:
    from pathlib import Path

CODES = codes_of_system("tidepool")
PACKAGE = '''
"""Questions of Tidepool."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import Field
from evalcontract.formats._findings import FirstRows
from evalcontract.formats._format import (
    Format,
    RowChecker,
    RowLayout,
    SchemaChecker,
    codes_of_system,
)
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.source.external import ExternalFile

_DUPLICATE = Problem("tidepool/duplicate-id", "`{name}` is the key of row {number} as well", ())
_NO_LIST = Problem("tidepool/rejected", "Tidepool reads a list of questions", ())


class _Checker:
    def __init__(self, schema: Any) -> None:
        self._schema = schema
        self._keys = FirstRows()

    def check(self, row: Any, path: Any, *, is_clean: bool) -> Iterator[Problem]:
        if not is_clean:
            yield from self._schema.faults(row, path)
        if isinstance(row, dict):
            yield from self._keys.duplicate(row.get("key"), path, "key", _DUPLICATE)

    def finish(self) -> Iterator[Problem]:
        return iter(())


class Tidepool(Format):
    """Questions of Tidepool."""

    name = "tidepool"
    title = "Tidepool"
    media = ("json",)
    basis = "its own tests"
    codes = codes_of_system("tidepool")
    fields = (Field("key", "id"), Field("q", "input"), Field("a", "expected.reference"))
    named_by = ("key",)

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Tidepool | None:
        return cls() if {"key", "q"} <= value.keys() else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if file.document is None:
            return RowLayout()
        rows = file.document.value
        return RowLayout(rows) if isinstance(rows, list) else RowLayout.without_rows(_NO_LIST)

    def checker(self, schema: SchemaChecker) -> RowChecker:
        return _Checker(schema)
'''
ROW = {"key": "high", "q": "When is high tide?", "a": "At noon."}
SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "$id": "https://evalcontract.example/schema/1.0/formats/tidepool.schema.json",
    "title": "Questions of Tidepool",
    "type": "array",
    "items": {"$ref": "#/$defs/row"},
    "$defs": {
        "row": {
            "type": "object",
            "required": [*ROW],
            "properties": {key: {"type": "string"} for key in ROW},
            "examples": [ROW],
        }
    },
}
GRADERS = {
    "graders": [{"names": ["exact"], "kind": "metric", "verdicts": ["vague"], "field": "a"}],
    "verdicts": {"vague": {"empty": ["a"], "state": "vacuous", "reason": "it is empty"}},
}


def _section(fault: str, example: str, name: str = "questions.json") -> str:
    language = name.rpartition(".")[2]
    return f"\n## {fault}\n\n`{name}`\n\n```{language}\n{example}\n```\n"


def _edited(old: str, new: str) -> str:
    text = json.dumps([ROW])
    assert old in text
    return text.replace(old, new)


PAGE = "# Tidepool\n" + "".join(
    [
        _section("Good", json.dumps([ROW])),
        _section("rejected", json.dumps(ROW)),
        _section("unread-medium", "- {key: high, q: When?, a: At noon.}", "questions.yaml"),
        _section("missing-key", _edited(', "a": "At noon."', "")),
        _section("wrong-type", _edited('"At noon."', "12")),
        _section("duplicate-key", _edited('"a"', '"a": "At one.", "a"')),
        _section("not-finite", _edited('"a"', '"x_metres": NaN, "a"')),
        _section("duplicate-id", json.dumps([ROW, {**ROW, "q": "When is low tide?"}])),
        _section("near-miss-key", _edited('"a"', '"keyy": "high", "a"')),
        _section("ignored-key", _edited('"a"', '"coast": "north", "a"')),
    ]
)


@pytest.fixture(name="source", scope="module")
def fixture_source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and the schemas with one more format."""
    place = tmp_path_factory.mktemp("checkout")
    package = copy_package(place)
    (package / "formats" / "tidepool").mkdir()
    schemas = place / "schema" / "formats"
    for path, text in {
        package / "formats" / "tidepool" / "__init__.py": PACKAGE.lstrip("\n"),
        package / "pages" / "tidepool.md": PAGE,
        schemas / "tidepool.schema.json": json.dumps(SCHEMA),
        schemas / "tidepool.graders.json": json.dumps(GRADERS),
    }.items():
        path.write_text(text, encoding="utf-8")
    table = package / "formats" / "__init__.py"
    own = "from evalcontract.formats.tidepool import Tidepool\n"
    add_below(table, "from evalcontract.formats.promptfoo import Promptfoo", own)
    add_below(table, "    Promptfoo,", "    Tidepool,\n")
    return place / "src"


def _run(source: Path, folder: Path, *calls: str) -> list[Printed]:
    return command_lines([call.split() for call in calls], cwd=folder, source=source)


def _written(folder: Path, code: str, example: str) -> str:
    """Write an example into a folder of its own; return the path below the other one."""
    ((name, text),) = example_files(example, code).items()
    path = folder / code / name
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    return path.relative_to(folder).as_posix()


@pytest.mark.slow
def test_the_examples_have_the_shared_codes(source: Path, tmp_path: Path) -> None:
    calls, wanted = [], []
    for code in CODES:
        shared = ROOT / "src/evalcontract/pages/formats" / f"{code.partition('/')[2]}.md"
        page = parse_shared(code, shared.read_text(encoding="utf-8"), PAGE)
        dialect = "" if code.endswith("/detected") else "--dialect tidepool"
        for folder, example in (("bad", page.bad), ("good", page.good)):
            file = _written(tmp_path / folder, code, example)
            calls.append(f"validate-dataset {folder}/{file} {dialect} --output-format json")
            wanted.append({code} if folder == "bad" else set())
    printed = _run(source, tmp_path, *calls)
    found = [{each["code"] for each in json.loads(one.out)["findings"]} for one in printed]
    assert dict(zip(calls, found, strict=True)) == dict(zip(calls, wanted, strict=True))


@pytest.mark.slow
def test_its_codes_are_explained_and_its_rows_converted(source: Path, tmp_path: Path) -> None:
    (tmp_path / "questions.json").write_text(json.dumps([ROW]), encoding="utf-8")
    explained, there, back = _run(
        source,
        tmp_path,
        "explain tidepool/near-miss-key",
        "convert questions.json ours.yaml --from tidepool",
        "convert ours.yaml back.json --to tidepool",
    )
    assert "A key that Tidepool does not read looks like one that it reads." in explained.out
    assert '"keyy": "high"' in explained.out
    assert (there.code, back.code) == (0, 0)
    assert json.loads((tmp_path / "back.json").read_text(encoding="utf-8")) == [ROW]
