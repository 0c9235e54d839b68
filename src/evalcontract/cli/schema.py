"""`schema list`, `schema show` and `schema export`."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import click

from evalcontract.cli.group import CommandGroup
from evalcontract.cli.output import put, put_json
from evalcontract.cli.signals import signals_as_interrupts
from evalcontract.model.nearest import nearest
from evalcontract.source import SCHEMA_SUFFIX, read_text
from evalcontract.source.writing import write_text
from evalcontract.structure import schemas
from evalcontract.workspace import write_bound


def _names() -> list[str]:
    others = schemas.names_of_bundles(), schemas.names_of_others(), schemas.names_of_editions()
    return [*schemas.names(), *(name for names in others for name in names)]


def _known(context: click.Context, option: click.Parameter, value: str) -> str:
    """Reject a value that is not the name of a schema."""
    del context, option
    if value not in _names():
        near = nearest(value, _names())
        advice = f"did you mean `{near}`?" if near else "`evalcontract schema list` lists them"
        raise click.BadParameter(f"there is no schema `{value}`; {advice}")
    return value


_HELP = {"help_option_names": ["-h", "--help"]}


@click.group(cls=CommandGroup, context_settings=_HELP)
def schema() -> None:
    """List, show and export the JSON Schemas of the contract."""


@schema.command("list", context_settings=_HELP)
def list_() -> None:
    """List the names and ids of the schemas."""
    width = max(map(len, _names()))
    put(f"{name:<{width}}  {schemas.load(name)['$id']}\n" for name in _names())


@schema.command(context_settings=_HELP)
@click.argument("name", metavar="NAME", callback=_known)
def show(name: str) -> None:
    """Print a schema. NAME is one of `schema list`."""
    put_json([schemas.text_of(name)])


@schema.command(context_settings=_HELP)
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
        for name in _names():
            path = folder / f"{name}{SCHEMA_SUFFIX}"
            text = _exported(name, base_url)
            fault = write_text(path, text, bound=write_bound(path), replace=_is_export(path, name))
            if fault:
                raise click.ClickException(f"{path}: {fault}")
            put([f"{path.as_posix()}\n"])


def _exported(name: str, base_url: str | None) -> str:
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
