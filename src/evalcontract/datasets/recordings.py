"""Outputs that other systems recorded, read as records: logs, responses, runs and tables.

`RECORDINGS` has one line for each: by which keys its rows are known, and how one is read. What a
row says of the answer is in its record; why it has none, or what is not read, is in its problems.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from evalcontract.formats._conversion import default_id
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.source import RowSource
from evalcontract.source.document import value_at
from evalcontract.structure.keys.names import NAMES_OF_OUTPUTS

_NO_ANSWER, _INVALID = "output/no-answer", "output/invalid-record"
_UNREAD, _NO_ROW = "output/unread-answer", "output/unknown-id"
#: The code of an answer that ends where its model had to stop.
CUT_OFF = "output/cut-off"
_LENGTH = 200
_NAME_ROW = "record the id of the row, or pass `--map KEY=output.id`"


class Reading(NamedTuple):
    """What a row of another system says: its record, None if it is no answer; and its problems.

    `places` has where a key of the record stands in the row.
    """

    record: dict[str, Any] | None
    problems: tuple[Problem, ...] = ()
    places: Mapping[str, Path] = {}


# What made an output, from the coarse to the fine: a model, a prompt.
Maker = tuple[str, ...]


class Recording(NamedTuple):
    """How a system records outputs: its name, how its rows are known, and how one is read.

    `read` takes a row and its number from 0. In a document, the rows are the list at `prefix`.
    `maker` says what made the output of a row: a model, and what else may be compared, such as a
    prompt; it is empty where that is not known.
    """

    title: str
    is_row: Callable[[Mapping[str, Any]], bool]
    read: Callable[[Mapping[str, Any], int], Reading]
    prefix: Path = ()
    maker: Callable[[Mapping[str, Any]], Maker] = lambda _: ()


def recording_of(row: Any) -> Recording | None:
    """Return how a row was recorded; None if it is no row of another system."""
    if not isinstance(row, dict):
        return None
    return next((each for each in RECORDINGS if each.is_row(row)), None)


def rows_in(value: Any) -> Path | None:
    """Return the path of the rows in a document of another system; None if it is none."""
    if not isinstance(value, dict):
        return None
    for recording in RECORDINGS:
        rows: Any = value
        for key in recording.prefix:
            rows = rows.get(key) if isinstance(rows, dict) else None
        if recording.prefix and isinstance(rows, list) and (not rows or recording_of(rows[0])):
            return recording.prefix
    return None


class MixedOutputs(NamedTuple):
    """Outputs of one row that different systems made; `number` is that of the second of them."""

    number: int
    problem: Problem


def mixed_outputs(source: RowSource, id_in: Callable[[Any, int], str]) -> MixedOutputs | None:
    """Return the first outputs of a row that are of several models or prompts; None without.

    These are no samples of one system: their mean is that of none, and their variance is between
    systems. `id_in` returns the id that a row with a number answers, "" without any.
    """
    first: dict[str, Maker] = {}
    for number, row in enumerate(_rows_of(source)):
        recording = recording_of(row)
        maker = recording.maker(row) if recording else ()
        id_ = id_in(row, number) if maker else ""
        if not id_:
            continue
        other = first.setdefault(id_, maker)
        for what, one, two in zip(_MAKERS, other, maker, strict=False):
            if one != two:
                names = " and ".join(f"`{clipped(name, NAME_LENGTH)}`" for name in (one, two))
                message = f"the outputs of a row are not of one {what}, but of {names}"
                advice = "grade those of each on their own, and compare the results"
                problem = Problem("output/duplicate-id", message, (), advice)
                return MixedOutputs(number, problem)
    return None


def _rows_of(source: RowSource) -> Iterator[Any]:
    if source.stream is not None:
        for batch in source.stream.batches(quick=True):
            yield from batch.rows
    elif source.document is not None:
        rows = value_at(source.document.value, rows_in(source.document.value) or ())
        yield from rows if isinstance(rows, list) else ()


_MAKERS = ("model", "prompt")


def what_it_seems(value: Any) -> str | None:
    """Return what a row or a document without outputs seems to be; None if it is not known."""
    if not isinstance(value, dict):
        return None
    return next((what for keys, what in _SEEMS if keys <= value.keys()), None)


_SEEMS = (
    (frozenset({"custom_id", "method", "body"}), "a request of a batch of OpenAI, not its answer"),
    (frozenset({"eval", "plan"}), "a log of Inspect without its samples"),
    (frozenset({"manifest", "summary"}), "the run file of results of `evalcontract grade`"),
    (frozenset({"rubric", "outcome", "checks"}), "a result of `evalcontract grade`"),
    (frozenset({"questions"}), "a dataset of evalcontract"),
    (frozenset({"checks", "scoring"}), "a rubric"),
    (frozenset({"prompts", "tests"}), "a configuration of promptfoo, not its results"),
    (frozenset({"run_type"}), "a run of LangSmith without its outputs"),
    (frozenset({"input", "target"}), "a sample of Inspect that was not run"),
    (frozenset({"inputs", "outputs"}), "an example of LangSmith, whose outputs are expected"),
    (frozenset({"input", "rubric_ref"}), "a row of a dataset"),
    (frozenset({"messages"}), "a conversation, such as a row of training data"),
)


def _text_of(content: Any) -> str | None:
    """Return the text of a message: a text, or those among its parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return None
    texts = [
        part if isinstance(part, str) else part.get("text", part.get("refusal"))
        for part in content
        if isinstance(part, str | dict)
    ]
    return "".join(text for text in texts if isinstance(text, str)) if texts else None


def _failed(record: dict[str, Any], fault: Any, path: Path) -> Reading:
    """Return the reading of a row with an error in place of an answer."""
    message = fault.get("message", fault) if isinstance(fault, dict) else fault
    told = clipped(str(message), _LENGTH)
    problem = Problem(_NO_ANSWER, f"an error was recorded in place of an answer: {told}", path)
    return Reading(record, (problem,))


def _named(record: dict[str, Any], places: Mapping[str, Path], what: str) -> Reading:
    """Return a reading, with a problem if the record has no id."""
    if record.get("id") is not None:
        return Reading(record, (), places)
    message = f"{what} does not say which row it answers"
    return Reading(record, (Problem(_INVALID, message, (), _NAME_ROW),), places)


def _is_of_inspect(row: Mapping[str, Any]) -> bool:
    return row.keys() >= {"id", "epoch", "input", "target"}


def epoch_of(row: Any) -> int:
    """Return which output of its row a sample of Inspect is, from 1; 0 if that is not known."""
    epoch = row["epoch"] if isinstance(row, dict) and _is_of_inspect(row) else 0
    return epoch if isinstance(epoch, int) and epoch is not True else 0


# Where systems say why an answer ended, and what they call a limit.
_ENDS = ("finish_reason", "stop_reason", "finishReason", "reason")
_LIMITS = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
)


def _cut_off(part: Any, path: Path) -> tuple[Problem, ...]:
    """Return the problem of an answer that was cut off, if the part of a row at `path` says so."""
    for key in _ENDS if isinstance(part, dict) else ():
        reason = part.get(key)
        if isinstance(reason, str) and reason.lower() in _LIMITS:
            message = f"the answer was cut off (`{key}: {reason}`), and is graded as it is"
            advice = "let the model write longer answers, and record them again"
            return (Problem(CUT_OFF, message, path, advice),)
    return ()


def _with(reading: Reading, problems: tuple[Problem, ...]) -> Reading:
    return reading._replace(problems=(*reading.problems, *problems))


def _of_inspect(sample: Mapping[str, Any], _: int) -> Reading:
    record: dict[str, Any] = {"id": sample.get("id")}
    if sample.get("error"):
        return _failed(record, sample["error"], ("error",))
    output = sample.get("output")
    output = output if isinstance(output, dict) else {}
    choices = output.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    last = choice.get("message") if isinstance(choice, dict) else None
    text = _text_of(last.get("content")) if isinstance(last, dict) else output.get("completion")
    if not text and isinstance(choice, dict) and choice.get("stop_reason") == _FILTERED:
        return _failed(record, _WITHHELD, ("output",))
    messages = sample.get("messages")
    turns = messages if isinstance(messages, list) and messages else [last]
    record |= {"output": text, "tool_calls": [*_calls_of(turns)]}
    places: Mapping[str, Path] = {"output": ("output",), "tool_calls": ("messages",)}
    named = _named(record, places, "the sample")
    return _with(named, _cut_off(choice, ("output", "choices", 0)))


# Why a model ended, as OpenAI and Inspect call it, where a filter of its provider took the answer.
_FILTERED, _WITHHELD = "content_filter", "a filter of the provider withheld it"


def _calls_of(messages: list[Any]) -> Iterator[Any]:
    """Yield the calls of tools in messages of a model."""
    for message in messages:
        is_answer = isinstance(message, dict) and message.get("role") in _OF_MODEL
        calls = message.get("tool_calls") if is_answer else None
        yield from calls if isinstance(calls, list) else ()


_OF_MODEL = ("assistant", "ai", "AIMessage", None)


def _of_promptfoo(row: Mapping[str, Any], number: int) -> Reading:
    test, at = row["testCase"], row.get("testIdx")
    name = test.get("description") if isinstance(test, dict) else None
    id_ = name or default_id(at if isinstance(at, int) else number)
    record: dict[str, Any] = {"id": id_}
    response = row.get("response")
    response = response if isinstance(response, dict) else {}
    output = response.get("output")
    # Assertions that fail are an `error`, too.
    if output is None and (fault := response.get("error") or row.get("error")):
        return _failed(record, fault, ("error",))
    if isinstance(output, list) and output and all(map(_is_call, output)):
        record |= {"output": None, "tool_calls": output}
    else:
        is_text = output is None or isinstance(output, str)
        record["output"] = output if is_text else json.dumps(output, ensure_ascii=False)
    places: Mapping[str, Path] = {
        "output": ("response", "output"),
        "tool_calls": ("response", "output"),
        "id": ("testCase", "description"),
    }
    return Reading(record, _cut_off(response, ("response",)), places)


def _made_by(row: Mapping[str, Any]) -> Maker:
    """Return the provider of a result of promptfoo, and the prompt."""
    provider, prompt = row.get("provider"), row.get("prompt")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    if isinstance(prompt, dict):
        prompt = prompt.get("label") or prompt.get("raw")
    return (str(provider or row.get("promptIdx")), str(prompt or row.get("promptIdx")))


def _model_in(*keys: str) -> Callable[[Mapping[str, Any]], Maker]:
    """Return what finds the name of the model under some keys of a row, one below the other."""

    def maker(row: Mapping[str, Any]) -> Maker:
        value: Any = row
        for key in keys:
            value = value.get(key) if isinstance(value, dict) else None
        return (value,) if isinstance(value, str) and value else ()

    return maker


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and ("function" in value or value.get("type") == "tool_use")


def _of_batch(line: Mapping[str, Any], number: int) -> Reading:
    record: dict[str, Any] = {"id": line.get("custom_id")}
    response = line.get("response")
    body = response.get("body") if isinstance(response, dict) else None
    body = body if isinstance(body, dict) else {}
    if fault := line.get("error") or body.get("error"):
        return _failed(record, fault, ("error",) if line.get("error") else ("response",))
    reading = _of_response(body, number)
    answer = {key: value for key, value in (reading.record or {}).items() if key != "id"}
    under: Path = ("response", "body")
    problems = tuple(
        problem._replace(path=(*under, *problem.path))
        for problem in reading.problems
        if problem.code != _INVALID
    )
    places = {key: (*under, *path) for key, path in reading.places.items()}
    named = _named({**record, **answer}, {**places, "id": ("custom_id",)}, "the line")
    return _with(named, problems)


def _of_response(body: Mapping[str, Any], _: int) -> Reading:
    """Read a response of the chat completions or of the Responses API of OpenAI."""
    metadata = body.get("metadata")
    id_ = metadata.get("id") if isinstance(metadata, dict) else None
    record: dict[str, Any] = {"id": id_}
    if fault := body.get("error"):
        return _failed(record, fault, ("error",))
    items = body.get("output")
    if isinstance(items, list):
        answer, end = _of_items(items), body.get(_INCOMPLETE)
        is_filtered = isinstance(end, dict) and end.get("reason") == _FILTERED
        if is_filtered and not answer["output"]:
            return _failed(record, _WITHHELD, (_INCOMPLETE,))
        named = _named({**record, **answer}, dict.fromkeys(_KEYS, ("output",)), _RESPONSE)
        return _with(named, _cut_off(end, (_INCOMPLETE,)))
    choices = body.get("choices")
    choices = choices if isinstance(choices, list) else []
    choice = choices[0] if choices and isinstance(choices[0], dict) else {}
    message = choice.get("message")
    if isinstance(message, dict):
        text = _text_of(message.get("content"))
        calls, call = message.get("tool_calls"), message.get("function_call")
        refusal = message.get("refusal")
        record["output"] = refusal if text is None and isinstance(refusal, str) else text
        others = [call] if isinstance(call, dict) else []  # the deprecated form of the only one
        record["tool_calls"] = calls if isinstance(calls, list) else others
    else:
        record["output"] = choice.get("text")
    if not record["output"] and choice.get("finish_reason") == _FILTERED:
        return _failed({"id": id_}, _WITHHELD, ("choices",))
    reading = _named(record, dict.fromkeys(_KEYS, ("choices",)), _RESPONSE)
    reading = _with(reading, _cut_off(choice, ("choices", 0)))
    if not choices[1:]:
        return reading
    message = "only the first of several choices is read"
    more = Problem(_NO_ROW, message, ("choices",), "record each answer as a response of its own")
    return _with(reading, (more,))


_KEYS, _RESPONSE, _INCOMPLETE = ("output", "tool_calls"), "the response", "incomplete_details"


def _of_items(items: list[Any]) -> dict[str, Any]:
    """Return the answer in the items of the Responses API."""
    answers = [each for each in items if isinstance(each, dict)]
    contents = [each.get("content") for each in answers if each.get("type") == "message"]
    texts = [text for text in map(_text_of, contents) if text is not None]
    calls = [each for each in answers if each.get("type") in ("function_call", "custom_tool_call")]
    return {"output": "".join(texts) if texts else None, "tool_calls": calls}


def _of_langsmith(run: Mapping[str, Any], _: int) -> Reading:
    record: dict[str, Any] = {"id": run.get("reference_example_id")}
    if run.get("parent_run_id"):
        message = "a run inside of another run answers no row, and is not read"
        return Reading(None, (Problem(_NO_ROW, message, ("parent_run_id",)),))
    if run.get("error"):
        return _failed(record, run["error"], ("error",))
    outputs = _unpacked(run.get("outputs"))
    answer = _answer_in(outputs)
    if answer is None:
        names = ", ".join(f"`{clipped(str(key))}`" for key in outputs or ())
        message = f"none of {names} is read as the answer" if names else "the run has no outputs"
        advice = "pass `--map outputs.KEY=output`" if names else None
        return Reading(record, (Problem(_UNREAD, message, ("outputs",), advice),))
    named = _named({**record, **answer}, dict.fromkeys(_KEYS, ("outputs",)), "the run")
    return _with(named, _cut_off(_end_of(outputs), ("outputs",)))


def _unpacked(value: Any, start: str = "{") -> Any:
    """Return the value that a cell of a table has as JSON, if it begins so."""
    if isinstance(value, str) and value.lstrip().startswith(start):
        with suppress(ValueError, RecursionError):
            return json.loads(value)
    return value


def _of_experiment(row: Mapping[str, Any], number: int) -> Reading:
    """Read a row of the results of an experiment: a run beside its example."""
    reading = _of_langsmith(row["run"], number)
    problems = tuple(each._replace(path=("run", *each.path)) for each in reading.problems)
    places = {key: ("run", *path) for key, path in reading.places.items()}
    return Reading(reading.record, problems, places)


_OUTPUTS, _MESSAGES = "outputs.", "messages"


def _of_frame(row: Mapping[str, Any], number: int) -> Reading:
    """Read a row of the results of an experiment as `to_pandas` has them: a column for each key."""
    answered = {
        key.removeprefix(_OUTPUTS): value
        for key, value in row.items()
        if key.startswith(_OUTPUTS) and value not in (None, "")
    }
    if _MESSAGES in answered:
        answered[_MESSAGES] = _unpacked(answered[_MESSAGES], "[")
    run = {"reference_example_id": row["example_id"], "outputs": answered}
    reading = _of_langsmith({**run, "error": row.get("error")}, number)
    places = dict.fromkeys(reading.places, ())
    problems = tuple(each._replace(path=each.path[:1]) for each in reading.problems)
    return Reading(reading.record, problems, places)


def _turns_in(outputs: Mapping[str, Any]) -> list[Any] | None:
    """Return the messages among the outputs of a run; None if it has no such."""
    messages = outputs.get(_MESSAGES, outputs.get("output"))
    turns = [messages] if isinstance(messages, dict) else messages
    return turns if isinstance(turns, list) else None


def _end_of(outputs: Any) -> Any:
    """Return what says why the answer among the outputs of a run ended."""
    if not isinstance(outputs, dict):
        return None
    choices, turns = outputs.get("choices"), _turns_in(outputs)
    if isinstance(choices, list):
        return choices[0] if choices else None
    last = turns[-1] if turns else None
    return last.get("response_metadata") if isinstance(last, dict) else None


def _answer_in(outputs: Any) -> dict[str, Any] | None:
    """Return the answer among the outputs of a run; None if it is not certain which it is."""
    if isinstance(outputs, str):
        return {"output": outputs}
    if not isinstance(outputs, dict):
        return None
    if isinstance(outputs.get("choices"), list):
        answer = _of_response(outputs, 0).record or {}
        return {key: value for key, value in answer.items() if key != "id"}
    if (turns := _turns_in(outputs)) is not None:
        last = turns[-1] if turns else None
        text = _text_of(last.get("content")) if isinstance(last, dict) else None
        return None if text is None else {"output": text, "tool_calls": [*_calls_of(turns)]}
    texts = {
        key: value
        for key, value in outputs.items()
        if isinstance(value, str) and key != _MESSAGES  # as a text, it is of nobody knows whom
    }
    names = ("output", *NAMES_OF_OUTPUTS["output"])
    named = next((texts[key] for key in names if key in texts), None)
    if named is None and len(texts) == len(outputs) == 1:
        named = next(iter(texts.values()))
    return None if named is None else {"output": named}


def _is_response(row: Mapping[str, Any]) -> bool:
    is_chat = row.get("object") in ("chat.completion", "text_completion")
    return (is_chat and "choices" in row) or (row.get("object") == "response" and "output" in row)


RECORDINGS = (
    Recording(
        "a log of Inspect",
        _is_of_inspect,
        _of_inspect,
        ("samples",),
        _model_in("output", "model"),
    ),
    Recording(
        "results of promptfoo",
        lambda row: "testCase" in row and not row.keys().isdisjoint({"response", "promptIdx"}),
        _of_promptfoo,
        ("results", "results"),
        _made_by,
    ),
    Recording(
        "a batch of OpenAI",
        lambda row: "custom_id" in row and not row.keys().isdisjoint({"response", "error"}),
        _of_batch,
        maker=_model_in("response", "body", "model"),
    ),
    Recording("a response of OpenAI", _is_response, _of_response, maker=_model_in("model")),
    Recording(
        "a run of LangSmith",
        lambda row: row.keys() >= {"run_type", "inputs"} and "outputs" in row,
        _of_langsmith,
    ),
    Recording(
        "results of an experiment of LangSmith",
        lambda row: isinstance(row.get("run"), dict) and "example" in row,
        _of_experiment,
    ),
    Recording(
        "a table of an experiment of LangSmith",
        lambda row: row.keys() >= {"example_id", "execution_time"},
        _of_frame,
    ),
)
