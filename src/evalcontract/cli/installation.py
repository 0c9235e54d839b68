"""`doctor`, `lsp` and `schema`: what is installed, how it is set, and what editors need of it."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from evalcontract._version import __version__
from evalcontract.cli import options
from evalcontract.cli.command import Command, CommandGroup, schema_names
from evalcontract.cli.output import put, put_json, signals_as_interrupts
from evalcontract.cli.printing import listing, put_answer
from evalcontract.model.errors import EvalContractError, UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import escape_controls
from evalcontract.policy import ERRORS, OK
from evalcontract.source import SCHEMA_SUFFIX, read_text
from evalcontract.source.writing import write_text
from evalcontract.structure import schemas
from evalcontract.workspace import write_bound

if TYPE_CHECKING:
    from evalcontract.judging.settings import Settings

#: Packages that may be absent: what they are for, and what installs them.
PACKAGES = {
    "yaml-rs": ("reads YAML fast", "it has wheels for most platforms; without it, PyYAML reads"),
    "pygls": ("the language server for editors", "pip install 'evalcontract[lsp]'"),
    "pyarrow": ("Parquet and Arrow", "pip install 'evalcontract[arrow]'"),
    "deltalake": ("Delta tables", "pip install 'evalcontract[delta]'"),
    "openai": ("asks models for verdicts", "pip install 'evalcontract[judges]'"),
    "pandas": ("findings as data frames", "pip install 'evalcontract[pandas]'"),
    "pyspark": ("data frames of Spark", "pip install 'evalcontract[spark]'"),
}
#: Programs that may be absent, and what they are for.
_PROGRAMS = {
    "git": "libraries in repositories, and `diff` between revisions",
    "php": "checks of the kind `php_lint`, in `grade`",
}
_SECONDS = 10.0
#: Variables that change what commands do; none of them has a secret.
_VARIABLES = (
    *("CI", "EVALCONTRACT_CACHE_DIR", "EVALCONTRACT_MODEL", "FORCE_COLOR", "FORCE_HYPERLINK"),
    *("NO_COLOR", "PYTHONPATH"),
)
_NUMBER = lazy_pattern(r"\d+(?:\.\d+)+", re.ASCII)


class _Told(NamedTuple):
    """What is there: its name, whether all is well (None where it is optional), and more."""

    name: str
    is_there: bool | None
    text: str
    advice: str = ""


@click.command(
    "doctor",
    cls=Command,
    examples={
        "Say what is installed, and where settings come from": "evalcontract doctor",
        "Say why a file is not checked": "evalcontract doctor datasets/support.yml",
    },
)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@options.output_format(*options.TABLES)
def doctor_command(files: tuple[Path, ...], output_format: str) -> int:
    """Say what is installed, where settings come from, and why a file is not checked.

    It looks at the workspace of the current folder, changes nothing and asks no endpoint. The exit
    code is 1 if the settings cannot be used, or if a FILE is not checked.
    """
    sections = {
        "evalcontract": [
            _Told("version", True, f"{__version__}, in {Path(__file__).parents[1]}"),
            _Told("Python", True, f"{platform.python_version()}, {sys.executable}"),
            _Told("system", True, platform.platform()),
        ],
        "optional": [*_of_optional()],
        "settings": [*_of_settings()],
    }
    if files:
        sections["files"] = [_of_file(path) for path in files]
    wrong = sum(line.is_there is False for lines in sections.values() for line in lines)
    if output_format == "text":
        put(_text(sections))
    else:
        lists: dict[str, Any] = {name: [*map(_as_json, each)] for name, each in sections.items()}
        sentence = f"{wrong:,} of this is wrong" if wrong else "all is well"
        put_answer(listing("doctor", sentence, **lists), output_format)
    return ERRORS if wrong else OK


def _as_json(line: _Told) -> dict[str, Any]:
    return {
        "name": line.name,
        "ok": line.is_there,
        "text": line.text,
        "advice": line.advice or None,
    }


def _text(sections: dict[str, list[_Told]]) -> Iterator[str]:
    signs = {True: "ok", None: "--", False: "no"}
    for number, (title, lines) in enumerate(sections.items()):
        yield f"{'' if not number else chr(10)}{title}\n"
        width = max(len(line.name) for line in lines)
        for line in lines:
            yield escape_controls(
                f"  {signs[line.is_there]} {line.name:<{width}}  {line.text}".rstrip()
            )
            yield "\n"
            if line.advice:
                yield escape_controls(f"     {'':<{width}}  = {line.advice}") + "\n"


def _of_optional() -> Iterator[_Told]:
    for name, (purpose, advice) in PACKAGES.items():
        try:
            yield _Told(name, True, f"{version(name)}: {purpose}")
        except PackageNotFoundError:
            yield _Told(name, None, f"not installed: {purpose}", advice)
    for name, purpose in _PROGRAMS.items():
        found = shutil.which(name)
        text = f"{_version_of(found)}: {purpose}" if found else f"not on the PATH: {purpose}"
        yield _Told(name, True if found else None, text)
    yield from _endpoints()


def _version_of(program: str) -> str:
    """Return the version that a program says it has."""
    try:
        done = subprocess.run(  # noqa: S603 - a program of the PATH
            [program, "--version"], capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return f"{program} does not answer"
    found = _NUMBER.search(done.stdout.decode("utf-8", "replace"))
    return f"{found[0]}, {program}" if found else program


def _endpoints() -> Iterator[_Told]:
    """Yield the endpoints that judges are asked over; nothing is sent there, no key is shown."""
    from evalcontract.judging.settings import read_machine, read_settings  # slow to import

    try:
        settings, machine = read_settings(os.environ), read_machine(os.environ)
    except EvalContractError as error:
        yield _Told("endpoint", False, str(error))
        return
    if settings is None and not machine.endpoints:
        advice = f"EVALCONTRACT_BASE_URL and EVALCONTRACT_API_KEY name one, or {machine.file}"
        yield _Told("endpoint", None, "none: checks by a judge need recorded verdicts", advice)
    if settings is not None:
        of = "OPENAI_…" if settings.is_openai else "EVALCONTRACT_…"
        yield _Told("endpoint", True, f"{_endpoint(settings)}, by {of}")
    for name, each in machine.endpoints.items():
        advice = f"set {each.lacks}" if each.lacks else ""
        text = f"{_endpoint(each)}, by {machine.file}"
        yield _Told(f"endpoint {name}", None if each.lacks else True, text, advice)


def _endpoint(settings: Settings) -> str:
    key = "with a key" if settings.key else "without a key"
    return f"{settings.host}, {key}; model: {settings.model or 'the one that a judge names'}"


def _of_settings() -> Iterator[_Told]:
    from evalcontract.cache.store import cache_folder  # slow to import, both
    from evalcontract.workspace import display_name, open_workspace
    from evalcontract.workspace.roots import find_configuration, is_workspace, search_root

    root = search_root(Path.cwd())
    note = (
        "" if is_workspace(root) else " (no workspace: it has no settings, `rubrics/` or `judges/`)"
    )
    yield _Told("workspace", True, f"{display_name(root)}{note}")
    try:
        path = find_configuration(root)
        configuration = open_workspace(root).configuration
    except EvalContractError as error:
        yield _Told("configuration", False, str(error))
    else:
        if path is None:
            yield _Told("configuration", None, "none: every setting has its default")
        else:
            yield _Told("configuration", True, display_name(path))
        if other := configuration.shadowed:
            yield _Told("shadowed", False, other.faults[0].message, other.faults[0].help or "")
    yield _Told("cache", True, str(cache_folder() or "none"))
    for name in _VARIABLES:
        if value := os.environ.get(name):
            yield _Told(name, True, value)


def _of_file(path: Path) -> _Told:
    from evalcontract.checking.standing import standing_of  # slow to import

    name = path.as_posix()
    try:
        standing = standing_of(path)
    except EvalContractError as error:
        return _Told(name, False, f"not checked: {error}")
    if standing.kind:
        return _Told(name, True, f"checked as a {standing.kind}")
    return _Told(name, False, f"not checked: {standing.reason}", standing.advice)


_INSTALL = "pip install 'evalcontract[lsp]'"


@click.command("lsp", cls=Command, examples={"Install what it needs": _INSTALL})
@click.option(
    "--stdio",
    is_flag=True,
    help="Use standard input and output (the only way).",
)
def lsp_command(stdio: bool) -> int:
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
