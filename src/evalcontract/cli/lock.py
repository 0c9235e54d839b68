"""`lock` and `sync`: what the versions and the libraries of a workspace are, written down."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import click

from evalcontract.cli import options
from evalcontract.cli.command import Command, files_of
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, signals_as_interrupts
from evalcontract.cli.printing import Case, CaseOutcome, CommandAnswer, listing, put_answer
from evalcontract.datasets.opening import Options
from evalcontract.meaning import LOCK_NAME
from evalcontract.model.diagnostic import Place, Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.values import escape_controls, many
from evalcontract.policy import ERRORS, OK
from evalcontract.versioning.lock import WorkspaceLock, lock, summary, update
from evalcontract.workspace import display_name, find_workspaces, open_workspace
from evalcontract.workspace.syncing import SyncedLibrary, Syncing


@click.command(
    "lock",
    cls=Command,
    examples={
        "Lock the workspace of the current folder": "evalcontract lock",
        "Fail in CI if the lock is not up to date": "evalcontract lock --check",
        "Accept a change of a rubric without a new version": (
            "evalcontract lock --update rubrics/example.yaml"
        ),
    },
)
@click.argument(
    "paths",
    nargs=-1,
    metavar="[FOLDER | FILE...]",
    shell_complete=files_of("yaml", "json", "jsonl"),
)
@options.flag("--check", "Write nothing, and exit with 1 if a lock is missing or not up to date.")
@options.flag(
    "--update",
    "Lock only the rubrics, judges and datasets FILE... as they are now, and what they reference "
    "that is not locked yet.",
)
@options.number("--limit", "Maximum number of changes to print (0: no limit).", 200)
@options.output_format(*options.CASES)
@options.workspace("the paths")
def lock_command(
    paths: tuple[str, ...],
    check: bool,
    update: bool,
    limit: int,
    output_format: str,
    base: Options,
) -> int:
    """Write `evalcontract.lock`: what every version in a workspace means.

    The lock records the fields of all rubrics and judges that scores depend on, what each
    dataset references, and which versions unpinned references resolve to. Where there is
    one, `check` fails if a meaning changes under the same version. Commit it. FOLDER
    defaults to the current folder.

    A version whose meaning has changed is not locked: raise the version, or accept the
    change with --update. Nothing is written if the meaning of a file cannot be determined.
    """
    locks = _locks(paths, base, is_update=update)
    refused = [finding for each in locks for finding in each.refused]
    write_findings(refused)
    if refused:
        put([f"nothing was locked: {many(len(refused), 'error')}\n"], err=True)
    elif output_format == "text":
        put(line for each in locks for line in _report(each, limit, is_check=check))
    if not (refused or check):
        with signals_as_interrupts():
            for each in locks:
                each.write()
    if output_format != "text":
        put_answer(_answer(locks, is_check=check), output_format)
    return ERRORS if refused or (check and any(each.is_changed for each in locks)) else OK


def _locks(paths: tuple[str, ...], base: Options, *, is_update: bool) -> list[WorkspaceLock]:
    for path in paths:
        may_be_of_library = is_update and ":" in path.partition("/")[0]
        if not path or "\0" in path or not (may_be_of_library or Path(path).exists()):
            raise UsageError(f"there is no file or folder `{path}`")
    if is_update:
        if not paths:
            raise UsageError("--update needs the files to take over")
        return update(map(Path, paths), base)
    folder = Path(paths[0]) if paths else base.root or Path()
    if len(paths) > 1 or not folder.is_dir():
        raise UsageError("lock takes one folder; to take over files, use `lock --update FILE...`")
    return lock(folder, base)


def _report(done: WorkspaceLock, limit: int, *, is_check: bool) -> Iterator[str]:
    """Yield what changed in a lock, one line each, and a summary."""
    name = escape_controls(display_name(done.path))
    most = limit or len(done.changes)
    yield from (f"{change}\n" for change in islice(done.changes, most))
    if hidden := len(done.changes) - min(most, len(done.changes)):
        yield f"… {many(hidden, 'more change')}: `--limit 0` shows all\n"
    if not done.is_changed:
        yield f"{name} is up to date ({summary(done)})\n"
    elif is_check:
        what = "is missing" if done.before is None else "is not up to date"
        yield f"{name} {what}: run `evalcontract lock`\n"
    else:
        yield f"{'wrote' if done.before is None else 'updated'} {name}: {summary(done)}\n"


_OUTCOMES = dict.fromkeys(
    ("refused", "missing", "not up to date"), CaseOutcome("failure", Severity.ERROR)
)


def _answer(locks: list[WorkspaceLock], *, is_check: bool) -> CommandAnswer:
    refused = sum(bool(each.refused) for each in locks)
    changed = sum(each.is_changed for each in locks)
    records = [_record(each, is_check=is_check) for each in locks]
    sentence = f"{many(changed, 'lock')} of {len(locks):,} changed, {refused:,} refused"
    return listing("lock", sentence, locks=records)._replace(
        cases=(case for lock in locks for case in _cases(lock, is_check=is_check)),
        outcomes=_OUTCOMES,
    )


def _record(lock: WorkspaceLock, *, is_check: bool) -> dict[str, Any]:
    return {
        "file": display_name(lock.path),
        "state": _state(lock, is_check=is_check),
        "artifacts": len(lock.lock.artifacts),
        "datasets": len(lock.lock.datasets),
        "changes": [*lock.changes],
        "refused": [f"{each.place}: {each.message}" for each in lock.refused],
    }


def _state(lock: WorkspaceLock, *, is_check: bool) -> str:
    if lock.refused:
        return "refused"
    if not lock.is_changed:
        return "up to date"
    if is_check:
        return "missing" if lock.before is None else "not up to date"
    return "written" if lock.before is None else "updated"


def _cases(lock: WorkspaceLock, *, is_check: bool) -> Iterator[Case]:
    """Yield what may not be locked; without any, the lock."""
    name, state = display_name(lock.path), _state(lock, is_check=is_check)
    for each in lock.refused:
        yield Case(each.row or each.place.file, name, state, [each.message], each.place)
    if not lock.refused:
        yield Case(name, "lock", state, lock.changes, Place(name))


_MOST = 10


@click.command(
    "sync",
    cls=Command,
    examples={
        "Fetch what evalcontract.lock does not have yet": "evalcontract sync",
        "Say what differs, and change nothing": "evalcontract sync --check",
        "Take a tag that has moved": "evalcontract sync --update shared",
    },
)
@click.argument("names", nargs=-1, metavar="[NAME]...")
@options.flag("--check", "Say what differs (exit 1 if anything does), and fetch and write nothing.")
@options.flag("--update", "Also accept what has changed since it was locked.")
@options.output_format(*options.CASES)
@options.workspace("the current folder")
def sync_command(
    names: tuple[str, ...],
    check: bool,
    update: bool,
    output_format: str,
    base: Options,
) -> int:
    """Fetch the libraries that the settings name, and lock them.

    A library is another workspace, in a git repository or in a folder, whose rubrics, judges and
    bundles this one uses. NAME is that of a library under [libraries]; by default, all are fetched,
    for every workspace below the current folder. Commit and digest of each are written to
    evalcontract.lock, and its files to the cache folder. No other command uses git or the network
    for them.
    """
    if check and update:
        raise UsageError("`--check` and `--update` exclude each other")
    roots = [base.files.real(base.root)] if base.root else find_workspaces(Path(), base.files)
    opened = (open_workspace(root, (), base.files, choice=base.configuration) for root in roots)
    workspaces = [each for each in opened if each.libraries]
    if not workspaces:
        raise UsageError("the settings name no libraries: add a table `[libraries]`")
    done: list[tuple[str, SyncedLibrary]] = []
    with signals_as_interrupts():
        for workspace in workspaces:
            syncing = Syncing(workspace, names)
            for each in syncing.check() if check else syncing.run(update=update):
                done.append((display_name(workspace.root), each))
                several = f"{done[-1][0]}: " if len(workspaces) > 1 else ""
                if output_format == "text":
                    put([several, *_told(each)], err=each.fault is not None)
    if output_format != "text":
        put_answer(_answer_of_sync(done), output_format)
    return ERRORS if any(each.fault is not None for _, each in done) else OK


def _answer_of_sync(done: list[tuple[str, SyncedLibrary]]) -> CommandAnswer:
    records = [_record_of_library(root, each) for root, each in done]
    faults = sum(each.fault is not None for _, each in done)
    sentence = f"{many(len(done), 'library', 'libraries')}, {many(faults, 'fault')}"
    return listing("sync", sentence, libraries=records)._replace(
        cases=(
            Case(
                each.source.name, root, "ok" if each.fault is None else "fault", [each.fault or ""]
            )
            for root, each in done
        ),
        outcomes={"fault": CaseOutcome("failure", Severity.ERROR)},
        subject=LOCK_NAME,
    )


def _record_of_library(root: str, each: SyncedLibrary) -> dict[str, Any]:
    return {
        "workspace": root,
        "name": each.source.name,
        "version": str(each.source.version),
        "commit": each.locked.commit if each.locked else None,
        "changed": each.is_changed,
        "artifacts": sum(each.counts.values()),
        "left_out": [*each.left_out],
        "fault": each.fault,
    }


def _told(each: SyncedLibrary) -> list[str]:
    """Return the lines that say what was done for a library."""
    source = each.source
    if each.fault is not None or each.locked is None:
        return [f"{source.at}: error: the library `{source.name}`: {each.fault}\n"]
    counted = [many(count, kind) for kind, count in each.counts.items() if count]
    commit = f", commit {each.locked.commit[:12]}" if each.locked.commit else ""
    lines = [f"{source.name} {source.version}: {', '.join(counted)}{commit}{_change(each)}\n"]
    lines += [
        f"  left out: {name} (a link, or a name for one platform)\n"
        for name in each.left_out[:_MOST]
    ]
    rest = len(each.left_out) - _MOST
    return [*lines, f"  left out: {rest:,} more\n"] if rest > 0 else lines


def _change(each: SyncedLibrary) -> str:
    if not each.is_changed:
        return ""
    before = each.before
    if before is None:
        return " (new)"
    was, commit = before.settings.get("tag"), (before.commit or "")[:12]
    if was == each.source.tag:
        was = f"commit {commit}" if commit else None
    return f" (was {was})" if was else " (changed)"
