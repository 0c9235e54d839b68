"""Write `docs/rules`: a page for each code, from the manual that `explain` reads.

`--check` writes nothing, and fails where the pages that stand there are others.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.engine.manual import manual
from evalcontract.model.page import example_files
from evalcontract.policy import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.page import Page

FOLDER = Path(__file__).parent / "rules"
_HINT = "run `make docs`"
_INTRODUCTION = """\
What evalcontract can find, and what each finding weighs in soft and in strict mode.
`evalcontract explain CODE` prints the same pages. They are made by `make docs`: change
the rule, not the page.
"""


def pages() -> dict[str, str]:
    """Return the text of every page by its name below `docs/rules`."""
    known = manual()
    return {"README.md": _index(known), **{f"{code}.md": _page(known[code]) for code in known}}


def drift() -> list[str]:
    """List the pages that are missing, too many, or not what the manual says."""
    wanted = pages()
    there = {
        path.relative_to(FOLDER).as_posix(): path.read_text(encoding="utf-8")
        for path in FOLDER.rglob("*")
        if path.is_file()
    }
    return sorted(name for name in {*wanted, *there} if wanted.get(name) != there.get(name))


def _index(known: dict[str, Page]) -> str:
    parts = ["# The rules\n", _INTRODUCTION]
    for kind, codes in groupby(known, key=lambda code: code.split("/")[0]):
        parts.append(f"## {kind}\n\n| code | soft | strict | what |\n|---|---|---|---|")
        parts += [_line(known[code]) for code in codes]
        parts.append("")
    return "\n".join(parts)


def _line(page: Page) -> str:
    soft, strict = TABLE[page.code]
    sentence = " ".join(page.what.split()).split(". ")[0].rstrip(".")
    shown = sentence.replace("|", r"\|")
    return f"| [{page.code}]({page.code}.md) | {soft} | {strict} | {shown} |"


def _page(page: Page) -> str:
    soft, strict = TABLE[page.code]
    parts = [
        f"# {page.code}\n",
        f"{page.what}\n",
        f"Severity: {soft} (soft), {strict} (strict)\n",
        f"## Why\n\n{page.why}\n",
        "## Bad\n",
        *_example(page.bad, page.code),
        "## Good\n",
        *_example(page.good, page.code),
        "[All rules](../README.md)\n",
    ]
    return "\n".join(parts)


def _example(text: str, code: str) -> Iterator[str]:
    """Yield each file of an example as a fenced block, its name above it."""
    for name, content in example_files(text, code).items():
        language = "json" if name.endswith((".json", ".jsonl")) else "yaml"
        fence = "````" if "```" in content else "```"
        yield f"`{name}`\n\n{fence}{language}\n{content}{fence}\n"


def main() -> int:
    """Write the pages, or compare them; return the exit code."""
    wrong = drift()
    if "--check" in sys.argv[1:]:
        print("\n".join([*wrong, f"docs/rules differ: {_HINT}"] if wrong else ["up to date"]))
        return bool(wrong)
    wanted = pages()
    for name in wrong:
        path = FOLDER / name
        if name in wanted:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(wanted[name], encoding="utf-8")
        else:
            path.unlink()
        print(path.relative_to(FOLDER.parent.parent).as_posix())
    return 0


if __name__ == "__main__":
    sys.exit(main())
