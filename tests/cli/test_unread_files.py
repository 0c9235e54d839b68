"""Files in the folders of a workspace that are not read: each is reported, or is harmless."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces, command_line
from tables import every_case
from texts import facts
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass}
"""
GOOD = "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0}\n"
MISNAMED, UNSUPPORTED, UNREAD = "misnamed-file", "unsupported-file", "unread-file"

posix = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with a small workspace the current one."""
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": GOOD})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def reported(place: Path) -> list[tuple[str, str, list[str]]]:
    """Return the file, the code without its kind, and the facts of the help of each finding."""
    outcome = check_workspaces(place, Options(strict=False))
    return [
        (finding.place.file, finding.code.removeprefix("workspace/"), facts(finding.help))
        for finding in outcome.diagnostics
    ]


@every_case("name", ("datasets/b.csv", "datasets/b.TSV"))
def test_what_reads_a_table_is_named(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": GOOD, name: "x\n"})
    monkeypatch.chdir(tmp_path)
    readers = ["evalcontract convert", "evalcontract validate-dataset"]
    assert reported(tmp_path) == [(name, UNSUPPORTED, [*readers, "exclude"])]


@pytest.mark.slow
@every_case(
    ("name", "code", "advised"),
    [
        ("datasets/b.yaml.txt", MISNAMED, "b.yaml"),
        ("datasets/b.json.TXT", MISNAMED, "b.json"),
        ("datasets/b.jsonlines", MISNAMED, "b.jsonl"),
        ("datasets/b.jsonl.gz", MISNAMED, "b.jsonl"),
        ("datasets/b.yaml.zst", MISNAMED, "b.yaml"),
        ("datasets/b.jsonl.dvc", MISNAMED, "dvc pull"),
        ("datasets/b.ymal", MISNAMED, "b.yaml"),
        ("datasets/b.josn", MISNAMED, "b.json"),
        ("datasets/deep/er/b.yml.txt", MISNAMED, "b.yml"),
        ("rubrics/b.yaml.txt", MISNAMED, "b.yaml"),
        ("bundles/rag.json", MISNAMED, "rag.schema.json"),
        ("bundles/rag.yaml", MISNAMED, "rag.schema.json"),
        ("bundles/rag.schema.yaml", MISNAMED, "rag.schema.json"),
        ("datasets/b.xlsx", UNSUPPORTED, None),
        ("datasets/b.json5", UNSUPPORTED, None),
        ("datasets/b.toml", UNSUPPORTED, None),
        ("datasets/b.zip", UNSUPPORTED, None),
        ("datasets/b.yaml.j2", UNSUPPORTED, "b.yaml"),
        ("datasets/b.yaml.bak", UNSUPPORTED, "b.yaml"),
        ("datasets/b.yaml.disabled", UNSUPPORTED, "b.yaml"),
        ("datasets/b.yaml~", UNSUPPORTED, "b.yaml"),
        ("datasets/.b.yaml", UNSUPPORTED, "b.yaml"),
        ("judges/b.csv", UNSUPPORTED, None),
        ("targets/b.toml", UNSUPPORTED, None),
        ("datasets/a.yaml.bak", UNREAD, None),
        ("datasets/a.yaml.gz", UNREAD, None),
        ("datasets/build.py", UNREAD, None),
        ("datasets/logo.png", UNREAD, None),
        ("datasets/questions", UNREAD, None),
        ("judges/prompt.txt", UNREAD, None),
    ],
)
def test_a_file_that_is_not_read(
    name: str, code: str, advised: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": GOOD, name: "x\n"})
    monkeypatch.chdir(tmp_path)
    assert reported(tmp_path) == [(name, code, [*([advised] if advised else []), "exclude"])]
    write(tmp_path, {"evalcontract.toml": f"exclude = ['{name}']\n"})
    assert reported(tmp_path) == []


@pytest.mark.slow
@every_case(
    "name",
    [
        *("README.md", "README", "LICENSE", "LICENSE.txt", "NOTES.md", "CODEOWNERS", "guide.rst"),
        *(".gitkeep", ".gitignore", ".gitattributes", ".keep", ".DS_Store", "._a.yaml"),
        *(".a.yaml.swp", ".#a.yaml", "#a.yaml#", "a.yaml~", "Thumbs.db", ".nfs000012"),
        *(".prettierrc.yaml", ".yamllint", ".yamllint.yaml", ".editorconfig", ".eslintrc.json"),
        *(".markdownlint.json", ".hidden/b.csv", "__pycache__/b.csv", "node_modules/b.csv"),
    ],
)
def test_a_harmless_file(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": GOOD})
    write(tmp_path, {f"{folder}/{name}": "x\n" for folder in ("datasets", "rubrics", "judges")})
    write(tmp_path, {"judges/a.yaml": 'id: a\nversion: "1.0.0"\ntemplate: "{{ output }}"\n'})
    write(tmp_path, {"rubrics/a.yaml": RUBRIC.replace("polite", "a")})
    monkeypatch.chdir(tmp_path)
    assert reported(tmp_path) == []


def test_files_elsewhere_are_not_reported(place: Path) -> None:
    write(place, dict.fromkeys(("b.csv", "scripts/c.jsonl.gz", "src/bundles/app.js"), "x\n"))
    assert reported(place) == []


def test_files_of_one_kind_are_one_note(place: Path) -> None:
    write(place, {f"datasets/{name}": "" for name in ("x.py", "y.py", "z.sh", "deep/x.py")})
    outcome = check_workspaces(place, Options(strict=True))
    assert [(finding.place.file, str(finding.severity)) for finding in outcome.diagnostics] == [
        ("datasets/deep/x.py", "note"),
        ("datasets/x.py", "note"),
        ("datasets/z.sh", "note"),
    ]
    assert "2" in facts(outcome.diagnostics[1].message)


def test_a_table_alone_is_nothing_to_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"datasets/b.csv": "x\n"})
    monkeypatch.chdir(tmp_path)
    assert command_line("check") == 2
    assert "datasets/b.csv" in capsys.readouterr().err
    (tmp_path / "datasets/b.csv").rename(tmp_path / "datasets/b.jsonl.gz")
    assert command_line("check") == 1


def test_an_exclude_that_leaves_nothing(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"evalcontract.toml": "exclude = ['*']\n"})
    assert command_line("check") == 2
    assert "`exclude` in evalcontract.toml leaves out 2 files" in capsys.readouterr().err


def test_a_file_that_another_file_names_is_read(place: Path) -> None:
    shape = "  - {id: shape, kind: json_schema, schema_ref: rubrics/shapes/answer.txt}\n"
    write(place, {"rubrics/shapes/answer.txt": '{"type": "object"}', "datasets/quiet.data": GOOD})
    assert [name for name, _, _ in reported(place)] == [
        "datasets/quiet.data",
        "rubrics/shapes/answer.txt",
    ]
    write(place, {"targets/quiet.yaml": "dataset: datasets/quiet.data\n"})
    write(place, {"rubrics/polite.yaml": RUBRIC.replace("scoring", f"{shape}scoring")})
    assert reported(place) == []


def test_a_folder_of_datasets_may_be_called_bundles(place: Path) -> None:
    write(place, {"datasets/bundles/a.yaml": GOOD})
    assert reported(place) == []


@every_case(
    ("files", "advised"),
    [
        ({"target/a.yaml": "dataset: datasets/a.yaml\n"}, ["target/"]),
        ({"Targets/a/b.json": '{"dataset": "datasets/a.yaml"}'}, ["Targets/"]),
        ({"bundle/rag.schema.json": "{}"}, ["bundle/"]),
        ({f"target/{n}.yaml": "dataset: datasets/a.yaml\n" for n in "ab"}, ["target/"]),
        ({"target/classes/app.yaml": "name: app\n"}, None),  # what Maven builds
        ({"target/a.yaml": GOOD}, None),  # a dataset is read anywhere
        ({"bundle/app.json": "{}"}, None),
        ({"sub/target/a.yaml": "dataset: datasets/a.yaml\n"}, None),
    ],
)
def test_a_misspelled_folder(
    files: dict[str, str],
    advised: list[str] | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": GOOD, **files})
    monkeypatch.chdir(tmp_path)
    expected = [(next(iter(files)), MISNAMED, advised)] if advised else []
    assert reported(tmp_path) == expected


# Links


@posix
def test_links(place: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    away = tmp_path_factory.mktemp("away")
    write(away, {"secret.yaml": "secret: [\n", "more/b.yaml": GOOD})
    for name, to in {
        "datasets/inside.yaml": "a.yaml",
        "datasets/nowhere.yaml": "missing.yaml",
        "datasets/nowhere": "missing",
        "datasets/out.yaml": str(away / "secret.yaml"),
        "datasets/out.jsonl": str(away / "secret.yaml"),
        "datasets/more": str(away / "more"),
        "rubrics/out.yaml": str(away / "secret.yaml"),
    }.items():
        (place / name).symlink_to(to)
    outcome = check_workspaces(place, Options(strict=False))
    assert [(finding.place.file, finding.code) for finding in outcome.diagnostics] == [
        ("rubrics/out.yaml", "source/unreadable"),
        ("datasets/more", "workspace/unsupported-file"),
        ("datasets/nowhere", "workspace/unsupported-file"),
        ("datasets/nowhere.yaml", "source/unreadable"),
        ("datasets/out.jsonl", "source/unreadable"),
        ("datasets/out.yaml", "source/unreadable"),
    ]
    assert "secret" not in "".join(map(str, outcome.diagnostics))
    assert outcome.files["dataset"] == 5


@posix
def test_a_name_is_hostile(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(place, {"datasets/\x1b[31mred.yaml.txt": "", os.fsdecode(b"datasets/\xff.yaml.gz"): ""})
    assert command_line("check", "--no-cache") == 1
    out = capsys.readouterr().out
    assert "\x1b" not in out
    assert out.count("misnamed-file") == 2


# Git LFS


@every_case(
    "name", ["datasets/b.yaml", "datasets/b.json", "b.jsonl", "b.yml", "rubrics/b.yaml",
             "judges/b.json", "bundles/b.schema.json", "targets/b.yaml"]
)  # fmt: skip
def test_a_git_lfs_pointer(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": GOOD})
    write(tmp_path, {name: f"version https://git-lfs.github.com/spec/v1\noid sha256:{'4d' * 32}\n"})
    monkeypatch.chdir(tmp_path)
    assert reported(tmp_path) == [(name, "source/lfs-pointer", ["git lfs pull"])]


@pytest.mark.parametrize("name", ["b.csv", "b.parquet", "b.jsonl"])
def test_a_git_lfs_pointer_of_another_system(
    name: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {name: "version https://git-lfs.github.com/spec/v1\nsize 12\n"})
    for dialect in ([], ["--dialect", "evret" if name == "b.csv" else "mlflow:oss"]):
        assert command_line("validate-dataset", name, *dialect) == 1
        assert "error[source/lfs-pointer]" in capsys.readouterr().out
