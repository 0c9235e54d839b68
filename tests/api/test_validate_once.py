"""Many files of a workspace are validated with one library."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from doors import Input, Kind, Options, validate
from work import calls_of
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: ID
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""


@pytest.mark.costly
def test_the_library_is_not_made_again_for_each_rubric(tmp_path: Path) -> None:
    def work(count: int) -> int:
        names = [f"r{n}" for n in range(count)]
        top = tmp_path / str(count)
        write(top, {f"rubrics/{name}.yaml": RUBRIC.replace("ID", name) for name in names})
        inputs = [Input(path) for path in sorted((top / "rubrics").iterdir())]
        outcome = validate(Kind.RUBRIC, inputs, Options(root=top))
        assert (outcome.files, outcome.diagnostics) == ({"rubric": count}, [])
        return calls_of(lambda: validate(Kind.RUBRIC, inputs, Options(root=top)))

    assert work(32) < 6 * work(8)


def test_a_rubric_is_checked_whatever_stands_beside_the_rows_that_use_it(tmp_path: Path) -> None:
    """A row that is no mapping, or whose reference is no text, hides no reference of others."""
    write(tmp_path, {"rubrics/a.yaml": RUBRIC.replace("ID", "a") + "lable: x\n"})
    good = '{"id": "a", "input": "b", "rubric_ref": "rubric/a@1.0.0"}\n'
    for other in ("7\n", '{"id": "b", "input": "c", "rubric_ref": ["x"]}\n'):
        write(tmp_path, {"set.jsonl": good + other})
        found = validate(Kind.DATASET, [Input(tmp_path / "set.jsonl")], Options()).diagnostics
        assert {each.code for each in found} == {"rubric/near-miss-key", "dataset/wrong-type"}


def test_a_file_that_is_asked_for_twice_over_is_one_finding_each(tmp_path: Path) -> None:
    """What several files reach is told once, and a file outside of the library is read."""
    write(tmp_path, {"rubrics/a.yaml": RUBRIC.replace("ID", "a") + "lable: x\n"})
    write(tmp_path, {"draft.yaml": RUBRIC.replace("ID", "b") + "lable: x\n"})
    inputs = [Input(tmp_path / "rubrics/a.yaml"), Input(tmp_path / "draft.yaml")]
    found = validate(Kind.RUBRIC, inputs, Options()).diagnostics
    assert [each.code for each in found] == ["rubric/near-miss-key"] * 2
