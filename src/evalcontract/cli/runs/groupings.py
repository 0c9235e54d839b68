"""The options that say what belongs together: `--by`, `--cluster` and `--reduce`."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import click

from evalcontract.grading.groups import Grouping
from evalcontract.grading.samples import REDUCTIONS
from evalcontract.grading.summary import Summary
from evalcontract.model.errors import UsageError
from evalcontract.model.values import NAME_LENGTH, clipped


def GROUPING(of: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802 - as other options are
    """Add `--reduce`, `--by` and `--cluster` to a command, which gets them as `grouping`."""

    @wraps(of)
    def with_grouping(
        *, by: tuple[str, ...], cluster: str | None, reduce: str, **given: Any
    ) -> Any:
        return of(**given, grouping=Grouping(tuple(dict.fromkeys(by)), cluster, reduce))

    cluster = click.option(
        "--cluster",
        metavar="KEY",
        help="Key of rows, or of their `metadata`: rows with the same value were drawn together,"
        " such as those of one document, and intervals account for it.",
    )
    by = click.option(
        "--by",
        multiple=True,
        metavar="KEY",
        help="Key of rows, or of their `metadata`, to summarise the rows by, besides their tags."
        " Can be given several times.",
    )
    reduce = click.option(
        "--reduce",
        type=click.Choice([*REDUCTIONS]),
        default="mean",
        show_default=True,
        help="How several outputs of a row (samples) become its score: their mean, the score that"
        " most of them have, the highest, or whether one of them passes. With mean and mode, a row"
        " passes if more than half of its samples do.",
    )
    return reduce(by(cluster(with_grouping)))


def require_values(summary: Summary) -> None:
    """Refuse keys that no row has: what they should have changed is as without them.

    Raises:
        UsageError: there is one.

    """
    grouping = summary.grouping
    missing = [*(set(grouping.by) - {group.key for group in summary.groups})]
    if grouping.cluster is not None and summary.rows.total and not summary.rows.clusters:
        missing.append(grouping.cluster)
    if missing:
        names = ", ".join(f"`{clipped(key, NAME_LENGTH)}`" for key in sorted({*missing}))
        raise UsageError(f"no row, and no `metadata` of one, has {names}")
