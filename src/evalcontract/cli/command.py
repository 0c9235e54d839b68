"""The group of all commands: what each of them has, its help, its usage errors and completion."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import click
from click.shell_completion import CompletionItem

from evalcontract._version import __version__
from evalcontract.cli.output import WHEN, choice_of_colour, choose_colour, guarded, put, refuse
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.policy import INTERRUPTED, USAGE


class Command(click.Command):
    """A command; `examples` have the line that does what is wanted."""

    def __init__(
        self, *arguments: Any, examples: Mapping[str, str] = MappingProxyType({}), **options: Any
    ) -> None:
        super().__init__(*arguments, **{"context_settings": HELP, **options})
        self.examples = examples
        for option in (_COLOUR, _VERSION):  # the last ones, before `--help`
            option(self)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the examples."""
        super().format_epilog(ctx, formatter)
        if not self.examples:
            return
        with formatter.section("Examples"):
            for purpose, line in self.examples.items():
                # Not wrapped: a line is copied into a shell.
                formatter.write(f"  {purpose}:\n    {line}\n")


#: What `-h` means; click knows only `--help` by itself.
HELP = {"help_option_names": ["-h", "--help"]}


def _choose_colour(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None and not context.resilient_parsing:
        choose_colour(value)


_COLOUR = click.option(
    "--color",
    type=click.Choice(WHEN),
    expose_value=False,
    is_eager=True,
    callback=_choose_colour,
    help="When to colour (default: auto, terminals only).",
)
_VERSION = click.version_option(__version__, prog_name="evalcontract")


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
    "grade": ("grade", "Grade recorded outputs by the rubrics of a dataset."),
    "compare": ("compare", "Say what changed between the results of several runs."),
    "power": ("compare", "Say how many rows it takes to detect a difference."),
    "diff": ("meaning", "Say what changed in meaning, and whether versions say so."),
    "manifest": ("meaning", "Print what the results of a dataset will depend on."),
    "report": ("report", "Write findings, coverage and results as an HTML page."),
    "calibrate-judge": ("calibrate", "Measure how well a judge agrees with human labels."),
    "convert": ("convert", "Convert datasets between evalcontract and other systems."),
    "migrate": ("init", "Migrate files of ai_best_practices and ai_eval."),
    "sync": ("lock", "Fetch the libraries of a workspace, and lock them."),
    "explain": ("explain", "Explain a code, a kind of check, a key or an artifact."),
    "doctor": ("installation", "Say what is installed, and why a file is not checked."),
    "schema": ("installation", "List, show and export the JSON Schemas."),
    "lsp": ("installation", "Run the language server for editors."),
    "completion": ("command", "Print the completion script of a shell."),
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


# What shells complete

#: Returns what a value may be that begins with a text; the form in which click asks for it.
Offer = Callable[[str], list[CompletionItem]]
Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]


def completes(offer: Offer) -> Complete:
    """Return what click calls to offer values."""
    return lambda _context, _parameter, incomplete: offer(incomplete)


def files_of(*media: str) -> Complete:
    """Offer the files of some file formats, such as `yaml`, or of all of them; and folders."""

    def offer(incomplete: str) -> list[CompletionItem]:
        from evalcontract.source.external import MEDIA  # slow to import

        suffixes = " ".join(name for name, medium in MEDIA.items() if not media or medium in media)
        return [CompletionItem(incomplete, type="file", suffixes=suffixes)]

    return completes(offer)


@completes
def codes(incomplete: str) -> list[CompletionItem]:
    """Offer codes in a list with commas: first their kinds, and then those of a kind."""
    from evalcontract.workspace.catalogue import KnownCodes  # slow to import

    earlier, comma, name = incomplete.rpartition(",")
    offered = parts_of_codes(name, KnownCodes())
    for item in offered:
        item.value = f"{earlier}{comma}{item.value}"
    return offered


def parts_of_codes(name: str, known: Iterable[str]) -> list[CompletionItem]:
    """Return the kinds of codes that a name may begin; once it names one, the codes."""
    if "/" not in name:
        kinds = dict.fromkeys(f"{code.partition('/')[0]}/" for code in known)
        return [CompletionItem(kind, type="part") for kind in kinds if kind.startswith(name)]
    return [CompletionItem(code) for code in known if code.startswith(name)]


@completes
def dialects(incomplete: str) -> list[CompletionItem]:
    """Offer the dialects of datasets."""
    from evalcontract.formats import OURS, formats_in_use  # slow to import

    offered = {OURS: "evalcontract"}
    for format_ in formats_in_use():
        offered |= {str(dialect): format_.title for dialect in format_.dialects()}
    return chosen(offered, incomplete)


@completes
def formats(incomplete: str) -> list[CompletionItem]:
    """Offer the output formats."""
    from evalcontract.report import format_names

    return chosen(dict.fromkeys(format_names()), incomplete)


@completes
def report_files(incomplete: str) -> list[CompletionItem]:
    """Offer `FORMAT:`, and after it, or without it, files."""
    from evalcontract.report import format_names

    name, colon, file = incomplete.partition(":")
    if colon and name in format_names():
        return [CompletionItem(file, type="file", before=f"{name}:")]
    prefixes = [f"{each}:" for each in format_names() if each.startswith(incomplete)]
    offered = [CompletionItem(each, type="part") for each in prefixes] if incomplete else []
    return offered or [CompletionItem(incomplete, type="file")]


@completes
def schema_names(incomplete: str) -> list[CompletionItem]:
    """Offer the names of schemas."""
    from evalcontract.structure import schemas

    return chosen(
        {name: schemas.load(name).get("title") for name in schemas.every_name()}, incomplete
    )


def chosen(offered: Mapping[str, str | None], incomplete: str) -> list[CompletionItem]:
    """Return those of some words, with their descriptions, that begin with what is typed."""
    return [
        CompletionItem(word, help=text)
        for word, text in offered.items()
        if word.startswith(incomplete)
    ]


VARIABLE = "_EVALCONTRACT_COMPLETE"
#: The console scripts, as in `pyproject.toml`.
SCRIPTS = ("evalcontract", *ALIASES.values())
SHELLS = ("bash", "zsh", "fish")
_END = "\x1f"
#: What needs no quotes in any shell. Plugins may bring other names, which are not offered.
_WORD = lazy_pattern(r"[\w./:@+,=-]+", re.ASCII)
_OPTION = lazy_pattern(r"(--[\w-]+)=(.*)", re.DOTALL)
#: Where bash ends a word, by default: it completes what follows.
_BREAKS = (":", "=")
_DETAILS = lazy_pattern(r"\.?(?:\s+\(|:\s|\.\s|\.$|,)")
_FILES = ("file", "dir")


class _TypedWords(NamedTuple):
    """The words before the cursor, the one at the cursor, and how far the shell keeps it."""

    before: list[str]
    word: str
    kept: int = 0


def complete(command: click.Command, name: str) -> int:
    """Print what may follow the words of `COMP_WORDS`; return the exit code."""
    from click.shell_completion import ShellComplete

    shell = os.environ[VARIABLE].partition("_")[0]
    words = os.environ.get("COMP_WORDS", "").split(_END)[:-1]
    typed = _of_bash(words) if shell == "bash" else _TypedWords(words[:-1], "".join(words[-1:]))
    before, word = typed.before, typed.word
    given = _OPTION.fullmatch(word)
    head = f"{given[1]}=" if given else ""
    if given:
        before, word = [*before, given[1]], given[2]
    try:
        items = ShellComplete(command, {}, name, VARIABLE).get_completions(before, word)
        lines = "".join(_lines(items, head, typed.kept))
    except Exception:  # noqa: BLE001 - a message would stand in the line that somebody types
        return 1
    sys.stdout.write(lines)
    return 0


def _of_bash(words: Sequence[str]) -> _TypedWords:
    """Return what was typed: bash ends words at `:` and `=`, and leaves quotes in them."""
    from click.shell_completion import split_arg_string

    joined: list[str] = []
    length, glued = 0, False
    for word in words:
        is_break = bool(word) and not word.strip("".join(_BREAKS))
        if joined and (is_break or (glued and word)):
            length = len(joined[-1]) + (len(word) if is_break else 0)
            joined[-1] += word
        else:
            length = 0
            joined.append(word)
        glued = is_break
    plain = ["".join(split_arg_string(word)[:1]) for word in joined]
    return _TypedWords(plain[:-1], "".join(plain[-1:]), length)


def _lines(items: Sequence[CompletionItem], head: str, length: int) -> Iterator[str]:
    for item in items:
        if item.type in _FILES:
            suffixes = (item.suffixes or "*") if item.type == "file" else ""
            yield f"{item.type}\t{suffixes}\t{head}{item.before or ''}\n"
        elif _WORD.fullmatch(item.value):
            yield f"{item.type}\t{(head + item.value)[length:]}\t{_in_one_line(item.help)}\n"


def _in_one_line(text: str | None) -> str:
    """Return a description up to its first details."""
    shown = " ".join(_DETAILS.split(text or "", maxsplit=1)[0].split())
    return "".join(each for each in shown if each.isprintable())


@click.command(
    "completion",
    cls=Command,
    examples={
        "Complete in this bash": 'eval "$(evalcontract completion bash)"',
        "Complete in every new bash": "evalcontract completion bash >> ~/.bashrc",
        "Complete in every new fish": (
            "evalcontract completion fish > ~/.config/fish/completions/evalcontract.fish"
        ),
    },
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def completion_command(shell: str) -> None:
    """Print the script with which a shell completes commands, options and their values.

    It serves all commands of evalcontract, and offers the files that a command reads, dialects,
    codes, output formats and the names of schemas. For zsh, write it to a file `_evalcontract` in
    a folder of `fpath`, or have `.zshrc` evaluate it below `compinit`.
    """
    put([script(shell)], raw=True)


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    from importlib.resources import files  # slow to import

    path = files("evalcontract") / "templates" / "completion" / shell
    return path.read_text(encoding="utf-8").replace("@COMMANDS@", " ".join(SCRIPTS))
