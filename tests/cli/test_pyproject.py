"""Settings in `pyproject.toml`, and the options that choose a configuration."""

from __future__ import annotations

import itertools
import tomllib
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from tables import every_case
from work import calls_of
from writing import write

from evalcontract.cli.command import COMMANDS, command
from evalcontract.source.filesystem import DISK
from evalcontract.structure.exact import validator_for
from evalcontract.structure.schemas import load, properties
from evalcontract.workspace.configuration import SETTINGS, has_settings

if TYPE_CHECKING:
    from pathlib import Path

FAULTY = "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [d]}\n"
JUDGE = """\
id: j
version: "1.0.0"
template: "{{ output }}"
score_type: binary
"""
STRICT = "[tool.evalcontract]\nstrict = true\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/a.yaml").write_text(FAULTY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
@every_case(
    ("text", "status"),
    [
        (STRICT, 1),
        ("[tool]\nevalcontract = {strict = true}\n", 1),
        ("tool.evalcontract.strict = true\n", 1),
        ("[ tool . 'evalcontract' ]\nstrict = true\n", 1),
        ("[tool.evalcontract.severity]\n'dataset/near-miss-key' = 'error'\n", 1),
        ('["tool"."evalcontract"]\nstrict = true\n', 1),
        ('["\\u0074ool"."\\U00000065valcontract"]\nstrict = true\n', 1),
        ('tool = {"\\u0065valcontract" = {strict = true}}\n', 1),
        ('[tool]\n"evalcontrac\\u0074".strict = true\n', 1),
        ("[tool.ruff]\nstrict = 1\n", 0),
        ("[project]\ndependencies = ['evalcontract']\n# [tool.evalcontract]\n", 0),
        ("not TOML, and about evalcontract", 0),
        ("[tool.evalcontract]\nstrict\n", 2),
        ("[tool]\nevalcontract = 1\n", 2),
        ("[tool.evalcontract]\nstrikt = true\n", 2),
        (f"{STRICT}# {'x' * (1 << 18)}\n", 2),
        (f"{STRICT}{'.'.join('x' * 99)} = 1\n", 2),
        (f"{STRICT}x = {'[' * 5000}\n", 2),
    ],
    ids=lambda text: str(text)[:40],
)
def test_tables(text: str, status: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.yaml").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert command_line("check", "--no-cache") == status
    assert command_line("validate-dataset", "a.yaml") == status
    assert command_line("check", "--isolated") == 0


def test_what_only_names_us_is_not_parsed(place: Path) -> None:
    rest = "".join(f"[tool.other.x{at}]\nexclude = ['\\u {at}']\n" for at in range(200))
    path = place / "pyproject.toml"
    path.write_text(f"[project.scripts]\nevalcontract = 'evalcontract.cli:main'\n{rest}")
    assert calls_of(has_settings, path, path.name, DISK) < 1_500
    path.write_text(f"{path.read_text()}{STRICT}")
    assert calls_of(has_settings, path, path.name, DISK) > 5_000


@every_case(
    "form",
    [
        "[{0}.{1}]\n",
        "[{0}.x]\n[ {0} . {1} . y]\n",
        "[[{0}.{1}]]\n",
        "{0}\t.{1}.a.b = 1\n",
        "[{0}]\n{1}.a = 1\n",
        "[ {0} ]\n{1} = {{}}\n",
        "{0} = {{x = 1, {1}.a = 2}}\n",
        "[x]\n{0}.{1} = 1\n",
        "[x.{0}]\n{1} = 1\n",
    ],
)
def test_the_table_is_found_in_every_notation(form: str, place: Path) -> None:
    path = place / "pyproject.toml"
    tools = ("tool", "'tool'", '"tool"', '"t\\u006Fol"')
    names = ("evalcontract", "'evalcontract'", '"evalcontract"', '"evalc\\U0000006Fntract"')
    for tool, name in itertools.product(tools, names):
        text = form.format(tool, name)
        path.write_text(text, encoding="utf-8")
        is_there = "evalcontract" in tomllib.loads(text).get("tool", {})
        assert has_settings(path, path.name, DISK) == is_there, text


def test_places_are_those_of_our_table(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = "[tool.other]\nexclude = 1\n[tool.evalcontract]\nexclude = 1\n"
    (place / "pyproject.toml").write_text(text, encoding="utf-8")
    assert command_line("check") == 2
    assert "pyproject.toml:4: `exclude`" in capsys.readouterr().err


def test_the_table_makes_a_workspace(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "pyproject.toml").write_text(STRICT, encoding="utf-8")
    (place / "datasets/deep").mkdir()
    (place / "datasets/deep/b.yaml").write_text(FAULTY, encoding="utf-8")
    assert command_line("validate-dataset", "datasets/deep/b.yaml") == 1
    assert "because pyproject.toml sets `strict`" in capsys.readouterr().out


@every_case("command", [("check",), ("validate-dataset", "datasets/a.yaml")])
def test_two_files_in_one_folder(
    command: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/a.yaml").write_text(FAULTY, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pyproject.toml").write_text(f"\n{STRICT}", encoding="utf-8")
    (tmp_path / "evalcontract.toml").write_text("", encoding="utf-8")
    assert command_line(*command, "--output-format", "concise") == 0
    printed = capsys.readouterr().out
    assert "pyproject.toml:2:1: warning[workspace/shadowed-configuration]" in printed


@pytest.mark.costly
def test_a_configuration_by_option(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (place / "ci").mkdir()
    (place / "ci/strict.toml").write_text("strict = true\n", encoding="utf-8")
    (place / "ci/pyproject.toml").write_text(STRICT, encoding="utf-8")
    (place / "evalcontract.toml").write_text("strict = false\n", encoding="utf-8")
    assert command_line("check") == 0
    for name in ("ci/strict.toml", "ci/pyproject.toml"):
        assert command_line("check", "--config", name) == 1
        assert command_line("validate-dataset", "datasets", "--config", name) == 1
    (place / "ci/strict.toml").write_text("exclude = ['datasets/a.yaml']\n", encoding="utf-8")
    assert command_line("check", "--config", "ci/strict.toml") == 2  # nothing is left
    capsys.readouterr()
    assert command_line("check", "--config", "ci/strict.toml", "--isolated") == 2
    assert "contradicts" in capsys.readouterr().err
    (place / "ci/pyproject.toml").write_text("[project]\n", encoding="utf-8")
    assert command_line("check", "--config", "ci/pyproject.toml") == 2
    assert "has no table" in capsys.readouterr().err


def test_whoever_takes_a_root_takes_a_configuration() -> None:
    for name in COMMANDS:
        options = {option for param in command(name).params for option in param.opts}
        if "--root" in options:
            assert {"--config", "--isolated"} <= options, name


@pytest.mark.slow
@every_case(
    "arguments",
    [
        ["coverage", "datasets"],
        ["coverage", "datasets/a.yaml"],
        ["report", "datasets", "-o", "-"],
        ["report", "datasets/a.yaml", "-o", "-"],
        ["convert", "datasets/a.yaml", "out.jsonl", "--force"],
        ["convert", "datasets", "out.jsonl", "--force"],
        ["grade", "datasets/a.yaml", "--outputs", "outputs/a.jsonl"],
        ["calibrate-judge", "judges/j.yaml", "--labels", "labels.csv"],
        ["calibrate-judge", "judge/j@1.0.0", "--labels", "labels.csv"],
        ["migrate", "datasets", "-o", "moved", "--force"],
        ["fix", "--diff"],
        ["fix", "--diff", "datasets/a.yaml"],
    ],
)
def test_each_command_reads_the_configuration_that_is_chosen(
    arguments: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Whatever a command does with a good configuration, it refuses a bad one."""
    monkeypatch.chdir(tmp_path)
    write(
        tmp_path,
        {
            "evalcontract.toml": "strikt = true\n",
            "good.toml": "strict = false\n",
            "bad.toml": "strickt = true\n",
            "datasets/a.yaml": "questions:\n  - {id: a, input: b, criteria: c}\n",
            "outputs/a.jsonl": '{"id": "a", "output": "x"}\n',
            "judges/j.yaml": JUDGE,
            "labels.csv": "id,human,judge\na,pass,pass\nb,fail,fail\n",
        },
    )  # fmt: skip
    for options, name in (
        ([], "strikt"),
        (["--config", "bad.toml"], "strickt"),
        (["--config", "good.toml", "--isolated"], "contradicts"),
    ):
        assert command_line(*arguments, *options) == 2
        assert name in capsys.readouterr().err
    for options in (["--isolated"], ["--config", "good.toml"]):
        command_line(*arguments, *options)
        told = capsys.readouterr().err
        assert "strikt" not in told
        assert "contradicts" not in told


def test_coverage_and_grade_go_by_the_chosen_configuration(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"lax.toml": "strict = false\n", "evalcontract.toml": "strict = true\n"})
    write(place, {"outputs/a.jsonl": '{"id": "a", "output": "x"}\n'})
    grade = ("grade", "datasets/a.yaml", "--outputs", "outputs/a.jsonl")
    convert = ("convert", "datasets/a.yaml", "out.json")
    assert command_line(*grade) == command_line(*convert) == 1
    assert "error[dataset/near-miss-key]" in capsys.readouterr().err
    for options in (["--isolated"], ["--config", "lax.toml"]):
        assert command_line(*grade, *options) == 0
        assert command_line(*convert, *options, "--force") == 0
        assert "warning[dataset/near-miss-key]" in capsys.readouterr().err


def test_the_schema_has_all_settings() -> None:
    known = properties(load("configuration")).keys()
    assert {name.replace("-", "_") for name in known} == SETTINGS


@pytest.mark.slow
@every_case(
    ("text", "is_valid"),
    [
        ("strict = true", True),
        ("strict = 1", False),
        ("max_validation_age_days = 0", False),
        ("datasets = ['datasets/*.yaml']", True),
        ("datasets = 'datasets/*.yaml'", False),
        ("exclude = [1]", False),
        ("declared_kinds = ['a_b']", True),
        ("declared_kinds = ['A']", False),
        ("row_keys_graded = ['expected_answer']", True),
        ("row_keys_graded = ['']", False),
        ("require_ignore_reason = 'x'", False),
        ("require_ignore_reason = false", True),
        ("[per_file_ignores]\n'datasets/*' = ['rubric/']", True),
        ("[per-file-ignores]\n'datasets/*' = ['rubric/']", True),
        ("[per_file_ignores]\n'datasets/*' = 'rubric/'", False),
        ("[severity]\n'rubric/cycle' = 'note'", True),
        ("[severity]\n'rubric/cycle' = 'loud'", False),
        ("[severity]\n'rubric/cycle' = {soft = 'note', strict = 'error'}", True),
        ("[severity]\n'rubric/cycle' = {hard = 'note'}", False),
        ("unknown = 1", False),
    ],
)
def test_the_schema_and_the_code_agree(
    text: str, is_valid: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import tomllib

    (tmp_path / "datasets").mkdir()
    (tmp_path / "datasets/a.yaml").write_text(FAULTY, encoding="utf-8")
    (tmp_path / "evalcontract.toml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    assert validator_for(load("configuration")).is_valid(tomllib.loads(text)) is is_valid
    assert (command_line("check", "--exit-zero") == 0) is is_valid
