"""What tests of output formats share: files with findings, and readers of the formats."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote
from xml.etree import ElementTree as ET

from doors import printed_by

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

#: Files with findings on keys, values and whole files, in YAML, JSON and JSONL, beyond ASCII too.
FILES = {
    "rows.yaml": "questions:\n  - id: order\n    input: b\n    criteria: c\n    tagz: [x]\n"
    "    must_not_contain: [y]\n",
    "wide.yaml": "questions:\n  - {id: é🎉, input: 春, criteria: c, expecteed_facts: [x],"
    " must_not_contain: [y]}\n",
    "rows.jsonl": '{"id": "a", "input": "b", "criteria": "c", "must_not_contain": ["y"]}\n'
    '{"id": "a", "input": "b", "tagz": []}\n',
    "rubrics/bad.json": '{\n  "id": "bad",\n  "version": "1.0.0",\n  "checks": []\n}\n',
    "broken.yaml": "questions: [\n",
}


class Found(NamedTuple):
    """A finding as a format tells it; None for what the format does not tell."""

    path: str
    line: int
    column: int | None
    code: str
    level: str


def write_files(folder: Path, files: dict[str, str] | None = None) -> None:
    for name, text in (files or FILES).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def output_of(name: str, folder: Path, *options: str) -> str:
    """Return what `check` prints in a format."""
    return printed_by("check", ".", "--output-format", name, *options, cwd=folder).out


def _of_json(text: str) -> Iterator[Found]:
    yield from map(_of_finding, json.loads(text)["findings"])


def _of_jsonl(text: str) -> Iterator[Found]:
    yield from (_of_finding(json.loads(line)) for line in text.splitlines())


def _of_finding(finding: dict[str, Any]) -> Found:
    line, column = finding["line"] or 1, finding["column"] or 1
    return Found(finding["repository_file"], line, column, finding["code"], finding["severity"])


_TEXT = re.compile(
    r"^(\w+)\[([^]]+)\]: .*\n +--> (.+?)(?::(\d+):(\d+))?(?:  \(row .*)?$", re.MULTILINE
)


def _of_text(text: str) -> Iterator[Found]:
    for level, code, path, line, column in _TEXT.findall(text):
        yield Found(path, int(line or 1), int(column or 1), code, level)


def _of_concise(text: str) -> Iterator[Found]:
    for each in text.splitlines():
        match = re.fullmatch(r"(.+?):(\d+):(\d+): (\w+)\[([^]]+)\] .+", each)
        assert match, each
        yield Found(match[1], int(match[2]), int(match[3]), match[5], match[4])


def commands(text: str) -> Iterator[tuple[str, dict[str, str], str]]:
    """Yield the commands in a log as GitHub's runner reads them: name, properties, message."""
    for line in text.splitlines():
        match = re.fullmatch(r"::(\w+)(?: (.*?))?::(.*)", line)
        assert match, line
        pairs = (pair.split("=", 1) for pair in match[2].split(","))
        yield match[1], {key: _unescaped(value) for key, value in pairs}, _unescaped(match[3])


def _unescaped(text: str) -> str:
    signs = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}
    return re.sub("%(0D|0A|3A|2C|25)", lambda match: signs[match[0]], text)


def _of_github(text: str) -> Iterator[Found]:
    levels = {"error": "error", "warning": "warning", "notice": "note"}
    for name, properties, _ in commands(text):
        column = int(properties["col"]) if "col" in properties else None
        title, line = properties["title"], int(properties["line"])
        yield Found(properties["file"], line, column, title, levels[name])


def _of_gitlab(text: str) -> Iterator[Found]:
    levels = {"major": "error", "minor": "warning", "info": "note"}
    for issue in json.loads(text):
        location = issue["location"]
        begin = location["positions"]["begin"]
        assert begin["line"] == location["lines"]["begin"]
        level = levels[issue["severity"]]
        yield Found(location["path"], begin["line"], begin["column"], issue["check_name"], level)


def _of_junit(text: str) -> Iterator[Found]:
    for case in ET.fromstring(text).iter("testcase"):
        for part in (*case.findall("failure"), *case.findall("system-out")):
            for line in (part.text or "").splitlines():
                match = re.fullmatch(r"(\S+?)(?::(\d+):(\d+))?: (\w+)\[([^]]+)\]: .+", line)
                if match:
                    assert match[1] == case.get("name")
                    at = (int(match[2] or 1), int(match[3] or 1))
                    yield Found(match[1], *at, match[5], match[4])


def _of_sarif(text: str) -> Iterator[Found]:
    (run,) = json.loads(text)["runs"]
    for result in run["results"]:
        (location,) = result["locations"]
        place = location["physicalLocation"]
        region = place.get("region", {"startLine": 1, "startColumn": 1})
        uri = unquote(place["artifactLocation"]["uri"])
        assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
        yield Found(
            uri, region["startLine"], region["startColumn"], result["ruleId"], result["level"]
        )


def _of_markdown(text: str) -> Iterator[Found]:
    path = ""
    for line in text.splitlines():
        if line.startswith("#### "):
            path = line.removeprefix("#### ").strip("`")
        match = re.match(r"\| (?:(\d+):(\d+))? *\| (\w+) \| \[?`([^`]+)`", line)
        if match:
            yield Found(path, int(match[1] or 1), int(match[2] or 1), match[4], match[3])


#: What a format says, by its name. It has every built-in format; a test holds it to that.
READERS: dict[str, Callable[[str], Iterator[Found]]] = {
    "text": _of_text,
    "concise": _of_concise,
    "json": _of_json,
    "jsonl": _of_jsonl,
    "github": _of_github,
    "gitlab": _of_gitlab,
    "junit": _of_junit,
    "sarif": _of_sarif,
    "markdown": _of_markdown,
}
