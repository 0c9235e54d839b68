"""Rows of ours become queries of Evret."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import BUNDLES, OURS, Loss, TheirRow
from evalcontract.formats._findings import mapping_at
from evalcontract.formats.evret.mapping import THEIRS, QueryMapping, contents_of
from evalcontract.formats.evret.reading import BOTH_NAMES, has_twins
from evalcontract.formats.evret.releases import ID_KEYS, NAMES, label_of, text_of
from evalcontract.model.diagnostic import Problem
from evalcontract.model.equality import json_equal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from evalcontract.formats.evret.releases import Release

# As many characters as Python's reader of CSV takes in a cell.
_LONGEST = 131_072
_REASONS = {
    "id": "Evret cuts off the blanks around it",
    "input": "Evret cuts off the blanks around it",
    "expected_facts": "Evret keeps each text once, without the blanks around it",
    "rubric_ref": "Evret scores what is retrieved, and knows no rubrics",
    "criteria": "Evret scores what is retrieved, not an answer",
    "expected": "Evret scores what is retrieved, not an answer",
    "expected_tools": "Evret scores what is retrieved, and knows no tools",
    "must_not_contain": "Evret scores what is retrieved, not an answer",
}
_NO_PLACE = "Evret has no place for it"


class DocumentWriter:
    """Writes a JSON file: queries, and the texts of the documents that they expect."""

    says_rubrics = False

    def __init__(self, release: Release) -> None:
        self._release = release
        self._contents: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._rows = QueryMapping(release, self._contents)
        # Rows that expect a document without its text, which another row may bring.
        self._bare: list[tuple[dict[str, Any], dict[str, Any]]] = []

    def write(
        self,
        row: dict[str, Any],
        rubric: dict[str, Any] | None,  # noqa: ARG002 - Evret has none
        index: int,  # noqa: ARG002 - each row has an id
    ) -> TheirRow:
        """Turn a row; what Evret has no place for is kept below `metadata`."""
        if problems := tuple(_problems(row)):
            return TheirRow(None, problems=problems)
        self._collect(row)
        query, rest = self._rows.write(row)
        is_kept = not rest or json_equal(self._rows.read(query), row)
        if any(label not in self._contents for label in self._labels(row)):
            self._bare.append((query, row))
        return TheirRow(query, tuple(_losses(rest, self._release, is_kept=is_kept)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the file: queries, documents, and what is kept of what stood beside our rows."""
        metadata = mapping_at(root, "metadata")
        theirs = mapping_at(metadata, THEIRS)
        rows = [row for row in rows if row is not None]
        value: dict[str, Any] = {"queries": rows}
        documents = self._documents(theirs.get("documents"))
        if documents or "documents" in theirs:
            value["documents"] = documents
            self._keep_bare(documents)
        kept = {key: part for key, part in root.items() if key != "metadata"}
        losses = [Loss((key,), _NO_PLACE, is_kept=True) for key in kept]
        free = {key: part for key, part in metadata.items() if key != THEIRS}
        if OURS in free or root.get("metadata") == {}:
            kept["metadata"] = metadata
            free = {}
        if "release" not in theirs:
            kept[BOTH_NAMES] = bool(self._release.ids) and not any(map(has_twins, rows))
            if kept[BOTH_NAMES]:
                value["queries"] = [_with_twin(row) for row in rows]
        value |= mapping_at(theirs, "values")
        if free or kept:
            value["metadata"] = {**free, **({OURS: kept} if kept else {})}
        return value, losses

    def _collect(self, row: dict[str, Any]) -> None:
        if not self._release.ids or not isinstance(row.get("expected_documents"), list):
            return
        for each in row["expected_documents"]:
            content = each.get("content") if isinstance(each, dict) else None
            if isinstance(content, str) and content.strip() and text_of(each.get("id", "")):
                name = text_of(each["id"])
                self._contents.setdefault(label_of(name), content)
                self._names.setdefault(label_of(name), name)

    def _labels(self, row: dict[str, Any]) -> list[str]:
        return [label_of(each) for each in self._rows.query_of(row).ids]

    def _keep_bare(self, documents: list[Any]) -> None:
        """Let rows say that they have no text of a document whose text is in the file."""
        self._contents.update(contents_of(documents))
        for query, row in self._bare:
            if any(label in self._contents for label in self._labels(row)):
                again, _ = self._rows.write(row)
                query.clear()
                query.update(again)

    def _documents(self, given: Any) -> list[Any]:
        """Return the documents of the file: those that are kept, with the texts of the rows."""
        documents = list(given) if isinstance(given, list) else []
        there = contents_of(documents)
        places = {
            label_of(text_of(each["doc_id"])): number
            for number, each in enumerate(documents)
            if isinstance(each, dict) and each.get("doc_id")
        }
        for label, name in self._names.items():
            content = self._contents[label]
            if there.get(label) == content:
                continue
            if label in places:
                documents[places[label]] = {**documents[places[label]], "text": content}
            else:
                documents.append({"doc_id": name, "text": content})
        return documents


class TableWriter:
    """Writes a table of CSV: what Evret has no column for is lost."""

    says_rubrics = False

    def __init__(self, release: Release) -> None:
        self._release = replace(release, ids=release.columns)
        self._rows = QueryMapping(self._release, {}, is_table=True)

    def write(
        self,
        row: dict[str, Any],
        rubric: dict[str, Any] | None,  # noqa: ARG002 - Evret has none
        index: int,  # noqa: ARG002 - each row has an id
    ) -> TheirRow:
        """Turn a row into cells by the names of their columns; a list is written as JSON."""
        if problems := tuple(_problems(row)):
            return TheirRow(None, problems=problems)
        query, rest = self._rows.write(row)
        cells = {key: _cell(part) for key, part in query.items()}
        if problems := tuple(_long(cells)):
            return TheirRow(None, problems=problems)
        return TheirRow(cells, tuple(_losses(rest, self._release, is_kept=False)))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the header and the rows; what stood beside them is lost."""
        written = [row for row in rows if row is not None]
        header = list(dict.fromkeys(key for row in written for key in row))
        table = (header or [names[0] for names in NAMES], written)
        return table, [Loss((key,), "a table is its rows alone", is_kept=False) for key in root]


def _problems(row: dict[str, Any]) -> Iterator[Problem]:
    for key in ("id", "input"):
        if not text_of(row.get(key, "")):
            message = f"`{key}` is blank, which Evret refuses"
            yield Problem("evret/empty-value", message, (key,), "write something")


def _long(cells: dict[str, str]) -> Iterator[Problem]:
    for key, cell in cells.items():
        if len(cell) > _LONGEST:
            message = f"`{key}` takes {len(cell):,} characters, and a cell of CSV {_LONGEST:,}"
            yield Problem("evret/malformed-cell", message, (), "write JSON instead")


def _cell(part: Any) -> str:
    return part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)


def _losses(rest: dict[str, Any], release: Release, *, is_kept: bool) -> Iterator[Loss]:
    for key, part in rest.items():
        if key == "expected_documents":
            reads = "keeps each id once" if release.ids else "reads no document ids"
            yield Loss((key,), f"{release.title} {reads}, and nothing beside it", is_kept)
        elif part is not None and (key != "bundle" or part not in BUNDLES):
            yield Loss((key,), _REASONS.get(key, _NO_PLACE), is_kept)


def _with_twin(row: dict[str, Any]) -> dict[str, Any]:
    """Return a query with its ids under both names, as 0.0.1 and 0.0.3 read them."""
    first, second = ID_KEYS[:2]
    given = row.get(first) or row.get(second)
    return {**row, first: given, second: given} if given else row


def writer_of(medium: str, release: Release) -> DocumentWriter | TableWriter:
    """Begin to write a file of a medium."""
    return TableWriter(release) if medium == "csv" else DocumentWriter(release)
