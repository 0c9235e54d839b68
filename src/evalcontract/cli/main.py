"""The group of all commands, and the handling of usage errors."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from evalcontract import __version__
from evalcontract.cli.failures import guarded, refuse
from evalcontract.cli.group import CommandGroup
from evalcontract.policy.exit_status import INTERRUPTED, USAGE

if TYPE_CHECKING:
    from collections.abc import Sequence

# The module of each command. Modules are imported on demand to keep the startup fast.
COMMANDS = {
    "init": "evalcontract.cli.init:init_command",
    "check": "evalcontract.cli.check:check",
    "validate-dataset": "evalcontract.cli.validate:validate_dataset",
    "validate-rubric": "evalcontract.cli.validate:validate_rubric",
    "validate-judge": "evalcontract.cli.validate:validate_judge",
    "validate-target": "evalcontract.cli.validate:validate_target",
    "fix": "evalcontract.cli.fix:fix_command",
    "coverage": "evalcontract.cli.coverage:coverage_command",
    "grade": "evalcontract.cli.grade:grade_command",
    "calibrate-judge": "evalcontract.cli.calibrate:calibrate_command",
    "convert": "evalcontract.cli.convert:convert_command",
    "migrate": "evalcontract.cli.migrate:migrate_command",
    "explain": "evalcontract.cli.explain:explain",
    "schema": "evalcontract.cli.schema:schema",
}
ALIASES = {
    "aevd": "validate-dataset",
    "aevr": "validate-rubric",
    "aevj": "validate-judge",
    "aevt": "validate-target",
}


def command(name: str) -> click.Command:
    """Import a command."""
    module, _, attribute = COMMANDS[name].partition(":")
    loaded: click.Command = getattr(import_module(module), attribute)
    return loaded


class _Commands(CommandGroup):
    """The commands of `evalcontract`, some with an alias."""

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
                    ("2", "usage error, invalid configuration, or nothing to check"),
                    ("3", "internal error"),
                ]
            )


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="evalcontract")
def group() -> None:
    """Check the datasets, rubrics and judges of language model evaluations."""


def run(to_run: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    return guarded(_status, to_run, arguments)


def _status(to_run: click.Command, arguments: Sequence[str] | None) -> int:
    try:
        status: Any = to_run.main(arguments, standalone_mode=False)
    except click.ClickException as error:
        usage = error.ctx.get_usage() if isinstance(error, click.UsageError) and error.ctx else ""
        message = error.format_message()
        return refuse(message[:1].lower() + message[1:].removesuffix("."), usage)
    except click.Abort:
        return INTERRUPTED
    except SystemExit:  # raised by click if standard output is closed while it prints help
        return USAGE
    return status if isinstance(status, int) else 0
