"""The page of the tools whose files are recognised, but not converted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.workspace.recognition import TOOLS, Tool

if TYPE_CHECKING:
    from collections.abc import Iterator

_INTRODUCTION = """\
# Coming from other tools

`evalcontract check` recognises the files of these tools by their keys, and reports each once
([`dataset/other-tool`](rules/dataset/other-tool.md)) with the keys that correspond. They are not
converted: write the rows anew with these keys, and what graded them as a
[rubric](guides/write-a-rubric.md). A table of rows (CSV, JSON, JSONL or Parquet) can be the
beginning: `evalcontract init evals --from rows.csv`.
"""


def tool_pages() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of the page."""
    yield "coming-from-other-tools.md", "\n".join([_INTRODUCTION, *map(_section, TOOLS)])


def _section(tool: Tool) -> str:
    address, _, file = tool.source.partition(" ")
    known = f"[what is known of its format]({address}){f' {file}' if file else ''}"
    name = f"{tool.name[:1].upper()}{tool.name[1:]}" if tool.name.startswith("the ") else tool.name
    advice = f"{tool.advice[:1].upper()}{tool.advice[1:]}."
    parts = [f"## {name}\n", f"{advice}\n", f"Source: {known}.\n"]
    if tool.command:
        parts.insert(
            2, f"`{tool.command}` does it; see [Coming from ai_eval](coming-from-ai-eval.md).\n"
        )
    return "\n".join(parts)
