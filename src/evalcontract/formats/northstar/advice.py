"""What to write instead of what NorthStar refuses: in JSON, and where it belongs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.formats.northstar.lax import OF_EXPECTED, OF_METRICS, OF_TRACE

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path

# What authors put at the top of a case, by the mapping that it belongs into.
_BELOW = {
    **dict.fromkeys(OF_METRICS, "metrics"),
    **dict.fromkeys(OF_TRACE, "expected.trace"),
    **dict.fromkeys(("allowed_state_transitions", "relevant_retrieval_ids"), "expected.trace"),
    **dict.fromkeys(OF_EXPECTED, "expected"),
    **dict.fromkeys(
        ("goal", "rubric", "ground_truth", "context", "contains", "not_contains"), "expected"
    ),
    **dict.fromkeys(
        ("required_tools", "forbidden_tools", "tool_sequence", "tool_arguments"), "expected"
    ),
}
# What to write for a list or a mapping, by its key; without one, for a whole case.
_SAMPLES = {
    "": '{"id": "weather", "messages": []}',
    "messages": '[{"role": "user", "content": "…"}]',
    "expected": '{"contains": ["…"]}',
    "metrics": '{"latency_ms": 320.5}',
    "metadata": '{"owner": "…"}',
    "trace": '{"run_id": "…"}',
    "expected.trace": '{"max_repeated_tool_calls": 2}',
    **dict.fromkeys(("context", "contains", "not_contains"), '["…"]'),
    **dict.fromkeys(("required_tools", "forbidden_tools", "tool_sequence"), '["weather"]'),
    "tool_arguments": '[{"name": "weather", "arguments": {}}]',
    "arguments": "{}",
    "allowed_state_transitions": '[{"from_state": "…", "to_state": "…"}]',
    "relevant_retrieval_ids": '["…"]',
}


def advised(problem: Problem, path: Path) -> Problem:
    """Say in JSON what to write, and where a key belongs that stands in the wrong mapping."""
    where = problem.path[len(path) :]
    if problem.code == "northstar/unknown-key":
        home = _BELOW.get(str(where[-1]))
        if home is not None and home != ".".join(map(str, where[:-1])):
            return problem._replace(help=f"it belongs below `{home}`")
    elif problem.code == "northstar/wrong-type" and "write" in (problem.help or ""):
        keys = [each for each in where if isinstance(each, str)]
        sample = _SAMPLES.get(".".join(keys)) or _SAMPLES.get(keys[-1])
        if sample is not None:
            is_item = bool(keys) and isinstance(where[-1], int)
            return problem._replace(help=f"write {sample[1:-1] if is_item else sample}")
    return problem
