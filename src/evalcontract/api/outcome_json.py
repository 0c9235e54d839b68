"""An outcome as JSON, and back: the very same findings, or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.model.fix import Fix, Move, Rename, Write
from evalcontract.model.span import Place, Span

if TYPE_CHECKING:
    from evalcontract.api.validate import Outcome
    from evalcontract.model.fix import Edit

# The lines of findings may be long, and many.
_MOST_CHARACTERS = 10_000_000


class Unkept(Exception):
    """What should be an outcome is none."""


def outcome_to_json(outcome: Outcome) -> dict[str, Any] | None:
    """Return an outcome as a JSON value; None where it is not to be kept.

    A bug of ours is to be seen again, not remembered. What does not come back as it was, or is
    very large, is not kept either.
    """
    if any(each.code.startswith("internal/") for each in outcome.diagnostics):
        return None
    if sum(len(each.place.text or "") for each in outcome.diagnostics) > _MOST_CHARACTERS:
        return None
    kept = {
        "files": [[str(kind), count] for kind, count in outcome.files.items()],
        "rows": outcome.rows,
        "left_out": outcome.left_out,
        "diagnostics": [_of_diagnostic(each) for each in outcome.diagnostics],
    }
    return kept if outcome_from(kept) == outcome else None


def outcome_from(kept: Any) -> Outcome:
    """Return the outcome of a JSON value.

    Raises:
        Unkept: it is none.

    """
    from evalcontract.api.validate import Outcome  # it imports this

    try:
        return Outcome(
            [_diagnostic(*each) for each in kept["diagnostics"]],
            {str(kind): int(count) for kind, count in kept["files"]},
            int(kept["rows"]),
            [str(each) for each in kept["left_out"]],
        )
    except (TypeError, ValueError, LookupError) as error:
        raise Unkept from error


def _of_diagnostic(found: Diagnostic) -> list[Any]:
    return [
        found.code,
        int(found.severity),
        found.message,
        _of_place(found.place),
        list(found.path),
        found.help,
        found.row,
        found.row_index,
        [[message, _of_place(place)] for message, place in found.related],
        _of_fix(found.fix) if found.fix else None,
    ]


def _diagnostic(
    code: str,
    severity: int,
    message: str,
    place: list[Any],
    path: list[str | int],
    help_: str | None,
    row: str | None,
    row_index: int | None,
    related: list[Any],
    fix: list[Any] | None,
) -> Diagnostic:
    return Diagnostic(
        code,
        Severity(severity),
        message,
        _place(*place),
        tuple(path),
        help_,
        row,
        row_index,
        tuple((told, _place(*where)) for told, where in related),
        _fix(*fix) if fix else None,
    )


def _of_fix(fix: Fix) -> list[Any]:
    return [list(fix.path), fix.kind, list(fix.edit), fix.safe]


def _fix(path: list[str | int], kind: str, edit: list[Any], safe: bool) -> Fix:  # noqa: FBT001
    (part,) = edit
    made: dict[str, Edit] = {"rename": Rename(part), "write": Write(part)}
    return Fix(tuple(path), Move(tuple(part)) if kind == "move" else made[kind], safe)


def _of_place(place: Place) -> list[Any]:
    span = place.span
    at = [span.line, span.column, span.end_line, span.end_column] if span else None
    return [place.file, at, place.text]


def _place(file: str, at: list[int] | None, text: str | None) -> Place:
    return Place(file, Span(*at) if at else None, text)
