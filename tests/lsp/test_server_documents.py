"""Documents that are closed and opened again, in several folders, and requests that are refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from examples import some
from live import Live
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

GOOD = "questions:\n  - id: one\n    input: Hello\n    criteria: kind\n"
BAD = GOOD.replace("input", "inptu")
RUBRIC = """\
id: {}
version: "1.0.0"
checks:
  - id: thanks
    kind: must_contain_any
    values: [thank you]
scoring: {{combine: all_pass}}
"""
REFERENCE = "questions:\n  - id: one\n    input: Hello\n    rubric_ref: rubric/{}@1.0.0\n"
FAILED = -32803  # RequestFailed of the protocol


def refusal(document: Any, what: str, at: tuple[int, int], **more: Any) -> str:
    with pytest.raises(RuntimeError) as refused:
        document.ask(what, at, **more)
    text = str(refused.value)
    assert str(FAILED) in text
    assert "Traceback" not in text
    return text


def test_a_rename_that_is_refused_says_why(tmp_path: Path) -> None:
    files = {f"rubrics/{id_}.yaml": RUBRIC.format(id_) for id_ in ("polite", "kind")}
    write(tmp_path, {**files, "datasets/a.yaml": REFERENCE.format("polite")})
    log = tmp_path / "log.txt"
    with log.open("wb") as errors, Live(tmp_path, errors=errors) as live:
        document = live.start(tmp_path / "datasets/a.yaml")
        for new, said in (
            ("kind", "there is a rubric 'kind' already"),
            ("Not An Id", "is not an id"),
            ("", "is not an id"),
            ("\x1b[31mred", "is not an id"),
        ):
            assert said in refusal(document, "rename", (3, 25), newName=new)
        assert "no id" in refusal(document, "rename", (2, 6), newName="other")
        assert document.ask("prepareRename", (2, 6)) is None
        assert document.ask("prepareRename", (3, 25))["placeholder"] == "polite"
        document.codes()
    assert log.read_text(encoding="utf-8") == ""


def test_a_document_that_is_opened_again_begins_anew(tmp_path: Path) -> None:
    write(tmp_path, {"datasets/a.yaml": GOOD, "rubrics/r.yaml": RUBRIC.format("r")})
    with Live(tmp_path) as live:
        path = tmp_path / "datasets/a.yaml"
        large = GOOD + "".join(
            f"  - id: r{n}\n    inptu: x\n    criteria: y\n" for n in range(5_000)
        )
        for _ in range(5):  # each time with version 1, while the last text is being checked
            live.start(path, large).close()
            live.start(path, BAD).close()
        document = live.start(path, GOOD)
        live.forget(document.uri)
        document.replace((2, 4), (2, 9), "inptu")
        (found,) = document.codes("dataset/near-miss-key", version=2)
        context = {"diagnostics": [found]}
        actions = document.ask("codeAction", range=found["range"], context=context)
        document.close()
        again = live.start(path, "\n" + GOOD)
        again.replace((0, 0), (0, 0), "\n")  # version 2 of another text
        (old, *_) = actions
        assert old.pop("edit")
        assert "edit" not in live.request("codeAction/resolve", old)
        again.codes("dataset/nothing-to-grade", version=2)


TEMPLATED = 'id: j\nversion: "1.0.0"\ntemplate: |\n  😀 Is it?\n  {{ outptu }} {{ output }}\n'


@pytest.mark.parametrize(
    ("name", "text"),
    some(
        {
            "datasets/key.yaml": GOOD + "    expecteed_facts: [a]\n",
            "datasets/crlf.yaml": (GOOD + "    expecteed_facts: [a]\n").replace("\n", "\r\n"),
            "datasets/emoji.yaml": GOOD + '    "expecteed_facts": [😀, é] # why 😀\n',
            "datasets/end.yaml": GOOD + "    expecteed_facts: [a]",
            "datasets/two.yaml": GOOD
            + "    expecteed_facts: [a]  # evalcontract: ignore[reference/unpinned]\n",
            "datasets/lines.yaml": GOOD + "    expecteed_facts:\n      - a\n",
            "judges/lines.yaml": TEMPLATED.replace("id: j", "id: lines"),
            "datasets/plain.yaml": "questions:\n  - id: a\n    input: b\n    criteria: c\n"
            "    rubric_ref:\n      rubric/none@1.0.0\n",
        }.items(),
        times=4,
    ),
)
def test_an_ignore_is_added_where_it_has_an_effect(tmp_path: Path, name: str, text: str) -> None:
    write(tmp_path, {"rubrics/r.yaml": RUBRIC.format("r"), "datasets/x.yaml": GOOD})
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    with Live(tmp_path) as live:
        document = live.start(path, text)
        before = live.until(document.uri, bool)
        everywhere = {"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}}
        actions = document.ask("codeAction", range=everywhere, context={"diagnostics": []})
        action = next(each for each in actions if each["title"].startswith("Ignore"))
        code = action["diagnostics"][0]["code"]
        new = units_applied(text, action["edit"]["changes"][document.uri])
        assert f"[{code}]" in new or f", {code}]" in new
        version = document.replace_all(new)
        after = live.until(document.uri, lambda _: True, version)
        known = [each["code"] for each in before]
        known.remove(code)
        assert [each["code"] for each in after] == known


def units_applied(text: str, edits: list[dict[str, Any]]) -> str:
    """Return a text with edits whose positions count the units of UTF-16, as those of editors."""
    lines = text.split("\n")
    for edit in sorted(edits, key=lambda one: -one["range"]["start"]["line"]):
        start, end = edit["range"]["start"], edit["range"]["end"]
        first, last = (lines[at["line"]].encode("utf-16-le") for at in (start, end))
        new = first[: 2 * start["character"]].decode("utf-16-le") + edit["newText"]
        new += last[2 * end["character"] :].decode("utf-16-le")
        lines[start["line"] : end["line"] + 1] = new.split("\n")
    return "\n".join(lines)
