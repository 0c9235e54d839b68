"""The checks of a rubric together with those that it reaches through composites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.analysis.clashes import ALTERNATIVES, name_of
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.validator import valid_parts_of_rubric

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.diagnostic import Path
    from evalcontract.rules._rule import Subject
    from evalcontract.structure.validator import Checks

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
                inner = self._reached(check, combine, library, seen)
                if inner is not None and inner.checks:
                    reached.append((path, check, inner))
        others = sum(check["kind"] != "composite" for _, check in subject.checks)
        if len(reached) + others < 2:  # noqa: PLR2004 - it takes two to contradict
            return subject.checks
        self._left -= sum(len(inner.checks) for *_, inner in reached)
        if self._left < 0:
            return subject.checks
        return (*subject.checks, *(placed for each in reached for placed in _placed(*each)))

    def _reached(
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


def _placed(
    path: Path, composite: dict[str, Any], inner: _Inner
) -> Iterator[tuple[Path, dict[str, Any]]]:
    """Yield the checks of a rubric as the checks of a composite."""
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
