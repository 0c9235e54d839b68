"""The reference of the codes: a page for each, as Markdown, and an index for each kind.

    python docs/site/rule_pages.py FOLDER

writes them below a folder; `docs/site/build_site.py` makes them a part of the site.
"""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.codes import example_files
from evalcontract.workspace.catalogue import KnownCodes, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.codes import Code

_LANGUAGES = {".json": "json", ".jsonl": "json", ".csv": "text", ".tsv": "text", ".toml": "toml"}
_INTRODUCTION = """\
What evalcontract reports, and how severe each finding is in soft and in strict mode.
`evalcontract explain CODE` prints the same pages. A finding is certain, or it is a guess: then it
rests on what the author probably meant.
"""
_TABLE = f"| code | soft | strict | confidence | what |\n{'|---' * 5}|"


def rule_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each page."""
    codes = KnownCodes()
    kinds = {kind: [*group] for kind, group in groupby(codes.values(), key=kind_of)}
    yield "rules/index.md", _index(kinds)
    for kind, group in kinds.items():
        table = "\n".join(
            [_TABLE, *(_line(code, f"{code.partition('/')[2]}.md") for code in group)]
        )
        yield (
            f"rules/{kind}/index.md",
            f"# Codes of {kind}\n\n[All codes](../index.md)\n\n{table}\n",
        )
        for code in group:
            yield f"rules/{code}.md", _page(code)


def _index(kinds: dict[str, list[Code]]) -> str:
    parts = ["# Codes\n", _INTRODUCTION]
    for kind, group in kinds.items():
        parts += [f"## {kind}\n", _TABLE, *(_line(code, f"{code}.md") for code in group), ""]
    return "\n".join([*parts, _tree(f"{kind}/index" for kind in kinds)])


def _tree(names: Iterable[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", "", *names, "```", ""])


def _line(code: Code, target: str) -> str:
    soft, strict = code.severities
    shown = code.page.summary.replace("|", r"\|")
    return f"| [{code}]({target}) | {soft} | {strict} | {code.confidence} | {shown} |"


def _page(code: Code) -> str:
    page, (soft, strict) = code.page, code.severities
    kind = kind_of(code)
    # No entry in the sidebar, which every page has: it would be long, and slow to build.
    parts = [
        "---\norphan: true\n---\n",
        f"# {code}\n",
        f"[Codes](../index.md) / [{kind}](index.md)\n",
        f"{page.what}\n",
        f"Severity: {soft} (soft), {strict} (strict)  ",
        f"Confidence: {code.confidence}\n",
        f"## Why\n\n{page.why}\n",
        "## Bad\n",
        *_example(page.bad, code),
        "## Good\n",
        *_example(page.good, code),
    ]
    return "\n".join(parts)


def _example(text: str, code: str) -> Iterator[str]:
    """Yield each file of an example as a fenced block, its name above it."""
    for name, content in example_files(text, code).items():
        language = _LANGUAGES.get(Path(name).suffix, "yaml")
        if language == "json" and "NaN" in content:  # no JSON, as the page says
            language = "text"
        fence = "````" if "```" in content else "```"
        yield f"`{name}`\n\n{fence}{language}\n{content}{fence}\n"


def main() -> None:
    """Write the pages of codes below a folder."""
    folder = Path(sys.argv[1])
    for name, text in rule_pages():
        path = folder / name.removeprefix("rules/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
