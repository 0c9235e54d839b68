"""Which metrics of agent evaluation will be worked out of a row.

The tables of the public documentation, with their marks filled in from the columns' headings; that
correctness and sufficiency need the expected response is read from those, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.formats._format import GraderPrediction

if TYPE_CHECKING:
    from collections.abc import Iterator


class _Metric(NamedTuple):
    """A metric: of `truth` and `recorded` one key each must be there.

    What an application gives is recorded when it is run, so `recorded` is asked of outputs alone.
    """

    name: str
    truth: tuple[str, ...] = ()
    recorded: tuple[str, ...] = ()


_ANSWER = ("expected_response", "expected_facts")
_FOUND = ("retrieved_context", "trace")
_CHUNKS = "retrieval/llm_judged/chunk_relevance/precision"
_METRICS = (
    _Metric("response/llm_judged/relevance_to_query/rating"),
    _Metric("response/llm_judged/safety/rating"),
    _Metric("response/llm_judged/groundedness/rating", (), _FOUND),
    _Metric("response/llm_judged/guideline_adherence/rating", ("guidelines",)),
    _Metric("response/llm_judged/correctness/rating", _ANSWER),
    _Metric(_CHUNKS, (), _FOUND),
    _Metric("retrieval/llm_judged/context_sufficiency/rating", _ANSWER, _FOUND),
    _Metric("retrieval/ground_truth/document_recall", ("expected_retrieved_context",), _FOUND),
)
_OF_APPLICATION = (
    _Metric("agent/total_token_count"),
    _Metric("agent/input_token_count"),
    _Metric("agent/output_token_count"),
)
_OF_OUTPUTS = (_Metric("agent/request_token_count"), _Metric("agent/response_token_count"))


def predictions(row: dict[str, Any], *, has_outputs: bool) -> Iterator[GraderPrediction]:
    """Yield what will become of each metric; `has_outputs` says that answers were recorded."""
    for metric in (*_METRICS, *(_OF_OUTPUTS if has_outputs else _OF_APPLICATION)):
        reason, field = _gap(metric, row, has_outputs=has_outputs)
        state = "skip" if reason else "run"
        yield GraderPrediction(metric.name, _kind(metric.name), state, reason, field)


def _gap(
    metric: _Metric, row: dict[str, Any], *, has_outputs: bool
) -> tuple[str | None, str | None]:
    """Return why a metric is left out, and the key of the row that decides."""
    for wanted in (metric.truth, metric.recorded if has_outputs else ()):
        if wanted and not any(row.get(key) for key in wanted):
            keys = " or ".join(f"`{key}`" for key in wanted)
            return f"the row has no {keys}", wanted[0]
    is_blind = metric.name == _CHUNKS and has_outputs and not row.get("trace")
    if is_blind and not any(part.get("content") for part in row["retrieved_context"]):
        return "no part of `retrieved_context` has `content`", "retrieved_context"
    return None, None


def _kind(name: str) -> str:
    """Name what a metric is worked out by: `llm_judged`, `ground_truth`, or `agent`."""
    whole, *parts = name.split("/")
    return parts[0] if len(parts) > 1 else whole
