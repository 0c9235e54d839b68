"""`check` does not pass over a dataset because it cannot be read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case

if TYPE_CHECKING:
    from pathlib import Path

ROWS = [{"id": "a", "input": "b", "expected_facts": ["c"]}]
YAML = "questions:\n  - {id: a, input: b, expected_facts: [c]}\n"


@pytest.mark.slow
@every_case(
    ("name", "data", "code"),
    [
        ("rows.jsonl", json.dumps(ROWS, indent=1).encode(), "source/syntax"),
        ("rows.jsonl", json.dumps(ROWS).encode(), "source/syntax"),
        ("rows.jsonl", json.dumps({"questions": ROWS}, indent=1).encode(), "source/syntax"),
        ("rows.jsonl", YAML.encode(), "source/syntax"),
        ("rows.jsonl", b"id,input\na,b\n", "source/syntax"),
        ("rows.jsonl", (json.dumps(ROWS[0]) + "\n").encode("utf-16"), "source/encoding"),
        ("rows.yaml", YAML.encode("utf-16"), "source/encoding"),
        ("rows.json", YAML.encode(), "source/syntax"),
        ("rows.json", f"{json.dumps(ROWS[0])}\n{json.dumps(ROWS[0])}\n".encode(), "source/syntax"),
        ("rows.json", b'{"questions": [{"id": "caf\xe9"}]}', "source/encoding"),
    ],
)
def test_it_is_reported(
    name: str,
    data: bytes,
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.yaml").write_text(YAML, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for command in (["check"], ["validate-dataset", name]):
        assert command_line(*command, "--output-format", "json") == 1
        findings = json.loads(capsys.readouterr().out)["findings"]
        assert [found["code"] for found in findings] == [code]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("log.jsonl", b"started, at noon\nstopped, at one\n"),
        ("settings.json", b"{'a': 1}"),
        ("trace.jsonl", b'{"event": "start"\n{"event": "stop"\n'),
        ("settings.json", b"# comment\na: 1\n"),
    ],
)
def test_what_mentions_no_row_is_left_out(
    name: str,
    data: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    (tmp_path / name).write_bytes(data)
    (tmp_path / "good.yaml").write_text(YAML, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert command_line("check", "--output-format", "json") == 0
    assert json.loads(capsys.readouterr().out)["summary"]["left_out"] == [name]
