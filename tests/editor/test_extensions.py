"""The extension for VS Code can be packed; the settings of other editors are well formed."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT
from needs import missing

from evalcontract import __version__

if TYPE_CHECKING:
    from pathlib import Path

CODE = ROOT / "editors/vscode"
PAGE = (ROOT / "docs/language-server.md").read_text(encoding="utf-8")
PACKAGE: dict[str, Any] = json.loads((CODE / "package.json").read_text(encoding="utf-8"))


def blocks(language: str) -> list[str]:
    """Return the examples of the page in a language."""
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_extension_is_of_this_version() -> None:
    assert PACKAGE["version"] == __version__
    lock = json.loads((CODE / "package-lock.json").read_text(encoding="utf-8"))
    assert lock["version"] == __version__
    assert all("resolved" not in each for each in lock["packages"].values())
    assert (CODE / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_a_command_is_set_only_in_trusted_workspaces() -> None:
    limited = PACKAGE["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"]
    assert limited == ["evalcontract.path"]


def test_settings_on_the_page_exist() -> None:
    known = PACKAGE["contributes"]["configuration"]["properties"]
    settings = json.loads(blocks("json")[0])
    assert {key for key in settings if key.startswith("evalcontract.")} <= set(known)


def test_helix() -> None:
    (text,) = blocks("toml")
    table = tomllib.loads(text)
    server = table["language-server"]["evalcontract"]
    assert [server["command"], *server["args"]] == ["evalcontract", "lsp"]
    assert all("evalcontract" in each["language-servers"] for each in table["language"])


def test_jetbrains() -> None:
    template = json.loads((ROOT / "editors/jetbrains/template.json").read_text(encoding="utf-8"))
    assert template["programArgs"]["default"] == "evalcontract lsp"
    rows = {
        (";".join(each["fileType"]["patterns"]), each["languageId"])
        for each in template["fileTypeMappings"]
    }
    assert rows == set(re.findall(r"\| `(\S+)` \| `(\w+)` \|", PAGE))


@pytest.mark.thorough
def test_the_extension_is_packed(tmp_path: Path) -> None:
    folder = tmp_path / "vscode"
    shutil.copytree(CODE, folder, ignore=shutil.ignore_patterns("node_modules", "out", "*.vsix"))
    npm = shutil.which("npm")
    installed = npm and subprocess.run(
        [npm, "ci", "--ignore-scripts", "--prefer-offline"],
        cwd=folder,
        check=False,
        capture_output=True,
        timeout=500,
    )
    if not installed or installed.returncode:
        missing("npm and a registry that it reaches")
    packed = tmp_path / "evalcontract.vsix"
    subprocess.run(
        ["npx", "--no-install", "vsce", "package", "--allow-missing-repository", "-o", packed],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=500,
    )
    with zipfile.ZipFile(packed) as archive:
        names = set(archive.namelist())
        script = archive.read("extension/out/extension.js").decode()
    assert "vscode-languageclient" in script
    assert {"extension/package.json", "extension/LICENSE.txt", "extension/readme.md"} <= names
    assert "extension/node_modules/vscode-languageclient/package.json" in names
    assert not [name for name in names if "typescript" in name or name.endswith(".ts")]
