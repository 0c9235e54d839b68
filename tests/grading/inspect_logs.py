"""Writes logs of runs of Inspect; run where it is installed.

The arguments are a folder, a format of logs and a number of epochs. The model says what each sample
expects, calls a tool where that is `CALL`, and fails where it is `FAIL`.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any

from inspect_ai import Task, eval  # noqa: A004
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import generate

SAMPLES = {"refund": "Within 30 days.", 2: "Sorry.", "tool": "CALL", "broken": "FAIL"}
NAME = "mockllm/model"


class _Tokens:
    """The table of tokens, which would be downloaded."""

    def encode(self, text: str, **_: Any) -> list[int]:
        """Return one token a character."""
        return [0] * len(text)

    encode_ordinary = encode


def main() -> None:
    """Write a log."""
    folder, log_format, epochs = sys.argv[1:]
    import_module("tiktoken").get_encoding = lambda *_: _Tokens()  # type: ignore[attr-defined]
    model = get_model(NAME, memoize=False)

    async def answer(**asked: Any) -> ModelOutput:
        text = asked["input"][0].text
        if text == "FAIL":
            raise RuntimeError("the endpoint is gone")
        if text == "CALL":
            return ModelOutput.for_tool_call(NAME, "weather", {"city": "Bonn"})
        return ModelOutput.from_content(NAME, text)

    model.generate = answer
    samples = [Sample(id=id_, input=text, target="30") for id_, text in SAMPLES.items()]
    task = Task(dataset=samples, solver=[generate(tool_calls="none")], scorer=includes())
    settings = {"log_dir": folder, "log_format": log_format, "epochs": int(epochs)}
    eval(task, model=model, display="none", fail_on_error=False, **settings)


if __name__ == "__main__":
    main()
