"""The results of the loaders: rows with their findings, datasets, rubrics and judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic

from evalcontract.api.findings import NO_FINDINGS, Findings
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from typing_extensions import TypeVar

    from evalcontract.api.grading import LoadedRubric
    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.library.references import Provenance
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.types import Row

    #: The rows of a dataset: of evalcontract, unless its loader has the dialect of another system.
    RowT = TypeVar("RowT", default=Row)
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

        for found in self.diagnostics:
            if found.code in ILL_FORMED or is_rejection(found.code):
                return found
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
    `provenance` has the exact versions and SHA-256 digests of these, and the digest of the
    dataset.
    """

    file: str
    rows: tuple[LoadedRow[RowT], ...]
    diagnostics: Findings
    provenance: Provenance
    _cover: Callable[[tuple[LoadedRow[RowT], ...]], tuple[RowCoverage, ...]] = field(
        repr=False, compare=False
    )

    @cached_property
    def coverage(self) -> tuple[RowCoverage, ...]:
        """The coverage of each row: which checks will run on it, in order of the rows.

        For a dataset of another system, which of that system's own graders will run.
        """
        return self._cover(self.rows)

    def __iter__(self) -> Iterator[LoadedRow[RowT]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class LoadedArtifact:
    """A rubric or a judge: its content, its exact version and its findings.

    `value` is the content of `file`. `diagnostics` are the findings in it and in everything that
    it refers to, sorted by place.
    """

    id: str
    version: str
    file: str
    value: Mapping[str, Any]
    diagnostics: Findings
    provenance: Provenance = field(repr=False)
