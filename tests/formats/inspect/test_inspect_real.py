"""Verdicts and predictions for Inspect, compared with its own loaders and scorers."""

from __future__ import annotations

import io
import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.formats import dialect_of
from evalcontract.formats.inspect.reading import choices_of, metadata_of, targets_of
from evalcontract.formats.inspect.rows import find_rows
from evalcontract.model.reference import Kind
from evalcontract.source.external import read_external_stream
from evalcontract.structure.dialect_checker import DialectChecker

SCRIPT = Path(__file__).parent / "inspect_real.py"
NAN = float("nan")
TEXT = "What is the capital of France?"
#: Values of each key, one file for each.
VALUES: dict[str, list[Any]] = {
    "target": [
        True, 1, 1.5, {"a": 1}, None, [], ["a", 1], [None], [""], "", "Paris", NAN, [True], "  ",
    ],
    "choices": [
        "a,b", "Paris London", "a", "", [], ["a", "", 1], 5, {"a": 1}, True, "a,,b,", [None], None,
    ],
    "id": [1, "a", 1.0, 1.5, True, None, [], "", {}, -3, 10**30],
    "metadata": [{}, None, '{"a": 1}', "", "x", "[1]", [1], 5, {"a": None}, "null", "{}"],
    "sandbox": [
        "docker", ["docker", "c.yaml"], '["docker", "c.yaml"]', ["a"], 5, {}, "", None, [1, 2],
        "[1", {"type": "docker"}, "[]", " [1, 2]",
    ],
    "files": [{"a": "b"}, {"a": 1}, '{"a": "b"}', "", "x", [], None, "[]", {}, '{"a": 1}'],
    "setup": ["a", "", 5, None, []],
    "description": ["a", "", 5, None, []],
    "checkpoint": [
        None, "", "null", {}, {"trigger": None}, {"trigger": {"every": 1}}, 5, "x", {"a": 1},
        '{"x": 1}', [], "[]", '{"trigger": {"every": 1}}', " ",
    ],
    "input": [
        "", None, 0, 5, [], {}, {"a": 1}, ["a"], [{}], [{"role": "user"}], [{"content": "a"}], True,
        [{"role": "user", "content": ""}], [{"role": "User", "content": "a"}], [None], "x",
        [{"role": "user", "content": 5}], [{"role": "user", "content": []}], False, " ",
        [{"role": "user", "content": ["a"]}],
        [{"role": "user", "content": [{"type": "text", "text": "a"}]}],
        [{"role": "user", "content": [{"type": "image", "image": "a.png"}]}],
        [{"role": "user", "content": [{"type": "image_url", "image_url": "a.png"}]}],
        [{"role": "user", "content": {"a": 1}}], [{"role": "developer", "content": "a"}],
        [{"role": "assistant", "content": "a", "tool_calls": None}],
        [{"role": "assistant", "content": "a",
          "tool_calls": [{"id": "1", "function": "f", "arguments": {}}]}],
        [{"role": "assistant", "content": "a",
          "tool_calls": [{"id": "1", "type": "function", "function": {"name": "f"}}]}],
        [{"role": "assistant", "content": "a", "tool_calls": 5}],
        [{"role": "tool", "content": "a", "tool_call_id": 5}],
        [{"role": "tool", "content": "a", "function": "f"}],
        [{"role": "tool", "content": "a", "error": "x"}],
        [{"role": "system", "content": "s"}, {"role": "user", "content": "a", "x": 1}],
    ],
}  # fmt: skip
BOM = "\xef\xbb\xbf"
LINE = '{"input": "a", "target": "b"}\n'
#: Whole files, as Latin-1.
FILES: list[tuple[str, str]] = [
    ("d.json", "[]"), ("d.json", "5"), ("d.json", ""), ("d.json", LINE), ("d.json", "[5]"),
    ("d.json", "[[]]"), ("d.json", f"{BOM}[{LINE}]"), ("d.json", '{"samples": []}'),
    ("d.json", '[{"question": "a"}]'), ("d.json", '[{"input": "a", "input": "b"}]'),
    ("d.jsonl", BOM + LINE), ("d.jsonl", f"{LINE}\n{LINE}"), ("d.jsonl", f"\n{LINE}"),
    ("d.jsonl", f"{LINE}\n"), ("d.jsonl", "[1]\n"), ("d.jsonl", ""), ("d.jsonl", '{"in'),
    ("d.jsonl", '{"input": "a", "target": NaN}\n'), ("d.jsonl", f"  {LINE}"), ("d.jsonl", LINE * 3),
    ("d.ndjson", LINE * 2), ("d.jsonl", f"{LINE}  "), ("d.jsonl", LINE.replace("\n", "\r\n") * 2),
    ("d.jsonl", '{"input": "\xff"}\n'), ("d.jsonl", '{"id": 1, "input": "a"}\n' * 2),
    ("d.csv", "input,target\n"), ("d.csv", "input,target\na,b\n,\n\nc,nan\n"),
    ("d.csv", "input,target\na,b,c\n"), ("d.csv", "input,target\na\n"), ("d.csv", "input\n\n"),
    ("d.csv", "input,target\n,b\n"), ("d.csv", "input,metadata\na,\n"),
    ("d.csv", "input,files\na,\n"), ("d.csv", "input,checkpoint\na,\n"),
    ("d.csv", "input,choices,id,sandbox,setup,description\na,,,,,\n"),
    ("d.csv", 'input,metadata\na,"{""x"": 1}"\n'), ("d.csv", f"{BOM}input,target\na,b\n"),
    ("d.csv", "input,input\na,b\n"), ("d.csv", "Input,target\na,b\n"),
    ("d.csv", "input, target\na, b\n"), ("d.csv", "input;target\na;b\n"),
    ("d.csv", 'input,choices\na,"x,y"\n'), ("d.csv", "input,choices\na,x y\n"),
    ("d.csv", 'input,target\n"a\nb",c\n'), ("d.csv", "input,id\na,1\nb,1\n"),
    ("d.csv", "\ninput,target\na,b\n"), ("d.csv", 'input,target\na,"  "\n'),
    *(("d.json", json.dumps([{"input": TEXT, key: value}]))
      for key, values in VALUES.items() for value in values),
]  # fmt: skip


def ask(what: str, cases: Any) -> list[Any]:
    """Return what the real package answers."""
    peers = os.environ.get("EVALCONTRACT_PEERS")
    python = Path(peers).parents[1] / "inspect/bin/python" if peers else None
    if python is None or not python.exists():
        reason = "EVALCONTRACT_PEERS names no environment beside which Inspect is installed"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(reason)
    done = subprocess.run(
        [python, SCRIPT, what],
        input=json.dumps(cases),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": ""},
    )
    answers: list[Any] = json.loads(done.stdout.splitlines()[-1])
    return answers


def read(name: str, text: str) -> Any:
    """Return the samples that we say Inspect reads, or the codes of what it rejects."""
    data = text.encode("latin-1")
    given = Input(Path(name), io.BytesIO(data))
    found = validate(Kind.DATASET, [given], Options(dialect="inspect", strict=False)).diagnostics
    if rejected := [each.code for each in found if each.is_error]:
        return rejected
    file = read_external_stream(io.BytesIO(data), name)
    layout = find_rows(file, None, DialectChecker(*dialect_of("inspect").stage))
    stream = file.stream.batches() if file.stream and layout.rows is None else ()
    rows = [row for batch in stream for row in batch.rows] if layout.rows is None else layout.rows
    return [
        {
            "target": targets_of(row),
            "choices": choices_of(row),
            "id": str(row.get("id")),
            "metadata": metadata_of(row),
        }
        for row in rows
    ]


def plain(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a real sample in the form of `read`."""
    target, id_ = sample["target"], sample["id"]
    return {
        "target": target if isinstance(target, list) else [target],
        "choices": sample["choices"] or [],
        "id": str(id_),
        "metadata": sample["metadata"] or {},
    }


@pytest.mark.slow
def test_verdicts_and_samples_are_those_of_inspect() -> None:
    differ = []
    for (name, text), real in zip(FILES, ask("files", FILES), strict=True):
        ours = read(name, text)
        is_loaded = not isinstance(real, str)
        loads = not ours or isinstance(ours[0], dict)
        if is_loaded != loads:
            differ.append((name, text, real, ours))
        elif is_loaded and '"id": true' not in text and '"id": 1.0' not in text:
            expected = [plain(sample) for sample in real]
            if expected != ours:
                differ.append((name, text, expected, ours))
    assert differ == []


OUTPUTS = ["", "Paris", "x Paris", "ANSWER: Paris", "5", "A", "B", "nan", "ANSWER: B"]
SAMPLES: list[tuple[Any, list[str] | None]] = [
    ("", None), ([], None), ([""], None), (["", "Paris"], None), ("Paris", None),
    (["Paris", "Rome"], None), ("A", ["a", "b"]), ("B", ["a", "b"]), ("A,B", ["a", "b"]),
    ("C", ["a", "b"]), ("Paris", ["Paris", "b"]), ("", ["a", "b"]), ("1", ["a", "b"]),
    ("b", ["a", "b"]), ("10", ["a"]), ("A-", ["a", "b"]),
]  # fmt: skip


@pytest.mark.slow
def test_scorers_do_what_is_predicted() -> None:
    asked = [(target, choices, OUTPUTS) for target, choices in SAMPLES]
    differ = []
    for (target, choices, _), real in zip(asked, ask("scores", asked), strict=True):
        row = {"input": TEXT, "target": target} | ({"choices": choices} if choices else {})
        predicted = {p.name: p.state for p in dialect_of("inspect").format.predict(row, None)}
        for scorer, values in real.items():
            if scorer == "choice" and not choices:
                state = "skip"
            elif all(value in ("C", 1.0) for value in values):
                state = "vacuous"
            elif all(value in ("I", 0.0, None) for value in values):
                state = "fail"
            else:
                state = "run"
            if (scorer == "choice") != bool(choices) or (choices and target in ("A,B", "")):
                continue  # no output here names both; without a target, no choice is right
            if predicted[scorer] != state:
                differ.append((target, choices, scorer, predicted[scorer], state, values))
    assert differ == []
