"""`lsp`: the language server for editors."""

from __future__ import annotations

import sys
from importlib.util import find_spec

import click

from evalcontract.cli.command import Command
from evalcontract.cli.output import put
from evalcontract.model.errors import UsageError

_INSTALL = "pip install 'evalcontract[lsp]'"


@click.command(
    "lsp",
    cls=Command,
    examples=[("Install what it needs", _INSTALL)],
)
@click.option("--stdio", is_flag=True, help="Use standard input and output, as always.")
def lsp_command(stdio: bool) -> int:  # noqa: FBT001 - a flag of click
    """Run the language server, which an editor starts and speaks to over standard input.

    It shows what `check` finds while you type, and completes, explains, renames and fixes.
    """
    del stdio  # editors pass it by convention
    if find_spec("pygls") is None:
        raise UsageError(f"the language server needs pygls: {_INSTALL}")
    if sys.stdin is None:
        raise UsageError("standard input is closed, but an editor writes to it")
    if sys.stdin.isatty():
        put(["note: this is for editors; press Ctrl-C to end it\n"], err=True)
    from evalcontract.lsp.start import serve  # slow to import, and needs the extra

    return serve()
