"""The checks of a case of ai_best_practices as a rubric, and back.

All checks have to pass, as in its runner. There an empty list passes, so it is no check here.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from evalcontract.model.values import json_equal
from evalcontract.source.installed import table

_LISTS = ("must_contain_any", "must_not_contain")
_MAX_LEVEL = 6
_PHP = {"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"}
_MARKDOWN = "markdown_structure"
#: What a rubric says of where it comes from.
_ORIGIN = {"made_from": "agent_skills"}


def texts_of(case: dict[str, Any], key: str) -> list[str]:
    """Return the texts of a list, without those that decide nothing."""
    given = case.get(key)
    texts = [text for text in given if isinstance(text, str)] if isinstance(given, list) else []
    if "" in texts and key == "must_contain_any":
        return []  # every output has it
    return [text for text in dict.fromkeys(texts) if text]


def rubric_of(case: dict[str, Any]) -> dict[str, Any] | None:
    """Return the rubric of the checks of a case; None if it has none."""
    checks: list[dict[str, Any]] = [
        {"id": key, "kind": key} for key in _LISTS if texts_of(case, key)
    ]
    if case.get("check_php_lint"):
        checks.append({**_PHP})
    if rules := _rules_of(case.get("check_markdown_structure")):
        checks.append({"id": _MARKDOWN, "kind": _MARKDOWN, **rules})
    if not checks:
        return None
    return {"checks": checks, "scoring": {"combine": "all_pass"}, "metadata": {**_ORIGIN}}


@cache
def _rule_names() -> tuple[str, ...]:
    """Return the names of the rules for Markdown, which checks of evalcontract have, too."""
    schema = table("formats/agent_skills-best_practices.schema")
    return tuple(schema["$defs"]["markdown_structure"]["properties"])


def _rules_of(given: Any) -> dict[str, Any]:
    """Return the rules for Markdown that restrict the output."""
    if not isinstance(given, dict):
        return {}
    rules = {key: given[key] for key in _rule_names() if given.get(key)}
    if rules.get("max_heading_level", 0) >= _MAX_LEVEL:
        del rules["max_heading_level"]
    return rules


def checks_of(rubric: dict[str, Any] | None, row: dict[str, Any]) -> dict[str, Any]:
    """Return the checks of a case that a rubric stands for; none if a case cannot say all of it."""
    found: dict[str, Any] = {}
    checks = rubric.get("checks") if rubric else None
    for check in checks if isinstance(checks, list) else ():
        kind = check.get("kind") if isinstance(check, dict) else None
        if kind == "php_lint":
            found["check_php_lint"] = True
        elif kind == _MARKDOWN:
            rules = {key: part for key, part in check.items() if key in _rule_names()}
            found["check_markdown_structure"] = rules
    lists = {key: row[key] for key in _LISTS if key in row}
    return found if is_said(rubric, {**lists, **found}) else {}


def is_said(rubric: dict[str, Any] | None, case: dict[str, Any]) -> bool:
    """Whether the checks of a case are all that a rubric says."""
    made = rubric_of(case)
    if rubric is None or made is None:
        return False
    return all(json_equal(rubric.get(key), made[key]) for key in ("checks", "scoring"))
