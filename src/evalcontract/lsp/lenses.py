"""What stands beside a text: where references lead, which version they mean, and who uses what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from lsprotocol import types

from evalcontract.datasets.root import uses_of
from evalcontract.grading.results import RowResult, earlier_results, run_path
from evalcontract.grading.summary import Tally
from evalcontract.library.library import Artifact, Resolution
from evalcontract.lsp.context import REFERENCES
from evalcontract.lsp.cursor import structured_lines
from evalcontract.lsp.documents import OpenDocument, Publisher
from evalcontract.lsp.names import ARTIFACT, FILE, Name, Naming, targets_of
from evalcontract.lsp.text import uri_of_path
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.workspace import Workspace

_REFERENCE = lazy_pattern(
    rf"""(?<![^\s{{,"'-])(?P<key>{"|".join(REFERENCES)})["']?\s*:\s*["']?(?P<text>[a-z]+/[\w@.+-]+)"""
)


class WrittenReference(NamedTuple):
    """A reference in a text: its line and characters, from 0, and what it refers to."""

    line: int
    start: int
    end: int
    reference: Reference


def references_in(document: OpenDocument, first: int, last: int) -> Iterator[WrittenReference]:
    """Yield the references in some lines of a text, which may not be possible to parse."""
    text = document.text
    is_yaml = document.format == "yaml"
    numbers = structured_lines(text) if is_yaml else range(len(text.lines))
    for number in numbers:
        if first <= number <= last:
            for found in _REFERENCE.finditer(text.line(number)):
                reference = Reference.parse(found["text"])
                if reference and reference.kind is REFERENCES[found["key"]]:
                    yield WrittenReference(number, *found.span("text"), reference)


def links_in(document: OpenDocument, naming: Naming) -> Iterator[types.DocumentLink]:
    """Yield a link to the file that each reference means; of a target, to its dataset."""
    workspace = naming.workspace
    addresses: dict[Reference, str | None] = {}
    for line, start, end, reference in references_in(document, 0, len(document.text.lines)):
        if reference not in addresses:
            places = naming.definitions(Name(ARTIFACT, "", reference))
            paths = [Path(place.file) for place in places]
            addresses[reference] = uri_of_path(paths[0]) if paths else None
        if target := addresses[reference]:
            yield types.DocumentLink(
                document.text.range(line, start, end), target, f"Open {reference}"
            )
    if naming.kind == Kind.TARGET and (source := naming.source.document):
        value = source.value.get("dataset") if isinstance(source.value, dict) else None
        places = naming.definitions(Name(FILE, value)) if isinstance(value, str) else []
        span = source.place(("dataset",)).span
        if places and span:
            range_ = document.text.range(span.line - 1, span.column - 1, span.end_column - 1)
            target = uri_of_path(Path(workspace.root) / str(value))
            yield types.DocumentLink(range_, target, "Open the dataset")


def versions_in(
    document: OpenDocument, workspace: Workspace, lines: types.Range
) -> Iterator[types.InlayHint]:
    """Yield the version that each reference without one means, to be written by a double click."""
    for line, _, end, reference in references_in(document, lines.start.line, lines.end.line):
        if reference.version is not None:
            continue
        resolution = workspace.library.resolve(reference)
        if isinstance(resolution, Resolution):
            place = document.text.range(line, end, end)
            label = f"@{resolution.artifact.version}"
            yield types.InlayHint(
                place.start,
                label,
                text_edits=[types.TextEdit(place, label)],
                tooltip="The newest version: the reference names none",
            )


def lenses_of(
    document: OpenDocument, naming: Naming, publisher: Publisher
) -> Iterator[types.CodeLens]:
    """Yield who uses the rubric or judge of a document, and the scores of its last run."""
    workspace = naming.workspace
    artifact = workspace.library.at(naming.file)
    if artifact is None or artifact.id is None or artifact.version is None:
        return
    at = publisher.range(document.real, artifact.document.place(("id",)).span)
    for title in (users_of(artifact, workspace), last_run_of(artifact, workspace)):
        if title:
            yield types.CodeLens(at, types.Command(title, ""))


def users_of(artifact: Artifact, workspace: Workspace) -> str:
    """Return how many rows and checks use a rubric or a judge."""
    count: Counter[str] = Counter()
    meant: dict[Reference, bool] = {}
    for use, reference in uses_of(workspace, artifact.kind, str(artifact.id)):
        if reference not in meant:
            found = targets_of(Name(ARTIFACT, "", reference), workspace, "")
            meant[reference] = any(each is artifact for each in found)
        if meant[reference]:
            count["check" if use.path[0] == "checks" else "row"] += 1
    parts = [_many(count[noun], noun) for noun in ("row", "check") if count[noun]]
    if not parts:
        noun = "row or check" if artifact.kind is Kind.RUBRIC else "check"
        return f"no {noun} uses this {artifact.kind}"
    verb = "uses" if sum(count.values()) == 1 else "use"
    return f"{' and '.join(parts)} {verb} this {artifact.kind}"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


#: The results that are looked at, the newest first, and the bytes of the longest.
_MOST_RESULTS, _MOST_BYTES = 20, 1 << 25


def last_run_of(artifact: Artifact, workspace: Workspace) -> str:
    """Return the mean score of the rows that a rubric graded in the newest results; "" if none."""
    for path in _results_in(workspace):
        try:
            rows = earlier_results(path).rows
        except UsageError:  # of an earlier version, or not complete
            continue
        if own := [row for row in rows if row.rubric == artifact.name]:
            return f"last run: {_score_of(own)}"
    return ""


def _results_in(workspace: Workspace) -> Iterator[Path]:
    """Yield the files with results of a workspace, those changed last first."""
    found = []
    for path in workspace.data_files:
        if path.suffix == ".jsonl":
            state = path.stat()
            if state.st_size <= _MOST_BYTES and run_path(path).is_file():
                found.append((state.st_mtime_ns, path))
    for _, path in sorted(found, reverse=True)[:_MOST_RESULTS]:
        yield path


def _score_of(rows: list[RowResult]) -> str:
    """Return the mean score of rows with its 95 % interval, and of how many rows it is."""
    tally = Tally()
    for row in rows:
        tally.add(row.outcome, row.score, row.bounds)
    estimate = tally.estimate
    of_all = _many(tally.counted, "row")
    if estimate is None:
        return f"no score of {of_all}"
    ends = estimate.interval
    interval = f" ({ends.lower:.2f} to {ends.upper:.2f})" if ends else ""
    known = f"{tally.scored:,} of " if tally.scored < tally.counted else ""
    return f"{estimate.value:.2f}{interval} of {known}{of_all}"
