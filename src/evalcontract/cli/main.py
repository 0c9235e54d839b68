"""The group of all commands, and the handling of usage errors."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import click
from click.shell_completion import CompletionItem

from evalcontract.cli.command import CommandGroup, chosen
from evalcontract.cli.output import choice_of_colour, guarded, refuse
from evalcontract.policy import INTERRUPTED, USAGE

# The module of each command, and what it does. Modules are imported on demand: the list of commands
# is shown, and completed, without them.
COMMANDS = {
    "init": ("init", "Make a workspace, with examples or with your own datasets."),
    "check": ("validate", "Check a whole workspace, or a target."),
    "validate-dataset": ("validate", "Validate datasets and what they reference."),
    "validate-rubric": ("validate", "Validate rubrics and what they reference."),
    "validate-judge": ("validate", "Validate judges: their prompts and validation records."),
    "validate-target": ("validate", "Validate targets and the datasets that they run."),
    "fix": ("fix", "Fix findings that have a safe fix, in place."),
    "lock": ("lock", "Write down what the versions of a workspace mean."),
    "bump": ("versions", "Raise the version of what has changed in meaning."),
    "graph": ("versions", "Show which datasets, rubrics and judges refer to which."),
    "outdated": ("versions", "List references to old versions, and what an update changes."),
    "coverage": ("coverage", "Show which checks will run on which rows."),
    "grade": ("runs.grade", "Grade recorded outputs by the rubrics of a dataset."),
    "compare": ("runs.compare", "Say what changed between the results of several runs."),
    "power": ("runs.power", "Say how many rows it takes to detect a difference."),
    "diff": ("diff", "Say what changed in meaning, and whether versions say so."),
    "manifest": ("manifest", "Print what the results of a dataset will depend on."),
    "report": ("report", "Write findings, coverage and results as an HTML page."),
    "calibrate-judge": ("runs.calibrate", "Measure how well a judge agrees with human labels."),
    "convert": ("convert", "Convert datasets between evalcontract and other systems."),
    "migrate": ("init", "Migrate files of ai_best_practices and ai_eval."),
    "sync": ("lock", "Fetch the libraries of a workspace, and lock them."),
    "explain": ("explain", "Explain a code, a kind of check, a key or an artifact."),
    "doctor": ("doctor", "Say what is installed, and why a file is not checked."),
    "schema": ("editors", "List, show and export the JSON Schemas."),
    "lsp": ("editors", "Run the language server for editors."),
    "completion": ("editors", "Print the completion script of a shell."),
}
SUMMARIES = {name: summary for name, (_, summary) in COMMANDS.items()}
ALIASES = {
    "aevd": "validate-dataset",
    "aevr": "validate-rubric",
    "aevj": "validate-judge",
    "aevt": "validate-target",
}


def command(name: str) -> click.Command:
    """Import a command."""
    module = import_module(f"evalcontract.cli.{COMMANDS[name][0]}")
    loaded: click.Command = getattr(module, f"{name.replace('-', '_')}_command")
    return loaded


class _Commands(CommandGroup):
    """The commands of `evalcontract`, some with an alias."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def names(self, ctx: click.Context) -> list[str]:
        return [*self.list_commands(ctx), *ALIASES]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        name = ALIASES.get(cmd_name, cmd_name)
        return command(name) if name in COMMANDS else None

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Offer the commands; their aliases, once nothing else begins so."""
        commands = chosen(SUMMARIES, incomplete)
        aliases = {alias: SUMMARIES[name] for alias, name in ALIASES.items()}
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(commands or chosen(aliases, incomplete)), *options]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does."""
        with formatter.section("Commands"):
            formatter.write_dl(list(SUMMARIES.items()))

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
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
        super().format_epilog(ctx, formatter)


@click.group(
    cls=_Commands,
    examples={
        "Make a workspace with examples, and check it": "evalcontract init evals",
        "Check all files below the current folder": "evalcontract check",
        "Explain a finding": "evalcontract explain dataset/near-miss-key",
    },
)
def group() -> None:
    """Check the datasets, rubrics and judges of language model evaluations."""


def run(to_run: click.Command, arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    with choice_of_colour():
        return guarded(_status, to_run, arguments)


def _status(to_run: click.Command, arguments: Sequence[str] | None) -> int:
    try:
        status: Any = to_run.main(arguments, standalone_mode=False)
    except click.ClickException as error:
        usage = error.ctx.get_usage() if isinstance(error, click.UsageError) and error.ctx else ""
        message = error.format_message()
        return refuse(message[:1].lower() + message[1:].removesuffix("."), usage)
    except click.Abort as abort:
        if isinstance(abort.__context__, EOFError):  # nobody is asked anything: it is a failure
            raise abort.__context__ from None
        return INTERRUPTED
    except SystemExit:  # raised by click if standard output is closed while it prints help
        return USAGE
    return status if isinstance(status, int) else 0
