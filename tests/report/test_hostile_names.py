"""Names and texts from files are no markup and no command in any format."""

from __future__ import annotations

import json
import re
from collections import Counter
from html.parser import HTMLParser
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from needs import missing
from reports import READERS, commands
from tables import every_case
from work import calls_of

from evalcontract import Diagnostic, Severity
from evalcontract.model.diagnostic import Place, Span
from evalcontract.model.values import harmless_json
from evalcontract.report import FORMATS, Report, Style, write_of
from evalcontract.report.github import SHOWN
from evalcontract.report.markdown import MAX_BYTES
from evalcontract.report.sarif import rule
from evalcontract.workspace.catalogue import KnownCodes

PAYLOADS = [
    "::error::x",
    "\n::error file=a::x",
    "\r::stop-commands::x",
    "##[group]x",
    "##vso[task.setvariable]x",
    "a,line=9::b",
    "100%25 %0A::error::x",
    "<script>alert(1)</script>",
    "</failure></testcase>",
    "]]>",
    "&lt; &amp; &#60;",
    "\"' onclick='x'",
    "\x00\x01\x08\x0b\x1b[31m\x7f\x9b",
    "\ufffe\uffff",
    "\ud800",
    "a|b\\|c",
    "`code` and ``more``",
    "a`b",
    "`",
    "| --- |\n| x |",
    "[x](http://evil.example)",
    "![x](http://evil.example/x.png)",
    "<http://evil.example>",
    "http://evil.example/x www.evil.example",
    "@octocat octo/repo#1 #1 GH-1",
    "me@evil.example",
    "# head\n- item\n> quote\n---",
    "**bold** _it_ ~~no~~ $x$ <!-- -->",
    "\u202egnp.x\u2066",
    " ",
]


def report_of(payload: str) -> Report:
    """Return a report that has a payload wherever something of a file stands."""
    place = Place(f"{payload}.yaml", Span(1, 2, 1, 3), payload)
    other = Place(f"{payload}.json", Span(2, 1, 3, 1), payload)
    quoted = Diagnostic(
        "dataset/near-miss-key",
        Severity.ERROR,
        f"unknown key `{payload}` here",
        place,
        ("questions", 0, payload),
        f"did you mean {payload}?",
        payload,
        0,
        ((payload, other),),
    )
    bare = Diagnostic("dataset/duplicate-id", Severity.WARNING, payload or "x", other)
    return Report([quoted, bare], {"dataset": 1}, 1, [payload], {f"{payload}.yaml": "dataset"})


def written(name: str, payload: str) -> str:
    text = "".join(write_of(name)(report_of(payload), Style(version="1")))
    return "".join(harmless_json([text])) if FORMATS[name] == "json" else text


@every_case("name", READERS)
def test_no_line_is_added_and_no_control_is_left(name: str) -> None:
    lines = written(name, "x").count("\n")
    for payload in PAYLOADS:
        text = written(name, payload)
        if name not in ("text", "markdown"):  # frames differ; a table is looked at below
            assert text.count("\n") == lines, payload
        assert (
            re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066]", text) is None
        )
        if name != "text":  # the command line breaks what a runner acts on in plain text
            text.encode("utf-8", "replace")


@every_case("name", [name for name, medium in FORMATS.items() if medium == "json"])
def test_json_is_json_and_keeps_values(name: str) -> None:
    for payload in PAYLOADS:
        text = written(name, payload)
        whole = [json.loads(line) for line in text.splitlines() if name == "jsonl"]
        found: Any = whole or json.loads(text)
        if name in ("json", "jsonl"):
            first = (found["findings"] if name == "json" else found)[0]
            assert first["message"] == f"unknown key `{payload}` here"
            assert first["file"] == f"{payload}.yaml"


@every_case("payload", PAYLOADS)
def test_a_github_command_stays_one_command(payload: str) -> None:
    text = written("github", payload)
    first, second = commands(text)
    assert [first[0], second[0]] == ["error", "warning"]
    assert list(first[1]) == ["file", "line", "endLine", "col", "endColumn", "title"]
    assert list(second[1]) == ["file", "line", "endLine", "title"]
    assert [first[1]["line"], second[1]["title"]] == ["1", "dataset/duplicate-id"]
    assert re.search(r"##(?:\[|vso\[)", text) is None
    assert first[2].startswith("unknown key `")


@every_case("payload", PAYLOADS)
def test_xml_stays_well_formed(payload: str) -> None:
    text = written("junit", payload)
    assert text.isascii()
    assert re.search(r"::|##", text) is None
    cases = [*ET.fromstring(text).iter("testcase")]
    assert [[part.tag for part in case] for case in cases] == [["failure"], ["system-out"]]


@every_case("payload", PAYLOADS)
def test_sarif_has_no_link_and_no_absolute_uri(payload: str) -> None:
    log = json.loads(written("sarif", payload))
    for result in log["runs"][0]["results"]:
        assert "](" not in result["message"]["text"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"(?:[\w./~-]|%[0-9A-F]{2})+", uri)


class _Page(HTMLParser):
    """The elements of a page, and the text outside of code."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.outside = ""
        self._open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._open += [tag] if tag != "br" else []

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.outside += "" if "code" in self._open else data


@pytest.fixture(scope="module")
def render() -> Any:
    """Return GitHub's own renderer of Markdown."""
    try:
        from cmarkgfm import github_flavored_markdown_to_html  # an extra
        from cmarkgfm.cmark import Options
    except ImportError:
        missing("the package `cmarkgfm`")
    return lambda text: github_flavored_markdown_to_html(text, Options.CMARK_OPT_UNSAFE)


@every_case("payload", PAYLOADS)
def test_markdown_has_the_same_elements_whatever_a_name_is(payload: str, render: Any) -> None:
    def page_of(name: str) -> _Page:
        page = _Page()
        page.feed(render(written("markdown", name)))
        return page

    page = page_of(payload)
    tags = [tag for tag, _ in page.elements]
    # What a message has between backticks is code; a payload may have backticks, too.
    assert [tag for tag in tags if tag != "code"] == [
        tag for tag, _ in page_of("x").elements if tag != "code"
    ]
    assert all(set(found) <= {"align"} for tag, found in page.elements if tag != "a")
    assert re.search(r"@\w|#\d|://\w|www\.", page.outside) is None


def many(severity: Severity, count: int) -> list[Diagnostic]:
    places = (Place("a.yaml", Span.point(line)) for line in range(1, count + 1))
    return [Diagnostic("dataset/near-miss-key", severity, "m" * 100, place) for place in places]


@every_case(
    ("counts", "expected"),
    [
        ((10, 10, 10), None),
        ((11, 0, 0), "1 more of level error"),
        ((0, 12, 0), "2 more of level warning"),
        ((0, 0, 11), "2 more of level notice"),  # the notice is one of those shown
        ((25, 0, 10), "15 more of level error and 1 more of level notice"),
    ],
)
def test_what_github_does_not_show_is_counted(
    counts: tuple[int, int, int], expected: str | None
) -> None:
    levels = (Severity.ERROR, Severity.WARNING, Severity.NOTE)
    found = [
        each for level, count in zip(levels, counts, strict=True) for each in many(level, count)
    ]
    text = "".join(write_of("github")(Report(found, {}), Style()))
    assert SHOWN == 10
    if expected is None:
        assert text.count("\n") == len(found)
    else:
        logged = [line for line in text.splitlines(keepends=True) if line.startswith("- ")]
        annotated = "".join(line for line in text.splitlines(keepends=True) if line not in logged)
        (name, properties, message), *rest = commands(annotated)
        assert (name, properties) == ("notice", {"title": "evalcontract"})
        assert message.startswith(f"{expected}: GitHub shows 10 of a level")
        assert max(Counter(name for name, _, _ in commands(annotated)).values()) == SHOWN
        assert len(rest) + len(logged) == len(found)
        assert all(
            re.match(r"- a\.yaml:\d+:1: \w+\[dataset/near-miss-key\] m", line) for line in logged
        )


def test_sarif_keeps_to_the_limits_of_github(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evalcontract.report.sarif.MAX_RESULTS", 30)
    place = Place("a.yaml", Span.point())
    related = tuple(("here", place) for _ in range(200))
    error = Diagnostic("dataset/duplicate-id", Severity.ERROR, "m", place, related=related)
    found = [*many(Severity.WARNING, 20), error, *many(Severity.NOTE, 30)]
    for count, left_out in ((30, 0), (51, 21)):
        text = "".join(write_of("sarif")(Report(found[:count], {}), Style(version="1.0.0")))
        (run,) = json.loads(text)["runs"]
        results, (invocation,) = run["results"], run["invocations"]
        levels = [result["level"] for result in results]
        assert levels == ["warning"] * 20 + ["error"] + ["note"] * 9
        assert len(results[20]["relatedLocations"]) == 100
        notices = invocation.get("toolExecutionNotifications", [])
        assert len(notices) == bool(left_out)
        for notice in notices:
            assert f"{left_out} of {count} findings" in notice["message"]["text"]


def test_texts_of_rules_are_as_short_as_github_shows_them() -> None:
    for name, code in KnownCodes().items():
        described = rule(name, code, None)
        for part in ("shortDescription", "fullDescription"):
            assert 0 < len(described[part]["text"]) <= 1024, name
        assert len(described["properties"]["tags"]) <= 10


@pytest.mark.slow
@every_case("name", READERS)
def test_a_report_is_written_piece_by_piece(name: str) -> None:
    """So that 100,000 findings take the memory of one, and twice as many take twice the time."""

    def write(count: int) -> int:
        report = Report(many(Severity.ERROR, count), {"dataset": 1})
        return max(map(len, write_of(name)(report, Style())))

    write(1)  # imports
    assert write(2_000) < 4_000
    assert calls_of(write, 2_000) < 2.5 * calls_of(write, 1_000)


@pytest.mark.slow
@every_case(
    ("limit", "shown"), [(0, None), (200, 200), (3, 3)], ids=["all that fit", "limit", "few"]
)
def test_markdown_is_bounded(limit: int, shown: int | None) -> None:
    found = many(Severity.ERROR, 10_000)
    text = "".join(write_of("markdown")(Report(found, {"dataset": 1}), Style(limit=limit)))
    rows = text.count("| error |")
    assert len(text.encode()) < MAX_BYTES + 1000 < 1 << 20
    assert rows == shown if shown else 1000 < rows < len(found)
    assert text.endswith(f"\n… and {10_000 - rows:,} more: {10_000 - rows:,} errors\n")
