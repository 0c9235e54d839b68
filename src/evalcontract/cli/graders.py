"""The options `--plan` and `--only`: which graders of another system are counted."""

from __future__ import annotations

from typing import Any

import click


def _names(context: Any, parameter: Any, values: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names in lists of names."""
    del context, parameter
    names = (name.strip() for value in values for name in value.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


#: The graders of another system that count.
PLAN = click.option(
    "--plan",
    metavar="NAME",
    help="Graders of another system to count, by the name of its plan, such as quality (default: "
    "those that the rows ask for).",
)
ONLY = click.option(
    "--only",
    metavar="NAME,...",
    multiple=True,
    callback=_names,
    help="Graders of another system to count, such as Correctness,Safety. Can be given several "
    "times.",
)
