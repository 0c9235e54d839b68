"""Names and texts from files reach no runner of CI as a command, and no terminal as a control."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import unicodedata
from typing import TYPE_CHECKING

import pytest
from doors import Printed, command_lines
from examples import some

from evalcontract.report import FORMATS

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="file names of this sort")

# A line that GitHub's runner executes, and what it and Azure execute anywhere in a line.
COMMAND = re.compile(r"(?:^|(?<=\r))\s*::|##\[|##vso\[|##teamcity\[", re.MULTILINE | re.IGNORECASE)
PAYLOADS = [
    "::error::x",
    "   ::set-output name=a::b",
    "\t::add-mask::x",
    "##[error]x",
    "a ##[command]x",
    "##vso[task.setvariable]x",
    "##VSO[task.setvariable]x",
    "##teamcity[x]",
    "a\n::warning::x",
    "a\r::warning::x",
    "a\u2028::warning::x",
    "a\x85::warning::x",
    "\x1b]0;title\x07",
    "\x9b31m",
    "\u202eabc",
    "\u2066a\u2069",
    "\u200b::error::x",
    "\U000e0041a",
    "\ufeff::error::",
]
SAFE = {"\n", " "}
#: Breaks what Markdown would link; it is no part of a name.
SPACE = "\u200b"


def workspace(folder: Path, payload: str) -> None:
    """Write the payload wherever a name or text of a file can stand."""
    name = payload.replace("/", "_").replace("\0", "_")
    top = folder / "ws" / f"datasets {name}"
    top.mkdir(parents=True)
    for part in ("rubrics", "judges", "targets", "bundles"):
        (folder / "ws" / part).mkdir()
    checks = [
        {"id": payload, "kind": "fact_match"},
        {"id": payload, "kind": payload},
        {"id": f"x{payload}", "kind": "regex", "pattern": f"{payload}("},
        {"kind": "must_contain_any", "values": [payload, payload], payload: 1},
    ]
    rubric = {
        "id": "a",
        "version": "1.0.0",
        "checks": checks,
        "label": payload,
        payload: 1,
        "scoring": {"combine": "all_pass", "weights": {payload: 1}},
    }
    good = {
        "id": "good",
        "version": "1.0.0",
        "checks": checks[:1],
        "scoring": {"combine": "all_pass"},
    }
    judge = {
        "id": payload,
        "version": payload,
        "template": f"{{{{ {payload} }}}}",
        payload: payload,
    }
    rows = [
        {"id": payload, "input": payload, "expecteed_facts": [payload], payload: 1},
        {"id": payload, "input": 1, "rubric_ref": f"rubric/{payload}@1.0.0"},
        {
            "id": f"x{payload}",
            "input": payload,
            "rubric_ref": "rubric/good@1.0.0",
            "bundle": payload,
        },
        {"id": f"y{payload}", "input": payload, "tags": [payload, payload], "criteria": ""},
    ]
    target = {"dataset": payload, payload: payload}
    texts = {
        f"datasets {name}/a.json": {"questions": rows},
        f"rubrics/{name}.json": rubric,
        "rubrics/good.json": good,
        f"judges/{name}.json": judge,
        f"targets/{name}.json": target,
        f"bundles/{name}.schema.json": {"properties": {payload: {"pattern": f"{payload}("}}},
        f"datasets {name}/broken{name}.json": {},
    }
    for file, value in texts.items():
        (folder / "ws" / file).write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
    for file, text in runs(payload).items():
        (folder / "ws" / file.format(name)).write_text(text, encoding="utf-8")
    broken = folder / "ws" / f"datasets {name}" / f"broken{name}.yaml"
    broken.write_text(f"questions:\n  - {payload}: [\n{payload}\n", encoding="utf-8")


def runs(payload: str) -> dict[str, str]:
    """Return outputs, earlier results, labels and files to migrate; `{}` stands for the name."""
    call = {"name": payload, "arguments": payload}
    outputs: list[dict[str, object]] = [
        {"id": f"x{payload}", "output": payload, "tool_calls": [call], payload: 1},
        {"id": payload, "output": payload},
        {"id": payload, "output": 1},
        {"id": f"y{payload}", "outptu": payload},
        {"id": f"z{payload}", "tool_calls": [{"name": payload, payload: 1}]},
    ]
    check = {"id": payload, "kind": payload, "outcome": "failed", "score": 0, "reason": payload}
    named = {"file": payload}
    manifest = {"version": "1.0", "tool": {"name": payload, "version": payload}, "dataset": named}
    earlier: list[dict[str, object]] = [
        {"manifest": {**manifest, "outputs": named, "artifacts": {payload: payload}}},
        *(
            {
                "id": f"{start}{payload}",
                "rubric": payload,
                "outcome": "passed",
                "score": 1,
                "checks": [check],
            }
            for start in ("x", "gone")
        ),
    ]
    label = {"human": "pass", "judge": "fail", "split": payload, "annotator": payload}
    labels: list[dict[str, object]] = [
        {"id": f"l{payload}", **label, "model": payload},
        {"id": f"m{payload}", **label, "human": "fail", "model": {"name": f"x{payload}"}},
        {"id": payload, **label, "human": payload, "judge": payload, "split": f"x{payload}"},
        {"id": payload, **label, "model": [payload]},
        {"id": payload, payload: payload, "annotator": f"x{payload}"},
    ]
    case = {
        "id": payload,
        "prompt": payload,
        "must_contain_any": [payload, payload.upper(), ""],
        "expected_output": payload,
        payload: 1,
        "check_markdown_structure": {payload: 1, "required_sections": [payload]},
    }
    cases = {"skill_name": payload, "evals": [case, case], payload: 1}
    graders = {"id": payload, "graders": {payload: {}, "fact_match": {payload: 1}}, payload: 1}
    moved = {"id": payload, "input": payload, "rubric_ref": f"rubric/{payload}@1.0", payload: 1}
    good = {"id": "good", "version": "1.0.0", "template": "{{ output }}"}
    return {
        "outputs{}.jsonl": lines(*outputs),
        "old{}.jsonl": lines(*earlier),
        "labels{}.jsonl": lines(*labels),
        "labels.csv": f"id,human,judge,{quoted(payload)}\n{quoted(payload)},{quoted(payload)},x\n",
        "evals{}.json": json.dumps(cases, ensure_ascii=False),
        "graders{}.json": json.dumps(graders, ensure_ascii=False),
        "moved{}.json": json.dumps({"questions": [moved, moved]}, ensure_ascii=False),
        "evals-bad{}.json": json.dumps({"evals": [{payload: payload}]}, ensure_ascii=False),
        "judges/good.json": json.dumps(good),
    }


def quoted(text: str) -> str:
    doubled = text.replace('"', '""')
    return f'"{doubled}"'


def lines(*records: dict[str, object]) -> str:
    return "".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records)


def calls_of_runs(folder: Path, dataset: str) -> list[list[str]]:
    def path(pattern: str) -> str:
        return str(next((folder / "ws").glob(pattern)))

    grade = ["grade", dataset, "--outputs", path("outputs*")]
    judge = ["calibrate-judge", "ws/judges/good.json", "--labels"]
    compared = [*grade, "--compare", path("old*"), "--limit", "0"]
    return [
        [*compared, "--results", f"{dataset}.results"],
        [*compared, "--results", f"{dataset}.results"],
        [*grade, "--output-format", "jsonl"],
        [*grade, "--compare", path("labels*.jsonl")],
        [*judge, path("labels*.jsonl")],
        [*judge, path("labels*.jsonl"), "--output-format", "json"],
        [*judge, path("labels*.jsonl"), "--split", "none"],
        [*judge, "ws/labels.csv"],
        ["calibrate-judge", path("judges/*"), "--labels", "ws/labels.csv"],
        ["migrate", path("evals[!-]*"), "-o", "out1"],
        ["migrate", path("graders*"), path("moved*"), "-o", "out2"],
        ["migrate", path("evals-bad*"), "-o", "out3"],
        ["migrate", path("old*"), "-o", "out4"],
    ]


def calls(folder: Path, payload: str) -> list[list[str]]:
    dataset = str(next((folder / "ws").glob("datasets*/a.json")))
    return [
        ["check", "ws"],
        ["check", "ws", "--verbose", "--limit", "0", "--statistics"],
        ["check", "ws", "--strict", "--output-format", "json"],
        ["check", "ws", "--quiet"],
        *(["check", "ws", "--output-format", name] for name in FORMATS if name != "github"),
        ["check", "ws", "--output-format", payload],
        ["check", "ws", "--output", payload],
        ["check", "ws", "--output", f"{payload}:x"],
        ["check", "ws", "--select", payload, "--ignore", payload],
        ["validate-dataset", dataset],
        ["coverage", dataset],
        ["coverage", dataset, "--output-format", "json"],
        ["fix", "ws", "--diff"],
        ["convert", dataset, "out.json", "--to", "mlflow:oss"],
        ["check", payload],
        ["validate-dataset", f"{payload}.yaml"],
        ["convert", dataset, f"{payload}.x"],
        ["explain", payload],
        [payload],
        ["check", f"--{payload}"],
        ["grade", dataset, "--outputs", payload],
        ["calibrate-judge", payload, "--labels", payload],
        ["migrate", payload, "-o", payload],
        *calls_of_runs(folder, dataset),
    ]


@pytest.mark.slow
@pytest.mark.parametrize("payload", some(PAYLOADS, times=3))
def test_no_output_has_a_command(
    payload: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    workspace(tmp_path, payload)
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    wanted = calls(tmp_path, payload)
    shown = command_lines(wanted, cwd=tmp_path)
    assert [call for call, printed in zip(wanted, shown, strict=True) if printed.code > 2] == []
    for call, printed in zip(wanted, shown, strict=True):
        for text in (printed.out, printed.err):
            assert COMMAND.search(text) is None, (call, COMMAND.search(text), text)
            odd = controls(text) - ({SPACE} if "markdown" in call else set())
            assert odd == set(), (call, text)


def controls(text: str) -> set[str]:
    """Return the characters that a terminal acts on or does not show."""
    odd = ("Cc", "Cf", "Zl", "Zp")
    return {char for char in text if unicodedata.category(char) in odd} - SAFE


@pytest.mark.slow
def test_json_keeps_its_values(tmp_path: Path) -> None:
    payload = "##[error]\x9b\u202e::"
    workspace(tmp_path, payload)
    printed: Printed = command_lines([["check", "ws", "--output-format", "json"]], cwd=tmp_path)[0]
    report = json.loads(printed.out)
    assert any(payload in finding["message"] for finding in report["findings"])


@pytest.mark.slow
@pytest.mark.parametrize("runner", ["", "true"])
def test_a_diff_has_no_command_and_no_control_wherever_it_goes(
    runner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file or a pipe may be shown, too: by `cat`, or a later step of the runner."""
    text = '{"questions": [{"criteria": "##[x] \x9b\u202e\u2028",\r\n\t"inptu": "a"}]}'
    (tmp_path / "a.json").write_bytes(text.encode())
    monkeypatch.setenv("CI", runner)
    monkeypatch.setenv("PYTHONIOENCODING", "utf-8")
    command = [sys.executable, "-m", "evalcontract", "fix", "a.json", "--diff"]
    with (tmp_path / "out.patch").open("w") as patch:
        subprocess.run(command, cwd=tmp_path, stdout=patch, check=False)
    shown = (tmp_path / "out.patch").read_bytes().decode()
    assert ' "#\\#[x] \ufffd\ufffd\ufffd",\r\n-\t"inptu": "a"' in shown
