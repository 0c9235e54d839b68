"""Coverage of files: which checks will run on which rows, before anything is run."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from evalcontract.api.dataset_root import check_root
from evalcontract.api.detection import Theirs, read_any
from evalcontract.api.dialect_coverage import cover_others
from evalcontract.api.edge import locate, locate_fault
from evalcontract.api.grading import Grading
from evalcontract.api.run import Run, today
from evalcontract.checks import Surroundings
from evalcontract.checks.coverage import FileCoverage, RowCoverage, Tally, Totals, add, cover
from evalcontract.library.artifact import read_artifact
from evalcontract.library.library import Dangling
from evalcontract.model.errors import NothingToCheck
from evalcontract.model.reference import Kind
from evalcontract.source import Document, Unreadable
from evalcontract.structure.parts import HARMLESS
from evalcontract.workspace import find_root, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.api.loaded import LoadedRow
    from evalcontract.api.options import Input, Options
    from evalcontract.checks.plan import Plan
    from evalcontract.model.diagnostic import Diagnostic, Problem
    from evalcontract.source import RowStream


@dataclass
class CoverageOutcome:
    """What is known of all files; `plans` are of rubrics that were given instead of datasets."""

    files: list[FileCoverage] = field(default_factory=list)
    plans: list[Plan] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def totals(self) -> Totals:
        """The counts over all datasets."""
        totals = Totals()
        for each in self.files:
            totals = add(totals, each.totals)
        return totals


def coverage(inputs: Iterable[Input], options: Options, *, all_rows: bool) -> CoverageOutcome:
    """Return the coverage of datasets, and what rubrics ask of a row.

    `all_rows` keeps rows on which every check runs, too; without it only the gaps are kept, so
    that a large dataset needs little memory.

    Raises:
        NothingToCheck: there is no input.
        UsageError: there is no such dialect.

    """
    outcome = CoverageOutcome()
    runs: dict[Any, Run] = {}
    any_input = False
    for each in inputs:
        any_input = True
        root = options.files.real(options.root or find_root(each.path))
        if root not in runs:
            runs[root] = Run(open_workspace(root), None, options.today or today())
        run = runs[root]
        source = read_any(each, options.dialect)
        if isinstance(source, Theirs):
            outcome.files += cover_others(
                run,
                source,
                outcome.diagnostics,
                keep_all=all_rows,
                is_said=options.dialect is not None,
            )
            continue
        if isinstance(source, Unreadable):
            outcome.diagnostics += run.unreadable([source])
        elif isinstance(source, Document) and _is_rubric(source.value):
            grading = _grading(run, {})
            plan = grading.plan(read_artifact(Kind.RUBRIC, source))
            outcome.plans += [plan] if plan else []
            crashes = grading.crashes.values()
            outcome.diagnostics += locate(crashes, source, run.base_policy, {})
        else:
            outcome.files.append(_cover_file(run, source, outcome.diagnostics, keep_all=all_rows))
    if not any_input:
        raise NothingToCheck("there is nothing to check")
    return outcome


def _is_rubric(value: Any) -> bool:
    return isinstance(value, dict) and "checks" in value and "questions" not in value


def _grading(run: Run, root: dict[str, Any]) -> Grading:
    workspace = run.workspace
    has_php = shutil.which("php") is not None
    around = Surroundings(workspace.library, has_php=has_php, read_json=workspace.read_json)
    default = root.get("bundle")
    name = default if isinstance(default, str) else None
    return Grading(around, workspace.usable_bundles, name)


def _cover_file(
    run: Run, source: Document | RowStream, diagnostics: list[Diagnostic], *, keep_all: bool
) -> FileCoverage:
    rows, root, problems = check_root(source)
    policy = run.base_policy
    diagnostics += locate(problems, source, policy, {})
    tally = Tally(keep_all=keep_all)
    coverer = Coverer(run, root)
    for batch in rows.batches() if rows else ():
        for fault, text in batch.faults:
            found = locate_fault(fault, source.file, text, policy)
            diagnostics += [found] if found else []
        for index, value in enumerate(batch.rows, batch.first_index):
            if rows:
                place = partial(rows.place, (*rows.prefix, index))
                tally.take(coverer.cover(index, value), place)
    diagnostics += locate(coverer.crashes, source, policy, {})
    return tally.of(source.file)


class Coverer:
    """Tells the coverage of the rows of one dataset."""

    def __init__(self, run: Run, root: dict[str, Any]) -> None:
        self._grading = _grading(run, root)

    @property
    def crashes(self) -> list[Problem]:
        """The rubrics of which nothing can be told: a bug of ours."""
        return list(self._grading.crashes.values())

    def cover(self, index: int, row: Any) -> RowCoverage:
        """Return the coverage of one row."""
        bundle = self._grading.bundle_of(row) if isinstance(row, dict) else None
        problems = self._grading.structure(bundle).check(row)
        # A runner passes over a misspelled key: what is missing for it shows in the checks.
        faults = [each for each in problems if not each.code.endswith(HARMLESS)]
        if faults:
            return cover(index, row, None, fault=faults[0].message)
        found = self._grading.rubric_of(row.get("rubric_ref"))
        if found is None:
            return cover(index, row, None)
        if isinstance(found, Dangling):
            return cover(index, row, None, fault=f"there is no `{found.reference}`")
        plan = self._grading.plan(found.artifact)
        crashed = "what its rubric does cannot be told: a bug of evalcontract"
        return cover(index, row, plan, fault=None if plan else crashed)

    def cover_rows(self, rows: Iterable[LoadedRow]) -> tuple[RowCoverage, ...]:
        """Return the coverage of rows that are loaded already."""
        return tuple(self.cover(row.index, row.value) for row in rows)
