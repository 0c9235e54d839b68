"""NorthStar's models, written from the table of fields: what its loader validates a case by."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _not_negative(value: float) -> float:
    if value < 0:
        raise ValueError("must not be negative")
    return value


def _positive(value: int) -> int:
    if value < 1:
        raise ValueError("must be positive")
    return value


def _share(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError("must be between 0 and 1")
    return value


Texts = Annotated[list[str] | None, BeforeValidator(_listed)]
Count = Annotated[int, AfterValidator(_not_negative)]
Positive = Annotated[int, AfterValidator(_positive)]
Amount = Annotated[float, AfterValidator(_not_negative)]
Share = Annotated[float, AfterValidator(_share)]


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid")


class ToolArguments(_Model):
    """A tool, and arguments that its call must have."""

    name: str
    arguments: dict[str, Any]


class Transition(_Model):
    """A change of state."""

    from_state: str
    to_state: str


class TraceExpected(_Model):
    """What is expected of a trace."""

    max_repeated_tool_calls: Positive | None = None
    allowed_state_transitions: list[Transition] | None = None
    relevant_retrieval_ids: list[str] | None = None
    min_retrieval_precision: Share | None = None
    min_retrieval_recall: Share | None = None
    max_step_cost_usd: Amount | None = None


class Expected(_Model):
    """What is expected of a run."""

    goal: str | None = None
    ground_truth: str | None = None
    rubric: str | None = None
    context: Texts = None
    required_tools: Texts = None
    forbidden_tools: Texts = None
    tool_sequence: Texts = None
    contains: Texts = None
    not_contains: Texts = None
    tool_arguments: list[ToolArguments] | None = None
    require_tool_output_reference: bool | None = None
    max_tool_calls: Count | None = None
    max_latency_ms: Amount | None = None
    max_cost_usd: Amount | None = None
    trace: TraceExpected | None = None


class Metrics(_Model):
    """What was measured of a run."""

    latency_ms: float | None = None
    cost_usd: float | None = None


class Case(_Model):
    """A recorded run, and what is expected of it."""

    id: str
    messages: list[dict[str, Any]]
    input: Any = None
    trace: dict[str, Any] | None = None
    expected: Expected = Field(default_factory=Expected)
    metrics: Metrics = Field(default_factory=Metrics)
    metadata: dict[str, Any] = Field(default_factory=dict)
