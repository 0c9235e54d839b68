"""What the language server offers to an author: it speaks the protocol in a process of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

import pytest
from live import Live, applied, split
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

RUBRIC = """\
id: polite
version: "1.0.0"
label: Polite replies
checks:
  - id: thanks
    kind: must_contain_any
    values: [thank you]
  - id: tone
    kind: llm_judge
    judge_prompt_ref: judge/tone@1.2.0
scoring:
  combine: weighted_avg
  weights:
    thanks: 1
    tone: 2
  threshold: 0.5
"""
JUDGE = """\
id: tone
version: "1.2.0"
template: |
  Is this polite?
  {{ output }}
"""
DATASET = """\
bundle: shop
questions:
  - id: one
    input: Hello
    rubric_ref: rubric/polite@1.0.0
  - id: two
    input: Hello again
    rubric_ref: rubric/polite@1.0.0
    tags: [a]
"""
BUNDLE = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "title": "Shop [here](command:evil)",
    "type": "object",
    "properties": {"basket": {"type": "array", "description": "What is in the <b>basket</b>"}},
}


FILES = {
    "rubrics/polite.yaml": RUBRIC,
    "rubrics/polite@2.0.0.yaml": RUBRIC.replace("1.0.0", "2.0.0", 1),
    "judges/tone.yaml": JUDGE,
    "bundles/shop.schema.json": BUNDLE,
    "datasets/greetings.yaml": DATASET,
    "datasets/more.jsonl": '{"id": "x", "input": "y", "rubric_ref": "rubric/polite@1.0.0"}\n',
    "datasets/more.json": {
        "questions": [{"id": "x", "input": "y", "rubric_ref": "rubric/polite@2.0.0"}]
    },
}


def opened(server: Live, name: str, marked: str, tag: str) -> tuple[Any, int, int]:
    """Open a file whose text has a `|` where the cursor is; return it and the position."""
    text, line, character = split(marked)
    path = server.folder / name
    path = path.with_name(f"{path.stem}{tag}{path.suffix}")
    return server.start(path, text), line, character


REFS = ["rubric/polite@2.0.0", "rubric/polite@1.0.0"]
HEAD = "id: x\nversion: '1.0.0'\n"
#: The file, the text with the cursor, what is offered, and what is not.
COMPLETIONS: dict[str, tuple[str, str, list[str], list[str]]] = {
    "a reference": ("datasets/a.yaml", "questions:\n  - id: a\n    rubric_ref: |\n", REFS, []),
    "a part of one": (
        "datasets/a.yaml", "questions:\n  - id: a\n    rubric_ref: rubric/|\n", REFS, [],
    ),
    "one in a file that cannot be parsed": (
        "datasets/a.yaml", 'questions:\n  - id: "a\n    rubric_ref: "rub|\n  - [\n', REFS, [],
    ),
    "one in flow style": ("datasets/a.yaml", "questions:\n  - {id: a, rubric_ref: |\n", REFS, []),
    "one in JSON": ("datasets/a.json", '{"questions": [{"rubric_ref": "rub|"}]}', REFS, []),
    "one in JSON that ends": ("datasets/a.json", '{"questions": [{"rubric_ref": |', REFS, []),
    "one in a list of rows": ("datasets/a.json", '[{"rubric_ref": "|"}]', REFS, []),
    "one in JSONL": ("datasets/a.jsonl", '{"id": "a"}\n{"rubric_ref": "|\n', REFS, []),
    "a judge": (
        "rubrics/a.yaml",
        HEAD + "checks:\n  - kind: llm_judge\n    judge_prompt_ref: j|\n",
        ["judge/tone@1.2.0"],
        REFS,
    ),
    "a judge of a jury": (
        "rubrics/a.yaml",
        HEAD + "checks:\n  - kind: llm_judge\n    jury:\n      judges:\n"
        "        - judge_prompt_ref: |\n",
        ["judge/tone@1.2.0"],
        [],
    ),
    "a key of a row": (
        "datasets/a.yaml",
        "questions:\n  - id: a\n    |\n    tags: []\n",
        ["input", "rubric_ref", "expected_facts"],
        ["id", "tags", "questions", "basket"],
    ),
    "a key of a bundle": (
        "datasets/a.yaml", "bundle: shop\nquestions:\n  - id: a\n    b|\n", ["basket", "input"], [],
    ),
    "a key of a dataset": ("datasets/a.yaml", "que|\n", ["questions", "metadata"], ["input"]),
    "a key of a row in JSON": (
        "datasets/a.json", '{"questions": [{"id": "a", "|"}]}', ["input"], ["id"],
    ),
    "a key of a row in JSONL": ("datasets/a.jsonl", '{"id": "a", |}', ["input"], ["id"]),
    "a kind": (
        "rubrics/a.yaml", HEAD + "checks:\n  - kind: |\n", ["regex", "llm_judge", "composite"], [],
    ),
    "a key of a kind": (
        "rubrics/a.yaml",
        HEAD + "checks:\n  - id: a\n    |\n    kind: regex\n",
        ["pattern"],
        ["values", "id", "kind"],
    ),
    "a value of a list": (
        "rubrics/a.yaml", HEAD + "checks:\n  - kind: regex\n    flags:\n      - |\n", ["i"], [],
    ),
    "how scores are combined": (
        "rubrics/a.yaml", HEAD + "scoring:\n  combine: w|\n", ["weighted_avg", "all_pass"], [],
    ),
    "the checks of weights": (
        "rubrics/a.yaml",
        RUBRIC.replace("    thanks: 1\n", "    |\n"),
        ["thanks"],
        ["tone"],
    ),
    "bundles": ("datasets/a.yaml", "bundle: |\nquestions: []\n", ["shop"], []),
    "bundles of a rubric": (
        "rubrics/a.yaml", HEAD + "applicable_bundles:\n  - |\n", ["shop"], [],
    ),
    "variables": (
        "judges/a.yaml", HEAD + "template: >\n  Is {{ ou|\n", ["output", "expected.format"], [],
    ),
    "a score type": (
        "judges/a.yaml", HEAD + "score_type: |\n", ["binary", "continuous", "levels"], [],
    ),
    "true and false": (
        "rubrics/a.yaml",
        HEAD + "checks:\n  - kind: must_contain_any\n    case_sensitive: |\n",
        ["true", "false"],
        [],
    ),
    "nothing in prose": ("datasets/a.yaml", "questions:\n  - input: hello |\n", [], ["input"]),
    "nothing in a file of something else": ("other.yaml", "services:\n  |\n", [], ["questions"]),
}  # fmt: skip


@pytest.mark.parametrize("name", COMPLETIONS)
def test_completion(server: Live, name: str) -> None:
    file, marked, offered, others = COMPLETIONS[name]
    document, line, character = opened(server, file, marked, f"_{name.replace(' ', '_')}")
    found = document.completions(line, character)
    document.close()  # an open rubric is one of the workspace
    assert set(offered) <= set(found), list(found)
    assert not set(others) & set(found)
    for label in offered:
        assert found[label]["documentation"]["value"], label


def test_completion_writes_what_is_missing(server: Live) -> None:
    cases = {
        "datasets/w.yaml": ("questions:\n  - id: a\n    rubric_ref: rubric/po|\n", REFS[0]),
        "datasets/q.yaml": ('questions:\n  - id: a\n    rubric_ref: "rubric/po|"\n', REFS[0]),
        "datasets/w.jsonl": ('{"rubric_ref": |', REFS[0]),
        "datasets/q.jsonl": ('{"rubric_ref": "r|', REFS[0]),
        "datasets/k.jsonl": ('{"id": "a", in|}', "input"),
        "datasets/k.yaml": ("questions:\n  - id: a\n    in|\n", "input"),
        "datasets/r.yaml": ("questions:\n  - id: a\n    in|put: x\n", "input"),
        "judges/w.yaml": ('id: x\ntemplate: "{{|"\n', "output"),
    }
    written = {}
    for name, (marked, label) in cases.items():
        document, line, character = opened(server, name, marked, "_written")
        edit = document.completions(line, character)[label]["textEdit"]
        document.close()
        written[name] = applied(marked.replace("|", ""), [edit])
    assert written == {
        "datasets/w.yaml": f"questions:\n  - id: a\n    rubric_ref: {REFS[0]}\n",
        "datasets/q.yaml": f'questions:\n  - id: a\n    rubric_ref: "{REFS[0]}"\n',
        "datasets/w.jsonl": f'{{"rubric_ref": "{REFS[0]}"',
        "datasets/q.jsonl": f'{{"rubric_ref": "{REFS[0]}',
        "datasets/k.jsonl": '{"id": "a", "input": }',
        "datasets/k.yaml": "questions:\n  - id: a\n    input: \n",
        "datasets/r.yaml": "questions:\n  - id: a\n    input: x\n",
        "judges/w.yaml": 'id: x\ntemplate: "{{output }}"\n',
    }


def test_each_value_has_a_text_of_its_own(server: Live) -> None:
    said = {
        "a kind": ("regex", "Passes when the regular expression matches"),
        "a value of a list": ("i", "Ignores case."),
        "how scores are combined": ("all_pass", "Every check has to pass."),
        "a score type": ("binary", "The judge answers PASS or FAIL."),
    }
    for number, (name, (label, text)) in enumerate(said.items()):
        file, marked, *_ = COMPLETIONS[name]
        document, line, character = opened(server, file, marked, f"_meant_{number}")
        found = document.completions(line, character)[label]["documentation"]["value"]
        document.close()
        assert found.startswith(f"**`{label}`**\n\n{text}")


def test_hover_of_a_value(server: Live) -> None:
    scoring = "scoring:\n  combine: {}\n"
    checks = "checks:\n  - kind: regex\n    pattern: {}\n    match: {}\n"
    cases = {
        scoring.format("med|ian"): "**`median`**\n\nThe middle score.",
        scoring.format("med|ium"): "",
        checks.format("a", "sear|ch"): "**`search`**\n\n",
        checks.format("wo|rd", "search"): "",  # its own text is no value with a meaning
    }
    for number, (marked, text) in enumerate(cases.items()):
        document, line, character = opened(
            server, "rubrics/a.yaml", HEAD + marked, f"_value_{number}"
        )
        found = document.hover(line, character)
        document.close()
        assert found.startswith(text) if text else found == ""


def test_what_is_for_editors_alone_comes_last(server: Live) -> None:
    document, line, character = opened(server, *COMPLETIONS["a key of a dataset"][:2], "_last")
    found = document.completions(line, character)
    document.close()
    names = sorted(found, key=lambda label: found[label]["sortText"])
    assert (names[0], names[-1]) == ("questions", "$schema")


def test_newest_version_is_first(server: Live) -> None:
    document, line, character = opened(server, *COMPLETIONS["a reference"][:2], "_order")
    found = document.completions(line, character)
    assert sorted(found, key=lambda label: found[label]["sortText"]) == REFS
    assert found[REFS[0]]["detail"] == "newest version"


def test_hover(server: Live) -> None:
    dataset = server.start(server.folder / "datasets/greetings.yaml")
    rubric = dataset.hover(4, 25)
    assert "rubric/polite@1.0.0" in rubric
    assert "Polite replies" in rubric
    assert "`tone`: `llm_judge` → `judge/tone@1.2.0`" in rubric
    assert "threshold `0.5`" in rubric
    assert "prompt" in dataset.hover(3, 6)
    assert "command:" not in dataset.hover(0, 9).replace("command\\:", "")
    judge = server.start(server.folder / "rubrics/polite.yaml")
    assert "not validated" in judge.hover(9, 30)
    assert "Passes" in judge.hover(5, 15) or "text" in judge.hover(5, 15)
    assert dataset.hover(3, 15) == ""
    assert dataset.hover(400, 400) == ""


def places(server: Live, found: list[dict[str, Any]]) -> list[tuple[str, int]]:
    top = server.folder.as_uri() + "/"
    return sorted((each["uri"].removeprefix(top), each["range"]["start"]["line"]) for each in found)


def test_definition_and_references(server: Live) -> None:
    dataset = server.start(server.folder / "datasets/greetings.yaml")
    found = dataset.ask("definition", (4, 25))
    assert places(server, found) == [("rubrics/polite.yaml", 0)]
    rubric = server.start(server.folder / "rubrics/polite.yaml")
    found = rubric.ask("definition", (13, 6))
    assert places(server, found) == [("rubrics/polite.yaml", 4)]
    with_own = {"context": {"includeDeclaration": True}}
    found = rubric.ask("references", (0, 5), **with_own)
    uses = [*(("datasets/greetings.yaml", line) for line in (4, 7)), ("datasets/more.jsonl", 0)]
    assert places(server, found) == [*uses, ("rubrics/polite.yaml", 0)]
    without = {"context": {"includeDeclaration": False}}
    assert places(server, dataset.ask("references", (4, 25), **without)) == uses
    bundle = dataset.ask("definition", (0, 9))
    assert places(server, bundle) == [("bundles/shop.schema.json", 0)]
    assert dataset.ask("definition", (3, 12)) == []


def changed(server: Live, edit: dict[str, Any]) -> dict[str, str]:
    """Return the files that an edit changes, with their new texts."""
    top = server.folder.as_uri() + "/"
    found = {}
    for uri, edits in edit["changes"].items():
        name = unquote(uri.removeprefix(top))
        found[name] = applied((server.folder / name).read_text(encoding="utf-8"), edits)
    return found


def test_rename_of_a_rubric(server: Live) -> None:
    dataset = server.start(server.folder / "datasets/greetings.yaml")
    prepared = dataset.ask("prepareRename", (4, 25))
    assert prepared["placeholder"] == "polite"
    assert prepared["range"]["start"]["character"] == DATASET.splitlines()[4].index("polite")
    texts = changed(server, dataset.ask("rename", (4, 25), newName="kind"))
    assert texts["datasets/greetings.yaml"] == DATASET.replace("rubric/polite", "rubric/kind")
    assert texts["rubrics/polite.yaml"] == RUBRIC.replace("id: polite", "id: kind")
    assert '"rubric/kind@1.0.0"' in texts["datasets/more.jsonl"]
    assert '"rubric/kind@2.0.0"' in texts["datasets/more.json"]
    assert len(texts) == 5
    for name in ("Not An Id", "../x", "", "tone tone"):
        with pytest.raises(RuntimeError):
            dataset.ask("rename", (4, 25), newName=name)


def test_a_file_is_renamed_with_its_rubric(tmp_path: Path) -> None:
    can = {"documentChanges": True, "resourceOperations": ["rename"]}
    capabilities = {"workspace": {"workspaceEdit": can, "configuration": True}}
    write(tmp_path, FILES)
    with Live(tmp_path, capabilities=capabilities) as live:
        dataset = live.start(live.folder / "datasets/greetings.yaml")
        edit = dataset.ask("rename", (4, 25), newName="kind")
        files = [change for change in edit["documentChanges"] if "kind" in change]
        assert {
            tuple(unquote(change[side]).rpartition("/")[2] for side in ("oldUri", "newUri"))
            for change in files
        } == {("polite.yaml", "kind.yaml"), ("polite@2.0.0.yaml", "kind@2.0.0.yaml")}
        texts = [change["textDocument"] for change in edit["documentChanges"] if "edits" in change]
        assert {"uri": dataset.uri, "version": 1} in texts


def test_rename_of_a_check_and_of_a_row(server: Live) -> None:
    rubric = server.start(server.folder / "rubrics/polite.yaml")
    texts = changed(server, rubric.ask("rename", (4, 11), newName="gratitude"))
    assert texts == {"rubrics/polite.yaml": RUBRIC.replace("thanks", "gratitude")}
    assert texts == changed(server, rubric.ask("rename", (13, 6), newName="gratitude"))
    with pytest.raises(RuntimeError, match="another check"):
        rubric.ask("rename", (4, 11), newName="tone")
    dataset = server.start(server.folder / "datasets/greetings.yaml")
    texts = changed(server, dataset.ask("rename", (2, 11), newName="Row 1"))
    assert texts == {"datasets/greetings.yaml": DATASET.replace("id: one", "id: Row 1")}
    with pytest.raises(RuntimeError, match="another row"):
        dataset.ask("rename", (2, 11), newName="two")


def test_outline(server: Live) -> None:
    dataset = server.start(server.folder / "datasets/greetings.yaml")
    dataset.codes_at_all()
    rows = dataset.ask("documentSymbol")
    assert [(row["name"], row["detail"]) for row in rows] == [
        ("one", "Hello"),
        ("two", "Hello again"),
    ]
    assert [row["range"]["start"]["line"] for row in rows] == [2, 5]
    assert [row["range"]["end"]["line"] for row in rows] == [4, 8]
    lines = server.start(server.folder / "datasets/more.jsonl")
    lines.codes_at_all()
    assert [row["name"] for row in lines.ask("documentSymbol")] == ["x"]
    rubric = server.start(server.folder / "rubrics/polite.yaml")
    rubric.codes_at_all()
    outline = rubric.ask("documentSymbol")
    assert [each["name"] for each in outline] == ["polite"]
    assert [check["name"] for check in outline[0]["children"]] == ["thanks", "tone"]


def test_quick_fixes(server: Live) -> None:
    text = DATASET.replace("input: Hello\n", "inptu: Hello\n").replace("@1.0.0\n  - id", "\n  - id")
    dataset = server.start(server.folder / "datasets/fixes.yaml", text)
    dataset.codes("dataset/near-miss-key", "reference/unpinned")
    everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
    found = dataset.ask("codeAction", range=everywhere, context={"diagnostics": []})
    assert [action["title"] for action in found] == [
        "Rename the key to `input`",
        "Replace by `rubric/polite@2.0.0`",
        "Ignore `dataset/near-miss-key` here",
        "Ignore `reference/unpinned` here",
    ]
    edits = found[0]["edit"]["changes"][dataset.uri]
    assert applied(text, edits) == text.replace("inptu", "input")
    assert found[0]["diagnostics"][0]["code"] == "dataset/near-miss-key"
    asked = {"diagnostics": [], "only": ["source.fixAll"]}
    all_ = dataset.ask("codeAction", range=everywhere, context=asked)
    assert [action["kind"] for action in all_] == ["source.fixAll.evalcontract"]
    fixed = applied(text, all_[0]["edit"]["changes"][dataset.uri])
    assert fixed == DATASET.replace("@1.0.0\n  - id", "@2.0.0\n  - id")
    nowhere = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}}
    assert dataset.ask("codeAction", range=nowhere, context={"diagnostics": []}) == []
    dataset.close()


ROW = "questions:\n  - id: a\n    input: Hi\n"
FACTS = "    expected_facts:\n      - b # c\n"
JSON_ROW = '{"id": "a", "input": "Hi", "expected_facts": ["b"]'
ADD, REMOVE = "Add its value to `expected_facts`", "Remove `expecteed` and its value"
#: The suffix, the text, and by their titles what the changes of a key that has no fix make of it.
CHANGES: dict[str, tuple[str, str, dict[str, str | None]]] = {
    "a list": (
        "yaml",
        f"{ROW}    expected_facts: [b]\n    expected_fcts: [b, x]\n",
        {
            ADD: f"{ROW}    expected_facts: [b, x]\n",
            "Remove `expected_fcts` and its value": f"{ROW}    expected_facts: [b]\n",
        },
    ),
    "a comment on the key": (
        "yaml",
        f"{ROW}    expected_facts: [b]\n    expecteed: x # d\n",
        {ADD: None, REMOVE: f"{ROW}    expected_facts: [b]\n"},
    ),
    "a comment in the list": (
        "yaml",
        f"{ROW}{FACTS}    expecteed: x\n",
        {ADD: None, REMOVE: f"{ROW}{FACTS}"},
    ),
    "a value that is there": ("yaml", f"{ROW}    expecteed: b\n{FACTS}", {REMOVE: f"{ROW}{FACTS}"}),
    "a value of another type": (
        "yaml",
        f"{ROW}    expecteed: 3\n{FACTS}",
        {REMOVE: f"{ROW}{FACTS}"},
    ),
    "JSON Lines": (
        "jsonl",
        f'{{"id": "b"}}\r\n{JSON_ROW}, "expecteed": "x"}}\r\n{{}}\r\n',
        {
            ADD: f'{{"id": "b"}}\r\n{JSON_ROW[:-1]}, "x"]}}\r\n{{}}\r\n',
            REMOVE: f'{{"id": "b"}}\r\n{JSON_ROW}}}\r\n{{}}\r\n',
        },
    ),
    "JSON": (
        "json",
        f'[{JSON_ROW}, "expecteed": "x"}}]',
        {
            ADD: f'[{JSON_ROW[:-1]}, "x"]}}]',
            REMOVE: f"[{JSON_ROW}}}]",
        },
    ),
    "an alias": (
        "yaml",
        f"{ROW[:16]}&r\n    id: a\n    expecteed: x\n    tags: [t]\n  - *r\n",
        {REMOVE: None},
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_changes_of_a_key_that_has_no_fix(server: Live, case: str) -> None:
    suffix, text, changes = CHANGES[case]
    dataset = server.start(server.folder / f"datasets/{case}.{suffix}", text)
    dataset.codes_at_all()
    whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
    found = dataset.ask("codeAction", range=whole, context={"diagnostics": []})
    offered = {each["title"]: each for each in found if each["title"].startswith(("Add", "Rem"))}
    assert not any(each.get("isPreferred") for each in offered.values())
    results = {
        title: applied(text, each["edit"]["changes"][dataset.uri])
        for title, each in offered.items()
    }
    assert results == {title: after for title, after in changes.items() if after is not None}
    asked = {"diagnostics": [], "only": ["source.fixAll"]}
    assert dataset.ask("codeAction", range=whole, context=asked) == []
    dataset.close()
