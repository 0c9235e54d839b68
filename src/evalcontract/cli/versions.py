"""`bump`, `graph` and `outdated`: the versions of artifacts, and what refers to them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path

import click

from evalcontract.cli import options
from evalcontract.cli.arguments import find_paths
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, signals_as_interrupts
from evalcontract.cli.printing import Case, CaseOutcome, CommandAnswer, listing, put_answer
from evalcontract.datasets.opening import Options
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.fixing import write_diff
from evalcontract.library.library import Artifact, identity_from_name
from evalcontract.meaning.changes import Act, Change, rank_of
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import NothingToCheck, UsageError
from evalcontract.model.reference import Kind, Version
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, many
from evalcontract.policy import ERRORS, OK
from evalcontract.source.git import GitError
from evalcontract.versioning.bump import (
    Baseline,
    Bump,
    BumpOptions,
    BumpResult,
    Locked,
    Part,
    Revision,
    artifact_at,
    bump,
    changed_artifacts,
)
from evalcontract.versioning.graph import (
    Graph,
    LinkState,
    Update,
    counted,
    graph_of,
    updates_of,
    write_dot,
    write_mermaid,
    write_tree,
)
from evalcontract.workspace import Workspace, find_root, open_workspace
from evalcontract.workspace.writing import write_changed

_SHOWN = 4


def _to(value: str | None) -> Part | Version | None:
    """Accept a part of a version, or a version."""
    if value is None:
        return None
    if value in tuple(Part):
        return Part(value)
    version = Version.parse(value)
    if version is None:
        raise UsageError(f"it must be major, minor, patch or a version, not `{clipped(value)}`")
    return version


@click.command(
    "bump",
    cls=Command,
    examples={
        "Raise the version of a rubric as its changes since HEAD require": (
            "evalcontract bump rubrics/example.yaml"
        ),
        "Raise all that has changed since a revision, and the references to it": (
            "evalcontract bump --all --against HEAD --update-refs"
        ),
        "Raise the major version, and keep the old one beside it": (
            "evalcontract bump rubrics/example.yaml --to major --keep"
        ),
    },
)
@click.argument("files", nargs=-1, metavar="[FILE]...", shell_complete=files_of("yaml", "json"))
@options.flag("--all", "Raise the version of everything that has changed in the workspace.")
@click.option(
    "--against",
    metavar="REV",
    help="Revision of git that the files are compared with (default: the lock if there is one, or "
    "else HEAD).",
)
@click.option(
    "--to",
    metavar="PART|VERSION",
    callback=options.parsed_by(_to),
    help="major, minor, patch or a version, instead of what the changes require.",
)
@options.flag("--keep", "Keep the file of the old version, as ID@VERSION beside the new one.")
@options.flag("--update-refs", "Update references, and the versions of the rubrics that have them.")
@options.flag("--diff", "Print a diff of the changes instead of writing them.")
@options.output_format(*options.TABLES)
@options.workspace("the files")
def bump_command(
    files: tuple[str, ...],
    all: bool,  # noqa: A002 - the name of its option
    against: str | None,
    to: Part | Version | None,
    keep: bool,
    update_refs: bool,
    diff: bool,
    output_format: str,
    base: Options,
) -> int:
    """Raise the version of rubrics, judges and datasets that have changed in meaning.

    FILE is compared with the lock, or with what it was at a revision of git. A change that can
    change a score needs a new major version, one that only adds something a new minor version, and
    one of wording only a new patch version; before 1.0.0, a minor version is enough for any change.
    Comments and layout are preserved. If the meaning of a judge changed, its validation is marked
    as one of the old version.
    """
    options.refuse_with_diff(output_format, diff)
    if bool(files) == all:
        raise UsageError("name the files, or pass --all" if not files else "--all names all files")
    paths = find_paths(files) if files else []
    first = paths[0] if paths else Path.cwd()
    workspace = open_workspace(base.root or find_root(first), choice=base.configuration)
    advice = f"{'name the files, and ' if all else ''}say with --to what to raise"
    if keep and to and not all:
        advice = "what to keep is not known"
    since = _baseline(workspace, against, is_needed=all or to is None or keep, advice=advice)
    with since or nullcontext():
        chosen, unknown = _chosen(workspace, paths, since)
        done = bump(workspace, chosen, since, BumpOptions(to, keep, update_refs))
        done = done._replace(unknown=unknown)
    if diff:
        put(line for file in done.files for line in write_diff(file))
    else:
        with signals_as_interrupts():
            write_changed(done.files, done.new)
    if output_format == "text":
        put(_lines(done, since), err=diff)
    else:
        put_answer(_answer_of_bump(done), output_format)
    return ERRORS if unknown or (diff and done.files) else OK


def _baseline(
    workspace: Workspace, against: str | None, *, is_needed: bool, advice: str
) -> Baseline | None:
    """Return what to compare with: a revision that is named, or else the lock, or else HEAD.

    `advice` says what to do without one.
    """
    if against is not None:
        return Revision(workspace.root, against)
    found = workspace.lock_file
    if found is not None and found.lock is None:
        raise UsageError(
            f"{escape_controls(found.file)} cannot be used: `evalcontract check` says why"
        )
    revision, error = None, None
    try:
        revision = Revision(workspace.root, "HEAD")
    except GitError as raised:
        error = raised
    if found is not None and found.lock is not None:
        return Locked(found.lock, workspace, revision)
    if error is not None and is_needed:
        raise UsageError(f"{error}; {advice}")
    return revision


def _chosen(
    workspace: Workspace, paths: list[Path], since: Baseline | None
) -> tuple[list[Artifact], dict[str, str]]:
    if paths or since is None:
        return [artifact_at(workspace, path) for path in paths], {}
    return changed_artifacts(workspace, since)


def _answer_of_bump(done: BumpResult) -> CommandAnswer:
    bumps = [
        {
            "file": each.file,
            "old": str(each.old),
            "new": str(each.new),
            "class": rank.title if (rank := rank_of(each.changes)) else None,
            "changes": [*map(_change, each.changes)],
            "kept": each.kept,
        }
        for each in done.bumps
    ]
    others = {**dict(done.unchanged), **done.unknown}
    unchanged = [{"file": file, "reason": reason} for file, reason in others.items()]
    updated = [{**each._asdict(), "reference": str(each.reference)} for each in done.updated]
    sentence = f"{many(len(bumps), 'version')} raised"
    return listing("bump", sentence, bumps=bumps, updated=updated, unchanged=unchanged)


def _lines(done: BumpResult, since: Baseline | None) -> Iterator[str]:
    """Yield what was raised and why, and what is left to do."""
    for each in done.bumps:
        yield f"{escape_controls(each.file)}: {each.old} -> {each.new}{_reason(each)}\n"
        if each.kept:
            yield f"  version {each.old} is kept in {escape_controls(each.kept)}\n"
        elif identity_from_name(each.file, each.artifact.kind)[1] not in (None, each.new):
            yield "  note: the name of the file says another version: rename it\n"
    for file, reference, number in done.updated:
        yield f"{escape_controls(file)}: {many(number, 'reference')} updated to {reference}\n"
    for file, reason in done.unchanged:
        yield f"{escape_controls(file)}: unchanged, {escape_controls(reason)}\n"
    for name, number in done.left.items():
        yield (
            f"note: {many(number, 'reference')} to {name}, which no file has any more: "
            "pass --update-refs or --keep\n"
        )
    if not done.bumps and not done.unchanged and since:
        what = "nothing else" if done.unknown else "nothing"
        yield f"{what} has changed since {clipped(since.name)}\n"
    for file, reason in done.unknown.items():
        yield f"{escape_controls(file)}: not compared, {reason}\n"


def _reason(each: Bump) -> str:
    rank = rank_of(each.changes)
    if rank is None:
        return ""
    names = [change.name for change in each.changes if change.rank == rank]
    rest = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    shown = ", ".join(clipped(name, NAME_LENGTH) for name in names[:_SHOWN])
    return f" ({rank.title}: {shown}{rest})"


_DRAWN = {"text": write_tree, "mermaid": write_mermaid, "dot": write_dot}
_FOLDER = click.argument(
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=".",
    metavar="[FOLDER]",
)


@click.command(
    "graph",
    cls=Command,
    examples={
        "Show what refers to what": "evalcontract graph",
        "Draw it for a page in Markdown": "evalcontract graph --output-format mermaid",
        "Write it for Graphviz": "evalcontract graph --output-format dot",
    },
)
@_FOLDER
@click.option(
    "--output-format",
    type=click.Choice([*_DRAWN, *options.CASES]),
    metavar="FORMAT",
    default="text",
    show_default=True,
    help="Output format: text is a tree for people, mermaid and dot draw it for Mermaid or "
    f"Graphviz, {', '.join(options.CASES)} list the references for programs.",
)
@options.workspace("the folder")
def graph_command(folder: Path, output_format: str, base: Options) -> int:
    """Show which datasets refer to which rubrics, and these to which rubrics and judges.

    Unpinned and dangling references, and those to a version that is not the newest, are
    marked. The exit code is 1 if a reference is dangling, or a file cannot be read.
    """
    workspace = _workspace(folder, base)
    graph = graph_of(workspace)
    if output_format in _DRAWN:
        put(f"{line}\n" for line in _DRAWN[output_format](graph))
        put(_summary(graph), err=output_format != "text")
    else:
        put_answer(_answer(graph), output_format)
        put(_unreadable(graph), err=True)
    is_dangling = any(link.state is LinkState.DANGLING for _, link in graph.links)
    return ERRORS if _told(workspace) or is_dangling or graph.unreadable else OK


_OUTCOMES = {
    "dangling": CaseOutcome("failure", Severity.ERROR),
    "unpinned": CaseOutcome("system-out", Severity.WARNING),
    "outdated": CaseOutcome("system-out", Severity.NOTE),
    "unreadable": CaseOutcome("error", Severity.ERROR),
}


def _answer(graph: Graph) -> CommandAnswer:
    files = {each.name: each.file for each in graph.artifacts}
    records = [
        {
            "from": name,
            "to": str(link.reference),
            "uses": link.number,
            "resolves_to": link.target.name if link.target else None,
            "newest": str(link.newer) if link.newer else None,
            "state": link.state,
        }
        for name, link in graph.links
    ]
    cases = [
        Case(
            str(link.reference), name, link.state or "", [link.remark], Place(files.get(name, name))
        )
        for name, link in graph.links
    ]
    cases += [Case(file, "files", "unreadable", (), Place(file)) for file in graph.unreadable]
    sentence = next(_summary(graph)).strip()
    unreadable = [{"file": file} for file in graph.unreadable]
    return listing("graph", sentence, references=records, unreadable=unreadable)._replace(
        cases=cases, outcomes=_OUTCOMES
    )


def _told(workspace: Workspace) -> bool:
    """Print what is wrong with the libraries of a workspace; return whether anything is."""
    policy = workspace.configuration.policy
    found = [*from_unreadable_files(workspace.faults_of_libraries, policy)]
    write_findings(found)
    return any(finding.is_error for finding in found)


def _workspace(folder: Path, base: Options) -> Workspace:
    workspace = open_workspace(base.root or find_root(folder), choice=base.configuration)
    if not workspace.library.artifacts and not workspace.data_files:
        raise NothingToCheck(f"{escape_controls(str(folder))} has no datasets, rubrics or judges")
    return workspace


def _summary(graph: Graph) -> Iterator[str]:
    kinds = Counter(artifact.kind for artifact in graph.artifacts)
    parts = [many(len(graph.datasets), "dataset")]
    parts += [many(kinds[kind], str(kind)) for kind in (Kind.RUBRIC, Kind.JUDGE)]
    states = Counter(link.state for _, link in graph.links if link.state)
    found = ", ".join(f"{states[state]} {state}" for state in LinkState if states[state])
    references = many(sum(1 for _ in graph.links), "reference")
    yield f"\n{', '.join(parts)}, {references}: {found or 'all pinned to the newest version'}\n"
    yield from _unreadable(graph)


def _unreadable(graph: Graph) -> Iterator[str]:
    for file in graph.unreadable:
        yield f"{escape_controls(file)} cannot be read: what it refers to is not known\n"


@click.command(
    "outdated",
    cls=Command,
    examples={"List the references to old versions": "evalcontract outdated"},
)
@_FOLDER
@options.number("--limit", "Maximum number of changes to print per version (0: no limit).", 10)
@options.output_format(*options.CASES)
@options.workspace("the folder")
def outdated_command(folder: Path, limit: int, output_format: str, base: Options) -> int:
    """List the references to a version that is not the newest, and what an update would change."""
    workspace = _workspace(folder, base)
    graph = graph_of(workspace)
    updates = updates_of(graph, workspace.library)
    if output_format != "text":
        put_answer(_answer_of_updates(graph, updates), output_format)
    else:
        put(line for update in updates for line in _update(update, limit))
        put([] if updates else [f"{_NEWEST}\n"])
    put(_unreadable(graph), err=True)
    return ERRORS if _told(workspace) or graph.unreadable else OK


_NEWEST = "every pinned reference is to the newest version"


def _answer_of_updates(graph: Graph, updates: list[Update]) -> CommandAnswer:
    """Return what could be updated, as records and as cases of what uses it."""
    files = {each.name: each.file for each in graph.artifacts}
    records = [
        {
            "old": each.old.name,
            "new": each.new.name,
            "class": rank.title if (rank := rank_of(each.changes)) else None,
            "changes": [*map(_change, each.changes)],
            "used_by": [name for name, _ in each.users],
        }
        for each in updates
    ]
    cases = (
        Case(each.old.name, name, "outdated", [link.remark], Place(files.get(name, name)))
        for each in updates
        for name, link in each.users
    )
    outdated = many(len(updates), "version is", "versions are")
    sentence = f"{outdated} not the newest" if updates else _NEWEST
    answer = listing("outdated", sentence, updates=records)
    return answer._replace(cases=cases, outcomes=_OUTCOMES)


def _update(update: Update, limit: int) -> Iterator[str]:
    rank = rank_of(update.changes)
    what = rank.title if rank is not None else "the same meaning"
    yield f"{update.old.name} -> {update.new.version}: {what}\n"
    shown = update.changes[: limit or None]
    yield from (f"    {_change(change)}\n" for change in shown)
    if len(update.changes) > len(shown):
        yield f"    and {many(len(update.changes) - len(shown), 'more change')}\n"
    for name, link in update.users:
        is_row = "@" not in name or not name.startswith(("rubric/", "judge/"))
        yield f"  used by {clipped(name, NAME_LENGTH)}{counted(link, is_row=is_row)}\n"


def _change(change: Change) -> str:
    name = clipped(change.name, NAME_LENGTH)
    if change.act is Act.CHANGED:
        return f"{name}: {_value(change.old)} -> {_value(change.new)}"
    if change.act is Act.RENAMED:
        return f"{name}: renamed, was {_value(change.old)}"
    return f"{name}: {change.act}"


def _value(value: object) -> str:
    return clipped(json.dumps(value, ensure_ascii=False))
