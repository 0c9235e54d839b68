"""What refers to what in a workspace: datasets to rubrics, rubrics to rubrics and judges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from enum import StrEnum
from pathlib import Path as FilePath
from typing import Any

from evalcontract.datasets.root import rows_of
from evalcontract.library.library import Artifact, Library, Resolution, references_in_row, visit
from evalcontract.meaning.changes import Change, changes_of
from evalcontract.meaning.view import view_and_digest
from evalcontract.model.diagnostic import Path
from evalcontract.model.reference import Kind, Reference, Version, newest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import escape_controls, many
from evalcontract.source.external import read_external
from evalcontract.source.faults import SourceProblem
from evalcontract.workspace import Workspace
from evalcontract.workspace.roots import display_name


class LinkState(StrEnum):
    """What is remarkable about a reference."""

    DANGLING = "dangling"
    UNPINNED = "unpinned"
    OUTDATED = "outdated"


class Link(NamedTuple):
    """A reference, how many rows or checks have it, and the artifact that it leads to.

    `newer` is the newest version of its id, if the reference is pinned to an older one.
    """

    reference: Reference
    number: int
    target: Artifact | None
    newer: Version | None = None

    @property
    def state(self) -> LinkState | None:
        """What is remarkable about it, if anything is."""
        if self.target is None:
            return LinkState.DANGLING
        if self.reference.version is None:
            return LinkState.UNPINNED
        return LinkState.OUTDATED if self.newer else None

    @property
    def remark(self) -> str:
        """Its state as a phrase; empty if it has none."""
        if self.state is LinkState.UNPINNED and self.target:
            return f"unpinned, resolves to {self.target.version}"
        return f"outdated, {self.newer} exists" if self.newer else str(self.state or "")


class DatasetLinks(NamedTuple):
    """A dataset: its file, its links, and how many of its rows refer to no rubric."""

    file: str
    links: tuple[Link, ...]
    rows_without: int


class Graph(NamedTuple):
    """All references of a workspace.

    `artifacts` are the rubrics and judges in the order of their names, with those of libraries that
    something refers to; `links_by_artifact` has their links, by their `id()`. `unreadable` are
    files whose references are not known.
    """

    datasets: tuple[DatasetLinks, ...]
    artifacts: tuple[Artifact, ...]
    links_by_artifact: Mapping[int, tuple[Link, ...]]
    unreadable: tuple[str, ...]

    def links_of(self, artifact: Artifact) -> tuple[Link, ...]:
        """Return the links of an artifact."""
        return self.links_by_artifact[id(artifact)]

    @property
    def links(self) -> Iterator[tuple[str, Link]]:
        """All links, each with the name of what has it: a file, or an exact version."""
        for dataset in self.datasets:
            yield from ((dataset.file, link) for link in dataset.links)
        for artifact in self.artifacts:
            yield from ((artifact.name, link) for link in self.links_of(artifact))

    @property
    def unused(self) -> list[Artifact]:
        """The rubrics and judges that nothing refers to."""
        used = {id(link.target) for _, link in self.links}
        return [artifact for artifact in self.artifacts if id(artifact) not in used]


def graph_of(workspace: Workspace) -> Graph:
    """Return what refers to what in a workspace."""
    library = workspace.library
    datasets: list[DatasetLinks] = []
    files: list[str] = []
    for path, source in workspace.scan():
        if source is not None and source.unreadable:
            files.append(display_name(path))
        elif source is not None:
            counts, without = _references(row for _, _, row in rows_of(source))
            datasets.append(DatasetLinks(display_name(path), _links(counts, library), without))
    for name, counts, without, is_whole in references_of_tables(workspace):
        datasets.append(DatasetLinks(name, _links(counts, library), without))
        files += [] if is_whole else [name]
    # Of several files with the same version, the first one counts, as in references.
    names = {each.name: each for each in reversed(library.artifacts) if each.id and each.version}
    targets = (link.target for dataset in datasets for link in dataset.links)
    seen: set[int] = set()

    def is_new(each: Artifact) -> bool:
        is_first = id(each) not in seen and names.setdefault(each.name, each) is each
        seen.add(id(each))
        return is_first

    for start in [*names.values(), *filter(None, targets)]:
        visit(start, library, is_new)
    known = [*names.values()]
    known.sort(key=lambda each: (each.kind, each.id, each.version, each.file))
    links = {
        id(each): _links(Counter(use.reference for use in each.uses), library) for each in known
    }
    files += [each.file for each in workspace.unreadable]
    files += [each.file for each in library.artifacts if not (each.id and each.version)]
    unreadable = sorted(dict.fromkeys(files))
    return Graph(tuple(datasets), tuple(known), links, tuple(unreadable))


class TableReferences(NamedTuple):
    """How often a table has each reference, and how many rows have none.

    `is_whole` is whether all of it was read.
    """

    file: str
    counts: Counter[Reference]
    rows_without: int
    is_whole: bool


def references_of_tables(workspace: Workspace) -> Iterator[TableReferences]:
    """Yield the references in the tables of a workspace, when the rest is scanned."""
    for path in workspace.tables():
        faults: list[SourceProblem] = []
        counts, without = _references(_rows_of_table(path, workspace, faults))
        yield TableReferences(display_name(path), counts, without, not faults)


def uses_in_tables(workspace: Workspace) -> dict[Reference, Counter[str]]:
    """Return how often each table has a reference, by the reference."""
    found: dict[Reference, Counter[str]] = {}
    for file, counts, *_ in references_of_tables(workspace):
        for reference, number in counts.items():
            found.setdefault(reference, Counter())[file] += number
    return found


def _rows_of_table(
    path: FilePath, workspace: Workspace, faults: list[SourceProblem]
) -> Iterator[Any]:
    """Yield the rows of a table; what cannot be read of it is added to `faults`."""
    table = read_external(path, display_name(path), workspace.files)
    faults += table.unreadable.faults if table.unreadable else ()
    for batch in table.stream.batches() if table.stream else ():
        faults += (fault for fault, _ in batch.faults)
        yield from batch.rows


def _references(rows: Iterable[Any]) -> tuple[Counter[Reference], int]:
    counts: Counter[Reference] = Counter()
    without = 0
    empty: Path = ()
    for row in rows:
        use = next(references_in_row(row, empty), None)
        if use is None:
            without += 1
        else:
            counts[use.reference] += 1
    return counts, without


def _links(counts: Counter[Reference], library: Library) -> tuple[Link, ...]:
    links = (_link(reference, count, library) for reference, count in counts.items())
    return tuple(sorted(links, key=lambda link: str(link.reference)))


def _link(reference: Reference, count: int, library: Library) -> Link:
    resolved = library.resolve(reference)
    if not isinstance(resolved, Resolution):
        return Link(reference, count, None)
    version = reference.version
    last = newest(library.versions(reference.kind, reference.id).keys())
    newer = last if version is not None and version < last else None
    return Link(reference, count, resolved.artifact, newer)


class Update(NamedTuple):
    """A newer version of an artifact that something is pinned to: what it changes, who uses it."""

    old: Artifact
    new: Artifact
    changes: tuple[Change, ...]
    users: tuple[tuple[str, Link], ...]


def updates_of(graph: Graph, library: Library) -> list[Update]:
    """Return the references that could be updated, by the artifact that they lead to."""
    users: dict[int, list[tuple[str, Link]]] = {}
    for name, link in graph.links:
        if link.newer is not None:
            users.setdefault(id(link.target), []).append((name, link))
    updates = []
    for artifact in graph.artifacts:
        if found := users.get(id(artifact)):
            version = found[0][1].newer
            versions = library.versions(artifact.kind, str(artifact.id))
            new = versions[version][0] if version else artifact
            views = [view_and_digest(artifact.kind, each.document)[0] for each in (artifact, new)]
            updates.append(Update(artifact, new, tuple(changes_of(*views)), tuple(found)))
    return updates


def counted(link: Link, *, is_row: bool) -> str:
    """Return how many rows have a reference; a single reference of a rubric needs no number."""
    if is_row:
        return f" ({many(link.number, 'row')})"
    return f" ({many(link.number, 'check')})" if link.number > 1 else ""


def write_tree(graph: Graph) -> Iterator[str]:
    """Yield the lines of a tree for a terminal."""
    times: Counter[int] = Counter()
    for dataset in graph.datasets:
        yield escape_controls(dataset.file)
        for link in dataset.links:
            yield from _branch(graph, link, times, above=(), is_row=True)
        if dataset.rows_without:
            yield f"  no rubric ({many(dataset.rows_without, 'row')})"
    unused = [each for each in graph.unused if each.kind is Kind.RUBRIC]
    unused += [each for each in graph.unused if each.kind is Kind.JUDGE]
    shown = {id(each) for each in unused}
    stack = [*unused, *(link.target for each in graph.datasets for link in each.links)]
    yield from _roots(graph, unused, times, "not referenced:")
    circles = []
    for artifact in graph.artifacts:
        _mark(graph, stack, shown)
        if id(artifact) not in shown:
            circles.append(artifact)
            stack.append(artifact)
    yield from _roots(graph, circles, times, "referenced only in a circle:")


def _mark(graph: Graph, stack: list[Artifact | None], shown: set[int]) -> None:
    """Add to `shown` what the artifacts of a stack reach, and empty it."""
    while stack:
        artifact = stack.pop()
        if artifact is not None:
            links = graph.links_of(artifact)
            shown.add(id(artifact))
            stack += [link.target for link in links if id(link.target) not in shown]


def _roots(
    graph: Graph, artifacts: list[Artifact], times: Counter[int], title: str
) -> Iterator[str]:
    """Yield the lines of artifacts below a title, each with what it refers to."""
    if artifacts:
        yield title
    for artifact in artifacts:
        yield f"  {artifact.name}"
        for link in graph.links_of(artifact):
            yield from _branch(graph, link, times, above=(artifact,), is_row=False)


# Rubrics that refer to each other in layers, or in a chain, have more paths than anybody can read.
_MOST_TIMES, _DEEPEST = 1000, 100


def _branch(
    graph: Graph, link: Link, times: Counter[int], above: tuple[Artifact, ...], *, is_row: bool
) -> Iterator[str]:
    """Yield the lines of a link; `times` counts how often what an artifact refers to was shown."""
    indent = "  " * (len(above) + 1)
    is_circular = any(link.target is each for each in above)
    below = () if link.target is None else (*above, link.target)
    inner = graph.links_of(link.target) if link.target is not None and not is_circular else ()
    times[id(link.target)] += bool(inner)
    is_known = times[id(link.target)] > _MOST_TIMES
    is_deep = bool(inner) and len(above) >= _DEEPEST
    facts = {"circular": is_circular, "shown above": is_known, "it goes on": is_deep}
    remarks = ", ".join(filter(None, [link.remark, *(text for text in facts if facts[text])]))
    remark = f"  {remarks}" if remarks else ""
    yield f"{indent}{link.reference}{counted(link, is_row=is_row)}{remark}"
    for each in () if is_known or is_deep else inner:
        yield from _branch(graph, each, times, above=below, is_row=False)


class _Node(NamedTuple):
    """A node of a drawing: what it is called, and the kind that decides its form."""

    label: str
    kind: str


def _drawing(graph: Graph) -> tuple[dict[str, _Node], list[tuple[str, str, Link, bool]]]:
    """Return the nodes by their keys, and the arrows between keys."""
    nodes = {each.file: _Node(escape_controls(each.file), "dataset") for each in graph.datasets}
    nodes |= {each.name: _Node(each.name, each.kind) for each in graph.artifacts}
    arrows = []
    files = {each.file for each in graph.datasets}
    for name, link in graph.links:
        target = link.target.name if link.target else str(link.reference)
        nodes.setdefault(target, _Node(f"{target} (missing)", "missing"))
        arrows.append((name, target, link, name in files))
    return nodes, arrows


def write_mermaid(graph: Graph) -> Iterator[str]:
    """Yield the lines of a Mermaid flowchart, as Markdown of GitHub and GitLab shows it."""
    nodes, arrows = _drawing(graph)
    keys = {name: f"n{number}" for number, name in enumerate(nodes)}
    yield "flowchart LR"
    forms = {"dataset": ("[(", ")]"), "judge": ("(", ")"), "missing": ("{{", "}}")}
    for name, node in nodes.items():
        text = "".join(_mermaid(character) for character in node.label)
        before, after = forms.get(node.kind, ("[", "]"))
        yield f'  {keys[name]}{before}"{text}"{after}'
    for start, end, link, is_row in arrows:
        label = ", ".join(_labels(link, is_row=is_row))
        line = f"-. {label} .->" if link.state else f"-- {label} -->" if label else "-->"
        yield f"  {keys[start]} {line} {keys[end]}"
    missing = [keys[name] for name, node in nodes.items() if node.kind == "missing"]
    if missing:
        yield "  classDef missing stroke:#c00,color:#c00"
        yield f"  class {','.join(missing)} missing"


def _mermaid(character: str) -> str:
    is_plain = character.isalnum() or character in " /@._-()"
    return character if is_plain else f"#{ord(character)};"


def write_dot(graph: Graph) -> Iterator[str]:
    """Yield the lines of a graph in the DOT language of Graphviz."""
    nodes, arrows = _drawing(graph)
    keys = {name: f"n{number}" for number, name in enumerate(nodes)}
    yield "digraph references {"
    yield "  rankdir=LR; node [shape=box];"
    forms = {"dataset": "cylinder", "judge": "ellipse", "missing": "hexagon"}
    for name, node in nodes.items():
        form = forms.get(node.kind)
        colour = ", color=red" if node.kind == "missing" else ""
        shape = f", shape={form}" if form else ""
        yield f"  {keys[name]} [label={_quoted(node.label)}{shape}{colour}];"
    for start, end, link, is_row in arrows:
        label = ", ".join(_labels(link, is_row=is_row))
        style = ", style=dashed" if link.state else ""
        yield f"  {keys[start]} -> {keys[end]} [label={_quoted(label)}{style}];"
    yield "}"


def _labels(link: Link, *, is_row: bool) -> Iterator[str]:
    if is_row:
        yield many(link.number, "row")
    if link.state:
        yield str(link.state)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
