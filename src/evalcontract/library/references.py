"""References between artifacts: where they lead, how deep, in circles or nowhere, with advice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalcontract.library.library import (
    Artifact,
    DanglingReference,
    Library,
    MisnamedFolder,
    ReferenceSite,
    Resolution,
    UnreadableNames,
    find_cycles,
    identity_from_name,
    rubric_steps,
)
from evalcontract.model.diagnostic import Cause, Fix, Path, Problem, Related, Write
from evalcontract.model.nearest import normalise
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import SHOWN, chained, integer, listed


class Reach(NamedTuple):
    """What is reached, in any order, each with whether all references on the way have versions.

    `unpinned` has the references without one, each with the exact name of what it resolves to,
    `dangling` those that lead nowhere.
    """

    artifacts: list[tuple[Artifact, bool]]
    unpinned: dict[str, str]
    dangling: set[str]


def reach(
    references: Iterable[str], library: Library, artifacts: Iterable[tuple[Artifact, bool]] = ()
) -> Reach:
    """Return all that references lead to, as far as they resolve, and that `artifacts` do.

    Each of these is given with whether the reference to it is pinned.
    """
    pinned: dict[int, bool] = {}
    known: dict[int, Artifact] = {}
    unpinned: dict[str, str] = {}
    dangling: set[str] = set()

    def resolved(reference: Reference, *, above: bool) -> Iterator[tuple[Artifact, bool]]:
        found = library.resolve(reference)
        if isinstance(found, DanglingReference):
            dangling.add(str(reference))
            return
        if not found.pinned:
            unpinned[str(reference)] = found.artifact.name
        yield found.artifact, above and found.pinned

    parsed = (each for text in references if (each := Reference.parse(text)))
    stack = [*artifacts, *(found for each in parsed for found in resolved(each, above=True))]
    while stack:
        artifact, is_pinned = stack.pop()
        if pinned.get(id(artifact), 2) > is_pinned:
            known[id(artifact)], pinned[id(artifact)] = artifact, is_pinned
            for use in artifact.uses:
                stack += resolved(use.reference, above=is_pinned)
    reached = [(artifact, pinned[key]) for key, artifact in known.items()]
    return Reach(reached, unpinned, dangling)


def check_use(
    use: ReferenceSite, library: Library, unreadable: UnreadableNames
) -> Iterator[Problem]:
    """Yield the faults of one reference. `unreadable` has files that it may mean."""
    target = library.resolve(use.reference)
    if isinstance(target, DanglingReference):
        advice = advise(target, library, unreadable)
        near = meant_by(target, library, unreadable)
        exists = near is not None and isinstance(library.resolve(near), Resolution)
        fix = _rewrite(use, str(near), safe=False) if exists else None
        message = says(target, library)
        cause = cause_of(target, library, unreadable)
        yield Problem("reference/dangling", message, use.path, advice, fix=fix, cause=cause)
    elif fault := library.fault_of(target.artifact):
        artifact = target.artifact
        message = f"{artifact.name} cannot be used: {artifact.file} has a fault: {fault}"
        advice = f"use another version of the library `{artifact.library}`"
        cause = Cause(artifact.name, VERB)
        yield Problem("library/unusable", message, use.path, advice, cause=cause)
    elif not target.pinned:
        broken = unreadable.get(f"{use.reference.kind}/{use.reference.id}", ())
        unless = "".join(f"; {file} could not be read" for _, file in broken)
        message = f"unpinned reference `{use.reference}` (resolves to {target.artifact.version})"
        name = target.artifact.name
        fix = None if broken else _rewrite(use, name)
        code = "reference/unpinned"
        yield Problem(code, f"{message}{unless}", use.path, f"pin it: `{name}`", fix=fix)


def _rewrite(use: ReferenceSite, reference: str, *, safe: bool = True) -> Fix:
    return Fix(use.path, Write(reference), safe)


def check_cycles(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield the cycles through a rubric that start at it.

    A cycle is reported once, with every hop, for the rubric with the first file name.
    """
    for chain in find_cycles(artifact, library):
        if artifact.file != min(hop.file for hop, _ in chain if hop.library is None):
            continue
        names = [*(hop.name for hop, _ in chain), artifact.name]
        related = tuple(
            Related(f"{hop.name} refers to {use.reference}", use.path, hop.file)
            for hop, use in chain[1:]
        )
        message = f"circular rubric reference: {chained(names)}"
        advice = "remove one of these references"
        yield Problem("rubric/cycle", message, chain[0][1].path, advice, related=related)


def check_depth(artifact: Artifact, library: Library) -> Iterator[Problem]:
    """Yield the composites of a rubric that refer to a rubric with composites.

    Cycles are left to `check_cycles`.
    """
    cycles = library.rubric_cycles
    if cycles.is_in_cycle(artifact):
        return
    for use, target in rubric_steps(artifact, library):
        if cycles.is_in_cycle(target):
            continue
        inner = next((site for site in target.uses if site.via == "composite"), None)
        if inner is not None:
            yield Problem(
                "rubric/nested-composite",
                f"{target.name} is itself a composite; composites cannot be nested",
                use.path,
                "list the checks of the inner rubric in one of the two",
                related=(Related("the nested composite", inner.path, target.file),),
            )


VERB = "refer to it"


def says(dangling: DanglingReference, library: Library) -> str:
    """Return the message for a dangling reference."""
    reference = dangling.reference
    name = f"{reference.kind}/{reference.id}"
    if dangling.versions:
        return f"`{name}` has no version {reference.version}"
    suspects = library.suspects(reference.kind, reference.id)
    if any(artifact.id == reference.id for artifact in suspects):
        return f"no version of `{name}` can be read"
    return f"there is no {reference.kind} `{reference.id}`"


def cause_of(dangling: DanglingReference, library: Library, unreadable: UnreadableNames) -> Cause:
    """Return the cause that references dangle for: a broken file, a folder, or the name itself.

    Where a library is not there, it is that: it may have what they refer to.
    """
    if settings := library.shared.settings:
        return Cause(settings, VERB, settings)
    broken = _broken_file(dangling, library, unreadable)
    if broken:
        return Cause(broken[0], VERB, broken[0])
    if file := _broken_in_library(dangling, library):
        return Cause(file, VERB)
    folder = _misnamed_key(dangling, library)
    return Cause(folder.name if folder else str(dangling.reference), VERB)


def has_versions(versions: Sequence[Version]) -> str:
    """Say which versions there are, the newest first; `versions` are in ascending order."""
    return f"it has {listed(versions[: -SHOWN - 2 : -1], total=len(versions))}"


def advise(dangling: DanglingReference, library: Library, unreadable: UnreadableNames) -> str:
    """Return the advice for a dangling reference. `unreadable` has files that it may mean."""
    reference = dangling.reference
    kind, id_ = reference.kind, reference.id
    if elsewhere := _advise_on_file(dangling, library, unreadable):
        return elsewhere
    if dangling.versions:
        return has_versions(dangling.versions)
    if near := meant_by(dangling, library, unreadable):
        return f"did you mean `{near}`?"
    suspects = library.suspects(kind, id_)
    if suspects:
        return f"{suspects[0].file} has that name, but its id is `{suspects[0].id}`"
    ids = library.ids(kind)
    known = f"; the {kind}s are {listed(ids)}" if ids else ""
    return f"add {kind}s/{id_}.yaml, or correct the name{known}"


def _advise_on_file(
    dangling: DanglingReference, library: Library, unreadable: UnreadableNames
) -> str | None:
    """Return what to do about the file, folder or library that a reference dangles for, or None."""
    if library.shared.settings:
        return "run `evalcontract sync`: a library is not there that may have it"
    if broken := _broken_file(dangling, library, unreadable):
        file, fault = broken
        return f"fix {file} first: {fault}"
    if in_library := _broken_in_library(dangling, library):
        return f"{in_library} cannot be read: use another version of that library"
    if folder := _misnamed_key(dangling, library):
        kind = dangling.reference.kind
        return f"{kind}s are read from `{kind}s/`: rename the folder `{folder.name}`"
    return None


def meant_by(
    dangling: DanglingReference, library: Library, unreadable: UnreadableNames
) -> Reference | None:
    """Return the reference that was probably meant, with the version as written, or None."""
    kind, id_, version = dangling.reference
    if dangling.versions or _broken_file(dangling, library, unreadable):
        return None
    near = library.nearest_id(kind, id_)
    return None if near is None else Reference(kind, near, version)


def _broken_file(
    dangling: DanglingReference, library: Library, unreadable: UnreadableNames
) -> tuple[str, str] | None:
    """Return a broken file that the reference may mean, and its fault; or None."""
    kind, id_, wanted = dangling.reference
    if file := _meant_file(dangling, unreadable):
        return file, "it cannot be parsed"
    for suspect in library.suspects(kind, id_):
        _, version = identity_from_name(suspect.file, kind)
        fault = _identity_fault(suspect)
        if fault and (not dangling.versions or version in (None, wanted)):
            return suspect.file, fault
    return None


def _broken_in_library(dangling: DanglingReference, library: Library) -> str | None:
    """Return a file of a library that the reference may mean, and that is broken; or None."""
    return _meant_file(dangling, library.shared.unreadable)


def _meant_file(
    dangling: DanglingReference, files: Mapping[str, list[tuple[Version | None, str]]]
) -> str | None:
    kind, id_, wanted = dangling.reference
    named = files.get(f"{kind}/{id_}", ())
    return next(
        (file for version, file in named if wanted is None or version in (None, wanted)), None
    )


def _misnamed_key(dangling: DanglingReference, library: Library) -> MisnamedFolder | None:
    """Return the folder with a misspelled name that the artifact is probably in, or None."""
    kind, id_, _ = dangling.reference
    if dangling.versions:
        return None
    folder = library.misnamed_folder(kind)
    return folder if folder and (not library.ids(kind) or id_ in folder.ids) else None


def _identity_fault(artifact: Artifact) -> str | None:
    """Return what is wrong with an artifact's id or version, or None."""
    value = artifact.document.value
    written = value if isinstance(value, dict) else {}
    for key, parsed in (("id", artifact.id), ("version", artifact.version)):
        if parsed is None:
            return f"its {key} is {'invalid' if key in written else 'missing'}"
    return None


#: The keys with references, and the kinds that they refer to.
KEYS = {"rubric_ref": Kind.RUBRIC, "judge_prompt_ref": Kind.JUDGE}
_MALFORMED = ("/malformed-value", "/empty-value")
_SUFFIX = lazy_pattern(r"\.(ya?ml|jsonl?)$", re.IGNORECASE)
_VERSION_SIGN = lazy_pattern(r"\s*(?:@|:|#|==?|~=|\^|\s)\s*")
_NUMBERS = lazy_pattern(r"[vV^~>=\s]*(\d+(?:\.\d+)*)")
_MAX_LENGTH = 200


class _ReferenceParts(NamedTuple):
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
            fix = _fix_for(text, kind, library, path=fault.path) if isinstance(text, str) else None
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
    version = _version(read.version, id_, kind, library=library)
    more = f"; {has_versions(versions)}" if len(versions) > 1 else ""
    return f"did you mean `{Reference(kind, id_, version)}`?{more}"


def _fix_for(text: str, kind: Kind, library: Library, path: Path) -> Fix | None:
    """Return a fix that writes the intended reference; safe if its id and version exist."""
    read = _read(text[:_MAX_LENGTH])
    id_ = _id_of(read.id, kind, library) if read.kind in (None, kind) and read.id else None
    if len(text) > _MAX_LENGTH or id_ is None:
        return None
    version = _version(read.version, id_, kind, library=library)
    is_written = version == Version.parse(read.version.lstrip("vV"))
    return Fix(path, Write(str(Reference(kind, id_, version))), is_written and id_ == read.id)


def _unknown(read: _ReferenceParts, kind: Kind, known: str | None) -> str | None:
    """Return advice on how to write a reference to something that does not exist, or None."""
    id_ = normalise(read.id)
    numbers = _NUMBERS.fullmatch(read.version)
    parts = [str(integer(part)) for part in numbers[1].split(".")][:3] if numbers else []
    text = ".".join([*parts, "0", "0"][:3]) if parts else "1.0.0"
    reference = Reference.parse(f"{kind}/{id_}@{text}")
    spelling = f"write it as `{reference}`" if reference else None
    return "; ".join(filter(None, (spelling, known))) or None


def _read(text: str) -> _ReferenceParts:
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
        return _ReferenceParts(kind, "", "")
    if len(parts) > 1 and _NUMBERS.match(parts[-1]):
        return _ReferenceParts(kind, parts[-2], parts[-1])
    id_, *rest = _VERSION_SIGN.split(parts[-1], maxsplit=1)
    word, _, after = id_.partition(".")
    if not rest and word.lower() in (Kind.RUBRIC, Kind.JUDGE) and after:
        return _ReferenceParts(Kind(word.lower()), after, "")
    return _ReferenceParts(kind, id_, rest[0] if rest else "")


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
