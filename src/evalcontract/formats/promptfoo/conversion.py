"""Tests of promptfoo and rows of evalcontract: how they correspond, with what stands around tests.

What a document has beside its tests is kept in the root of a dataset. A test that is read has what
the default test adds to it; around the default test, it is written without that again, so that
promptfoo adds it once.
"""

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
    is_configuration,
    number_of,
)
from evalcontract.formats.promptfoo.configuration import (
    ADDED,
    KEY,
    MERGED,
    default_test_of,
    limits_of,
    prompts_of,
    tests_elsewhere,
    with_default,
)
from evalcontract.formats.promptfoo.rubrics import (
    INPUT,
    MAX_ASSERTIONS,
    NO_RUBRICS,
    SHARED,
    AssertionChecks,
    assertion_checks,
    assertions_of,
    plain_of,
    question_in,
    text_of_variables,
    variables_of,
)
from evalcontract.formats.promptfoo.table import metadata_of
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The name of the system below `metadata` of a dataset, and what stands there: the configuration
#: without its tests, and the entries of the list of tests that lead elsewhere, by their numbers.
THEIRS = "promptfoo"
CONFIGURATION, _ELSEWHERE = "configuration", "elsewhere"
#: The keys of a configuration that change which outputs there are, or nothing: never their scores.
UNSCORED = frozenset(
    {
        *("providers", "targets", "description", "evaluateOptions", "outputPath", "sharing"),
        *("tags", "writeLatestResults"),
    }
)
_TESTS, _DESCRIPTION, _DEFAULT = "tests", "description", "defaultTest"
NO_KEY = "a dataset of evalcontract has no key for it"
_MOST_DIGITS = 10
_ADDS_MORE = "it adds to a test what that does not have, so that each test has its part of it"


class DocumentParts(NamedTuple):
    """A dataset's root for a document, and the paths of the document that only its metadata has."""

    root: Row
    kept: tuple[tuple[str | int, ...], ...] = ()


def parts_of(value: Any) -> DocumentParts:
    """Return what a document has beside its tests."""
    elsewhere = {str(index): test for index, test in tests_elsewhere(value)}
    paths: list[tuple[str | int, ...]] = []
    theirs: Row = {}
    root: Row = {}
    above: tuple[str, ...] = ()
    if isinstance(value, dict) and is_configuration(value):
        above = (_TESTS,)
        name, tests = value.get(_DESCRIPTION), value.get(_TESTS)
        has_label = isinstance(name, str) and bool(name.strip())
        root = {"label": name} if has_label else {}
        said = {_DESCRIPTION: has_label, _TESTS: isinstance(tests, list) and bool(tests)}
        theirs[CONFIGURATION] = {k: part for k, part in value.items() if not said.get(k)}
        paths = [(key,) for key in theirs[CONFIGURATION] if key not in (_TESTS, _DEFAULT)]
        paths += _beside_default(value)
    if elsewhere:
        theirs[_ELSEWHERE] = elsewhere
        paths += [(*above, int(index)) for index in elsewhere]
    return DocumentParts({**root, "metadata": {THEIRS: theirs}} if theirs else root, tuple(paths))


def _beside_default(configuration: Row) -> Iterator[tuple[str, ...]]:
    """Yield what a default test has that it does not add to tests; all of one that is not read."""
    given = configuration.get(_DEFAULT)
    if isinstance(given, dict) and default_test_of(configuration):
        added = (*ADDED, *MERGED, "assert", KEY)
        yield from ((_DEFAULT, key) for key in given if key not in added)
    elif given:
        yield (_DEFAULT,)


def document_of(rows: list[Any], root: Row, reason: str) -> tuple[Any, list[Loss]]:
    """Return tests with what a root keeps of the document that they were in, and what is lost.

    The list of rows stays the same list. `reason` says why other keys of a root are lost.
    """
    metadata = mapping_at(root, "metadata")
    theirs = mapping_at(metadata, THEIRS)
    if not _is_kept(theirs):
        return rows, [Loss((key,), reason, is_kept=False) for key in root]
    free = {key: part for key, part in root.items() if key != "metadata"}
    free |= {"metadata": metadata} if len(metadata) > 1 else {}
    configuration: Row | None = theirs.get(CONFIGURATION)
    losses: list[Loss] = []
    if configuration is not None:
        if isinstance(label := free.pop("label", None), str):
            configuration = {_DESCRIPTION: label, **configuration}
        configuration, losses = _around(rows, configuration)
    for number, test in theirs.get(_ELSEWHERE, {}).items():
        rows.insert(int(number), test)
    losses += [Loss((key,), reason, is_kept=False) for key in free]
    if configuration is None:
        return rows, losses
    return {**configuration, **({_TESTS: rows} if rows else {})}, losses


def _is_kept(theirs: Row) -> bool:
    """Whether a mapping is what `parts_of` kept of a document."""
    parts = (theirs.get(CONFIGURATION, {}), theirs.get(_ELSEWHERE, {}))
    is_known = bool(theirs) and theirs.keys() <= {CONFIGURATION, _ELSEWHERE}
    if not is_known or not all(isinstance(part, dict) for part in parts):
        return False
    return all(name.isascii() and name.isdigit() and len(name) < _MOST_DIGITS for name in parts[1])


def _around(rows: list[Any], configuration: Row) -> tuple[Row, list[Loss]]:
    """Take from each row what the default test adds; if it adds more, leave the default test."""
    default = default_test_of(configuration)
    if not default:
        return configuration, []
    most, few = limits_of(default, len(rows))
    bare = [
        row and without_default(row, default if number < most else few)
        for number, row in enumerate(rows)
    ]
    if all(each is not None or row is None for row, each in zip(rows, bare, strict=True)):
        rows[:] = bare
        return configuration, []
    path = ("metadata", THEIRS, CONFIGURATION, _DEFAULT)
    rest = {key: part for key, part in configuration.items() if key != _DEFAULT}
    return rest, [Loss(path, _ADDS_MORE, is_kept=False)]


def without_default(test: Row, default: Row) -> Row | None:
    """Return the test to which a default test adds what a test has; None if it adds more."""
    return next(
        (each for each in _shorter(test, default) if json_equal(with_default(each, default), test)),
        None,
    )


def _shorter(test: Row, default: Row) -> Iterator[Row]:
    """Yield a test with less and less taken away of what a default test may have added."""
    added = {key: part for key, part in default.items() if key in ADDED}
    rest = {k: part for k, part in test.items() if k not in added or added[k] != part}
    bare = {**rest}
    for key in MERGED:
        given, shared = rest.get(key), default.get(key)
        if isinstance(given, dict) and isinstance(shared, dict):
            own = {
                name: part
                for name, part in given.items()
                if name not in shared or not json_equal(shared[name], part)
            }
            bare[key] = own
            if not own:
                del bare[key]
    for each in (bare, rest, test):
        yield _without_assertions(each, default)
        yield each


def _without_assertions(test: Row, default: Row) -> Row:
    given, shared = test.get("assert"), default.get("assert")
    if not isinstance(given, list) or not isinstance(shared, list) or not shared:
        return test
    count = len(given) - len(shared)
    if count < 0 or not json_equal(given[count:], shared):
        return test
    own = {"assert": given[:count]} if count else {}
    return {**{key: part for key, part in test.items() if key != "assert"}, **own}


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
