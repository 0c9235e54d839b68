"""Types of `target.schema.json`, written by `make typed`."""

from typing import Any, NotRequired, TypedDict

_TargetKeys = TypedDict("_TargetKeys", {"$schema": NotRequired[str]})


class Target(_TargetKeys):
    """What to validate and how strictly: the settings that belong to one evaluation target."""

    id: NotRequired[str]
    label: NotRequired[str]
    description: NotRequired[str]
    dataset: str
    strict_validation: NotRequired[bool]
    max_validation_age_days: NotRequired[int]
    row_keys_graded: NotRequired[list[str]]
    threshold: NotRequired[float]
    allow_undecided: NotRequired[bool]
    metadata: NotRequired[dict[str, Any]]
