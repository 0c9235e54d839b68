"""Rows of a dataset as the parameters of a test, findings as its text, verdicts as its outcome."""

from __future__ import annotations

import inspect
import os
import warnings
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any, NoReturn, Self, TypeVar

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet

    from evalcontract.api.datasets import LoadedDataset, LoadedRow
    from evalcontract.grading.results import RowResult
    from evalcontract.model.diagnostic import Diagnostic

    Marks = pytest.MarkDecorator | pytest.Mark | Iterable[pytest.MarkDecorator | pytest.Mark]
    MarksOf = Callable[[LoadedRow[Any]], Marks]
    # What pytest builds the parameters of a test from.
    _Parameters = tuple[ParameterSet, ...]
else:
    _Parameters = tuple

_Test = TypeVar("_Test", bound="Callable[..., Any] | type")

# The maximum number of findings that a test shows.
_MAX_FINDINGS = 50


def findings_text(diagnostics: Sequence[Diagnostic], *, colour: bool = False) -> str:
    """Return findings with their lines, the most severe first, and their number."""
    from evalcontract.report import Report, Style  # not before there are findings
    from evalcontract.report.text import verdict, write

    ordered = sorted(diagnostics, key=lambda diagnostic: -diagnostic.severity)
    shown, hidden = ordered[:_MAX_FINDINGS], len(ordered[_MAX_FINDINGS:])
    report = Report(shown, {})
    style = Style(colour, get_terminal_size().columns, quiet=True)
    more = f"… {hidden:,} more: `evalcontract check` shows all\n" if hidden else ""
    return "".join([*write(report, style), more, verdict(Report(ordered, {}))])


class EvalContractWarning(pytest.PytestWarning):
    """Findings that fail no test; `-W ignore::evalcontract.pytest_plugin.EvalContractWarning`."""

    __module__ = "evalcontract.pytest_plugin"


# The name of the parameter of a decorated test.
_ROW = "row"
# Longer ids are cut: pytest puts them into the environment and on every line.
_MAX_ID = 80


class UnusableRow:
    """Stands for the rows of a dataset with errors: whatever asks for one fails with them."""

    def __init__(self, findings: str) -> None:
        self._findings = findings

    def fail(self) -> NoReturn:
        """Fail with the findings."""
        __tracebackhide__ = True
        pytest.fail(self._findings, pytrace=False)

    def __getattr__(self, name: str) -> NoReturn:
        """Fail: `row.value` of no row is none."""
        __tracebackhide__ = True
        if name.startswith("__"):  # what Python and pytest look for in any object
            raise AttributeError(name)
        self.fail()


def fail_unusable(item: pytest.Item) -> None:
    """Fail a test that would run on the rows of a dataset with errors."""
    __tracebackhide__ = True
    callspec = getattr(item, "callspec", None)
    for value in callspec.params.values() if callspec else ():
        if isinstance(value, UnusableRow):
            value.fail()


class Rows(_Parameters):
    """The rows of a dataset as parameters of a test; as a decorator, the test has a `row`."""

    __slots__ = ()

    def __call__(self, test: _Test) -> _Test:
        """Return a test, or a class of tests, that runs once for each row."""
        decorated: _Test = pytest.mark.parametrize(_ROW, self)(test)
        return decorated

    @classmethod
    def of(cls, rows: Iterable[LoadedRow[Any]], marks: MarksOf | None) -> Self:
        """Return the parameters for rows, with the marks that a function gives to each."""
        return cls(pytest.param(row, id=_id_of(row), marks=_marks(row, marks)) for row in rows)

    @classmethod
    def unusable(cls, findings: str) -> Self:
        """Return one parameter, with which a test fails before it runs."""
        return cls([pytest.param(UnusableRow(findings), id="dataset")])


def evalcontract_rows(
    path: str | Path,
    *,
    strict: bool | None = None,
    dialect: str = "evalcontract",
    marks: MarksOf | None = None,
) -> Rows:
    """Load a dataset, and return its rows as parameters of a test.

    As a decorator, it gives each row to the argument `row` of a test:

        @evalcontract_rows("evals/datasets/support.yaml")
        def test_answer(row): ...

    As a list of parameters, it takes any name and goes with `indirect`:

        @pytest.mark.parametrize("case", evalcontract_rows("evals/datasets/support.yaml"))
        def test_answer(case): ...

    A row is a `LoadedRow`: `row.value` are its keys, `row.rubric` is its rubric. A relative path
    starts in the folder of the test file or in one above it, the nearest first, up to the top of
    the repository. `strict` and `dialect` are as for `DatasetLoader`. `marks` returns the marks of
    a row: `marks=lambda row: [pytest.mark.slow] if "slow" in row.value.get("tags", ()) else []`.

    If the dataset, or what its rows refer to, has errors, the test fails with them before it runs,
    as `test_answer[dataset]`; others run. Warnings become an `EvalContractWarning`; notes are not
    shown.

    Raises:
        pytest.Collector.CollectError: there is no such file or dialect, or the configuration of the
            workspace cannot be used.

    """
    from evalcontract.model.diagnostic import Severity  # as all else, not before it is needed

    file = _find(Path(path), _folder_of_caller())
    dataset = _loaded(file, strict=strict, dialect=dialect)
    if isinstance(dataset, str):
        return Rows.unusable(dataset)
    worst = max((diagnostic.severity for diagnostic in dataset.diagnostics), default=0)
    if worst > Severity.NOTE:
        text = findings_text(dataset.diagnostics)
        if worst > Severity.WARNING:
            return Rows.unusable(text)
        warnings.warn(f"\n{text}", EvalContractWarning, stacklevel=2)
    return Rows.of(dataset.rows, marks)


def _loaded(
    file: Path, *, strict: bool | None, dialect: str
) -> LoadedDataset[dict[str, Any]] | str:
    """Return a dataset, or why it cannot be loaded."""
    # Nothing of this is imported before a test asks for rows.
    from evalcontract.api.datasets import DatasetLoader
    from evalcontract.model.errors import ContractViolation, EvalContractError

    try:
        return DatasetLoader(strict=strict, dialect=dialect).load(file)
    except ContractViolation as violation:
        return findings_text(violation.diagnostics)
    except EvalContractError as error:
        raise pytest.Collector.CollectError(f"error: {error}") from None


def _folder_of_caller() -> Path:
    """Return the folder of the file that calls `evalcontract_rows`; the current one for none."""
    frame = inspect.currentframe()
    for _ in range(2):
        frame = frame and frame.f_back
    file = frame.f_globals.get("__file__") if frame else None
    return Path(file).parent.absolute() if isinstance(file, str) else Path.cwd()


def _find(path: Path, folder: Path) -> Path:
    """Return the path of a file in a folder or the nearest one above it that has it."""
    from evalcontract.workspace import display_name
    from evalcontract.workspace.roots import find_repository

    top = find_repository(folder) or Path.cwd()
    folders = [folder, *(each for each in folder.parents if top in (each, *each.parents))]
    for each in folders:
        if os.path.lexists(each / path):
            return each / path
    where = f"in {display_name(folder)}" + (f" or above it up to {top}" if folders[1:] else "")
    raise pytest.Collector.CollectError(f"error: there is no file {path} {where}")


def _id_of(row: LoadedRow[Any]) -> str:
    """Return the id of the test for a row: that of the row, or its number if it has none."""
    from evalcontract.model.values import escape_controls

    value = row.value
    id_ = value.get("id") if isinstance(value, dict) else None
    if not isinstance(id_, str) or not id_:
        return f"{_ROW}{row.index}"
    shown = escape_controls(id_)
    return shown if len(shown) <= _MAX_ID else f"{shown[: _MAX_ID - 1]}…"


def _marks(
    row: LoadedRow[Any], marks: MarksOf | None
) -> Sequence[pytest.MarkDecorator | pytest.Mark]:
    if marks is None:
        return ()
    given = marks(row)
    return (given,) if isinstance(given, pytest.MarkDecorator | pytest.Mark) else tuple(given)


#: The option, and the setting, that turns undecided rows from failures into skipped tests.
ALLOW_UNDECIDED = "evalcontract_allow_undecided"


@pytest.fixture
def evalcontract_verdict(pytestconfig: pytest.Config) -> Callable[[RowResult], None]:
    """Return a function that ends a test by the result of a row: only one that passed goes on.

    One that failed fails the test, with the reasons. So does one that is undecided, or has a score
    and no threshold; with `--evalcontract-allow-undecided`, an undecided one skips the test. One
    that is skipped, since no check has anything to judge, skips it, too.
    """
    allows = pytestconfig.option.evalcontract_allow_undecided
    if allows is None:
        allows = pytestconfig.getini(ALLOW_UNDECIDED)

    def end(result: RowResult) -> None:
        from evalcontract.checks.outcome import Outcome  # not before a row is graded
        from evalcontract.grading.printed import write_row

        __tracebackhide__ = True
        if result.outcome is Outcome.PASSED:
            return
        text = "".join(write_row(result, 0, get_terminal_size().columns)).strip()
        if result.outcome is None:
            text += "\nits rubric has no threshold: nothing says what passes"
        skips = result.outcome is Outcome.SKIPPED
        if skips or (allows and result.outcome is Outcome.UNDECIDED):
            pytest.skip(text)
        pytest.fail(text, pytrace=False)

    return end
