"""`--color`, `NO_COLOR` and `FORCE_COLOR`: whether what is printed is in colour.

What a terminal gets by default is tested in `test_terminal`.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case
from writing import write

if TYPE_CHECKING:
    from pathlib import Path


FAULTY = "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [d]}\n"
CHECK = ["validate-dataset", "a.yaml"]


@pytest.mark.costly
@every_case(
    ("arguments", "variables", "is_coloured"),
    [
        (CHECK, {}, "no"),
        ([*CHECK, "--color", "auto"], {}, "no"),
        ([*CHECK, "--color", "always"], {}, "yes"),
        ([*CHECK, "--color=always"], {"NO_COLOR": "1", "TERM": "dumb"}, "yes"),
        (["--color", "always", *CHECK], {"NO_COLOR": "1"}, "yes"),
        (CHECK, {"FORCE_COLOR": "1"}, "yes"),
        ([*CHECK, "--color", "auto"], {"FORCE_COLOR": "1"}, "yes"),
        ([*CHECK, "--color", "never"], {"FORCE_COLOR": "1"}, "no"),
        (["--color", "never", *CHECK], {"FORCE_COLOR": "1"}, "no"),
        (["--color", "never", *CHECK, "--color", "always"], {}, "yes"),
        (CHECK, {"FORCE_COLOR": "1", "NO_COLOR": "1"}, "no"),
        (["explain", "rubric/cycle", "--color", "always"], {}, "yes"),
        (["check", "nowhere", "--color", "always"], {}, "yes"),
        (["check", "nowhere", "--color", "never"], {"FORCE_COLOR": "1"}, "no"),
        ([*CHECK, "--output-format", "json", "--color", "always"], {}, "no"),
        ([*CHECK, "--output-format", "concise", "--color", "always"], {}, "no"),
    ],
)
def test_what_is_coloured(
    arguments: list[str],
    variables: dict[str, str],
    is_coloured: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write(tmp_path, {"a.yaml": FAULTY})
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    command_line(*arguments)
    printed = "".join(capsys.readouterr())
    assert printed
    assert ("\x1b[" in printed) is (is_coloured == "yes")
    assert dict(os.environ) == before


def test_no_other_choice(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line("check", "--color", "sometimes") == 2
    assert "auto" in capsys.readouterr().err
