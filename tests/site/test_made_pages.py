"""What the build makes of pages and pictures, tried without a site."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from needs import DOCS, missing
from tables import every_case

sys.path.append(str(Path(__file__).parents[2] / "docs" / "site"))
try:
    import pygments  # noqa: F401 - only whether it is there
except ImportError:
    missing(DOCS)

from finishing import finished
from pictures import THEMES, Answer, editor_svg, placed, terminal_svg

WIDE = """\
<table class="docutils align-default">
<thead><tr><th class="head"><p>tool</p></th><th class="head"><p></p></th>\
<th class="head"><p>a &amp; b</p></th><th class="head"><p>d</p></th></tr></thead>
<tbody><tr><td><p>x</p></td><td><p>1</p></td><td><p>2</p></td><td><p>3</p></td></tr></tbody>
</table>"""


def test_cells_of_wide_tables_say_what_they_are() -> None:
    table = finished(WIDE)
    assert '<table class="wide docutils' in table
    assert '<td data-title="a &amp; b"><p>2</p></td>' in table
    assert "<th" not in table.partition("</thead>")[2]
    assert '<th class="head"><p></p></th>' not in table


def test_narrow_tables_stay_as_they_are() -> None:
    table = WIDE.replace('<th class="head"><p></p></th>', "").replace("<td><p>1</p></td>", "")
    assert finished(table) == table


@every_case("theme", [*THEMES])
def test_a_terminal_is_drawn_with_its_colours(theme: str) -> None:
    colours = THEMES[theme]
    printed = "\x1b[1;33mwarning[a/b]\x1b[0m: <unknown> & more\n  ^^^\n"
    picture = ET.fromstring(terminal_svg(printed, colours, 60))
    spans = {span.text: span for span in picture.iter("{http://www.w3.org/2000/svg}tspan")}
    assert spans["warning[a/b]"].attrib["fill"] == colours.ansi["33"]
    assert spans["warning[a/b]"].attrib["font-weight"] == "700"
    assert spans[": <unknown> & more"].attrib["fill"] == colours.ink
    assert float(spans["^^^"].attrib["x"]) > float(spans["warning[a/b]"].attrib["x"])


@pytest.mark.parametrize("columns", [46, 66])
def test_no_line_of_a_picture_is_wider_than_it(columns: int) -> None:
    text = "questions:\n  - id: a\n    expecteed_facts: [b]\n"
    answer = Answer(2, 4, 19, "unknown key `expecteed_facts` " * 4, "a/b", ("Rename " * 12,))
    said = "word " * 40
    theme = THEMES["dark"]._replace(style="default")  # its own comes with what builds the site
    for drawn in (
        editor_svg(text, answer, theme, columns),
        terminal_svg(said, theme, columns),
    ):
        picture = ET.fromstring(drawn)
        width = float(picture.attrib["width"])
        spans = [*picture.iter("{http://www.w3.org/2000/svg}tspan")]
        assert len(spans) > 5
        ends = [float(s.attrib["x"]) + float(s.attrib["textLength"]) for s in spans]
        assert max(ends) <= width


PAGE = "before\n\n<!-- picture near-miss: A `key`\nof a row -->\n\n```console\n$ x\n```\n\nafter\n"


def test_a_picture_stands_in_place_of_the_text() -> None:
    made = placed(PAGE, {"near-miss"})
    assert 'alt="A `key` of a row"' in made
    assert "console" not in made
    assert made.startswith("before\n\n<div")
    assert made.endswith("after\n")


def test_without_a_picture_the_text_stays() -> None:
    assert "$ x" in placed(PAGE, set())
    assert "<!--" not in placed(PAGE, set())
