"""Grade outputs in Python: one at a time, as a stream, or as files; the results as values."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from evalcontract.analysis.template import scan
from evalcontract.api.artifacts import LoadedJudge
from evalcontract.api.datasets import LoadedRow
from evalcontract.api.findings import LOG, Workspace, pandas
from evalcontract.datasets.opening import Input, Options
from evalcontract.datasets.outputs import read_record, row_id_of
from evalcontract.datasets.plans import GradingPlans
from evalcontract.datasets.run import Run, today
from evalcontract.grading.basis import Basis, differences
from evalcontract.grading.compared import RunComparison, comparison_fields
from evalcontract.grading.comparison import Comparison
from evalcontract.grading.earlier import by_id
from evalcontract.grading.grade import Grading as FileGrading
from evalcontract.grading.groups import Grouping
from evalcontract.grading.judged import corrections
from evalcontract.grading.printed import row_fields, summary_fields
from evalcontract.grading.results import RowResult, earlier_results
from evalcontract.grading.rows import RowGrader, with_content
from evalcontract.grading.runner import Task, invalid_row
from evalcontract.grading.samples import reduced
from evalcontract.grading.summary import OPEN, QualityGate, Summary
from evalcontract.grading.tables import COLUMNS
from evalcontract.judging.asking import Judging, Usage, asked_ahead
from evalcontract.judging.prompt import render_template
from evalcontract.judging.questions import Prospects, QuestionBudget, forecast_fields
from evalcontract.library.library import Library
from evalcontract.model.codes import GUESSES, ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, Problem
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source.rows import NotPlainError, plain

if TYPE_CHECKING:
    import pandas as pd


#: A row of a dataset, and what a model answered to it: its text, or a record of an output.
Row = LoadedRow | Mapping[str, Any]
Answer = str | Mapping[str, Any]


class Grader:
    """Grades outputs by the rubrics of a workspace, as `evalcontract grade` does.

    `root` is the folder of the workspace, by default that of the current folder; or give an opened
    `workspace`. With `ask_judges`, judges are asked over the endpoint that environment variables
    name; without one, and by default, checks that ask a judge are unavailable, and so are those
    beyond the budget of `max_questions` and `max_tokens`. A context manager: on exit, connections
    are closed.

    Raises:
        UsageError: `root` is not a folder, both are given, or a variable is malformed.
        ConfigurationError: the configuration of the workspace cannot be used.

    """

    def __init__(
        self,
        root: str | Path | None = None,
        *,
        workspace: Workspace | None = None,
        ask_judges: bool = False,
        max_questions: int | None = None,
        max_tokens: int | None = None,
    ) -> None:
        if root is not None and workspace is not None:
            raise UsageError("give `root` or `workspace`, not both")
        self._workspace = workspace or Workspace(root)
        self._budget = QuestionBudget(max_questions, max_tokens)
        self._judging = Judging.of(os.environ, budget=self._budget) if ask_judges else None
        ask = self._judging.ask if self._judging else None
        has_php = shutil.which("php") is not None
        run = Run(self._workspace.opened, None, today(), has_php=has_php, ask=ask)
        self._grader = RowGrader(run)
        bundles = self._workspace.opened.usable_bundles
        self._rows = GradingPlans(run.plans.context, bundles, None, plans=run.plans)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._judging is not None:
            self._judging.close()

    def grade(self, row: Row, output: Answer) -> RowResult:
        """Return what the rubric of a row, or its own expectations, make of an output.

        The output is its text, or a record as `schema/output.schema.json` describes it, whose `id`
        may be missing. What the rubric lacks is an outcome and raises nothing; neither does a
        loaded row that is not valid (`LoadedRow.fault`): it is undecided, whatever the output. A
        key of the record that is not read, but resembles one that is, is a warning in the log
        `evalcontract`.

        Raises:
            UsageError: the output, or a row that was not loaded, is malformed.

        """
        return self._grader.grade(self._task(row, output))

    def grade_all(self, pairs: Iterable[tuple[Row, Answer]]) -> Iterator[RowResult]:
        """Yield the result of each row and output, in order; pairs are read when they are needed.

        While one judge answers, the questions of the next pairs are sent.

        Raises:
            UsageError: an output, or a row that was not loaded, is malformed.

        """
        tasks = (self._task(*pair) for pair in pairs)
        if self._judging is None:
            yield from map(self._grader.grade, tasks)
            return
        for task in asked_ahead(tasks, self._judging, self._grader.ask):
            yield self._grader.grade(task)

    def grade_files(self, dataset: str | Path, outputs: str | Path) -> GradedFiles:
        """Grade recorded outputs by the rows of a dataset, joined by id; iterate over the results.

        Raises:
            UsageError: the dataset is in the format of another system.

        """
        options = Options(self._workspace.root)
        inputs = (Input(Path(dataset)), Input(Path(outputs)))
        # A run closes the one that it is given.
        has_endpoint = self._judging is not None
        judging = Judging.of(os.environ, budget=self._budget) if has_endpoint else None
        return GradedFiles(FileGrading(*inputs, options, judging), judging)

    def _task(self, row: Row, output: Answer) -> Task:
        if isinstance(row, LoadedRow) and row.fault is not None:
            return invalid_row(row.value, row.index, row.fault.message)
        value = row.value if isinstance(row, LoadedRow) else row
        plain = dict(value) if isinstance(value, Mapping) else value
        bundle = self._rows.bundle_of(plain) if isinstance(plain, dict) else None
        for problem in self._rows.structure(bundle).check(plain):
            if problem.code in ILL_FORMED:
                if isinstance(row, LoadedRow):  # a comment of its file ignores the finding
                    return invalid_row(row.value, row.index, problem.message)
                raise UsageError(f"the row is malformed: {problem.message}")
        record = {"output": output} if isinstance(output, str) else output
        record = dict(record) if isinstance(record, Mapping) else record
        if isinstance(record, dict):
            record.setdefault("id", plain["id"])
        read = read_record(record)
        faults = [each for each in read.problems if not each.code.endswith(GUESSES)]
        if read.output is None or faults:
            raise UsageError(f"the output is malformed: {faults[0].message}")
        for guess in read.problems:
            LOG.warning("the output of `%s`: %s", clipped(plain["id"]), guess.message)
        if (id_ := row_id_of(record)) != plain["id"]:
            raise UsageError(f"the output is of `{id_}`, the row is `{plain['id']}`")
        return Task(plain["id"], plain.get("rubric_ref"), plain, read.output)


class GradedFiles:
    """The results of the rows of a dataset; iterate over them once.

    When that is done, `diagnostics` are all findings: on the dataset and its rubrics, and on the
    outputs, such as those that are missing or that no row has.
    """

    def __init__(self, grading: FileGrading, judging: Judging | None = None) -> None:
        self._grading, self._judging = grading, judging

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """The findings so far, sorted by place when all results were read."""
        return tuple(self._grading.diagnostics)

    def dry_run(self) -> dict[str, Any]:
        """Return what judges would be asked, as `dry_run` of `schema/answer.schema.json`.

        Nobody is asked; without an endpoint, nothing would be. It takes the place of the results.

        Raises:
            ContractViolation: the dataset or the outputs cannot be read.

        """
        if self._grading.is_unreadable:
            raise ContractViolation(self.diagnostics)
        judging = self._judging
        return forecast_fields(self._grading.prospects(judging) if judging else Prospects())

    def __iter__(self) -> Iterator[RowResult]:
        """Yield the results as the rows are read.

        Raises:
            ContractViolation: the dataset or the outputs cannot be read.

        """
        if self._grading.is_unreadable:
            raise ContractViolation(self.diagnostics)
        return self._grading.results()

    def results(self) -> RunResults:
        """Grade all rows, and return their results with what was graded: texts, tags, metadata.

        It takes the place of iterating over them.

        Raises:
            ContractViolation: the dataset or the outputs cannot be read.

        """
        grading = self._grading
        if grading.is_unreadable:
            raise ContractViolation(self.diagnostics)
        manifest = grading.manifest
        rows = [row for some in grading.shares(with_content) for row in some]
        basis = Basis(manifest, grading.used.sections, grading.provenance(manifest))
        return RunResults(rows, basis, grading.gate, JudgedRun(grading.usage, grading.library))


class JudgedRun(NamedTuple):
    """What is known of the judges of a run that was graded just now."""

    usage: Usage | None
    library: Library


class RunResults:
    """The results of a run: its `rows` in order, each a `RowResult`.

    `read` returns those that `evalcontract grade --results` wrote, `GradedFiles.results` those of
    files that are graded now.
    """

    def __init__(
        self,
        rows: Sequence[RowResult],
        basis: Basis,
        gate: QualityGate = OPEN,
        judged: JudgedRun | None = None,
    ) -> None:
        self.rows = tuple(rows)
        self._basis = basis
        self._gate = gate
        self._judged = judged

    @classmethod
    def read(cls, path: str | Path) -> RunResults:
        """Return the results in a file of JSON Lines, CSV or Parquet, with its run file.

        Raises:
            UsageError: a file cannot be read, is not such a file, or both are not of one run.

        """
        results = earlier_results(Path(path))
        return cls(results.rows, results.basis)

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return a mapping for each row, as a line of results has it."""
        return row_fields(self.rows)

    def to_pandas(self) -> pd.DataFrame:
        """Return a data frame with a line for each row, and a column for each key.

        Raises:
            UsageError: pandas is not installed.

        """
        pd = pandas()
        rows = self.to_dicts()
        others = dict.fromkeys(key for row in rows for key in row if key not in COLUMNS)
        return pd.DataFrame(rows, columns=[*COLUMNS, *others])

    def summary(
        self, by: Sequence[str] = (), cluster: str | None = None, reduce: str = "mean"
    ) -> dict[str, Any]:
        """Return what the rows come to, as a run file has it, with intervals and standard errors.

        `by`, `cluster` and `reduce` are as the options of `evalcontract grade`. What asking judges
        took, and rates corrected for their errors, are those of rows that were graded just now.

        Raises:
            UsageError: the results do not tell the values of a key.

        """
        grouping = Grouping(tuple(by), cluster, reduce)
        grouping.require_told(self.rows)
        summary = Summary.of(reduced(self.rows, reduce), grouping)
        summary.add_samples(self.rows)
        if self._judged is None:
            return summary_fields(summary, self._gate)
        usage, library = self._judged
        rates = [each.to_dict() for each in corrections(summary, library, self._basis.used)]
        return summary_fields(summary, self._gate, usage, rates)

    def compare(
        self,
        earlier: RunResults,
        by: Sequence[str] = (),
        cluster: str | None = None,
        reduce: str = "mean",
    ) -> dict[str, Any]:
        """Return what changed since an earlier run, as `evalcontract compare` prints it as JSON.

        Raises:
            UsageError: results do not tell the values of a key.

        """
        grouping = Grouping(tuple(by), cluster, reduce)
        for results in (earlier, self):
            grouping.require_told(results.rows)
        before = by_id(reduced(earlier.rows, reduce))
        found = Comparison.of(before, reduced(self.rows, reduce), grouping, 0)
        changed = differences(earlier._basis, self._basis)
        return comparison_fields([RunComparison("", "", before, found, changed)])[0]


#: The keys of a row that templates may use.
FROM_ROW = ("input", "criteria", "expected", "context")


def render(judge: LoadedJudge, row: LoadedRow[Any] | Mapping[str, Any], output: str) -> str:
    """Return the prompt of a judge for the output of a model on a row.

    The variables are `output` and the row's `input`, `criteria`, `expected` and `context`, with
    dotted names below them (`expected.facts.0` is the first item of a list). Nothing is escaped.
    A string is inserted as it is, any other value as one line of JSON, and nothing for a missing
    name or null. A section is left out if its value is missing, null, false or empty (`""`, `[]`,
    `{}`); the number 0 is a value. A section over a list is repeated for each item, `{{ . }}`.

    `row` may be a mapping, for a row with other values than those of the file.

    Raises:
        ContractViolation: the template has a fault, such as an unknown variable.
        UsageError: the row is not a mapping, `output` is not a string, or the prompt exceeds
            10,000,000 characters.

    """
    value = row.value if isinstance(row, LoadedRow) else row
    if not isinstance(value, Mapping):
        raise UsageError(f"a row must be a mapping, not `{type(value).__name__}`")
    if not isinstance(output, str):
        raise UsageError(f"the output must be a string, not `{type(output).__name__}`")
    faults = scan(judge.template).faults
    if faults:
        codes = ("judge/template-tag", "judge/template-json")
        problems = [
            Problem(
                codes[fault.is_json], fault.message, ("template",), fault.help, within=fault.within
            )
            for fault in faults
        ]
        raise judge.violation_of(problems)
    variables = {key: value[key] for key in FROM_ROW if key in value}
    if not isinstance(row, LoadedRow):
        try:
            variables = plain(variables, as_python=True)
        except NotPlainError as error:
            raise UsageError(f"the row cannot be rendered: {error}") from None
    return render_template(judge.template, {**variables, "output": output})
