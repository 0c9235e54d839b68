"""The pages of `docs/rules` are those of the manual, and lead where they say."""

from __future__ import annotations

import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doors import TABLE

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "docs" / "build_rules.py"
RULES = ROOT / "docs" / "rules"


@pytest.fixture(name="builder")
def loaded() -> ModuleType:
    spec = importlib.util.spec_from_file_location("build_rules", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pages_are_up_to_date(builder: ModuleType) -> None:
    assert builder.drift() == [], "run `make docs`"


def test_every_code_has_a_page() -> None:
    found = {path.relative_to(RULES).with_suffix("").as_posix() for path in RULES.glob("*/*.md")}
    assert found == set(TABLE)


def test_links_of_the_index() -> None:
    text = (RULES / "README.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"\]\((\S+)\.md\)", text)) == sorted(TABLE)


def test_a_page_shows_all_that_explain_does(builder: ModuleType) -> None:
    for code, page in builder.manual().items():
        text = (RULES / f"{code}.md").read_text(encoding="utf-8")
        soft, strict = TABLE[code]
        assert f"Severity: {soft} (soft), {strict} (strict)" in text
        for part in (page.what, page.why, *_lines(page.bad), *_lines(page.good)):
            assert part in text, code


def _lines(example: str) -> list[str]:
    return [line for line in example.splitlines() if not line.startswith("# file: ")]


def test_drift_is_named(
    builder: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever is missing, changed or too many is found, and mended."""
    folder = tmp_path / "docs" / "rules"
    monkeypatch.setattr(builder, "FOLDER", folder)
    monkeypatch.setattr(sys, "argv", ["build_rules.py", "--check"])
    assert builder.main() == 1
    monkeypatch.setattr(sys, "argv", ["build_rules.py"])
    assert builder.main() == 0
    assert builder.drift() == []
    (folder / "dataset" / "no-rows.md").unlink()
    (folder / "dataset" / "gone.md").write_text("gone")
    (folder / "README.md").write_text("other")
    assert builder.drift() == ["README.md", "dataset/gone.md", "dataset/no-rows.md"]
    assert builder.main() == 0
    assert builder.drift() == []


def test_check_from_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, SCRIPT, "--check"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "up to date\n")
