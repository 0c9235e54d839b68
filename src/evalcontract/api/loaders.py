"""The three loaders. In soft mode, they log findings; in strict mode, they raise on errors."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.api.coverer import Coverer
from evalcontract.api.loaded import LoadedArtifact, LoadedDataset, LoadedRow
from evalcontract.engine.native_pass import NativeDataset
from evalcontract.engine.run import Run, today
from evalcontract.library.advice import advise, says
from evalcontract.library.library import Dangling, Resolved
from evalcontract.library.provenance import provenance_of
from evalcontract.model.diagnostic import sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version
from evalcontract.source import read_file
from evalcontract.workspace import display_name, find_root, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.source import UnreadableFile

_LOG = logging.getLogger("evalcontract")


class _Loader:
    """The shared part of the loaders: the workspace, and the handling of findings."""

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
            raise UsageError(f"the workspace {self._root} is not a folder")
        root = self._root if self._root is not None else find_root(start)
        return Run(open_workspace(root), self._forced, self._today or today())

    @staticmethod
    def _settle(
        diagnostics: Sequence[Diagnostic], *, strict: bool, loaded: bool = True
    ) -> tuple[Diagnostic, ...]:
        """Sort the findings; raise if nothing was loaded, or on errors in strict mode."""
        ordered = tuple(sorted(diagnostics, key=sort_key))
        if not loaded or (strict and any(diagnostic.is_error for diagnostic in ordered)):
            raise ContractViolation(ordered)
        return ordered


class DatasetLoader(_Loader):
    """Loads datasets, and checks their rows and the artifacts that these refer to.

    `root` is the workspace; by default, it is found from the path of the dataset. `strict` is the
    mode; by default, the targets that run the dataset decide, or else the configuration. `on_day`
    is the date for the age of validations; by default, today.
    """

    def load(self, path: str | Path) -> LoadedDataset:
        """Load one dataset: YAML, JSON or JSONL.

        Soft mode logs one warning per offending row (logger `evalcontract`) and returns all
        rows. An empty list of rows is loaded, and reported as a finding.

        Raises:
            ContractViolation: in strict mode, there is an error; in both modes, nothing can be
                loaded: the file does not exist or is not a dataset, or no line of it is a row.
            ConfigurationError: the configuration of the workspace cannot be used.
            UsageError: `root` is not a folder.

        """
        path = Path(path)
        run = self._run(path)
        policy = run.policy_for(path)
        dataset = NativeDataset(read_file(path, display_name(path)))
        rows: list[LoadedRow] = []
        if dataset.unreadable:
            raise ContractViolation(tuple(run.unreadable([dataset.unreadable])))
        graded = run.graded_for(path)
        dataset_pass = dataset.begin(run, policy, graded)
        diagnostics: list[Diagnostic] = []
        has_faults = not dataset_pass.has_rows
        for checked in dataset_pass.batches(keep_rows=True):
            batch = checked.batch
            of_batch = list(dataset_pass.to_diagnostics(checked.problems))
            rows += _rows_of(batch.first_index, batch.rows, of_batch)
            diagnostics += [*checked.faults, *of_batch]
            has_faults = has_faults or bool(batch.faults)
        of_dataset = dataset_pass.finish()
        rows = _with_diagnostics(rows, of_dataset)
        diagnostics += [*of_dataset, *run.bundles(), *run.artifacts(), *run.listing_errors()]
        loaded = bool(rows) or not has_faults
        settled = self._settle(diagnostics, strict=policy.strict, loaded=loaded)
        _log(rows, settled)
        cover = Coverer(run, dataset_pass.root, graded).cover
        return LoadedDataset(
            display_name(path), tuple(rows), settled, dataset_pass.provenance(), cover
        )


def _rows_of(first: int, values: list[Any], diagnostics: list[Diagnostic]) -> Iterator[LoadedRow]:
    by_row: dict[int, list[Diagnostic]] = {}
    for diagnostic in diagnostics:
        if diagnostic.row_index is not None:
            by_row.setdefault(diagnostic.row_index, []).append(diagnostic)
    for index, value in enumerate(values, first):
        yield LoadedRow(index, value, tuple(sorted(by_row.get(index, ()), key=sort_key)))


def _with_diagnostics(rows: list[LoadedRow], diagnostics: list[Diagnostic]) -> list[LoadedRow]:
    for diagnostic in diagnostics:
        index = diagnostic.row_index
        if index is not None:
            row = rows[index]
            rows[index] = LoadedRow(row.index, row.value, (*row.diagnostics, diagnostic))
    return rows


def _log(rows: list[LoadedRow], diagnostics: Sequence[Diagnostic]) -> None:
    """Log one warning per offending row, and one per finding outside the rows."""
    for row in rows:
        if row.diagnostics:
            more = len(row.diagnostics) - 1
            extra = f" (and {more} more in this row)" if more else ""
            _LOG.warning("%s%s", row.diagnostics[0], extra)
    for diagnostic in diagnostics:
        if diagnostic.row_index is None:
            _LOG.warning("%s", diagnostic)


class _ArtifactLoader(_Loader):
    """Loads artifacts of one kind by id."""

    _kind: Kind

    def load(
        self,
        id: str,  # noqa: A002 - the key of the artifact
        version: str | None = None,
    ) -> LoadedArtifact:
        """Load one artifact of the workspace; without a version, the latest.

        `root` defaults to the workspace of the current folder. Soft mode logs one warning per
        finding in the artifact and in those that it refers to.

        Raises:
            UsageError: there is no such artifact; the message names the known ones.
            ContractViolation: in strict mode, there is an error; in both modes, the file cannot
                be read or contains another kind.
            ConfigurationError: the configuration of the workspace cannot be used.

        """
        run = self._run(Path.cwd())
        library = run.workspace.library
        parsed = Version.parse(version) if version is not None else None
        if version is not None and parsed is None:
            raise UsageError(f"`{version}` is not a version such as 1.0.0")
        reference = Reference(self._kind, id, parsed)
        resolved = library.resolve(reference)
        # A file that cannot be read may contain the artifact, or a later version of it.
        unreadable = (
            []
            if isinstance(resolved, Resolved) and resolved.pinned
            else list(run.unreadable(_candidate_files(run, reference)))
        )
        if isinstance(resolved, Dangling):
            if unreadable:
                raise ContractViolation(unreadable)
            advice = advise(resolved, library, run.workspace.unreadable_names)
            # Loaders take an id without the kind.
            advice = advice.replace(f"`{self._kind}/", "`")
            raise UsageError(f"{says(resolved, library)}; {advice}")
        artifact = resolved.artifact
        policy = run.base_policy
        run.schedule(artifact, policy, library)
        diagnostics = [*run.artifacts(), *unreadable, *run.listing_errors()]
        is_wrong_kind = any(
            diagnostic.code in (f"{self._kind}/wrong-kind", f"{self._kind}/other-tool")
            and diagnostic.place.file == artifact.file
            for diagnostic in diagnostics
        )
        settled = self._settle(diagnostics, strict=policy.strict, loaded=not is_wrong_kind)
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


def _candidate_files(run: Run, reference: Reference) -> list[UnreadableFile]:
    """Return the unreadable files whose names match a reference."""
    names = run.workspace.unreadable_names.get(f"{reference.kind}/{reference.id}", ())
    expected = reference.version
    files = {file for version, file in names if expected is None or version in (None, expected)}
    return [unreadable for unreadable in run.workspace.unreadable if unreadable.file in files]


class RubricLoader(_ArtifactLoader):
    """Loads rubrics by id and version. See `DatasetLoader` for the parameters."""

    _kind = Kind.RUBRIC


class JudgePromptLoader(_ArtifactLoader):
    """Loads judges by id and version. See `DatasetLoader` for the parameters."""

    _kind = Kind.JUDGE
