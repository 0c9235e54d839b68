"""What the README shows is what the commands print today."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
# The age of a validation grows by the day.
DAYS = re.compile(r"[0-9,]+ days ago")


def printed(*command: str) -> str:
    call = [sys.executable, "-m", "evalcontract", *command]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, text=True, check=False)
    return DAYS.sub("N days ago", done.stdout)


def blocks() -> list[str]:
    fenced = re.findall(r"^```\w*\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    return [DAYS.sub("N days ago", each) for each in fenced]


@pytest.mark.parametrize(
    ("begins", "command"),
    [
        ("warning[dataset/near-miss-key]", ("check", "demo")),
        ("demo/datasets/support.yaml", ("coverage", "demo/datasets/support.yaml")),
    ],
)
def test_output(begins: str, command: tuple[str, ...]) -> None:
    shown = next(each for each in blocks() if each.startswith(begins))
    output = printed(*command)

    parts = [part.strip("\n") for part in shown.split("\n\n")]
    assert parts
    assert [part for part in parts if part not in output] == []


def test_commands_are_those_of_the_makefile() -> None:
    targets = re.findall(
        r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE
    )
    told = re.findall(r"^make ([a-z]+)$", README, re.MULTILINE)

    assert told == ["demo", "test"]
    assert set(told) <= set(targets)
