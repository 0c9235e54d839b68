"""The parser of the editors and ours: what both read is one value, what it refuses is a fault.

`yaml` of npm is what yaml-language-server reads with. Texts are made by chance, of all styles and
broken in all places. The differences that are known are few, and stand here.
"""

from __future__ import annotations

import math
import random
import re
from typing import Any

import pytest
import yaml_texts
from examples import tries
from node_scripts import run_script
from source_texts import read

from evalcontract.source import Document

NUMBER = tries(3000)
# What the parser of the editors refuses and we read, by its fault, and why.
READ_HERE = {
    "BAD_INDENT": "a closing bracket further left than its key: nothing else can be meant",
    "2 documents": "a second `...`, behind which there is nothing",
}
# What it reads otherwise, and YAML 1.2 as we do.
_ESCAPED_BREAK = re.compile(r"\\[ \t]*\r?\n[ \t]*\r?\n")


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """Return texts by chance, the same each time; of those that nobody can read, none."""
    whole = (yaml_texts.whole(random.Random(seed)) for seed in range(NUMBER // 3))  # noqa: S311
    broken = (yaml_texts.broken(random.Random(seed)) for seed in range(NUMBER))  # noqa: S311
    texts = (text.removeprefix("\ufeff") for text in (*whole, *broken))  # the mark is our part
    return [text for text in texts if text.strip() and "\r" not in _without_crlf(text)]


@pytest.fixture(scope="module")
def theirs(texts: list[str]) -> list[dict[str, Any]]:
    """Return what the parser of the editors makes of each text."""
    found: list[dict[str, Any]] = run_script("yaml_values.mjs", "yaml", texts)
    return found


@pytest.mark.slow
def test_no_text_has_another_value(texts: list[str], theirs: list[dict[str, Any]]) -> None:
    compared = 0
    for text, said in zip(texts, theirs, strict=True):
        found = read(text, "x.yaml")
        if isinstance(found, Document) and "value" in said and not _is_read_otherwise(text):
            assert _alike(found.value, said["value"]), (text, found.value, said)
            compared += 1
    assert compared > NUMBER // 4, "the two are hardly ever compared"


@pytest.mark.slow
def test_what_the_editors_refuse_is_a_fault(texts: list[str], theirs: list[dict[str, Any]]) -> None:
    refused = 0
    for text, said in zip(texts, theirs, strict=True):
        if "fault" in said and said["fault"] not in READ_HERE:
            assert not isinstance(read(text, "x.yaml"), Document), (text, said)
            refused += 1
    assert refused > NUMBER // 4, "hardly anything is refused"


def _without_crlf(text: str) -> str:
    r"""Leave a `\r` alone, which ends a line for us, as YAML 1.2 says, and not in the editors."""
    return text.replace("\r\n", "\n")


def _is_read_otherwise(text: str) -> bool:
    """Whether it reads `!!float 1` as text, or drops an empty line behind an escaped break."""
    return "!!float" in text or _ESCAPED_BREAK.search(text) is not None


def _alike(ours: Any, theirs: Any) -> bool:
    if isinstance(theirs, dict):
        if "number" in theirs:
            return _is_number(ours, theirs["number"])
        pairs = dict(theirs["mapping"])
        return isinstance(ours, dict) and (
            list(ours) == [key for key in ours if key in pairs]
            and len(ours) == len(pairs)
            and all(_alike(ours[key], pairs[key]) for key in ours)
        )
    if isinstance(theirs, list):
        same = isinstance(ours, list) and len(ours) == len(theirs)
        return same and all(map(_alike, ours, theirs))
    return type(ours) is type(theirs) and bool(ours == theirs)


def _is_number(ours: Any, written: str) -> bool:
    if isinstance(ours, bool) or not isinstance(ours, int | float):
        return False
    number = (
        float(written)
        if written.lstrip("-") != "Infinity"
        else math.copysign(math.inf, -1 if written[0] == "-" else 1)
    )
    return (math.isnan(ours) and math.isnan(number)) or float(ours) == number
