"""A command as all are: with `-h`, `--version`, `--color`, and examples at the end of its help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from evalcontract._version import __version__
from evalcontract.cli.colour import WHEN, choose_colour

if TYPE_CHECKING:
    from collections.abc import Sequence


class Command(click.Command):
    """A command; `examples` are pairs of what is wanted, and the line that does it."""

    def __init__(
        self, *arguments: Any, examples: Sequence[tuple[str, str]] = (), **options: Any
    ) -> None:
        super().__init__(*arguments, **{"context_settings": HELP, **options})
        self.examples = tuple(examples)

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return the parameters; `--color`, `--version` and `--help` are the last ones."""
        *others, help_ = super().get_params(ctx)
        return [*others, _colour(), _version(), help_]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        super().format_epilog(ctx, formatter)
        if not self.examples:
            return
        with formatter.section("Examples"):
            for wanted, line in self.examples:
                # Not wrapped: a line is copied into a shell.
                formatter.write(f"  {wanted}:\n    {line}\n")


#: What `-h` means; click knows only `--help` by itself.
HELP = {"help_option_names": ["-h", "--help"]}


def _colour() -> click.Option:
    def choose(context: click.Context, option: click.Parameter, value: str | None) -> None:
        del option
        if value is not None and not context.resilient_parsing:
            choose_colour(value)

    return click.Option(
        ["--color"],
        type=click.Choice(WHEN),
        expose_value=False,
        is_eager=True,
        callback=choose,
        help="When to colour (default: auto, terminals only).",
    )


def _version() -> click.Option:
    def show(context: click.Context, option: click.Parameter, value: bool) -> None:  # noqa: FBT001
        del option
        if value and not context.resilient_parsing:
            click.echo(f"evalcontract, version {__version__}")
            context.exit()

    return click.Option(
        ["--version"],
        is_flag=True,
        expose_value=False,
        is_eager=True,
        callback=show,
        help="Show the version and exit.",
    )
