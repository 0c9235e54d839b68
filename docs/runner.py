"""An example of a runner: grade the outputs of a model by the rubrics of a dataset.

    python docs/runner.py evals/datasets/support.yaml

It runs the checks that need only the output, and prints the prompts of the judges of the others.
"""

from __future__ import annotations

import re
import sys
from statistics import fmean, median
from typing import Any

from evalcontract import DatasetLoader, LoadedCheck, LoadedRow, render

COMBINE: dict[str, Any] = {"all_pass": min, "any_pass": max, "min": min, "max": max}


def model(question: str) -> str:
    """Answer a question: call your model here."""
    return f"You asked: {question} Within 30 days."


def score(check: LoadedCheck, row: LoadedRow, output: str) -> float | None:
    """Return the score of a check from 0 to 1; None if this runner cannot run it."""
    parameters = check.parameters
    match check.kind:
        case "must_contain_any" | "must_not_contain":
            values = parameters.get("values", row.value.get(check.kind, []))
            if not parameters["case_sensitive"]:
                values, output = [value.lower() for value in values], output.lower()
            contains = any(value in output for value in values)
            return float(contains == (check.kind == "must_contain_any"))
        case "regex":
            flags = sum(re.RegexFlag[flag.upper()] for flag in parameters["flags"])
            find = re.fullmatch if parameters["match"] == "full" else re.search
            matches = find(parameters["pattern"], output, flags) is not None
            return float(matches != parameters["negate"])
    return None


def main(path: str) -> None:
    """Grade the rows of a dataset that have a rubric, and print their scores."""
    for row in DatasetLoader().load(path):
        if row.rubric is None:
            continue
        output = model(row.value["input"])
        scores, weights, left = [], [], []
        for check in row.rubric.checks:
            result = score(check, row, output)
            if result is None:
                left.append(check.id)
                for judge in check.judges:
                    print(f"--- {check.id}: {judge.id}\n{render(judge, row, output)}")
            else:
                scores.append(result)
                weights.append(check.weight)
        total = "no score"
        if scores and row.rubric.combine == "weighted_avg":
            total = f"{fmean(scores, weights):.2f}"
        elif scores:
            total = f"{COMBINE.get(row.rubric.combine, median)(scores):.2f}"
        print(f"{row.value['id']}: {total} (not run: {', '.join(left) or 'none'})")


if __name__ == "__main__":
    main(sys.argv[1])
