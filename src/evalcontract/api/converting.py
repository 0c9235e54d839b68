"""Convert rows in memory from the format of one system to that of another."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from evalcontract.api.datasets import open_document
from evalcontract.api.findings import Findings, Loader
from evalcontract.api.loaded import RowT
from evalcontract.converting.convert import ConvertResult, convert_rows, refusal_of
from evalcontract.converting.output import ConvertedRows
from evalcontract.converting.placing import ConversionTarget, DialectTarget, NativeTarget
from evalcontract.datasets.opening import open_rows
from evalcontract.datasets.passes import NATIVE
from evalcontract.datasets.placing import from_unreadable_files, one_finding
from evalcontract.model.diagnostic import format_path, sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.report.losses import Losses

if TYPE_CHECKING:
    from evalcontract.types import Row

# A document is written in the first of these media that the system of the target reads.
_MEDIA = ("json", "jsonl", "yaml", "csv")


class Loss(NamedTuple):
    """Something that the target cannot represent.

    `row_index` counts from 0, and is None for what stands beside the rows; `path` is its JSONPath
    in the source. If it `is_kept`, the metadata of the target preserve it, and converting back
    restores it.
    """

    row_index: int | None
    path: str
    reason: str
    is_kept: bool


@dataclass(frozen=True, slots=True)
class Converted(Generic[RowT]):
    """A converted dataset.

    `rows` are its rows, and `document` is what a file of it holds: the same list, or a mapping with
    it. `files` are the rubrics, judges and bundles that the rows need, by their path in a
    workspace. `losses` are what the target cannot represent, `diagnostics` the findings on the
    source. `from_` and `to` are the exact names of both formats. `remarks` are sentences for
    people, such as that some rows ask for nothing that the target grades.
    """

    rows: tuple[RowT, ...]
    document: Any
    files: Mapping[str, Any]
    losses: tuple[Loss, ...]
    diagnostics: Findings
    from_: str
    to: str
    remarks: tuple[str, ...] = ()

    @property
    def is_lossless(self) -> bool:
        """Whether nothing is lost; what is kept in metadata is not."""
        return all(loss.is_kept for loss in self.losses)


@overload
def convert(
    rows: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    *,
    from_: str = "evalcontract",
    to: Literal["evalcontract"] = "evalcontract",
    name: str = "rows",
    root: str | Path | None = None,
) -> Converted[Row]: ...


@overload
def convert(
    rows: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    *,
    from_: str = "evalcontract",
    to: str,
    name: str = "rows",
    root: str | Path | None = None,
) -> Converted[Any]: ...


def convert(
    rows: Iterable[Mapping[str, Any]] | Mapping[str, Any],
    *,
    from_: str = NATIVE,
    to: str = NATIVE,
    name: str = "rows",
    root: str | Path | None = None,
) -> Converted[Any]:
    """Convert rows, or a whole document such as `{"queries": […]}`; nothing is written.

    `from_` and `to` are dialects, such as `mlflow:oss`; none is guessed. `name` is the name of the
    rows in findings, and new rubrics are named after it. `root` is the folder of the workspace
    whose rubrics the rows reference, by default that of the current folder.

    Raises:
        ContractViolation: the system of the source rejects the dataset or a row, or a row cannot be
            written.
        UsageError: there is no such dialect, or its system reads no single rows, or `rows` is no
            iterable of mappings.
        ConfigurationError: the configuration of the workspace cannot be used.

    """
    if isinstance(rows, str | bytes | Path) or not isinstance(rows, Iterable):
        raise UsageError(f"rows must be mappings, not `{type(rows).__name__}`")
    whole = rows if isinstance(rows, Mapping) else None
    dataset = (
        open_rows(rows, from_, name, has_digest=True)
        if whole is None
        else open_document(whole, from_, name)
    )
    target, dialect = _target_of(to, name)
    run = Loader(root)._run()  # noqa: SLF001 - the workspace as the loaders find it
    if dataset.unreadable:
        raise ContractViolation(
            tuple(from_unreadable_files([dataset.unreadable], run.standards.base))
        )
    listed: list[Any] = []
    result = ConvertResult(dataset.file, dataset.dialect, dialect, losses=Losses(listed=listed))
    output = ConvertedRows()
    dataset_pass = dataset.begin(run, run.standards.base, run.standards.graded_for(None))
    with one_finding(dataset.file, result.diagnostics.append):
        convert_rows(dataset, dataset_pass, target=target, output=output, result=result)
    diagnostics = Findings(sorted(result.diagnostics, key=sort_key))
    if refusal_of(dataset_pass, result):
        raise ContractViolation(diagnostics)
    return Converted(
        tuple(output.rows),
        output.whole,
        target.extra_files,
        tuple(
            Loss(index, format_path(path), loss.reason, loss.is_kept)
            for index, path, loss in listed
        ),
        diagnostics,
        result.from_,
        result.to,
        tuple(target.remarks),
    )


def _target_of(to: str, name: str) -> tuple[ConversionTarget, str]:
    """Return the target of a conversion, and the exact name of its format."""
    if to == NATIVE:
        return NativeTarget(name, "json"), NATIVE
    from evalcontract.formats import dialect_of  # not for evalcontract datasets

    dialect = dialect_of(to)
    medium = next(each for each in _MEDIA if each in dialect.media)
    return DialectTarget(dialect, medium), str(dialect)
