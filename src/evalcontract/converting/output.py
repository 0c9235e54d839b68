"""Write the files of a conversion, or give converted rows; the options of both."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from shutil import copyfileobj
from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.converting.placing import without_nulls
from evalcontract.datasets.passes import NATIVE
from evalcontract.datasets.tables import source_of
from evalcontract.formats import Format, dialect_of
from evalcontract.model.diagnostic import Place
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source import Document, read_text
from evalcontract.source.comments import CommentsAbove, without_modelines
from evalcontract.source.external import MEDIA, ExternalFile, medium_of, open_typed
from evalcontract.source.faults import ParseError, UnreadableFile
from evalcontract.source.tables.columnar import in_memory
from evalcontract.source.tables.parquet import TITLES, ParquetTable, typed_bytes
from evalcontract.source.writing import StagedFiles, spooled
from evalcontract.source.yaml.writing import (
    NotWritableError,
    csv_text,
    json_line,
    json_text,
    utf8,
    yaml_mapping,
    yaml_text,
)
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.workspace import display_name, find_root
from evalcontract.workspace.catalogue import is_rejection
from evalcontract.workspace.writing import Modelines, open_staged, write_error, write_staged

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


def refuse_rejected(data: bytes, dialect: Format) -> None:
    """Read a file back, and check its rows as the system does.

    Raises:
        NotWritableError: the system would reject a row.

    """
    stage = dialect_checker(*dialect.stage)
    try:
        table = ParquetTable("", in_memory(data))
    except ParseError:
        return  # it is larger than what is read here
    table.keeps_nulls = True
    for batch in table.batches():
        if stage.passes(batch.rows):
            continue
        for row in batch.rows:
            for problem in stage.faults(row, ()):
                if is_rejection(problem.code):
                    raise NotWritableError(
                        "a table has null where a row lacks a key of another row, and "
                        f"{dialect.title} rejects that ({problem.message}): write JSON"
                    )


def refuse_misread(data: bytes, medium: str, rows: Sequence[dict[str, Any]]) -> None:
    """Read a file back as one of ours: its rows must be the same, but for nulls.

    Raises:
        NotWritableError: a row would be another, or the file would not be read.

    """
    name = f"a file of {TITLES[medium]}"
    try:
        source = source_of(ExternalFile(medium, open_typed(medium, name, in_memory(data))), ())
    except ParseError as error:
        source = UnreadableFile(name, error.faults)
    if isinstance(source, UnreadableFile):
        raise NotWritableError(f"{name} would not be read: {source.faults[0].message}")
    written = map(without_nulls, rows)
    for batch in source.stream.batches():
        for fault, _ in batch.faults:
            raise NotWritableError(f"{name} would not be read: {fault.message}")
        for number, read in enumerate(batch.rows, batch.first_index):
            row = next(written)
            if row != read:
                keys = (key for key in {**row, **read} if row.get(key) != read.get(key))
                raise NotWritableError(
                    f"the key `{clipped(next(keys))}` of row {number:,} would be read as another, "
                    "by the names of the columns: write JSONL"
                )


# The schema of our own datasets.
_NATIVE_SCHEMA = "dataset"
#: The name of standard output, where it takes the place of a file.
STANDARD_OUTPUT = "<stdout>"
_NATIVE_MEDIA = ("yaml", "json", "jsonl", "csv", "tsv", *TITLES)


class ConvertOptions(NamedTuple):
    """The options of a conversion.

    If `from_` is None, the format is detected from the content. With `lossless`, nothing is written
    if the target cannot represent everything, even what metadata would preserve. `force` replaces
    existing files. With a `stream` the dataset is written there, and the file `out` only names its
    medium; other files are then written below a given root alone. If it `asks_judge`, rows of
    evalcontract that only a judge can grade get a rubric that asks one.
    """

    from_: str | None
    to: str
    loss_report: Path | None = None
    lossless: bool = False
    force: bool = False
    stream: SupportsWrite[bytes] | None = None
    asks_judge: bool = False


def medium_for(out: Path, target: Format | None) -> str:
    """Return the medium of the file to write.

    Raises:
        UsageError: the file name has no known extension, or the target does not read this medium.

    """
    medium = medium_of(out.name)
    media = target.media if target else _NATIVE_MEDIA
    if medium is None or medium not in media:
        endings = ", ".join(f"`{ending}`" for ending, of in MEDIA.items() if of in media)
        reader = target.title if target else "evalcontract"
        raise UsageError(f"{reader} cannot read `{out.name}`: use a name that ends with {endings}")
    return medium


class ConvertedRows:
    """Collects the converted rows, and then the document that holds them, in memory."""

    def __init__(self) -> None:
        self.rows: list[Any] = []
        self.whole: Any = None

    def row(
        self, row: Any, path: tuple[str | int, ...], source: Document | None
    ) -> Sequence[Place]:
        """Add a row; its path in the source leads to its comments. Return those that are lost.

        Rows in memory have no comments.
        """
        self.rows.append(row)
        return ()

    def lost_header(self, source: Document | None) -> Sequence[Place]:
        """Return the comments above the rows that are lost."""
        return ()

    def document(self, whole: Any) -> None:
        """Take the document that contains the rows."""
        self.whole = whole


class ConvertedFiles(ConvertedRows):
    """Context manager that collects the rows and writes all files on `commit`."""

    def __init__(self, out: Path, medium: str, options: ConvertOptions, root: Path | None) -> None:
        super().__init__()
        self._out = out
        self._medium = medium
        self._force = options.force
        self._is_external = options.to != NATIVE
        self._dialect = options.to
        self._root = root or find_root(out)
        self._piped = options.stream
        # The rows alone are what a reader of the stream gets.
        self._has_place = options.stream is None or root is not None
        self._modelines = Modelines(self._root)
        self._staged = StagedFiles()
        self._comments: list[list[str]] = []
        self._above = CommentsAbove()
        with ExitStack() as stack:
            stack.push(self._staged)
            self._stream = stack.enter_context(spooled()) if self._piped else self._open(out)
            self.report = self._open(options.loss_report) if options.loss_report else None
            self._opened = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        """Remove the files that were not committed.

        Raises:
            UsageError: a file or a value cannot be written.

        """
        self._opened.close()
        if isinstance(error, OSError | NotWritableError):
            raise write_error(self._out, error) from None

    def row(
        self, row: Any, path: tuple[str | int, ...], source: Document | None
    ) -> Sequence[Place]:
        """Add a row, and return the places of its comments that the medium cannot hold.

        JSONL is written at once, any other medium by `document`.
        """
        lost: Sequence[Place] = ()
        if source is not None and self._medium == "yaml":
            self._comments.append(self._above.row(source, path))
        elif source is not None:
            lost = self._above.places(source, path)
        if self._medium == "jsonl":
            self._stream.write(json_line(row, as_python=self._is_external))
        else:
            self.rows.append(row)
        return lost

    def lost_header(self, source: Document | None) -> Sequence[Place]:
        """Return the places of the comments above the rows that the medium cannot hold."""
        if source is None:
            return ()
        self._above.end(source)
        return self._above.header_places(source) if self._medium != "yaml" else ()

    def document(self, whole: Any) -> None:
        """Write the document that contains the rows."""
        self._stream.write(self._serialize(whole))

    def commit(self, extra_files: dict[str, Any]) -> list[str]:
        """Move all files to their final paths and return their names; skip unchanged ones.

        Raises:
            UsageError: a file already exists, or cannot be opened, or has no place.
            OSError, NotWritableError: a file cannot be written.

        """
        written = [] if self._piped else [self._out]
        for name, value in extra_files.items():
            path = self._root / name
            is_json = path.suffix == ".json"
            data = json_text(value) if is_json else yaml_mapping(value)
            present = read_text(path, path.name)
            if present == data.decode():  # it may lack a modeline
                continue
            if not is_json:
                kind = path.parent.name.removesuffix("s")
                data = yaml_mapping(value, self._modelines.of(path, kind))
            if present != data.decode():
                self._write(path, data)
                written.append(path)
        for path, data in self._modelines.files.items():
            self._write(path, data)
            written.append(path)
        self._staged.put()
        if self._piped:
            self._stream.seek(0)
            copyfileobj(self._stream, self._piped)
        return [display_name(path) for path in written]

    def _serialize(self, whole: Any) -> bytes:
        match self._medium:
            case "jsonl":
                return b""
            case "json":
                return json_text(whole, as_python=self._is_external)
            case "csv" | "tsv":
                header, rows = whole
                return utf8(csv_text(header, rows, "," if self._medium == "csv" else "\t"))
            case "parquet" | "arrow":
                data = typed_bytes(whole, self._medium)
                if self._is_external:
                    refuse_rejected(data, dialect_of(self._dialect))
                else:
                    refuse_misread(data, self._medium, whole)
                return data
        head, key, rows, tail = _parts_of(whole, self.rows)
        # Only what is ours names our schema: others would not know the file.
        is_named = not self._is_external and not self._piped
        own = self._modelines.of(self._out, _NATIVE_SCHEMA) if is_named else []
        above = [*own, *without_modelines(self._above.header)]
        return yaml_text(head, key, rows, comments=self._comments, above=above, tail=tail)

    def _open(self, path: Path) -> BinaryIO:
        return open_staged(self._staged, path, replace=self._force)

    def _write(self, path: Path, data: bytes) -> None:
        if not self._has_place:
            raise UsageError(
                f"the rows need {path.relative_to(self._root).as_posix()}, which standard output "
                "cannot hold: name the folder for it with --root, or write to a file"
            )
        write_staged(self._staged, path, data, bound=self._root, replace=self._force)


def _parts_of(
    whole: Any, rows: list[Any]
) -> tuple[dict[str, Any], str | None, list[Any], dict[str, Any]]:
    """Return the keys before the rows of a document, that of the rows, the rows, and those after.

    Rows that are no longer the same list stand under the last key. A document may have none.
    """
    if isinstance(whole, list):
        return {}, None, whole, {}
    names = [*whole]
    place = next((n for n, name in enumerate(names) if whole[name] is rows), len(names) - 1)
    if not names or not isinstance(whole[names[place]], list):
        return whole, None, [], {}
    before = {name: whole[name] for name in names[:place]}
    after = {name: whole[name] for name in names[place + 1 :]}
    return before, names[place], whole[names[place]], after
