"""Types of `judge.schema.json`, written by `make typed`."""

from typing import Any, Literal, NotRequired, TypedDict


class Model(TypedDict):
    """A language model.

    Further keys, such as a temperature, are allowed.
    """

    provider: NotRequired[str]
    name: str


class ConfusionMatrix(TypedDict):
    """How often the judge and the people agreed.

    Positive means PASS.
    """

    tp: int
    fn: int
    tn: int
    fp: int


class Interval(TypedDict):
    """A confidence interval of a rate."""

    lower: float
    upper: float
    level: NotRequired[float]
    method: NotRequired[str]


class ConfidenceIntervals(TypedDict):
    """One interval for each rate."""

    tpr: NotRequired[Interval]
    tnr: NotRequired[Interval]


class Validation(TypedDict):
    """The record of a comparison with human labels.

    Positive means PASS throughout: a high `tpr` says that good work passes, a high `tnr` that
    bad work fails. Further keys are allowed.
    """

    tpr: NotRequired[float]
    tnr: NotRequired[float]
    validated_against: NotRequired[str]
    validated_at: NotRequired[str]
    sample_size: NotRequired[int]
    confusion_matrix: NotRequired[ConfusionMatrix]
    confidence_intervals: NotRequired[ConfidenceIntervals]
    split: NotRequired[str]
    judge_version: NotRequired[str]
    template_sha256: NotRequired[str]
    model: NotRequired[Model]


_JudgeKeys = TypedDict("_JudgeKeys", {"$schema": NotRequired[str]})


class Judge(_JudgeKeys):
    """The instruction by which a language model grades an output, with the record of how well
    it agrees with people.

    Further keys are allowed.
    """

    id: str
    version: str
    label: NotRequired[str]
    description: NotRequired[str]
    template: str
    score_type: NotRequired[Literal["binary", "continuous", "levels"]]
    level_names: NotRequired[list[str]]
    level_values: NotRequired[list[float]]
    min_score: NotRequired[float]
    max_score: NotRequired[float]
    pass_threshold: NotRequired[float]
    applicable_to: NotRequired[list[str]]
    model: NotRequired[Model]
    validation: NotRequired[Validation]
    metadata: NotRequired[dict[str, Any]]
