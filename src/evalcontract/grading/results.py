"""The results of `grade` in files: written row by row, and read to go on or to compare."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, lru_cache
from hashlib import sha256
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from evalcontract.checks.outcome import UNANSWERED, UNMEASURED, Outcome
from evalcontract.grading.basis import (
    Basis,
    Sections,
    differences,
    json_line,
    manifest_line,
    used_line,
)
from evalcontract.grading.tables import lines_of_table, require_writer, table_medium, table_of
from evalcontract.library.scores import Bounds
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import SHOWN, harmless_json
from evalcontract.source.faults import collector_paused
from evalcontract.source.json import load_exactly
from evalcontract.source.text import sha256_of
from evalcontract.source.writing import GrowingFile, check_target, target_of
from evalcontract.structure.native import native_for
from evalcontract.structure.schemas import load
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import (
    is_same,
    refuse_inside,
    refuse_settings,
    write_error,
)

#: What is told of a row beside its result: its tags, and the values of keys that group rows.
TAGS, VALUES = "tags", "by"


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
    `content` is what results keep of the row and its output, see `CONTENT`; None if nothing does.
    `sample` is which of several outputs of the row it is.
    """

    id: str
    rubric: str | None
    outcome: Outcome | None
    score: float | None = None
    reason: str | None = None
    bounds: Bounds | None = None
    checks: tuple[CheckResult, ...] = ()
    content: Mapping[str, Any] | None = None
    sample: int | str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the row was graded, and each of its checks came to a verdict or was skipped.

        A check came to one if all of its judges did.
        """
        leaves = (leaf for check in self.checks for _, leaf in check.leaves())
        return self.outcome is not Outcome.UNDECIDED and all(
            leaf.is_measured and leaf.unanswered is None for leaf in leaves
        )


#: What results keep of a row and its output, besides its id, by the names in both.
CONTENT = ("tags", "metadata", "input", "output", "tool_calls", "expected")


# The beginning of results of the first version, whose scores mean something else.
_OLD = lazy_pattern(rb'\{"manifest": \{"version": "(1\.[0-9]{1,3})"')


class Results(NamedTuple):
    """The results of a run: what they depend on, and its rows in order.

    `is_complete` is whether it has a summary. `places` are the numbers of the lines of the rows
    among those that were read, from 0.
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


def read_results(lines: Iterable[bytes], name: str, first: int = 1) -> Results:
    """Read the lines of results, of which the first has a number.

    Raises:
        UsageError: a line is not one that `grade` writes.

    """
    manifest: dict[str, Any] | None = None
    used: Sections = {}
    rows: list[RowResult] = []
    places: list[int] = []
    provenance: Mapping[str, Any] | None = None
    is_complete = False
    for at, line in enumerate(lines):
        content = content_of(line)
        if content is None and manifest is None and (old := _OLD.match(line)):
            raise UsageError(
                f"{name} has results of version {old[1].decode()}, which left out of the scores"
                " what did not run: grade the outputs again"
            )
        if content is None or (manifest is None) != ("manifest" in content):
            number = max(1, at + first)
            raise UsageError(f"{name}:{number}: this is not a result of `evalcontract grade`")
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
            rows.append(result_of(content))
            places.append(at)
    if manifest is None:
        raise UsageError(f"{name} is empty")
    return Results(Basis(manifest, used, provenance), rows, is_complete, places)


def content_of(line: bytes) -> dict[str, Any] | None:
    """Return the object in a line of results, or in a run file; None if it is not valid."""
    try:
        content = load_exactly(line)
        return content if _schema_of_lines().is_valid(content) else None
    except (ValueError, TypeError, RecursionError):
        return None


@cache
def _schema_of_lines() -> Any:
    return native_for(load("results"))


def result_of(content: dict[str, Any]) -> RowResult:
    """Return the result in a line of results, or in what `row_fields` returned."""
    outcome = content["outcome"]
    return RowResult(
        id=content["id"],
        rubric=content["rubric"],
        outcome=None if outcome is None else _OUTCOMES[outcome],
        score=content["score"],
        reason=content.get("reason"),
        bounds=_bounds(content),
        checks=tuple(map(_check, content["checks"])),
        content={key: content[key] for key in (*CONTENT, VALUES) if key in content} or None,
        sample=content.get("sample"),
    )


def _check(content: dict[str, Any]) -> CheckResult:
    own = content["id"], content["kind"], content["outcome"], content["score"]
    if len(content) == _OF_PLAIN:
        return _plain_check(*own)
    id_, kind, outcome, score = own
    told = content.get("reason"), content.get("details"), _bounds(content)
    inner = tuple(map(_check, content["checks"])) if "checks" in content else ()
    return CheckResult(id_, kind, _OUTCOMES[outcome], score, *told, inner)


_OUTCOMES = {str(outcome): outcome for outcome in Outcome}
# The keys that every check has; most have no other, and many are the same.
_OF_PLAIN = 4


@lru_cache(maxsize=1 << 10)
def _plain_check(id_: str, kind: str, outcome: str, score: float | None) -> CheckResult:
    return CheckResult(id_, kind, _OUTCOMES[outcome], score)


def _bounds(content: dict[str, Any]) -> Bounds | None:
    bounds = content.get("bounds")
    return None if bounds is None else Bounds(*bounds)


#: Returns what results depend on now, given the rubrics that made them and what was used before.
Use = Callable[[Iterable[str], Sections], Basis]

# After so many lines, what is written is handed to the operating system.
_FLUSHED = 100


def run_path(path: Path) -> Path:
    """Return the path of the run file: what the results in `path` depend on, and their summary."""
    # A table and JSON Lines of one name are two results.
    stem = path.stem if path.suffix == ".jsonl" else path.name
    return path.with_name(f"{stem}.run.json")


def earlier_results(path: Path) -> Results:
    """Read the results of an earlier run, and the run file beside them.

    Raises:
        UsageError: a file cannot be read, is not such a file, or both are not of one run.

    """
    with collector_paused():
        return read_results(*_journal(path))


def _journal(path: Path) -> tuple[list[bytes], str, int]:
    """Return complete results as `read_results` takes them: as a run that goes on writes them.

    Results of versions before 3 are such lines.
    """
    name = display_name(path)
    lines = lines_of_table(path) if table_medium(path) else _lines_of(path)
    if lines and (_OLD.match(lines[0]) or "manifest" in (content_of(lines[0]) or ())):
        return lines, name, 1
    beside = run_path(path)
    if not lines:
        raise UsageError(f"{name} is empty")
    if content_of(lines[0]) is None:
        raise UsageError(f"{name}:1: this is not a result of `evalcontract grade`")
    if not beside.exists():
        raise UsageError(
            f"{name} has no {display_name(beside)} beside it, which tells what the results depend"
            " on: `grade --results` writes both"
        )
    run = content_of(b"".join(_lines_of(beside)))
    if run is None or not {"manifest", "used", "summary"} <= run.keys():
        raise UsageError(f"{display_name(beside)} is not the run file of `evalcontract grade`")
    digest = sha256_of(path) if table_medium(path) else sha256(b"".join(lines)).hexdigest()
    if run.pop("results", {}).get("sha256") != digest:
        raise UsageError(f"{name} has changed since {display_name(beside)} was written beside it")
    manifest, used, summary = lines_of_run(run)
    return [manifest, used, *lines, summary], name, -1


def lines_of_run(run: dict[str, Any]) -> list[bytes]:
    """Return what a run file says as the lines of a run that goes on; it is taken from `run`."""
    head = ({"manifest": run.pop("manifest")}, {"used": run.pop("used")})
    return [bytes_of(json_line(content)) for content in (*head, run)]


def _lines_of(path: Path) -> list[bytes]:
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{display_name(path)}: it is no regular file")
        with path.open("rb") as lines:
            return list(lines)
    except OSError as error:
        raise unreadable(path, error) from None


def unreadable(path: Path, error: OSError) -> UsageError:
    """Return the error that says why results cannot be read."""
    return UsageError(f"{display_name(path)}: {(error.strerror or str(error)).lower()}")


def bytes_of(line: str) -> bytes:
    """Return a line, or several, as results have them."""
    return "".join(harmless_json([line])).encode("utf-8", "backslashreplace")


class ResultsFile:
    """A context manager for the results of a run; with `resume`, it goes on with an earlier one.

    That is an interrupted run, or else a complete one, of which only that is left which did not
    run. `manifest` is its first line, once it has begun. While it goes on, the partial file has
    what the rows depend on between them; then they have a run file of their own.

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
        beside = run_path(path)
        for written in (path, path.with_name(f"{path.name}.partial"), beside):
            for read in inputs:
                if is_same(written, read):
                    raise UsageError(f"{display_name(written)} is read: results need another name")
                refuse_inside(written, read, "results need")
        require_writer(path)
        with _writing(path):
            self._file = GrowingFile(path, replace=replace or resume)
        with _writing(beside):
            check_target(target_of(beside, None), replace=replace or resume)

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
            whole = _journal(self._complete)
            _require_same(read_results(*whole), name, use)
            lines = lines or whole[0]
        if not lines:
            first = self._file.first_line() if not self._resume and not self._replace else b""
            if first and "manifest" not in (content_of(first) or ()):
                raise UsageError(f"{name}.partial is of something else; --force replaces it")
            self._file.restart()
            self.manifest = manifest
            self.write("".join(harmless_json([manifest_line(manifest)])))
            return []
        name = f"{name}.partial" if is_partial else name
        earlier = read_results(lines, name)
        self.manifest = earlier.basis.manifest
        used = _require_same(earlier, name, use)
        good = _good_rows(earlier)
        if not is_partial or len(good) < len(earlier.rows) or used != earlier.basis.used:
            with _writing(self._path):
                kept = (lines[place] for place in good)
                self._file.keep([lines[0], bytes_of(used_line(used)), *kept])
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

    def complete(self, run: Mapping[str, Any]) -> None:
        """Write the rows to the file, and `run` beside it.

        Raises:
            UsageError: that is not possible.

        """
        digest, numbers = sha256(), count()

        def rows(lines: Iterator[bytes]) -> Iterator[bytes]:
            counted = (line for line in _rows_of(lines) if next(numbers) >= 0)
            for data in table_of(counted, self._path):
                digest.update(data)
                yield data

        def beside() -> bytes:
            results = {"file": self._path.name, "sha256": digest.hexdigest(), "rows": next(numbers)}
            text = json.dumps({**run, "results": results}, ensure_ascii=False, indent=2)
            return bytes_of(f"{text}\n")

        with _writing(self._path):
            self._file.complete(rows, {run_path(self._path): beside})


# How the lines of a partial file begin that are no rows.
_NO_ROWS = (b'{"manifest": ', b'{"used": ', b'{"summary": ')


def _rows_of(lines: Iterable[bytes]) -> Iterator[bytes]:
    return (line for line in lines if not line.startswith(_NO_ROWS))


@contextmanager
def _writing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise write_error(path, error) from None


def _good_rows(earlier: Results) -> dict[int, RowResult]:
    """Return the rows that are not graded again, by the numbers of their lines.

    Of samples, all of a row are, or none: a run that ended may not have written those of the last.
    """
    rows = [*zip(earlier.places, earlier.rows, strict=True)]
    again = {row.id for row in earlier.rows if row.sample is not None and not row.is_complete}
    if rows and not earlier.is_complete and rows[-1][1].sample is not None:
        again.add(rows[-1][1].id)
    return {place: row for place, row in rows if row.is_complete and row.id not in again}


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
