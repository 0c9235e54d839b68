"""Says what Inspect makes of files, and its scorers of samples; run where it is installed.

Standard input is a JSON list. `files`: each entry is a name and the text of a file, in Latin-1;
the answer is the samples, or a text that says why there are none. `scores`: each entry is a target,
choices and outputs; the answer is the values by the names of scorers, None where one fails.
"""

from __future__ import annotations

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from inspect_ai.dataset import csv_dataset, json_dataset
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target, answer, choice, exact, f1, includes, match, pattern
from inspect_ai.solver import TaskState

SCORERS = {
    "includes": includes(),
    "match": match(),
    "exact": exact(),
    "f1": f1(),
    "answer": answer("word"),
    "pattern": pattern(r"ANSWER: (\w+)"),
    "choice": choice(),
}


def samples_of(name: str, text: str) -> Any:
    """Return the samples of a file, as plain values."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(text.encode("latin-1"))
        load = csv_dataset if name.endswith(".csv") else json_dataset
        try:
            return [
                {"target": s.target, "choices": s.choices, "id": s.id, "metadata": s.metadata}
                for s in load(str(path))
            ]
        except Exception as error:  # noqa: BLE001 - whatever escapes it is its verdict
            return f"{type(error).__name__}: {error}"


def scores_of(target: Any, choices: list[str] | None, outputs: list[str]) -> Any:
    """Return what each scorer makes of outputs."""
    return {
        name: [_score(s, target, choices, out) for out in outputs] for name, s in SCORERS.items()
    }


def _score(scorer: Any, target: Any, choices: list[str] | None, output: str) -> Any:
    state = TaskState(
        model=ModelName("mock/model"),
        sample_id=1,
        epoch=1,
        input="",
        messages=[],
        output=ModelOutput.from_content("mock/model", output),
        choices=choices,
    )
    letter = output.rpartition(" ")[2][:1]
    if choices and letter.isalpha() and ord(letter.upper()) - ord("A") < len(choices):
        state.choices.mark_choice(ord(letter.upper()) - ord("A"), True)
    try:
        return asyncio.run(scorer(state, Target(target))).value
    except ValueError:
        return None


def main() -> None:
    """Answer what is asked."""
    asked = sys.argv[1]
    answers = [
        (samples_of if asked == "files" else scores_of)(*each) for each in json.load(sys.stdin)
    ]
    print(json.dumps(answers))  # noqa: T201


if __name__ == "__main__":
    main()
