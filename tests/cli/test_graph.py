"""`graph` and `outdated` as a person types them."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from doors import Printed, printed_by
from tables import every_case
from writing import write


def rubric(name: str, version: str, checks: str, threshold: float = 0.5) -> str:
    scoring = f"{{combine: min, threshold: {threshold}}}"
    return f'id: {name}\nversion: "{version}"\nchecks: [{checks}]\nscoring: {scoring}\n'


JUDGED = "{id: tone, kind: llm_judge, judge_prompt_ref: judge/tone@1.0}"
FILES = {
    "judges/tone.yaml": 'id: tone\nversion: "1.0.0"\ntemplate: "{{ output }}"\n',
    "judges/spare.yaml": 'id: spare\nversion: "1.0.0"\ntemplate: "{{ output }}"\n',
    "rubrics/old.yaml": rubric("support", "1.0.0", JUDGED),
    "rubrics/new.yaml": rubric("support", "2.0.0", JUDGED, threshold=0.7),
    "rubrics/next.yaml": rubric("support", "3.0.0-rc.1", JUDGED),
    "rubrics/all.yaml": rubric(
        "all",
        "1.0.0",
        "{kind: composite, rubric_ref: rubric/support@2.0.0}, "
        "{kind: composite, rubric_ref: rubric/none@1.0.0}",
    ),
    "datasets/a.yaml": "questions:\n"
    "  - {id: a, input: a, rubric_ref: rubric/support@1.0}\n"
    "  - {id: b, input: b, rubric_ref: rubric/support@1.0.0}\n"
    "  - {id: c, input: c, rubric_ref: rubric/all}\n"
    "  - {id: d, input: d}\n",
    "datasets/b.jsonl": '{"id": "a", "input": "a", "rubric_ref": "rubric/support@3.0.0-rc.1"}\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    write(tmp_path, FILES)
    return tmp_path


def graph(root: Path, *arguments: str) -> Printed:
    return printed_by("graph", *arguments, cwd=root)


def test_the_tree(root: Path) -> None:
    done = graph(root)
    assert (done.code, done.err) == (1, "")  # a reference leads nowhere
    assert (
        done.out
        == """\
datasets/a.yaml
  rubric/all (1 row)  unpinned, resolves to 1.0.0
    rubric/none@1.0.0  dangling
    rubric/support@2.0.0
      judge/tone@1.0.0
  rubric/support@1.0.0 (2 rows)  outdated, 2.0.0 exists
    judge/tone@1.0.0
  no rubric (1 row)
datasets/b.jsonl
  rubric/support@3.0.0-rc.1 (1 row)
    judge/tone@1.0.0
not referenced:
  judge/spare@1.0.0

2 datasets, 4 rubrics, 2 judges, 8 references: 1 dangling, 1 unpinned, 1 outdated
"""
    )


def test_all_is_well(root: Path) -> None:
    for name in ("rubrics/all.yaml", "datasets/a.yaml"):
        (root / name).unlink()
    done = graph(root)
    assert done.code == 0
    assert "all pinned to the newest version" in done.out


def test_rubrics_in_a_circle_end(root: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        check = f"{{kind: composite, rubric_ref: rubric/{other}@1.0.0}}"
        write(root, {f"rubrics/{name}.yaml": rubric(name, "1.0.0", check)})
    write(root, {"datasets/c.yaml": "questions: [{id: a, input: a, rubric_ref: rubric/one@1.0.0}]"})
    done = graph(root)
    assert "      rubric/one@1.0.0  circular\n" in done.out


def test_what_is_in_a_circle_alone_is_shown(tmp_path: Path) -> None:
    for name, other in (("one", "two"), ("two", "one")):
        check = f"{{kind: composite, rubric_ref: rubric/{other}@1.0.0}}"
        write(tmp_path, {f"rubrics/{name}.yaml": rubric(name, "1.0.0", check)})
    assert graph(tmp_path).out.startswith(
        "referenced only in a circle:\n"
        "  rubric/one@1.0.0\n"
        "    rubric/two@1.0.0\n"
        "      rubric/one@1.0.0  circular\n"
    )


@pytest.mark.costly
def test_layers_of_rubrics_have_no_endless_tree(tmp_path: Path) -> None:
    """Forty rubrics with a million paths between them."""
    for layer, side in product(range(20), "ab"):
        inner = [
            f"{{id: {each}, kind: composite, rubric_ref: rubric/{each}{layer + 1}@1.0.0}}"
            for each in "ab"
        ]
        checks = ", ".join(inner) if layer < 19 else "{id: x, kind: format, max_chars: 9}"
        name = f"{side}{layer}"
        write(tmp_path, {f"rubrics/{name}.yaml": rubric(name, "1.0.0", checks)})
    lines = graph(tmp_path).out.splitlines()
    assert len(lines) < 100_000
    assert any(line.endswith("  shown above") for line in lines)


@pytest.mark.slow
def test_a_chain_of_rubrics_is_longer_than_python_recurses(tmp_path: Path) -> None:
    """Of the workspace and of a library, by each command that follows references."""
    length = 500
    files = {
        f"rubrics/r{number}.yaml": rubric(
            f"r{number}",
            "1.0.0",
            f"{{id: a, kind: composite, rubric_ref: rubric/r{number + 1}@1.0.0}}"
            if number < length - 1
            else "{id: a, kind: format, max_chars: 9}",
        )
        for number in range(length)
    }
    rows = {"datasets/a.yaml": "questions: [{id: a, input: a, rubric_ref: rubric/r0@1.0.0}]\n"}
    write(tmp_path / "one", {**files, **rows})
    last = f"rubrics/r{length - 1}.yaml"
    write(tmp_path / "two", {**files, **rows, last: files[last].replace("9", "8")})
    settings = {"evalcontract.toml": '[libraries]\none = {path = "../one"}\n'}
    write(tmp_path / "user", {**settings, **rows})
    assert graph(tmp_path / "one").out.splitlines()[101].endswith("  it goes on")
    compared = printed_by("diff", "one", "two", cwd=tmp_path)
    assert (compared.code, "1 of 1 row, through `rubric/r0@1.0.0`" in compared.out) == (1, True)
    for command, folder in [("lock", "one"), ("sync", "user"), ("lock", "user"), ("check", "user")]:
        assert printed_by(command, cwd=tmp_path / folder).code == 0


def test_what_cannot_be_read_is_told(root: Path) -> None:
    (root / "rubrics" / "all.yaml").unlink()
    write(root, {"rubrics/bad.yaml": "a: [", "rubrics/odd.yaml": "id: odd\n"})
    write(root, {"datasets/a.yaml": "questions: [{id: a, input: a}]", "datasets/x.yaml": "a: ["})
    for command in ("graph", "outdated"):
        done = printed_by(command, cwd=root)
        assert done.code == 1
        told = done.out + done.err
        for name in ("rubrics/bad.yaml", "rubrics/odd.yaml", "datasets/x.yaml"):
            assert f"{name} cannot be read: what it refers to is not known" in told


def test_of_two_files_with_one_version_the_first_counts(root: Path) -> None:
    write(root, {"rubrics/zz.yaml": rubric("support", "1.0.0", "{kind: php_lint}")})
    assert "2 datasets, 4 rubrics, 2 judges, 8 references" in graph(root).out


def test_mermaid(root: Path) -> None:
    done = graph(root, "--output-format", "mermaid")
    nodes = dict(re.findall(r'^  (n\d+)\S+?"(.+?)"', done.out, re.MULTILINE))
    assert set(nodes.values()) == {
        *("datasets/a.yaml", "datasets/b.jsonl", "judge/spare@1.0.0", "judge/tone@1.0.0"),
        *("rubric/all@1.0.0", "rubric/support@1.0.0", "rubric/support@2.0.0"),
        *("rubric/support@3.0.0-rc.1", "rubric/none@1.0.0 (missing)"),
    }
    arrows = re.findall(r"^  (n\d+) (.+?) (n\d+)$", done.out, re.MULTILINE)
    assert ("datasets/a.yaml", "-. 2 rows, outdated .->", "rubric/support@1.0.0") in [
        (nodes[start], arrow, nodes[end]) for start, arrow, end in arrows
    ]
    assert len(arrows) == 8
    assert "8 references" in done.err


def test_dot(root: Path) -> None:
    done = graph(root, "--output-format", "dot")
    nodes = dict(re.findall(r'^  (n\d+) \[label="(.+?)"', done.out, re.MULTILINE))
    arrows = re.findall(r'^  (n\d+) -> (n\d+) \[label="(.*?)"', done.out, re.MULTILINE)
    assert (len(nodes), len(arrows)) == (9, 8)
    assert ("datasets/a.yaml", "rubric/all@1.0.0", "1 row, unpinned") in [
        (nodes[start], nodes[end], label) for start, end, label in arrows
    ]


@every_case(
    "form, escaped",
    [
        ("mermaid", 'n0[("datasets/a#34;#93;#60;b#62;#35;#96;.yaml")]'),
        ("dot", 'n0 [label="datasets/a\\"]<b>#`.yaml", shape=cylinder];'),
    ],
)
def test_names_of_files_draw_nothing(tmp_path: Path, form: str, escaped: str) -> None:
    write(tmp_path, {'datasets/a"]<b>#`.yaml': "questions: [{id: a, input: a}]"})
    done = graph(tmp_path, "--output-format", form)
    assert escaped in done.out


def test_names_of_files_print_no_controls(tmp_path: Path) -> None:
    write(tmp_path, {"datasets/a\x1b[31m\nb.yaml": "questions: [{id: a, input: a}]"})
    for form in ("text", "mermaid", "dot"):
        out = graph(tmp_path, "--output-format", form).out
        assert "\x1b" not in out
        assert "\nb.yaml" not in out


def test_outdated(root: Path) -> None:
    done = printed_by("outdated", cwd=root)
    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == """\
rubric/support@1.0.0 -> 2.0.0: score-breaking
    scoring.threshold: 0.5 -> 0.7
  used by datasets/a.yaml (2 rows)
"""
    )


def test_the_changes_of_an_update_are_limited(root: Path) -> None:
    checks = ", ".join(f"{{id: c{number}, kind: php_lint}}" for number in range(20))
    write(root, {"rubrics/new.yaml": rubric("support", "2.0.0", checks)})
    limited = printed_by("outdated", "--limit", "3", cwd=root).out
    assert limited.count("    checks.") == 3
    assert "    and 18 more changes\n" in limited
    assert printed_by("outdated", "--limit", "0", cwd=root).out.count("    checks.") == 21


def test_nothing_is_outdated(tmp_path: Path) -> None:
    write(tmp_path, {"datasets/a.yaml": "questions: [{id: a, input: a}]"})
    done = printed_by("outdated", cwd=tmp_path)
    assert (done.code, done.out) == (0, "every pinned reference is to the newest version\n")


@every_case("command", ["graph", "outdated"])
def test_there_is_nothing(tmp_path: Path, command: str) -> None:
    done = printed_by(command, cwd=tmp_path)
    assert done.code == 2
    assert ". has no datasets, rubrics or judges" in done.err
