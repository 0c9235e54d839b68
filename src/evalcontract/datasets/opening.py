"""Open a dataset in the given or the detected format; the options and inputs of a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from evalcontract.datasets.kinds import DialectMatch, detect_in
from evalcontract.datasets.passes import NATIVE, Dataset, NativeDataset
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Selection
from evalcontract.source import (
    DISK,
    SCHEMA_SUFFIX,
    Files,
    RowSource,
    format_of,
    read_file,
    read_stream,
)
from evalcontract.source.filesystem import TABLES
from evalcontract.source.rows import IterableRows, RowIterable
from evalcontract.workspace import (
    NEAREST,
    ChosenConfiguration,
    Workspace,
    data_files,
    display_name,
    find_root,
    find_workspaces,
    nested_workspaces,
    open_workspace,
)

if TYPE_CHECKING:
    from evalcontract.cache import Cache, Memory
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.datasets.known_rows import KnownRows
    from evalcontract.formats import Format
    from evalcontract.judging.asking import Usage
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.source.external import ExternalFile

#: What asks for a table whose columns are keys of evalcontract, in place of a dialect.
TABLE = "csv"


def open_dataset(
    input_: Input, dialect: str | None = None, *, quick: bool = False, columns: ColumnKeys = ()
) -> Dataset:
    """Open an evalcontract dataset, or one in another format.

    Without a `dialect`, a file is opened as another format only if no other one is possible.
    `quick` is as for `read_file`. The rows of a table are those of evalcontract by the names of its
    columns; `columns` names the keys of some, and then it is no table of another system, as if the
    `dialect` is `TABLE`.

    Raises:
        UsageError: there is no such dialect, or no such column.

    """
    if input_.rows is not None:
        return open_rows(input_.rows, dialect or NATIVE, input_.path.name, columns=columns)
    if dialect == TABLE:
        if not is_table(input_.path, input_.files):
            raise UsageError(
                f"{display_name(input_.path)} is no table: its name says another format"
            )
        dialect = NATIVE
    if dialect not in (None, NATIVE):
        from evalcontract.formats import dialect_of  # not for evalcontract datasets

        if columns:
            raise UsageError(f"columns are not mapped for {dialect}, which has names of its own")
        return _external(dialect_of(str(dialect)), input_.read_external())
    if columns or is_table(input_.path, input_.files):
        return _open_table(input_.read_external(), columns, dialect)
    buffered = input_.buffered()
    source = buffered.read(quick=quick)
    if dialect == NATIVE or _is_certainly_native(source):
        return NativeDataset(source)
    # Other formats use Python's parsers, which may accept a file that this package cannot read.
    external = buffered.read_external() if source.unreadable else None
    detected = detect_in(source if external is None else external)
    if detected is None:
        return NativeDataset(source)
    if external is None:
        external = buffered.read_external()
    return _external(detected.dialect, external, detected)


# Rows in memory of another system are taken for the lines of a file of this medium.
_MEDIUM = "jsonl"


def open_rows(
    rows: Iterable[Any],
    dialect: str,
    name: str,
    columns: ColumnKeys = (),
    *,
    has_digest: bool = False,
) -> Dataset:
    """Return the dataset of some rows, which are read once and batch by batch.

    Raises:
        UsageError: there is no such dialect, or its system reads whole documents only.

    """
    if columns or dialect == TABLE:
        raise UsageError("columns are those of files: give rows in memory the keys of rows")
    if dialect == NATIVE:
        return NativeDataset(RowIterable(IterableRows(name, rows, has_digest=has_digest)))
    from evalcontract.datasets.dialect_pass import DialectDataset  # not for our datasets
    from evalcontract.formats import dialect_of
    from evalcontract.source.external import ExternalFile

    known = dialect_of(dialect)
    if _MEDIUM not in known.media:
        raise UsageError(f"{known.title} reads whole files and not single rows: use `load`")
    source = RowIterable(IterableRows(name, rows, as_python=True, has_digest=has_digest))
    return DialectDataset(known, ExternalFile(_MEDIUM, source))


def open_with_graders(input_: Input, options: Options) -> Dataset:
    """Open a dataset, of which the graders that the options name are covered.

    Raises:
        UsageError: as for `open_dataset`, or there is no such plan or grader.

    """
    dataset = open_dataset(input_, options.dialect, columns=options.columns)
    if options.plan is not None or options.only:
        dataset.choose(options.plan, options.only)
    return dataset


def _external(dialect: Format, file: ExternalFile, detected: DialectMatch | None = None) -> Dataset:
    from evalcontract.datasets.dialect_pass import DialectDataset  # not for evalcontract datasets

    return DialectDataset(dialect, file, detected)


def is_table(path: Path, files: Files = DISK) -> bool:
    """Whether a file is a table by its name, such as CSV or Parquet, or a folder that is one."""
    return path.suffix.lower() in TABLES or (not format_of(path.name) and files.is_folder(path))


def _open_table(external: ExternalFile, columns: ColumnKeys, dialect: str | None) -> Dataset:
    """Open a table: of another system, or else one whose columns are keys of evalcontract."""
    detected = None if columns or dialect else detect_in(external)
    if detected and external.is_read_by(detected.dialect.media):
        return _external(detected.dialect, external, detected)
    from evalcontract.datasets.tables import source_of  # not for other files

    source = source_of(external, columns)
    return NativeDataset(source, source.problems if source.unreadable is None else ())


def _is_certainly_native(source: RowSource) -> bool:
    """Whether no other format is possible; a cheap test for most evalcontract datasets."""
    value = source.document.quick if source.document else None
    return isinstance(value, dict) and "questions" in value


class Advance(NamedTuple):
    """How far a run has come in a file.

    `rows` are those of the file so far. `read` are the bytes of it so far, and all of them; None if
    it is read at once. `questions` are those to judges that are answered so far, and all of them;
    `tokens` is what they took so far, and `errors` are those that have no answer. `files` are those
    of the run so far, and all of them; None if it is not known how many come. `findings` are those
    on the file so far; None if it is not checked.
    """

    file: str
    rows: int = 0
    read: tuple[int, int] | None = None
    questions: tuple[int, int] | None = None
    tokens: int = 0
    files: tuple[int, int] | None = None
    errors: int = 0
    findings: int | None = None

    def asking(self, spent: Usage, questions: tuple[int, int], errors: int) -> Advance:
        """Return the same with the questions to judges.

        What is read is left out: a file may be read long before its questions are answered.
        """
        return self._replace(read=None, questions=questions, tokens=spent.tokens, errors=errors)


#: Called after each batch of rows, and after each question to a judge.
Progress = Callable[[Advance], None]


class Options(NamedTuple):
    """The options of a call: the workspace, the mode, the date, a progress callback and a cache.

    `jobs` is the maximum number of processes that check one large dataset. Without a `cache`,
    everything is checked again. `dialect` is the format of the datasets, such as `mlflow:oss`; if
    None, it is detected. `files` is the file system that the run reads. With `is_joined`, findings
    with the same cause are one. With `allows_empty`, a folder may contain nothing to check.
    `memory` has results of earlier runs for files that have not changed. `max_findings` is the
    number of findings after which a run stops; 0 for no limit. `selection` has the codes to report,
    None for all. `look` is called between the batches of a dataset; what it raises ends the run.
    `found` is called with the findings of each dataset of a workspace that no other file causes.
    `opened` are workspaces by root that are used as they are. `configuration` is the one that the
    caller chooses. `plan` and `only` choose graders of another system, of which the coverage is
    asked for. `columns` are columns of tables with the keys of rows that they are read as. With
    `is_locking`, what datasets use is noted, and not compared with a lock. `known_rows` are those
    of an earlier check of the only dataset.
    """

    root: Path | None = None
    strict: bool | None = None
    today: date | None = None
    progress: Progress | None = None
    jobs: int = 1
    cache: Cache | None = None
    dialect: str | None = None
    files: Files = DISK
    is_joined: bool = True
    allows_empty: bool = False
    memory: Memory | None = None
    max_findings: int = 0
    selection: Selection | None = None
    look: Callable[[], None] | None = None
    found: Callable[[list[Diagnostic]], None] | None = None
    opened: Mapping[Path, Workspace] | None = None
    configuration: ChosenConfiguration = NEAREST
    columns: ColumnKeys = ()
    plan: str | None = None
    only: tuple[str, ...] = ()
    is_locking: bool = False
    known_rows: KnownRows | None = None


class Input(NamedTuple):
    """One file to read: a path, or a stream with the path that findings name.

    `is_found` is whether nobody named it: it was found in a folder. Or the `rows` are in memory;
    then the path is only a name.
    """

    path: Path
    stream: BinaryIO | None = None
    files: Files = DISK
    is_found: bool = False
    rows: Iterable[Any] | None = None

    def read(self, *, quick: bool = False) -> RowSource:
        """Read the file; `quick` is as for `read_file`."""
        if self.rows is not None:
            in_memory = RowIterable(IterableRows(self.path.name, self.rows, has_digest=False))
            return cast("RowSource", in_memory)  # its stream is read only once
        name = display_name(self.path)
        if self.stream:
            return read_stream(self.stream, name, quick=quick)
        return read_file(self.path, name, self.files, quick=quick)

    def read_external(self) -> ExternalFile:
        """Read the file as a dataset in another format."""
        from evalcontract.source.external import (  # rarely needed
            read_external,
            read_external_stream,
        )

        name = display_name(self.path)
        if not self.stream:
            return read_external(self.path, name, self.files)
        if self.stream.seekable():
            self.stream.seek(0)
        return read_external_stream(self.stream, name)

    def buffered(self) -> Input:
        """Return an input that can be read twice: a stream is read into memory."""
        if self.stream is None:
            return self
        from io import BytesIO

        from evalcontract.source.faults import MAX_DOCUMENT_BYTES

        return Input(self.path, BytesIO(self.stream.read(MAX_DOCUMENT_BYTES + 1)))


def files_below(
    folder: Path,
    kind: Kind,
    dialect: str | None = None,
    configuration: ChosenConfiguration = NEAREST,
    files: Files = DISK,
) -> list[Path]:
    """Return the files of one kind in a folder.

    For rubrics and judges, these are all YAML and JSON files except schemas. For datasets, they are
    the files that `check` detects by the `configuration`, or those with an extension that
    the system of a `dialect` reads. What `save_to_disk` of Hugging Face `datasets` wrote is part of
    the result as a folder: the one that is given, or with a `dialect` one in it.
    A folder that cannot be listed is part of the result; reading it reports the error.
    """
    if kind is Kind.DATASET and (tables := tables_in(folder, files, is_named=True)):
        return tables
    unreadable: list[Path] = []

    def note(error: OSError) -> None:
        unreadable.append(Path(error.filename))

    if dialect not in (None, NATIVE):
        from evalcontract.datasets.dialect_pass import endings  # not for evalcontract datasets

        suffixes = frozenset(TABLES) if dialect == TABLE else endings(str(dialect))
        paths = data_files(folder, suffixes=suffixes, on_error=note, files=files)
        parents = {path.parent for path in paths}
        folders = {parent: _tables_above(parent, folder, files) for parent in parents}
        inside = {each for below in folders.values() for each in below}
        others = [path for path in paths if not folders[path.parent]]
        return sorted({*inside, *others, *unreadable})
    if kind is Kind.DATASET:
        top = files.real(folder)
        roots = find_workspaces(folder, files)
        workspaces = [
            open_workspace(root, inner, files, choice=configuration)
            for root, inner in nested_workspaces(roots).items()
        ]
        paths = [
            path
            for workspace in workspaces
            for path, source in workspace.scan()
            if source is not None
        ]
        paths += [path for workspace in workspaces for path in workspace.tables()]
        paths += [path for workspace in workspaces for path in workspace.unreadable_dirs]
        return sorted(path for path in paths if top in (path, *path.parents))
    paths = data_files(folder, on_error=note, files=files)
    return [
        path
        for path in (*paths, *unreadable)
        if format_of(path.name) != "jsonl" and not path.name.endswith(SCHEMA_SUFFIX)
    ]


def tables_in(folder: Path, files: Files, *, is_named: bool = False) -> list[Path]:
    """Return the folders of tables that a folder is: itself, or one for each split."""
    from evalcontract.source.tables.arrow import saved_in  # neither is needed for files
    from evalcontract.source.tables.folders import is_folder_table

    if saved := saved_in(folder, files):
        return saved
    is_table = folder.name != "datasets" and is_folder_table(folder, files, is_named=is_named)
    return [folder] if is_table else []


def _tables_above(parent: Path, top: Path, files: Files) -> list[Path]:
    """Return the folders of tables that a folder below another one belongs to."""
    from evalcontract.source.tables.arrow import saved_in  # neither is needed for files
    from evalcontract.source.tables.folders import table_above

    table = table_above(parent, top, files)
    return [table] if table else saved_in(parent, files)


def is_target(path: Path, root: Path | None = None) -> bool:
    """Whether a file is in the folder `targets/` of its workspace, or of `root`."""
    real = DISK.real(path)
    root = DISK.real(root or find_root(real))
    return root in real.parents and real.relative_to(root).parts[0] == "targets"
