"""The fields of a test of promptfoo and of a row of evalcontract that mean the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, default_id, with_bundle
from evalcontract.formats._findings import parsed_json
from evalcontract.formats.promptfoo.checks import said_of

if TYPE_CHECKING:
    from evalcontract.formats.promptfoo.from_checks import Asserted

#: The variable of a test that was made from a row.
INPUT = "input"
#: Names of variables that hold what is asked, the likeliest first.
_QUESTIONS = ("input", "question", "query", "prompt", "message", "user_input", "text", "topic", "q")


def plain_of(test: dict[str, Any]) -> dict[str, Any]:
    """Return a test with what a table preserves as values."""
    metadata = test.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(text := metadata.get(OURS), str):
        return test
    value = parsed_json(text)
    return {**test, "metadata": {**metadata, OURS: value}} if isinstance(value, dict) else test


def to_ours(test: dict[str, Any], id_: str, said: dict[str, Any] | None = None) -> dict[str, Any]:
    """Convert a test to evalcontract, without a residual.

    `said` are the keys that its assertions say, if they are known.
    """
    name = question_in(test)
    variables = variables_of(test)
    asked = variables.get(name) if name else None
    ours: dict[str, Any] = {"id": id_, "input": asked if isinstance(asked, str) else ""}
    ours |= said_of(test).keys if said is None else said
    if rest := {key: part for key, part in variables.items() if key != name}:
        ours["context"] = rest
    if isinstance(output := test.get("providerOutput"), str) and output:
        ours["recorded_output"] = output
    if isinstance(test.get("metadata"), dict) and test["metadata"]:
        ours["metadata"] = test["metadata"]
    return with_bundle(ours)


def variables_of(test: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of a test; none if they stand in a file."""
    given = test.get("vars")
    return given if isinstance(given, dict) else {}


def question_in(test: dict[str, Any]) -> str | None:
    """Return the name of the variable that holds what is asked; None if there is none."""
    texts = [name for name, value in variables_of(test).items() if isinstance(value, str)]
    likely = next((name for name in _QUESTIONS if name in texts), None)
    return likely or next(iter(texts), None)


def to_theirs(
    row: dict[str, Any], asserted: Asserted, index: int, name: str = INPUT
) -> dict[str, Any]:
    """Convert a row of evalcontract, and what it asserts, to a test, without a residual."""
    theirs: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        theirs["description"] = row.get("id")
    context = row.get("context")
    rest = context if isinstance(context, dict) and name not in context else {}
    theirs["vars"] = {name: row.get("input"), **rest}
    if asserted.assertions:
        theirs["assert"] = asserted.assertions
        if asserted.threshold is not None:
            theirs["threshold"] = asserted.threshold
    if isinstance(output := row.get("recorded_output"), str) and output:
        theirs["providerOutput"] = output
    if isinstance(row.get("metadata"), dict) and row["metadata"]:
        theirs["metadata"] = row["metadata"]
    return theirs
