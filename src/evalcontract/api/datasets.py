"""Open datasets in Python: files of any format and rows in memory, and the loader of both."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, cast, overload

from evalcontract.api.findings import LOG, Findings, Loader, Workspace, settle
from evalcontract.api.loaded import LoadedDataset, LoadedRow, LoadedRubric, Resolver, RowT
from evalcontract.checking.artifacts import (
    artifact_findings,
    bundle_findings,
    listing_errors,
    lock_findings,
)
from evalcontract.datasets.opening import Input, open_dataset, open_rows
from evalcontract.datasets.passes import (
    NATIVE,
    CheckedRow,
    Dataset,
    DatasetPass,
    NativePass,
    rows_of,
)
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.plans import GradingPlans, cover_row
from evalcontract.datasets.provenance import Provenance, settings_of
from evalcontract.datasets.run import Run, with_libraries
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.policy import Policy
from evalcontract.source.rows import NotPlainError, plain
from evalcontract.source.tables.in_memory import rows_in
from evalcontract.source.yaml.writing import NotWritableError, json_text

if TYPE_CHECKING:
    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.types import Row

    Cover = Callable[[tuple[LoadedRow, ...]], tuple[RowCoverage, ...]]


class Coverer:
    """Computes the coverage of the rows of one dataset; `root` has its other keys.

    `graded` are the keys of rows that the graders of the runner read.
    """

    def __init__(
        self, run: Run, root: dict[str, Any], graded: frozenset[str] = frozenset()
    ) -> None:
        has_php = shutil.which("php") is not None
        context = run.plans.context._replace(has_php=has_php, searches=None)
        default = root.get("bundle")
        name = default if isinstance(default, str) else None
        self._grading = GradingPlans(context, run.workspace.usable_bundles, name, graded=graded)

    def cover(self, rows: Iterable[LoadedRow]) -> tuple[RowCoverage, ...]:
        """Return the coverage of rows, in order."""
        return tuple(self._cover(row.index, row.value) for row in rows)

    def _cover(self, index: int, row: Any) -> RowCoverage:
        bundle = self._grading.bundle_of(row) if isinstance(row, dict) else None
        problems = self._grading.structure(bundle).check(row)
        # Runners ignore misspelled keys; the coverage shows which checks are skipped for that.
        faults = (problem.message for problem in problems if problem.code in ILL_FORMED)
        return cover_row(self._grading, index, row, fault=next(faults, None))


def open_document(document: Mapping[str, Any], dialect: str, name: str) -> Dataset:
    """Return the dataset of a whole document, such as `{"questions": […]}`.

    Places are in the JSON text of it, indented by two spaces.

    Raises:
        UsageError: there is no such dialect, or JSON cannot represent the document.

    """
    try:
        data = json_text(plain(dict(document), as_python=dialect != NATIVE), as_python=True)
    except (NotPlainError, NotWritableError) as error:
        raise UsageError(f"`{name}` cannot be read: {error}") from None
    return open_dataset(Input(Path(f"{name}.json"), BytesIO(data)), dialect)


class DatasetLoader(Loader, Generic[RowT]):
    """Loads datasets, and checks their rows and the artifacts that these refer to.

    `dialect` is the format of the datasets: by default evalcontract's own, or that of another
    system, such as `mlflow:oss` (docs/formats.md lists them). It is never guessed, so that the
    keys of the rows do not depend on their content. Rows of another system are checked as its own
    loader reads them and are given as they are: converting them may make new rubrics, which need
    an id and a version; `evalcontract convert` writes these. See `Loader` for the other
    parameters.

    Raises:
        UsageError: there is no such dialect, or both `root` and `workspace` are given.

    """

    @overload
    def __init__(
        self: DatasetLoader[Row],
        root: str | Path | None = None,
        *,
        workspace: Workspace | None = None,
        dialect: Literal["evalcontract"] = "evalcontract",
        strict: bool | None = None,
        on_day: date | None = None,
    ) -> None: ...

    @overload
    def __init__(
        self: DatasetLoader[dict[str, Any]],
        root: str | Path | None = None,
        *,
        workspace: Workspace | None = None,
        dialect: str,
        strict: bool | None = None,
        on_day: date | None = None,
    ) -> None: ...

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        workspace: Workspace | None = None,
        dialect: str = NATIVE,
        strict: bool | None = None,
        on_day: date | None = None,
    ) -> None:
        super().__init__(root, workspace=workspace, strict=strict, on_day=on_day)
        self._dialect = dialect
        if dialect != NATIVE:
            from evalcontract.formats import dialect_of  # not for evalcontract datasets

            self._dialect = str(dialect_of(dialect))

    def load(self, path: str | Path) -> LoadedDataset[RowT]:
        """Load one dataset: YAML, JSON or JSONL, or what the system of the dialect reads.

        Soft mode logs one warning per offending row (logger `evalcontract`) and returns all
        rows. An empty list of rows is loaded, and reported as a finding.

        Raises:
            ContractViolation: in strict mode, there is an error; in both modes, nothing can be
                loaded: the file does not exist or is not a dataset, or no line of it is a row.
            ConfigurationError: the configuration of the workspace cannot be used.
            UsageError: `root` is not a folder, or `path` is no path.

        """
        if not isinstance(path, str | os.PathLike):
            raise UsageError(f"`load` takes a path, not {type(path).__name__}; see `load_rows`")
        path = Path(path)
        run = self._run(path)
        dataset = open_dataset(Input(path), self._dialect)
        loaded = _load(
            run, dataset, run.standards.policy_for(path), graded=run.standards.graded_for(path)
        )
        return cast("LoadedDataset[RowT]", loaded)

    def load_rows(
        self, rows: Iterable[Mapping[str, Any]], name: str = "rows"
    ) -> LoadedDataset[RowT]:
        """Load rows that are in memory, as the rows of a file, or a table as `validate` takes it.

        The iterable is read once, batch by batch: a batch is checked before the next one is
        requested. The values of the loaded rows are plain copies: dates and times become ISO 8601
        strings, bytes base64, durations seconds, decimals floats. A row with a value that JSON
        cannot represent (NaN, an object) is a finding, and is left out; the indexes of the other
        rows stay. The places of findings are `NAME[INDEX]`. The digest in the provenance is that
        of the lines `json.dumps(row, sort_keys=True)`.

        The workspace is `root` or `workspace`, or else that of the current folder. No target
        applies.

        Raises:
            ContractViolation: in strict mode, there is an error; in both modes, no row could be
                loaded, or the system of the dialect loads none of them.
            ConfigurationError: the configuration of the workspace cannot be used.
            UsageError: `rows` is a path, a text or a single mapping, `root` is not a folder, or
                the system of the dialect does not read files with a row per line.

        """
        given = rows_in(rows, advice="`load` reads files")
        run = self._run()
        in_memory = open_rows(given, self._dialect, name, has_digest=True)
        loaded = _load(run, in_memory, run.standards.base, graded=run.standards.graded_for(None))
        return cast("LoadedDataset[RowT]", loaded)


def _load(run: Run, dataset: Dataset, policy: Policy, graded: frozenset[str]) -> LoadedDataset:
    if dataset.unreadable:
        raise ContractViolation(
            tuple(from_unreadable_files([dataset.unreadable], run.standards.base))
        )
    dataset_pass = dataset.begin(run, policy, graded)
    native = dataset_pass if isinstance(dataset_pass, NativePass) else None
    resolver = Resolver(run, policy)

    def rubric_of(row: LoadedRow) -> LoadedRubric | None:
        if native is None:
            return None
        return resolver.rubric_of(row.value, native.path_of(row.index), native)

    values: dict[int, Any] = {}
    checked_rows: dict[int, CheckedRow] = {}
    of_rows: list[Diagnostic] = []
    others: list[Diagnostic] = []
    has_faults = native is not None and not native.has_rows
    for checked in dataset_pass.batches(keep_rows=True):
        values.update(enumerate(checked.batch.rows, checked.batch.first_index))
        of_rows += dataset_pass.to_diagnostics(checked.problems)
        if native is None:
            checked_rows |= {row.number: row for row in rows_of(dataset_pass, checked)}
        others += checked.faults
        has_faults = has_faults or bool(checked.batch.faults)
    of_dataset = dataset_pass.finish()
    if native is None:
        has_faults = has_faults or any(
            dataset_pass.rejects(diagnostic.code) for diagnostic in of_dataset
        )
    by_row: dict[int | None, list[Diagnostic]] = {}
    for diagnostic in (*sorted(of_rows, key=_key), *of_dataset):
        by_row.setdefault(diagnostic.row_index, []).append(diagnostic)
    rows = tuple(
        LoadedRow(index, value, Findings(by_row.get(index, ())), rubric_of)
        for index, value in values.items()
    )
    others += (*of_dataset, *bundle_findings(run), *artifact_findings(run), *listing_errors(run))
    others += lock_findings(run)
    diagnostics = sorted(with_libraries(run, (*of_rows, *others)), key=_key)
    settled = settle(diagnostics, strict=policy.strict, loaded=bool(rows) or not has_faults)
    _log(rows, settled)
    settings = settings_of((), graded)
    cover = _cover_of(run, dataset_pass, checked_rows, graded=graded)

    def provenance(noted: Iterable[tuple[Any, bool]]) -> Provenance:
        return dataset_pass.provenance(noted)._replace(settings=settings)

    return LoadedDataset(dataset.file, rows, settled, provenance, cover)


def _key(diagnostic: Diagnostic) -> tuple[Any, ...]:
    """Return a key to sort findings; rows in memory have no lines, but each has its own file."""
    if diagnostic.place.span is None and diagnostic.row_index is not None:
        file = diagnostic.place.file.rpartition("[")[0]
        return (file, diagnostic.row_index, 0, diagnostic.code, diagnostic.message)
    return sort_key(diagnostic)


def _cover_of(
    run: Run, dataset_pass: DatasetPass, checked_rows: dict[int, CheckedRow], graded: frozenset[str]
) -> Cover:
    if isinstance(dataset_pass, NativePass):
        return Coverer(run, dataset_pass.root, graded).cover
    return lambda rows: tuple(dataset_pass.cover(checked_rows[row.index]) for row in rows)


def _log(rows: Iterable[LoadedRow], diagnostics: Sequence[Diagnostic]) -> None:
    """Log one warning per offending row, and one per finding outside the rows."""
    for row in rows:
        if row.diagnostics:
            more = len(row.diagnostics) - 1
            extra = f" (and {more} more in this row)" if more else ""
            LOG.warning("%s%s", row.diagnostics[0], extra)
    for diagnostic in diagnostics:
        if diagnostic.row_index is None:
            LOG.warning("%s", diagnostic)
