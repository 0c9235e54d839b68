"""Tests of promptfoo and rows of evalcontract: how they correspond."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, default_id
from evalcontract.formats._findings import as_json, mapping_at
from evalcontract.formats._lens import At, Cells, Lens, ReadRubric
from evalcontract.formats._residual import Nested, Row
from evalcontract.formats.promptfoo.assertions import (
    NO_INPUT,
    SEVERAL,
    AssertionRepeats,
    cell_of,
    number_of,
)
from evalcontract.formats.promptfoo.checks import (
    MAX_ASSERTIONS,
    NO_RUBRICS,
    SHARED,
    AssertionChecks,
    assertion_checks,
)
from evalcontract.formats.promptfoo.configuration import prompts_of
from evalcontract.formats.promptfoo.document import (
    CONFIGURATION,
    NO_KEY,
    THEIRS,
    UNSCORED,
    DocumentParts,
    document_of,
    parts_of,
)
from evalcontract.formats.promptfoo.mapping import (
    INPUT,
    assertions_of,
    plain_of,
    question_in,
    text_of_variables,
    variables_of,
)
from evalcontract.formats.promptfoo.table import metadata_of
from evalcontract.model.diagnostic import Path
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

_NO_CELL = "no cell of a table is read as this value"
_NOT_IN_ALL = "a table has a threshold for an assertion of each test, or of none"
_TEXTS = ("description", "providerOutput")
#: What says which variable is the input, or the prompt that is, beside what is preserved of a test.
_VARIABLE, _PROMPT = "variable", "prompt"
#: What says that a row has no rubric of its own, or none, since there are so many of them.
_LIMIT = "rubrics"
#: How many different rubrics are made whose texts are their own, and how many others.
MAX_RUBRICS = 200
#: The option with which a list is the value of a variable.
_NO_EXPANSION = "disableVarExpansion"
_TOO_MANY = f"only {MAX_ASSERTIONS} assertions of a test are converted"


class PromptfooLens(Lens):
    """Keeps everything else of a test in `metadata.promptfoo`, and of ours in its metadata."""

    says_rubrics = True
    quiet = frozenset({"assert", "vars", "description"})
    nothing = (None, {}, [])
    nested_theirs: Nested = MappingProxyType({"options": {}})
    listed_whole = frozenset({"options"})
    no_root = "a file of tests has no place for it"
    document = CONFIGURATION
    unscored = UNSCORED

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        self._parts = DocumentParts({})
        self._prompt: str | None = None
        self._ids: set[str] = set()
        self._rubrics: dict[bool, set[str]] = {True: set(), False: set()}
        self._is_repeated = AssertionRepeats()
        #: The limit and the threshold of the last test that was read, and what it says.
        self._last: tuple[str | None, Any, AssertionChecks] | None = None
        #: The last test that was asked for, its limit, and what it says.
        self._known: tuple[Row, str | None, AssertionChecks] | None = None

    def root_of(self, file: ExternalFile) -> Row:
        value = file.document.value if file.document else None
        prompts, self._parts = prompts_of(value), parts_of(value)
        self._prompt = prompts[0] if len(prompts) == 1 else None
        return self._parts.root

    @property
    def losses(self) -> Sequence[Loss]:
        """What a configuration has beside its tests, and the tests in other files."""
        return [Loss(path, NO_KEY, is_kept=True) for path in self._parts.kept]

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return what stands beside the tests if what keeps it is lost."""
        if loss.path == ("label",):
            return [loss._replace(path=("description",))]
        if loss.path[:2] == ("metadata", THEIRS):
            return [loss._replace(path=loss.path[3:])]
        if loss.path[:1] != ("metadata",):
            return [loss]
        return [loss._replace(path=path) for path in self._parts.kept]

    def plain(self, row: Row) -> Row:
        return plain_of(row)

    def place_of(self, row: Row, index: int) -> At:
        """Return where a test stands; its description is its id, if it is the first with it."""
        id_ = _name_of(row) or default_id(index)
        id_ = default_id(index) if id_ in self._ids else id_
        self._ids.add(id_)
        hints: Row = {}
        if (name := question_in(row) or INPUT) != INPUT:
            hints[_VARIABLE] = name
        elif self._prompt and question_in(row) is None:
            around = mapping_at(row, "options")
            hints[_PROMPT] = f"{around.get('prefix', '')}{self._prompt}{around.get('suffix', '')}"
        if limit := self._limit_of(row):
            hints[_LIMIT] = limit
        return At(index, id_, hints=hints)

    def are_hints(self, hints: Row) -> bool:
        name, limit = hints.get(_VARIABLE, ""), hints.get(_LIMIT, SHARED)
        is_name = isinstance(name, str) and name != INPUT
        is_known = isinstance(hints.get(_PROMPT, ""), str) and limit in (SHARED, NO_RUBRICS)
        return hints.keys() <= {_VARIABLE, _LIMIT, _PROMPT} and is_name and is_known

    def _limit_of(self, test: Row) -> str | None:
        """Return the limit of a test, if there are too many rubrics before it."""
        threshold = test.get("threshold")
        is_known = self._is_repeated(test.get("assert")) and self._last is not None
        if not is_known or self._last is None or self._last[1] is not threshold:
            limit, checks = self._checks_anew(test)
            self._last = limit, threshold, checks
        limit, _, checks = self._last
        self._known = test, limit, checks
        return limit

    def _checks_anew(self, test: Row) -> tuple[str | None, AssertionChecks]:
        for limit in (None, SHARED):
            checks = assertion_checks(test, limit)
            known, key = self._rubrics[checks.is_shared], repr(checks.rubric)
            if checks.rubric is None or key in known or len(known) < MAX_RUBRICS:
                known.add(key)
                return limit, checks
        return NO_RUBRICS, assertion_checks(test, NO_RUBRICS)

    def _checks_of(self, test: Row, at: At) -> AssertionChecks:
        limit = at.hints.get(_LIMIT)
        if self._known is None or self._known[0] is not test or self._known[1] != limit:
            self._known = test, limit, assertion_checks(test, limit)
        return self._known[2]

    def to_ours(self, row: Row, at: At) -> Row:
        name, variables = question_in(row), variables_of(row)
        question = variables[name] if name else text_of_variables(variables, at.hints.get(_PROMPT))
        unnamed = default_id(at.number)
        ours: Row = {
            "id": unnamed if at.id == unnamed else _name_of(row) or unnamed,
            "input": question,
            **self._checks_of(row, at).keys,
        }
        if rest := {key: part for key, part in variables.items() if key != name}:
            ours["context"] = rest
        if isinstance(output := row.get("providerOutput"), str) and output:
            ours["recorded_output"] = output
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        theirs: Row = {}
        if row.get("id") != default_id(at.number):
            theirs["description"] = row.get("id")
        name, context = at.hints.get(_VARIABLE, INPUT), row.get("context")
        given = context if isinstance(context, dict) else {}
        rest = given if name not in given else {}
        theirs["vars"] = {name: row.get("input"), **rest}
        is_bare = question_in({"vars": given}) is None
        if is_bare and row.get("input") == text_of_variables(given, at.hints.get(_PROMPT)):
            theirs["vars"] = rest = given
        if any(map(_stands_for_tests, rest.values())) and not self.is_table:
            theirs["options"] = {_NO_EXPANSION: True}
        asserted = assertions_of(row, at.rubric)
        if asserted.assertions:
            theirs["assert"] = asserted.assertions
            if asserted.threshold is not None:
                theirs["threshold"] = asserted.threshold
        if isinstance(output := row.get("recorded_output"), str) and output:
            theirs["providerOutput"] = output
        return theirs

    def rubric_of(self, row: Row, at: At) -> ReadRubric:
        checks = self._checks_of(row, at)
        return ReadRubric(checks.rubric, checks.judges)

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield the assertions that no check expresses, and the variables that are no text."""
        for index, reason in self._checks_of(row, at).lost.items():
            yield Loss(("assert", index), reason, is_kept=True)
        if row.get("vars") and question_in(row) is None:
            yield Loss(("vars",), NO_INPUT, is_kept=True)
        is_whole = bool(mapping_at(row, "options").get(_NO_EXPANSION))
        for name, value in variables_of(row).items():
            if _stands_for_tests(value) and not is_whole:
                yield Loss(("vars", name), SEVERAL, is_kept=True)
        if len(row.get("assert") or ()) > MAX_ASSERTIONS:
            yield Loss(("assert",), _TOO_MANY, is_kept=True)

    def says(self, path: Path, row: Row, at: At) -> bool:
        checks = self._checks_of(row, at)
        scoring = checks.rubric["scoring"] if checks.rubric and not checks.lost else {}
        is_limit = path == ("threshold",) and scoring.get("threshold") == row["threshold"]
        return is_limit or super().says(path, row, at)

    def is_said(self, path: Path, row: Row, at: At) -> bool:
        is_rubric = path[0] in ("rubric_ref", "rubric") and at.rubric is not None
        return is_rubric and assertions_of(row, at.rubric).is_whole

    def says_messages(self, row: Row, again: Row) -> bool:
        return False

    def remade(self, theirs: Row, at: At) -> Collection[str]:
        """Return `rubric_ref` if a conversion makes the rubric again; its name is not kept."""
        rubric = at.rubric or {}
        bare = {key: part for key, part in rubric.items() if key not in ("id", "version", "judges")}
        return (
            ("rubric_ref",) if bare and json_equal(bare, self._checks_of(theirs, at).rubric) else ()
        )

    def cells_of(self, row: Row) -> Cells:
        cells = {column: cell for _, column, cell in _cells(row) if cell is not None}
        lost = [path for path, _, cell in _cells(row) if cell is None]
        return Cells(cells, [Loss(path, _NO_CELL, is_kept=False) for path in lost])

    def wrap(self, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return the tests in the configuration that they were read from, if a medium has one."""
        if self.medium not in ("yaml", "json"):
            return super().wrap(rows, root)
        return document_of(rows, root, self.no_root)

    def table_of(self, rows: list[Row]) -> tuple[list[str], list[Row], Sequence[Loss]]:
        """Return a table whose header has variables first, then assertions by their number."""
        used = list(dict.fromkeys(name for row in rows for name in row))
        # A cell without a threshold would stop promptfoo.
        part = [n for n in used if n.startswith("__config:") and not all(n in row for row in rows)]
        names = [name for name in used if name not in part]
        variables = [name for name in names if not name.startswith("__")]
        numbered = [name for name in names if name.startswith("__expected")]
        others = [name for name in names if name.startswith("__") and name not in numbered]
        ordered = sorted(numbered, key=lambda name: (len(name), name))
        header = [*variables, *ordered, *others]
        lost = [Loss((name,), _NOT_IN_ALL, is_kept=False) for name in part]
        return header, [{name: row.get(name, "") for name in header} for row in rows], lost


def _stands_for_tests(value: Any) -> bool:
    """Whether promptfoo makes a test of each item of a variable: the first one is a text."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], str)


def _name_of(test: Row) -> str | None:
    name = test.get("description")
    return name if isinstance(name, str) and name.strip() else None


def _cells(test: Row) -> Iterator[tuple[Path, str, str | None]]:
    """Yield each value of a test by its path, with its column and its cell."""
    asserts = test.get("assert")
    asserted = [*_asserted(asserts if isinstance(asserts, list) else [])]
    limits = [cell for _, column, cell in asserted if column.startswith("__config:")]
    for name, part in mapping_at(test, "vars").items():
        yield ("vars", name), name, _variable(name, part)
    yield from asserted
    for name, part in mapping_at(test, "metadata").items():
        # The last threshold of an assertion is read as metadata, too.
        if name != "threshold" or str(part) not in limits[-1:]:
            yield ("metadata", name), *_metadata(name, part)
    for name, part in mapping_at(test, "options").items():
        is_cell = name in ("prefix", "suffix") and isinstance(part, str)
        yield ("options", name), f"__{name}", part if is_cell else None
    for key, value in test.items():
        if key in _TEXTS:
            yield (key,), f"__{key}", value if isinstance(value, str) and value else None
        elif key == "threshold":
            yield (key,), "__threshold", _number(value)
        elif key not in ("vars", "assert", "metadata", "options") and value is not None:
            yield (key,), "", None


def _asserted(assertions: list[Any]) -> Iterator[tuple[Path, str, str | None]]:
    """Yield the cells of assertions: a metric is that of all, and a threshold has a column."""
    metric = assertions[0].get("metric") if assertions else None
    is_shared = isinstance(metric, str) and all(each.get("metric") == metric for each in assertions)
    if is_shared:
        yield ("assert",), "__metric", metric
    written = 0
    for number, assertion in enumerate(assertions):
        bare = {key: part for key, part in assertion.items() if key != "metric"}
        cell, limit = cell_of(bare), _number(bare.pop("threshold", None))
        if cell is None and limit is not None and (cell := cell_of(bare)) is not None:
            column = f"__config:__expected{written + 1}:threshold"
            yield ("assert", number, "threshold"), column, limit
        if cell is not None and "metric" in assertion and not is_shared:
            yield ("assert", number, "metric"), "", None
        written += cell is not None
        yield ("assert", number), f"__expected{number + 1}", cell


def _number(value: Any) -> str | None:
    is_read = isinstance(value, int | float) and number_of(str(value)) == value
    return str(value) if is_read else None


def _variable(name: str, value: Any) -> str | None:
    is_name = name == name.strip() and name and not name.startswith("_")
    return value if is_name and isinstance(value, str) else None


def _metadata(name: str, value: Any) -> tuple[str, str | None]:
    """Return the column of a value of metadata, and its cell."""
    column = f"__metadata:{name}"
    if name == OURS:
        return column, as_json(value)
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        column, cell = f"{column}[]", ",".join(each.replace(",", "\\,") for each in value)
    else:
        cell = value
    is_read = isinstance(cell, str) and metadata_of(column[len("__metadata:") :], cell) == {
        name: value
    }
    return column, cell if is_read else None
