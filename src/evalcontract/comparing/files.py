"""Two files compared by themselves, whatever they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evalcontract.comparing.difference import (
    ArtifactDifference,
    Difference,
    compare_into,
    name_of,
    version_change,
    version_change_of_dataset,
)
from evalcontract.comparing.effects import stale_validation
from evalcontract.comparing.rows import table_in
from evalcontract.datasets.kinds import other_kind
from evalcontract.datasets.opening import Input, is_table
from evalcontract.datasets.placing import from_unreadable
from evalcontract.library.library import read_artifact
from evalcontract.meaning.changes import Act, changes_of, rank_of
from evalcontract.meaning.view import view_and_digest
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.policy import Policy
from evalcontract.source import MisreadError, UnreadableFile
from evalcontract.workspace import display_name, find_root, open_workspace, require_single_value


def compare_files(old: Path, new: Path) -> Difference:
    """Compare two files; what they refer to is not read.

    Raises:
        UsageError: they are of different kinds.

    """
    result = Difference(display_name(old), display_name(new), compared=1)
    kinds = [_kind_of(path) for path in (old, new)]
    if None not in kinds and kinds[0] is not kinds[1]:
        one, two = result.old, result.new
        raise UsageError(f"{one} is a {kinds[0]}, and {two} is a {kinds[1]}: name two of one kind")
    kind = kinds[0] or kinds[1] or Kind.DATASET
    sides = [_read(path, kind, new) for path in (old, new)]
    for side in sides:
        if isinstance(side, UnreadableFile):
            result.diagnostics += from_unreadable(side, Policy())
    if not result.diagnostics:
        found = _dataset(sides, result) if kind is Kind.DATASET else _artifact(kind, sides, result)
        result.artifacts += (
            [found] if found.changes or found.versions.old != found.versions.new else []
        )
    return result


def _kind_of(path: Path) -> Kind | None:
    """Return what a file is by its keys, or else by its folder; None if it cannot be read."""
    if is_table(path):
        return Kind.DATASET
    source = Input(path).read(quick=True)
    if source.unreadable:
        return None
    value = source.document.quick if source.document else None
    for kind in (Kind.RUBRIC, Kind.JUDGE):
        if other_kind(Kind.DATASET, value) is kind:
            return kind
        if f"{kind}s" in path.parts[:-1] and isinstance(value, dict) and "questions" not in value:
            return kind
    return Kind.DATASET


def _read(path: Path, kind: Kind, new: Path) -> Any:
    if kind is Kind.DATASET:
        return table_in(path, open_workspace(find_root(new)))
    source = require_single_value(Input(path).read())
    return source.unreadable or source.document


def _artifact(kind: Kind, documents: list[Any], result: Difference) -> ArtifactDifference:
    old, new = (read_artifact(kind, document) for document in documents)
    changes = changes_of(*(view_and_digest(kind, each.document)[0] for each in (old, new)))
    is_renamed = old.id != new.id
    found = ArtifactDifference(
        kind, Act.RENAMED if is_renamed else Act.CHANGED, name_of(new), new.file, changes=changes
    )
    found.old_name = name_of(old) if is_renamed else None
    found.versions = version_change(
        old.version, new.version, None if is_renamed else rank_of(changes)
    )
    found.old_source, found.source = documents
    stale = stale_validation(old, new, new.file, [change.name for change in changes])
    result.stale += [stale] if stale else []
    return found


def _dataset(tables: list[Any], result: Difference) -> ArtifactDifference:
    found = ArtifactDifference(Kind.DATASET, Act.CHANGED, result.new, result.new)
    try:
        versions = compare_into(found, *tables)
    except MisreadError as misread:
        result.diagnostics += from_unreadable(misread.unreadable, Policy())
        return found
    result.diagnostics += [fault for table in tables for fault in table.faults]
    found.versions = version_change_of_dataset(versions, found.rank)
    return found
