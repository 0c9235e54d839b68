"""What is said below the table of goals, kept by hand: why one is not reached, what the bound is.

The keys are the names of groups; a note is a paragraph of Markdown.
"""

from __future__ import annotations

_JSONL = """\
The plain script reads each line with orjson, asks the open schema and keeps the ids. Ours also
proves that no duplicate key was dropped, asks the closed schema, and looks for blank and repeated
texts. The proof costs as much as half of the parsing: Python 3.11 counts the quotes of a text
byte by byte, and they are counted twice. A script of thirty lines with orjson, this proof, the
same gate by blocks and ids, and nothing else, reaches 0.48 (long contexts), 0.61 (chat), 0.62
(tools) and 0.83 (simple) of the plain script, so the goal of 1.00 is out of reach of this design.
jiter, which refuses duplicate keys itself, takes as long as orjson with the proof."""
_OWN = """\
The thirty lines that are described above reach 0.35 with the gate, 0.50 without its rules on
texts."""
_SMALL = """\
Of the time for a file of 40 lines, an eighth is Python's start, an eighth jsonschema-rs, which
imports `email` and `socket`, a third the imports of our own modules, and the rest the check with
its five compiled schemas."""

_GRADE = """\
What is promised is the time that passes, under twice that of reading, with a process for each core;
processor time is that of all of them. Of that of a row, reading and validating both files takes two
fifths, the executors somewhat more, and pairing, combining scores and sums the rest. Of the
executors, facts take nearly half, most of which are missing from these outputs, so that each row
gets a reason of its own; then comes the regular expression, since Python's engine tries each
character of a text. Reading is native code but for a few calls for each row, so that six checks
cost as much as reading. Lines of results, where they are asked for, take as long as facts."""

NOTES: dict[str, str] = {"jsonl": _JSONL, "own": _OWN, "small": _SMALL, "grade": _GRADE}
