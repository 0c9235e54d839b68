"""The results of `grade` in files: written row by row, and read to go on or to compare.

While a run goes on, one file has all lines: the manifest, what is used, the rows, the summary. When
it is complete, its rows are a file of their own, so that it can be read as a table. What is known
of all of them stands in another one beside it, with the digest of the rows.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NoReturn, Self

from evalcontract.checks.outcome import UNANSWERED, UNMEASURED, Outcome
from evalcontract.grading.basis import (
    Basis,
    Sections,
    differences,
    json_line,
    manifest_line,
    used_line,
)
from evalcontract.library.score_bounds import Bounds
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import SHOWN, harmless_json
from evalcontract.source.writing import GrowingFile
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import refuse_settings, write_error

#: What is told of a row beside its result: its tags, and the values of keys that group rows.
TAGS, VALUES = "tags", "by"
_NOTHING: Mapping[str, Any] = {}


class CheckResult(NamedTuple):
    """What one check made of an output; see `Verdict`.

    `checks` are those of the rubric of a composite.
    """

    id: str
    kind: str
    outcome: Outcome
    score: float | None = None
    reason: str | None = None
    details: Mapping[str, Any] | None = None
    bounds: Bounds | None = None
    checks: tuple[CheckResult, ...] = ()

    @property
    def key(self) -> tuple[Any, ...]:
        """What counts of it, and of the checks inside: all but reasons of what was measured."""
        if self.checks:
            return (*self[:4], self.bounds, *(check.key for check in self.checks))
        unanswered = self.unanswered
        if self.bounds is None and unanswered is None:
            return self[:4]
        return (*self[:5], self.bounds, unanswered)

    @property
    def unanswered(self) -> str | None:
        """Why one of its judges gave no verdict, though the others decided; None if all did."""
        reason = self.details.get(UNANSWERED) if self.details and self.is_measured else None
        return reason if isinstance(reason, str) else None

    @property
    def is_measured(self) -> bool:
        """Whether it ran and came to a verdict, or has nothing to judge."""
        return self.outcome not in UNMEASURED

    def leaves(self, prefix: str = "") -> Iterator[tuple[str, CheckResult]]:
        """Yield the checks that ran: this one, or those of a composite as `composite/check`."""
        name = f"{prefix}{self.id}"
        if not self.checks:
            yield name, self
        for check in self.checks:
            yield from check.leaves(f"{name}/")


class RowResult(NamedTuple):
    """What the rubric of a row made of its output; see `Total`.

    `rubric` is its exact name; None for a row that is graded by its own expectations, and for one
    that could not be graded: that is undecided, and has no `checks`. `outcome` is passed, failed or
    undecided; it is skipped if no check has anything to judge, and None if there is a score but
    nothing says what passes. If the score is not known, `bounds` are those that it lies between.
    `about` is what is told of the row besides, as far as it is needed.
    """

    id: str
    rubric: str | None
    outcome: Outcome | None
    score: float | None = None
    reason: str | None = None
    bounds: Bounds | None = None
    checks: tuple[CheckResult, ...] = ()
    about: Mapping[str, Any] = _NOTHING

    @property
    def is_complete(self) -> bool:
        """Whether the row was graded, and each of its checks came to a verdict or was skipped.

        A check came to one if all of its judges did.
        """
        leaves = (leaf for check in self.checks for _, leaf in check.leaves())
        return self.outcome is not Outcome.UNDECIDED and all(
            leaf.is_measured and leaf.unanswered is None for leaf in leaves
        )


# The beginning of results of the first version, whose scores mean something else.
_OLD = lazy_pattern(rb'\{"manifest": \{"version": "(1\.[0-9]{1,3})"')


class Results(NamedTuple):
    """The results of a run: what they depend on, and its rows in order.

    `is_complete` is whether it has a summary. `places` are the numbers of the lines of the rows,
    from 0.
    """

    basis: Basis
    rows: list[RowResult]
    is_complete: bool
    places: list[int]

    @property
    def dataset(self) -> str:
        """The name of the file with the rows."""
        name: str = self.basis.manifest["dataset"]["file"]
        return name


#: A line, and its number in its file; 0 if it stands in the run file.
NumberedLine = tuple[int, bytes]
_NO_RESULT = "this is not a result of `evalcontract grade`"


def read_results(lines: Iterable[NumberedLine], name: str) -> Results:
    """Read the lines of results.

    Raises:
        UsageError: a line is not one that `grade` writes.

    """
    manifest: dict[str, Any] | None = None
    used: Sections = {}
    rows: list[RowResult] = []
    places: list[int] = []
    provenance: Mapping[str, Any] | None = None
    is_complete = False
    for place, (number, line) in enumerate(lines):
        content = _content(line)
        if content is None and manifest is None and (old := _OLD.match(line)):
            raise UsageError(
                f"{name} has results of version {old[1].decode()}, which left out of the scores"
                " what did not run: grade the outputs again"
            )
        if content is None or "results" in content or (manifest is None) != ("manifest" in content):
            raise UsageError(f"{name}:{number}: {_NO_RESULT}")
        if "manifest" in content:
            manifest = content["manifest"]
        elif "used" in content:
            for section, values in content["used"].items():
                if isinstance(values, dict):  # a later version may have other sections
                    used.setdefault(section, {}).update(values)
        elif "summary" in content:
            is_complete = True
            provenance = content.get("provenance")
        else:
            rows.append(_row(content))
            places.append(place)
    if manifest is None:
        raise UsageError(f"{name} is empty")
    return Results(Basis(manifest, used, provenance), rows, is_complete, places)


def _content(line: bytes) -> dict[str, Any] | None:
    """Return the object in a line; None if it is not valid."""
    try:
        content: dict[str, Any] = json.loads(line, parse_constant=_no_number)
        return content if _line_schema().is_valid(content) else None
    except (ValueError, TypeError, RecursionError):
        return None


def _no_number(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


@cache
def _line_schema() -> Any:
    return native_for(load("results"))


_ABOUT = (TAGS, VALUES, "input", "expected", "output", "tool_calls")


def _row(content: dict[str, Any]) -> RowResult:
    outcome = content["outcome"]
    return RowResult(
        id=content["id"],
        rubric=content["rubric"],
        outcome=None if outcome is None else Outcome(outcome),
        score=content["score"],
        reason=content.get("reason"),
        bounds=_bounds(content),
        checks=tuple(map(_check, content["checks"])),
        about={key: content[key] for key in _ABOUT if key in content},
    )


def _check(content: dict[str, Any]) -> CheckResult:
    return CheckResult(
        id=content["id"],
        kind=content["kind"],
        outcome=Outcome(content["outcome"]),
        score=content["score"],
        reason=content.get("reason"),
        details=content.get("details"),
        bounds=_bounds(content),
        checks=tuple(map(_check, content.get("checks", ()))),
    )


def _bounds(content: dict[str, Any]) -> Bounds | None:
    bounds = content.get("bounds")
    return None if bounds is None else Bounds(*bounds)


#: Returns what results depend on now, given the rubrics that made them and what was used before.
Use = Callable[[Iterable[str], Sections], Basis]

# After so many lines, what is written is handed to the operating system.
_FLUSHED = 100


def earlier_results(path: Path) -> Results:
    """Read the results of an earlier run.

    Raises:
        UsageError: the file cannot be read, or is not such a file, or not that of its run file.

    """
    return read_results(_lines_of(path), display_name(path))


#: The beginnings of the lines that are no rows.
_NO_ROW = (b'{"manifest"', b'{"used"', b'{"summary"')


def run_file_of(path: Path) -> Path:
    """Return the file with what is known of all rows of results, which stands beside them."""
    return path.with_name(f"{path.name}.run.json")


def _lines_of(path: Path) -> Iterator[NumberedLine]:
    """Yield the lines of results: the manifest, what is used, the rows, the summary.

    Raises:
        UsageError: as `earlier_results`.

    """
    name = display_name(path)
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{name}: it is no regular file")
        with path.open("rb") as lines:
            first = lines.readline()
            lines.seek(0)
            if first.startswith(_NO_ROW):  # a stream, or of an earlier version
                yield from enumerate(lines, 1)
                return
            if first and _content(first) is None:
                raise UsageError(f"{name}:1: {_NO_RESULT}")
            run = _run_of(path, is_empty=not first)
            if hashlib.file_digest(lines, "sha256").hexdigest() != run["results"]["sha256"]:
                run_file = display_name(run_file_of(path))
                raise UsageError(f"{name} has changed since {run_file} was written beside it")
            lines.seek(0)
            yield 0, _encoded(manifest_line(run["manifest"]))
            yield 0, _encoded(json_line({"used": run["used"]}))
            yield from enumerate(lines, 1)
    except OSError as error:
        raise UsageError(f"{name}: {(error.strerror or str(error)).lower()}") from None
    rest: dict[str, Any] = {key: run[key] for key in ("summary", "provenance") if key in run}
    yield 0, _encoded(json_line(rest))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _run_of(path: Path, *, is_empty: bool) -> dict[str, Any]:
    """Return the content of the run file of results.

    Raises:
        UsageError: it is missing or faulty.

    """
    file = run_file_of(path)
    name = display_name(file)
    try:
        content = _content(file.read_bytes())
    except FileNotFoundError:
        lack = f"has rows alone: {name} is missing, which says what they are of"
        what = "is empty" if is_empty else lack
        raise UsageError(f"{display_name(path)} {what}") from None
    if content is None or "results" not in content:
        raise UsageError(f"{name}: this is no run file of `evalcontract grade`")
    return content


def _split(lines: Iterator[bytes], rows: BinaryIO, name: str) -> bytes:
    """Write the rows among the lines of a complete run; return the content of its run file."""
    run: dict[str, Any] = {}
    used: Sections = {}
    digest, number = hashlib.sha256(), 0
    for line in lines:
        if not line.startswith(_NO_ROW):
            digest.update(line)
            rows.write(line)
            number += 1
            continue
        content = json.loads(line)
        for section, values in content.pop("used", {}).items():
            used.setdefault(section, {}).update(values)
        run |= content
    results = {"file": name, "sha256": digest.hexdigest(), "rows": number}
    whole = {"manifest": run.pop("manifest"), "used": used, "results": results, **run}
    text = json.dumps(whole, ensure_ascii=False, indent=2)
    return _encoded("".join(harmless_json([f"{text}\n"])))


class ResultsFile:
    """A context manager for the results of a run; with `resume`, it goes on with an earlier one.

    That is an interrupted run, or else a complete one, of which only that is left which did not
    run. `manifest` is its first line, once it has begun.

    Raises:
        UsageError: the file exists, and is neither to be replaced nor gone on with; it cannot be
            written; or it, or the partial file, is one of the `inputs`.

    """

    def __init__(
        self, path: Path, *, replace: bool, resume: bool = False, inputs: Iterable[Path] = ()
    ) -> None:
        self._path, self._name = path, display_name(path)
        self._lines = 0
        self._resume = resume
        self.manifest: Mapping[str, Any] = {}
        self._complete = path if resume and path.is_file() else None
        self._replace = replace
        refuse_settings(path)
        for written in (path, path.with_name(f"{path.name}.partial"), run_file_of(path)):
            for read in inputs:
                if _is_same(written, read):
                    raise UsageError(f"{display_name(written)} is read: results need another name")
        with _writing(path):
            self._file = GrowingFile(path, replace=replace or resume)

    def __enter__(self) -> Self:
        with _writing(self._path):
            self._file.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        with _writing(self._path):
            self._file.__exit__(kind, error, trace)

    def begin(self, manifest: Mapping[str, Any], use: Use) -> list[RowResult]:
        """Return the rows of an earlier run that depend on the same, or begin anew.

        Rows that are undecided, or have a check that did not run, are left out, to be graded again.
        `use` returns what results depend on now, given the rubrics that made them and what it was.

        Raises:
            UsageError: the earlier run depends on something else, or what is to be replaced are no
                results.

        """
        lines = list(self._file.lines()) if self._resume else []
        is_partial, name = bool(lines), self._name
        if self._complete and not (is_partial and self._replace):
            whole = [*_lines_of(self._complete)]
            _require_same(read_results(whole, name), name, use)
            lines = lines or [line for _, line in whole]
        if not lines:
            first = self._file.first_line() if not self._resume and not self._replace else b""
            if first and "manifest" not in (_content(first) or ()):
                raise UsageError(f"{name}.partial is of something else; --force replaces it")
            self._file.restart()
            self.manifest = manifest
            self.write("".join(harmless_json([manifest_line(manifest)])))
            return []
        name = f"{name}.partial" if is_partial else name
        earlier = read_results(enumerate(lines, 1), name)
        self.manifest = earlier.basis.manifest
        used = _require_same(earlier, name, use)
        good = _good_rows(earlier)
        if not is_partial or len(good) < len(earlier.rows) or used != earlier.basis.used:
            line = "".join(harmless_json([used_line(used)])).encode("utf-8", "backslashreplace")
            with _writing(self._path):
                self._file.keep([lines[0], line, *(lines[place] for place in good)])
        return list(good.values())

    def write(self, lines: str) -> None:
        """Write one or several lines.

        Raises:
            UsageError: that is not possible, for example because the disk is full.

        """
        with _writing(self._path):
            self._file.write(lines)
            self._lines += lines.count("\n")
            if self._lines >= _FLUSHED:
                self._file.flush()
                self._lines = 0

    def complete(self) -> None:
        """Write the rows under the name of the file, and the rest into the one beside it.

        Raises:
            UsageError: that is not possible.

        """
        split = partial(_split, name=self._path.name)
        with _writing(self._path):
            self._file.complete(split, run_file_of(self._path))


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise write_error(path, error) from None


def _good_rows(earlier: Results) -> dict[int, RowResult]:
    """Return the rows that are not graded again, by the numbers of their lines."""
    rows = zip(earlier.places, earlier.rows, strict=True)
    return {place: row for place, row in rows if row.is_complete}


def _require_same(earlier: Results, name: str, use: Use) -> Sections:
    """Return what the rows that are not graded again depend on, which must be what it was."""
    rubrics = frozenset({row.rubric for row in _good_rows(earlier).values() if row.rubric})
    now = use(rubrics, earlier.basis.used)
    changes = differences(earlier.basis.only(now.used, rubrics), now)
    if changes:
        what = "; ".join(changes[:SHOWN])
        more = f"; and {len(changes) - SHOWN:,} more" if len(changes) > SHOWN else ""
        raise UsageError(
            f"{name} depends on what is another now: {what}{more}. Run it without --resume"
        )
    return now.used


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False
