"""A group of commands: alone it shows its help, and an unknown command gets a suggestion."""

from __future__ import annotations

from pathlib import Path

import click

from evalcontract.model.nearest import nearest
from evalcontract.policy.exit_status import USAGE


class CommandGroup(click.Group):
    """Commands below one name."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help where nothing is asked for: that is wrong usage, but no riddle."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def names(self, ctx: click.Context) -> list[str]:
        """Return every name that a command answers to."""
        return self.list_commands(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that the first argument names.

        Raises:
            UsageError: there is none; the message says which may be meant.

        """
        if args and args[0] not in self.names(ctx):
            advice = self._advice(args[0], ctx)
            raise click.UsageError(f"there is no command `{args[0]}`{advice}", ctx)
        name, found, rest = super().resolve_command(ctx, args)
        return (found.name if found else name), found, rest

    def _advice(self, asked: str, ctx: click.Context) -> str:
        names = self.names(ctx)
        near = nearest(asked, names)
        parts = [
            name for name in names if asked and asked in (name[: len(asked)], name.split("-")[-1])
        ]
        meant = [near] if near else parts
        if meant:
            *others, last = (f"`{name}`" for name in meant)
            before = f"{', '.join(others)} or " if others else ""
            return f"; did you mean {before}{last}?"
        there = ", ".join(f"`{name}`" for name in self.list_commands(ctx))
        if Path(asked).exists():
            return f", but a file or folder of that name; name a command before it: {there}"
        return f"; there are {there}"
