"""What the page of figures says of the data and of the way it is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ratios import NOISE

if TYPE_CHECKING:
    from plan import Sizes

ABOUT = """\
`make bench` measures this on the machine that it runs on, and writes this page; only the notes are
kept by hand (`bench/notes.py`). Times differ from machine to machine, so what counts are ratios of
commands that took turns."""

HOW = f"""\
- All commands are whole, from the start of the interpreter to its end. Those that are compared take
  turns; a ratio is of one round, and the median is of all rounds. Where runs are short, one round
  before the first is not counted.
- Ours run with `--strict`, in one process and without a cache where a line says nothing else. What
  they say in the end is checked in each run.
- A verdict is by wall time. Where the largest of the ratios is more than {NOISE:g} times the
  smallest, and processor time (user and system) is steadier, it is by that, and the table says so.
- sourcemeta runs as the program itself, without the Python that its package starts it from.
- Memory is the peak of the resident set that the system counts for a process, and of the
  largest where there are more."""


def data_of(sizes: Sizes) -> str:
    """Return the shape of what is measured on."""
    datasets = max(1, sizes.parts // 5)
    return f"""\
- A row is about 680 bytes of JSON, as `json.dumps` writes it, with nine keys: `id`, `input`,
  `criteria`, `expected`, three `expected_facts`, two `expected_tools`, a `rubric_ref` (one of 10
  rubrics), three `tags`, `metadata`. A third of the rows hold a colon in two of their texts, and
  every tenth of these a word in quotes.
- JSONL: {sizes.lines:,} rows. YAML: {sizes.yaml:,} of the same rows, a key a line. Ids ascend;
  *shuffled* has the same ids in no order.
- Bad rows: one in every hundred, with a misspelled key, a wrong type, a reference to nothing, no
  `input`, or an unknown value, by turns. Each gives one finding, and all are printed with their
  frames (`--limit 0`).
- Own keys: a text, a mapping and a number, in every row; the file is larger by a seventh.
- Bundle: every row names the bundle `rag`, has the `context` that it asks for, and one of 200
  rubrics; the file is larger by a quarter.
- Many files: {sizes.parts:,} rubrics, each with a judge of its own, {datasets:,} YAML datasets of
  50 rows; `check` of it all.
- The peers check rows against the schema of a row or a dataset, and nothing else: no references, no
  bundles, no rubrics, no misspelled keys, no double ids."""
