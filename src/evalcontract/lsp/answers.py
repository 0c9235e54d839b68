"""Answers to requests: what is asked is read in the loop, and worked out in other threads."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from evalcontract.lsp.actions import actions_on, edits_of, edits_to_ignore
from evalcontract.lsp.completion import complete
from evalcontract.lsp.context import CursorContext, context_at
from evalcontract.lsp.names import Naming, hover
from evalcontract.lsp.rename import ROLES, rename, symbols_of
from evalcontract.lsp.replies import (
    completion_list,
    document_symbols,
    locations,
    markup,
    takes_snippets,
    workspace_edit,
)
from evalcontract.lsp.server import Server
from evalcontract.lsp.text import RequestRefusal
from evalcontract.model.errors import EvalContractError
from evalcontract.model.startup import NamedTuple
from evalcontract.source import MisreadError

if TYPE_CHECKING:
    from evalcontract.lsp.documents import OpenDocument, Snapshot
    from evalcontract.lsp.names import Kept, Name
    from evalcontract.lsp.rename import Symbol

#: Threads for answers; one slow answer does not hold up the others.
_THREADS = 2
#: Seconds that an answer may take. A text that is made for it takes longer: then the answer is
#: empty, rather than late.
_SECONDS = 4.0
#: The actions of which an editor that does not resolve them is told the edits.
_MOST_ACTIONS = 50
_NOTHING: list[Any] = []


class DocumentRequest(NamedTuple):
    """A request: the document, the state of all open documents, and the position in it."""

    document: OpenDocument
    snapshot: Snapshot
    kind: str | None
    position: types.Position


class Answers:
    """Answers the requests of an editor. A request on an unknown document has an empty answer."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._threads = ThreadPoolExecutor(_THREADS, "answer")
        self._kept: Kept = {}
        self._outlines: dict[str, list[types.DocumentSymbol]] = {}

    async def completion(self, params: types.CompletionParams) -> types.CompletionList:
        """Return what can be written at a position."""
        asked = self._asked(params.text_document.uri, params.position)
        empty = types.CompletionList(is_incomplete=False, items=[])
        if asked is None:
            return empty
        context = await self._context(asked)
        naming = self._naming(asked)

        def work() -> types.CompletionList:
            if context is None:
                return empty
            full = context._replace(workspace=self._workspace(asked))
            items = list(complete(full, lambda: naming.check_ids(asked.position.line)))
            if not takes_snippets(self._server.client_capabilities):
                items = [item for item in items if item.role != "snippet"]
            return completion_list(items, full, asked.position, asked.document.text)

        found: types.CompletionList = await self._run(work, empty)
        return found

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return what the word at a position means."""
        asked = self._asked(params.text_document.uri, params.position)
        context = await self._context(asked) if asked else None
        if asked is None or context is None:
            return None
        workspace = await self._run(lambda: self._workspace(asked), None)
        text = await self._run(lambda: hover(context._replace(workspace=workspace)), "")
        return types.Hover(markup(text, self._server.client_capabilities)) if text else None

    async def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Return where the name at a position is defined."""
        return await self._places(params, lambda naming, name: naming.definitions(name))

    async def references(
        self, params: types.ReferenceParams, *, with_definition: bool
    ) -> list[types.Location]:
        """Return where the name at a position is used."""
        return await self._places(
            params,
            lambda naming, name: [
                *(naming.definitions(name) if with_definition else _NOTHING),
                *naming.uses(name),
            ],
        )

    async def prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """Return the id at a position that can be renamed."""
        asked = self._asked(params.text_document.uri, params.position)
        context = await self._context(asked) if asked else None
        naming = self._naming(asked) if asked else None
        name = await self._name(naming, context)
        if asked is None or context is None or name is None or name.role not in ROLES:
            return None
        id_ = name.reference.id if name.reference else name.text
        start = context.cursor.start + context.cursor.word.find(id_)
        text, line = asked.document.text, asked.position.line
        range_ = types.Range(
            types.Position(line, text.units(line, start)),
            types.Position(line, text.units(line, start + len(id_))),
        )
        return types.PrepareRenamePlaceholder(range_, id_)

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Return the changes that rename the id at a position.

        Raises:
            Refused: there is none, or the new name cannot be given to it.

        """
        asked = self._asked(params.text_document.uri, params.position)
        context = await self._context(asked) if asked else None
        naming = self._naming(asked) if asked else None
        name = await self._name(naming, context)
        if asked is None or naming is None or name is None or name.role not in ROLES:
            raise RequestRefusal("there is no id that can be renamed here")
        encoding = self._server.documents.encoding
        try:
            renamed = await self._raising(
                lambda: rename(name, params.new_name, naming.source, naming.workspace, encoding)
            )
        except (EvalContractError, MisreadError, OSError) as error:  # or late
            raise RequestRefusal(str(error)) from None
        capabilities = self._server.client_capabilities
        return workspace_edit(renamed, self._server.documents, capabilities)

    async def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Return the outline of a document; while it cannot be parsed, the last one."""
        uri = params.text_document.uri
        asked = self._asked(uri, types.Position(0, 0))
        if asked is None:
            return []
        naming = self._naming(asked)

        def work() -> list[Symbol]:
            kind = asked.kind or naming.kind
            return symbols_of(kind, naming.source) if kind else []

        found = await self._run(work, [])
        if found:
            self._outlines[uri] = document_symbols(found, asked.document.text)
        return self._outlines.get(uri, [])

    async def actions(self, params: types.CodeActionParams, all_: str) -> list[types.CodeAction]:
        """Return the fixes of the findings in a range, that of all safe ones, and ignores."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None or self._server.checked.get(document.real) != document.state:
            return []
        found = self._server.shown.get(document.real, [])
        made = actions_on(document, found, params, all_, self._server.publisher())
        if self._resolves_edits():
            return made
        resolved = [await self.resolve(action) for action in made[:_MOST_ACTIONS]]
        return [action for action in resolved if action.edit]

    async def resolve(self, action: types.CodeAction) -> types.CodeAction:
        """Return an action with its edit; without one, if the text has changed since."""
        data = action.data if isinstance(action.data, dict) else {}
        document = self._server.documents.get(str(data.get("uri")))
        if document is None or document.state != data.get("state"):
            return action
        found = self._server.shown.get(document.real, [])
        numbers = data.get("findings", ())
        chosen = [found[n] for n in numbers if isinstance(n, int) and 0 <= n < len(found)]
        text, form = document.text.whole, document.format
        encoding = self._server.documents.encoding

        def work() -> list[types.TextEdit]:
            if data.get("ignores"):
                return edits_to_ignore(chosen[0], text, encoding) if chosen else []
            return edits_of(chosen, text, form, encoding)

        if edits := await self._run(work, []):
            action.edit = types.WorkspaceEdit(changes={document.uri: edits})
        return action

    def _resolves_edits(self) -> bool:
        """Whether the editor asks for the edit of an action when somebody chooses it."""
        of_text = self._server.client_capabilities.text_document
        action = of_text.code_action if of_text else None
        support = action.resolve_support if action else None
        return support is not None and "edit" in support.properties

    async def _places(self, params: Any, find: Callable[..., Any]) -> list[types.Location]:
        asked = self._asked(params.text_document.uri, params.position)
        context = await self._context(asked) if asked else None
        naming = self._naming(asked) if asked else None
        name = await self._name(naming, context)
        if naming is None or name is None:
            return []
        places = await self._run(lambda: list(find(naming, name)), [])
        return locations(places, self._server.publisher())

    def _asked(self, uri: str, position: types.Position) -> DocumentRequest | None:
        document = self._server.documents.get(uri)
        if document is None:
            return None
        kind = self._server.kind(document)
        return DocumentRequest(document, self._server.documents.snapshot(), kind, position)

    def _naming(self, asked: DocumentRequest) -> Naming:
        return Naming(asked.document, asked.snapshot, self._kept)

    async def _context(self, asked: DocumentRequest) -> CursorContext | None:
        """Return what is at the position; None if the text has changed meanwhile."""
        document, naming = asked.document, self._naming(asked)
        kind = asked.kind or await self._run(lambda: naming.kind, None)
        if document.state != asked.snapshot.states.get(document.real):
            return None
        point = document.text.point(asked.position.line, asked.position.character)
        return context_at(document, kind, point, None)

    async def _name(self, naming: Naming | None, context: CursorContext | None) -> Name | None:
        if naming is None or context is None:
            return None
        found: Name | None = await self._run(lambda: naming.name(context), None)
        return found

    def _workspace(self, asked: DocumentRequest) -> Any:
        return self._server.workspace_of(asked.document, asked.snapshot)

    async def _run(self, work: Callable[[], Any], default: Any) -> Any:
        """Return the result of work in another thread; the default if it takes too long.

        A file that it cannot read gives the default, too.
        """
        try:
            return await self._raising(work)
        except (EvalContractError, MisreadError, OSError):  # of which `TimeoutError` is one
            return default

    async def _raising(self, work: Callable[[], Any]) -> Any:
        return await in_time(work, self._threads)


async def in_time(work: Callable[[], Any], threads: ThreadPoolExecutor) -> Any:
    """Return the result of work in another thread.

    Raises:
        TimeoutError: it takes too long; its thread goes on.

    """
    running = asyncio.get_running_loop().run_in_executor(threads, work)
    try:
        return await asyncio.wait_for(running, _SECONDS)
    except TimeoutError:
        raise TimeoutError(f"this takes more than {_SECONDS:g} seconds") from None


_TRIGGERS = ["/", "@", '"', " ", ":", "{", "."]
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.evalcontract"


def register(server: Server) -> None:
    """Register all answers of a server."""
    answers = Answers(server)
    _register_files(server)
    _register_words(server, answers)
    _register_names(server, answers)
    _register_fixes(server, answers)


def _register_files(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.INITIALIZED)
    def initialized(_: types.InitializedParams) -> None:
        server.watch()

    @server.feature(types.SHUTDOWN)
    def shut_down(_: None) -> None:
        server.is_shut_down = True

    @server.feature(types.EXIT)
    def ended(_: None) -> None:
        server.is_asked_to_exit = True

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def saved(params: types.DidSaveTextDocumentParams) -> None:
        server.save(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def configured(_: types.DidChangeConfigurationParams) -> None:
        """Take the settings of the editor: none are ours, which the workspace has."""

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def changed(params: types.DidChangeWatchedFilesParams) -> None:
        server.reload([change.uri for change in params.changes])


def _register_words(server: Server, answers: Answers) -> None:
    options = types.CompletionOptions(trigger_characters=_TRIGGERS)

    @server.feature(types.TEXT_DOCUMENT_COMPLETION, options)
    async def complete(params: types.CompletionParams) -> types.CompletionList:
        return await answers.completion(params)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def hover(params: types.HoverParams) -> types.Hover | None:
        return await answers.hover(params)


def _register_names(server: Server, answers: Answers) -> None:
    @server.feature(types.TEXT_DOCUMENT_DEFINITION)
    async def define(params: types.DefinitionParams) -> list[types.Location]:
        return await answers.definition(params)

    @server.feature(types.TEXT_DOCUMENT_REFERENCES)
    async def refer(params: types.ReferenceParams) -> list[types.Location]:
        is_own = params.context.include_declaration
        return await answers.references(params, with_definition=is_own)

    @server.feature(types.TEXT_DOCUMENT_PREPARE_RENAME)
    async def prepare(params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        return await answers.prepare_rename(params)

    @server.feature(types.TEXT_DOCUMENT_RENAME, types.RenameOptions(prepare_provider=True))
    async def rename(params: types.RenameParams) -> types.WorkspaceEdit | None:
        return await answers.rename(params)

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    async def outline(params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        return await answers.symbols(params)


def _register_fixes(server: Server, answers: Answers) -> None:
    kinds = [types.CodeActionKind.QuickFix, FIX_ALL]
    options = types.CodeActionOptions(kinds, resolve_provider=True)

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, options)
    async def act(params: types.CodeActionParams) -> list[types.CodeAction]:
        return await answers.actions(params, FIX_ALL)

    @server.feature(types.CODE_ACTION_RESOLVE)
    async def resolve(action: types.CodeAction) -> types.CodeAction:
        return await answers.resolve(action)


def serve() -> int:
    """Serve an editor until it says `exit` or closes standard input; return the exit code.

    It is 1 if the editor says `exit` without `shutdown` before it, as the protocol asks for.

    Standard output belongs to the protocol alone: whatever else writes to it writes to standard
    error instead.
    """
    protocol = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    server = Server()
    register(server)
    try:
        server.start_io(sys.stdin.buffer, protocol)
    finally:
        server.stop()
    return int(server.is_asked_to_exit and not server.is_shut_down)
