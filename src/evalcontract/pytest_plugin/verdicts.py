"""The verdict on a graded output as the outcome of a test."""

from __future__ import annotations

from shutil import get_terminal_size
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.grading.results import RowResult

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
