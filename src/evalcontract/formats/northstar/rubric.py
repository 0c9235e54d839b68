"""Convert the checks of a rubric to the expectations of a case."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import Loss
from evalcontract.formats._expectations import reference_of
from evalcontract.formats.northstar.normalization import EXPECTED, normal
from evalcontract.formats.northstar.pydantic_coercion import CoercionError
from evalcontract.formats.northstar.rubric_synthesis import BOTH, PHRASES, TRUTH
from evalcontract.model.startup import NamedTuple

# With these every check must pass, like every grader of NorthStar.
_ALL = ("all_pass", "min")
# The keys by which a row without a rubric is graded.
_OF_ROW = ("expected_facts", "must_not_contain", "expected_tools")


class Carried(NamedTuple):
    """The expectations of a case that checks convert to, and what is lost.

    `said` are the keys of the row whose values are among the expectations.
    """

    expected: dict[str, Any]
    losses: list[Loss]
    said: set[str]

    def extend(self, key: str, values: Any) -> None:
        """Add values to a list of the expectations."""
        if values:
            self.expected[key] = [*self.expected.get(key, ()), *values]

    def add_tools(self, tools: Any) -> None:
        """Add tools that must be called."""
        for tool in tools:
            if isinstance(tool, dict) and "arguments" in tool:
                self.extend("tool_arguments", [tool])
            else:
                self.extend("required_tools", [tool["name"] if isinstance(tool, dict) else tool])


def from_rubric(rubric: dict[str, Any] | None, row: dict[str, Any]) -> Carried:
    """Convert the checks of a rubric, or of a row without one, to expectations of a case."""
    carried = Carried({}, [], set())
    if rubric is None:
        carried.said.update(key for key in _OF_ROW if row.get(key))
        carried.extend("contains", row.get("expected_facts"))
        carried.extend("not_contains", row.get("must_not_contain"))
        carried.add_tools(row.get("expected_tools", ()))
        return carried
    checks = rubric.get("checks")
    checks = [c for c in checks if isinstance(c, dict)] if isinstance(checks, list) else []
    scoring = rubric.get("scoring")
    combine = scoring.get("combine") if isinstance(scoring, dict) else None
    if combine not in _ALL and len(checks) > 1:
        reason = f"NorthStar requires every grader to pass, but this rubric has `{combine}`"
        carried.losses.append(Loss(("rubric_ref",), reason, is_kept=True))
        return carried
    for check in checks:
        if not _add_check(check, row, carried):
            name = check.get("id") or check.get("kind")
            reason = f"NorthStar has no grader for the check `{name}`"
            carried.losses.append(Loss(("rubric_ref",), reason, is_kept=True))
    return carried


def _add_check(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    """Convert a check, which may be invalid; return whether that was possible."""
    draft = Carried(dict(carried.expected), [], set())
    try:
        convert = _KINDS.get(check.get("kind", ""))
        if convert is None or not convert(check, row, draft):
            return False
        if any(normal(draft.expected, EXPECTED).get(key) is None for key in draft.expected):
            return False  # a blank text, or a value of another type
    except (AttributeError, KeyError, TypeError, CoercionError):
        return False
    carried.expected.update(draft.expected)
    carried.said.update(draft.said)
    return True


def _must_contain_any(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    del row
    if check.get("case_sensitive") or len(check["values"]) > 1:
        return False
    is_truth = "ground_truth" not in carried.expected and check.get("id")
    if is_truth in (TRUTH, BOTH):
        carried.expected["ground_truth"] = check["values"][0]
    if is_truth != TRUTH:
        carried.extend("contains", check["values"])
    return True


def _must_not_contain(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    if check.get("case_sensitive"):
        return False
    if "values" not in check:
        carried.said.add("must_not_contain")
    carried.extend("not_contains", check.get("values", row.get("must_not_contain")))
    return True


def _fact_match(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    if "judge_prompt_ref" in check or check.get("min_recall", 1) < 1:
        return False
    if "facts" in check:
        carried.extend("contains", check["facts"])
        return True
    facts = row.get("expected_facts") or []
    carried.said.add("expected_facts")
    truth = reference_of(row)
    if check.get("id") in (TRUTH, BOTH) and facts:
        carried.expected["ground_truth"] = facts[-1]
        facts = facts[:-1]
    elif check.get("id") == PHRASES and truth in facts:
        carried.expected["ground_truth"] = truth
    carried.extend("contains", facts)
    return True


def _tool_usage(check: dict[str, Any], row: dict[str, Any], carried: Carried) -> bool:
    match, order = check.get("match", "all"), check.get("order", "any")
    tools = check.get("expected_tools", row.get("expected_tools"))
    if "expected_tools" not in check:
        carried.said.add("expected_tools")
    carried.extend("forbidden_tools", check.get("forbidden_tools"))
    if "max_calls" in check:
        limit = carried.expected.get("max_tool_calls", check["max_calls"])
        carried.expected["max_tool_calls"] = min(limit, check["max_calls"])
    if tools is None or (not tools and match != "exact"):
        return True
    if (match, order) == ("all", "any"):
        carried.add_tools(tools)
        return True
    if (match, order) == ("exact", "sequence"):
        names = [tool["name"] if isinstance(tool, dict) else tool for tool in tools]
        calls = [tool for tool in tools if isinstance(tool, dict) and "arguments" in tool]
        if any(names.count(call["name"]) > 1 for call in calls):
            return False  # another call of the tool would do, too
        carried.extend("tool_arguments", calls)
        return bool(carried.expected.setdefault("tool_sequence", names) == names)
    return False


_KINDS = {
    "must_contain_any": _must_contain_any,
    "must_not_contain": _must_not_contain,
    "fact_match": _fact_match,
    "tool_usage": _tool_usage,
}
