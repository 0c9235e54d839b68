"""Workspaces for the tests and the bench of the HTML report."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_JUDGE = """\
id: tone
version: 1.0.0
label: Tone
template: "Is this polite? {{output}}"
output_format: score
"""
_CYCLE = """\
id: {id}
version: 1.0.0
label: One of a circle
checks:
  - {{id: inner, kind: composite, rubric_ref: rubric/{other}@1.0.0}}
  - {{id: lost, kind: llm_judge, judge_prompt_ref: judge/lost@2.0.0}}
scoring: {{combine: all_pass}}
"""
_SMALL = """\
# A comment before the rows.
questions:
  - id: good
    input: Where is my order?
    expected_facts: [it left on Monday]
    rubric_ref: rubric/narrow@1.0.0

  - id: misspelled
    input: Where is my other order?
    expecteed_facts: [it left on Monday]
    rubric_ref: rubric/narrow

  - id: circular
    input: Where is it?
    rubric_ref: rubric/one@1.0.0

  - id: dangling
    input: Where?
    rubric_ref: rubric/norrow@1.0.0
"""


def small(root: Path) -> Path:
    """Write a dataset with a few faults, a circle and what is missing; return its path."""
    _library(root, 4)
    for id_, other in (("one", "other"), ("other", "one")):
        (root / "rubrics" / f"{id_}.yaml").write_text(_CYCLE.format(id=id_, other=other))
    return _written(root / "datasets" / "small.yaml", _SMALL)


def large(root: Path, rows: int, checks: int = 36) -> Path:
    """Write a dataset with many rows, graded by two rubrics with many checks; return its path.

    Every row lacks what some checks read, and every seventh has a key that is misspelled.
    """
    _library(root, checks)
    lines = []
    for number in range(rows):
        row = {
            "id": f"row_{number:05}",
            "input": f"What is the state of order {number}, and when does it arrive? " * 3,
            "expected_facts": [f"order {number} left on Monday"],
            "rubric_ref": f"rubric/{'narrow' if number % 5 == 4 else 'wide'}@1.0.0",
        }
        if number % 7 == 0:
            row["expecteed_tools"] = ["order_lookup"]
        lines.append(json.dumps(row))
    return _written(root / "datasets" / "large.jsonl", "\n".join([*lines, ""]))


_SUPPORT = """\
id: support
version: 1.0.0
label: Support
checks:
  - {id: facts, kind: fact_match}
  - {id: tone, kind: llm_judge, judge_prompt_ref: judge/tone@1.0.0}
scoring: {combine: weighted_avg, threshold: 0.75}
"""
_LEVEL = """\
id: tone
version: 1.0.0
label: Tone
template: "Is this polite? {{output}}"
score_type: continuous
min_score: 1
max_score: 5
pass_threshold: 4
"""


#: What people say of the rows of `reviewed`.
HUMAN = ("pass", "fail", "fail", "fail", "pass", "pass")


def reviewed(root: Path, rows: int = 6, runs: str = "ab") -> Path:
    """Write a dataset with its outputs and results of some runs; return the path of the dataset.

    Of run `a`, even rows pass; of each later one, the first of these fail and the others pass. A
    judge answered all rows but the last, from 1 to 5. People labelled all.
    """
    _written(root / "judges" / "tone.yaml", _LEVEL)
    _written(root / "rubrics" / "support.yaml", _SUPPORT)
    for number, run in enumerate(runs):
        outputs = [{"id": f"r{at}", "output": _answer(run, at)} for at in range(rows)]
        text = _lines(outputs)
        _written(root / f"outputs_{run}.jsonl", text)
        file = {"file": f"outputs_{run}.jsonl", "sha256": sha256(text.encode()).hexdigest()}
        manifest = {
            "version": "2.1",
            "tool": {"name": "evalcontract", "version": "0.1.0"},
            "dataset": {"file": "datasets/support.jsonl"},
            "outputs": file,
        }
        results = [_result(at, is_last=at == rows - 1, run=number) for at in range(rows)]
        tally: dict[str, Any] = {
            "total": rows,
            "decided": rows - 1,
            "undecided": 1,
            "mean": None,
            "outcomes": {},
        }
        summary = {"rows": tally, "unmeasured": [], "rubrics": [], "checks": []}
        lines = [{"manifest": manifest}, *results, {"summary": summary}]
        _written(root / f"results_{run}.jsonl", _lines(lines))
    people = [{"id": f"r{at}", "human": HUMAN[at % len(HUMAN)]} for at in range(rows)]
    _written(root / "labels.jsonl", _lines(people))
    questions = [
        {
            "id": f"r{at}",
            "input": f"Where is order {at}?\nPlease say so.",
            "expected_facts": [f"order {at} left"],
            "tags": ["even" if at % 2 == 0 else "odd"],
            "rubric_ref": "rubric/support@1.0.0",
        }
        for at in range(rows)
    ]
    return _written(root / "datasets" / "support.jsonl", _lines(questions))


_LEVELS = """\
id: quality
version: 1.0.0
label: Quality
template: "How good is this? {{output}}"
score_type: levels
level_names: [poor, fair, good]
pass_threshold: 0.5
"""
#: The verdicts of two people and of a judge on outputs that nobody else looked at.
LEVELS = [
    *(("good", "good", "good"), ("poor", "poor", "poor"), ("fair", "fair", "good")),
    *(("poor", "fair", "poor"), ("fair", "good", "fair"), ("poor", "poor", "fair")),
]


def judged(root: Path, samples: int = 3) -> Path:
    """Write a dataset with several outputs of each row, which a judge answered on; return its path.

    The judge passes all outputs but the first of the second row.
    """
    dataset = reviewed(root, 2, "a")
    file = root / "results_a.jsonl"
    manifest, *rows, summary = map(json.loads, file.read_text().splitlines())
    rows = [
        {**_result(number and not at, is_last=False, run=0), "id": f"r{number}", "sample": at + 1}
        for number in range(len(rows))
        for at in range(samples)
    ]
    _written(file, _lines([manifest, *rows, summary]))
    return dataset


def sampled(root: Path, rows: int = 24, samples: int = 3) -> Path:
    """Write a dataset with several outputs of each row, two rows of a topic; return its path.

    Of row 0, all outputs are right; of row 1, all but one; and so on. Two people labelled with
    levels, as the judge `quality` does.
    """
    _written(root / "judges" / "quality.yaml", _LEVELS)
    people = [
        {"id": f"x{at}", "human": each[person], "judge": each[2], "annotator": f"p{person}"}
        for at, each in enumerate(LEVELS * 2)
        for person in (0, 1)
    ]
    _written(root / "labels.jsonl", _lines(people))
    outputs = [
        {"id": f"r{at}", "sample": number + 1, "output": _said(at, number, samples)}
        for at in range(rows)
        for number in range(samples)
    ]
    _written(root / "outputs.jsonl", _lines(outputs))
    questions = [
        {
            "id": f"r{at}",
            "input": f"Where is order {at}?",
            "must_contain_any": ["it left"],
            "metadata": {"topic": f"t{at // 2}"},
        }
        for at in range(rows)
    ]
    return _written(root / "datasets" / "orders.jsonl", _lines(questions))


def _said(row: int, number: int, samples: int) -> str:
    right = samples - row % (samples + 1)
    return f"Order {row}: it left ({number})." if number < right else f"No idea ({number})."


def passes(run: int, row: int) -> bool:
    """Whether a row of `reviewed` passes."""
    return row % 2 == 0 if run == 0 else row != 0


def _answer(run: str, row: int) -> str:
    return f"Order {row} left, says {run}.\n\tIndeed."


def _result(row: int, *, is_last: bool, run: int) -> dict[str, Any]:
    passed = passes(run, row)
    verdict = (5 if passed else 1 + row % 3) - run * (row == 2)
    judge = {"judge": "judge/tone@1.0.0", "model": "m-1"}
    tone: dict[str, Any] = {"id": "tone", "kind": "llm_judge"}
    if is_last:
        tone |= {"outcome": "error", "score": None, "bounds": [0, 1], "reason": "no answer"}
        tone |= {"details": {**judge, "answer": "Hm."}}
    else:
        outcome = "passed" if verdict >= 4 else "failed"
        details = {**judge, "verdict": verdict, "reason": f"the tone of {row}"}
        tone |= {"outcome": outcome, "score": (verdict - 1) / 4, "details": details}
        tone |= {} if outcome == "passed" else {"reason": f"the tone of {row}"}
    facts: dict[str, Any] = {
        "id": "facts",
        "kind": "fact_match",
        "outcome": "passed" if passed else "failed",
    }
    facts |= {"score": float(passed)} | ({} if passed else {"reason": f"no `order {row} left`"})
    score: dict[str, Any] = {"score": (facts["score"] + (tone["score"] or 0)) / 2}
    if is_last:
        score = {"score": None, "bounds": [facts["score"] / 2, facts["score"] / 2 + 0.5]}
    outcome = "undecided" if is_last else "passed" if passed else "failed"
    return {
        "id": f"r{row}",
        "rubric": "rubric/support@1.0.0",
        "outcome": outcome,
        **score,
        "checks": [facts, tone],
        "tags": ["even" if row % 2 == 0 else "odd"],
    }


def _lines(values: list[dict[str, Any]]) -> str:
    return "".join(f"{json.dumps(value)}\n" for value in values)


def _library(root: Path, checks: int) -> None:
    _written(root / "judges" / "tone.yaml", _JUDGE)
    for name, count in (("wide", checks), ("narrow", 4)):
        lines = [f"id: {name}", "version: 1.0.0", f"label: The {name} rubric", "checks:"]
        for number in range(count):
            lines.append(f"  - id: {name}_{number}")
            lines += _KINDS[number % len(_KINDS)]
        text = "\n".join([*lines, "scoring: {combine: all_pass}", ""])
        _written(root / "rubrics" / f"{name}.yaml", text)


_KINDS = (
    ["    kind: fact_match"],
    ["    kind: llm_judge", "    judge_prompt_ref: judge/tone@1.0.0"],
    ["    kind: must_not_contain", "    values: [nonsense]"],
    ["    kind: tool_usage"],
)


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path
