"""Where some files have changed, the datasets that have not are not checked again."""

from __future__ import annotations

from datetime import date
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from examples import a_few
from writing import write

from evalcontract.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable

pipeline: Any = import_module("evalcontract.checking.pipeline")

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: shape, kind: json_schema, schema_ref: shapes/answer.json}
  - {id: right, kind: llm_judge, judge_prompt_ref: judge/right@1.0.0}
scoring: {combine: all_pass}
"""
ROW = (
    "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0, bundle: short, top_k: 3}\n"
)
MODELINE = "# yaml-language-server: $schema=../schema/dataset.schema.json\n"
FILES = {
    "rubrics/polite.yaml": RUBRIC,
    "judges/right.yaml": 'id: right\nversion: "1.0.0"\ntemplate: "{{ input }} {{ output }}"\n',
    "shapes/answer.json": '{"type": "object", "required": ["answer"]}\n',
    "bundles/short.schema.json": '{"properties": {"top_k": {"type": "integer"}}}\n',
    "targets/nightly.yaml": "dataset: datasets/a.yaml\n",
    "datasets/a.yaml": ROW,
    "datasets/b.yaml": MODELINE + ROW.replace("top_k", "expecteed_facts: [c], top_k"),
    "datasets/c.jsonl": '{"id": "a", "input": "b", "expected_facts": ["c"]}\n',
    "datasets/d.yaml": "questions: [\n",
    "notes.json": "{}\n",
}
ALL = {"datasets/a.yaml", "datasets/b.yaml", "datasets/c.jsonl", "datasets/d.yaml"}


@pytest.fixture
def checked(
    tmp_path: Path, own_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., set[str]]:
    """Write a workspace, check it once, and return a check that names the datasets it looked at."""
    top = tmp_path / "workspace"
    write(top, FILES)
    monkeypatch.chdir(top)
    looked_at: set[str] = set()
    check_dataset = pipeline.check_dataset

    def counted(run: Any, open_: Callable[[], Any], *arguments: Any) -> Any:
        looked_at.add(open_().file)
        return check_dataset(run, open_, *arguments)

    monkeypatch.setattr(pipeline, "check_dataset", counted)

    def check(**options: Any) -> set[str]:
        asked: dict[str, Any] = {"today": date(2026, 6, 1), **options}
        looked_at.clear()
        outcome = check_workspaces(Path(), Options(**asked, cache=Cache(own_cache)))
        names = set(looked_at)
        assert outcome == check_workspaces(Path(), Options(**asked))  # the same as without a cache
        return names

    assert check() == ALL
    assert check() == set()
    return check


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(ALL))
def test_only_the_dataset_that_changed_is_checked(
    name: str, checked: Callable[..., set[str]]
) -> None:
    path = Path(name)
    path.write_text(path.read_text() + "\n\n")
    assert checked() == {name}
    path.write_text(path.read_text() + "\n")
    assert checked() == {name}


@pytest.mark.slow
def test_a_new_dataset_is_checked_and_a_removed_one_is_not(
    checked: Callable[..., set[str]],
) -> None:
    write(Path(), {"datasets/e.yaml": ROW})
    assert checked() == {"datasets/e.yaml"}
    Path("datasets/b.yaml").unlink()
    assert checked() == set()
    Path("datasets/a.yaml").rename("datasets/f.yaml")
    assert checked() == {"datasets/f.yaml"}


def test_a_file_that_was_no_dataset(checked: Callable[..., set[str]]) -> None:
    write(Path(), {"notes.json": '{"questions": []}'})
    assert checked() == {"notes.json"}
    write(Path(), {"notes.json": "[]"})
    assert checked() == set()


CHANGES = {
    "a rubric": {"rubrics/polite.yaml": RUBRIC.replace("right", "wrong")},
    "a judge": {"judges/right.yaml": 'id: right\nversion: "1.0.0"\ntemplate: "{{ output }}"\n'},
    "a new rubric": {"rubrics/other.yaml": RUBRIC.replace("polite", "other")},
    "a rubric that cannot be read": {"rubrics/other.yaml": "id: [\n"},
    "a schema of a check": {"shapes/answer.json": '{"type": "objct"}'},
    "a bundle": {"bundles/short.schema.json": '{"required": ["documents"]}'},
    "a new bundle": {"bundles/long.schema.json": "{}"},
    "a target": {"targets/nightly.yaml": "dataset: datasets/b.yaml\nstrict_validation: true\n"},
    "the keys that a runner grades": {
        "targets/nightly.yaml": "dataset: datasets/a.yaml\nrow_keys_graded: [criteria]\n"
    },
    "a schema for editors": {"schema/dataset.schema.json": "{}"},
    "a configuration": {"evalcontract.toml": "strict = true\n"},
    "the date": {},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", a_few(CHANGES))
def test_what_datasets_depend_on_is_seen(name: str, checked: Callable[..., set[str]]) -> None:
    write(Path(), CHANGES[name])
    today = date(2027, 6, 1) if name == "the date" else date(2026, 6, 1)
    assert checked(today=today) == ALL
    write(Path(), {"datasets/a.yaml": ROW + "\n"})
    assert checked(today=today) == {"datasets/a.yaml"}


def test_rows_with_a_dangling_reference_are_checked_again(
    checked: Callable[..., set[str]],
) -> None:
    """The advice depends on names of folders that nothing else reads."""
    write(Path(), {"datasets/a.yaml": ROW.replace("polite", "polit")})
    assert checked() == {"datasets/a.yaml"}
    write(Path(), {"datasets/c.jsonl": FILES["datasets/c.jsonl"] * 2})
    assert checked() == {"datasets/a.yaml", "datasets/c.jsonl"}
