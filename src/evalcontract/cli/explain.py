"""`explain CODE`: the page of a code."""

from __future__ import annotations

import textwrap

import click

from evalcontract.api.manual import manual
from evalcontract.model.nearest import nearest
from evalcontract.policy import TABLE


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain a code, such as dataset/duplicate-id; without CODE list them all."""
    pages = manual()
    if code is None:
        for name, page in pages.items():
            click.echo(f"{name:<30} {textwrap.shorten(page.what, 48, placeholder='…')}")
        return
    if code not in pages:
        near = nearest(code, pages) or _by_fault(code, list(pages))
        advice = f" Did you mean {near}?" if near else " `evalcontract explain` lists them all."
        raise click.UsageError(f"There is no code {code}.{advice}")
    page = pages[code]
    click.echo(click.style(code, bold=True))
    click.echo(f"\n{page.what}\n\n{page.why}\n")
    soft, strict = TABLE[code]
    click.echo(f"It weighs: {soft} in soft mode, {strict} in strict mode.\n")
    click.echo(f"Bad:\n\n{textwrap.indent(page.bad, '    ')}")
    click.echo(f"Good:\n\n{textwrap.indent(page.good, '    ')}", nl=False)


def _by_fault(code: str, codes: list[str]) -> str | None:
    """Find a code by its second half, for who leaves the kind out."""
    fault = code.rsplit("/", 1)[-1]
    return next((each for each in codes if each.split("/")[1] == fault), None)
