"""What promptfoo says of an assertion whatever the output is: an error, a failure or a pass.

Measured on promptfoo 0.123.1: a test ends with an error at an assertion with a value of another
kind, and Ajv compiles schemas in its strict mode. Patterns and code are those of Node.js 20.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeGuard

from evalcontract.analysis.dialects import pattern_fault
from evalcontract.formats._graders import GraderPrediction, listed_predictions
from evalcontract.formats.promptfoo.assertions import (
    LISTS,
    NOT,
    SET,
    base_of,
    number_of,
    only_variable,
    types,
)
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.source.installed import table

_PART = lazy_pattern(
    r"""(?:^|(?<=[\s;]))//[^\n]*|/\*.*?(?:\*/|\Z)|\s+|(?P<slash>/)"""
    r"""|(?P<quote>['"])(?:\\.|(?!(?P=quote))[^\\\n])*(?P<end>(?P=quote)?)"""
    r"""|(?P<word>[\w$]+|\+\+|--|;)|(?P<bracket>[()\[\]{}])|(?P<sign>.)""",
    re.DOTALL,
)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_RETURN = lazy_pattern(r"\breturn\b")
_STATEMENT = lazy_pattern(r"(return|if|for|while|throw|switch|try)\b")
_DECLARATION = lazy_pattern(r"(?:const|let|var)\s(?:.*;\s*(?P<rest>.*))?", re.DOTALL)
_FUNCTION = lazy_pattern(
    r"(?:async\s*)?(?:\([^()]*\)|[\w$]+)\s*=>|(?:async\s+)?function\b.*\}$", re.DOTALL
)


def code_fault(code: str) -> str | None:
    """Return why code gives no verdict; None if nothing was found.

    One line is an expression, perhaps after declarations; several are the body of a function.
    """
    if not code.strip():
        return "it is empty"
    if "\n" in code.rstrip():
        return _syntax_fault(code) if _RETURN.search(code) else "its lines have no `return`"
    line = code.strip().rstrip("; \t")
    if match := _DECLARATION.match(line):
        line = match["rest"] or ""
        if not line:
            return "it declares a variable, and has no expression after it"
    if match := _STATEMENT.match(line):
        return f"`{match[1]}` begins a statement, and one line has to be an expression"
    if _FUNCTION.match(line):
        return "it is a function that nobody calls"
    return _syntax_fault(line)


def _syntax_fault(code: str) -> str | None:
    """Return why code cannot be parsed; None where a slash or a template leaves that open."""
    parts = [part for part in _PART.finditer(code) if part.lastgroup]
    if not parts or "`" in code or any(part["slash"] for part in parts):
        return None
    opened: list[str] = []
    for part in parts:
        sign = part["bracket"]
        if part["quote"] and not part["end"]:
            return f"a text that begins with {part['quote']} has no end"
        if sign in _PAIRS and (not opened or opened.pop() != _PAIRS[sign]):
            return f"a `{sign}` has no `{_PAIRS[sign]}`"
        if sign and sign not in _PAIRS:
            opened.append(sign)
    if opened:
        return f"a `{opened[-1]}` has no end"
    return f"it ends with `{parts[-1][0]}`" if parts[-1]["sign"] else None


class FixedVerdict(NamedTuple):
    """What an assertion says of each output, why, and the key of it that decides.

    `state` is `error` if the test ends with one, `fail` or `vacuous`, which means that it passes.
    """

    state: str
    reason: str
    key: str = "value"


def verdict_of(assertion: dict[str, Any], variables: Any = None) -> FixedVerdict | None:
    """Return the verdict of an assertion that no output changes; None if outputs decide.

    `variables` are those of the test.
    """
    type_, value = assertion.get("type"), assertion.get("value")
    error, fail = (partial(FixedVerdict, state) for state in ("error", "fail"))
    if type_ == SET:
        is_list = isinstance(assertion.get("assert"), list)
        return None if is_list else error(f"`{SET}` needs a list `assert`")
    if not isinstance(type_, str) or base_of(type_) not in types():
        return error("promptfoo has no such assertion", "type")
    if fault := fault_of(assertion, variables):
        return error(fault)
    base, is_negated = base_of(type_), type_.startswith(NOT)
    limit = None if is_negated else _limit_fault(base, assertion.get("threshold"))
    tag = _template_fault(value)  # the test ends with an error, whatever the weight is
    if assertion.get("weight") == 0 and not tag:
        return FixedVerdict("vacuous", "its weight is 0", "weight")
    if (base in LISTS and value == []) or (base == "equals" and value is None):
        fault = "it is empty" if base in LISTS else "it has no `value`"
        passes = base.endswith("-all") is not is_negated
        return FixedVerdict("vacuous", f"{fault}, so that it passes") if passes else fail(fault)
    # Of an output that is no JSON, the contrary of a schema is true.
    is_open = base not in _FAULTS or (is_negated and base in _JSON) or is_made_later(value)
    found = limit or tag or (None if is_open else _FAULTS[base](value))
    return fail(found, "threshold" if limit else "value") if found else None


def is_made_later(value: Any) -> bool:
    """Whether a value is a text that promptfoo replaces: a template, or the name of a file."""
    is_text = isinstance(value, str)
    return is_text and (bool(_TEMPLATE.search(value)) or value.startswith(("file://", "package:")))


_TEMPLATE = lazy_pattern(r"\{\{|\{%|\{#")
_ENDS = {"{{": "}}", "{%": "%}", "{#": "#}"}


def _template_fault(value: Any) -> str | None:
    """Return which tag of a text, or of one in a list, has no end; None if each has one."""
    for text in value if isinstance(value, list) else [value]:
        at = 0
        while isinstance(text, str) and (tag := _TEMPLATE.search(text, at)):
            end = text.find(_ENDS[tag[0]], tag.end())
            if end < 0 and not text.startswith("file://"):
                return f"a `{tag[0]}` has no `{_ENDS[tag[0]]}`"
            if end < 0 or "raw" in text[tag.end() : end]:
                break
            at = end + len(tag[0])
    return None


def fault_of(assertion: dict[str, Any], variables: Any = None) -> str | None:
    """Return why promptfoo stops at an assertion of a known type; None if it does not.

    `variables` are those of the test.
    """
    type_ = base_of(assertion["type"])
    kind, value = types()[type_], assertion.get("value")
    if kind == "threshold":
        limit = assertion.get("threshold")
        return (
            None if isinstance(limit, str) or is_number(limit) else f"`{type_}` needs a `threshold`"
        )
    if kind == "query":
        has_query = isinstance(variables, dict) and isinstance(variables.get("query"), str)
        return None if has_query else f"`{type_}` needs a variable `query`"
    fits, form = _VALUES.get(kind, _ANYTHING)
    if isinstance(value, str) and (name := only_variable(value)) and not fits(""):
        given = variables.get(name) if isinstance(variables, dict) else None
        return (
            f"`{type_}` needs a `value`, and `{{{{{name}}}}}` is empty"
            if given in (None, "")
            else None
        )
    return None if fits(value) else f"`{type_}` needs a `value` that is {form}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and value != ""


def _is_full(value: Any) -> bool:
    return isinstance(value, list) and value != []


def _is_count(value: Any) -> bool:
    """Whether a value is a number of words, or the least and the most; an empty text is zero."""
    if isinstance(value, dict):
        least, most = (_number(value.get(key)) for key in ("min", "max"))
        is_range = least is None or most is None or least <= most
        return is_range and (least, most) != (None, None)
    return is_number(value) or (isinstance(value, str) and number_of(value or "0") is not None)


def _is_skill(value: Any) -> bool:
    if isinstance(value, dict):
        return any(_is_text(value.get(key)) for key in ("name", "pattern"))
    return _is_text(value) or _is_full(value)


_ANYTHING: tuple[Callable[[Any], bool], str] = (lambda _: True, "")
#: What a value has to be, by its name in the table of assertions.
_VALUES: dict[str, tuple[Callable[[Any], bool], str]] = {
    "text or number": (lambda v: _is_text(v) or is_number(v), "a text or a number"),
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
    "count": (_is_count, "a number, or a mapping with a `min` up to a `max`"),
    "names of tools": (lambda v: _is_text(v) or _is_full(v), "a list of names"),
    "names of skills": (_is_skill, "a list of names"),
}  # fmt: skip


def is_number(value: Any) -> TypeGuard[float]:
    """Whether a value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _number(value: Any) -> float | None:
    """Return a number, or the number of a text; None for anything else."""
    return number_of(value) if isinstance(value, str) else value if is_number(value) else None


#: Types whose score is never above 1, and types whose distance is never below 0.
_SCORES = ("rouge-n", "bleu", "gleu", "meteor")
_DISTANCES = ("levenshtein", "latency", "cost")


def _limit_fault(base: str, given: Any) -> str | None:
    """Return why no output reaches a threshold."""
    if given is None or base not in (*_SCORES, *_DISTANCES):
        return None
    limit = _number(given)
    if limit is None:
        return "its `threshold` is no number"
    if base in _SCORES:
        return "its `threshold` is above 1, which no score reaches" if limit > 1 else None
    return "its `threshold` is below 0" if limit < 0 else None


_MOST_DEPTH = 50


def _is_string(value: Any) -> bool:
    return isinstance(value, str)


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_string, value)) and len({*value}) == len(value)


def _are_types(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and _are_strings(names) and {*names} <= {*_schemas()["types"]}


#: What the value of a keyword has to be, by its kind in the table.
_KINDS: dict[str, Callable[[Any], bool]] = {
    "anything": lambda _: True,
    "number": is_number,
    "divisor": lambda v: is_number(v) and v > 0,
    "length": lambda v: is_number(v) and v >= 0 and v % 1 == 0,
    "boolean": lambda v: isinstance(v, bool),
    "text": _is_string,
    "list": lambda v: isinstance(v, list),
    "values": lambda v: isinstance(v, list) and v != [],
    "names": _are_strings,
    "types": _are_types,
    "format": lambda v: _is_string(v) and v in _schemas()["formats"],
    "pattern": lambda v: _is_string(v) and pattern_fault(v) is None,
    "draft": lambda v: _is_string(v) and v.rstrip("#").endswith("/draft-07/schema"),
    "schema": lambda _: True,
    "schemas": lambda v: isinstance(v, dict),
    "listed schemas": lambda v: isinstance(v, list) and v != [],
}


def _schemas() -> dict[str, Any]:
    known: dict[str, Any] = table("formats/promptfoo.keywords")
    return known


def schema_fault(schema: Any, depth: int = 0) -> str | None:
    """Return why Ajv does not compile a schema; None if nothing was found."""
    if isinstance(schema, bool) or depth > _MOST_DEPTH:
        return None
    if not isinstance(schema, dict):
        return "a schema is a mapping"
    for key, value in schema.items():
        kind = _schemas()["keywords"].get(key)
        if kind is None:
            return f"its schema has a keyword `{clipped(str(key))}`, which draft 7 does not have"
        if not _KINDS[kind](value):
            return f"`{key}` in its schema is malformed"
        if not kind.endswith(("schema", "schemas")):
            continue
        parts = [*value.values()] if kind == "schemas" else value
        for part in parts if isinstance(parts, list) else [parts]:
            is_named = key == "dependencies" and _are_strings(part)
            if not is_named and (fault := schema_fault(part, depth + 1)):
                return fault
    return None


def _json_fault(value: Any) -> str | None:
    """Return what is wrong with the schema of JSON; a text is YAML, which is not looked into."""
    if isinstance(value, str) or value in (None, False, 0):
        return None
    return "a schema is a mapping" if value is True else schema_fault(value)


_SCHEME = lazy_pattern(r"[A-Za-z][A-Za-z0-9+.-]*:")
_JSON = ("is-json", "contains-json")
#: Why an assertion with a value fails, by its type; without a reason, outputs decide.
_FAULTS: dict[str, Callable[[Any], str | None]] = {
    "regex": pattern_fault,
    "javascript": lambda v: code_fault(v) if _is_string(v) else "it needs code, as a text",
    "python": lambda v: None if v.strip() else "it is empty",
    "webhook": lambda v: None if _is_string(v) and _SCHEME.match(v) else "its value is no URL",
    **dict.fromkeys(_JSON, _json_fault),
}


#: So many assertions of a test are predicted one by one.
MAX_ASSERTIONS = 200


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
        inner = assertion.get("assert") if assertion.get("type") == SET else None
        if isinstance(inner, list) and place == "assert":
            yield from _flat(inner, f"{here}.assert")
        else:
            yield here, assertion


def _prediction(place: str, assertion: dict[str, Any], variables: Any) -> GraderPrediction:
    type_, found = assertion.get("type"), verdict_of(assertion, variables)
    state = found.state.replace("error", "fail") if found else "run"
    name = type_ if isinstance(type_, str) else place
    return GraderPrediction(name, "assertion", state, reason=found and found.reason, field=place)
