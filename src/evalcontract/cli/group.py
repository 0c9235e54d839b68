"""A group of commands that shows its help by default and suggests similar command names."""

from __future__ import annotations

from pathlib import Path

import click

from evalcontract.cli.command import Command
from evalcontract.model.nearest import nearest
from evalcontract.policy import USAGE


class CommandGroup(Command, click.Group):
    """A group of commands."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Show the help if there are no arguments, and exit with the code for usage errors."""
        if not args and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), err=True)
            ctx.exit(USAGE)
        return super().parse_args(ctx, args)

    def names(self, ctx: click.Context) -> list[str]:
        """Return the names and aliases of the commands."""
        return self.list_commands(ctx)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first argument names.

        Raises:
            UsageError: there is none; the message suggests similar names.

        """
        if args and args[0] not in self.names(ctx):
            advice = self._advice(args[0], ctx)
            raise click.UsageError(f"there is no command `{args[0]}`{advice}", ctx)
        name, command, rest = super().resolve_command(ctx, args)
        return (command.name if command else name), command, rest

    def _advice(self, given: str, ctx: click.Context) -> str:
        names = self.names(ctx)
        near = nearest(given, names)
        parts = [
            name for name in names if given and given in (name[: len(given)], name.split("-")[-1])
        ]
        meant = [near] if near else parts
        if meant:
            *others, last = (f"`{name}`" for name in meant)
            before = f"{', '.join(others)} or " if others else ""
            return f"; did you mean {before}{last}?"
        commands = ", ".join(f"`{name}`" for name in self.list_commands(ctx))
        if Path(given).exists():
            return f", but a file or folder of that name; put a command before it: {commands}"
        return f"; choose from {commands}"
