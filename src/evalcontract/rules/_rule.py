"""The base of all rules. A rule's module holds its manual page, its examples and its code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from evalcontract.analysis.ambiguity import PatternSearch
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Path, Problem
    from evalcontract.model.reference import Kind
    from evalcontract.rules._composites import CompositeChecks
    from evalcontract.structure.authored.keywords import SchemaAnalyses


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
    patterns: PatternSearch
    composites: CompositeChecks
    used: frozenset[int] = frozenset()
    age_from: str | None = None


class Subject(NamedTuple):
    """The well-formed part of a rubric or judge.

    `value` and `checks` leave out what the structure stage rejected; `checks` pairs each check
    with its path. `misspelled` holds the paths of known keys that are misspelled or misplaced:
    they have been reported and do not count as missing.
    """

    artifact: Artifact
    value: dict[str, Any]
    checks: tuple[tuple[Path, dict[str, Any]], ...] = ()
    misspelled: frozenset[Path] = frozenset()

    @property
    def written(self) -> list[Any]:
        """The value of the rubric's `checks` as written, or [] if it is not a list."""
        checks = self.artifact.document.value.get("checks")
        return checks if isinstance(checks, list) else []


class Rule(NamedTuple):
    """A rule for artifacts. Pure: the same subject gives the same problems."""

    code: Code
    kinds: tuple[Kind, ...]
    check: Callable[[Subject, Context], Iterator[Problem]]


def rule(code: Code, *kinds: Kind) -> Callable[[Any], Rule]:
    """Turn a function into a rule for the given kinds of artifacts."""

    def make(check: Callable[[Subject, Context], Iterator[Problem]]) -> Rule:
        return Rule(code, kinds, check)

    return make
