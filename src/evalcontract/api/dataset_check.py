"""One dataset, batch by batch: the gate, then structure, references and rules for the rest."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.api.crash import guarded
from evalcontract.library.artifact import uses_of_row
from evalcontract.library.library import Library, Resolved
from evalcontract.library.references import check_use
from evalcontract.model.reference import Kind, Reference
from evalcontract.rules import DATASET_RULES
from evalcontract.rules._dataset_rule import DatasetContext
from evalcontract.structure.check import Structure
from evalcontract.structure.gate import Gate
from evalcontract.structure.schemas import Schema, definition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.names import UnreadableNames
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.source import Batch, Rows


@cache
def row_schema() -> Schema:
    """Return the schema of one row."""
    return definition("row", of="dataset")


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a dataset's rows are judged by besides themselves.

    `bundles` can be used; `declared` are the names of those that cannot, too.
    """

    library: Library
    bundles: Mapping[str, Schema]
    declared: frozenset[str]
    unreadable: UnreadableNames


class DatasetCheck:
    """One pass over one dataset. `root` holds the keys beside its rows.

    `reached` maps each reference that the rows made, as written, to the rubric it leads to.
    """

    def __init__(
        self,
        rows: Rows,
        root: dict[str, Any],
        around: Surroundings,
        raw: Callable[[Path], str | None] | None = None,
    ) -> None:
        self._rows = rows
        self._root = root
        self._around = around
        self._raw = raw
        self._gates: dict[str | None, Gate] = {}
        self._structures: dict[str | None, Structure] = {}
        self._references: set[str] = set()
        context = DatasetContext(rows.prefix, root, around.declared)
        self._watches = [(rule.code, rule.watch(context)) for rule in DATASET_RULES]
        self.count = 0

    def batches(self) -> Iterator[tuple[Batch, list[Problem]]]:
        """Yield every batch with what is wrong with its rows."""
        for batch in self._rows.batches():
            self.count += len(batch.rows)
            found = [] if self._pass_as_one(batch.rows) else list(self._look_closely(batch))
            for code, watch in self._watches:
                if batch.rows or not batch.faults:
                    found += guarded(code, watch.see, batch.first_index, batch.rows)
            self._collect(batch.rows)
            yield batch, found

    def finish(self) -> list[Problem]:
        """Return what only the whole dataset shows."""
        return [problem for code, watch in self._watches for problem in guarded(code, watch.finish)]

    def reached(self) -> list[tuple[Artifact, bool]]:
        """Return the rubrics that rows refer to, each with whether every reference is pinned."""
        found: dict[int, tuple[Artifact, bool]] = {}
        for text in sorted(self._references):
            reference = Reference.parse(text)
            resolved = self._around.library.resolve(reference) if reference else None
            if isinstance(resolved, Resolved) and resolved.artifact.kind is Kind.RUBRIC:
                _, pinned = found.get(id(resolved.artifact), (None, True))
                found[id(resolved.artifact)] = (resolved.artifact, pinned and resolved.pinned)
        return list(found.values())

    def _collect(self, rows: list[Any]) -> None:
        for row in rows:
            if row.__class__ is dict and "rubric_ref" in row:
                text = row["rubric_ref"]
                if text.__class__ is str:
                    self._references.add(text)

    def _pass_as_one(self, rows: list[Any]) -> bool:
        try:
            names = {row.get("bundle") for row in rows}
        except (AttributeError, TypeError):
            return False
        return len(names) == 1 and self._gate(names.pop()).passes(rows)

    def _gate(self, bundle: Any) -> Gate:
        """Return the gate for rows that name a bundle, or none."""
        name = self._bundle_name(bundle)
        if name not in self._gates:
            references = self._around.library.pinned_references(Kind.RUBRIC)
            extra = [self._around.bundles[name]] if name is not None else []
            self._gates[name] = Gate(row_schema(), references, extra)
        return self._gates[name]

    def _bundle_name(self, bundle: Any) -> str | None:
        name = self._root.get("bundle") if bundle is None else bundle
        known = isinstance(name, str) and isinstance(self._around.bundles.get(name), dict)
        return name if known else None

    def _look_closely(self, batch: Batch) -> Iterator[Problem]:
        for index, row in enumerate(batch.rows, batch.first_index):
            bundle = row.get("bundle") if isinstance(row, dict) else None
            if isinstance(row, dict) and self._gate(bundle).passes([row]):
                continue
            id_ = row.get("id") if isinstance(row, dict) else None
            name = id_ if isinstance(id_, str) else None
            for problem in self._of_row(row, index, self._bundle_name(bundle)):
                yield replace(problem, row=name, row_index=index)

    def _of_row(self, row: Any, index: int, bundle: str | None) -> Iterator[Problem]:
        path = (*self._rows.prefix, index)
        yield from self._structure(bundle).check(row, path, self._raw)
        for use in uses_of_row(row, path):
            yield from check_use(use, self._around.library, self._around.unreadable)

    def _structure(self, bundle: str | None) -> Structure:
        """Return the structure of a row of a bundle, or of none."""
        if bundle not in self._structures:
            own = self._around.bundles[bundle] if bundle is not None else None
            self._structures[bundle] = Structure("dataset", row_schema(), own)
        return self._structures[bundle]
