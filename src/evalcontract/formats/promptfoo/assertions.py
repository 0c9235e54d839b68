"""The assertions of promptfoo: their types, the values that they take, and their form in a cell.

Measured on promptfoo 0.123.1: a test stops with an error at an assertion with another value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

from evalcontract.formats._graders import GraderPrediction, listed_predictions
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.installed import table

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


def fault_of(assertion: dict[str, Any], variables: Any = None) -> str | None:
    """Return why promptfoo stops at an assertion of a known type; None if it does not.

    `variables` are those of the test.
    """
    type_ = base_of(assertion["type"])
    kind, value = types()[type_], assertion.get("value")
    if kind == "threshold":
        return None if _is_number(assertion.get("threshold")) else f"`{type_}` needs a `threshold`"
    if kind == "query":
        has_query = isinstance(variables, dict) and isinstance(variables.get("query"), str)
        return None if has_query else f"`{type_}` needs a variable `query`"
    fits, said = _VALUES.get(kind, _ANYTHING)
    if isinstance(value, str) and (name := only_variable(value)) and not fits(""):
        given = variables.get(name) if isinstance(variables, dict) else None
        return (
            f"`{type_}` needs a `value`, and `{{{{{name}}}}}` is empty"
            if given in (None, "")
            else None
        )
    return None if fits(value) else f"`{type_}` needs a `value` that is {said}"


def only_variable(text: str) -> str | None:
    """Return the name of the variable that is all of a text; None if it is something else."""
    match = VARIABLE.fullmatch(text)
    return match[1] if match else None


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_full(value: Any) -> bool:
    return isinstance(value, list) and value != []


def _is_count(value: Any) -> bool:
    """Whether a value is a number of words, or the least and the most; an empty text is zero."""
    if isinstance(value, dict):
        return any(_is_number(value.get(key)) for key in ("min", "max"))
    return _is_number(value) or (isinstance(value, str) and number_of(value or "0") is not None)


def _is_skill(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_text(value.get(key)) for key in ("name", "pattern"))
    return _is_text(value) or _is_full(value)


_ANYTHING: tuple[Callable[[Any], bool], str] = (lambda _: True, "")
#: What a value has to be, by its name in the table of assertions.
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "text or number": (lambda v: _is_text(v) or _is_number(v), "a text or a number"),
    "texts": (lambda v: _is_text(v) or isinstance(v, list), "a list of texts"),
    "text": (_is_text, "a text"),
    "any text": (lambda v: isinstance(v, str), "a text"),
    "text or texts": (lambda v: isinstance(v, str) or _is_full(v), "a text or a list of texts"),
    "text or list": (lambda v: isinstance(v, str | list), "a text or a list of texts"),
    "text or mapping": (
        lambda v: v is None or isinstance(v, str | list | dict), "a text or a mapping",
    ),
    "mapping or nothing": (
        lambda v: v in (None, "", 0, False) or isinstance(v, dict | list), "a mapping",
    ),
    "text or nothing": (lambda v: v is None or isinstance(v, str), "a text"),
    "texts or nothing": (lambda v: v in (None, "", 0, False) or _is_full(v), "a list of texts"),
    "count": (_is_count, "a number, or a mapping with `min` or `max`"),
    "names of tools": (lambda v: _is_text(v) or _is_full(v), "a list of names"),
    "names of skills": (_is_skill, "a list of names"),
}  # fmt: skip


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


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
    cells = [type_ if text is None else f"{type_}: {text}", *([text] if text else [])]
    for cell in cells:
        try:
            if cell == cell.strip() and assertion_of(cell) == assertion:
                return cell
        except ValueError:
            continue
    return None


#: So many assertions of a test are predicted one by one.
MAX_ASSERTIONS = 200
_ALL = ("contains-all", "icontains-all")


def predict(row: Any) -> Iterator[GraderPrediction]:
    """Return a prediction for each assertion of a test."""
    flat = [*_flat(row.get("assert"))]
    return listed_predictions(
        (_prediction(place, each, row.get("vars")) for place, each in flat[:MAX_ASSERTIONS]),
        total=len(flat),
        most=MAX_ASSERTIONS,
        what="assertions",
        kind="assertion",
    )


def _flat(given: Any, place: str = "assert") -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the assertions, those of a set one by one, with their places."""
    for index, assertion in enumerate(given if isinstance(given, list) else ()):
        here = f"{place}[{index}]"
        if not isinstance(assertion, dict):
            continue
        if assertion.get("type") == SET and place == "assert":
            yield from _flat(assertion.get("assert"), f"{here}.assert")
        else:
            yield here, assertion


def _prediction(place: str, assertion: dict[str, Any], variables: Any) -> GraderPrediction:
    type_, state, reason = assertion.get("type"), "run", None
    if not isinstance(type_, str) or base_of(type_) not in types():
        state, reason = "fail", "promptfoo has no such assertion"
    elif fault := fault_of(assertion, variables):
        state, reason = "fail", fault
    elif assertion.get("weight") == 0:
        state, reason = "vacuous", "its weight is 0"
    elif type_ in _ALL and assertion.get("value") == []:
        state, reason = "vacuous", "it is empty, so that it passes"
    name = type_ if isinstance(type_, str) else place
    return GraderPrediction(name, "assertion", state, reason, place)
