"""`bump` as a person types it, in a real repository: which version, what else changes, what not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from doors import Printed, printed_by
from repositories import commit, git, needs_git, repository
from tables import every_case
from writing import write

from evalcontract.source import writing

pytestmark = needs_git

JUDGE = """\
id: tone
version: "1.0"  # quoted
template: |
  Is it polite?
  {{ output }}
validation: {tpr: 0.9, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""
RUBRIC = """\
# What support answers are graded by.
id:   support
version: '1.2.0'
checks:
  - {id: thanks, kind: must_contain_any, values: [thanks]}  # politeness

  - id: tone
    kind: llm_judge
    judge_prompt_ref: judge/tone@1.0
scoring: {combine: weighted_avg, threshold: 0.7}
"""
OUTER = """\
id: all
version: "0.3.0"
checks: [{id: support, kind: composite, rubric_ref: rubric/support@1.2.0}]
scoring: {combine: all_pass}
"""
ROWS = """\
version: "1.0.0"
questions:
  - {id: a, input: Where?, rubric_ref: rubric/support@1.2.0}  # one
  - {id: b, input: How?, rubric_ref: rubric/support}
"""
FILES = {
    "judges/tone.yaml": JUDGE,
    "rubrics/support.yaml": RUBRIC,
    "rubrics/all.yaml": OUTER,
    "datasets/rows.yaml": ROWS,
}
LINES = (
    '{"id": "a", "input": "Where?", "rubric_ref": "rubric/all@0.3.0"}\r\n\n'
    '{"id": "b", "input": "How?", "rubric_ref":"rubric/all@0.3"}\n'
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = repository(tmp_path / "evals")
    write(root, FILES)
    (root / "datasets" / "lines.jsonl").write_bytes(LINES.encode())
    commit(root)
    return root


def change(root: Path, file: str, old: str, new: str) -> None:
    path = root / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def bump(root: Path, *arguments: str) -> Printed:
    return printed_by("bump", *arguments, cwd=root)


def text(root: Path, file: str) -> str:
    return (root / file).read_bytes().decode()


THRESHOLD = ("rubrics/support.yaml", "threshold: 0.7", "threshold: 0.8")
SCORING = ("rubrics/support.yaml", "\nscoring")
TEMPLATE = ("judges/tone.yaml", "polite?", "polite and short?")


@pytest.mark.costly
@every_case(
    "file, old, new, version, why",
    [
        (*THRESHOLD, "'2.0.0'", "score-breaking: scoring.threshold"),
        (*SCORING, "\nlabel: S\nscoring", "'1.2.1'", "wording only: label"),
        (*SCORING, "\napplicable_bundles: [a]\nscoring", "'1.3.0'", "additive: applicable_bundles"),
        ("rubrics/support.yaml", "id: thanks", "id: thank", "'1.3.0'", "additive: checks.thank"),
        ("rubrics/all.yaml", "all_pass", "any_pass", '"0.4.0"', "score-breaking: scoring.combine"),
        (*TEMPLATE, '"2.0"', "score-breaking: template"),
        ("datasets/rows.yaml", "id: b", "id: c", '"1.1.0"', "additive: questions.c"),
        ("datasets/rows.yaml", "How?", "Why?", '"2.0.0"', "score-breaking: questions.b.input"),
    ],
)
def test_the_version_is_what_the_change_requires(
    tmp_path: Path, file: str, old: str, new: str, version: str, why: str
) -> None:
    root = repository(tmp_path / str(len([*tmp_path.iterdir()])))
    write(root, FILES)
    commit(root)
    change(root, file, old, new)
    before = text(root, file)
    was = next(line.split()[1] for line in before.splitlines() if line.startswith("version:"))
    done = bump(root, file)
    assert (done.code, done.err) == (0, "")
    assert f"({why})" in done.out
    after = before.replace(f"version: {was}", f"version: {version}")
    if file == "judges/tone.yaml":
        after = after.replace("sample_size: 200}", "sample_size: 200, judge_version: 1.0.0}")
    assert text(root, file) == after
    again = bump(root, file)
    assert "is enough for what has changed since HEAD" in again.out
    assert text(root, file) == after


def test_nothing_to_raise(root: Path) -> None:
    change(root, "rubrics/support.yaml", "id:   support", "id: support")
    done = bump(root, "rubrics/support.yaml", "rubrics/all.yaml")
    assert done.code == 0
    assert done.out.splitlines() == [
        "rubrics/support.yaml: unchanged, nothing has changed since HEAD",
        "rubrics/all.yaml: unchanged, nothing has changed since HEAD",
    ]
    assert git(root, "diff", "--stat", "--", "rubrics/all.yaml") == ""
    commit(root)
    assert bump(root, "--all").out == "nothing has changed since HEAD\n"
    write(root, {"rubrics/new.yaml": RUBRIC.replace("support", "new")})
    assert bump(root, "--all").out == "rubrics/new.yaml: unchanged, it is new\n"


@pytest.mark.costly
def test_references_are_updated_transitively(root: Path) -> None:
    change(root, *TEMPLATE)
    done = bump(root, "--all", "--update-refs")
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "judges/tone.yaml: 1.0.0 -> 2.0.0 (score-breaking: template)",
        "rubrics/support.yaml: 1.2.0 -> 2.0.0 (score-breaking: checks.tone.judge_prompt_ref)",
        "rubrics/all.yaml: 0.3.0 -> 0.4.0 (score-breaking: checks.support.rubric_ref)",
        "datasets/rows.yaml: 1.0.0 -> 2.0.0 (score-breaking: questions.a.rubric_ref)",
        "rubrics/support.yaml: 1 reference updated to judge/tone@2.0.0",
        "rubrics/all.yaml: 1 reference updated to rubric/support@2.0.0",
        "datasets/rows.yaml: 1 reference updated to rubric/support@2.0.0",
        "datasets/lines.jsonl: 2 references updated to rubric/all@0.4.0",
    ]
    assert text(root, "rubrics/support.yaml") == RUBRIC.replace("'1.2.0'", "'2.0.0'").replace(
        "judge/tone@1.0", "judge/tone@2.0.0"
    )
    assert text(root, "datasets/lines.jsonl") == LINES.replace("@0.3.0", "@0.4.0").replace(
        '@0.3"', '@0.4.0"'
    )
    assert "rubric_ref: rubric/support}" in text(root, "datasets/rows.yaml")  # was not pinned
    assert printed_by("check", "--strict", cwd=root).out.count("dangling") == 0
    commit(root)
    assert bump(root, "--all", "--update-refs").out == "nothing has changed since HEAD\n"


def test_references_that_are_left_are_told(root: Path) -> None:
    change(root, *THRESHOLD)
    done = bump(root, "rubrics/support.yaml")
    left = "note: 2 references to rubric/support@1.2.0, which no file has any more"
    assert left in done.out
    change(root, "rubrics/support.yaml", "'2.0.0'", "'1.2.0'")
    write(root, {"rubrics/twin.yaml": text(root, "rubrics/support.yaml")})
    assert left in bump(root, "--all", "--diff").err


def test_the_old_version_is_kept(root: Path) -> None:
    change(root, *THRESHOLD)
    done = bump(root, "rubrics/support.yaml", "--keep")
    assert "version 1.2.0 is kept in rubrics/support@1.2.0.yaml" in done.out
    assert "note:" not in done.out
    assert text(root, "rubrics/support@1.2.0.yaml") == RUBRIC
    assert "'2.0.0'" in text(root, "rubrics/support.yaml")
    change(root, "rubrics/support.yaml", "'2.0.0'", "'1.2.0'")
    again = bump(root, "rubrics/support.yaml", "--keep")
    assert again.code == 2
    assert "rubrics/support@1.2.0.yaml already exists" in again.err
    assert "'1.2.0'" in text(root, "rubrics/support.yaml")


@every_case(
    "name, renamed",
    [
        ("rubrics/support@1.2.0.yaml", "rubrics/support@2.0.0.yaml"),
        ("rubrics/support/1.2.0.yaml", "rubrics/support/2.0.0.yaml"),
    ],
)
def test_a_file_that_is_named_after_its_version_becomes_the_old_one_again(
    tmp_path: Path, name: str, renamed: str
) -> None:
    root = repository(tmp_path / str(len([*tmp_path.iterdir()])))
    write(root, {name: RUBRIC})
    commit(root)
    change(root, name, "threshold: 0.7", "threshold: 0.8")
    done = bump(root, name)
    assert done.out.splitlines() == [
        f"{renamed}: 1.2.0 -> 2.0.0 (score-breaking: scoring.threshold)",
        f"  version 1.2.0 is kept in {name}",
    ]
    assert text(root, name) == RUBRIC
    assert text(root, renamed) == RUBRIC.replace("'1.2.0'", "'2.0.0'").replace("0.7", "0.8")


@pytest.mark.costly
def test_a_version_that_the_caller_chooses(root: Path) -> None:
    assert bump(root, "rubrics/support.yaml", "--to", "minor").code == 0
    assert "'1.3.0'" in text(root, "rubrics/support.yaml")
    assert bump(root, "rubrics/support.yaml", "--to", "2.0.0-rc.1").code == 0
    change(root, "rubrics/support.yaml", "0.7", "0.8")
    assert bump(root, "rubrics/support.yaml", "--to", "patch").code == 0  # still 2.0.0-rc.2
    assert "'2.0.0-rc.2'" in text(root, "rubrics/support.yaml")
    for to, message in {
        "1.0.0": "and 1.0.0 is not later",
        "later": "it must be major, minor, patch or a version, not `later`",
    }.items():
        refused = bump(root, "rubrics/support.yaml", "--to", to)
        assert (refused.code, message in refused.err) == (2, True)


def test_a_version_that_is_too_small_is_refused(root: Path) -> None:
    change(root, *THRESHOLD)
    refused = bump(root, "rubrics/support.yaml", "--to", "minor")
    assert refused.code == 2
    assert "rubrics/support.yaml needs version 2.0.0: 1.3.0 is too small" in refused.err
    assert "'1.2.0'" in text(root, "rubrics/support.yaml")


def test_a_version_that_another_file_has_is_passed_over(root: Path) -> None:
    write(root, {"rubrics/next.yaml": RUBRIC.replace("1.2.0", "2.0.0")})
    change(root, *THRESHOLD)
    assert "rubrics/support.yaml: 1.2.0 -> 3.0.0" in bump(root, "rubrics/support.yaml").out
    change(root, "rubrics/support.yaml", "3.0.0", "1.2.0")
    refused = bump(root, "rubrics/support.yaml", "--to", "2.0.0")
    assert refused.code == 2
    assert "needs version 2.0.0, which rubrics/next.yaml has" in refused.err


@pytest.mark.costly
def test_where_there_is_a_lock_it_is_what_counts(root: Path) -> None:
    assert printed_by("lock", cwd=root).code == 0
    change(root, *THRESHOLD)
    change(root, *TEMPLATE)
    commit(root)  # without a new version: since HEAD nothing has changed
    assert "lock/changed-meaning" in printed_by("check", cwd=root).out
    done = bump(root, "--all", "--update-refs")
    changed = "checks.tone.judge_prompt_ref"
    assert done.out.splitlines()[:3] == [
        "judges/tone.yaml: 1.0.0 -> 2.0.0 (score-breaking: template)",
        f"rubrics/support.yaml: 1.2.0 -> 2.0.0 (score-breaking: {changed}, scoring.threshold)",
        "rubrics/all.yaml: 0.3.0 -> 0.4.0 (score-breaking: checks.support.rubric_ref)",
    ]
    assert printed_by("lock", cwd=root).code == 0
    assert "lock/" not in printed_by("check", cwd=root).out
    commit(root)  # the lock says nothing of the rows
    assert bump(root, "--all").out == "nothing has changed since evalcontract.lock\n"


@pytest.mark.costly
def test_the_old_version_is_kept_if_the_revision_has_what_was_locked(root: Path) -> None:
    printed_by("lock", cwd=root)
    change(root, *THRESHOLD)
    assert bump(root, "rubrics/support.yaml", "--keep").code == 0
    assert text(root, "rubrics/support@1.2.0.yaml") == RUBRIC
    commit(root)
    (root / "rubrics" / "support@1.2.0.yaml").unlink()
    change(root, "rubrics/support.yaml", "'2.0.0'", "'1.2.0'")
    refused = bump(root, "rubrics/support.yaml", "--keep")
    assert refused.code == 2
    assert "the old content of rubrics/support.yaml is not known" in refused.err
    assert bump(root, "rubrics/support.yaml", "--keep", "--against", "HEAD~1").code == 0


def test_a_lock_that_cannot_be_used_is_no_baseline(root: Path) -> None:
    write(root, {"evalcontract.lock": "<<<<<<< a\n=======\n>>>>>>> b\n"})
    refused = bump(root, "--all")
    assert refused.code == 2
    assert "evalcontract.lock cannot be used: `evalcontract check` says why" in refused.err


@pytest.mark.costly
def test_a_fix_of_a_locked_version_is_offered_and_not_safe(root: Path) -> None:
    printed_by("lock", cwd=root)
    change(root, *THRESHOLD)
    printed_by("fix", cwd=root)
    assert "'1.2.0'" in text(root, "rubrics/support.yaml")
    printed_by("fix", "--unsafe-fixes", "--select", "lock", cwd=root)
    assert "'2.0.0'" in text(root, "rubrics/support.yaml")


def test_a_new_version_beside_an_old_one_is_compared_with_it(root: Path) -> None:
    new = RUBRIC.replace("'1.2.0'", "'1.3.0'").replace("0.7", "0.9")
    write(root, {"rubrics/support@1.3.0.yaml": new})
    done = bump(root, "rubrics/support@1.3.0.yaml")
    assert done.out.splitlines() == [
        "rubrics/support@1.3.0.yaml: 1.2.0 -> 2.0.0 (score-breaking: scoring.threshold)",
        "  note: the name of the file says another version: rename it",
    ]


@pytest.mark.costly
def test_a_validation_of_another_template_is_marked(root: Path) -> None:
    change(root, *TEMPLATE)
    bump(root, "judges/tone.yaml")
    assert "judge/validated-other-version" in printed_by("check", cwd=root).out
    change(root, "judges/tone.yaml", "polite and", "kind and")
    change(root, "judges/tone.yaml", "judge_version: 1.0.0", "judge_version: 0.9.0")
    bump(root, "judges/tone.yaml")
    assert "judge_version: 0.9.0" in text(root, "judges/tone.yaml")


def test_all_files_are_written_or_none(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    change(root, *THRESHOLD)
    before = text(root, "rubrics/support.yaml")

    monkeypatch.setattr(writing, "read_bytes", lambda _: b"another content")
    refused = bump(root, "rubrics/support.yaml", "--keep")
    assert refused.code == 2
    assert "the file changed in the meantime" in refused.err
    assert text(root, "rubrics/support.yaml") == before
    assert not (root / "rubrics" / "support@1.2.0.yaml").exists()


def test_the_diff_writes_nothing(root: Path) -> None:
    change(root, *THRESHOLD)
    before = text(root, "rubrics/support.yaml")
    done = bump(root, "--all", "--diff")
    assert done.code == 1
    assert "-version: '1.2.0'\n+version: '2.0.0'" in done.out
    assert "1.2.0 -> 2.0.0" in done.err
    assert text(root, "rubrics/support.yaml") == before


def test_json_and_line_ends_stay(root: Path) -> None:
    path = root / "rubrics" / "other.json"
    value = {
        "id": "other",
        "version": "1.0.0",
        "checks": [{"kind": "php_lint"}],
        "scoring": {"combine": "min"},
    }
    written = json.dumps(value, indent=3).replace("\n", "\r\n").encode()
    path.write_bytes(written)
    commit(root)
    path.write_bytes(written.replace(b'"min"', b'"max"'))
    bump(root, "rubrics/other.json")
    assert path.read_bytes() == written.replace(b'"min"', b'"max"').replace(b"1.0.0", b"2.0.0")


@every_case(
    "arguments, message",
    [
        ([], "name the files, or pass --all"),
        (["--all", "rubrics/all.yaml"], "--all names all files"),
        (["none.yaml"], "there is no file or folder none.yaml"),
        (
            ["datasets/lines.jsonl"],
            "datasets/lines.jsonl is no rubric, judge or dataset with a version",
        ),
        (["rubrics/all.yaml", "--against", "none"], "git knows no revision `none`"),
        (["rubrics/all.yaml", "--against", "--output=x"], "git knows no revision `--output=x`"),
    ],
)
def test_what_cannot_be_raised(root: Path, arguments: list[str], message: str) -> None:
    refused = bump(root, *arguments)
    assert (refused.code, refused.out) == (2, "")
    assert message in refused.err


def test_without_a_repository_only_a_chosen_version_can_be_set(tmp_path: Path) -> None:
    root = tmp_path / "evals"
    write(root, {"rubrics/support.yaml": RUBRIC})
    refused = bump(root, "rubrics/support.yaml")
    assert refused.code == 2
    assert "the folder is in no git repository; say with --to what to raise" in refused.err
    assert bump(root, "rubrics/support.yaml", "--to", "major").code == 0
    assert "'2.0.0'" in text(root, "rubrics/support.yaml")
    refused = bump(root, "rubrics/support.yaml", "--to", "major", "--keep")
    assert (refused.code, refused.err.endswith("; what to keep is not known\n")) == (2, True)
    # `--all` is all that has changed, and --to says nothing of that.
    refused = bump(root, "--all", "--to", "major")
    assert "; name the files, and say with --to what to raise" in refused.err


def test_what_was_broken_is_not_new(root: Path) -> None:
    write(root, {"rubrics/support.yaml": "id: [", "datasets/rows.yaml": "questions: ["})
    commit(root)
    write(root, FILES)
    for file in ("rubrics/support.yaml", "datasets/rows.yaml"):
        assert "unchanged, what HEAD has of it has no version" in bump(root, file).out


def test_what_cannot_be_read_is_not_unchanged(root: Path) -> None:
    broken = {"rubrics/b.yaml": "id: 'b\n", "judges/n.yaml": "id: n\n", "datasets/q.yaml": "a: ["}
    write(root, broken)
    printed = bump(root, "--all")
    assert printed.code == 1
    assert {line.partition(": not compared, ")[0] for line in printed.out.splitlines()[1:]} == {
        *broken
    }
    assert printed.out.startswith("nothing else has changed since HEAD\n")
    change(root, *THRESHOLD)
    assert bump(root, "--all").code == 1
    assert "2.0.0" in text(root, "rubrics/support.yaml")


@pytest.mark.costly
def test_what_a_check_by_the_lock_advises_is_done(root: Path) -> None:
    """A version went down, and rows changed in a commit: both are no news to HEAD."""
    printed_by("lock", cwd=root)
    change(root, "rubrics/support.yaml", "'1.2.0'", "'1.1.0'")
    change(root, "datasets/rows.yaml", "Where?", "Wherever?")
    commit(root)
    checked = printed_by("check", cwd=root).out
    assert "the version went down from 1.2.0 to 1.1.0" in checked
    assert "set the version to 1.2.1: `evalcontract bump rubrics/support.yaml`" in checked
    assert "the rows are others than in evalcontract.lock" in checked
    bumped = bump(root, "--all").out
    assert "rubrics/support.yaml: 1.2.0 -> 1.2.1\n" in bumped
    assert "datasets/rows.yaml: 1.0.0 -> 2.0.0 (score-breaking: questions)\n" in bumped


@pytest.mark.costly
def test_a_locked_dataset_is_compared_without_a_repository(tmp_path: Path) -> None:
    root = tmp_path / "evals"
    write(root, FILES)
    printed_by("lock", cwd=root)
    assert "nothing has changed" in bump(root, "datasets/rows.yaml").out
    change(root, "datasets/rows.yaml", "Where?", "Wherever?")
    assert "datasets/rows.yaml: 1.0.0 -> 2.0.0" in bump(root, "datasets/rows.yaml").out
    change(root, "datasets/rows.yaml", "2.0.0", "1.1.0")  # whether that is enough, nobody knows
    assert "unchanged, evalcontract.lock has no rows" in bump(root, "datasets/rows.yaml").out


def test_what_is_as_it_was_locked_is_kept_without_a_repository(tmp_path: Path) -> None:
    root = tmp_path / "evals"
    write(root, FILES)
    printed_by("lock", cwd=root)
    assert bump(root, "rubrics/support.yaml", "--to", "major", "--keep").code == 0
    assert text(root, "rubrics/support@1.2.0.yaml") == RUBRIC


def test_a_repository_without_commits_says_so(tmp_path: Path) -> None:
    root = repository(tmp_path / "evals")
    write(root, {"rubrics/support.yaml": RUBRIC})
    refused = bump(root, "--all")
    assert refused.code == 2
    assert "the repository has no commits" in refused.err
