"""What is said below the table of goals, kept by hand: why one is not reached, what the bound is.

The keys are those of the rows in `goals.py`; a note is a paragraph of Markdown.
"""

from __future__ import annotations

NOTES: dict[str, str] = {
    "jsonl-orjson": """\
A row costs about 3.0 µs where orjson's parsing alone costs 1.7. Of the 3.0, msgspec takes 0.9 to
read the row into its type, which is less than any parser needs to make mappings of it; 0.85 are
the proofs that no type can give (no blank text, nothing twice in a list, how many strings there
are), in calls of C over whole columns; 0.3 count the quotes, so that no key was dropped; 0.15
free the rows; the rest is reading, ids and references. To reach 0.70 of orjson about two thirds of
the proofs would have to go, and they are what the check is for. Tried without gain: orjson
instead of msgspec, regular expressions and searches on the raw bytes, shorter marks.""",
    "jsonl-bad": """\
A bad row costs about 0.23 ms, as much as 80 clean rows, and every hundredth is one: about 60 µs
to find the fault and to say it, 30 for its line and column, 30 for the report with its frame, 15 to
parse it, and 90 because the rows around it are then read line by line. Where bad rows stand
together it is 0.15 ms. The ratio falls when clean rows get faster: if they took 4.5 µs, as they
once did, it would be 0.66.""",
    "two-processes": """\
Two runs on one day gave 1.73 (1.64 to 1.83) and 1.66 (1.59 to 1.77). What cannot be shared is the
start (0.08 s), and what the second process found, which the first takes over (0.12 s), its ids
included.""",
}
