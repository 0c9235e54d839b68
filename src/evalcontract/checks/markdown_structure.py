"""`markdown_structure`: vacuous if none of its rules restricts the output."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from evalcontract.analysis.texts import Markdown, composed, folded
from evalcontract.checks._kind import Check, CheckKind, EvalContext, Needs, Row, State, never_runs
from evalcontract.checks._texts import quoted_list
from evalcontract.checks.outcome import PASSED, Executor, Verdict, error, failed, of_text
from evalcontract.structure.schemas import with_defaults

#: The value of each rule that restricts nothing.
IDLE = {
    "min_headings": 0,
    "max_heading_level": 6,
    "required_sections": [],
    "forbidden_patterns": [],
    "min_code_blocks": 0,
    "min_paragraphs": 0,
    "no_h1": False,
}


def _needs(check: Check, context: EvalContext) -> Needs:
    if all(check[key] == idle for key, idle in IDLE.items() if key in check):
        return never_runs(State.VACUOUS, "its rules allow every output")
    return Needs()


def _prepare(check: Check, context: EvalContext) -> Executor:
    from evalcontract.analysis.texts import TooLongError, read_markdown  # slow to import

    filled = with_defaults(check)

    def judge(row: Row, text: str) -> Verdict:
        try:
            structure = read_markdown(text)
        except TooLongError as raised:
            return error(str(raised))
        faults = [*_faults(filled, structure, text), *_forbidden(filled, text)]
        return failed("; ".join(faults)) if faults else PASSED

    return of_text(judge)


def _faults(check: Check, structure: Markdown, text: str) -> Iterator[str]:
    levels = [heading.level for heading in structure.headings]
    counts = (
        ("min_headings", len(levels), "heading"),
        ("min_code_blocks", len(structure.fences), "fenced code block"),
        ("min_paragraphs", structure.paragraphs, "paragraph"),
    )
    for key, count, noun in counts:
        least = check.get(key, 0)
        if count < least:
            yield f"it has {count:,} {noun}{'' if count == 1 else 's'}, not {least:,} or more"
    deepest = check.get("max_heading_level", 6)
    if max(levels, default=1) > deepest:
        yield f"it has a heading of level {max(levels)}, below level {deepest}"
    if check["no_h1"] and 1 in levels:
        yield "it has a heading of level 1"
    sections = check.get("required_sections", ())
    missing = [name for name in sections if not _has_title(folded(name), text)]
    if missing:
        yield f"no heading contains {quoted_list(missing)}"


def _has_title(part: str, text: str) -> bool:
    return "\n" not in part and part in _titles(text)


@lru_cache(maxsize=1)  # several checks in turn read the same output
def _titles(text: str) -> str:
    """Return the headings of an output, as they are compared, one in a line."""
    from evalcontract.analysis.texts import read_markdown  # slow to import

    return "".join(f"{folded(heading.text)}\n" for heading in read_markdown(text).headings)


def _forbidden(check: Check, text: str) -> Iterator[str]:
    searched = composed(text)
    patterns = check.get("forbidden_patterns", ())
    present = [pattern for pattern in patterns if composed(pattern) in searched]
    if present:
        yield f"it contains {quoted_list(present)}"


KIND = CheckKind("markdown_structure", needs=_needs, prepare=_prepare)
