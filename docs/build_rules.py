"""Write the reference of the codes: a page for each, and an index, as Markdown.

python docs/build_rules.py [FOLDER]

FOLDER is `build/docs/rules` by default, which git ignores; it is written anew.
"""

from __future__ import annotations

import shutil
import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.page import example_files
from evalcontract.workspace.known_codes import KnownCodes, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.code import Code

FOLDER = Path(__file__).parents[1] / "build" / "docs" / "rules"
_LANGUAGES = {".json": "json", ".jsonl": "json", ".csv": "csv"}
_INTRODUCTION = """\
What evalcontract reports, and how severe each finding is in soft and in strict mode.
`evalcontract explain CODE` prints the same pages. A finding is certain, or it is a guess: then it
rests on what the author probably meant.
"""


def build(folder: Path) -> list[str]:
    """Write all pages into a folder; return their names."""
    codes = KnownCodes()
    pages = {"README.md": _index(codes.values())}
    pages |= {f"{code}.md": _page(code) for code in codes.values()}
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return [*pages]


def _index(codes: Iterable[Code]) -> str:
    parts = ["# Codes\n", _INTRODUCTION]
    for kind, group in groupby(codes, key=kind_of):
        parts.append(f"## {kind}\n\n| code | soft | strict | confidence | what |\n{'|---' * 5}|")
        parts += map(_line, group)
        parts.append("")
    return "\n".join(parts)


def _line(code: Code) -> str:
    soft, strict = code.severities
    shown = code.page.summary.replace("|", r"\|")
    return f"| [{code}]({code}.md) | {soft} | {strict} | {code.confidence} | {shown} |"


def _page(code: Code) -> str:
    page, (soft, strict) = code.page, code.severities
    parts = [
        f"# {code}\n",
        f"{page.what}\n",
        f"Severity: {soft} (soft), {strict} (strict)  ",
        f"Confidence: {code.confidence}\n",
        f"## Why\n\n{page.why}\n",
        "## Bad\n",
        *_example(page.bad, code),
        "## Good\n",
        *_example(page.good, code),
        "[All codes](../README.md)\n",
    ]
    return "\n".join(parts)


def _example(text: str, code: str) -> Iterator[str]:
    """Yield each file of an example as a fenced block, its name above it."""
    for name, content in example_files(text, code).items():
        language = _LANGUAGES.get(Path(name).suffix, "yaml")
        fence = "````" if "```" in content else "```"
        yield f"`{name}`\n\n{fence}{language}\n{content}{fence}\n"


def main() -> None:
    """Write the pages, and say where they are."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    print(f"{len(build(folder))} pages in {folder}")


if __name__ == "__main__":
    main()
