"""The rows of a dataset to be converted, ours or another system's, with what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.api.dialect_check import DialectCheck
from evalcontract.api.kept_rubric import without_rubric
from evalcontract.library.library import Resolved
from evalcontract.model.reference import Reference
from evalcontract.structure.schemas import load
from evalcontract.structure.sentences import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.api.run import Run
    from evalcontract.formats import Dialect
    from evalcontract.formats._conversion import Loss
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.model.path import Path
    from evalcontract.model.span import Place
    from evalcontract.policy import Policy
    from evalcontract.source import Document, RowStream
    from evalcontract.source.foreign import Foreign

# Without these a row of ours is none that can be carried anywhere.
_ILL_FORMED = frozenset(f"dataset/{fault}" for fault in (*FAULTS.values(), "invalid-value"))


class Carried(NamedTuple):
    """A row as ours, on its way; its `number` counts from 0.

    `path` is where it stands in the source. `rubric` is what grades it; `is_new` says that it is
    made of the row itself, and has no name yet. `judges` are those that a new one refers to.
    """

    number: int
    path: Path
    row: dict[str, Any]
    rubric: dict[str, Any] | None = None
    is_new: bool = False
    judges: tuple[dict[str, Any], ...] = ()
    losses: tuple[Loss, ...] = ()


class OfOthers:
    """The rows of another system's dataset, made ours."""

    def __init__(self, dialect: Dialect, read: Foreign, policy: Policy) -> None:
        self.source = read.source
        self.diagnostics: list[Diagnostic] = []
        self._check = DialectCheck(dialect, read, policy)
        self._reader = dialect.format.reader(read, dialect.variant)

    @property
    def root(self) -> dict[str, Any]:
        """What stands beside the rows of ours, once all are read."""
        return self._reader.root

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost of what stands around the rows, once all are read."""
        return self._reader.losses

    def rows(self) -> Iterator[Carried]:
        """Yield the rows that the system's loader takes; what it refuses is among the findings."""
        for batch in self._check.judged():
            for each in batch:
                self.diagnostics += self._check.located(each.problems)
                if each.is_sound:
                    found = without_rubric(self._reader.read(each.row, each.number))
                    yield Carried(
                        each.number,
                        each.path,
                        found.row,
                        found.rubric,
                        found.rubric is not None,
                        found.judges,
                        found.losses,
                    )
        self.diagnostics += self._check.rest()

    def place(self, path: Path) -> Place:
        """Return where something stands in the source."""
        return self.source.place(path, on_key=True)


class OfOurs:
    """The rows of a dataset of ours."""

    losses: tuple[Loss, ...] = ()

    def __init__(self, run: Run, source: Document | RowStream, policy: Policy) -> None:
        self.source = source
        self.diagnostics: list[Diagnostic] = []
        self._check = run.dataset(source, policy)
        self._library = run.workspace.library
        self._required = frozenset(load("dataset")["$defs"]["row"]["required"])
        self._lacking: set[int] = set()

    @property
    def root(self) -> dict[str, Any]:
        """What stands beside the rows."""
        return self._check.root

    def rows(self) -> Iterator[Carried]:
        """Yield the rows that are well-formed; what is wrong with others is among the findings."""
        prefix = self._check.rows.prefix if self._check.rows else ()
        for batch, found in self._check.batches(keep_rows=True):
            self.diagnostics += found
            ill = {each.row_index for each in found if each.code in _ILL_FORMED}
            # A required key may be there under another name, which is told as such.
            told = {each.row_index for each in found} - ill
            self._lacking |= {
                index
                for index, row in enumerate(batch.rows, batch.first_index)
                if index in told and not row.keys() >= self._required
            }
            ill |= self._lacking
            for index, row in enumerate(batch.rows, batch.first_index):
                if index not in ill:
                    yield Carried(index, (*prefix, index), row, self._rubric(row))
        self.diagnostics += self._check.finish()

    def place(self, path: Path) -> Place:
        """Return where something stands in the source."""
        return (self._check.rows or self.source).place(path, on_key=True)

    def is_ill(self, found: Diagnostic) -> bool:
        """Whether a finding is one for which a row, or all of them, cannot be carried."""
        is_lacking = found.row_index in self._lacking
        return found.is_error or found.code in _ILL_FORMED or is_lacking

    def _rubric(self, row: dict[str, Any]) -> dict[str, Any] | None:
        reference = Reference.parse(str(row.get("rubric_ref")))
        found = self._library.resolve(reference) if reference else None
        value = found.artifact.document.value if isinstance(found, Resolved) else None
        return value if isinstance(value, dict) else None
