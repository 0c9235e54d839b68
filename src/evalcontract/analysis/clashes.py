"""Demands of a rubric that no output can meet together; only what is certain is told."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.clashing_texts import Clash, always_one, name_of, texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.model.path import Path


def find_clashes(checks: Sequence[tuple[Path, dict[str, Any]]], combine: str) -> Iterator[Clash]:
    """Yield what contradicts within the checks of a rubric, each mistake once.

    Where one passing check is enough (`any_pass`, `max`), checks may exclude each other: they
    are alternatives. There a pair is at fault of which one always passes.
    """
    for path, check in checks:
        yield from _within(path, check)
    for one, other in permutations(checks, 2):
        if combine in ("any_pass", "max"):
            yield from always_one(one, other)
        else:
            yield from texts(one, other)
            yield from _tools(one, other)
            yield from _lengths(one, other)
            yield from _formats(one, other)
    for one, other in combinations(checks, 2):
        yield from _opposites(one, other, combine)


def _names(check: dict[str, Any]) -> list[str]:
    expected = check.get("expected_tools", [])
    return [each["name"] if isinstance(each, dict) else each for each in expected]


def _within(path: Path, check: dict[str, Any]) -> Iterator[Clash]:
    """Yield what contradicts inside of one check."""
    if check["kind"] == "tool_usage":
        yield from _tools((path, check), (path, check))
    elif check["kind"] == "markdown_structure" and check.get("no_h1"):
        wanted = next((key for key in ("min_headings", "required_sections") if check.get(key)), "")
        if check.get("max_heading_level") == 1 and wanted:
            yield Clash(
                (*path, "no_h1"),
                "no output can pass: the only level that `max_heading_level` allows is forbidden",
                "raise `max_heading_level`, or take `no_h1` out",
                (*path, wanted),
                "there have to be headings",
            )


def _tools(one: tuple[Path, dict[str, Any]], other: tuple[Path, dict[str, Any]]) -> Iterator[Clash]:
    (path, check), (place, limits) = one, other
    if check["kind"] != "tool_usage" or limits["kind"] != "tool_usage":
        return
    names, any_tool = _names(check), check.get("match") == "any"
    forbidden = limits.get("forbidden_tools", [])
    shared = [index for index, name in enumerate(names) if name in forbidden]
    if shared:
        name = names[shared[0]]
        some = any_tool and len(shared) < len(names)
        yield Clash(
            (*path, "expected_tools", shared[0]),
            f"`{name}` can never count: it is forbidden"
            if some
            else f"no output can pass: `{name}` is expected, and forbidden",
            "take it out of one of the two lists",
            (*place, "forbidden_tools", forbidden.index(name)),
            "forbidden here",
        )
    least = min(1, len(names)) if any_tool else len(set(names))
    if "max_calls" in limits and limits["max_calls"] < least:
        yield Clash(
            (*place, "max_calls"),
            f"no output can pass: the calls are limited to {limits['max_calls']}, "
            f"and the expected tools take {least}",
            f"allow {least} or more",
            (*path, "expected_tools"),
            "expected here",
        )


# Length and format


def _lengths(
    one: tuple[Path, dict[str, Any]], other: tuple[Path, dict[str, Any]]
) -> Iterator[Clash]:
    (path, check), (place, limits) = one, other
    if check["kind"] != "must_contain_any" or "max_chars" not in limits:
        return
    least = min(map(len, check["values"]))
    if least > limits["max_chars"]:
        yield Clash(
            (*place, "max_chars"),
            f"no output can pass both: {name_of(path, check)} asks for {least} characters or more",
            f"allow {least} characters or more",
            (*path, "values"),
            "asked for here",
        )


def _formats(
    one: tuple[Path, dict[str, Any]], other: tuple[Path, dict[str, Any]]
) -> Iterator[Clash]:
    """Yield a check of JSON beside one of Markdown.

    A line of a JSON document begins with a bracket, a quote, a digit, a minus before a digit, a
    comma, a colon or a letter of true, false and null. So none begins or underlines a heading,
    and none opens a fenced block.
    """
    (path, check), (place, limits) = one, other
    wanted = _of_markdown(check)
    key = _of_json(limits)
    if wanted is None or key is None:
        return
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


def _of_markdown(check: dict[str, Any]) -> str | None:
    match check:
        case {"kind": "markdown_structure"}:
            keys = ("min_headings", "required_sections", "min_code_blocks")
            return next((key for key in keys if check.get(key)), None)
        case {"kind": "php_lint", "on_no_code": "fail"}:
            return "on_no_code"
        case {"kind": "json_schema", "extract": "first_fence"}:
            return "extract"
    return None


def _opposites(
    one: tuple[Path, dict[str, Any]], other: tuple[Path, dict[str, Any]], combine: str
) -> Iterator[Clash]:
    """Yield a pattern that must match in one check, and must not in another."""
    (path, check), (place, limits) = other, one
    if check["kind"] != "regex" or limits["kind"] != "regex":
        return
    same = all(
        key(check) == key(limits)
        for key in (
            lambda each: each["pattern"],
            lambda each: set(each.get("flags", ())),
            lambda each: each.get("match", "search"),
        )
    )
    if same and check.get("negate", False) != limits.get("negate", False):
        enough = combine in ("any_pass", "max")
        yield Clash(
            (*path, "pattern"),
            f"every output passes this check or {name_of(place, limits)}, and one is enough"
            if enough
            else f"no output can pass both: {name_of(place, limits)} asks for the opposite",
            "take one of the two checks out",
            (*place, "pattern"),
            "the same pattern here",
        )
