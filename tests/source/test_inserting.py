"""Keys are added to YAML that an author wrote: every line that is there stays as it is."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from doors import ROOT
from examples import examples, some, tries
from hypothesis import given
from hypothesis import strategies as st
from needs import shared
from tables import every_case

from evalcontract.model.errors import EditError
from evalcontract.model.values import json_equal
from evalcontract.source.entries import Entries, Spot, last_spot, places
from evalcontract.source.faults import ParseError
from evalcontract.source.setting import set_value
from evalcontract.source.yaml.reading import nodes_of, parse_yaml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path as File

    from evalcontract.model.diagnostic import Path

_ADDED = "added_here"
_LINE = re.compile(rf"^ *{_ADDED}: 7(?:\r?\n|\r|\Z)", re.MULTILINE)
_IN_FLOW = re.compile(rf",\s*{_ADDED}: 7|{_ADDED}: 7")
_LAST_LINE = re.compile(rf"\r?\n *{_ADDED}: 7\Z")
"""A text without a line end at its end gets one before the new last line."""

_SCALARS = [
    "1",
    "0x1F",
    "0o17",
    "1_000",
    "1.50",
    "1e3",
    "~",
    "True",
    "2026-05-08",
    "'it''s: #1'",
    '"say: \\"é\\" \\t"',
    "plain text, more",
    "ünï → 日本",
    "[1,  two,'3']",
    "{ a: 1,b: [x] }",
    "{}",
    "[]",
    "",
]
_BLOCKS = ["|", ">-", "|+", ">", "|2"]
_KEYS = ["a", "'b c'", '"d"', "é", "x-y", "12"]
_COMMENTS = ["# why", "#", "# key: value", "#  é  "]


class _Layout:
    """Draws the layout of one file: what is written, and how it is indented."""

    def __init__(self, draw: Callable[[st.SearchStrategy[Any]], Any]) -> None:
        self._draw = draw
        self._step = draw(st.sampled_from([2, 4, 3]))
        self._offset = draw(st.sampled_from([0, 2, 4]))
        self._is_even = draw(st.booleans())
        self._anchors: list[str] = []
        self._has_comments = draw(st.booleans())

    def chance(self, *outcomes: Any) -> Any:
        return self._draw(st.sampled_from(outcomes))

    def text(self) -> str:
        lines = [*self.noise(0)]
        lines += self.chance([], [], ["---"], ["%YAML 1.2", "---"])
        lines += self.mapping(0, 0)
        lines += self.noise(0)
        text = "\n".join([*lines, ""]) if self.chance(True, True, False) else "\n".join(lines)
        return text.replace("\n", "\r\n") if self.chance(False, False, True) else text

    def noise(self, column: int) -> list[str]:
        if not self._has_comments:
            return []
        comment = self.chance(*_COMMENTS)
        at = " " * self.chance(0, column, column + 2)
        return list(self.chance([], [], [""], [f"{at}{comment}"], ["", f"{at}{comment}", ""]))

    def indentation(self, column: int, usual: int) -> int:
        """Return the column of a block; in an uneven file not always the usual one."""
        return column + (usual if self._is_even else max(1, self.chance(usual, 2, 5)))

    def mapping(self, column: int, depth: int) -> list[str]:
        lines: list[str] = []
        for key in self._draw(
            st.lists(st.sampled_from(_KEYS), min_size=1, max_size=3, unique=True)
        ):
            first, *rest = self.value(column, depth)
            lines += [*self.noise(column), f"{' ' * column}{key}:{first}", *rest]
        return lines

    def sequence(self, column: int, depth: int) -> list[str]:
        lines: list[str] = []
        for _ in range(self.chance(1, 2, 3)):
            lines += self.noise(column)
            if self.chance(True, False):
                first, *rest = self.mapping(column + 2, depth)
                while not first.strip() or first.lstrip().startswith("#"):
                    first, *rest = rest  # noise does not come after a dash
                lines += [f"{' ' * column}- {first.lstrip()}", *rest]
            else:
                lines.append(f"{' ' * column}-{self.scalar()}")
        return lines

    def value(self, column: int, depth: int) -> list[str]:
        """Return what comes after a colon, and the lines below."""
        kind = self.chance("scalar", "scalar", "block", "mapping", "sequence", "folded")
        end = (
            self.chance("", "", "  # " + self.chance("one", "two: 2")) if self._has_comments else ""
        )
        if kind == "block":
            header = self.chance(*_BLOCKS)
            at = " " * (column + 2)
            below = self.chance([], [""], ["", ""]) if header == "|+" else []
            return [f" {header}{end}", f"{at}text # no comment", "", f"{at}more: é", *below]
        if kind == "folded":
            return [f" some words{''}", f"{' ' * (column + 1)}and more{end}"]
        if kind == "scalar" or depth > 2:
            return [f"{self.scalar()}{end}"]
        if kind == "mapping":
            return [end, *self.mapping(self.indentation(column, self._step), depth + 1)]
        offset = self._offset if self._is_even else self.chance(0, 2)
        return [end, *self.sequence(column + offset, depth + 1)]

    def scalar(self) -> str:
        if self._anchors and self.chance(True, False, False, False):
            return f" *{self.chance(*self._anchors)}"
        text = self.chance(*_SCALARS)
        if text and self.chance(True, False, False, False, False):
            self._anchors.append(f"n{len(self._anchors)}")
            return f" &{self._anchors[-1]} {text}"
        return f" {text}" if text else ""


@st.composite
def layouts(draw: st.DrawFn) -> str:
    """YAML in many layouts; some of them cannot be parsed."""
    return _Layout(draw).text()


def homes(value: Any, path: Path = ()) -> Iterator[Path]:
    """Yield the paths of all mappings of a value."""
    if isinstance(value, dict):
        yield path
        for key, part in value.items():
            yield from homes(part, (*path, key))
    elif isinstance(value, list):
        for index, part in enumerate(value):
            yield from homes(part, (*path, index))


def with_key(value: Any, path: Path) -> Any:
    """Return a value with a key more in one of its mappings."""
    if not path:
        return {**value, _ADDED: 7}
    step, *rest = path
    copy = value.copy()
    copy[step] = with_key(value[step], tuple(rest))
    return copy


def is_written_there(entries: Entries, path: Path) -> bool:
    """Whether a mapping is written at its path, and not where an anchor is."""
    return all(
        entries.entry(path[:end]) is not None
        for end in range(1, len(path) + 1)
        if isinstance(path[end - 1], str)
    )


def value_of(text: str) -> Any:
    return parse_yaml(text, "", b"").value


def check_additions(text: str, some: Callable[[list[Path]], list[Path]]) -> int:
    """Add a key to mappings of a text, one by one; return how often that was possible."""
    value = value_of(text)
    added = 0
    for path in some([*homes(value)]):
        wanted = with_key(value, path)
        try:
            after = set_value(text, wanted)
        except EditError:
            continue
        added += 1
        assert json_equal(value_of(after), wanted)
        if _LINE.search(after):
            rest = (
                _LINE.sub("", after) if text.endswith(("\n", "\r")) else _LAST_LINE.sub("", after)
            )
            rest = rest if rest != after else _LINE.sub("", after)
        else:
            rest = _IN_FLOW.sub("", after)
        assert rest == text
    return added


@pytest.mark.costly
@examples(600)
@given(layouts(), st.randoms(use_true_random=False))
def test_all_lines_stay(text: str, random: Any) -> None:
    try:
        value_of(text)
    except ParseError:
        return
    check_additions(text, lambda paths: random.sample(paths, min(3, len(paths))))


@pytest.mark.costly
@examples(600)
@given(layouts())
def test_marks_and_positions_agree(text: str) -> None:
    """What ruamel.yaml places, the positions place there, too, or they say nothing."""
    try:
        value = value_of(text)
    except ParseError:
        return
    entries = Entries(text, nodes_of(text))
    spots = [last_spot(path, entries) for path in homes(value) if is_written_there(entries, path)]
    spots.append(Spot(()))
    slowly, quickly = places(spots, entries), places(spots, entries, is_quick=True)
    assert {spot: slowly[spot] for spot in slowly if spot in quickly} == {
        spot: quickly[spot] for spot in quickly if spot in slowly
    }


def _files(folder: File) -> Iterator[tuple[File, str]]:
    for path in sorted(folder.rglob("*.y*ml")):
        try:
            text = path.read_bytes().decode()
            value_of(text.removeprefix("\ufeff"))
        except (UnicodeDecodeError, ParseError, ValueError, RecursionError):
            continue
        yield path, text


def _few(paths: list[Path]) -> list[Path]:
    """Return some paths from all over a file."""
    return paths[:: max(1, len(paths) // 5)]


@pytest.mark.slow
def test_our_fixtures() -> None:
    texts = [text for _, text in some(_files(ROOT / "fixtures"), times=4)]
    assert len(texts) > tries(50)
    possible = sum(check_additions(text.removeprefix("\ufeff"), _few) for text in texts)
    assert possible >= len(texts)


def test_real_files() -> None:
    texts = [text for _, text in _files(shared("real"))]
    for text in texts:
        paths = _few([*homes(value_of(text))])
        assert check_additions(text, _few) == len(paths)
    assert texts


@every_case(
    "text",
    [
        "a: 1\n---\nb: 2\n",
        "- 1\n",
        "a: 1 # one\na: 2\n",
        "base: &b {c: 1}\nd: *b\n",
    ],
)
def test_what_cannot_be_added_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        set_value(text, {"base": {"c": 1}, "d": {"c": 1, _ADDED: 7}})


@every_case(
    ("items", "value"),
    [
        ("- &a 1\n- *a\n", [1, 1]),
        ("- a: &a 1\n- *a\n", [{"a": 1}, 1]),
        ("- &a 1\n- 2\n- *a\n", [1, 2, 1]),
    ],
)
def test_a_list_ends_below_its_last_alias(items: str, value: Any) -> None:
    text = f"a: some\n  words\nb:\n{items}"  # whose lines ruamel.yaml would join
    with pytest.raises(EditError):
        set_value(text, {"a": "some words", "b": value, _ADDED: 7})
    assert set_value(f"b:\n{items}", {"b": value, _ADDED: 7}) == f"b:\n{items}{_ADDED}: 7\n"


def test_a_key_of_what_aliases_repeat_is_added_once() -> None:
    text = "a:\n- &n {}\n- *n\n- {b: 1}\n"
    value = {"a": [{_ADDED: 7}, {_ADDED: 7}, {"b": 1}]}
    assert set_value(text, value) == text.replace("{}", f"{{{_ADDED}: 7}}")


def test_a_footer_stays_below() -> None:
    text = "a: 0x1F\n\nrows:\n- {b: [1,2]}  # c\n\n- b: >\n    é\n\n# end\n"
    rows = [{"b": [1, 2], "n": "x"}, {"b": "é\n", "n": "y"}]
    assert set_value(text, {"id": "i", "a": 31, "rows": rows}) == (
        "id: i\na: 0x1F\n\nrows:\n- {b: [1,2], n: x}  # c\n\n- b: >\n    é\n  n: y\n\n# end\n"
    )


def test_keys_have_the_indentation_of_the_author() -> None:
    value = {"tpr": 0.5, "against": "labels " * 12}
    for columns in (2, 3, 4):
        step = " " * columns
        lines = f"b:\n{step}tpr: 0.5\n{step}against: '{value['against']}'\n"
        for text, old in (
            (f"a:\n{step}c: 1\n", {"c": 1}),
            (f"a: |\n\n{step}text\n", "\ntext\n"),
        ):
            assert set_value(text, {"a": old, "b": value}) == f"{text}{lines}"


def test_lists_have_the_indentation_of_the_author() -> None:
    long = ["a sentence of some length"] * 4
    items = "".join(f"    - {item}\n" for item in long)
    text = "a:\n    - 1\n"
    assert set_value(text, {"a": [1], "b": long}) == f"{text}b:\n{items}"
    text = "a:\n- 1\n"
    assert set_value(text, {"a": [1], "b": long}) == f"{text}b:\n{items.replace('    ', '')}"


@pytest.mark.slow
def test_ruamel_is_only_loaded_where_something_is_added() -> None:
    code = (
        "import sys, evalcontract.fixing, evalcontract.starting.migrate;"
        "print('ruamel.yaml' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
