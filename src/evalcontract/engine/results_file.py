"""The file with the results of `grade`, written line by line; an interrupted run can go on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Self

from evalcontract.engine.results import Results, is_manifest, read_results
from evalcontract.model.errors import UsageError
from evalcontract.source.growing import GrowingFile
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path
    from types import TracebackType

    from evalcontract.scoring.results import RowResult

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


class ResultsFile:
    """A context manager for the results of a run.

    Raises:
        UsageError: the file exists, and `replace` is false; it cannot be written; or it, or the
            partial file, is one of the `inputs`.

    """

    def __init__(self, path: Path, *, replace: bool, inputs: Iterable[Path] = ()) -> None:
        self._name = display_name(path)
        self._lines = 0
        self._replace = replace
        for written in (path, path.with_name(f"{path.name}.partial")):
            for read in inputs:
                if _is_same(written, read):
                    raise UsageError(f"{display_name(written)} is read: results need another name")
        try:
            self._file = GrowingFile(path, replace=replace)
        except FileExistsError:
            raise UsageError(f"{self._name} exists; --force replaces it") from None
        except OSError as error:
            raise self._not_written(error) from None

    def __enter__(self) -> Self:
        try:
            self._file.__enter__()
        except OSError as error:
            raise self._not_written(error) from None
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.__exit__(kind, error, trace)

    def begin(self, head: str, *, resume: bool) -> list[RowResult]:
        """Return the rows of an interrupted run with the same manifest, or begin anew.

        Raises:
            UsageError: the interrupted run depends on something else, or what is to be replaced are
                no results.

        """
        rows: list[RowResult] = []
        lines = list(self._file.lines()) if resume else []
        if lines:
            earlier = read_results(lines, f"{self._name}.partial")
            if earlier.manifest != json.loads(head)["manifest"]:
                raise UsageError(
                    f"{self._name}.partial is of other files, rubrics, judges or models: "
                    "run it without --resume"
                )
            rows = earlier.rows
        else:
            if not resume and not self._replace:
                self._refuse_of_others()
            self._file.restart()
            self.write(head)
        return rows

    def _refuse_of_others(self) -> None:
        first = self._file.first_line()
        if first and not is_manifest(first):
            name = f"{self._name}.partial"
            raise UsageError(f"{name} is of something else; --force replaces it")

    def write(self, line: str) -> None:
        """Write a line.

        Raises:
            UsageError: that is not possible, for example because the disk is full.

        """
        try:
            self._file.write(line)
            self._lines += 1
            if self._lines % _FLUSHED == 0:
                self._file.flush()
        except OSError as error:
            raise self._not_written(error) from None

    def complete(self) -> None:
        """Give the file its name.

        Raises:
            UsageError: that is not possible.

        """
        try:
            self._file.complete()
        except OSError as error:
            raise self._not_written(error) from None

    def _not_written(self, error: OSError) -> UsageError:
        return UsageError(f"{self._name}: {(error.strerror or str(error)).lower()}")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False
