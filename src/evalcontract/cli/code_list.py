"""The values of `--select` and `--ignore`: codes and kinds of codes, separated by commas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcontract.cli.candidates import codes
from evalcontract.cli.output import put
from evalcontract.model.errors import UsageError

if TYPE_CHECKING:
    _ListType = click.ParamType[tuple[str, ...]]
else:
    _ListType = click.ParamType  # click 8.1 and 8.2 know no parameter of it


class CodeList(_ListType):
    """A list of codes and kinds; with `to_ignore`, only of those that can be ignored."""

    name = "codes"

    def shell_complete(self, ctx: Any, param: Any, incomplete: str) -> list[Any]:
        """Return what a list may go on with."""
        return codes(ctx, param, incomplete)

    def __init__(self, *, to_ignore: bool = False) -> None:
        self._to_ignore = to_ignore

    def get_metavar(self, *_: Any, **__: Any) -> str:
        """Return the placeholder in the help."""
        return "CODE,..."

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, ...]:
        """Return the codes and kinds in a value."""
        from evalcontract.policy import (
            RENAMED,
            parse_codes,  # slow to import
        )
        from evalcontract.workspace.catalogue import KnownCodes

        for name in RENAMED.keys() & {each.strip() for each in value.split(",")}:
            put([f"note: `{name}` is now called `{RENAMED[name]}`\n"], err=True)
        try:
            return tuple(parse_codes(value, KnownCodes(), to_ignore=self._to_ignore))
        except UsageError as error:
            self.fail(str(error), param, ctx)
