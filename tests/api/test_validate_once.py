"""Many files of a workspace are validated with one library."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.engine.run import Run, today
from evalcontract.library.library import Library
from evalcontract.model.reference import Kind
from evalcontract.workspace import open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    import pytest

    from evalcontract.library.artifact import Artifact

RUBRIC = """\
id: ID
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def test_one_library_for_many_rubrics(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"r{n}" for n in range(12)]
    write(tmp_path, {f"rubrics/{name}.yaml": RUBRIC.replace("ID", name) for name in names})
    monkeypatch.chdir(tmp_path)
    made: list[object] = []
    make = Library.__init__

    def counted_library(library: Library, artifacts: Iterable[Artifact] = ()) -> None:
        made.append(library)
        make(library, artifacts)

    monkeypatch.setattr(Library, "__init__", counted_library)
    inputs = [Input(path) for path in sorted((tmp_path / "rubrics").iterdir())]
    outcome = validate(Kind.RUBRIC, inputs, Options())
    assert (outcome.files, outcome.diagnostics) == ({"rubric": 12}, [])
    assert len(made) == 1


def test_a_file_that_is_asked_for_twice_over_is_one_finding_each(tmp_path: Path) -> None:
    """What several files reach is told once, and a file outside of the library is read."""
    write(tmp_path, {"rubrics/a.yaml": RUBRIC.replace("ID", "a") + "lable: x\n"})
    write(tmp_path, {"draft.yaml": RUBRIC.replace("ID", "b") + "lable: x\n"})
    inputs = [Input(tmp_path / "rubrics/a.yaml"), Input(tmp_path / "draft.yaml")]
    found = validate(Kind.RUBRIC, inputs, Options()).diagnostics
    assert [each.code for each in found] == ["rubric/near-miss-key"] * 2


def test_bundles_are_looked_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"bundles/b.schema.json": "{}", "rubrics/a.yaml": RUBRIC.replace("ID", "a")})
    looked: list[object] = []

    def count(schema: object) -> list[object]:
        looked.append(schema)
        return []

    monkeypatch.setattr("evalcontract.workspace.bundles.schema_faults", count)
    ours = Run(open_workspace(tmp_path), None, today())
    assert ours.workspace.usable_bundles is ours.workspace.usable_bundles
    assert len(looked) == 1
