"""What is told of goldens that DeepEval loads, and of tables that pandas reads in its own way."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from tables import every_case

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind


def told(name: str, text: str) -> list[str]:
    """Return the places and the codes of findings on a file, without the name of the system."""
    given = Input(Path(name), io.BytesIO(text.encode()))
    found = validate(Kind.DATASET, [given], Options(dialect="deepeval", strict=False)).diagnostics
    return [f"{each.pointer} {each.code.removeprefix('deepeval/')}" for each in found]


GOLDEN = '"input": "a?", "expected_output": "b"'


@pytest.mark.costly
@every_case(
    ("text", "found"),
    [
        (f"[{{{GOLDEN}}}]", []),
        ('[{"input": "a?", "expectedOutput": "b"}]', ["$[0].expectedOutput near-miss-key"]),
        ('[{"inpt": "a?"}]', ["$[0].inpt missing-key"]),
        (f'[{{"scenario": "s", {GOLDEN}}}]',
         ["$[0].input other-kind", "$[0].expected_output other-kind"]),
        (f'[{{{GOLDEN}, "turns": []}}]', ["$[0].turns other-kind"]),
        (f'[{{{GOLDEN}, "context": "c"}}]', ["$[0].context wrong-type"]),
        (f'[{{{GOLDEN}, "retrieval_context": "c"}}]', ["$[0].retrieval_context list-as-text"]),
        (f'[{{{GOLDEN}}}, {{"input": "b?"}}]', ["$[1] no-expectation"]),
        ('[{"input": "a?"}, {"input": "b?"}]', []),
        (f'[{{{GOLDEN}}}, {{"scenario": "s", "turns": [], "expected_outcome": "o"}}]',
         ["$[1] mixed-goldens"]),
        (f'[{{{GOLDEN}, "expectations": {{"mst": ["a"]}}}}]',
         ["$[0].expectations.mst malformed-value"]),
        (f'[{{{GOLDEN}, "input_token_count": 1.5}}]', ["$[0].input_token_count malformed-value"]),
        (f'[{{{GOLDEN}, "name": "n"}}, {{{GOLDEN}, "name": "n"}}]', ["$[1].name duplicate-id"]),
        ('[{"scenario": "s", "turns": "[{\\"role\\": \\"user\\", \\"content\\": \\"a\\"},]"}]',
         ["$[0].turns malformed-value"]),
        (f'[{{{GOLDEN}, "expected_tools": [{{"name": "b", "inputParameters": 5}}]}}]',
         ["$[0].expected_tools[0].inputParameters wrong-type"]),
        (f'[{{{GOLDEN}, "actual_output": ""}}]', ["$[0].actual_output empty-output"]),
        (f'[{{{GOLDEN}, "id": 5}}]', ["$[0].id ignored-key"]),
        (f'[{{{GOLDEN}, "description": "d"}}]', ["$[0].description ignored-key"]),
        ('[{"scenario": "s", "description": "d"}]', ["$[0].description near-miss-key"]),
        ('[{"scenario": "s", "cost": 1}]', ["$[0].cost ignored-key"]),
        (f'[{{{GOLDEN}, "expected_outcom": "d"}}]', ["$[0].expected_outcom near-miss-key"]),
        (f'[{{{GOLDEN}, "must": ["a"]}}]', ["$[0].must misplaced-key"]),
        (f'[{{{GOLDEN}, "tool_calls": [{{"name": "a"}}]}}]', ["$[0].tool_calls near-miss-key"]),
        (f'[{{{GOLDEN}, "tools_called": [{{"name": "a", "args": {{}}}}]}}]',
         ["$[0].tools_called[0].args near-miss-key"]),
        ('[{"input": "a?", "answer": "b"}]', ["$[0].answer near-miss-key"]),
        ('[{"scenario": "s", "turns": [{"role": "user", "content": "a", "uesr_id": "b"}]}]',
         ["$[0].turns[0].uesr_id near-miss-key"]),
        ('[{"scenario": "s", "persona": {"characteristics": "c", "vioce": "a", "own": 1}}]',
         ["$[0].persona.vioce near-miss-key", "$[0].persona.own ignored-key"]),
        ('{"goldens": []}', ["$ rejected"]),
        ("[]", ["$ no-rows"]),
    ],
)  # fmt: skip
def test_findings_of_json(text: str, found: list[str]) -> None:
    assert told("goldens.json", text) == found


@every_case(
    ("text", "found"),
    [
        ("input,expected_output\na?,b\n", []),
        ("input,expected_output\na?,4\nb?,5\n", ["$[0].expected_output number-column"]),
        ("input,expected_output\na?,4\nb?,5 m\n", []),
        ("id,input,expected_output\n1,a?,b\n2,c?,d\n", ["$[0].id ignored-key"]),
        ("scenario,expected_outcome,persona\ns,o,5\n", ["$.persona near-miss-key"]),
        ("scenario,expected_outcome,persona\ns,o,p\n", ["$.persona near-miss-key"]),
        ("input,expected_output,actual_output\na?,b,\n", []),
        ("input,comments,context\na?,True,c\nb?,FALSE,c\n", ["$[0].comments number-column"]),
        ("input,expected_output,context\na?,None,c\n", ["$[0].expected_output null-text"]),
        ("input,context\na?,b|c\n", []),
        ("input,context\na?,b||c\n", ["$[0].context list-as-text"]),
        ('input,context\na?,"[""b""]"\n', ["$[0].context list-as-text"]),
        ("input,expected_output\nx,a?,b\ny,c?,d\n", ["$[0] shifted-columns"]),
        ("input,expected_output\na?,b\nc?,d,e\n", ["$[1] ragged-row"]),
        ("input,expected_tools\na?,find\n", ["$[0].expected_tools malformed-value"]),
        ("scenario,expected_output\ns,4\n", ["$[0].expected_output other-kind"]),
        ("input,additional_metadata,context\na?,{'b': 1},c\n", []),
        (f"input,additional_metadata,context\na?,{'[' * 200},c\n",
         ["$[0].additional_metadata malformed-value"]),
        (f"input,additional_metadata,context\na?,{'{' * 90_000},c\n",
         ["$[0].additional_metadata malformed-value"]),
    ],
)  # fmt: skip
def test_findings_of_tables(text: str, found: list[str]) -> None:
    assert told("goldens.csv", text) == found


@every_case(
    ("text", "found"),
    [
        (f"{{{GOLDEN}}}\n\n{{{GOLDEN}}}\n", []),
        (f'{{{GOLDEN}, "context": "b|c"}}\n', []),
        (f'{{{GOLDEN}, "context": "[\\"b\\"]"}}\n', ["$[0].context list-as-text"]),
        (f'{{{GOLDEN}, "expected_tools": "[{{\\"name\\": 5}}]"}}\n',
         ["$[0].expected_tools malformed-value"]),
    ],
)  # fmt: skip
def test_findings_of_lines(text: str, found: list[str]) -> None:
    assert told("goldens.jsonl", text) == found
