"""A pass over records, whoever reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, is_passed_over, stops_loader
from evalcontract.formats.mlflow import expectations as expected
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path

_NOTHING: tuple[Problem, ...] = ()
_MERGED = "mlflow/equal-inputs"


class RecordChecker:
    """One pass over records: what their schema says, and what is stored without use.

    Open to be judged further by what each loader does besides.
    """

    #: The key that names a record, where the loader reads one.
    named_by: str | None = None

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._names = FirstRows()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record."""
        found = [] if is_clean else self._faults(row, path)
        if found and stops_loader(found):
            return found
        more = [*self.in_order(row, path)]
        if more and stops_loader(each for each in more if each.code != _MERGED):
            return [*found, *more]
        if self.named_by in row:
            more += self._named(row[self.named_by], path)
        expectations = row.get("expectations")
        if expectations and isinstance(expectations, dict):
            more += expected.in_expectations(expectations, (*path, "expectations"))
        elif not found and self.must_expect(row):
            more.append(expected.none_at_all(path))
        return [*found, *more] if found or more else _NOTHING

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        """Return what the schema says; slips in the names of expectations are told elsewhere."""
        inner = (*path, "expectations")
        return [
            each
            for each in self.refused(self._schema.faults(row, path), row, path)
            if each.path[:-1] != inner or not is_passed_over(each)
        ]

    def _named(self, name: Any, path: Path) -> Iterator[Problem]:
        first = self._names.before(name, path) if isinstance(name, str) else None
        if first:
            where = (*first, str(self.named_by))
            message = f"`{self.named_by}` is that of record {int(first[-1]) + 1}: `{name}`"
            yield Problem(
                "mlflow/duplicate-id",
                message,
                (*path, str(self.named_by)),
                "give each record an id of its own",
                related=(Related("the record with the same id", where),),
            )

    def refused(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:  # noqa: ARG002
        """Say the findings of the schema as the loader refuses."""
        return problems

    def in_order(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:  # noqa: ARG002
        """Yield what is wrong with a record that its schema accepts."""
        return ()

    def must_expect(self, row: dict[str, Any]) -> bool:  # noqa: ARG002
        """Whether a record has nowhere else to say what is expected."""
        return True

    def finish(self) -> Iterable[Problem]:
        """Yield what only the whole dataset shows."""
        return ()
