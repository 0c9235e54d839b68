"""`explain CODE`: the page of a code."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from evalcontract.api.manual import manual
from evalcontract.cli.colour import wants_colour
from evalcontract.model.nearest import nearest
from evalcontract.policy import DEFAULT, TABLE

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.page import Page


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a code, or list them all.

    CODE is what stands in brackets, such as dataset/duplicate-id.
    """
    pages = manual()
    if code is None:
        _list(pages.values())
        return
    if code not in pages:
        near = nearest(code, pages) or _by_fault(code, list(pages))
        advice = f" Did you mean {near}?" if near else " `evalcontract explain` lists them all."
        raise click.UsageError(f"There is no code {code}.{advice}")
    page = pages[code]
    soft, strict = TABLE.get(code, DEFAULT)
    colour = wants_colour(sys.stdout)
    click.echo(click.style(code, bold=True) if colour else code, color=colour)
    click.echo(f"\n{page.what}\n\n{page.why}\n")
    click.echo(f"Severity: {soft} (soft), {strict} (strict)\n")
    click.echo(f"Bad:\n\n{textwrap.indent(page.bad, '    ')}")
    click.echo(f"Good:\n\n{textwrap.indent(page.good, '    ')}", nl=False)


def _list(pages: Iterable[Page]) -> None:
    """Print each code with the first sentence of its page below it."""
    width = min(shutil.get_terminal_size().columns, 100)
    for page in pages:
        sentence = " ".join(page.what.split()).split(". ")[0].rstrip(".")
        click.echo(page.code)
        click.echo(textwrap.fill(sentence, width, initial_indent="    ", subsequent_indent="    "))


def _by_fault(code: str, codes: list[str]) -> str | None:
    """Find a code by its second half, for who leaves the kind out."""
    faults = {each.split("/")[1]: each for each in reversed(codes)}
    near = nearest(code.rsplit("/", 1)[-1], faults)
    return faults[near] if near else None
