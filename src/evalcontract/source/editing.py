"""Changes to YAML that keep its comments, quotes, order and spaces."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import EditError
from evalcontract.model.path import format_path
from evalcontract.model.same import same
from evalcontract.source.fault import Fault
from evalcontract.source.yaml import parse_yaml
from evalcontract.source.yaml_splice import Cut, Splicer, apply_cuts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcontract.model.path import Path
    from evalcontract.source.document import Document

    Change = tuple[Path, Any]

_MARK = "\ufeff"


def edit_yaml(text: str, changes: Iterable[tuple[Path, Any]]) -> str:
    """Return a YAML text with plain values set at paths, one after the other.

    The last step of a path may be a new key of a mapping, which is added at its end. What is not
    set stays as it is, byte for byte: comments, quotes, spaces, line ends; where a value is
    replaced by one that is no scalar, the comments inside of it go with it. Only a change below
    an alias, a merged key or a `? ` key has the text written anew, values and comments kept.
    The result has been read again, and has the values that were asked for.

    Raises:
        LookupError: a path leads nowhere.
        EditError: the text cannot be read, or not be changed so that nothing else changes.

    """
    mark = _MARK if text.startswith(_MARK) else ""
    body = text.removeprefix(mark)
    wanted = [(tuple(path), new) for path, new in changes]
    try:
        return mark + _edited(body, _read(body), wanted)
    except RecursionError:
        raise EditError("a value stands inside of itself, or is nested too deeply") from None
    except Fault as fault:
        if wanted and fault.faults[0].code == "source/empty":
            raise LookupError(f"{format_path(wanted[0][0])} leads nowhere: no value") from None
        raise EditError(f"the text cannot be read: {fault.faults[0].message}") from None


def _edited(text: str, document: Document, changes: Sequence[Change]) -> str:
    """Make all changes in one pass if that is sound; else those of each half, one by one at last.

    Raises:
        LookupError, EditError: as `edit_yaml`.

    """
    expected = reduce(_with, changes, document.value)
    if same(document.value, expected):
        return text
    written = _spliced(text, document, changes, expected)
    if written is not None:
        return written
    if len(changes) == 1:
        return _rewritten(text, document, changes[0], expected)
    half = len(changes) // 2
    first = _edited(text, document, changes[:half])
    return _edited(first, _read(first), changes[half:])


def _spliced(
    text: str,
    document: Document,
    changes: Sequence[Change],
    expected: Any,
    *,
    as_flow: bool = False,
) -> str | None:
    """Cut the changes into the text; None unless what comes of it reads as expected."""
    splicer = Splicer(text, document)
    cuts: list[Cut] = []
    for path, new in changes:
        found = _cuts(splicer, document.value, path, new, as_flow=as_flow)
        if found is None:
            return None
        cuts += found
    written = apply_cuts(text, cuts)
    return written if written is not None and _reads_as(written, expected) else None


def _cuts(splicer: Splicer, value: Any, path: Path, new: Any, *, as_flow: bool) -> list[Cut] | None:
    """Return the cuts of one change; None where a change before it makes what it stands in."""
    try:
        for step in path[:-1]:
            value = value[step]
        last = path[-1]
        is_new = isinstance(value, dict) and last not in value
        if not is_new and same(value[last], new):
            return []
        if is_new or (isinstance(value, dict) and splicer.is_merged(path)):
            return splicer.add(path[:-1], value, str(last), new)
    except (LookupError, TypeError):
        return None
    return splicer.set(path, new, as_flow=as_flow)


def _rewritten(text: str, document: Document, change: Change, expected: Any) -> str:
    """Make a change that has no place of its own in the text.

    Raises:
        EditError: it would change more than it should.

    """
    from evalcontract.source.yaml_round_trip import with_placeholder  # slow to import

    path, _ = change
    splicer = Splicer(text, document)
    anew = with_placeholder(text, path, splicer.step, splicer.offset)
    bases = [(text, True)] if anew is None else [(text, True), (anew, False), (anew, True)]
    for base, as_flow in bases:
        try:
            written = _spliced(base, _read(base), [change], expected, as_flow=as_flow)
        except Fault:
            continue
        if written is not None:
            return written
    raise EditError(
        f"{format_path(path)} cannot be set without changing something else, or the value has no "
        "YAML; is it reached through an alias?"
    )


def _with(value: Any, change: Change) -> Any:
    """Return a value with another one set at a path; the value itself stays as it is.

    Raises:
        LookupError: the path leads nowhere.

    """
    path, new = change
    if not path:
        raise LookupError("a path of no steps sets nothing")
    first, rest = path[0], path[1:]
    is_key = isinstance(value, dict) and isinstance(first, str) and (first in value or not rest)
    is_index = isinstance(value, list) and isinstance(first, int) and 0 <= first < len(value)
    if not is_key and not is_index:
        raise LookupError(f"{format_path(path)} leads nowhere")
    copy = value.copy()
    copy[first] = _with(value[first], (rest, new)) if rest else new
    return copy


def _read(text: str) -> Document:
    return parse_yaml(text, "", b"")


def _reads_as(text: str, expected: Any) -> bool:
    try:
        return same(_read(text).value, expected)
    except Fault:
        return False
