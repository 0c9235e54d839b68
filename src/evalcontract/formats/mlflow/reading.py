"""From records of MLflow to rows of ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, OurRow
from evalcontract.formats._residual import Residual, applied, difference
from evalcontract.formats.mlflow.mapping import as_record, as_row
from evalcontract.formats.mlflow.residual import NESTED, Kept, join_record, join_row, split_record
from evalcontract.model.same import same

if TYPE_CHECKING:
    from collections.abc import Iterator

_NO_PLACE = {
    "source": "rows do not say where they come from",
    "tags": "tags of rows are texts without values",
    "outputs": "the store writes a mapping without keys where there are none",
}
_EXPECTATION = "no check of ours reads it"
_UNREAD = "MLflow does not read it, and neither do rows"


class MlflowReader:
    """`Reader` of records. Nothing stands around them, so the root is empty."""

    root: dict[str, Any] = {}  # noqa: RUF012 - never changed
    losses: tuple[Loss, ...] = ()

    def __init__(self, variant: str) -> None:
        self._variant = variant

    def read(self, row: Any, index: int) -> OurRow:
        """Turn a sound record into a row; what rows have no place for is kept in it."""
        record, besides = split_record(row, self._variant)
        plain, hints = as_row(record, self._variant, index)
        made = plain if besides is None else applied(plain, besides)
        if not _is_row(made):
            record, besides, made = row, None, as_row(row, self._variant, index)[0]
        residual = difference(as_record(made, hints, self._variant, index), record, NESTED)
        losses = [*_losses(residual)]
        if besides is not None and not _is_derived(row, record, difference(plain, made)):
            reason = "it says in part what the record says already"
            losses.append(Loss(("tags", OURS), reason, is_kept=False))
        whole = join_row(made, Kept(residual, hints, self._variant))
        return OurRow(whole, losses=tuple(losses))


def _is_row(row: dict[str, Any]) -> bool:
    """Whether what a record keeps of a row makes one: others may write there what they like."""
    texts = all(isinstance(row.get(key), str) and row[key] for key in ("id", "input"))
    return texts and isinstance(row.get("metadata", {}), dict)


def _is_derived(row: dict[str, Any], record: dict[str, Any], residual: Residual) -> bool:
    """Whether a record would keep just this."""
    return same(join_record(record, residual), row)


def _losses(residual: Residual) -> Iterator[Loss]:
    for key, value in residual.set.items():
        if key == "expectations" and isinstance(value, dict):
            for name in value:
                yield Loss((key, name), _EXPECTATION, is_kept=True)
        else:
            yield Loss((key,), _NO_PLACE.get(key, _UNREAD), is_kept=True)
