"""What agent-skills-eval itself loads and rejects, of files of every kind, is told here.

Needs Node.js and `npm ci --ignore-scripts` in `tests/node`. Without them the tests are skipped,
but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from needs import NODE, missing

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Diagnostic

SCRIPT = Path(__file__).parents[2] / "node/agent_skills.mjs"
PROMPT: dict[str, Any] = {"prompt": "When?"}


def each_of(*values: Any) -> tuple[Any, ...]:
    """Return values of many types, as values of any type."""
    return values


#: Values of the keys of a case: each is tried in a case of its own.
VALUES: dict[str, list[Any]] = {
    "prompt": ["When?", "", " ", None, 5, ["When?"], {}],
    "id": [1, "a", "", 1.5, None, True, [], {}],
    "name": ["a", 5, None],
    "expected_output": ["a", "", 5, None, ["a"], {}],
    "files": [["a"], [], "a", None, [1], [None, "a"], {}],
    "expectations": [["a"], "a", 5],
    "assertions": [
        *(["a"], [], [""], "a", None, {}, 5, [1], [None], [["a"]], ["a", 1], [{}]),
        *([{"text": "a"}], [{"value": "a"}], [{"criterion": "a"}], [{"name": "a"}]),
        *([{"text": 5}], [{"text": 5, "value": "a"}], [{"text": "a", "weight": 2}]),
    ],
    "params": [{}, {"n": 1}, None, [], "a", 5],
    "tools": [
        *([], None, {}, "a", [1], [{}], [{"type": "a"}], [{"type": "function"}]),
        *(
            [{"type": "function", "function": part}]
            for part in each_of({}, [], {"name": ""}, {"name": 1})
        ),
        [{"type": "function", "function": {"name": "a", "parameters": 5, "description": 5}}],
    ],
    "tool_choice": [
        *("auto", "none", "required", None, "a", 5, [], {}, {"type": "function"}),
        *({"type": "function", "function": part} for part in ({}, {"name": ""}, {"name": "a"})),
    ],
    "tool_assertions": [
        *([], None, {}, "a", [1], [{}], [{"type": "a"}], [{"type": 5}]),
        *(
            [{"type": type_, **rest}]
            for type_ in (
                *("tool-called", "tool-not-called", "tool-arg-equals", "tool-arg-contains"),
                *("tool-arg-matches", "tool-call-count"),
            )
            for rest in (
                *({}, {"name": "a"}, {"name": ""}, {"name": 5}, {"name": "a", "path": "p"}),
                *({"name": "a", "path": ""}, {"name": "a", "path": 5, "value": "v"}),
                *({"name": "a", "path": "p", "value": "v"}, {"name": "a", "path": "p", "value": 5}),
                *({"name": "a", "path": "p", "pattern": "v"}, {"name": "a", "path": "p"}),
                *({"min": 1}, {"max": 2}, {"min": "1"}, {"min": "1", "max": 2}, {"min": None}),
                {"name": "a", "path": "p", "pattern": 5, "flags": 5},
            )
        ),
    ],
    "level": ["a", 5],
}
#: Whole files, as texts and as values.
TEXTS = [
    *('{"evals": [{"prompt": "a", "prompt": "b"}]}', '\ufeff{"evals": []}', "[]", "null", "5"),
    *('{"evals": [{"prompt": "a", "n": NaN}]}', '{"evals": [{"prompt": "a"},]}', "{}", '""'),
    '{"evals": [{"prompt": "a", "n": -Infinity}]}',
]
FILES: list[Any] = [
    *(
        {"evals": value}
        for value in each_of([], {}, None, "a", [1], [None], [[]], [{}], [PROMPT, 5])
    ),
    *({"evals": [PROMPT], "skill_name": value} for value in each_of("a", 5, None, [])),
    *(
        {"evals": [PROMPT], "defaults": value}
        for value in each_of({}, None, [], "a", 5, {"tools": None})
    ),
    *({"evals": [PROMPT], "defaults": {"tools": value}} for value in each_of([], {}, [1])),
    *(
        {"evals": [PROMPT], "defaults": {"target": value}}
        for value in each_of({}, 5, None, {"params": 5})
    ),
    *(
        {"evals": [PROMPT], "defaults": {"judge": value}}
        for value in each_of({}, [], {"params": {}})
    ),
    {"evals": [{"id": 1, **PROMPT}, {"id": 1, **PROMPT}]},
    *({"behavioral_cases": [PROMPT]}, {"Evals": [PROMPT]}, {"evals": [PROMPT], "other": 1}),
]
#: What a case has of itself once it is loaded, if nothing of it is left out.
READ = ("id", "name", "prompt", "expected_output", "files", "assertions")


def cases() -> list[str]:
    values = [
        {"evals": [{**PROMPT, key: value}]} for key, given in VALUES.items() for value in given
    ]
    return [*TEXTS, *(json.dumps(each) for each in (*FILES, *values))]


@pytest.fixture(scope="module")
def loaded() -> list[dict[str, Any]]:
    """Return what the loader says of each file."""
    node = shutil.which("node")
    if node is None or not (SCRIPT.parent / "node_modules/agent-skills-eval").is_dir():
        missing(NODE)
    done = subprocess.run(
        [node, str(SCRIPT)],
        input=json.dumps(cases()).encode(),
        cwd=SCRIPT.parent,
        capture_output=True,
        check=True,
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def found_in(text: str, folder: Path) -> list[Diagnostic]:
    path = folder / "evals.json"
    path.write_text(text, encoding="utf-8")
    options = Options(root=folder, strict=False, dialect="agent_skills:guide")
    return validate(Kind.DATASET, [Input(path)], options).diagnostics


@pytest.mark.slow
def test_every_verdict_is_the_loaders(loaded: list[dict[str, Any]], tmp_path: Path) -> None:
    differ = []
    for text, verdict in zip(cases(), loaded, strict=True):
        found = found_in(text, tmp_path)
        if any(each.is_error for each in found) is not ("error" in verdict):
            differ.append((text, verdict, [each.code for each in found]))
    assert differ == []
    assert sum("error" in each for each in loaded) > 50
    assert sum("evals" in each for each in loaded) > 50


@pytest.mark.slow
def test_what_is_left_out_is_told(loaded: list[dict[str, Any]], tmp_path: Path) -> None:
    """A value that the loader does not return as it is, is a finding."""
    silent = []
    for text, verdict in zip(cases(), loaded, strict=True):
        if "error" in verdict or not verdict["evals"]:
            continue
        case, read = json.loads(text)["evals"][0], verdict["evals"][0]
        lost = [key for key in READ if case.get(key) is not None and key not in read]
        lost += [key for key in case if key not in (*READ, *read) and case[key] is not None]
        lost += [key for key in ("files",) if key in read and read[key] != case[key]]
        if lost and not found_in(text, tmp_path):
            silent.append((text, lost))
    assert silent == []
