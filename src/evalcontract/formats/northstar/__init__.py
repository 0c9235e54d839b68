"""NorthStar: recorded agent runs as JSON or JSONL, checked as its pydantic models check them.

Written from the table of fields in its documentation, and from measurements of its loader.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._conversion import Field
from evalcontract.formats._findings import bom_rejected, is_list_of
from evalcontract.formats._format import (
    Format,
    RowChecker,
    RowLayout,
    SchemaChecker,
    codes_of_system,
)
from evalcontract.formats.northstar.checker import FACTS, NorthstarChecker
from evalcontract.formats.northstar.numbers import (
    EXPECTED,
    LIMITS_OF_RUN,
    LIMITS_OF_TRACE,
    METRICS,
    normal,
    same_as,
)
from evalcontract.model.diagnostic import Problem
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.formats._lens import Lens
    from evalcontract.source.external import ExternalFile


_UNMEASURED = "no check of evalcontract grades it"
_NO_GRADER = "NorthStar has no grader for it"
_UNNAMED = "a case says what the rubric requires, but not which rubric it is"


def _passages(context: Any) -> list[str] | None:
    texts = [context] if isinstance(context, str) else context
    return texts if texts and is_list_of(texts, str) else None


def _mapping(value: Any) -> dict[str, Any] | None:
    return value if isinstance(value, dict) else None


def _numbers(metrics: Any) -> dict[str, Any] | None:
    return normal(metrics, METRICS) if isinstance(metrics, dict) else None


def _same_numbers(metrics: Any) -> dict[str, Any] | None:
    is_same = isinstance(metrics, dict) and json_equal(same_as(metrics, METRICS), metrics)
    return metrics if is_same else None


FIELDS = (
    Field("id", "id"),
    Field("messages", "messages", "the whole run"),
    Field("messages", "context.history", "before the question"),
    Field("messages", "recorded_output", "the last answer"),
    Field("input", "input", "by default the last text of a user"),
    Field("expected.goal", "criteria", "unless there is a `rubric`"),
    Field("expected.rubric", "criteria", "a `goal` beside it is `expected.goal`"),
    Field("expected.goal", "expected.goal", "if there is a `rubric`"),
    Field("expected.ground_truth", "expected.reference", "and one of `expected_facts`"),
    Field("expected.contains", "expected_facts", "facts are found over line breaks, too"),
    Field("expected.not_contains", "must_not_contain", "without repetitions"),
    Field("expected.required_tools", "expected_tools", "without repetitions"),
    Field("expected.tool_arguments", "expected_tools", "one call of each tool"),
    Field("expected.tool_sequence", "expected_tools", "and a check of the exact sequence"),
    Field("expected.tool_sequence", "rubric_ref", "the check of the exact sequence"),
    Field("expected.forbidden_tools", "rubric_ref", "of the check `tool_usage`"),
    Field("expected.max_tool_calls", "rubric_ref", "`max_calls` of the check `tool_usage`"),
    Field(
        "expected.context", "context", "a list of texts", read=EXPECTED["context"], write=_passages
    ),
    Field("expected.trace.relevant_retrieval_ids", "expected_documents", "the ids alone"),
    Field("trace", "trace", "a mapping", read=_mapping, write=_mapping),
    Field("metrics", "metrics", "numbers", read=_numbers, write=_same_numbers),
    Field("metadata", "metadata"),
    *(Field(f"expected.{key}", None, _UNMEASURED) for key in LIMITS_OF_RUN),
    *(Field(f"expected.trace.{key}", None, _UNMEASURED) for key in LIMITS_OF_TRACE),
    Field(None, "rubric_ref", _UNNAMED),
    Field(None, "expected.format", _NO_GRADER),
    Field(None, "expected.*", _NO_GRADER),
    Field(None, "must_contain_any", "NorthStar asks for every phrase, not for one of them"),
    Field(None, "expected_documents", "cases have the ids of documents, not their texts"),
    Field(None, "retrieved_documents", "NorthStar takes them from the trace"),
    Field(None, "context", "the context of a case is a list of texts"),
    Field(None, "*", "cases have no place for it"),
)


_KEYS = frozenset({"id", "input", "messages", "expected", "metrics", "metadata", "trace"})
# An empty JSONL file is a dataset without cases.
_PASSED_OVER = frozenset({"source/empty"})
_BOM = bom_rejected("northstar", "the file begins with a byte order mark, which NorthStar rejects")
_NO_CASES = Problem(
    "northstar/rejected",
    "the file holds neither a list of cases nor a case",
    (),
    'write a list of cases, or `{"cases": […]}`',
)


class Northstar(Format):
    """Cases: a recorded conversation each, and what is expected of it."""

    name = "northstar"
    title = "NorthStar"
    media = ("json", "jsonl")
    basis = "the loader of NorthStar as of 2026-06, run with pydantic 2.14"
    codes = codes_of_system(
        "northstar",
        rejected=("unknown-key", "out-of-range", "malformed-value"),
        silently_accepted=(
            "blank-id",
            "blank-text",
            "broken-trace",
            "contradiction",
            "empty",
            "empty-list",
            "missing-answer",
            "missing-metric",
            "missing-trace",
            "not-evaluated",
            "ungraded-retrieval",
            "unused-trace",
        ),
        guesses=("list-as-text",),
        notes=("judges-only",),
    )
    fields = FIELDS
    facts = FACTS
    has_text_lines = True

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a case by its expectations, if it has no key of another system."""
        row = _case_in(value)
        is_case = any(isinstance(row.get(key), dict) for key in ("expected", "metrics"))
        return cls() if is_case else None

    @classmethod
    def may_recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a case that expects nothing, by its `id` and its messages, which have roles."""
        messages = _case_in(value).get("messages")
        are_said = messages and all(isinstance(each.get("role"), str) for each in messages)
        return cls() if are_said else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if file.has_mark:
            return RowLayout.without_rows(_BOM)
        if file.document is None:
            return RowLayout(passed_over=_PASSED_OVER)
        value = file.document.value
        if isinstance(value, list):
            return RowLayout(value, (), _empty(value))
        if not isinstance(value, dict):
            return RowLayout.without_rows(_NO_CASES)
        if isinstance(rows := value.get("cases"), list):
            ignored = schema.unread({**value, "cases": []}, (), "file")
            return RowLayout(rows, ("cases",), (*_empty(rows, "cases"), *ignored))
        misread = _misread(value)
        return RowLayout.without_rows(misread) if misread else RowLayout([value], is_row=True)

    def checker(self, schema: SchemaChecker) -> RowChecker:
        return NorthstarChecker(schema)

    def lens_class(self) -> type[Lens]:
        from evalcontract.formats.northstar.conversion import RunLens  # a check needs it not

        return RunLens


def _empty(rows: list[Any], *prefix: str) -> tuple[Problem, ...]:
    if rows:
        return ()
    message = "there are no cases: NorthStar loads the file, and a run without cases passes"
    return (Problem("northstar/empty", message, prefix, "add a case"),)


def _misread(value: dict[str, Any]) -> Problem | None:
    """Report a document with several cases that NorthStar reads as a single case."""
    if not value.keys().isdisjoint(("id", "messages")):
        return None
    if "cases" in value:
        message = "`cases` must be a list; otherwise NorthStar reads the file as a single case"
        advice = "write a list of cases, each with its `id`"
        return Problem("northstar/wrong-type", message, ("cases",), advice)
    keys = [key for key, part in value.items() if part and is_list_of(part, dict)]
    if len(keys) != 1:
        return None
    message = f"`{keys[0]}` is not read: without `cases`, the file is read as a single case"
    advice = "rename it to `cases`"
    return Problem("northstar/unknown-key", message, (keys[0],), advice, on_key=True)


def _case_in(value: dict[str, Any]) -> dict[str, Any]:
    """Return the first case of a document, or the case that it is; an empty one if it has none."""
    rows = value.get("cases")
    row = next(iter(rows), None) if isinstance(rows, list) else value
    if not isinstance(row, dict) or not row.keys() <= _KEYS:
        return {}
    is_case = isinstance(row.get("id"), str) and is_list_of(row.get("messages"), dict)
    return row if is_case else {}
