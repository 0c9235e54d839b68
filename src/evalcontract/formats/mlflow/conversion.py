"""Records of MLflow and rows of evalcontract: how they correspond.

The hints `input_form` and `input_key` say how a record had its inputs. Without any, a question is a
text under `question`, and a conversation of several messages stands under `messages`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import (
    OURS,
    Loss,
    answers_of,
    conversation_of,
    default_id,
    filled,
    last_question,
    own_expectations,
)
from evalcontract.formats._findings import has_lone_surrogate, is_list_of, mapping_at, parsed_json
from evalcontract.formats._lens import At, Lens
from evalcontract.formats._residual import Form, Residual, ResidualPlace, Row
from evalcontract.formats.mlflow.readers import (
    MIXED_TRACES,
    Granularity,
    Merging,
    OutputTypes,
    mixed_goal,
)
from evalcontract.formats.mlflow.records import (
    FACTS,
    GUIDELINES,
    RESERVED,
    RESPONSE,
    TOOL_CALLS,
    documented_form,
    expected_tools,
    exported_root,
    read_trace,
    stored_form,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import is_text, json_equal

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The key of a single text among the inputs if nothing else is known.
DEFAULT_KEY = "question"
#: Keys under which applications usually take a single text.
USUAL_KEYS = frozenset(
    {DEFAULT_KEY, "query", "input", "request", "prompt", "message", "text"}
    | {"user_input", "user_query", "user_message", "instruction"}
)
#: The key of a conversation, and the form of inputs that are one.
MESSAGES = "messages"
# Other forms: any value as JSON, a question or a conversation with other keys, keys as lines, or no
# inputs.
_JSON, _KEYS, _CHAT_WITH_KEYS, _LINES, _NONE = "json", "keys", "messages_and_keys", "lines", "none"
_NO_TEXT = "The input stands in the trace."


class ReadInputs(NamedTuple):
    """The question of a record, and the hints.

    `row` are the `input`, and the other inputs as `context` or `messages`.
    """

    row: dict[str, Any]
    hints: dict[str, Any]


def read_inputs(record: dict[str, Any]) -> ReadInputs:
    """Return the question of a record."""
    if "inputs" not in record:
        return ReadInputs({"input": _preview_of(record.get("trace"))}, {"input_form": _NONE})
    inputs = record["inputs"]
    if not isinstance(inputs, dict) or not inputs:
        return _as_json(inputs)
    if inputs.keys() == {MESSAGES} and inputs[MESSAGES] and is_list_of(inputs[MESSAGES], dict):
        return _as_chat(inputs)
    keys = [key for key in inputs if key in USUAL_KEYS and _is_text(inputs[key])]
    if len(keys) == 1:
        return _as_question(inputs, keys[0])
    if len(inputs) == 1:
        return _as_json(inputs)
    return _as_chat_with_keys(inputs) or _as_lines(inputs)


def _as_lines(inputs: dict[str, Any]) -> ReadInputs:
    row = {"input": _lines(inputs), "context": {**inputs}}
    return ReadInputs(row, {"input_form": _LINES})


def _as_question(inputs: dict[str, Any], key: str) -> ReadInputs:
    hints = {} if key == DEFAULT_KEY else {"input_key": key}
    if len(inputs) == 1:
        return ReadInputs({"input": inputs[key]}, hints)
    context = {name: part for name, part in inputs.items() if name != key}
    row = {"input": inputs[key], "context": context}
    return ReadInputs(row, {**hints, "input_form": _KEYS})


def write_inputs(
    row: dict[str, Any], hints: Mapping[str, Any], *, is_optional: bool
) -> dict[str, Any]:
    """Return a record with the `inputs` of a row.

    They are a mapping; if `is_optional`, they may be any value, or absent.
    """
    text = row["input"]
    context = row.get("context")
    others = context if isinstance(context, dict) else {}
    key = hints.get("input_key", DEFAULT_KEY)
    match hints.get("input_form"):
        case "none" if is_optional:
            return {}
        case "json":
            # A text that was edited since may be a plain question.
            inputs = parsed_json(text, default={key: text})
            if is_optional or isinstance(inputs, dict):
                return {"inputs": inputs}
        case "lines":
            return {"inputs": others if text == _lines(others) else {**others, key: text}}
        case "keys":
            return {"inputs": {key: text, **{k: v for k, v in others.items() if k != key}}}
        case form if asked := _asked(row, is_chat=form in (MESSAGES, _CHAT_WITH_KEYS)):
            beside = others if form == _CHAT_WITH_KEYS else {}
            return {"inputs": {**beside, MESSAGES: asked}}
    return {"inputs": {key: text}}


def _asked(row: dict[str, Any], *, is_chat: bool) -> list[Any]:
    """Return the messages of a row up to its question; none if they say no more than its input."""
    if is_chat and row.get(MESSAGES) and is_list_of(row[MESSAGES], dict):
        return conversation_of(row).asked or row[MESSAGES]
    if before := history_of(row):
        return [*before, {"role": "user", "content": row["input"]}]
    asked = conversation_of(row).asked
    is_same = is_list_of(asked, dict) and last_question(asked) == row["input"]
    return asked if is_same and len(asked) > 1 else []


def history_of(row: dict[str, Any]) -> list[Any]:
    """Return the conversation before the question, of a row that has it as its only context."""
    context = row.get("context")
    if not isinstance(context, dict) or context.keys() != {"history"} or MESSAGES in row:
        return []
    return context["history"] if is_list_of(context["history"], dict) else []


def _as_json(inputs: Any) -> ReadInputs:
    return ReadInputs({"input": _json(inputs)}, {"input_form": _JSON})


def _as_chat(inputs: dict[str, Any]) -> ReadInputs:
    question = last_question(inputs[MESSAGES])
    is_text = isinstance(question, str) and question.strip()
    row = {"input": question if is_text else _json(inputs), MESSAGES: inputs[MESSAGES]}
    is_implied = _asked(row, is_chat=False) == inputs[MESSAGES]
    return ReadInputs(row, {} if is_implied else {"input_form": MESSAGES})


def _as_chat_with_keys(inputs: dict[str, Any]) -> ReadInputs | None:
    """Return the last question of a conversation, with the other inputs; None if it has none."""
    messages = inputs.get(MESSAGES)
    question = last_question(messages) if isinstance(messages, list) else None
    if not is_list_of(messages, dict) or not isinstance(question, str) or not question.strip():
        return None
    others = {key: part for key, part in inputs.items() if key != MESSAGES}
    row = {"input": question, MESSAGES: messages, "context": others}
    return ReadInputs(row, {"input_form": _CHAT_WITH_KEYS})


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value)


def _lines(inputs: dict[str, Any]) -> str:
    """Return inputs as lines, in the author's order: texts as they are, other values as JSON."""
    return "\n".join(
        f"{key}: {part if _is_text(part) else _json(part)}" for key, part in inputs.items()
    )


def _preview_of(trace: Any) -> str:
    preview = mapping_at(read_trace(trace), "info").get("request_preview")
    return preview if isinstance(preview, str) and preview.strip() else _NO_TEXT


def _json(value: Any) -> str:
    """Format a value as JSON, with its keys in the author's order."""
    text = json.dumps(value, ensure_ascii=False)
    return json.dumps(value) if has_lone_surrogate(text) else text


#: How a record was written, for converting it back: `input_key`, `input_form`, `criteria_from`,
#: `expects` and `trace`.
Hints = dict[str, Any]

_NAMED_BY = {"oss": "dataset_record_id", "managed": "dataset_record_id", "evaluate": "request_id"}


_SOURCES = {"oss": stored_form, "managed": documented_form}
_TEXTS = frozenset({"input_key", "input_form", "criteria_from", "expects", "variant"})
_NO_COLUMN = "this dialect of MLflow has no such column"


class MlflowLens(Lens):
    """Keeps everything else of a record in `metadata.mlflow`, and of ours in `tags.evalcontract`.

    What a row keeps names the `variant` of its record.
    """

    in_theirs = ResidualPlace("tags", OURS, "tags")
    form = Form("set", "absent", has_paths=True)
    nested_theirs = MappingProxyType({"expectations": {}, "tags": {}})
    nested_ours = MappingProxyType({"expected": {}})
    # The question of other inputs is there in another form.
    quiet = frozenset({"inputs"})
    listed_whole = frozenset({"tags"})
    needed = ("input",)
    run = "a record has the question and the answer; the run between them is a trace"
    beside = "Correctness takes facts or a response, not both"
    repeated = "it repeats what the record says already"

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        self._merging = Merging()
        self._granularity = Granularity()
        self._outputs = OutputTypes()
        self._has_traces: bool | None = None

    def root_of(self, file: ExternalFile) -> Row:
        return exported_root(file) or {}

    def place_of(self, row: Row, index: int) -> At:
        return At(index, hints=self._read(row, index)[1])

    def to_ours(self, row: Row, at: At) -> Row:
        return self._read(row, at.number)[0]

    def _read(self, record: Row, index: int) -> tuple[Row, Hints]:
        """Return what a record says, and the hints for writing it again."""
        read, hints = read_inputs(record)
        name = record.get(_NAMED_BY[self.variant])
        row: Row = {"id": name if isinstance(name, str) and name else default_id(index), **read}
        expectations = record.get("expectations")
        if isinstance(expectations, dict):
            if of_row := _of_row(expectations):
                row["expected"] = of_row
            if is_text(expectations.get(GUIDELINES)):
                row["criteria"] = expectations[GUIDELINES]
                hints["criteria_from"] = "guideline"
            if filled(expectations.get(FACTS)) and is_text(expectations.get(RESPONSE)):
                hints["expects"] = "both"
        # The open-source store stores absent outputs as an empty mapping.
        if "outputs" in record and (self.variant != "oss" or record["outputs"] != {}):
            row["recorded_output"] = record["outputs"]
        if self.variant == "evaluate" and isinstance(record.get("trace"), dict | str):
            row["trace"] = record["trace"]
            hints["trace"] = True
        return row, hints

    def to_theirs(self, row: Row, at: At) -> Row:
        record = write_inputs(row, at.hints, is_optional=self.variant == "evaluate")
        if expectations := _expectations(row, at.hints):
            record["expectations"] = expectations
        answer = conversation_of(row).answer
        if "recorded_output" in row or answer is not None:
            record["outputs"] = row.get("recorded_output", answer)
        if at.hints.get("trace") and self.variant == "evaluate" and "trace" in row:
            record["trace"] = row["trace"]
        return record

    def noted(self, kept: Row, at: At) -> Row:
        written = super().noted(kept, at)
        return (
            {**written, "variant": self.variant} if written and self.variant != "oss" else written
        )

    def are_hints(self, hints: Row) -> bool:
        is_known = hints.keys() <= {"trace", *_TEXTS}
        are_texts = all(isinstance(hints[key], str) for key in _TEXTS & hints.keys())
        return is_known and are_texts and json_equal(hints.get("trace", True), True)

    def is_written(self, kept: Row) -> bool:
        tags = kept.get("tags", {})
        # Only the open-source store accepts any empty value.
        is_accepted = isinstance(tags, dict) or tags is None or (self.variant == "oss" and not tags)
        has_any = not kept.keys().isdisjoint(("set", "absent"))
        return is_accepted and has_any and super().is_written(kept)

    def taken(self, residual: Residual | None, at: At) -> tuple[Residual | None, list[Loss]]:
        """Return what this dialect has columns for of what a row keeps of another one."""
        if residual is None or at.hints.get("variant", "oss") == self.variant:
            return residual, []
        kept = _translated(residual.set, self.variant)
        lost = [("metadata", "mlflow", "set", key) for key in residual.set if key not in kept]
        return Residual(kept, []), [Loss(path, _NO_COLUMN, is_kept=False) for path in lost]

    def settled(self, theirs: Row, at: At) -> Row:
        """Return a record without outputs that the store cannot combine with earlier ones."""
        outputs = theirs.get("outputs")
        if self.variant != "oss" or outputs is None:
            return theirs
        is_mixed = any([*self._outputs.observe(outputs, (at.number,))])
        return {k: part for k, part in theirs.items() if k != "outputs"} if is_mixed else theirs

    def says(self, path: Path, row: Row, at: At) -> bool:
        """Whether a value is no loss: tools say expected calls but for their order of keys."""
        is_called = path == ("expectations", TOOL_CALLS)
        tools = expected_tools(row["expectations"][TOOL_CALLS]) if is_called else None
        return tools is not None or super().says(path, row, at)

    def is_said(self, path: Path, row: Row, at: At) -> bool:
        """Whether a value is no loss: a history stands in the messages before the question."""
        inputs = self.to_theirs(row, at).get("inputs") if path[0] == "context" else None
        is_asked = isinstance(inputs, dict) and "messages" in inputs
        return (is_asked and bool(history_of(row))) or super().is_said(path, row, at)

    def problems(self, theirs: Row, at: At) -> Iterator[Problem]:
        """Yield why MLflow would reject a record, or merge it into another one."""
        inputs = theirs.get("inputs")
        if self.variant == "evaluate":
            yield from self._trace_problems(theirs)
        elif self.variant == "oss" and isinstance(inputs, dict):
            mixed = mixed_goal(inputs, ())
            problems = [mixed] if mixed else self._granularity.observe(inputs, (at.number,))
            yield from (problem._replace(path=("input",), related=()) for problem in problems)
            first = self._merging.first_with(inputs, (at.number,))
            if first is not None:
                number = int(first[-1]) + 1
                yield Problem(
                    "mlflow/equal-inputs",
                    f"row {number} has the same `input`: MLflow merges this row into it",
                    ("input",),
                    "make the `input` of the rows differ",
                )

    def _trace_problems(self, record: dict[str, Any]) -> Iterator[Problem]:
        has_trace = "trace" in record
        if self._has_traces is None:
            if has_trace or isinstance(record.get("inputs"), dict):
                self._has_traces = has_trace
            else:
                message = "`inputs` of the first row must be a mapping, and this one gives none"
                yield Problem("mlflow/wrong-type", message, ("input",), "put another row first")
        elif has_trace is not self._has_traces:
            yield MIXED_TRACES._replace(path=("trace",) if has_trace else ())


def _translated(set_: dict[str, Any], variant: str) -> dict[str, Any]:
    """Convert what a row preserves of a record to another dialect of MLflow."""
    kept = {key: set_[key] for key in ("expectations", "tags") if isinstance(set_.get(key), dict)}
    if variant == "evaluate" and "expectations" in kept:  # it rejects null in expectations
        expected = kept["expectations"].items()
        kept["expectations"] = {key: part for key, part in expected if part is not None}
    source = set_.get("source")
    source = _SOURCES[variant](source) if variant in _SOURCES else source
    return {**kept, "source": source} if source else kept


def _of_row(expectations: dict[str, Any]) -> dict[str, Any]:
    """Return the reference answer and the author's own expectations, in the author's order."""
    own = own_expectations({"expected": expectations})
    return {
        "reference" if key == RESPONSE else key: part
        for key, part in own.items()
        if key not in RESERVED or (key == RESPONSE and is_text(part))
    }


def _expectations(row: Row, hints: Mapping[str, Any]) -> dict[str, Any]:
    expectations = answers_of(row, are_both=hints.get("expects") == "both")
    if hints.get("criteria_from") == "guideline" and is_text(row.get("criteria")):
        expectations[GUIDELINES] = row["criteria"]
    own = own_expectations(row)
    return expectations | {key: own[key] for key in own if key not in RESERVED}
