"""The plugin for pytest: artifacts as tests, rows as their parameters, verdicts as their outcomes.

pytest imports it in every run where evalcontract is installed, so that it imports almost nothing
before it is used. `pytest -p no:evalcontract` leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.pytest_plugin.rows import (
    ALLOW_UNDECIDED,
    EvalContractWarning,
    Rows,
    evalcontract_rows,
    evalcontract_verdict,
    fail_unusable,
)

if TYPE_CHECKING:
    import pytest

__all__ = ["EvalContractWarning", "Rows", "evalcontract_rows", "evalcontract_verdict"]

_GROUP = "evalcontract"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options, and their settings in the configuration of pytest."""
    group = parser.getgroup(_GROUP, "datasets, rubrics, judges and targets of evalcontract")
    group.addoption(
        "--evalcontract",
        action="store_true",
        default=None,
        help="Collect datasets, rubrics, judges and targets: one with errors is a failed test.",
    )
    group.addoption(
        "--evalcontract-strict",
        action="store_true",
        default=None,
        dest="evalcontract_strict",
        help="Faults are errors. By default, targets and evalcontract.toml decide.",
    )
    group.addoption(
        "--evalcontract-soft",
        action="store_false",
        dest="evalcontract_strict",
        help="Faults are warnings.",
    )
    group.addoption(
        "--evalcontract-allow-undecided",
        action="store_true",
        default=None,
        dest=ALLOW_UNDECIDED,
        help="A row that is undecided skips its test. By default, it fails.",
    )
    parser.addini(
        "evalcontract",
        "Whether to collect datasets, rubrics, judges and targets, as --evalcontract does.",
        type="bool",
        default=False,
    )
    parser.addini(
        "evalcontract_strict",
        "Whether faults in them are errors; by default, targets and evalcontract.toml decide.",
        type="bool",
        default=None,
    )
    parser.addini(
        ALLOW_UNDECIDED,
        "Whether a row that is undecided skips its test; by default, it fails.",
        type="bool",
        default=False,
    )


def pytest_configure(config: pytest.Config) -> None:
    """Declare the mark of collected artifacts."""
    config.addinivalue_line(
        "markers", "evalcontract: a dataset, rubric, judge or target, collected as a test"
    )
    if config.option.evalcontract or config.getini("evalcontract"):
        # What collects is imported only where it is wanted.
        from evalcontract.pytest_plugin.collecting import ArtifactCollection

        config.pluginmanager.register(ArtifactCollection(config), f"{_GROUP}-collection")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test of rows whose dataset has errors, before its fixtures do anything."""
    __tracebackhide__ = True
    fail_unusable(item)
