"""Verdicts and predictions for Inspect, compared with its own loaders and scorers."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import real_packages
from examples import some, tries
from inspect_files import generated
from real_packages import table_text, there_and_back

from evalcontract.datasets.kinds import candidates
from evalcontract.formats import dialect_of
from evalcontract.formats.inspect import Inspect, choices_of, id_of, metadata_of, parsed, targets_of
from evalcontract.workspace.recognition import tool_without_dataset

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
#: One part of a message of each type, as it is read.
PARTS: list[dict[str, Any]] = [
    {"type": "text", "text": "a", "refusal": None, "citations": None, "cache_breakpoint": True},
    {"type": "reasoning", "reasoning": "a", "summary": "b", "signature": "c", "redacted": False},
    {"type": "image", "image": "a.png", "detail": "low"},
    {"type": "audio", "audio": "a.wav", "format": "wav"},
    {"type": "video", "video": "a.mp4", "format": "mov"},
    {"type": "data", "data": {"a": 1}, "internal": 5},
    {"type": "document", "document": "a.pdf", "filename": "a", "mime_type": "b", "citations": True},
    {
        "type": "tool_use",
        "tool_type": "mcp_call",
        "id": "1",
        "name": "a",
        "context": None,
        "arguments": "{}",
        "result": "b",
        "error": None,
    },
]
CALL: dict[str, Any] = {
    "id": "1",
    "function": "f",
    "arguments": {},
    "parse_error": None,
    "type": "custom",
}


def changed(part: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a mapping, and it with each key left out, a number, a text and null."""
    without = [{key: part[key] for key in part if key != left_out} for left_out in part]
    others = [{**part, key: value} for key in part for value in (5, "x", None)]
    return [part, *without, *others]


MESSAGES = [
    *({"role": "user", "content": [each]} for part in PARTS for each in changed(part)),
    *({"role": "assistant", "content": "a", "tool_calls": [each]} for each in changed(CALL)),
]
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
    *(("d.jsonl", LINE.replace("\n", end) * 2) for end in ("\r", "\n\r", "\r\r", "\r\r\n", "\x0b")),
    ("d.jsonl", f"{BOM}{LINE}".replace("\n", "\r")), ("d.jsonl", f"\xe2\x80\x83{LINE}"),
    ("d.jsonl", LINE.replace("\n", "\xc2\xa0\n")), ("d.jsonl", f"{LINE}\xc2\x85\n"),
    ("d.jsonl", "\r"),
    ("d.jsonl", LINE.replace("a", "a\xe2\x80\xa8").replace("\n", "\r") * 2),
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
    *(("d.json", json.dumps([{"input": [message]}])) for message in MESSAGES),
]  # fmt: skip


ask = partial(real_packages.ask_peer, "inspect", SCRIPT)
rejections = partial(real_packages.rejections, "inspect")
rows_of = partial(real_packages.rows_of, "inspect")


def read(name: str, text: str) -> Any:
    """Return the samples that we say Inspect reads, or the codes of what it rejects."""
    if rejected := rejections(name, text):
        return rejected
    return [
        {
            "input": _input(row["input"]),
            "target": targets_of(row),
            "choices": choices_of(row),
            "id": id_of(row),
            "metadata": metadata_of(row),
            "sandbox": _sandbox(row.get("sandbox")),
            "files": parsed(row.get("files")),
            "setup": None if row.get("setup") is None else str(row["setup"]),
        }
        for row in rows_of(name, text)
    ]


def _input(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return [{"role": each["role"], "content": _content(each["content"])} for each in value]


def _content(content: Any) -> Any:
    if isinstance(content, str):
        return content
    names = {
        key: each["type"] for each in PARTS for key in each if key in ("tool_type", each["type"])
    }
    return [
        part.get("type") or next(names[key] for key in part if key in names) for part in content
    ]


def _sandbox(value: Any) -> list[str | None] | None:
    if isinstance(value, str) and not value.strip().startswith("["):
        return [value, None]
    value = parsed(value)
    return None if value is None else [str(part) for part in value]


def plain(sample: dict[str, Any]) -> dict[str, Any]:
    """Return a real sample in the form of `read`."""
    target, id_ = sample["target"], sample["id"]
    return {
        **sample,
        "target": target if isinstance(target, list) else [target],
        "choices": sample["choices"] or [],
        "id": None if id_ is None else str(id_),
        "metadata": sample["metadata"] or {},
    }


def differences(files: list[tuple[str, str]]) -> list[Any]:
    """Return the files whose verdict or samples are not what Inspect says."""
    differ = []
    for (name, text), real in zip(files, ask("files", files), strict=True):
        ours = read(name, text)
        is_loaded = not isinstance(real, str)
        if is_loaded != (not ours or isinstance(ours[0], dict)):
            differ.append((name, text, real, ours))
        elif is_loaded and (expected := [plain(sample) for sample in real]) != ours:
            differ.append((name, text, expected, ours))
    return differ


@pytest.mark.slow
def test_verdicts_and_samples_are_those_of_inspect() -> None:
    assert differences(some(FILES)) == []


@pytest.mark.slow
def test_so_are_those_of_generated_files() -> None:
    many = tries(1200)
    files = generated(many, 1)
    assert len({text for _, text in files}) > many * 0.85
    assert differences(files) == []


def by_way(source: tuple[str, str], medium: str) -> tuple[str, set[Any]]:
    """Return records, converted to rows of ours and back, as a file, and the keys that are lost."""
    writer = Inspect().lens(medium)
    ours = [
        Inspect().lens("json").read(row, index).row for index, row in enumerate(rows_of(*source))
    ]
    written = [writer.write(row, None, index) for index, row in enumerate(ours)]
    document, losses = writer.wrap([each.row for each in written], {})
    lost = {loss.path[0] for loss in (*losses, *(loss for each in written for loss in each.losses))}
    if medium != "csv":
        return "".join(f"{json.dumps(row)}\n" for row in document), lost
    header, cells = document
    return table_text(header, cells, "\n"), lost


def _same(key: str, before: dict[str, Any], after: dict[str, Any]) -> bool:
    """Whether a value is what it was; an empty cell is an empty text where there was nothing."""
    was, now = before[key], after[key]
    if key == "metadata":  # it holds what evalcontract keeps, too
        now = {name: part for name, part in now.items() if name != "evalcontract"}
    return was == now or (key == "id" and was is None) or (key in ("files", "setup") and not was)


@pytest.mark.slow
def test_what_is_written_is_loaded_as_the_same_samples() -> None:
    sources = [each for each in generated(tries(400), 4) if not rejections(*each)]
    ways = [(f"d.{each}", partial(by_way, medium=each)) for each in ("jsonl", "csv")]
    differ: list[tuple[Any, ...]] = []
    for source, text, lost, before, after in there_and_back(partial(ask, "files"), sources, ways):
        if isinstance(after, str) or len(before) != len(after):
            differ.append((source, text, after))
            continue
        told = {*lost, "input"} if "messages" in lost else lost
        for sample, again in zip(map(plain, before), map(plain, after), strict=True):
            keys = [key for key in sample if key not in told and not _same(key, sample, again)]
            differ += [(source, text, key, sample[key], again[key]) for key in keys]
    assert len(sources) > tries(150)
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
    asked = [(target, choices, OUTPUTS) for target, choices in some(SAMPLES)]
    differ = []
    for (target, choices, _), real in zip(asked, ask("scores", asked), strict=True):
        row = {"input": TEXT, "target": target} | ({"choices": choices} if choices else {})
        predicted = {p.name: p.state for p in dialect_of("inspect").predict(row)}
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


@pytest.mark.slow
def test_a_log_is_no_dataset() -> None:
    (log,) = ask("logs", [(TEXT, "Paris")])
    assert log["samples"][0]["target"] == "Paris"
    tool = tool_without_dataset(log)
    assert tool
    assert tool.name == "Inspect"
    assert candidates(log) == []
