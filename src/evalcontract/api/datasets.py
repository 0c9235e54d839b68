"""Datasets in Python: their loader, and what it loads of files or of rows in memory."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, cast, overload

from evalcontract.api.artifacts import LoadedRubric, Resolver
from evalcontract.api.findings import LOG, NO_FINDINGS, Findings, Loader, Workspace, settle
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
from evalcontract.source.tables.columnar import rows_in

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.types import Row

    #: The rows of a dataset: of evalcontract, unless its loader has the dialect of another system.
    RowT = TypeVar("RowT", default=Row)
    Cover = Callable[[tuple["LoadedRow", ...]], tuple[RowCoverage, ...]]
else:
    from typing import TypeVar

    RowT = TypeVar("RowT")  # Python knows no defaults before 3.13


@dataclass(frozen=True, slots=True)
class LoadedRow(Generic[RowT]):
    """One row of a dataset, with its findings.

    `index` counts the rows from 0. `value` has the type of well-formed rows; that of an ill-formed
    one may be anything. `diagnostics` are the findings in the row.
    """

    index: int
    value: RowT
    diagnostics: Findings = NO_FINDINGS
    _rubric_of: Callable[[LoadedRow[RowT]], LoadedRubric | None] | None = field(
        default=None, repr=False, compare=False
    )

    def __reduce__(self) -> tuple[Any, ...]:
        # The workspace stays behind when a row is sent to another process.
        return LoadedRow, (self.index, self.value, self.diagnostics)

    @property
    def ok(self) -> bool:
        """Whether the row has no findings."""
        return not self.diagnostics

    @property
    def fault(self) -> Diagnostic | None:
        """The finding because of which the row is not valid, so that nothing grades it.

        None if it is valid; then other findings do not keep its output from being graded. What the
        loader of another system rejects is not valid.
        """
        if not self.diagnostics:
            return None
        from evalcontract.workspace.catalogue import is_rejection

        for diagnostic in self.diagnostics:
            if diagnostic.code in ILL_FORMED or is_rejection(diagnostic.code):
                return diagnostic
        return None

    @property
    def rubric(self) -> LoadedRubric | None:
        """The rubric that grades the row; None if the row has no `rubric_ref`.

        Rows of other systems have none.

        Raises:
            ContractViolation: the `rubric_ref` is malformed, or does not resolve.
            UsageError: the row was copied or unpickled, and has lost its workspace.

        """
        if self._rubric_of is None:
            raise UsageError("the rubric of a copied row is unknown: ask the row that was loaded")
        return self._rubric_of(self)


@dataclass(frozen=True)
class LoadedDataset(Generic[RowT]):
    """A dataset with all rows in order, including those with faults.

    `file` is the name of the file, or of the rows in memory. `diagnostics` are all findings,
    sorted by place, including those of the rubrics and judges that the rows refer to.
    """

    file: str
    rows: tuple[LoadedRow[RowT], ...]
    diagnostics: Findings
    _provenance: Callable[[Iterable[tuple[Any, bool]]], Provenance] = field(
        repr=False, compare=False
    )
    _cover: Callable[[tuple[LoadedRow[RowT], ...]], tuple[RowCoverage, ...]] = field(
        repr=False, compare=False
    )

    @cached_property
    def coverage(self) -> tuple[RowCoverage, ...]:
        """The coverage of each row: which checks will run on it, in order of the rows.

        For a dataset of another system, which of that system's own graders will run.
        """
        return self._cover(self.rows)

    @cached_property
    def provenance(self) -> Provenance:
        """What its results depend on: digests and exact versions of all that the dataset reaches.

        `provenance.to_dict()` is what `evalcontract manifest` prints.
        """
        return self._provenance((row.value, row.fault is None) for row in self.rows)

    def __iter__(self) -> Iterator[LoadedRow[RowT]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


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
