"""Render the prompt of a judge."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.template import scan
from evalcontract.api.loaded import LoadedRow
from evalcontract.judging.prompt import render_template
from evalcontract.model.diagnostic import Problem
from evalcontract.model.errors import UsageError
from evalcontract.source.rows import NotPlainError, plain

if TYPE_CHECKING:
    from evalcontract.api.grading import LoadedJudge

#: The keys of a row that templates may use.
FROM_ROW = ("input", "criteria", "expected", "context")


def render(judge: LoadedJudge, row: LoadedRow[Any] | Mapping[str, Any], output: str) -> str:
    """Return the prompt of a judge for the output of a model on a row.

    The variables are `output` and the row's `input`, `criteria`, `expected` and `context`, with
    dotted names below them (`expected.facts.0` is the first item of a list). Nothing is escaped.
    A string is inserted as it is, any other value as one line of JSON, and nothing for a missing
    name or null. A section is left out if its value is missing, null, false or empty (`""`, `[]`,
    `{}`); the number 0 is a value. A section over a list is repeated for each item, `{{ . }}`.

    `row` may be a mapping, for a row with other values than those of the file.

    Raises:
        ContractViolation: the template has a fault, such as an unknown variable.
        UsageError: the row is not a mapping, `output` is not a string, or the prompt exceeds
            10,000,000 characters.

    """
    value = row.value if isinstance(row, LoadedRow) else row
    if not isinstance(value, Mapping):
        raise UsageError(f"a row must be a mapping, not `{type(value).__name__}`")
    if not isinstance(output, str):
        raise UsageError(f"the output must be a string, not `{type(output).__name__}`")
    faults = scan(judge.template).faults
    if faults:
        codes = ("judge/template-tag", "judge/template-json")
        problems = [
            Problem(
                codes[fault.is_json],
                fault.message,
                ("template",),
                fault.help,
                within=fault.within,
            )
            for fault in faults
        ]
        raise judge.violation_of(problems)
    variables = {key: value[key] for key in FROM_ROW if key in value}
    if not isinstance(row, LoadedRow):
        try:
            variables = plain(variables, as_python=True)
        except NotPlainError as error:
            raise UsageError(f"the row cannot be rendered: {error}") from None
    return render_template(judge.template, {**variables, "output": output})
