"""Templates are filled in as the specification of Mustache says, without HTML escaping."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from doors import UsageError
from tables import every_case

from evalcontract.judging.prompt import render_template

SPEC = json.loads(Path(__file__).with_name("mustache_spec.json").read_text(encoding="utf-8"))


@every_case("case", SPEC["cases"], ids=lambda case: case["name"])
def test_the_specification(case: dict[str, Any]) -> None:
    assert render_template(case["template"], case["data"]) == case["expected"]


def test_the_specification_is_there() -> None:
    assert len(SPEC["cases"]) == 104


VALUES: tuple[tuple[Any, str, bool], ...] = (
    # A value, its text, and whether a section over it is rendered.
    (None, "", False),
    (False, "false", False),
    (True, "true", True),
    (0, "0", True),
    (2.50, "2.5", True),
    ("", "", False),
    (" ", " ", True),
    ('<b> & "é" \'', '<b> & "é" \'', True),
    ([], "[]", False),
    ({}, "{}", False),
    ([1, None, "é"], '[1, null, "é"]', True),
    ({"b": {"a": True}, "a": [1.0]}, '{"b": {"a": true}, "a": [1.0]}', True),
)


@every_case(("value", "text", "is_present"), VALUES)
def test_values(value: Any, text: str, *, is_present: bool) -> None:
    variables = {"expected": {"x": value}}
    for tag in ("{{ expected.x }}", "{{{expected.x}}}", "{{& expected.x }}"):
        assert render_template(f"({tag})", variables) == f"({text})"
    sections = "{{#expected.x}}yes{{/expected.x}}{{^expected.x}}no{{/expected.x}}"
    times = len(value) if isinstance(value, list) else 1
    assert render_template(sections, variables) == ("yes" * times if is_present else "no")


@every_case(
    ("template", "prompt"),
    [
        ("{{ context.docs.1.title }}", "B"),
        ("{{ context.docs.2.title }}{{ context.docs.x }}{{ context.docs.-1 }}", ""),
        ("{{ input.x }}|{{ context.docs.0.title.x }}", "|"),
        ("{{#context}}{{#docs}}{{ title }}-{{ input }} {{/docs}}{{/context}}", "A-Q B-Q "),
        ("{{#context.docs}}{{#title}}{{ . }}{{/title}};{{/context.docs}}", "A;B;"),
        ("{{#input}}{{ . }}!{{/input}}", "Q!"),
        ("{{#context.none}}{{ input }}{{/context.none}}|", "Q|"),
        ("{{ criteria }}|{{ expected.facts }}", "|"),
        ("1\r\n {{#input}}\t\r\n2\r\n{{/input}}\r\n3", "1\r\n2\r\n3"),
        ("  {{#input}}\n{{^input}}\n{{/input}}\n{{/input}}  ", ""),
        ("a {{! a\ncomment }}\nb\n{{! another\none }}\nc", "a \nb\nc"),
        ("{ {{ input }} } {{{ input }}}} }}", "{ Q } Q} }}"),
    ],
)
def test_lookups_and_lines(template: str, prompt: str) -> None:
    context = {"docs": [{"title": "A"}, {"title": "B"}], "none": [None]}
    assert render_template(template, {"input": "Q", "context": context}) == prompt


def test_a_value_is_no_template() -> None:
    """What a row says is shown, whatever it looks like."""
    hostile = "{{ output }}{{#expected}}{{/input}}{{{"
    assert render_template("{{ input }}{{ output }}", {"input": hostile, "output": "."}) == (
        f"{hostile}."
    )


@pytest.mark.slow
def test_a_template_of_any_size_ends() -> None:
    """Sections multiply what they contain, and calls nest as deep as they do."""
    names = range(12)
    opened = "".join("{{#context}}" for _ in names)
    bomb = f"{opened}x{opened.replace('#', '/')}"
    assert render_template(bomb, {"context": [1]}) == "x"
    with pytest.raises(UsageError, match="10,000,000 characters"):
        render_template(bomb, {"context": list(range(10))})
    deep = "{{#context}}" * 101 + "{{/context}}" * 101
    with pytest.raises(UsageError, match="100 levels deep"):
        render_template(deep, {"context": 1})
    assert render_template(deep[12:-12], {"context": 1}) == ""
