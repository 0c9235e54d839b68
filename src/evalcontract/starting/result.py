"""What a migration makes: datasets, the rubrics that they share, and the judges that these name."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import lazy_pattern

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Loss
    from evalcontract.model.diagnostic import Path

#: The version of every rubric that is made.
VERSION = "1.0.0"
_CHARACTERS = lazy_pattern(r"[^a-z0-9]+")


def snake_case(text: str, default: str) -> str:
    """Return an id made of the ASCII letters and digits of a text, or of a default without any."""
    name = _CHARACTERS.sub("_", text.lower()).strip("_") or default
    return name if name[0].isalpha() else f"{default}_{name}"


class Names:
    """Names that are all different."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}  # the number that each name was given last

    def take(self, name: str) -> str:
        """Return a name that was not taken before, if need be with `_2`, `_3` … at its end."""
        free, number = name, self._last.get(name, 1)
        while free in self._last:
            number += 1
            free = f"{name}_{number}"
        self._last[name] = number
        self._last.setdefault(free, 1)
        return free


class Rubrics:
    """The rubrics that are made, by id; rows with equal checks and scoring share one."""

    def __init__(self) -> None:
        self.made: dict[str, dict[str, Any]] = {}
        self._known: dict[str, str] = {}
        self._names = Names()

    @property
    def references(self) -> set[str]:
        """The references to all of them."""
        return {f"rubric/{id_}@{VERSION}" for id_ in self.made}

    def reference_to(
        self, name: str, description: str, checks: list[dict[str, Any]], scoring: dict[str, Any]
    ) -> str:
        """Return the reference to the rubric with these checks, which is made if it is new."""
        key = json.dumps([checks, scoring], sort_keys=True)
        if key not in self._known:
            id_ = self._known[key] = self._names.take(name)
            head = {"id": id_, "version": VERSION, "description": description}
            self.made[id_] = {**head, "checks": checks, "scoring": scoring}
        return f"rubric/{self._known[key]}@{VERSION}"


@dataclass
class Moved:
    """What one file becomes.

    `losses` are told by the place in the source that they have. `notes` say what is graded in
    another way than before. `judges` are ids of starter judges.
    """

    root: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    losses: list[tuple[Path, Loss]] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)
    judges: set[str] = field(default_factory=set)

    def lose(self, path: Path, *losses: Loss) -> None:
        """Record what is lost below a path."""
        self.losses += [(path, loss) for loss in losses]

    def note(self, text: str) -> None:
        """Count a difference in how something is graded."""
        self.notes[text] = self.notes.get(text, 0) + 1
