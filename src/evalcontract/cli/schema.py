"""`schema list`, `schema show` and `schema export`."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import click

from evalcontract.cli.group import CommandGroup
from evalcontract.cli.output import put, put_json
from evalcontract.model.nearest import nearest
from evalcontract.source.writing import write_text
from evalcontract.structure import schemas


def _names() -> list[str]:
    others = schemas.names_of_bundles(), schemas.names_of_others()
    return [*schemas.names(), *(name for names in others for name in names)]


def _known(context: click.Context, option: click.Parameter, value: str) -> str:
    """Refuse a name that no schema has."""
    del context, option
    if value not in _names():
        near = nearest(value, _names())
        advice = f"did you mean `{near}`?" if near else "`evalcontract schema list` names them"
        raise click.BadParameter(f"there is no schema `{value}`; {advice}")
    return value


_HELP = {"help_option_names": ["-h", "--help"]}


@click.group(cls=CommandGroup, context_settings=_HELP)
def schema() -> None:
    """List, show and export the JSON Schemas of the contract."""


@schema.command("list", context_settings=_HELP)
def list_() -> None:
    """List the schemas: name and id."""
    width = max(map(len, _names()))
    put(f"{name:<{width}}  {schemas.load(name)['$id']}\n" for name in _names())


@schema.command(context_settings=_HELP)
@click.argument("name", metavar="NAME", callback=_known)
def show(name: str) -> None:
    """Print a schema; NAME is one that `schema list` names."""
    put_json([schemas.text_of(name)])


@schema.command(context_settings=_HELP)
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option(
    "--base-url",
    metavar="URL",
    help="Where you will host them: each id becomes URL/NAME.schema.json.",
)
def export(folder: Path, base_url: str | None) -> None:
    """Write the schemas into FOLDER, for those who host them or point an editor at them."""
    if base_url is not None and urlsplit(base_url).scheme not in ("http", "https", "file"):
        raise click.BadParameter("it must begin with http:// or https://", param_hint="--base-url")
    for name in _names():
        text = schemas.text_of(name)
        if base_url is not None:
            # Only the text of the id changes, so that the file stays as its author wrote it.
            old = json.dumps(schemas.load(name)["$id"])
            new = json.dumps(f"{base_url.rstrip('/')}/{name}{schemas.SUFFIX}")
            text = text.replace(old, new, 1)
        path = folder / f"{name}{schemas.SUFFIX}"
        fault = write_text(path, text)
        if fault:
            raise click.ClickException(f"{path}: {fault}")
        put([f"{path.as_posix()}\n"])
