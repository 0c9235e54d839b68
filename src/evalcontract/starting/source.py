"""The dataset of `init --from`: copied or converted, with rubrics where only a judge can grade."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory
from typing import Any

from evalcontract.converting.convert import convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.converting.placing import Names, NativeTarget, snake_case
from evalcontract.datasets.columns import INPUT, METADATA, Column, ColumnKeys, columns_of, path_of
from evalcontract.datasets.kinds import problem_of_root
from evalcontract.datasets.opening import Input, Options, is_table, open_dataset
from evalcontract.datasets.passes import NATIVE
from evalcontract.datasets.placing import from_unreadable
from evalcontract.datasets.root import what_else
from evalcontract.datasets.tables import no_input, problems_of_header, row_of
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.diagnostic import Path as ValuePath
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import is_finite_number
from evalcontract.policy import Policy
from evalcontract.report.losses import Losses
from evalcontract.source import DISK, SourceProblem, UnreadableFile, format_of
from evalcontract.source.comments import MODELINE
from evalcontract.source.faults import ParseError
from evalcontract.source.json import load_json
from evalcontract.source.setting import with_new_key
from evalcontract.source.yaml.reading import parse_yaml
from evalcontract.source.yaml.writing import NotWritableError, json_line, yaml_mapping, yaml_text
from evalcontract.starting.migrate import MigrateOptions, MigrateResult, is_migrated, migrate
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator
from evalcontract.workspace import display_name
from evalcontract.workspace.recognition import is_dataset, tool_without_dataset
from evalcontract.workspace.writing import editor_schemas, modeline

_ROWS, _ID = "questions", "id"


def with_rubrics(data: bytes, name: str) -> tuple[bytes, dict[str, bytes], int]:
    """Return a dataset whose rows have rubrics, the files of these, and how many rows got one.

    `name` is that of the dataset in the workspace. Comments and layout stay. Rows with faults get
    none, nor does a text that cannot be parsed.

    Raises:
        EditError: a rubric cannot be added without another change.

    """
    form = format_of(name) or "yaml"
    target = NativeTarget(PurePath(name).stem, form, asks_judge=True)
    validator = SchemaValidator("dataset", definition("row", of="dataset"))
    try:
        rows = [*_rows(text := data.decode(), form)]
    except (ParseError, ValueError, RecursionError):
        return data, {}, 0
    references = {
        path: reference
        for path, row in rows
        if not any(each.code in ILL_FORMED for each in validator.check(row))
        and (reference := target.judged_by(row)) is not None
    }
    try:
        if references:
            data = with_new_key(text, form, "rubric_ref", values=references).encode()
    except (ParseError, ValueError, RecursionError):
        raise EditError("the result cannot be read") from None
    line = (modeline("rubric"),)
    files = {path: yaml_mapping(rubric, line) for path, rubric in target.extra_files.items()}
    return data, files, target.judged


def _rows(text: str, form: str) -> Iterator[tuple[ValuePath, Any]]:
    """Yield the rows of a text by their paths; in JSON Lines, the first step is the line."""
    body = text.removeprefix("\ufeff")
    if form == "jsonl":
        for number, line in enumerate(body.split("\n")):
            if line.strip():
                yield (number,), load_json(line.encode(), is_line=True)
        return
    value = parse_yaml(body, "", b"").value if form == "yaml" else load_json(body.encode())
    home: ValuePath = () if isinstance(value, list) else (_ROWS,)
    rows = value.get(_ROWS) if isinstance(value, dict) else value
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        yield (*home, number), row


# Keys of rows that hold a text; what JSON has as a number is written as one, as a table has it.
_TEXTS = frozenset(
    ("id", "input", "criteria", "expected.reference", "expected.format", "rubric_ref", "bundle")
)
# What a list of right answers may mean.
_MEANINGS = ("must_contain_any", "expected_facts")


def are_plain(input_: Input) -> bool:
    """Whether a JSON or JSONL file has rows with the keys of a table, by the first of them.

    That is: the row has no id, or one that is no text, or another key that is read as `input`.
    Rows of YAML are never changed: people write them, and their comments.
    """
    kind = format_of(input_.path.name)
    if kind == "yaml":
        return False
    value = input_.read().peek()
    rows = [value] if kind == "jsonl" else _split(value)[1]
    if not rows or not isinstance(rows[0], dict):
        return False
    row = rows[0]
    if not isinstance(row.get(_ID), str):
        return True
    # What stands below a key such as `questions` is meant to be ours.
    is_list = kind == "jsonl" or isinstance(value, list)
    return (
        is_list and INPUT not in row and any(each.key == INPUT for each in columns_of([*row], ()))
    )


def rows_as_dataset(
    input_: Input, out: str, mapping: ColumnKeys = ()
) -> tuple[bytes | None, tuple[SourceProblem, ...]]:
    """Return the rows of a file as YAML or JSON Lines, by the name `out`, and what to know of it.

    Their keys are read as the columns of a table are; `mapping` names the keys of some. A row
    without an id gets one. If no key is read as `input`, there are no rows, and it is said why.

    Raises:
        UsageError: the file cannot be read, a value cannot be written, or no row has a key that
            `mapping` names.

    """
    head, values = _read_rows(input_)
    columns, problems = _columns(values, mapping)
    if columns is None:
        return None, problems
    rows = [_row(row, columns, number) for number, row in enumerate(values)]
    try:
        if PurePath(out).suffix == ".jsonl":
            return b"".join(map(json_line, rows)), problems
        return yaml_text(head, _ROWS, rows), problems
    except NotWritableError as error:
        name = display_name(input_.path)
        raise UsageError(f"{name} cannot be written as {out}: {error}") from None


def _columns(
    rows: list[dict[str, Any]], mapping: ColumnKeys
) -> tuple[list[Column] | None, tuple[SourceProblem, ...]]:
    """Return the keys of rows as columns, and what to know of it; None if none is `input`."""
    header = [*dict.fromkeys(key for row in rows for key in row)]
    nested = {key for row in rows for key, value in row.items() if isinstance(value, dict)}
    lists = {key for row in rows for key, value in row.items() if isinstance(value, list)}
    mapped = {name for name, _ in mapping}
    for name in mapped & nested:
        raise UsageError(f"`{name}` cannot be mapped: it holds a mapping")
    columns = columns_of([key for key in header if key not in nested], mapping)
    # A list is no text, and may mean several things.
    unclear = {
        column.name: column.key
        for column in columns
        if column.name in lists and column.key in _TEXTS and column.name not in mapped
    }
    rest = [key for key in header if key not in nested and key not in unclear]
    columns = columns_of(rest, mapping)
    if not any(column.key == INPUT for column in columns):
        return None, (no_input(header),)
    # Of rows that are ours, keys that nobody knows are those of their author.
    is_ours = INPUT in header
    columns = [
        Column(each.name, (each.name,))
        if (is_ours and each.is_other) or _is_taken(each, rows)
        else each
        for each in columns
    ]
    problems = [
        SourceProblem(str(each.code), each.message, None, each.help)
        for each in problems_of_header(columns)
    ]
    problems += [_unclear(name, key) for name, key in unclear.items()]
    known = {column.name for column in columns}
    for name in header:
        if name not in known:
            stays = name not in unclear and (is_ours or path_of(name) == (name,))
            columns.append(Column(name, (name,) if stays else (METADATA, name)))
    return columns, tuple(problems)


def _is_taken(column: Column, rows: list[dict[str, Any]]) -> bool:
    """Whether a mapping of some row has a value already where a column would write its own."""
    if len(column.path) == 1:
        return False
    key, inner = column.path
    wholes = (row[key] for row in rows if column.name in row and key in row)
    return key != column.name and any(isinstance(each, dict) and inner in each for each in wholes)


def _unclear(name: str, key: str) -> SourceProblem:
    message = f"`{name}` holds lists, and `{key}` is a text: it is kept in `metadata`"
    advice = f"pass {' or '.join(f'`--map {name}={meaning}`' for meaning in _MEANINGS)}"
    return SourceProblem("dataset/mapped-column", message, None, advice)


def _row(row: dict[str, Any], columns: list[Column], number: int) -> dict[str, Any]:
    """Return a row by its columns. A mapping keeps what it has."""
    cells = {
        column.name: _text(row[column.name]) if column.key in _TEXTS else row[column.name]
        for column in columns
        if column.name in row
    }
    # Copies: what other columns add is no change of the source.
    cells = {name: {**cell} if isinstance(cell, dict) else cell for name, cell in cells.items()}
    wholes = [column for column in columns if isinstance(cells.get(column.name), dict)]
    our_row = row_of(cells, [*wholes, *(each for each in columns if each not in wholes)], number)
    order = dict.fromkeys([_ID, *(column.path[0] for column in columns)])
    return {key: our_row[key] for key in order if key in our_row}


def _text(value: Any) -> Any:
    """Return a number or a boolean as JSON writes it, and all else as it is."""
    if isinstance(value, bool) or is_finite_number(value):
        return json.dumps(value)
    return value


def _read_rows(input_: Input) -> tuple[dict[str, Any], list[Any]]:
    """Return what stands beside the rows, and the rows."""
    file = input_.read_external()
    head: dict[str, Any] = {}
    rows: list[Any] = []
    if file.document:
        head, rows = _split(file.document.value)
    elif file.stream:
        for batch in file.stream.batches():
            for fault, _ in batch.faults:
                raise UsageError(f"{file.file} cannot be read: {fault.message}")
            rows += batch.rows
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise UsageError(f"{file.file} has no rows: expected a list of mappings, or a table")
    return head, rows


def _split(value: Any) -> tuple[dict[str, Any], list[Any]]:
    """Return the head and the rows of a list, or of a mapping with one list of mappings."""
    if isinstance(value, list):
        return {}, value
    if not isinstance(value, dict):
        return {}, []
    lists = [key for key, part in value.items() if isinstance(part, list) and part]
    lists = [key for key in lists if all(isinstance(each, dict) for each in value[key])]
    if len(lists) != 1:
        return {}, []
    return {key: part for key, part in value.items() if key != lists[0]}, value[lists[0]]


_DATASETS = "datasets"
_PLAIN, _TABLE = "rows of no known system", "a table"
# YAML of more bytes than this is slow to edit for people: rows of such a file become JSON Lines.
_MAX_YAML_BYTES = 1_000_000
# Rubrics are added to a megabyte of YAML in some seconds.
_MAX_EDITED_BYTES = 10_000_000
_MODELINE = lazy_pattern(rb"^#\s*" + MODELINE.encode() + rb".*?$", re.MULTILINE)
_BOM = b"\xef\xbb\xbf"


class FileOrigin(NamedTuple):
    """Where a file came from: its name, its system, and its name in the workspace."""

    source: str
    system: str
    name: str


@dataclass
class StartingFiles:
    """The files to start from, by their paths in the workspace.

    `here` are datasets that are in the workspace already. `judged` counts the rows that got a
    rubric which asks the judge of the example; `unedited` are datasets to whose rows no rubric was
    added, and why. If nothing can be taken, `refusal` is the reason.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    here: list[str] = field(default_factory=list)
    origins: list[FileOrigin] = field(default_factory=list)
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


def starting_files(
    inputs: Sequence[Input], root: Path, dialect: str | None, columns: ColumnKeys = ()
) -> StartingFiles:
    """Read, convert and migrate files; nothing is written to the workspace.

    A dataset of evalcontract is taken as it is, but for the rubrics of rows that only a judge can
    grade. Without a `dialect`, the system of a file is detected. The rows of a table are read by
    its columns; `columns` names the keys of some.

    Raises:
        UsageError: there is no such dialect or column, or a file is no dataset.

    """
    start = StartingFiles()
    options = Options(root, dialect=dialect, columns=columns)
    old = [each for each in inputs if dialect is None and is_migrated(each)]
    with TemporaryDirectory(prefix="evalcontract-") as temporary:
        folder = DISK.real(temporary)
        if old:
            start.migrated = migrate(old, MigrateOptions(None, folder))
            start.diagnostics += start.migrated.diagnostics
            start.refusal = start.migrated.refusal
            _collect(folder, start)
        names = Names()
        for name in start.datasets:
            names.take(Path(name).stem)
        for input_ in inputs:
            if input_ not in old and start.refusal is None:
                _take(input_, options, folder=folder, names=names, start=start)
    return start


def _collect(folder: Path, start: StartingFiles) -> None:
    """Take the files that were written to a folder, except the schemas that `init` writes."""
    ours = {schema.path for schema in editor_schemas()}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if DISK.is_file(path) and name not in ours:
            start.files.setdefault(name, DISK.read(path))


def _take(
    input_: Input, options: Options, *, folder: Path, names: Names, start: StartingFiles
) -> None:
    path = input_.files.real(input_.path)
    # Columns that somebody names are those of a table, or keys of rows of JSON.
    is_mapped = bool(options.columns) and format_of(path.name) in ("json", "jsonl")
    if is_mapped and options.dialect in (None, NATIVE):
        dataset = open_dataset(input_, NATIVE)
    else:
        dataset = open_dataset(input_, options.dialect, columns=options.columns)
    name = display_name(input_.path)
    if dataset.unreadable:
        start.diagnostics += from_unreadable(dataset.unreadable, Policy())
        start.refusal = f"{name} {dataset.unreadable.refusal}"
        return
    of_table = dataset.dialect == NATIVE and is_table(path)
    is_ours = dataset.dialect == NATIVE and not of_table
    if is_ours and not is_mapped:
        _refuse_without_dataset(input_)
    is_plain = is_ours and (is_mapped or are_plain(input_))
    if is_ours and not is_plain:
        if options.root and options.root in path.parents:
            start.here.append(path.relative_to(options.root).as_posix())
            return
        out = f"{_DATASETS}/{names.take(_stem(path))}{_ending(input_, path)}"
        data = _add_rubrics(input_.files.read(path, input_.files.stream(path).size), out, start)
    else:
        size = 0 if input_.files.is_folder(path) else input_.files.stream(path).size
        is_large = size > _MAX_YAML_BYTES
        out = f"{_DATASETS}/{names.take(_stem(path))}{'.jsonl' if is_large else '.yaml'}"
        if is_plain:
            rows, problems = rows_as_dataset(input_, out, options.columns)
            if rows is None:
                _refuse_other(input_)
            start.diagnostics += from_unreadable(UnreadableFile(name, problems), Policy())
            if rows is None:
                start.refusal = f"{name} cannot be read"
                return
            data = _add_rubrics(rows, out, start)
        else:
            data = _convert(input_, folder / out, options, start=start)
            _collect(folder, start)  # rubrics, judges and bundles that the rows need
    start.files[out] = with_modeline(data) if format_of(out) == "yaml" else data
    system = _TABLE if of_table else dataset.dialect
    start.origins.append(FileOrigin(name, _PLAIN if is_plain else system, out))


def _add_rubrics(data: bytes, out: str, start: StartingFiles) -> bytes:
    """Return a dataset; rows that only a judge can grade get a rubric, unless it takes long."""
    if format_of(out) == "yaml" and len(data) > _MAX_EDITED_BYTES:
        start.unedited[out] = f"has more than {_MAX_EDITED_BYTES // 1_000_000} MB of YAML"
        return data
    try:
        data, rubrics, judged = with_rubrics(data, out)
    except EditError:
        start.unedited[out] = "cannot be edited in place"
        return data
    start.files |= rubrics
    start.judged += judged
    return data


def _ending(input_: Input, path: Path) -> str:
    """Return the extension that a dataset of ours has in the workspace."""
    source = input_.read(quick=True)
    value = source.peek()
    is_list = isinstance(value, list) and not source.stream
    are_rows = bool(value) and isinstance(value[0] if is_list else value, dict)
    if not is_dataset(path, path.parent, source):
        _refuse_other(input_)
        if not (are_rows and (is_list or source.stream)):
            raise UsageError(
                f"{source.file} is no dataset: expected `questions`, a list of rows, or the "
                "dataset of another system (--dialect names it)"
            )
    if format_of(path.name):
        return path.suffix.lower()
    return ".jsonl" if source.stream else ".yaml"


def _refuse_without_dataset(input_: Input) -> None:
    """Raise a UsageError if a file is a log, or the like, of another tool."""
    if tool := tool_without_dataset(input_.read(quick=True).peek()):
        what = f"{display_name(input_.path)} looks like {tool.what} of {tool.name}"
        raise UsageError(f"{what}: it is not converted; {tool.advice}")


def _refuse_other(input_: Input) -> None:
    """Raise a UsageError if a file seems to be no dataset; a list in JSON may be any rows."""
    document, name = input_.read(quick=True).document, display_name(input_.path)
    value = document.quick if document else None
    if isinstance(value, dict) and (tool := problem_of_root(Kind.DATASET, value)):
        raise UsageError(f"{name}: {tool.message}; {tool.help}")
    is_kind = isinstance(value, dict) or format_of(input_.path.name) == "yaml"
    if is_kind and isinstance(value, dict | list) and (what := what_else(value)):
        advice = "`--dialect` names its system, if it is a dataset of one"
        raise UsageError(
            f"{name} seems to be no dataset, but {what}: it is not converted; {advice}"
        )


def _stem(path: Path) -> str:
    return snake_case(path.name.partition(".")[0], "dataset")


def _convert(input_: Input, out: Path, options: Options, start: StartingFiles) -> bytes:
    settings = ConvertOptions(options.dialect, NATIVE, asks_judge=True)
    result = convert(
        input_, out, settings, options=Options(out.parents[1], columns=options.columns)
    )
    start.diagnostics += result.diagnostics
    start.refusal = result.refusal
    start.judged += result.judged
    for sort, count in result.losses.counts.items():
        start.losses.counts[sort] = start.losses.counts.get(sort, 0) + count
        start.losses.first.setdefault(sort, result.losses.first[sort])
    return DISK.read(out) if result.refusal is None else b""


def with_modeline(data: bytes) -> bytes:
    """Return the YAML of a dataset with a comment that names its schema, for editors."""
    line = modeline("dataset").encode()
    if _MODELINE.search(data):
        return _MODELINE.sub(line, data, count=1)
    mark, body = (_BOM, data[len(_BOM) :]) if data.startswith(_BOM) else (b"", data)
    end = b"\r\n" if b"\r\n" in body.partition(b"\n")[0] + b"\n" else b"\n"
    return mark + line + end + body
