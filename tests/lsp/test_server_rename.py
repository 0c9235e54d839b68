"""A rename in a whole workspace: what `check` says after it is what it said before."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import pytest
from examples import some
from live import Live, applied
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

FILES = {
    "rubrics/polite.yaml": """\
# polite answers, see rubric/polite
id: polite # the id
version: "1.0.0"
checks:
  - id: thanks
    kind: must_contain_any
    values: [thank you, polite]
  - {id: tone, kind: llm_judge, judge_prompt_ref: judge/tone@1.0.0}
scoring:
  combine: weighted_avg
  weights: {thanks: 1, tone: 2}
""",
    "rubrics/outer.json": json.dumps(
        {
            "id": "outer",
            "version": "1.0.0",
            "checks": [{"id": "p", "kind": "composite", "rubric_ref": "rubric/polite@1.0.0"}],
            "scoring": {"combine": "all_pass"},
        },
        indent=2,
    ),
    "judges/tone.yaml": 'id: tone\nversion: "1.0.0"\ntemplate: tone of {{ output }}\n',
    "datasets/a.yaml": """\
questions:
  # polite is meant
  - id: one
    input: polite or tone?
    bundle: shop
    basket: [x]
    rubric_ref: rubric/polite@1.0.0 # pinned
  - {id: two, input: b, rubric_ref: "rubric/polite", inptu: x}
""",
    "datasets/b.jsonl": '{"id": "x", "input": "polite", "rubric_ref": "rubric/polite@1.0.0"}\n',
    "datasets/c.json": """{"questions": [
 {"id": "y", "input": "z", "rubric_ref": "rubric/outer@1"}
]}""",
    "bundles/shop.schema.json": json.dumps(
        {
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "type": "object",
            "properties": {"basket": {"type": "array"}},
        }
    ),
}
#: The file and position of a name, the new one, and the files that change or get another name.
RENAMES: dict[str, tuple[str, tuple[int, int], str, str, set[str]]] = {
    "a rubric in a row": (
        "datasets/a.yaml",
        (6, 26),
        "polite",
        "kind",
        {"rubrics/polite.yaml", "rubrics/outer.json", "datasets/a.yaml", "datasets/b.jsonl"},
    ),
    "a rubric in its own file": (
        "rubrics/polite.yaml",
        (1, 6),
        "polite",
        "kind",
        {"rubrics/polite.yaml", "rubrics/outer.json", "datasets/a.yaml", "datasets/b.jsonl"},
    ),
    "a judge": (
        "judges/tone.yaml",
        (0, 5),
        "tone",
        "manner",
        {"judges/tone.yaml", "rubrics/polite.yaml"},
    ),
    "a version in a row": (
        "datasets/a.yaml",
        (6, 33),
        "1.0.0",
        "1.1.0",
        {"rubrics/polite.yaml", "rubrics/outer.json", "datasets/a.yaml", "datasets/b.jsonl"},
    ),
    "the version of a judge": (
        "judges/tone.yaml",
        (1, 12),
        "1.0.0",
        "2.0.0",
        {"judges/tone.yaml", "rubrics/polite.yaml"},
    ),
    "a row": ("datasets/a.yaml", (2, 9), "one", "first", {"datasets/a.yaml"}),
    "a check": ("rubrics/polite.yaml", (4, 9), "thanks", "gratitude", {"rubrics/polite.yaml"}),
}
CAPABILITIES = {
    "workspace": {
        "workspaceEdit": {"documentChanges": True, "resourceOperations": ["rename"]},
        "configuration": True,
    }
}


def check(folder: Path) -> list[tuple[str, int, str]]:
    """Return what the command line finds in a workspace, without the names of files."""
    command = [sys.executable, "-m", "evalcontract", "check", "--strict", "--output-format", "json"]
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)["findings"]
    return sorted((each["code"], each["line"], each["message"]) for each in found)


def apply(edit: dict[str, Any], texts: dict[str, str], folder: Path) -> set[str]:
    """Do what an editor does with a workspace edit, and return the names of the files."""
    touched = set()
    for change in edit["documentChanges"]:
        if change.get("kind") == "rename":
            old, new = (_path(change[side], folder) for side in ("oldUri", "newUri"))
            texts[new] = texts.pop(old)
            (folder / old).unlink()
        else:
            name = _path(change["textDocument"]["uri"], folder)
            texts[name] = applied(texts[name], change["edits"])
            touched.add(name)
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return touched


def _path(uri: str, folder: Path) -> str:
    return unquote(urlsplit(uri).path).removeprefix(f"{folder.as_posix()}/")


def renamed(message: str, case: str, old: str, new: str) -> str:
    """Return what a finding says with the new name."""
    if "version" in case:
        of = "tone@" if "judge" in case else "polite@|resolves to "
        return re.sub(rf"({of})1\.0\.0\b", rf"\g<1>{new}", message)
    return message.replace(f"/{old}", f"/{new}").replace(f"`{old}`", f"`{new}`")


@pytest.mark.parametrize("name", some(RENAMES, times=4))
def test_a_rename_changes_no_findings_but_for_the_name(tmp_path: Path, name: str) -> None:
    file, at, old, new, touched = RENAMES[name]
    folder = tmp_path.resolve()
    write(folder, FILES)
    texts = dict(FILES)
    with Live(folder, capabilities=CAPABILITIES) as live:
        document = live.start(folder / file)
        # Another file is open, and has a line and a reference that are not saved.
        texts["datasets/b.jsonl"] = "\n" + FILES["datasets/b.jsonl"]
        texts["datasets/b.jsonl"] += (
            '{"id": "é", "input": "b", "rubric_ref": "rubric/polite@1.0.0"}\n'
        )
        live.start(folder / "datasets/b.jsonl", texts["datasets/b.jsonl"])
        (folder / "datasets/b.jsonl").write_text(texts["datasets/b.jsonl"], encoding="utf-8")
        before = check(folder)
        (folder / "datasets/b.jsonl").write_text(FILES["datasets/b.jsonl"], encoding="utf-8")
        edit = document.ask("rename", at, newName=new)
    assert apply(edit, texts, folder) == touched
    assert before
    assert check(folder) == sorted(
        (code, line, renamed(message, name, old, new)) for code, line, message in before
    )
    shown = "".join(texts.values())
    assert "# polite is meant" in shown
    assert "# pinned" in shown
    assert "# the id" in shown
    assert "input: polite or tone?" in shown


#: What a rename of a version may not do: the version of which file, the new one, and the reason.
REFUSED = {
    "one that is there": ("rubrics/polite.yaml", "2.0.0", "there is a rubric/polite@2.0.0 already"),
    "one that is another newest": ("rubrics/polite.yaml", "3.0.0", "would then mean another one"),
    "none": ("rubrics/polite.yaml", "new", "is not a version"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_version_keeps_its_place(tmp_path: Path, name: str) -> None:
    """References without a version mean what they meant."""
    file, new, reason = REFUSED[name]
    write(tmp_path, FILES)
    second = FILES["rubrics/polite.yaml"].replace('"1.0.0"', '"2.0.0"')
    (tmp_path / "rubrics/polite@2.0.0.yaml").write_text(second, encoding="utf-8")
    with Live(tmp_path, capabilities=CAPABILITIES) as live:
        document = live.start(tmp_path / file)
        shown = document.ask("prepareRename", (2, 12))
        assert shown == {
            "range": {"start": {"line": 2, "character": 10}, "end": {"line": 2, "character": 15}},
            "placeholder": "1.0.0",
        }
        with pytest.raises(RuntimeError, match=reason):
            document.ask("rename", (2, 12), newName=new)
        newer = live.start(tmp_path / "rubrics/polite@2.0.0.yaml")
        edit = newer.ask("rename", (2, 12), newName="2.1.0")
        assert edit["documentChanges"][-1]["newUri"].endswith("/rubrics/polite%402.1.0.yaml")
