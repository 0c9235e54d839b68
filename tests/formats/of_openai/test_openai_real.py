"""The verdicts are those of OpenAI's own packages: of types, and of evals that are run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from examples import some, tries
from openai_files import CRITERIA, eval_with, findings, mutants
from openai_real import answers

from evalcontract.formats import dialect_of
from evalcontract.source.json import load_as_python

#: Changes that the types of a new eval judge otherwise: an empty mapping is an iterable, a range
#: has two ends by the documentation, and messages have many forms.
OTHERWISE = ("testing_criteria: {}", ".input: {}", ".range", ".input.")
SAMPLES: list[Any] = [
    *({"input": "q", "ideal": ideal} for ideal in ("", [], ["", "no"], 5, [5], None, {"a": 1})),
    *({"input": "q", "ideal": ideal} for ideal in ("no", ["no"], ["no", "maybe"], "{}", ["[1]"])),
    *({"input": "q", "ideal": ideal} for ideal in ([["no"]], "3", True)),
    {"input": "q"},
    {"ideal": "no"},
    {"input": [{"role": "user", "content": "q"}], "ideal": "no"},
]
#: An answer that is right by each of the samples whose answers are texts, and one that never is.
RIGHT, WRONG = ("no", "maybe", "{}", "[1]", "3"), "zzz"


def is_rejected(value: Any, folder: Path, dialect: str) -> bool:
    return any(each.is_error for each in findings(value, folder, dialect))


@pytest.mark.slow
def test_evals_are_accepted_by_the_types(tmp_path: Path) -> None:
    cases: list[tuple[str, Any]] = []
    for name in CRITERIA:
        value = eval_with(name)
        del value["data_source"]
        cases.append((name, value))
        cases += [
            (f"{name} {what}", changed)
            for what, changed in some(mutants(value))
            if not any(part in what for part in OTHERWISE)
        ]
    nothing = eval_with("score_model", range=None, pass_threshold=None)
    given = {"id": "e", "object": "eval", "created_at": 1, "name": "Tickets"}
    config = {"type": "custom", "schema": {}}
    cases.append(("null", {**nothing, **given, "data_source_config": config}))
    may_be_null = ("score_model testing_criteria.0.pass", "python testing_criteria.0.pass")
    cases = [case for case in cases if not case[0].startswith(may_be_null)]
    said = answers([["eval", json.dumps(value)] for _, value in cases])
    assert said[-1]
    differ = [
        (what, is_accepted)
        for (what, value), is_accepted in zip(cases, said, strict=True)
        if is_rejected(value, tmp_path, "openai") is is_accepted
    ]
    assert differ == []
    assert len(cases) > tries(300)
    assert tries(50) < sum(said) < len(said) - tries(50)


@pytest.mark.slow
def test_items_are_accepted_by_the_types(tmp_path: Path) -> None:
    value = eval_with("string_check")
    rows = value["data_source"]["source"]["content"]
    cases = [*mutants(rows)]
    said = answers(
        [
            [
                "source",
                json.dumps({"type": "jsonl", "source": {"type": "file_content", "content": x}}),
            ]
            for _, x in cases
        ]
    )
    differ = [
        (what, is_accepted)
        for (what, x), is_accepted in zip(cases, said, strict=True)
        if is_rejected(x, tmp_path, "openai") is is_accepted
    ]
    assert differ == []
    assert 5 < sum(said) < len(said) - 5


ASKED = {"type": "template", "template": [{"role": "user", "content": "{{ item.question }}"}]}
CONTENT = {"type": "file_content", "content": [{"item": {"question": "a", "label": "b"}}]}
SOURCES: list[Any] = [
    {"type": "jsonl", "source": {"type": "file_id", "id": "file-67"}},
    {"type": "jsonl", "source": CONTENT},
    {
        "type": "completions",
        "source": {"type": "stored_completions", "created_after": 1, "limit": 5, "model": "m-1"},
        "input_messages": {"type": "item_reference", "item_reference": "item.messages"},
        "model": "m-1",
        "sampling_params": {"temperature": 0.5, "max_completion_tokens": 5, "top_p": 1, "seed": 2},
    },
    {"type": "completions", "source": CONTENT, "input_messages": ASKED},
    {
        "type": "responses",
        "source": {"type": "responses", "instructions_search": "a", "tools": ["a"], "users": ["b"]},
        "input_messages": ASKED,
    },
    *({"type": kind, "source": {"type": "responses"}} for kind in ("jsonl", "completions")),
    {"type": "responses", "source": {"type": "stored_completions"}},
]


@pytest.mark.slow
def test_sources_are_accepted_by_the_types(tmp_path: Path) -> None:
    """Messages have many forms, whose types the schema leaves open."""
    cases = [case for source in SOURCES for case in (("", source), *mutants(source))]
    cases = [case for case in cases if "template.0" not in case[0] and "role" not in case[0]]
    said = answers([["source", json.dumps(source)] for _, source in cases])
    differ = [
        (what, source, is_accepted)
        for (what, source), is_accepted in zip(cases, said, strict=True)
        if is_rejected({**eval_with("python"), "data_source": source}, tmp_path, "openai")
        is is_accepted
    ]
    assert differ == []
    assert 50 < sum(said) < len(said) - 50


@pytest.mark.slow
def test_samples_are_graded_as_predicted(tmp_path: Path) -> None:
    form = dialect_of("openai:samples")
    outputs = (*RIGHT, WRONG)
    said = iter(answers([["sample", each, output] for each in SAMPLES for output in outputs]))
    differ: list[tuple[Any, ...]] = []
    for sample in SAMPLES:
        found = [next(said) for _ in outputs]
        graders = ("Match", "Includes", "FuzzyMatch", "JsonMatch")
        # What every eval stops at is an error here; others may grade a sample without `ideal`.
        stops = all(isinstance(each[name], str) for each in found for name in graders)
        is_error = is_rejected(json.dumps(sample), tmp_path, "openai:samples")
        if is_error is not ((stops and "ideal" in sample) or "input" not in sample):
            differ.append((sample, "error", is_error))
        if is_error:
            continue
        for prediction in form.predict(sample):
            if prediction.name not in graders:
                continue
            verdicts = {each[prediction.name] for each in found}
            state = "run"
            if True not in verdicts:
                state = "fail"
            elif verdicts == {True}:
                state = "vacuous"
            if prediction.state != state:
                differ.append((sample, prediction.name, prediction.state, verdicts))
    assert differ == []


@pytest.mark.slow
def test_the_samples_of_the_registry_are_accepted(tmp_path: Path) -> None:
    """A file of the registry without a right answer in each sample is for an eval of its own."""
    ((paths),) = [answers([["registry"]])[0]]
    many = 0
    for path in some(map(Path, paths)):
        text = path.read_text(encoding="utf-8")[:200_000].rpartition("\n")[0]
        rows = [load_as_python(line.encode())[0] for line in text.splitlines()[:50] if line.strip()]
        if not rows or not all(
            isinstance(row, dict) and {"input", "ideal"} <= row.keys() for row in rows
        ):
            continue
        if not all(isinstance(row["input"], str | list) for row in rows):
            continue
        many += 1
        lines = "".join(f"{json.dumps(row)}\n" for row in rows)
        found = [each for each in findings(lines, tmp_path, "openai:samples") if each.is_error]
        if found:
            bad = [row["ideal"] for row in rows if not isinstance(row["ideal"], str | list)]
            assert bad or any(isinstance(row["ideal"], list) for row in rows), (
                path.name,
                found[:1],
            )
    assert many > tries(400)
