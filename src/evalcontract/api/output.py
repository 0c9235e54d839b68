"""The files of a conversion: the dataset, what stands beside it, and the report of losses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.model.errors import UsageError
from evalcontract.source import Document, read_text
from evalcontract.source.comments import comments_of
from evalcontract.source.emitting import (
    NotWritableError,
    csv_text,
    json_line,
    json_text,
    parquet_bytes,
    yaml_mapping,
    yaml_text,
)
from evalcontract.source.foreign import MEDIA, medium_of
from evalcontract.source.writing import Staged
from evalcontract.workspace import find_root, name_of, real

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.api.convert import Wanted
    from evalcontract.formats import Dialect

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

    def __init__(self, out: Path, medium: str, wanted: Wanted, root: Path | None) -> None:
        self._out = out
        self._medium = medium
        self._force = wanted.force
        self._root = root
        self._staged = Staged()
        self.rows: list[Any] = []
        self._comments: list[list[str]] = []
        self._above: list[str] = []
        self._left: list[Any] | None = None
        self._refuse(out)
        if wanted.loss_report:
            self._refuse(wanted.loss_report)
            if real(wanted.loss_report) == real(out):
                raise UsageError(f"{name_of(out)} is asked for twice")
        self._lines = self._open(out)
        self.report = self._open(wanted.loss_report) if wanted.loss_report else None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._staged.__exit__(*_)

    def row(self, row: Any, path: tuple[str | int, ...], source: Any) -> None:
        """Take the next row; lines are written at once, everything else with the document."""
        if self._medium == "jsonl":
            self._lines.write(self._encoded(json_line(row)))
            return
        self.rows.append(row)
        if self._medium == "yaml" and isinstance(source, Document):
            self._comments.append(self._before(source, path))

    def document(self, whole: Any) -> None:
        """Write the document that holds the rows."""
        try:
            self._lines.write(self._written(whole))
        except NotWritableError as error:
            raise UsageError(f"{name_of(self._out)} cannot be written: {error}") from None

    def put(self, beside: dict[str, Any]) -> list[str]:
        """Put the files in their places, with those that are new beside the dataset; name them.

        Raises:
            UsageError: a file is there already, or the system refuses one.

        """
        root = self._root or find_root(self._out)
        written = [self._out]
        for name, value in beside.items():
            path = root / name
            text = json_text(value) if path.suffix == ".json" else yaml_mapping(value)
            if read_text(path, path.name) == text:
                continue
            self._refuse(path)
            self._open(path).write(self._encoded(text))
            written.append(path)
        try:
            self._staged.put()
        except OSError as error:
            reason = (error.strerror or str(error)).lower()
            raise UsageError(f"{name_of(self._out)} cannot be written: {reason}") from None
        return [name_of(path) for path in written]

    def _written(self, whole: Any) -> bytes:
        match self._medium:
            case "jsonl":
                return b""
            case "json":
                return self._encoded(json_text(whole))
            case "csv":
                return self._encoded(csv_text(*whole))
            case "parquet":
                return parquet_bytes(whole)
        if isinstance(whole, list):
            head, key, rows = {}, None, whole
        else:
            *beside, key = whole
            head, rows = {each: whole[each] for each in beside}, whole[key]
        return self._encoded(yaml_text(head, key, rows, self._comments, self._above))

    def _before(self, source: Document, path: tuple[str | int, ...]) -> list[str]:
        """Return the comments that stand in a row of YAML, or right above it."""
        if self._left is None:
            is_yaml = source.file.endswith((".yaml", ".yml"))
            self._left = comments_of("\n".join(source.lines)) if is_yaml else []
            first = source.place(path).span
            while self._left and first and self._left[0].next_line <= first.line:
                self._above.append(self._left.pop(0).text)
        until = _next_line(source, path)
        found: list[str] = []
        while self._left and (until is None or self._left[0].next_line < until):
            found.append(self._left.pop(0).text)
        return found

    def _open(self, path: Path) -> BinaryIO:
        try:
            return self._staged.open(path)
        except (OSError, RuntimeError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise UsageError(f"{name_of(path)} cannot be written: {reason.lower()}") from None

    def _refuse(self, path: Path) -> None:
        if path.exists() and not self._force:
            raise UsageError(f"{name_of(path)} is there already; --force replaces it")

    def _encoded(self, text: str) -> bytes:
        try:
            return text.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"{name_of(self._out)} cannot be written: a text holds half of a surrogate pair"
            ) from None


def _next_line(source: Document, path: tuple[str | int, ...]) -> int | None:
    """Return the line at which the row behind one begins; None behind the last."""
    if not path:
        return None  # the whole document is the row
    *above, index = path
    after = source.place((*above, int(index) + 1)).span
    own = source.place(path).span
    # Beyond the last row a path leads to the list as a whole.
    return after.line if own and after and after.line > own.line else None
