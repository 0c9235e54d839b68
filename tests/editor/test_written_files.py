"""What `convert`, `migrate` and settings lead to, opened in the real language server."""

from __future__ import annotations

import json
import re
from fnmatch import fnmatch
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from corpus import ROOT
from doors import command_line
from servers import NEWEST, started

from evalcontract.model.codes import is_published
from evalcontract.starting.init import project_files
from evalcontract.structure import schemas

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_client import Client

pytest_plugins = ["server_fixtures"]

ROWS = "- request: What is a shuffle?\n  expected_facts: [It moves data]\n"
TARGET = """\
id: pilot_bot
graders:
  accuracy_grader: {weight: 2, threshold: 0.7}
  fact_match_grader: {threshold: 0.8}
"""
MIGRATED = """\
questions:
  - id: S01
    input: Which buoy is red?
    expected_facts: [port]
"""
CATALOG: dict[str, Any] = json.loads(
    (ROOT / "editors/schemastore/catalog.json").read_text(encoding="utf-8")
)


def assert_helped(client: Client, path: Path, key: str) -> None:
    """The server explains a key of the file, and refuses a wrong value of it."""
    text = path.read_text(encoding="utf-8")
    document = client.open(path)
    assert document.diagnostics() == [], text
    lines = text.splitlines()
    number, line = next((n, line) for n, line in enumerate(lines) if f"{key}:" in line)
    shown = document.hover(number, line.index(key))
    assert shown.startswith("#### ")
    assert ("[Guide](" in shown) is is_published()
    broken = path.with_name(f"broken_{path.name}")
    wrong = re.sub(rf"{key}: .*|{key}:$", f"{key}: 5", text, count=1, flags=re.MULTILINE)
    assert wrong != text
    assert client.open(broken, wrong).diagnostics(), wrong


@pytest.mark.slow
def test_a_converted_file(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.yaml").write_text(ROWS, encoding="utf-8")
    arguments = ("rows.yaml", "datasets/ours.yaml", "--from", "databricks")
    (tmp_path / "datasets").mkdir()
    assert command_line("convert", *arguments) == 0
    assert_helped(client, tmp_path / "datasets/ours.yaml", "questions")


@pytest.mark.slow
def test_migrated_files(client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "target.yaml").write_text(TARGET, encoding="utf-8")
    (tmp_path / "rows.yaml").write_text(MIGRATED, encoding="utf-8")
    assert command_line("migrate", "target.yaml", "rows.yaml", "-o", "out") == 0
    written = sorted((tmp_path / "out").glob("*/*.yaml"))
    keys = {
        "datasets": "questions",
        "rubrics": "checks",
        "judges": "template",
        "targets": "dataset",
    }
    assert {path.parent.name for path in written} >= {"datasets", "rubrics", "targets"}
    for path in written:
        assert_helped(client, path, keys[path.parent.name])


def settings_around(workspace: str) -> dict[str, str]:
    """Return the settings that `init` writes around a workspace, by their paths."""
    return {file.path: file.text for file in project_files(workspace or ".", None, None)}


@pytest.mark.slow
@pytest.mark.parametrize("workspace", ["", "evals"])
def test_settings_map_folders_to_schemas(workspace: str, tmp_path: Path) -> None:
    """A file without a modeline has the schema of its folder."""
    folder = tmp_path / workspace
    assert command_line("schema", "export", folder / "schema") == 0
    settings = json.loads(settings_around(workspace)[".vscode/settings.json"])
    yaml_settings = {"schemas": settings["yaml.schemas"]}
    with started(NEWEST, tmp_path, yaml_settings) as client:
        for kind in ("dataset", "rubric", "judge", "target"):
            path = folder / f"{kind}s" / "deep" / "a.yaml"
            path.parent.mkdir(parents=True)
            path.write_text("label: 5\n", encoding="utf-8")
            said = [found["message"] for found in client.open(path).diagnostics()]
            assert 'Incorrect type. Expected "string".' in said, kind
    for entry in settings["json.schemas"]:
        assert (tmp_path / entry["url"]).is_file()
        assert all(glob.startswith(f"/{workspace}") for glob in entry["fileMatch"])


@pytest.mark.parametrize("workspace", ["", 'evals & "more"'])
def test_settings_of_jetbrains(workspace: str) -> None:
    root = ET.fromstring(settings_around(workspace)[".idea/jsonSchemas.xml"])
    options = [(each.get("name"), each.get("value")) for each in root.iter("option")]
    prefix = f"{workspace}/" if workspace else ""
    for kind in ("dataset", "rubric", "judge", "target"):
        assert ("path", f"{prefix}{kind}s") in options
        assert ("relativePathToSchema", f"{prefix}schema/editor/{kind}.schema.json") in options


def test_the_catalog_names_our_schemas() -> None:
    ids = {
        schemas.load(name)["$id"] for name in schemas.names_of_editions() if name.count("/") == 1
    }
    assert {entry["url"] for entry in CATALOG["schemas"]} == ids
    assert CATALOG.keys() == {"$schema", "version", "schemas"}
    for entry in CATALOG["schemas"]:
        assert entry.keys() == {"name", "description", "fileMatch", "url", "versions"}
        assert entry["url"] in entry["versions"].values()
        assert len(entry["fileMatch"]) == len(set(entry["fileMatch"])) > 0
        assert not entry["description"].endswith(".")


def test_the_catalog_matches_no_files_of_others() -> None:
    """Each of ours by one entry; the folders and names that other tools use, by none."""
    ours = {
        "evalcontract.toml": "configuration",
        "evals/evalcontract.toml": "configuration",
        **{
            f"app/evalcontract/{kind}s/{name}": kind
            for kind in ("dataset", "rubric", "judge", "target")
            for name in ("a.yaml", "deep/a.yml", "a.json")
        },
    }
    others = (
        "dataset.yaml", "datasets/a.yaml", "evals/datasets/a.yaml", "evals/rubrics/a.yaml",
        "evals/registry/evals/a.yaml", "judges/a.yaml", "targets/a.yaml", "pyproject.toml",
        "evalcontract/README.md", "evalcontract/schema/a.json", "promptfooconfig.yaml",
    )  # fmt: skip
    for file, kind in ours.items():
        assert [name.split()[-1] for name in matching(file)] == [kind], file
    for file in others:
        assert matching(file) == [], file


def matching(file: str) -> list[str]:
    """List the entries whose patterns match a file: `**/` is any number of folders, or none."""
    forms = {
        entry["name"]: [
            form
            for pattern in entry["fileMatch"]
            for form in (pattern, pattern.replace("/**/", "/"))
        ]
        for entry in CATALOG["schemas"]
    }
    names = (file, file.rpartition("/")[2])
    return [
        name
        for name, patterns in forms.items()
        if any(fnmatch(each, pattern) for pattern in patterns for each in names)
    ]
