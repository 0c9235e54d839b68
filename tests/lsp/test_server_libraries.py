"""The rubrics and judges of a library in an editor: read, and never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from doors import printed_by
from live import Live
from repositories import write

from evalcontract.cache.store import keep

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: tone
version: "2.1.0"
checks:
  - {id: short, kind: format, max_chars: 100}
scoring: {combine: all_pass}
"""
ROWS = "questions:\n  - id: a\n    input: Hi\n    rubric_ref: rubric/tone@2.1.0\n"
AT = (3, 25)


def workspace(tmp_path: Path) -> Path:
    """Make a workspace with a library, whose rubric it has under another version, too."""
    write(tmp_path / "shared", {"rubrics/tone.yaml": RUBRIC})
    mine = tmp_path / "mine"
    write(mine, {"evalcontract.toml": '[libraries]\nshared = {path = "../shared"}\n'})
    write(mine, {"datasets/a.yaml": ROWS, "rubrics/own.yaml": RUBRIC.replace("tone", "own")})
    assert printed_by("sync", cwd=mine).code == 0
    return mine


def test_a_reference_leads_into_a_library(tmp_path: Path) -> None:
    mine = workspace(tmp_path)
    with Live(mine) as live:
        document = live.start(mine / "datasets/a.yaml")
        document.codes()
        (found,) = document.ask("definition", AT)
        assert found["uri"] == (tmp_path / "shared/rubrics/tone.yaml").as_uri()
        assert "2.1.0" in str(document.ask("hover", AT))
        offered = document.ask("completion", AT)
        assert "rubric/tone@2.1.0" in str(offered)
        with pytest.raises(RuntimeError, match="a library is read-only"):
            document.ask("rename", AT, newName="other")


def test_a_file_that_is_kept_is_not_renamed() -> None:
    folder = keep({"rubrics/tone.yaml": RUBRIC.encode()})
    assert folder is not None
    with Live(folder) as live:
        document = live.start(folder / "rubrics/tone.yaml")
        with pytest.raises(RuntimeError, match="read-only"):
            document.ask("rename", (0, 5), newName="other")


def test_what_is_shadowed_or_not_synced_is_shown(tmp_path: Path) -> None:
    mine = workspace(tmp_path)
    write(mine, {"rubrics/tone.yaml": RUBRIC.replace("100", "50")})
    with Live(mine) as live:
        (found,) = live.start(mine / "rubrics/tone.yaml").codes("library/shadowed")
        # The place in the library has no address that an editor could open.
        assert "relatedInformation" not in found
        write(tmp_path / "shared", {"rubrics/tone.yaml": RUBRIC.replace("100", "70")})
        change = {"uri": (mine / "evalcontract.lock").as_uri(), "type": 2}
        live.notify("workspace/didChangeWatchedFiles", {"changes": [change]})
        settings = (mine / "evalcontract.toml").as_uri()
        (absent,) = live.until(settings, lambda each: len(each) == 1)
        assert absent["code"] == "library/not-synced"
