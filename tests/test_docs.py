"""The documentation: the reference of the codes is built, and links lead where they say."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tables import every_case

from evalcontract.workspace.catalogue import KnownCodes

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)")


@pytest.fixture(name="rules", scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    script = ROOT / "docs" / "site" / "rule_pages.py"
    subprocess.run([sys.executable, script, folder], check=True)
    return folder


@pytest.mark.slow
def test_every_code_has_a_page(rules: Path) -> None:
    found = {path.relative_to(rules).with_suffix("").as_posix() for path in rules.glob("*/*.md")}
    found = {name for name in found if not name.endswith("/index")}
    assert found == set(KnownCodes())


@pytest.mark.slow
def test_links_of_the_index(rules: Path) -> None:
    text = (rules / "index.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((\S+)\.md\)", text) == [*KnownCodes()]


@pytest.mark.slow
def test_a_page_shows_all_that_explain_does(rules: Path) -> None:
    for name, code in KnownCodes().items():
        text = (rules / f"{name}.md").read_text(encoding="utf-8")
        page, (soft, strict) = code.page, code.severities
        assert f"Severity: {soft} (soft), {strict} (strict)" in text
        assert f"Confidence: {code.confidence}" in text
        for part in (page.what, page.why, *_lines(page.bad), *_lines(page.good)):
            assert part in text, name


@every_case("name", ["build_configuration", "build_reports", "build_versions"])
def test_tables_have_every_key_of_their_schema(name: str) -> None:
    """`make tables` writes them anew."""
    spec = importlib.util.spec_from_file_location(name, ROOT / f"docs/{name}.py")
    assert spec
    assert spec.loader
    builder = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(builder)
    assert builder.PAGE.read_text(encoding="utf-8") == builder.page()


def _lines(example: str) -> list[str]:
    return [line for line in example.splitlines() if not line.startswith("# file: ")]


#: A row of the map: what is read first is named without its room.
_ROW_OF_A_ROOM = re.compile(r"^\|[^|]*\| `(\w+)` \|")
_MODULE = re.compile(r"`([\w./-]+\.py)`")
#: Modules that a page tells its readers to write.
_OF_READERS = {"plugins.md": {"acme_rules.py"}}


@every_case("page", PAGES, ids=lambda page: page.name)
def test_modules_that_are_named_are_there(page: Path) -> None:
    """They are named from the top of the repository or of the package."""
    gone = []
    for line in page.read_text(encoding="utf-8").splitlines():
        room = _ROW_OF_A_ROOM.match(line)
        package = ROOT / "src" / "evalcontract"
        places = (ROOT, package, package / room[1] if room else package)
        names = {*_MODULE.findall(line)} - _OF_READERS.get(page.name, set())
        gone += [name for name in names if not any((at / name).is_file() for at in places)]
    assert gone == []


@every_case("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_what_is_there(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))
    generated = ("rules/", "reference/", "coming-from-other-tools.md")
    paths = {link: os.path.relpath(page.parent / link, ROOT / "docs") for link in links}
    gone = [link for link, path in paths.items() if not (page.parent / link).exists()]
    assert [link for link in gone if not paths[link].startswith(generated)] == []


def test_limits_name_known_codes() -> None:
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    codes = set(re.findall(r"`([a-z]+/[a-z-]+)`", text))
    assert codes
    assert codes <= set(KnownCodes())
