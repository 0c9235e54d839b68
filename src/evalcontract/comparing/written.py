"""What changed, as JSON for programs and as Markdown for the comment of a pull request."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from evalcontract.comparing.difference import ArtifactDifference, Difference, FileDifference
from evalcontract.comparing.flips import FlippedRow, Flips
from evalcontract.comparing.printed import (
    AFFECTED,
    STALE,
    affected_sentence,
    alike,
    beside_rows,
    change_sentence,
    class_counts,
    field_in_row,
    fields_of,
    file_sentence,
    flip_sentence,
    flips_head,
    headline,
    rows_sentence,
    stale_sentence,
    summary_sentence,
    version_sentence,
)
from evalcontract.meaning.changes import MISSING, Act, Change
from evalcontract.meaning.view import ChangeClass
from evalcontract.model.reference import Kind
from evalcontract.model.values import many
from evalcontract.report.markdown import MAX_BYTES, plain, text

VERSION = "1.0"
#: So many rows of a dataset get the number of their line, which takes a look-up each.
_MOST_LINES = 200


def write_json(difference: Difference, flips: Flips | None, version: str) -> Iterator[str]:
    """Yield one JSON document that conforms to `schema/diff.schema.json`."""
    document = {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": version},
        "old": difference.old,
        "new": difference.new,
        "summary": _summary(difference),
        "artifacts": [*map(_artifact, difference.artifacts)],
        "files": [*map(_file, difference.files)],
        "affected": [each._asdict() for each in difference.affected],
        "stale_validations": [each._asdict() for each in difference.stale],
        "flips": None if flips is None else _flips(flips),
        "remarks": difference.remarks,
        "findings": [
            {
                "code": each.code,
                "message": each.message,
                "file": each.place.file,
                "line": each.place.span.line if each.place.span else None,
            }
            for each in difference.diagnostics
        ],
    }
    try:
        yield json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False)
    except ValueError:  # rows of other systems may have numbers that JSON has not
        yield json.dumps(_finite(document), ensure_ascii=False, indent=1)
    yield "\n"


def _finite(value: Any) -> Any:
    """Return a value with the names of numbers that are not finite in their place."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    if isinstance(value, list):
        return [*map(_finite, value)]
    return {key: _finite(part) for key, part in value.items()} if isinstance(value, dict) else value


def _class(rank: ChangeClass | None) -> str | None:
    return None if rank is None else rank.title


def _summary(difference: Difference) -> dict[str, Any]:
    found = difference.artifacts
    return {
        "class": _class(difference.rank),
        "compared": difference.compared,
        "changed": len(found),
        "added": sum(each.act is Act.ADDED for each in found),
        "removed": sum(each.act is Act.REMOVED for each in found),
        "classes": class_counts(difference),
        "wrong_versions": len(difference.wrong_versions),
        "is_complete": not difference.diagnostics,
    }


def _artifact(found: ArtifactDifference) -> dict[str, Any]:
    table, versions = found.table, found.versions
    rows = None
    if table is not None:
        counts = {str(act): sum(row.act is act for row in table.rows) for act in Act}
        before, now = table.uncompared
        rows = {"old": table.old_count, "new": table.new_count, **counts}
        rows |= {"uncompared_old": before, "uncompared_new": now}
    return {
        "kind": str(found.kind),
        "name": found.name,
        "act": str(found.act),
        "class": _class(found.rank),
        "file": found.file,
        "old_name": found.old_name,
        "old_file": found.old_file,
        "version": {
            "old": _text(versions.old),
            "new": _text(versions.new),
            "fault": _text(versions.fault)
            or ("the version is unknown" if versions.is_unknown else None),
            "needed": _text(versions.needed),
            "old_stays": found.stays,
        },
        "changes": [_change(change, found) for change in beside_rows(found)],
        "rows": rows,
        "changed_rows": [*_rows(found)],
        "remarks": found.remarks,
    }


def records_of(difference: Difference) -> Iterator[dict[str, Any]]:
    """Yield a record for each change of a field, and for each artifact or file without any."""
    return map(_finite, _records(difference))


def _records(difference: Difference) -> Iterator[dict[str, Any]]:
    for found in difference.artifacts:
        of = {"kind": str(found.kind), "name": found.name, "file": found.file, "row": None}
        changes = [{**of, **_change(change, found)} for change in beside_rows(found)]
        for row in _rows(found):
            of["row"] = row["row"]
            changes += [{**of, **change} for change in row["changes"] or [_of_row(row)]]
        yield from changes or [{**of, "field": None, "act": str(found.act), "class": None}]
    for file in difference.files:
        yield {"kind": file.kind, "name": None, "file": file.file, "act": str(file.act)}


def _of_row(row: dict[str, Any]) -> dict[str, Any]:
    return {"field": None, **{key: row[key] for key in ("act", "class", "line")}}


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _change(change: Change, found: ArtifactDifference | None = None) -> dict[str, Any]:
    place = found.place(change) if found and (change.path or change.old_path) else None
    written = {
        "field": change.name,
        "act": str(change.act),
        "class": change.rank.title,
        "line": place.span.line if place and place.span else None,
    }
    values = {"old": change.old, "new": change.new}
    return written | {key: value for key, value in values.items() if value is not MISSING}


def _rows(found: ArtifactDifference) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(found.table.rows if found.table else ()):
        place = found.place(row.changes[0]) if number < _MOST_LINES else None
        yield {
            "row": row.row,
            "act": str(row.act),
            "class": row.rank.title,
            "old_row": row.old_row,
            "number": row.number,
            "old_number": row.old_number,
            "line": place.span.line if place and place.span else None,
            "changes": [
                _change(change._replace(name=field_in_row(change, row)))
                for change in fields_of(row)
            ],
        }


def _file(found: FileDifference) -> dict[str, Any]:
    changes = [_change(change) for change in found.changes]
    for change in changes:
        del change["class"]  # what a target asks for changes no score
    return {
        "kind": found.kind,
        "file": found.file,
        "act": str(found.act),
        "used_by": [*found.used_by],
        "changes": changes,
    }


def _flips(flips: Flips) -> dict[str, Any]:
    return {
        "outputs": flips.outputs,
        "dataset": flips.dataset,
        "rows": flips.rows,
        "flipped": len(flips.flipped),
        "undecided": flips.undecided,
        "only_old": flips.only_old,
        "only_new": flips.only_new,
        "changed": [*map(_flipped_row, flips.changed)],
    }


def _flipped_row(row: FlippedRow) -> dict[str, Any]:
    return {
        "row": row.row,
        "old": {"outcome": _text(row.before.outcome), "score": row.before.score},
        "new": {"outcome": _text(row.after.outcome), "score": row.after.score},
        "checks": [*row.checks],
    }


def write_markdown(difference: Difference, flips: Flips | None, limit: int) -> Iterator[str]:
    """Yield a summary, and the details in parts that can be opened, in a bounded size."""
    room = MAX_BYTES
    for piece in _markdown(difference, flips, limit or None):
        room -= len(piece.encode("utf-8", "replace"))
        if room < 0:
            yield "\n… and more: `evalcontract diff` shows all\n"
            return
        yield piece


def _markdown(difference: Difference, flips: Flips | None, limit: int | None) -> Iterator[str]:
    wrong = difference.wrong_versions
    rank = difference.rank
    verdict = "no change of meaning" if rank is None else rank.title
    if wrong:
        verdict = f"{many(len(wrong), 'version does', 'versions do')} not say what changed"
    yield f"### evalcontract diff: {verdict}\n\n{text(summary_sentence(difference))}\n"
    findings = (f"{each.place}: {each.message}" for each in difference.diagnostics)
    before: tuple[tuple[str, Iterable[str]], ...] = (
        ("", (f"{headline(each)}; {version_sentence(each)}" for each in wrong)),
        ("Files that could not be compared", findings),
        (AFFECTED, map(affected_sentence, difference.affected)),
        (STALE, map(stale_sentence, difference.stale)),
        (flips_head(flips) if flips else "", map(flip_sentence, flips.changed if flips else ())),
    )
    for title, sentences in before:
        yield from _section(title, sentences, limit)
    for found in difference.artifacts:
        yield from _details(found, limit)
    yield from _section("", map(file_sentence, difference.files), limit)
    yield from _section("", difference.remarks, limit)


def _section(title: str, sentences: Iterable[str], limit: int | None) -> Iterator[str]:
    """Yield a list below its title; nothing if there is no item, and none is told by the title."""
    lines = [*_list(sentences, limit)]
    if lines or " graded by both" in title:
        yield f"\n**{text(title[:1].upper() + title[1:])}**\n\n" if title else "\n"
        yield from lines


def _details(found: ArtifactDifference, limit: int | None) -> Iterator[str]:
    yield f"\n<details><summary>{plain(headline(found))}</summary>\n\n"
    lines = [f"`{found.file}`"] if found.kind is not Kind.DATASET else []
    lines += [f"moved from `{found.old_file}`"] if found.old_file else []
    lines += found.remarks
    lines += [_classed(change) for change in beside_rows(found)]
    yield from _list(lines, limit)
    groups = alike(found.table.rows if found.table else [])
    for rows in groups[:limit]:
        yield f"- {text(rows_sentence(rows))}\n"
        for change in fields_of(rows[0])[:limit]:
            yield f"  - {text(_classed(change._replace(name=field_in_row(change, rows[0]))))}\n"
    if limit and (left := groups[limit:]):
        yield f"- … and {many(sum(map(len, left)), 'more row')}\n"
    yield "\n</details>\n"


def _classed(change: Change) -> str:
    return f"{change.rank.title}: {change_sentence(change)}"


def _list(sentences: Iterable[str], limit: int | None = None) -> Iterator[str]:
    lines = [*sentences]
    for sentence in lines[:limit]:
        yield f"- {text(sentence)}\n"
    if limit and len(lines) > limit:
        yield f"- … and {len(lines) - limit:,} more\n"
