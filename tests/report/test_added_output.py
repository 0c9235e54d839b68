"""An output format is added in the steps of CONTRIBUTING.md: a copy of the package has one more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from checkout import add_below, copy_package
from doors import command_lines
from reports import write_files

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = '''
"""The report for commands that take files: the path of each file with a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.values import escape_controls

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.report import Report, Style


def write(report: Report, style: Style) -> Iterator[str]:
    """Yield each path once, in the order of the findings."""
    del style
    for name in dict.fromkeys(report.name_of(each.place.file) for each in report.diagnostics):
        yield f"{escape_controls(name)}\\n"
'''


@pytest.mark.slow
def test_a_new_output_format_is_its_file_and_one_line(tmp_path: Path) -> None:
    report = copy_package(tmp_path) / "report"
    (report / "paths.py").write_text(FORMAT.lstrip("\n"), encoding="utf-8")
    add_below(report / "__init__.py", '    "markdown": "text",', '    "paths": "text",\n')
    folder = tmp_path / "work"
    folder.mkdir()
    write_files(folder)
    printed, written, unknown, helped = command_lines(
        [
            ["check", ".", "--output-format", "paths"],
            ["check", ".", "--output", "paths:found.txt"],
            ["check", ".", "--output-format", "path"],
            ["check", "--help"],
        ],
        cwd=folder,
        source=tmp_path / "src",
    )
    names = ["broken.yaml", "rows.jsonl", "rows.yaml", "rubrics/bad.json", "wide.yaml"]
    assert sorted(printed.out.splitlines()) == names
    assert printed.code == written.code == 1
    assert (folder / "found.txt").read_text(encoding="utf-8") == printed.out
    assert (unknown.code, "paths" in unknown.err) == (2, True)
    assert "paths" in helped.out
