"""Find the tests of a file as promptfoo does: alone, in a configuration, or as rows of a table."""

from __future__ import annotations

from itertools import islice
from pathlib import PurePath
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
_NOT_JSON = Problem(
    "promptfoo/rejected", "`JSON.parse` rejects a number that is not finite", (), "write `null`"
)
_EMPTY = frozenset({"source/empty"})
#: The keys of a test, one of the first seven of which it needs.
NEEDED = ("assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold")
KEYS = (*NEEDED, "description", "providers", "prompts", "assertScoringFunction")
#: How many variables and assertions of a default test are always added to every test, and how many
#: are added to all of them, if it has more.
_FEW, _MAX_ADDED = 10, 100_000
#: The keys that only a configuration has.
_OF_CONFIGURATION = ("tests", "defaultTest", "scenarios", "targets", "commandLineOptions")


def find_rows(read: ExternalFile, _variant: str | None, _schema: SchemaChecker) -> RowLayout:
    """Return the tests of a file."""
    if isinstance(read.source, CsvTable):
        return of_table(read.source)
    if read.has_mark and read.medium in ("json", "jsonl"):
        return RowLayout.without_rows(_BOM)
    if isinstance(read.source, RowStream):
        return _of_lines(read.source)
    if read.document is None:
        return RowLayout()
    layout = _of_document(read.document.value)
    if any(remark.code.endswith("not-finite") for remark in read.remarks):
        return layout._replace(problems=(*layout.problems, _NOT_JSON))
    return layout


def _of_lines(stream: RowStream) -> RowLayout:
    problems = []
    if PurePath(stream.file).suffix.lower() != ".jsonl":
        message = "promptfoo reads the lines of files alone whose names end in `.jsonl`"
        problems.append(Problem("promptfoo/rejected", message, (), "rename it"))
    return RowLayout(problems=tuple(problems), passed_over=_EMPTY)


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


def has_needed(test: dict[str, Any]) -> bool:
    """Whether a test has one of the keys that it needs: a value that is true in JavaScript."""
    limit = test.get("threshold")
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        return True
    values = [test.get(key) for key in NEEDED if key != "threshold"]
    return any(isinstance(value, dict | list) or value for value in values)


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


def _first_of(default: dict[str, Any]) -> dict[str, Any]:
    """Return the first variables and assertions of a default test."""
    asserts, variables = default.get("assert"), default.get("vars")
    kept: dict[str, Any] = {}
    if isinstance(asserts, list):
        kept["assert"] = asserts[:_FEW]
    if isinstance(variables, dict):
        kept["vars"] = dict(islice(variables.items(), _FEW))
    return kept


def _too_many_added(most: int) -> Problem:
    message = f"only the first {most:,} tests have the whole default test: it is too large"
    where = ("defaultTest",)
    return Problem("promptfoo/not-followed", message, where, "split it, or the list of tests")


def _of_list(tests: list[Any], prefix: Path, default: dict[str, Any]) -> RowLayout:
    """Return tests of a list, with what the default test adds to each."""
    problems: list[Problem] = [] if tests else [_NO_ROWS]
    added = sum(len(v) for k in ("vars", "assert") if isinstance(v := default.get(k), dict | list))
    most = len(tests) if added <= _FEW else _MAX_ADDED // added
    few = {**default, **_first_of(default)} if len(tests) > most else default
    rows: list[Any] = []
    places: list[int] = []
    for index, test in enumerate(tests):
        is_generator = (
            isinstance(test, dict) and "path" in test and test.keys() <= {"path", "config"}
        )
        if isinstance(test, str) or is_generator:
            problems.append(_not_followed(test, (*prefix, index)))
        else:
            rows.append(_with_default(test, default if len(rows) < most else few))
            places.append(index)
    if len(rows) > most:
        problems.append(_too_many_added(most))
    if len(rows) == len(tests) and not default:
        return RowLayout(rows, prefix=prefix, problems=tuple(problems))

    def place_of(path: Path) -> Path:
        """Return the place in the file: assertions of the default test stand there."""
        row, *rest = path[len(prefix) :]
        index = places[int(row)]
        test = tests[index] if isinstance(tests[index], dict) else {}
        own, variables = test.get("assert"), test.get("vars")
        is_default = not isinstance(variables, dict) or (rest[1:] and rest[1] not in variables)
        if rest[:1] == ["vars"] and is_default:
            return ("defaultTest", *rest)
        count = len(own) if isinstance(own, list) else 0
        if len(rest) > 1 and rest[0] == "assert" and isinstance(rest[1], int) and rest[1] >= count:
            return ("defaultTest", "assert", rest[1] - count, *rest[2:])
        if rest[:1] == ["assert"] and own is None:
            return ("defaultTest", "assert")
        return (*prefix, index, *rest)

    return RowLayout(rows, prefix=prefix, problems=tuple(problems), place_of=place_of)


def _with_default(test: Any, default: dict[str, Any]) -> Any:
    """Return a test with the assertions and the variables of the default test."""
    if not isinstance(test, dict):
        return test
    if not has_needed(test):
        return test  # promptfoo stops before the default test is added
    added, variables = default.get("vars"), test.get("vars", {})
    if isinstance(added, dict) and isinstance(variables, dict):
        test = {**test, "vars": {**added, **variables}}
    given, own = default.get("assert"), test.get("assert", [])
    options = test.get("options")
    is_off = isinstance(options, dict) and options.get("disableDefaultAsserts")
    if isinstance(given, list) and given and isinstance(own, list) and not is_off:
        test = {**test, "assert": [*own, *given] if own else given}
    return test
