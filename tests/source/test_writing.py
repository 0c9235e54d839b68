"""Writing: all or nothing, and edits of YAML that change only what they are asked to."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from source_texts import value

from evalcontract.model.errors import EditError
from evalcontract.source.editing import edit_yaml
from evalcontract.source.writing import write_text

if TYPE_CHECKING:
    from pathlib import Path


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.parametrize("text", ["", "a: 1\n", "a\r\nb\rc\n", "é😀\u2028\x85\n", "a" * 1_000_000])
def test_what_is_written_is_there(tmp_path: Path, text: str) -> None:
    assert write_text(tmp_path / "a.yaml", text) is None
    assert (tmp_path / "a.yaml").read_bytes() == text.encode()
    assert names(tmp_path) == ["a.yaml"]


def test_a_file_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("a much longer text than the new one")
    assert write_text(tmp_path / "a.yaml", "a: 1\n") is None
    assert (tmp_path / "a.yaml").read_text() == "a: 1\n"
    assert names(tmp_path) == ["a.yaml"]


def test_its_folder_is_made(tmp_path: Path) -> None:
    assert write_text(tmp_path / "b" / "c" / "a.yaml", "a: 1\n") is None
    assert (tmp_path / "b" / "c" / "a.yaml").read_text() == "a: 1\n"


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o400])
def test_the_mode_is_kept(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1\n")
    path.chmod(mode)
    assert write_text(path, "a: 2\n") is None
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_of_the_mask(tmp_path: Path, mask: int) -> None:
    before = os.umask(mask)
    try:
        assert write_text(tmp_path / "a.yaml", "a: 1\n") is None
        assert os.umask(mask) == mask
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.yaml").stat().st_mode) == 0o666 & ~mask


@pytest.mark.parametrize("step", ["chmod", "replace", "fdopen"])
def test_a_failure_leaves_the_old_text_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    (tmp_path / "a.yaml").write_text("old")

    def fail(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, step, fail)
        assert write_text(tmp_path / "a.yaml", "new") == "no space left on device"
    assert (tmp_path / "a.yaml").read_text() == "old"
    assert names(tmp_path) == ["a.yaml"]


def test_an_interruption_leaves_the_old_text_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.yaml").write_text("old")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_text(tmp_path / "a.yaml", "new")
    assert (tmp_path / "a.yaml").read_text() == "old"
    assert names(tmp_path) == ["a.yaml"]


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").mkdir()
    assert write_text(tmp_path / "a.yaml", "a: 1\n") == "is a directory"
    assert names(tmp_path) == ["a.yaml"]


def test_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("old")
    assert write_text(tmp_path / "a" / "b.yaml", "a: 1\n")
    assert (tmp_path / "a").read_text() == "old"


def test_a_text_that_has_no_bytes_says_so(tmp_path: Path) -> None:
    assert write_text(tmp_path / "a.yaml", "\ud800")
    assert names(tmp_path) == []


def test_a_long_name(tmp_path: Path) -> None:
    name = "a" * 250 + ".yaml"
    assert write_text(tmp_path / name, "a: 1\n") is None


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    target = tmp_path / "b" / "target.yaml"
    target.write_text("old")
    link = tmp_path / "link.yaml"
    link.symlink_to(target)
    assert write_text(link, "new") is None
    assert link.is_symlink()
    assert target.read_text() == "new"


TEXT = """\
# A head.

questions:
  # the first
  - id: q1   # its id
    input: "Say \\"hi\\""
    tags: [a, 'b', "c"]

  - id: 'q2'
    input: |
      Two
      lines

    expected: {format: json, n: 1.10}   # flow
    flags: [yes, no, 0o14, 014, 1_000, 2026-05-08, .5, 1e3, 0x1F]
# A tail.
"""

# name: (the text, the path, the new value, the new text)
EDITS: dict[str, tuple[str, tuple[str | int, ...], Any, str]] = {
    "a value": ("a: 1\nb: 2\n", ("a",), 3, "a: 3\nb: 2\n"),
    "a value in a list": ("a:\n- 1\n- 2\n", ("a", 1), 3, "a:\n- 1\n- 3\n"),
    "a deep value": (TEXT, ("questions", 1, "id"), "q9", TEXT.replace("'q2'", "'q9'")),
    "a value with a comment": (
        TEXT,
        ("questions", 0, "id"),
        "q9",
        TEXT.replace("id: q1", "id: q9"),
    ),
    "a value in flow": (
        TEXT,
        ("questions", 1, "expected", "format"),
        "text",
        TEXT.replace("json", "text"),
    ),
    "a new key": ("a: 1 # b\n", ("c",), "d", "a: 1 # b\nc: d\n"),
    "a text that reads as a number": ("a: b\n", ("a",), "1.0", "a: '1.0'\n"),
    "a text that reads as true": ("a: b\n", ("a",), "true", "a: 'true'\n"),
    "nothing at all": (TEXT, ("questions", 0, "id"), "q1", TEXT),
    "lists below their key": (
        "a:\n- b: 1\n  c:\n  - d\n",
        ("a", 0, "b"),
        2,
        "a:\n- b: 2\n  c:\n  - d\n",
    ),
    "lists indented": (
        "a:\n  - b: 1\n    c:\n      - d\n",
        ("a", 0, "b"),
        2,
        "a:\n  - b: 2\n    c:\n      - d\n",
    ),
    "lists far indented": (
        "a:\n    - b: 1\n      c: 2\n",
        ("a", 0, "b"),
        2,
        "a:\n    - b: 2\n      c: 2\n",
    ),
    "mappings indented by four": (
        "a:\n    b:\n        c: 1\n",
        ("a", "b", "c"),
        2,
        "a:\n    b:\n        c: 2\n",
    ),
    "crlf": ("a: 1 # b\r\nc:\r\n- d\r\n", ("a",), 2, "a: 2 # b\r\nc:\r\n- d\r\n"),
    "crlf in a block": (
        "a: 1\r\nb: |\r\n  c\r\n  d\r\n",
        ("a",),
        2,
        "a: 2\r\nb: |\r\n  c\r\n  d\r\n",
    ),
    "mixed ends": ("a: 1\r\nb: 2\n", ("a",), 3, "a: 3\r\nb: 2\n"),
    "a document marker": ("---\na: 1\n", ("a",), 2, "---\na: 2\n"),
    "a comment, then a marker": ("# b\n---\na: 1\n", ("a",), 2, "# b\n---\na: 2\n"),
    "empty lines": ("a: 1\n\n\nb: 2\n", ("b",), 3, "a: 1\n\n\nb: 3\n"),
    "numbers": ("a: 1.10\nb: 0x1F\nc: 1e3\nd: 1\n", ("d",), 2, "a: 1.10\nb: 0x1F\nc: 1e3\nd: 2\n"),
    "dates": (
        "a: 2026-05-08\nb: 2026-05-08T12:30:00Z\nd: 1\n",
        ("d",),
        2,
        "a: 2026-05-08\nb: 2026-05-08T12:30:00Z\nd: 2\n",
    ),
    "no date": ("a: 2026-13-45\nd: 1\n", ("d",), 2, "a: 2026-13-45\nd: 2\n"),
    "folded": ("a: >-\n  b\n  c\nd: 1\n", ("d",), 2, "a: >-\n  b\n  c\nd: 2\n"),
    "anchors": (
        "a: &x {b: 1}\nc: {<<: *x, d: 1}\n",
        ("c", "d"),
        2,
        "a: &x {b: 1}\nc: {<<: *x, d: 2}\n",
    ),
    "a key that is a number": ("1: a\n", ("1",), "b", "1: b\n"),
    "a key that is a word": ("true: a\n", ("true",), "b", "true: b\n"),
    "a long line": (f"a: {'b ' * 500}c\nd: 1\n", ("d",), 2, f"a: {'b ' * 500}c\nd: 2\n"),
    "nel": ("a: b\x85c\nd: 1\n", ("d",), 2, "a: b\x85c\nd: 2\n"),
    "a key at the end of a text without a line end": ("a: 1", ("b",), 2, "a: 1\nb: 2\n"),
    "tags": ("a: !!str 1\nd: 1\n", ("d",), 2, "a: !!str 1\nd: 2\n"),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_changes_nothing_else(name: str) -> None:
    text, path, new, expected = EDITS[name]
    assert edit_yaml(text, [(path, new)]) == expected


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_reads_as_what_was_set(name: str) -> None:
    text, path, new, _ = EDITS[name]
    expected = value(text)
    holder = expected
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = new
    assert repr(value(edit_yaml(text, [(path, new)]))) == repr(expected)


# What a YAML library would write its own way stays what the author wrote.
AS_WRITTEN: dict[str, str] = {
    "no line end at the end": "a: 1",
    "words for nothing": "a: ~\nb: null\nc:\n",
    "words for true": "a: TRUE\nb: False\n",
    "signs": "a: +1\nb: -0\nc: .INF\n",
    "escapes": 'a: "\\u00e9\\t"\n',
    "plain over lines": "a: b\n  c\n",
    "spaces inside": "a:   b\nd: [1,2]\n",
    "a byte order mark": "\ufeffa: 1\n",
    "the end of the document": "a: 1\n...\n# b\n",
}


@pytest.mark.parametrize("name", AS_WRITTEN)
def test_what_is_not_set_stays_as_it_was_written(name: str) -> None:
    text = AS_WRITTEN[name]
    assert edit_yaml(text, []) == text
    before = f"x: 1\n{text}" if not text.startswith("\ufeff") else text.replace("a", "x: 1\na")
    assert edit_yaml(before, [(("x",), 2)]) == before.replace("x: 1", "x: 2")


ROWS = """\
rows:
  - id: a   # one

  # two
  - id: b
    text: |
      long

      text

# the end
"""

# name: (the text, the path, the new value, the new text)
STRUCTURE: dict[str, tuple[str, tuple[str | int, ...], Any, str]] = {
    "a key, an empty line behind it": (
        ROWS,
        ("rows", 0, "n"),
        1,
        ROWS.replace("# one\n", "# one\n    n: 1\n"),
    ),
    "a key behind a block": (
        ROWS,
        ("rows", 1, "n"),
        {"m": ["x"]},
        ROWS.replace("      text\n", "      text\n    n:\n      m:\n        - x\n"),
    ),
    "a key behind a block that keeps its empty lines": (
        "a:\n  b: |+\n    c\n\nd: 1\n",
        ("a", "e"),
        2,
        "a:\n  b: |+\n    c\n\n  e: 2\nd: 1\n",
    ),
    "a key in flow": ("a: {b: 1 } # c\n", ("a", "d"), [2], "a: {b: 1, d: [2] } # c\n"),
    "a key in flow, after a comma": ("{a: 1,}\n", ("b",), 2, "{a: 1, b: 2}\n"),
    "a key of an empty mapping": ("a: {}\n", ("a", "b"), 1, "a: {b: 1}\n"),
    "a text of several lines": ("a: x # b\n", ("a",), "c\n\nd\n", "a: | # b\n  c\n\n  d\n"),
    "a line for a block": ("a: |  # b\n  c\n\n# d\n", ("a",), "e", "a: e  # b\n\n# d\n"),
    "a list for a scalar": ("a: 1 # b\nc: 2\n", ("a",), [1], "a: # b\n- 1\nc: 2\n"),
    "a scalar for a list": (
        "a: # b\n  # c\n  - 1\n# d\ne: 2\n",
        ("a",),
        1,
        "a: 1 # b\n# d\ne: 2\n",
    ),
    "a scalar for a mapping in a list": ("- a: 1\n  b: 2\n# c\n- 3\n", (0,), 1, "- 1\n# c\n- 3\n"),
    "a mapping for a scalar in a list": (
        "- 1\n- 2\n",
        (0,),
        {"a": 1, "b": 2},
        "- a: 1\n  b: 2\n- 2\n",
    ),
    "nothing for an alias": ("a: &x [1]\nb: *x # c\n", ("b",), None, "a: &x [1]\nb: null # c\n"),
    "a merged key": (
        "a: &x {b: 1}\nc:\n  <<: *x # d\n  e: 2\n",
        ("c", "b"),
        3,
        "a: &x {b: 1}\nc:\n  <<: *x # d\n  e: 2\n  b: 3\n",
    ),
    "an alias in a list": (
        "# a\n---\nb: &x 1_0 # d\nc:\n    - *x\n    - *x\n",
        ("c", 1),
        "2026-05-08",
        "# a\n---\nb: &x 1_0 # d\nc:\n    - *x\n    - '2026-05-08'\n",
    ),
    "a key after a question mark": ("? a\n: 1 # b\n", ("c",), 2, "a: 1 # b\nc: 2\n"),
}


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", STRUCTURE)
def test_a_change_of_structure(name: str, end: str) -> None:
    text, path, new, expected = (
        part.replace("\n", end) if at in {0, 3} else part for at, part in enumerate(STRUCTURE[name])
    )
    assert edit_yaml(text, [(path, new)]) == expected


@pytest.mark.parametrize(
    ("text", "path", "new"),
    [
        ("a: &x {b: 1}\nc: *x\n", ("a", "b"), 2),
        ("a: &x {b: 1}\nc: *x\n", ("c", "b"), 2),
        # ruamel.yaml would lose the comment
        ("a: &x 1\nb:\n- *x # c\n- *x\n", ("b", 1), 2),
        ("a: [\n", ("a",), 1),
        ("a: 1\na: 2\n", ("a",), 3),
        ("a: 1\n", ("a",), "\ud800"),
        ("a: 1\n", ("a",), (1,)),
        ("a: 1\n", ("a",), {1: 2}),
        pytest.param("a: 1\n", ("a",), 10**5000, id="many digits"),
    ],
)
def test_what_cannot_be_done_faithfully_is_refused(
    text: str, path: tuple[str | int, ...], new: Any
) -> None:
    with pytest.raises(EditError):
        edit_yaml(text, [(path, new)])


def test_a_value_inside_of_itself_is_refused() -> None:
    new: list[Any] = []
    new.append(new)
    with pytest.raises(EditError):
        edit_yaml("a: 1\n", [(("a",), new)])


def test_later_changes_see_the_earlier_ones() -> None:
    changes: list[tuple[tuple[str | int, ...], Any]] = [
        (("b",), {}),
        (("b", "c"), [1, 2]),
        (("b", "c", 0), 3),
        (("a",), 4),
        (("a",), 5),
    ]
    assert value(edit_yaml("a: 1\n", changes)) == {"a": 5, "b": {"c": [3, 2]}}


def test_a_change_of_every_row_is_one_pass() -> None:
    text = "".join(f"- id: r{row} # {row}\n  n: 1\n\n" for row in range(1000))
    changes: list[tuple[tuple[str | int, ...], Any]] = []
    for row in range(1000):
        changes += [((row, "n"), 2), ((row, "new"), "x")]
    expected = text.replace("n: 1\n", "n: 2\n  new: x\n")
    assert edit_yaml(text, changes) == expected


# A text that only looks like a date is text to us: writing must not touch it.
@pytest.mark.parametrize(
    "text",
    [
        "2026-05-08",
        "2026-13-45",
        "2026-05-08T12:30:00Z",
        "2026-05-08t12:30:00.10Z",
        "2026-05-08 12:30:00 +02:00",
        "2026-05-08T25:00:00",
        "2026-5-8 1:30:00",
        "1_000",
        "0b11",
        "0b1_1",
        "0o1_4",
        "1__0",
        "0x_F",
        "1_0.5_0",
        ".5e3",
        "12:30",
        "yes",
        "=",
        "<<",
        "a\x85b",
        "a\u2028b",
    ],
)
def test_a_value_that_is_not_edited_means_the_same(text: str) -> None:
    before = f"a: {text}\nb: 1\n"
    after = edit_yaml(before, [(("b",), 2)])
    assert repr(value(after)["a"]) == repr(value(before)["a"])


def test_several_edits() -> None:
    assert edit_yaml("a: 1\nb: {c: 2}\n", [(("a",), 2), (("b", "c"), 3), (("d",), 4)]) == (
        "a: 2\nb: {c: 3}\nd: 4\n"
    )


@pytest.mark.parametrize("text", ["a: 1\nc:\n  - d: 2\n", "a: 1\nc:\n- d: 2\n", "a: 1 # b\n"])
@pytest.mark.parametrize(
    "new",
    [
        [],
        [1],
        [[]],
        [[1, 2], 3],
        [{}, [None]],
        [{}, None, None],
        [{}, "", None],
        [{}, None, False],
        [[1], None, None],
        {"b": [[1], 2]},
        [[{"b": 1, "c": 2}]],
    ],
)
def test_lists_of_lists(text: str, new: Any) -> None:
    assert value(edit_yaml(text, [(("a",), new)]))["a"] == new


@pytest.mark.parametrize(
    "new",
    [
        ".5e3",
        "-.5E1",
        "1e3",
        "0o14",
        "0x1F",
        "+.inf",
        "~",
        "",
        "a\x85",
        "\u2028",
        "\ufeff",
        "a\r\nb",
        " a ",
        "a\n",
        "\n",
        "# a",
        "- a",
        "a: b",
        "{{ a }}",
        "\0",
        "\x1b",
        "\x7f",
        "😀",
        "---",
        "...",
    ],
)
@pytest.mark.parametrize("before", ["x", "'x'", '"x"', "|\n  x\n"])
def test_a_text_that_was_set_is_read_again(before: str, new: str) -> None:
    written = edit_yaml(f"a: {before}\nb: 1\n", [(("a",), new)])
    assert value(written) == {"a": new, "b": 1}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("a: 1\n", ("b", "c")),
        ("a: 1\n", ("a", "b")),
        ("a: x\n", ("a", "b")),
        ("a:\n", ("a", "b")),
        ("a: [1]\n", ("a", 1)),
        ("a: [1]\n", ("a", "b")),
        ("a: {b: 1}\n", ("a", 0, "c")),
        ("a: 1\n", ()),
        ("# nothing\n", ("a",)),
    ],
)
def test_a_path_that_leads_nowhere(text: str, path: tuple[str | int, ...]) -> None:
    with pytest.raises(LookupError):
        edit_yaml(text, [(path, 1)])


_CHARACTERS = st.characters(
    exclude_categories=["Cs"], exclude_characters=["\x7f", "\ufffe", "\uffff"]
)
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False),
    st.text(st.one_of(st.sampled_from("ab1.e:-#'\"{}[],&*!|>%@` \n\t"), _CHARACTERS), max_size=12),
    st.from_regex(r"[-+.0-9eExob_:]{1,6}", fullmatch=True),
)
_NEW = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.text("ab1 :#", max_size=4), inner, max_size=3),
    ),
    max_leaves=6,
)


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@given(new=_NEW)
@settings(derandomize=True, deadline=None, max_examples=60)
def test_what_was_set_is_read_again(end: str, new: Any) -> None:
    text = "a: 1 # b\nc:\n  - d: 2\n".replace("\n", end)
    written = edit_yaml(text, [(("a",), new), (("c", 0, "d"), new), (("e",), new)])
    assert repr(value(written)) == repr({"a": new, "c": [{"d": new}], "e": new})
    assert "# b" in written
    assert written.count("\n") == written.count(end)
