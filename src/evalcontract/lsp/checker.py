"""Checks in a thread of their own: the newest text wins, and older work ends early."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

from evalcontract.lsp.findings import (
    Work,
    findings_of_file,
    findings_of_workspace,
    kind_with,
    needs_workspace,
    workspace_of,
)
from evalcontract.lsp.opened import OpenedWorkspaces
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcontract.lsp.documents import Snapshot
    from evalcontract.lsp.findings import ByFile
    from evalcontract.source import Files

_LOG = logging.getLogger(__name__)
#: Seconds without a change before a whole workspace is checked.
_PAUSE = 0.25


class Superseded(BaseException):
    """The text has changed: the result of this check would be outdated.

    It is no `Exception`, since whatever reads a file may be interrupted by it, and none may take it
    for a bug of its own.
    """


class Result(NamedTuple):
    """The findings of some files, from the texts of a snapshot.

    `root` is the workspace that was checked as a whole; of None, `found` has single files.
    """

    snapshot: Snapshot
    found: ByFile
    root: Path | None = None


class Checker:
    """Checks what has changed, and calls `tell` with each result, in its own thread."""

    def __init__(self, tell: Callable[[Result], None]) -> None:
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

    def _look(self) -> None:
        if self._running != self._number:
            raise Superseded

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
            except Superseded:
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
            if needs_workspace(kind) and workspace_of(path, overlay):
                with self._change:
                    self._roots.add(path)
            else:
                stamp = tuple(
                    (other, state)
                    for other, state in snapshot.states.items()
                    if needs_workspace(self._kinds.get(other))
                )
                root, workspace = self._opened.of(path, overlay, stamp)
                work = Work(overlay, self._look, {root: workspace} if workspace else {})
                found = findings_of_file(path, kind, work)
                self._tell(Result(snapshot, {path: found}))
            with self._change:
                self._look()
                self._files.discard(path)
        if not files:
            self._check_roots(snapshot, roots)

    def _kind_of(self, path: Path, snapshot: Snapshot, files: Files) -> str | None:
        size = len(snapshot.texts.get(path, b""))
        self._kinds[path] = kind_with(path, self._kinds.get(path), size, files)
        return self._kinds[path]

    def _check_roots(self, snapshot: Snapshot, paths: set[Path]) -> None:
        """Check each workspace once in which something has changed."""
        files = snapshot.files().watched_by(self._look)
        found = {path: workspace_of(path, files) for path in sorted(paths)}
        for root in dict.fromkeys(found.values()):
            if root is not None:
                started = time.monotonic()
                self._tell(
                    Result(snapshot, findings_of_workspace(root, Work(files, self._look, {})), root)
                )
                _LOG.debug("checked %s in %.2f s", root, time.monotonic() - started)
            with self._change:
                self._look()
                self._roots -= {path for path, its in found.items() if its == root}
