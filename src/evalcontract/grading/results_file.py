"""The file with the results of `grade`, written line by line; an interrupted run can go on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from evalcontract.grading.basis import Basis, differences, manifest_line, used_line
from evalcontract.grading.results import Results, is_manifest, read_results
from evalcontract.model.errors import UsageError
from evalcontract.model.values import SHOWN, harmless_json
from evalcontract.source.writing import GrowingFile
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import refuse_settings, write_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path
    from types import TracebackType

    from evalcontract.grading.basis import Sections
    from evalcontract.grading.scoring_results import RowResult

    #: Returns what results depend on now, given the rubrics that made them and what it was before.
    Use = Callable[[Iterable[str], Sections], Sections]

# After so many lines, what is written is handed to the operating system.
_FLUSHED = 100


def earlier_results(path: Path) -> Results:
    """Read the results of an earlier run.

    Raises:
        UsageError: the file cannot be read, or is not such a file.

    """
    name = display_name(path)
    try:
        if path.exists() and not path.is_file():
            raise UsageError(f"{name}: it is no regular file")
        with path.open("rb") as lines:
            return read_results(lines, name)
    except OSError as error:
        raise UsageError(f"{name}: {(error.strerror or str(error)).lower()}") from None


def _lines_of(path: Path) -> list[bytes]:
    with path.open("rb") as lines:
        return list(lines)


class ResultsFile:
    """A context manager for the results of a run; with `resume`, it goes on with an earlier one.

    That is an interrupted run, or else a complete one, of which only that is left which did not
    run.

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
        self._complete = path if resume and path.is_file() else None
        self._replace = replace
        refuse_settings(path)
        for written in (path, path.with_name(f"{path.name}.partial")):
            for read in inputs:
                if _is_same(written, read):
                    raise UsageError(f"{display_name(written)} is read: results need another name")
        try:
            self._file = GrowingFile(path, replace=replace or resume)
        except OSError as error:
            raise write_error(self._path, error) from None

    def __enter__(self) -> Self:
        try:
            self._file.__enter__()
        except OSError as error:
            raise write_error(self._path, error) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._file.__exit__(kind, error, trace)
        except OSError as failure:
            raise write_error(self._path, failure) from None

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
            whole = _lines_of(self._complete)
            _require_same(read_results(whole, name), name, manifest, use)
            lines = lines or whole
        if not lines:
            if not self._resume and not self._replace:
                self._refuse_of_others()
            self._file.restart()
            self.write("".join(harmless_json([manifest_line(manifest)])))
            return []
        name = f"{name}.partial" if is_partial else name
        earlier = read_results(lines, name)
        used = _require_same(earlier, name, manifest, use)
        good = _good_rows(earlier)
        if not is_partial or len(good) < len(earlier.rows) or used != earlier.basis.used:
            line = "".join(harmless_json([used_line(used)])).encode("utf-8", "backslashreplace")
            try:
                self._file.keep([lines[0], line, *(lines[place] for place in good)])
            except OSError as error:
                raise write_error(self._path, error) from None
        return list(good.values())

    def _refuse_of_others(self) -> None:
        first = self._file.first_line()
        if first and not is_manifest(first):
            name = f"{self._name}.partial"
            raise UsageError(f"{name} is of something else; --force replaces it")

    def write(self, lines: str) -> None:
        """Write one or several lines.

        Raises:
            UsageError: that is not possible, for example because the disk is full.

        """
        try:
            self._file.write(lines)
            self._lines += lines.count("\n")
            if self._lines >= _FLUSHED:
                self._file.flush()
                self._lines = 0
        except OSError as error:
            raise write_error(self._path, error) from None

    def complete(self) -> None:
        """Give the file its name.

        Raises:
            UsageError: that is not possible.

        """
        try:
            self._file.complete()
        except OSError as error:
            raise write_error(self._path, error) from None


def _good_rows(earlier: Results) -> dict[int, RowResult]:
    """Return the rows that are not graded again, by the numbers of their lines."""
    rows = zip(earlier.places, earlier.rows, strict=True)
    return {place: row for place, row in rows if row.is_complete}


def _require_same(earlier: Results, name: str, manifest: Mapping[str, Any], use: Use) -> Sections:
    """Return what the rows depend on that are not graded again.

    Raises:
        UsageError: that is not what they depended on when they were graded.

    """
    rubrics = frozenset({row.rubric for row in _good_rows(earlier).values() if row.rubric})
    used = use(rubrics, earlier.basis.used)
    found = differences(earlier.basis.only(used, rubrics), Basis(manifest, used))
    if found:
        what = "; ".join(found[:SHOWN])
        more = f"; and {len(found) - SHOWN:,} more" if len(found) > SHOWN else ""
        raise UsageError(
            f"{name} depends on what is another now: {what}{more}. Run it without --resume"
        )
    return used


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False
