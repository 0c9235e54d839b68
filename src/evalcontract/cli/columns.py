"""The option `--map`: which keys of rows the columns of a table are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcontract.model.errors import UsageError

if TYPE_CHECKING:
    from evalcontract.datasets.columns import ColumnKeys


def _parsed(context: Any, parameter: Any, values: tuple[str, ...]) -> ColumnKeys:
    """Return the columns and keys of `COLUMN=KEY`; the name of a column may contain `=`."""
    return _checked(context, parameter, values)


def _parsed_with_outputs(context: Any, parameter: Any, values: tuple[str, ...]) -> ColumnKeys:
    """Return as `_parsed`; a key may be one of recorded outputs, too."""
    return _checked(context, parameter, values, has_outputs=True)


def _checked(
    context: Any, parameter: Any, values: tuple[str, ...], *, has_outputs: bool = False
) -> ColumnKeys:
    if not values:
        return ()
    from evalcontract.datasets.columns import RECORDED, checked  # rarely needed

    pairs = [value.rpartition("=")[::2] for value in values]
    for value, (column, key) in zip(values, pairs, strict=True):
        if not column or not key:
            message = f"expected COLUMN=KEY, such as question=input, not `{value}`"
            raise click.BadParameter(message, context, parameter)
    try:
        return checked(pairs, RECORDED if has_outputs else ())
    except UsageError as error:
        raise click.BadParameter(str(error), context, parameter) from None


#: The keys of columns, as `columns`.
MAP = click.option(
    "--map",
    "columns",
    callback=_parsed,
    multiple=True,
    metavar="COLUMN=KEY",
    help="Column of a CSV or Parquet file, and the key of a row that it is read as, such as "
    "answer=expected.reference (default: by the names of the columns). Can be given several times.",
)
#: The same, and keys of recorded outputs.
MAP_WITH_OUTPUTS = click.option(
    "--map",
    "columns",
    callback=_parsed_with_outputs,
    multiple=True,
    metavar="COLUMN=KEY",
    help="Column of a CSV or Parquet file, and the key of a row that it is read as, such as "
    "answer=expected.reference; or key of the outputs that is read as `output` or `tool_calls`, "
    "such as response=output (default: by the names of the columns). Can be given several times.",
)
