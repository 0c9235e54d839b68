"""The group of all commands, and what becomes of failures."""

from __future__ import annotations

import sys
import traceback
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from evalcontract import __version__
from evalcontract.cli.colour import wants_colour
from evalcontract.cli.group import Group
from evalcontract.cli.output import OutputError, let_go, not_written, prepare_streams, put
from evalcontract.model.errors import EvalContractError
from evalcontract.policy.exit_status import BUG, INTERRUPTED, USAGE
from evalcontract.report.frame import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

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


class _Commands(Group):
    """The commands of `evalcontract`, some of which have a second name."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def names(self, ctx: click.Context) -> list[str]:
        return [*self.list_commands(ctx), *ALIASES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        name = ALIASES.get(cmd_name, cmd_name)
        return command(name) if name in COMMANDS else None

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


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evalcontract")
def group() -> None:
    """Check the datasets, rubrics and judges of language model evaluations."""


def run(asked: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    try:
        status = _status(asked, arguments)
    except OutputError as error:
        let_go(sys.stdout)
        status = USAGE if error.quiet else _refuse(str(error))
    let_go(sys.stderr)
    return status


def _status(asked: click.Command, arguments: Sequence[str] | None) -> int:
    try:
        prepare_streams()
        status: Any = asked.main(arguments, standalone_mode=False)
        return status if isinstance(status, int) else 0
    except click.ClickException as error:
        usage = error.ctx.get_usage() if isinstance(error, click.UsageError) and error.ctx else ""
        message = error.format_message()
        return _refuse(message[:1].lower() + message[1:].removesuffix("."), usage)
    except EvalContractError as error:
        return _refuse(str(error))
    except (click.Abort, KeyboardInterrupt):
        return INTERRUPTED
    except SystemExit:  # click's own way out, when the reader of its help has gone
        return USAGE
    except OutputError:
        raise
    except Exception as error:  # noqa: BLE001 - the last resort: say that it is our bug
        if isinstance(error, OSError) and error.filename is None:  # click printed its help
            raise not_written(error) from None
        told = "this is a bug of evalcontract: please report it with the above\n"
        with suppress(OutputError):
            put([traceback.format_exc(), told], err=True)
        return BUG


def _refuse(message: str, usage: str = "") -> int:
    """Say why nothing was done; what was typed is shown, and not sent to the terminal."""
    name = "error"
    if wants_colour(sys.stderr):
        name = click.style(name, fg="red", bold=True)
    # Line breaks are click's; a terminal does nothing harmful with one.
    lines = [usage, f"{name}: "] if usage else [f"{name}: "]
    lines[-1] += "\n".join(visible(line) for line in message.split("\n"))
    with suppress(OutputError):
        put([f"{line}\n" for line in lines], err=True)
    return USAGE
