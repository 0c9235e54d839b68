"""Demands of a rubric that no output can meet together; only what is certain is told.

Every comparison goes by an index, so that the work grows with the checks and not with their pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.analysis.clashing_texts import Clash, always_one, clashing_texts, name_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.analysis.clashing_texts import Placed
    from evalcontract.model.path import Path

#: With these one passing check is enough.
ALTERNATIVES = ("any_pass", "max")


def find_clashes(checks: Sequence[Placed], combine: str) -> Iterator[Clash]:
    """Yield what contradicts within the checks of a rubric, each mistake once.

    Where one passing check is enough (`any_pass`, `max`), checks may exclude each other: they
    are alternatives. There a pair is at fault of which one always passes.
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
    wanted = next((key for key in ("min_headings", "required_sections") if check.get(key)), "")
    if check.get("max_heading_level") == 1 and wanted:
        yield Clash(
            (*path, "no_h1"),
            "no output can pass: the only level that `max_heading_level` allows is forbidden",
            "raise `max_heading_level`, or take `no_h1` out",
            (*path, wanted),
            "there have to be headings",
        )


# Tools


def names_of(expected: Sequence[Any]) -> list[str]:
    """Return the names in a list of tools, which may have arguments."""
    return [each["name"] if isinstance(each, dict) else each for each in expected]


def least_calls(names: Sequence[str], *, any_tool: bool) -> int:
    """Return how many calls it takes at the least to call what is expected."""
    return min(1, len(names)) if any_tool else len(set(names))


def forbidden_tools(checks: Sequence[Placed]) -> dict[str, Path]:
    """Return the tools that checks forbid, each with where it is first forbidden."""
    found: dict[str, Path] = {}
    for path, check in checks:
        for index, name in enumerate(check.get("forbidden_tools", ())):
            found.setdefault(name, (*path, "forbidden_tools", index))
    return found


def _tools(checks: Sequence[Placed]) -> Iterator[Clash]:
    forbidden = forbidden_tools(checks)
    most: tuple[int, Path] = (0, ())
    for path, check in checks:
        names, any_tool = names_of(check.get("expected_tools", ())), check.get("match") == "any"
        most = max(most, (least_calls(names, any_tool=any_tool), path), key=lambda each: each[0])
        shared = [index for index, name in enumerate(names) if name in forbidden]
        if shared:
            name = names[shared[0]]
            some = any_tool and len(shared) < len(names)
            yield Clash(
                (*path, "expected_tools", shared[0]),
                f"`{name}` can never match: it is forbidden"
                if some
                else f"no output can pass: `{name}` is expected, and forbidden",
                "take it out of one of the two lists",
                forbidden[name],
                "forbidden here",
            )
    least, expecting = most
    for path, check in checks:
        if "max_calls" in check and check["max_calls"] < least:
            yield Clash(
                (*path, "max_calls"),
                f"no output can pass: the calls are limited to {check['max_calls']}, "
                f"and the expected tools take {least}",
                f"allow {least} or more",
                (*expecting, "expected_tools"),
                "expected here",
            )


# Length and format


def _lengths(checks: Sequence[Placed]) -> Iterator[Clash]:
    asking = [placed for placed in checks if placed[1]["kind"] == "must_contain_any"]
    if not asking:
        return
    path, check = max(asking, key=_shortest)
    least = _shortest((path, check))
    for place, limits in checks:
        if least > limits.get("max_chars", least):
            wanted = f"{name_of(path, check)} asks for {least} characters or more"
            yield Clash(
                (*place, "max_chars"),
                f"no output can pass both: {wanted}",
                f"allow {least} characters or more",
                (*path, "values"),
                "asked for here",
            )


def _shortest(placed: Placed) -> int:
    return min(map(len, placed[1]["values"]))


def _formats(checks: Sequence[Placed]) -> Iterator[Clash]:
    """Yield a check of JSON beside one of Markdown.

    A line of a JSON document begins with a bracket, a quote, a digit, a minus before a digit, a
    comma, a colon or a letter of true, false and null. So none begins or underlines a heading,
    and none opens a fenced block.
    """
    json = next(((*placed, key) for placed in checks if (key := _of_json(placed[1]))), None)
    if json is None:
        return
    place, limits, key = json
    for path, check in checks:
        wanted = of_markdown(check)
        if wanted is not None:
            yield Clash(
                (*path, wanted),
                f"no output can pass both: for {name_of(place, limits)} the whole output is JSON, "
                "which has no headings and no fenced blocks",
                "take one of the two checks out",
                (*place, key),
                "the whole output is JSON",
            )


def _of_json(check: dict[str, Any]) -> str | None:
    if check["kind"] == "format" and check.get("format") == "json":
        return "format"
    whole = check["kind"] == "json_schema" and check.get("extract", "whole") == "whole"
    return "kind" if whole else None


def of_markdown(check: dict[str, Any]) -> str | None:
    """Return the key by which a check asks for headings or fenced blocks; None where none does."""
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
    """Yield a pattern that must match in one check, and must not in another."""
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
                else f"no output can pass both: {name_of(place, limits)} asks for the opposite",
                "take one of the two checks out",
                (*place, "pattern"),
                "the same pattern here",
            )
