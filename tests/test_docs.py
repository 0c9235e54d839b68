"""The documentation: the reference of the codes is built, and links lead where they say."""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tables import every_case

from evalcontract.workspace.known_codes import KnownCodes

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
_LINK = re.compile(r"\]\((?!https?:|mailto:|#)([^)\s#]+)")


@pytest.fixture(name="builder", scope="module")
def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_rules", ROOT / "docs" / "build_rules.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(name="rules", scope="module")
def built(builder: ModuleType, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs")
    builder.build(folder)
    return folder


def test_every_code_has_a_page(rules: Path) -> None:
    found = {path.relative_to(rules).with_suffix("").as_posix() for path in rules.glob("*/*.md")}
    assert found == set(KnownCodes())


def test_links_of_the_index(rules: Path) -> None:
    text = (rules / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"\]\((\S+)\.md\)", text) == [*KnownCodes()]


def test_a_page_shows_all_that_explain_does(rules: Path) -> None:
    for name, code in KnownCodes().items():
        text = (rules / f"{name}.md").read_text(encoding="utf-8")
        page, (soft, strict) = code.page, code.severities
        assert f"Severity: {soft} (soft), {strict} (strict)" in text
        assert f"Confidence: {code.confidence}" in text
        for part in (page.what, page.why, *_lines(page.bad), *_lines(page.good)):
            assert part in text, name


def _lines(example: str) -> list[str]:
    return [line for line in example.splitlines() if not line.startswith("# file: ")]


def test_what_is_built_is_ignored_by_git(builder: ModuleType) -> None:
    folder = builder.FOLDER.relative_to(ROOT)
    assert f"{folder.parts[0]}/" in (ROOT / ".gitignore").read_text(encoding="utf-8").splitlines()


@every_case("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_what_is_there(page: Path) -> None:
    links = _LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_limits_name_known_codes() -> None:
    text = (ROOT / "docs" / "limits.md").read_text(encoding="utf-8")
    codes = set(re.findall(r"`([a-z]+/[a-z-]+)`", text))
    assert codes
    assert codes <= set(KnownCodes())
