"""Tell the losses of a conversion from another system in the fields of the source.

A writer tells them in the fields of evalcontract, which the source does not have. The table of
fields of its format says which of its own they came from.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.engine.embedded_rubric import RUBRIC_KEY
from evalcontract.formats._conversion import OURS
from evalcontract.source.document import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.formats._conversion import Loss
    from evalcontract.formats._fields import Field

_METADATA = ("metadata",)
_ANY = "*"
# Below such keys a row preserves the fields of a system.
_IN_RESIDUAL = ("metadata", "SYSTEM", "set")
# Where systems preserve what they have no field for of a row.
_PRESERVED = (("metadata", OURS), ("metadata", OURS, "row"), ("tags", OURS, "set"))


def losses_of_source(
    read: Sequence[Loss], written: Sequence[Loss], row: Any, fields: Sequence[Field]
) -> list[Loss]:
    """Return the losses of a row, by the fields that it has.

    `read` are those of the reader, whose values are preserved only where metadata are.
    """
    is_kept = all(loss.is_kept for loss in written if loss.path == _METADATA)
    losses = {loss.path: loss._replace(is_kept=loss.is_kept and is_kept) for loss in read}
    for loss in written:
        paths = [*_paths(loss, row, fields)] or [*preserved_at(row, loss.path)]
        if not paths and not loss.is_kept and loss.path != _METADATA:
            losses.setdefault((), loss._replace(path=()))
        for path in paths:
            if path not in losses or not loss.is_kept:
                losses[path] = loss._replace(path=path)
    return [*losses.values()]


def _paths(loss: Loss, row: Any, fields: Sequence[Field]) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of the values in a row that a field of evalcontract came from."""
    path = ("rubric_ref",) if loss.path == (RUBRIC_KEY,) else loss.path
    if path[:1] == _METADATA and len(path) > len(_IN_RESIDUAL):
        theirs = path[len(_IN_RESIDUAL) :]  # a writer of the same system told its own field
        yield from [theirs] if value_at(row, theirs) is not None else ()
    named = {tuple(field.theirs.split(".")) for field in fields if field.theirs}
    for field in fields:
        if field.theirs is None or field.ours is None:
            continue
        ours, theirs = field.ours.split("."), tuple(field.theirs.split("."))
        width = min(len(ours), len(path))
        if any(one not in (str(other), _ANY) for one, other in zip(ours, path, strict=False)):
            continue
        if theirs[-1] != _ANY:
            values = [theirs] if ours[-1] != _ANY or width < len(ours) else []
        elif len(path) >= len(ours):
            values = [(*theirs[:-1], str(path[len(ours) - 1]))]
        else:
            given = value_at(row, theirs[:-1])
            keys = given if isinstance(given, dict) else ()
            values = [(*theirs[:-1], key) for key in keys if (*theirs[:-1], key) not in named]
        yield from (each for each in values if value_at(row, each) not in (None, [], {}))


def preserved_at(row: Any, ours: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the path of a value that a row preserves of a row of evalcontract."""
    paths = ((*place, *ours) for place in _PRESERVED)
    yield from (path for path in paths if value_at(row, path) is not None)
