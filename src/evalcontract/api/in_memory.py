"""Check, cover and grade rows that are in memory: mappings, data frames and tables of Arrow."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from evalcontract.api.findings import Findings, Workspace
from evalcontract.api.grader import GradedFiles
from evalcontract.datasets.opening import Input, Options
from evalcontract.datasets.passes import NATIVE
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source.tables.in_memory import Rows, rows_in

if TYPE_CHECKING:
    from evalcontract.checks.coverage import RowCoverage

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
