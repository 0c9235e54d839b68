"""What a conversion loses: rubrics embedded in rows and extracted again, and what is preserved.

An embedded rubric has neither a name nor a file, so that a row cannot refer to it. The first row
that has it holds it whole, under a label; each further row has the label alone. Converting back
extracts it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeGuard

from evalcontract.formats import Format
from evalcontract.formats._conversion import OURS, Field, Loss, OurRow, with_unread
from evalcontract.model.diagnostic import Path
from evalcontract.model.values import json_equal
from evalcontract.source.document import value_at

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


_METADATA = ("metadata",)
_ANY = "*"
# A rubric that was made from a row has no name there yet.
_RUBRIC = ("rubric_ref",)
# Below such keys a row preserves the fields of a system.
_IN_RESIDUAL = ("metadata", "SYSTEM", "set")
# Where systems preserve what they have no field for of a row.
_PRESERVED = (
    *(("metadata", OURS), ("metadata", OURS, "row"), ("metadata", OURS, "set")),
    ("tags", OURS, "set"),
)


def losses_of_source(
    read: OurRow, written: Sequence[Loss], row: Any, fields: Sequence[Field]
) -> list[Loss]:
    """Return the losses of a row, by the fields that it has.

    What its reader lost is preserved only where metadata are.
    """
    is_kept = all(loss.is_kept for loss in written if loss.path == _METADATA)
    losses = {loss.path: loss._replace(is_kept=loss.is_kept and is_kept) for loss in read.losses}
    for loss in written:
        in_rubric = read.in_rubric if loss.path == (RUBRIC_KEY,) else ()
        said = with_unread(read.row, read.unread)
        paths = [*in_rubric, *_paths(loss, row, said, fields=fields)]
        paths = paths or [*preserved_at(row, loss.path)]
        if not paths and not loss.is_kept and loss.path not in (_METADATA, (RUBRIC_KEY,)):
            losses.setdefault((), loss._replace(path=()))
        for path in paths:
            if path not in losses or not loss.is_kept:
                losses[path] = loss._replace(path=path)
    return [*losses.values()]


def without_restored(
    losses: Sequence[Loss], source: Any, written: Any, dialect: Format
) -> list[Loss]:
    """Return losses but for the values that stand in what was written, as they were.

    So it is between dialects of one system, which have many fields in common. A value that stands
    there in a field that the target dialect does not read is a loss even so.
    """
    unread = {each.theirs for each in dialect.all_fields()}
    unread -= {each.theirs for each in dialect.own_fields}

    def is_restored(loss: Loss) -> bool:
        if not loss.path or ".".join(map(str, loss.path)) in unread:
            return False
        value = value_at(source, loss.path)
        return value is not None and json_equal(value, value_at(written, loss.path))

    return [loss for loss in losses if not is_restored(loss)]


def ordered_like(source: Any, written: Any) -> Any:
    """Return a row with its keys in the order that they have in the source; others come after."""
    if not isinstance(source, dict) or not isinstance(written, dict):
        return written
    keys = [*(key for key in source if key in written), *(k for k in written if k not in source)]
    return {key: ordered_like(source.get(key), written[key]) for key in keys}


def _paths(
    loss: Loss, row: Any, own: dict[str, Any], fields: Sequence[Field]
) -> Iterator[tuple[Any, ...]]:
    """Yield the paths of the values in a row that a field of evalcontract came from."""
    path = _RUBRIC if loss.path == (RUBRIC_KEY,) else loss.path
    if path[:1] == _METADATA and len(path) > len(_IN_RESIDUAL):
        theirs = path[len(_IN_RESIDUAL) :]  # a writer of the same system told its own field
        yield from [theirs] if value_at(row, theirs) is not None else ()
    table = tuple(fields)
    for ours, theirs in _candidate_fields(table, path):
        width = min(len(ours), len(path))
        if ours[-1] != _ANY and ours != _RUBRIC and value_at(own, ours) is None:
            continue  # another field of the same system is here
        if theirs[-1] != _ANY:
            values = [theirs] if ours[-1] != _ANY or width < len(ours) else []
        elif len(path) >= len(ours):
            values = [(*theirs[:-1], str(path[len(ours) - 1]))]
        else:
            named = _fields_with_names(table)
            read = _keys_at(own, ours[:-1])
            keys = [key for key in _keys_at(row, theirs[:-1]) if ours[-1] != _ANY or key in read]
            values = [(*theirs[:-1], key) for key in keys if (*theirs[:-1], key) not in named]
        yield from (each for each in values if value_at(row, each) not in (None, [], {}))


@lru_cache(maxsize=1024)
def _candidate_fields(
    table: tuple[Field, ...], path: Path
) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Return the fields that a path of evalcontract may be, as ours and theirs."""
    pairs = [
        (tuple(field.ours.split(".")), tuple(field.theirs.split(".")))
        for field in table
        if field.theirs is not None and field.ours is not None
    ]
    steps = [*map(str, path)]
    return [
        (ours, theirs)
        for ours, theirs in pairs
        if all(one in (other, _ANY) for one, other in zip(ours, steps, strict=False))
    ]


@lru_cache(maxsize=64)
def _fields_with_names(table: tuple[Field, ...]) -> frozenset[tuple[str, ...]]:
    """Return the fields of a system that have names."""
    return frozenset(tuple(field.theirs.split(".")) for field in table if field.theirs)


def _keys_at(value: Any, path: Path) -> Collection[str]:
    """Return the keys of the mapping at a path; none if there is no mapping."""
    given = value_at(value, path)
    return given if isinstance(given, dict) else ()


def preserved_at(row: Any, ours: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Yield the path of a value that a row preserves of a row of evalcontract."""
    paths = ((*place, *ours) for place in _PRESERVED)
    yield from (path for path in paths if value_at(row, path) is not None)
