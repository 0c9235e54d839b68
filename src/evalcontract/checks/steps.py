"""The checks of a rubric, one by one and in groups that need the same from a row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, SHOWN, clipped

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.checks._kind import Needs
    from evalcontract.checks.plan import Plan
    from evalcontract.library.artifact import Artifact

T = TypeVar("T")

# The names that are kept of a group: one more than a message lists, see `listed`.
_NAMED = SHOWN + 1


class Step(NamedTuple):
    """One check of a rubric, or of the rubric of a composite: then named `composite/check`.

    `check` is what the rubric says; None if it is malformed.
    """

    name: str
    kind: str
    needs: Needs
    check: dict[str, Any] | None = None


class StepGroup(NamedTuple):
    """The checks of a plan that need the same from a row, so that one prediction is for all.

    `total` is their number. `names` are the first of them and `judges` all their judges, each with
    the number of the check in the plan; long names are clipped. `needs` is without judges.
    """

    needs: Needs
    total: int
    names: tuple[tuple[int, str], ...]
    judges: tuple[tuple[int, Artifact], ...] = ()


class Nested(NamedTuple):
    """A composite in place of which the checks of its rubric run: those of `plan`.

    `check` is what the outer rubric says.
    """

    name: str
    plan: Plan
    check: dict[str, Any]

    @property
    def steps(self) -> Steps:
        """The checks of the rubric, and their groups."""
        return self.plan.steps


class Steps(NamedTuple):
    """The checks of a rubric, in order, with their number and their groups.

    Those of composites are made when they are asked for: many composites may reach one rubric.
    """

    parts: tuple[Step | Nested, ...] = ()
    total: int = 0
    groups: tuple[StepGroup, ...] = ()

    def each(self) -> Iterator[Step]:
        """Yield every check."""
        for part in self.parts:
            if isinstance(part, Step):
                yield part
            else:
                for step in part.steps.each():
                    yield step._replace(name=f"{part.name}/{step.name}")

    def each_with(self, values: Iterable[T]) -> Iterator[tuple[Step, T]]:
        """Yield every check with the value of its group; `values` has one for each group."""
        by_needs = {group.needs: value for group, value in zip(self.groups, values, strict=True)}
        for step in self.each():
            yield step, by_needs[step.needs._replace(judges=())]


def steps_of(parts: Iterable[Step | Nested]) -> Steps:
    """Return the checks of a rubric with their groups."""
    parts = tuple(parts)
    groups: dict[Needs, _Group] = {}
    nested: dict[int, list[tuple[int, Nested]]] = {}
    count = 0
    for part in parts:
        if isinstance(part, Step):
            needs = part.needs._replace(judges=())
            group = groups.setdefault(needs, _Group())
            group.add([(count, part.name)], [(count, judge) for judge in part.needs.judges])
            count += 1
        else:
            nested.setdefault(id(part.steps), []).append((count, part))
            count += part.steps.total
    for places in nested.values():
        for inner in places[0][1].steps.groups:
            groups.setdefault(inner.needs, _Group()).add_nested(inner, places)
    made = [group.made(needs) for needs, group in groups.items()]
    made.sort(key=lambda group: group.names[0])
    return Steps(parts, count, tuple(made))


class _Group:
    """A group while it is made."""

    def __init__(self) -> None:
        self._count = 0
        self._names: list[tuple[int, str]] = []
        self._judges: list[tuple[int, Artifact]] = []

    def add(
        self,
        names: Iterable[tuple[int, str]],
        judges: Iterable[tuple[int, Artifact]],
        count: int = 1,
    ) -> None:
        self._count += count
        self._names += names
        self._judges += judges

    def add_nested(self, inner: StepGroup, places: list[tuple[int, Nested]]) -> None:
        """Add a group of a rubric for each of the composites that reach it."""
        first = places[0][0]
        names = [
            (start + number, f"{clipped(part.name, NAME_LENGTH)}/{name}")
            for start, part in places[:_NAMED]
            for number, name in inner.names
        ]
        judges = [(first + number, judge) for number, judge in inner.judges]
        self.add(names, judges, inner.total * len(places))

    def made(self, needs: Needs) -> StepGroup:
        names = [(number, clipped(name, NAME_LENGTH)) for number, name in sorted(self._names)]
        judges: dict[int, tuple[int, Artifact]] = {}
        for number, judge in sorted(self._judges, key=lambda numbered: numbered[0]):
            judges.setdefault(id(judge), (number, judge))
        return StepGroup(needs, self._count, tuple(names[:_NAMED]), tuple(judges.values()))
