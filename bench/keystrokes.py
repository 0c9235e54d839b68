"""How long a key stroke takes in an editor: our language server beside yaml-language-server.

Both run as processes of their own and speak the protocol over standard input and output. They take
turns, stroke by stroke, on the same file, so that a busy machine slows both. A time is that from
the message with the change to the message with the findings, or to the list of completions; what a
server waits before it begins counts. Of all strokes the median is shown, and the ratio of ours to
theirs is the median of the ratios of the pairs.

    python bench/keystrokes.py [ROWS [STROKES]]

It needs `npm ci --ignore-scripts` in tests/node, and the extra `lsp`.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
import time
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tests/editor"))

from live import COMMAND, Live  # noqa: E402 - the client of the tests

if TYPE_CHECKING:
    from live import Document

THEIRS = ROOT / "tests/node/node_modules/yaml-language-server/bin/yaml-language-server"
RUBRIC = """\
id: order
version: "1.0.0"
checks:
  - {id: refund, kind: must_contain_any, values: [refund, order]}
scoring: {combine: all_pass}
"""
ROW = """\
  - id: row_{0}
    input: "What is the state of my order number {0}, and when will it come?"
    rubric_ref: rubric/order@1.0.0
    tags: [nightly, orders]
    context: Orders are sent within two days.
"""
_LINES = ROW.count("\n")
_QUIET_SECONDS = 1.0


class Stroke(NamedTuple):
    """What is typed in a row: the line in the row, the character, and the text."""

    title: str
    line: int
    character: int
    text: str


STROKES = (
    Stroke("a letter of a text", 1, 15, "x"),
    Stroke("a misspelled key", 4, 0, "    expcted: y\n"),
    Stroke("a line that cannot be parsed", 4, 0, "    expected\n"),
    Stroke("a quotation mark that is not closed", 2, 16, '"'),
    Stroke("a key that is there already", 4, 0, "    input: y\n"),
)


def main() -> None:
    rows, strokes = (int(sys.argv[n]) if len(sys.argv) > n else default
                     for n, default in ((1, 5000), (2, 15)))  # fmt: skip
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        top = Path(folder)
        for name in ("ours", "theirs"):
            (top / name / "rubrics").mkdir(parents=True)
            (top / name / "rubrics/order.yaml").write_text(RUBRIC, encoding="utf-8")
        commands = {"ours": COMMAND, "theirs": ["node", str(THEIRS), "--stdio"]}
        documents = {
            name: opened(stack.enter_context(Live(top / name, command)), top / name, rows)
            for name, command in commands.items()
        }
        size = (top / "ours/data.yaml").stat().st_size
        print(f"{rows:,} rows, {size:,} bytes; seconds, median of {strokes}\n")
        print("| typed | yaml-language-server | evalcontract | ratio |")
        print("|---|---|---|---|")
        at = 1 + rows // 2 * _LINES
        for stroke in STROKES:
            report(stroke.title, documents, [timed(stroke, at, documents) for _ in range(strokes)])
        pairs = [completed(at, documents) for _ in range(strokes)]
        report("a completion after a change", documents, pairs)


def opened(server: Live, folder: Path, rows: int) -> Document:
    """Open a clean dataset, and wait until it is checked."""
    schema = ROOT / "schema/dataset.schema.json"
    path = folder / "data.yaml"
    body = "".join(ROW.format(number) for number in range(rows))
    text = f"# yaml-language-server: $schema={schema}\nquestions:\n{body}"
    path.write_text(text, encoding="utf-8")
    document = server.start(path)
    document.codes_at_all()
    time.sleep(_QUIET_SECONDS)
    return document


def timed(stroke: Stroke, at: int, documents: dict[str, Document]) -> dict[str, float]:
    """Type something in each of the servers, and take it back."""
    found = {}
    lines, rest = stroke.text.count("\n"), stroke.text.rpartition("\n")[2]
    line = at + 1 + stroke.line
    end = (line + lines, len(rest) + (0 if lines else stroke.character))
    for name, document in documents.items():
        start = time.perf_counter()
        place = (line, stroke.character)
        document.published_after(partial(document.replace, place, place, stroke.text))
        found[name] = time.perf_counter() - start
        document.published_after(partial(document.replace, place, end, ""))
    return found


def completed(at: int, documents: dict[str, Document]) -> dict[str, float]:
    """Begin a new line in each of the servers, ask what can be written, and take it back."""
    found = {}
    line = at + 1 + 2
    for name, document in documents.items():
        start = time.perf_counter()
        document.replace((line, 0), (line, 0), "    \n")
        assert "expected_facts" in document.completions(line, 4)
        found[name] = time.perf_counter() - start
        document.published_after(partial(document.replace, (line, 0), (line + 1, 0), ""))
        time.sleep(_QUIET_SECONDS / 2)
    return found


def report(title: str, documents: dict[str, Document], pairs: list[dict[str, float]]) -> None:
    medians = [statistics.median(pair[name] for pair in pairs) for name in reversed(documents)]
    ratio = statistics.median(pair["ours"] / pair["theirs"] for pair in pairs)
    theirs, ours = medians
    print(f"| {title} | {theirs:.3f} | {ours:.3f} | {ratio:.2f} |", flush=True)


if __name__ == "__main__":
    main()
