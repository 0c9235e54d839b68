"""The rubrics that the cases of one file preserve: the first case has each, others its label."""

from __future__ import annotations

from typing import Any

from evalcontract.formats._conversion import OURS
from evalcontract.formats._findings import mapping_at

_RUBRIC, _LABEL = "rubric", "id"


class WrittenRubrics:
    """Labels the rubrics that are written to a file."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}

    def shared(self, kept: dict[str, Any]) -> dict[str, Any]:
        """Return what a case preserves, with the label of a rubric that an earlier case has."""
        rubric = kept.get(_RUBRIC)
        if not isinstance(rubric, dict):
            return kept
        key = repr(rubric)
        if key in self._labels:
            return {**kept, _RUBRIC: self._labels[key]}
        label = self._labels[key] = f"rubric_{len(self._labels) + 1}"
        return {**kept, _RUBRIC: {_LABEL: label, **rubric}}


class ReadRubrics:
    """Knows the rubrics that were read from a file, by their labels."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def whole(self, case: dict[str, Any]) -> dict[str, Any]:
        """Return a case that preserves its rubric, and not only the label of it."""
        kept = mapping_at(case, "metadata", OURS)
        rubric = kept.get(_RUBRIC)
        if isinstance(rubric, dict) and isinstance(label := rubric.get(_LABEL), str):
            rubric = {key: part for key, part in rubric.items() if key != _LABEL}
            self._known[label] = rubric
        elif isinstance(rubric, str) and rubric in self._known:
            rubric = self._known[rubric]
        else:
            return case
        return {**case, "metadata": {**case["metadata"], OURS: {**kept, _RUBRIC: rubric}}}
