"""The scanner of templates: which tags it sees, what it says of them, and where."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces
from examples import a_few
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from work import calls_of

from evalcontract.analysis.template import scan

if TYPE_CHECKING:
    from pathlib import Path

GOOD = {
    "nothing at all": "",
    "text alone": "Is it right? PASS or FAIL.",
    "without spaces": "{{output}}",
    "with spaces and line breaks": "{{ \n output\t}}",
    "raw, both ways": "{{{ output }}} {{& output }} {{&output}}",
    "a literal brace after": '{"answer": {{ output }}}',
    "literal braces around a raw one": '{"answer": {{{output}}}}',
    "names below": "{{ expected.facts }} {{ context.page.title-of_it }}",
    "a list's number": "{{ context.sources.0 }}",
    "a comment": "{{! anything, also: 'quoted' and {one} brace }}",
    "a comment over lines": "{{!\n  for the next reader\n}}",
    "sections": "{{#expected}}{{/expected}}{{^ expected }}none{{/ expected }}",
    "a section within": "{{#expected}}{{#context}}{{/context}}{{/expected}}",
    "the item": "{{#expected.facts}}- {{ . }}{{/expected.facts}}",
    "the item of the outer one": "{{#output}}{{^context}}{{.}}{{/context}}{{/output}}",
    "a member": "{{#context.sources}}{{ title }} {{ author.name }}{{/context.sources}}",
    "a member's section": "{{#context}}{{#turns}}{{ answer }}{{.}}{{/turns}}{{/context}}",
    "JSON": '{"a": {"b": {"c": 1}}}',
    "JSON apart": '{ {"a": 1}, [{"b": 1}] }',
    "closers alone": "}} }}}",
    "one brace, and shown": "{{ output }} { output } `{output}` `${output}`",
    "code, and shown": "{{ output }}\n```\nf'{output}' {% if output %} {# a #}\n```\n",
    "words in braces": "{score} {label}: {reason} {content} {} {0} {a: b} {output: string}",
    "JSON with their names": '{"input": 1, "output": {"expected": 2}} {output, input} {output:"a"}',
    "TeX": r"\textbf{output} x_{input} x^{input} \{output\}",
    "others of many languages": "${HOME} #{output} %s %(name)s {% output %} {%} {#} {#\n#}",
    "elements": "<input> {{ input }} </input><output>",
}

#: A template, what stands at each fault, and a word of what is said there.
FAULTY: dict[str, tuple[str, list[tuple[str, str]]]] = {
    "misspelled": ("{{ outptu }}", [("{{ outptu }}", "did you mean `{{ output }}`?")]),
    "in capitals": ("{{ Output }}", [("{{ Output }}", "`{{ output }}`")]),
    "misspelled, below": ("{{ expectd.a.b }}", [("{{ expectd.a.b }}", "{{ expected.a.b }}")]),
    "another system's input": ("{{question}}", [("{{question}}", "write `{{ input }}`")]),
    "another system's output": ("{{{response}}}", [("{{{response}}}", "write `{{{ output }}}`")]),
    "another system's expected": ("{{target.x}}", [("{{target.x}}", "`{{ expected.x }}`")]),
    "a row's": ("{{ row.input }}", [("{{ row.input }}", "write `{{ input }}`")]),
    "an item's": ("{{ item.answer }}", [("{{ item.answer }}", "write `{{ output }}`")]),
    "below criteria": ("{{ criteria.a }}", [("{{ criteria.a }}", "which is a string")]),
    "another system's criteria": ("{{ guidelines }}", [("{{ guidelines }}", "`{{ criteria }}`")]),
    "a rubric": ("{{ rubric }}", [("{{ rubric }}", "`{{ criteria }}`")]),
    "facts": ("{{ expected_facts }}", [("{{ expected_facts }}", "{{ expected.facts }}")]),
    "unknown": ("{{ colour }}", [("{{ colour }}", "`context.colour`")]),
    "below a text": ("{{ output.text }}", [("{{ output.text }}", "which is a string")]),
    "empty": ("{{}} {{  }} {{{}}}", [("{{}}", ""), ("{{  }}", ""), ("{{{}}}", "no name")]),
    "a space inside": ("{{ out put }}", [("{{ out put }}", "write `{{ output }}`")]),
    "a filter": ("{{ output | e }}", [("{{ output | e }}", "write `{{ output }}`")]),
    "an index": ("{{ expected[0] }}", [("{{ expected[0] }}", "write `{{ expected.0 }}`")]),
    "a key": ('{{ expected["a"].b }}', [('{{ expected["a"].b }}', "`{{ expected.a.b }}`")]),
    "a dot before": ("{{ .output }}", [("{{ .output }}", "write `{{ output }}`")]),
    "a call": ("{{ output() }}", [("{{ output() }}", "write `{{ output }}`")]),
    "a mark": ("{{ @output }}", [("{{ @output }}", "write `{{ output }}`")]),
    "if without a sign": (
        "{{ if input }}",
        [("{{ if input }}", "write `{{#input}}` … `{{/input}}`")],
    ),
    "two names": ("{{ input + output }}", [("{{ input + output }}", "a name is one of")]),
    "in quotes": ('{{ "output" }}', [('{{ "output" }}', "write `{{ output }}`")]),
    "two dots": ("{{ expected..a }}", [("{{ expected..a }}", "no valid")]),
    "nothing around a dot": ("{{ . }}", [("{{ . }}", "not inside a section")]),
    "an inverted section has no item": (
        "{{^context}}{{.}}{{/context}}",
        [("{{.}}", "not inside a section")],
    ),
    "partial": ("{{> a }}", [("{{> a }}", "partial")]),
    "dynamic partial": ("{{>*a}}", [("{{>*a}}", "partial")]),
    "dynamic name": ("{{*a}}", [("{{*a}}", "no valid")]),
    "delimiters": ("{{=<% %>=}} <%output%>", [("{{=<% %>=}}", "delimiters")]),
    "delimiters back": ("{{={{ }}=}}", [("{{={{ }}=}}", "delimiters")]),
    "parent": ("{{<a}}b{{/a}}", [("{{<a}}", "parent template")]),
    "block": ("{{$a}}b{{/a}}", [("{{$a}}", "block")]),
    "a dollar": ("{{$output}}", [("{{$output}}", "write `{{ output }}`")]),
    "if": ("{{#if input}}a{{/if}}", [("{{#if input}}", "write `{{#input}}` … `{{/input}}`")]),
    "unless": ("{{#unless input}}a{{/unless}}", [("{{#unless input}}", "write `{{^input}}`")]),
    "each": (
        "{{#each context.a}}{{this}}{{/each}}",
        [("{{#each context.a}}", "`{{#context.a}}`"), ("{{this}}", "`{{ . }}`")],
    ),
    "else": (
        "{{#input}}a{{else}}b{{/input}}",
        [("{{else}}", "{{/expected}}{{^expected}}")],
    ),
    "an unknown section is one mistake": (
        "{{#sources}}{{ title }}{{.}}{{/sources}}",
        [("{{#sources}}", "`{{#context}}`")],
    ),
    "three and two": ("{{{ output }}", [("{{{ output }}", "3 braces and closes with 2")]),
    "four": ("{{{{ output }}}}", [("{{{{ output }}}}", "opens with 4")]),
    "never closed": ("{{ output", [("{{ output", "write `{{ output }}`")]),
    "never closed, three": ("{{{output, well", [("{{{output", "write `{{{output }}}`")]),
    "the next one opens": ("{{ input {{ output }}", [("{{ input", "never closed")]),
    "an opener alone": ("a {{", [("{{", "never closed")]),
    "an open comment": ("{{! a {{ b", [("{{! a {{ b", "never closed")]),
    "a tag in a comment": ("{{! {{ a }} }}", [("{{! {{ a }}", "what follows goes to the model")]),
    "an open section": ("{{#input}}a", [("{{#input}}", "write `{{/input}}`")]),
    "closes nothing": ("a{{/input}}", [("{{/input}}", "not open")]),
    "closed by another name": ("{{#input}}{{/inptu}}", [("{{/inptu}}", "write `{{/input}}`")]),
    "crossed": (
        "{{#input}}{{#output}}{{/input}}{{/output}}",
        [("{{/input}}", "`output` is open")],
    ),
    "the inner one left open": (
        "{{#input}}{{#output}}{{/input}}",
        [("{{/input}}", "write `{{/output}}` before it")],
    ),
    "JSON": ('{{"a": 1}}', [('{{"a": 1', "is JSON")]),
    "JSON, other quotes": ("{{'a': 1}}", [("{{'a': 1", "is JSON")]),
    "JSON, no quotes": ("{{a: 1}}", [("{{a: 1", "is JSON")]),
    "JSON over lines": ('{{\n"a": 1\n}}', [("{{", "is JSON")]),
    "JSON with a tag": ('{{"a": {{ outptu }} }}', [('{{"a":', "is JSON"), ("{{ outptu }}", "")]),
    "str.format": (
        "{input} {output.text} {expected.a} {input}",
        [
            (
                "{input}",
                "write `{{ input }}`, `{{ output }}` for `{output.text}`, `{{ expected.a }}`",
            )
        ],
    ),
    "str.format, with more": ("{output!r:>10}", [("{output!r:>10}", "write `{{ output }}`")]),
    "an index of Python": ("{expected[fact]}", [("{expected[fact]}", "`{{ expected }}`")]),
    "in JSON": ('{"a": {output}}', [("{output}", "str.format")]),
    "in JSON with braces doubled": (
        '{{"a": {output}}}',
        [('{{"a": {output', "is JSON"), ("{output}", "str.format")],
    ),
    "of another system": ("{{ output }} {question}", [("{question}", "write `{{ input }}`")]),
    "misspelled in braces": ("{ouput}", [("{ouput}", "write `{{ output }}`")]),
    "in braces with blanks": ("{ output }", [("{ output }", "write `{{ output }}`")]),
    "in code, and nowhere else": ("`{output}`", [("{output}", "write `{{ output }}`")]),
    "one brace beside a tag": ("{{ output }} {output}", [("{output}", "str.format")]),
    "dollar": ("${output}", [("${output}", "write `{{ output }}`")]),
    "dollar inside": ("{$output}", [("{$output}", "write `{{ output }}`")]),
    "percent": ("%(output)s %(input)s", [("%(output)s", "`{{ input }}` for `%(input)s`")]),
    "a statement of Jinja": (
        "{{ output }}{% if expected %}a{% endif %}",
        [("{% if expected %}", "`{{#expected}}…{{/expected}}`")],
    ),
    "Jinja, trimmed": ("{%- for a in context -%}", [("{%- for a in context -%}", "Jinja")]),
    "a comment of Jinja": ("{# for later #}", [("{# for later #}", "write `{{! … }}`")]),
    "two languages": ("${input} {output}", [("${input}", ""), ("{output}", "")]),
    "more than one, in order": (
        "{{ input }}{{ a1 }}{{ input }}{{ a1 }}{{#input}}",
        [("{{ a1 }}", ""), ("{{ a1 }}", ""), ("{{#input}}", "")],
    ),
}


@every_case("text", GOOD.values(), ids=GOOD)
def test_good(text: str) -> None:
    assert [fault.message for fault in scan(text).faults] == []


@every_case(("text", "expected"), FAULTY.values(), ids=FAULTY)
def test_faulty(text: str, expected: list[tuple[str, str]]) -> None:
    faults = scan(text).faults
    assert [fault.tag.within.whole for fault in faults] == [whole for whole, _ in expected]
    for fault, (_, said) in zip(faults, expected, strict=True):
        assert said in f"{fault.message}\n{fault.help}"


@every_case(
    ("text", "shown"),
    [
        ("{{ output }}", {"output"}),
        ("{{{input}}} {{& output }}", {"input", "output"}),
        ("{{! output }}", set()),
        ("{{#output}}there is one{{/output}}", set()),
        ("{{#output}}{{.}}{{/output}}", {"output"}),
        ("{{#context}}{{ output }}{{ title }}{{/context}}", {"output", "context"}),
        ("output", set()),
    ],
)
def test_what_is_shown(text: str, shown: set[str]) -> None:
    assert scan(text).shown == shown


def test_tags() -> None:
    text = "{{{{ a {{{ output }}}{{! {{{{ }} {{#context}} {{.}} {{/ context }}"
    found = [(tag.kind, tag.name, tag.text, tag.occurrence) for tag in scan(text).tags]
    assert found == [
        ("raw", "output", "{{{ output }}}", 2),
        ("comment", "", "{{! {{{{ }}", 3),
        ("section", "context", "{{#context}}", 6),
        ("variable", ".", "{{.}}", 7),
        ("close", "context", "{{/ context }}", 8),
    ]


def test_the_text_outside_of_tags() -> None:
    assert scan("a {{! b }}c{{ output }} d").literal == "a \0c\0 d"


PIECES = (
    *("{{", "{{{", "}}", "}}}", "{", "}", "#", "^", "/", "!", ">", "=", "&", "$", ".", " ", "\n"),
    *("$", "%", "%(", ")s", "`", "input"),
    *("\r", "output", "context", "a", '"', ":", "if ", "else", "this", "\ud800", "é"),
)
templates = st.one_of(st.text(), st.lists(st.sampled_from(PIECES)).map("".join))


@pytest.mark.costly
@given(templates)
def test_every_text_can_be_read(text: str) -> None:
    found = scan(text)
    places = nonoverlapping(text)
    for tag in [*found.tags, *(fault.tag for fault in found.faults)]:
        assert text.startswith(tag.text, tag.start)
        if tag.kind == "foreign":
            assert text.count(tag.mark, 0, tag.start) == tag.occurrence
        else:
            assert places[tag.occurrence] == tag.start
            assert tag.within.whole.startswith("{{")
    starts = [tag.start for tag in found.tags]
    assert starts == sorted(set(starts))
    assert all(fault.message and fault.help for fault in found.faults)


def nonoverlapping(text: str) -> list[int]:
    """Return where `{{` stands, each brace counted once: what `Within` counts."""
    places, at = [], text.find("{{")
    while at >= 0:
        places.append(at)
        at = text.find("{{", at + 2)
    return places


balanced = st.recursive(
    st.sampled_from(["text", "{{ output }}", "{{{ input }}}", "{{ context.a }}", "{{! a }}"]),
    lambda inner: st.tuples(
        st.sampled_from(["expected", "context.a", "output"]), st.sampled_from("#^"), inner, inner
    ).map(lambda p: f"{{{{{p[1]}{p[0]}}}}}{p[2]} {p[3]}{{{{/{p[0]}}}}}"),
)


@given(balanced)
def test_what_is_balanced_has_no_fault(text: str) -> None:
    assert scan(text).faults == ()


@given(balanced, st.integers(0))
def test_a_section_that_loses_its_end_is_reported(text: str, seed: int) -> None:
    tags = [tag for tag in scan(text).tags if tag.kind == "close"]
    if tags:
        lost = tags[seed % len(tags)]
        cut = text[: lost.start] + text[lost.start + len(lost.text) :]
        assert scan(cut).faults


UNITS = [
    "{{", "{{#context}}", "{{/x}}", "{{!a}}", "{{!", "{{#a}}{{/b}}", "{{}}", '{{"', "{{=", "{{ a",
    "{output}", "{# ", "`{output}`", "{% if ", "%(a)s ${a} ", "{output",
    "{{#a}}{{#b}}{{/a}}", "{{>x}}", "{{$x}}", "{{ " + " " * 500, "{{a" * 3 + "}}",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.no_cover
@every_case("unit", a_few(UNITS))
def test_work_grows_with_the_text_alone(unit: str) -> None:
    """Sixteen times the text is about sixteen times the calls, not two hundred and fifty-six."""
    few, many = (calls_of(scan, unit * n) for n in (100, 1600))
    assert many <= 20 * few + 200


YAML = 'id: a\nversion: "1.0.0"\n'
PLACES = {
    "a block": (f"{YAML}template: |\n  {{{{ output }}}}\n\n  a {{{{ outptu }}}}\n", [(6, 5, 17)]),
    "a block with a comment at its head": (
        f"{YAML}template: | # as {{{{ outptu }}}}\n  {{{{ output }}}} {{{{ outptu }}}}\n",
        [(4, 16, 28)],
    ),
    "a block with an anchor": (
        f"{YAML}template: &t !!str >- # {{{{ outptu }}}}\n  {{{{ output }}}} {{{{ outptu }}}}\n",
        [(4, 16, 28)],
    ),
    "a folded block": (
        f"{YAML}template: >-\n  {{{{ output }}}}\n  a {{{{ outptu }}}} {{{{ outptu }}}}\n",
        [(5, 5, 17), (5, 18, 30)],
    ),
    "a tag over two lines of a folded block": (
        f"{YAML}template: >\n  {{{{ output }}}} {{{{\n  outptu }}}} {{{{ outptu }}}}\n",
        [(4, 16, 18), (5, 13, 25)],
    ),
    "in quotes": (
        f'{YAML}template: "é\\"\\u00e9 {{{{ outptu }}}} {{{{ output }}}} {{{{ out\\u0070tu }}}}"\n',
        [(3, 22, 34), (3, 48, 65)],
    ),
    "in quotes, over lines": (
        f'{YAML}template: "{{{{ output }}}}\n  and\\\n   {{{{ outptu }}}}"\n',
        [(5, 4, 16)],
    ),
    "in single quotes": (
        f"{YAML}template: 'it''s {{{{ outptu }}}} {{{{ output }}}}'\n",
        [(3, 18, 30)],
    ),
    "plain": (f"{YAML}template: is {{{{ outptu }}}}\n  or {{{{ output }}}}\n", [(3, 14, 26)]),
    "CRLF": (
        f"{YAML}template: |\n  {{{{ output }}}}\n  a {{{{ outptu }}}}\n".replace("\n", "\r\n"),
        [(5, 5, 17)],
    ),
    "an alias, where its text stands": (
        f"{YAML}metadata: {{a: &t '{{{{ output }}}} {{{{ outptu }}}}'}}\ntemplate: *t\n",
        [(3, 32, 44)],
    ),
}


@every_case(("text", "expected"), PLACES.values(), ids=PLACES)
def test_place_in_yaml(text: str, expected: list[tuple[int, int, int]], tmp_path: Path) -> None:
    assert placed(tmp_path, "a.yaml", text) == expected


def test_place_in_json(tmp_path: Path) -> None:
    template = 'a "é"\n{{ output }}\t{{ outptu }}'
    text = json.dumps({"id": "a", "version": "1.0.0", "template": template}, indent=1)
    line = text.split("\n")[3]
    column = line.index("{{ outptu") + 1
    assert placed(tmp_path, "a.json", text) == [(4, column, column + len("{{ outptu }}"))]


def placed(folder: Path, name: str, text: str) -> list[tuple[int, int, int]]:
    """Return line, column and end column of each finding of one judge."""
    (folder / "judges").mkdir()
    (folder / "judges" / name).write_bytes(text.encode())
    options = Options(root=folder, strict=False, today=date(2026, 6, 1))
    found = check_workspaces(folder, options).diagnostics
    assert {each.code for each in found} == {"judge/template-tag"}
    spans = [each.place.span for each in found if each.place.span]
    assert all(span.line == span.end_line for span in spans)
    return [(span.line, span.column, span.end_column) for span in spans]
