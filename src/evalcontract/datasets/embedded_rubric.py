"""Embed the rubrics that were made from rows, for target formats that have no rubrics.

Such a rubric has neither a name nor a file, so that a row cannot refer to it. The first row that
has it holds it whole, under a label; each further row has the label alone. Converting back extracts
it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeGuard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.formats._conversion import OurRow

#: The key of a rubric that is embedded in a row.
RUBRIC_KEY = "rubric"
_JUDGES_KEY, _LABEL_KEY = "judges", "id"
# The key below `metadata` of every rubric that was made from a row.
_ORIGIN_KEY = "made_from"


def with_judges(rubric: dict[str, Any], judges: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return a rubric that has the judges that it refers to; `ExtractedRubrics` separates them."""
    return {**rubric, _JUDGES_KEY: list(judges)} if judges else rubric


class EmbeddedRubrics:
    """Embeds the rubrics of one file, each once."""

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}

    def embed(
        self, row: dict[str, Any], rubric: dict[str, Any], judges: Sequence[dict[str, Any]]
    ) -> dict[str, Any]:
        """Return a row with its rubric, including the judges that the rubric refers to."""
        whole = with_judges(rubric, judges)
        key = repr(whole)
        if label := self._labels.get(key):
            origin = {_ORIGIN_KEY: rubric.get("metadata", {}).get(_ORIGIN_KEY)}
            return {**row, RUBRIC_KEY: {_LABEL_KEY: label, "metadata": origin}}
        self._labels[key] = label = f"rubric_{len(self._labels) + 1}"
        return {**row, RUBRIC_KEY: {_LABEL_KEY: label, **whole}}


class ExtractedRubrics:
    """Extracts the rubrics that are embedded in the rows of one file."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Any]] = {}

    def extract(self, converted: OurRow) -> OurRow | None:
        """Return a row without its embedded rubric, which is now its own, if it has one.

        None if the row has a label that no row before it had with a rubric.
        """
        if converted.is_new and converted.rubric is not None:
            return _without_judges(converted, converted.rubric)
        value = converted.row.get(RUBRIC_KEY)
        if converted.rubric is not None or "rubric_ref" in converted.row or not _is_ours(value):
            return converted
        label = value.get(_LABEL_KEY, "")
        if value.get("checks") is not None:
            self._known[label] = value
        elif label not in self._known:
            return None
        whole = self._known[label]
        row = {key: part for key, part in converted.row.items() if key != RUBRIC_KEY}
        rubric = {key: part for key, part in whole.items() if key != _LABEL_KEY}
        return _without_judges(converted._replace(row=row), rubric)


def _without_judges(converted: OurRow, rubric: dict[str, Any]) -> OurRow:
    """Return a row with a rubric, and with the judges that the rubric has."""
    judges = rubric.get(_JUDGES_KEY)
    if not _are_judges(judges):
        return converted._replace(rubric=rubric)
    rubric = {key: part for key, part in rubric.items() if key != _JUDGES_KEY}
    return converted._replace(rubric=rubric, judges=(*converted.judges, *judges))


def _is_ours(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a value is an embedded rubric or its label, and not another with the same key."""
    if not isinstance(value, dict) or not isinstance(value.get("metadata"), dict):
        return False
    if _ORIGIN_KEY not in value["metadata"] or not isinstance(value.get(_LABEL_KEY, ""), str):
        return False
    checks = value.get("checks")
    is_label = checks is None and _LABEL_KEY in value
    return is_label or (_are_judges(value.get(_JUDGES_KEY, [])) and isinstance(checks, list))


def _are_judges(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and all(
        isinstance(judge, dict) and isinstance(judge.get("id"), str) for judge in value
    )
