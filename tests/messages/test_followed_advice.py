"""Advice that is followed to the letter: the finding is gone, and there is no new one at the place.

Every finding of the fixtures and of the bad examples of the pages whose advice quotes what to write
is tried: the quoted text replaces the key or value at the place of the finding.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from doors import Options, check_workspaces
from examples import a_few
from page_examples import CODES, findings_of_bad_example
from rule_fixtures import TODAY, cases, name_of, placed_in
from tables import every_case

from evalcontract.formats import FORMATS
from evalcontract.model.codes import example_files

if TYPE_CHECKING:
    from evalcontract import Diagnostic

# The kinds of codes whose places are not keys or values of the contract, or not in YAML or JSON.
_OTHERS = {"source", "internal", *(system.name for system in FORMATS)}
#: Pages of workspaces; a folder has no tables.
PAGES = [
    code
    for code, known in CODES.items()
    if code.partition("/")[0] not in _OTHERS
    and not all(name.endswith(".csv") for name in example_files(known.page.bad, code))
]
# Advice that quotes what to write at the place of the finding.
_REPLACEMENTS = [
    re.compile(pattern)
    for pattern in (
        r"did you mean `(?P<text>[^`]+)`\?(?: It is missing)?",
        r"rename it to `(?P<text>[^`]+)`",
        r"write (?:it as )?`(?P<text>[^`]+)`",
        r"write (?P<text>-?[\d.]+|true|false)(?:, with a decimal point|, without quotes)?",
        r"write only the number: (?P<text>.+)",
        r"write a list: (?P<text>\[.+\])",
        r"(?:write a mapping: |write a mapping, such as )(?P<text>\{.+\})",
        r"(?:write it without the brackets|quote it|remove the quotes): (?P<text>.+)",
        r"use `(?P<text>\w+)`",
        r"such as `(?P<text>[^`]+)`(?:, `[^`]+`)*",
        r"(?:write plain text, )?such as (?P<text>\"[^\"]+\")",
        r"a fraction between 0 and 1, such as (?P<text>[\d.]+)",
    )
]
# Advice for a missing key: what to add to the mapping.
_ADDITION = re.compile(r"(?:add an id, )?such as `(?P<text>\w+: .+)`")
_ADDS = frozenset({"missing-key", "unnamed-check"})
# (a code, a part of the advice or ""): why it cannot be followed to the letter
EXCEPTIONS = {
    ("dataset/malformed-value", "rubric/tone@1.0.0"): "the fixture has no rubrics",
    ("dataset/malformed-value", "rubric/release_notes"): "the same",
    ("dataset/missing-key", "refund_window"): "the row asks for nothing, either",
    ("dataset/no-questions", "rename it to `questions`"): "the rows are only checked after that",
    ("judge/out-of-range", "0.93"): "the other rate is missing, and the fixture is about both",
    ("rubric/foreign-key", "`kind`"): "the kind is named as in the other tool, too",
    ("rubric/malformed-value", "schemas/answer.json"): "the fixture has no schema",
    ("target/malformed-value", "datasets/support.yaml"): "the example has no dataset",
    ("target/missing-key", "order_support.yaml"): "the example has no dataset",
}


class Advice(NamedTuple):
    """A finding of a workspace, and the text that its advice quotes."""

    diagnostic: Diagnostic
    text: str
    adds: bool = False

    @property
    def keeps_quotes(self) -> bool:
        """Whether the text replaces what is in the quotes, if there are any."""
        return f"`{self.text}`" in (self.diagnostic.help or "")


def findings(folder: Path) -> list[Diagnostic]:
    """Check a workspace as the fixtures are checked."""
    return check_workspaces(folder, Options(root=folder, strict=False, today=TODAY)).diagnostics


def advice_of(diagnostic: Diagnostic) -> Advice | None:
    """Return the advice of a finding, if it quotes what to write at its place."""
    kind, _, fault = diagnostic.code.partition("/")
    help_text = diagnostic.help or ""
    if kind in _OTHERS or "…" in help_text:
        return None
    if fault in _ADDS and (match := _ADDITION.fullmatch(help_text)):
        return Advice(diagnostic, match["text"], adds=True)
    matches = (pattern.fullmatch(help_text) for pattern in _REPLACEMENTS)
    text = next((match["text"] for match in matches if match), None)
    return Advice(diagnostic, text) if text else None


def followed(text: str, advice: Advice) -> str | None:
    """Return the text of a file in which an advice is followed; None if there is no place."""
    span = advice.diagnostic.place.span
    if span is None:
        return None
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    start = starts[span.line - 1] + span.column - 1
    end = starts[span.end_line - 1] + span.end_column - 1
    if advice.adds:
        in_braces = text[start] == "{" or text[:start].rstrip().endswith("{")
        start += text[start] == "{"
        between = ", " if in_braces else "\n" + " " * (span.column - 1)
        return f"{text[:start]}{advice.text}{between}{text[start:]}"
    quote = text[start] if text[start] in "\"'" and advice.keeps_quotes else ""
    replaced = text[start:end]
    after = replaced[len(replaced.rstrip()) :] + text[end:]
    return f"{text[:start]}{quote}{advice.text}{quote}{after}"


def identity(diagnostic: Diagnostic) -> tuple[Any, ...]:
    return (diagnostic.code, diagnostic.place.file, diagnostic.path, diagnostic.message)


def remaining(folder: Path, advice: Advice, before: list[Diagnostic]) -> list[str]:
    """Follow an advice in a workspace; return the findings at its place, and restore the file."""
    diagnostic = advice.diagnostic
    path = Path(diagnostic.place.file)
    text = path.read_text(encoding="utf-8")
    changed = followed(text, advice)
    assert changed is not None, diagnostic
    path.write_text(changed, encoding="utf-8")
    try:
        after = findings(folder)
    finally:
        path.write_text(text, encoding="utf-8")
    counts = Counter(map(identity, before))
    counts[identity(diagnostic)] -= 1
    renamed = (*diagnostic.path[:-1], advice.text)
    places = (diagnostic.path, renamed)
    return [
        f"{each.code} {each.pointer}: {each.message} ({each.help})"
        for each in after
        if each.place.file == diagnostic.place.file
        and counts[identity(each)] < Counter(map(identity, after))[identity(each)]
        and (
            identity(each) == identity(diagnostic)
            or each.code.startswith("source/")
            or any(each.path[: len(place)] == place for place in places)
        )
    ]


def exception_of(diagnostic: Diagnostic) -> tuple[str, str] | None:
    pairs = [
        (code, part)
        for code, part in EXCEPTIONS
        if code == diagnostic.code and part in (diagnostic.help or "")
    ]
    return pairs[0] if pairs else None


def astray(folder: Path, used: set[tuple[str, str]]) -> tuple[int, list[str]]:
    """Return how many advices of a workspace were followed, and those that lead astray."""
    before = findings(folder)
    count, wrong = 0, []
    for diagnostic in before:
        advice = advice_of(diagnostic)
        if advice is None:
            continue
        exception = exception_of(diagnostic)
        left = remaining(folder, advice, before)
        if left and exception:
            used.add(exception)
        elif left:
            wrong.append(f"{diagnostic} ({diagnostic.help}) -> {left}")
        else:
            count += 1
    return count, wrong


@pytest.mark.thorough
def test_every_exception_is_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And enough advice is followed for the other tests to mean something."""
    count, used = 0, set[tuple[str, str]]()
    for number, case in enumerate(cases()):
        folder = tmp_path / f"case_{number}"
        folder.mkdir()
        placed_in(case, folder)
        monkeypatch.chdir(folder)
        count += astray(Path(), used)[0]
    for code in PAGES:
        folder = tmp_path / code
        folder.mkdir(parents=True)
        monkeypatch.chdir(folder)
        findings_of_bad_example(Path(), code)
        count += astray(Path(), used)[0]
    assert used == EXCEPTIONS.keys()
    assert count >= 50


@every_case("case", a_few(cases()), ids=name_of)
def test_fixtures(case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    placed_in(case, tmp_path)
    monkeypatch.chdir(tmp_path)
    assert astray(Path(), set())[1] == []


@every_case("code", a_few(PAGES))
def test_pages(code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    findings_of_bad_example(Path(), code)
    assert astray(Path(), set())[1] == []
