"""The server: documents come in, findings go out."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
import time
from collections import Counter
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.protocol import JsonRPCProtocol, LanguageServerProtocol, lsp_method

from evalcontract._version import __version__
from evalcontract.lsp.checker import CheckedFindings, Checker, OpenedWorkspaces, workspace_of
from evalcontract.lsp.documents import Documents, OpenDocument, Publisher, Snapshot
from evalcontract.lsp.text import RequestDelay, Text, is_fault, path_of_uri, uri_of_path
from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.source import DISK
from evalcontract.source.processes import is_running
from evalcontract.workspace import Workspace, find_workspaces
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.roots import is_workspace

_SECONDS = 2.0
#: Seconds in which changes on the disk are gathered.
_GATHERING_SECONDS = 0.05
#: Seconds after which an editor is told to ask again for findings.
_LATE_SECONDS = 20.0
#: Seconds that the check of all workspaces may take.
_WHOLE_SECONDS = 600.0


def end_with(process: int) -> None:
    """End this process when another one has ended.

    The end of standard input ends the server, too; but another process may hold that open. Where
    processes have no signals, standard input is all there is.
    """

    def watch() -> None:
        while is_running(process):
            time.sleep(_SECONDS)
        os._exit(0)

    if os.name == "posix":
        threading.Thread(target=watch, name="lifetime", daemon=True).start()


NAME = "evalcontract"
#: The files whose changes on the disk an editor is asked to tell.
_WATCHED = ("**/*.{yaml,yml,json,jsonl,ndjson}", "**/evalcontract.{toml,lock}")


class Protocol(LanguageServerProtocol):
    """The protocol with documents of our own: editors and `pygls` differ on what ends a line."""

    _server: Server

    def structure_message(self, data: dict[str, Any]) -> Any:
        """Read a message; a request that cannot be read gets an error as its answer.

        Raises:
            JsonRpcException: it cannot be read.

        """
        try:
            return super().structure_message(data)
        except JsonRpcException as error:
            if "id" in data and "method" in data:
                self._send_response(data["id"], None, error.to_response_error())
            raise

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """Open a document."""
        self._server.open(params.text_document)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change a document."""
        self._server.change(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """Close a document."""
        self._server.close(params.text_document.uri)


class Server(LanguageServer):
    """The language server. All but checks and slow answers run in the thread of its loop."""

    def __init__(self) -> None:
        super().__init__(NAME, __version__, protocol_cls=Protocol)
        logging.getLogger(JsonRPCProtocol.__module__).addFilter(is_fault)
        self.documents = Documents()
        self._workspaces = OpenedWorkspaces()
        self._reading = threading.Lock()
        #: The findings that the editor shows, by the resolved path of their file.
        self.shown: dict[Path, list[Diagnostic]] = {}
        #: The state of an open document that its findings belong to.
        self.checked: dict[Path, int] = {}
        self._changed: dict[Path, Path] = {}  # of each folder, a file that has changed on the disk
        self._roots: dict[Path, Path] = {}  # the workspace that the findings in a file came from
        self._checker = Checker(self._hear)
        #: Whether the editor said `shutdown`, and whether it then, or without it, said `exit`.
        self.is_shut_down = self.is_asked_to_exit = False
        self._loop: asyncio.AbstractEventLoop | None = None
        #: Whether the editor asks for the findings in what is open, rather than be sent them.
        self._is_asked = False
        self._arrived = asyncio.Event()  # set, and replaced, with the result of each check
        self._rounds: Counter[Path] = Counter()  # how often each workspace was checked as a whole
        self._counted = count(1)
        self._numbers: dict[Path, int] = {}  # of the findings, another one when they change
        self._answered: dict[Path, int] = {}  # those that the editor has, by their numbers

    def begin(self, params: types.InitializeParams) -> None:
        """Begin to work for an editor: in its first folder, as long as it lives."""
        folders = [folder.uri for folder in params.workspace_folders or []]
        top = path_of_uri(next(iter(folders), params.root_uri or ""))
        if top and os.path.isdir(top):
            os.chdir(top)  # messages name files as the command line does there
        encoding = self.workspace.position_encoding
        self.documents = Documents(
            Path.cwd(), str(getattr(encoding, "value", encoding) or "utf-16")
        )
        self._loop = asyncio.get_running_loop()
        capabilities = params.capabilities
        self._is_asked = bool(
            get_capability(capabilities, "text_document.diagnostic")
            and get_capability(capabilities, "workspace.diagnostics.refresh_support")
        )
        if self._is_asked:
            options = types.DiagnosticOptions(
                inter_file_dependencies=True, workspace_diagnostics=False, identifier=NAME
            )
            self.feature(types.TEXT_DOCUMENT_DIAGNOSTIC, options)(partial(self.report))
        self._checker.start()
        if params.process_id:
            end_with(params.process_id)

    def note_shutdown(self, _: None) -> None:
        """Note that the editor said `shutdown`."""
        self.is_shut_down = True

    def note_exit(self, _: None) -> None:
        """Note that the editor said `exit`."""
        self.is_asked_to_exit = True

    def watch(self, _: types.InitializedParams) -> None:
        """Ask the editor to tell which files change on the disk, if it can."""
        path = "workspace.did_change_watched_files.dynamic_registration"
        if get_capability(self.client_capabilities, path):
            watchers = [types.FileSystemWatcher(glob) for glob in _WATCHED]
            options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
            name = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
            registration = types.Registration(name, name, options)
            self.client_register_capability(types.RegistrationParams([registration]))

    def open(self, item: types.TextDocumentItem) -> None:
        """Open a document, and check it and its workspace."""
        document = self.documents.open(item)
        if self._is_asked and self.shown.get(document.real):
            self._send(item.uri, document, [])  # what it was sent of the closed file
        self._check(document, whole=True)

    def change(self, params: types.DidChangeTextDocumentParams) -> None:
        """Change a document, and check it."""
        if document := self.documents.get(params.text_document.uri):
            document.change(params.content_changes, params.text_document.version)
            self._check(document)

    def save(self, params: types.DidSaveTextDocumentParams) -> None:
        """Check a document and its workspace."""
        if document := self.documents.get(params.text_document.uri):
            self._check(document, whole=True)

    def close(self, uri: str) -> None:
        """Close a document: the findings in it are those of the file again."""
        if document := self.documents.pop(uri, None):
            if workspace_of(document.real, DISK) is None and not self.documents.at(document.real):
                self._publish({document.real: []})
            self._send(uri, document, [])
            self.shown.pop(document.real, None)
            self._answered.pop(document.real, None)
            self._checker.check(self.documents.snapshot(), document.real, whole=True)

    def reload(self, params: types.DidChangeWatchedFilesParams) -> None:
        """Check again what files that changed on the disk may affect.

        Thousands may change at once, each with a notification of its own: they are looked at
        together, and one file stands for all of its folder.
        """
        if not self._changed and self._loop is not None:
            self._loop.call_later(_GATHERING_SECONDS, self._reload)
        paths = filter(None, (path_of_uri(change.uri) for change in params.changes))
        self._changed |= {path.parent: path for path in paths}

    def _reload(self) -> None:
        changed, self._changed = self._changed, {}
        paths = {document.real for document in self.documents.values()}
        paths |= {DISK.real(path) for path in changed.values() if workspace_of(path, DISK)}
        self._checker.check(self.documents.snapshot(), *paths, whole=True)

    async def report(
        self, params: types.DocumentDiagnosticParams
    ) -> types.DocumentDiagnosticReport:
        """Return the findings in an open document, once its newest text is checked.

        Raises:
            RequestDelay: that takes too long.

        """
        uri, deadline = params.text_document.uri, time.monotonic() + _LATE_SECONDS
        while (document := self.documents.get(uri)) and not self._is_checked(document):
            try:
                await asyncio.wait_for(self._arrived.wait(), deadline - time.monotonic())
            except TimeoutError:
                raise RequestDelay from None
        if document is None:
            return types.RelatedFullDocumentDiagnosticReport([])
        number = self._answered[document.real] = self._numbers.get(document.real, 0)
        if params.previous_result_id == str(number):
            return types.RelatedUnchangedDocumentDiagnosticReport(str(number))
        publisher = self.publisher()
        shown = [publisher.diagnostic(each) for each in self.shown.get(document.real, [])]
        return types.RelatedFullDocumentDiagnosticReport(shown, result_id=str(number))

    async def check_all(self) -> dict[str, int]:
        """Check the workspaces of the folder; return their number, and the findings by severity.

        Raises:
            RequestDelay: that takes too long.

        """
        found = await asyncio.to_thread(find_workspaces, Path.cwd())
        roots = [DISK.real(root) for root in found if is_workspace(root)]
        before = self._rounds.copy()
        paths = [root / FILE_NAME for root in roots]
        self._checker.check(self.documents.snapshot(), *paths, whole=True)
        deadline = time.monotonic() + _WHOLE_SECONDS
        while any(self._rounds[root] == before[root] for root in roots):
            try:
                await asyncio.wait_for(self._arrived.wait(), deadline - time.monotonic())
            except TimeoutError:
                raise RequestDelay from None
        inside = [path for path in self.shown if any(root in path.parents for root in roots)]
        counted = Counter(each.severity for path in inside for each in self.shown[path])
        return {"workspaces": len(roots), **{str(each): counted[each] for each in Severity}}

    def _is_checked(self, document: OpenDocument) -> bool:
        return self.checked.get(document.real) == document.state

    def kind(self, document: OpenDocument) -> str | None:
        """Return the kind of a document when it was last checked."""
        return self._checker.kind(document.real)

    def workspace_of(self, document: OpenDocument, snapshot: Snapshot) -> Workspace | None:
        """Return the workspace of a document; None if its configuration cannot be used."""
        stamp = self._checker.stamp(snapshot)
        with self._reading:
            return self._workspaces.of(document.real, snapshot.files(), stamp)[1]

    def stop(self) -> None:
        """End all work."""
        self._checker.close()

    def publisher(self) -> Publisher:
        """Return what converts places in the files of now."""
        return Publisher(self._text_of, self.documents.encoding)

    def _check(self, document: OpenDocument, *, whole: bool = False) -> None:
        self._checker.check(self.documents.snapshot(), document.real, whole=whole)

    def _text_of(self, path: Path) -> Text | None:
        return next((document.text for document in self.documents.at(path)), None)

    def _hear(self, result: CheckedFindings) -> None:
        """Take the result of a check, which runs in another thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._take, result)

    def _take(self, result: CheckedFindings) -> None:
        findings_of = {DISK.real(path): findings for path, findings in result.found.items()}
        now = self.documents.snapshot().states
        then = result.snapshot.states
        root = result.root
        if root is not None:
            before = [path for path, its in self._roots.items() if its == root]
            opened = [each.real for each in self.documents.values() if root in each.real.parents]
            findings_of = {path: [] for path in (*before, *opened)} | findings_of
        current = {
            path: findings
            for path, findings in findings_of.items()
            if now.get(path) == then.get(path)
        }
        if root is not None:
            self._roots.update(dict.fromkeys(current, root))
            self._rounds[root] += 1
            self._refresh()
        self.checked.update({path: then[path] for path in current if path in then})
        self._publish(current)
        self._arrived.set()
        self._arrived = asyncio.Event()

    def _refresh(self) -> None:
        """Let the editor ask again for what stands beside its texts, if it can be told to."""
        refreshes = {
            "code_lens": self.workspace_code_lens_refresh,
            "inlay_hint": self.workspace_inlay_hint_refresh,
        }
        for name, refresh in refreshes.items():
            if get_capability(self.client_capabilities, f"workspace.{name}.refresh_support"):
                refresh(None)

    def _publish(self, findings_of: dict[Path, list[Diagnostic]]) -> None:
        publisher = self.publisher()
        is_old = False
        for path, findings in findings_of.items():
            documents = self.documents.at(path)
            is_same = findings == self.shown.get(path, [])
            if is_same and (self._is_asked or not documents):
                continue
            self.shown[path] = findings
            if documents and self._is_asked:
                is_old |= path in self._answered
                self._numbers[path] = next(self._counted)
                continue
            converted = [publisher.diagnostic(finding) for finding in findings]
            for document in documents:
                self._send(document.uri, document, converted)
            if not documents:
                self._send(uri_of_path(path), None, converted)
        if is_old:  # an editor that has asked for the newest text asks for nothing more by itself
            self.workspace_diagnostic_refresh(None)

    def _send(
        self, uri: str, document: OpenDocument | None, diagnostics: list[types.Diagnostic]
    ) -> None:
        version = document.version if document else None
        params = types.PublishDiagnosticsParams(uri, diagnostics, version)
        self.text_document_publish_diagnostics(params)
