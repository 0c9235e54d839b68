"""A check kind is added in the steps of CONTRIBUTING.md: a copy of the package has one more."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from checkout import add_below, copy_package
from doors import command_lines

if TYPE_CHECKING:
    from pathlib import Path

KIND = '''
"""`max_words`: the output has at most so many words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import CheckKind, always_runs, reads_nothing
from evalcontract.checks.outcome import PASSED, failed, of_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.checks._kind import Check, EvalContext
    from evalcontract.checks.outcome import Executor, Verdict


def _prepare(check: Check, context: EvalContext) -> Executor:
    del context
    words: int = check["words"]

    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        del row
        count = len(text.split())
        return PASSED if count <= words else failed(f"it has {count} words, more than {words}")

    return of_text(judge)


KIND = CheckKind("max_words", reads_nothing, always_runs, prepare=_prepare)
'''
COMMON = ("id", "label", "description", "metadata")
BRANCH = {
    "title": "Word limit",
    "description": "Passes when the output has at most `words` words.",
    "type": "object",
    "required": ["kind", "words"],
    "properties": {
        "kind": {"title": "Kind", "description": "The kind.", "const": "max_words"},
        "words": {"title": "Words", "description": "How many.", "type": "integer", "minimum": 1},
        **{key: {"$ref": f"#/$defs/check_{key}"} for key in COMMON},
    },
    "additionalProperties": False,
    "examples": [{"id": "short", "kind": "max_words", "words": 50}],
}
#: What `make generated` runs for schemas and types.
SCRIPTS = (
    "editors/schemas/build_schemas.py",
    "release/build_closed.py",
    "release/build_types.py",
)
RUBRIC = """\
id: brief
version: "1.0.0"
checks:
  - {id: short, kind: max_words, words: 2}
scoring: {combine: all_pass}
"""
DATASET = """\
questions:
  - {id: curt, input: Where is the exit?, rubric_ref: rubric/brief@1.0.0}
  - {id: wordy, input: Where is the lift?, rubric_ref: rubric/brief@1.0.0}
"""
OUTPUTS = """\
{"id": "curt", "output": "Over there."}
{"id": "wordy", "output": "It is over there."}
"""


@pytest.fixture(name="place", scope="module")
def fixture_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A checkout with one more kind, and a workspace whose rubric has a check of it."""
    place = tmp_path_factory.mktemp("checkout")
    checks = copy_package(place) / "checks"
    (checks / "max_words.py").write_text(KIND.lstrip("\n"), encoding="utf-8")
    own = '    "max_words": "max_words",\n'
    add_below(checks / "__init__.py", '    "composite": "composite",', own)
    path = place / "schema" / "rubric.schema.json"
    schema = json.loads(path.read_text(encoding="utf-8"))
    check = schema["$defs"]["check"]
    check["properties"]["kind"]["enum"].append("max_words")
    properties = {"kind": {"const": "max_words"}}
    is_one = {"type": "object", "required": ["kind"], "properties": properties}
    check["allOf"].append({"if": is_one, "then": {"$ref": "#/$defs/check_max_words"}})
    schema["$defs"]["check_max_words"] = BRANCH
    path.write_text(json.dumps(schema), encoding="utf-8")
    for name, text in {
        "rubrics/brief.yaml": RUBRIC,
        "rubrics/slip.yaml": RUBRIC.replace("brief", "slip").replace("words:", "word:"),
        "datasets/exits.yaml": DATASET,
        "outputs.jsonl": OUTPUTS,
    }.items():
        file = place / "evals" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return place


@pytest.mark.slow
def test_a_new_kind_is_checked_explained_and_graded(place: Path) -> None:
    clean, slip, explained, covered, graded = command_lines(
        [
            ["validate-rubric", "rubrics/brief.yaml", "--strict"],
            ["validate-rubric", "rubrics/slip.yaml"],
            ["explain", "max_words"],
            ["coverage", "datasets/exits.yaml", "--output-format", "json"],
            [
                "grade",
                "datasets/exits.yaml",
                "--outputs",
                "outputs.jsonl",
                "--output-format",
                "jsonl",
            ],
        ],
        cwd=place / "evals",
        source=place / "src",
    )
    assert clean.code == 0, clean.out
    assert "did you mean `words`?" in slip.out
    assert "Passes when the output has at most `words` words." in explained.out
    assert covered.code == 0, covered.out + covered.err
    assert '"max_words"' in covered.out
    assert "it has 4 words, more than 2" in graded.out + graded.err


@pytest.mark.slow
def test_schemas_and_types_follow(place: Path) -> None:
    for script in SCRIPTS:
        subprocess.run(
            [sys.executable, place / script],
            env={**os.environ, "PYTHONPATH": str(place / "src")},
            check=True,
            capture_output=True,
        )
    editor = json.loads((place / "schema/editor/rubric.schema.json").read_text(encoding="utf-8"))
    assert "max_words" in editor["$defs"]["check"]["properties"]["kind"]["enum"]
    types = (place / "src/evalcontract/types.py").read_text(encoding="utf-8")
    assert "class MaxWordsCheck(TypedDict" in types
