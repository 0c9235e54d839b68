"""The diff of fixes is what `diff -u` writes, in time that grows with the number of lines."""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from work import calls_of

from evalcontract.fixing import write_diff
from evalcontract.workspace.writing import FileFix


def lines_of(text: str) -> list[str]:
    """Return the lines of a diff."""
    return [f"{line}\n" for line in text.split("\n")[:-1]]


def diff(before: str, after: str) -> list[str]:
    return [*write_diff(FileFix(Path("a.yaml"), before.encode(), after.encode(), ()))]


ROWS = [f"- id: a{at}\n  input: b\n  criteria: c\n" for at in range(9)]


@every_case(
    ("at", "row"),
    [
        (0, "- id: x\n  input: b\n  criteria: c\n"),
        (4, "- id: a4\n  criteria: c\n"),
        (8, "- id: a8\n  input: b\n  criteria: c\n  tags: []\n"),
    ],
    ids=str,
)
def test_one_changed_row_is_told_as_difflib_does(at: int, row: str) -> None:
    before, after = "".join(ROWS), "".join([*ROWS[:at], row, *ROWS[at + 1 :]])
    expected = unified_diff(lines_of(before), lines_of(after), "a.yaml", "a.yaml")
    assert diff(before, after) == [*expected]


def applied(before: list[str], hunks: list[str]) -> list[str]:
    """Apply a diff as `patch` does, and verify each line that it does not change."""
    after: list[str] = []
    at = 0
    for line in hunks[2:]:
        if line.startswith("@@"):
            first, _, length = line.split()[1][1:].partition(",")
            start = int(first) - (length != "0")
            after += before[at:start]
            at = start
            continue
        if line[0] != "+":
            assert before[at] == line[1:]
            at += 1
        after += [line[1:]] if line[0] != "-" else []
    return [*after, *before[at:]]


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\n", "d\n", "- x\n"]), max_size=40)


@given(LINES, LINES)
def test_any_diff_can_be_applied(before: list[str], after: list[str]) -> None:
    hunks = diff("".join(before), "".join(after))
    assert applied(before, hunks) == after
    assert bool(hunks) is (before != after)


def test_twice_the_rows_take_twice_the_work() -> None:
    """Rows that are alike, each with a changed line."""

    def work(many: int) -> int:
        before = "- input: b\n  expected_fact: [x]\n" * many
        return calls_of(diff, before, before.replace("expected_fact", "expected_facts"))

    assert work(800) < 2.5 * work(400)


@every_case(
    "changed", ["- input: b\n  facts: [x]\n", "- input: b\n  fact: [x]\n  tags: []\n"], ids=str
)
def test_only_the_changed_lines_of_rows_are_told(changed: str) -> None:
    before = "".join(f"- id: {at}\n  input: b\n  fact: [x]\n" for at in range(50))
    after = before.replace("  input: b\n  fact: [x]\n", changed.replace("- ", "  "))
    lines = diff(before, after)
    assert sum(line.startswith(("-", "+")) for line in lines) < 2 + 2 * 50 + 1
