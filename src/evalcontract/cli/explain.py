"""`explain CODE`: the page of a code."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from evalcontract.cli.colour import wants_colour
from evalcontract.cli.output import put
from evalcontract.engine.manual import manual
from evalcontract.model.nearest import nearest
from evalcontract.policy import DEFAULT, TABLE
from evalcontract.policy.dialects import SYSTEMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.page import Page


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a code, or list them all.

    CODE is what stands in brackets, such as dataset/duplicate-id.
    """
    pages = manual()
    if code is None:
        put(_list(pages.values()))
        return
    if code not in pages:
        near = nearest(code, pages) or _by_fault(code, list(pages))
        advice = f"did you mean `{near}`?" if near else "`evalcontract explain` lists them all"
        raise click.UsageError(f"there is no code `{code}`; {advice}", click.get_current_context())
    page = pages[code]
    soft, strict = TABLE.get(code, DEFAULT)
    colour = wants_colour(sys.stdout)
    put(
        (
            f"{click.style(code, bold=True) if colour else code}\n",
            f"\n{page.what}\n\n{page.why}\n\n",
            f"Severity: {soft} (soft), {strict} (strict)\n\n",
            f"Bad:\n\n{textwrap.indent(page.bad, '    ')}\n",
            f"Good:\n\n{textwrap.indent(page.good, '    ')}",
        )
    )


def _list(pages: Iterable[Page]) -> Iterator[str]:
    """Write each code with the first sentence of its page below it."""
    width = min(shutil.get_terminal_size().columns, 100)
    for page in pages:
        sentence = " ".join(page.what.split()).split(". ")[0].rstrip(".")
        told = textwrap.fill(sentence, width, initial_indent="    ", subsequent_indent="    ")
        yield f"{page.code}\n{told}\n"


def _by_fault(code: str, codes: list[str]) -> str | None:
    """Find a code by its second half, for who leaves the kind out; one of ours before others."""
    ordered = sorted(codes, key=lambda each: each.split("/")[0] in SYSTEMS)
    faults = {each.split("/")[1]: each for each in reversed(ordered)}
    near = nearest(code.rsplit("/", 1)[-1], faults)
    return faults[near] if near else None
