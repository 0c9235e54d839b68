"""Suggest the intended reference for a malformed one."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from evalcontract.library.advice import has_versions
from evalcontract.model.diagnostic import Fix, Write
from evalcontract.model.nearest import normalise
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import integer, listed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.library.library import Library
    from evalcontract.model.diagnostic import Path, Problem

#: The keys with references, and the kinds that they refer to.
KEYS = {"rubric_ref": Kind.RUBRIC, "judge_prompt_ref": Kind.JUDGE}
_MALFORMED = ("/malformed-value", "/empty-value")
_SUFFIX = lazy_pattern(r"\.(ya?ml|jsonl?)$", re.IGNORECASE)
_VERSION_SIGN = lazy_pattern(r"\s*(?:@|:|#|==?|~=|\^|\s)\s*")
_NUMBERS = lazy_pattern(r"[vV^~>=\s]*(\d+(?:\.\d+)*)")
_MAX_LENGTH = 200


class _Read(NamedTuple):
    """The parts of a malformed reference: kind, id, and the text of the version."""

    kind: Kind | None
    id: str
    version: str


def with_advice(
    faults: Iterable[Problem], value: Any, library: Library, below: int = 0
) -> list[Problem]:
    """Return the faults of the structure stage, with advice added to malformed references.

    `value` is the checked value; the first `below` steps of the faults' paths lead to it.
    """
    advised = []
    for fault in faults:
        kind = KEYS.get(str(fault.path[-1])) if fault.path else None
        if kind is not None and fault.code.endswith(_MALFORMED):
            text = value
            for step in fault.path[below:]:
                text = text[step]
            advice = advice_for(text, kind, library) if isinstance(text, str) else None
            fix = _fix_for(text, kind, library, fault.path) if isinstance(text, str) else None
            advised.append(fault._replace(help=advice or fault.help, fix=fix))
        else:
            advised.append(fault)
    return advised


def advice_for(text: str, kind: Kind, library: Library) -> str | None:
    """Return what to write instead of a malformed reference, or None if nothing is known."""
    ids = library.ids(kind)
    known = f"the {kind}s are {listed(ids)}" if ids else None
    read = _read(text[:_MAX_LENGTH])
    if len(text) > _MAX_LENGTH or not read.id:
        return known
    if read.kind is not None and read.kind is not kind:
        other = _id_of(read.id, read.kind, library) or read.id
        message = f"`{read.kind}/{other}` is a {read.kind}, but a {kind} is required here"
        return f"{message}; {known}" if known else message
    id_ = _id_of(read.id, kind, library)
    if id_ is None:
        return _unknown(read, kind, known)
    versions = library.sorted_versions(kind, id_)
    chosen = _version(read.version, id_, kind, library)
    more = f"; {has_versions(versions)}" if len(versions) > 1 else ""
    return f"did you mean `{Reference(kind, id_, chosen)}`?{more}"


def _fix_for(text: str, kind: Kind, library: Library, path: Path) -> Fix | None:
    """Return a fix that writes the intended reference; safe if its id and version exist."""
    read = _read(text[:_MAX_LENGTH])
    id_ = _id_of(read.id, kind, library) if read.kind in (None, kind) and read.id else None
    if len(text) > _MAX_LENGTH or id_ is None:
        return None
    chosen = _version(read.version, id_, kind, library)
    is_written = chosen == Version.parse(read.version.lstrip("vV"))
    return Fix(path, Write(str(Reference(kind, id_, chosen))), is_written and id_ == read.id)


def _unknown(read: _Read, kind: Kind, known: str | None) -> str | None:
    """Return advice on how to write a reference to something that does not exist, or None."""
    id_ = normalise(read.id)
    numbers = _NUMBERS.fullmatch(read.version)
    parts = [str(integer(part)) for part in numbers[1].split(".")][:3] if numbers else []
    text = ".".join([*parts, "0", "0"][:3]) if parts else "1.0.0"
    reference = Reference.parse(f"{kind}/{id_}@{text}")
    spelling = f"write it as `{reference}`" if reference else None
    return "; ".join(filter(None, (spelling, known))) or None


def _read(text: str) -> _Read:
    """Parse a malformed reference, ignoring quotes, spaces, folders and file extensions."""
    bare = text.strip().strip("\"'`<>{}[]").strip().replace("\\", "/")
    parts = [part.strip() for part in _SUFFIX.sub("", bare).split("/")]
    parts = [part for part in parts if part not in ("", ".", "..")]
    kind = None
    for index, part in enumerate(parts):
        word = part.lower().rstrip("s")
        is_only_word = len(parts) == 1 and "/" not in bare
        if word in (Kind.RUBRIC, Kind.JUDGE) and not is_only_word:
            kind, parts = Kind(word), parts[index + 1 :]
            break
    if not parts:
        return _Read(kind, "", "")
    if len(parts) > 1 and _NUMBERS.match(parts[-1]):
        return _Read(kind, parts[-2], parts[-1])
    id_, *rest = _VERSION_SIGN.split(parts[-1], maxsplit=1)
    word, _, after = id_.partition(".")
    if not rest and word.lower() in (Kind.RUBRIC, Kind.JUDGE) and after:
        return _Read(Kind(word.lower()), after, "")
    return _Read(kind, id_, rest[0] if rest else "")


def _id_of(word: str, kind: Kind, library: Library) -> str | None:
    return word if library.versions(kind, word) else library.nearest_id(kind, word)


def _version(text: str, id_: str, kind: Kind, library: Library) -> Version:
    """Return the version that was probably meant: the newest that starts like the text."""
    exact = Version.parse(text.strip().lstrip("vV=^~> "))
    if exact is not None and exact in library.versions(kind, id_):
        return exact
    numbers = _NUMBERS.match(text)
    wanted = [integer(part) or 0 for part in numbers[1].split(".")] if numbers else []
    return library.newest_like(kind, id_, wanted[:3])
