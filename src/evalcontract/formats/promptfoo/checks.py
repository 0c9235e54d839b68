"""Assertions of promptfoo as checks of a rubric and fields of a row, and back."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, NamedTuple

from evalcontract.formats._expectations import criteria_of, guidelines_of, reference_of
from evalcontract.formats.promptfoo.assertions import NOT, VARIABLE, base_of, fault_of, types
from evalcontract.formats.promptfoo.fields import NO_CHECK, TOO_MANY_RUBRICS

_SEARCHES = (
    *("contains", "icontains", "contains-any", "icontains-any", "contains-all", "icontains-all"),
)
_ANY, _NONE = "must_contain_any", "must_not_contain"
_TEMPLATE = re.compile(r"\{\{|\{%|\{#")
#: How many assertions of a test are converted.
MAX_ASSERTIONS = 200
#: Only rubrics that other rows may have, or none at all: what a limit leaves of what is said.
SHARED, NO_RUBRICS = "shared", "none"
#: Keys beside the type and the value of an assertion that a check can say.
_PLAIN = frozenset({"type", "value"})
#: What JavaScript and Python read differently in a pattern.
_ODD = re.compile(r"\(\?[A-Za-z<P(]|\\[kpPudDwWsSbBAZz]|\$|\[\[|--|&&")
#: Values of a check that stand in its rubric.
_OWN_VALUES = frozenset({"pattern", "schema", "values"})
_SYNTAX = re.compile(r"([\\.^$*+?{}\[\]|()])")


class Said(NamedTuple):
    """What assertions say: keys of the row, a rubric, and why some assertions are not said.

    The rubric `is_shared` if other rows may have it, since all texts stand in the row.
    """

    keys: dict[str, Any]
    rubric: dict[str, Any] | None
    lost: dict[int, str]
    is_shared: bool


def said_of(test: dict[str, Any], limit: str | None = None) -> Said:
    """Return what the assertions of a test say in evalcontract.

    `limit` is `SHARED` or `NO_RUBRICS`.
    """
    keys: dict[str, Any] = {}
    checks: list[dict[str, Any]] = []
    lost: dict[int, str] = {}
    criteria: list[str] = []
    used: Counter[str] = Counter()
    is_shared = True
    for index, assertion in enumerate(_converted(test)):
        plain = _filled(assertion, test.get("vars"))
        check = _check_of(plain, keys, criteria) if plain is not None else None
        is_own = bool(check) and not _OWN_VALUES.isdisjoint(check or ())
        if check is None:
            lost[index] = NO_CHECK
        elif check and (limit == NO_RUBRICS or (is_own and limit)):
            lost[index] = TOO_MANY_RUBRICS
        elif check:
            is_shared &= not is_own
            kind = check["kind"]
            used[kind] += 1
            checks.append({"id": kind if used[kind] == 1 else f"{kind}_{used[kind]}", **check})
    if criteria:
        text = criteria_of(criteria) if len(criteria) > 1 else criteria[0]
        keys["criteria"] = text or criteria[0]
    return Said(keys, _rubric(checks, test), lost, is_shared)


def _converted(test: dict[str, Any]) -> list[Any]:
    given = test.get("assert")
    return given[:MAX_ASSERTIONS] if isinstance(given, list) else []


def _rubric(checks: list[dict[str, Any]], test: dict[str, Any]) -> dict[str, Any] | None:
    """Return the rubric of checks; one with a threshold if the test has one."""
    if not checks:
        return None
    limit = test.get("threshold")
    scoring: dict[str, Any] = {"combine": "all_pass"}
    if isinstance(limit, int | float) and not isinstance(limit, bool) and 0 <= limit <= 1:
        scoring = {"combine": "weighted_avg", "threshold": limit}
    return {"checks": checks, "scoring": scoring, "metadata": {"made_from": "promptfoo"}}


def _filled(assertion: Any, variables: Any) -> dict[str, Any] | None:
    """Return an assertion whose value has no templates; None if it has others than variables."""
    if not isinstance(assertion, dict) or not assertion.keys() <= _PLAIN:
        return None
    type_ = assertion.get("type")
    if (
        not isinstance(type_, str)
        or base_of(type_) not in types()
        or fault_of(assertion, variables)
    ):
        return None
    value = assertion.get("value")
    if isinstance(value, str | list):
        value = _with_values(value, variables if isinstance(variables, dict) else {})
    parts = value if isinstance(value, list) else [value]
    if any(isinstance(part, str) and (_TEMPLATE.search(part) or _is_file(part)) for part in parts):
        return None
    return {"type": type_, "value": value}


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


def _is_file(text: str) -> bool:
    return text.startswith(("file://", "package:"))


def _check_of(
    assertion: dict[str, Any], keys: dict[str, Any], criteria: list[str]
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
    is_judged = not is_not and isinstance(value, str) and value.strip()
    if is_judged and base == "llm-rubric":
        criteria.append(value)
        return {}
    if is_judged and base == "factuality" and "expected" not in keys:
        keys["expected"] = {"reference": value}
        return {}
    return None


def _regex_of(base: str, value: Any) -> dict[str, Any] | None:
    """Return the check that matches a pattern, or a text."""
    if not isinstance(value, str) or not value:
        return None
    literal = _SYNTAX.sub(r"\\\1", value)
    if base == "equals":
        return {"kind": "regex", "pattern": literal, "match": "full"}
    if base == "starts-with":
        return {"kind": "regex", "pattern": f"^{literal}"}
    is_alike = not _ODD.search(value) and _compiles(value)
    return {"kind": "regex", "pattern": value} if is_alike else None


def _json_of(value: Any) -> dict[str, Any] | None:
    """Return the check for JSON, of a schema if there is one."""
    if value is None:
        return {"kind": "format", "format": "json"}
    is_schema = isinstance(value, dict) and "$schema" not in value
    return {"kind": "json_schema", "schema": value} if is_schema else None


def _search(base: str, value: Any, keys: dict[str, Any], *, is_not: bool) -> dict[str, Any] | None:
    """Return the check that looks for texts: the first list stands in the row."""
    values = value if isinstance(value, list) else [value]
    texts = list(dict.fromkeys(str(each) for each in values))
    if not texts or not all(texts) or (base.endswith("-all") and (is_not or len(texts) > 1)):
        return None
    key = _NONE if is_not else _ANY
    check: dict[str, Any] = {"kind": key}
    if not base.startswith("i"):
        check["case_sensitive"] = True
    if key in keys:
        return {**check, "values": texts}
    keys[key] = texts
    return check


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return False
    return True


def assertions_of(
    row: dict[str, Any], rubric: dict[str, Any] | None
) -> tuple[list[dict[str, Any]], float | None, bool]:
    """Return the assertions of a row, their threshold, and whether they say all of the rubric."""
    asserts: list[dict[str, Any]] = []
    read: set[str] = set()
    checks = rubric.get("checks") if rubric else None
    is_whole = True
    for check in checks if isinstance(checks, list) else ():
        found = _assertion_of(check, row, read) if isinstance(check, dict) else None
        if found is None:
            is_whole = False
        else:
            asserts.append(found)
    for key in (_ANY, _NONE):
        if key not in read and (found := _of_texts({"kind": key}, _texts(row.get(key)))):
            asserts.append(found)  # noqa: PERF401 - of two
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        parts = guidelines_of(criteria)
        asserts += [{"type": "llm-rubric", "value": part} for part in parts]
    if reference := reference_of(row):
        asserts.append({"type": "factuality", "value": reference})
    limit, is_said = _threshold_of(rubric)
    return asserts, limit, is_whole and is_said


def _texts(given: Any) -> list[str]:
    texts = given if isinstance(given, list) else []
    return texts if all(isinstance(text, str) and text for text in texts) else []


def _threshold_of(rubric: dict[str, Any] | None) -> tuple[float | None, bool]:
    """Return the threshold of a rubric, and whether a test scores as the rubric does."""
    scoring = rubric.get("scoring") if rubric else None
    if not isinstance(scoring, dict):
        return None, rubric is None
    limit = scoring.get("threshold")
    combine = scoring.get("combine")
    if combine == "all_pass":
        return None, True
    is_said = combine == "weighted_avg" and limit is not None and not scoring.get("weights")
    return (limit, True) if is_said else (None, False)


def _assertion_of(check: dict[str, Any], row: dict[str, Any], read: set[str]) -> Any:
    """Return the assertion of a check; None if no assertion does the same."""
    kind = check.get("kind")
    if kind in (_ANY, _NONE):
        if "values" not in check:
            read.add(str(kind))
        return _of_texts(check, _texts(check.get("values")) or _texts(row.get(str(kind))))
    if kind == "regex" and not check.get("flags"):
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
    prefix = NOT if check["kind"] == _NONE else ""
    letter = "" if check.get("case_sensitive") else "i"
    if len(texts) == 1:
        return {"type": f"{prefix}{letter}contains", "value": texts[0]}
    return {"type": f"{prefix}{letter}contains-any", "value": texts}


def _of_regex(check: dict[str, Any]) -> dict[str, Any] | None:
    pattern, prefix = check.get("pattern"), NOT if check.get("negate") else ""
    if not isinstance(pattern, str) or not pattern:
        return None
    is_full = check.get("match") == "full"
    literal = _literal(pattern if is_full else pattern[1:])
    if is_full and literal:
        return {"type": f"{prefix}equals", "value": literal}
    if not is_full and pattern.startswith("^") and literal:
        return {"type": f"{prefix}starts-with", "value": literal}
    if is_full or _ODD.search(pattern):
        return None
    return {"type": f"{prefix}regex", "value": pattern}


def _literal(pattern: str) -> str | None:
    """Return the text that a pattern stands for; None if it stands for others, too."""
    text = re.sub(r"\\([\\.^$*+?{}\[\]|()])", r"\1", pattern)
    return text if _SYNTAX.sub(r"\\\1", text) == pattern else None
