"""A dataset of ours: opened, and one pass over its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.engine.dataset_check import DatasetCheck, RowContext
from evalcontract.engine.dataset_root import check_root
from evalcontract.engine.diagnostics import from_source_fault, to_diagnostics
from evalcontract.engine.passes import OURS, CheckedBatch
from evalcontract.structure.codes import ILL_FORMED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.engine.grading import Grading
    from evalcontract.engine.our_rows import OurRows
    from evalcontract.engine.passes import CheckedRow
    from evalcontract.engine.run import Run
    from evalcontract.library.provenance import Provenance
    from evalcontract.model.diagnostic import Diagnostic, Problem, Within
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place
    from evalcontract.policy import Policy
    from evalcontract.source import Document, Source, UnreadableFile


class OurDataset:
    """A dataset of ours; see `Dataset`."""

    dialect = OURS

    def __init__(self, source: Source) -> None:
        self.file = source.file
        self._source = source

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why there is no value; None where there is one."""
        return self._source.unreadable

    @property
    def document(self) -> Document | None:
        """The whole file, where it is one value."""
        return self._source.document

    def begin(self, run: Run, policy: Policy) -> OurPass:
        """Begin a pass over its rows."""
        return OurPass(run, self._source, policy)


class OurPass:
    """One pass over a dataset of ours; see `DatasetPass`. `root` holds the keys beside its rows."""

    def __init__(self, run: Run, source: Source, policy: Policy) -> None:
        readable = source.document or source.stream
        if readable is None:
            raise TypeError(f"{source.file} cannot be read, and has no rows")
        self._run = run
        self._policy = policy
        self._source = readable
        self.file = source.file
        self._rows, self.root, self._root_problems = check_root(source)
        around = RowContext(
            run.plans.around,
            run.workspace.usable_bundles,
            frozenset({*run.workspace.bundles, *run.workspace.bundle_files}),
            run.workspace.unreadable_names,
            run.plans,
            run.gates,
        )
        self._check = DatasetCheck(self._rows, self.root, around) if self._rows else None

    @property
    def has_rows(self) -> bool:
        """Whether the file has rows to judge; an empty list of them is some."""
        return self._check is not None

    @property
    def count(self) -> int:
        """How many rows were read so far."""
        return self._check.count if self._check else 0

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many bytes of how many were read, of JSONL."""
        return self._source.progress

    def batches(self, *, keep_rows: bool = False, jobs: int = 1) -> Iterator[CheckedBatch]:
        """Yield each batch of rows with what is wrong with it; see `DatasetCheck.batches`."""
        if self._check is None:
            return
        for batch, problems in self._check.batches(keep_rows=keep_rows, jobs=jobs):
            faults = (
                from_source_fault(fault, self.file, text, self._policy)
                for fault, text in batch.faults
            )
            yield CheckedBatch(batch, problems, [fault for fault in faults if fault])

    def path_of(self, index: int) -> Path:
        """Return the path of a row."""
        return (*(self._rows.prefix if self._rows else ()), index)

    def rejects(self, code: str) -> bool:
        """Whether what this code is found in is not well-formed."""
        return code in ILL_FORMED

    def to_diagnostics(self, problems: Iterable[Problem]) -> Iterator[Diagnostic]:
        """Give problems their places and severities."""
        return to_diagnostics(
            problems, self._rows or self._source, self._policy, self._run.documents
        )

    def place(self, path: Path, *, on_key: bool = False, within: Within | None = None) -> Place:
        """Return where a path stands."""
        return (self._rows or self._source).place(path, on_key=on_key, within=within)

    def rest(self) -> list[Diagnostic]:
        """Return the findings of the dataset as a whole, and ask for what its rows reach."""
        problems = list(self._root_problems)
        if self._check is not None:
            problems += self._check.finish()
            for artifact, _ in self._check.reached():
                self._run.want(artifact, self._policy, self._run.workspace.library)
        return list(self.to_diagnostics(problems))

    def unseen(self) -> list[Diagnostic]:
        """Return what is wrong beside the rows, and of which rubrics nothing could be told."""
        crashes = self._check.crashes if self._check else []
        return list(self.to_diagnostics([*self._root_problems, *crashes]))

    def cover(self, row: CheckedRow) -> RowCoverage:
        """Return which checks will run on a row."""
        from evalcontract.engine.coverage_of_rows import cover_row  # only coverage needs it

        fault = row.fault.message if row.fault else None
        return cover_row(self._grading, row.number, row.value, fault)

    def reader(self) -> OurRows:
        """Begin to convert rows."""
        from evalcontract.engine.our_rows import OurRows  # only conversions need it

        return OurRows(self.root, self._run.workspace.library)

    def provenance(self) -> Provenance:
        """Return what the rows that were read rest on."""
        from evalcontract.library.provenance import provenance_of  # only loaders need it

        reached = self._check.reached() if self._check else []
        library = self._run.workspace.library
        return provenance_of(self.file, self._source.sha256, reached, library)

    @property
    def _grading(self) -> Grading:
        if self._check is None:
            raise TypeError(f"{self.file} has no rows")
        return self._check.grading
