"""The group of all commands, and what becomes of failures."""

from __future__ import annotations

import sys
import traceback
from typing import TYPE_CHECKING, Any

import click

from evalcontract import __version__
from evalcontract.cli.check import check
from evalcontract.cli.colour import wants_colour
from evalcontract.cli.coverage import coverage_command
from evalcontract.cli.explain import explain
from evalcontract.cli.schema import schema
from evalcontract.cli.validate import validate_dataset, validate_judge, validate_rubric
from evalcontract.model.errors import EvalContractError
from evalcontract.policy.exit_status import BUG, USAGE
from evalcontract.report.frame import visible

if TYPE_CHECKING:
    from collections.abc import Sequence

ALIASES = {
    "aevd": "validate-dataset",
    "aevr": "validate-rubric",
    "aevj": "validate-judge",
}


class _Group(click.Group):
    """A group whose commands have a second name; an unknown one gets a suggestion."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, ALIASES.get(cmd_name, cmd_name))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        name, command, rest = super().resolve_command(ctx, args)
        return (command.name if command else name), command, rest

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


for _command in (
    check,
    validate_dataset,
    validate_rubric,
    validate_judge,
    coverage_command,
    explain,
    schema,
):
    group.add_command(_command)


def run(command: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code."""
    try:
        status: Any = command.main(arguments, standalone_mode=False)
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


def main() -> None:
    """Run `evalcontract`."""
    sys.exit(run(group))


def dataset_main() -> None:
    """Run `validate-dataset`."""
    sys.exit(run(validate_dataset))


def rubric_main() -> None:
    """Run `validate-rubric`."""
    sys.exit(run(validate_rubric))


def judge_main() -> None:
    """Run `validate-judge`."""
    sys.exit(run(validate_judge))
