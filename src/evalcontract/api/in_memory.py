"""Datasets in memory: rows of any iterable, or a whole document, in any format."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.native_pass import NativeDataset
from evalcontract.datasets.opening import Input, open_dataset
from evalcontract.datasets.passes import NATIVE
from evalcontract.model.errors import UsageError
from evalcontract.source.rows import NotPlainError, RowIterable, plain
from evalcontract.source.yaml.writing import NotWritableError, json_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from evalcontract.datasets.passes import Dataset

# Rows in memory of another system are taken for the lines of a file of this medium.
_MEDIUM = "jsonl"


def open_rows(rows: Iterable[Any], dialect: str, name: str) -> Dataset:
    """Return the dataset of some rows, which are read once and batch by batch.

    Raises:
        UsageError: there is no such dialect, or its system reads whole documents only.

    """
    if dialect == NATIVE:
        return NativeDataset(RowIterable(name, rows))
    from evalcontract.datasets.dialect_pass import DialectDataset  # not for our datasets
    from evalcontract.formats import dialect_of
    from evalcontract.source.external import ExternalFile

    known = dialect_of(dialect)
    if _MEDIUM not in known.format.media:
        raise UsageError(f"{known.format.title} reads whole files and not single rows: use `load`")
    file = ExternalFile(_MEDIUM, RowIterable(name, rows, as_python=True))
    return DialectDataset(known, file)


def open_document(document: Mapping[str, Any], dialect: str, name: str) -> Dataset:
    """Return the dataset of a whole document, such as `{"questions": […]}`.

    Places are in the JSON text of it, indented by two spaces.

    Raises:
        UsageError: there is no such dialect, or JSON cannot represent the document.

    """
    try:
        data = json_text(plain(dict(document), as_python=dialect != NATIVE), as_python=True)
    except (NotPlainError, NotWritableError) as error:
        raise UsageError(f"`{name}` cannot be read: {error}") from None
    return open_dataset(Input(Path(f"{name}.json"), BytesIO(data)), dialect)
