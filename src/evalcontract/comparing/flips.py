"""Which rows really get another verdict: recorded outputs, graded by both revisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from evalcontract.comparing.revisions import (
    FileRevision,
    RevisedWorkspace,
    Revisions,
    open_workspaces,
)
from evalcontract.datasets.columns import of_outputs
from evalcontract.datasets.opening import Input, Options
from evalcontract.datasets.output_files import read_outputs
from evalcontract.datasets.outputs import OutputFile
from evalcontract.grading.comparison import Comparison
from evalcontract.grading.earlier import by_id
from evalcontract.grading.grade import Grading
from evalcontract.grading.results import RowResult
from evalcontract.grading.samples import reduced
from evalcontract.judging.asking import Judging, Usage
from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, listed
from evalcontract.policy import Policy
from evalcontract.source import RowSource
from evalcontract.workspace import display_name, find_root

#: What is said of rows by their numbers, or is a fault of no output.
_TOLD = ("output/missing", "output/unknown-id", "output/undecided")


#: Returns what asks judges, anew at each call.
MakeJudging = Callable[[], Judging]


class FlippedRow(NamedTuple):
    """A row with another result; `checks` are the names of those that changed."""

    row: str
    before: RowResult
    after: RowResult
    checks: tuple[str, ...]

    @property
    def is_flip(self) -> bool:
        """Whether the verdict is another, and not the score alone."""
        return self.before.outcome is not self.after.outcome


class Flips(NamedTuple):
    """The recorded outputs of a dataset, graded by both revisions.

    `rows` is the number of rows that both graded, `undecided` that of those of which at least one
    revision knows no verdict. `only_old` and `only_new` are the rows that one of them has.
    """

    outputs: str
    dataset: str
    rows: int
    changed: list[FlippedRow]
    undecided: int
    only_old: list[str]
    only_new: list[str]
    diagnostics: list[Diagnostic]

    @property
    def flipped(self) -> list[FlippedRow]:
        """The rows with another verdict."""
        return [each for each in self.changed if each.is_flip]


class _Side(NamedTuple):
    """A dataset as one revision has it."""

    path: Path
    root: Path
    revision: FileRevision


def flips_of_workspaces(
    revisions: Revisions, outputs: Path, options: Options, ask: MakeJudging | None
) -> Flips:
    """Grade recorded outputs by both revisions of the dataset that they belong to.

    Raises:
        UsageError: it is not clear which dataset that is.

    """
    found: list[tuple[_Side, _Side, RowSource]] = []
    for pair in open_workspaces(revisions, options.configuration):
        before = {pair.old.place_of(source.file): path for path, source in pair.old.datasets}
        for path, source in pair.new.datasets:
            old = before.get(pair.new.place_of(source.file))
            is_meant = revisions.includes(path, revisions.new)
            if old is not None and is_meant and source.unreadable is None:
                found.append((_side(old, pair.old), _side(path, pair.new), source))
    old_side, new_side, _ = _meant(found, outputs, options)
    return _graded(old_side, new_side, outputs, options, ask=ask)


def flips_of_files(
    old: Path, new: Path, outputs: Path, options: Options, ask: MakeJudging | None
) -> Flips:
    """Grade recorded outputs by two datasets, each with the rubrics of its own workspace."""
    one, two = (_Side(path, find_root(path), FileRevision("", path.parent)) for path in (old, new))
    return _graded(one, two, outputs, options, ask=ask)


def _side(path: Path, workspace: RevisedWorkspace) -> _Side:
    return _Side(path, workspace.root, workspace.revision)


def _meant(
    found: list[tuple[_Side, _Side, RowSource]], outputs: Path, options: Options
) -> tuple[Any, Any, Any]:
    """Return the dataset that outputs belong to: the only one, of their name, or with their ids."""
    name = display_name(outputs)
    choices = found
    if len(choices) > 1:
        choices = [each for each in found if each[1].path.stem == outputs.stem] or found
    if len(choices) > 1:
        ids = _ids_of_outputs(outputs, options)
        choices = [each for each in choices if not ids.isdisjoint(_ids(each[2]))]
    if len(choices) == 1:
        return choices[0]
    if not choices:
        raise UsageError(f"{name} belongs to no dataset that both revisions have")
    names = listed(f"`{clipped(each[2].file)}`" for each in choices)
    raise UsageError(f"{name} may belong to {names}: name the dataset as PATH")


def _ids_of_outputs(path: Path, options: Options) -> set[str]:
    source = read_outputs(Input(path))
    if source.unreadable:
        return set()
    file = OutputFile(source, Policy(), of_outputs(options.columns)[1])
    return {record.id for batch in file.batches() for record in batch}


def total_usage(usages: Iterable[Usage]) -> Usage:
    """Return the usage of judges in several gradings."""
    total = Usage()
    for each in usages:
        costs = [cost for cost in (total.cost, each.cost) if cost is not None]
        total = Usage(
            total.calls + each.calls,
            total.cached + each.cached,
            total.input_tokens + each.input_tokens,
            total.output_tokens + each.output_tokens,
            total.unmetered + each.unmetered,
            sum(costs) if costs else None,
            tuple(dict.fromkeys((*total.remarks, *each.remarks))),
            total.repeated + each.repeated,
            total.lenient + each.lenient,
            Counter(total.readings) + Counter(each.readings),
            total.unasked + each.unasked,
            total.unpriced + each.unpriced,
        )
    return total


def _ids(source: RowSource) -> Iterator[str]:
    rows: Any = []
    if source.stream is not None:
        rows = (row for batch in source.stream.batches(quick=True) for row in batch.rows)
    elif source.document is not None:
        value = source.document.quick
        rows = value.get("questions") if isinstance(value, dict) else value
    for row in rows if rows is not None else ():
        if isinstance(row, dict) and isinstance(row.get("id"), str):
            yield row["id"]


def _graded(
    old: _Side, new: _Side, outputs: Path, options: Options, *, ask: MakeJudging | None
) -> Flips:
    before, _ = _results(old, outputs, options, ask=ask)
    after, grading = _results(new, outputs, options, ask=ask)
    earlier = by_id(before.values())
    comparison = Comparison.of(earlier, after.values())
    both = before.keys() & after.keys()
    unknown = sum(1 for id_ in both if not (before[id_].is_complete and after[id_].is_complete))
    return Flips(
        display_name(outputs),
        display_name(new.path),
        len(both),
        [FlippedRow(each.after.id, *each) for each in comparison.changed],
        unknown,
        comparison.lost_ids(earlier),
        comparison.new,
        [each for each in grading.diagnostics if _is_of_outputs(each, outputs)],
    )


def _is_of_outputs(found: Diagnostic, outputs: Path) -> bool:
    """Whether a finding is on the outputs, and not one that the comparison tells itself."""
    return found.place.file == display_name(outputs) and found.code not in _TOLD


def _results(
    side: _Side, outputs: Path, options: Options, *, ask: MakeJudging | None
) -> tuple[dict[str, RowResult], Grading]:
    files = side.revision.files
    # One process: those that it starts would read from the same process of git.
    own = options._replace(root=side.root, files=files, jobs=1)
    # A judge has its name in both: what has asked one of them must not ask the other.
    judging = ask() if ask else None
    grading = Grading(Input(side.path, files=files), Input(outputs), own, judging)
    return {row.id: row for row in reduced([*grading.results()], "mean")}, grading
