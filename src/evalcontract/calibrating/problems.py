"""The problems of a file of labels or verdicts, of which there may be one for each row."""

from __future__ import annotations

from evalcontract.model.diagnostic import Problem

#: After so many problems of one sort of fault no other is kept; a further one says so.
MAX_PROBLEMS = 10_000


def note(problems: list[Problem], problem: Problem) -> None:
    """Add a problem, unless there are too many."""
    if len(problems) < MAX_PROBLEMS:
        problems.append(problem)
    elif len(problems) == MAX_PROBLEMS:
        message = f"there are more than {MAX_PROBLEMS:,} faults: the rest is not reported"
        problems.append(Problem("source/limit-exceeded", message, problem.path[:1]))
