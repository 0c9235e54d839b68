"""The three loaders. Soft mode warns and returns what there is; strict mode raises."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.api.coverage import Coverer
from evalcontract.api.dataset_root import check_root
from evalcontract.api.edge import sort_key
from evalcontract.api.loaded import LoadedArtifact, LoadedDataset, LoadedRow
from evalcontract.api.run import Run, provenance_of, today
from evalcontract.library.library import Dangling
from evalcontract.library.provenance import Provenance
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.listing import listed
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.version import Version
from evalcontract.source import Unreadable, read_file
from evalcontract.workspace import find_root, name_of, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import date

    from evalcontract.model.diagnostic import Diagnostic

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
        root = self._root if self._root is not None else find_root(start)
        return Run(open_workspace(root), self._forced, self._today or today())

    @staticmethod
    def _settle(diagnostics: Sequence[Diagnostic], *, strict: bool) -> tuple[Diagnostic, ...]:
        found = tuple(sorted(diagnostics, key=sort_key))
        if strict and any(each.is_error for each in found):
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
        every row; a file that cannot be read gives no rows, and its diagnostics say why.

        Raises:
            ContractViolation: in strict mode, where there is an error.
            ConfigurationError: the workspace's configuration cannot be used.

        """
        path = Path(path)
        run = self._run(path)
        policy = run.policy_for(path)
        source = read_file(path, name_of(path))
        rows: list[LoadedRow] = []
        if isinstance(source, Unreadable):
            found = list(run.unreadable([source]))
            provenance = Provenance(source.file, "")
        else:
            check = run.dataset(source, policy)
            found = []
            for batch, diagnostics in check.batches():
                rows += _rows_of(batch.first_index, batch.rows, diagnostics)
                found += diagnostics
            rest = check.finish()
            rows = _with_late_findings(rows, rest)
            found += rest
            found += run.bundles()
            found += run.artifacts()
            provenance = check.provenance()
        settled = self._settle(found, strict=policy.strict)
        _log(rows, settled)
        root = {} if isinstance(source, Unreadable) else check_root(source)[1]
        coverer = Coverer(run, root)
        return LoadedDataset(name_of(path), tuple(rows), settled, provenance, coverer.cover_rows)


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
            ContractViolation: in strict mode, where there is an error.

        """
        run = self._run(Path.cwd())
        library = run.workspace.library
        wanted = Version.parse(version) if version is not None else None
        if version is not None and wanted is None:
            raise UsageError(f"`{version}` is no version, such as 1.0.0")
        resolved = library.resolve(Reference(self._kind, id, wanted))
        if isinstance(resolved, Dangling):
            broken = run.workspace.unreadable_names.get(f"{self._kind}/{id}", ())
            files = "".join(f"; {file} could not be read" for _, file in broken)
            raise UsageError(_missing(resolved, library.ids(self._kind)) + files)
        artifact = resolved.artifact
        policy = run.base_policy
        run.want(artifact, policy, library)
        settled = self._settle(list(run.artifacts()), strict=policy.strict)
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


def _missing(found: Dangling, ids: list[str]) -> str:
    reference = found.reference
    if found.versions:
        known = listed(str(each) for each in reversed(found.versions))
        return f"{reference.kind} `{reference.id}` has no version {reference.version}, but {known}"
    near = f"; did you mean `{found.nearest}`?" if found.nearest else ""
    known = f"; there are {listed(ids)}" if ids and not near else ""
    return f"there is no {reference.kind} `{reference.id}`{near}{known}"


class RubricLoader(_ArtifactLoader):
    """Loads rubrics by id and version. See `DatasetLoader` for the parameters."""

    _kind = Kind.RUBRIC


class JudgePromptLoader(_ArtifactLoader):
    """Loads judges by id and version. See `DatasetLoader` for the parameters."""

    _kind = Kind.JUDGE
