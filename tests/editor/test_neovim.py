"""The server in a real editor: Neovim without a window, with the settings of the page.

Debian's Neovim may be older than these; then the test starts the server as that version does.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from doors import ROOT
from needs import missing

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

#: The settings by the version that they are for, as the page has them.
SETTINGS = re.findall(
    r"```lua\n(.*?)```", (ROOT / "docs/language-server.md").read_text(encoding="utf-8"), re.DOTALL
)
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
vim.cmd("edit datasets/a.yaml")
local buffer = vim.api.nvim_get_current_buf()
vim.wait(30000, function() return #vim.diagnostic.get(buffer) > 0 end, 50)
local before = found(buffer)
vim.api.nvim_buf_set_text(buffer, 2, 4, 2, 9, { "input" })
vim.wait(30000, function() return #vim.diagnostic.get(buffer) == 0 end, 50)
local after = found(buffer)
vim.fn.writefile({ vim.fn.json_encode({ before, after }) }, "result.json")
vim.cmd("qall!")
"""


def test_neovim_shows_findings(tmp_path: Path) -> None:
    program = shutil.which("nvim")
    if program is None:
        missing("Neovim")
    pytest.importorskip("pygls", reason="the extra `lsp` is not installed")
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "datasets").mkdir()
    text = "questions:\n  - id: \U0001f600\n    inptu: Hello\n    expected_facts: [kind]\n"
    (tmp_path / "datasets/a.yaml").write_text(text, encoding="utf-8")
    command = tmp_path / "bin/evalcontract"
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\nexec "{sys.executable}" -m evalcontract "$@"\n', encoding="ascii"
    )
    command.chmod(0o755)
    newest, newer = SETTINGS
    for name, settings in {"newest": newest, "newer": newer, "older": OLDER}.items():
        (tmp_path / f"{name}.lua").write_text(settings, encoding="utf-8")
    (tmp_path / "init.lua").write_text(
        'local has = function(version) return vim.fn.has("nvim-" .. version) == 1 end\n'
        'dofile(has("0.11") and "newest.lua" or has("0.8") and "newer.lua" or "older.lua")\n',
        encoding="utf-8",
    )
    (tmp_path / "script.lua").write_text(SCRIPT, encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": f"{command.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "src"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
    }
    subprocess.run(
        [program, "--headless", "-n", "-u", "init.lua", "-c", "luafile script.lua"],
        cwd=tmp_path,
        env=environment,
        check=True,
        capture_output=True,
        timeout=120,
    )
    before, after = json.loads((tmp_path / "result.json").read_text(encoding="utf-8"))
    assert before == [["dataset/near-miss-key", 2, 4, 2]]
    assert after == []
