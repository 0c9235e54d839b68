"""`completion`, `lsp` and `schema`: what shells and editors need."""

from __future__ import annotations

import json
import sys
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlsplit

import click

from evalcontract.cli import options
from evalcontract.cli.command import SHELLS, Command, CommandGroup, schema_names
from evalcontract.cli.output import put, put_json, signals_as_interrupts
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.source import SCHEMA_SUFFIX, read_text
from evalcontract.source.writing import write_text
from evalcontract.structure import schemas
from evalcontract.workspace import write_bound


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

    from evalcontract.cli.start import SCRIPTS

    path = files("evalcontract") / "templates" / "completion" / shell
    return path.read_text(encoding="utf-8").replace("@COMMANDS@", " ".join(SCRIPTS))


_INSTALL = "pip install 'evalcontract[lsp]'"


@click.command("lsp", cls=Command, examples={"Install what it needs": _INSTALL})
@click.option(
    "--stdio",
    is_flag=True,
    help="Use standard input and output (the only way).",
)
def lsp_command(stdio: bool) -> int:  # noqa: FBT001 - a flag of click
    """Run the language server, which an editor starts and speaks to over standard input.

    It shows what `check` finds while you type, and completes, explains, renames and fixes.
    """
    del stdio  # editors pass it by convention
    if find_spec("pygls") is None:
        raise UsageError(f"the language server needs pygls: {_INSTALL}")
    if sys.stdin is None:
        raise UsageError("standard input is closed, but an editor writes to it")
    if sys.stdin.isatty():
        put(["note: this is for editors; press Ctrl-C to end it\n"], err=True)
    from evalcontract.lsp.answers import serve  # slow to import, and needs the extra

    return serve()


_LIST_EXAMPLE = {"List the schemas": "evalcontract schema list"}
_SHOW_EXAMPLE = {"Print the schema of rubrics": "evalcontract schema show rubric"}
_EXPORT_EXAMPLES = {
    "Write all schemas, for editors": "evalcontract schema export schema",
    "Write them with the address of your own server": (
        "evalcontract schema export schema --base-url https://schemas.example/1.0"
    ),
}


def _parse_schema_name(value: str) -> str:
    """Reject a value that is not the name of a schema."""
    if value not in schemas.every_name():
        near = nearest(value, schemas.every_name())
        advice = f"did you mean `{near}`?" if near else "`evalcontract schema list` lists them"
        raise UsageError(f"there is no schema `{value}`; {advice}")
    return value


@click.group("schema", cls=CommandGroup, examples=_LIST_EXAMPLE | _SHOW_EXAMPLE | _EXPORT_EXAMPLES)
def schema_command() -> None:
    """List, show and export the JSON Schemas of the contract."""


@schema_command.command("list", cls=Command, examples=_LIST_EXAMPLE)
def list_() -> None:
    """List the names and ids of the schemas."""
    width = max(map(len, schemas.every_name()))
    put(f"{name:<{width}}  {schemas.load(name)['$id']}\n" for name in schemas.every_name())


@schema_command.command(cls=Command, examples=_SHOW_EXAMPLE)
@click.argument(
    "name",
    metavar="NAME",
    callback=options.parsed_by(_parse_schema_name),
    shell_complete=schema_names,
)
def show(name: str) -> None:
    """Print a schema. NAME is one of `schema list`."""
    put_json([schemas.text_of(name)])


@schema_command.command(cls=Command, examples=_EXPORT_EXAMPLES)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--base-url",
    metavar="URL",
    help="URL at which you host the schemas: each id becomes URL/NAME.schema.json.",
)
def export(folder: Path, base_url: str | None) -> None:
    """Write the schemas to FOLDER, to host them or to use them in an editor.

    Those in FOLDER/editor are for editors: they accept the same files, and have snippets, texts
    for each value and plain messages.
    """
    if base_url is not None and urlsplit(base_url).scheme not in ("http", "https", "file"):
        raise click.BadParameter("it must start with http:// or https://", param_hint="--base-url")
    with signals_as_interrupts():
        for name in schemas.every_name():
            path = folder / f"{name}{SCHEMA_SUFFIX}"
            text = _text_to_export(name, base_url)
            fault = write_text(path, text, bound=write_bound(path), replace=_is_export(path, name))
            if fault:
                raise click.ClickException(f"{path}: {fault}")
            put([f"{path.as_posix()}\n"])


def _text_to_export(name: str, base_url: str | None) -> str:
    """Return the text of a schema, with the id that it has at a URL."""
    text = schemas.text_of(name)
    if base_url is None:
        return text
    # Replace only the text of the id, to keep the formatting of the file.
    old = json.dumps(schemas.load(name)["$id"])
    new = json.dumps(f"{base_url.rstrip('/')}/{name}{SCHEMA_SUFFIX}")
    return text.replace(old, new, 1)


def _is_export(path: Path, name: str) -> bool:
    """Whether a file is a schema that was exported before."""
    text = read_text(path, path.name)
    try:
        schema = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return False
    id_ = schema.get("$id") if isinstance(schema, dict) else None
    return isinstance(id_, str) and id_.endswith(f"{name}{SCHEMA_SUFFIX}")
