"""VS Code's own workbench: code-server in a headless Chromium, with our extension in it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from browser import Browser
from needs import WORKBENCH, missing

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Where `make workbench` has put Node.js 24 and code-server.
VARIABLE = "EVALCONTRACT_WORKBENCH"
_ENTRY = "server/node_modules/code-server/out/node/entry.js"
_LISTENS = re.compile(r"HTTP server listening on (\S+)")
_THEMES = {"": "Default Light Modern", "-dark": "Default Dark Modern"}
#: Nothing but the files, the editor and what the extension shows.
_SETTINGS = {
    "chat.commandCenter.enabled": False,
    "chat.disableAIFeatures": True,
    "editor.minimap.enabled": False,
    "extensions.ignoreRecommendations": True,
    "files.autoSave": "off",
    "telemetry.telemetryLevel": "off",
    "window.commandCenter": False,
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
    "workbench.tips.enabled": False,
    "evalcontract.trace.server": "verbose",
}
_PATIENCE = {"timeout": 30_000}
_QUICK = ".quick-input-widget input.input"
STATUS = '[id="evalcontract.evalcontract.evalcontract.findings"]'


def installation() -> Path:
    """Return the folder that `make workbench` has made; else skip the test."""
    folder = Path(os.environ.get(VARIABLE) or "/nowhere")
    if not (folder / _ENTRY).is_file():
        missing(WORKBENCH)
    return folder


class Workbench:
    """A window on a folder; `extensions` are files and folders that are installed in it."""

    def __init__(
        self, folder: Path, own: Path, extensions: list[Path], path: list[str], **settings: Any
    ) -> None:
        at = installation()
        self.folder, self._own = folder, own
        self._settings = _SETTINGS | settings
        self.theme("")
        options = {
            "auth": "none", "bind-addr": "127.0.0.1:0", "user-data-dir": own,
            "extensions-dir": own / "extensions", "config": own / "config.yaml",
        }  # fmt: skip
        self._command: list[str | Path] = [at / "bin/node", at / _ENTRY]
        self._command += [f"--{name}={value}" for name, value in options.items()]
        self._command += ["--disable-telemetry", "--disable-update-check"]
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "TMPDIR") if name in os.environ}
        self._environment: Mapping[str, str] = {**kept, "PATH": os.pathsep.join(path)}
        for extension in extensions:
            self._run("--install-extension", str(extension))

    def _run(self, *given: str) -> None:
        subprocess.run(
            [*self._command, *given], env=self._environment, check=True, capture_output=True,
            timeout=300,
        )  # fmt: skip

    def __enter__(self) -> Self:
        self._server = subprocess.Popen(
            [*self._command, "--disable-workspace-trust", self.folder],
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        lines = iter(self._server.stdout or ())
        address = next(found[1] for line in lines if (found := _LISTENS.search(line)))
        self._browser = Browser()
        self._call("setViewportSize", {"width": 1100, "height": 680})
        self._call("goto", f"{address}?folder={self.folder}")
        self.wait(".monaco-workbench .statusbar")
        return self

    def __exit__(self, *of: object) -> None:
        self._browser.__exit__(*of)
        self._server.terminate()
        with self._server:
            self._server.communicate(timeout=60)

    def _call(self, name: str, *given: Any) -> Any:
        try:
            return self._browser.call(f"page.{name}", *given)
        except AssertionError as error:
            seen = self._own / "seen.png"
            self._browser.call("page.screenshot", {"path": str(seen)})
            raise AssertionError(f"{error}\nseen: {seen}\n{self.log()}") from None

    def wait(self, selector: str) -> None:
        """Wait until something is shown."""
        self._call("waitForSelector", selector, _PATIENCE)

    def gone(self, selector: str) -> None:
        """Wait until something is shown no more."""
        self._call("waitForSelector", selector, {**_PATIENCE, "state": "hidden"})

    def click(self, selector: str) -> None:
        """Click on something."""
        self._call("click", selector, _PATIENCE)

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self._call("keyboard.press", key)

    def type(self, text: str) -> None:
        """Type a text, as fast as people do."""
        self._call("keyboard.type", text, {"delay": 30})

    def fill(self, selector: str, text: str) -> None:
        """Write a text into a field, and confirm it."""
        self._call("fill", selector, text, _PATIENCE)
        self._call("press", selector, "Enter")

    def command(self, title: str) -> None:
        """Run a command of the palette."""
        self._pick("F1", f">{title}", title)

    def open(self, name: str) -> None:
        """Open a file of the folder, by the end of its path."""
        self._pick("Control+p", name, Path(name).name)
        self.wait(f'.tab.active[data-resource-name="{Path(name).name}"]')

    def _pick(self, key: str, text: str, shown: str) -> None:
        self.press(key)
        self._call("fill", _QUICK, text, _PATIENCE)
        self.wait(f'.quick-input-list .focused[aria-label^="{shown}"]')
        self._call("press", _QUICK, "Enter")

    def go_to(self, line: int, column: int) -> None:
        """Move the cursor."""
        self.press("Control+g")
        self.fill(_QUICK, f":{line}:{column}")
        self.wait(f"[id='status.editor.selection'] >> text=Ln {line}, Col {column}")

    def saved(self, name: str) -> str:
        """Save the file in the editor; return its text."""
        self.press("Control+s")
        self.wait(".tab.active:not(.dirty)")
        return (self.folder / name).read_text(encoding="utf-8")

    def choose(self, title: str, path: Path) -> None:
        """Choose a file in a dialogue."""
        dialogue = f".quick-input-widget:has(.quick-input-title:has-text('{title}'))"
        self.wait(dialogue)
        self._call("fill", _QUICK, str(path), _PATIENCE)
        self.click(f"{dialogue} .monaco-button >> nth=0")
        self.gone(dialogue)

    def text_of(self, name: str) -> str:
        """Return the text of a file, once it is there."""
        path, deadline = self.folder / name, time.monotonic() + 60
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        return path.read_text(encoding="utf-8")

    def log(self) -> str:
        """Return the newest log of the extension."""
        logs = [*self._own.glob("logs/*/*/evalcontract.evalcontract/evalcontract.log")]
        return max(logs, key=os.path.getmtime).read_text(encoding="utf-8") if logs else ""

    def framed(self, selector: str, expression: str) -> str:
        """Return the value of an expression in the frame that has an element, once it is there."""
        deadline = time.monotonic() + 30
        while True:
            try:
                return str(self._browser.call("framed", selector, expression))
            except AssertionError:
                assert time.monotonic() < deadline, selector

    def picture(self, path: Path) -> None:
        """Take pictures of the window, in the dark and in the light theme, which then stays."""
        for name, scheme in {"-dark": "vs-dark", "": "vs"}.items():
            self.theme(name)
            self.wait(f".monaco-workbench.{scheme}")
            time.sleep(0.5)  # frames are told later
            self._browser.settle()
            self._call("screenshot", {"path": str(path.with_name(f"{path.name}{name}.png"))})

    def theme(self, name: str) -> None:
        """Choose the light theme or the dark one, by the end of the names of its pictures."""
        settings = json.dumps(self._settings | {"workbench.colorTheme": _THEMES[name]})
        for place in ("User", "Machine"):
            (self._own / place).mkdir(parents=True, exist_ok=True)
            (self._own / place / "settings.json").write_text(settings, encoding="utf-8")
