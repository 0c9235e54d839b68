"""The base of all rules: on datasets, rows, rubrics and judges, and what each is given.

A rule imports the words that it needs from here: what it is made of, and what a problem is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.analysis.clashes import ALTERNATIVES, name_of
from evalcontract.checks import Prediction, State
from evalcontract.checks._kind import outlooks_of
from evalcontract.checks.plan import Plan, own_predictions
from evalcontract.library.library import Artifact, Library
from evalcontract.model.codes import Code
from evalcontract.model.diagnostic import Fix, Path, Problem, Related, Rename, Severity, Within
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import RowBatches
from evalcontract.source.comments import CutText
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.validator import Checks, valid_parts_of_rubric

if TYPE_CHECKING:
    from evalcontract.analysis.ambiguity import PatternSearch

__all__ = [
    "Code", "Context", "DatasetContext", "DatasetRule", "Fix", "Path", "Problem", "Problems",
    "Related", "Rename", "RowGroup", "RowSubject", "Rule", "Severity", "Subject", "Within",
    "row_rule", "rule",
]  # fmt: skip

#: What a rule yields.
Problems = Iterator[Problem]

#: What the path of a check inside a composite ends in.
REFERENCE = "rubric_ref"
#: The number of checks inside composites that are compared with those outside, in a run; some
#: thousands are a large workspace.
MAX_REACHED = 50_000


class CompositeChecks:
    """The checks that composites reach, of each rubric of a run once, and a limit on their number.

    Beyond the limit, composites are left out.
    """

    def __init__(self) -> None:
        self._left = MAX_REACHED
        self._rubrics: dict[int, tuple[Artifact, _Inner]] = {}

    def through(self, subject: Subject, combine: str, library: Library) -> Checks:
        """Return the checks of a rubric, and after them those that its composites reach.

        `combine` is how the rubric combines its checks. The path of a check inside a composite is
        that of the composite's reference, and its id is `composite/check`. A composite is left out
        if its checks do not count as those of the rubric itself do: if one of them is enough and
        all of the rubric's have to pass, or the reverse, or if its threshold is 0. Each rubric is
        reached once. Without anything that they may contradict outside, the checks of a single
        rubric are left out, too.
        """
        seen: set[int] = {id(subject.artifact)}
        reached: list[tuple[Path, dict[str, Any], _Inner]] = []
        for path, check in subject.checks:
            if check["kind"] == "composite" and check.get("threshold") != 0:
                inner = self._inner_of_composite(check, combine, library, seen=seen)
                if inner is not None and inner.checks:
                    reached.append((path, check, inner))
        others = sum(check["kind"] != "composite" for _, check in subject.checks)
        if len(reached) + others < 2:  # noqa: PLR2004 - it takes two to contradict
            return subject.checks
        self._left -= sum(len(inner.checks) for *_, inner in reached)
        if self._left < 0:
            return subject.checks
        return (
            *subject.checks,
            *(placed for each in reached for placed in _prefixed_checks(*each)),
        )

    def _inner_of_composite(
        self, composite: dict[str, Any], combine: str, library: Library, seen: set[int]
    ) -> _Inner | None:
        rubric = library.artifact_of(composite[REFERENCE])
        if rubric is None or id(rubric) in seen:
            return None
        seen.add(id(rubric))
        inner = self._inner(rubric)
        if inner.combine is None or (inner.combine in ALTERNATIVES) != (combine in ALTERNATIVES):
            return None
        return inner

    def _inner(self, rubric: Artifact) -> _Inner:
        """Return the checks of a rubric; the rubric is kept, so that its id is not reused."""
        if id(rubric) not in self._rubrics:
            self._rubrics[id(rubric)] = rubric, _inner_of(rubric.document.value)
        return self._rubrics[id(rubric)][1]


class _Inner(NamedTuple):
    """The valid checks of a rubric but for composites, and how it combines them."""

    combine: str | None
    checks: Checks


def _inner_of(value: dict[str, Any]) -> _Inner:
    valid, checks = valid_parts_of_rubric(value)
    own = tuple(placed for placed in checks if placed[1]["kind"] != "composite")
    return _Inner(valid.get("scoring", {}).get("combine"), own)


def _prefixed_checks(
    path: Path, composite: dict[str, Any], inner: _Inner
) -> Iterator[tuple[Path, dict[str, Any]]]:
    outside = name_of(path, composite).strip("`")
    for place, check in inner.checks:
        name = name_of(place, check).strip("`")
        yield (*path, REFERENCE), {**check, "id": f"{outside}/{name}"}


def is_inside(path: Path) -> bool:
    """Whether a path begins with that of a check inside a composite."""
    return path[2:3] == (REFERENCE,)


def outer_part(path: Path) -> Path:
    """Return the part of a path that is in the rubric itself."""
    return path[:3] if is_inside(path) else path


class DatasetContext(NamedTuple):
    """What a dataset rule may use besides the rows.

    The path of row n is `(*prefix, n)`; `root` holds the dataset's own keys, without the rows;
    `bundles` the names of the declared bundles. `cut_texts` returns the texts that a comment of
    YAML probably cuts off.
    """

    prefix: Path
    root: dict[str, Any]
    bundles: frozenset[str]
    cut_texts: Callable[[], Iterable[CutText]] = tuple


class Watch(Protocol):
    """The state of a rule during one pass over one dataset.

    One that needs only the ids of clean rows has a method `see_ids(first_index, ids)`, so that the
    rows need not be kept: each of these rows has an id, and its bundle, if any, is declared.
    """

    def see(self, first_index: int, rows: list[Any]) -> Problems:
        """Observe the next rows. A row may have any type: the structure stage checks that."""

    def finish(self) -> Problems:
        """Yield the problems that only the whole dataset reveals."""


class DatasetRule(NamedTuple):
    """A rule for a dataset as a whole."""

    code: Code
    watch: Callable[[DatasetContext], Watch]


class _RowSubjectParts(NamedTuple):
    """What a `RowSubject` is made of, without what is computed once and kept in it."""

    path: Path
    row: dict[str, Any]
    plan: Plan | None
    bundle: str | None
    is_declared: bool = True
    is_told_above: bool = False
    graded: frozenset[str] = frozenset()
    source: RowBatches | None = None


class RowSubject(_RowSubjectParts):
    """A well-formed row, with the plan of its rubric (None if it has no rubric).

    `bundle` is the row's bundle, or else the dataset's; `is_declared` is whether that bundle is
    declared. `is_told_above` is whether the row's expectations are at the root of the dataset,
    where they are ignored and have been reported. `graded` are the keys of rows that the graders
    of the runner read, besides the rubric. `source` knows how the row is written in its
    file; it is None if that is unknown.
    """

    @cached_property
    def outlooks_of_groups(self) -> tuple[Prediction, ...]:
        """The predictions for the groups of checks of the row's rubric; empty without one."""
        groups = self.plan.steps.groups if self.plan else ()
        return tuple(outlooks_of((group.needs for group in groups), self.row))

    @cached_property
    def outlooks(self) -> tuple[Prediction, ...]:
        """The predictions for the checks of the row's rubric, or its expectations without one.

        Checks that need the same from the row share one.
        """
        own = own_predictions(self.row, self.plan, self.graded)
        return (*self.outlooks_of_groups, *(outlook for *_, outlook in own))

    @cached_property
    def runs_nothing(self) -> bool:
        """Whether no check runs, and at least one is skipped because the row lacks a key."""
        if self.plan is None or not self.plan.is_complete:
            return False
        outlooks = self.outlooks
        lacks_key = any(outlook.state is State.SKIP and outlook.field for outlook in outlooks)
        return lacks_key and not any(outlook.runs for outlook in outlooks)


class RowGroup(NamedTuple):
    """What rows that share a prefilter have in common; see `RowSubject`.

    `plan`, `bundle` and `graded` are those of each row. `has_bare_keys` is whether a key may be
    written alone, without a colon and a value, as between the braces of YAML. `has_bare_texts` is
    whether a text may be written without straight quotation marks, which JSON requires.
    """

    plan: Plan | None = None
    bundle: str | None = None
    graded: frozenset[str] = frozenset()
    has_bare_keys: bool = True
    has_bare_texts: bool = True


#: The type of `RowRule.silent`: takes what rows have in common, returns a JSON Schema.
Silent = Callable[[RowGroup], dict[str, Any] | bool]

#: The type of `RowRule.suspects`: takes a row, and what it has in common with others.
Suspects = Callable[[dict[str, Any], RowGroup], bool]


class RowRule(NamedTuple):
    """A rule for one row. Pure.

    `silent` is a prefilter. For a group of rows it returns a JSON Schema of those for which the
    rule reports nothing: `True` for all rows, `False` for none. The rule never sees rows that
    the schema accepts, so the schema may reject too many rows but must not accept too many.
    Without it the rule runs on every row, which is slower.

    `suspects` is for what no schema can express: it is called with each row that the schema
    accepts, and the rule runs on those for which it returns True. It has to be fast.
    """

    code: Code
    check: Callable[[RowSubject], Problems]
    silent: Silent | None = None
    suspects: Suspects | None = None


def row_rule(
    code: Code,
    *,
    silent: Silent | dict[str, Any] | bool | None = None,
    suspects: Suspects | None = None,
) -> Callable[[Callable[[RowSubject], Problems]], RowRule]:
    """Turn a function into a rule; for `silent` and `suspects` see `RowRule`.

    A `silent` that is no function is the schema for all rows.
    """
    of_group = silent if silent is None or callable(silent) else lambda _: silent
    return lambda check: RowRule(code, check, of_group, suspects)


class Context(NamedTuple):
    """What a rule may use besides its subject.

    `read_json` parses a file of the workspace and raises LookupError if that is not possible.
    `used` holds the `id()` of every judge that some rubric of the library uses, directly or
    indirectly. `today` is passed in to make results reproducible. `age_from` is the file of the
    target that sets `max_age_days`, or None. `schemas` and `patterns` analyse what authors write,
    each schema and pattern once in a run; `composites` collects what composites reach.
    """

    library: Library
    today: date
    max_age_days: int
    read_json: Callable[[str], Any]
    schemas: SchemaAnalyses
    searches: Callable[[], PatternSearch]
    composites: CompositeChecks
    used: frozenset[int] = frozenset()
    age_from: str | None = None

    @property
    def patterns(self) -> PatternSearch:
        """The searches in patterns; they are slow to import, and few artifacts have any."""
        return self.searches()


class Subject(NamedTuple):
    """The well-formed part of a rubric or judge.

    `value` and `checks` leave out what the structure stage rejected; `checks` pairs each check
    with its path. `misspelled` holds the paths of known keys that are misspelled or misplaced:
    they have been reported and do not count as missing.
    """

    artifact: Artifact
    value: dict[str, Any]
    checks: Checks = ()
    misspelled: frozenset[Path] = frozenset()

    def checks_of(self, kind: str) -> Iterator[tuple[Path, dict[str, Any]]]:
        """Yield the checks of a kind."""
        return (placed for placed in self.checks if placed[1]["kind"] == kind)

    def lacks(self, key: str) -> bool:
        """Whether a top-level key is not in the file, and none was meant to be it."""
        return key not in self.artifact.document.value and (key,) not in self.misspelled

    @property
    def written(self) -> list[Any]:
        """The value of the rubric's `checks` as written, or [] if it is not a list."""
        checks = self.artifact.document.value.get("checks")
        return checks if isinstance(checks, list) else []


class Rule(NamedTuple):
    """A rule for artifacts. Pure: the same subject gives the same problems."""

    code: Code
    kinds: tuple[Kind, ...]
    check: Callable[[Subject, Context], Problems]


def rule(code: Code, *kinds: Kind) -> Callable[[Callable[[Subject, Context], Problems]], Rule]:
    """Turn a function into a rule for these kinds of artifacts, or for the one its code names."""
    return lambda check: Rule(code, kinds or (Kind(code.partition("/")[0]),), check)
