"""Package data: the JSON Schemas and the files next to them, and the templates of `init`."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import InstallationError

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable


def folder() -> Traversable:
    """Return the folder of the schemas: package data in a wheel, `schema/` in a checkout.

    The result is a `pathlib.Path`, except in an archive such as a zipapp.
    """
    here = Path(__file__)
    for parent in (here.parents[1], here.parents[3]):
        if (parent / "schema").is_dir():
            return parent / "schema"
    from importlib.resources import files  # slow to import, and only needed in an archive

    return files("evalcontract") / "schema"


def text_of(name: str) -> str:
    """Return the text of a file by its path in the folder, such as `rubric.schema.json`.

    Raises:
        InstallationError: the file is missing.

    """
    try:
        return (folder() / name).read_text(encoding="utf-8")
    except OSError as error:
        raise InstallationError(f"`{name}` is not installed") from error


def template(name: str) -> str:
    """Return the text of a file that `init` writes, such as `project/github.yaml`.

    Raises:
        InstallationError: the file is missing.

    """
    from importlib.resources import files  # slow to import, and only needed here

    try:
        return (files("evalcontract") / "templates" / name).read_text(encoding="utf-8")
    except OSError as error:
        raise InstallationError(f"the template `{name}` is not installed") from error


@cache
def table(name: str) -> dict[str, Any]:
    """Return the content of a JSON file by its name without `.json`.

    The result is cached: do not modify it.

    Raises:
        InstallationError: the file is missing.

    """
    value: dict[str, Any] = json.loads(text_of(f"{name}.json"))
    return value
