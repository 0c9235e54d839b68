"""The names in a workspace: what a position means by one, and where else it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.root import check_root
from evalcontract.library.artifact import references_in_row
from evalcontract.library.library import Resolved
from evalcontract.lsp.context import REFERENCES
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.source.document import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.library.artifact import Artifact
    from evalcontract.lsp.context import Context
    from evalcontract.model.diagnostic import Path, Place
    from evalcontract.source import Document, Rows, Source
    from evalcontract.workspace import Workspace

#: What a name at a position is the name of.
ARTIFACT, CHECK, ROW, BUNDLE, FILE = "artifact", "check", "row", "bundle", "file"


class Name(NamedTuple):
    """A name at a position: what it names, and the text. A reference has the name of its target."""

    role: str
    text: str
    reference: Reference | None = None


class Use(NamedTuple):
    """A place where a name is used: the file, the path of the text, and the text."""

    document: Document | Rows
    path: Path
    text: str

    @property
    def place(self) -> Place:
        """The place of the text."""
        return self.document.place(self.path)


def name_at(context: Context) -> Name | None:
    """Return the name at a position."""
    cursor, word = context.cursor, context.cursor.word
    if not word:
        return None
    if cursor.key in REFERENCES:
        reference = Reference.parse(word)
        return Name(ARTIFACT, word, reference) if reference else None
    if cursor.key == "id":
        return _identity(context, word)
    return _elsewhere(context, word)


def _elsewhere(context: Context, word: str) -> Name | None:
    cursor = context.cursor
    if cursor.key is None and context.path == ("scoring", "weights"):
        return Name(CHECK, word)
    if cursor.key == "bundle" or context.path[:1] == ("applicable_bundles",):
        return Name(BUNDLE, word)
    if cursor.key == "dataset" and context.kind is Kind.TARGET and not context.path:
        return Name(FILE, word)
    return None


def _identity(context: Context, word: str) -> Name | None:
    if context.is_row:
        return Name(ROW, word)
    if context.kind is Kind.RUBRIC and context.path == ("checks", 0):
        return Name(CHECK, word)
    if context.kind in (Kind.RUBRIC, Kind.JUDGE) and not context.path:
        return Name(ARTIFACT, word, Reference.parse(f"{context.kind}/{word}"))
    return None


def targets_of(name: Name, workspace: Workspace, file: str) -> list[Artifact]:
    """Return the artifacts that a name means: the one in its own file, or that it resolves to."""
    own = workspace.library.at(file)
    if name.reference is None:
        return []
    if own is not None and name.text == own.id:
        return [own]
    found = workspace.library.resolve(name.reference)
    return [found.artifact] if isinstance(found, Resolved) else []


def uses_of(workspace: Workspace, kind: Kind, id_: str) -> Iterator[tuple[Use, Reference]]:
    """Yield every reference to an id, in rubrics and in the rows of all datasets."""
    for artifact in workspace.library.artifacts:
        for use in artifact.uses:
            if (use.reference.kind, use.reference.id) == (kind, id_):
                text = value_at(artifact.document.value, use.path)
                yield Use(artifact.document, use.path, str(text)), use.reference
    for _, source in workspace.scan() if kind is Kind.RUBRIC else ():
        if source is not None and not source.unreadable:
            yield from _uses_in_rows(source, id_)


def _uses_in_rows(source: Source, id_: str) -> Iterator[tuple[Use, Reference]]:
    for rows, path, row in rows_of(source):
        for use in references_in_row(row, path):
            if use.reference.id == id_:
                yield Use(rows, use.path, str(row["rubric_ref"])), use.reference


def rows_of(source: Source) -> Iterator[tuple[Rows, Path, Any]]:
    """Yield the rows of a dataset with their paths."""
    rows, _, _ = check_root(source)
    if rows is None:
        return
    for batch in rows.batches(quick=True):
        for index, row in enumerate(batch.rows, batch.first_index):
            yield rows, (*rows.prefix, index), row


def uses_of_check(document: Document, id_: str) -> list[Use]:
    """Return where the id of a check of a rubric is: in the check, and in the weights."""
    value = document.value
    checks = value_at(value, ("checks",))
    found = [
        Use(document, ("checks", number, "id"), id_)
        for number, check in enumerate(checks if isinstance(checks, list) else ())
        if isinstance(check, dict) and check.get("id") == id_
    ]
    weights = value_at(value, ("scoring", "weights"))
    if isinstance(weights, dict) and id_ in weights:
        found.append(Use(document, ("scoring", "weights", id_), id_))
    return found
