"""What holds of all output formats: the same findings at the same places, and one exit code."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from doors import command_line, printed_by
from examples import some
from publishing import PUBLISHED
from reports import FILES, READERS, output_of, write_files
from tables import every_case

from evalcontract.model import codes as page
from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

#: The host that leads nowhere (RFC 2606).
RESERVED = "evalcontract.example"

#: The places as an editor shows them, counted by hand in `FILES`.
PLACES = {
    ("rows.yaml", 5, 5, "dataset/near-miss-key", "warning"),
    ("wide.yaml", 2, 37, "dataset/near-miss-key", "warning"),
    ("rows.jsonl", 2, 8, "dataset/duplicate-id", "warning"),
    ("rows.jsonl", 2, 27, "dataset/near-miss-key", "warning"),
    ("rubrics/bad.json", 4, 13, "rubric/too-few-items", "warning"),
    ("broken.yaml", 2, 1, "source/syntax", "error"),
}


def test_every_format_has_a_reader() -> None:
    assert READERS.keys() == FORMATS.keys()


@pytest.mark.slow
@every_case("name", READERS)
def test_lines_and_columns_count_from_one(name: str, tmp_path: Path) -> None:
    write_files(tmp_path)
    found = [*READERS[name](output_of(name, tmp_path))]
    assert sorted(PLACES - {*found}) == []


@pytest.mark.slow
@every_case("name", [name for name in READERS if name != "text"])
def test_all_formats_say_the_same(name: str, tmp_path: Path) -> None:
    write_files(tmp_path)
    expected = sorted(READERS["json"](output_of("json", tmp_path)))
    found = sorted(READERS[name](output_of(name, tmp_path)))
    assert len(expected) > len(PLACES)
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        assert one._replace(column=0) == other._replace(column=0)
        assert one.column == other.column or (one.column is None and name == "github")


#: Where a check is run and what it is told, below a repository; a path as findings name it.
STARTS = [
    ("git", "", "check .", "evals/data/rows.yaml"),
    ("git", "evals", "check .", "evals/data/rows.yaml"),
    ("git", "evals/data", "validate-dataset rows.yaml", "evals/data/rows.yaml"),
    ("git", "evals/other", "validate-dataset ../data/rows.yaml", "evals/data/rows.yaml"),
    ("git", "..", "check {top}", "evals/data/rows.yaml"),
    ("file", "evals", "check .", "evals/data/rows.yaml"),  # a worktree: `.git` is a file
    ("none", "", "check .", "evals/data/rows.yaml"),
    ("none", "evals", "check .", "data/rows.yaml"),
    ("none", "evals/other", "validate-dataset ../data/rows.yaml", "../data/rows.yaml"),
]


@pytest.mark.slow
@every_case(("git", "start", "call", "expected"), STARTS)
def test_paths_start_at_the_top_of_the_repository(
    git: str, start: str, call: str, expected: str, tmp_path: Path
) -> None:
    top = tmp_path / "a b"
    (top / "evals" / "other").mkdir(parents=True)
    write_files(top / "evals" / "data", {"rows.yaml": FILES["rows.yaml"]})
    if git == "git":
        subprocess.run(["git", "init", "--quiet", top], check=True)
    elif git == "file":
        (top / ".git").write_text("gitdir: elsewhere\n")
    words = [word.format(top=top) for word in call.split()]
    names = [name for name in READERS if name != "text"]
    for name in names:
        printed = printed_by(*words, "--output-format", name, cwd=top / start)
        (found,) = READERS[name](printed.out)
        if name == "concise":  # an editor opens it from there
            there = top / start / found.path
            assert there.resolve() == (top / "evals" / "data" / "rows.yaml").resolve()
        else:
            assert found.path == expected, name
        if name not in ("json", "jsonl"):  # `file` is as the command line names it
            assert str(tmp_path) not in printed.out, name


@pytest.mark.slow
@every_case("name", some(READERS, times=4))
def test_only_the_findings_decide_the_exit_code(name: str, tmp_path: Path) -> None:
    """No format, no file and no colour changes it."""
    clean = "questions: [{id: a, input: b, expected_facts: [c]}]\n"
    cases = {
        "clean": ({"a.yaml": clean}, 0),
        "warning": ({"a.yaml": FILES["rows.yaml"]}, 0),
        "error": ({"a.yaml": FILES["broken.yaml"]}, 1),
    }
    options: list[list[str]] = [[], ["--quiet"], ["--limit", "1", "--statistics"], ["--verbose"]]
    options += [["-o", f"{name}:out/x"], ["-o", "sarif:out/a", "--output", "out/b.xml"]]
    for case, (files, expected) in cases.items():
        write_files(tmp_path / case, files)
        calls = [["check", case, "--output-format", name, *each] for each in options]
        calls += [[*call, "--strict"] for call in calls]
        codes = [printed_by(*call, cwd=tmp_path).code for call in calls]
        strict = 1 if case == "warning" else expected
        assert codes == [expected] * len(options) + [strict] * len(options), case


@pytest.mark.slow
@every_case("name", sorted(READERS))
def test_colour_changes_no_exit_code(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path)
    plain = printed_by("check", ".", "--output-format", name, cwd=tmp_path)
    monkeypatch.setenv("FORCE_COLOR", "1")
    coloured = printed_by("check", ".", "--output-format", name, cwd=tmp_path)
    assert coloured.code == plain.code == 1
    assert (coloured.out == plain.out) is (name != "text")


@pytest.mark.slow
@every_case("published", [True, False])
def test_each_finding_has_the_address_of_its_page(
    published: bool,  # noqa: FBT001 - a case
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Once there is one: nobody is sent to the reserved address, where nothing is."""
    monkeypatch.chdir(tmp_path)
    if published:
        monkeypatch.setattr(page, "SITE", PUBLISHED)
    write_files(tmp_path)
    for name in ("json", "jsonl", "github", "gitlab", "junit", "sarif", "markdown"):
        assert command_line("check", ".", "--output-format", name) == 1
        text = capsys.readouterr().out
        found = list(READERS[name](text))
        assert found
        assert RESERVED not in text, name
        for each in found:
            assert (f"{PUBLISHED}/rules/{each.code}/" in text) is published, name
    if published:
        return
    assert command_line("explain", "rubric/cycle") == 0
    assert RESERVED not in capsys.readouterr().out
