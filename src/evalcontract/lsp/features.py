"""What the server answers, by the names of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from evalcontract.lsp.answers import Answers

if TYPE_CHECKING:
    from evalcontract.lsp.server import Server

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
