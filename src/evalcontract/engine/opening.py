"""Open a dataset in the given format, or detect the format from the content."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.engine.native_pass import NativeDataset
from evalcontract.engine.passes import NATIVE
from evalcontract.source import SourceProblem, UnreadableFile
from evalcontract.structure.schemas import definition, properties

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from evalcontract.engine.options import Input
    from evalcontract.engine.passes import Dataset
    from evalcontract.formats import Dialect
    from evalcontract.source import Source
    from evalcontract.source.external import ExternalFile

# A row or document with one of these keys is in evalcontract's format.
_NATIVE_KEYS = frozenset(
    {"questions", "criteria", "rubric_ref", "must_contain_any", "must_not_contain"}
)
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


def _keys_of_rows() -> AbstractSet[str]:
    """Return the keys of evalcontract rows; every other format requires a key not among them."""
    return properties(definition("row", of="dataset")).keys()


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


def detect(first: dict[str, Any]) -> Dialect | None:
    """Return the only dialect that a whole document or a first row can be in."""
    if not _NATIVE_KEYS.isdisjoint(first) or first.keys() <= _keys_of_rows():
        return None
    from evalcontract.formats import formats_in_use  # slow to import

    candidates = (format_.recognise(first) for format_ in formats_in_use())
    dialects = [dialect for dialect in candidates if dialect]
    return dialects[0] if len(dialects) == 1 else None
