"""What the loaders give: rows with their findings, datasets, rubrics and judges."""

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
    """One row as it stands in the file, and what was found in it.

    `value` is a dict in nearly every case; a row that is none is kept as it is.
    """

    index: int
    value: Any
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing was found in the row."""
        return not self.diagnostics


@dataclass(frozen=True)
class LoadedDataset:
    """A dataset: every row, in order, faults or no faults.

    `diagnostics` are all findings, those of the rubrics and judges that are reached included,
    sorted by place.
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
        """What will become of every check on every row, in order of the rows."""
        return self._cover(self.rows)

    def __iter__(self) -> Iterator[LoadedRow]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)


@dataclass(frozen=True, slots=True)
class LoadedArtifact:
    """A rubric or a judge: its content, its exact version, and what was found in it."""

    id: str
    version: str
    file: str
    value: dict[str, Any]
    diagnostics: tuple[Diagnostic, ...]
    provenance: Provenance = field(repr=False)
