"""Parse the lines of a JSONL block into rows; a broken line does not affect the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import orjson

from evalcontract.model.diagnostic import Span
from evalcontract.source.document import Batch
from evalcontract.source.fault import ParseError, SourceProblem, moved_fault
from evalcontract.source.json.json import is_plain, keeps_all_keys, load_as_python, load_json
from evalcontract.source.limits import MAX_DEPTH
from evalcontract.source.memory import collector_paused
from evalcontract.source.text import encoding_fault
from evalcontract.source.text_lines import plain_ends

if TYPE_CHECKING:
    from evalcontract.source.json.jsonl_blocks import Start

Faults = tuple[tuple[SourceProblem, str], ...]


def parse_lines(
    data: bytes,
    lines: list[bytes],
    at: Start,
    *,
    quick: bool = False,
    as_python: bool = False,
    as_text: bool = False,
) -> tuple[Batch, tuple[int, ...]]:
    """Return the rows of some lines, and the numbers of the lines without a row, from 0.

    `data` is the lines joined. `quick` is as in `RowStream.batches`. With `as_python` each line is
    read like Python's `json` reads it; what RFC 8259 forbids is in the remarks of the batch. With
    `as_text` white space of Unicode around a line does not count.
    """
    rows = _parse_quickly(data, lines)
    if rows is not None and ((quick and not _may_be_deep(lines)) or is_plain(data, rows)):
        return Batch(at.first_index, rows), ()
    remarks: list[tuple[SourceProblem, str]] | None = [] if as_python else None
    rows, faults, skipped = _parse_slowly(lines, at, remarks, as_text=as_text)
    return Batch(at.first_index, rows, faults, tuple(remarks or ())), skipped


def _parse_quickly(data: bytes, lines: list[bytes]) -> list[Any] | None:
    """Return the rows of a block; None if a line is blank, broken or may be misread by orjson."""
    loads = orjson.loads
    try:
        with collector_paused():
            rows = [loads(line) for line in lines]
    except orjson.JSONDecodeError:
        return None
    return rows if keeps_all_keys(data, rows) else None


def _may_be_deep(lines: list[bytes]) -> bool:
    """Whether a line has so many brackets that it may be nested too deep."""
    # As many brackets close as open, so a short line is not even looked at.
    return any(
        line.count(b"[") + line.count(b"{") > MAX_DEPTH
        for line in lines
        if len(line) > MAX_DEPTH * 2
    )


def _parse_slowly(
    lines: list[bytes],
    at: Start,
    remarks: list[tuple[SourceProblem, str]] | None,
    *,
    as_text: bool,
) -> tuple[list[Any], Faults, tuple[int, ...]]:
    """Parse a block line by line."""
    first_line, offset = at.first_line, at.offset
    rows: list[Any] = []
    faults: list[tuple[SourceProblem, str]] = []
    skipped: list[int] = []
    for number, whole in enumerate(line.removesuffix(b"\n") for line in lines):
        line = plain_ends(whole) if as_text else whole
        if not line.strip():
            skipped.append(number)
        else:
            try:
                if remarks is None:
                    rows.append(load_json(line.rstrip(b"\r"), is_line=True))
                else:
                    row, of_line = load_as_python(line.rstrip(b"\r"), is_line=True)
                    rows.append(row)
                    text = line.decode()
                    remarks += [(_on_line(remark, number + first_line), text) for remark in of_line]
            except UnicodeDecodeError as error:
                problem = encoding_fault(line, error, offset, is_line=True)
                text = line.decode("utf-8", "replace").rstrip("\r")
                faults.append((_on_line(problem, number + first_line), text))
                skipped.append(number)
            except ParseError as error:
                text = line.decode("utf-8", "replace")
                faults += [
                    (_on_line(problem, number + first_line), text) for problem in error.faults
                ]
                skipped.append(number)
        offset += len(whole) + 1
    return rows, tuple(faults), tuple(skipped)


def _on_line(problem: SourceProblem, line: int) -> SourceProblem:
    """Return a problem of a one-line text as a problem of a line of the file."""
    moved = moved_fault(problem, line - 1)
    return moved if moved.span else moved._replace(span=Span.point(line))
