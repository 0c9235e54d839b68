"""What a rule is. A rule's module is its manual page, its examples and its code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import date

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.model.reference import Kind


class Context(NamedTuple):
    """What a rule may know besides its subject.

    `has_file(name)` tells whether a file stands below the workspace's root; `used` are the
    judges, by identity, that a rubric of the library reaches. `today` is passed in, so that a
    verdict can be repeated. `age_from` is the file of the target that sets `max_age_days`; None
    where no target does.
    """

    library: Library
    today: date
    max_age_days: int
    read_json: Callable[[str], Any]
    used: frozenset[int] = frozenset()
    age_from: str | None = None


class Subject(NamedTuple):
    """A rubric or a judge, as far as it is well-formed.

    `value` has no part that the structure stage refused: a check with a fault is not among
    `checks`, which pairs each with its path. `misspelled` are the paths of known keys that are
    written in another way or place, which is told already: they are not missing.
    """

    artifact: Artifact
    value: dict[str, Any]
    checks: tuple[tuple[Path, dict[str, Any]], ...] = ()
    misspelled: frozenset[Path] = frozenset()

    @property
    def written(self) -> list[Any]:
        """The checks of a rubric as they are written, whatever they are; none if it is no list."""
        checks = self.artifact.document.value.get("checks")
        return checks if isinstance(checks, list) else []


class Rule(NamedTuple):
    """A judgement on one kind of artifact. Pure: the same subject gives the same problems."""

    code: Code
    kinds: tuple[Kind, ...]
    check: Callable[[Subject, Context], Iterator[Problem]]


def rule(code: Code, *kinds: Kind) -> Callable[[Any], Rule]:
    """Make a function a rule on some kinds of artifacts."""

    def make(check: Callable[[Subject, Context], Iterator[Problem]]) -> Rule:
        return Rule(code, kinds, check)

    return make
