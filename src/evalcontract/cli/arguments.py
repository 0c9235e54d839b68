"""The values of the shared options: what to check and how, and where the findings go.

This module does not import click, for the fast path in `start`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.opening import Options
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Selection
from evalcontract.workspace import ChosenConfiguration

if TYPE_CHECKING:
    from evalcontract.cache import Cache

#: The number of findings after which a check stops, by default.
MAX_FINDINGS = 10_000


class ReportFile(NamedTuple):
    """A file for a report, and the name of its format."""

    format: str
    path: Path


class Destination(NamedTuple):
    """Where the findings of a check go, which of them are new, and which fail it.

    Standard output has `output_format`, each file of `output` its own. `limit` is the number of
    findings that are printed, 0 for all. `fails_from` is the lowest severity that fails the run,
    unless `exit_zero`. `baseline` has the known findings; `write_baseline` is the name of the file
    for the next ones, "" for the usual one. With `watch`, there is a report after every change.
    """

    output_format: str = "text"
    output: tuple[ReportFile, ...] = ()
    limit: int = 200
    verbose: bool = False
    statistics: bool = False
    quiet: bool = False
    fails_from: Severity = Severity.ERROR
    exit_zero: bool = False
    baseline: Path | None = None
    write_baseline: str | None = None
    watch: bool = False


def check_options(
    *,
    jobs: int | None = None,
    cache: bool = False,
    config: Path | None = None,
    isolated: bool = False,
    select: Sequence[Sequence[str]] = (),
    ignore: Sequence[Sequence[str]] = (),
    max_findings: int = MAX_FINDINGS,
    **others: Any,
) -> Options:
    """Return what to check and how; `others` are options of the same name.

    Raises:
        UsageError: the options contradict each other.

    """
    from evalcontract.datasets.workers import usable_cores  # slow to import

    return Options(
        jobs=jobs or usable_cores(),
        cache=_cache() if cache else None,
        max_findings=max_findings,
        selection=selection_of(select, ignore),
        configuration=chosen_configuration(config, isolated=isolated),
        **others,
    )


def destination_of(*, fail_on: str | None = None, **others: Any) -> Destination:
    """Return where the findings go; `others` are options of the same name.

    Raises:
        UsageError: the options contradict each other.

    """
    if fail_on and others.get("exit_zero"):
        raise UsageError("`--exit-zero` contradicts `--fail-on`: use one of them")
    destination = Destination(**others, fails_from=Severity[(fail_on or "error").upper()])
    if destination.watch and destination.write_baseline is not None:
        raise UsageError("`--watch` contradicts `--write-baseline`: use one of them")
    return destination


_OF_DESTINATION = frozenset(Destination._fields) | {"fail_on"}


def read_arguments(arguments: dict[str, Any]) -> tuple[Options, Destination]:
    """Return what to check and where the findings go, from the values of the shared options.

    Raises:
        UsageError: the options contradict each other.

    """
    given = {name: value for name, value in arguments.items() if name in _OF_DESTINATION}
    destination = destination_of(**given)
    rest = {name: value for name, value in arguments.items() if name not in _OF_DESTINATION}
    return check_options(**rest), destination


def chosen_configuration(config: Path | None, *, isolated: bool) -> ChosenConfiguration:
    """Return the configuration that the options choose.

    Raises:
        UsageError: they contradict each other.

    """
    if config and isolated:
        raise UsageError("`--isolated` contradicts `--config`: use one of them")
    return ChosenConfiguration(config, isolated)


def selection_of(
    select: Sequence[Sequence[str]], ignore: Sequence[Sequence[str]]
) -> Selection | None:
    """Return the codes to report; None for all."""
    if not select and not ignore:
        return None
    from evalcontract.policy import Selection  # rarely needed

    return Selection(tuple(chain(*select)), tuple(chain(*ignore)))


def uses_cache() -> bool:
    """Whether to use a cache that was not asked for.

    A cache of CI is often restored from somewhere else, and whoever can write to it could forge a
    result, so that in CI its folder has to be given.
    """
    from evalcontract.cache.store import FOLDER_VARIABLE  # only if the cache is used

    return not os.environ.get("CI") or FOLDER_VARIABLE in os.environ


def _cache() -> Cache | None:
    from evalcontract.cache import Cache, cache_folder  # only if the cache is used

    folder = cache_folder()
    return Cache(folder) if folder else None
