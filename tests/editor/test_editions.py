"""The schemas for editors: up to date, and as strict as the canonical ones."""

from __future__ import annotations

import importlib
import json
import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from corpus import ROOT
from needs import NODE, missing
from publishing import PUBLISHED
from tables import every_case

from evalcontract.model import codes as addresses
from evalcontract.model.codes import SITE, is_published
from evalcontract.structure import schemas
from evalcontract.structure.exact import validator_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = [name.removeprefix("editor/") for name in schemas.names_of_editions()]
AUTHORS = [name for name in NAMES if "/" not in name]
FOLDER = ROOT / "schema" / "editor"
TEXTS = json.loads((ROOT / "editors/schemas/texts.json").read_text(encoding="utf-8"))
#: Keywords of yaml-language-server and of the JSON language server of VS Code.
OF_SERVERS = (
    *("defaultSnippets", "doNotSuggest", "errorMessage", "patternErrorMessage"),
    *("enumDescriptions", "markdownDescription", "markdownEnumDescriptions"),
)
#: Keywords whose subschemas are conditions: what fails in them is shown to nobody.
CONDITIONS = ("if", "not", "contains")


def parts(schema: Any, keys: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield each mapping of a schema that a server reads as a schema, with the way to it."""
    if isinstance(schema, list):
        for each in schema:
            yield from parts(each, keys)
    if isinstance(schema, dict):
        if not keys or keys[-1] not in ("properties", "$defs", "patternProperties"):
            yield keys, schema
        for key, each in schema.items():
            if key not in ("enum", "const", "default", "defaultSnippets", "required"):
                yield from parts(each, (*keys, key))


def shown(name: str) -> list[Any]:
    """List the subschemas of an edition whose messages are shown."""
    found = [
        part
        for keys, part in parts(schemas.load(f"editor/{name}"))
        if not set(keys) & {*CONDITIONS}
    ]
    assert found
    return found


@pytest.mark.slow
def test_they_are_up_to_date(tmp_path: Path) -> None:
    """`make schemas` writes them."""
    script = ROOT / "editors" / "schemas" / "build_schemas.py"
    done = subprocess.run(
        [sys.executable, script, tmp_path], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    made = {file.relative_to(tmp_path): file.read_bytes() for file in tmp_path.rglob("*.json")}
    there = {file.relative_to(FOLDER): file.read_bytes() for file in FOLDER.rglob("*.json")}
    assert made.keys() == there.keys()
    assert [name for name in made if made[name] != there[name]] == []


@pytest.mark.slow
def test_the_strict_mode_of_ajv_compiles_them(tmp_path: Path) -> None:
    """Unknown keywords, empty enums and more are refused there, and by catalogues of schemas."""
    node, folder = shutil.which("node"), ROOT / "tests" / "node"
    if node is None or not (folder / "node_modules" / "ajv").is_dir():
        missing(NODE)
    wrong = tmp_path / "wrong.schema.json"
    wrong.write_text('{"propertees": {}}', encoding="utf-8")
    files = [*map(str, FOLDER.rglob("*.schema.json")), str(wrong)]
    command = [node, "strict_schemas.mjs", ",".join(OF_SERVERS), *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == {str(wrong): 'strict mode: unknown keyword: "propertees"'}
    assert done.stderr == ""
    assert len(files) > len(NAMES)


def test_what_people_write_has_an_edition() -> None:
    assert {"dataset", "rubric", "judge", "target", "configuration"} == set(AUTHORS)
    assert set(schemas.names("formats/")) == set(NAMES) - set(AUTHORS)


@pytest.mark.slow
def test_they_accept_and_refuse_what_the_canonical_ones_do() -> None:
    engines = {name: validator_for(schemas.load(f"editor/{name}")) for name in AUTHORS}
    seen = 0
    for path in sorted((ROOT / "fixtures" / "schema").glob("*/*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            for test in group["tests"]:
                seen += 1
                verdict = engines[group["schema"]].is_valid(test["data"])
                assert verdict is test["valid"], (path.name, group["description"], test)
    assert seen > 1000


@every_case("name", schemas.names("formats/"))
def test_examples_of_other_systems_are_accepted(name: str) -> None:
    canonical, edition = schemas.load(name), validator_for(schemas.load(f"editor/{name}"))
    examples = canonical["$defs"]["row"]["examples"]
    row = validator_for({"$ref": "#/$defs/row", "$defs": edition.schema["$defs"]})
    assert examples
    assert all(row.is_valid(example) for example in examples)


@every_case("name", NAMES)
def test_older_servers_can_use_them(name: str) -> None:
    """References to `#/$defs/…` alone, and nothing beside them, which servers read differently."""
    for _, part in parts(schemas.load(f"editor/{name}")):
        assert not part.keys() & {"$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef"}
        if "$ref" in part:
            assert part["$ref"].startswith("#/$defs/")
            assert [*part] == ["$ref"]


@every_case("name", NAMES)
def test_no_message_of_the_server_about_schemas_is_left(name: str) -> None:
    for part in shown(name):
        assert "not" not in part
        assert "oneOf" not in part
        assert "pattern" not in part or part["patternErrorMessage"]
        if "anyOf" in part and all("required" in each for each in part["anyOf"]):
            assert all(each["errorMessage"] for each in part["anyOf"])


@every_case("name", NAMES)
def test_an_example_is_shown_and_never_inserted(name: str) -> None:
    assert [part for _, part in parts(schemas.load(f"editor/{name}")) if "examples" in part] == []


# Editors of TOML show no texts of values.
@every_case("name", [name for name in AUTHORS if name != "configuration"])
def test_each_value_has_a_text(name: str) -> None:
    for part in shown(name):
        if part.get("enum"):
            for keyword in ("enumDescriptions", "markdownEnumDescriptions"):
                texts = part[keyword]
                assert len(texts) == len(set(texts)) == len(part["enum"])
                assert all(re.fullmatch(r"[A-Z][^\n]*\.", text) for text in texts)


def test_each_text_is_used() -> None:
    for at, texts in TEXTS["values"].items():
        name, *steps = at.split("/")
        part = schemas.load(name)
        for step in steps[:-1]:
            part = part["$defs"][step]
        part = part["properties"][steps[-1]]
        assert [*texts] == (part.get("enum") or part["items"]["enum"])


def test_each_guide_is_there() -> None:
    """A page of `docs`, and a heading of it as sites write it."""
    for page in TEXTS["guides"].values():
        name, _, heading = page.partition("#")
        text = (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
        slugs = {re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") for title in titles}
        assert not heading or heading in slugs, page


@every_case("name", NAMES)
def test_each_key_is_described(name: str) -> None:
    for part in shown(name):
        if "description" in part and "title" in part:
            assert part["markdownDescription"].startswith(part["description"])
    text = (FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")
    assert "[Guide](" not in text or is_published()


def test_once_published_keys_lead_to_their_guides(monkeypatch: pytest.MonkeyPatch) -> None:
    """Until then, no editor shows a link that leads nowhere."""
    monkeypatch.syspath_prepend(ROOT / "editors" / "schemas")
    edition = importlib.import_module("edition")
    key = ("properties", "label", "markdownDescription")
    for published in (True, False):
        monkeypatch.setattr(addresses, "SITE", PUBLISHED if published else "https://a.example")
        part: Any = edition.Edition("dataset", TEXTS["guides"], TEXTS["values"]).whole()
        for step in key:
            part = part[step]
        assert (f"[Guide]({PUBLISHED}/datasets/)" in part) is published
        assert ("[Guide]" in part) is published


def test_its_id_says_where_it_stands() -> None:
    ids = {name: schemas.load(f"editor/{name}")["$id"] for name in NAMES}
    assert ids == {name: f"{SITE}/schema/1.0/editor/{name}.schema.json" for name in NAMES}


@pytest.mark.parametrize("name", AUTHORS)
def test_a_snippet_has_all_that_is_required(name: str) -> None:
    edition = schemas.load(f"editor/{name}")
    bodies = [
        part["else"]["defaultSnippets"]
        for _, part in parts(edition)
        if "defaultSnippets" in part.get("else", {})
    ]
    assert {"$defs", "properties"} & edition.keys()
    assert all(snippet["body"] and snippet["description"] for each in bodies for snippet in each)
    assert bodies
