"""The graders of ai_eval: which kind of check each becomes, with its settings and starter judge."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import Loss
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.schemas import definition, known_keys, load
from evalcontract.structure.validator import structure_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.model.diagnostic import Path
    from evalcontract.starting.result import Moved

#: The name of the schema of a configuration of graders.
SCHEMA = "migration/graders"
#: The version of the starter judges.
JUDGE_VERSION = "1.0.0"

_OF_EVERY_CHECK = ("id", "kind", "label", "description", "metadata")
_SUFFIX = "_grader"
#: The grader of ai_eval that runs the rubric of a row.
RUBRIC_CHECKS = "rubric_checks"
#: The kind of check of each grader, without the end `_grader` of its id. Those that ask a model
#: have a starter judge of the same name.
JUDGED = ("accuracy", "relevance", "completeness", "actionability", "groundedness")
_KINDS = {
    **dict.fromkeys(JUDGED, "llm_judge"),
    "fact_match": "fact_match",
    "format": "format",
    "tool_usage": "tool_usage",
    "structured_match": "json_schema",
    RUBRIC_CHECKS: "composite",
}
#: What a setting is called here, by the kind of check.
_RENAMED = {"fact_match": {"threshold": "min_recall"}}


class Grader(NamedTuple):
    """A grader as a check; that of `rubric_checks` has no `rubric_ref` yet, which rows provide."""

    name: str
    check: dict[str, Any]
    weight: float


def graders_of(value: Mapping[str, Any], moved: Moved) -> list[Grader]:
    """Return the graders of a valid configuration, and record what of it is lost."""
    given = value["graders"]
    items: list[tuple[str, dict[str, Any] | None, Path]] = (
        [(id_, settings, ("graders", id_)) for id_, settings in given.items()]
        if isinstance(given, dict)
        else [(id_, None, ("graders", n)) for n, id_ in enumerate(given)]
    )
    found: dict[str, Grader] = {}
    for id_, settings, path in items:
        grader = _grader(id_, settings or {}, path, moved)
        if grader and grader.name in found:
            moved.lose((), Loss(path, f"`{grader.name}` is there twice", is_kept=False))
        elif grader:
            found[grader.name] = grader
    return [*found.values()]


def _grader(id_: str, settings: dict[str, Any], path: Path, moved: Moved) -> Grader | None:
    name = id_.removesuffix(_SUFFIX)
    kind = _KINDS.get(name)
    if kind is None:
        reason = "no check kind does this"
        moved.lose((), Loss(path, reason, is_kept=False))
        return None
    if settings.get("enabled", True) is False:
        moved.lose((), Loss(path, "it is not enabled", is_kept=False))
        return None
    check: dict[str, Any] = {"id": name, "kind": kind}
    if name in JUDGED:
        check["judge_prompt_ref"] = f"judge/{name}@{JUDGE_VERSION}"
    check |= _parameters(check, settings, path, moved)
    if kind == "json_schema" and not check.keys() & {"schema", "schema_ref"}:
        reason = "it has no `schema` for `json_schema`"
        moved.lose((), Loss(path, reason, is_kept=False))
        return None
    return Grader(name, check, settings.get("weight", 1))


def _parameters(
    check: dict[str, Any], settings: dict[str, Any], path: Path, moved: Moved
) -> dict[str, Any]:
    """Return the settings that are parameters of the kind, with values that its schema allows."""
    known = known_keys(
        definition(f"check_{check['kind']}", of="rubric")["$defs"][f"check_{check['kind']}"],
        check,
        load("rubric"),
    )
    renamed = _RENAMED.get(check["kind"], {})
    found: dict[str, Any] = {}
    for key, value in settings.items():
        name = renamed.get(key, key)
        at = (*path, key)
        if key in ("enabled", "weight"):
            continue
        if name in _OF_EVERY_CHECK or name in check or name not in known:
            reason = f"no parameter of `{check['kind']}`"
            moved.lose((), Loss(at, reason, is_kept=False))
        elif faults := [*_faults({**_complete(check), name: value})]:
            moved.lose((), Loss(at, f"as `{name}`: {faults[0]}", is_kept=False))
        else:
            found[name] = value
    return found


def _complete(check: dict[str, Any]) -> dict[str, Any]:
    """Return a check that is valid with a further parameter."""
    needed = {"composite": {"rubric_ref": "rubric/any@1.0.0"}}
    return {**check, **needed.get(check["kind"], {})}


def _faults(check: dict[str, Any]) -> Iterator[str]:
    rubric = {"id": "r", "version": "1.0.0", "checks": [check], "scoring": {"combine": "all_pass"}}
    for problem in structure_of("rubric").check(rubric):
        if problem.code in ILL_FORMED:
            yield problem.message
