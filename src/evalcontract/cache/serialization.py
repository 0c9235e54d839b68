"""Serialize outcomes for the cache, without any loss."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import (
    Diagnostic,
    Fix,
    Move,
    Outcome,
    Place,
    Rename,
    Severity,
    SeveritySource,
    Site,
    Sites,
    Span,
    Write,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.model.diagnostic import Edit

# The limit for the source lines of all findings, which may be long.
_MAX_CHARACTERS = 10_000_000


class CacheMiss(Exception):
    """The cache has no valid entry for a key."""


def serialize(outcome: Outcome) -> bytes | None:
    """Return an outcome as JSON; None if it must not be cached.

    An outcome with a crashed rule is not cached, so that a fix of the bug takes effect. Neither is
    one that is very large, or that deserializes to something else.
    """
    diagnostics = outcome.diagnostics
    if any(diagnostic.code.startswith("internal/") for diagnostic in diagnostics):
        return None
    if sum(len(diagnostic.place.text or "") for diagnostic in diagnostics) > _MAX_CHARACTERS:
        return None
    # Named tuples become lists.
    fields = [
        diagnostic._replace(fix=_fix_fields(diagnostic.fix), sites=_sites_fields(diagnostic.sites))
        for diagnostic in diagnostics
    ]
    counts = [list(outcome.files.items()), outcome.rows, outcome.ignored]
    value = [fields, *counts, outcome.left_out, outcome.checked]
    data = json.dumps(value).encode()
    with suppress(CacheMiss):
        if deserialize(data) == outcome:
            return data
    return None


def deserialize(data: bytes) -> Outcome:
    """Return the outcome from its serialized form.

    Raises:
        CacheMiss: the bytes are not an outcome.

    """
    try:
        diagnostics, files, *others = json.loads(data)
        rows, ignored, left_out, checked = others
        found = [_diagnostic(fields) for fields in diagnostics]
        return Outcome(found, dict(files), rows, left_out, dict(checked), ignored)
    except (TypeError, ValueError) as error:
        raise CacheMiss from error


def _diagnostic(fields: Sequence[Any]) -> Diagnostic:
    code, severity, message, place, path, help_, row, row_index, related, *others = fields
    fix, cause, sites, source = others
    if cause is not None:
        raise ValueError("the findings of an outcome have been joined by their causes")
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
        sites=_sites(*sites) if sites else None,
        severity_source=SeveritySource(*source) if source else None,
    )


def _sites_fields(sites: Sites | None) -> Any:
    if sites is None:
        return None
    first = [site._replace(fix=_fix_fields(site.fix)) for site in sites.first]
    return sites._replace(first=tuple(first))


def _sites(message: str, total: int, first: Sequence[Any]) -> Sites:
    sites = [
        Site(_place(*place), tuple(path), row, index, _fix(*fix) if fix else None)
        for place, path, row, index, fix in first
    ]
    return Sites(message, total, tuple(sites))


def _fix_fields(fix: Fix | None) -> Any:
    return [list(fix.path), fix.kind, list(fix.edit), fix.safe] if fix else None


def _fix(path: list[str | int], kind: str, edit: list[Any], safe: bool) -> Fix:  # noqa: FBT001
    (part,) = edit
    edits: dict[str, Edit] = {"rename": Rename(part), "write": Write(part)}
    return Fix(tuple(path), Move(tuple(part)) if kind == "move" else edits[kind], safe)


def _place(file: str, span: Sequence[int] | None, text: str | None) -> Place:
    return Place(file, Span(*span) if span else None, text)
