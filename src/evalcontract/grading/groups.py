"""What rows have in common: their tags, the values of keys, and the clusters that they came in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evalcontract.grading.basis import to_json
from evalcontract.grading.results import TAGS, VALUES, RowResult
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, listed

_METADATA = "metadata"


class Group(NamedTuple):
    """The rows that have a value, or one of a list, under a key; those with a tag are one, too."""

    key: str
    value: str


class Grouping(NamedTuple):
    """By which keys of rows, or of their `metadata`, results are grouped, besides tags.

    Rows with the same value of `cluster` were drawn together. `reduce` says what several outputs
    of a row come to.
    """

    by: tuple[str, ...] = ()
    cluster: str | None = None
    reduce: str = "mean"

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys whose values have to be known of rows."""
        return tuple(dict.fromkeys((*self.by, self.cluster) if self.cluster else self.by))

    def require_told(self, earlier: Sequence[RowResult]) -> None:
        """Refuse results that do not tell the values of the keys.

        Raises:
            UsageError: they do not.

        """
        missing = listed(
            f"`{clipped(key)}`"
            for key in self.keys
            if key != TAGS and all(_value(row.content or {}, key) is None for row in earlier)
        )
        if earlier and missing:
            raise UsageError(
                f"the results do not tell {missing} of rows: grade with the same keys (--by,"
                " --cluster), and without --resume"
            )

    def told(self, rows: Sequence[Mapping[str, Any]], results: list[RowResult]) -> list[RowResult]:
        """Return results with what groups are made of: tags, and the values of the keys.

        What a result has as its `content` has the tags already.
        """
        keys = self.keys
        if not keys:
            if not any(TAGS in row for row in rows):
                return results
            return [
                result if result.content or TAGS not in row else _with(result, {TAGS: row[TAGS]})
                for row, result in zip(rows, results, strict=True)
            ]
        return [_with(result, _told(row, keys)) for row, result in zip(rows, results, strict=True)]

    def groups(self, result: RowResult) -> Iterator[Group]:
        """Yield the groups of a row."""
        content = result.content or {}
        yield from _groups(TAGS, content.get(TAGS))
        for key in self.by:
            if key != TAGS:
                yield from _groups(key, _value(content, key))

    def cluster_of(self, result: RowResult) -> str | None:
        """Return the name of a row's cluster; None if it is one of its own."""
        value = _value(result.content or {}, self.cluster) if self.cluster else None
        return None if value is None else _text(value)


def _with(result: RowResult, told: Mapping[str, Any]) -> RowResult:
    return result._replace(content={**(result.content or {}), **told})


def _told(row: Mapping[str, Any], keys: Iterable[str]) -> dict[str, Any]:
    found = {key: value for key in keys if (value := _value(row, key)) is not None}
    tags = {TAGS: row[TAGS]} if TAGS in row else {}
    return {**tags, **({VALUES: found} if found else {})}


def _value(row: Mapping[str, Any], key: str) -> Any:
    """Return the value of a key of a row, or of its metadata, or as it is told; None without."""
    for place in (row.get(VALUES), row, row.get(_METADATA)):
        if isinstance(place, dict) and place.get(key) is not None:
            return place[key]
    return None


def _groups(key: str, value: Any) -> Iterator[Group]:
    if value is not None:
        values = value if isinstance(value, list) else [value]
        yield from dict.fromkeys(Group(key, _text(each)) for each in values)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else to_json(value)
