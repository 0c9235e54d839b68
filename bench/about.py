"""What the page of figures says of the data and of the way it is measured."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from layouts import LAYOUTS
from shapes import SHAPES, TABLES

if TYPE_CHECKING:
    from subject import Sizes

ABOUT = """\
`make bench` measures this on the machine that it runs on, and writes this page;
`make bench BENCH=--short` takes a fifth of the rows and fewer rounds, some ten minutes. Times
differ from machine to machine, so what counts are ratios of commands that took turns, each the
worst of its cases. Each line names the commit that was measured, and the day; a `+` means that
it had changes. `git diff COMMIT -- src` shows what has changed since; the last table names the
machine."""

_SCRIPT = (Path(__file__).parent / "plain_script.py").read_text(encoding="utf-8")

HOW = f"""\
- What is measured is installed: a wheel of this checkout in an environment of its own, with its
  bytecode compiled, as pip does for everybody. The peers likewise; sourcemeta runs as the program
  itself, without the Python that its package starts it from.
- All commands are whole, from the start of the interpreter to its end, and each ratio is one of
  processor time (user and system), of one round, in which the commands took turns; where it says
  elapsed, it is one of the time that passes. A case has the median of its rounds, and a verdict is
  on the worst case. The median is that of the cases.
- Ours run with `--strict`, and in one process. What they say in the end is checked in each run.
- `grade` runs as a user calls it, with a process for each core; processor time is that of all of
  them. Its floor, `bench/read_both.py`, reads both files as `grade` does and grades nothing: rows
  through the gate and the rules on datasets, outputs through their schema, both with the proof that
  no key is there twice, in one process. Beside it stands orjson that parses each line of both, and
  `bench/plain_grade.py`, a plain script that validates the rows and does the same six checks.
  `--compare` reads results of the same run, with the texts of all rows.
- Key strokes are measured by `bench/keystrokes.py`, in this checkout and in elapsed time: from the
  message with the change to that with the findings, or with the completions.
- Memory is the peak of the resident set that the system counts for a process.
- The peers check rows against the schema of a row or a dataset, and nothing else: no references, no
  rubrics, no misspelled keys; sourcemeta and check-jsonschema no double ids.
- The plain script is what a competent user writes instead. It checks less, and tells no place:

```python
{_SCRIPT[_SCRIPT.index("schema, file") :].strip()}
```"""


def data_of(sizes: Sizes) -> str:
    """Return the shape of what is measured on."""
    layouts = "\n".join(f"  - {title}: {_said(LAYOUTS[title])}" for title in LAYOUTS)
    shapes = "\n".join(f"  - {title}: {_said(SHAPES[title])}" for title in SHAPES)
    tables = "\n".join(f"  - {title}: {_said(TABLES[title])}" for title in TABLES)
    return f"""\
- All rows are made up, the same at every run, and have no findings: `bench/files.py FOLDER` writes
  them.
- Own rows: about 680 bytes of JSON as `json.dumps` writes it, with nine keys: `id`, `input`,
  `criteria`, `expected`, three `expected_facts`, two `expected_tools`, a `rubric_ref` (one of 10
  rubrics), three `tags`, `metadata`. A third of the rows hold a colon in two of their texts, and
  every tenth of these a word in quotes.
- YAML: {sizes.yaml:,} of these rows, every third with tools that have arguments, others with a
  context, with keys of their own, with deeper metadata, or without criteria.
{layouts}
- JSONL: {sizes.lines:,} rows.
{shapes}
- Rows of tables: {sizes.lines:,} as JSONL, {sizes.yaml:,} as YAML, in which a null is a key with
  nothing behind it. What counts is that no mix is far slower than clean rows: the ratio to the
  plain script, or to sourcemeta, is divided by that of the clean rows in the same round.
{tables}
- Bad rows: one in every hundred, with a misspelled key, a wrong type, a reference to nothing, no
  `input`, or an unknown value, by turns. Each gives one finding, and all are printed with their
  frames (`--limit 0`). YAML is laid out plainly.
- Outputs: {sizes.lines:,} rows with two facts and two tools each, and a rubric of six checks:
  `must_contain_any`, `must_not_contain`, `regex` without regard to case, `format` with a length,
  `fact_match`, `tool_usage`. Short texts have about 80 characters, long ones 2,100; those beyond
  ASCII have 150, with accents, Japanese and an emoji. Each has one tool call.
- Many files: {sizes.parts} rubrics, each with a judge of its own, and {sizes.parts // 5} datasets
  of 50 own rows, laid out plainly.
- Versions: {sizes.versioned:,} rubrics, each with a judge of its own, and
  {sizes.versioned // 5} datasets of 50 own rows, half of them YAML. Since the commit, one rubric
  has another description; or a tenth of the rubrics, and a tenth of the datasets other texts in
  most rows; or all of them."""


def _said(by: object) -> str:
    said = (by.__doc__ or "").strip()
    return said[:1].lower() + said[1:]
