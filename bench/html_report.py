"""Scroll the HTML report in a real Chromium, and print how long its frames take.

Every row of the dataset has a finding. Frames are compared with those of an empty page on the same
machine at the same time: a ratio of 1 is as smooth as this machine can be. What it takes to write
the page is compared with `validate-dataset --output-format json` on the same file, both in seconds
of the processor.

Run it with `tests` and `tests/page` on the path: `make bench-html`.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from contextlib import redirect_stdout
from io import StringIO
from itertools import product
from pathlib import Path
from time import process_time
from typing import NamedTuple

from browser import Browser
from doors import command_line
from evals import large
from pages import report

_STEPS = 240
#: How far each frame scrolls: a wheel that is turned fast, and a bar that is drawn to the end.
_WAYS = {"wheel": "step * 120", "bar": f"(target.scrollHeight * step) / {_STEPS}"}
#: The views, and what scrolls in them.
_VIEWS = {
    "findings": "document.scrollingElement",
    "coverage": "document.querySelector('.heatmap')",
}
_SCROLL = """new Promise((done) => {{
    const target = {target};
    const frames = [];
    let before = performance.now();
    let step = 0;
    function next(now) {{
        frames.push(now - before);
        before = now;
        step += 1;
        if (step > {steps}) return done(frames.slice(1));
        target.scrollTo(0, {top});
        requestAnimationFrame(next);
    }}
    requestAnimationFrame(next);
}})"""


class Frames(NamedTuple):
    """The frames of one scroll, in milliseconds, and the elements that the document has then."""

    median: float
    longest: float
    elements: int


def main() -> None:
    """Print a line for each view and size."""
    sizes = [int(size) for size in sys.argv[1:]] or [1_000, 10_000]
    with Browser() as browser:
        browser.call("page.setContent", "<p>Nothing.</p>")
        empty = _scroll(browser, "document.scrollingElement", "wheel")
        print(
            f"an empty page: median frame {empty.median:.1f} ms, longest {empty.longest:.1f} ms\n"
        )
        print("| rows | page | written at | view | by | elements | median frame | longest frame |")
        print("|---|---|---|---|---|---|---|---|")
        for rows in sizes:
            with tempfile.TemporaryDirectory() as folder:
                dataset = large(Path(folder), rows)
                report(dataset, "--max-findings", "1")  # what both import
                start = process_time()
                page = report(dataset, "--max-findings", "0")
                written = process_time() - start
                ratio = written / _check(dataset)
                head = f"| {rows:,} | {page.stat().st_size / 1e6:.1f} MB | {ratio:.1f}x"
                for (view, target), way in product(_VIEWS.items(), _WAYS):
                    browser.open(page, f"#view={view}")
                    found = _scroll(browser, target, way)
                    median, longest = found.median / empty.median, found.longest / empty.median
                    print(f"{head} | {view} | {way} | {found.elements} ", end="")
                    print(f"| {median:.1f}x | {longest:.1f}x |")


def _check(dataset: Path) -> float:
    """Return the seconds of the processor that the findings take as JSON."""
    start = process_time()
    with redirect_stdout(StringIO()):
        command_line("validate-dataset", dataset, "--output-format", "json", "--max-findings", "0")
    return process_time() - start


def _scroll(browser: Browser, target: str, way: str) -> Frames:
    scroll = _SCROLL.format(target=target, steps=_STEPS, top=_WAYS[way])
    frames: list[float] = browser.run(scroll)
    elements: int = browser.run("document.querySelectorAll('*').length")
    return Frames(statistics.median(frames), max(frames), elements)


if __name__ == "__main__":
    main()
