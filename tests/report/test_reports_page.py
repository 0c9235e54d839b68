"""The examples of `docs/reports.md` are what the command line prints, and its tables are whole."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from doors import ROOT
from reports import output_of
from tables import every_case

from evalcontract.cli.report_files import parse_report_file
from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

PAGE = (ROOT / "docs" / "reports.md").read_text(encoding="utf-8")
README = (ROOT / "README.md").read_text(encoding="utf-8")
FIRST, _, _ = PAGE.partition("\n## ")
ROWS = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \|(.*)\|$", FIRST, re.MULTILINE))


def examples(name: str) -> list[str]:
    """Return the blocks in a language below the heading of a format."""
    _, _, section = PAGE.partition(f"\n### {name}\n")
    blocks = re.findall(r"^```\w+\n(.*?)^```$", section.split("\n## ")[0], re.MULTILINE | re.DOTALL)
    return [str(block) for block in blocks]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    found = re.search(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert found
    assert found[1] in README
    (tmp_path / "support.yaml").write_text(found[1], encoding="utf-8")
    return tmp_path


@pytest.mark.slow
@every_case("name", [name for name in FORMATS if name not in ("text", "sarif")])
def test_an_example_is_what_is_printed(name: str, folder: Path) -> None:
    assert examples(name)[0] == output_of(name, folder)


@pytest.mark.slow
def test_the_result_in_sarif(folder: Path) -> None:
    (run,) = json.loads(output_of("sarif", folder))["runs"]
    assert [json.loads(examples("sarif")[0])] == run["results"]


def test_every_format_is_in_the_table() -> None:
    assert list(ROWS) == list(FORMATS)


@every_case("name", FORMATS)
def test_names_of_files_are_those_of_the_table(name: str) -> None:
    for pattern in re.findall(r"`([^`]+)`", ROWS[name]):
        assert parse_report_file(pattern.replace("*", "x")).format == name


@pytest.mark.slow
def test_the_problem_matcher(folder: Path) -> None:
    matcher = re.search(r"^`(\^.+\$)`", PAGE, re.MULTILINE)
    assert matcher
    found = re.fullmatch(matcher[1], output_of("concise", folder).rstrip("\n"))
    assert found
    assert found.groups()[:5] == ("support.yaml", "5", "5", "warning", "dataset/near-miss-key")
