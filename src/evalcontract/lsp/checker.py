"""Check open documents in a thread of its own: the newest text wins, and older work ends early."""

from __future__ import annotations

import logging
import re
import threading
import time
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path

from evalcontract.checking.findings import prevents_reading
from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.known import KnownRows
from evalcontract.datasets.opening import Input, Options
from evalcontract.datasets.passes import NATIVE
from evalcontract.lsp.documents import CONFIGURATION, Snapshot, kind_of
from evalcontract.model.diagnostic import Diagnostic, Place, Severity, Site, Span
from evalcontract.model.errors import ConfigurationError, EvalContractError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source import Files
from evalcontract.workspace import Workspace, find_root, open_workspace
from evalcontract.workspace.roots import is_workspace

#: Findings by the resolved path of their file.
ByFile = dict[Path, list[Diagnostic]]

#: The findings after which a check stops, as on the command line.
_MAX_FINDINGS = 10_000
_PLACE = lazy_pattern(r"(?P<file>[^\n]*?)(?::(?P<line>\d+))?: (?P<message>.*)", re.DOTALL)


def findings_of_file(path: Path, kind: str | None, options: Options) -> list[Diagnostic]:
    """Return the findings in one file, as if it were checked with its workspace."""
    if kind is None or kind not in tuple(Kind):
        return []
    files = options.files
    root = find_root(path, files)
    options = options._replace(dialect=NATIVE if is_workspace(root, files) else None)
    inputs = [Input(path, files=files)]
    findings = _findings_or_failure(lambda: validate(Kind(kind), inputs, options).diagnostics, root)
    return by_file(findings, files).get(files.real(path), [])


def findings_of_workspace(root: Path, options: Options) -> ByFile:
    """Return the findings of a workspace, of those inside of it, and of all files in them."""
    options = options._replace(allows_empty=True)
    findings = _findings_or_failure(lambda: check_workspaces(root, options).diagnostics, root)
    return by_file(findings, options.files)


def workspace_of(path: Path, files: Files) -> Path | None:
    """Return the workspace of a file; None for a file outside of every workspace."""
    root = find_root(path, files)
    return root if is_workspace(root, files) else None


#: The bytes from which on a dataset is not read a second time to tell that it still is one.
_LARGE = 1 << 16


def _findings_or_failure(check: Callable[[], list[Diagnostic]], root: Path) -> list[Diagnostic]:
    """Return findings; the command line refuses to check with a configuration that is invalid."""
    try:
        return check()
    except EvalContractError as error:
        where = _PLACE.fullmatch(str(error))
        if not isinstance(error, ConfigurationError) or where is None:
            return [_failure(str(error), Place(str(root / CONFIGURATION)))]
        line = int(where["line"] or 1)
        span = Span(line, 1, line, 1 << 16)
        return [_failure(where["message"], Place(where["file"], span))]


def _failure(message: str, place: Place) -> Diagnostic:
    return Diagnostic("", Severity.ERROR, message, place)


def by_file(diagnostics: Iterable[Diagnostic], files: Files) -> ByFile:
    """Return findings by file, those with several places at each of them."""
    findings: ByFile = {}
    real: dict[str, Path] = {}
    for diagnostic in diagnostics:
        for one in spread(diagnostic):
            name = one.place.file
            if name not in real:
                real[name] = files.real(Path(name).absolute())
            findings.setdefault(real[name], []).append(one)
    return findings


def spread(diagnostic: Diagnostic) -> list[Diagnostic]:
    """Return a finding at each of its places; the others are related to the first.

    What is wrong with a file as a whole is a finding there alone: the rows that refer to it say
    something else.
    """
    if diagnostic.sites is None:
        return [diagnostic]
    own = diagnostic.place[:2]  # the file and the span
    others = [site for site in diagnostic.sites.first if site.place[:2] != own]
    message = diagnostic.sites.message
    related = [(message, site.place) for site in others[:_RELATED]]
    first = diagnostic._replace(related=(*diagnostic.related, *related))
    if len(others) == len(diagnostic.sites.first) and prevents_reading(diagnostic):
        return [first]
    return [first, *(_at(site, diagnostic) for site in others)]


def _at(site: Site, finding: Diagnostic) -> Diagnostic:
    """Return a finding at another of its places."""
    return finding._replace(
        place=site.place,
        path=site.path,
        row=site.row,
        row_index=site.row_index,
        fix=site.fix,
        sites=None,
        related=(("also reported here", finding.place),),
    )


#: The number of other places of a finding that are listed with it.
_RELATED = 20


#: A workspace is read again after so many times the seconds that reading it took, at least.
_TIMES, _LEAST = 20, 1.0


class _CachedWorkspace(NamedTuple):
    workspace: Workspace
    stamp: Hashable
    until: float


class OpenedWorkspaces:
    """The workspaces of files by root, each read anew when what it depends on may have changed.

    A workspace is kept as long as its stamp, which identifies the open files that it depends on, is
    the same; and not for long, since files also change on the disk.
    """

    def __init__(self) -> None:
        self._kept: dict[Path, _CachedWorkspace] = {}

    def of(self, path: Path, files: Files, stamp: Hashable) -> tuple[Path, Workspace | None]:
        """Return the root of the workspace of a file, and the workspace.

        It is None if its configuration cannot be used.
        """
        root = files.real(find_root(path, files))
        entry = self._kept.get(root)
        now = time.monotonic()
        if entry and entry.stamp == stamp and now < entry.until:
            return root, entry.workspace
        try:
            workspace = open_workspace(root, (), files)
            workspace.library  # noqa: B018 - read it now, to know how long that takes
        except EvalContractError:
            self._kept.pop(root, None)
            return root, None
        end = time.monotonic()
        self._kept[root] = _CachedWorkspace(
            workspace, stamp, end + max(_LEAST, _TIMES * (end - now))
        )
        return root, workspace


_LOG = logging.getLogger(__name__)
#: Seconds without a change before a whole workspace is checked.
_PAUSE = 0.25


class OutdatedCheck(BaseException):
    """The text has changed: the result of this check would be outdated.

    It is no `Exception`, since whatever reads a file may be interrupted by it, and none may take it
    for a bug of its own.
    """


class CheckedFindings(NamedTuple):
    """The findings of some files, from the texts of a snapshot.

    `root` is the workspace that was checked as a whole; of None, `found` has single files. With
    `goes_on`, the check of the workspace has come to some of its files, and found more may be.
    """

    snapshot: Snapshot
    found: ByFile
    root: Path | None = None
    goes_on: bool = False


class Checker:
    """Checks what has changed, and calls `tell` with each result, in its own thread."""

    def __init__(self, tell: Callable[[CheckedFindings], None]) -> None:
        self._tell = tell
        self._change = threading.Condition()
        self._snapshot: Snapshot | None = None
        self._number = 0  # of the newest change
        self._running = 0  # the change that is being checked
        self._files: set[Path] = set()
        self._roots: set[Path] = set()
        self._is_closed = False
        self._kinds: dict[Path, str | None] = {}
        self._opened = OpenedWorkspaces()
        self._rows: dict[Path, KnownRows] = {}
        self._thread = threading.Thread(target=self._run, name="checker", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def check(self, snapshot: Snapshot, *paths: Path, whole: bool = False) -> None:
        """Check files of a snapshot soon; with `whole`, their workspaces, too."""
        with self._change:
            self._snapshot = snapshot
            self._number += 1
            self._files.update(paths)
            if whole:
                self._roots.update(paths)
            self._change.notify()

    def close(self) -> None:
        """End the thread as soon as its work allows it."""
        with self._change:
            self._is_closed = True
            self._number += 1
            self._change.notify()

    def kind(self, path: Path) -> str | None:
        """Return the kind that a file had when it was last checked."""
        return self._kinds.get(path)

    def stamp(self, snapshot: Snapshot) -> Hashable:
        """Return what identifies the open files whose content can change findings in others."""
        states = snapshot.states.items()
        return tuple(item for item in states if self.kind(item[0]) is not Kind.DATASET)

    def _look(self) -> None:
        if self._running != self._number:
            raise OutdatedCheck

    def _run(self) -> None:
        while True:
            with self._change:
                while not (self._is_closed or self._files or self._roots):
                    self._change.wait()
                if self._is_closed:
                    return
                is_quiet = self._files or not self._change.wait(_PAUSE)
                if not is_quiet or self._snapshot is None:
                    continue
                self._running = self._number
                snapshot, files, roots = self._snapshot, set(self._files), set(self._roots)
            try:
                self._work(snapshot, files, roots)
            except OutdatedCheck:
                continue
            except Exception:  # noqa: BLE001 - a bug in a check must not end the server
                # The server goes on; the editor keeps what it has.
                _LOG.exception("a check failed")
                with self._change:
                    self._files -= files
                    self._roots -= roots

    def _work(self, snapshot: Snapshot, files: set[Path], roots: set[Path]) -> None:
        overlay = snapshot.files().watched_by(self._look)
        for path in sorted(files):
            kind = self._kind_of(path, snapshot, overlay)
            if kind is not Kind.DATASET and workspace_of(path, overlay):
                with self._change:
                    self._roots.add(path)
            else:
                root, workspace = self._opened.of(path, overlay, self.stamp(snapshot))
                options = self._options(overlay)
                opened = {root: workspace} if workspace else {}
                known = self._rows.setdefault(path, KnownRows())
                options = options._replace(opened=opened, known_rows=known)
                findings = findings_of_file(path, kind, options)
                self._tell(CheckedFindings(snapshot, {path: findings}))
            with self._change:
                self._look()
                self._files.discard(path)
        if not files:
            self._check_roots(snapshot, roots)

    def _options(self, files: Files) -> Options:
        return Options(files=files, look=self._look, max_findings=_MAX_FINDINGS)

    def _kind_of(self, path: Path, snapshot: Snapshot, files: Files) -> str | None:
        """Return the kind of a file; for a large dataset, the kind that it had before."""
        is_large = len(snapshot.texts.get(path, b"")) > _LARGE
        if not (is_large and self.kind(path) is Kind.DATASET):
            self._kinds[path] = kind_of(path, files)
        return self._kinds[path]

    def _teller(
        self, snapshot: Snapshot, root: Path, files: Files
    ) -> Callable[[list[Diagnostic]], None]:
        """Return what tells the findings of a workspace, file by file."""
        return lambda found: self._tell(
            CheckedFindings(snapshot, by_file(found, files), root, goes_on=True)
        )

    def _check_roots(self, snapshot: Snapshot, paths: set[Path]) -> None:
        """Check each workspace once in which something has changed."""
        files = snapshot.files().watched_by(self._look)
        workspaces = {path: workspace_of(path, files) for path in sorted(paths)}
        for root in dict.fromkeys(workspaces.values()):
            if root is not None:
                started = time.monotonic()
                options = self._options(files)._replace(found=self._teller(snapshot, root, files))
                checked = findings_of_workspace(root, options)
                self._tell(CheckedFindings(snapshot, checked, root))
                _LOG.debug("checked %s in %.2f s", root, time.monotonic() - started)
            with self._change:
                self._look()
                self._roots -= {path for path, its in workspaces.items() if its == root}
