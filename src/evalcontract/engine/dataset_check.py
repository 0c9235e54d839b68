"""One dataset, batch by batch: the gate, then structure, references and rules for the rest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.engine.crash import guarded
from evalcontract.engine.dataset_root import graded_by
from evalcontract.engine.gates import Gates, Words, words_of
from evalcontract.engine.grading import Grading
from evalcontract.engine.workers import WORTH_BYTES, Looked, Seen, look_in_parts
from evalcontract.library.artifact import references_in_row
from evalcontract.library.library import Library, Resolved
from evalcontract.library.references import check_use
from evalcontract.rules._dataset_rule import DatasetContext
from evalcontract.workspace.rules_in_use import rules_in_use

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from evalcontract.checks import EvalContext
    from evalcontract.checks.plan import Plan
    from evalcontract.engine.gates import SharedGates
    from evalcontract.engine.grading import Plans
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.names import UnreadableNames
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.rules._row_rule import RowRule
    from evalcontract.source import Batch, Rows
    from evalcontract.structure.schemas import Schema

    Raw = Callable[[Path], str | None]

# Where a run of rows does not pass its gate, its halves are tried; of so few each row.
_EACH = 4
# The keys of an author's own are nearly always those of the first rows.
_FIRST = 100


class RowContext(NamedTuple):
    """What a dataset's rows are judged by besides themselves.

    `bundles` can be used; `declared` are the names of those that cannot, too. `plans` and
    `gates` may be shared with other datasets.
    """

    checks: EvalContext
    bundles: Mapping[str, Schema]
    declared: frozenset[str]
    unreadable: UnreadableNames
    plans: Plans | None = None
    gates: SharedGates | None = None

    @property
    def library(self) -> Library:
        """The rubrics and judges that rows may refer to."""
        return self.checks.library


class DatasetCheck:
    """One pass over one dataset. `root` holds the keys beside its rows."""

    def __init__(self, rows: Rows, root: dict[str, Any], around: RowContext) -> None:
        self._rows = rows
        self._rules = rules_in_use()
        self._around = around
        default = root.get("bundle")
        bundle = default if isinstance(default, str) else None
        self.grading = Grading(around.checks, around.bundles, bundle, around.plans)
        self._is_told_above = any(key in root for key in graded_by())
        self._always = [rule for rule in self._rules.row if rule.silent is None]
        self._references: set[str] = set()
        context = DatasetContext(rows.prefix, root, around.declared)
        watches = [(rule.code, rule.watch(context)) for rule in self._rules.dataset]
        self._watches = [(code, each, getattr(each, "see_ids", None)) for code, each in watches]
        self._by_ids = all(see_ids is not None for _, _, see_ids in self._watches)
        self.count = 0

    def batches(
        self, *, keep_rows: bool = False, jobs: int = 1
    ) -> Iterator[tuple[Batch, list[Problem]]]:
        """Yield every batch with what is wrong with its rows.

        The rows of a batch are to be trusted only where `keep_rows` asks for them. Else so many
        processes may look at a large stream.
        """
        quick = self._by_ids and not keep_rows
        rows, look = self._rows, partial(self._look_at_all, quick=quick)
        stream = rows.stream if quick else None
        number = min(jobs, stream.size // WORTH_BYTES) if stream else 1
        crashes = self.grading.crashes
        every = (
            look_in_parts(stream, number, look, lambda: crashes, crashes.update)
            if stream and number > 1
            else look(rows)
        )
        for looked in every:
            self.count += looked.number
            self._references |= looked.references
            yield looked.batch, [*looked.problems, *self._see(looked)]

    def _look_at_all(self, rows: Rows, *, quick: bool) -> Iterator[Looked]:
        has_odd_numbers = partial(_has_other_numbers, rows) if quick else bool
        gates = Gates(self.grading, self._rules.row, has_odd_numbers, self._around.gates)
        for batch in rows.batches(quick=quick):
            if not gates.has_learnt:  # a gate that knows the keys of the first rows is made once
                for row in batch.rows[:_FIRST]:
                    gates.learn(row)
            yield self._look(rows, batch, gates, quick=quick)

    def _look(self, rows: Rows, batch: Batch, gates: Gates, *, quick: bool) -> Looked:
        words = words_of(batch.rows)
        doubtful = list(self._doubtful(batch.rows, words, gates, batch.first_index))
        exact = {n: rows.exact(n) if quick else batch.rows[n - batch.first_index] for n in doubtful}
        problems = [each for n, row in exact.items() for each in self._of_row(row, n, rows.raw)]
        references = frozenset(_references_of(exact.values()))
        if words is not None:
            references |= {text for text in words.references if isinstance(text, str)}
        is_plain = self._by_ids and self._are_declared(words)
        seen = list(_seen(batch, exact, keep_rows=not is_plain))
        return Looked(batch, len(batch.rows), problems, seen, references)

    def _doubtful(
        self, rows: list[Any], words: Words | None, gates: Gates, first: int
    ) -> Iterator[int]:
        """Yield the indexes of rows that do not pass their gate, or of which a rule speaks."""
        if gates.pass_all(rows, words):
            if self._always:
                yield from (n for n, row in enumerate(rows, first) if self._is_spoken_of(row, n))
            return
        if len(rows) == 1:
            if not (gates.learn(rows[0]) and gates.pass_all(rows, words)):
                yield first
            return
        size = 1 if len(rows) <= _EACH else (len(rows) + 1) // 2
        for at in range(0, len(rows), size):
            part = rows[at : at + size]
            yield from self._doubtful(part, words_of(part), gates, first + at)

    def _is_spoken_of(self, row: dict[str, Any], index: int) -> bool:
        """Whether a rule that is silent of no row has something to say of this one."""
        return any(self._told_by_rules(row, index, self._always))

    def _are_declared(self, words: Words | None) -> bool:
        return words is not None and words.bundles <= self._around.declared | {None}

    def _see(self, looked: Looked) -> Iterator[Problem]:
        """Yield what the rows of a batch show beside those before them."""
        for code, watch, see_ids in self._watches:
            for seen in looked.seen:
                if seen.ids and see_ids is not None:
                    yield from guarded(code, see_ids, seen.first_index, seen.ids)
                else:
                    yield from guarded(code, watch.see, seen.first_index, seen.rows)

    def finish(self) -> list[Problem]:
        """Return what only the whole dataset shows."""
        found = [
            problem for code, watch, _ in self._watches for problem in guarded(code, watch.finish)
        ]
        return [*found, *self.crashes]

    @property
    def crashes(self) -> list[Problem]:
        """The rubrics and rules of which a part crashed: a bug."""
        return list(self.grading.crashes.values())

    def reached(self) -> list[tuple[Artifact, bool]]:
        """Return the rubrics that rows refer to, each with whether every reference is pinned."""
        found: dict[int, tuple[Artifact, bool]] = {}
        for text in sorted(self._references):
            resolved = self.grading.rubric_of(text)
            if isinstance(resolved, Resolved):
                _, pinned = found.get(id(resolved.artifact), (None, True))
                found[id(resolved.artifact)] = (resolved.artifact, pinned and resolved.pinned)
        return list(found.values())

    def _of_row(self, row: Any, index: int, raw: Raw) -> list[Problem]:
        """Return what is wrong with a row that does not pass its gate."""
        path = (*self._rows.prefix, index)
        bundle = self.grading.bundle_of(row) if isinstance(row, dict) else None
        found = self.grading.structure(bundle).check(row, path, raw)
        sound = not found
        if found:
            from evalcontract.library.spelling import with_advice  # slow to import

            found = with_advice(found, row, self._around.library, below=len(path))
        for use in references_in_row(row, path):
            found += check_use(use, self._around.library, self._around.unreadable)
        if sound and isinstance(row, dict):
            found += self._told_by_rules(row, index, self._rules.row)
        id_ = row.get("id") if isinstance(row, dict) else None
        name = id_ if isinstance(id_, str) else None
        return [each._replace(row=name, row_index=index) for each in found]

    def _told_by_rules(self, row: dict[str, Any], index: int, rules: Iterable[RowRule]) -> Any:
        from evalcontract.rules._row_rule import RowSubject  # clean rows pass their gate

        plan, known = self._plan(row)
        bundle = self.grading.bundle_of(row)
        declared = bundle in self._around.declared
        path = (*self._rows.prefix, index)
        subject = RowSubject(path, row, plan, bundle, declared, self._is_told_above)
        for rule in rules if known else ():
            yield from guarded(rule.code, rule.check, subject)

    def _plan(self, row: dict[str, Any]) -> tuple[Plan | None, bool]:
        """Return the plan of a row's rubric, and whether it is known what grades the row."""
        found = self.grading.rubric_of(row.get("rubric_ref"))
        if isinstance(found, Resolved):
            plan = self.grading.plan(found.artifact)
            return plan, plan is not None
        return None, found is None


def _has_other_numbers(rows: Rows) -> bool:
    return rows.has_other_numbers


def _references_of(rows: Iterable[Any]) -> Iterator[str]:
    for row in rows:
        text = row.get("rubric_ref") if isinstance(row, dict) else None
        if isinstance(text, str):
            yield text


def _seen(batch: Batch, exact: dict[int, Any], *, keep_rows: bool) -> Iterator[Seen]:
    """Yield the rows of a batch as dataset rules see them: clean ones by their ids, if that does.

    A batch of faults alone shows them nothing; one without anything is a dataset without rows.
    """
    first, rows = batch.first_index, batch.rows
    if keep_rows or not rows:
        if rows or not batch.faults:
            yield Seen(first, [], [exact.get(n, row) for n, row in enumerate(rows, first)])
        return
    at = 0
    for index in (*exact, first + len(rows)):
        clean = rows[at : index - first]
        if clean:
            yield Seen(first + at, [row["id"] for row in clean], [])
        if index in exact:
            yield Seen(index, [], [exact[index]])
        at = index - first + 1
