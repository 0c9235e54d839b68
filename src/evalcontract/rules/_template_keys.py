"""Lines of a judge's template that look like keys of the judge, indented too far."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.rules._rule import Subject

_NUMBER = r"-?\d+(?:\.\d+)?"
_LIST = r"(?:\[.*\])?"
_MAPPING = r"(?:\{.*\})?"
#: What the value of each key looks like in the same line. Keys that are ordinary words, such as
#: `description`, are left out: a prompt may well have such a line.
_VALUES = {
    "id": r"[\"']?[a-z][a-z0-9]*_[a-z0-9_]+[\"']?",
    "version": r"[\"']?\d+\.\d+(?:\.\d+)?[\"']?",
    "score_type": r"[\"']?(?:binary|continuous|levels)[\"']?",
    "level_names": _LIST,
    "level_values": _LIST,
    "min_score": _NUMBER,
    "max_score": _NUMBER,
    "pass_threshold": _NUMBER,
    "applicable_to": _LIST,
    "validation": _MAPPING,
    "model": r"\{.*\}",
}
_LINES = "|".join(rf"{key}:[ \t]*{value}" for key, value in _VALUES.items())
_LINE = lazy_pattern(
    rf"^[ \t]*(?P<line>(?P<key>{'|'.join(_VALUES)}):(?=[ \t\n]|\Z).*)$", re.MULTILINE
)
_KEY_AND_VALUE = lazy_pattern(rf"(?:{_LINES})[ \t]*(?:#.*)?")
_VALIDATION = lazy_pattern(r"\s+(?:tpr|tnr|confusion_matrix|validated_at|sample_size):")


class KeyLine(NamedTuple):
    """A line of a template that looks like a key: the key, the line, and where it starts."""

    key: str
    text: str
    start: int


def key_lines(subject: Subject) -> Iterator[KeyLine]:
    """Yield the lines of the template that look like keys that the judge lacks, one for each."""
    template = subject.value.get("template", "")
    present = set(subject.artifact.document.value)
    for match in _LINE.finditer(template):
        key, text = match["key"], match["line"]
        if key in present or not _KEY_AND_VALUE.fullmatch(text):
            continue
        if text.strip() == "validation:" and not _VALIDATION.match(template, match.end()):
            continue  # a heading
        present.add(key)
        yield KeyLine(key, text, match.start("line"))
