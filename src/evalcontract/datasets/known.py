"""What is known from earlier checks: rows with problems, as in an editor, and pieces of tables."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import StringIO
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.workers import BatchResult, IgnoringRow, ObservedRows, moved
from evalcontract.model.diagnostic import Cause, Problem, Related, Within
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Batch
from evalcontract.source.document import RowPieces

if TYPE_CHECKING:
    from evalcontract.cache import Cache


class KnownRow(NamedTuple):
    """A row with problems: its number, its value, and what finds places in its text."""

    number: int
    value: Any
    problems: list[Problem]
    piece: Any


class KnownRows:
    """The rows with problems of the last check of a file, by their text, for the next check.

    Problems depend on the text of the row, and on what all rows are checked with: where that is not
    what it was, no row is known.
    """

    def __init__(self) -> None:
        self._checked_with: object = None
        self._rows: dict[object, KnownRow] = {}
        self._next: dict[object, KnownRow] = {}

    def begin(self, checked_with: object) -> None:
        """Begin a check; one before that did not come to its end is no loss."""
        is_same = checked_with == self._checked_with
        self._rows = {**self._rows, **self._next} if is_same else {}
        self._checked_with, self._next = checked_with, {}

    def end(self, *, is_sure: bool) -> None:
        """End a check: keep the rows that it has come across, if they are sure to stay the same."""
        self._rows, self._next = self._next if is_sure else {}, {}

    def in_batch(self, batch: Batch, pieces: RowPieces) -> dict[int, KnownRow]:
        """Return the known rows of a batch by their numbers."""
        if not self._rows:
            return {}
        first, known = batch.first_index, self._rows
        texts = pieces.texts(first, len(batch.rows))
        found = {n: known[text] for n, text in enumerate(texts, first) if text in known}
        for n, row in found.items():
            self._next[texts[n - first]] = row
            pieces.put(n, row.piece)
        return found

    def keep(self, index: int, value: Any, problems: list[Problem], pieces: RowPieces) -> None:
        """Keep a row that has been checked, unless its problems are related to other places."""
        piece, (text,) = pieces.piece(index), pieces.texts(index, 1)
        if piece and text and not any(each.related for each in problems):
            self._next[text] = KnownRow(index, value, problems, piece)


# Change this when the format of entries changes.
_PIECES = "pieces-1"
# Old entries are removed once in so many new ones.
_TRIM_EVERY = 16
# Findings that another check might not have: of bugs, and of limits on all rows together.
_UNSURE = ("internal/", "source/")


class KnownPieces:
    """The results of pieces of tables that earlier checks have kept in a cache, by content.

    Each is kept as soon as it is there, so that a check that ends before its end leaves them.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache.beside(_PIECES, trim_every=_TRIM_EVERY)

    def checked_with(self, facts: object) -> PieceResults | None:
        """Return the results that depend on these facts, by their `repr`, besides the rows.

        None if nobody knows what else they depend on, as with rules of other packages.
        """
        from evalcontract.cache.checks import installation_fingerprint  # only for large tables
        from evalcontract.cache.store import digest

        installation = installation_fingerprint()
        if installation is None or installation.has_plugins:
            return None
        how = repr((installation.fingerprint, facts)).encode("utf-8", "surrogatepass")
        return PieceResults(self._cache, digest(how))


class PieceResults:
    """The results of pieces that are checked in the same way; see `KnownPieces`."""

    def __init__(self, cache: Cache, how: str) -> None:
        self._cache = cache
        self._how = how

    def load(self, content: str, first: int) -> list[BatchResult] | None:
        """Return the results of a piece that begins with the row `first`; None if not known."""
        data = self._cache.get(self._key(content))
        try:
            results = [] if data is None else [moved(each, first) for each in _results_of(data)]
        except (ValueError, TypeError, IndexError, KeyError):
            return None
        return results or None

    def keep(self, content: str, first: int, results: Sequence[BatchResult]) -> None:
        """Keep the packed results of a piece, unless another check might have others."""
        if all(map(_is_sure, results)):
            here = [moved(each, -first) for each in results]
            data = _bytes_of(here)
            # What is all ids comes back as it was.
            if all(map(_is_clean, here)) or _results_of(data) == here:
                self._cache.put(self._key(content), data)

    def _key(self, content: str) -> str:
        from evalcontract.cache.store import digest

        return digest(f"{self._how} {content}".encode("utf-8", "surrogatepass"))


def _is_sure(result: BatchResult) -> bool:
    if result.batch.faults or result.batch.rows or result.unchecked:
        return False
    return not any(problem.code.startswith(_UNSURE) for problem in result.problems)


def _is_clean(result: BatchResult) -> bool:
    observed = all(part.is_joined for part in result.observed)
    return observed and not (result.problems or result.ignoring)


def _bytes_of(results: Sequence[BatchResult]) -> bytes:
    """Return results as a line of JSON, and after it the ids of clean rows, which are many."""
    ids = [part.ids[0] for result in results for part in result.observed if part.is_joined]
    line = json.dumps([*map(_fields_of, results)])
    return f"{line}\n{''.join(ids)}".encode("utf-8", "surrogatepass")


def _fields_of(result: BatchResult) -> list[Any]:
    """Return a result as JSON, in which tuples are lists; its rows and faults are left out."""
    observed = [
        (part.first_index, [len(part.ids[0])], [], True) if part.is_joined else part
        for part in result.observed
    ]
    return [
        result.batch.first_index,
        result.row_count,
        [*map(_without_classes, result.problems)],
        observed,
        sorted(result.references),
        result.ignoring,
        result.rejected,
        sorted(result.bundles),
    ]


def _results_of(data: bytes) -> list[BatchResult]:
    """Return the results of `_bytes_of`.

    Raises:
        ValueError, TypeError, IndexError, KeyError: these are other bytes.

    """
    line, _, rest = data.partition(b"\n")
    ids = StringIO(rest.decode("utf-8", "surrogatepass"), newline="")
    results = [_result(ids, *fields) for fields in json.loads(line)]
    if ids.read():
        raise ValueError("there are more ids than rows")
    return results


def _result(
    ids: StringIO,
    first: int,
    count: int,
    problems: list[Any],
    observed: list[Any],
    references: list[str],
    *rest: Any,
) -> BatchResult:
    ignoring, rejected, bundles = rest
    return BatchResult(
        Batch(first, []),
        count,
        [_problem(*fields) for fields in problems],
        [_observed(ids, *fields) for fields in observed],
        frozenset(references),
        tuple(IgnoringRow(*fields) for fields in ignoring),
        rejected,
        bundles=frozenset(bundles),
    )


def _observed(
    ids: StringIO,
    first: int,
    own: list[Any],
    rows: list[Any],
    is_joined: bool,  # noqa: FBT001 - as in the entry
) -> ObservedRows:
    if is_joined:
        (size,) = own
        own = [ids.read(size)]
        if len(own[0]) != size:
            raise ValueError("there are fewer ids than rows")
    return ObservedRows(first, own, rows, is_joined)


def _without_classes(problem: Problem) -> Problem:
    """Return a problem with its fix, and those of its cause, as JSON has them."""
    from evalcontract.cache.checks import fix_fields  # not for clean rows

    cause = problem.cause
    if cause and cause.problem:
        cause = cause._replace(problem=_without_classes(cause.problem))
    fix: Any = fix_fields(problem.fix)
    return problem._replace(code=str(problem.code), fix=fix, cause=cause)


def _problem(*fields: Any) -> Problem:
    """Return the problem whose fields `_without_classes` gave."""
    from evalcontract.cache.checks import fix_of  # not for clean rows

    code, message, path, help_, on_key, row, related, row_index, within, fix, cause = fields
    return Problem(
        code,
        message,
        tuple(path),
        help_,
        on_key,
        row,
        tuple(Related(told, tuple(at), *rest) for told, at, *rest in related),
        row_index,
        within and Within(*within),
        fix and fix_of(*fix),
        cause and _cause(*cause),
    )


def _cause(name: str, verb: str, file: str | None, problem: list[Any] | None, noun: str) -> Cause:
    return Cause(name, verb, file, _problem(*problem) if problem else None, noun)
