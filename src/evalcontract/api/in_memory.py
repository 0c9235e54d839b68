"""Check, cover, grade and convert rows in memory: mappings, data frames, tables of Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Literal, overload

from evalcontract.api.datasets import RowT
from evalcontract.api.findings import Findings, Loader, Workspace
from evalcontract.api.grader import GradedFiles
from evalcontract.datasets.opening import Input, Options, open_dataset, open_rows
from evalcontract.datasets.passes import NATIVE, Dataset
from evalcontract.datasets.placing import from_unreadable_files, one_finding
from evalcontract.model.diagnostic import format_path, sort_key
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.report.losses import Losses
from evalcontract.source.rows import NotPlainError, plain
from evalcontract.source.tables.columnar import Rows, rows_in
from evalcontract.source.yaml.writing import NotWritableError, json_text

if TYPE_CHECKING:
    from evalcontract.checks.coverage import RowCoverage
    from evalcontract.converting.placing import ConversionTarget
    from evalcontract.types import Row

#: What a null in a column of a table means: that the row lacks the key, or the value null.
Nulls = Literal["absent", "kept"]


class Validated(NamedTuple):
    """What was found in rows, and how many were read."""

    diagnostics: Findings
    row_count: int

    @property
    def ok(self) -> bool:
        """Whether no finding is an error."""
        return not any(each.is_error for each in self.diagnostics)


class Covered(NamedTuple):
    """Which checks will run on each row, and the findings that may change that."""

    rows: tuple[RowCoverage, ...]
    diagnostics: Findings


def validate(
    rows: Rows,
    *,
    workspace: str | Path | Workspace | None = None,
    dialect: str = NATIVE,
    name: str = "rows",
    nulls: Nulls = "absent",
    strict: bool | None = None,
    on_day: date | None = None,
) -> Validated:
    """Check rows, and the rubrics and judges that they refer to, as the rows of a JSONL file.

    `rows` is an iterable of mappings, a data frame of pandas or Polars, a dataset of Hugging Face
    `datasets`, or anything with the Arrow PyCapsule stream. It is read once, batch by batch. A
    null in a column of a table, or in a field of a struct, is an absent key, unless `nulls` are
    "kept". The place of a finding is `NAME[INDEX]`; its `path` leads to the value. `workspace` is
    a folder or an opened one, by default that of the current folder. No target applies.

    Raises:
        UsageError: `rows` has no rows, there is no such dialect or folder, or the system of the
            dialect reads whole files.
        ConfigurationError: the configuration of the workspace cannot be used.

    """
    from evalcontract.checking.pipeline import validate as validate_files

    options = _options(workspace, dialect=dialect, strict=strict, on_day=on_day)
    outcome = validate_files(Kind.DATASET, [_input(rows, name, nulls)], options)
    return Validated(Findings(outcome.diagnostics), outcome.rows)


def coverage(
    rows: Rows,
    *,
    workspace: str | Path | Workspace | None = None,
    dialect: str = NATIVE,
    name: str = "rows",
    nulls: Nulls = "absent",
) -> Covered:
    """Return which checks will run on each row; the parameters are those of `validate`.

    Raises:
        UsageError, ConfigurationError: as for `validate`.

    """
    from evalcontract.covering import coverage as cover_files

    options = _options(workspace, dialect=dialect)
    outcome = cover_files([_input(rows, name, nulls)], options, all_rows=True)
    covered = tuple(row for file in outcome.files for row, _ in file.rows)
    return Covered(covered, Findings(outcome.diagnostics))


def grade(
    rows: Rows,
    outputs: Rows | Mapping[str, str],
    *,
    workspace: str | Path | Workspace | None = None,
    name: str = "rows",
    nulls: Nulls = "absent",
    ask_judges: bool = False,
    max_questions: int | None = None,
    max_tokens: int | None = None,
) -> GradedFiles:
    """Grade outputs by the rubrics of rows, joined by id; iterate over the results once.

    `outputs` are records with an `id` and an `output`, in any form that `rows` may have, or the
    texts by the ids of rows. The other parameters are those of `validate` and of `Grader`.

    Raises:
        UsageError, ConfigurationError: as for `validate`.

    """
    from evalcontract.grading.grade import Grading
    from evalcontract.judging.asking import Judging
    from evalcontract.judging.questions import QuestionBudget

    if isinstance(outputs, Mapping):
        outputs = [{"id": id_, "output": output} for id_, output in outputs.items()]
    inputs = (_input(rows, name, nulls), _input(outputs, "outputs", nulls))
    budget = QuestionBudget(max_questions, max_tokens)
    judging = Judging.of(os.environ, budget=budget) if ask_judges else None
    return GradedFiles(Grading(*inputs, _options(workspace, dialect=NATIVE), judging), judging)


def _input(rows: Any, name: str, nulls: str) -> Input:
    given: Iterable[Any] = rows_in(
        rows, keeps_nulls=keeps_nulls(nulls), advice="`DatasetLoader` reads files"
    )
    return Input(Path(name), rows=given)


def keeps_nulls(nulls: str) -> bool:
    """Return whether nulls in tables are values.

    Raises:
        UsageError: the text says neither.

    """
    if nulls not in ("absent", "kept"):
        raise UsageError(f"`nulls` is `absent` or `kept`, not `{nulls}`")
    return nulls == "kept"


def _options(
    workspace: str | Path | Workspace | None,
    *,
    dialect: str,
    strict: bool | None = None,
    on_day: date | None = None,
) -> Options:
    opened = workspace if isinstance(workspace, Workspace) else Workspace(workspace)
    known = {opened.root: opened.opened}
    return Options(opened.root, strict, on_day, dialect=dialect, is_joined=False, opened=known)


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
    from evalcontract.converting.convert import ConvertResult, convert_rows, refusal_of
    from evalcontract.converting.output import ConvertedRows

    if isinstance(rows, str | bytes | Path) or not isinstance(rows, Iterable):
        raise UsageError(f"rows must be mappings, not `{type(rows).__name__}`")
    whole = rows if isinstance(rows, Mapping) else None
    dataset = (
        open_rows(rows, from_, name, has_digest=True)
        if whole is None
        else _open_document(whole, from_, name)
    )
    target, dialect = _target_of(to, name)
    run = Loader(root)._run()  # noqa: SLF001 - the workspace as the loaders find it
    if dataset.unreadable:
        unreadable = from_unreadable_files([dataset.unreadable], run.standards.base)
        raise ContractViolation(tuple(unreadable))
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


def _open_document(document: Mapping[str, Any], dialect: str, name: str) -> Dataset:
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


def _target_of(to: str, name: str) -> tuple[ConversionTarget, str]:
    """Return the target of a conversion, and the exact name of its format."""
    from evalcontract.converting.placing import DialectTarget, NativeTarget

    if to == NATIVE:
        return NativeTarget(name, "json"), NATIVE
    from evalcontract.formats import dialect_of  # not for evalcontract datasets

    dialect = dialect_of(to)
    medium = next(each for each in _MEDIA if each in dialect.media)
    return DialectTarget(dialect, medium), str(dialect)
