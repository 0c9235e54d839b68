"""Assertions of promptfoo as checks of a rubric and keys of a row, in both directions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from typing import Any

from evalcontract.formats._conversion import (
    OURS,
    criteria_of,
    escaped,
    guidelines_of,
    reference_of,
    text_matched_by,
    without_escapes,
)
from evalcontract.formats._findings import as_json, parsed_json
from evalcontract.formats.promptfoo.assertions import (
    LISTS,
    NO_CHECK,
    NOT,
    TOO_MANY_RUBRICS,
    TRANSFORMED,
    VARIABLE,
    base_of,
    listed_in,
)
from evalcontract.formats.promptfoo.verdicts import is_made_later, is_number, verdict_of
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.installed import table

#: The keys of a row that judges read.
JUDGED = ("criteria", "expected")


@cache
def judges() -> dict[str, dict[str, Any]]:
    """Return the judges by the key of a row that they read."""
    known = table("formats/promptfoo.judges")
    lines = {key: known[key]["template"] for key in JUDGED}
    return {key: {**known[key], "template": "\n".join(lines[key])} for key in JUDGED}


def check_of(key: str) -> dict[str, Any]:
    """Return the check that asks the judge of a key."""
    judge = judges()[key]
    reference = f"judge/{judge['id']}@{judge['version']}"
    return {"id": judge["id"], "kind": "llm_judge", "judge_prompt_ref": reference}


def asked_in(check: Any, row: dict[str, Any]) -> str | None:
    """Return the key of a row about which a check asks one of these judges; None if none does."""
    bare = {key: part for key, part in check.items() if key != LABEL}
    criteria = row.get("criteria")
    if bare == check_of("criteria") and isinstance(criteria, str) and criteria.strip():
        return "criteria"
    return "expected" if bare == check_of("expected") and reference_of(row) else None


_SEARCHES = (
    *("contains", "icontains", "contains-any", "icontains-any", "contains-all", "icontains-all"),
)
#: Keys of rows for texts, of which an output has one or none.
ANY, NONE = "must_contain_any", "must_not_contain"
#: How many assertions of a test are converted.
MAX_ASSERTIONS = 200
#: Only rubrics that other rows may have, or none at all: what a limit leaves of what is said.
SHARED, NO_RUBRICS = "shared", "none"
#: Keys beside the type and the value of an assertion that a check can say.
_PLAIN = frozenset({"type", "value", *(BESIDE := ("weight", "metric"))})
#: The key of a check that has the name of a metric.
LABEL = "label"
#: Values of a check that stand in its rubric.
_OWN_VALUES = frozenset({"pattern", "schema", "values"})


class AssertionChecks(NamedTuple):
    """What assertions say: keys of the row, a rubric, and why some assertions are not said.

    The rubric `is_shared` if other rows may have it, since all texts stand in the row.
    """

    keys: dict[str, Any]
    rubric: dict[str, Any] | None
    lost: dict[int, str]
    is_shared: bool
    judges: tuple[dict[str, Any], ...]


def assertion_checks(test: dict[str, Any], limit: str | None = None) -> AssertionChecks:
    """Return what the assertions of a test say in evalcontract.

    `limit` is `SHARED` or `NO_RUBRICS`.
    """
    keys: dict[str, Any] = {}
    checks: list[dict[str, Any]] = []
    weights: dict[str, float] = {}
    lost: dict[int, str] = {}
    judged: dict[str, list[dict[str, Any]]] = {name: [] for name in JUDGED}
    used: Counter[str] = Counter()
    is_shared = True

    def add(check: dict[str, Any], assertion: dict[str, Any]) -> None:
        label = {LABEL: assertion["metric"]} if "metric" in assertion else {}
        checks.append({**check, **label})
        weights[check["id"]] = assertion.get("weight", 1)

    for index, assertion in enumerate(_converted(test)):
        plain = _filled(assertion, test)
        check = _check_of(plain, keys, judged) if plain is not None else None
        is_own = bool(check) and not _OWN_VALUES.isdisjoint(check or ())
        if check is None or plain is None:
            lost[index] = TRANSFORMED if _is_transformed(test) else NO_CHECK
        elif (limit == NO_RUBRICS and (check or _has_more(plain))) or (is_own and limit):
            lost[index] = TOO_MANY_RUBRICS
        elif check:
            is_shared &= not is_own
            kind = check["kind"]
            used[kind] += 1
            add({"id": kind if used[kind] == 1 else f"{kind}_{used[kind]}", **check}, plain)
    if criteria := [str(each["value"]) for each in judged["criteria"]]:
        text = criteria_of(criteria) if len(criteria) > 1 else criteria[0]
        keys["criteria"] = text or "\n".join(criteria)
    asked = [name for name in JUDGED if judged[name] and limit != NO_RUBRICS]
    for name in asked:
        add(check_of(name), judged[name][0])
    rubric, own = _rubric(checks, weights, test), tuple(judges()[name] for name in asked)
    return AssertionChecks(keys, rubric, lost, is_shared=is_shared, judges=own)


def _has_more(assertion: dict[str, Any]) -> bool:
    return any(key in assertion for key in BESIDE)


def _is_transformed(test: dict[str, Any]) -> bool:
    """Whether the assertions of a test see something else than the output of the provider."""
    options = test.get("options")
    return isinstance(options, dict) and any(map(options.get, ("transform", "postprocess")))


def _converted(test: dict[str, Any]) -> list[Any]:
    given = test.get("assert")
    return given[:MAX_ASSERTIONS] if isinstance(given, list) else []


def _rubric(
    checks: list[dict[str, Any]], weights: dict[str, float], test: dict[str, Any]
) -> dict[str, Any] | None:
    """Return the rubric of checks: without a threshold, all of them have to pass."""
    if not checks:
        return None
    limit = test.get("threshold")
    has_limit = is_number(limit) and 0 <= limit <= 1
    scoring: dict[str, Any] = {"combine": "all_pass"}
    own = {"weights": weights} if {*weights.values()} - {1} else {}
    if has_limit or own:
        scoring = {"combine": "weighted_avg", **own, "threshold": limit if has_limit else 1}
    return {"checks": checks, "scoring": scoring, "metadata": {"made_from": "promptfoo"}}


def _filled(assertion: Any, test: dict[str, Any]) -> dict[str, Any] | None:
    """Return an assertion whose value has no templates; None if it has others than variables."""
    if not isinstance(assertion, dict) or _is_transformed(test):
        return None
    variables, value = test.get("vars"), assertion.get("value")
    weight, metric = assertion.get("weight", 1), assertion.get("metric", "a")
    is_plain = assertion.keys() <= _PLAIN and is_number(weight) and weight > 0
    is_named = isinstance(metric, str) and metric.strip() and not is_made_later(metric)
    if not (is_plain and is_named) or verdict_of(assertion, variables):
        return None
    value = _with_values(value, variables if isinstance(variables, dict) else {})
    parts = value if isinstance(value, list) else [value]
    return None if any(map(is_made_later, parts)) else {**assertion, "value": value}


def _with_values(value: Any, variables: dict[str, Any]) -> Any:
    """Return a text, or each text of a list, with the variables that are texts themselves."""
    if isinstance(value, list):
        return [_with_values(part, variables) for part in value]
    if not isinstance(value, str) or "{{" not in value:
        return value

    def text_of(match: re.Match[str]) -> str:
        given = variables.get(match[1])
        return given if isinstance(given, str) and "{{" not in given else match[0]

    return VARIABLE.sub(text_of, value)


#: The keys of a row that the judges of assertions read; one of the types has two names.
_JUDGED = {
    "llm-rubric": "criteria",
    **dict.fromkeys(("factuality", "model-graded-factuality"), "expected"),
}


def _check_of(
    assertion: dict[str, Any], keys: dict[str, Any], judged: dict[str, list[dict[str, Any]]]
) -> dict[str, Any] | None:
    """Return the check of an assertion, empty if a key of the row says it; None if nothing does."""
    type_, value = assertion["type"], assertion["value"]
    base, is_not = base_of(type_), type_.startswith(NOT)
    if base in _SEARCHES:
        return _search(base, value, keys, is_not=is_not)
    if base in ("regex", "equals", "starts-with"):
        check = _regex_of(base, value)
        return {**check, "negate": True} if check and is_not else check
    if base == "is-json" and not is_not:
        return _json_of(value)
    key = _JUDGED.get(base)
    if key is None or is_not or not isinstance(value, str) or not value.strip():
        return None
    others = judged[key]
    if others and (key == "expected" or any(map(_has_more, (assertion, *others)))):
        return None  # the judge is asked once
    others.append(assertion)
    if key == "expected":
        keys[key] = {"reference": value}
    return {}


def _regex_of(base: str, value: Any) -> dict[str, Any] | None:
    """Return the check that matches a pattern, or a text."""
    if not isinstance(value, str) or not value:
        return None
    literal = escaped(value)
    if base == "equals":
        return {"kind": "regex", "pattern": literal, "match": "full"}
    if base == "starts-with":
        return {"kind": "regex", "pattern": f"^{literal}"}
    pattern = python_of(value)
    return {"kind": "regex", "pattern": pattern} if pattern else None


def _json_of(value: Any) -> dict[str, Any] | None:
    """Return the check for JSON, of a schema if there is one."""
    if value is None:
        return {"kind": "format", "format": "json"}
    is_schema = isinstance(value, dict) and "$schema" not in value
    return {"kind": "json_schema", "schema": value} if is_schema else None


def _texts_of(base: str, value: Any) -> list[str]:
    """Return the texts of an assertion; none of a list in which a quote has no end."""
    if base not in LISTS or not isinstance(value, str):
        return [str(each) for each in (value if isinstance(value, list) else [value])]
    try:
        return listed_in(value)
    except ValueError:
        return []


def _search(base: str, value: Any, keys: dict[str, Any], *, is_not: bool) -> dict[str, Any] | None:
    """Return the check that looks for texts: the first list stands in the row."""
    texts = list(dict.fromkeys(_texts_of(base, value)))
    if not texts or not all(texts):
        return None
    if base.endswith("-all") and (is_not or len(texts) > 1):
        flags = ["i", "s"] if base.startswith("i") else ["s"]
        negation = {"negate": True} if is_not else {}
        return {"kind": "regex", "pattern": all_of(texts), "flags": flags, **negation}
    key = NONE if is_not else ANY
    check: dict[str, Any] = {"kind": key}
    if not base.startswith("i"):
        check["case_sensitive"] = True
    if key in keys:
        return {**check, "values": texts}
    keys[key] = texts
    return check


class RowAssertions(NamedTuple):
    """The assertions of a row, their threshold, and whether they say all of its rubric."""

    assertions: list[dict[str, Any]]
    threshold: float | None
    is_whole: bool


def assertions_of(row: dict[str, Any], rubric: dict[str, Any] | None) -> RowAssertions:
    """Return what a row and its rubric assert."""
    asserts: list[dict[str, Any]] = []
    read: set[str] = set()
    of_judges: dict[str, dict[str, Any]] = {}
    checks = rubric.get("checks") if rubric else None
    limit, weights, is_whole = _scoring_of(rubric)
    for check in checks if isinstance(checks, list) else ():
        more = _beside(check, weights) if isinstance(check, dict) else None
        key = asked_in(check, row) if more is not None else None
        found = _assertion_of(check, row, read) if more is not None and not key else None
        if key:
            of_judges[key] = more or {}
        elif found is None or more is None:
            is_whole = False
        else:
            asserts.append({**found, **more})
    for key in (ANY, NONE):
        if key not in read and (found := _of_texts({"kind": key}, _texts(row.get(key)))):
            asserts.append(found)  # noqa: PERF401 - of two
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        parts, more = guidelines_of(criteria), of_judges.get("criteria", {})
        is_whole &= len(parts) == 1 or not more
        more = more if len(parts) == 1 else {}
        asserts += [{"type": "llm-rubric", "value": part, **more} for part in parts]
    if reference := reference_of(row):
        more = of_judges.get("expected", {})
        asserts.append({"type": "factuality", "value": reference, **more})
    return RowAssertions(asserts, limit, is_whole)


def _beside(check: dict[str, Any], weights: dict[str, Any]) -> dict[str, Any] | None:
    """Return the metric and the weight of a check; None if its label would be a template."""
    id_, label = check.get("id"), check.get(LABEL)
    if isinstance(label, str) and is_made_later(label):
        return None
    weight = weights.get(id_, 1) if isinstance(id_, str) else 1
    return {
        **({} if weight == 1 else {"weight": weight}),
        **({"metric": label} if isinstance(label, str) and label.strip() else {}),
    }


def _texts(given: Any) -> list[str]:
    texts = given if isinstance(given, list) else []
    return texts if all(isinstance(text, str) and text for text in texts) else []


def _scoring_of(rubric: dict[str, Any] | None) -> tuple[float | None, dict[str, Any], bool]:
    """Return the threshold and the weights of a test, and whether it scores as the rubric does."""
    scoring = rubric.get("scoring") if rubric else None
    if not isinstance(scoring, dict):
        return None, {}, rubric is None
    limit, weights = scoring.get("threshold"), scoring.get("weights")
    combine = scoring.get("combine")
    if combine != "weighted_avg" or limit is None:
        return None, {}, combine == "all_pass"
    weights = weights if isinstance(weights, dict) else {}
    # Without a threshold, all assertions have to pass, whatever they weigh.
    return None if weights and limit == 1 else limit, weights, True


def _assertion_of(check: dict[str, Any], row: dict[str, Any], read: set[str]) -> Any:
    """Return the assertion of a check; None if no assertion does the same."""
    kind = check.get("kind")
    if kind in (ANY, NONE):
        if "values" not in check:
            read.add(str(kind))
        return _of_texts(check, _texts(check.get("values")) or _texts(row.get(str(kind))))
    if kind == "regex" and check.get("flags"):
        return _of_all(check)
    if kind == "regex":
        return _of_regex(check)
    if kind == "format" and check.get("format") == "json":
        return None if {"max_chars", "required_keys"} & {*check} else {"type": "is-json"}
    if kind == "json_schema" and isinstance(check.get("schema"), dict):
        schema = {key: part for key, part in check["schema"].items() if key != "$schema"}
        is_whole = check.get("extract", "whole") == "whole"
        return {"type": "is-json", "value": schema} if is_whole else None
    return None


def _of_texts(check: dict[str, Any], texts: list[str]) -> dict[str, Any] | None:
    if not texts:
        return None
    prefix = NOT if check["kind"] == NONE else ""
    letter = "" if check.get("case_sensitive") else "i"
    if len(texts) == 1:
        return {"type": f"{prefix}{letter}contains", "value": texts[0]}
    return {"type": f"{prefix}{letter}contains-any", "value": texts}


def _of_all(check: dict[str, Any]) -> dict[str, Any] | None:
    """Return the assertion of a check that looks for all of some texts."""
    texts, flags = texts_of(str(check.get("pattern"))), check.get("flags")
    if not texts or flags not in (["s"], ["i", "s"]) or check.get("match", "search") != "search":
        return None
    type_ = f"{NOT if check.get('negate') else ''}{'i' if 'i' in flags else ''}contains-all"
    return {"type": type_, "value": texts}


def _of_regex(check: dict[str, Any]) -> dict[str, Any] | None:
    pattern, prefix = check.get("pattern"), NOT if check.get("negate") else ""
    if not isinstance(pattern, str) or not pattern:
        return None
    is_full = check.get("match") == "full"
    literal = text_matched_by(pattern if is_full else pattern[1:])
    if is_full and literal:
        return {"type": f"{prefix}equals", "value": literal}
    if not is_full and pattern.startswith("^") and literal:
        return {"type": f"{prefix}starts-with", "value": literal}
    value = None if is_full else javascript_of(pattern)
    return {"type": f"{prefix}regex", "value": value} if value else None


#: The variable of a test that was made from a row.
INPUT = "input"
#: Names of variables that hold what is asked, the likeliest first.
_QUESTIONS = ("input", "question", "query", "prompt", "message", "user_input", "text", "topic", "q")


def plain_of(test: dict[str, Any]) -> dict[str, Any]:
    """Return a test with what a table preserves as values."""
    metadata = test.get("metadata")
    if not isinstance(metadata, dict) or not isinstance(text := metadata.get(OURS), str):
        return test
    value = parsed_json(text)
    return {**test, "metadata": {**metadata, OURS: value}} if isinstance(value, dict) else test


def variables_of(test: dict[str, Any]) -> dict[str, Any]:
    """Return the variables of a test; none if they stand in a file."""
    given = test.get("vars")
    return given if isinstance(given, dict) else {}


def question_in(test: dict[str, Any]) -> str | None:
    """Return the name of the variable that holds what is asked; None if there is none."""
    given = variables_of(test)
    texts = [name for name in given if isinstance(given[name], str) and given[name].strip()]
    likely = next((name for name in _QUESTIONS if name in texts), None)
    return likely or next(iter(texts), None)


_VARIABLE = lazy_pattern(r"\{\{\s*([A-Za-z_]\w*)\s*\}\}")
_TAGS = lazy_pattern(r"\{[{%#]")


def text_of_variables(variables: dict[str, Any], prompt: str | None) -> str:
    """Return what a test without a question asks: its prompt, or its variables as JSON."""
    shown = [variables.get(name) for name in _VARIABLE.findall(prompt or "")]
    is_simple = all(isinstance(each, int) and abs(each) < 2**53 for each in shown)
    if prompt and is_simple and not _TAGS.search(_VARIABLE.sub(" ", prompt)):
        return _VARIABLE.sub(lambda match: str(variables[match[1]]).lower(), prompt)
    return as_json(variables)


_ITEM = lazy_pattern(
    r"\[(?P<class>\^?(?:\\.|[^\]\\])+)\]|(?P<escape>\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.))"
    r"|\(\?<(?P<name>[A-Za-z_][A-Za-z0-9_]*)>|(?P<end>\$)"
    # What is another thing in Python: possessive quantifiers, no lower bound, and other groups.
    r"|(?P<other>[*+?}]\+|\{,|\[|\\|\(\?(?![:=!]|<[=!]))|[\w\s]+|.",
    re.DOTALL,
)
_OF_CLASS = lazy_pattern(r"\\(?:x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|.)|.", re.DOTALL)
#: Escapes that mean the same in both, with their digits.
_SAME = lazy_pattern(r"\\(?:[tnrfvsS]|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|[^A-Za-z0-9])", re.DOTALL)
#: Escapes of JavaScript that are of ASCII characters only, outside of a class and in one.
_ASCII = {
    r"\d": ("[0-9]", "0-9"),
    r"\w": ("[A-Za-z0-9_]", "A-Za-z0-9_"),
    r"\D": ("[^0-9]", None),
    r"\W": ("[^A-Za-z0-9_]", None),
    r"\b": (r"(?a:\b)", None),
    r"\B": (r"(?a:\B)", None),
}
#: What is no operator in a class of JavaScript, but in one of Python; and ranges of classes.
_OF_SETS = lazy_pattern(r"--|&&|~~|\|\||\\[dw]-.|[^^]-\\[dw]|^\^$", re.DOTALL)
_END = r"\Z"
_EACH = lazy_pattern(r"\(\?=\.\*((?:\\.|[^\\()])*)\)", re.DOTALL)


def all_of(texts: list[str]) -> str:
    """Return the pattern of texts that have all of some texts, if a dot matches each character."""
    return "^" + "".join(f"(?=.*{escaped(text)})" for text in texts)


def texts_of(pattern: str) -> list[str] | None:
    """Return the texts of a pattern of `all_of`; None if it is another pattern."""
    texts = [without_escapes(each) for each in _EACH.findall(pattern)]
    return texts if texts and all_of(texts) == pattern else None


def python_of(pattern: str) -> str | None:
    """Return a pattern of JavaScript as one of Python; None if none surely means the same."""
    parts = [_in_python(item) for item in _ITEM.finditer(pattern)]
    translated = None if None in parts else _joined(parts)
    return translated if translated is not None and _compiles(translated) else None


def javascript_of(pattern: str) -> str | None:
    """Return a pattern of Python as one of JavaScript; None if none surely means the same."""
    found = pattern.replace(_END, "$")
    for escape in (r"\b", r"\B"):
        found = found.replace(_ASCII[escape][0], escape)
    return found if python_of(found) == pattern else None


def _in_python(item: re.Match[str]) -> str | None:
    """Return a part of a pattern as Python writes it; None if it may mean something else there."""
    if item["class"]:
        parts = [_in_class(part) for part in _OF_CLASS.findall(item["class"])]
        return None if _OF_SETS.search(item["class"]) or None in parts else f"[{_joined(parts)}]"
    if item["escape"]:
        return _escape(item["escape"], 0)
    if item["name"]:
        return f"(?P<{item['name']}>"
    return None if item["other"] else _END if item["end"] else item[0]


def _in_class(part: str) -> str | None:
    return _escape(part, 1) if part[0] == "\\" else part.replace("[", "\\[")


def _escape(escape: str, place: int) -> str | None:
    if escape in _ASCII:
        return _ASCII[escape][place]
    return escape if _SAME.fullmatch(escape) else None


def _joined(parts: Iterable[str | None]) -> str:
    return "".join(part for part in parts if part is not None)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True
