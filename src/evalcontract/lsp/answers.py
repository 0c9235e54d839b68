"""Answers to requests: what is asked is read in the loop, and worked out in other threads."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.capabilities import get_capability

from evalcontract.lsp.actions import (
    actions_on,
    edits_of,
    edits_of_change,
    edits_to_ignore,
    findings_in,
    key_changes,
)
from evalcontract.lsp.completion import (
    complete,
    complete_setting,
    completion_item,
    cursor_in_toml,
    explain_setting,
    takes_snippets,
)
from evalcontract.lsp.cursor import CursorContext, context_at
from evalcontract.lsp.documents import OpenDocument, Snapshot
from evalcontract.lsp.names import (
    ROLES,
    VERSION,
    Name,
    Naming,
    RenameEdits,
    Sources,
    hover,
    locations,
    name_at,
    rename,
    renamed_at,
    workspace_edit,
)
from evalcontract.lsp.server import Server
from evalcontract.lsp.symbols import (
    folds_of,
    lenses_of,
    links_in,
    names_in,
    symbols_of,
    versions_in,
)
from evalcontract.lsp.text import RequestRefusal, Text
from evalcontract.model.diagnostic import Place
from evalcontract.model.errors import EvalContractError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import MisreadError
from evalcontract.workspace import Workspace, open_workspace
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.roots import find_workspaces

#: Threads for answers; one slow answer does not hold up the others.
_THREADS = 2
#: Seconds that an answer may take. A text that is made for it takes longer: then the answer is
#: empty, rather than late.
_SECONDS = 4.0
#: The actions of which an editor that does not resolve them is told the edits.
_MOST_ACTIONS = 50


class CursorRequest(NamedTuple):
    """A request at a position: the document, the state of all open ones, and what is there."""

    document: OpenDocument
    snapshot: Snapshot
    naming: Naming
    context: CursorContext
    position: types.Position


class Answers:
    """Answers the requests of an editor. A request on an unknown document has an empty answer."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._threads = ThreadPoolExecutor(_THREADS, "answer")
        self._sources: Sources = {}
        self._outlines: dict[str, list[types.DocumentSymbol]] = {}

    async def completion(self, params: types.CompletionParams) -> types.CompletionList:
        """Return what can be written at a position."""
        empty = types.CompletionList(is_incomplete=False, items=[])
        if setting := self._setting(params):
            return types.CompletionList(
                is_incomplete=False,
                items=await self._run(lambda: settings_at(setting.text, params.position), []),
            )
        at = await self._at(params)
        if at is None:
            return empty

        takes = takes_snippets(self._server.client_capabilities)
        line, text = at.position.line, at.document.text

        def work() -> types.CompletionList:
            full = at.context._replace(workspace=self._workspace(at))
            suggestions = complete(full, lambda: at.naming.check_ids(line))
            fitting = (each for each in suggestions if takes or each.role != "snippet")
            form = full.form
            items = [completion_item(each, full.cursor, form, line, text=text) for each in fitting]
            return types.CompletionList(is_incomplete=False, items=items)

        found: types.CompletionList = await self._run(work, empty)
        return found

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """Return what the word at a position means."""
        capabilities = self._server.client_capabilities
        if setting := self._setting(params):
            place = setting.text.point(params.position.line, params.position.character)
            cursor = cursor_in_toml(setting.text, place)
            text = await self._run(lambda: explain_setting(cursor) if cursor else "", "")
            return types.Hover(_markup(text, capabilities)) if text else None
        at = await self._at(params)
        if at is None:
            return None
        workspace = await self._run(lambda: self._workspace(at), None)
        text = await self._run(lambda: hover(at.context._replace(workspace=workspace)), "")
        return types.Hover(_markup(text, capabilities)) if text else None

    def _setting(self, params: Any) -> OpenDocument | None:
        """Return the document of a request if it is a configuration."""
        document = self._server.documents.get(params.text_document.uri)
        return document if document and document.path.name == FILE_NAME else None

    async def definition(self, params: types.DefinitionParams) -> list[types.Location]:
        """Return where the name at a position is defined."""
        return await self._places(params, lambda naming, name: naming.definitions(name))

    async def references(self, params: types.ReferenceParams) -> list[types.Location]:
        """Return where the name at a position is used, and where it is defined if that is asked."""
        with_definition = params.context.include_declaration

        def find(naming: Naming, name: Name) -> list[Place]:
            own = naming.definitions(name) if with_definition else []
            return [*own, *naming.uses(name)]

        return await self._places(params, find)

    async def prepare_rename(
        self, params: types.PrepareRenameParams
    ) -> types.PrepareRenamePlaceholder | None:
        """Return the id at a position that can be renamed."""
        at = await self._at(params)
        name = renamed_at(at.context) if at else None
        if at is None or name is None or name.role not in ROLES:
            return None
        is_id = name.reference is not None and name.role != VERSION
        id_ = name.reference.id if is_id and name.reference else name.text
        word = at.context.cursor.word
        start = at.context.cursor.start + (word.find(id_) if is_id else word.rfind(id_))
        range_ = at.document.text.range(at.position.line, start, start + len(id_))
        return types.PrepareRenamePlaceholder(range_, id_)

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """Return the changes that rename the id at a position.

        Raises:
            RequestRefusal: there is none, or the new name cannot be given to it.

        """
        at = await self._at(params)
        name = renamed_at(at.context) if at else None
        if at is None or name is None or name.role not in ROLES:
            raise RequestRefusal("there is no id that can be renamed here")
        encoding = self._server.documents.encoding

        def work() -> RenameEdits:
            return rename(name, params.new_name, at.naming, encoding=encoding)

        try:
            renamed = await in_time(work, self._threads)
        except (EvalContractError, MisreadError, OSError) as error:  # or late
            raise RequestRefusal(str(error)) from None
        capabilities = self._server.client_capabilities
        return workspace_edit(renamed, self._server.documents, capabilities)

    async def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol]:
        """Return the outline of a document; while it cannot be parsed, the last one."""
        uri = params.text_document.uri
        document = self._server.documents.get(uri)
        if document is None:
            return []
        known, naming = self._server.kind(document), self._naming(document)

        def work() -> list[types.DocumentSymbol]:
            kind = known or naming.kind
            return symbols_of(kind, naming.source, document.text) if kind else []

        if found := await self._run(work, []):
            self._outlines[uri] = found
        return self._outlines.get(uri, [])

    async def names(self, params: types.WorkspaceSymbolParams) -> list[types.WorkspaceSymbol]:
        """Return the names that contain a text, of all workspaces in the folder of the editor."""
        snapshot, publisher = self._server.documents.snapshot(), self._server.publisher()

        def work() -> list[types.WorkspaceSymbol]:
            files = snapshot.files()
            roots = find_workspaces(Path.cwd(), files)
            opened = (open_workspace(root, (), files) for root in roots)
            return [name for each in opened for name in names_in(each, params.query, publisher)]

        found: list[types.WorkspaceSymbol] = await self._run(work, [])
        return found

    async def folds(self, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
        """Return what can be folded in a document."""
        document = self._server.documents.get(params.text_document.uri)
        lines = [*document.text.lines] if document else []
        found: list[types.FoldingRange] = await self._run(lambda: folds_of(lines), [])
        return found

    async def links(self, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
        """Return links from references to the files that they mean."""
        return await self._beside(params, lambda document, naming: [*links_in(document, naming)])

    async def hints(self, params: types.InlayHintParams) -> list[types.InlayHint]:
        """Return the versions that references without one mean."""

        def work(document: OpenDocument, naming: Naming) -> list[types.InlayHint]:
            return [*versions_in(document, naming.workspace, params.range)]

        return await self._beside(params, work)

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens]:
        """Return who uses the rubric or the judge of a document, and its last scores."""
        publisher = self._server.publisher()

        def work(document: OpenDocument, naming: Naming) -> list[types.CodeLens]:
            return [*lenses_of(document, naming, publisher)]

        return await self._beside(params, work)

    async def _beside(
        self, params: Any, work: Callable[[OpenDocument, Naming], list[Any]]
    ) -> list[Any]:
        """Return what stands beside a text; nothing if it changes meanwhile."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None:
            return []
        naming, state = self._naming(document), document.state
        if not await self._run(lambda: naming.kind in tuple(Kind), False):
            return []
        found = await self._run(lambda: work(document, naming), [])
        return found if document.state == state else []

    async def actions(self, params: types.CodeActionParams) -> list[types.CodeAction]:
        """Return the fixes of the findings in a range, that of all safe ones, and ignores."""
        document = self._server.documents.get(params.text_document.uri)
        if document is None or self._server.checked.get(document.real) != document.state:
            return []
        found = self._server.shown.get(document.real, [])
        publisher, state, text = self._server.publisher(), document.state, document.text.whole
        near, naming = findings_in(document, found, params, publisher), self._naming(document)
        titles = await self._run(
            lambda: {
                number: [change.title for change in key_changes(each, naming.source, text)]
                for number, each in near.items()
            },
            {},
        )
        if document.state != state:
            return []
        made = actions_on(
            document, found, params, all_=FIX_ALL, publisher=publisher, changes=titles
        )
        # Whether the editor asks for the edit of an action when somebody chooses it.
        path = "text_document.code_action.resolve_support.properties"
        if "edit" in (get_capability(self._server.client_capabilities, path) or ()):
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
        encoding, naming = self._server.documents.encoding, self._naming(document)

        def work() -> list[types.TextEdit]:
            if data.get("ignores"):
                return edits_to_ignore(chosen[0], text, encoding) if chosen else []
            if isinstance(at := data.get("change"), int) and chosen:
                changes = key_changes(chosen[0], naming.source, text)[at : at + 1]
                return [
                    edit
                    for change in changes
                    for edit in edits_of_change(chosen[0], change, text, form, encoding=encoding)
                ]
            return edits_of(chosen, text, form, encoding=encoding)

        if edits := await self._run(work, []):
            action.edit = types.WorkspaceEdit(changes={document.uri: edits})
        return action

    async def _places(
        self, params: Any, find: Callable[[Naming, Name], list[Place]]
    ) -> list[types.Location]:
        at = await self._at(params)
        name = name_at(at.context) if at else None
        if at is None or name is None:
            return []
        places = await self._run(lambda: find(at.naming, name), [])
        return locations(places, self._server.publisher())

    async def _at(self, params: Any) -> CursorRequest | None:
        """Return what is at a position; None if that is unknown, or the text changes meanwhile."""
        document, position = self._server.documents.get(params.text_document.uri), params.position
        if document is None:
            return None
        snapshot = self._server.documents.snapshot()
        naming = self._naming(document, snapshot)
        kind = self._server.kind(document) or await self._run(lambda: naming.kind, None)
        if document.state != snapshot.states.get(document.real):
            return None
        point = document.text.point(position.line, position.character)
        context = context_at(document, kind, point, workspace=None)
        return context and CursorRequest(document, snapshot, naming, context, position)

    def _naming(self, document: OpenDocument, snapshot: Snapshot | None = None) -> Naming:
        return Naming(document, snapshot or self._server.documents.snapshot(), self._sources)

    def _workspace(self, at: CursorRequest) -> Workspace | None:
        return self._server.workspace_of(at.document, at.snapshot)

    async def _run(self, work: Callable[[], Any], default: Any) -> Any:
        """Return the result of work in another thread; the default if it takes too long.

        A file that it cannot read gives the default, too.
        """
        try:
            return await in_time(work, self._threads)
        except (EvalContractError, MisreadError, OSError):  # of which `TimeoutError` is one
            return default


def _markup(text: str, capabilities: types.ClientCapabilities) -> types.MarkupContent:
    """Return Markdown, or the same as plain text for an editor that shows no Markdown."""
    formats = get_capability(capabilities, "text_document.hover.content_format")
    shows = formats is None or types.MarkupKind.Markdown in formats
    return types.MarkupContent(
        types.MarkupKind.Markdown if shows else types.MarkupKind.PlainText, text
    )


def settings_at(text: Text, position: types.Position) -> list[types.CompletionItem]:
    """Return what can be written at a position of a configuration."""
    cursor = cursor_in_toml(text, text.point(position.line, position.character))
    suggestions = complete_setting(cursor) if cursor else ()
    return [
        completion_item(each, cursor, "toml", position.line, text=text)
        for each in suggestions
        if cursor
    ]


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
#: The command that checks all workspaces of the folder.
CHECK = "evalcontract.check"
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.evalcontract"


def register(server: Server) -> None:
    """Register what takes the notifications of an editor, and what answers its requests."""
    answers = Answers(server)
    fixes = types.CodeActionOptions([types.CodeActionKind.QuickFix, FIX_ALL], resolve_provider=True)
    completions = types.CompletionOptions(trigger_characters=_TRIGGERS)
    renames = types.RenameOptions(prepare_provider=True)
    features: dict[str, Callable[[Any], object]] = {
        types.INITIALIZE: server.begin,
        types.INITIALIZED: server.watch,
        types.SHUTDOWN: server.note_shutdown,
        types.EXIT: server.note_exit,
        types.TEXT_DOCUMENT_DID_SAVE: server.save,
        # The settings of the editor: none are ours, which the workspace has.
        types.WORKSPACE_DID_CHANGE_CONFIGURATION: lambda _: None,
        types.WORKSPACE_DID_CHANGE_WATCHED_FILES: server.reload,
        types.TEXT_DOCUMENT_COMPLETION: answers.completion,
        types.TEXT_DOCUMENT_HOVER: answers.hover,
        types.TEXT_DOCUMENT_DEFINITION: answers.definition,
        types.TEXT_DOCUMENT_REFERENCES: answers.references,
        types.TEXT_DOCUMENT_PREPARE_RENAME: answers.prepare_rename,
        types.TEXT_DOCUMENT_RENAME: answers.rename,
        types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: answers.symbols,
        types.WORKSPACE_SYMBOL: answers.names,
        types.TEXT_DOCUMENT_FOLDING_RANGE: answers.folds,
        types.TEXT_DOCUMENT_DOCUMENT_LINK: answers.links,
        types.TEXT_DOCUMENT_INLAY_HINT: answers.hints,
        types.TEXT_DOCUMENT_CODE_LENS: answers.lenses,
        types.TEXT_DOCUMENT_CODE_ACTION: answers.actions,
        types.CODE_ACTION_RESOLVE: answers.resolve,
    }
    options: dict[str, Any] = {
        types.TEXT_DOCUMENT_COMPLETION: completions,
        types.TEXT_DOCUMENT_RENAME: renames,
        types.TEXT_DOCUMENT_CODE_ACTION: fixes,
    }
    for name, take in features.items():
        # `pygls` sets attributes of what it registers, and methods have none.
        server.feature(name, options.get(name))(partial(take))
    server.command(CHECK)(partial(server.check_all))


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
