"""The files of a conversion: the dataset, what stands beside it, and the report of losses."""

from __future__ import annotations

from collections import deque
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.engine.passes import OURS
from evalcontract.model.errors import UsageError
from evalcontract.source import read_text
from evalcontract.source.comments import comments_of
from evalcontract.source.emitting import (
    NotWritableError,
    csv_text,
    json_line,
    json_text,
    parquet_bytes,
    utf8,
    yaml_mapping,
    yaml_text,
)
from evalcontract.source.external import MEDIA, medium_of
from evalcontract.source.writing import Staged
from evalcontract.workspace import find_root, name_of

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.engine.convert import ConvertOptions
    from evalcontract.formats import Dialect
    from evalcontract.source import Document
    from evalcontract.source.comments import Comment

_OURS = ("yaml", "json", "jsonl")


def medium_for(out: Path, target: Dialect | None) -> str:
    """Return the medium of the file to be written.

    Raises:
        UsageError: its name promises none, or one that the target does not read.

    """
    medium = medium_of(out.name)
    media = target.format.media if target else _OURS
    if medium is None or medium not in media:
        endings = ", ".join(f"`{each}`" for each, of in MEDIA.items() if of in media)
        whose = target.format.title if target else "evalcontract"
        raise UsageError(f"`{out.name}` is to be read by {whose}: let its name end with {endings}")
    return medium


class Output:
    """Takes the rows, and writes them when all is well; use it as a context."""

    def __init__(self, out: Path, medium: str, wanted: ConvertOptions, root: Path | None) -> None:
        self._out = out
        self._medium = medium
        self._force = wanted.force
        self._is_theirs = wanted.to != OURS
        self._root = root
        self._staged = Staged()
        self.rows: list[Any] = []
        self._comments: list[list[str]] = []
        self._above: list[str] = []
        self._left: deque[Comment] | None = None
        with ExitStack() as stack:
            stack.push(self._staged)
            self._lines = self._begin(out)
            self.report = self._begin(wanted.loss_report) if wanted.loss_report else None
            stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Remove what was not put in its place.

        Raises:
            UsageError: something cannot be written: the disk is full, a value has no form there.

        """
        self._staged.__exit__()
        if isinstance(error, OSError | NotWritableError):
            raise _refused(self._out, error) from None

    def row(self, row: Any, path: tuple[str | int, ...], source: Document | None) -> None:
        """Take the next row; lines are written at once, everything else with the document."""
        if self._medium == "jsonl":
            self._lines.write(json_line(row, as_python=self._is_theirs))
            return
        self.rows.append(row)
        if self._medium == "yaml" and source is not None:
            self._comments.append(self._before(source, path))

    def document(self, whole: Any) -> None:
        """Write the document that holds the rows."""
        self._lines.write(self._written(whole))

    def put(self, beside: dict[str, Any]) -> list[str]:
        """Put the files in their places, with those that are new beside the dataset; name them.

        Raises:
            UsageError: a file is there already, or cannot be begun.
            OSError, NotWritableError: one cannot be written.

        """
        root = self._root or find_root(self._out)
        written = [self._out]
        for name, value in beside.items():
            path = root / name
            data = json_text(value) if path.suffix == ".json" else yaml_mapping(value)
            if read_text(path, path.name) == data.decode():
                continue
            self._begin(path).write(data)
            written.append(path)
        self._staged.put()
        return [name_of(path) for path in written]

    def _written(self, whole: Any) -> bytes:
        match self._medium:
            case "jsonl":
                return b""
            case "json":
                return json_text(whole, as_python=self._is_theirs)
            case "csv":
                return utf8(csv_text(*whole))
            case "parquet":
                return parquet_bytes(whole)
        if isinstance(whole, list):
            head, key, rows = {}, None, whole
        else:
            *beside, key = whole
            head, rows = {each: whole[each] for each in beside}, whole[key]
        return yaml_text(head, key, rows, self._comments, self._above)

    def _before(self, source: Document, path: tuple[str | int, ...]) -> list[str]:
        """Return the comments that stand in a row of YAML, or right above it."""
        if self._left is None:
            may_be_yaml = not source.file.lower().endswith(".json")
            self._left = deque(comments_of("\n".join(source.lines)) if may_be_yaml else ())
            first = source.place(path).span
            while self._left and first and self._left[0].next_line <= first.line:
                self._above.append(self._left.popleft().text)
        until = _next_line(source, path)
        found: list[str] = []
        while self._left and (until is None or self._left[0].next_line < until):
            found.append(self._left.popleft().text)
        return found

    def _begin(self, path: Path) -> BinaryIO:
        try:
            if path.resolve().exists() and not self._force:  # `new/../old` is there, too
                raise UsageError(f"{name_of(path)} is there already; --force replaces it")
            return self._staged.open(path)
        except (OSError, RuntimeError, ValueError) as error:
            raise _refused(path, error) from None


def _refused(path: Path, error: Exception) -> UsageError:
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(f"{name_of(path)} cannot be written: {reason.lower()}")


def _next_line(source: Document, path: tuple[str | int, ...]) -> int | None:
    """Return the line at which the row behind one begins; None behind the last."""
    if not path:
        return None  # the whole document is the row
    *above, index = path
    after = source.place((*above, int(index) + 1)).span
    own = source.place(path).span
    # Beyond the last row a path leads to the list as a whole.
    return after.line if own and after and after.line > own.line else None
