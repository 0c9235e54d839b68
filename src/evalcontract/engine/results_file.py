"""The file with the results of `grade`, written line by line; an interrupted run can go on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Self

from evalcontract.engine.results import Results, read_results
from evalcontract.model.errors import UsageError
from evalcontract.source.growing import GrowingFile
from evalcontract.workspace import display_name

if TYPE_CHECKING:
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
        with path.open("rb") as lines:
            return read_results(lines, name)
    except OSError as error:
        raise UsageError(f"{name}: {(error.strerror or str(error)).lower()}") from None


class ResultsFile:
    """A context manager for the results of a run.

    Raises:
        UsageError: the file exists, and `replace` is false, or it cannot be written.

    """

    def __init__(self, path: Path, *, replace: bool) -> None:
        self._name = display_name(path)
        self._lines = 0
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
            UsageError: the interrupted run depends on something else.

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
            self._file.restart()
            self.write(head)
        return rows

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
