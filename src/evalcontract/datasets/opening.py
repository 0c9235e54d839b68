"""Open a dataset in the given format, or detect the format from the content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.datasets.detection import detect
from evalcontract.datasets.native_pass import NativeDataset
from evalcontract.datasets.passes import NATIVE
from evalcontract.model.errors import UsageError
from evalcontract.source import TABLES
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.datasets.detection import Detected
    from evalcontract.datasets.options import Input, Options
    from evalcontract.datasets.passes import Dataset
    from evalcontract.formats import Dialect
    from evalcontract.source import Source
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
    if dialect == TABLE:
        if not is_table(input_.path):
            raise UsageError(
                f"{display_name(input_.path)} is no table: its name says another format"
            )
        dialect = NATIVE
    if dialect not in (None, NATIVE):
        from evalcontract.formats import dialect_of  # not for evalcontract datasets

        if columns:
            raise UsageError(f"columns are not mapped for {dialect}, which has names of its own")
        return _external(dialect_of(str(dialect)), input_.read_external())
    if columns or is_table(input_.path):
        return _open_table(input_.read_external(), columns, dialect)
    buffered = input_.buffered()
    source = buffered.read(quick=quick)
    if dialect == NATIVE or _is_certainly_native(source):
        return NativeDataset(source)
    # Other formats use Python's parsers, which may accept a file that this package cannot read.
    external = buffered.read_external() if source.unreadable else None
    detected = detect((source if external is None else external).peek())
    if detected is None:
        return NativeDataset(source)
    if external is None:
        external = buffered.read_external()
    return _external(detected.dialect, external, detected)


def open_with_graders(input_: Input, options: Options) -> Dataset:
    """Open a dataset, of which the graders that the options name are covered.

    Raises:
        UsageError: as for `open_dataset`, or there is no such plan or grader.

    """
    dataset = open_dataset(input_, options.dialect, columns=options.columns)
    if options.plan is not None or options.only:
        dataset.choose(options.plan, options.only)
    return dataset


def _external(dialect: Dialect, file: ExternalFile, detected: Detected | None = None) -> Dataset:
    from evalcontract.datasets.dialect_pass import DialectDataset  # not for evalcontract datasets

    return DialectDataset(dialect, file, detected)


def is_table(path: Path) -> bool:
    """Whether a file is a table by its name: CSV or Parquet."""
    return path.suffix.lower() in TABLES


def _open_table(external: ExternalFile, columns: ColumnKeys, dialect: str | None) -> Dataset:
    """Open a table: of another system, or else one whose columns are keys of evalcontract."""
    detected = None if columns or dialect else detect(external.peek())
    if detected and external.medium in detected.dialect.format.media:
        return _external(detected.dialect, external, detected)
    from evalcontract.datasets.table_rows import source_of  # not for other files

    source = source_of(external, columns)
    return NativeDataset(source, source.problems if source.unreadable is None else ())


def _is_certainly_native(source: Source) -> bool:
    """Whether no other format is possible; a cheap test for most evalcontract datasets."""
    value = source.document.quick if source.document else None
    return isinstance(value, dict) and "questions" in value
