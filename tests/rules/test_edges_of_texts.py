"""Schemas, patterns, weights, ids and items of lists that authors write, and what is said of them.

Each is written as it would be in YAML; what the rules say is a snapshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rule_edges import said, shown
from texts import plain

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

pytestmark = pytest.mark.messages

HEAD = "scoring: {combine: median}\nchecks:\n"
#: What a `json_schema` check requires, inline and in a file of its own.
SCHEMAS = [
    "true",
    "{}",
    "{title: a}",
    "{typ: object, propertis: {}}",
    "{colour: red, shape: round}",
    "{type: objekt}",
    "{type: object, properties: {a: {type: nmber}, b: {minimum: '1'}}}",
    "{type: object, propertis: {a: {type: string}}}",
    "{type: object, properties: {answer: true}, required: [anwser]}",
    "{type: object, properties: {answer: true}, required: [anwser], additionalProperties: false}",
    "{type: object, required: [a], maxProperties: 0}",
    "{type: integer, minimum: 2, maximum: 1}",
    "{type: array, minItems: 2, maxItems: 2}",
    "{not: {}}",
    "{$schema: 'https://json-schema.org/draft/2020-12/schema', type: object}",
    "{$schema: 'http://json-schema.org/draft-07/schema#', type: object}",
    "{$schema: 'http://json-schema.org/schema#', type: object}",
    "{$schema: 'https://example.org/schema', type: object}",
    "{type: string, format: email}",
    "{type: string, format: email, pattern: a}",
    "{type: object, properties: {a: {format: date}, b: {format: uri}, c: {format: uri}}}",
    "{type: string, pattern: '(a+)+$'}",
    "{type: object, patternProperties: {'(a+)+$': {type: string}}}",
    "{type: string, pattern: '(a'}",
    "{type: string, nullable: true}",
    "{type: object, dependencies: {a: [b]}}",
    "{$ref: '#/$defs/b', $defs: {a: {type: string}}}",
    "{type: string, minimum: 1}",
    "{required: [a]}",
]
#: Patterns that have to match, or must not.
PATTERNS = [
    *("a", "", "a*", "^a?", "^$", "a|", "(?=a)a", "$a", "a^b", "(?i)a", "a\\Z", "\\Aa", "a{,3}"),
    *(
        "[a",
        "(a",
        "a)",
        "*a",
        "a**",
        "(?P<x>a)(?P<x>b)",
        "(a+)+$",
        "(a|a)*b",
        "(\\w+\\s?)*$",
        "[[:alpha:]]",
    ),
    *("^a|b$", "\\d+", "a.b", "(?<!a)b", "\\p{L}", "[^]", "a\\/b", "^(yes|no)$"),
]
#: Weights of the checks `refund` and `tone`.
WEIGHTS = [
    "{refund: 1, tone: 1}",
    "{refnd: 1, tone: 1}",
    "{Refund: 1, tone: 1}",
    "{refund: 1, refnd: 1, tone: 1}",
    "{refund: 1, tone: 1, length: 1}",
    "{refund: 1, tnoe: 1, length: 1}",
]
#: Ids of rows, with the escapes of YAML.
IDS = [
    "a",
    " a",
    "a ",
    "a\\t",
    "\\u00a0a",
    "\\u2003a",
    "a b",
    "cafe\\u0301",
    "caf\\u00e9",
    "q\\u0307",
    " ",
]
#: Items of which some are blank, repeated, in typographic quotation marks, or patterns.
ITEMS = "[a, ' ', A, a, “b”, “c, '\\d+', '{{ output }}', '{{ name }}', ' a ']"
LISTS_OF_CHECKS = [
    "kind: must_contain_any, values",
    "kind: must_contain_any, case_sensitive: true, values",
    "kind: must_not_contain, values",
    "kind: fact_match, facts",
    "kind: markdown_structure, required_sections",
    "kind: markdown_structure, min_headings: 1, forbidden_patterns",
    "kind: tool_usage, expected_tools",
    "kind: tool_usage, forbidden_tools",
    "kind: format, format: json, required_keys",
]
LISTS_OF_ROWS = [
    *("must_contain_any", "must_not_contain", "expected_facts", "expected_tools", "tags"),
]
#: Keys of a row that hold a text, and lists of mappings.
TEXTS_OF_ROWS = [
    *("input: ' '", "input: ''", "criteria: ' '", "criteria: ''", "category: ' '", "input: “a”"),
    "expected_tools: [{name: ' '}, {name: “a”}, {name: a}, {name: a}]",
    "expected: {reference: ' '}",
    "must_contain_any: ['']",
]


@pytest.mark.slow
def test_schemas(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    told = []
    for number, schema in enumerate(SCHEMAS):
        checks = (f"schema: {schema}", "schema_ref: schemas/s.yaml")
        for place, keys in zip(("inline", "file"), checks, strict=True):
            rubric = f"id: a\nversion: 1.0.0\n{HEAD}  - {{id: s, kind: json_schema, {keys}}}\n"
            files = {"rubrics/a.yaml": rubric}
            if place == "file":
                files["schemas/s.yaml"] = schema
            told.append(said(tmp_path / place / f"{number}", files))
    assert shown([text for schema in SCHEMAS for text in (schema, "the same in a file")], told) == (
        plain(snapshot)
    )


@pytest.mark.slow
def test_patterns(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    kinds = ("", ", match: full", ", negate: true")
    checks = [
        "".join(
            f"  - {{id: r{n}, kind: regex, pattern: '{pattern}'{more}}}\n"
            for n, more in enumerate(kinds)
        )
        for pattern in PATTERNS
    ]
    told = [
        said(tmp_path / f"{n}", {"rubrics/a.yaml": f"id: a\nversion: 1.0.0\n{HEAD}{text}"})
        for n, text in enumerate(checks)
    ]
    assert shown(PATTERNS, told) == plain(snapshot)


def test_weights(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    told = []
    for number, weights in enumerate(WEIGHTS):
        scoring = f"scoring: {{combine: weighted_avg, weights: {weights}}}\n"
        words = "".join(
            f"  - {{id: {name}, kind: must_contain_any, values: [{name}]}}\n"
            for name in ("refund", "tone")
        )
        text = f"id: a\nversion: 1.0.0\n{scoring}checks:\n{words}"
        told.append(said(tmp_path / f"{number}", {"rubrics/a.yaml": text}))
    assert shown(WEIGHTS, told) == plain(snapshot)


def test_ids(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    told = []
    for number, id_ in enumerate(IDS):
        text = f'questions:\n  - {{id: "{id_}", input: Where?, expected_facts: [day]}}\n'
        told.append(said(tmp_path / f"{number}", {"data.yaml": text}))
    assert shown(IDS, told) == plain(snapshot)


def test_lists_of_checks(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    told = []
    for number, keys in enumerate(LISTS_OF_CHECKS):
        text = f"id: a\nversion: 1.0.0\n{HEAD}  - {{id: c, {keys}: {ITEMS}}}\n"
        told.append(said(tmp_path / f"{number}", {"rubrics/a.yaml": text}))
    assert shown(LISTS_OF_CHECKS, told) == plain(snapshot)


def test_texts_of_rows(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    rows = [*(f"{key}: {ITEMS}" for key in LISTS_OF_ROWS), *TEXTS_OF_ROWS]
    told = []
    for number, keys in enumerate(rows):
        given = {"id": "r", "input": "Where?", "expected_facts": ["day"]}
        more = [f"{key}: {text}" for key, text in given.items() if not keys.startswith(f"{key}:")]
        text = f"questions:\n  - {{{', '.join([*more, keys])}}}\n"
        told.append(said(tmp_path / f"{number}", {"data.yaml": text}))
    assert shown(rows, told) == plain(snapshot)
