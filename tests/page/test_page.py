"""The HTML report in a real Chromium: what a reader sees, and does with keys and pointer."""

from __future__ import annotations

import json
import re
from contextlib import chdir
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from browser import Browser
from doors import command_line
from evals import large, small
from examples import some
from pages import data_of, report
from publishing import PUBLISHED
from repositories import commit, needs_git, repository
from tables import every_case
from writing import write

from evalcontract.model import codes as addresses

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

REFERENCE = {"rubric_ref": "rubric/tone@1.0.0"}
TONE = {
    "id": "tone",
    "version": "1.0.0",
    "checks": [{"kind": "regex", "pattern": "a"}],
    "scoring": {"combine": "all_pass"},
}
VIEWS = ("findings", "coverage", "references", "results")
#: The normal text of a page needs this contrast (WCAG 2.2, 1.4.3, level AA); signs need 3.
CONTRAST, SIGNS = 4.5, 3.0
#: The height of the names of rubrics and checks above a map with few columns.
NAMES = 22 + 28
OUTPUTS = (
    ("good", "It left on Monday."),
    ("misspelled", "What nonsense."),
    ("circular", "?"),
    ("dangling", "?"),
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a small dataset with results, once there are published pages."""
    root = tmp_path_factory.mktemp("small")
    dataset = small(root)
    outputs = root / "outputs.jsonl"
    lines = [json.dumps({"id": id_, "output": text}) for id_, text in OUTPUTS]
    outputs.write_text("\n".join(lines))
    results = root / "results.jsonl"
    command_line("grade", dataset, "--soft", "--outputs", outputs, "--results", results)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(addresses, "SITE", PUBLISHED)
        return report(dataset, "--results", results)


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a dataset with 10,000 rows, each with a finding."""
    dataset = large(tmp_path_factory.mktemp("large"), 10_000)
    return report(dataset, "--max-findings", "0")


def remarks(browser: Browser) -> list[str]:
    """Return the codes of the findings that are shown, in order."""
    return browser.texts(".remark .code")


@every_case("size", [(1280, 900), (360, 740)])
@every_case("view", VIEWS)
def test_nothing_is_refused_loaded_or_cut_off(
    browser: Browser, page: Path, view: str, size: tuple[int, int]
) -> None:
    browser.open(page, f"#view={view}", size)
    assert browser.complaints() == []
    assert browser.call("seen")["requests"] == [page.as_uri()]
    assert browser.run("document.documentElement.scrollWidth") <= size[0]
    assert browser.texts(f"#tab-{view}[aria-selected=true]") != []


@every_case(("view", "scheme"), some(product(VIEWS, ["light", "dark"]), times=4))
def test_axe_finds_nothing(browser: Browser, page: Path, view: str, scheme: str) -> None:
    browser.open(page, f"#view={view}")
    browser.call("page.emulateMedia", {"colorScheme": scheme})
    assert browser.call("axe") == []


def test_a_row_shows_its_findings_at_their_places(browser: Browser, page: Path) -> None:
    browser.open(page, "#q=misspelled")
    (card,) = browser.texts(".card")
    assert "small.yaml:8" in card
    marked = browser.texts("mark")
    assert marked == ["expecteed_facts", "rubric/narrow"]
    after = "mark.closest('.line').nextElementSibling.dataset.finding"
    findings = data_of(page)["findings"]
    numbers = browser.run(f"[...document.querySelectorAll('mark')].map(mark => {after})")
    codes = [findings[int(number)]["code"] for number in numbers]
    assert codes == ["dataset/near-miss-key", "reference/unpinned"]
    links = browser.run("[...document.querySelectorAll('.remark a')].map(a => a.href)")
    assert links == [f"{PUBLISHED}/rules/{code}/" for code in codes]


def test_filters_stand_in_the_address(browser: Browser, page: Path) -> None:
    browser.open(page)
    every = remarks(browser)
    browser.call("page.check", "input[data-facet=code][value='reference/dangling']")
    browser.settle()
    assert set(remarks(browser)) == {"reference/dangling"} != set(every)
    address = browser.run("location.hash")
    assert address == "#code=reference%2Fdangling"
    browser.open(page, address)
    assert set(remarks(browser)) == {"reference/dangling"}
    assert browser.texts("#counts")[0].startswith(f"{len(set_of(page, 'reference/dangling'))} of ")
    browser.call("page.click", "text=Clear filters")
    browser.settle()
    assert remarks(browser) == every
    assert browser.run("location.hash") == ""


def set_of(page: Path, code: str) -> set[int]:
    findings = data_of(page)["findings"]
    return {number for number, finding in enumerate(findings) if finding["code"] == code}


@every_case(
    ("fragment", "files"),
    [
        ("#file={file}", {"small.yaml"}),
        ("#severity=note", {"tone.yaml"}),
        ("#severity=error", set()),
        ("#q=a+circle+of+nothing", set()),
        ("#q=LEFT+ON", {"small.yaml"}),
    ],
)
def test_a_filter_leaves_out_the_others(
    browser: Browser, page: Path, fragment: str, files: set[str]
) -> None:
    name = next(each["file"] for each in data_of(page)["excerpts"] if each["row"] == "dangling")
    browser.open(page, fragment.format(file=name))
    heads = browser.texts(".card h3 .name:first-child")
    assert {head.rpartition("/")[2] for head in heads} == files
    assert (browser.texts(".empty") != []) is (not files)


def test_the_modes_are_those_of_the_policy(browser: Browser, page: Path) -> None:
    findings = data_of(page)["findings"]
    for mode in ("soft", "strict", "configured"):
        browser.open(page)
        browser.call("page.check", f"input[name=mode][value={mode}]")
        browser.settle()
        wanted = [each["severities"].get(mode) for each in findings]
        tiles = browser.texts(".tile .value")[:3]
        assert tiles == [str(wanted.count(each)) for each in ("error", "warning", "note")]
    assert browser.run("location.hash") == ""
    severities = [each["severities"] for each in findings]
    assert any(each.get("soft") != each.get("strict") for each in severities)


def test_keys_move_search_and_leave(browser: Browser, page: Path) -> None:
    browser.open(page)
    focused = "document.activeElement.getAttribute('aria-posinset')"
    browser.press("j")
    assert browser.run(focused) == "1"
    browser.press("j", "j", "k")
    assert browser.run(focused) == "2"
    browser.press("/")
    assert browser.run("document.activeElement.id") == "search"
    browser.press("j")
    assert browser.run("document.activeElement.value") == "j"
    browser.press("Escape")
    assert browser.run("document.activeElement.value") == ""
    browser.press("Escape")
    assert browser.run("document.activeElement.tagName") == "BODY"
    browser.press("?")
    assert browser.texts("#help-title") == ["Keys"]
    browser.press("Escape")
    assert browser.texts("#help-title") == []


def test_the_skip_link_is_first_and_leads_to_the_content(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.press("Tab")
    assert browser.run("document.activeElement.id") == "skip"
    browser.press("Enter")
    assert browser.run("document.activeElement.id") == "main"


def test_tabs_move_with_arrows_and_the_back_button(browser: Browser, page: Path) -> None:
    browser.open(page)
    browser.call("page.focus", "#tab-findings")
    browser.press("ArrowRight")
    assert browser.run("location.hash") == "#view=coverage"
    assert browser.texts("#coverage .counts") != []
    browser.call("page.goBack")
    browser.settle()
    assert browser.texts("[role=tab][aria-selected=true]") == ["Findings"]


def test_a_cell_of_the_map_says_what_it_is(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=coverage")
    (table,) = data_of(page)["coverage"]
    columns = [column["check"] for column in table["columns"]]
    browser.call("page.focus", ".heatmap")
    browser.press("ArrowDown", *["ArrowRight"] * (columns.index("narrow_3") + 1))
    browser.press("ArrowLeft")
    said = browser.texts(".said")[0]
    assert re.match(r"good · \w+ ", said)
    # The pointer says the same of the same cell. Rows are 18 pixels high, below the names of
    # checks; columns have the same width, all that there is.
    width = browser.run("document.querySelector('.heatmap').clientWidth")
    wide = min(170, (width - 190 - 12) // len(columns))
    left = max(190, min(400, width - 12 - wide * len(columns)))
    assert width - left - wide * len(columns) < wide
    for at in (0, wide - 1):
        place = {"x": left + columns.index("narrow_3") * wide + at, "y": NAMES + 9}
        browser.call("page.hover", ".heatmap", {"position": place})
        assert browser.texts(".tip") == ["good · narrow_3\nskip: the row has no expected_tools"]
    browser.call("page.hover", ".heatmap", {"position": {"x": 40, "y": NAMES + 3 * 18 + 9}})
    assert browser.texts(".tip")[0].startswith("dangling\nunknown: there is no rubric/norrow")


def test_the_map_leads_to_the_findings_of_a_row(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=coverage")
    browser.call("page.click", ".heatmap", {"position": {"x": 40, "y": NAMES + 18 + 9}})
    browser.call("page.click", "text=Show its findings")
    browser.settle()
    assert browser.texts(".card .row") == ["misspelled"]


def test_only_rows_with_gaps(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=coverage")
    browser.call("page.check", "#gaps")
    assert browser.run("location.hash") == "#view=coverage&gaps=1"


def test_the_graph_and_its_list_say_the_same(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=references")
    graph = data_of(page)["graph"]
    titles = browser.run("[...document.querySelectorAll('.node title')].map(e => e.textContent)")
    listed = browser.texts(".references > li > .name")
    assert [title.partition(":")[0] for title in titles] == listed
    assert len(listed) == len(graph["nodes"])
    text = "\n".join(browser.texts(".references"))
    for fact in ("in a cycle", "does not exist", "no version", "judge/lost@2.0.0"):
        assert fact in text
    assert browser.run("document.querySelectorAll('.edge.cycle[marker-end]').length") == 2


def test_results_show_what_did_not_pass_first(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results")
    (run,) = data_of(page)["runs"]
    cards = browser.texts("#results .item h4")
    assert [card.split()[0] for card in cards] == [row["id"] for row in run["rows"]]
    head = browser.texts("#results thead th")
    assert "unavailable" in head
    assert "Mean" in head
    browser.call("page.check", "#results label:has-text('failed') input")
    browser.settle()
    assert len(browser.texts("#results .item")) == run["rows_tally"]["counts"]["failed"]


@needs_git
def test_changes_since_a_revision(browser: Browser, tmp_path: Path) -> None:
    """Those with a wrong version first; nothing of them is markup, and all of it can be read."""
    write(
        repository(tmp_path),
        {
            "rubrics/tone.json": TONE,
            "rubrics/<b>.json": {**TONE, "id": "other"},
            "datasets/d.json": {"questions": [{"id": "<i>x</i>", "input": "a", **REFERENCE}]},
        },
    )
    commit(tmp_path)
    checks = [{"kind": "regex", "pattern": "</script><b onclick=alert(1)>"}]
    write(
        tmp_path,
        {
            "rubrics/tone.json": {**TONE, "checks": checks},
            "rubrics/<b>.json": {**TONE, "id": "other", "label": "`x` <i>"},
            "datasets/d.json": {"questions": [{"id": "<i>y</i>", "input": "a", **REFERENCE}]},
        },
    )
    with chdir(tmp_path):
        page = report(tmp_path / "datasets" / "d.json", "--against", "HEAD")
    for size, scheme in product([(1280, 900), (360, 740)], ["light", "dark"]):
        browser.open(page, "#view=changes", size)
        browser.call("page.emulateMedia", {"colorScheme": scheme})
        assert browser.complaints() == []
        assert browser.call("axe") == []
        assert browser.run("document.documentElement.scrollWidth") <= size[0]
    heads = browser.texts("#changes .card h3")
    assert [head.split(":")[0] for head in heads] == [
        "score-breaking rubric/tone 1.0.0",
        "wording only rubric/other 1.0.0",
        "additive datasets/d.json",
    ]
    assert "a score-breaking change needs 2.0.0 or higher" in browser.texts("#changes .error")[0]
    assert "row <i>y</i> renamed, before <i>x</i>" in browser.texts("#changes .card")[2]
    assert browser.texts("#tab-changes") == ["Changes1"]
    assert "1 of 1 row, through rubric/tone@1.0.0" in "".join(browser.texts("#changes li"))


def test_undecided_is_an_outcome_of_its_own(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&outcome=undecided")
    heads = [head.split(None, 1) for head in browser.texts("#results .item h4")]
    undecided = ("good", "circular", "dangling")
    assert heads == [[id_, "undecided 0.00 to 1.00"] for id_ in undecided]
    colour = "getComputedStyle(document.querySelector('#results {}')).color"
    assert browser.run(colour.format(".undecided")) != browser.run(colour.format(".passed"))
    (run,) = data_of(page)["runs"]
    assert run["sentence"] in browser.texts("#results .mean")[0]
    assert browser.texts(".headline h2") == ["Not everything ran"]
    assert "2 of 4 llm_judge checks did not run: no model is configured" in browser.texts(
        ".headline li"
    )


def test_what_ran_stands_beside_what_was_predicted(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=coverage")
    tiles = browser.texts(".tile:has(.value.warning)")
    assert "25.0 %\nof checks ran, 41.6 % were predicted to" in tiles
    assert "0.00 to 0.75\nmean score, 1 of 4 rows decided" in tiles
    assert browser.texts("#coverage .counts")[0].startswith(
        "41.6 % of the checks were predicted to run; 25.0 % ran (3 of 12), by "
    )
    browser.call("page.focus", ".heatmap")
    browser.press("ArrowDown", "ArrowRight")
    why = "was predicted to run, and did not: unavailable: no model is configured"
    assert browser.texts(".said") == [f"good · narrow_1 missed: {why}"]
    browser.press("ArrowRight")
    assert browser.texts(".said") == ["good · narrow_2 run: ran, as predicted"]
    judged = "#coverage tbody tr:nth-child(2)"
    assert browser.texts(f"{judged} .figure") == ["·", "2", "·", "·"]
    assert browser.run(f"document.querySelectorAll('{judged} .fill-run').length") == 0


@pytest.mark.thorough
def test_ten_thousand_rows_keep_the_document_small(browser: Browser, many: Path) -> None:
    browser.open(many)
    most = 0
    for part in range(11):
        browser.run(f"scrollTo(0, document.body.scrollHeight * {part / 10})")
        browser.settle()
        most = max(most, browser.run("document.querySelectorAll('*').length"))
        assert browser.texts(".card") != []
    assert most < 2000
    last = data_of(many)["excerpts"][-1]["row"]
    assert last in browser.texts(".card .row")
    assert browser.complaints() == []


@pytest.mark.thorough
def test_the_length_of_the_list_is_soon_known(browser: Browser, many: Path) -> None:
    browser.open(many)

    def scrolled_to(share: float) -> tuple[int, int]:
        browser.run(f"scrollTo(0, document.scrollingElement.scrollHeight * {share})")
        browser.settle()
        length, place = browser.run(
            "[document.querySelector('.feed').offsetHeight, document.scrollingElement.scrollTop]"
        )
        return length, place

    for share in (0.2, 0.4, 0.6):
        scrolled_to(share)
    length, place = scrolled_to(0.8)
    assert place == pytest.approx(0.8 * length, rel=0.01)
    heights = browser.run("[...document.querySelectorAll('.virtual')].map(e => e.offsetHeight)")
    rows = 10_000 + 2  # and the files of the rubric and the judge
    assert length / rows == pytest.approx(sum(heights) / len(heights), rel=0.1)


@pytest.mark.thorough
def test_ten_thousand_rows_of_the_map_are_one_canvas(browser: Browser, many: Path) -> None:
    browser.open(many, "#view=coverage")
    browser.call("page.focus", ".heatmap")
    browser.press("ArrowDown", "End")
    assert browser.texts(".said")[0].startswith("row_09999 · ")
    inked = """(() => {
        const canvas = document.querySelector('.heatmap canvas');
        const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
        return new Set(new Uint32Array(pixels.buffer)).size;
    })()"""
    assert browser.run(inked) > 10
    assert browser.run("document.querySelectorAll('*').length") < 2000


@pytest.mark.thorough
def test_paper_has_the_rows_and_says_what_is_missing(browser: Browser, many: Path) -> None:
    browser.open(many)
    browser.call("page.emulateMedia", {"media": "print"})
    browser.run("dispatchEvent(new Event('beforeprint'))")
    assert len(browser.texts(".card")) >= 500
    assert "more rows with findings" in browser.texts(".printed")[0]
    assert browser.texts(".side") == []
    browser.run("dispatchEvent(new Event('afterprint'))")
    assert len(browser.texts(".card")) < 100


@every_case("theme", ["light", "dark"])
def test_colours_have_contrast(browser: Browser, page: Path, theme: str) -> None:
    """Of what axe does not see: the signs of the map and the lines of the graph."""
    browser.open(page, "#view=coverage")
    browser.call("page.selectOption", "#theme", theme)
    colours = browser.run(
        """(() => {
        const names = ['text', 'muted', 'accent', 'surface', 'run', 'missed', 'skip', 'vacuous',
            'unavailable', 'fail', 'unknown', 'edge', 'error', 'warning', 'note', 'good', 'page',
            'raised', 'error-back', 'warning-back', 'note-back'];
        const probe = document.body.appendChild(document.createElement('span'));
        const found = names.map(name => {
            probe.style.color = `var(--${name})`;
            return [name, getComputedStyle(probe).color.match(/[0-9]+/g).map(Number)];
        });
        probe.remove();
        return Object.fromEntries(found);
    })()"""
    )
    texts = ("text", "muted", "accent", "error", "warning", "note", "good")
    wanted: list[tuple[str, str, float]] = [
        *((text, back, CONTRAST) for text in texts for back in ("surface", "page", "raised")),
        *(("text", f"{name}-back", CONTRAST) for name in ("error", "warning", "note")),
        *((name, f"{name}-back", CONTRAST) for name in ("error", "warning", "note")),
        *(("accent", f"{name}-back", CONTRAST) for name in ("error", "warning", "note")),
        *((sign, "surface", SIGNS) for sign in
          ("run", "missed", "skip", "vacuous", "unavailable", "fail", "unknown", "edge")),
    ]  # fmt: skip
    low = [
        (front, back, round(contrast(colours[front], colours[back]), 2))
        for front, back, least in wanted
        if contrast(colours[front], colours[back]) < least
    ]
    assert low == []


def contrast(one: list[int], other: list[int]) -> float:
    """Return the contrast of two colours (WCAG 2.2, "contrast ratio"): from 1 to 21."""
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def luminance(colour: list[int]) -> float:
    """Return the relative luminance of a colour of sRGB (WCAG 2.2)."""
    parts = [part / 255 for part in colour[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_the_theme_follows_the_system_until_one_is_chosen(browser: Browser, page: Path) -> None:
    browser.open(page)
    back = "getComputedStyle(document.body).backgroundColor"
    browser.call("page.selectOption", "#theme", "auto")
    browser.call("page.emulateMedia", {"colorScheme": "light"})
    light = browser.run(back)
    browser.call("page.emulateMedia", {"colorScheme": "dark"})
    dark = browser.run(back)
    assert light != dark
    browser.call("page.selectOption", "#theme", "light")
    assert browser.run(back) == light
    browser.call("page.selectOption", "#theme", "auto")
    browser.call("page.emulateMedia", {"colorScheme": "light"})


HOSTILE: dict[str, Any] = {
    "script": "</script><script>document.title='owned'</script>",
    "comment": "<!--<script>",
    "image": "<img src=x onerror=\"document.title='owned'\">",
    "link": "javascript:alert(1)",
    "bidi": "safe\u202egnp.exe",
    "separators": "a\u2028b\u2029c",
    "surrogate": "a\ud800b",
    "nul": "a\u0000b\u001b[31m",
    "long": "x" * 300_000,
}


def nothing_runs(browser: Browser) -> None:
    """Nothing in the page is an element, a script or a link that a file has brought."""
    title = browser.run("document.title")
    assert title.endswith(": evalcontract report")
    assert "owned" not in title
    assert browser.complaints() == []
    assert browser.run("document.querySelectorAll('img, iframe, object').length") == 0
    assert browser.run("document.scripts.length") == 2
    assert browser.run("[...document.links].every(a => /^(https|file):/.test(a.href))")


def test_hostile_names_are_text(browser: Browser, tmp_path: Path) -> None:
    folder = tmp_path / "datasets"
    folder.mkdir()
    dataset = folder / "<img src=x onerror=alert(1)>.jsonl"
    rows = [
        {"id": f"{text}", "input": text, "expecteed_facts": [text], "rubric_ref": text}
        for text in HOSTILE.values()
    ]
    dataset.write_text("\n".join(map(json.dumps, rows)))
    page = report(dataset)
    for view in ("findings", "coverage", "references"):
        browser.open(page, f"#view={view}")
        nothing_runs(browser)
    browser.open(page, "#q=owned")
    assert any("</script><script>" in text for text in browser.texts(".line"))
    shown = browser.run("document.body.textContent")
    assert not set(shown) & {"\u202e", "\u2028", "\u2029", "\x00", "\x1b"}
    assert page.stat().st_size < 1_000_000


def test_hostile_checks_and_results_are_text(browser: Browser, tmp_path: Path) -> None:
    """Texts that checks look for, reasons of outcomes and rows, with files named alike."""
    texts = {name: text for name, text in HOSTILE.items() if name not in ("surrogate", "long")}
    rubric = {
        "id": "a",
        "version": "1.0.0",
        "description": texts["script"],
        "checks": [
            {"id": name, "kind": "must_contain_any", "values": [text]}
            for name, text in texts.items()
        ],
        "scoring": {"combine": "all_pass"},
    }
    row = {"input": "b", "rubric_ref": "rubric/a@1.0.0"}
    rows = [{"id": text, **row, "tags": [text]} for text in texts.values()]
    outputs = [{"id": text, "output": "no"} for text in texts.values()]
    labels = [
        {"id": text, "human": "pass", "judge": "fail", "note": text} for text in texts.values()
    ]
    files = {
        "rubrics/<script>alert(1)<!--.json": rubric,
        "datasets/a'\"><svg onload=alert(1)>.json": {"questions": rows},
        "judges/j.json": {"id": "j", "version": "1.0.0", "template": texts["script"]},
        "outputs.jsonl": "".join(f"{json.dumps(line)}\n" for line in outputs),
        "<i>labels.jsonl": "".join(f"{json.dumps(line)}\n" for line in labels),
    }
    write(tmp_path, files)
    (dataset,) = (tmp_path / "datasets").iterdir()
    results = tmp_path / "<b onclick=alert(1)>.jsonl"
    graded = ("--outputs", tmp_path / "outputs.jsonl", "--results", results)
    assert command_line("grade", dataset, *graded) == 0
    shown: tuple[str | Path, ...] = ("--outputs", tmp_path / "outputs.jsonl")
    shown += ("--labels", f"judge/j={tmp_path / '<i>labels.jsonl'}")
    page = report(dataset, "--results", results, *shown)
    for view in (*VIEWS, "judges"):
        browser.open(page, f"#view={view}")
        nothing_runs(browser)
    assert len(browser.texts("#judges .verdicts li")) == len(texts)
    browser.open(page, "#view=results")
    for _ in texts:
        browser.press("j")
        nothing_runs(browser)
    shown = browser.run("document.body.textContent")
    assert "</script><script>document.title" in shown
    assert not set(shown) & {"\u202e", "\u2028", "\u2029", "\x00", "\x1b"}
    browser.open(page, "#view=results")
    for _ in texts:
        browser.press("j", "r")
    browser.call("page.fill", "#annotator", texts["script"])
    _, labels = browser.call("saved", "#save-labels")
    assert {json.loads(line)["id"] for line in labels.split("\n") if line} == set(texts.values())
