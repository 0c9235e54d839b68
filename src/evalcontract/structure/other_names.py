"""The names that other tools have for a key that a loader does not read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcontract.structure.fits import Fits
    from evalcontract.structure.subschemas import Schema

#: Names of the same thing in datasets of different tools.
_GROUPS = (
    ("input", "inputs", "question", "query", "prompt", "request", "user_input", "instruction"),
    (
        *("expected_output", "expected_response", "expected_answer", "target", "ideal", "expected"),
        *("ground_truth", "groundtruth", "reference", "reference_answer", "reference_output"),
        *("answer", "correct_answer", "gold", "gold_answer", "label"),
    ),
    ("actual_output", "output", "outputs", "response", "completion", "prediction"),
    ("expectations", "expected"),
    ("retrieval_context", "retrieved_context", "retrieved_contexts", "retrieved_documents"),
    ("expected_tools", "expected_tool_calls", "reference_tool_calls"),
    ("tools_called", "tool_calls", "actual_tools"),
    ("assert", "asserts", "assertions", "expectations", "checks"),
    ("vars", "variables"),
    ("value", "expected"),
    ("choices", "options"),
    ("additional_metadata", "metadata", "meta"),
)

#: The names of other tools, in snake case, for the keys of a recorded output; the first one counts.
NAMES_OF_OUTPUTS = {
    "output": (
        *("actual_output", "outputs", "response", "completion", "prediction", "answer", "text"),
        *("content", "output_text", "generated_text", "generation", "model_output", "llm_output"),
        *("actual_response", "actual_answer", "model_response", "reply", "message", "result"),
    ),
    "tool_calls": (
        *("tools_called", "actual_tools", "actual_tool_calls", "function_calls", "function_call"),
        *("tool_uses", "tool_use", "tool_call", "called_tools", "trajectory"),
    ),
}


def other_name(
    key: str, mapping: dict[str, Any], known: dict[str, Schema], fits: Fits
) -> str | None:
    """Return the key of a loader for what another tool calls `key`; None if there is none.

    The mapping must not have it, and the value must have its shape.
    """
    for names in _GROUPS:
        if key in names:
            meant = [name for name in names if name in known and name not in mapping]
            if len(meant) == 1 and fits.same_shape(mapping[key], known[meant[0]]):
                return meant[0]
    return None
