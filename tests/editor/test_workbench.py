"""The extension in VS Code's own workbench: an author sees findings, completes, fixes and grades.

The tests are one session, one after the other. `EVALCONTRACT_PICTURES` names a folder for the
pictures that they take, in the light theme and in the dark one.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from extension import packed
from workbench import STATUS, Workbench, installation

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.thorough

RUBRIC = """\
id: order_support
version: "1.1.0"
label: Order support
checks:
  - id: facts
    kind: fact_match
  - id: no_promise
    kind: must_not_contain
    values: [guarantee]
scoring:
  combine: weighted_avg
  weights: {facts: 2, no_promise: 1}
  threshold: 0.7
"""
DATASET = """\
questions:
  - id: refund_window
    input: How long can I return a lamp?
    expected_facts: [30 days]
    expecteed: from the day of delivery
    rubric_ref: rubric/order_support@1.1.0
  - id: broken_on_arrival
    inptu: My lamp arrived broken. What now?
    expected_facts: [free replacement]
    rubric_ref: rubric/order_support@1.1.0
  - id: late_order
    input: My order is late. Can I cancel it?
    expected_facts: [cancel]
    rubric_ref: rubric/order_support@1.1.0
"""
OTHER = DATASET.replace("expecteed", "expected_fcts").replace("inptu", "input")
OUTPUTS = {
    "refund_window": "You can return it within 30 days from the day of delivery.",
    "broken_on_arrival": "We send you a new one.",
    "late_order": "Yes, you can cancel it until it is delivered.",
}
_DATASET, _RUBRIC = "datasets/returns.yaml", "rubrics/order_support.yaml"
_MENU = ".action-widget .monaco-list-row"
_SUGGESTED = ".suggest-widget.visible .monaco-list-row"


def write(folder: Path) -> None:
    lines = (json.dumps({"id": name, "output": text}) for name, text in OUTPUTS.items())
    files = {
        _RUBRIC: RUBRIC,
        "rubrics/order_support@1.0.0.yaml": RUBRIC.replace("1.1.0", "1.0.0"),
        _DATASET: DATASET,
        "datasets/shipping.yaml": OTHER,
        "outputs/monday.jsonl": "".join(f"{line}\n" for line in lines),
        "evalcontract.toml": "",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def vsix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    installation()
    return packed(tmp_path_factory.mktemp("vsix"))


@pytest.fixture(scope="module")
def workbench(vsix: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workbench]:
    """Open a workspace whose `.venv` has evalcontract; no setting says so."""
    folder = tmp_path_factory.mktemp("author") / "shop"
    write(folder)
    (folder / ".venv").symlink_to(sys.prefix)
    own = tmp_path_factory.mktemp("own")
    with Workbench(folder, own, [vsix], ["/usr/bin", "/bin"]) as window:
        window.wait(f"{STATUS} >> text=3 evalcontract")  # those of a file that nobody opened, too
        yield window


@pytest.fixture(scope="module")
def pictures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = Path(os.environ.get("EVALCONTRACT_PICTURES") or tmp_path_factory.mktemp("pictures"))
    folder.mkdir(parents=True, exist_ok=True)
    return folder.absolute()


def test_findings_are_seen(workbench: Workbench, pictures: Path) -> None:
    workbench.open(_DATASET)
    workbench.wait(".squiggly-warning >> nth=1")
    assert "by .venv" in workbench.log()
    workbench.go_to(5, 5)
    workbench.picture(pictures / "finding")


def test_the_value_of_an_unknown_key_is_moved(workbench: Workbench, pictures: Path) -> None:
    workbench.go_to(5, 6)
    workbench.press("Control+.")
    workbench.wait(f"{_MENU} >> text=Remove `expecteed` and its value")
    workbench.picture(pictures / "fix")
    workbench.click(f"{_MENU} >> text=Add its value to `expected_facts`")
    workbench.wait(f"{STATUS} >> text=2 evalcontract")
    fixed = DATASET.replace("[30 days]", "[30 days, from the day of delivery]")
    expected = fixed.replace("    expecteed: from the day of delivery\n", "")
    assert workbench.saved(_DATASET) == expected


def test_safe_fixes_are_applied(workbench: Workbench) -> None:
    workbench.command("evalcontract: Apply All Safe Fixes in This File")
    workbench.wait(f"{STATUS} >> text=1 evalcontract")
    assert "    input: My lamp arrived broken" in workbench.saved(_DATASET)


def test_a_reference_is_completed(workbench: Workbench, pictures: Path) -> None:
    workbench.go_to(13, 17)
    workbench.press("Shift+End", "Delete")
    workbench.type("rubric/")
    workbench.wait(f"{_SUGGESTED} >> nth=1")
    workbench.picture(pictures / "completion")
    workbench.press("ArrowDown", "Enter")
    assert "    rubric_ref: rubric/order_support@1.0.0\n" in workbench.saved(_DATASET)


def test_an_id_is_renamed(workbench: Workbench) -> None:
    """With all references to it, and its file."""
    workbench.open(_RUBRIC)
    workbench.go_to(1, 6)
    workbench.press("F2")
    workbench.fill(".rename-input", "order_care")
    workbench.wait('.tab[data-resource-name="order_care.yaml"]')
    workbench.command("File: Save All Files")
    workbench.gone(".tab.dirty")
    text = (workbench.folder / _DATASET).read_text(encoding="utf-8")
    assert "rubric/order_care@1.1.0" in text
    assert "rubric/order_care@1.0.0" in text
    assert "order_support" not in text


def test_the_workspace_is_checked(workbench: Workbench, pictures: Path) -> None:
    workbench.command("evalcontract: Check Workspace")
    workbench.wait(".notification-toast >> text=evalcontract: 1 warning")
    workbench.command("Notifications: Clear All Notifications")
    workbench.open("datasets/shipping.yaml")
    workbench.click(STATUS)
    workbench.wait(".markers-panel >> text=unknown key `expected_fcts`")
    workbench.picture(pictures / "problems")
    workbench.command("View: Hide Panel")


def test_outputs_are_graded_and_reported(workbench: Workbench, pictures: Path) -> None:
    workbench.open(_DATASET)
    workbench.command("evalcontract: Grade with Outputs…")
    workbench.choose("The recorded outputs", workbench.folder / "outputs/monday.jsonl")
    workbench.choose("Save the results", workbench.folder / "outputs/monday.results.jsonl")
    workbench.wait(".terminal-tab, .terminal-wrapper")
    results = workbench.text_of("outputs/monday.results.jsonl")
    assert [json.loads(line)["id"] for line in results.splitlines()] == [*OUTPUTS]
    workbench.command("View: Hide Panel")
    workbench.command("evalcontract: Open Report")
    assert "0.78\nmean score" in workbench.framed("#controls", "document.body.innerText")
    workbench.theme("-dark")
    workbench.wait(".monaco-workbench.vs-dark")
    scheme = "getComputedStyle(document.documentElement).colorScheme"
    assert workbench.framed("#controls", scheme) == "dark"
    workbench.picture(pictures / "report")
    assert workbench.framed("#controls", scheme) == "light"


#: What stands for the Python extension, which no registry has: the part of its API that is used.
PYTHON_EXTENSION = {
    "name": "python", "publisher": "ms-python", "version": "2026.1.0",
    "engines": {"vscode": "^1.93.0"}, "main": "./main.js", "activationEvents": [],
    "contributes": {"commands": [{"command": "chosen", "title": "Choose the environment"}]},
}  # fmt: skip
MAIN = """\
const { commands, EventEmitter, Uri } = require("vscode");
let path = "/nowhere/python";
const changed = new EventEmitter();
exports.activate = () => {
  commands.registerCommand("chosen", () => { path = PYTHON; changed.fire({ path }); });
  return { environments: {
    getActiveEnvironmentPath: () => ({ id: path, path }),
    resolveEnvironment: async ({ path }) => ({ executable: { uri: Uri.file(path) } }),
    onDidChangeActiveEnvironmentPath: changed.event,
  } };
};
"""


def test_without_evalcontract(
    vsix: Path, tmp_path_factory: pytest.TempPathFactory, pictures: Path
) -> None:
    """It offers to install, and starts once the Python extension has another environment."""
    folder, python = tmp_path_factory.mktemp("bare"), tmp_path_factory.mktemp("python")
    write(folder)
    (python / "package.json").write_text(json.dumps(PYTHON_EXTENSION), encoding="utf-8")
    main = MAIN.replace("PYTHON", json.dumps(sys.executable))
    (python / "main.js").write_text(main, encoding="utf-8")
    own = tmp_path_factory.mktemp("own")
    shutil.copytree(python, own / "extensions/ms-python.python-2026.1.0")
    with Workbench(folder, own, [vsix], ["/nowhere"]) as window:
        window.open(_DATASET)
        window.wait(".notification-toast >> text=is not found")
        window.picture(pictures / "absent")
        window.command("Choose the environment")
        window.wait(f"{STATUS} >> text=3 evalcontract")
        assert "by the Python extension" in window.log()
