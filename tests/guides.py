"""A page with files and commands, followed as a reader does: in order, in a new folder.

A file is a fenced block below a line with its name in backticks; a later block of that name
replaces it. A command is a line that begins with `$ ` in a block `console`; what follows it is its
output, in which a line `…` stands for any lines. Only the commands of this package, `cd` and `cat`
are run.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

_BLOCK = re.compile(r"(?:^`([^`\s]+)`:\n\n)?^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# The age of a validation grows, and the day of a measurement is today.
_DAYS = re.compile(r"\b[0-9]{4}-[0-9]{2}-[0-9]{2}\b")
#: What a reader also types; tests elsewhere run it, or there is nothing to learn from it.
OTHERS = ("pipx install", "python -m pip install", "git init", "pre-commit install")


class Step(NamedTuple):
    """A file that is written, or a command and the output that the page shows."""

    name: str | None
    command: str | None
    text: str


def steps(page: str) -> Iterator[Step]:
    """Yield what a reader does, in order."""
    for name, language, text in _BLOCK.findall(page):
        if language == "console":
            parts = re.split(r"^\$ (.*)\n", text, flags=re.MULTILINE)
            assert parts[0] == "", "output without a command"
            for command, output in zip(parts[1::2], parts[2::2], strict=True):
                yield Step(None, command, output)
        elif name:
            yield Step(name, None, text)


def follow(page: str, folder: Path, run: Callable[[Path, list[str]], tuple[int, str]]) -> int:
    """Do what a page says; return the number of commands that `run` was given.

    Raises:
        AssertionError: a command prints something else, or is not known.

    """
    status = count = 0
    for name, command, shown in steps(page):
        if name:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(shown, encoding="utf-8")
            continue
        assert command
        words = shlex.split(command)
        if words[0] == "cd":
            folder = (folder / words[1]).resolve()
        elif command == "echo $?":
            assert shown == f"{status}\n"
        elif words[0] == "cat":
            assert shown == (folder / words[1]).read_text(encoding="utf-8")
        elif words[0] == "evalcontract":
            status, printed = run(folder, words[1:])
            assert status in (0, 1), printed
            assert matches(printed, shown), f"{command}\n{printed}"
            count += 1
        else:
            assert command.startswith(OTHERS), f"not run: {command}"
            assert shown == ""
    return count


def matches(printed: str, shown: str) -> bool:
    """Whether an output is the one that is shown; nothing shown is nothing claimed."""
    if not shown:
        return True
    pattern = re.escape(_DAYS.sub("DAY", shown)).replace("…\\\n", "(?:.*\n)*")
    return re.fullmatch(pattern, _DAYS.sub("DAY", printed)) is not None
