"""The extension for VS Code can be packed; the settings of other editors are well formed."""

from __future__ import annotations

import json
import re
import tomllib
import zipfile
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT
from extension import CODE, packed

from evalcontract import __version__

if TYPE_CHECKING:
    from pathlib import Path

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
    assert limited == [*PACKAGE["contributes"]["configuration"]["properties"]]


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


def test_pictures_are_there() -> None:
    """Of the readme and the walkthrough; none is of no use."""
    readme = (CODE / "README.md").read_text(encoding="utf-8")
    steps = PACKAGE["contributes"]["walkthroughs"][0]["steps"]
    shown = {*re.findall(r"\]\((\S+\.png)\)", readme), PACKAGE["icon"]}
    shown |= {step["media"]["image"] for step in steps}
    assert shown == {f"images/{path.name}" for path in (CODE / "images").glob("*.png")}


def test_commands_of_the_walkthrough_exist() -> None:
    steps = PACKAGE["contributes"]["walkthroughs"][0]["steps"]
    named = {
        name for step in steps for name in re.findall(r"command:([\w.]+)", step["description"])
    }
    assert named <= {each["command"] for each in PACKAGE["contributes"]["commands"]}


@pytest.mark.thorough
def test_the_extension_is_packed(tmp_path: Path) -> None:
    """Into the same bytes, elsewhere and at another time, whoever may read the sources."""
    (tmp_path / "other").mkdir()
    first, second = packed(tmp_path), packed(tmp_path / "other", "Asia/Tokyo", mode=0o600)
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = {name.removeprefix("extension/") for name in archive.namelist()}
        script = archive.read("extension/out/extension.js").decode()
        notices = archive.read("extension/out/NOTICES.txt").decode()
    pictures = {f"images/{path.name}" for path in (CODE / "images").glob("*.png")}
    texts = {"package.json", "LICENSE.txt", "readme.md", "out/extension.js", "out/NOTICES.txt"}
    assert names == {"[Content_Types].xml", "extension.vsixmanifest", *texts, *pictures}
    assert 'require("vscode")' in script
    assert 'require("vscode-languageclient' not in script
    assert "vscode-languageclient" in notices
