"""
A row expects what its rubric, or its own `must_not_contain`, forbids.

Why: One of the two fails whatever the model says, and it looks like the model's fault. Only certain
contradictions are reported: a forbidden tool, more tools than allowed calls, a fact that contains
a forbidden text or is longer than the output may be, JSON where headings are required,
`must_contain_any` if each of its texts contains a forbidden one.

Bad:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup, delete_order]
        rubric_ref: rubric/tools@1.0.0
    # file: rubrics/tools.yaml
    id: tools
    version: "1.0.0"
    checks:
      - {id: calls, kind: tool_usage, forbidden_tools: [delete_order]}
    scoring: {combine: all_pass}

Good:
    # file: data.yaml
    questions:
      - id: order
        input: Where is my order?
        expected_tools: [order_lookup]
        rubric_ref: rubric/tools@1.0.0
    # file: rubrics/tools.yaml
    id: tools
    version: "1.0.0"
    checks:
      - {id: calls, kind: tool_usage, forbidden_tools: [delete_order]}
    scoring: {combine: all_pass}
"""

from collections.abc import Collection, Iterator
from typing import Any

from evalcontract.analysis.texts import Substrings, folded
from evalcontract.checks.conflicts import OWN_CONFLICTS, Conflict, Conflicts
from evalcontract.checks.plan import all_of
from evalcontract.rules._rule import (
    Code,
    Problem,
    Problems,
    Related,
    RowGroup,
    RowSubject,
    row_rule,
)

# So many forbidden texts are tried one by one.
_FEW_BANS = 16


def _silent(group: RowGroup) -> dict[str, Any] | bool:
    return all_of(_refused(_conflicts_of(group)))


def _suspects(row: dict[str, Any], group: RowGroup) -> bool:
    """Whether a text that the row expects contains a forbidden one that no schema finds."""
    # That is one that the row forbids, or one of the rubric's where letters beyond ASCII are
    # folded, or which are too many for a pattern.
    conflicts, forbidden = _conflicts_of(group), row.get("must_not_contain")
    if not forbidden and not conflicts.banned:
        return False
    left, alternatives = row.get("expected_facts", ()), row.get("must_contain_any", ())
    if not forbidden and _fit_pattern(conflicts):
        is_ascii = "".join(left).isascii()  # as those of most rows
        left = [] if is_ascii else [fact for fact in left if not fact.isascii()]
    if not left and not alternatives:
        return False
    if forbidden and len(forbidden) <= _FEW_BANS and not conflicts.banned:
        # Of most rows no text is suspected, and all of them at once are folded faster.
        every = folded("\n".join((*left, *alternatives)))
        if not any([folded(ban) in every for ban in forbidden]):  # noqa: C419 - faster
            return False
    own = Substrings(map(folded, forbidden or ()))

    def has_ban(text: str) -> bool:
        text = folded(text)
        return any(bans.first_in(text) is not None for bans in (own, conflicts.substrings))

    return any(map(has_ban, left)) or (bool(alternatives) and all(map(has_ban, alternatives)))


def _conflicts_of(group: RowGroup) -> Conflicts:
    return group.plan.conflicts if group.plan else OWN_CONFLICTS


@row_rule(Code("dataset/contradiction", page=__doc__), silent=_silent, suspects=_suspects)
def RULE(subject: RowSubject) -> Problems:
    conflicts = subject.plan.conflicts if subject.plan else OWN_CONFLICTS
    for conflict in conflicts.of(subject.row):
        path = (*subject.path, *conflict.path)
        related = (_other_side(conflict, subject),)
        yield Problem(RULE.code, conflict.message, path, conflict.advice, related=related)


def _other_side(conflict: Conflict, subject: RowSubject) -> Related:
    if conflict.is_own or subject.plan is None:
        return Related("forbidden here", (*subject.path, *conflict.other))
    return Related("the rubric's requirement", conflict.other, subject.plan.artifact.file)


def _refused(conflicts: Conflicts) -> Iterator[dict[str, Any]]:
    """Yield schemas that, together, reject at least every row with a conflict."""
    if conflicts.tools:
        names = sorted(conflicts.tools)
        with_name = {"required": ["name"], "properties": {"name": {"enum": names}}}
        refused = {"anyOf": [{"enum": names}, {"type": "object", **with_name}]}
        yield {"properties": {"expected_tools": {"items": {"not": refused}}}}
    if conflicts.max_calls is not None:
        yield {"properties": {"expected_tools": {"maxItems": conflicts.max_calls[0]}}}
    facts, alternatives = (key in conflicts.texts for key in ("expected_facts", "must_contain_any"))
    words = [text for text in conflicts.banned if not any(map(str.isspace, text))]
    has_pattern = _fit_pattern(conflicts)
    if facts and has_pattern and any(map(str.isascii, words)):
        yield {"properties": {"expected_facts": {"items": _without_any(words)}}}
    if alternatives and has_pattern and any(map(str.isascii, conflicts.banned)):
        item = _without_any(conflicts.banned)
        yield {"properties": {"must_contain_any": {"contains": item}}}
    if conflicts.max_chars is not None:
        limit = {"maxLength": conflicts.max_chars[0]}
        yield {"properties": {"expected_facts": {"items": limit}}}
    if conflicts.markdown is not None:
        no_json = {"properties": {"format": {"not": {"const": "json"}}}}
        yield {"properties": {"expected": no_json}}


# Texts longer than this in total are not made into a pattern.
_MAX_PATTERN_LENGTH = 5000


def _fit_pattern(conflicts: Conflicts) -> bool:
    return conflicts.substrings.size <= _MAX_PATTERN_LENGTH


def _without_any(texts: Collection[str]) -> dict[str, Any]:
    """Return a schema of texts that contain none of those that are ASCII."""
    # Of ASCII texts it is exact. A pattern cannot fold other letters: see `_suspects`.
    words = map(_ignoring_case, filter(str.isascii, sorted(texts)))
    return {"not": {"pattern": "|".join(words)}}


def _ignoring_case(word: str) -> str:
    """Return a pattern that matches a word whatever the case of its ASCII letters."""
    return "".join(
        f"[{char}{char.upper()}]"
        if "a" <= char <= "z"
        else f"\\{char}"
        if char in _SPECIAL
        else char
        for char in word
    )


_SPECIAL = frozenset(r"\^$.|?*+()[]{}/")
