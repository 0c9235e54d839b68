"""A pass over records, whoever reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats.mlflow import expectations as expected
from evalcontract.formats.mlflow import rejections
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.model.path import Path

_NOTHING: tuple[Problem, ...] = ()
_NOT_REFUSED = rejections.PASSED_OVER | {"mlflow/equal-inputs"}


class Records:
    """One pass over records: what their schema says, and what is stored without use.

    Open to be judged further by what each loader does besides.
    """

    #: The key that names a record, where the loader reads one.
    named_by: str | None = None

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._names: dict[str, int] = {}

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record."""
        found = [] if is_clean else self._faults(row, path)
        if found and rejections.rejects(found):
            return found
        more = [*self.in_order(row, path)]
        if more and rejections.rejects(more, _NOT_REFUSED):
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
            if each.path[:-1] != inner or each.code not in rejections.PASSED_OVER
        ]

    def _named(self, name: Any, path: Path) -> Iterator[Problem]:
        index = path[-1]
        if not isinstance(name, str) or not isinstance(index, int):
            return
        first = self._names.setdefault(name, index)
        if first != index:
            where = (*path[:-1], first, str(self.named_by))
            message = f"`{self.named_by}` is that of record {first + 1}: `{name}`"
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
