"""The group of all commands, and what becomes of failures."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

import click

from evalcontract import __version__
from evalcontract.cli.colour import wants_colour
from evalcontract.model.errors import EvalContractError
from evalcontract.model.nearest import nearest
from evalcontract.policy.exit_status import BUG, USAGE
from evalcontract.report.frame import visible

if TYPE_CHECKING:
    from collections.abc import Sequence
from importlib import import_module

# Where each command is; it is imported when it is asked for, since that is what a start costs.
COMMANDS = {
    "check": "evalcontract.cli.check:check",
    "validate-dataset": "evalcontract.cli.validate:validate_dataset",
    "validate-rubric": "evalcontract.cli.validate:validate_rubric",
    "validate-judge": "evalcontract.cli.validate:validate_judge",
    "coverage": "evalcontract.cli.coverage:coverage_command",
    "explain": "evalcontract.cli.explain:explain",
    "schema": "evalcontract.cli.schema:schema",
}
ALIASES = {
    "aevd": "validate-dataset",
    "aevr": "validate-rubric",
    "aevj": "validate-judge",
}


def command(name: str) -> click.Command:
    """Import a command."""
    module, _, attribute = COMMANDS[name].partition(":")
    found: click.Command = getattr(import_module(module), attribute)
    return found


class _Group(click.Group):
    """A group whose commands have a second name; an unknown one gets a suggestion."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        name = ALIASES.get(cmd_name, cmd_name)
        return command(name) if name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        asked = args[0]
        if asked not in COMMANDS and asked not in ALIASES and not asked.startswith("-"):
            near = nearest(asked, COMMANDS)
            advice = f" Did you mean {near}?" if near else f" There are {', '.join(COMMANDS)}."
            raise click.UsageError(f"There is no command {asked}.{advice}", ctx)
        name, found, rest = super().resolve_command(ctx, args)
        return (found.name if found else name), found, rest

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Aliases"):
            formatter.write_dl(list(ALIASES.items()))
        with formatter.section("Exit codes"):
            formatter.write_dl(
                [
                    ("0", "no errors"),
                    ("1", "errors found"),
                    ("2", "wrong usage, bad configuration, or nothing to check"),
                    ("3", "a bug of evalcontract"),
                ]
            )


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evalcontract")
def group() -> None:
    """Check the datasets, rubrics and judges of language model evaluations."""


def run(asked: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    try:
        status: Any = asked.main(arguments, standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        usage = error.ctx.get_usage() if isinstance(error, click.UsageError) and error.ctx else ""
        return _refuse(error.format_message(), usage)
    except EvalContractError as error:
        return _refuse(str(error))
    except (click.Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        sys.stderr.close()  # the reader of our output has gone; nobody is left to tell
        return 0
    except Exception:  # noqa: BLE001 - the last resort: say that it is our bug
        traceback.print_exc()
        click.echo("this is a bug of evalcontract: please report it with the above", err=True)
        return BUG


def _refuse(message: str, usage: str = "") -> int:
    """Say why nothing was done; what was typed is shown, and not sent to the terminal."""
    colour = wants_colour(sys.stderr)
    name = click.style("error", fg="red", bold=True) if colour else "error"
    if usage:
        click.echo(visible(usage), err=True)
    click.echo(f"{name}: {visible(message)}", err=True, color=colour)
    return USAGE
