"""The lines of the table, in the order of the page: what is compared, and what it must be.

The names of the commands are those of `plan.py`.
"""

from __future__ import annotations

from ratios import Row

ROWS = (
    Row(
        "jsonl-orjson",
        "JSONL, clean rows: rows/s against orjson that parses and does nothing else",
        ("floor",), "clean", must=0.70, aim=0.85,
    ),
    Row(
        "jsonl-orjson-shuffled",
        "the same, ids in no order",
        ("floor",), "shuffled",
    ),
    Row(
        "jsonl-sourcemeta",
        "JSONL, clean rows: rows/s against sourcemeta `--fast`",
        ("sourcemeta",), "clean", must=2.5, aim=3,
    ),
    Row(
        "jsonl-sourcemeta-tenth",
        "the same on a tenth of the rows: sourcemeta keeps all rows in memory",
        ("sourcemeta_tenth",), "tenth",
    ),
    Row(
        "jsonl-ajv",
        "JSONL, clean rows: rows/s against ajv, compiled, with JSON.parse",
        ("ajv",), "clean",
    ),
    Row(
        "jsonl-bad",
        "JSONL, 1 % bad rows, all reported with line and column, against clean",
        ("clean",), "bad", must=0.6, aim=0.8,
    ),
    Row(
        "jsonl-own-keys",
        "JSONL, clean rows with three keys of their own, against clean",
        ("clean",), "own", must=0.8, aim=0.95,
    ),
    Row(
        "jsonl-bundle",
        "JSONL, every row with a `rubric_ref` (200 rubrics) and a bundle, against clean",
        ("clean",), "rag", must=0.7, aim=0.9,
    ),
    Row(
        "memory",
        "peak memory on the clean JSONL, ids ascending or shuffled, exact check of double ids "
        "included",
        ("clean", "shuffled"), high=False, must=160, aim=100,
    ),
    Row(
        "scaling",
        "JSONL: the time for all rows, over ten times the time for a tenth of them",
        ("clean",), "tenth", factor=0.1, high=False, must=1.1, aim=1.0,
    ),
    Row(
        "scaling-net",
        "the same, less the time for a single row",
        ("clean",), "tenth", "first", factor=0.1, high=False,
    ),
    Row(
        "yaml-check-jsonschema",
        "YAML, clean rows: rows/s against check-jsonschema",
        ("check_jsonschema_yaml",), "yaml_clean", must=60, aim=150,
    ),
    Row(
        "yaml-sourcemeta",
        "YAML, clean rows: rows/s against sourcemeta `--fast`",
        ("sourcemeta_yaml",), "yaml_clean", must=0.8, aim=1.1,
    ),
    Row(
        "yaml-bad",
        "YAML, 1 % bad rows, all reported with line and column, against clean",
        ("yaml_clean",), "yaml_bad", must=0.5, aim=0.7,
    ),
    Row(
        "two-processes",
        "JSONL, clean rows: `--jobs 2` against `--jobs 1`",
        ("clean",), "jobs", must=1.7, aim=1.9, cpu_serves=False,
    ),
    Row(
        "cold-start",
        "cold start: the time for 40 lines of YAML, over that of check-jsonschema",
        ("small",), "check_jsonschema_small", high=False, must=0.33, aim=0.25,
    ),
    Row(
        "version",
        "the time for `--version`, over that for `python -c pass`",
        ("version",), "pass", high=False, must=1.6, aim=1.2,
    ),
    Row(
        "second-run",
        "a workspace of many files: the time of the second run, over the first",
        ("many_second",), "many_first", high=False, must=0.3, aim=0.1,
    ),
    Row(
        "noise",
        "noise: `python -c pass` against itself",
        ("pass",), "pass_again",
    ),
)  # fmt: skip
