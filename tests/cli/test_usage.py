"""What a person reads who types a command wrongly."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from doors import command_line
from tables import every_case

from evalcontract.cli.command import COMMANDS
from evalcontract.model.codes import SITE

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with one good dataset the current one, on 80 columns."""
    text = "questions: [{id: a, input: b, criteria: c}]\n"
    (tmp_path / "rows.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.mark.parametrize("arguments", [[], ["schema"]])
def test_a_group_alone_shows_its_help_once(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line(*arguments, "--help") == 0
    help_ = capsys.readouterr().out
    assert command_line(*arguments) == 2
    assert capsys.readouterr() == ("", help_)


@every_case(
    ("arguments", "message"),
    [
        (["chek"], "there is no command `chek`; did you mean `check`?"),
        (["aev"], "there is no command `aev`; did you mean `aevd`?"),
        (["dataset"], "there is no command `dataset`; did you mean `validate-dataset`?"),
        (
            ["validate"],
            (
                "there is no command `validate`; did you mean `validate-dataset`, "
                "`validate-rubric`, `validate-judge` or `validate-target`?"
            ),
        ),
        (
            ["rows.yaml"],
            (
                "there is no command `rows.yaml`, but a file or folder of that name; put "
                f"a command before it: {', '.join(f'`{name}`' for name in COMMANDS)}"
            ),
        ),
        (["schema", "lst"], "there is no command `lst`; did you mean `list`?"),
        (["schema", "x"], "there is no command `x`; choose from `export`, `list`, `show`"),
        (
            ["schema", "show", "nope"],
            (
                "invalid value for 'NAME': there is no schema `nope`; "
                "`evalcontract schema list` lists them"
            ),
        ),
        (["check", "nowhere"], "there is no folder `nowhere`"),
        (["check", ""], "there is no folder ``"),
        (
            ["check", "rows.yaml"],
            (
                "`rows.yaml` is a file, but check takes a folder or a file below `targets/`; for a "
                "file use validate-dataset, validate-rubric, validate-judge or validate-target"
            ),
        ),
        # What `"$FILE"` gives where FILE is not set; it must not mean the current folder.
        (["validate-dataset", ""], "a file name cannot be empty"),
        (["coverage", ""], "a file name cannot be empty"),
        (["validate-dataset", "--"], "missing argument 'FILE...'"),
        (
            ["explain", "duplicate-idd"],
            (
                "there is no code, kind of check, key or artifact `duplicate-idd`; "
                "did you mean `dataset/duplicate-id`?"
            ),
        ),
        (
            ["explain", ""],
            (
                "there is no code, kind of check, key or artifact ``; "
                "`evalcontract explain` lists them all"
            ),
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_message(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.splitlines()[-1] == f"error: {message}"


@every_case(
    "arguments",
    [
        ["schema", "show"],
        ["schema", "show", "nope"],
        ["validate-dataset", "rows.yaml", "--limit", "x"],
        ["check", "--nope"],
        ["check", "\x1b[31m"],
        ["\x1b[31m"],
    ],
    ids=ascii,
)
def test_line_breaks_are_kept_and_escapes_are_not(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line(*arguments) == 2
    printed = capsys.readouterr().err
    assert "\N{SYMBOL FOR LINE FEED}" not in printed
    assert "\x1b" not in printed
    assert printed.startswith("Usage: ")
    assert printed.count("Usage: ") == 1


@every_case(
    "command",
    [[], ["check"], ["validate-dataset"], ["validate-rubric"], ["validate-judge"],
     ["validate-target"], ["coverage"], ["explain"], ["schema"], ["schema", "list"],
     ["schema", "show"], ["schema", "export"], ["init"], ["fix"], ["grade"], ["calibrate-judge"],
     ["convert"], ["migrate"], ["lsp"]],
    ids=" ".join,
)  # fmt: skip
def test_help_fits_into_80_columns(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line(*command, "-h") == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert all(" RANGE" not in line for line in lines)
    # Whoever installed the package has no docs/; the pages are published.
    assert all("docs/" not in line for line in lines)
    for page in re.findall(rf"{SITE}/([\w-]+)/", "\n".join(lines)):
        assert (DOCS / f"{page}.md").is_file()
