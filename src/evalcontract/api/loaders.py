"""The three loaders. Soft mode warns and returns what there is; strict mode raises."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.api.coverer import Coverer
from evalcontract.api.loaded import LoadedArtifact, LoadedDataset, LoadedRow
from evalcontract.engine.our_pass import OurDataset
from evalcontract.engine.run import Run, today
from evalcontract.library.advice import advise, says
from evalcontract.library.library import Dangling, Resolved
from evalcontract.library.provenance import provenance_of
from evalcontract.model.diagnostic import sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version
from evalcontract.source import read_file
from evalcontract.workspace import find_root, name_of, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.source import UnreadableFile

_LOG = logging.getLogger("evalcontract")


class _Loader:
    """What the loaders share: where the library is, and what happens to findings."""

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        strict: bool | None = None,
        on_day: date | None = None,
    ) -> None:
        self._root = Path(root) if root is not None else None
        self._forced = strict
        self._today = on_day

    def _run(self, start: Path) -> Run:
        if self._root is not None and not os.path.isdir(self._root):
            raise UsageError(f"there is no folder {self._root} to be the workspace")
        root = self._root if self._root is not None else find_root(start)
        return Run(open_workspace(root), self._forced, self._today or today())

    @staticmethod
    def _settle(
        diagnostics: Sequence[Diagnostic], *, strict: bool, loaded: bool = True
    ) -> tuple[Diagnostic, ...]:
        """Sort the findings; raise them where nothing is loaded, or strictness asks for it."""
        found = tuple(sorted(diagnostics, key=sort_key))
        if not loaded or (strict and any(each.is_error for each in found)):
            raise ContractViolation(found)
        return found


class DatasetLoader(_Loader):
    """Loads datasets, and checks each row and all that the rows refer to.

    `root` is the workspace; without it, it is found from the dataset's path. `strict` is the
    mode; without it the targets that run the dataset decide, then the configuration. `on_day`
    is the day that validations are old by.
    """

    def load(self, path: str | Path) -> LoadedDataset:
        """Load one dataset: YAML, JSON or JSONL.

        Soft mode logs one warning for each offending row (logger `evalcontract`) and returns
        every row. An empty list of rows is loaded, with a finding that says so.

        Raises:
            ContractViolation: in strict mode, where there is an error; in both modes, where
                nothing can be loaded: no such file, no dataset, or no line of it that is a row.
            ConfigurationError: the workspace's configuration cannot be used.
            UsageError: `root` is no folder.

        """
        path = Path(path)
        run = self._run(path)
        policy = run.policy_for(path)
        dataset = OurDataset(read_file(path, name_of(path)))
        rows: list[LoadedRow] = []
        if dataset.unreadable:
            raise ContractViolation(tuple(run.unreadable([dataset.unreadable])))
        check = dataset.begin(run, policy)
        found: list[Diagnostic] = []
        broken = not check.has_rows
        for checked in check.batches(keep_rows=True):
            batch = checked.batch
            diagnostics = list(check.to_diagnostics(checked.problems))
            rows += _rows_of(batch.first_index, batch.rows, diagnostics)
            found += [*checked.faults, *diagnostics]
            broken = broken or bool(batch.faults)
        rest = check.rest()
        rows = _with_late_findings(rows, rest)
        found += [*rest, *run.bundles(), *run.artifacts(), *run.unlisted()]
        settled = self._settle(found, strict=policy.strict, loaded=bool(rows) or not broken)
        _log(rows, settled)
        cover = Coverer(run, check.root).cover
        return LoadedDataset(name_of(path), tuple(rows), settled, check.provenance(), cover)


def _rows_of(first: int, values: list[Any], found: list[Diagnostic]) -> Iterator[LoadedRow]:
    by_row: dict[int, list[Diagnostic]] = {}
    for each in found:
        if each.row_index is not None:
            by_row.setdefault(each.row_index, []).append(each)
    for index, value in enumerate(values, first):
        yield LoadedRow(index, value, tuple(sorted(by_row.get(index, ()), key=sort_key)))


def _with_late_findings(rows: list[LoadedRow], found: list[Diagnostic]) -> list[LoadedRow]:
    for each in found:
        if each.row_index is not None:
            row = rows[each.row_index]
            rows[each.row_index] = LoadedRow(row.index, row.value, (*row.diagnostics, each))
    return rows


def _log(rows: list[LoadedRow], found: Sequence[Diagnostic]) -> None:
    """Log one warning for each offending row, and one for each finding outside of rows."""
    for row in rows:
        if row.diagnostics:
            more = len(row.diagnostics) - 1
            extra = f" (and {more} more in this row)" if more else ""
            _LOG.warning("%s%s", row.diagnostics[0], extra)
    for each in found:
        if each.row_index is None:
            _LOG.warning("%s", each)


class _ArtifactLoader(_Loader):
    """Loads artifacts of one kind by id."""

    _kind: Kind

    def load(
        self,
        id: str,  # noqa: A002 - the word of the source issue
        version: str | None = None,
    ) -> LoadedArtifact:
        """Load one artifact of the workspace; without a version the newest.

        `root` defaults to the workspace of the current folder. Soft mode logs one warning for
        each finding in the artifact and in all that it reaches.

        Raises:
            UsageError: there is no such artifact; the message names what there is.
            ContractViolation: in strict mode, where there is an error; in both modes, where
                the file cannot be read or holds another kind.
            ConfigurationError: the workspace's configuration cannot be used.

        """
        run = self._run(Path.cwd())
        library = run.workspace.library
        wanted = Version.parse(version) if version is not None else None
        if version is not None and wanted is None:
            raise UsageError(f"`{version}` is no version, such as 1.0.0")
        reference = Reference(self._kind, id, wanted)
        resolved = library.resolve(reference)
        # A file that cannot be read may be the one, or a newer version of it.
        broken = (
            []
            if isinstance(resolved, Resolved) and resolved.pinned
            else list(run.unreadable(_named(run, reference)))
        )
        if isinstance(resolved, Dangling):
            if broken:
                raise ContractViolation(broken)
            advice = advise(resolved, library, run.workspace.unreadable_names)
            # Loaders take the id by itself.
            advice = advice.replace(f"`{self._kind}/", "`")
            raise UsageError(f"{says(resolved, library)}; {advice}")
        artifact = resolved.artifact
        policy = run.base_policy
        run.want(artifact, policy, library)
        found = [*run.artifacts(), *broken, *run.unlisted()]
        wrong = (f"{self._kind}/wrong-kind", artifact.file)
        other = any((each.code, each.place.file) == wrong for each in found)
        settled = self._settle(found, strict=policy.strict, loaded=not other)
        _log([], settled)
        return LoadedArtifact(
            id,
            str(artifact.version),
            artifact.file,
            artifact.document.value,
            settled,
            provenance_of(
                artifact.file, artifact.document.sha256, [(artifact, resolved.pinned)], library
            ),
        )


def _named(run: Run, reference: Reference) -> list[UnreadableFile]:
    """Return the files that cannot be read, and by their names are what a reference means."""
    names = run.workspace.unreadable_names.get(f"{reference.kind}/{reference.id}", ())
    wanted = reference.version
    files = {file for version, file in names if wanted is None or version in (None, wanted)}
    return [each for each in run.workspace.unreadable if each.file in files]


class RubricLoader(_ArtifactLoader):
    """Loads rubrics by id and version. See `DatasetLoader` for the parameters."""

    _kind = Kind.RUBRIC


class JudgePromptLoader(_ArtifactLoader):
    """Loads judges by id and version. See `DatasetLoader` for the parameters."""

    _kind = Kind.JUDGE
