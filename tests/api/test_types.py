"""The types of `evalcontract.types`: as the schemas say, and as the type checkers read them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from needs import missing

import evalcontract.types as typed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import ModuleType

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
SUITE = ROOT / "fixtures" / "schema"
CLASSES = {"dataset": "Dataset", "rubric": "Rubric", "judge": "Judge", "target": "Target"}
#: What a type can say of a value; bounds, patterns and what depends on other keys it cannot.
SAYABLE = {"type", "enum", "const", "additionalProperties"}
#: `True` is an `int` to Python, and a whole number in JSON may be written `3.0`.
UNLIKE_JSON = re.compile(r"true|false|\d\.0\b|[0-9]e[0-9]", re.IGNORECASE)


class Line(NamedTuple):
    """A document of the conformance suite, as one line of Python."""

    text: str
    is_valid: bool
    must_fail: bool


def lines() -> Iterator[Line]:
    for file in sorted(SUITE.glob("*/*.json")):
        for group in json.loads(file.read_text(encoding="utf-8")):
            for test in group["tests"]:
                if not isinstance(test["data"], dict):
                    continue
                text = f"x: {CLASSES[group['schema']]} = {test['data']!r}"
                keywords = {error["keyword"] for error in test.get("errors", ())}
                is_sayable = bool(keywords & SAYABLE) and not UNLIKE_JSON.search(text)
                yield Line(text.replace("x:", f"x{len(text)}:"), test["valid"], is_sayable)


EVERY = [*lines()]
HEAD = "from __future__ import annotations\n"
HEAD += f"from evalcontract.types import {', '.join(CLASSES.values())}\n"


@pytest.fixture(scope="module")
def builder() -> ModuleType:
    spec = spec_from_file_location("build_types", ROOT / "release" / "build_types.py")
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_the_types_are_up_to_date(builder: ModuleType, tmp_path: Path) -> None:
    """`make typed` writes what is there."""
    builder.build(tmp_path / "types.py")
    written = (tmp_path / "types.py").read_text(encoding="utf-8")
    assert written == builder.FILE.read_text(encoding="utf-8")


def test_every_name_can_be_imported() -> None:
    assert {*CLASSES.values(), "Row", "Check", "Finding", "RowResult"} < set(typed.__all__)
    assert typed.RegexCheck.__required_keys__ == {"kind", "pattern"}
    assert all(hasattr(typed, name) for name in typed.__all__)


def _mypy(file: Path) -> list[tuple[int, bool]]:
    """Return the lines with an error; whether it is only that a type knows no such key."""
    call: list[str | Path] = [
        sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context",
            "--cache-dir", file.parents[1] / "mypy", file]  # fmt: skip
    environment = {**os.environ, "MYPYPATH": str(SOURCE)}
    done = subprocess.run(call, env=environment, capture_output=True, text=True, check=False)
    assert not done.stderr, done.stderr
    return [
        (int(line), code == "typeddict-unknown-key")
        for line, code in re.findall(r"(?m):(\d+): error: .*\[([a-z-]+)\]$", done.stdout)
    ]


def _pyright(file: Path) -> list[tuple[int, bool]]:
    if find_spec("pyright") is None:
        missing("the package `pyright`")
    settings = {"extraPaths": [str(SOURCE)], "typeCheckingMode": "strict"}
    (file.parent / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    call: list[str | Path] = [
        sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable,
            "--project", file.parent]  # fmt: skip
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    found: Any = json.loads(done.stdout)["generalDiagnostics"]
    return [
        (each["range"]["start"]["line"] + 1, "is an undefined item" in each["message"])
        for each in found
    ]


CHECKERS = [
    pytest.param(_mypy, id="mypy"),
    pytest.param(_pyright, id="pyright", marks=pytest.mark.thorough),
]


@pytest.mark.slow
@pytest.mark.parametrize("check", CHECKERS)
@pytest.mark.thorough
def test_types_agree_with_the_schemas(
    check: Callable[[Path], list[tuple[int, bool]]], tmp_path: Path
) -> None:
    """What the schemas accept has the type; what they refuse for a fault of type has it not."""
    file = tmp_path / "documents.py"
    body = [line.text.replace("x", f"x_{number}_", 1) for number, line in enumerate(EVERY)]
    file.write_text(HEAD + "\n".join(body) + "\n", encoding="utf-8")
    offset = HEAD.count("\n") + 1
    errors: dict[int, list[bool]] = {}
    for number, is_key in check(file):
        errors.setdefault(number - offset, []).append(is_key)
    refused = [
        line.text
        for number, line in enumerate(EVERY)
        if line.is_valid and not all(errors.get(number, [])) and not UNLIKE_JSON.search(line.text)
    ]
    accepted = [line.text for number, line in enumerate(EVERY)
                if line.must_fail and not line.is_valid and number not in errors]  # fmt: skip
    assert (refused, accepted) == ([], [])
    assert sum(line.must_fail for line in EVERY) > 70
    assert sum(line.is_valid for line in EVERY) > 200


CONSUMER = """\
from __future__ import annotations

from typing import Any

from evalcontract import DatasetLoader, JudgePromptLoader, LoadedDataset, LoadedRow, RubricLoader
from evalcontract.types import Check, Finding, Row


def pattern(check: Check) -> str | None:
    if check["kind"] == "regex":
        return check["pattern"]
    if check["kind"] == "llm_judge":
        return check.get("judge_prompt_ref")
    return None


def facts(dataset: LoadedDataset) -> list[str]:
    rows: list[LoadedRow] = [row for row in dataset if row.ok]
    return [fact for row in rows for fact in row.value.get("expected_facts", [])]


def place(finding: Finding) -> str:
    return f"{finding['file']}:{finding['line'] or 1}"


row: Row = DatasetLoader().load("a.yaml").rows[0].value
other: dict[str, Any] = DatasetLoader(dialect="mlflow:oss").load("b.jsonl").rows[0].value
patterns = [pattern(check) for check in RubricLoader().load("a").value["checks"]]
template: str = JudgePromptLoader().load("a").value["template"]
mine: Row = {"id": "a", "input": "b", "expected_tools": ["x", {"name": "y"}]}
"""
WRONG = """
DatasetLoader().load("a.yaml").rows[0].value["expecteed_facts"]
RubricLoader().load("a").value["checks"][0]["pattern"]
bad: Row = {"id": 1, "input": "b"}
lost: Row = {"id": "a"}
kind: Check = {"kind": "regexp", "pattern": "a"}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("check", CHECKERS)
def test_a_script_of_a_user(
    check: Callable[[Path], list[tuple[int, bool]]], tmp_path: Path
) -> None:
    file = tmp_path / "script.py"
    file.write_text(CONSUMER + WRONG, encoding="utf-8")
    first = CONSUMER.count("\n") + 2
    assert {line for line, _ in check(file)} == set(range(first, first + 5))
