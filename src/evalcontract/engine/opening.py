"""Whose dataset a file is: what a caller says, or else what the file can be alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.engine.our_pass import OurDataset
from evalcontract.engine.passes import OURS
from evalcontract.source import SourceProblem, UnreadableFile
from evalcontract.structure.schemas import definition, properties

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from evalcontract.engine.options import Input
    from evalcontract.engine.passes import Dataset
    from evalcontract.formats import Dialect
    from evalcontract.source import Source
    from evalcontract.source.external import ExternalFile

# A row or a document with one of these is ours, whatever else it has.
_KEYS = frozenset({"questions", "criteria", "rubric_ref", "must_not_contain"})
# Endings of media that no dataset of ours is written in.
_THEIRS = (".csv", ".parquet", ".pq")


def open_dataset(input_: Input, dialect: str | None = None, *, quick: bool = False) -> Dataset:
    """Open a dataset of ours, or one of another system.

    Without a `dialect`, a file is another system's if it can be no other's. `quick` is as for
    `read_file`.

    Raises:
        UsageError: there is no such dialect.

    """
    if dialect not in (None, OURS):
        from evalcontract.formats import dialect_of  # not for datasets of ours

        return _of(dialect_of(str(dialect)), input_.read_external(), is_told=True)
    if dialect is None and input_.path.suffix.lower() in _THEIRS:
        return _tabular(input_)
    kept = input_.kept()
    source = kept.read(quick=quick)
    if dialect == OURS or _is_surely_ours(source):
        return OurDataset(source)
    # Only what it takes Python's own parser to read is read anew before it is known whose it is.
    read = kept.read_external() if source.unreadable else None
    found = _recognised(source if read is None else read)
    if found is None:
        return OurDataset(source)
    return _of(found, kept.read_external() if read is None else read, is_told=False)


def _of(dialect: Dialect, read: ExternalFile, *, is_told: bool) -> Dataset:
    from evalcontract.engine.dialect_pass import DialectDataset  # not for datasets of ours

    return DialectDataset(dialect, read, is_told=is_told)


def _keys_of_rows() -> AbstractSet[str]:
    """Return the keys of our rows: every other system asks for one that is not among them."""
    return properties(definition("row", of="dataset")).keys()


def _tabular(input_: Input) -> Dataset:
    kept = input_.kept()
    read = kept.read_external()
    found = _recognised(read)
    if found:
        return _of(found, read, is_told=False)
    if read.unreadable:
        return OurDataset(read.unreadable)
    message = "unrecognized dataset format; datasets of evalcontract are YAML, JSON or JSONL"
    advice = "pass --dialect to say which format it is"
    fault = SourceProblem("source/unsupported", message, None, advice)
    return OurDataset(UnreadableFile(read.file, (fault,)))


def _is_surely_ours(source: Source) -> bool:
    """Whether no other system is to be asked; cheap, for the many files that are ours."""
    value = source.document.quick if source.document else None
    return isinstance(value, dict) and "questions" in value


def _recognised(read: Source | ExternalFile) -> Dialect | None:
    value = read.peek()
    rows = value if isinstance(value, list) else [value]
    first = next((row for row in rows if isinstance(row, dict)), None)
    if first is None or not _KEYS.isdisjoint(first) or first.keys() <= _keys_of_rows():
        return None
    from evalcontract.formats import formats_in_use  # slow to import

    found = [each for each in (one.recognise(first) for one in formats_in_use()) if each]
    return found[0] if len(found) == 1 else None
