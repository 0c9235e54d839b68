"""The results of the loaders: rows with their findings, datasets, rubrics and judges."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.library.provenance import Provenance
    from evalcontract.model.diagnostic import Diagnostic


@dataclass(frozen=True, slots=True)
class LoadedRow:
    """One row of a file, with its findings.

    `value` is normally a dict; the value of an ill-formed row may have any type.
    """

    index: int
    value: Any
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the row has no findings."""
        return not self.diagnostics


@dataclass(frozen=True)
class LoadedDataset:
    """A dataset with all rows in order, including those with faults.

    `diagnostics` are all findings, sorted by place, including those of the rubrics and judges that
    the rows refer to.
    """

    file: str
    rows: tuple[LoadedRow, ...]
    diagnostics: tuple[Diagnostic, ...]
    provenance: Provenance
    _cover: Callable[[tuple[LoadedRow, ...]], tuple[RowCoverage, ...]] = field(
        repr=False, compare=False
    )

    @cached_property
    def coverage(self) -> tuple[RowCoverage, ...]:
        """The coverage of each row: which checks will run on it, in order of the rows."""
        return self._cover(self.rows)

    def __iter__(self) -> Iterator[LoadedRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class LoadedArtifact:
    """A rubric or a judge: its content, its exact version and its findings."""

    id: str
    version: str
    file: str
    value: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]
    provenance: Provenance = field(repr=False)
