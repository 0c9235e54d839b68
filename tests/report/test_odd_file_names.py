"""Files whose names mean something to a format, a shell, a URI or a runner: all differ."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pytest
from doors import command_lines

if TYPE_CHECKING:
    from pathlib import Path

_ROW = b"questions:\n  - {id: order, input: b, criteria: c, tagz: [x]}\n"
_NAMES = [
    "a b.yaml",
    "a%20b.yaml",
    "a#b?c.yaml",
    "a,b=c.yaml",
    "a|b`c.yaml",
    "new\nline.yaml",
    "C:\\x.yaml",
    "c:x.yaml",
    "::error::x.yaml",
    "-dash.yaml",
    "é🎉.yaml",
]
#: The bytes of names that are not UTF-8, and what findings call them.
_BYTES = {b"\xff.yaml": "\\xff.yaml", b"\xfe.yaml": "\\xfe.yaml"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names")
def test_no_two_files_have_one_name(tmp_path: Path) -> None:
    for name in (*map(os.fsencode, _NAMES), *_BYTES):
        (tmp_path / os.fsdecode(name)).write_bytes(_ROW)
    names = ("json", "gitlab", "sarif", "concise")
    calls = [["check", ".", "--output-format", name] for name in names]
    of_json, of_gitlab, of_sarif, concise = (
        printed.out for printed in command_lines(calls, cwd=tmp_path)
    )
    expected = sorted([*_NAMES, *_BYTES.values()])
    findings = json.loads(of_json)["findings"]
    assert sorted(each["repository_file"] for each in findings) == expected
    issues = json.loads(of_gitlab)
    assert sorted(each["location"]["path"] for each in issues) == expected
    assert len({each["fingerprint"] for each in issues}) == len(expected)
    (run,) = json.loads(of_sarif)["runs"]
    uris = [
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for result in run["results"]
    ]
    assert sorted(map(unquote, uris)) == expected
    assert not any(":" in uri or "\\" in uri for uri in uris)
    lines = concise.splitlines()
    assert len(lines) == len(expected)
    assert not any(line.startswith("::") for line in lines)
