"""What must not end the language server, and what must."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from examples import some
from live import COMMAND, Live

if TYPE_CHECKING:
    from pathlib import Path

ROWS = "questions:\n  - id: one\n    inptu: Hello\n    expected_facts: [kind]\n"
RUBRIC = (
    "id: polite\nversion: '1.0.0'\nlabel: {label}\nchecks: []\nscoring: {{combine: all_pass}}\n"
)
FILES = {"rubrics/polite.yaml": RUBRIC.format(label="x")}
REQUESTS: dict[str, dict[str, Any]] = {
    "completion": {},
    "hover": {},
    "definition": {},
    "references": {"context": {"includeDeclaration": True}},
    "prepareRename": {},
    "rename": {"newName": "other"},
    "documentSymbol": {},
}


def is_alive(server: Live) -> None:
    """Ask for the findings of a new document."""
    path = server.folder / f"datasets/alive{time.monotonic_ns()}.yaml"
    document = server.start(path, ROWS)
    server.until(document.uri, lambda found: "near-miss-key" in json.dumps(found))
    document.close()


URIS = [
    "untitled:Untitled-1",
    "untitled:/a/b/c.yaml",
    "git:/repo/a.yaml?%7B%7D",
    "vscode-notebook-cell:/x.ipynb#abc",
    "inmemory://model/1",
    "file:///C:/Users/me/evals/datasets/a.yaml",
    "file:///c%3A/Users/me/evals/datasets/a.yaml",
    "file://server/share/datasets/a.yaml",
    "file:///no/such/folder/datasets/a%20b%23c%3F.yaml",
    "file:///tmp/%00/a.yaml",
    "file:///tmp/%ff%fe.yaml",
    "file:///",
    "file:",
    "",
    "not a uri at all \u202e",
    "http://[::1/a.yaml",
    f"file:///tmp/{'x' * 5000}.yaml",
    "file:///tmp/a.yaml/../../../../etc/hosts",
]


@pytest.mark.parametrize("uri", URIS)
def test_odd_addresses(server: Live, uri: str) -> None:
    document = server.start(uri, ROWS, "yaml")
    document.replace((0, 0), (0, 0), "# x\n")
    for what, more in REQUESTS.items():
        with suppress(RuntimeError):  # an error is an answer, too
            document.ask(what, (3, 6), **more)
    document.close()
    is_alive(server)


def test_untitled_documents_are_checked_in_the_workspace(server: Live) -> None:
    text = "questions:\n  - id: a\n    input: b\n    rubric_ref: rubric/{}@1.0.0\n"
    document = server.start("untitled:Untitled-7", text.format("polite"), "yaml")
    document.codes()
    document.replace_all(text.format("rude"))
    document.codes("reference/dangling")
    lines = server.start("untitled:Untitled-8", '{"id": "a", "input": "b"}\n{"id": "a"', "jsonl")
    server.until(lines.uri, bool)


TEXTS = {
    "empty": "",
    "a NUL": "questions:\n  - id: \0\n",
    "binary": "\x7fELF\x02\x01\x01\0\0\0\ufffd\ufffd" * 100,
    "half of a pair": "questions:\n  - id: \ud83d\n    input: \udc00\n",
    "only brackets": "[" * 50_000,
    "only braces": "{" * 50_000,
    "only tags": "{{" * 50_000,
    "deep": "".join("  " * n + "a:\n" for n in range(2000)),
    "aliases": "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nquestions: [*c, *c]\n",
    "one long line": f"questions: [{'a, ' * 100_000}]",
    "many keys": "questions:\n  - id: a\n" + "".join(f"    k{n}: v\n" for n in range(5_000)),
    "quotes": '"' * 100_001,
    "colons": ": " * 50_000,
    "blanks": f"questions:\n  - a{' ' * 16_000}x\n",
    "hashes": f"questions:\n  - {'# ' * 8_000}x\n",
    "dashes": "- " * 5_000,
}


@pytest.mark.parametrize("name", some(TEXTS, times=3))
def test_odd_texts(server: Live, name: str) -> None:
    suffix = ".json" if "br" in name else ".yaml"
    path = server.folder / f"datasets/odd_{name.replace(' ', '_')}{suffix}"
    document = server.start(path, TEXTS[name])
    for position in ((0, 40_000), (1, 8), (2**31 - 1, 2**31 - 1)):
        for what, more in REQUESTS.items():
            try:
                document.ask(what, position, **more)
            except RuntimeError:
                assert what in ("rename", "prepareRename")
    document.close()
    is_alive(server)


def test_a_newer_text_supersedes_a_bomb(server: Live) -> None:
    bomb = "questions:\n" + "".join(
        f"  - id: r{n}\n    inptu: x\n    rubric_ref: rubric/none{n}\n" for n in range(20_000)
    )
    document = server.start(server.folder / "datasets/bomb.yaml", bomb)
    for number in range(20):
        document.replace((2, 4), (2, 9), f"inpt{number}")
    assert "input" in document.completions(2, 4)
    version = document.replace_all(ROWS)
    document.codes("dataset/near-miss-key", version=version)


def test_odd_changes(server: Live) -> None:
    document = server.start(server.folder / "datasets/changes.yaml", ROWS)
    for start, end in (
        ((99, 0), (99, 9)),
        ((2, 900), (1, 0)),
        ((0, 2**31 - 1), (2**31 - 1, 0)),
        ((5, 5), (0, 0)),
    ):
        document.replace(start, end, "x\n")
    document.replace_all(ROWS)
    document.codes("dataset/near-miss-key")
    unknown = {"uri": "file:///never/opened.yaml", "version": 3}
    change = {"textDocument": unknown, "contentChanges": [{"text": "x"}]}
    server.notify("textDocument/didChange", change)
    server.notify("textDocument/didClose", {"textDocument": unknown})
    server.notify("textDocument/didSave", {"textDocument": unknown})
    negative = {"line": -5, "character": -1}
    params = {"textDocument": {"uri": document.uri}, "position": negative}
    with pytest.raises(RuntimeError):  # it is no position; the server says so
        server.request("textDocument/hover", params)
    assert document.hover(2, 6) == ""
    is_alive(server)


MESSAGES: list[dict[str, Any] | list[Any] | str | int | None] = [
    {"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": 5}},
    {"jsonrpc": "2.0", "method": "textDocument/didChange", "params": None},
    {"jsonrpc": "2.0", "method": "no/such/method", "params": {}},
    {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 4711}},
    {"jsonrpc": "2.0", "id": 99999, "method": "codeAction/resolve", "params": {"title": "x"}},
    {"jsonrpc": "2.0", "id": 4712, "result": None},
    {"jsonrpc": "1.0"},
    {},
    [],
    "text",
    7,
    None,
]


def test_odd_messages(server: Live) -> None:
    for message in MESSAGES:
        body = json.dumps(message).encode()
        server.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    for body in (b"{", b"\xff\xfe", b'{"a": ' + b"[" * 100_000):
        server.send_bytes(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    is_alive(server)


def test_a_file_that_vanishes(server: Live) -> None:
    path = server.folder / "datasets/gone.yaml"
    path.write_text(ROWS, encoding="utf-8")
    document = server.start(path)
    document.codes("dataset/near-miss-key")
    path.unlink()
    document.replace((2, 4), (2, 9), "input")
    document.codes()
    document.replace((2, 4), (2, 9), "inptu")
    document.codes("dataset/near-miss-key")
    document.close()
    server.until(document.uri, lambda found: not found)


def test_a_file_that_changes_on_the_disk(server: Live) -> None:
    text = "questions:\n  - id: a\n    input: b\n    rubric_ref: rubric/late@1.0.0\n"
    document = server.start(server.folder / "datasets/late.yaml", text)
    document.codes("reference/dangling")
    path = server.folder / "rubrics/late.yaml"
    text = RUBRIC.format(label="late").replace("polite", "late")
    path.write_text(text, encoding="utf-8")
    changes = {"changes": [{"uri": path.as_uri(), "type": 1}]}
    server.notify("workspace/didChangeWatchedFiles", changes)
    document.codes()


def test_a_storm_of_changes_on_the_disk_is_one_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lsprotocol import types

    from evalcontract.lsp.checker import Checker
    from evalcontract.lsp.server import Server

    (tmp_path / "evalcontract.toml").touch()
    uris = [(tmp_path / f"datasets/{n}.yaml").as_uri() for n in range(50)]
    events = [types.FileEvent(uri, types.FileChangeType.Changed) for uri in uris]
    checked: list[tuple[Any, ...]] = []

    async def storm() -> None:
        server, done = Server(), asyncio.Event()

        def check(_: Checker, *given: Any, **__: Any) -> None:
            checked.append(given)
            done.set()

        monkeypatch.setattr(server, "_loop", asyncio.get_running_loop())
        monkeypatch.setattr(Checker, "check", check)
        for _ in range(200):
            server.reload(types.DidChangeWatchedFilesParams(events))
        await done.wait()

    asyncio.run(storm())
    ((_, path),) = checked
    assert path.parent == (tmp_path / "datasets").resolve()


def test_a_link(server: Live, tmp_path: Path) -> None:
    real = server.folder / "datasets/real.yaml"
    real.write_text(ROWS, encoding="utf-8")
    link = tmp_path / "link.yaml"
    link.symlink_to(real)
    document = server.start(link)
    document.codes("dataset/near-miss-key")
    loop = tmp_path / "loop.yaml"
    loop.symlink_to(loop)
    server.start(loop, ROWS).close()
    is_alive(server)


HOSTILE = [
    "[click](command:workbench.action.terminal.new)",
    "<img src=x onerror=alert(1)>",
    "![x](https://evil.example/x.png)",
    "`` ` `` [y](javascript:1)",
    "a\u202eb \x1b[31m c",
]


def test_hostile_texts_are_shown_as_they_are(server: Live) -> None:
    from markdown_it import MarkdownIt

    for number, label in enumerate(HOSTILE):
        text = RUBRIC.format(label=json.dumps(label)).replace("polite", f"hostile{number}")
        rubric = server.start(server.folder / f"rubrics/hostile{number}.yaml", text)
        rows = (
            f"questions:\n  - id: a\n    input: b\n    rubric_ref: rubric/hostile{number}@1.0.0\n"
        )
        dataset = server.start(server.folder / "datasets/hostile.yaml", rows)
        shown = dataset.hover(3, 20)
        assert f"hostile{number}" in shown
        html = MarkdownIt("commonmark", {"html": True}).render(shown)
        assert "<a " not in html
        assert "<img" not in html
        assert "\u202e" not in html
        assert "\x1b" not in html
        dataset.close()
        rubric.close()


def start(folder: Path, process: int | None = None) -> subprocess.Popen[bytes]:
    """Start a server and initialize it."""
    server = subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    )
    params: dict[str, Any] = {"processId": process, "rootUri": folder.as_uri(), "capabilities": {}}
    send(server, {"id": 1, "method": "initialize", "params": params})
    assert server.stdout is not None
    size = int(server.stdout.readline().removeprefix(b"Content-Length: "))
    while server.stdout.readline().strip():
        pass
    assert json.loads(server.stdout.read(size))["id"] == 1
    return server


def send(server: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    body = json.dumps({"jsonrpc": "2.0", **message}).encode()
    assert server.stdin is not None
    server.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    server.stdin.flush()


@pytest.mark.parametrize(("is_asked", "code"), [(True, 0), (False, 1)])
def test_exit(tmp_path: Path, code: int, *, is_asked: bool) -> None:
    server = start(tmp_path)
    send(server, {"method": "$/cancelRequest", "params": {"id": 1}})  # which is answered already
    if is_asked:
        send(server, {"id": 2, "method": "shutdown"})
    send(server, {"method": "exit"})
    out, errors = server.communicate(timeout=60)
    assert server.returncode == code
    assert out.count(b'"jsonrpc"') == is_asked
    assert not errors


def test_closed_input_ends_it(tmp_path: Path) -> None:
    server = start(tmp_path)
    server.communicate(timeout=60)
    assert server.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="processes have no signals")
def test_the_end_of_the_editor_ends_it(tmp_path: Path) -> None:
    editor = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    server = start(tmp_path, editor.pid)
    editor.kill()
    editor.wait()
    assert server.wait(60) == 0  # although its input is still open
    for pipe in (editor.stdin, server.stdin, server.stdout, server.stderr):
        if pipe is not None:
            pipe.close()


def test_without_pygls(tmp_path: Path) -> None:
    blocked = tmp_path / "blocked"
    blocked.mkdir()
    code = (
        "import sys; sys.modules['pygls'] = None\n"
        "from evalcontract.cli.start import evalcontract; sys.argv[1:] = ['lsp']; evalcontract()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert "pip install 'evalcontract[lsp]'" in done.stderr
    assert done.stdout == ""
