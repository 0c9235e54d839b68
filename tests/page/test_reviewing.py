"""The results in the HTML report, as a reviewer works with them in a real Chromium."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from browser import Browser
from doors import command_line
from evals import judged, reviewed, sampled
from pages import report
from tables import every_case

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

PHONE, TALL = (390, 844), (1280, 2000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as started:
        yield started


def page_of(root: Path, runs: str = "ab", rows: int = 6) -> Path:
    """Write the report of a dataset with the results and the outputs of some runs."""
    dataset = reviewed(root, rows, runs)
    names: list[tuple[str, str | Path]]
    names = [(f"--{name}", root / f"{name}_{run}.jsonl") for run in runs for name in NAMES]
    names.append(("--labels", f"judge/tone={root / 'labels.jsonl'}"))
    return report(dataset, *(part for pair in names for part in pair))


NAMES = ("results", "outputs")


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_of(tmp_path_factory.mktemp("reviewed"))


def listed(browser: Browser) -> list[str]:
    """Return the ids of the rows that are listed, in order."""
    return [text.split()[0] for text in browser.texts("#results .item h4")]


def blocks(browser: Browser) -> dict[str, str]:
    """Return the texts of the chosen row by their titles."""
    parts = [text.split("\n", 1) for text in browser.texts(".detail .block")]
    return {title: text.strip() for title, text in parts}


def test_a_row_stands_beside_its_output_expectation_and_reasons(
    browser: Browser, page: Path
) -> None:
    browser.open(page, "#view=results&row=r1")
    assert browser.texts(".detail h3") == ["r1 failed 0.12"]
    assert blocks(browser) == {
        "Input": "Where is order 1?\nPlease say so.",
        "Output": "Order 1 left, says a.\n Indeed.",
        "Expected": "expected_facts\n\norder 1 left",
    }
    places = browser.run("[...document.querySelectorAll('.detail .block')].map(e => e.offsetTop)")
    assert len(set(places)) == 1
    facts, tone = browser.texts(".detail .verdicts li")
    assert "no order 1 left" in facts
    assert tone.split("\n")[-1] == "judge/tone@1.0.0 (m-1) answers 2: the tone of 1"
    assert browser.texts(".detail .tag") == ["odd"]


@every_case(
    ("fragment", "rows"),
    [
        ("", ["r5", "r3", "r1", "r0", "r2", "r4"]),
        ("&sort=file", ["r0", "r1", "r2", "r3", "r4", "r5"]),
        ("&sort=high&outcome=failed", ["r1", "r3"]),
        ("&sort=low&of=tone", ["r5", "r3", "r1", "r0", "r2", "r4"]),
        ("&of=tone&outcome=error", ["r5"]),
        ("&of=facts&outcome=passed&tag=even&sort=file", ["r0", "r2", "r4"]),
        ("&tag=odd&outcome=passed", []),
        ("&q=SAYS+A.&sort=file", ["r0", "r1", "r2", "r3", "r4", "r5"]),
        ("&q=the+tone+of+4", ["r4"]),
        ("&q=order+3+left", ["r3"]),
        ("&q=where+is+order+2", ["r2"]),
        ("&q=facts:passed+TONE:error&sort=file", []),
        ("&q=facts:failed+tone<0.3&sort=file", ["r1", "r3"]),
        ("&q=score>=0.9&sort=file", ["r0", "r2", "r4"]),
        ("&q=-tag:even+-outcome:undecided&sort=file", ["r1", "r3"]),
        ("&q=tag:EVEN+order++2", ["r2"]),
        ("&q=tone<=1&of=tone&sort=file", ["r0", "r1", "r2", "r3", "r4", "r5"]),
        ("&q=facts:lost", []),
        ("&q=https://x", []),
        ("&q=tone<low", []),
    ],
)
def test_rows_are_filtered_and_sorted_by_the_address(
    browser: Browser, page: Path, fragment: str, rows: list[str]
) -> None:
    browser.open(page, f"#view=results{fragment}", TALL)
    assert listed(browser) == rows
    assert browser.texts(".detail h3 .name") == rows[:1]


def test_menus_filter_and_stand_in_the_address(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results", TALL)
    browser.call("page.selectOption", "#outcome-of", "tone")
    browser.call("page.check", "#results input[value=failed]")
    browser.call("page.selectOption", "#tag", "odd")
    browser.call("page.selectOption", "#order", "high")
    browser.settle()
    assert listed(browser) == ["r1", "r3"]
    address = browser.run("location.hash")
    browser.open(page, address, TALL)
    assert listed(browser) == ["r1", "r3"]
    assert browser.run("document.querySelector('#tag').value") == "odd"
    browser.call("page.click", "#results >> text=Clear filters")
    browser.settle()
    assert len(listed(browser)) == 6


def test_keys_step_through_the_rows_that_are_listed(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&tag=even&sort=file")
    browser.press("j")
    assert browser.texts(".detail h3 .name") == ["r0"]
    browser.press("j")
    assert browser.texts(".detail h3 .name") == ["r2"]
    assert browser.run("location.hash") == "#view=results&tag=even&sort=file&row=r2"
    assert browser.texts(".item[aria-current=true] .name") == ["r2"]
    browser.press("j", "j", "k", "k")
    assert browser.texts(".detail h3 .name") == ["r0"]
    browser.call("page.click", ".detail >> text=Next")
    browser.settle()
    assert browser.texts(".detail h3 .name") == ["r2"]
    browser.call("page.click", ".item:last-child")
    browser.settle()
    assert browser.texts(".detail h3 .name") == ["r4"]


def test_what_is_searched_is_marked(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&q=LEFT&row=r1")
    assert browser.texts(".detail .found") == ["left", "left", "left"]  # the last in a reason
    browser.open(page, "#view=results&q=the+tone+of+1")
    assert browser.texts(".detail .answer .found") == ["the tone of 1"]


def test_a_filter_that_nothing_passes_can_be_taken_back(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&run=1&against=0&of=tone&flip=alone&outcome=skipped", TALL)
    assert listed(browser) == []
    for name in ("outcome", "flip"):
        browser.call("page.click", f"#results input[data-facet={name}]:checked")
        browser.settle()
    assert len(listed(browser)) == 6


def lengthened(root: Path, output: str, tags: int) -> Path:
    """Write the report of a row with many tags and an output that may be long."""
    dataset = reviewed(root, 2, "a")
    rows = [json.loads(line) for line in dataset.read_text().splitlines()]
    rows[0]["tags"] = [f"tag-{number}" for number in range(tags)]
    dataset.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    results = root / "results_a.jsonl"
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    lines[1]["output"] = output
    results.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    return report(dataset, "--results", results)


@every_case("size", [(1280, 900), PHONE])
@every_case("separator", [" ", "\n"])
def test_what_checks_say_stays_in_sight_of_long_texts(
    browser: Browser, tmp_path: Path, size: tuple[int, int], separator: str
) -> None:
    output = separator.join([*["left"] * 1_000, "found", *["left"] * 9_000])
    page = lengthened(tmp_path, output, 300)
    browser.open(page, "#view=results&row=r0", size)
    assert blocks(browser)["Output"].endswith("… (and 42,005 more characters)")
    assert browser.run("document.querySelector('.detail').scrollHeight") < 1500
    assert len(browser.texts("ul[aria-label=Tags] .tag")) == 12
    assert browser.texts(".detail summary") == ["and 288 more tags"]
    assert browser.call("axe") == []
    browser.call("page.click", ".detail summary")
    assert browser.texts(".detail details .tag")[-1] == "tag-299"
    browser.open(page, "#view=results&row=r0&q=found", size)
    place = "document.querySelector('.long{}').getBoundingClientRect().top"
    assert 0 <= browser.run(f"{place.format(' .found')} - {place.format('')}") < 60


def test_filters_are_folded_on_a_phone(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&outcome=failed&sort=low", PHONE)
    assert not browser.run("document.querySelector('.folded').open")
    browser.call("page.click", "text=Filters and order: 2 in use")
    browser.call("page.selectOption", "#tag", "even")
    assert browser.texts(".folded summary") == ["Filters and order: 3 in use"]
    browser.call("page.setViewportSize", {"width": 1280, "height": 900})
    browser.settle()
    assert browser.texts(".folded summary") == []
    assert browser.run("document.querySelector('.folded').open")


def test_a_phone_shows_the_list_or_a_row(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results", PHONE)
    assert browser.texts(".detail") == []
    browser.call("page.click", ".item .name")
    browser.settle()
    assert browser.texts(".detail h3 .name") == ["r5"]
    assert listed(browser) == []
    assert browser.run("document.documentElement.scrollWidth") <= PHONE[0]
    browser.press("j")
    assert browser.texts(".detail h3 .name") == ["r3"]
    browser.call("page.click", "text=All rows")
    browser.settle()
    assert len(listed(browser)) > 0
    top = "document.querySelector('{}').getBoundingClientRect().top"
    assert 0 <= browser.run(top.format(".item:nth-child(2)")) < PHONE[1]
    browser.open(page, "#view=results&row=r4", PHONE)
    assert 0 <= browser.run(top.format(".detail h3")) < PHONE[1] / 4


@every_case("way", ["back", "Escape", "All rows"])
@every_case("opening", ["tap", "key"])
def test_a_row_that_was_opened_is_closed_again(
    browser: Browser, page: Path, opening: str, way: str
) -> None:
    """The Back button leads from the row to the list, and only then to the view before."""
    browser.open(page, "#view=findings", PHONE)
    browser.call("page.click", "#tab-results")
    for _ in range(2):
        if opening == "tap":
            browser.call("page.click", "#results .item .name")
        else:
            browser.press("j")
        browser.settle()
        browser.press("j")
        assert browser.run("location.hash") == "#view=results&row=r3"
        if way == "back":
            browser.call("page.goBack")
        elif way == "Escape":
            browser.press("Escape")
        else:
            browser.call("page.click", f"text={way}")
        browser.call("page.waitForFunction", "location.hash === '#view=results'")
        browser.settle()
        assert listed(browser) != []
        assert browser.run("document.activeElement.getAttribute('aria-label')") == "r3: failed"
    browser.call("page.goBack")
    browser.settle()
    assert browser.texts("#tab-findings[aria-selected=true]") == ["Findings"]


def test_the_focus_returns_to_the_row(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&row=r1")
    for field in ("#search-results", "#outcome-of", ".detail button:last-child"):
        browser.run(f"document.querySelector('{field}').focus()")
        browser.press("Escape")
        assert browser.run("document.activeElement.getAttribute('aria-label')") == "r1: failed"


def test_distributions_have_axes_thresholds_and_intervals(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results")
    charts = browser.run(
        "[...document.querySelectorAll('#results .chart')].map(e => e.getAttribute('aria-label'))"
    )
    assert len(charts) == 3
    assert charts[0].startswith("5 scores from 0 to 1, by tenths: ")
    assert charts[0].endswith("; mean 0.63 (0.00 to 1.00); threshold 0.75")
    ticks = browser.run(
        "[...document.querySelector('.chart').querySelectorAll('.tick')].map(e => e.textContent)"
    )
    assert {
        "0",
        "0.25",
        "0.5",
        "0.75",
        "1",
        "3",
        "threshold 0.75",
        "mean 0.63 (0.00 to 1.00)",
    } == set(ticks)
    assert (
        "pass rate 0.60 of the decided (95 % interval 0.23 to 0.88)" in browser.texts(".tally")[0]
    )
    cells = browser.texts("#results tbody tr:first-child td")
    assert cells[2:4] == ["0.50\n(0.19 to 0.81)", "50 %\n(19 to 81 %)"]
    browser.call("page.click", "text=By tag and group")
    rows = [
        [cell.strip() for cell in text.split("\t")]
        for text in browser.texts("#results details tbody tr")
    ]
    assert rows == [
        ["tags", "even", "3", "1.00\n(0.44 to 1.00)", "100 %\n(44 to 100 %)"],
        ["tags", "odd", "3", "0.04 to 0.21", "0 %\n(0 to 66 %)"],
    ]
    browser.call("page.click", "#results details a")
    browser.settle()
    assert listed(browser) == ["r0", "r2", "r4"]


def test_labels_of_distributions_are_whole_and_apart(browser: Browser, tmp_path: Path) -> None:
    page = page_of(tmp_path, "ab", 4_000)
    for run in (0, 1):
        browser.open(page, f"#view=results&run={run}")
        boxes = browser.run(
            """[...document.querySelectorAll('.tally .chart .tick')].map(e => {
                const { x, y, width, height } = e.getBBox();
                return [x, y, x + width, y + height];
            })"""
        )
        assert min(x for x, *_ in boxes) >= 0
        assert max(right for *_, right, _ in boxes) <= 340  # the width of the chart
        for at, (x, y, right, bottom) in enumerate(boxes):
            for other in boxes[:at]:
                is_beside = x >= other[2] or other[0] >= right
                assert is_beside or y >= other[3] - 3 or other[1] >= bottom - 3


@every_case("view", ["findings", "coverage", "references", "results", "judges"])
def test_a_phone_cuts_no_tab_and_no_word(browser: Browser, page: Path, view: str) -> None:
    browser.open(page, f"#view={view}", PHONE)
    edges = browser.run(
        """[...document.querySelectorAll('[role=tab]')].map(e => e.getBoundingClientRect())
        .map(({ left, right }) => [left, right])"""
    )
    assert all(0 <= left < right <= PHONE[0] for left, right in edges)
    assert browser.run("document.documentElement.scrollWidth") <= PHONE[0]
    split = browser.run(
        f"""[...document.querySelectorAll('#{view} tbody th')].filter(cell => {{
            const range = document.createRange();
            range.selectNodeContents(cell);
            const tops = [...range.getClientRects()].map(({{ top }}) => Math.round(top / 4));
            return new Set(tops).size > 1;
        }}).length"""
    )
    assert split == 0


@every_case("view", ["coverage", "references", "results", "judges"])
def test_paper_cuts_no_column_off(browser: Browser, page: Path, view: str) -> None:
    """As wide as A4 between its margins."""
    browser.open(page, f"#view={view}", (700, 900))
    browser.call("page.emulateMedia", {"media": "print"})
    browser.run("dispatchEvent(new Event('beforeprint'))")
    wide = browser.run(
        "[...document.querySelectorAll('main *')].filter(e => e.offsetParent)"
        ".filter(e => e.getBoundingClientRect().right > 701).map(e => e.className)"
    )
    assert wide == []
    assert browser.texts("main h2")[0].lower() == view
    if view == "results":
        assert len(browser.texts("#results .card .block")) == 3 * 6


def test_paper_says_what_is_chosen_and_marked(browser: Browser, tmp_path: Path) -> None:
    page = page_of(tmp_path)
    browser.open(page, "#view=results&run=1&against=0&tag=even&q=left&row=r2", (700, 900))
    browser.press("w", "c")
    browser.call("page.keyboard.type", "No apology.")
    browser.call("page.emulateMedia", {"media": "print"})
    browser.run("dispatchEvent(new Event('beforeprint'))")
    (told,) = browser.texts("main > .printed")
    runs = "run: {0}results_b.jsonl; against: {0}results_a.jsonl".format(f"{tmp_path}/")
    assert told == f"{runs}; text: left; tag: even"
    (marked,) = [text for text in browser.texts("#results .card") if "Marked" in text]
    assert marked.startswith("r2 ")
    assert "even\n\nMarked wrong: No apology." in marked


def test_a_judge_stands_beside_people(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=judges")
    (told,) = browser.texts("#judges .counts")
    assert told.startswith("5 outputs compared with the labels in ")
    assert told.endswith("results_a.jsonl; 1 labelled without a verdict")
    assert browser.texts(".matrix td.figure") == ["2", "0", "1", "2"]
    assert browser.texts(".figures dd")[:2] == [
        "1.00 (0.34 to 1.00) of good outputs pass",
        "0.67 (0.21 to 0.94) of bad outputs fail",
    ]
    labels = browser.run(
        "[...document.querySelectorAll('#judges .chart')].map(e => e.getAttribute('aria-label'))"
    )
    swept = (
        "from 1: TPR 1.00, TNR 0.00",
        "from 2: TPR 1.00, TNR 0.33",
        "from 5: TPR 1.00, TNR 0.67",
    )
    assert labels == [
        f"TPR and TNR by the lowest score that passes: {'; '.join(swept)}",
        "Outputs that people passed, by the judge's score: 1: 0 of 1, 2: 0 of 1, 5: 2 of 3",
    ]
    (one,) = browser.texts("#judges .verdicts li")
    assert one.startswith("r2 people failed it, the judge passed it with 5")
    assert one.endswith("the tone of 2")
    browser.call("page.click", "#judges .verdicts a")
    browser.settle()
    assert browser.texts(".detail h3 .name") == ["r2"]
    for scheme in ("light", "dark"):
        browser.open(page, "#view=judges")
        browser.call("page.emulateMedia", {"colorScheme": scheme})
        assert browser.call("axe") == []
        assert browser.complaints() == []


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of a run with three outputs of each row, in clusters."""
    root = tmp_path_factory.mktemp("sampled")
    dataset = sampled(root)
    results = root / "results.jsonl"
    given = ("--outputs", root / "outputs.jsonl", "--results", results, "--cluster", "topic")
    assert command_line("grade", dataset, *given) == 0
    shown = ("--results", results, "--labels", f"judge/quality={root / 'labels.jsonl'}")
    return report(dataset, *shown, "--cluster", "topic")


def test_the_outputs_of_a_row_stand_together(browser: Browser, samples: Path) -> None:
    browser.open(samples, "#view=results&row=r1+%233")
    assert browser.texts(".detail h3") == ["r1 #3 failed 0.00"]
    assert browser.texts(".detail .samples p") == [
        "2 of 3 outputs of this row passed; together passed 0.67"
    ]
    assert browser.texts(".detail .samples li") == [
        "#1 passed 1.00",
        "#2 passed 1.00",
        "#3 failed 0.00",
    ]
    browser.call("page.click", ".detail .samples li a")
    browser.settle()
    assert browser.texts(".detail h3 .name") == ["r1 #1"]
    assert blocks(browser)["Output"] == "Order 1: it left (0)."
    told = browser.texts("#results .tally .counts")
    assert told[0].startswith("samples: 72 outputs of 24 rows, pass@1 0.50")
    assert "rows of one topic count as drawn together (12 of them)" in told[1]


@every_case(
    ("right", "ids"),
    [
        ("always", {f"r{at}" for at in range(0, 24, 4)}),
        ("never", {f"r{at}" for at in range(3, 24, 4)}),
    ],
)
def test_rows_are_filtered_by_how_many_outputs_are_right(
    browser: Browser, samples: Path, right: str, ids: set[str]
) -> None:
    browser.open(samples, f"#view=results&right={right}")
    browser.run("document.querySelector('#results .feed').scrollIntoView()")
    assert {*listed(browser)} <= ids
    assert browser.texts("#results > .counts")[0].startswith(f"{3 * len(ids)} of 72 outputs")


def test_the_page_of_a_judge_has_what_calibrate_judge_measures(
    browser: Browser, samples: Path
) -> None:
    browser.open(samples, "#view=judges")
    names, values = (browser.texts(f"#judges .figures {tag}") for tag in ("dt", "dd"))
    told = dict(zip(names, values, strict=True))
    assert names[3:] == [
        "Weighted kappa",
        "AUC",
        "Spearman's rho",
        "Kendall's tau-b",
        "Kappa among people",
        "Alpha among people",
    ]
    assert told["Weighted kappa"].endswith(" linear")
    assert told["Kappa among people"].endswith("2 people, 12 outputs labelled by several")
    assert told["Alpha among people"].endswith("Krippendorff's, ordinal")


@every_case("scheme", ["light", "dark"])
@every_case("view", ["results&row=r1+%233", "judges"])
def test_axe_finds_nothing_in_samples(
    browser: Browser, samples: Path, view: str, scheme: str
) -> None:
    for size in ((1280, 900), PHONE):
        browser.open(samples, f"#view={view}", size)
        browser.call("page.emulateMedia", {"colorScheme": scheme})
        assert browser.call("axe") == []
        assert browser.complaints() == []
        wide = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
        assert not browser.run(wide)


@every_case("scheme", ["light", "dark"])
@every_case("fragment", ["&row=r1", "&row=r5&q=left", "&outcome=skipped"])
def test_axe_finds_nothing_in_a_row(
    browser: Browser, page: Path, fragment: str, scheme: str
) -> None:
    for size in ((1280, 900), PHONE):
        browser.open(page, f"#view=results{fragment}", size)
        browser.call("page.emulateMedia", {"colorScheme": scheme})
        assert browser.call("axe") == []
        assert browser.complaints() == []


@every_case(
    ("fragment", "rows"),
    [
        ("", ["r0", "r1", "r2", "r3", "r4", "r5"]),
        ("&flip=better", ["r1", "r3"]),
        ("&flip=worse", ["r0"]),
        ("&flip=better&flip=worse", ["r0", "r1", "r3"]),
        ("&of=tone&flip=same", ["r2", "r4", "r5"]),
    ],
)
def test_a_run_against_another_shows_what_flipped(
    browser: Browser, page: Path, fragment: str, rows: list[str]
) -> None:
    browser.open(page, f"#view=results&run=1&against=0&sort=file{fragment}", TALL)
    assert listed(browser) == rows
    (told,) = browser.texts(".against")
    assert "Against " in told
    assert "the outputs are outputs_b.jsonl, before outputs_a.jsonl" in told
    assert "2 now passes, 1 no longer passes, 3 the same" in told
    assert "over 5 rows with a score in both" in told
    assert browser.call("axe") == []


def test_a_run_against_a_later_one_says_what_differs_from_there(
    browser: Browser, page: Path
) -> None:
    browser.open(page, "#view=results&run=0&against=1", TALL)
    (told,) = browser.texts(".against")
    assert "the outputs are outputs_a.jsonl, before outputs_b.jsonl" in told
    assert "1 now passes, 2 no longer passes" in told


def test_all_runs_stand_side_by_side(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path, "abc"), "#view=results&sort=file", TALL)
    browser.call("page.selectOption", "#against", "all")
    browser.settle()
    told = [text.split("\n")[0] for text in browser.texts(".against h3")]
    assert told == [f"Against {tmp_path}/results_{run}.jsonl" for run in "bc"]
    browser.call("page.check", "#results input[data-facet=flip][value=other]")
    browser.settle()
    assert listed(browser) == ["r0", "r1", "r3"]
    browser.open(tmp_path / "report.html", browser.run("location.hash") + "&row=r1", (1440, 900))
    assert listed(browser) == ["r0", "r1", "r3"]
    texts = blocks(browser)
    for run in "abc":
        (said,) = [text for title, text in texts.items() if title.endswith(f"results_{run}.jsonl")]
        assert f"says {run}" in said
    files = [f"{tmp_path}/results_{run}.jsonl passed 1.00" for run in "bc"]
    assert browser.texts(".detail .runs") == [f"failed 0.12 here, {', '.join(files)}"]
    facts, _ = browser.texts(".detail .verdicts li")
    assert facts.split("\n")[0] == f"failed 0.00 facts fact_match {', '.join(files)}"
    outputs = browser.run(
        "[...document.querySelectorAll('.detail .block')].slice(2).map(e => e.offsetTop)"
    )
    assert (len(outputs), len(set(outputs))) == (3, 1)
    assert browser.call("axe") == []


@every_case(
    ("here", "there", "only_here", "only_there"),
    [
        ("It left on Monday.", "It left on Friday.", ["Monday"], ["Friday"]),
        ("It left. It is late.", "It left.", [" It is late."], []),
        ("a b c d e f", "a c d x e f", ["b "], [" x"]),
        (
            "\u06af\u0641\u062a \u06a9\u0647 \u0631\u0641\u062a \u0648 \u0622\u0645\u062f",
            "\u06af\u0641\u062a \u06a9\u0647 \u0646\u0631\u0641\u062a \u0648 \u0622\u0645\u062f",
            ["\u0631\u0641\u062a"],
            ["\u0646\u0631\u0641\u062a"],
        ),
        ("the same", "the same", [], []),
        ("nothing in common at all", "Order 7: see https://example.org", [], []),
        ("w " * 3000, "v " * 3000, [], []),
    ],
)
def test_words_that_differ_are_marked(
    browser: Browser,
    tmp_path: Path,
    here: str,
    there: str,
    only_here: list[str],
    only_there: list[str],
) -> None:
    dataset = reviewed(tmp_path, 2)
    given: list[str | Path] = []
    for run, text in (("a", here), ("b", there)):
        file = tmp_path / f"results_{run}.jsonl"
        lines = [json.loads(line) for line in file.read_text().splitlines()]
        lines[1]["output"] = text
        file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        given += ["--results", file]
    browser.open(report(dataset, *given), "#view=results&against=1&row=r0")
    told = browser.run(
        "[...document.querySelectorAll('.detail .texts:last-of-type .block')]"
        ".map(e => [...e.querySelectorAll('.differs')].map(e => e.textContent))"
    )
    assert told == [only_here, only_there]


def test_a_comparison_of_lists_that_are_cut_says_so(browser: Browser, tmp_path: Path) -> None:
    dataset = reviewed(tmp_path)
    results = [("--results", tmp_path / f"results_{run}.jsonl") for run in "ab"]
    given = (part for pair in results for part in pair)
    browser.open(report(dataset, "--max-rows", "3", *given), "#view=results&run=1&against=0", TALL)
    assert sorted(listed(browser)) == ["r0", "r2", "r5"]
    (told,) = browser.texts(".against")
    assert "1 the same, 2 not listed of the other run" in told
    assert "does not list all rows of both runs" in told
    assert "only there" not in told
    assert "over 5 rows with a score in both" in told


def test_both_outputs_stand_side_by_side(browser: Browser, page: Path) -> None:
    browser.open(page, "#view=results&row=r1")
    browser.call("page.selectOption", "#against", "1")
    browser.settle()
    browser.open(page, browser.run("location.hash"), (1440, 900))
    assert browser.texts(".detail h3 .name") == ["r1"]
    texts = blocks(browser)
    (here,) = [text for title, text in texts.items() if title.endswith("results_a.jsonl")]
    (there,) = [text for title, text in texts.items() if title.endswith("results_b.jsonl")]
    assert ("says a" in here, "says b" in there) == (True, True)
    assert browser.texts(".detail .runs") == ["failed 0.12 here against passed 1.00"]
    facts, _ = browser.texts(".detail .verdicts li")
    assert facts.split("\n")[0] == "failed 0.00 facts fact_match against passed 1.00"


def marked(browser: Browser, marks: dict[str, str]) -> None:
    """Mark the rows of the list by keys, in the order of the file."""
    browser.press("j")
    for _ in listed(browser):
        name = browser.texts(".detail h3 .name")[0]
        browser.press(*([marks[name]] if name in marks else []), "j")


def test_marks_become_labels_that_calibrate_judge_reads(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = page_of(tmp_path)
    browser.open(page, "#view=results&sort=file", TALL)
    marked(browser, {"r0": "r", "r1": "w", "r2": "w", "r3": "r", "r5": "w"})
    assert browser.texts("#marks") == [
        "5 rows marked: 2 right, 3 wrong; judge/tone@1.0.0 agrees on 2 of 4"
    ]
    browser.call("page.click", ".item:nth-child(2)")
    browser.press("c")
    browser.call("page.keyboard.type", 'too "short", r w u')
    browser.call("page.fill", "#annotator", "Ada")
    name, text = browser.call("saved", "#save-labels")
    assert name == "labels.jsonl"
    assert browser.complaints() == []
    labels = [json.loads(line) for line in text.splitlines()]
    said = {label["id"]: (label["human"], label.get("judge")) for label in labels}
    assert said == {
        "r0": ("pass", 5),
        "r1": ("fail", 2),
        "r2": ("fail", 5),
        "r3": ("pass", 1),
        "r5": ("fail", None),
    }
    assert [label.get("comment") for label in labels if label["id"] == "r1"] == [
        'too "short", r w u'
    ]
    file = tmp_path / name
    file.write_text(text)
    capsys.readouterr()
    given = ("--labels", file, "--root", tmp_path, "--output-format", "json")
    assert command_line("calibrate-judge", "judge/tone@1.0.0", *given) == 0
    told = capsys.readouterr()
    result = json.loads(told.out)
    assert result["confusion_matrix"] == {"tp": 1, "fn": 1, "tn": 1, "fp": 1}
    assert result["labels"]["labelled"] == 5
    assert "missing-verdict" in told.err
    assert "near-miss" not in told.err


def test_marks_of_samples_become_labels_that_calibrate_judge_reads(
    browser: Browser, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    dataset = judged(tmp_path)
    given = ("--results", tmp_path / "results_a.jsonl")
    page = report(dataset, *given)
    browser.open(page, "#view=results&sort=file", TALL)
    said = {"r0 #1": "r", "r0 #2": "w", "r1 #1": "w", "r1 #3": "r"}
    assert len(browser.texts("#results .item")) == 6
    for key, mark in said.items():
        browser.call("page.click", f"#results .item >> text={key}")
        browser.press(mark)
    assert browser.texts("#marks") == [
        "4 outputs marked: 2 right, 2 wrong; judge/tone@1.0.0 agrees on 3 of 4"
    ]
    browser.call("page.reload")
    assert browser.texts("#marks")[0].startswith("4 outputs marked")
    name, text = browser.call("saved", "#save-labels")
    labels = [json.loads(line) for line in text.splitlines()]
    assert {label["id"]: (label["human"], label["judge"]) for label in labels} == {
        "r0 #1": ("pass", 5),
        "r0 #2": ("fail", 5),
        "r1 #1": ("fail", 2),
        "r1 #3": ("pass", 5),
    }
    file = tmp_path / name
    file.write_text(text)
    capsys.readouterr()
    asked = ("--labels", file, "--root", tmp_path, "--output-format", "json")
    assert command_line("calibrate-judge", "judge/tone@1.0.0", *asked) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["confusion_matrix"] == {"tp": 2, "fn": 0, "tn": 1, "fp": 1}
    for kept in (("id", "human", "judge"), ("id", "human")):  # else the verdicts are of the run
        lines = [json.dumps({key: label[key] for key in kept}) for label in labels]
        file.write_text("\n".join(lines))
        browser.open(report(dataset, *given, "--labels", f"judge/tone={file}"), "#view=judges")
        assert browser.texts(".matrix td.figure") == ["2", "0", "1", "1"]
        browser.call("page.click", "#judges .verdicts a")
        browser.settle()
        assert browser.texts(".detail h3 .name") == ["r0 #2"]


def test_keys_of_rows_are_their_own(browser: Browser, tmp_path: Path) -> None:
    """Also where the id of one is the key that a sample of another has."""
    dataset = judged(tmp_path, 2)
    file = tmp_path / "results_a.jsonl"
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    del lines[3]["sample"]
    lines[3]["id"], lines[4]["id"], lines[4]["sample"] = "r0 #2", "r9", 1
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    page = report(dataset, "--results", file)
    browser.open(page, "#view=results&sort=file", TALL)
    names = [text.split("\n")[0] for text in browser.texts("#results .item h4")]
    assert sorted(name.split(" failed")[0].split(" passed")[0] for name in names) == [
        "r0 #1",
        "r0 #2",
        "r0 #3",
        "r9 #1",
    ]


def test_marks_are_kept_shown_and_taken_back(browser: Browser, tmp_path: Path) -> None:
    page = page_of(tmp_path)
    browser.open(page, "#view=results&sort=file", TALL)
    marked(browser, {"r1": "w", "r4": "r"})
    assert browser.texts(".item .mark") == ["", "wrong", "", "", "right", ""]
    browser.open(page, "#view=results&sort=file&mark=marked", TALL)
    assert listed(browser) == ["r1", "r4"]
    browser.call("page.check", "input[name=mark][value=pass]")
    assert browser.texts(".item .mark") == ["right", "right"]
    assert browser.call("axe") == []
    browser.press("u")
    assert browser.texts("#marks") == ["1 row marked: 1 right, 0 wrong; " + AGREES]
    browser.open(page, "#view=results&sort=file&run=1", TALL)
    assert browser.texts("#marks")[0].startswith("Mark rows as right or wrong")
    browser.open(page, "#view=results&sort=file", TALL)
    browser.call("page.click", "text=Discard")
    assert browser.texts(".item .mark") == [""] * 6
    browser.open(page, "#view=results&sort=file&mark=marked", TALL)
    assert listed(browser) == []


def test_a_comment_waits_for_a_mark(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path), "#view=results&row=r1")
    browser.press("c")
    assert browser.run("document.activeElement.name") == "mark"
    told = browser.run("document.querySelector('.hidden[role=status]').textContent")
    assert told == "Mark the row as right or wrong to comment on it."
    browser.press("w", "c")
    assert browser.run("document.activeElement.id") == "comment"


def test_marks_that_the_browser_does_not_keep_are_told(browser: Browser, tmp_path: Path) -> None:
    browser.open(page_of(tmp_path), "#view=results&row=r1")
    browser.run("void (Storage.prototype.setItem = () => { throw new Error('full') })")
    stays = "!dispatchEvent(new Event('beforeunload', { cancelable: true }))"
    assert (browser.texts(".labels .warning-text"), browser.run(stays)) == ([], False)
    browser.press("w")
    (told,) = browser.texts(".labels .warning-text")
    assert told.startswith("The browser does not keep these marks: save them")
    assert browser.run(stays)
    assert json.loads(browser.call("saved", "#save-labels")[1])["human"] == "fail"
    assert (browser.texts(".labels .warning-text"), browser.run(stays)) == ([], False)
    browser.press("r", "u")
    assert (browser.texts(".labels .warning-text"), browser.run(stays)) == ([], False)


AGREES = "judge/tone@1.0.0 agrees on 1 of 1"


@pytest.mark.thorough
def test_twenty_thousand_rows_open_within_two_seconds(browser: Browser, tmp_path: Path) -> None:
    page = page_of(tmp_path, "a", 20_000)
    times = [float("inf")]
    while min(times) >= 2 and len(times) < 10:  # other processes may be at work
        started = time.perf_counter()
        browser.open(page, "#view=results&row=r7777")
        times.append(time.perf_counter() - started)
        assert browser.texts(".detail h3 .name") == ["r7777"]
    assert min(times) < 2
    assert browser.call("seen")["requests"] == [page.as_uri()]
    assert browser.run("document.querySelectorAll('*').length") < 2000
