"""Which cases of a dataset the default plan of graders evaluates, and which only judges do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats.northstar.case import is_evaluated, is_judged
from evalcontract.formats.northstar.warnings import not_evaluated
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path

_ADVICE = "enable judges, or add `contains`, `required_tools` or another expectation"


class Evaluation:
    """Counts the cases that the default plan does not evaluate, though judges can."""

    def __init__(self) -> None:
        self._judged = 0
        self._first: Path = ()
        self._bare: list[Path] = []
        self._has_expectations = False

    def observe(self, row: dict[str, Any], path: Path) -> None:
        """Add a valid case."""
        expected = row.get("expected")
        if expected and is_evaluated(expected):
            self._has_expectations = True
        elif is_judged(row):
            self._has_expectations = self._has_expectations or bool(expected)
            self._first = self._first if self._judged else path
            self._judged += 1
        elif not expected:
            self._bare.append(path)

    def finish(self) -> Iterator[Problem]:
        """Report a case that expects nothing while others do; for the rest, one note."""
        judged, first = self._judged, self._first
        if self._has_expectations:
            for path in self._bare:
                index = path[-1] if path else 0
                yield not_evaluated(path)._replace(row_index=int(index))
        elif self._bare:
            judged += len(self._bare)
            first = first or self._bare[0]
        if judged:
            cases = "1 case is" if judged == 1 else f"{judged:,} cases are"
            message = f"{cases} not evaluated by the default plan: only judges and trace graders do"
            yield Problem("northstar/judges-only", message, first, _ADVICE)
