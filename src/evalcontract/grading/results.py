"""Read the results of an earlier run of `grade`, to go on with it or to compare with it."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from evalcontract.checks.outcome import Outcome
from evalcontract.grading.basis import Basis, Sections
from evalcontract.grading.scoring_results import CheckResult, RowResult
from evalcontract.library.score_bounds import Bounds
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Iterable


# The beginning of results of the first version, as it was written.
_OLD = lazy_pattern(rb'\{"manifest": \{"version": "(1\.[0-9]{1,3})"')


class Results(NamedTuple):
    """The results of a run: what they depend on, and its rows in order.

    `is_complete` is whether it has a summary. `places` are the numbers of the lines of the rows,
    from 0.
    """

    basis: Basis
    rows: list[RowResult]
    is_complete: bool
    places: list[int]

    @property
    def dataset(self) -> str:
        """The name of the file with the rows."""
        name: str = self.basis.manifest["dataset"]["file"]
        return name


def read_results(lines: Iterable[bytes], name: str) -> Results:
    """Read the lines of results.

    Raises:
        UsageError: a line is not one that `grade` writes.

    """
    manifest: dict[str, Any] | None = None
    used: Sections = {}
    rows: list[RowResult] = []
    places: list[int] = []
    is_complete = False
    for number, line in enumerate(lines, 1):
        content = _content(line)
        if content is None and manifest is None and (version := _old_version(line)):
            raise UsageError(
                f"{name} has results of version {version}, which left out of the scores what did"
                " not run: grade the outputs again"
            )
        if content is None or (manifest is None) != ("manifest" in content):
            raise UsageError(f"{name}:{number}: this is not a result of `evalcontract grade`")
        if "manifest" in content:
            manifest = content["manifest"]
        elif "used" in content:
            for section, values in content["used"].items():
                if isinstance(values, dict):  # a later version may have other sections
                    used.setdefault(section, {}).update(values)
        elif "summary" in content:
            is_complete = True
        else:
            rows.append(_row(content))
            places.append(number - 1)
    if manifest is None:
        raise UsageError(f"{name} is empty")
    return Results(Basis(manifest, used), rows, is_complete, places)


def is_manifest(line: bytes) -> bool:
    """Whether a line is the first one of results."""
    return "manifest" in (_content(line) or ())


def _content(line: bytes) -> dict[str, Any] | None:
    """Return the object in a line; None if it is not valid."""
    try:
        content = json.loads(line, parse_constant=_no_number)
        is_valid = _line_schema().is_valid(content)
    except (ValueError, TypeError, RecursionError):
        return None
    return content if is_valid else None


def _old_version(line: bytes) -> str | None:
    """Return the version of results whose scores mean something else; None for other lines."""
    match = _OLD.match(line)
    return match[1].decode() if match else None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


@cache
def _line_schema() -> Any:
    return native_for(load("results"))


def _row(content: dict[str, Any]) -> RowResult:
    outcome = content["outcome"]
    return RowResult(
        content["id"],
        content["rubric"],
        None if outcome is None else Outcome(outcome),
        content["score"],
        content.get("reason"),
        _bounds(content),
        tuple(map(_check, content["checks"])),
    )


def _check(content: dict[str, Any]) -> CheckResult:
    return CheckResult(
        content["id"],
        content["kind"],
        Outcome(content["outcome"]),
        content["score"],
        content.get("reason"),
        content.get("details"),
        _bounds(content),
        tuple(map(_check, content.get("checks", ()))),
    )


def _bounds(content: dict[str, Any]) -> Bounds | None:
    bounds = content.get("bounds")
    return None if bounds is None else Bounds(*bounds)
