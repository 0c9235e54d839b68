"""An outcome as bytes, and back: the very same findings, or none."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Diagnostic, Outcome, Severity
from evalcontract.model.fix import Fix, Move, Rename, Write
from evalcontract.model.span import Place, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.model.fix import Edit

# The lines of findings may be long, and many.
_MOST_CHARACTERS = 10_000_000


class CacheMiss(Exception):
    """What was to be found in the cache is not there, or is something else."""


def serialize(outcome: Outcome) -> bytes | None:
    """Return an outcome as JSON; None where it is not to be kept.

    A bug of ours is to be seen again, so a crashed rule is not kept. What does not come back as it
    was, or is very large, is not kept either.
    """
    diagnostics = outcome.diagnostics
    if any(found.code.startswith("internal/") for found in diagnostics):
        return None
    if sum(len(found.place.text or "") for found in diagnostics) > _MOST_CHARACTERS:
        return None
    # Named tuples become lists.
    written = [found._replace(fix=_of_fix(found.fix)) for found in diagnostics]
    kept = [written, list(outcome.files.items()), outcome.rows, outcome.left_out]
    data = json.dumps(kept).encode()
    with suppress(CacheMiss):
        if deserialize(data) == outcome:
            return data
    return None


def deserialize(data: bytes) -> Outcome:
    """Return the outcome that bytes stand for.

    Raises:
        CacheMiss: they stand for none.

    """
    try:
        diagnostics, files, rows, left_out = json.loads(data)
        return Outcome([_diagnostic(fields) for fields in diagnostics], dict(files), rows, left_out)
    except (TypeError, ValueError) as error:
        raise CacheMiss from error


def _diagnostic(fields: Sequence[Any]) -> Diagnostic:
    code, severity, message, place, path, help_, row, row_index, related, fix = fields
    return Diagnostic(
        code,
        Severity(severity),
        message,
        _place(*place),
        tuple(path),
        help_,
        row,
        row_index,
        tuple([(message, _place(*place)) for message, place in related]),
        _fix(*fix) if fix else None,
    )


def _of_fix(fix: Fix | None) -> Any:
    return [list(fix.path), fix.kind, list(fix.edit), fix.safe] if fix else None


def _fix(path: list[str | int], kind: str, edit: list[Any], safe: bool) -> Fix:  # noqa: FBT001
    (part,) = edit
    made: dict[str, Edit] = {"rename": Rename(part), "write": Write(part)}
    return Fix(tuple(path), Move(tuple(part)) if kind == "move" else made[kind], safe)


def _place(file: str, span: Sequence[int] | None, text: str | None) -> Place:
    return Place(file, Span(*span) if span else None, text)
