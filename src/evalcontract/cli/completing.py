"""Answer a completion script: what may be typed next.

The scripts of `templates/completion` run the command that is typed with two variables:
`_EVALCONTRACT_COMPLETE`, such as `bash_complete`, and `COMP_WORDS`, the words after its name up to
the cursor, each ended by a unit separator. The answer has a line for each candidate, of three
fields with tabs between them:

- `plain`, a word, its description; `part` if more is to be typed after it, without a space;
- `file`, the suffixes of the files (`*`: any), how the word begins before the name of the file;
- `dir`, nothing, the same.
"""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import click
    from click.shell_completion import CompletionItem

VARIABLE = "_EVALCONTRACT_COMPLETE"
SHELLS = ("bash", "zsh", "fish")
_END = "\x1f"
#: What needs no quotes in any shell. Plugins may bring other names, which are not offered.
_WORD = lazy_pattern(r"[\w./:@+,=-]+", re.ASCII)
_OPTION = lazy_pattern(r"(--[\w-]+)=(.*)", re.DOTALL)
#: Where bash ends a word, by default: it completes what follows.
_BREAKS = (":", "=")
_DETAILS = lazy_pattern(r"\.?(?:\s+\(|:\s|\.\s|\.$|,)")
_FILES = ("file", "dir")


class _Typed(NamedTuple):
    """The words before the cursor, the one at the cursor, and how far the shell keeps it."""

    before: list[str]
    word: str
    kept: int = 0


def complete(command: click.Command, name: str) -> int:
    """Print what may follow the words of `COMP_WORDS`; return the exit code."""
    from click.shell_completion import ShellComplete

    shell = os.environ[VARIABLE].partition("_")[0]
    words = os.environ.get("COMP_WORDS", "").split(_END)[:-1]
    typed = _of_bash(words) if shell == "bash" else _Typed(words[:-1], "".join(words[-1:]))
    before, word = typed.before, typed.word
    given = _OPTION.fullmatch(word)
    head = f"{given[1]}=" if given else ""
    if given:
        before, word = [*before, given[1]], given[2]
    try:
        items = ShellComplete(command, {}, name, VARIABLE).get_completions(before, word)
        lines = "".join(_lines(items, head, typed.kept))
    except Exception:  # noqa: BLE001 - a message would stand in the line that somebody types
        return 1
    sys.stdout.write(lines)
    return 0


def _of_bash(words: Sequence[str]) -> _Typed:
    """Return what was typed: bash ends words at `:` and `=`, and leaves quotes in them."""
    from click.shell_completion import split_arg_string

    joined: list[str] = []
    kept, glued = 0, False
    for word in words:
        is_break = bool(word) and not word.strip("".join(_BREAKS))
        if joined and (is_break or (glued and word)):
            kept = len(joined[-1]) + (len(word) if is_break else 0)
            joined[-1] += word
        else:
            kept = 0
            joined.append(word)
        glued = is_break
    plain = ["".join(split_arg_string(word)[:1]) for word in joined]
    return _Typed(plain[:-1], "".join(plain[-1:]), kept)


def _lines(items: Sequence[CompletionItem], head: str, kept: int) -> Iterator[str]:
    for item in items:
        if item.type in _FILES:
            suffixes = (item.suffixes or "*") if item.type == "file" else ""
            yield f"{item.type}\t{suffixes}\t{head}{item.before or ''}\n"
        elif _WORD.fullmatch(item.value):
            yield f"{item.type}\t{(head + item.value)[kept:]}\t{_in_one_line(item.help)}\n"


def _in_one_line(text: str | None) -> str:
    """Return a description up to its first details."""
    shown = " ".join(_DETAILS.split(text or "", maxsplit=1)[0].split())
    return "".join(each for each in shown if each.isprintable())
