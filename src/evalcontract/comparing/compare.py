"""Compare the workspaces of two revisions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from evalcontract.comparing.difference import (
    ArtifactDifference,
    ArtifactPair,
    Difference,
    FileDifference,
    VersionChange,
    compare_into,
    name_of,
    named_in,
    paired,
    version_change,
    version_change_of_dataset,
    with_counts,
)
from evalcontract.comparing.effects import (
    Effects,
    affected_rows,
    references_in,
    stale_validation,
)
from evalcontract.comparing.revisions import (
    FileRevision,
    RevisedWorkspace,
    Revisions,
    WorkspacePair,
    open_workspaces,
    remarks_on,
    same_bytes,
)
from evalcontract.comparing.rows import table_of
from evalcontract.datasets.placing import from_unreadable, one_finding
from evalcontract.library.library import Artifact, ReferenceSite, file_uses
from evalcontract.library.references import reach
from evalcontract.meaning.changes import Act, Change, changes_of, matched, rank_of
from evalcontract.meaning.view import ChangeClass, digest_of_json, view_of
from evalcontract.model.diagnostic import Path as ValuePath
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.values import listed
from evalcontract.policy import Policy
from evalcontract.source import MisreadError, RowSource, UnreadableFile
from evalcontract.source.files import read_text
from evalcontract.workspace import NEAREST, ChosenConfiguration, display_name
from evalcontract.workspace.roots import find_configuration


def compare(revisions: Revisions, choice: ChosenConfiguration = NEAREST) -> Difference:
    """Compare the workspaces of two revisions.

    Raises:
        ConfigurationError: the configuration of a workspace cannot be used.
        NothingToCheck: neither revision has anything to compare.

    """
    result = Difference(revisions.old.title, revisions.new.title)
    for pair in open_workspaces(revisions, choice):
        _Comparing(revisions, pair, result).run()
    if not (result.compared or result.files or result.diagnostics):
        raise NothingToCheck("there is no dataset, rubric or judge to compare, before or now")
    result.remarks = [*remarks_on(revisions), *result.remarks]
    order = {Kind.RUBRIC: 0, Kind.JUDGE: 1, Kind.DATASET: 2}
    result.artifacts.sort(
        key=lambda each: (not each.versions.is_wrong, order[each.kind], each.file, each.name)
    )
    return result


class _Comparing:
    """The comparison of one workspace, which adds to a `Difference`."""

    def __init__(self, revisions: Revisions, pair: WorkspacePair, result: Difference) -> None:
        self._revisions = revisions
        self._old, self._new = pair.old, pair.new
        self._effects = Effects(pair)
        self._result = result

    def run(self) -> None:
        """Compare everything; what both have with the same bytes is not even looked at."""
        for workspace in (self._new, self._old):  # in this order: the old one shares the files
            workspace.library  # noqa: B018 - reads it
            workspace.bundle_files  # noqa: B018 - the same
            workspace.targets  # noqa: B018 - the same
            workspace.datasets  # noqa: B018 - the same
        self._unreadable()
        for kind in (Kind.RUBRIC, Kind.JUDGE):
            self._artifacts(kind)
        self._datasets()
        self._bundles()
        self._schema_files()
        self._targets()
        self._configuration()
        result = self._result
        new = {each.file for each in result.artifacts if each.act is Act.ADDED}
        datasets = [
            (source.file, source) for _, source in self._new.datasets if source.file not in new
        ]
        shown = self._names_in_scope()
        result.affected += (
            each
            for each in affected_rows(self._effects, datasets)
            if each.fault or not shown.isdisjoint(each.through)
        )

    def _names_in_scope(self) -> set[str]:
        """Return the names of the artifacts, and of the files of checks, to report on.

        Those of libraries are among them: which are used is a setting, and stands in no folder.
        """
        new = self._new
        artifacts = [each for each in new.library.artifacts if self._includes(new, each.file)]
        artifacts += new.library.shared.artifacts
        names = {each.name for each in artifacts}
        return names | {use.name for each in artifacts for use in file_uses(each)}

    def _includes(self, workspace: RevisedWorkspace, file: str) -> bool:
        revisions = self._revisions
        return not revisions.scope or revisions.includes(
            workspace.path_of(file), workspace.revision
        )

    # Files that cannot be read

    def _unreadable(self) -> None:
        """Report what cannot be read on one side; what has the same bytes on both says the same."""
        for workspace, other in ((self._new, self._old), (self._old, self._new)):
            for unreadable in [*workspace.unreadable, *_unreadable_datasets(workspace)]:
                path = workspace.path_of(unreadable.file)
                place = other.root / workspace.place_of(unreadable.file)
                is_same = same_bytes(workspace.files, path, other.files, place)
                if not is_same and self._includes(workspace, unreadable.file):
                    self._report(unreadable, workspace.revision)

    def _report(self, unreadable: UnreadableFile, revision: FileRevision) -> None:
        self._result.diagnostics += (
            each._replace(place=each.place._replace(file=named_in(revision, each.place.file)))
            for each in from_unreadable(unreadable, Policy())
        )

    # Rubrics and judges

    def _artifacts(self, kind: Kind) -> None:
        sides = []
        for workspace in (self._old, self._new):
            every = (each for each in workspace.library.artifacts if each.kind is kind)
            sides.append([each for each in every if self._includes(workspace, each.file)])
        old, new = sides
        effects = self._effects
        documents = {id(each.document) for each in old}, {id(each.document) for each in new}

        def meaning(artifact: Artifact) -> str:
            side = effects.old if id(artifact.document) in documents[0] else effects.new
            return side.view(artifact).digest

        pairs = paired(
            old,
            new,
            old_place=lambda each: self._old.place_of(each.file),
            new_place=lambda each: self._new.place_of(each.file),
            meaning=meaning,
        )
        self._result.compared += len(pairs)
        for pair in pairs:
            found = self._artifact_difference(kind, pair)
            if found is not None:
                self._result.artifacts.append(found)
        for was, now in self._of_libraries(kind):
            found = self._artifact_difference(kind, ArtifactPair(was, now, stays=False))
            self._result.compared += found is not None
            self._result.artifacts += [found] if found else []
        self._duplicates([each for each in new if id(each.document) not in documents[0]], new)

    def _of_libraries(self, kind: Kind) -> Iterator[tuple[Artifact, Artifact]]:
        """Yield what is reached of libraries, as they were and are, under the same name in both."""
        old, new = self._old.library, self._new.library
        before = {each.name: each for each in old.shared.artifacts if each.kind is kind}
        if not (before and self._effects.may_differ):
            return
        references = {str(use.reference) for each in new.artifacts for use in each.uses}
        for _, source in self._new.datasets:
            references |= {text for text in references_in(source) if text}
        for artifact, _ in reach(references, new).artifacts:
            if artifact.library is not None and artifact.name in before:
                yield before[artifact.name], artifact

    def _artifact_difference(self, kind: Kind, pair: ArtifactPair) -> ArtifactDifference | None:
        old, new, stays = pair
        if old is None and new is not None:
            versions = VersionChange(None, new.version)
            return ArtifactDifference(kind, Act.ADDED, name_of(new), new.file, versions=versions)
        if new is None or old is None:
            gone: Any = old
            file = named_in(self._old.revision, gone.file)
            versions = VersionChange(gone.version, None)
            return ArtifactDifference(kind, Act.REMOVED, name_of(gone), file, versions=versions)
        changes = self._changes(old, new)
        is_renamed = old.id != new.id
        is_moved = not stays and self._old.place_of(old.file) != self._new.place_of(new.file)
        if not changes and not is_renamed and not is_moved and old.version == new.version:
            return None
        found = ArtifactDifference(
            kind,
            Act.RENAMED if is_renamed else Act.CHANGED,
            name_of(new),
            new.file,
            old_name=name_of(old) if is_renamed else None,
            old_file=named_in(self._old.revision, old.file) if is_moved else None,
            changes=changes,
            versions=self._version_change(old, new, rank_of(changes)),
            stays=stays,
            source=new.document,
            old_source=old.document,
        )
        fields = [change.name for change in changes]
        stale = stale_validation(old, new, new.file, fields) if kind is Kind.JUDGE else None
        self._result.stale += [stale] if stale else []
        return found

    def _changes(self, old: Artifact, new: Artifact) -> list[Change]:
        effects = self._effects
        own: list[Change] = []
        if old.document is not new.document:
            own = changes_of(effects.old.view(old), effects.new.view(new))
        changed = {change.path for change in own}
        more = [change for change in self._reached(new) if change.path not in changed]
        return sorted([*own, *more], key=lambda change: (-change.rank, change.name))

    def _reached(self, new: Artifact) -> Iterator[Change]:
        """Yield the unpinned references that lead elsewhere now, and files that say otherwise."""
        effects = self._effects
        for use in new.uses if effects.may_differ else ():
            name = f"{self._name_of(new, use)} (`{use.reference}`)"
            change = self._other_target(use.reference, name, use.path)
            if change is not None:
                yield change
        for path, name in file_uses(new) if effects.may_differ else ():
            before, after = effects.old.file(name), effects.new.file(name)
            if before != after and None not in (before, after):
                full = f"{_item_name(effects.new.view(new), path)} (`{name}`)"
                yield Change(
                    full, Act.CHANGED, ChangeClass.BREAKING, before, after, path, old_path=path
                )

    def _name_of(self, artifact: Artifact, use: ReferenceSite) -> str:
        return _item_name(self._effects.new.view(artifact), use.path)

    def _other_target(self, reference: Reference, name: str, path: ValuePath) -> Change | None:
        """Return that an unpinned reference resolves to another version than before."""
        effects = self._effects
        if reference.version is not None:
            return None
        old, new = effects.old.resolve(reference), effects.new.resolve(reference)
        if old is None or new is None or old.name == new.name:
            return None
        is_same = effects.are_same(old, new)
        rank = ChangeClass.WORDING if is_same else ChangeClass.BREAKING
        return Change(name, Act.CHANGED, rank, old.name, new.name, path, old_path=path)

    def _version_change(
        self, old: Artifact, new: Artifact, rank: ChangeClass | None
    ) -> VersionChange:
        if old.id != new.id and old.id is not None:
            return VersionChange(
                old.version, new.version
            )  # a new name promises nothing of the old one
        known = set(self._new.library.versions(new.kind, str(new.id)))
        return version_change(old.version, new.version, rank, taken=known)

    def _duplicates(self, changed: Iterable[Artifact], new: Iterable[Artifact]) -> None:
        """Tell of changed artifacts whose id and version others have, too."""
        by_name: dict[str, list[str]] = {}
        for each in new:
            by_name.setdefault(each.name, []).append(each.file)
        for name in dict.fromkeys(each.name for each in changed if each.id and each.version):
            if len(files := by_name[name]) > 1:
                named = listed(f"`{file}`" for file in files)
                self._result.remarks.append(
                    f"`{name}` is in {len(files)} files: {named}; references mean the first"
                )

    # Datasets

    def _datasets(self) -> None:
        sides = [
            [
                (path, source)
                for path, source in workspace.datasets
                if source.unreadable is None and self._revisions.includes(path, workspace.revision)
            ]
            for workspace in (self._old, self._new)
        ]
        broken = {
            workspace.place_of(source.file)
            for workspace in (self._old, self._new)
            for _, source in workspace.datasets
            if source.unreadable is not None
        }
        for old, new in self._dataset_pairs(*sides):
            self._result.compared += 1
            file = (new or old)[1].file
            place = (self._new if new else self._old).place_of(file)
            if place in broken and None in (old, new):
                continue  # it is reported that the other side cannot be read
            with one_finding(file, self._result.diagnostics.append):
                try:
                    found = self._dataset_difference(old, new)
                except MisreadError as misread:
                    self._report(misread.unreadable, self._new.revision)
                    continue
                self._result.artifacts += [found] if found else []

    def _dataset_pairs(self, old: list[Any], new: list[Any]) -> Iterator[tuple[Any, Any]]:
        """Yield the datasets, each with the old one: in its place, of its id or its content."""
        for key in (self._place_key, _id_key, _content_key):
            pairs, old, new = matched(old, new, partial(key, self._old), partial(key, self._new))
            yield from pairs
            if not (old and new):
                break
        yield from ((None, each) for each in new)
        yield from ((each, None) for each in old)

    def _place_key(self, workspace: RevisedWorkspace, dataset: Any) -> object:
        return workspace.place_of(dataset[1].file)

    def _dataset_difference(self, old: Any, new: Any) -> ArtifactDifference | None:
        kind = Kind.DATASET
        if old is None:
            added = ArtifactDifference(kind, Act.ADDED, new[1].file, new[1].file)
            return with_counts(added, 0, _row_count(new, self._new))
        if new is None:
            file = named_in(self._old.revision, old[1].file)
            gone = ArtifactDifference(kind, Act.REMOVED, file, file)
            return with_counts(gone, _row_count(old, self._old), 0)
        source, before = new[1], old[1]
        moved = self._old.place_of(before.file) != self._new.place_of(source.file)
        found = ArtifactDifference(
            kind,
            Act.CHANGED,
            source.file,
            source.file,
            old_file=named_in(self._old.revision, before.file) if moved else None,
        )
        versions: tuple[object, object] = (None, None)
        if source is not before:
            tables = table_of(old[0], before, self._old), table_of(new[0], source, self._new)
            versions = compare_into(found, *tables)
            for table, side in zip(tables, (self._old, self._new), strict=True):
                self._result.diagnostics += [
                    each._replace(
                        place=each.place._replace(file=named_in(side.revision, each.place.file))
                    )
                    for each in table.faults
                ]
        elif self._effects.may_differ:
            value = source.document.quick if source.document else None
            version = value.get("version") if isinstance(value, dict) else None
            versions = version, version
        found.changes += self._other_references(source)
        found.versions = version_change_of_dataset(versions, found.rank)
        is_same = not (found.changes or moved or found.old_name)
        is_same = is_same and found.versions.old == found.versions.new
        return None if is_same and not (found.table and any(found.table.uncompared)) else found

    def _other_references(self, source: RowSource) -> Iterator[Change]:
        """Yield the unpinned references of rows that resolve elsewhere now."""
        if not self._effects.may_differ:
            return
        for text, rows in references_in(source).items():
            reference = Reference.parse(text) if text else None
            if reference is not None:
                name = f"rubric_ref of {rows:,} row{'' if rows == 1 else 's'} (`{reference}`)"
                change = self._other_target(reference, name, ())
                if change is not None:
                    yield change

    # Other files

    def _bundles(self) -> None:
        for place, old, new in _both(self._old.bundle_files, self._new.bundle_files):
            if old is new:
                continue
            workspace, source = (self._new, new) if new else (self._old, old)
            values = [
                each and each.document and digest_of_json(each.document.value)
                for each in (old, new)
            ]
            if values[0] != values[1] and self._includes(workspace, source.file):
                used_by = tuple(_users_of_bundle(self._new, place))
                self._file("bundle", source.file, old, new, used_by=used_by)

    def _schema_files(self) -> None:
        effects = self._effects
        users: dict[str, dict[str, None]] = {}
        for workspace in (self._old, self._new):
            for artifact in workspace.library.artifacts:
                for use in file_uses(artifact):
                    users.setdefault(use.name, {})[name_of(artifact)] = None
        for name, rubrics in users.items():
            old, new = effects.old.file(name), effects.new.file(name)
            path = self._new.root / name
            if old != new and self._includes(self._new, name):
                self._file("schema", display_name(path), old, new, used_by=tuple(rubrics))

    def _targets(self) -> None:
        sides = [
            {side.place_of(each.document.file): each.document for each in side.targets}
            for side in (self._old, self._new)
        ]
        for _, old, new in _both(*sides):
            if old is new:
                continue
            workspace, document = (self._new, new) if new else (self._old, old)
            if not self._includes(workspace, document.file):
                continue
            values = [each.value if each else {} for each in (old, new)]
            changes = changes_of(*(view_of(Kind.TARGET, value) for value in values))
            if changes or None in (old, new):
                self._file("target", document.file, old, new, changes=tuple(changes))

    def _configuration(self) -> None:
        """Compare the settings, which say which files are read."""
        found = []
        for workspace in (self._old, self._new):
            path = find_configuration(workspace.root, workspace.files)
            text = read_text(path, display_name(path), workspace.files) if path else None
            found.append((path, text if isinstance(text, str) else None))
        (old, before), (new, after) = found
        path = new or old
        is_shown = path is not None and path.is_relative_to(self._new.root)
        if before != after and path is not None and is_shown and self._may_show(path):
            self._file("configuration", display_name(path), old, new)

    def _may_show(self, path: Path) -> bool:
        """Whether the settings of a workspace are reported on: not for a part of it."""
        return self._revisions.includes(path, self._new.revision)

    def _file(self, kind: str, file: str, old: Any, new: Any, **facts: Any) -> None:
        act = Act.ADDED if old is None else Act.REMOVED if new is None else Act.CHANGED
        file = file if new is not None else named_in(self._old.revision, file)
        self._result.files.append(FileDifference(kind, file, act, **facts))


def _row_count(dataset: Any, workspace: RevisedWorkspace) -> int:
    path, source = dataset
    return sum(1 for _ in table_of(path, source, workspace).rows())


def _unreadable_datasets(workspace: RevisedWorkspace) -> Iterator[UnreadableFile]:
    for _, source in workspace.datasets:
        if source.unreadable is not None:
            yield source.unreadable


def _item_name(view: Any, path: ValuePath) -> str:
    """Return the name of a field of a check, as the names of changes are."""
    item = next((each for each in view.items.values() if each.path == path[:2]), None)
    rest = ".".join(str(step) for step in path[2:])
    return f"{path[0]}.{item.name}.{rest}" if item else ".".join(map(str, path))


def _id_key(_: RevisedWorkspace, dataset: Any) -> object:
    document = dataset[1].document
    value = document.quick if document else None
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, str) else None


def _content_key(_: RevisedWorkspace, dataset: Any) -> object:
    source = dataset[1]
    readable = source.document or source.stream
    return readable.sha256 if readable else None


def _both(old: Any, new: Any) -> Iterator[tuple[str, Any, Any]]:
    for name in {**new, **old}:
        yield name, old.get(name), new.get(name)


def _users_of_bundle(workspace: RevisedWorkspace, name: str) -> Iterator[str]:
    for artifact in workspace.library.artifacts:
        value = artifact.document.value
        bundles = value.get("applicable_bundles") if isinstance(value, dict) else None
        if isinstance(bundles, list) and name in bundles:
            yield name_of(artifact)
    for _, source in workspace.datasets:
        if source.unreadable is None and name in _bundles_in(source):
            yield source.file


def _bundles_in(source: RowSource) -> set[str]:
    document = source.document
    if document is None:
        batches = source.stream.batches(quick=True) if source.stream else ()
        rows: list[Any] = [row for batch in batches for row in batch.rows]
        return {name for row in rows if isinstance(name := _bundle_of(row), str)}
    value = document.quick
    rows = value.get("questions", []) if isinstance(value, dict) else value
    own = {_bundle_of(row) for row in rows} if isinstance(rows, list) else set()
    return {name for name in {*own, _bundle_of(value)} if isinstance(name, str)}


def _bundle_of(value: Any) -> object:
    bundle = value.get("bundle") if isinstance(value, dict) else None
    return bundle if isinstance(bundle, str) else None
