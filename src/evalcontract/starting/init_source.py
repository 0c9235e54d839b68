"""What a new workspace starts from: datasets of any system, as files of the workspace."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Options, is_table, open_dataset
from evalcontract.datasets.passes import NATIVE
from evalcontract.datasets.placing import from_unreadable
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.policy import Policy
from evalcontract.report.losses import Losses
from evalcontract.source import DISK, UnreadableFile, format_of
from evalcontract.starting.init_rubrics import with_rubrics
from evalcontract.starting.migrate import MigrateOptions, MigrateResult, migrate
from evalcontract.starting.migration_input import is_migrated
from evalcontract.starting.plain_rows import are_plain, rows_as_dataset
from evalcontract.starting.result import Names, snake_case
from evalcontract.workspace import display_name
from evalcontract.workspace.editor_schemas import MODELINE, editor_schemas, modeline
from evalcontract.workspace.recognition import is_dataset

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.datasets.opening import Input
    from evalcontract.model.diagnostic import Diagnostic

_DATASETS = "datasets"
_PLAIN, _TABLE = "rows of no known system", "a table"
# YAML of more bytes than this is slow to edit for people: rows of such a file become JSON Lines.
_MAX_YAML_BYTES = 1_000_000
# Rubrics are added to a megabyte of YAML in some seconds.
_MAX_EDITED_BYTES = 10_000_000
_MODELINE = lazy_pattern(rb"^#\s*" + MODELINE.encode() + rb".*?$", re.MULTILINE)
_BOM = b"\xef\xbb\xbf"


class Came(NamedTuple):
    """Where a file came from: its name, its system, and its name in the workspace."""

    source: str
    system: str
    name: str


@dataclass
class Taken:
    """The files to start from, by their paths in the workspace.

    `here` are datasets that are in the workspace already. `judged` counts the rows that got a
    rubric which asks the judge of the example; `unedited` are datasets to whose rows no rubric was
    added, and why. If nothing can be taken, `refusal` is the reason.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    here: list[str] = field(default_factory=list)
    came: list[Came] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    migrated: MigrateResult | None = None
    judged: int = 0
    unedited: dict[str, str] = field(default_factory=dict)
    refusal: str | None = None

    @property
    def datasets(self) -> list[str]:
        """The datasets, those that are in the workspace already first."""
        return [*self.here, *(name for name in self.files if name.startswith(f"{_DATASETS}/"))]


def take(
    inputs: Sequence[Input], root: Path, dialect: str | None, columns: ColumnKeys = ()
) -> Taken:
    """Read, convert and migrate files; nothing is written to the workspace.

    A dataset of evalcontract is taken as it is, but for the rubrics of rows that only a judge can
    grade. Without a `dialect`, the system of a file is
    detected. The rows of a table are read by its columns; `columns` names the keys of some.

    Raises:
        UsageError: there is no such dialect or column, or a file is no dataset.

    """
    taken = Taken()
    options = Options(root, dialect=dialect, columns=columns)
    old = [each for each in inputs if dialect is None and is_migrated(each)]
    with _folder() as folder:
        if old:
            taken.migrated = migrate(old, MigrateOptions(None, folder))
            taken.diagnostics += taken.migrated.diagnostics
            taken.refusal = taken.migrated.refusal
            _collect(folder, taken)
        names = Names()
        for name in taken.datasets:
            names.take(Path(name).stem)
        for input_ in inputs:
            if input_ not in old and taken.refusal is None:
                _take(input_, folder, names, options, taken)
    return taken


@contextmanager
def _folder() -> Iterator[Path]:
    with TemporaryDirectory(prefix="evalcontract-") as name:
        yield DISK.real(name)


def _collect(folder: Path, taken: Taken) -> None:
    """Take the files that were written to a folder, except the schemas that `init` writes."""
    ours = {schema.path for schema in editor_schemas()}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if DISK.is_file(path) and name not in ours:
            taken.files.setdefault(name, DISK.read(path))


def _take(input_: Input, folder: Path, names: Names, options: Options, taken: Taken) -> None:
    path = input_.files.real(input_.path)
    # Columns that somebody names are those of a table, or keys of rows of JSON.
    is_mapped = bool(options.columns) and format_of(path.name) in ("json", "jsonl")
    if is_mapped and options.dialect in (None, NATIVE):
        dataset = open_dataset(input_, NATIVE)
    else:
        dataset = open_dataset(input_, options.dialect, columns=options.columns)
    name = display_name(input_.path)
    if dataset.unreadable:
        taken.diagnostics += from_unreadable(dataset.unreadable, Policy())
        taken.refusal = f"{name} cannot be read"
        return
    is_ours = dataset.dialect == NATIVE and not is_table(path)
    is_plain = is_ours and (is_mapped or are_plain(input_))
    if is_ours and not is_plain:
        if options.root and options.root in path.parents:
            taken.here.append(path.relative_to(options.root).as_posix())
            return
        out = f"{_DATASETS}/{names.take(_stem(path))}{_ending(input_, path)}"
        data = _judged(input_.files.read(path, input_.files.stream(path).size), out, taken)
        taken.files[out] = with_modeline(data) if format_of(out) == "yaml" else data
    else:
        is_large = input_.files.stream(path).size > _MAX_YAML_BYTES
        out = f"{_DATASETS}/{names.take(_stem(path))}{'.jsonl' if is_large else '.yaml'}"
        if is_plain:
            rows, told = rows_as_dataset(input_, out, options.columns)
            taken.diagnostics += from_unreadable(UnreadableFile(name, told), Policy())
            if rows is None:
                taken.refusal = f"{name} cannot be read"
                return
            data = _judged(rows, out, taken)
        else:
            data = _converted(input_, folder / out, options, taken)
            _collect(folder, taken)  # rubrics, judges and bundles that the rows need
        taken.files[out] = data if is_large else with_modeline(data)
    system = _TABLE if is_table(path) and dataset.dialect == NATIVE else dataset.dialect
    taken.came.append(Came(name, _PLAIN if is_plain else system, out))


def _judged(data: bytes, out: str, taken: Taken) -> bytes:
    """Return a dataset; rows that only a judge can grade get a rubric, unless it takes long."""
    if format_of(out) == "yaml" and len(data) > _MAX_EDITED_BYTES:
        taken.unedited[out] = f"has more than {_MAX_EDITED_BYTES // 1_000_000} MB of YAML"
        return data
    try:
        data, rubrics, judged = with_rubrics(data, out)
    except EditError:
        taken.unedited[out] = "cannot be edited in place"
        return data
    taken.files |= rubrics
    taken.judged += judged
    return data


def _ending(input_: Input, path: Path) -> str:
    """Return the extension that a dataset of ours has in the workspace.

    Raises:
        UsageError: the file is no dataset, and no rows.

    """
    source = input_.read(quick=True)
    value = source.peek()
    rows = value if isinstance(value, list) and not source.stream else [value]
    are_rows = bool(rows) and (source.stream or isinstance(value, list))
    if not (are_rows and isinstance(rows[0], dict)) and not is_dataset(path, path.parent, source):
        raise UsageError(
            f"{source.file} is no dataset: expected `questions`, a list of rows, or the dataset of "
            "another system (--dialect names it)"
        )
    if format_of(path.name):
        return path.suffix.lower()
    return ".jsonl" if source.stream else ".yaml"


def _stem(path: Path) -> str:
    return snake_case(path.name.partition(".")[0], "dataset")


def _converted(input_: Input, out: Path, options: Options, taken: Taken) -> bytes:
    wanted = ConvertOptions(options.dialect, NATIVE, asks_judge=True)
    done = convert(input_, out, wanted, Options(out.parents[1], columns=options.columns))
    taken.diagnostics += done.diagnostics
    taken.refusal = done.refusal
    taken.judged += done.judged
    for sort, count in done.losses.counts.items():
        taken.losses.counts[sort] = taken.losses.counts.get(sort, 0) + count
        taken.losses.first.setdefault(sort, done.losses.first[sort])
    taken.losses.total += done.losses.total
    return DISK.read(out) if done.refusal is None else b""


def with_modeline(data: bytes) -> bytes:
    """Return the YAML of a dataset with a comment that names its schema, for editors."""
    line = modeline("dataset").encode()
    if _MODELINE.search(data):
        return _MODELINE.sub(line, data, count=1)
    mark, body = (_BOM, data[len(_BOM) :]) if data.startswith(_BOM) else (b"", data)
    end = b"\r\n" if b"\r\n" in body.partition(b"\n")[0] + b"\n" else b"\n"
    return mark + line + end + body
