"""Fixes in a text: what they touch changes, and nothing else; what cannot be done so is refused."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import reduce
from operator import getitem
from typing import TYPE_CHECKING, Any

import pytest
from examples import examples
from hypothesis import given
from hypothesis import strategies as st
from source_texts import value
from tables import every_case

from evalcontract.model.diagnostic import Fix, Move, Rename, Write
from evalcontract.model.values import json_equal
from evalcontract.source import editing, entries
from evalcontract.source.editing import cuts_by_fix, edit_text
from evalcontract.source.yaml.writing import block, flow

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Edit, Path

RENAME, WRITE = Rename("b"), Write("1.10")
DOWN = Move(("expected", "format"))
UP = Move(("facts",))

# The path, the edit, and the text before and after, in each form.
BLOCK: dict[str, tuple[Path, Edit, str, str]] = {
    "a key": (("a",), RENAME, "a: 1 # c\nd: 2\n", "b: 1 # c\nd: 2\n"),
    "a key in single quotes": (("a",), RENAME, "'a': 1\n", "'b': 1\n"),
    "a key in double quotes": (("a",), RENAME, '"a": 1\n', '"b": 1\n'),
    "a key with a quote in it": (('a"', "'"), RENAME, "a\":\n  '''': 1\n", "a\":\n  'b': 1\n"),
    "a key that needs quotes": (("a",), Rename("yes"), "a: 1\n", "'yes': 1\n"),
    "a key of a mapping": (("a",), RENAME, "a:\n  - c: 1\n", "b:\n  - c: 1\n"),
    "a key with an anchor": (("a",), RENAME, "&x a: 1\nc: 2\n", "&x b: 1\nc: 2\n"),
    "a key before an alias": (("a",), RENAME, "c: &x 1\na: *x\n", "c: &x 1\nb: *x\n"),
    "a key behind a question mark": (("a",), RENAME, "? a\n: 1\n", "? b\n: 1\n"),
    "a key far to the right": (("a",), RENAME, "a   :   1\n", "b   :   1\n"),
    "a key of another alphabet": (("ключ",), RENAME, "ключ: 1 # я\n", "b: 1 # я\n"),
    "a key behind U+2028": (("c",), RENAME, "a: x\u2028y\nc: 1\n", "a: x\u2028y\nb: 1\n"),
    "a version": (("v",), WRITE, "v: 1.10 # c\n", "v: '1.10' # c\n"),
    "a value with an anchor": (("v",), WRITE, "v: &x 1.1\nw: 2\n", "v: &x '1.10'\nw: 2\n"),
    "a value in double quotes": (("v",), WRITE, 'v: "1.1"\n', 'v: "1.10"\n'),
    "a value in a list": (("v", 1), WRITE, "v:\n- 1\n- 1.1 # c\n", "v:\n- 1\n- '1.10' # c\n"),
    "a truth": (("v",), Write(value=True), "v: 'true'\n", "v: true\n"),
    "a number": (("v",), Write(0.8), "v: '0.80'\n", "v: 0.8\n"),
    "text over two lines": (("v",), WRITE, "v: a\n  b\nw: 1\n", "v: '1.10'\nw: 1\n"),
    "into a new mapping": (
        ("format",),
        DOWN,
        "id: 1\nformat: json # c\nz: 1\n",
        "id: 1\nexpected:\n  format: json # c\nz: 1\n",
    ),
    "into a new mapping, as far as others": (
        ("format",),
        DOWN,
        "a:\n    b: 1\nformat: json\n",
        "a:\n    b: 1\nexpected:\n    format: json\n",
    ),
    "a block into a new mapping": (
        ("format",),
        DOWN,
        "format: |\n  a\n\n    b\nz: 1\n",
        "expected:\n  format: |\n    a\n\n      b\nz: 1\n",
    ),
    "a list into a new mapping": (
        ("format",),
        DOWN,
        "format:\n- a # c\n# d\n- b\nz: 1\n",
        "expected:\n  format:\n  - a # c\n  # d\n  - b\nz: 1\n",
    ),
    "into a mapping above": (
        ("format",),
        DOWN,
        "expected:\n    a: 1 # c\n# d\nformat: json # e\n",
        "expected:\n    a: 1 # c\n    format: json # e\n# d\n",
    ),
    "into a mapping below": (
        ("format",),
        DOWN,
        "format: json\nexpected:\n  a:\n  - 1\nz: 1\n",
        "expected:\n  a:\n  - 1\n  format: json\nz: 1\n",
    ),
    "into brackets": (
        ("format",),
        DOWN,
        "expected: {a: 1} # c\nformat: json\n",
        "expected: {a: 1, format: json} # c\n",
    ),
    "into empty brackets": (
        ("format",),
        DOWN,
        "format: 'json'\nexpected: {}\n",
        "expected: {format: 'json'}\n",
    ),
    "the last line, without an end": (
        ("format",),
        DOWN,
        "expected:\n  a: 1\nformat: json",
        "expected:\n  a: 1\n  format: json",
    ),
    "out of a mapping": (
        ("expected", "facts"),
        UP,
        "expected:\n  facts: # c\n  - a\n  format: json\nz: 1\n",
        "expected:\n  format: json\nfacts: # c\n- a\nz: 1\n",
    ),
    "the last one out of a mapping": (
        ("expected", "facts"),
        UP,
        "expected:\n  format: json\n  facts:\n    - a # c\n\nz: 1\n",
        "expected:\n  format: json\nfacts:\n  - a # c\n\nz: 1\n",
    ),
    "the only one out of a mapping": (
        ("expected", "facts"),
        UP,
        "expected:\n    facts:\n    - a # c\nz: 1\n",
        "facts:\n- a # c\nz: 1\n",
    ),
    "out of brackets": (
        ("expected", "facts"),
        UP,
        "expected: {facts: [a], b: 1} # c\n",
        "expected: {b: 1} # c\nfacts: [a]\n",
    ),
    "the only one out of brackets": (
        ("expected", "facts"),
        UP,
        "expected: {facts: [a]} # c\n",
        "facts: [a] # c\n",
    ),
}
ITEMS: dict[str, tuple[Path, Edit, str, str]] = {
    "the first key of an item": (
        (0, "format"),
        Move((0, "expected", "format")),
        "- format: json\n  id: 1\n- id: 2\n",
        "- expected:\n    format: json\n  id: 1\n- id: 2\n",
    ),
    "the first key of an item, into what is there": (
        (0, "format"),
        Move((0, "expected", "format")),
        "- format: json\n  expected: {a: 1}\n",
        "- expected: {a: 1, format: json}\n",
    ),
    "an item in brackets": (
        (0, "format"),
        Move((0, "expected", "format")),
        "- {id: 1, format: json, z: 2}\n",
        "- {id: 1, expected: {format: json}, z: 2}\n",
    ),
    "an item in brackets, into what is there": (
        (0, "format"),
        Move((0, "expected", "format")),
        "- {format: json, expected: {a: 1}}\n",
        "- {expected: {a: 1, format: json}}\n",
    ),
    "the last of an item in brackets": (
        (0, "format"),
        Move((0, "expected", "format")),
        "- {expected: {a: 1}, format: json,}\n",
        "- {expected: {a: 1, format: json},}\n",
    ),
    "out of brackets in brackets": (
        (0, "expected", "facts"),
        Move((0, "facts")),
        "- {expected: {a: 1, facts: [b]}, z: 1}\n",
        "- {expected: {a: 1}, facts: [b], z: 1}\n",
    ),
}
JSON: dict[str, tuple[Path, Edit, str, str]] = {
    "a key": (("a",), RENAME, '{"a":1}', '{"b":1}'),
    "a key with an escape": (('a"',), RENAME, '{"a\\"" : 1}', '{"b" : 1}'),
    "a value": (("v",), WRITE, '{"v": 1.10}', '{"v": "1.10"}'),
    "a value beyond ASCII": (("v",), Write("ä"), '{"v": "\\u00e5"}', '{"v": "ä"}'),
    "into a new mapping": (
        ("format",),
        DOWN,
        '{"id": 1, "format": "json"}',
        '{"id": 1, "expected": {"format": "json"}}',
    ),
    "into a mapping of lines": (
        ("format",),
        DOWN,
        '{\n\t"expected": {\n\t\t"a": 1\n\t},\n\t"format": "json"\n}\n',
        '{\n\t"expected": {\n\t\t"a": 1,\n\t\t"format": "json"\n\t}\n}\n',
    ),
    "out of a mapping of lines": (
        ("expected", "facts"),
        UP,
        '{\n  "expected": {\n    "facts": [\n      1\n    ],\n    "a": 1\n  }\n}\n',
        '{\n  "expected": {\n    "a": 1\n  },\n  "facts": [\n      1\n    ]\n}\n',
    ),
    "the only one out of a mapping": (
        ("expected", "facts"),
        UP,
        '{"expected": {"facts": [1]}, "z": 1}',
        '{"facts": [1], "z": 1}',
    ),
}
LINES: dict[str, tuple[Path, Edit, str, str]] = {
    "a line": ((1, "a"), RENAME, '{"a": 1}\n{"a": 1}\n', '{"a": 1}\n{"b": 1}\n'),
    "behind blank lines": ((2, "a"), RENAME, '\n\r\n{"a": 1}', '\n\r\n{"b": 1}'),
    "beside a broken line": ((1, "v"), WRITE, '{"v\n{"v": 1}\n', '{"v\n{"v": "1.10"}\n'),
    "a line with a lone CR": ((0, "a"), RENAME, '{"a":\r1}\n', '{"b":\r1}\n'),
    "into a new mapping": (
        (0, "format"),
        Move((0, "expected", "format")),
        '{"format": "json"}\r\n{}\r\n',
        '{"expected": {"format": "json"}}\r\n{}\r\n',
    ),
}
TABLES = {"yaml": {**BLOCK, **ITEMS}, "json": JSON, "jsonl": LINES}
CASES = [(form, name) for form, table in TABLES.items() for name in table]


def edited(text: str, form: str, *fixes: Fix) -> str:
    found = edit_text(text, form, fixes)
    assert (sorted(found.made), found.refused) == (sorted(fixes), ())
    return found.text


@pytest.mark.costly
@every_case(("form", "name"), CASES)
def test_an_edit_changes_nothing_else(form: str, name: str) -> None:
    path, edit, before, after = TABLES[form][name]
    assert edited(before, form, Fix(path, edit)) == after
    assert edited(f"\ufeff{before}", form, Fix(path, edit)) == f"\ufeff{after}"


@every_case("end", ["\r\n", "\r"], ids=["crlf", "cr"])
@every_case(("form", "name"), [case for case in CASES if case[0] != "jsonl"])
def test_line_ends_stay(form: str, name: str, end: str) -> None:
    path, edit, *texts = TABLES[form][name]
    before, after = (text.replace("\n", end) for text in texts)
    assert edited(before, form, Fix(path, edit)) == after


REFUSED: dict[str, tuple[str, Path, Edit]] = {
    "no such key": ("a: 1\n", ("c",), RENAME),
    "no such row": ("- a: 1\n", (1, "a"), RENAME),
    "the new key is there": ("a: 1\nb: 2\n", ("a",), RENAME),
    "the new key is merged": ("x: &x {b: 1}\ny:\n  <<: *x\n  a: 2\n", ("y", "a"), RENAME),
    "the old key is merged, too": (
        "x: &x {a: 1}\ny:\n  <<: *x\n  a: 2\n",
        ("y", "a"),
        RENAME,
    ),
    "the key is merged": ("x: &x {a: 1}\ny:\n  <<: *x\n", ("y", "a"), RENAME),
    "the key is repeated": ("&x a: 1\nc: *x\n", ("a",), RENAME),
    "the key is an alias's": ("x: &x {a: 1}\ny: *x\n", ("y", "a"), RENAME),
    "the anchor is repeated": ("x: &x {a: 1}\ny: *x\n", ("x", "a"), RENAME),
    "the value is an alias": ("x: &x 1.1\nv: *x\n", ("v",), WRITE),
    "a tag says otherwise": ("v: !!float 1.1\n", ("v",), WRITE),
    "a block scalar": ("v: |\n  1.1\n", ("v",), WRITE),
    "a list is no scalar": ("v: [1]\n", ("v",), WRITE),
    "a comment would go": (
        "format: json # c\nexpected: {a: 1}\n",
        ("format",),
        DOWN,
    ),
    "a comment between would go": (
        "expected: # c\n  facts: [a]\n",
        ("expected", "facts"),
        UP,
    ),
    "a comment in the way": (
        "- format: json\n  # c\n  expected: {a: 1}\n",
        (0, "format"),
        Move((0, "expected", "format")),
    ),
    "a block does not go into brackets": (
        "format:\n  a: 1\nexpected: {a: 1}\n",
        ("format",),
        DOWN,
    ),
    "text that means more in brackets": (
        "format: a, b\nexpected: {a: 1}\n",
        ("format",),
        DOWN,
    ),
    "what it goes into is null": ("format: json\nexpected:\n", ("format",), DOWN),
    "what it goes into is a list": ("format: json\nexpected: []\n", ("format",), DOWN),
    "what it goes into has it": (
        "format: json\nexpected: {format: text}\n",
        ("format",),
        DOWN,
    ),
    "an alias is moved": ("x: &x json\nformat: *x\n", ("format",), DOWN),
    "a question mark": ("? format\n: json\nz: 1\n", ("format",), DOWN),
    "two documents": ("a: 1\n---\na: 1\n", ("a",), RENAME),
    "a key twice": ("a: 1\na: 2\n", ("a",), RENAME),
    "nothing": ("", ("a",), RENAME),
    "a scalar alone": ("a\n", (), WRITE),
}


@every_case("name", REFUSED)
def test_what_cannot_be_done_so_is_refused(name: str) -> None:
    text, path, edit = REFUSED[name]
    found = edit_text(text, "yaml", [Fix(path, edit)])
    assert found == (text, (), (Fix(path, edit),))


def test_a_line_that_is_not_there_is_refused() -> None:
    for path in ((5, "a"), (0, "z")):
        fix = Fix(path, RENAME)
        assert edit_text('{"a": 1}\n', "jsonl", [fix]) == ('{"a": 1}\n', (), (fix,))


@every_case(
    ("before", "after"),
    [
        (
            "x: &x 1\nh:\n  y: *x\n\n# end\nb: 2 # two\n",
            "x: &x 1\nh:\n  y: *x\n  b: 2 # two\n\n# end\n",
        ),
        ("h:\n  k: |+\n    t\n\n\nb: 2\nc: 3\n", "h:\n  k: |+\n    t\n\n\n  b: 2\nc: 3\n"),
    ],
)
def test_a_key_is_moved_below_what_has_no_clear_end(before: str, after: str) -> None:
    fix = Fix(("b",), Move(("h", "b")))
    assert edited(before, "yaml", fix) == after
    assert [*cuts_by_fix(before, "yaml", [fix])] == [fix], "in reports, too"


def test_what_aliases_repeat_is_mended_where_it_stands() -> None:
    text = "x: &x {a: 1, v: 1.1} # c\ny: *x\nz:\n  <<: *x\n  d: 2\n"
    fixes = [Fix((key, "a"), RENAME) for key in "xyz"] + [Fix((key, "v"), WRITE) for key in "xyz"]
    assert edited(text, "yaml", *fixes) == text.replace("a:", "b:").replace("1.1", "'1.10'")


def test_what_fails_keeps_nothing_else_from_being_made() -> None:
    rows = [f"- {{a: {row}}} # {row}\n" for row in range(40)]
    rows[7] = "- &x {a: 7}\n- *x\n"
    text = "".join(rows)
    fixes = [Fix((row, "a"), RENAME) for row in range(41) if row != 8]
    found = edit_text(text, "yaml", fixes)
    assert found.refused == (Fix((7, "a"), RENAME),)
    assert found.text == text.replace("a:", "b:").replace("{b: 7}", "{a: 7}")


def test_what_touches_another_fix_waits() -> None:
    text = "- {format: json, a: 1, z: 2}\n"
    moves = [Fix((0, key), Move((0, "expected", key))) for key in ("format", "a")]
    first = edit_text(text, "yaml", moves)
    assert (first.made, first.refused) == ((moves[0],), ())
    within = [Fix((0, "a"), RENAME), Fix((0, "a"), Write("x"))]
    assert edited(text, "yaml", *within) == "- {format: json, b: x, z: 2}\n"


@pytest.mark.slow
def test_many_are_made_in_one_pass_and_work_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[str] = []
    before = entries.value_of  # how often a text is read is seen nowhere else

    def counted(text: str, form: str) -> Any:
        read.append(form)
        return before(text, form)

    monkeypatch.setattr(editing, "value_of", counted)
    good = "".join(f"- {{a: {row}}}\n" for row in range(300))
    edited(good, "yaml", *(Fix((row, "a"), RENAME) for row in range(300)))
    assert len(read) == 2

    shared = "".join(f"- &x{row} {{a: 1}}\n- *x{row}\n" for row in range(300))
    found = edit_text(shared, "yaml", [Fix((row, "a"), RENAME) for row in range(0, 600, 2)])
    assert found.made == ()
    assert len(read) < 110


# Whatever the value, and however it is written

_KEYS = st.one_of(
    st.sampled_from("abcxyz"),
    st.text(st.sampled_from("ab'\":{}[],&*!|>%@#?- ~1.äя😀"), min_size=1, max_size=4),
)
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-9, 9),
    st.text(st.sampled_from("ab'\":{}[],&*!|>%@#?- \n1.0äя😀"), max_size=6),
)
_VALUES = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(_KEYS, inner, min_size=1, max_size=4)
    ),
    max_leaves=12,
)
_MAPPINGS = st.dictionaries(_KEYS, _VALUES, min_size=1, max_size=4)


def places(data: Any, path: Path = ()) -> list[Path]:
    """Return the path of everything inside of a value."""
    items: Any = data.items() if isinstance(data, dict) else enumerate(data)
    found: list[Path] = []
    for step, part in items:
        found.append((*path, step))
        if isinstance(part, dict | list):
            found += places(part, (*path, step))
    return found


@st.composite
def fixes_in(draw: st.DrawFn, data: Any) -> Fix:
    path = draw(st.sampled_from(places(data)))
    keys = [step for step in path if isinstance(step, str)]
    edits: list[Any] = [st.builds(Write, _LEAVES)]
    if isinstance(path[-1], str):
        edits.append(st.builds(Rename, _KEYS))
        edits.append(st.just(Move((*path[:-1], "new", path[-1]))))
        if len(path) > 1 and isinstance(path[-2], str) and len(keys) > 1:
            edits.append(st.just(Move((*path[:-2], path[-1]))))
        holders = [each for each in places(data) if isinstance(each[-1], str)]
        edits.append(st.sampled_from(holders).map(lambda home: Move((*home, path[-1]))))
    return Fix(path, draw(st.one_of(edits)))


def asked_for(whole: Any, fix: Fix) -> Any:
    """Return what a fix asks for, in the plainest way."""
    whole = deepcopy(whole)
    *way, last = fix.path
    holder = reduce(getitem, way, whole)
    if isinstance(fix.edit, Write):
        holder[last] = fix.edit.value
        return whole
    part = holder.pop(last)
    if isinstance(fix.edit, Rename):
        holder[fix.edit.key] = part
        return whole
    *home, name = fix.edit.to
    if home and isinstance(home[-1], str):
        reduce(getitem, home[:-1], whole).setdefault(home[-1], {})
    reduce(getitem, home, whole)[name] = part
    if not holder and way and isinstance(way[-1], str):
        del reduce(getitem, way[:-1], whole)[way[-1]]
    return whole


def written(data: Any, style: str) -> tuple[str, str]:
    """Write a value in a style; return the text and its form."""
    match style:
        case "json":
            return json.dumps(data, ensure_ascii=False), "json"
        case "lines":
            return json.dumps(data, indent=2), "json"
        case "flow":
            return f"# head\n{flow(data)} # tail\n", "yaml"
    lines = block(data, 2 if style == "two" else 4, 2 if style == "four" else 0)
    return "\n".join(["# head", *lines, "# tail", ""]), "yaml"


@examples(300)
@given(st.data())
def test_whatever_is_made_gives_exactly_what_was_asked_for(data: st.DataObject) -> None:
    whole = data.draw(_MAPPINGS)
    style = data.draw(st.sampled_from(["json", "lines", "flow", "two", "four", "none"]))
    text, form = written(whole, style)
    fix = data.draw(fixes_in(whole))
    found = edit_text(text, form, [fix])
    if found.made:
        assert json_equal(value(found.text, f"x.{form}"), asked_for(whole, fix))
        assert [line for line in found.text.split("\n") if line.startswith("#")] == [
            line for line in text.split("\n") if line.startswith("#")
        ]
    else:
        assert found == (text, (), (fix,))


@examples(200)
@given(st.data())
def test_a_key_is_renamed_wherever_it_stands(data: st.DataObject) -> None:
    """No rename and no other scalar is refused without a reason: the key is there already."""
    whole = data.draw(_MAPPINGS)
    style = data.draw(st.sampled_from(["json", "lines", "flow", "two", "four", "none"]))
    text, form = written(whole, style)
    path = data.draw(st.sampled_from([each for each in places(whole) if isinstance(each[-1], str)]))
    found = edit_text(text, form, [Fix(path, Rename("quite_new"))])
    assert found.made
    assert edit_text(found.text, form, [Fix((*path[:-1], "quite_new"), Rename(str(path[-1])))]).made
