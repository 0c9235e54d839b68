"""A real Chromium, headless, that tests drive through playwright-core.

Needs Chromium, Node.js and `npm ci --ignore-scripts` in `tests/node`. Without them the tests are
skipped, but where `CI` is set their lack is a failure.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from needs import CHROMIUM, NODE, missing

if TYPE_CHECKING:
    from collections.abc import Sequence

_NODE = Path(__file__).parent / "node"
_NAMES = ("chromium", "chromium-browser", "google-chrome")


class Browser:
    """A browser with one page."""

    def __init__(self) -> None:
        chromium = next(filter(None, map(shutil.which, _NAMES)), None)
        node = shutil.which("node")
        if chromium is None:
            missing(CHROMIUM)
        if node is None:
            missing(NODE)
        for package in ("playwright-core", "axe-core"):
            if not (_NODE / "node_modules" / package).is_dir():
                missing(NODE)
        self._process = subprocess.Popen(
            [node, "browser.mjs", chromium],
            cwd=_NODE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._process:
            if self._process.stdin:
                self._process.stdin.close()
            self._process.wait(timeout=60)

    def call(self, name: str, *given: Any) -> Any:
        """Call a method of playwright's page, such as `page.click`, or one of the driver."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            raise TypeError("the browser has no pipes")
        process.stdin.write(json.dumps({"call": name, "given": given}) + "\n")
        process.stdin.flush()
        line = process.stdout.readline()
        assert line, "the browser ended"
        said = json.loads(line)
        assert "error" not in said, said.get("error")
        return said["result"]

    def open(self, page: Path, fragment: str = "", size: tuple[int, int] = (1280, 900)) -> None:
        """Open a file anew, in a window of a size in CSS pixels."""
        self.call("open", page.as_uri() + fragment, *size)

    def run(self, expression: str) -> Any:
        """Return the value of an expression of JavaScript."""
        return self.call("page.evaluate", expression)

    def texts(self, selector: str) -> list[str]:
        """Return the texts of the visible elements that match."""
        chosen = f"[...document.querySelectorAll({json.dumps(selector)})]"
        texts: list[str] = self.run(f"{chosen}.filter(e => e.offsetParent).map(e => e.innerText)")
        return texts

    def press(self, *keys: str) -> None:
        """Press keys, one after the other, and wait until the page has drawn."""
        for key in keys:
            self.call("page.keyboard.press", key)
        self.settle()

    def settle(self) -> None:
        """Wait until the page has drawn what was asked for."""
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def complaints(self) -> Sequence[str]:
        """Return what the page reported: exceptions, refusals of its policy, anything printed."""
        complaints: list[str] = self.call("seen")["console"]
        return complaints
