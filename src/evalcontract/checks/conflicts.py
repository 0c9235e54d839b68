"""Find expectations of a row that its rubric makes impossible; only certain conflicts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.analysis.clashes import (
    ALTERNATIVES,
    forbidden_tools,
    markdown_key,
    min_calls,
    tool_names,
)
from evalcontract.analysis.clashing_texts import forbidden_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.model.path import Path
    from evalcontract.structure.valid_parts import Checks

# Only ASCII letters, so that the prefilter can express the same as a pattern.
_FOLD = {code: code + 32 for code in range(ord("A"), ord("Z") + 1)}
_NONE: Mapping[str, Path] = {}


class Conflict(NamedTuple):
    """An expectation that cannot be met: its path in the row, and the rubric's (`other`)."""

    path: Path
    message: str
    advice: str
    other: Path


class Conflicts(NamedTuple):
    """The limits that a rubric sets for the expectations that its checks read from a row.

    `tools` are forbidden tools, `max_calls` the limit on calls, `banned` the forbidden words in
    lower case, `max_chars` the limit on the length of the output. `markdown` is set if headings or
    code blocks are required, which rules out JSON. Each has its path in the rubric. With `any_tool`
    and `some_facts`, not all expected tools and facts are required.
    """

    tools: Mapping[str, Path] = _NONE
    max_calls: tuple[int, Path] | None = None
    any_tool: bool = False
    banned: Mapping[str, Path] = _NONE
    max_chars: tuple[int, Path] | None = None
    some_facts: bool = False
    markdown: Path | None = None

    def of(self, row: Mapping[str, Any]) -> Iterator[Conflict]:
        """Yield the expectations of a row that cannot be met."""
        yield from self._of_tools(tool_names(row.get("expected_tools") or ()))
        for index, fact in enumerate(row.get("expected_facts") or ()):
            conflict = self._of_fact(("expected_facts", index), fact)
            if conflict is not None:
                yield conflict
                break
        expected = row.get("expected") or {}
        if self.markdown is not None and expected.get("format") == "json":
            yield Conflict(
                ("expected", "format"),
                "this cannot be met: JSON has no headings and no fenced blocks, but the rubric "
                "requires some",
                "use a rubric without them, or do not expect JSON",
                self.markdown,
            )

    def _of_tools(self, names: list[str]) -> Iterator[Conflict]:
        shared = [index for index, name in enumerate(names) if name in self.tools]
        if shared:
            name = names[shared[0]]
            has_alternative = self.any_tool and len(shared) < len(names)
            yield Conflict(
                ("expected_tools", shared[0]),
                f"`{name}` can never match: the rubric forbids it"
                if has_alternative
                else f"this cannot be met: `{name}` is expected, but the rubric forbids it",
                "remove it from one of the two lists",
                self.tools[name],
            )
        least = min_calls(names, any_tool=self.any_tool)
        if self.max_calls is not None and self.max_calls[0] < least:
            yield Conflict(
                ("expected_tools",),
                f"this cannot be met: it takes {least} calls, but the rubric allows "
                f"{self.max_calls[0]}",
                "expect fewer tools, or use a rubric that allows more calls",
                self.max_calls[1],
            )

    def _of_fact(self, path: Path, fact: str) -> Conflict | None:
        folded = fact.translate(_FOLD)
        word = next((word for word in self.banned if word in folded), None)
        verdict = "it can never match" if self.some_facts else "this cannot be met"
        if word is not None:
            return Conflict(
                path,
                f"{verdict}: the fact contains `{word}`, but the rubric forbids it",
                "reword the fact, or remove the word from the rubric",
                self.banned[word],
            )
        if self.max_chars is None or len(" ".join(fact.split())) <= self.max_chars[0]:
            return None
        return Conflict(
            path,
            f"{verdict}: the fact is longer than the {self.max_chars[0]} characters that the "
            "rubric allows",
            "shorten it, or use a rubric that allows more",
            self.max_chars[1],
        )


def conflicts_of(checks: Checks, combine: str | None) -> Conflicts:
    """Collect the limits that the well-formed checks of a rubric set for a row's expectations.

    There are none if one passing check is enough, or if `combine` is unknown: then nothing is
    certain.
    """
    if combine is None or combine in ALTERNATIVES:
        return Conflicts()
    kinds = {kind: [check for _, check in checks if check["kind"] == kind] for kind in _READERS}
    tools, facts, formats = (
        [check for check in kinds[kind] if key not in check] for kind, key in _READERS.items()
    )
    # A judge may accept a paraphrase of a fact.
    facts = [check for check in facts if "judge_prompt_ref" not in check]
    return Conflicts(
        forbidden_tools(checks) if tools else {},
        _least(checks, "max_calls") if tools else None,
        all(check.get("match") == "any" for check in tools),
        _banned(checks) if facts else {},
        _least(checks, "max_chars") if facts else None,
        all(check.get("min_recall", 1) < 1 for check in facts),
        _markdown(checks) if formats else None,
    )


#: The kinds that read an expectation of the row, unless the check has this key.
_READERS = {"tool_usage": "expected_tools", "fact_match": "facts", "format": "format"}


def _least(checks: Checks, key: str) -> tuple[int, Path] | None:
    limits = [(check[key], (*path, key)) for path, check in checks if key in check]
    return min(limits, key=lambda limit: limit[0], default=None)


def _banned(checks: Checks) -> dict[str, Path]:
    """Return the words that no output may contain, in lower case.

    Words with a space are left out: unlike them, a fact also matches across a line break. So are
    case-sensitive words: a fact matches whatever its case.
    """
    banned: dict[str, Path] = {}
    for texts in filter(None, map(forbidden_texts, checks)):
        for index, text in enumerate(texts.values):
            any_case = not texts.sensitive or text.lower() == text.upper()
            if any_case and not any(char.isspace() for char in text):
                banned.setdefault(text.translate(_FOLD), (*texts.path, index))
    return banned


def _markdown(checks: Checks) -> Path | None:
    return next(((*path, key) for path, check in checks if (key := markdown_key(check))), None)
