"""What was meant by a text that stands where a reference should, and is none."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evalcontract.model.fix import Fix, Write
from evalcontract.model.listing import listed
from evalcontract.model.nearest import normalise
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version, newest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.library.library import Library
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

#: The keys that hold references, and what they refer to.
KEYS = {"rubric_ref": Kind.RUBRIC, "judge_prompt_ref": Kind.JUDGE}
_MALFORMED = ("/malformed-value", "/empty-value")
_SUFFIX = re.compile(r"\.(ya?ml|jsonl?)$", re.IGNORECASE)
_VERSION_SIGN = re.compile(r"\s*(?:@|:|#|==?|~=|\^|\s)\s*")
_NUMBERS = re.compile(r"[vV^~>=\s]*(\d+(?:\.\d+)*)")
_LONGEST = 200


@dataclass(frozen=True, slots=True)
class _Read:
    """What can be told of a text: the kind it names, an id, and what stands for a version."""

    kind: Kind | None
    id: str
    version: str


def with_advice(
    faults: Iterable[Problem], value: Any, library: Library, below: int = 0
) -> list[Problem]:
    """Return faults of structure; a malformed reference among them with what is to be written.

    `value` is what was checked; it stands that many steps `below` the beginning of the paths.
    """
    found = []
    for fault in faults:
        kind = KEYS.get(str(fault.path[-1])) if fault.path else None
        if kind is not None and fault.code.endswith(_MALFORMED):
            text = value
            for step in fault.path[below:]:
                text = text[step]
            advice = advice_for(text, kind, library) if isinstance(text, str) else None
            fix = _fix_for(text, kind, library, fault.path) if isinstance(text, str) else None
            found.append(fault._replace(help=advice or fault.help, fix=fix))
        else:
            found.append(fault)
    return found


def advice_for(text: str, kind: Kind, library: Library) -> str | None:
    """Say what to write instead of a malformed reference to a rubric or a judge.

    None where nothing better than an example can be said.
    """
    ids = library.ids(kind)
    there = f"the {kind}s are {listed(ids)}" if ids else None
    read = _read(text[:_LONGEST])
    if len(text) > _LONGEST or not read.id:
        return there
    if read.kind is not None and read.kind is not kind:
        other = _id_of(read.id, read.kind, library) or read.id
        message = f"`{read.kind}/{other}` is a {read.kind}, and here a {kind} is asked for"
        return f"{message}; {there}" if there else message
    id_ = _id_of(read.id, kind, library)
    if id_ is None:
        return _unknown(read, kind, there)
    versions = sorted(library.versions(kind, id_))
    chosen = _version(read.version, versions)
    more = f"; it has {listed(reversed(versions))}" if len(versions) > 1 else ""
    return f"did you mean `{Reference(kind, id_, chosen)}`?{more}"


def _fix_for(text: str, kind: Kind, library: Library, path: Path) -> Fix | None:
    """Write the reference that was probably meant; certain where its id and version are there."""
    read = _read(text[:_LONGEST])
    id_ = _id_of(read.id, kind, library) if read.kind in (None, kind) and read.id else None
    if len(text) > _LONGEST or id_ is None:
        return None
    versions = sorted(library.versions(kind, id_))
    chosen = _version(read.version, versions)
    is_written = chosen == Version.parse(read.version.lstrip("vV"))
    return Fix(path, Write(str(Reference(kind, id_, chosen))), is_written and id_ == read.id)


def _unknown(read: _Read, kind: Kind, there: str | None) -> str | None:
    """Say how a reference to what is not there is written, if that can be told."""
    id_ = normalise(read.id)
    numbers = _NUMBERS.fullmatch(read.version)
    parts = [str(int(part)) for part in numbers[1].split(".")][:3] if numbers else []
    text = ".".join([*parts, "0", "0"][:3]) if parts else "1.0.0"
    reference = Reference.parse(f"{kind}/{id_}@{text}")
    shape = f"it is written as `{reference}`" if reference else None
    return "; ".join(each for each in (shape, there) if each) or None


def _read(text: str) -> _Read:
    """Take a text apart: quotes and spaces, folders, the suffix of a file, a sign and a version."""
    bare = text.strip().strip("\"'`<>{}[]").strip().replace("\\", "/")
    parts = [part.strip() for part in _SUFFIX.sub("", bare).split("/")]
    parts = [part for part in parts if part not in ("", ".", "..")]
    kind = None
    for index, part in enumerate(parts):
        word = part.lower().rstrip("s")
        alone = len(parts) == 1 and "/" not in bare
        if word in (Kind.RUBRIC, Kind.JUDGE) and not alone:
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


def _version(text: str, versions: list[Version]) -> Version:
    """Return the version that was probably meant: the newest that begins like the text."""
    exact = Version.parse(text.strip().lstrip("vV=^~> "))
    if exact in versions:
        return exact
    numbers = _NUMBERS.match(text)
    wanted = [int(part) for part in numbers[1].split(".")] if numbers else []
    for length in range(min(len(wanted), 3), 0, -1):
        alike = [
            each
            for each in versions
            if [each.major, each.minor, each.patch][:length] == wanted[:length]
        ]
        if alike:
            return newest(alike)
    return newest(versions)
