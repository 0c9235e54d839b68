"""The values of the shared options: what to check and how, and where the findings go.

This module does not import click, for the fast path in `start`.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from evalcontract.datasets.opening import Options
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.workspace import ChosenConfiguration

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


_OF_DESTINATION = frozenset(Destination._fields) | {"fail_on"}
_OF_RUN = frozenset(
    {"root", "strict", "config", "isolated", "select", "ignore", "jobs", "max_findings"}
) | {"dialect", "columns", "plan", "only"}


def take_destination(arguments: dict[str, Any]) -> Destination:
    """Take from the arguments of a command what says where the findings go.

    Raises:
        UsageError: the options contradict each other.

    """
    given = {name: arguments.pop(name) for name in _OF_DESTINATION & arguments.keys()}
    fail_on = given.pop("fail_on", None)
    if fail_on and given.get("exit_zero"):
        raise UsageError("`--exit-zero` contradicts `--fail-on`: use one of them")
    destination = Destination(**given, fails_from=Severity[(fail_on or "error").upper()])
    if destination.watch and destination.write_baseline is not None:
        raise UsageError("`--watch` contradicts `--write-baseline`: use one of them")
    return destination


def take_options(arguments: dict[str, Any]) -> Options:
    """Take from the arguments of a command the options of the run.

    Raises:
        UsageError: the options contradict each other.

    """
    given = {name: arguments.pop(name) for name in _OF_RUN & arguments.keys()}
    config, isolated = given.pop("config", None), given.pop("isolated", False)
    if config and isolated:
        raise UsageError("`--isolated` contradicts `--config`: use one of them")
    select, ignore = given.pop("select", ()), given.pop("ignore", ())
    selection = None
    if select or ignore:
        from evalcontract.policy import Selection  # rarely needed

        selection = Selection(select, ignore)
    if not given.get("jobs"):
        from evalcontract.datasets.workers import usable_cores  # slow to import

        given["jobs"] = usable_cores()
    configuration = ChosenConfiguration(config, isolated)
    return Options(**given, selection=selection, configuration=configuration)


def chosen_cache_folder(wanted: bool | None) -> Path | None:  # noqa: FBT001 - an option
    """Return the folder of the cache; None if there is none, or none is `wanted`.

    By default, there is none in CI unless its folder is given: a cache of CI is often restored from
    somewhere else, and whoever can write to it could forge a result.
    """
    from evalcontract.cache.store import FOLDER_VARIABLE, cache_folder  # only if it is used

    if wanted is None:
        wanted = not os.environ.get("CI") or FOLDER_VARIABLE in os.environ
    return cache_folder() if wanted else None
