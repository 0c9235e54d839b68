"""How rows become rows of another system: what is carried, kept aside, and lost."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

#: The key below `metadata` under which a row of another system keeps what is ours.
OURS = "evalcontract"

#: The bundles that conversions put rows into, by what the rows have: nothing is lost without them.
BUNDLES = ("rag", "agent")


# The keys of a row that are of a bundle.
_KEYS_OF_BUNDLES = {
    "agent": ("messages", "trace"),
    "rag": ("expected_documents", "retrieved_documents", "recorded_output"),
}


class Loss(NamedTuple):
    """Something that the target has no place of its own for.

    `path` leads to it in the source, from the row on. `is_kept` tells that it is kept under
    `metadata` (or what the target has for it), so that the way back restores it.
    """

    path: Path
    reason: str
    is_kept: bool


class OurRow(NamedTuple):
    """A row as ours. `rubric` is what grades it; None for none.

    A rubric that `is_new` was made of the row, and has no `id` and `version` yet. Rows with equal
    rubrics share one. The `rubric_ref` is set by who names the rubrics. `judges` are whole judges
    that the rubric refers to; equal ones are written once.
    """

    row: dict[str, Any]
    rubric: dict[str, Any] | None = None
    losses: tuple[Loss, ...] = ()
    judges: tuple[dict[str, Any], ...] = ()
    is_new: bool = True


class Reader(Protocol):
    """Turns rows of another system into ours.

    `root` is what belongs beside the rows of ours: `metadata`, `bundle`. `losses` are those of
    what stands around the rows.
    """

    @property
    def root(self) -> dict[str, Any]:
        """What belongs beside the rows, once all are read."""
        ...

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost of what stands around the rows."""
        ...

    def read(self, row: Any, index: int) -> OurRow:
        """Turn a sound row into ours."""
        ...


class TheirRow(NamedTuple):
    """A row as the target writes it, and what it has no place for.

    `problems` say why the row cannot be written at all; their paths begin at the row.
    """

    row: Any
    losses: tuple[Loss, ...] = ()
    problems: tuple[Problem, ...] = ()


class Writer(Protocol):
    """Turns our rows into those of another system.

    One that `says_rubrics` gets the rubrics that were made of other systems' rows as well, and says
    in its own way what they ask for. To others the row holds such a rubric as any key of its
    author's, under `rubric`.
    """

    says_rubrics: bool

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Turn a row; `rubric` is the value of the rubric that it refers to, where it does."""
        ...

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the document that holds rows, for media that have one, and what it loses.

        `root` is what stands beside our rows.
        """
        ...


def default_id(index: int) -> str:
    """Return the id of a row that nothing names."""
    return f"row_{index + 1}"


def with_bundle(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the bundle that its keys are of, if they are."""
    for bundle, keys in _KEYS_OF_BUNDLES.items():
        if any(key in row for key in keys):
            return {**row, "bundle": bundle}
    return row


def renamed(document: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """Return a document with its name under another key, in the same place."""
    return {new if key == old else key: part for key, part in document.items()}


def last_said(messages: list[Any]) -> Any:
    """Return what the user says last in a conversation; None where nothing."""
    said = [each for each in messages if isinstance(each, dict) and each.get("role") == "user"]
    return said[-1].get("content") if said else None
