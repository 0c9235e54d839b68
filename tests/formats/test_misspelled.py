"""A misspelled key never passes strict, in no dialect and at no depth, and hides no dialect."""

from __future__ import annotations

import json
from fnmatch import fnmatchcase
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT
from examples import mostly_costly, some
from tables import every_case
from test_documents import DOCUMENTS
from test_fields import LISTS, NAMES, rows_of
from test_lens import mappings, set_at
from texts import facts

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options, open_dataset
from evalcontract.formats import dialect_of
from evalcontract.model.reference import Kind
from evalcontract.source.document import value_at
from evalcontract.structure.schemas import definition, described, load, properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Diagnostic

#: The places of keys that the author of a file chooses, or that no loader reads.
FREE = (
    *("agent_skills:* evals.*.source.*", "agent_skills:* *.metadata.*"),
    *("databricks:* *.custom_expected.*", "databricks:* *.custom"),
    "agent_skills:[gs]* *.check_markdown_structure.*",  # which another reader reads
    *("deepeval *.additional_metadata.*", "deepeval *.custom_column_key_values.*"),
    *("evret* *.metadata.*", "evret:* queries.*.level"),
    *("inspect *.metadata.*", "inspect *.custom", "inspect *.files.*"),
    *("mlflow:* *.inputs.*", "mlflow:* *.tags.*"),
    *("mlflow:* *.expectations.reference", "mlflow:* *.expectations.format"),
    *("northstar *.arguments.*", "northstar *.metadata.*"),
    *("openai:hosted [*].item.*", "openai:hosted *.sample.*.*", "openai:hosted *.port"),
    *("openai:hosted [*].input.*", "openai:samples *.port"),
    *("promptfoo *.vars.*", "promptfoo *.metadata.*", "promptfoo *.config", "promptfoo env.*"),
    *("langfuse *.input.*", "langfuse *.expectedOutput.*", "langfuse *.metadata.*"),
    *("langsmith *.inputs.*", "langsmith *outputs.*", "langsmith *.metadata.*"),
    "langsmith *.attachments.*",
    *("braintrust *.input.*", "braintrust *.expected.*", "braintrust *.metadata.*"),
    *("pydantic_evals cases.*.inputs.*", "pydantic_evals cases.*.expected_output.*"),
    *("pydantic_evals *.metadata.*", "promptfoo *.level", "deepeval *.level"),
    # A class of the author's own loads under any name, even `Contains`, with other arguments.
    *("pydantic_evals *evaluators.*.Contains*", "pydantic_evals *.arguments.*"),
    *("ragas *.rubrics.*", "ragas *.args.*"),
)
#: A key that the given release does not read, however it is spelled.
OF_ANOTHER_RELEASE = ("evret:0.0.2 queries.*.relevant_doc_ids",)


def documents(name: str) -> Iterator[Any]:
    """Yield documents of a dialect: a row for each field, its examples, and what is beside them."""
    form = dialect_of(name)
    examples = load(form.schema)["$defs"]["row"].get("examples", [])
    for rows in [*([row] for row in rows_of(form).values()), *([each] * 3 for each in examples)]:
        yield {LISTS[form.name]: rows} if form.name in LISTS else rows
    yield from (value for known, (value, _) in DOCUMENTS.items() if dialect_of(known) == form)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of the keys in a value."""
    if isinstance(value, dict):
        yield from ((*path, key) for key in value)
    if isinstance(value, dict | list):
        for step, part in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(part, (*path, step))


def misspellings(key: str) -> list[str]:
    """Return a key without the letter in its middle, and with two letters swapped."""
    middle = len(key) // 2
    if len(key) <= len("key"):
        return []
    at = next((at for at in range(1, len(key) - 1) if key[at] != key[at + 1]), 1)
    swapped = f"{key[:at]}{key[at + 1]}{key[at]}{key[at + 2 :]}"
    return [f"{key[:middle]}{key[middle + 1 :]}", swapped]


def renamed(value: Any, path: tuple[Any, ...], name: str, *, in_all: bool) -> Any:
    """Return a value in which the key at a path has another name, or that of all rows."""
    step, *rest = path
    if isinstance(value, list):
        return [
            renamed(part, (*rest,), name, in_all=in_all) if in_all or at == step else part
            for at, part in enumerate(value)
        ]
    if not isinstance(value, dict):
        return value
    return {
        key if key != step else step if rest else name: renamed(part, (*rest,), name, in_all=in_all)
        if rest and key == step
        else part
        for key, part in value.items()
    }


def checked(value: Any, system: str, given: str | None) -> tuple[str, list[Diagnostic]]:
    """Return the dialect that a value is detected as, and its findings in strict mode.

    It is lines where its system reads no JSON that is one list. A given dialect is not detected.
    """
    path = Path("d.json" if "json" in dialect_of(system).media else "d.jsonl")
    lines = map(json.dumps, [value] if path.suffix == ".json" else value)
    data = "\n".join(lines).encode()
    dialect = open_dataset(Input(path, BytesIO(data))).dialect
    options = Options(root=Path(), strict=True, dialect=given)
    return dialect, validate(Kind.DATASET, [Input(path, BytesIO(data))], options).diagnostics


def misspelled(name: str) -> Iterator[tuple[Any, Any, str, str | None]]:
    """Yield documents with and without a misspelled key, each at a place of its own.

    The dialect is given where it is not detected.
    """
    seen: set[Any] = set()
    for value in documents(name):
        dialect = str(dialect_of(name))
        given = None if checked(value, name, None)[0] == dialect else dialect
        for path in places(value):
            place = ".".join("*" if isinstance(step, int) else step for step in path)
            for key in misspellings(path[-1]):
                for in_all in (False, True) if isinstance(value, list) else (True,):
                    if (place, key, in_all) not in seen:
                        seen.add((place, key, in_all))
                        other = renamed(value, path, key, in_all=in_all)
                        yield value, other, f"{name} {place}", given


@pytest.mark.parametrize("name", mostly_costly(NAMES))
def test_a_misspelled_key_never_passes_strict(name: str) -> None:
    for value, other, place, given in some(misspelled(name)):
        meant = place.rpartition(".")[2].rpartition(" ")[2]
        before = {(each.code, each.message) for each in checked(value, name, given)[1]}
        is_alone = isinstance(value, list) and len(value[0]) == 1  # no other key shows whose it is
        dialect, found = checked(other, name, given)
        new = [each for each in found if (each.code, each.message) not in before]
        if not any(fnmatchcase(place, each) for each in FREE):
            told = [f"{each.message} {each.help}" for each in new if each.is_error]
            is_named = is_alone or place in OF_ANOTHER_RELEASE
            assert told, (place, other)
            assert is_named or any(meant in facts(each) for each in told), (place, other, told)
        if not (given or is_alone):
            assert dialect.partition(":")[0] == dialect_of(name).name, (place, other)


ASKED = [{"role": "user", "content": "Kind? {{ sample.output_text }} {{ item.label }}"}]
TOOL = {"type": "function", "function": {"name": "a", "description": "b", "parameters": {}}}
CASE = {"id": 1, "prompt": "When?", "expected_output": "A time.", "metadata": {}}
#: Documents with mappings in mappings, in which every key is read.
WHOLE: dict[str, Any] = {
    "inspect": [
        {
            "id": 1,
            "input": [
                {"role": "user", "content": "When?"},
                {
                    "role": "assistant",
                    "content": [{"type": "text", "text": "a"}],
                    "tool_calls": [{"id": "1", "function": "f", "arguments": {}}],
                },
                {"role": "tool", "content": "a", "tool_call_id": "1", "function": "f"},
            ],
            "target": "A",
            "choices": ["a", "b"],
            "metadata": {},
            "sandbox": "docker",
            "files": {},
            "setup": "a",
            "checkpoint": {"sandbox_paths": {}, "max_consecutive_failures": 2},
        }
    ],
    "openai:hosted": {
        "object": "eval",
        "name": "Tickets",
        "created_at": 1,
        "metadata": {},
        "data_source_config": {
            "type": "custom",
            "item_schema": {
                "type": "object",
                "properties": {"question": {"type": "string"}, "label": {"type": "string"}},
                "required": ["label"],
            },
            "include_sample_schema": True,
        },
        "testing_criteria": [
            {
                "type": "text_similarity",
                "name": "Close",
                "input": "{{ sample.output_text }}",
                "reference": "{{ item.label }}",
                "evaluation_metric": "bleu",
                "pass_threshold": 0.8,
            },
            {
                "type": "label_model",
                "name": "Tone",
                "model": "m-1",
                "input": ASKED,
                "labels": ["kind", "rude"],
                "passing_labels": ["kind"],
            },
            {
                "type": "score_model",
                "name": "Help",
                "model": "m-1",
                "input": ASKED,
                "range": [1, 7],
                "pass_threshold": 5.5,
                "sampling_params": {"temperature": 0, "max_completions_tokens": 5, "top_p": 1},
            },
            {"type": "python", "name": "Code", "source": "def grade(sample, item): return 1"},
        ],
        "data_source": {
            "type": "completions",
            "source": {
                "type": "file_content",
                "content": [
                    {"item": {"question": "a", "label": "b"}, "sample": {}, "metadata": {}}
                ],
            },
            "input_messages": {
                "type": "template",
                "template": [{"role": "user", "content": "{{ item.question }}"}],
            },
            "model": "m-1",
            "sampling_params": {"temperature": 0, "max_completion_tokens": 5, "top_p": 1},
        },
    },
    "openai:samples": [
        {
            "input": [{"role": "user", "content": "a", "name": "b"}],
            "ideal": "b",
            "completion": "c",
            "metadata": {},
        }
    ],
    "agent_skills:guide": {
        "skill_name": "a",
        "defaults": {
            "target": {"params": {}},
            "judge": {"params": {}},
            "tools": [TOOL],
        },
        "evals": [
            {
                **CASE,
                "name": "low tide",
                "files": [],
                "assertions": [{"text": "a"}],
                "params": {},
                "tools": [TOOL],
                "tool_choice": {"type": "function", "function": {"name": "a"}},
                "tool_assertions": [
                    {"type": "tool-arg-equals", "name": "a", "path": "b", "value": "c"},
                    {
                        "type": "tool-arg-matches",
                        "name": "a",
                        "path": "b",
                        "pattern": "c",
                        "flags": "i",
                    },
                    {"type": "tool-call-count", "min": 1, "max": 2, "description": "d"},
                ],
            }
        ],
        "metadata": {},
    },
    "agent_skills:skill_creator": {
        "skill_name": "a",
        "evals": [{**CASE, "files": [], "expectations": ["a"]}],
        "metadata": {},
    },
    "agent_skills:best_practices": {
        "skill_name": "a",
        "skill_file": "SKILL.md",
        "description": "b",
        "evals": [
            {
                **CASE,
                "files": [],
                "expectations": ["a"],
                "must_contain_any": ["a"],
                "must_not_contain": ["b"],
                "check_php_lint": True,
                "check_markdown_structure": {
                    "min_headings": 1,
                    "max_heading_level": 3,
                    "required_sections": ["a"],
                    "forbidden_patterns": ["b"],
                    "min_code_blocks": 0,
                    "min_paragraphs": 1,
                    "no_h1": True,
                },
                "source": {},
            }
        ],
    },
}


@pytest.mark.costly
@every_case("dialect", WHOLE)
def test_a_misspelled_key_is_told_at_every_depth(dialect: str) -> None:
    value, passed = WHOLE[dialect], []
    # Samples are lines elsewhere: here, each value is one document.
    assert {each.code for each in checked(value, dialect, dialect)[1]} <= {"openai/not-lines"}
    for path in places(value):
        for key in misspellings(path[-1])[1:]:
            _, found = checked(renamed(value, path, key, in_all=False), dialect, dialect)
            told = [f"{each.message} {each.help}" for each in found if each.is_error]
            if not any(path[-1] in facts(each) for each in told):
                passed.append((path, key, told))
    assert passed == []


#: A dialect, keys beside those of a row, and what the last of them was meant to be, if anything.
KEYS: list[tuple[str, dict[str, Any], str | None]] = [
    ("agent_skills:guide", {"expectatons": ["a"]}, "`expectations`, which skill-creator reads"),
    (
        "agent_skills:guide",
        {"check_php_lnt": True},
        "`check_php_lint`, which ai_best_practices reads",
    ),
    (
        "agent_skills:skill_creator",
        {"asertions": []},
        "`assertions`, which agent-skills-eval reads",
    ),
    ("agent_skills:guide", {"checks": ["a"]}, "`assertions`"),
    ("agent_skills:guide", {"assertions": ["a"], "expectations": ["a"]}, None),
    ("agent_skills:guide", {"level": "hard"}, None),
    ("inspect", {"answer": "a"}, "`target`"),
    ("inspect", {"level": "hard"}, None),
    ("openai:hosted", {"compeltion": "a"}, "`completion`, which openai/evals reads"),
    ("openai:hosted", {"level": "hard"}, None),
]
ROWS: dict[str, dict[str, Any]] = {
    "agent_skills": {"prompt": "When?"},
    "inspect": {"input": "When?"},
    "openai": {"item": {"question": "When?"}},
}


@every_case(("dialect", "keys", "meant"), KEYS)
def test_a_key_that_any_reader_reads_is_meant(
    dialect: str, keys: dict[str, Any], meant: str | None
) -> None:
    system = dialect.partition(":")[0]
    rows = [{**ROWS[system], **keys}]
    _, every = checked({"evals": rows} if system == "agent_skills" else rows, dialect, dialect)
    (found,) = (each for each in every if each.path[-1:] == ([*keys][-1],))
    assert found.code == f"{system}/{'near-miss-key' if meant else 'ignored-key'}"
    assert found.is_error is (meant is not None)
    assert meant is None or found.help == f"did you mean {meant}?"


OURS = [Kind.DATASET, Kind.RUBRIC, Kind.JUDGE]


def of_ours(kind: Kind) -> Iterator[tuple[Any, tuple[Any, ...], Any]]:
    """Yield valid documents of a kind, with places of keys that its schema describes."""
    for path in sorted((ROOT / "fixtures" / "schema" / kind).glob("*.json")):
        for suite in json.loads(path.read_text(encoding="utf-8")):
            for value in (each["data"] for each in suite["tests"] if each["valid"]):
                for place in places(value):
                    if place[-1] in described(load(kind), value, place[:-1]):
                        yield value, place, [step for step in place if isinstance(step, str)]


@pytest.mark.costly
@pytest.mark.parametrize("kind", OURS)
def test_a_misspelled_key_of_ours_never_passes_strict(kind: Kind) -> None:
    options = Options(root=Path(), strict=True)
    seen: set[Any] = set()
    for value, path, steps in of_ours(kind):
        for key in misspellings(path[-1]) if str(steps) not in seen else ():
            seen.add(str(steps))
            data = json.dumps(renamed(value, path, key, in_all=False)).encode()
            found = validate(kind, [Input(Path("d.json"), BytesIO(data))], options).diagnostics
            told = [f"{each.message} {each.help}" for each in found if each.is_error]
            assert any(path[-1] in each for each in told), (steps, key, told)
    root = {str([key]) for key in properties(load(kind)) if misspellings(key)}
    row = {str(["questions", key]) for key in properties(definition("row", of="dataset"))}
    row = {each for each in row if "'id'" not in each} if kind is Kind.DATASET else set()
    assert root | row <= seen


def moved(name: str) -> Iterator[Any]:
    """Yield documents of a dialect with a key of it in another mapping, of each shape once."""
    found = [*documents(name)]
    keys = {path[-1]: value_at(each, path) for each in found for path in places(each)}
    keys = {**dict.fromkeys(_keys_in(load(dialect_of(name).schema)), "a"), **keys}
    seen: set[Any] = set()
    for value in found:
        for path in mappings(value):
            shape = tuple("*" if isinstance(step, int) else step for step in path)
            for key, part in keys.items():
                if key not in value_at(value, path) and (shape, key) not in seen:
                    seen.add((shape, key))
                    yield set_at(value, (*path, key), part)


def _keys_in(schema: Any) -> Iterator[str]:
    for part in schema.values() if isinstance(schema, dict) else schema:
        yield from _keys_in(part) if isinstance(part, dict | list) else ()
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield from schema["properties"]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_code_that_is_reported_is_declared(name: str) -> None:
    form = dialect_of(name)
    path = Path("d.json" if "json" in form.media else "d.jsonl")
    for value in some(moved(name), 2):
        data = "\n".join(map(json.dumps, [value] if path.suffix == ".json" else value)).encode()
        options = Options(root=Path(), dialect=name)
        found = validate(Kind.DATASET, [Input(path, BytesIO(data))], options).diagnostics
        codes = {each.code for each in found if each.code.startswith(f"{form.name}/")}
        assert codes <= {*form.codes}, value
