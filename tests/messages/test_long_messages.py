"""Names and texts of any length make no long messages."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from doors import Options, check_workspaces
from tables import every_case

from evalcontract.model.values import readable

if TYPE_CHECKING:
    from pathlib import Path

#: The length of the longest message.
LONGEST = 1_000
LONG = "x" * 3000
CLIPPED = "x" * 79 + "…"


@every_case(
    ("message", "shown"),
    [
        ("`a` is not `b`", "`a` is not `b`"),
        (f"`{'x' * 500}` is long", f"`{'x' * 500}` is long"),
        (f"`{LONG}` is not `b`", f"`{CLIPPED}` is not `b`"),
        (f"`{LONG}` is not `{LONG}`", f"`{CLIPPED}` is not `{CLIPPED}`"),
        (LONG, "x" * (LONGEST - 1) + "…"),
        ("x" * LONGEST, "x" * LONGEST),
        ("x" * (LONGEST + 1), "x" * (LONGEST - 1) + "…"),
    ],
)
def test_what_a_long_message_quotes_is_clipped(message: str, shown: str) -> None:
    assert readable(message) == shown


def test_findings_on_long_names(tmp_path: Path) -> None:
    def write(name: str, value: Any) -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))

    checks = [{"id": LONG, "kind": "fact_match"}, {"id": "other", "kind": "fact_match"}]
    scoring = {"combine": "max"}
    write("rubrics/a.json", {"id": "a", "version": "1.0.0", "checks": checks, "scoring": scoring})
    row = {"id": LONG, "input": LONG, "rubric_ref": "rubric/a@1.0.0"}
    write("datasets/a.json", [row, row, {**row, "bundle": LONG, "expected": {LONG: 1}}])
    diagnostics = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    assert len({diagnostic.code for diagnostic in diagnostics}) > 2
    for diagnostic in diagnostics:
        texts = (diagnostic.message, diagnostic.help, diagnostic.row, *dict(diagnostic.related))
        assert all(len(text or "") <= LONGEST for text in texts)
