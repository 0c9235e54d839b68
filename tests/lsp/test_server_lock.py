"""A meaning that changes under a locked version, while somebody writes: told, and fixed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from doors import printed_by
from live import Live
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: tone
version: "1.0.0"
checks:
  - {id: short, kind: format, max_chars: 100}
scoring: {combine: min, threshold: 0.7}
"""


def test_a_changed_threshold_is_told_and_the_version_offered(tmp_path: Path) -> None:
    write(tmp_path, {"rubrics/tone.yaml": RUBRIC})
    assert printed_by("lock", cwd=tmp_path).code == 0
    with Live(tmp_path) as live:
        document = live.start(tmp_path / "rubrics/tone.yaml")
        document.codes()
        version = document.replace((4, 35), (4, 38), "0.8")
        (found,) = document.codes("lock/changed-meaning", version=version)
        assert found["range"]["start"] == {"line": 4, "character": 35}
        assert "from 0.7 to 0.8" in found["message"]
        context = {"diagnostics": [found]}
        (fix, *_) = document.ask("codeAction", range=found["range"], context=context)
        edit = fix.get("edit") or live.request("codeAction/resolve", fix)["edit"]
        (changed,) = edit["changes"][document.uri]
        assert (changed["range"]["start"]["line"], changed["newText"]) == (1, "2")
