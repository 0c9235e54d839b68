"""Open a dataset in the given format, or detect the format from the content."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.engine.detection import detect
from evalcontract.engine.native_pass import NativeDataset
from evalcontract.engine.passes import NATIVE
from evalcontract.source import SourceProblem, UnreadableFile

if TYPE_CHECKING:
    from evalcontract.engine.options import Input
    from evalcontract.engine.passes import Dataset
    from evalcontract.formats import Dialect
    from evalcontract.source import Source
    from evalcontract.source.external import ExternalFile

# The extensions of media that evalcontract datasets do not use.
_EXTERNAL_SUFFIXES = (".csv", ".parquet", ".pq")


def open_dataset(input_: Input, dialect: str | None = None, *, quick: bool = False) -> Dataset:
    """Open an evalcontract dataset, or one in another format.

    Without a `dialect`, a file is opened as another format only if no other one is possible.
    `quick` is as for `read_file`.

    Raises:
        UsageError: there is no such dialect.

    """
    if dialect not in (None, NATIVE):
        from evalcontract.formats import dialect_of  # not for evalcontract datasets

        return _external(dialect_of(str(dialect)), input_.read_external(), is_explicit=True)
    if dialect is None and input_.path.suffix.lower() in _EXTERNAL_SUFFIXES:
        return _open_tabular(input_)
    buffered = input_.buffered()
    source = buffered.read(quick=quick)
    if dialect == NATIVE or _is_certainly_native(source):
        return NativeDataset(source)
    # Other formats use Python's parsers, which may accept a file that this package cannot read.
    external = buffered.read_external() if source.unreadable else None
    detected = _detect(source if external is None else external)
    if detected is None:
        return NativeDataset(source)
    if external is None:
        external = buffered.read_external()
    return _external(detected, external, is_explicit=False)


def _external(dialect: Dialect, file: ExternalFile, *, is_explicit: bool) -> Dataset:
    from evalcontract.engine.dialect_pass import DialectDataset  # not for evalcontract datasets

    return DialectDataset(dialect, file, is_explicit=is_explicit)


def _open_tabular(input_: Input) -> Dataset:
    external = input_.buffered().read_external()
    detected = _detect(external)
    if detected:
        return _external(detected, external, is_explicit=False)
    if external.unreadable:
        return NativeDataset(external.unreadable)
    message = "unrecognized dataset format; evalcontract datasets are YAML, JSON or JSONL"
    advice = "pass --dialect to name its format"
    fault = SourceProblem("source/unsupported", message, None, advice)
    return NativeDataset(UnreadableFile(external.file, (fault,)))


def _is_certainly_native(source: Source) -> bool:
    """Whether no other format is possible; a cheap test for most evalcontract datasets."""
    value = source.document.quick if source.document else None
    return isinstance(value, dict) and "questions" in value


def _detect(file: Source | ExternalFile) -> Dialect | None:
    """Return the only dialect that a file can be in; None if there are none or several."""
    value = file.peek()
    rows = value if isinstance(value, list) else [value]
    first = next((row for row in rows if isinstance(row, dict)), None)
    return None if first is None else detect(first)
