"""What a rubric's checks make impossible of what a row expects; only what is certain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.analysis.clashes import (
    ALTERNATIVES,
    forbidden_tools,
    least_calls,
    names_of,
    of_markdown,
)
from evalcontract.analysis.clashing_texts import forbidden_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.model.path import Path
    from evalcontract.structure.valid_parts import Checks

# Letters of ASCII alone, so that the gate can say the same as a pattern.
_FOLD = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_NONE: Mapping[str, Path] = {}


class Conflict(NamedTuple):
    """An expectation that cannot be met: where in the row, and what in the rubric forbids it."""

    path: Path
    message: str
    advice: str
    other: Path


class Conflicts(NamedTuple):
    """What the checks of a rubric forbid, of the expectations that they read of a row.

    `tools` that may not be called, and `max_calls` in all; words `banned` from the output, without
    case, and `max_chars` of it; `markdown` where it has to have headings or blocks, so that it is
    no JSON. Each with its place in the rubric. `any_tool` and `some_facts` tell that not every one
    that is expected is needed.
    """

    tools: Mapping[str, Path] = _NONE
    max_calls: tuple[int, Path] | None = None
    any_tool: bool = False
    banned: Mapping[str, Path] = _NONE
    max_chars: tuple[int, Path] | None = None
    some_facts: bool = False
    markdown: Path | None = None

    def of(self, row: Mapping[str, Any]) -> Iterator[Conflict]:
        """Yield what a row expects in vain."""
        yield from self._of_tools(names_of(row.get("expected_tools") or ()))
        for index, fact in enumerate(row.get("expected_facts") or ()):
            conflict = self._of_fact(("expected_facts", index), fact)
            if conflict is not None:
                yield conflict
                break
        expected = row.get("expected") or {}
        if self.markdown is not None and expected.get("format") == "json":
            yield Conflict(
                ("expected", "format"),
                "this cannot be met: JSON has no headings and no fenced blocks, and the rubric "
                "asks for some",
                "refer to a rubric without them, or do not expect JSON",
                self.markdown,
            )

    def _of_tools(self, names: list[str]) -> Iterator[Conflict]:
        shared = [index for index, name in enumerate(names) if name in self.tools]
        if shared:
            name = names[shared[0]]
            some = self.any_tool and len(shared) < len(names)
            yield Conflict(
                ("expected_tools", shared[0]),
                f"`{name}` can never match: the rubric forbids it"
                if some
                else f"this cannot be met: `{name}` is expected, and the rubric forbids it",
                "take it out of one of the two lists",
                self.tools[name],
            )
        least = least_calls(names, any_tool=self.any_tool)
        if self.max_calls is not None and self.max_calls[0] < least:
            yield Conflict(
                ("expected_tools",),
                f"this cannot be met: it takes {least} calls, and the rubric allows "
                f"{self.max_calls[0]}",
                "expect fewer tools, or refer to a rubric that allows more calls",
                self.max_calls[1],
            )

    def _of_fact(self, path: Path, fact: str) -> Conflict | None:
        folded = fact.translate(_FOLD)
        word = next((word for word in self.banned if word in folded), None)
        verdict = "it can never match" if self.some_facts else "this cannot be met"
        if word is not None:
            return Conflict(
                path,
                f"{verdict}: the fact holds `{word}`, and the rubric forbids it",
                "say the fact without it, or take it out of the rubric",
                self.banned[word],
            )
        if self.max_chars is None or len(" ".join(fact.split())) <= self.max_chars[0]:
            return None
        return Conflict(
            path,
            f"{verdict}: the fact is longer than the {self.max_chars[0]} characters that the "
            "rubric allows",
            "say it in fewer words, or refer to a rubric that allows more",
            self.max_chars[1],
        )


def conflicts_of(checks: Checks, combine: str | None) -> Conflicts:
    """Work out what the well-formed checks of a rubric forbid of what they read.

    Where one passing check is enough, checks may exclude each other; nothing is certain then, nor
    where it is not known how they are combined.
    """
    if combine is None or combine in ALTERNATIVES:
        return Conflicts()
    kinds = {kind: [each for _, each in checks if each["kind"] == kind] for kind in _READERS}
    tools, facts, formats = (
        [each for each in kinds[kind] if key not in each] for kind, key in _READERS.items()
    )
    # A judge may find a fact in other words.
    facts = [each for each in facts if "judge_prompt_ref" not in each]
    return Conflicts(
        forbidden_tools(checks) if tools else {},
        _least(checks, "max_calls") if tools else None,
        all(each.get("match") == "any" for each in tools),
        _banned(checks) if facts else {},
        _least(checks, "max_chars") if facts else None,
        all(each.get("min_recall", 1) < 1 for each in facts),
        _markdown(checks) if formats else None,
    )


#: The kinds that read what a row expects, where they have not this key of their own.
_READERS = {"tool_usage": "expected_tools", "fact_match": "facts", "format": "format"}


def _least(checks: Checks, key: str) -> tuple[int, Path] | None:
    limits = [(check[key], (*path, key)) for path, check in checks if key in check]
    return min(limits, key=lambda each: each[0], default=None)


def _banned(checks: Checks) -> dict[str, Path]:
    """Return the words that no output may hold, without case.

    Words with a space are left out: a fact is found across a line break too, where they are not.
    So are those whose case matters: a fact is found whatever its case.
    """
    found: dict[str, Path] = {}
    for texts in filter(None, map(forbidden_in, checks)):
        for index, text in enumerate(texts.values):
            any_case = not texts.sensitive or text.lower() == text.upper()
            if any_case and not any(each.isspace() for each in text):
                found.setdefault(text.translate(_FOLD), (*texts.path, index))
    return found


def _markdown(checks: Checks) -> Path | None:
    return next(((*path, key) for path, check in checks if (key := of_markdown(check))), None)
