"""Check one dataset batch by batch: the gate first, then row by row what does not pass it."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from functools import cached_property, partial
from itertools import chain, compress
from typing import TYPE_CHECKING, Any

from evalcontract.checks import EvalContext
from evalcontract.checks.plan import Plan
from evalcontract.datasets.gates import Gates, RowRefs, SharedGates, refs_of_rows
from evalcontract.datasets.known import KnownPieces, KnownRow, KnownRows, PieceResults
from evalcontract.datasets.placing import guarded
from evalcontract.datasets.plans import GradingPlans, Plans
from evalcontract.datasets.root import is_graded_above
from evalcontract.datasets.run import FindingBudget
from evalcontract.datasets.workers import (
    MIN_PART_BYTES,
    BatchFindings,
    BatchResult,
    ObservedRows,
    check_in_parallel,
    ignoring_rows,
    packed,
    shifted,
    unpacked,
)
from evalcontract.library.library import (
    Artifact,
    Library,
    Resolution,
    UnreadableNames,
    file_uses,
)
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.rules._rule import DatasetContext, RowGroup, RowRule, Suspects
from evalcontract.source import Batch, RowBatches
from evalcontract.source.rows import RowPart
from evalcontract.structure.parts import Schema
from evalcontract.workspace.catalogue import RulesInUse, rules_in_use

if TYPE_CHECKING:
    from evalcontract.meaning.locked import DatasetUse
    from evalcontract.source.jsonl import RowStream

# Rows that do not pass their gate are halved and tried again; this few are tried one by one.
_FEW_ROWS = 4
# Most extra keys of a dataset occur in its first rows.
_SAMPLE_ROWS = 100


class DatasetCheck:
    """The check of one dataset. `root` has the keys of the dataset other than its rows."""

    def __init__(self, rows: RowBatches, root: dict[str, Any], context: RowContext) -> None:
        self._rows = rows
        self._rules = rules_in_use() if context.runs_rules else RulesInUse.none()
        self._context = context
        default = root.get("bundle")
        bundle = default if isinstance(default, str) else None
        self.grading = GradingPlans(
            context.checks, context.bundles, bundle, plans=context.plans, graded=context.graded
        )
        self._is_graded_at_root = is_graded_above(root)
        self._ungated_rules = [rule for rule in self._rules.row if rule.silent is None]
        self._suspecting = [rule.suspects for rule in self._rules.row if rule.suspects]
        self._references: set[str] = set()
        self._bundles: set[str] = set()
        self._first_rows: dict[str, range] = {}
        dataset_context = DatasetContext(rows.prefix, root, context.declared, rows.cut_texts)
        of_whole = () if context.is_part else self._rules.dataset
        watches = [(rule.code, rule.watch(dataset_context)) for rule in of_whole]
        self._watches = [(code, watch, getattr(watch, "see_ids", None)) for code, watch in watches]
        self._needs_ids_only = all(see_ids is not None for _, _, see_ids in self._watches)
        self.count = 0
        self._unchecked = 0
        #: How many pieces have been checked, of how many, and how many of them were known.
        self.share: tuple[int, int, int] | None = None
        self._known = context.known
        if self._known:
            self._known.begin((bundle, self._is_graded_at_root, *context.facts))

    def batches(self, *, keep_rows: bool = False, jobs: int = 1) -> Iterator[BatchFindings]:
        """Yield every batch with the problems of its rows.

        The values in a batch are reliable only with `keep_rows`. Without it, up to `jobs` processes
        check a large stream.
        """
        quick = self._needs_ids_only and not keep_rows
        check = partial(self.check_rows, quick=quick, is_bounded=True)
        stream = self._rows.stream if quick else None
        is_divided = stream is not None and min(jobs, stream.size // MIN_PART_BYTES) > 1
        kept = self._context.kept
        in_pieces = quick and stream is None and (jobs > 1 or kept)
        pieces = self._rows.parts() if in_pieces else ()
        if len(pieces) > 1:
            results = self._check_pieces(pieces, jobs)
        elif stream is not None and is_divided:
            known, size = self.grading.crashes, MIN_PART_BYTES // 4
            results = check_in_parallel(
                stream, jobs, check, collect=lambda: known, merge=known.update, size=size
            )
        else:
            results = check(self._rows)
        for result in results:
            yield self._batch_findings(result)

    def _check_pieces(self, pieces: Sequence[RowPart], jobs: int) -> Iterator[BatchResult]:
        """Yield the results of pieces of a table, which processes check in turns."""
        from evalcontract.source.processes import map_in_parallel  # only for large files

        crashes, kept = self.grading.crashes, self._kept_results()
        known = 0

        def work(number: int) -> tuple[list[BatchResult], bool, Any]:
            return *self._results_of(pieces[number], kept), crashes

        try:
            with closing(map_in_parallel(work, range(len(pieces)), jobs)) as found:
                for number, (results, is_known, others) in enumerate(found, 1):
                    crashes.update(others)
                    known += is_known
                    self.share = number, len(pieces), known
                    yield from map(unpacked, results)
        finally:
            for piece in pieces:
                piece.close()

    def _results_of(
        self, piece: RowPart, kept: PieceResults | None
    ) -> tuple[list[BatchResult], bool]:
        """Return the packed results of a piece, and whether they were known."""
        content = piece.content() if kept else None
        if kept and content and (found := kept.load(content, piece.first)) is not None:
            return found, True
        left = self.grading.predictions_left
        results = [*packed(self.check_rows(piece, quick=True, is_bounded=True))]
        is_sure = not self.crashes and self.grading.predictions_left == left
        # What has been read is what was hashed before.
        if kept and content and is_sure and piece.content() == content:
            kept.keep(content, piece.first, results)
        return results, False

    def _kept_results(self) -> PieceResults | None:
        """Return the results of pieces that are checked as here; None if none are kept."""
        context = self._context
        if context.kept is None:
            return None
        budget = context.budget if context.budget.limit else None
        rows = self._rows.prefix, self.grading.default, self._is_graded_at_root
        facts = (*context.facts, *context.facts_of_files, context.runs_rules, context.max_rejected)
        return context.kept.checked_with((rows, facts, budget and budget.facts))

    def take_part(self, part: RowStream, results: Iterator[BatchResult]) -> Iterator[BatchFindings]:
        """Yield the batches of the next part with the problems of its rows; see `batches`."""
        if whole := self._rows.stream:
            for result in shifted(whole, part, results, count=whole.count, lines=whole.lines):
                yield self._batch_findings(result)

    def _batch_findings(self, result: BatchResult) -> BatchFindings:
        """Run the dataset rules on the next batch, and return all that was found in it."""
        self.count += result.row_count
        self._unchecked += result.unchecked
        first = result.batch.first_index
        rows = range(first, first + result.row_count)
        self._first_rows |= dict.fromkeys(result.references - self._references, rows)
        self._references |= result.references
        self._bundles |= result.bundles
        problems = [*result.problems, *self._run_dataset_rules(result)]
        return BatchFindings(result.batch, problems, result.ignoring, result.unchecked)

    def check_rows(
        self, rows: RowBatches, *, quick: bool, is_bounded: bool = False
    ) -> Iterator[BatchResult]:
        """Check rows, or a part of them, in any process; the results are for `take_part`.

        If it `is_bounded`, it ends after the batch in which the budget is spent. After too many
        rows that cannot be used, the others are not looked at.
        """
        gates = self._gates_for(rows) if quick else self._exact_gates
        spending = self._context.budget.spending()
        room = self._context.max_rejected or sys.maxsize
        for batch in rows.batches(quick=quick):
            count = len(batch.rows)
            if not room:
                yield BatchResult(batch, count, [], [], frozenset(), unchecked=count)
                continue
            if not gates.has_learned:  # avoids compiling the first gate again for every new key
                for row in batch.rows[:_SAMPLE_ROWS]:
                    gates.learn(row)
            result = self._check_batch(rows, batch, gates, quick=quick, room=room)
            room -= result.rejected
            yield result
            if is_bounded:
                spending.add_batch(result)
                if spending.is_spent:
                    return

    @cached_property
    def _exact_gates(self) -> Gates:
        """The gates of all parts that are not read quickly, which have the same numbers."""
        return self._gates_for(None)

    def _gates_for(self, quickly_read: RowBatches | None) -> Gates:
        has_odd_numbers = (
            partial(_has_other_numbers, quickly_read) if quickly_read is not None else bool
        )
        return Gates(
            self.grading,
            self._rules.row,
            has_odd_numbers,
            shared=self._context.gates,
            rows=self._rows,
        )

    def _check_batch(
        self, rows: RowBatches, batch: Batch, gates: Gates, *, quick: bool, room: int
    ) -> BatchResult:
        """Check a batch, at most to the row that is the last of `room` rows to be rejected."""
        first = batch.first_index
        refs = refs_of_rows(batch.rows)
        pieces = rows.pieces if quick else None
        known = self._known.in_batch(batch, pieces) if self._known and pieces else {}
        suspicious = self._suspicious_among(batch, refs, gates, known)
        exact = {
            n: known[n].value if n in known else rows.exact(n) if quick else batch.rows[n - first]
            for n in suspicious
        }
        ignoring = tuple(ignoring_rows(batch))
        problems = self._problems_of_rows(
            exact, rows, {row.row_index for row in ignoring}, known, room=room
        )
        rejected = {each.row_index or 0 for each in problems if each.code in ILL_FORMED}
        last = max(rejected) if len(rejected) == room else first + len(batch.rows) - 1
        # Without refs of the whole batch, clean rows are asked one by one.
        asked = batch.rows if refs is None else exact.values()
        references, bundles = (_texts_of(asked, key) for key in ("rubric_ref", "bundle"))
        if refs is not None:
            references |= {text for text in refs.rubrics if isinstance(text, str)}
            bundles |= {text for text in refs.bundles if isinstance(text, str)}
        needs_ids_only = self._needs_ids_only and self._are_declared(refs)
        observed = list(_observed_rows(batch, exact, keep_rows=not needs_ids_only))
        return BatchResult(
            batch,
            len(batch.rows),
            problems,
            observed,
            references,
            ignoring,
            rejected=len(rejected),
            unchecked=first + len(batch.rows) - 1 - last,
            bundles=bundles,
        )

    def _suspicious_among(
        self, batch: Batch, refs: RowRefs | None, gates: Gates, known: dict[int, KnownRow]
    ) -> list[int]:
        """Return the indexes of the rows of a batch that may have problems, or are known to."""
        first, rows = batch.first_index, batch.rows
        if not known:
            return [*self._suspicious_rows(rows, refs, gates, first=first)]
        others = [n for n in range(len(rows)) if first + n not in known]
        unknown = [rows[n] for n in others]
        are_alike = refs is not None and len(refs.bundles) == len(refs.rubrics) == 1
        refs = refs if are_alike else refs_of_rows(unknown)
        found = self._suspicious_rows(unknown, refs, gates, first=0)
        return sorted([*known, *(first + others[n] for n in found)])

    def _suspicious_rows(
        self, rows: list[Any], refs: RowRefs | None, gates: Gates, first: int
    ) -> Iterator[int]:
        """Yield the indexes of the rows that may have problems."""
        # These are the rows that do not pass their gate or have a problem by a rule without a gate.
        if gates.pass_all(rows, refs):
            yield from self._suspicious_beside_gates(rows, gates, first)
            return
        if len(rows) == 1:
            if gates.learn(rows[0]) and gates.pass_all(rows, refs):
                yield from self._suspicious_beside_gates(rows, gates, first)
            else:
                yield first
            return
        size = 1 if len(rows) <= _FEW_ROWS else (len(rows) + 1) // 2
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            yield from self._suspicious_rows(part, refs_of_rows(part), gates, first=first + start)

    def _suspicious_beside_gates(self, rows: list[Any], gates: Gates, first: int) -> Iterator[int]:
        """Yield the indexes of rows that pass their gate, and may have problems nevertheless."""
        groups = [group for row in rows if (group := gates.group_of(row))]
        if len(groups) < len(rows):  # it is not known how they are graded
            yield from range(first, first + len(rows))
            return
        found = {n for suspects in self._suspecting for n in _suspected(suspects, rows, groups)}
        for number, row in enumerate(rows) if self._ungated_rules else ():
            if any(self._run_rules(row, first + number, self._ungated_rules)):
                found.add(number)
        yield from (first + number for number in sorted(found))

    def _are_declared(self, refs: RowRefs | None) -> bool:
        return refs is not None and refs.bundles <= self._context.declared | {None}

    def _run_dataset_rules(self, result: BatchResult) -> Iterator[Problem]:
        """Yield the problems of a batch that depend on the rows before it."""
        for code, watch, see_ids in self._watches:
            for part in result.observed:
                if part.ids and see_ids is not None:
                    yield from guarded(code, see_ids, part.first_index, part.ids)
                else:
                    yield from guarded(code, watch.see, part.first_index, part.rows)

    def finish(self) -> list[Problem]:
        """Return the problems of the dataset as a whole."""
        problems = [
            problem for code, watch, _ in self._watches for problem in guarded(code, watch.finish)
        ]
        if self._known:
            self._known.end(is_sure=not self.crashes and not self._context.reads_files)
        return [*problems, *self.crashes, *self.not_looked_at]

    @property
    def not_looked_at(self) -> list[Problem]:
        """What says how many rows were not looked at, if there are any."""
        if not self._unchecked:
            return []
        rows = "1 row was" if self._unchecked == 1 else f"{self._unchecked:,} rows were"
        message = f"{rows} not looked at: {self._context.max_rejected:,} rows cannot be used"
        return [Problem("source/limit-exceeded", message, (), "correct these first")]

    @property
    def crashes(self) -> list[Problem]:
        """The crashes of rules and of plans of rubrics: bugs."""
        return list(self.grading.crashes.values())

    def referenced_rubrics(self) -> list[Artifact]:
        """Return the rubrics that rows refer to."""
        rubrics: dict[int, Artifact] = {}
        for text in sorted(self._references):
            resolved = self.grading.rubric_of(text)
            if isinstance(resolved, Resolution):
                rubrics[id(resolved.artifact)] = resolved.artifact
        return list(rubrics.values())

    def use(self) -> DatasetUse:
        """Return what the rows so far use."""
        from evalcontract.meaning.locked import DatasetUse  # only with a lock

        references = filter(None, map(Reference.parse, sorted(self._references)))
        rubrics = (each for each in references if each.kind is Kind.RUBRIC)
        default = self.grading.default
        bundles = self._bundles | ({default} if default is not None else set())
        return DatasetUse(frozenset(rubrics), frozenset(bundles & self._context.declared))

    def first_row_with(self, reference: Reference) -> int | None:
        """Return the index of the first row with a reference, if rows can be read again."""
        texts = [text for text in self._first_rows if Reference.parse(text) == reference]
        batches = sorted((self._first_rows[text] for text in texts), key=lambda rows: rows.start)
        for index in chain.from_iterable(batches):
            row = self._rows.exact(index)
            if isinstance(row, dict) and row.get("rubric_ref") in texts:
                return index
        return None

    def _problems_of_rows(
        self,
        exact: dict[int, Any],
        rows: RowBatches,
        ignoring: set[int],
        known: dict[int, KnownRow],
        room: int,
    ) -> list[Problem]:
        """Return the problems of rows, each with the row's id, until the budget is spent."""
        # They end with the row that is the last of `room` rows to be rejected. A row that aliases
        # repeat is checked once. The problems of the `ignoring` rows do not count.
        all_problems: list[Problem] = []
        spending = self._context.budget.spending(ignoring)
        seen = {id(row.value): (row.number, row.problems) for row in known.values()}
        pieces = rows.pieces if self._known else None
        repeated = len({id(row) for row in exact.values()}) < len(exact)
        for index, row in exact.items():
            id_ = row.get("id") if isinstance(row, dict) else None
            name = id_ if isinstance(id_, str) else None
            problems: Iterable[Problem]
            if id(row) in seen:
                first, problems = seen[id(row)]
                if first != index:
                    problems = _of_row(problems, first, index, length=len(self._rows.prefix))
            else:
                problems = self._problems_of(row, index, rows)
                if (repeated or pieces) and isinstance(row, dict):
                    problems = [*problems]
                    seen[id(row)] = index, problems
                    if self._known and pieces:
                        self._known.keep(index, row, problems, pieces)
            is_rejected = False
            for problem in problems:
                all_problems.append(problem._replace(row=name, row_index=index))
                is_rejected = is_rejected or problem.code in ILL_FORMED
                spending.add(all_problems[-1])
                if spending.is_spent:
                    return all_problems
            room -= is_rejected
            if not room:
                return all_problems
        return all_problems

    def _problems_of(self, row: Any, index: int, rows: RowBatches) -> Iterator[Problem]:
        from evalcontract.library.library import references_in_row  # not needed for clean rows
        from evalcontract.library.references import check_use

        path = (*self._rows.prefix, index)
        bundle = self.grading.bundle_of(row) if isinstance(row, dict) else None
        problems = self.grading.structure(bundle).check(row, path, rows.raw)
        is_valid = not problems
        if problems:
            from evalcontract.library.references import with_advice  # slow to import

            yield from with_advice(problems, row, self._context.library, below=len(path))
        for site in references_in_row(row, path):
            yield from check_use(site, self._context.library, self._context.unreadable)
        if is_valid and isinstance(row, dict):
            yield from self._run_rules(row, index, self._rules.row, source=rows)

    def _run_rules(
        self,
        row: dict[str, Any],
        index: int,
        rules: Iterable[RowRule],
        source: RowBatches | None = None,
    ) -> Iterator[Problem]:
        from evalcontract.rules._rule import RowSubject  # not needed for clean rows

        plan, is_known = self._plan(row)
        bundle = self.grading.bundle_of(row)
        subject = RowSubject(
            path=(*self._rows.prefix, index),
            row=row,
            plan=plan,
            bundle=bundle,
            is_declared=bundle in self._context.declared,
            is_told_above=self._is_graded_at_root,
            graded=self._context.graded,
            source=source,
        )
        for rule in rules if is_known else ():
            yield from guarded(rule.code, rule.check, subject)

    def _plan(self, row: dict[str, Any]) -> tuple[Plan | None, bool]:
        """Return the plan of a row's rubric, and whether it is known how the row is graded."""
        rubric = self.grading.rubric_of(row.get("rubric_ref"))
        if isinstance(rubric, Resolution):
            plan = self.grading.plan_for_row(rubric.artifact)
            return plan, plan is not None
        return None, rubric is None


def _of_row(problems: Iterable[Problem], first: int, index: int, length: int) -> Iterator[Problem]:
    """Yield the problems of the row `first` as those of an equal row; its path has a prefix."""

    def path_of(path: Path) -> Path:
        is_in_row = len(path) > length and path[length] == first
        return (*path[:length], index, *path[length + 1 :]) if is_in_row else path

    for problem in problems:
        yield problem.relocated(path_of)


def _has_other_numbers(rows: RowBatches) -> bool:
    return rows.has_other_numbers


def _suspected(suspects: Suspects, rows: list[Any], groups: list[RowGroup]) -> Sequence[int]:
    """Return the numbers of the rows that a rule suspects, from 0; all of them if it fails."""
    try:
        return [*compress(range(len(rows)), map(suspects, rows, groups))]
    except Exception:  # noqa: BLE001 - the rule is run, and reports what it has
        return range(len(rows))


def _texts_of(rows: Iterable[Any], key: str) -> frozenset[str]:
    texts = (row.get(key) for row in rows if isinstance(row, dict))
    return frozenset({text for text in texts if isinstance(text, str)})


def _observed_rows(
    batch: Batch, exact: dict[int, Any], *, keep_rows: bool
) -> Iterator[ObservedRows]:
    """Yield the rows of a batch for dataset rules: clean rows as ids, unless `keep_rows`."""
    # Yield nothing for a batch that has only faults. A batch with neither rows nor faults is that
    # of an empty dataset, and dataset rules observe it.
    first, rows = batch.first_index, batch.rows
    if keep_rows or not rows or len(exact) > _FEW_ROWS:  # each part costs all rules a call
        if rows or not batch.faults:
            yield ObservedRows(first, [], [exact.get(n, row) for n, row in enumerate(rows, first)])
        return
    start = 0
    for index in (*exact, first + len(rows)):
        clean = rows[start : index - first]
        if clean:
            yield ObservedRows(first + start, [row["id"] for row in clean], [])
        if index in exact:
            yield ObservedRows(index, [], [exact[index]])
        start = index - first + 1


class RowContext(NamedTuple):
    """What the check of a row depends on besides the row.

    `bundles` are the usable schemas; `declared` are the names of all bundles, including those whose
    schema is invalid. `plans` and `gates` may be shared with other datasets. `graded` are the keys
    of rows that the graders of the runner read. `budget` limits the number of problems. Without
    `runs_rules`, only what makes rows ill-formed, and their references, are checked. After
    `max_rejected` rows that cannot be used, others are not looked at; 0 is no limit. Of rows that
    are a part of a dataset (`is_part`), no rule for whole datasets is asked. `known` has the rows
    of an earlier check, and `kept` the results of pieces of tables.
    """

    checks: EvalContext
    bundles: Mapping[str, Schema]
    declared: frozenset[str]
    unreadable: UnreadableNames
    plans: Plans | None = None
    gates: SharedGates | None = None
    graded: frozenset[str] = frozenset()
    budget: FindingBudget = FindingBudget()
    runs_rules: bool = True
    max_rejected: int = 0
    is_part: bool = False
    known: KnownRows | None = None
    kept: KnownPieces | None = None

    @property
    def facts(self) -> tuple[object, ...]:
        """What the problems of a row depend on, besides the row and its dataset."""
        library = self.library
        return (
            [(each.file, each.document.text) for each in library.artifacts],
            [library.misnamed_folder(kind) for kind in (Kind.RUBRIC, Kind.JUDGE)],
            repr(self.bundles),
            self.declared,
            self.unreadable,
            self.checks.declared,
            self.graded,
        )

    @property
    def facts_of_files(self) -> tuple[object, ...]:
        """What the problems of a row depend on in libraries and other files, as far as is read."""
        shared = self.library.shared
        of_libraries = [
            (each.file, each.document.sha256, self.library.fault_of(each))
            for each in shared.artifacts
        ]
        named = {
            use.name: artifact
            for artifact in (*self.library.artifacts, *shared.artifacts)
            if artifact.kind is Kind.RUBRIC
            for use in file_uses(artifact)
        }
        contents = [(name, self._content(name)) for name in sorted(named)]
        unreadable = sorted(shared.unreadable.items())
        return (of_libraries, unreadable, shared.settings, contents, self.checks.has_php)

    def _content(self, name: str) -> str:
        """Return what a file of a check says, or why it cannot be read."""
        try:
            return repr(self.checks.read_json(name))
        except LookupError as error:
            return repr(error)

    @property
    def reads_files(self) -> bool:
        """Whether problems may depend on files beside the workspace's own, which may change."""
        return any((self.checks.reads or {}).values()) or bool(self.library.shared.artifacts)

    @property
    def library(self) -> Library:
        """The rubrics and judges that rows may refer to."""
        return self.checks.library
