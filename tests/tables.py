"""A table of cases that one test walks to its end, and tells of all that fail.

`pytest.mark.parametrize` makes a test of every case, which is right for a few that are expensive.
Of thousands of small ones, most of the time goes into making, sending and counting tests.
"""

from __future__ import annotations

import functools
import inspect
import os
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from evalcontract.cache import FOLDER_VARIABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    Test = Callable[..., None]


class Case(NamedTuple):
    """One line of a table: its name, and what it gives to the parameters of the test."""

    name: str
    given: dict[str, Any]


def every_case(
    names: str | Sequence[str],
    values: Iterable[Any],
    *,
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Test], Test]:
    """Run a test with each of the values, in one go; written as `pytest.mark.parametrize` is.

    What fails is raised together at the end, each failure with the name of its case. A case finds
    an empty `tmp_path`, a `monkeypatch` and a cache of its own, and nothing printed yet.
    """
    parameters = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    cases = [*_cases(parameters, [*values], ids)]
    assert cases, "a table without a case would always pass"

    def decorate(test: Test) -> Test:
        signature = inspect.signature(test)
        fixtures = [each for name, each in signature.parameters.items() if name not in parameters]

        @functools.wraps(test)
        def walk(**given: Any) -> None:
            _walk(test, cases, given)

        walk.__signature__ = signature.replace(parameters=fixtures)  # type: ignore[attr-defined]
        return walk

    return decorate


def _cases(
    parameters: Sequence[str],
    rows: list[Any],
    ids: Callable[[Any], object] | Iterable[object] | None,
) -> Iterator[Case]:
    named = None if ids is None or callable(ids) else [*ids]
    for number, row in enumerate(rows):
        is_param = isinstance(row, type(pytest.param()))
        assert not (is_param and row.marks), "a case with a mark is a test of its own"
        values = row.values if is_param else row if len(parameters) > 1 else (row,)
        if is_param and row.id is not None:
            name = str(row.id)
        elif named is not None:
            name = str(named[number])
        else:
            name = "-".join(str(ids(value)) if callable(ids) else repr(value) for value in values)
        yield Case(name, dict(zip(parameters, values, strict=True)))


def _walk(test: Test, cases: list[Case], given: dict[str, Any]) -> None:
    failures: list[Exception] = []
    for number, case in enumerate(cases):
        try:
            with pytest.MonkeyPatch.context() as patch:
                test(**given | _fresh(given, number, patch) | case.given)
        except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - all are told
            failure.add_note(f"in the case {case.name}")
            failures.append(_plain(failure))
    if failures:
        raise ExceptionGroup(f"{len(failures)} of {len(cases)} cases fail", failures)


def _fresh(given: dict[str, Any], number: int, patch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what a case is not to share with those before it."""
    patch.setenv(FOLDER_VARIABLE, f"{os.environ[FOLDER_VARIABLE]}-{number}")
    fresh: dict[str, Any] = {}
    if "monkeypatch" in given:
        fresh["monkeypatch"] = patch
    if "tmp_path" in given:
        folder: Path = given["tmp_path"] / str(number)
        folder.mkdir()
        fresh["tmp_path"] = folder
    for capture in given.keys() & {"capsys", "capfd"}:
        given[capture].readouterr()
    return fresh


def _plain(failure: BaseException) -> Exception:
    """Return a failure as what a group may hold: `pytest.fail` raises no `Exception`."""
    if isinstance(failure, Exception):
        return failure
    plain = AssertionError(str(failure))
    plain.__notes__ = failure.__notes__
    return plain.with_traceback(failure.__traceback__)
