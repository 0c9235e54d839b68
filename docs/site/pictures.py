"""The pictures of the opening page: a terminal, an editor and a report, as they are today.

What the terminal prints and what the language server answers are drawn as SVG; the report is opened
in Chromium. A page names a picture in a comment, `<!-- picture NAME: what it shows -->`; a block of
code that follows is what is read where there are no pictures. Without Chromium, the site has no
picture of the report, and the build says so.
"""

from __future__ import annotations

import html
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import IO, Any, NamedTuple

from pygments import lex
from pygments.lexers import get_lexer_by_name
from pygments.styles import get_style_by_name
from staging import ROOT

FOLDER = "pictures"
#: Columns of a desktop and of a phone.
WIDTHS = {"": 66, "-narrow": 46}
_SIZES = {"": (1200, 760), "-narrow": (430, 760)}
_COMMENT = re.compile(r"<!-- picture ([a-z-]+): (.*?) -->\n(\n```.*?\n```\n)?", re.DOTALL)
_EXAMPLE = re.compile(r"^Given `support\.yaml`:\n\n```yaml\n(.*?)```$", re.DOTALL | re.MULTILINE)
_SGR = re.compile(r"\x1b\[([\d;]*)m")
_BROWSERS = ("chromium", "chromium-browser", "google-chrome")
# Without these, Chromium asks its maker for updates and more.
_ALONE = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-sync", "--disable-background-networking", "--disable-component-update"),
    "--hide-scrollbars",
)
_COMMAND = "evalcontract validate-dataset support.yaml"
#: The size of a character and of a line, and the space around them, in pixels.
_X, _Y, _PAD = 8.4, 20, 16


class Theme(NamedTuple):
    """Colours of a picture; `ansi` are those that a terminal is asked for."""

    paper: str
    bar: str
    ink: str
    dim: str
    accent: str
    ansi: dict[str, str]
    style: str


THEMES = {
    "light": Theme(
        "#ffffff",
        "#eaecf0",
        "#1f2328",
        "#656d76",
        "#0a55b8",
        {"31": "#c21c1c", "33": "#8a5300", "34": "#0a55b8", "36": "#0a6a70"},
        "a11y-high-contrast-light",
    ),
    "dark": Theme(
        "#14181f",
        "#222833",
        "#e6e9ee",
        "#98a2b0",
        "#79b8ff",
        {"31": "#ff8f87", "33": "#f2c14e", "34": "#79b8ff", "36": "#7fdbca"},
        "a11y-high-contrast-dark",
    ),
}


class Span(NamedTuple):
    """A text of one colour in a line."""

    text: str
    colour: str
    bold: bool = False


def pictures(folder: Path) -> set[str]:
    """Write all pictures into a folder; return the names of those that could be made."""
    folder.mkdir(parents=True)
    example = _example()
    with TemporaryDirectory() as name:
        work = Path(name)
        (work / "support.yaml").write_text(example, encoding="utf-8")
        printed = _printed(work)
        answer = _answered(work / "support.yaml", example)
        for kind, theme in THEMES.items():
            for suffix, columns in WIDTHS.items():
                terminal = terminal_svg(printed, theme, columns)
                editor = editor_svg(example, answer, theme, columns)
                for what, text in (("near-miss", terminal), ("editor", editor)):
                    (folder / f"{what}-{kind}{suffix}.svg").write_text(text, encoding="utf-8")
        made = {"near-miss", "editor"}
        return made | ({"report"} if _photographed(work, folder) else set())


def placed(text: str, made: Iterable[str]) -> str:
    """Return a page with its pictures in place of the comments that name them."""

    def put(match: re.Match[str]) -> str:
        name, alt, block = match.groups(default="")
        return _figure(name, alt) if name in made else block

    return _COMMENT.sub(put, text)


def _example() -> str:
    """Return the file with the mistake, as the README has it."""
    found = _EXAMPLE.search((ROOT / "README.md").read_text(encoding="utf-8"))
    if found is None:
        raise ValueError("README.md has no `support.yaml`")
    return found[1]


def _figure(name: str, alt: str) -> str:
    ending = "png" if name == "report" else "svg"
    shown = html.escape(" ".join(alt.split()))
    sources = [
        f'<picture class="only-{kind}"><source media="(max-width: 600px)" '
        f'srcset="{FOLDER}/{name}-{kind}-narrow.{ending}">'
        f'<img src="{FOLDER}/{name}-{kind}.{ending}" alt="{shown}"></picture>'
        for kind in THEMES
    ]
    return f'<div class="picture">{"".join(sources)}</div>\n'


# A terminal


def terminal_svg(printed: str, theme: Theme, columns: int) -> str:
    """Return what a terminal of a width shows, where long lines end at a blank."""
    prompt = [Span("$ ", theme.dim), Span(_COMMAND, theme.ink, bold=True)]
    lines = [prompt, *_coloured(printed, theme)]
    return _drawn([part for line in lines for part in _broken(line, columns)], theme, columns)


def _printed(work: Path) -> str:
    call = [sys.executable, "-m", *_COMMAND.split(), "--color", "always"]
    done = subprocess.run(call, cwd=work, capture_output=True, text=True, check=True)
    return done.stdout


def _coloured(printed: str, theme: Theme) -> Iterator[list[Span]]:
    """Yield the lines of a text, with its colours."""
    colour, bold = theme.ink, False
    for line in printed.splitlines():
        spans = []
        for part in re.split(r"(\x1b\[[\d;]*m)", line):
            codes = _SGR.fullmatch(part)
            for code in codes[1].split(";") if codes else ():
                bold = code == "1" or (bold and code != "0")
                colour = theme.ansi.get(code, theme.ink if code in ("", "0") else colour)
            if part and not codes:
                spans.append(Span(part, colour, bold))
        yield spans


def _broken(line: Sequence[Span], columns: int) -> Iterator[list[Span]]:
    """Yield a line in parts that fit."""
    cells = [span._replace(text=letter) for span in line for letter in span.text]
    while len(cells) > columns:
        blanks = [n for n in range(columns) if cells[n].text == " "]
        end = blanks[-1] + 1 if blanks else columns
        yield cells[:end]
        cells = cells[end:]
    yield cells


# An editor


class Answer(NamedTuple):
    """What the language server says of a file: where (from 0), which message and which fixes."""

    line: int
    start: int
    end: int
    message: str
    code: str
    fixes: tuple[str, ...]


def editor_svg(text: str, answer: Answer, theme: Theme, columns: int) -> str:
    """Return an editor with a file, the finding at its place, and the fixes that are offered."""
    lines = [
        [Span(f"{number:>2} ", theme.dim), *line]
        for number, line in enumerate(_highlighted(text, theme), start=1)
    ]
    boxes = [[Span(" support.yaml", theme.ink, bold=True)], []]
    message = [part for line in answer.message.splitlines() for part in wrap(line, columns - 6)]
    code = Span(f"evalcontract ({answer.code})", theme.dim)
    said = [*(Span(line, theme.ink) for line in message), code]
    fixes = [Span(line, theme.accent) for fix in answer.fixes for line in _item(fix, columns - 6)]
    popup = [[Span("   │ ", theme.accent), span] for span in (*said, Span("", ""), *fixes)]
    mark = (len(boxes) + answer.line, answer.start + 3, answer.end + 3)
    return _drawn([*boxes, *lines, [], *popup], theme, columns, mark)


def _item(fix: str, columns: int) -> list[str]:
    return [f"{'>' if n == 0 else ' '} {line}" for n, line in enumerate(wrap(fix, columns - 2))]


def _highlighted(text: str, theme: Theme) -> Iterator[list[Span]]:
    """Yield the lines of a YAML file in the colours of the site."""
    styles = dict(get_style_by_name(theme.style))
    spans: list[Span] = []
    for token, part in lex(text, get_lexer_by_name("yaml")):
        known = next(each for each in reversed(token.split()) if each in styles)
        colour = styles[known]["color"]
        for number, piece in enumerate(part.split("\n")):
            if number:
                yield spans
                spans = []
            spans.append(Span(piece, f"#{colour}" if colour else theme.ink))


def _answered(path: Path, text: str) -> Answer:
    """Ask the language server, as an editor does, about the first finding of a file."""
    uri = {"uri": path.as_uri()}
    opened = {**uri, "languageId": "yaml", "version": 1, "text": text}
    call = [sys.executable, "-m", "evalcontract", "lsp"]
    with subprocess.Popen(call, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as server:
        if server.stdin is None or server.stdout is None:
            raise TypeError("the language server has no pipes")
        quick = {"codeActionKind": {"valueSet": ["quickfix"]}}
        able = {"textDocument": {"codeAction": {"codeActionLiteralSupport": quick}}}
        start = {"processId": os.getpid(), "rootUri": path.parent.as_uri(), "capabilities": able}
        _send(server.stdin, "initialize", start, number=1)
        _send(server.stdin, "initialized", {})
        _send(server.stdin, "textDocument/didOpen", {"textDocument": opened})
        found = _received(server.stdout, "textDocument/publishDiagnostics")["diagnostics"][0]
        asked = {"textDocument": uri, "range": found["range"], "context": {"diagnostics": [found]}}
        _send(server.stdin, "textDocument/codeAction", asked, number=2)
        fixes = [action["title"] for action in _received(server.stdout, 2)]
        _send(server.stdin, "shutdown", None, number=3)
        _received(server.stdout, 3)
        _send(server.stdin, "exit", None)
    begin, end = found["range"]["start"], found["range"]["end"]
    return Answer(
        begin["line"],
        begin["character"],
        end["character"],
        found["message"],
        found["code"],
        tuple(fixes),
    )


def _send(stream: IO[bytes], method: str, params: Any, number: int | None = None) -> None:
    message = {"jsonrpc": "2.0", "method": method}
    message |= {} if params is None else {"params": params}
    body = json.dumps(message | ({} if number is None else {"id": number})).encode()
    stream.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    stream.flush()


def _received(stream: IO[bytes], awaited: str | int) -> Any:
    """Return what comes with a method, or the answer to a number, and skip what comes before."""
    while True:
        length = 0
        while header := stream.readline().strip():
            name, _, value = header.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        if not length:
            raise EOFError("the language server ended")
        message = json.loads(stream.read(length))
        if message.get("method") == awaited:
            return message["params"]
        if message.get("id") == awaited and "method" not in message:
            return message["result"]


# A picture


def _drawn(
    lines: Sequence[Sequence[Span]],
    theme: Theme,
    columns: int,
    mark: tuple[int, int, int] | None = None,
) -> str:
    """Return lines of text in a window; `mark` is a line, and the columns that are underlined."""
    width, top = columns * _X + 2 * _PAD, 30
    height = top + len(lines) * _Y + 2 * _PAD
    dots = "".join(
        f'<circle cx="{_PAD + 4 + 16 * n}" cy="15" r="5" fill="{theme.dim}" opacity="0.5"/>'
        for n in range(3)
    )
    texts = "".join(
        f'<text y="{top + _PAD + (n + 0.75) * _Y:g}">{"".join(_spans(line))}</text>'
        for n, line in enumerate(lines)
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        f'width="{width:g}" height="{height:g}" font-size="14" style="white-space: pre" '
        'font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, DejaVu Sans Mono, monospace">'
        f'<rect width="100%" height="100%" rx="8" fill="{theme.paper}"/>'
        f'<path d="M0 {top}V8a8 8 0 0 1 8-8H{width - 8:g}a8 8 0 0 1 8 8V{top}z" '
        f'fill="{theme.bar}"/>{dots}{texts}{_underlined(mark, theme, top)}'
        f'<rect x="0.5" y="0.5" width="{width - 1:g}" height="{height - 1:g}" rx="8" '
        f'fill="none" stroke="{theme.dim}" stroke-opacity="0.4"/></svg>\n'
    )


def _spans(line: Sequence[Span]) -> Iterator[str]:
    """Yield the parts of a line, each at its column, whatever the font of the reader is."""
    column = 0
    for span in _joined(line):
        lead = len(span.text) - len(span.text.lstrip(" "))
        word = span.text.strip(" ")
        if word:
            weight = ' font-weight="700"' if span.bold else ""
            yield (
                f'<tspan x="{_PAD + (column + lead) * _X:g}" textLength="{len(word) * _X:g}" '
                f'lengthAdjust="spacingAndGlyphs" fill="{span.colour}"{weight}>'
                f"{html.escape(word)}</tspan>"
            )
        column += len(span.text)


def _joined(line: Sequence[Span]) -> list[Span]:
    """Return a line with neighbours of one colour as one."""
    joined: list[Span] = []
    for span in line:
        if joined and joined[-1][1:] == span[1:]:
            joined[-1] = span._replace(text=joined[-1].text + span.text)
        else:
            joined.append(span)
    return joined


def _underlined(mark: tuple[int, int, int] | None, theme: Theme, top: int) -> str:
    if mark is None:
        return ""
    line, start, end = mark
    y, waves = top + _PAD + line * _Y + 18, round((end - start) * _X / 4)
    path = f"M{_PAD + start * _X:g} {y}q1 -3 2 0t2 0" + "t2 0t2 0" * (waves - 1)
    colour = theme.ansi["33"]
    return f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.4"/>'


# The report


def _photographed(work: Path, folder: Path) -> bool:
    """Open the report of the demo in Chromium; whether there is one."""
    browser = next(filter(None, map(shutil.which, _BROWSERS)), None)
    if browser is None:
        print("no Chromium: the site has no picture of the report")
        return False
    shutil.copytree(ROOT / "demo", work / "demo")
    page = work / "report.html"
    call = [sys.executable, "-m", "evalcontract", "report", "datasets", "-o", str(page)]
    subprocess.run(call, cwd=work / "demo", capture_output=True, check=False)
    for number, kind in enumerate(("dark", "light")):
        for suffix, (width, height) in _SIZES.items():
            target = folder / f"report-{kind}{suffix}.png"
            options = [
                *_ALONE,
                "--force-device-scale-factor=1.5",
                "--virtual-time-budget=5000",
                f"--blink-settings=preferredColorScheme={number}",
                f"--user-data-dir={work / 'profile'}",
                f"--window-size={width},{height}",
                f"--screenshot={target}",
            ]
            address = f"{page.as_uri()}#file=datasets%2Fsupport.yaml"
            subprocess.run([browser, *options, address], capture_output=True, check=True)
    return True
