"""Find the tests of a file as promptfoo does: alone, in a configuration, or as rows of a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected
from evalcontract.formats._format import RowLayout
from evalcontract.formats.promptfoo.table import of_table
from evalcontract.model.diagnostic import Problem
from evalcontract.model.listing import clipped
from evalcontract.source.csv_table import CsvTable
from evalcontract.source.jsonl import RowStream

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path
    from evalcontract.source.external import ExternalFile

_BOM = bom_rejected(
    "promptfoo", "the file begins with a byte order mark, which `JSON.parse` rejects"
)
_NO_ROWS = Problem("promptfoo/no-rows", "there are no tests", (), "add a test")
_NO_TESTS = Problem(
    "promptfoo/rejected", "the file holds neither tests nor a configuration", (), "write a list"
)
_EMPTY = frozenset({"source/empty"})
#: The keys of a test, one of the first seven of which it needs.
NEEDED = ("assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold")
KEYS = (*NEEDED, "description", "providers", "prompts", "assertScoringFunction")
#: The keys that only a configuration has.
_OF_CONFIGURATION = ("tests", "defaultTest", "scenarios", "targets", "commandLineOptions")


def find_rows(read: ExternalFile, _variant: str | None, _schema: SchemaChecker) -> RowLayout:
    """Return the tests of a file."""
    if isinstance(read.source, CsvTable):
        return of_table(read.source)
    if read.has_mark and read.medium in ("json", "jsonl"):
        return RowLayout.without_rows(_BOM)
    if isinstance(read.source, RowStream) or read.document is None:
        return RowLayout(passed_over=_EMPTY)
    return _of_document(read.document.value)


def _of_document(value: Any) -> RowLayout:
    if isinstance(value, list):
        return _of_list(value, (), {})
    if not isinstance(value, dict):
        return RowLayout.without_rows(_NO_TESTS)
    if not is_configuration(value):
        return RowLayout([value], is_row=True)
    tests, default = value.get("tests"), value.get("defaultTest")
    if not isinstance(tests, list):
        return _without_list(tests)
    return _of_list(tests, ("tests",), default if isinstance(default, dict) else {})


def is_configuration(value: dict[str, Any]) -> bool:
    """Whether a mapping is a configuration, and no test."""
    has_key = not value.keys().isdisjoint(_OF_CONFIGURATION)
    return has_key or ("prompts" in value and value.keys().isdisjoint(NEEDED))


def _without_list(tests: Any) -> RowLayout:
    if isinstance(tests, str | dict):
        return RowLayout.without_rows(_not_followed(tests, ("tests",)))
    if tests is None:
        message = "the configuration has no `tests`: promptfoo runs each prompt once, and it passes"
        return RowLayout([], problems=(_NO_ROWS._replace(message=message),))
    message = "`tests` is neither a list nor the name of a file, and is ignored"
    return RowLayout([], problems=(_NO_ROWS._replace(message=message, path=("tests",)),))


def _not_followed(name: Any, path: Path) -> Problem:
    shown = name if isinstance(name, str) else name.get("path")
    message = f"the tests in `{clipped(str(shown))}` are not looked at"
    return Problem("promptfoo/not-followed", message, path, "check that file by itself")


def _of_list(tests: list[Any], prefix: Path, default: dict[str, Any]) -> RowLayout:
    """Return tests of a list, with what the default test adds to each."""
    problems: list[Problem] = [] if tests else [_NO_ROWS]
    rows: list[Any] = []
    places: list[int] = []
    for index, test in enumerate(tests):
        is_generator = (
            isinstance(test, dict) and "path" in test and test.keys() <= {"path", "config"}
        )
        if isinstance(test, str) or is_generator:
            problems.append(_not_followed(test, (*prefix, index)))
        else:
            rows.append(_with_default(test, default))
            places.append(index)
    if len(rows) == len(tests) and not default.get("assert"):
        return RowLayout(rows, prefix=prefix, problems=tuple(problems))

    def place_of(path: Path) -> Path:
        """Return the place in the file: assertions of the default test stand there."""
        row, *rest = path[len(prefix) :]
        index = places[int(row)]
        own = tests[index].get("assert") if isinstance(tests[index], dict) else None
        count = len(own) if isinstance(own, list) else 0
        if len(rest) > 1 and rest[0] == "assert" and isinstance(rest[1], int) and rest[1] >= count:
            return ("defaultTest", "assert", rest[1] - count, *rest[2:])
        if rest[:1] == ["assert"] and own is None:
            return ("defaultTest", "assert")
        return (*prefix, index, *rest)

    return RowLayout(rows, prefix=prefix, problems=tuple(problems), place_of=place_of)


def _with_default(test: Any, default: dict[str, Any]) -> Any:
    """Return a test with the assertions and the variables of the default test."""
    given = default.get("assert")
    if not isinstance(test, dict) or not isinstance(given, list) or not given:
        return test
    if not any(test.get(key) for key in NEEDED):
        return test  # promptfoo stops before the default test is added
    own = test.get("assert", [])
    options = test.get("options")
    if not isinstance(own, list) or (
        isinstance(options, dict) and options.get("disableDefaultAsserts")
    ):
        return test
    return {**test, "assert": [*own, *given]}
