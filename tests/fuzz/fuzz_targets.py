"""What is fuzzed: each target takes any bytes, and raises if a promise is broken.

Bad bytes give findings inside of the text. Nothing but the exceptions of the package is raised.
"""

from __future__ import annotations

import io
import os
import re
import tempfile
from contextlib import suppress
from datetime import date
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from doors import Input, Kind, Options, UsageError, validate
from fuzz_seeds import files_named, tables, texts_at
from fuzz_sources import assert_inside, check_external_reader, check_reader, lines_in

from evalcontract import EvalContractError
from evalcontract.analysis.ambiguity import find_attack
from evalcontract.analysis.dialects import advice_on, misreadings
from evalcontract.analysis.pattern import (
    Uncompilable,
    compile_pattern,
    matches_everything,
    matches_nothing,
)
from evalcontract.analysis.template import scan
from evalcontract.judging.prompt import render_template
from evalcontract.model.errors import ConfigurationError
from evalcontract.model.reference import Reference, Version
from evalcontract.structure.native import reads_pattern
from evalcontract.workspace.configuration import read_configuration

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from evalcontract.model.diagnostic import Diagnostic

TODAY = date(2026, 6, 1)
#: Beyond this a pattern or a text is cut: how long the largest take is the matter of other tests.
_MAX_CHARACTERS = 6000
#: A number of more digits than Python converts.
_DIGITS = b"9" * 5000


class Target(NamedTuple):
    """Something that takes any bytes: `check` raises if it does not hold what it promises.

    `many` is the number of tries that it is worth.
    """

    check: Callable[[bytes], object]
    seeds: Callable[[], Iterable[bytes]]
    many: int


# Findings


@cache
def _folder() -> Path:
    """Return a workspace with an artifact of each kind, to which rows refer."""
    folder = Path(tempfile.mkdtemp(prefix="fuzz"))
    for name, text in _LIBRARY.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


_LIBRARY = {
    "rubrics/polite.yaml": (
        'id: polite\nversion: "1.0.0"\nchecks:\n'
        "  - {id: words, kind: must_not_contain, values: [stupid]}\n"
        "  - {id: facts, kind: fact_match, threshold: 0.5}\n"
        "  - {id: right, kind: llm_judge, judge_prompt_ref: judge/right@1.0.0}\n"
        "scoring: {combine: all_pass}\n"
    ),
    "judges/right.yaml": 'id: right\nversion: "1.0.0"\ntemplate: "{{ input }} {{ output }}"\n',
    "bundles/rag.schema.json": '{"type": "object", "properties": {"docs": {"type": "array"}}}',
}


def check_findings(kind: Kind, name: str, dialect: str | None, data: bytes) -> None:
    """Check bytes as a file of a kind, soft and strict."""
    path = _folder() / name
    lines = lines_in(data, name)
    for strict in (False, True):
        options = Options(root=_folder(), strict=strict, today=TODAY, dialect=dialect)
        with suppress(EvalContractError):
            outcome = validate(kind, [Input(path, io.BytesIO(data))], options)
            assert_findings(outcome.diagnostics, {str(path): lines, os.path.relpath(path): lines})


def assert_findings(diagnostics: Iterable[Diagnostic], texts: dict[str, list[str]]) -> None:
    """Assert that no finding is a crash, and that places are inside of the files."""
    for diagnostic in diagnostics:
        assert not diagnostic.code.startswith("internal/"), diagnostic
        sites = diagnostic.sites.first if diagnostic.sites else ()
        places = [diagnostic.place, *(place for _, place in diagnostic.related)]
        places += [site.place for site in sites]
        for place in places:
            if place.file in texts and not place.file.endswith((".parquet", ".pq")):
                assert_inside(place.span, texts[place.file])


# Grammars


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def check_grammars(data: bytes) -> None:
    """Parse a version and a reference: what is read is written as a text that reads the same."""
    text = _text(data)
    for parse in (Version.parse, Reference.parse):
        found: Any = parse(text)
        if found is not None:
            again: Any = parse(str(found))
            assert again == found, (text, found, again)
            assert str(again) == str(found)
    version = Version.parse(text)
    if version:
        assert version.precedence() == version.precedence()


def check_template(data: bytes) -> None:
    """Scan a template, and fill it in if it has no fault."""
    text = _text(data)
    found = scan(text)
    for tag in (*found.tags, *(fault.tag for fault in found.faults)):
        assert 0 <= tag.start <= len(text), tag
        assert tag.within.text in text, tag
    for fault in found.faults:
        assert fault.within.text in text, fault
    if not found.faults:
        variables = {"input": "a", "output": ["b", {"c": None}], "expected": {"facts": [1, 2.5]}}
        with suppress(UsageError):
            render_template(text, variables)


def check_pattern(data: bytes) -> None:
    """Analyse a pattern: what is said to match nothing, or everything, does so on a few texts."""
    pattern = _text(data)[:_MAX_CHARACTERS]
    for flags in ((), ("i", "m", "s")):
        compiled = compile_pattern(pattern, flags)
        if isinstance(compiled, Uncompilable):
            advice_on(pattern, compiled)
            assert str(compiled)
        attack = find_attack(pattern, flags, full=False)
        assert attack is None or attack.describe()
        is_impossible = matches_nothing(pattern, flags)
        is_total = matches_everything(pattern, flags, full=False)
        list(misreadings(pattern, flags))
        if isinstance(compiled, re.Pattern) and attack is None:
            matched = [compiled.search(text) is not None for text in ("", "a", "a\nb", "é1_ ")]
            assert not (is_impossible and any(matched)), pattern
            assert not (is_total and not all(matched)), pattern
    try:
        pattern.encode()
    except UnicodeEncodeError:
        return
    reads_pattern(pattern)


def check_configuration(data: bytes) -> None:
    """Read a configuration."""
    path = _folder() / "fuzz.toml"
    path.write_bytes(data)
    with suppress(ConfigurationError):
        read_configuration(path, "evalcontract.toml")


def check_modeline(data: bytes) -> None:
    """Check a dataset that begins with a comment for editors."""
    line = data.replace(b"\n", b"").replace(b"\r", b"")
    text = b"# yaml-language-server: $schema=" + line + b"\nquestions:\n  - {id: a, input: b}\n"
    check_findings(Kind.DATASET, "datasets/fuzz.yaml", None, text)


_OURS: dict[str, Any] = {"x.yaml": (".yaml", ".yml"), "x.json": (".json",), "x.jsonl": (".jsonl",)}


def _reader(name: str, *suffixes: str, many: int = 3000) -> Target:
    return Target(partial(check_reader, name), partial(files_named, *suffixes), many)


def _external(name: str, seeds: Callable[[], Iterable[bytes]], many: int = 1200) -> Target:
    return Target(partial(check_external_reader, name), seeds, many)


def _findings(kind: Kind, name: str, *suffixes: str, dialect: str | None = None) -> Target:
    return Target(
        partial(check_findings, kind, name, dialect), partial(files_named, *suffixes), 600
    )


def _patterns() -> Iterable[bytes]:
    forms = (b"a{%s}", b"(a{2,%s})+", b"(a)\\%s", b"(?(%s)a|b)", b"(?P<a%s>b)", b"\\x%s", b"[%s-9]")
    return (*texts_at("pattern", "match", "regex"), *(form % _DIGITS for form in forms))


def _templates() -> Iterable[bytes]:
    return texts_at("template")


def _names() -> Iterable[bytes]:
    forms = (b"%s", b"1.%s.0", b"1.0.0-a.%s", b"1.0.0+%s", b"rubric/a@%s", b"judge/a%s@1.0.0")
    names = texts_at("version", "rubric_ref", "judge_prompt_ref", "rubric")
    return (*names, *(form % _DIGITS for form in forms))


def _modelines() -> Iterable[bytes]:
    forms = (b"%s", b"../schema/%s.json", b"https://a.b:%s/a.schema.json", b"https://a.b/a#/a/%s")
    names = (b"../schema/dataset.schema.json", b"https://a.b/rubric.schema.json#/a", b"")
    return (*names, *(form % _DIGITS for form in forms))


_GRADED = {
    "datasets/a.yaml": "questions:\n  - {id: a, input: b, rubric_ref: rubric/r@1.0.0}\n"
    "  - {id: b, input: b, must_contain_any: [a], expected_tools: [t]}\n",
    "rubrics/r.yaml": "id: r\nversion: 1.0.0\nscoring: {combine: all_pass}\nchecks:\n"
    "  - {id: x, kind: must_contain_any, values: [a]}\n"
    "  - {id: t, kind: tool_usage, expected_tools: [{name: t, arguments: {a: 1}}]}\n"
    "  - {id: j, kind: format, format: json}\n",
    "judges/j.yaml": "id: j\nversion: 1.0.0\ntemplate: '{{ output }}'\n",
    "outputs.jsonl": '{"id": "a", "output": "a"}\n',
}
_CALL = '{"function": {"name": "t", "arguments": "{\\"a\\": 1}"}}'
_OUTPUT_SEEDS = (
    b'{"id": "a", "output": "[1]", "tool_calls": [{"name": "t", "arguments": {"a": 1}}]}\n'
    b'{"id": "b", "output": null, "tool_calls": [%s], "context": [1]}\n' % _CALL.encode(),
)
_RESULT_SEEDS = (
    (
        b'{"manifest": {"version": "1.0", "tool": {"name": "evalcontract", "version": "1"}, '
        b'"dataset": {"file": "a"}, "outputs": {"file": "b"}, "artifacts": {}}}\n'
        b'{"id": "a", "rubric": "rubric/r@1.0.0", "outcome": "failed", "score": 0, "checks": '
        b'[{"id": "x", "kind": "k", "outcome": "passed", "score": 1}]}\n'
        b'{"id": "a", "rubric": null, "outcome": null, "score": 0.5, "checks": []}\n'
    ),
)
_LABEL_SEEDS = (
    b"id,human,judge,split,annotator,model\na,pass,fail,dev,ann,m\nb,0,1,dev,ben,m\nc,no,no,,,\n",
)
_EVAL_SEEDS = (
    (
        b'{"skill_name": "a b", "evals": [{"id": 1, "prompt": "p", "must_contain_any": ["a"], '
        b'"must_not_contain": ["b"], "check_php_lint": true, "expectations": ["e"], '
        b'"check_markdown_structure": {"min_headings": 2, "no_h1": true}, "source": {"date": 1}}]}'
    ),
    b'{"id": "t", "threshold": 0.5, "graders": {"accuracy_grader": {"weight": 2}, "format": null}}',
)


def _command(name: str, seeds: tuple[bytes, ...], *arguments: str) -> Target:
    """Return the target of a command that reads a file with a name."""

    def check(data: bytes) -> None:
        from fuzz_commands import call, inside, write

        with tempfile.TemporaryDirectory() as folder, inside(Path(folder)):
            texts = {file: text.encode() for file, text in _GRADED.items()}
            write(Path(folder), {**texts, name: data})
            call(*arguments)
            assert not [*Path(folder).rglob(".evalcontract.*")]

    return Target(check, lambda: seeds, 300)


_GRADE = ("grade", "datasets/a.yaml", "--jobs", "1", "--outputs", "outputs.jsonl")

TARGETS: dict[str, Target] = {
    "outputs": _command("outputs.jsonl", _OUTPUT_SEEDS, *_GRADE),
    "results": _command("old.jsonl", _RESULT_SEEDS, *_GRADE, "--compare", "old.jsonl"),
    "partial": _command("r.partial", _RESULT_SEEDS, *_GRADE, "--results", "r", "--resume"),
    "labels": _command(
        "l.csv", _LABEL_SEEDS, "calibrate-judge", "judges/j.yaml", "--labels", "l.csv"
    ),
    "evals": _command("evals.json", _EVAL_SEEDS, "migrate", "evals.json", "-o", "out"),
    "yaml": _reader("x.yaml", ".yaml", ".yml"),
    "json": _reader("x.json", ".json"),
    "jsonl": _reader("x.jsonl", ".jsonl"),
    "unnamed": _reader("x", ".yaml", ".json", ".jsonl", many=1200),
    "external_json": _external("x.json", partial(files_named, ".json")),
    "external_jsonl": _external("x.jsonl", partial(files_named, ".jsonl", ".json")),
    "csv": _external("x.csv", partial(files_named, ".csv")),
    "parquet": _external("x.parquet", tables, 300),
    "arrow": _external("x.arrow", partial(tables, "arrow"), 300),
    "grammars": Target(check_grammars, _names, 6000),
    "template": Target(check_template, _templates, 6000),
    "pattern": Target(check_pattern, _patterns, 1200),
    "configuration": Target(check_configuration, partial(files_named, ".toml"), 1200),
    "modeline": Target(check_modeline, _modelines, 300),
    "dataset": _findings(Kind.DATASET, "datasets/fuzz.yaml", ".yaml"),
    "dataset_json": _findings(Kind.DATASET, "datasets/fuzz.json", ".json"),
    "dataset_jsonl": _findings(Kind.DATASET, "datasets/fuzz.jsonl", ".jsonl"),
    "rubric": _findings(Kind.RUBRIC, "rubrics/fuzz.yaml", ".yaml"),
    "judge": _findings(Kind.JUDGE, "judges/fuzz.yaml", ".yaml"),
    "target": _findings(Kind.TARGET, "targets/fuzz.yaml", ".yaml"),
    "databricks": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="databricks"),
    "evret": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="evret"),
    "agent_skills": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="agent_skills"),
    "evret_csv": _findings(Kind.DATASET, "fuzz.csv", ".csv", dialect="evret"),
    "mlflow": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="mlflow:oss"),
    "deepeval": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="deepeval"),
    "deepeval_csv": _findings(Kind.DATASET, "fuzz.csv", ".csv", dialect="deepeval"),
    "promptfoo": _findings(Kind.DATASET, "fuzz.yaml", ".yaml", dialect="promptfoo"),
    "promptfoo_csv": _findings(Kind.DATASET, "fuzz.csv", ".csv", dialect="promptfoo"),
    "inspect": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="inspect"),
    "inspect_csv": _findings(Kind.DATASET, "fuzz.csv", ".csv", dialect="inspect"),
    "northstar": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="northstar"),
    "openai": _findings(Kind.DATASET, "fuzz.json", ".json", dialect="openai"),
    "openai_samples": _findings(Kind.DATASET, "fuzz.jsonl", ".jsonl", dialect="openai:samples"),
}
