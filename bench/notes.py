"""What is said below the table of goals, kept by hand: why one is not reached, what the bound is.

The keys are the names of groups; a note is a paragraph of Markdown. It has no figures: those would
be of another commit than the ones in the tables.
"""

from __future__ import annotations

_JSONL = """\
The plain script reads each line with orjson, asks the open schema and keeps the ids. Ours also
proves that no duplicate key was dropped, asks the closed schema, and looks for blank and repeated
texts. For the proof, Python counts the quotes of each text byte by byte, twice. So it does more for
each row than the plain script, whatever the gate costs; the start of a process, with its imports,
comes on top. jiter, which refuses duplicate keys itself, takes as long as orjson with the proof."""
_SMALL = """\
Most of the time for a file of 40 lines is the start of Python, the import of jsonschema-rs, which
imports `email` and `socket`, and that of our own modules; the rest is the check with its five
compiled schemas."""

_GRADE = """\
What is promised is the time that passes, under twice that of reading, with a process for each core;
processor time is that of all of them. Most of it is spent on reading and validating both files and
on the executors; pairing, combining scores and sums are the rest. Of the executors, facts take the
most: many of them are missing from these outputs, so that each row gets a reason of its own; then
comes the regular expression, since Python's engine tries each character of a text.
The plain script validates no outputs, proves nothing of duplicate keys, keeps no result of a check
and gives no reasons. `--compare` parses the earlier results with all their texts, and asks their
schema line by line; that alone is half as much as grading."""

NOTES: dict[str, str] = {"jsonl": _JSONL, "small": _SMALL, "grade": _GRADE}
