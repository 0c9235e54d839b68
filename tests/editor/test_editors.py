"""The server in real editors, with the settings of the page: Neovim headless, Helix in a terminal.

Debian's Neovim may be older than these; then the test starts the server as that version does.
"""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import select
import shutil
import struct
import subprocess
import sys
import termios
import time
from typing import TYPE_CHECKING, Self

import pytest
from doors import ROOT
from needs import NODE, missing
from terminals import environment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs/language-server.md").read_text(encoding="utf-8")
BY_SCHEMA = (ROOT / "docs/editors.md").read_text(encoding="utf-8")
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: thanks, kind: fact_match}
scoring: {combine: all_pass}
"""
DATASET = """\
questions:
  - id: \U0001f600
    inptu: Hello
    expected_facts: [kind]
    rubric_ref: rubric/polite@1.0.0
"""
FIXED = DATASET.replace("inptu", "input")
#: Where it can be had, `.ci/run` installs it.
HELIX = "needs Helix, which Debian has since 13"
#: The settings of a version that the page does not name any more.
OLDER = """\
local id = vim.lsp.start_client({ name = "evalcontract", cmd = { "evalcontract", "lsp" },
                                  root_dir = vim.fn.getcwd() })
vim.api.nvim_create_autocmd("FileType", {
  pattern = { "yaml", "json", "jsonl" },
  callback = function(event) vim.lsp.buf_attach_client(event.buf, id) end,
})
"""
SCRIPT = """\
local function found(buffer)
  local all = vim.diagnostic.get(buffer)
  return vim.tbl_map(function(each)
    return { each.code or each.user_data.lsp.code, each.lnum, each.col, each.severity }
  end, all)
end
local function text() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), "\\n") end
vim.cmd("edit datasets/a.yaml")
local buffer = vim.api.nvim_get_current_buf()
vim.wait(30000, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
local before = found(buffer)
vim.api.nvim_win_set_cursor(0, { 3, 5 })
vim.ui.select = function(items, _, chosen) chosen(items[1], 1) end
vim.lsp.buf.code_action()
vim.wait(30000, function() return text():find("input") and #found(buffer) == 0 end, 50)
local after, fixed = found(buffer), text()
vim.api.nvim_win_set_cursor(0, { 5, 25 })
vim.lsp.buf.rename("kind")
vim.wait(30000, function() return text():find("rubric/kind") end, 50)
vim.cmd("silent! wall")
vim.fn.writefile({ vim.fn.json_encode({ before, after, fixed }) }, "result.json")
vim.cmd("qall!")
"""


def blocks(page: str, language: str) -> list[str]:
    """Return the settings of a page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a workspace; editors find evalcontract on the path, and no settings but ours."""
    pytest.importorskip("pygls", reason="the extra `lsp` is not installed")
    command = f'#!/bin/sh\nexec "{sys.executable}" -m evalcontract "$@"\n'
    files = {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": DATASET, "bin/evalcontract": command}
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "bin/evalcontract").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    for kind in ("STATE", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


def test_neovim(workspace: Path) -> None:
    """It shows findings, applies a fix, and renames a rubric in all files."""
    program = shutil.which("nvim")
    if program is None:
        missing("Neovim")
    newest, newer = blocks(PAGE, "lua")
    for name, settings in {"newest": newest, "newer": newer, "older": OLDER}.items():
        (workspace / f"{name}.lua").write_text(settings, encoding="utf-8")
    (workspace / "init.lua").write_text(
        'local has = function(version) return vim.fn.has("nvim-" .. version) == 1 end\n'
        'dofile(has("0.11") and "newest.lua" or has("0.8") and "newer.lua" or "older.lua")\n',
        encoding="utf-8",
    )
    (workspace / "script.lua").write_text(SCRIPT, encoding="utf-8")
    subprocess.run(
        [program, "--headless", "-n", "-u", "init.lua", "-c", "luafile script.lua"],
        cwd=workspace,
        check=True,
        capture_output=True,
        timeout=120,
    )
    before, after, fixed = json.loads((workspace / "result.json").read_text(encoding="utf-8"))
    assert before == [["dataset/near-miss-key", 2, 4, 2]]
    assert after == []
    assert f"{fixed}\n" == FIXED
    assert_renamed(workspace, "kind")


def assert_renamed(workspace: Path, name: str) -> None:
    dataset, rubric = (
        (workspace / path).read_text(encoding="utf-8")
        for path in ("datasets/a.yaml", f"rubrics/{name}.yaml")
    )
    assert dataset == FIXED.replace("polite", name)
    assert rubric == RUBRIC.replace("polite", name)


class Screen:
    """A program in a terminal: keys go in, and what it draws comes out, without its places."""

    def __init__(self, command: list[str], cwd: Path) -> None:
        self._keys, side = pty.openpty()
        fcntl.ioctl(side, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 120, 0, 0))
        self.process = subprocess.Popen(
            command, cwd=cwd, env=environment(), stdin=side, stdout=side, stderr=side,
            start_new_session=True,
        )  # fmt: skip
        os.close(side)
        self._drawn = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(60)
        os.close(self._keys)

    def press(self, keys: str) -> None:
        """Press keys; what is drawn from now on is what is waited for."""
        self._drawn = ""
        os.write(self._keys, keys.encode())

    def wait(self, text: str) -> None:
        """Wait until a text is drawn."""
        deadline = time.monotonic() + 60
        while text not in self._drawn:
            assert time.monotonic() < deadline, f"{text}: {self._drawn}"
            if select.select([self._keys], [], [], 1)[0]:
                data = os.read(self._keys, 1 << 16).decode("utf-8", "replace")
                self._drawn += re.sub(r"\x1b(?:\[[^@-~]*[@-~]|[^\[])", "", data)


@pytest.fixture
def helix() -> str:
    """Return the program of Helix; without it, skip."""
    program = shutil.which("hx")
    if program is None:
        pytest.skip(HELIX)
    return program


def test_helix(workspace: Path, helix: str) -> None:
    """It shows findings, applies a fix, and renames a rubric in all files."""
    set_up_helix(workspace, PAGE)
    with Screen([helix, "datasets/a.yaml"], workspace) as screen:
        screen.wait("questions")
        screen.press("3ggw")
        screen.wait("unknown key `inptu`")
        screen.press(" a")
        screen.wait("Rename the key to `input`")
        screen.press("\r:w\r")
        screen.wait("written")
        screen.press("5ggf/l r")
        screen.wait("rename-to:")
        screen.press("\x15kind\r")
        screen.wait("kind@")
        screen.press(":wqa\r")
        assert screen.process.wait(60) == 0
    assert_renamed(workspace, "kind")


def set_up_helix(workspace: Path, page: str) -> None:
    (settings,) = blocks(page, "toml")
    (workspace / "config/helix").mkdir(parents=True)
    (workspace / "config/helix/languages.toml").write_text(settings, encoding="utf-8")


@pytest.fixture
def by_schema(workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write what only the schema of rubrics knows; yaml-language-server is on the path."""
    servers = ROOT / "tests/node/node_modules/.bin"
    if not (servers / "yaml-language-server").exists():
        missing(NODE)
    monkeypatch.setenv("PATH", f"{servers}{os.pathsep}{os.environ['PATH']}")
    (workspace / ".git").mkdir()
    export = [sys.executable, "-m", "evalcontract", "schema", "export", "evals/schema"]
    subprocess.run(export, cwd=workspace, check=True, capture_output=True)
    (workspace / "evals/rubrics").mkdir()
    text = RUBRIC.replace("fact_match", "fact_mtch")
    (workspace / "evals/rubrics/polite.yaml").write_text(text, encoding="utf-8")
    return workspace


WAIT = """\
vim.cmd("edit evals/rubrics/polite.yaml")
vim.wait(60000, function() return #vim.diagnostic.get(0) > 0 end, 50)
local all = vim.diagnostic.get(0)
vim.fn.writefile({ vim.fn.json_encode({ #all, all[1].lnum, all[1].message }) }, "result.json")
vim.cmd("qall!")
"""


def test_neovim_by_schema(by_schema: Path) -> None:
    program = shutil.which("nvim")
    if program is None:
        missing("Neovim")
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    if re.match(r"NVIM v0\.(\d|10)\.", said.stdout):
        pytest.skip("needs Neovim 0.11")
    (by_schema / "init.lua").write_text("".join(blocks(BY_SCHEMA, "lua")), encoding="utf-8")
    (by_schema / "script.lua").write_text(WAIT, encoding="utf-8")
    command = [program, "--headless", "-n", "-u", "init.lua", "-c", "luafile script.lua"]
    subprocess.run(command, cwd=by_schema, check=True, capture_output=True, timeout=120)
    count, line, message = json.loads((by_schema / "result.json").read_text(encoding="utf-8"))
    assert (count, line) == (1, 3)
    assert "fact_match" in message


def test_helix_by_schema(by_schema: Path, helix: str) -> None:
    set_up_helix(by_schema, BY_SCHEMA)
    with Screen([helix, "evals/rubrics/polite.yaml"], by_schema) as screen:
        screen.wait("checks")
        screen.press("4ggw")
        screen.wait("fact_match")
