"""Differences as people read them, rows of other systems, verdicts that flip, and hostile names."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from doors import printed_by
from markdown_it import MarkdownIt
from needs import shared
from tables import every_case
from writing import write

from evalcontract.structure import exact
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

ROW = {"id": "a", "input": "How?", "rubric_ref": "rubric/tone@1.0.0"}
WIDTH = 80
#: What only Python's JSON has.
NAN = float("nan")


def tone(values: list[str], **keys: Any) -> dict[str, Any]:
    checks = [{"id": "thanks", "kind": "must_contain_any", "values": values}]
    return {
        "id": "tone",
        "version": "1.0.0",
        "checks": checks,
        "scoring": {"combine": "all_pass"},
    } | keys


def two_folders(folder: Path, old: Mapping[str, object], new: Mapping[str, object]) -> None:
    for name, files in (("old", old), ("new", new)):
        (folder / name / "rubrics").mkdir(parents=True)
        write(folder / name, files)


OLD = {
    "rubrics/tone.yaml": tone(["thanks"]),
    "judges/polite.yaml": {"id": "polite", "version": "1.0.0", "template": "Polite?\n{{ output }}"},
    "datasets/d.yaml": {"questions": [ROW, {**ROW, "id": "b"}, {**ROW, "id": "c", "input": "C"}]},
}
NEW = {
    "rubrics/tone.yaml": tone(["thanks", "cheers"], label="Tone"),
    "judges/polite.yaml": {
        "id": "polite",
        "version": "1.1.0",
        "template": "Polite?\n{{ output }}",
        "label": "Politeness",
    },
    "datasets/d.yaml": {
        "questions": [ROW, {**ROW, "id": "z", "input": "C"}, {**ROW, "id": "n", "input": "N"}]
    },
}


def test_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    two_folders(tmp_path, OLD, NEW)
    code, out, err = printed_by("diff", "old", "new", cwd=tmp_path)
    assert (code, err) == (1, "")
    assert (
        out
        == """\
rubric/tone 1.0.0: score-breaking
  error: the version is the same: a score-breaking change needs 2.0.0 or
    higher
  new/rubrics/tone.yaml
  score-breaking: checks.thanks.values: added "cheers"
  wording only: label added: "Tone"

judge/polite 1.0.0 → 1.1.0: wording only
  new/judges/polite.yaml
  wording only: label added: "Politeness"

new/datasets/d.yaml: score-breaking: 1 row added, 1 row removed, 1 row renamed
  row `z` renamed, before `c`
  row `n` added
  row `b` removed

scores that can change, since what rows refer to did:
  new/datasets/d.yaml: 3 of 3 rows, through `rubric/tone@1.0.0`

old → new: 3 of 3 artifacts changed (2 score-breaking, 1 wording only); 1
  version does not say so
"""
    )


def test_colours_are_only_colours(tmp_path: Path) -> None:
    two_folders(tmp_path, OLD, NEW)
    plain = printed_by("diff", "old", "new", cwd=tmp_path).out
    coloured = printed_by("diff", "old", "new", "--color", "always", cwd=tmp_path).out
    for code in ("1;31", "1;33", "1;32", "36", "1", "0"):
        coloured = coloured.replace(f"\x1b[{code}m", "")
    assert coloured == plain


def test_markdown_begins_with_what_is_wrong(tmp_path: Path) -> None:
    two_folders(tmp_path, OLD, NEW)
    out = printed_by("diff", "old", "new", "--output-format", "markdown", cwd=tmp_path).out
    head, _, details = out.partition("<details>")
    assert head.startswith("### evalcontract diff: 1 version does not say what changed\n")
    assert "needs 2.0.0 or higher" in head
    assert "`rubric/tone@1.0.0`" in head
    assert details.count("</details>") == 1 + details.count("<details>") == 3


def test_a_limit_leaves_out_and_says_so(tmp_path: Path) -> None:
    rows = [{**ROW, "id": f"r{number}"} for number in range(30)]
    old, new = ({"datasets/d.yaml": {"questions": [*part]}} for part in ((), rows))
    two_folders(tmp_path, old, new)
    for output_format in ("text", "markdown"):
        out = printed_by("diff", "old", "new", "--output-format", output_format, cwd=tmp_path).out
        assert "… and 10 more rows" in out
    assert "r29" in printed_by("diff", "old", "new", "--limit", "0", cwd=tmp_path).out


def elements(markdown: str) -> list[str]:
    """Return the elements of HTML in Markdown, and its links and images."""
    tokens = MarkdownIt("gfm-like", {"linkify": False}).parse(markdown)
    found = []
    for token in [*tokens, *(child for each in tokens for child in each.children or ())]:
        if token.type in ("html_block", "html_inline"):
            found += re.findall(r"<([^ >]*)", token.content)
        elif token.type in ("link_open", "image", "strong_open"):
            found.append(token.type)
    titles = {"strong_open"} if "\n**" in markdown else set()
    return [each for each in found if each not in titles]


def test_rows_with_the_same_changes_are_told_together(tmp_path: Path) -> None:
    old, new = (
        {
            "datasets/d.yaml": {
                "questions": [
                    {**ROW, "id": f"r{number}", "rubric_ref": f"rubric/tone@{version}"}
                    for number in range(30)
                ]
            }
        }
        for version in ("1.0.0", "2.0.0")
    )
    two_folders(tmp_path, old, new)
    out = printed_by("diff", "old", "new", cwd=tmp_path).out
    assert "rows `r0`, `r1`, `r2`, `r3`, `r4` … and 25 more\n" in out
    assert out.count("rubric/tone@2.0.0") == 1


HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "two\nlines",
    "</summary></details><script>alert(1)</script>",
    "](https://evil.example) ![x](https://evil.example/x.png)",
    "@everyone #1 | `code` **bold**",
    "::error::x",
    "\u202ereversed",
    "long" * 500,
]


@pytest.mark.costly
@every_case("name", HOSTILE)
def test_hostile_names_and_values(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(WIDTH))
    old = {
        "rubrics/tone.json": tone(["a"], **{name: 1}, id=name),
        "datasets/d.json": {"questions": [{**ROW, "id": name, "input": "x", "rubric_ref": name}]},
    }
    new = {
        "rubrics/tone.json": tone([name], label=name, version=name),
        "datasets/d.json": {"questions": [{**ROW, "id": name, "input": name, name: name}]},
    }
    two_folders(tmp_path, old, new)
    text = printed_by("diff", "old", "new", cwd=tmp_path).out
    markdown = printed_by("diff", "old", "new", "--output-format", "markdown", cwd=tmp_path).out
    for printed in (text, markdown):
        assert not any(
            unicodedata.category(character) in ("Cc", "Cf", "Cs")
            for character in printed.replace("\n", "").replace("\u200b", "")
        )
        assert "\n::error" not in printed
    assert set(elements(markdown)) <= {
        *("details", "summary", "/summary", "/details", "code", "/code")
    }
    assert markdown.count("<details>") == 2
    document = printed_by("diff", "old", "new", "--output-format", "json", cwd=tmp_path).out
    assert document.isascii() or "\u202e" not in document
    assert [*exact.validator_for(load("diff")).iter_errors(json.loads(document))] == []


@every_case(
    "dialect, old, new, field",
    [
        (
            "ragas",
            {"user_input": "How deep?", "reference": "Nine."},
            {"user_input": "How deep?", "reference": "Ten."},
            "expected.reference",
        ),
        (
            "mlflow:oss",
            {"inputs": {"question": "Q"}, "expectations": {"expected_facts": ["x", NAN]}},
            {"inputs": {"question": "Q"}, "expectations": {"expected_facts": ["y"]}},
            "expected_facts",
        ),
        (
            "deepeval",
            {"input": "Q", "expected_output": "x"},
            {"input": "Q", "expected_output": "y"},
            "expected.reference",
        ),
    ],
)
def test_rows_of_other_systems(
    tmp_path: Path, dialect: str, old: Any, new: Any, field: str
) -> None:
    one, two = ({"datasets/d.jsonl": json.dumps(each) + "\n"} for each in (old, new))
    two_folders(tmp_path, one, two)
    for arguments in (["old", "new"], ["old/datasets/d.jsonl", "new/datasets/d.jsonl"]):
        code, out, err = printed_by("diff", *arguments, "--output-format", "json", cwd=tmp_path)
        assert code == 0, err
        (artifact,) = json.loads(out)["artifacts"]
        (changed,) = artifact["changed_rows"]
        assert field in [change["field"] for change in changed["changes"]]
        assert any(dialect in remark for remark in artifact["remarks"])


GRADED: dict[str, Any] = {
    "rubrics/tone.yaml": tone(["thanks"]),
    "datasets/d.yaml": {"questions": [ROW, {**ROW, "id": "b"}, {**ROW, "id": "c"}]},
}


def outputs(**texts: str) -> str:
    return "".join(f"{json.dumps({'id': id_, 'output': text})}\n" for id_, text in texts.items())


def flips(folder: Path, *arguments: str) -> tuple[int, Any, str]:
    code, out, err = printed_by("diff", *arguments, "--output-format", "json", cwd=folder)
    return code, json.loads(out)["flips"] if out else None, err


def test_which_rows_flip(tmp_path: Path) -> None:
    new = {**GRADED, "rubrics/tone.yaml": tone(["cheers"], version="2.0.0")}
    new["datasets/d.yaml"] = {
        "questions": [
            *({**ROW, "id": id_, "rubric_ref": "rubric/tone@2.0.0"} for id_ in "ab"),
            {**ROW, "id": "n", "rubric_ref": "rubric/tone@2.0.0"},
        ]
    }
    two_folders(tmp_path, GRADED, new)
    recorded = outputs(a="thanks", b="thanks, cheers", c="-", n="-")
    write(tmp_path, {"d.jsonl": recorded})
    code, found, err = flips(tmp_path, "old", "new", "--outputs", "d.jsonl")
    assert (code, err) == (0, "")
    assert (found["rows"], found["flipped"], found["only_old"], found["only_new"]) == (
        2, 1, ["c"], ["n"],
    )  # fmt: skip
    assert found["changed"] == [
        {
            "row": "a",
            "old": {"outcome": "passed", "score": 1},
            "new": {"outcome": "failed", "score": 0},
            "checks": ["thanks"],
        }
    ]
    text = printed_by("diff", "old", "new", "--outputs", "d.jsonl", cwd=tmp_path).out
    assert "d.jsonl graded by both: 1 of 2 rows flip" in text
    assert "row `a`: passed 1.00 → failed 0.00 (thanks)" in text


def test_what_does_not_run_is_not_known(tmp_path: Path) -> None:
    judged = tone(
        [], checks=[{"id": "j", "kind": "llm_judge", "judge_prompt_ref": "judge/p@1.0.0"}]
    )
    judge = {"id": "p", "version": "1.0.0", "template": "Polite?\n{{ output }}"}
    old = {**GRADED, "rubrics/tone.yaml": judged, "judges/p.yaml": judge}
    two_folders(tmp_path, old, {**old, "judges/p.yaml": {**judge, "template": "{{ output }}"}})
    write(tmp_path, {"d.jsonl": outputs(a="x", b="y", c="z")})
    code, found, _ = flips(tmp_path, "old", "new", "--outputs", "d.jsonl")
    assert (code, found["rows"], found["flipped"], found["undecided"]) == (1, 3, 0, 3)


@pytest.mark.costly
@every_case("line", ['{"id": "a"}\n', '{"id": "a", "output": "x"\n'])
def test_outputs_that_cannot_be_graded_are_no_equal_ones(tmp_path: Path, line: str) -> None:
    two_folders(tmp_path, GRADED, GRADED)
    write(tmp_path, {"d.jsonl": line})
    arguments = ("diff", "old", "new", "--outputs", "d.jsonl")
    code, out, err = printed_by(*arguments, "--output-format", "json", cwd=tmp_path)
    assert (code, "d.jsonl:1:" in err) == (1, True)
    told = json.loads(out)
    assert told["summary"]["is_complete"] is False
    assert [each["file"] for each in told["findings"]] == ["d.jsonl"]
    assert "not all could be compared" in " ".join(printed_by(*arguments, cwd=tmp_path).out.split())


@every_case(
    "name, arguments, message",
    [
        ("d.jsonl", [], ""),
        ("other.jsonl", [], "may belong to `new/datasets/d.yaml`, `new/datasets/e.yaml`"),
        ("nowhere.jsonl", [], "belongs to no dataset"),
    ],
)
def test_the_dataset_of_outputs(
    tmp_path: Path, name: str, arguments: list[str], message: str
) -> None:
    files = {**GRADED, "datasets/e.yaml": GRADED["datasets/d.yaml"]}
    two_folders(tmp_path, files, files)
    recorded = outputs(a="thanks") if name != "nowhere.jsonl" else outputs(nobody="x")
    write(tmp_path, {name: recorded})
    code, _, err = flips(tmp_path, "old", "new", "--outputs", name, *arguments)
    assert (code, message in err) == (2 if message else 0, True)


def test_outputs_of_two_files(tmp_path: Path) -> None:
    new = {**GRADED, "rubrics/tone.yaml": tone(["cheers"])}
    two_folders(tmp_path, GRADED, new)
    write(tmp_path, {"o.jsonl": outputs(a="thanks", b="thanks", c="cheers")})
    names = ["old/datasets/d.yaml", "new/datasets/d.yaml"]
    _, found, _ = flips(tmp_path, *names, "--outputs", "o.jsonl")
    assert found["flipped"] == 3


@pytest.mark.thorough
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="needs the memory of a process")
def test_a_large_dataset_takes_little_memory(tmp_path: Path) -> None:
    """100,000 rows, of which all are others: 50 MB a file, and by far less than a gigabyte."""
    for name, criteria in (("a.jsonl", "x"), ("b.jsonl", "y")):
        with (tmp_path / name).open("w") as file:
            for number in range(100_000):
                row = {**ROW, "id": f"row_{number}", "input": "word " * 80, "criteria": criteria}
                file.write(f"{json.dumps(row)}\n")
    command = [sys.executable, "-m", "evalcontract", "diff", "a.jsonl", "b.jsonl"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        out = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    assert "90,000 other rows before, and 90,000 now, are not the same either" in " ".join(
        out.split()
    )
    kilobytes = usage.ru_maxrss / (1024 if sys.platform == "darwin" else 1)
    assert kilobytes < 400_000


@pytest.mark.slow
def test_real_files_can_be_compared_with_each_other(tmp_path: Path) -> None:
    """No real file of any system makes a comparison fail."""
    files = [
        path for path in sorted(shared("real").rglob("*.json*")) if path.stat().st_size < 200_000
    ]
    for old, new in pairwise(files):
        assert printed_by("diff", str(old), str(new), cwd=tmp_path).code in (0, 1, 2), (old, new)


PROMPTFOO = """\
prompts: ['{{question}}']
defaultTest:
  assert: [{type: latency, threshold: 3000}]
tests:
  - vars: {question: Where?}
    assert:
      - {type: icontains, value: left}
      - {type: javascript, value: output.length > 9}
    metadata: {owner: me}
"""


@pytest.mark.costly
@every_case(
    "old, new, rank",
    [
        ("threshold: 3000", "threshold: 9000", "score-breaking"),  # of every test
        ("value: left", "value: right", "score-breaking"),  # a check of a rubric
        ("length > 9", "length > 5", "score-breaking"),  # no check of evalcontract does it
        ("icontains", "contains", "score-breaking"),
        ("'{{question}}'", "'Say: {{question}}'", "score-breaking"),  # nobody knows
        ("prompts:", "providers: [echo]\nprompts:", "wording only"),  # outputs keep their scores
        ("prompts:", "nunjucksFilters: {f: f.js}\nprompts:", "score-breaking"),
        ("owner: me", "owner: you", "wording only"),
        ("owner: me", "promptfoo_run: 5", "wording only"),  # the author's, like any other key
        ("{type: icontains, value: left}", "{value: left, type: icontains}", None),
    ],
)
def test_what_only_another_system_reads_is_compared(
    tmp_path: Path, old: str, new: str, rank: str | None
) -> None:
    assert old in PROMPTFOO
    write(tmp_path, {"old.yaml": PROMPTFOO, "new.yaml": PROMPTFOO.replace(old, new)})
    done = printed_by("diff", "old.yaml", "new.yaml", "--output-format", "json", cwd=tmp_path)
    assert (done.code, json.loads(done.out)["summary"]["class"]) == (0, rank)


SKILL = {
    "skill_name": "tide-tables",
    "evals": [
        {"id": 1, "prompt": "When?", "assertions": [{"text": "A time.", "description": "T"}]}
    ],
    "past_runs": [{"pass_rate": 1}],
}


@pytest.mark.costly
@every_case(
    "old, new, as_it_is, converted",
    [
        ("A time.", "A time and a zone.", "score-breaking", "score-breaking"),
        ('"When?"', '"When is it low?"', "score-breaking", "score-breaking"),
        ('"evals": [', '"evals": [{"id": 2, "prompt": "Where?"}, ', "additive", "additive"),
        ("tide-tables", "tides", "wording only", "wording only"),
        # No judge is shown it, and nobody knows what else reads the file.
        ('"T"', '"Time"', "score-breaking", "wording only"),
        ('"pass_rate": 1', '"pass_rate": 0', "score-breaking", "wording only"),
        ("}]}", "}] }", None, None),
    ],
)
def test_of_converted_cases_what_no_judge_is_shown_changes_no_score(
    tmp_path: Path, old: str, new: str, as_it_is: str | None, converted: str | None
) -> None:
    before = json.dumps(SKILL)
    assert old in before
    write(tmp_path, {"old.json": before, "new.json": before.replace(old, new, 1)})
    for name in ("old", "new"):
        arguments = ("--from", "agent_skills", "--root", ".")
        done = printed_by("convert", f"{name}.json", f"{name}.yaml", *arguments, cwd=tmp_path)
        assert done.code == 0, done.err
    for suffix, rank in (("json", as_it_is), ("yaml", converted)):
        files = (f"old.{suffix}", f"new.{suffix}")
        done = printed_by("diff", *files, "--output-format", "json", cwd=tmp_path)
        assert (done.code, json.loads(done.out)["summary"]["class"]) == (0, rank)
