"""`convert` where it is hindered: nothing is half written, and nothing of others is touched."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from doors import UsageError, command_line
from examples import some
from tables import every_case

from evalcontract.cli.convert import convert_command
from evalcontract.formats import dialects
from evalcontract.source.writing import StagedFiles

ROW = "- request: What?\n  guidelines: [b]\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in.yaml").write_text(ROW, encoding="utf-8")
    return tmp_path


def code(*arguments: str) -> Any:
    arguments = (*arguments, "--from", "databricks")
    done = CliRunner().invoke(convert_command, arguments, standalone_mode=False)
    if isinstance(done.exception, UsageError):
        return str(done.exception)
    assert done.exception is None, done.exception
    return done.return_value


def names(folder: Path) -> set[str]:
    return {each.relative_to(folder).as_posix() for each in folder.rglob("*")}


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("new/o.yaml", "--loss-report", "in.yaml"), "in.yaml already exists"),
        (("new/o.yaml", "--loss-report", "new"), "new cannot be written: is a directory"),
        (("o.yaml", "--loss-report", "new/../in.yaml"), "in.yaml already exists"),
        (("pipe.json", "--force"), "pipe.json cannot be written: it is a device or a pipe"),
        (("link.json", "--force"), "link.json cannot be written: it is a symbolic link"),
        (("o.json", "--loss-report", "link.json", "--force"), "it is a symbolic link"),
        ((f"{'x' * 300}.json",), "cannot be written: file name too long"),
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="named pipes are those of POSIX")
def test_what_cannot_be_begun_leaves_nothing(
    folder: Path, arguments: tuple[str, ...], expected: str
) -> None:
    os.mkfifo(folder / "pipe.json")
    (folder / "link.json").symlink_to("pipe.json")
    before = names(folder)
    assert expected in code("in.yaml", *arguments)
    assert names(folder) == before
    assert (folder / "in.yaml").read_text(encoding="utf-8") == ROW


def test_a_bundle_beside_the_dataset_takes_the_place_of_no_other_file(folder: Path) -> None:
    (folder / "in.yaml").write_text("- request: {messages: [{role: user, content: a}]}\n")
    before = names(folder)
    found = code("in.yaml", "o.yaml", "--loss-report", "bundles/agent.schema.json")
    assert found == "bundles/agent.schema.json cannot be written: the file would be written twice"
    assert names(folder) == before


@pytest.mark.parametrize("rows", [1, 50_000])
def test_a_full_disk_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch, rows: int) -> None:
    full = Path("/dev/full")
    if not full.is_char_device():
        pytest.skip("there is no full device here")
    (folder / "in.jsonl").write_text('{"request": "a"}\n' * rows, encoding="utf-8")
    real = os.open

    def opened(path: Any, flags: int, *more: Any) -> int:
        return real(full if flags & os.O_EXCL else path, flags & ~os.O_EXCL, *more)

    monkeypatch.setattr(os, "open", opened)
    before = names(folder)
    assert code("in.jsonl", "o.jsonl") == "o.jsonl cannot be written: no space left on device"
    assert names(folder) == before


#: The command, which has written all and stops before the files get their names: however slow the
#: machine is, the signal comes in time.
BEFORE_THE_FILES_ARE_PUT = """
import time
from evalcontract.cli.start import evalcontract
from evalcontract.source.writing import StagedFiles
StagedFiles.put = lambda _: time.sleep(60)
evalcontract()
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals are those of POSIX")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_who_is_stopped_leaves_nothing(folder: Path, sent: signal.Signals) -> None:
    arguments = ["in.yaml", "new/o.jsonl", "--from", "databricks", "--loss-report", "l.json"]
    before = names(folder)
    process = subprocess.Popen(
        [sys.executable, "-c", BEFORE_THE_FILES_ARE_PUT, "convert", *arguments]
    )
    while process.poll() is None and len(names(folder) - before) < 3:
        time.sleep(0.01)
    process.send_signal(sent)
    assert process.wait() == 130
    assert names(folder) == before


def test_a_signal_while_a_file_is_made_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def interrupted(*arguments: Any) -> None:
        os.close(real(*arguments))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), StagedFiles() as staged:
        staged.open(tmp_path / "new" / "a.json")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize("last", ["", "  - {id: z, input: &a b, criteria: *a}  # tangled\n"])
def test_a_large_dataset_of_ours_keeps_its_comments(folder: Path, last: str) -> None:
    row = "  # about {}\n  - id: r{}\n    input: i  # in words\n    criteria: c\n"
    rows = "".join(row.format(number, number) for number in range(1_000))
    (folder / "ours.yaml").write_text(f"questions:\n{rows}{last}", encoding="utf-8")
    done = CliRunner().invoke(
        convert_command, ["ours.yaml", "o.yaml", "--to", "databricks"], standalone_mode=False
    )
    assert done.exception is None
    written = (folder / "o.yaml").read_text(encoding="utf-8")
    assert written.count("# about") == written.count("# in words") == 1_000
    assert written.count("# tangled") == bool(last)


def test_a_case_that_is_the_whole_document_becomes_yaml(folder: Path) -> None:
    (folder / "case.json").write_text('{"id": "a", "messages": []}', encoding="utf-8")
    done = CliRunner().invoke(
        convert_command, ["case.json", "o.yaml", "--from", "northstar"], standalone_mode=False
    )
    assert (done.exception, done.return_value) == (None, 0)


@pytest.mark.parametrize("name", ["o.json", "o.jsonl"])
def test_what_is_no_json_is_written_for_python_alone(folder: Path, name: str) -> None:
    text = '[{"request": "\\ud800", "expected_response": "c", "x_a": NaN}]'
    (folder / "in.json").write_text(text, encoding="utf-8")
    assert "o.json" in code("in.json", name)
    assert not (folder / name).exists()
    assert code("in.json", name, "--to", "databricks") == 0
    row = json.loads((folder / name).read_text(encoding="utf-8").strip("[]\n"))
    assert repr([row]) == repr(json.loads(text))


# Conversions of a stranger's file


def embedded(judges: list[Any], **rubric: Any) -> str:
    """Return an evaluation set with a row that preserves a rubric and its judges."""
    whole = {
        "metadata": {"made_from": "a row"},
        "checks": [{"id": "a", "kind": "llm_judge", "judge_prompt_ref": "judge/a@1.0.0"}],
        "scoring": {"combine": "all_pass"},
        "judges": judges,
        **rubric,
    }
    return json.dumps([{"request": "a", "metadata": {"evalcontract": {"rubric": whole}}}])


JUDGE = {"id": "a", "version": "1.0.0", "template": "Is {{ output }} polite?"}
HOSTILE_JUDGES = [
    *(
        [{**JUDGE, "id": id_}]
        for id_ in (
            "../../.pre-commit-config",
            "/etc/cron",
            "..",
            "a/b",
            "a\0b",
            "C:\\a",
            "A",
            "",
        )
    ),
    [{**JUDGE, "template": 1}],
    [{**JUDGE, "checks": []}, {"id": "b"}],
    [JUDGE, {**JUDGE, "template": "Is {{ output }} rude?"}],
]


@pytest.mark.parametrize("judges", HOSTILE_JUDGES)
def test_what_a_file_preserves_must_be_valid(folder: Path, judges: list[Any]) -> None:
    (folder / "top").mkdir()
    (folder / "top" / "in.json").write_text(embedded([JUDGE]), encoding="utf-8")
    assert code("top/in.json", "top/good.yaml") == 0
    assert (folder / "top" / "judges" / "a.yaml").is_file()
    (folder / "top" / "in.json").write_text(embedded(judges), encoding="utf-8")
    before = names(folder)
    assert code("top/in.json", "top/o.yaml", "--force") == 1
    assert names(folder) == before


@pytest.mark.parametrize("rubric", [{"checks": []}, {"checks": [{"kind": "x"}]}, {"scoring": 1}])
def test_a_preserved_rubric_must_be_valid(folder: Path, rubric: Any) -> None:
    (folder / "in.json").write_text(embedded([JUDGE], **rubric), encoding="utf-8")
    before = names(folder)
    assert code("in.json", "o.yaml") == 1
    assert names(folder) == before


@pytest.mark.parametrize(
    "kept", [{"rubric_ref": "../../a"}, {"tags": [1]}, {"expected": {"format": 1}}]
)
def test_a_preserved_key_must_be_valid(folder: Path, kept: Any) -> None:
    row = {"request": "a", "metadata": {"evalcontract": kept}}
    (folder / "in.json").write_text(json.dumps([row]), encoding="utf-8")
    before = names(folder)
    assert code("in.json", "o.yaml") == 1
    assert names(folder) == before


#: Rows of systems, in which `KEPT` is what a conversion preserved of a row of ours.
PRESERVING = {
    "databricks": '[{"request": "a", "metadata": {"evalcontract": KEPT}}]',
    "inspect": '[{"input": "a", "target": "b", "metadata": {"evalcontract": {"set": KEPT}}}]',
    "deepeval": '[{"input": "a", "additional_metadata": {"evalcontract": {"set": KEPT}}}]',
    "mlflow:managed": (
        '[{"inputs": {"question": "a"}, "expectations": {"expected_response": "b"}, '
        '"tags": {"evalcontract": {"set": KEPT}}}]'
    ),
    "northstar": (
        '{"cases": [{"id": "a", "messages": [{"role": "user", "content": "a"}], '
        '"metadata": {"evalcontract": {"row": KEPT}}}]}'
    ),
}
#: What no row may have.
FORGED = [
    '{"expected_tools": [["x"]]}',
    '{"expected_tools": [{"name": 1}]}',
    '{"expected_facts": [1], "bundle": "agent"}',
    '{"messages": 1.5, "bundle": "agent"}',
    '{"messages": [1.5]}',
    '{"criteria": "\\ud800", "\\ud800": 1}',
    '{"metadata": true}',
    '{"metadata": {"northstar": {"written": {"expected": {"contains": [["x"]]}}}}}',
    '{"metadata": {"inspect": {"set": {"target": 1.5}}}}',
    '{"expected": 5, "id": 5, "input": 5, "tags": 5, "context": 5}',
    '{"rubric": {"metadata": {"made_from": 1}, "checks": [5], "scoring": 5, "judges": [5]}}',
    "true",
    "[1]",
]


@pytest.mark.costly
@every_case(
    ("kept", "from_", "to"),
    some(product(FORGED, PRESERVING, ["evalcontract", *map(str, dialects())])),
)
def test_no_forged_value_crashes_a_target(
    kept: str, from_: str, to: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = PRESERVING[from_]
    (tmp_path / "in.json").write_text(text.replace("KEPT", kept), encoding="utf-8")
    assert command_line("convert", "in.json", "o.json", "--from", from_, "--to", to) in (0, 1, 2)


def test_what_is_preserved_is_to_blame_for_what_it_restores(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = '{"expected_tools": [["x"]]}'
    text = PRESERVING["databricks"].replace("KEPT", kept)
    (folder / "in.json").write_text(text, encoding="utf-8")
    for to in ("northstar", "inspect", "evalcontract"):
        done = command_line("convert", "in.json", "o.json", "--from", "databricks", "--to", to)
        assert done == 1
        assert "in the converted row: `expected_tools[0]`" in "".join(capsys.readouterr())


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
@pytest.mark.parametrize(
    ("link", "to", "out"),
    [
        ("ws/datasets", "../outside", "ws/datasets/o.yaml"),
        ("ws/judges", "../outside", "ws/o.yaml"),
        ("ws/rubrics", "../outside", "ws/o.yaml"),
        ("ws/o.yaml", "../outside/new.yaml", "ws/o.yaml"),
        ("ws/o.yaml", "../outside/old.yaml", "ws/o.yaml"),
        ("ws/judges/a.yaml", "../../outside/new.yaml", "ws/o.yaml"),
        ("ws/deep", "../outside", "ws/deep/er/o.yaml"),
    ],
)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_no_link_is_followed(folder: Path, link: str, to: str, out: str, force: list[str]) -> None:
    (folder / "outside").mkdir()
    (folder / "outside" / "old.yaml").write_text("old")
    (folder / "ws").mkdir()
    (folder / "ws" / "evalcontract.toml").write_text("")
    (folder / "in.json").write_text(embedded([JUDGE]), encoding="utf-8")
    (folder / link).parent.mkdir(exist_ok=True)
    (folder / link).symlink_to(to)
    before = names(folder)
    assert "symbolic link" in code("in.json", out, *force)
    assert names(folder) == before
    assert (folder / "outside" / "old.yaml").read_text() == "old"


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_a_link_of_the_user_is_followed(
    folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Such as `/tmp` on macOS, or a link inside of the workspace."""
    away = tmp_path_factory.mktemp("away")
    (away / "ws" / "datasets").mkdir(parents=True)
    (away / "ws" / "rubrics").mkdir()
    (away / "ws" / "link").symlink_to("datasets")
    linked = away.parent / "linked"
    linked.symlink_to(away)
    assert code(str(folder / "in.yaml"), str(linked / "ws" / "link" / "o.yaml")) == 0
    assert (away / "ws" / "datasets" / "o.yaml").is_file()
