"""One dataset, batch by batch: the gate, then structure, references and rules for the rest."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.api.crash import guarded
from evalcontract.api.dataset_root import graded_by
from evalcontract.api.gates import Gates
from evalcontract.api.grading import Grading
from evalcontract.api.rules_in_use import rules_in_use
from evalcontract.api.sifter import Sifter
from evalcontract.api.workers import WORTH_BYTES, Looked, look_in_parts
from evalcontract.library.artifact import uses_of_row
from evalcontract.library.library import Library, Resolved
from evalcontract.library.references import check_use
from evalcontract.rules._dataset_rule import DatasetContext, IdWatch
from evalcontract.source import RowStream, YamlRows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evalcontract.api.grading import Plans
    from evalcontract.api.yaml_sifter import YamlSifter
    from evalcontract.checks import Surroundings as CheckSurroundings
    from evalcontract.checks.plan import Plan
    from evalcontract.library.artifact import Artifact
    from evalcontract.library.names import UnreadableNames
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.source import Batch, Rows
    from evalcontract.structure.schemas import Schema


# So many doubtful rows are looked at together: one after another takes half the time that it takes
# between blocks of others, which drive all that is needed for it from a processor's caches. More
# batches than these do not wait for them.
_TOGETHER, _MOST_WAITING = 64, 256


class Surroundings(NamedTuple):
    """What a dataset's rows are judged by besides themselves.

    `bundles` can be used; `declared` are the names of those that cannot, too. `plans` may be
    shared with other datasets.
    """

    checks: CheckSurroundings
    bundles: Mapping[str, Schema]
    declared: frozenset[str]
    unreadable: UnreadableNames
    plans: Plans | None = None

    @property
    def library(self) -> Library:
        """The rubrics and judges that rows may refer to."""
        return self.checks.library


def _sifter_for(rows: Rows, gates: Gates) -> Sifter | YamlSifter:
    if not isinstance(rows, YamlRows):
        return Sifter(gates)
    from evalcontract.api.yaml_sifter import YamlSifter  # small files have no use for it

    return YamlSifter(gates)


class DatasetCheck:
    """One pass over one dataset. `root` holds the keys beside its rows."""

    def __init__(
        self,
        rows: Rows,
        root: dict[str, Any],
        around: Surroundings,
        raw: Callable[[Path], str | None] | None = None,
    ) -> None:
        self._rows = rows
        self._rules = rules_in_use()
        self._around = around
        self._raw = raw
        default = root.get("bundle")
        bundle = default if isinstance(default, str) else None
        self._grading = Grading(around.checks, around.bundles, bundle, around.plans)
        self._gates = Gates(self._grading)
        self._is_told_above = any(key in root for key in graded_by())
        self._references: set[str] = set()
        context = DatasetContext(rows.prefix, root, around.declared)
        self._watches = [(rule.code, rule.watch(context)) for rule in self._rules.dataset]
        self._id_watches = [
            (code, each) for code, each in self._watches if isinstance(each, IdWatch)
        ]
        self._sifter = _sifter_for(rows, self._gates)
        self.count = 0

    def batches(
        self, *, keep_rows: bool = False, jobs: int = 1
    ) -> Iterator[tuple[Batch, list[Problem]]]:
        """Yield every batch with what is wrong with its rows.

        The rows of a stream are not kept where nothing is to be said of them, unless it is asked.
        Then so many processes may look at a large one.
        """
        sift = None if keep_rows or not self._may_sift() else self._sifter
        for batch, problems in self._looked(sift, jobs):
            self.count += batch.number
            yield batch, [*problems, *self._see(batch)]

    def _looked(self, sift: Sifter | YamlSifter | None, jobs: int) -> Iterator[Looked]:
        rows = self._rows
        if isinstance(rows, RowStream) and sift:
            number = min(jobs, rows.size // WORTH_BYTES)
            if number > 1:
                crashes = self._grading.crashes
                look = partial(self._look_at_all, sift)
                yield from look_in_parts(rows, number, look, lambda: crashes, crashes.update)
                return
        yield from self._look_at_all(sift, rows)

    def _look_at_all(self, sift: Sifter | YamlSifter | None, rows: Rows) -> Iterator[Looked]:
        """Yield the batches of rows; what is doubtful waits for more of it to be looked at."""
        waiting: list[tuple[Batch, list[int]]] = []
        count = 0
        for batch in sift.batches(rows) if sift else rows.batches():
            doubtful = [] if batch.sifted else self._doubtful(batch, sift)
            waiting.append((batch, doubtful))
            count += len(doubtful)
            if not count or count >= _TOGETHER or len(waiting) >= _MOST_WAITING:
                yield from self._told(waiting)
                waiting, count = [], 0
        yield from self._told(waiting)

    def _told(self, waiting: list[tuple[Batch, list[int]]]) -> list[Looked]:
        return [
            (batch, [] if batch.sifted else self._look(batch, doubtful))
            for batch, doubtful in waiting
        ]

    def _may_sift(self) -> bool:
        return self._rules.gate_is_sound and len(self._id_watches) == len(self._watches)

    def _doubtful(self, batch: Batch, sift: Sifter | YamlSifter | None) -> list[int]:
        """Return which rows do not pass their gate; a sift learns from the others."""
        every = range(len(batch.rows))
        doubtful: list[int] = []
        if not self._pass(batch.rows):
            is_alone = len(batch.rows) == 1
            doubtful = [n for n in every if is_alone or not self._pass([batch.rows[n]])]
        if sift and len(doubtful) < len(batch.rows):
            clean = sorted(set(every).difference(doubtful)) if doubtful else every
            texts = [batch.texts[number] for number in clean] if batch.texts else []
            sift.learn([batch.rows[number] for number in clean], texts)
        return doubtful

    def _look(self, batch: Batch, doubtful: list[int]) -> list[Problem]:
        """Return what is wrong with rows that do not pass their gate, each by itself."""
        found: list[Problem] = []
        for number in doubtful:
            row, index = batch.rows[number], batch.first_index + number
            id_ = row.get("id") if isinstance(row, dict) else None
            name = id_ if isinstance(id_, str) else None
            of_row = self._of_row(row, index)
            found += [each._replace(row=name, row_index=index) for each in of_row]
        return found

    def _see(self, batch: Batch) -> list[Problem]:
        """Return what the rows of a batch show beside those before them."""
        first, found = batch.first_index, []
        if batch.sifted is not None:
            self._references |= batch.sifted.references
            for code, ids in self._id_watches:
                found += guarded(code, ids.see_ids, first, batch.sifted.ids)
            return found
        self._collect(batch.rows)
        for code, watch in self._watches:
            if batch.rows or not batch.faults:
                found += guarded(code, watch.see, first, batch.rows)
        return found

    def finish(self) -> list[Problem]:
        """Return what only the whole dataset shows."""
        found = [
            problem for code, watch in self._watches for problem in guarded(code, watch.finish)
        ]
        return [*found, *self._grading.crashes.values()]

    def reached(self) -> list[tuple[Artifact, bool]]:
        """Return the rubrics that rows refer to, each with whether every reference is pinned."""
        found: dict[int, tuple[Artifact, bool]] = {}
        for text in sorted(self._references):
            resolved = self._grading.rubric_of(text)
            if isinstance(resolved, Resolved):
                _, pinned = found.get(id(resolved.artifact), (None, True))
                found[id(resolved.artifact)] = (resolved.artifact, pinned and resolved.pinned)
        return list(found.values())

    def _collect(self, rows: list[Any]) -> None:
        for row in rows:
            if row.__class__ is dict and "rubric_ref" in row:
                text = row["rubric_ref"]
                if text.__class__ is str:
                    self._references.add(text)

    def _pass(self, rows: list[Any]) -> bool:
        if not self._rules.gate_is_sound:
            return False
        gates = self._gates
        return gates.pass_all(rows) or (gates.learn(rows) and gates.pass_all(rows))

    def _of_row(self, row: Any, index: int) -> list[Problem]:
        path = (*self._rows.prefix, index)
        bundle = self._grading.bundle_of(row) if isinstance(row, dict) else None
        found = self._grading.structure(bundle).check(row, path, self._raw)
        sound = not found
        if found:
            from evalcontract.library.spelling import with_advice  # slow to import

            found = with_advice(found, row, self._around.library, below=len(path))
        for use in uses_of_row(row, path):
            found += check_use(use, self._around.library, self._around.unreadable)
        if sound and isinstance(row, dict):
            from evalcontract.rules._row_rule import RowSubject  # clean rows pass their gate

            plan, known = self._plan(row)
            declared = bundle in self._around.declared
            subject = RowSubject(path, row, plan, bundle, declared, self._is_told_above)
            for rule in self._rules.row if known else ():
                found += guarded(rule.code, rule.check, subject)
        return found

    def _plan(self, row: dict[str, Any]) -> tuple[Plan | None, bool]:
        """Return the plan of a row's rubric, and whether it is known what grades the row."""
        found = self._grading.rubric_of(row.get("rubric_ref"))
        if isinstance(found, Resolved):
            plan = self._grading.plan(found.artifact)
            return plan, plan is not None
        return None, found is None
