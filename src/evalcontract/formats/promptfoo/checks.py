"""Assertions of promptfoo as checks of a rubric, and keys of a row."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from typing import Any

from evalcontract.formats._conversion import criteria_of, reference_of
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
from evalcontract.formats.promptfoo.javascript import all_of, escaped, python_of
from evalcontract.formats.promptfoo.verdicts import is_made_later, is_number, verdict_of
from evalcontract.model.startup import NamedTuple
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
