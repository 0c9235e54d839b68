"""Write the HTML report: completely or not at all."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from evalcontract.source.writing import Staged
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import open_staged, write_error

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


class HtmlFile:
    """A context manager for the file of a page. It is opened before the page is made.

    Raises:
        UsageError: the file exists, and `force` is false, or it cannot be written.

    """

    def __init__(self, path: Path, *, force: bool) -> None:
        self._path = path
        self._staged = Staged()
        with ExitStack() as stack:
            stack.push(self._staged)
            self._stream = open_staged(self._staged, path, replace=force)
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._staged.__exit__()

    def write(self, pieces: Iterable[str]) -> str:
        """Write the page, give the file its name, and return that name.

        Raises:
            UsageError: that is not possible, for example because the disk is full.

        """
        try:
            for piece in pieces:
                self._stream.write(piece.encode())
            self._staged.put()
        except OSError as error:
            raise write_error(self._path, error) from None
        return display_name(self._path)
