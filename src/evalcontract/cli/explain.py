"""`explain CODE`: print the manual page of a code."""

from __future__ import annotations

import shutil
import sys
import textwrap
from typing import TYPE_CHECKING

import click

from evalcontract.cli.colour import wants_colour
from evalcontract.cli.output import put
from evalcontract.model.nearest import nearest
from evalcontract.workspace.known_codes import KnownCodes, url_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.code import Code


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a code, or list them all.

    CODE is the name in brackets in a finding, such as dataset/duplicate-id.
    """
    codes = KnownCodes()
    if code is None:
        put(_list(codes.values()))
        return
    if code not in codes:
        near = nearest(code, codes) or _by_fault(code, codes)
        advice = f"did you mean `{near}`?" if near else "`evalcontract explain` lists them all"
        raise click.UsageError(f"there is no code `{code}`; {advice}", click.get_current_context())
    put(_page(codes[code], in_colour=wants_colour(sys.stdout)))


def _page(code: Code, *, in_colour: bool) -> Iterator[str]:
    page, (soft, strict) = code.page, code.severities
    yield f"{click.style(code, bold=True) if in_colour else code}\n"
    yield f"\n{page.what}\n\n{page.why}\n\n"
    yield f"Severity: {soft} (soft), {strict} (strict)\n"
    yield f"Confidence: {code.confidence}\n"
    yield f"Documentation: {url}\n\n" if (url := url_of(code)) else "\n"
    yield f"Bad:\n\n{textwrap.indent(page.bad, '    ')}\n"
    yield f"Good:\n\n{textwrap.indent(page.good, '    ')}"


def _list(codes: Iterable[Code]) -> Iterator[str]:
    """Yield each code, followed by the first sentence of its page."""
    width = min(shutil.get_terminal_size().columns, 100)
    for code in codes:
        indent = "    "
        summary = textwrap.fill(
            code.page.summary, width, initial_indent=indent, subsequent_indent=indent
        )
        yield f"{code}\n{summary}\n"


def _by_fault(given: str, codes: Iterable[str]) -> str | None:
    """Find a code by its second half, in case the kind was left out; built-in codes first."""
    faults: dict[str, str] = {}
    for code in codes:
        faults.setdefault(code.partition("/")[2], code)
    near = nearest(given.rpartition("/")[2], faults)
    return faults[near] if near else None
