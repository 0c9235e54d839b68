"""What changed, as text for a terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

from evalcontract.comparing.difference import (
    ArtifactDifference,
    Difference,
    FileDifference,
)
from evalcontract.comparing.effects import AffectedRows, StaleValidation
from evalcontract.comparing.flips import FlippedRow, Flips
from evalcontract.comparing.rows import RowDifference, TableDifference
from evalcontract.grading.results import RowResult
from evalcontract.grading.runner import score_text
from evalcontract.meaning.changes import MISSING, Act, Change, VersionFault
from evalcontract.meaning.view import ChangeClass
from evalcontract.model.reference import Kind
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, listed, many
from evalcontract.report.frame import wrapped

#: The most characters of a value that are shown, and of what is the same before a difference.
_VALUE, _CONTEXT = 60, 16
_COLOURS = {ChangeClass.BREAKING: "1;31", ChangeClass.ADDITIVE: "1;33", ChangeClass.WORDING: "36"}
#: The titles of what hangs on the changes.
AFFECTED = "scores that can change, since what rows refer to did"
STALE = "judges whose validation no longer holds"
_RED, _BOLD, _GREEN, _YELLOW = "1;31", "1", "1;32", "1;33"


def write_text(
    difference: Difference,
    flips: Flips | None = None,
    *,
    limit: int,
    width: int,
    colour: bool = False,
) -> Iterator[str]:
    """Yield all changes, at most `limit` fields and rows of each artifact (0: all of them)."""
    writer = _Writer(limit, width, colour=colour)
    for artifact in difference.artifacts:
        yield from writer.artifact(artifact)
        yield "\n"
    yield from writer.files(difference.files)
    yield from writer.affected(difference.affected)
    yield from writer.stale(difference.stale)
    if flips is not None:
        yield from writer.flips(flips)
    for remark in difference.remarks:
        yield from wrapped(escape_controls(f"note: {remark}"), 0, width)
    yield from writer.summary(difference)


class _Writer:
    """Writes the parts of the text."""

    def __init__(self, limit: int, width: int, *, colour: bool) -> None:
        self._limit = limit or None
        self._width = width
        self._colour = colour

    def _paint(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._colour else text

    def _wrapped(self, text: str, indent: int, colour: str = "") -> Iterator[str]:
        for line in wrapped(escape_controls(text), indent, self._width):
            yield self._paint(line[:-1], colour) + "\n" if colour else line

    def artifact(self, found: ArtifactDifference) -> Iterator[str]:
        """Yield the head of an artifact, what its version should be, and its changes."""
        yield from self._wrapped(headline(found), 0, _BOLD)
        if sentence := version_sentence(found):
            yield from self._wrapped(f"error: {sentence}", 2, _RED)
        if found.kind is not Kind.DATASET:
            yield from self._wrapped(found.file, 2)
        if found.old_file:
            yield from self._wrapped(f"moved from {found.old_file}", 2)
        for remark in found.remarks:
            yield from self._wrapped(remark, 2)
        yield from self._changes(beside_rows(found), 2)
        yield from self._rows(found)

    def _changes(self, changes: list[Change], indent: int) -> Iterator[str]:
        for change in changes[: self._limit]:
            yield from self._change(change, indent)
        if self._limit and len(changes) > self._limit:
            yield self._more(len(changes) - self._limit, "change", indent)

    def _change(self, change: Change, indent: int) -> Iterator[str]:
        label = f"{change.rank.title}:"
        line = f"{label} {change_sentence(change)}"
        first, *rest = wrapped(escape_controls(line), indent, self._width)
        yield first.replace(label, self._paint(label, _COLOURS[change.rank]), 1)
        yield from rest

    def _rows(self, found: ArtifactDifference) -> Iterator[str]:
        table = found.table
        if table is None:
            return
        groups = alike(table.rows)
        for rows in groups[: self._limit]:
            yield from self._alike(rows)
        if self._limit and (left := groups[self._limit :]):
            yield self._more(sum(map(len, left)), "row", 2)
        before, now = table.uncompared
        if before or now:
            sentence = f"{before:,} other rows before, and {now:,} now, are not the same either"
            yield from self._wrapped(f"{sentence}; their fields were not compared", 2, _YELLOW)

    def _alike(self, rows: list[RowDifference]) -> Iterator[str]:
        yield from self._wrapped(rows_sentence(rows), 2)
        shown = [
            change._replace(name=field_in_row(change, rows[0])) for change in fields_of(rows[0])
        ]
        yield from self._changes(shown, 4)

    def _more(self, count: int, noun: str, indent: int) -> str:
        return f"{' ' * indent}… and {many(count, f'more {noun}')}: `--limit 0` shows all\n"

    def files(self, files: list[FileDifference]) -> Iterator[str]:
        """Yield the other files, and what reads them."""
        for each in files:
            yield from self._wrapped(file_sentence(each), 0, _BOLD)
            yield from (
                line
                for change in each.changes[: self._limit]
                for line in self._wrapped(change_sentence(change), 2)
            )
        yield "\n" if files else ""

    def affected(self, affected: list[AffectedRows]) -> Iterator[str]:
        """Yield the datasets whose scores can move."""
        if not affected:
            return
        yield self._paint(f"{AFFECTED}:", _BOLD) + "\n"
        for each in affected[: self._limit]:
            yield from self._wrapped(affected_sentence(each), 2)
        if self._limit and len(affected) > self._limit:
            yield self._more(len(affected) - self._limit, "line", 2)
        yield "\n"

    def stale(self, stale: list[StaleValidation]) -> Iterator[str]:
        """Yield the judges to be validated again."""
        if stale:
            yield self._paint(f"{STALE}:", _BOLD) + "\n"
            for each in stale:
                yield from self._wrapped(stale_sentence(each), 2)
            yield "\n"

    def flips(self, flips: Flips) -> Iterator[str]:
        """Yield the rows of recorded outputs with another result."""
        yield from self._wrapped(flips_head(flips), 0, _BOLD)
        for row in flips.changed[: self._limit]:
            yield from self._wrapped(flip_sentence(row), 2, _RED if row.is_flip else "")
        if self._limit and len(flips.changed) > self._limit:
            yield self._more(len(flips.changed) - self._limit, "row", 2)
        for ids, when in ((flips.only_old, "before"), (flips.only_new, "now")):
            if ids:
                names = listed(f"`{clipped(id_, NAME_LENGTH)}`" for id_ in ids)
                yield from self._wrapped(f"{many(len(ids), 'row')} only {when}: {names}", 2)
        yield "\n"

    def summary(self, difference: Difference) -> Iterator[str]:
        """Yield the line that sums up everything."""
        wrong = bool(difference.wrong_versions)
        yield from self._wrapped(summary_sentence(difference), 0, _RED if wrong else _GREEN)


def beside_rows(found: ArtifactDifference) -> list[Change]:
    """Return the changes of an artifact that are not those of single rows."""
    rows = found.table.rows if found.table else ()
    of_rows = {id(change) for row in rows for change in row.changes}
    return [change for change in found.changes if id(change) not in of_rows]


def headline(found: ArtifactDifference) -> str:
    """Return what an artifact is called, with its versions, and what became of it."""
    name = clipped(found.name, 2 * NAME_LENGTH)
    versions = _versions(found)
    if found.act is Act.RENAMED:
        versions += f" (before: {clipped(str(found.old_name), NAME_LENGTH)})"
    head = f"{name}{versions}"
    if found.act in (Act.ADDED, Act.REMOVED):
        counts = f", {many(_count(found), 'row')}" if found.table else ""
        return f"{head}: {'new' if found.act is Act.ADDED else 'removed'}{counts}"
    rank = found.rank
    what = rank.title if rank is not None else "the meaning is the same"
    if found.table and (counts := row_counts(found.table)):
        what = f"{what}: {counts}"
    return f"{head}: {what}"


def _count(found: ArtifactDifference) -> int:
    table = found.table
    return 0 if table is None else table.new_count or table.old_count


def _versions(found: ArtifactDifference) -> str:
    change = found.versions
    if change.old is None or change.new is None or change.old == change.new:
        version = change.new or change.old
        return f" {version}" if version else ""
    beside = " (beside it)" if found.stays else ""
    return f" {change.old} → {change.new}{beside}"


def row_counts(table: TableDifference) -> str:
    """Return how many rows were added, removed, renamed and changed."""
    counts = dict.fromkeys((Act.ADDED, Act.REMOVED, Act.RENAMED, Act.CHANGED), 0)
    for row in table.rows:
        counts[row.act] += 1
    parts = [f"{many(count, 'row')} {act}" for act, count in counts.items() if count]
    return ", ".join(parts)


def version_sentence(found: ArtifactDifference) -> str:
    """Return what is wrong with a version, and what it should be; nothing if it is right."""
    change, rank = found.versions, found.rank
    if change.is_unknown:
        return "the version is missing or invalid, so nothing says that it changed"
    if change.fault is None:
        return ""
    title = rank.title if rank is not None else "no"
    need = f"a {title} change needs {change.needed} or higher"
    if change.fault is VersionFault.DOWN and (rank is None or rank is ChangeClass.WORDING):
        need = f"it should be {change.needed} or higher"
    if change.fault is VersionFault.TOO_SMALL and change.old and change.old.major == 0:
        need += " (before 1.0.0, a minor version is enough)"
    return f"{change.fault}: {need}"


def change_sentence(change: Change) -> str:
    """Return a change in words, with both values as far as there is room."""
    name = clipped(change.name, 2 * NAME_LENGTH)
    if change.act is Act.RENAMED:
        return f"{name} renamed, before `{clipped(str(change.old), NAME_LENGTH)}`"
    if change.act is Act.ADDED:
        return f"{name} added: {shown(change.new)}"
    if change.act is Act.REMOVED:
        return f"{name} removed, was {shown(change.old)}"
    if change.name.endswith(")") and _is_digest(change.old):
        return f"{name}: the file says something else"
    return f"{name}: {_differing(change.old, change.new)}"


def _is_digest(value: Any) -> bool:
    return isinstance(value, str) and len(value) == 64 and value.isalnum()  # noqa: PLR2004


def shown(value: Any) -> str:
    """Return a value as JSON, clipped."""
    if value is MISSING:
        return "nothing"
    return clipped(json.dumps(value, ensure_ascii=False), _VALUE)


def _differing(old: Any, new: Any) -> str:
    """Return two values; of long ones, from a little before their first difference."""
    if isinstance(old, list) and isinstance(new, list):
        gone, come = ([each for each in a if each not in b] for a, b in ((old, new), (new, old)))
        parts = [f"added {listed(map(shown, come))}"] if come else []
        parts += [f"removed {listed(map(shown, gone))}"] if gone else []
        return "; ".join(parts) or "the same items in another order or number"
    one, two = (json.dumps(value, ensure_ascii=False) for value in (old, new))
    if max(len(one), len(two)) > _VALUE:
        pairs = enumerate(zip(one, two, strict=False))
        same = next((at for at, (a, b) in pairs if a != b), min(len(one), len(two)))
        start = max(0, same - _CONTEXT)
        head = "…" if start else ""
        one, two = (f"{head}{clipped(text[start:], _VALUE)}" for text in (one, two))
    return f"{one} → {two}"


def alike(rows: Sequence[RowDifference]) -> list[list[RowDifference]]:
    """Return the rows, those with the same changes together."""
    groups: dict[object, list[RowDifference]] = {}
    for row in rows:
        fields = [
            (field_in_row(change, row), change.act, repr(change.old), repr(change.new))
            for change in fields_of(row)
        ]
        key = (row.act, *fields) if row.act is Act.CHANGED else id(row)
        groups.setdefault(key, []).append(row)
    return [*groups.values()]


def fields_of(row: RowDifference) -> list[Change]:
    """Return the fields of a row that changed; none of one that is new or gone."""
    if row.act in (Act.ADDED, Act.REMOVED):
        return []
    return [change for change in row.changes if change.act is not Act.RENAMED]


def rows_sentence(rows: Sequence[RowDifference]) -> str:
    """Return what became of rows with the same changes."""
    row = rows[0]
    name = f"row `{clipped(row.row, NAME_LENGTH)}`"
    if len(rows) > 1:
        return f"rows {listed(f'`{clipped(each.row, NAME_LENGTH)}`' for each in rows)}"
    if row.act is Act.RENAMED:
        return f"{name} renamed, before `{clipped(str(row.old_row), NAME_LENGTH)}`"
    return name if row.act is Act.CHANGED else f"{name} {row.act}"


def field_in_row(change: Change, row: RowDifference) -> str:
    """Return the name of a field without that of its row."""
    for name in (row.row, "?"):
        prefix = f"questions.{name}."
        if change.name.startswith(prefix):
            return change.name[len(prefix) :]
    place = [step for step in change.path if isinstance(step, str) and step != "questions"]
    return ".".join(place) or change.name


def file_sentence(found: FileDifference) -> str:
    """Return what became of another file, and what reads it."""
    act = {Act.ADDED: "is new", Act.REMOVED: "was removed"}.get(found.act, "changed")
    names = listed(f"`{clipped(name, NAME_LENGTH)}`" for name in found.used_by)
    uses = f"; used by {names}" if names else ""
    if found.kind == "configuration":
        uses = ": it says which files are read"
    elif found.kind != "target" and not found.used_by:
        uses = "; nothing uses it"
    return f"{found.kind} {clipped(found.file, 2 * NAME_LENGTH)} {act}{uses}"


def affected_sentence(each: AffectedRows) -> str:
    """Return how many rows of a dataset are affected, and by what."""
    through = " → ".join(f"`{clipped(name, NAME_LENGTH)}`" for name in each.through)
    why = f"`{each.reference}`: {each.fault}" if each.fault else f"through {through}"
    return f"{each.file}: {each.rows:,} of {many(each.total, 'row')}, {why}"


def stale_sentence(each: StaleValidation) -> str:
    """Return which judge has to be validated again, and why."""
    fields = listed(f"`{field}`" for field in each.fields)
    return f"{each.name} ({each.file}): {fields} changed since it was validated"


def flips_head(flips: Flips) -> str:
    """Return how many rows of recorded outputs get another verdict."""
    of = many(flips.rows, "row")
    head = f"{flips.outputs} graded by both: {len(flips.flipped):,} of {of} flip"
    scores = len(flips.changed) - len(flips.flipped)
    head += f", {scores:,} more with another score" if scores else ""
    unknown = many(flips.undecided, "row is", "rows are")
    return (
        f"{head}; {unknown} not fully known, since a check did not run" if flips.undecided else head
    )


def flip_sentence(row: FlippedRow) -> str:
    """Return both results of a row, and the checks that changed."""
    checks = f" ({listed(clipped(check, NAME_LENGTH) for check in row.checks)})"
    sides = " → ".join(_result(each) for each in (row.before, row.after))
    return f"row `{clipped(row.row, NAME_LENGTH)}`: {sides}{checks if row.checks else ''}"


def _result(row: RowResult) -> str:
    known = row.score is not None or row.bounds is not None
    score = f" {score_text(row.score, row.bounds, '.2f')}" if known else ""
    return f"{row.outcome or 'scored'}{score}"


def summary_sentence(difference: Difference) -> str:
    """Return what changed in numbers, and how many versions do not say so."""
    found = difference.artifacts
    parts = [f"{count:,} {title}" for title, count in class_counts(difference).items() if count]
    for act, word in ((Act.ADDED, "new"), (Act.REMOVED, "removed")):
        count = sum(each.act is act for each in found)
        parts += [f"{count:,} {word}"] if count else []
    of = many(difference.compared, "artifact")
    changed = f"{len(found):,} of {of} changed" if found else f"no change of meaning in {of}"
    head = f"{difference.old} → {difference.new}: {changed}"
    head += f" ({', '.join(parts)})" if parts else ""
    if wrong := len(difference.wrong_versions):
        head += f"; {many(wrong, 'version does', 'versions do')} not say so"
    return f"{head}; not all could be compared" if difference.diagnostics else head


def class_counts(difference: Difference) -> dict[str, int]:
    """Return the number of artifacts by the class of their gravest change, the gravest first."""
    ranks = [each.rank for each in difference.artifacts]
    return {rank.title: ranks.count(rank) for rank in sorted(ChangeClass, reverse=True)}
