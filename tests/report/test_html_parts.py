"""The parts of the HTML report: segments of lines, the layout of the graph, data in markup."""

from __future__ import annotations

import json
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.model.diagnostic import Span
from evalcontract.page.content import Line, Mark
from evalcontract.page.data import HEIGHT, WIDTH, layout, segments
from evalcontract.page.report import MODULES, data_text, text_of


@every_case(
    ("line", "spans", "wanted"),
    [
        (Line(1, "abcdef"), [], [("abcdef", [])]),
        (Line(1, "abcdef"), [(1, 2, 1, 4)], [("a", []), ("bc", [0]), ("def", [])]),
        (
            Line(1, "abcdef"),
            [(1, 2, 1, 5), (1, 4, 1, 6)],
            [("a", []), ("bc", [0]), ("d", [0, 1]), ("e", [1]), ("f", [])],
        ),
        (Line(1, "abc"), [(1, 2, 3, 1)], [("a", []), ("bc", [0])]),
        (Line(2, "abc"), [(1, 2, 3, 1)], [("abc", [])]),
        (Line(1, "abc"), [(1, 4, 1, 4)], [("abc", []), (" ", [0])]),
        (Line(1, "abc"), [(1, 2, 1, 2)], [("a", []), ("b", [0]), ("c", [])]),
        (Line(1, ""), [(1, 1, 1, 1)], [(" ", [0])]),
        (Line(1, "cdef", 3), [(1, 4, 1, 5)], [("c", []), ("d", [0]), ("ef", [])]),
        (Line(1, "cdef", 3), [(1, 20, 1, 25)], [("cdef", [])]),
        (Line(1, "a\u202eb\x1b"), [(1, 2, 1, 3)], [("a", []), ("\ufffd", [0]), ("b␛", [])]),
    ],
)
def test_a_line_is_cut_at_its_findings(
    line: Line, spans: list[tuple[int, int, int, int]], wanted: list[tuple[str, list[int]]]
) -> None:
    marks = [Mark(number, Span(*span)) for number, span in enumerate(spans)]
    assert segments(line, marks) == wanted


@every_case(
    ("count", "edges"),
    [
        (0, []),
        (1, []),
        (1, [(0, 0)]),
        (3, [(0, 1), (1, 2), (0, 2)]),
        (3, [(0, 1), (1, 2), (2, 0)]),
        (4, [(0, 2), (1, 2), (2, 3), (3, 2), (0, 3)]),
    ],
)
def test_boxes_do_not_overlap_and_edges_meet_them(count: int, edges: list[tuple[int, int]]) -> None:
    _holds(count, edges)


@given(st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), unique=True, max_size=30))
def test_any_graph_can_be_laid_out(edges: list[tuple[int, int]]) -> None:
    _holds(12, edges)


def _holds(count: int, edges: list[tuple[int, int]]) -> None:
    placed = layout(count, edges, frozenset({count - 1}))
    boxes = placed.boxes
    assert len(boxes) == count
    for at, (x, y) in enumerate(boxes):
        assert 0 <= x <= placed.width - WIDTH
        assert 0 <= y <= placed.height - HEIGHT
        for other_x, other_y in boxes[:at]:
            assert abs(other_x - x) >= WIDTH or abs(other_y - y) >= HEIGHT
    assert len(placed.lines) == len(edges)
    for (start, end), points in zip(edges, placed.lines, strict=True):
        for node, (x, y) in ((start, points[0]), (end, points[-1])):
            left, top = boxes[node]
            assert left <= x <= left + WIDTH
            assert top <= y <= top + HEIGHT


def test_a_box_stands_in_the_middle_of_what_it_refers_to() -> None:
    # Two datasets, each with ten rubrics of its own; one of them leads to a judge.
    edges = [(at % 2, at) for at in range(2, 22)]
    placed = layout(23, [*edges, (2, 22)])
    for dataset in (0, 1):
        tops = [placed.boxes[end][1] for start, end in edges if start == dataset]
        assert placed.boxes[dataset][1] == pytest.approx((min(tops) + max(tops)) / 2)
    assert placed.boxes[22][1] == placed.boxes[2][1]


@given(st.text(st.characters(codec=None, categories=None)))
def test_any_text_can_stand_in_the_page(text: str) -> None:
    written = data_text({text: [text]})
    assert not re.search("[<>&\u2028\u2029\ud800-\udfff]", written)
    assert json.loads(written) == {text: [text]}


def test_every_file_of_the_page_is_used_and_each_module_follows_what_it_imports() -> None:
    folder = files("evalcontract") / "report" / "page"
    names = {each.name for each in folder.iterdir()}
    assert names == {"page.html", "page.css", *(f"{name}.js" for name in MODULES)}
    exported: dict[str, str] = {}
    for at, name in enumerate(MODULES):
        text = text_of(f"{name}.js")
        for needed in re.findall(r'^import .* from "\./(\w+)\.js";$', text, re.MULTILINE):
            assert needed in MODULES[:at], (name, needed)
        for export in re.findall(r"^export (?:function|const) (\w+)", text, re.MULTILINE):
            assert export not in exported, (name, exported.get(export))
            exported[export] = name
    assert "innerHTML" not in "".join(text_of(f"{name}.js") for name in MODULES)
