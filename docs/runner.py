"""An example of a runner: answer the questions of a dataset, and grade the answers.

    python docs/runner.py evals evals/datasets/support.yaml

It prints what `evalcontract grade` would record of each row, and what did not run. The exit status
is 1 unless all rows passed.
"""

from __future__ import annotations

import sys

from evalcontract import DatasetLoader, Grader, RowResult, Summary, Workspace


def model(question: str) -> str:
    """Answer a question: call your model here."""
    return f"You asked: {question} Within 30 days."


def shown(result: RowResult) -> str:
    """Return the outcome of a row, with its score or the bounds of it."""
    outcome = result.outcome or "scored"
    if result.bounds is not None:
        return f"{outcome} {result.bounds.low:.2f} to {result.bounds.high:.2f}"
    return outcome if result.score is None else f"{outcome} {result.score:.2f}"


def main(root: str, path: str) -> int:
    """Grade the rows of a dataset of the workspace `root`; return the exit status."""
    workspace = Workspace(root)
    dataset = DatasetLoader(workspace=workspace).load(path)
    results = []
    with Grader(workspace=workspace, ask_judges=True) as grader:
        # Nothing grades a row with a fault: it is undecided, whatever is answered.
        answered = ((row, "" if row.fault else model(row.value["input"])) for row in dataset)
        for result in grader.grade_all(answered):
            results.append(result)
            print(f"{result.id}: {shown(result)}")
    summary = Summary.of(results)
    for cause, number in summary.unmeasured.items():
        of = summary.counted(cause.kind)
        print(f"{number} of {of} {cause.kind or 'rows'} {cause.outcome}: {cause.reason}")
    passed = sum(result.outcome == "passed" for result in results)
    return 0 if passed == len(dataset) else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
