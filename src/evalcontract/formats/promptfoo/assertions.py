"""What tests of promptfoo are made of: their keys, their fields, and assertions with their values.

Measured on promptfoo 0.123.1: a test stops with an error at an assertion with another value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from evalcontract.formats._findings import near_miss
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import normalise, suggestions
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.source.installed import table

NO_INPUT = "no variable is a text, so that the input is the prompt, or all variables as JSON"
SEVERAL = "a list stands for a test of each of its values, and a row has one input"
NO_CHECK = "no check of evalcontract does it"
TRANSFORMED = "`options.transform` changes the output that it is about, and no check does that"
TOO_MANY_RUBRICS = "too many tests need a rubric of their own"


#: The keys of a test, one of the first seven of which it needs.
NEEDED = ("assert", "vars", "options", "metadata", "provider", "providerOutput", "threshold")
KEYS = (*NEEDED, "description", "providers", "prompts", "assertScoringFunction")
#: Keys that only a configuration has.
_OF_CONFIGURATION = (
    *("tests", "defaultTest", "scenarios", "targets", "commandLineOptions", "redteam"),
    *("extensions", "evaluateOptions", "outputPath", "assertionTemplates", "env", "sharing"),
)


#: What other tools call keys of a configuration.
_OTHER_NAMES = {
    **dict.fromkeys(("name", "title"), "description"),
    **dict.fromkeys(("cases", "test_cases", "dataset"), "tests"),
    **dict.fromkeys(("model", "models"), "providers"),
}


def misspelled(value: Any, of: str | dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the keys of an open mapping, and of those in it, that are probably misspelled.

    `of` is the name of a definition in the schema, or the schema itself.
    """
    schema = table("formats/promptfoo.schema")["$defs"][of] if isinstance(of, str) else of
    for index, part in enumerate(value if isinstance(value, list) else ()):
        yield from misspelled(part, schema.get("items", {}), (*path, index))
    known = schema.get("properties", {}) if schema.get("additionalProperties") else {}
    for key, part in value.items() if known and isinstance(value, dict) else ():
        if key in known:
            yield from misspelled(part, known[key], (*path, key))
            continue
        near = suggestions(tuple(known)).nearest(str(key)) or _OTHER_NAMES.get(normalise(str(key)))
        if near and near in known:
            message = f"promptfoo does not read `{clipped(str(key))}`"
            yield near_miss("promptfoo", message, (*path, key), near)


def has_needed(test: dict[str, Any]) -> bool:
    """Whether a test has one of the keys that it needs: a value that is true in JavaScript."""
    limit = test.get("threshold")
    if isinstance(limit, int | float) and not isinstance(limit, bool):
        return True
    values = [test.get(key) for key in NEEDED if key != "threshold"]
    return any(isinstance(value, dict | list) or value for value in values)


def is_configuration(value: dict[str, Any]) -> bool:
    """Whether a mapping is a configuration, and no test."""
    has_key = not value.keys().isdisjoint(_OF_CONFIGURATION)
    return has_key or ("prompts" in value and value.keys().isdisjoint(NEEDED))


#: Types whose value, in a cell, is a list.
LISTS = ("contains-all", "contains-any", "icontains-all", "icontains-any")
#: Types that have a threshold of their own in a cell, if none is written.
_WITH_THRESHOLD = (
    *("answer-relevance", "classifier", "context-faithfulness", "context-recall"),
    *("context-relevance", "cost", "latency", "levenshtein", "perplexity-score", "perplexity"),
    *("rouge-n", "similar", "starts-with"),
)
_DEFAULT, _OF_SIMILAR = 0.75, 0.8
#: What cells of code and of rubrics begin with, and their types.
_PREFIXES = {
    **dict.fromkeys(("javascript:", "fn:", "eval:"), "javascript"),
    **dict.fromkeys(("grade:", "llm-rubric:"), "llm-rubric"),
    "python:": "python",
}
_SCRIPTS = (".js", ".cjs", ".mjs", ".ts", ".cts", ".mts")
_NUMBER = lazy_pattern(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
#: A variable in a template.
VARIABLE = lazy_pattern(r"\{\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*\}\}")
NOT = "not-"
SET = "assert-set"


@cache
def types() -> dict[str, str]:
    """Return the types of assertions, each with the name of what its value has to be."""
    graders = table("formats/promptfoo.graders")["graders"]
    return {name: grader["kind"] for grader in graders for name in grader["names"]}


class AssertionRepeats:
    """Tells whether assertions are those of the test before, and mean the same there.

    A default test adds the same list to each test.
    """

    def __init__(self) -> None:
        self._last: Any = None
        self._is_fixed: bool | None = None

    def __call__(self, given: Any) -> bool:
        """Take the assertions of the next test."""
        if given is None or given is not self._last:
            self._last, self._is_fixed = given, None
            return False
        if self._is_fixed is None:
            text = repr(given)
            of_variables = [name for name, kind in types().items() if kind == "query"]
            self._is_fixed = not any(part in text for part in ("{{", *of_variables))
        return self._is_fixed


def base_of(type_: str) -> str:
    """Return the type of an assertion without its negation."""
    return type_.removeprefix(NOT)


def only_variable(text: str) -> str | None:
    """Return the name of the variable that is all of a text; None if it is something else."""
    match = VARIABLE.fullmatch(text)
    return match[1] if match else None


def number_of(text: str | None) -> float | None:
    """Return the number of a cell; None if it is none."""
    stripped = (text or "").strip()
    if not _NUMBER.fullmatch(stripped):
        return None
    number = float(stripped)
    return int(number) if number.is_integer() else number


@cache
def _prefix() -> re.Pattern[str]:
    names = "|".join(map(re.escape, sorted(types(), key=len, reverse=True)))
    return re.compile(rf"(not-)?({names})(?:\(([0-9]+(?:\.[0-9]+)?)\))?(?::(.*))?", re.DOTALL)


def assertion_of(cell: str) -> dict[str, Any]:
    """Return the assertion of a cell.

    Raises:
        ValueError: promptfoo stops at the list in the cell.

    """
    for prefix, type_ in _PREFIXES.items():
        if cell.startswith(prefix):
            value = cell.removeprefix(prefix)
            return {"type": type_, "value": value if type_ == "llm-rubric" else value.strip()}
    is_file = cell.startswith("file://")
    if is_file and cell.endswith(_SCRIPTS):
        return {"type": "javascript", "value": cell}
    if is_file and (cell.endswith(".py") or ".py:" in cell):
        return {"type": "python", "value": cell.removeprefix("file://").strip()}
    if match := _prefix().fullmatch(cell):
        return _typed(*match.groups())
    return {"type": "equals", "value": cell}


def _typed(
    negation: str | None, type_: str, limit: str | None, value: str | None
) -> dict[str, Any]:
    assertion: dict[str, Any] = {"type": f"{negation or ''}{type_}"}
    if type_ in LISTS:
        return assertion | ({"value": listed_in(value)} if value else _given(value))
    if type_ in ("contains-json", "is-json"):
        return assertion | _given(value)
    assertion |= _given(value.strip() if value is not None else None)
    if type_ in _WITH_THRESHOLD:
        default = _OF_SIMILAR if type_ == "similar" else _DEFAULT
        assertion["threshold"] = default if limit is None else number_of(limit)
    return assertion


def _given(value: str | None) -> dict[str, str]:
    return {} if value is None else {"value": value}


def listed_in(text: str) -> list[str]:
    """Return the texts between the commas of a text; quotes hold a comma.

    Raises:
        ValueError: a quote has no end, or something follows it.

    """
    texts: list[str] = []
    for part in _PART.finditer(text):
        if part["open"]:
            raise ValueError("a quote has no end")
        if part["rest"]:
            raise ValueError("a comma is missing after a quote")
        bare = part["bare"]
        texts.append(bare.strip() if bare else _ESCAPED.sub(_unescaped, part["quoted"]))
    return texts


_PART = lazy_pattern(
    r'[\s,]*(?:"(?P<quoted>(?:\\["\\]|""|[^"])*)"\s*(?P<rest>[^,\s])?'
    r'|(?P<open>")|(?P<bare>[^\s,"][^,]*))',
    re.DOTALL,
)
_ESCAPED = lazy_pattern(r'\\(["\\])|""')


def _unescaped(match: re.Match[str]) -> str:
    return match[1] or '"'


def cell_of(assertion: dict[str, Any]) -> str | None:
    """Return an assertion as a cell that is read as the same; None if there is none."""
    type_, value = assertion["type"], assertion.get("value")
    if (
        isinstance(value, list)
        and base_of(type_) in LISTS
        and all(isinstance(v, str) for v in value)
    ):
        text = ", ".join('"{}"'.format(v.replace("\\", "\\\\").replace('"', '""')) for v in value)
    elif isinstance(value, str):
        text = value
    elif value is None:
        text = None
    else:
        return None
    # Of a rubric, the space after the colon belongs to the text.
    cells = [type_] if text is None else [f"{type_}: {text}", f"{type_}:{text}"]
    cells += [text] if text else []
    for cell in cells:
        try:
            if cell == cell.strip() and assertion_of(cell) == assertion:
                return cell
        except ValueError:
            continue
    return None
