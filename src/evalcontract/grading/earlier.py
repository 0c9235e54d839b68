"""The rows of an earlier run, to compare: read before, or in the file that `grade` wrote."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Protocol

from evalcontract._version import __version__
from evalcontract.checks.outcome import Outcome
from evalcontract.grading.basis import Basis, to_json
from evalcontract.grading.results import (
    RowResult,
    content_of,
    lines_of_run,
    read_results,
    result_of,
    run_path,
    unreadable,
)
from evalcontract.grading.tables import table_medium
from evalcontract.library.scores import Bounds
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.faults import collector_paused
from evalcontract.workspace import display_name


class CountedResult(NamedTuple):
    """What counts in the result of a row when it is compared: of the row, and of its checks.

    Of a check, also one inside of another, that is its name, its outcome, score and bounds.
    """

    rubric: str | None
    row: tuple[Outcome | None, float | None, Bounds | None]
    checks: tuple[tuple[str, Outcome, float | None, Bounds | None], ...]

    def is_of(self, row: RowResult) -> bool:
        """Whether it is what counts in the result of a row; False for one with checks inside."""
        # This is asked for each row, mostly of the same result.
        _, rubric, outcome, score, _, bounds, checks, _, _ = row
        return (
            tuple(map(_of_check, checks)) == self[2]
            and (outcome, score, bounds) == self[1]
            and rubric == self[0]
            and not any(map(_inside, checks))
        )


# What counts of a check, and the checks inside.
_of_check, _inside = itemgetter(0, 2, 3, 6), itemgetter(7)


def counted_of(row: RowResult) -> CountedResult:
    """Return what counts in the result of a row."""
    if any(map(_inside, row.checks)):
        leaves = (leaf for check in row.checks for leaf in check.leaves())
        checks = tuple([(name, *_of_check(leaf)[1:]) for name, leaf in leaves])
    else:
        checks = tuple(map(_of_check, row.checks))
    return CountedResult(row.rubric, (row.outcome, row.score, row.bounds), checks)


@lru_cache(maxsize=1 << 12)  # most rows have one of a few
def fingerprint_of(counted: CountedResult) -> str:
    """Return what tells the results of rows apart without reading them: 16 hexadecimal digits."""
    results = [("", *counted.row), *counted.checks]
    numbers = [(score, *(bounds or ())) for _, _, score, bounds in results]
    texts = [(name, outcome) for name, outcome, _, _ in results]
    # Equal numbers are written alike: 1 as 1.0, and -0.0 as 0.0.
    values = [[None if each is None else each + 0.0 for each in some] for some in numbers]
    text = to_json([counted.rubric, texts, values])
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class EarlierRows(Protocol):
    """The rows of an earlier run; several may have one id."""

    def counted(self, id_: str, at: int) -> CountedResult | None:
        """Return what counts of a row after `at` others with its id; None if there is none."""

    def row(self, id_: str, at: int) -> RowResult:
        """Return a row that is there."""

    def lost(self, seen: Mapping[str, int]) -> list[str]:
        """Return the ids of the rows that were not compared; `seen` has how many with each were."""


class ReadRows(NamedTuple):
    """Rows by their ids; those with the same id in their order."""

    rows: Mapping[str, Sequence[RowResult]]

    def counted(self, id_: str, at: int) -> CountedResult | None:
        """Return what counts of a row."""
        rows = self.rows.get(id_, ())
        return counted_of(rows[at]) if at < len(rows) else None

    def row(self, id_: str, at: int) -> RowResult:
        """Return a row."""
        return self.rows[id_][at]

    def lost(self, seen: Mapping[str, int]) -> list[str]:
        """Return the ids of rows that are not seen."""
        return [id_ for id_, rows in self.rows.items() for _ in rows[seen.get(id_, 0) :]]


def by_id(rows: Iterable[RowResult]) -> EarlierRows:
    """Return rows by their ids."""
    found: dict[str, list[RowResult]] = {}
    for row in rows:
        found.setdefault(row.id, []).append(row)
    return ReadRows(found)


class WrittenResults(NamedTuple):
    """Complete results as this version writes them, of which little is kept.

    `starts` are where the lines begin in the file, and `rows` has what counts in them, by the ids
    of the rows.
    """

    basis: Basis
    path: Path
    starts: Mapping[str, int]
    rows: Mapping[str, CountedResult]

    def counted(self, id_: str, at: int) -> CountedResult | None:
        """Return what counts of a row; None if there is none, of which only the first is one."""
        return None if at else self.rows.get(id_)

    def row(self, id_: str, at: int = 0) -> RowResult:
        """Read the line of a row that is there.

        Raises:
            UsageError: it cannot be read, or has changed.

        """
        del at  # each has one
        try:
            with self.path.open("rb") as lines:
                lines.seek(self.starts[id_])
                content = content_of(lines.readline())
        except OSError as error:
            raise unreadable(self.path, error) from None
        if content is None or content.get("id") != id_:
            raise UsageError(f"{display_name(self.path)} changed while it was read: try again")
        return result_of(content)

    def lost(self, seen: Container[str]) -> list[str]:
        """Return the ids that are not among some others."""
        return [id_ for id_ in self.rows if id_ not in seen]


def written_results(path: Path) -> WrittenResults | None:
    """Return complete results that this version wrote; None if that is not certain.

    That is if their run file says so, with their digest, and no row has several results.
    """
    beside = run_path(path)
    if table_medium(path) or not (path.is_file() and beside.is_file()):
        return None
    try:
        run = content_of(beside.read_bytes())
        if run is None or not {"manifest", "used", "summary"} <= run.keys():
            return None
        if run["manifest"]["tool"] != {"name": "evalcontract", "version": __version__}:
            return None
        with collector_paused(), path.open("rb", _BUFFER) as lines:
            digest, starts, rows = _read_counted(lines)
    except (OSError, ValueError, KeyError):
        return None
    if run.pop("results", {}).get("sha256") != digest or not rows:
        return None
    basis = read_results(lines_of_run(run), display_name(path)).basis
    return WrittenResults(basis, path, starts, rows)


# So many bytes are read at a time: all of the file is.
_BUFFER = 1 << 20
# How the line of a row begins that has one output; an id with an escape is another matter.
_START = lazy_pattern(rb'\{"id": "([^"\\]*+)", "fingerprint": "([0-9a-f]{16})", "rubric": ')


def _read_counted(
    lines: Iterable[bytes],
) -> tuple[str, dict[str, int], dict[str, CountedResult]]:
    """Return the digest of lines, where that of each row begins, and what counts in it.

    Of the lines with the same fingerprint, the first is read.

    Raises:
        ValueError, KeyError: a line is no result, or not the only one of its row.

    """
    digest = sha256()
    starts: dict[str, int] = {}
    rows: dict[str, CountedResult] = {}
    known: dict[bytes, CountedResult] = {}
    start = 0
    for line in lines:
        digest.update(line)
        begins = _START.match(line)
        id_, counted = (begins[1].decode(), known.get(begins[2])) if begins else ("", None)
        if counted is None:
            id_, counted = _read_whole(line)
            if begins:
                known[begins[2]] = counted
        if id_ in starts:
            raise ValueError
        starts[id_], rows[id_] = start, counted
        start += len(line)
    return digest.hexdigest(), starts, rows


def _read_whole(line: bytes) -> tuple[str, CountedResult]:
    content = content_of(line)
    if content is None or "sample" in content:
        raise ValueError
    counted = counted_of(result_of(content))
    if content["fingerprint"] != fingerprint_of(counted):
        raise ValueError
    return content["id"], counted
