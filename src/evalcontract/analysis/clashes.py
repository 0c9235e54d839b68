"""Find checks of a rubric that contradict each other; only certain contradictions are reported.

Checks are compared through an index, so the work grows with the number of checks, not of pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.analysis.clashing_texts import Clash, always_one, clashing_texts, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.analysis.clashing_texts import Placed
    from evalcontract.model.path import Path

#: The ways to combine for which one passing check is enough.
ALTERNATIVES = ("any_pass", "max")


def find_clashes(checks: Sequence[Placed], combine: str) -> Iterator[Clash]:
    """Yield the contradictions among the checks of a rubric, each once.

    If one passing check is enough (`any_pass`, `max`), the checks are alternatives and may exclude
    each other. In that case, pairs of which one always passes are reported instead.
    """
    for path, check in checks:
        yield from _heading_levels(path, check)
    yield from _opposites(checks, combine)
    if combine in ALTERNATIVES:
        for placed in checks:
            yield from _tools([placed])
        yield from always_one(checks)
    else:
        yield from _tools(checks)
        yield from clashing_texts(checks)
        yield from _lengths(checks)
        yield from _formats(checks)


def _heading_levels(path: Path, check: dict[str, Any]) -> Iterator[Clash]:
    if check["kind"] != "markdown_structure" or not check.get("no_h1"):
        return
    key = next((key for key in ("min_headings", "required_sections") if check.get(key)), "")
    if check.get("max_heading_level") == 1 and key:
        yield Clash(
            (*path, "no_h1"),
            "no output can pass: the only level that `max_heading_level` allows is forbidden",
            "raise `max_heading_level`, or remove `no_h1`",
            (*path, key),
            "headings are required here",
        )


# Tools


def tool_names(expected: Sequence[Any]) -> list[str]:
    """Return the names of the expected tools, each a name or a dict with name and arguments."""
    return [tool["name"] if isinstance(tool, dict) else tool for tool in expected]


def min_calls(names: Sequence[str], *, any_tool: bool) -> int:
    """Return the minimum number of calls needed to call the expected tools."""
    return min(1, len(names)) if any_tool else len(set(names))


def forbidden_tools(checks: Sequence[Placed]) -> dict[str, Path]:
    """Return the tools that the checks forbid, each with the path of its first occurrence."""
    forbidden: dict[str, Path] = {}
    for path, check in checks:
        for index, name in enumerate(check.get("forbidden_tools", ())):
            forbidden.setdefault(name, (*path, "forbidden_tools", index))
    return forbidden


def _tools(checks: Sequence[Placed]) -> Iterator[Clash]:
    forbidden = forbidden_tools(checks)
    most: tuple[int, Path] = (0, ())
    for path, check in checks:
        names, any_tool = tool_names(check.get("expected_tools", ())), check.get("match") == "any"
        most = max(most, (min_calls(names, any_tool=any_tool), path), key=lambda calls: calls[0])
        shared = [index for index, name in enumerate(names) if name in forbidden]
        if shared:
            name = names[shared[0]]
            has_alternative = any_tool and len(shared) < len(names)
            yield Clash(
                (*path, "expected_tools", shared[0]),
                f"`{name}` can never match: it is forbidden"
                if has_alternative
                else f"no output can pass: `{name}` is both expected and forbidden",
                "remove it from one of the two lists",
                forbidden[name],
                "forbidden here",
            )
    least, expecting = most
    for path, check in checks:
        if "max_calls" in check and check["max_calls"] < least:
            yield Clash(
                (*path, "max_calls"),
                f"no output can pass: the limit on calls is {check['max_calls']}, "
                f"but the expected tools need {least}",
                f"allow at least {least}",
                (*expecting, "expected_tools"),
                "expected here",
            )


# Length and format


def _lengths(checks: Sequence[Placed]) -> Iterator[Clash]:
    requiring = [
        (path, check)
        for path, check in checks
        if check["kind"] == "must_contain_any" and "values" in check
    ]
    if not requiring:
        return
    path, check = max(requiring, key=_shortest)
    least = _shortest((path, check))
    for place, limits in checks:
        if least > limits.get("max_chars", least):
            yield Clash(
                (*place, "max_chars"),
                f"no output can pass both: {name_of(path, check)} requires at least {least} "
                "characters",
                f"allow at least {least} characters",
                (*path, "values"),
                "required here",
            )


def _shortest(placed: Placed) -> int:
    return min(map(len, placed[1]["values"]))


def _formats(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield checks that require Markdown if another one requires JSON.

    A line of a JSON document starts with a bracket, a quote, a digit, a minus before a digit, a
    comma, a colon or a letter of true, false and null. So no line is a heading or its underline or
    opens a fenced block.
    """
    json = next(((*placed, key) for placed in checks if (key := _of_json(placed[1]))), None)
    if json is None:
        return
    place, limits, key = json
    for path, check in checks:
        markdown = markdown_key(check)
        if markdown is not None:
            yield Clash(
                (*path, markdown),
                f"no output can pass both: {name_of(place, limits)} requires the whole output to "
                "be JSON, which has no headings and no fenced blocks",
                "remove one of the two checks",
                (*place, key),
                "requires JSON",
            )


def _of_json(check: dict[str, Any]) -> str | None:
    if check["kind"] == "format" and check.get("format") == "json":
        return "format"
    whole = check["kind"] == "json_schema" and check.get("extract", "whole") == "whole"
    return "kind" if whole else None


def markdown_key(check: dict[str, Any]) -> str | None:
    """Return the key by which a check requires headings or fenced blocks, or None."""
    match check:
        case {"kind": "markdown_structure"}:
            keys = ("min_headings", "required_sections", "min_code_blocks")
            return next((key for key in keys if check.get(key)), None)
        case {"kind": "php_lint", "on_no_code": "fail"}:
            return "on_no_code"
        case {"kind": "json_schema", "extract": "first_fence"}:
            return "extract"
    return None


def _opposites(checks: Sequence[Placed], combine: str) -> Iterator[Clash]:
    """Yield patterns that must match in one check and must not match in another."""
    first: dict[tuple[Any, ...], Placed] = {}
    for path, check in checks:
        if check["kind"] != "regex":
            continue
        same = (check["pattern"], frozenset(check.get("flags", ())), check.get("match", "search"))
        negate = check.get("negate", False)
        first.setdefault((*same, negate), (path, check))
        if (*same, not negate) in first:
            place, limits = first[*same, not negate]
            yield Clash(
                (*path, "pattern"),
                f"every output passes this check or {name_of(place, limits)}, and one is enough"
                if combine in ALTERNATIVES
                else f"no output can pass both: {name_of(place, limits)} requires the opposite",
                "remove one of the two checks",
                (*place, "pattern"),
                "the same pattern",
            )
