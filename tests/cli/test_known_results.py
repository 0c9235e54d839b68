"""Where some files have changed, those that neither have nor depend on them are not checked."""

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
from evalcontract.checking import artifact_check, known_results

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

    def counted(run: Any, open_: Callable[[], Any], *arguments: Any, **named: Any) -> Any:
        looked_at.add(open_().file)
        return check_dataset(run, open_, *arguments, **named)

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


@pytest.mark.costly
def test_a_file_that_was_no_dataset(checked: Callable[..., set[str]]) -> None:
    write(Path(), {"notes.json": '{"questions": []}'})
    assert checked() == {"notes.json"}
    write(Path(), {"notes.json": "[]"})
    assert checked() == set()


CHANGES = {
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


@pytest.mark.costly
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("rubrics/polite.yaml", RUBRIC.replace("id: right", "id: wrong")),
        ("judges/right.yaml", 'id: right\nversion: "1.0.0"\ntemplate: "{{ output }}"\n'),
    ],
)
def test_what_only_some_datasets_reach_is_seen_in_these(
    name: str, text: str, checked: Callable[..., set[str]]
) -> None:
    write(Path(), {name: text})
    assert checked() == {"datasets/a.yaml", "datasets/b.yaml"}
    assert checked() == set()


INNER = RUBRIC.replace("polite", "inner").replace("right", "sure")
OUTER = """\
id: outer
version: "1.0.0"
checks:
  - {id: all, kind: composite, rubric_ref: rubric/inner@1.0.0}
  - {id: shape, kind: must_not_contain, values: [sorry]}
scoring: {combine: all_pass}
"""
JUDGE = 'id: sure\nversion: "1.0.0"\ntemplate: "{{ input }} {{ output }}"\n'
#: What depends on what: a change of the first file is seen in the others, and nowhere else.
REACHED = [
    ("rubrics/polite.yaml", RUBRIC + "\n", set()),
    (
        "rubrics/inner.yaml",
        INNER.replace("kind: json_schema", "kind: jsn_schema"),
        {"outer", "twin"},
    ),
    ("rubrics/outer.yaml", OUTER.replace("sorry", "thanks"), set()),
    ("judges/sure.yaml", JUDGE.replace("input", "context"), {"inner", "outer", "twin"}),
    ("rubrics/twin.yaml", INNER + "\n", {"inner"}),
]


@pytest.mark.costly
@pytest.mark.parametrize(("name", "text", "others"), a_few(REACHED, 2))
def test_the_artifacts_that_reach_another_are_checked_again(
    name: str,
    text: str,
    others: set[str],
    checked: Callable[..., set[str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(
        Path(),
        {
            "rubrics/inner.yaml": INNER,
            "rubrics/outer.yaml": OUTER,
            "rubrics/twin.yaml": INNER,
            "judges/sure.yaml": JUDGE,
            "datasets/e.yaml": ROW.replace("polite", "outer"),
        },
    )
    checked()
    looked_at: set[str] = set()
    check_artifact: Any = artifact_check.check_artifact

    def counted(artifact: Any, *arguments: Any, **named: Any) -> Any:
        looked_at.add(Path(artifact.file).stem)
        return check_artifact(artifact, *arguments, **named)

    write(Path(), {name: text})
    known: Any = known_results.KnownResults
    before = known.save

    def save(results: Any) -> None:
        before(results)
        monkeypatch.setattr(artifact_check, "check_artifact", check_artifact)

    monkeypatch.setattr(artifact_check, "check_artifact", counted)
    monkeypatch.setattr(known, "save", save)  # the check without a cache, which comes after it
    datasets = checked()
    assert looked_at == {Path(name).stem, *others}
    assert ("datasets/e.yaml" in datasets) is ("outer" in looked_at)


@pytest.mark.costly
def test_a_judge_that_is_not_used_any_more_is_checked_again(
    checked: Callable[..., set[str]],
) -> None:
    """`judge/unvalidated` is of judges in use; `checked` compares with a check without a cache."""
    write(Path(), {"rubrics/polite.yaml": RUBRIC.replace("judge/right@1.0.0", "judge/other@1.0.0")})
    checked()
    write(Path(), {"rubrics/polite.yaml": RUBRIC})
    checked()


@pytest.mark.costly
def test_an_artifact_that_reaches_too_many_is_checked_again(
    checked: Callable[..., set[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_results, "MAX_REACHED", 1)
    write(Path(), {"datasets/c.jsonl": FILES["datasets/c.jsonl"] * 2})
    assert checked() == {"datasets/a.yaml", "datasets/b.yaml", "datasets/c.jsonl"}
    write(Path(), {"datasets/c.jsonl": FILES["datasets/c.jsonl"] * 3})
    assert checked() == {"datasets/a.yaml", "datasets/b.yaml", "datasets/c.jsonl"}


@pytest.mark.costly
def test_what_an_artifact_ignores_is_counted_again(checked: Callable[..., set[str]]) -> None:
    comment = "# evalcontract: ignore-file[rubric]\n"
    write(Path(), {"rubrics/polite.yaml": comment + RUBRIC.replace("id: shape", "idd: shape")})
    checked()
    write(Path(), {"datasets/c.jsonl": FILES["datasets/c.jsonl"] * 2})
    assert checked() == {"datasets/c.jsonl"}


@pytest.mark.costly
def test_rows_with_a_dangling_reference_are_checked_again(
    checked: Callable[..., set[str]],
) -> None:
    """The advice depends on names of folders that nothing else reads."""
    write(Path(), {"datasets/a.yaml": ROW.replace("polite", "polit")})
    assert checked() == {"datasets/a.yaml"}
    write(Path(), {"datasets/c.jsonl": FILES["datasets/c.jsonl"] * 2})
    assert checked() == {"datasets/a.yaml", "datasets/c.jsonl"}
