"""Record outputs as other systems do: `python recorded_by.py openai` or `langsmith`.

The types of `openai` take the bodies of responses, and dump them. `langsmith` runs an experiment
without its service, over examples whose ids are those of rows.
"""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from typing import Any
from uuid import UUID


def main() -> None:
    """Answer with the lines of files, by what is asked."""
    given = json.load(sys.stdin)
    answers = by_openai(given) if sys.argv[1] == "openai" else by_langsmith(given)
    sys.stdout.write(json.dumps(answers) + "\n")


def by_openai(bodies: list[dict[str, Any]]) -> list[Any]:
    """Return bodies as the types of their objects dump them: all keys, and those that are set."""
    from openai.types import Completion
    from openai.types.chat import ChatCompletion
    from openai.types.responses import Response

    types: dict[str, Any] = {
        "chat.completion": ChatCompletion,
        "response": Response,
        "text_completion": Completion,
    }
    read = [types[body["object"]].model_validate(body) for body in bodies]
    return [[json.loads(each.model_dump_json()), each.to_dict(mode="json")] for each in read]


def by_langsmith(given: dict[str, dict[str, Any]]) -> list[Any]:
    """Return the runs of an experiment, its results, and their columns, by the ids of examples."""
    from langsmith import Client, evaluate
    from langsmith.evaluation._runner import _flatten_experiment_results
    from langsmith.schemas import Example

    at, every = datetime(2026, 1, 1, tzinfo=UTC), UUID(int=1)
    examples = [
        Example(id=UUID(id_), inputs={"question": id_}, outputs={"a": "x"}, dataset_id=every,
                created_at=at)
        for id_ in given
    ]  # fmt: skip

    def target(inputs: dict[str, Any]) -> dict[str, Any]:
        outputs = given[inputs["question"]]
        if "raise" in outputs:
            raise ValueError(outputs["raise"])
        return outputs

    client = Client(api_key="x", api_url="http://127.0.0.1:1")
    results = evaluate(target, data=examples, upload_results=False, client=client)
    rows = list(results)
    dumped = [
        {"run": json.loads(row["run"].model_dump_json()),
         "example": json.loads(row["example"].model_dump_json()),
         "evaluation_results": {"results": []}}
        for row in rows
    ]  # fmt: skip
    columns = json.loads(json.dumps(_flatten_experiment_results(rows), default=str))
    return [[row["run"] for row in dumped], dumped, columns]


if __name__ == "__main__":
    main()
