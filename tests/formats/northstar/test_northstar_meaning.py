"""What NorthStar's graders find in a run before a conversion, is found after it, or it is a loss.

The runs are random, and each case expects much of what happens in them.
"""

from __future__ import annotations

import json
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from northstar_graders import run_of, verdicts

import evalcontract
from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options

if TYPE_CHECKING:
    from pathlib import Path

TOOLS = ("find", "book", "pay", "mail")
WORDS = ("harbour", "depth", "nine", "metres", "tide", "low tide", "Wick", "mole")
OTHERS = ("databricks", "evret", "inspect", "mlflow:oss", "mlflow:evaluate", "evalcontract")


def cases(count: int, seed: int) -> list[dict[str, Any]]:
    """Return cases, each with its run."""
    random = Random(seed)  # noqa: S311 - it makes cases
    return [_case(random, number) for number in range(count)]


def _case(random: Random, number: int) -> dict[str, Any]:
    calls = [(name, _arguments(random)) for name in random.choices(TOOLS, k=random.randint(0, 3))]
    answer = " ".join(random.choices(WORDS, k=random.randint(1, 6)))
    names = [name for name, _ in calls]
    wanted: dict[str, Any] = {
        "max_tool_calls": random.randint(0, 4),
        "required_tools": _some(random, names, TOOLS),
        "forbidden_tools": _some(random, TOOLS, TOOLS),
        "tool_arguments": [
            {"name": name, "arguments": _part(random, arguments)}
            for name, arguments in _some(random, calls, [("pay", {"place": "Wick"})])
        ],
        "tool_sequence": random.choice([names, names[:1], [*TOOLS[:2]]]),
        "contains": _some(random, answer.split(), WORDS),
        "not_contains": _some(random, WORDS, WORDS),
        "ground_truth": random.choice([answer.upper(), *WORDS]),
        "require_tool_output_reference": True,
        "max_latency_ms": random.randint(1, 9),
        "max_cost_usd": 0.5,
        "goal": "Says how deep it is.",
    }
    keys = random.sample([*wanted], k=random.randint(1, 5))
    made = [
        {"type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
        for name, arguments in calls
    ]
    asked: dict[str, Any] = {"role": "user", "content": f"How deep is harbour {number}?"}
    said: dict[str, Any] = {"role": "assistant", "content": answer}
    return {
        "id": f"case_{number}",
        "messages": [asked, *([{"role": "assistant", "tool_calls": made}] if made else []), said],
        "expected": {key: wanted[key] for key in keys},
        "metrics": {"latency_ms": random.randint(1, 9)},
    }


def _some(random: Random, present: Any, others: Any) -> list[Any]:
    """Return a few things that a run has, and sometimes others."""
    pool = [*present] if present and random.random() < 0.7 else [*others]
    return random.sample(pool, k=random.randint(1, min(2, len(pool))))


def _arguments(random: Random) -> dict[str, Any]:
    return {"place": random.choice(WORDS), "days": random.randint(1, 2), "by": {"mail": True}}


def _part(random: Random, arguments: dict[str, Any]) -> dict[str, Any]:
    return {key: part for key, part in arguments.items() if random.random() < 0.5}


def converted(folder: Path, source: str, target: str, from_: str, to: str) -> dict[int, set[str]]:
    """Convert a file, and return the fields that each row loses."""
    options = Options(root=folder)
    report = folder / "losses.json"
    done = convert(
        Input(folder / source),
        folder / target,
        ConvertOptions(from_, to, report, force=True),
        options,
    )
    assert done.refusal is None, done.diagnostics
    lost: dict[int, set[str]] = {}
    for each in json.loads(report.read_text(encoding="utf-8"))["losses"]:
        if each["row_index"] is not None:
            lost.setdefault(each["row_index"], set()).add(each["path"].partition("].")[2])
    return lost


def without_preserved(value: Any) -> Any:
    """Return a file without what its rows preserve for converting back."""
    if isinstance(value, list):
        return [without_preserved(part) for part in value]
    if not isinstance(value, dict):
        return value
    kept = {key: part for key, part in value.items() if key not in ("metadata", "tags")}
    return {key: without_preserved(part) for key, part in kept.items()}


@pytest.mark.slow
def test_checks_find_what_graders_find(tmp_path: Path) -> None:
    given = cases(400, seed=1)
    (tmp_path / "in.json").write_text(json.dumps(given), encoding="utf-8")
    lost = converted(tmp_path, "in.json", "datasets/o.json", "northstar", "evalcontract")
    rows = json.loads((tmp_path / "datasets/o.json").read_text(encoding="utf-8"))["questions"]
    grader = evalcontract.Grader(tmp_path)
    outcomes = {True: 0, False: 0}
    for index, (case, row) in enumerate(zip(given, rows, strict=True)):
        found = verdicts(case, case["messages"])
        kept = [key for key in found if f"expected.{key}" not in lost.get(index, ())]
        if not kept:
            continue
        run = run_of(case["messages"])
        calls = [{"name": name, "arguments": arguments} for name, arguments in run.calls]
        result = grader.grade(row, {"output": run.answer, "tool_calls": calls})
        is_passed = all(found[key] for key in kept)
        assert (result.outcome == "passed") is is_passed, (case, result)
        outcomes[is_passed] += 1
    assert min(outcomes.values()) > 50


@pytest.mark.slow
@pytest.mark.parametrize("other", OTHERS)
def test_graders_find_the_same_by_way_of_another_system(other: str, tmp_path: Path) -> None:
    given = cases(200, seed=2)
    (tmp_path / "in.json").write_text(json.dumps(given), encoding="utf-8")
    lost = converted(tmp_path, "in.json", "there.json", "northstar", other)
    there = json.loads((tmp_path / "there.json").read_text(encoding="utf-8"))
    (tmp_path / "bare.json").write_text(json.dumps(without_preserved(there)), encoding="utf-8")
    converted(tmp_path, "bare.json", "back.json", other, "northstar")
    back = json.loads((tmp_path / "back.json").read_text(encoding="utf-8"))
    back = back["cases"] if isinstance(back, dict) else back
    compared = 0
    for index, (case, again) in enumerate(zip(given, back, strict=True)):
        before, after = (verdicts(each, case["messages"]) for each in (case, again))
        kept = [key for key in before if f"expected.{key}" not in lost.get(index, ())]
        for key in before.keys() & after.keys() & {*kept}:
            compared += 1
            # What is told as lost may be there in part, such as the tools of a sequence, or the
            # right answer among the phrases.
            assert after[key] in (before[key], all(before.values())), (key, case, again)
        assert all(after.values()) or not all(before.values()), (case, again)
        assert all(before[key] for key in kept) or not all(after.values()), (case, again)
    assert compared > 20
