"""The tables of other systems' graders are sound, and decide each row of each dialect."""

from __future__ import annotations

from collections import Counter
from typing import Any

from jsonschema import Draft202012Validator
from tables import every_case

from evalcontract.formats import FORMATS, dialects
from evalcontract.formats.deepeval import FACTS as OF_DEEPEVAL
from evalcontract.formats.inspect import FACTS as OF_INSPECT
from evalcontract.formats.mlflow.records import SCORER_FACTS as OF_MLFLOW
from evalcontract.formats.northstar import FACTS as OF_NORTHSTAR
from evalcontract.formats.openai import FACTS as OF_OPENAI
from evalcontract.source.installed import table
from evalcontract.structure.schemas import load

#: The systems whose graders are known.
SYSTEMS = {each.name: each for each in FORMATS if getattr(each, "has_graders", True)}
#: The verdicts that a fact of a row decides; the other systems have none.
FACTS: dict[str, set[str]] = {
    "azure": {"conversation"},
    "databricks": {"no_content"},
    "deepeval": set(OF_DEEPEVAL),
    "evret": {"by_ids"},
    "inspect": set(OF_INSPECT),
    "mlflow": set(OF_MLFLOW),
    "northstar": set(OF_NORTHSTAR),
    "openai": set(OF_OPENAI),
    "ragas": {"several_turns", "one_turn"},
}
TEXT = {"type": "string", "minLength": 1}
TEXTS = {"type": "array", "items": TEXT, "uniqueItems": True}
OUTCOME = {
    "state": {"enum": ["run", "skip", "fail", "vacuous"]},
    "reason": TEXT,
    "field": TEXT,
    "variants": {**TEXTS, "minItems": 1},
    "unasked": {"const": True},
}
VERDICT = {
    "properties": {**OUTCOME, "missing": TEXTS, "empty": TEXTS},
    "required": ["state"],
    "not": {"required": ["missing", "empty"]},
    "additionalProperties": False,
}
GRADER = {
    "properties": {
        **OUTCOME,
        "names": {**TEXTS, "minItems": 1},
        "kind": TEXT,
        "verdicts": TEXTS,
        "reads": TEXT,
        "metric": TEXT,
    },
    "required": ["names", "kind", "verdicts"],
    "additionalProperties": False,
}
TABLE = {
    "properties": {
        "$comment": TEXT,
        "graders": {"type": "array", "items": GRADER, "minItems": 1},
        "verdicts": {"type": "object", "additionalProperties": VERDICT},
        "plans": {"type": "object", "additionalProperties": {**TEXTS, "minItems": 1}},
    },
    "required": ["graders", "verdicts"],
    "additionalProperties": False,
}
every_system = every_case("system", SYSTEMS)


def graders_of(system: str) -> dict[str, Any]:
    return table(f"formats/{system}.graders")


@every_system
def test_the_table_has_its_form(system: str) -> None:
    Draft202012Validator(TABLE).validate(graders_of(system))


@every_system
def test_every_verdict_is_of_a_grader_and_can_be_reached(system: str) -> None:
    graders = graders_of(system)
    used = {name for grader in graders["graders"] for name in grader["verdicts"]}
    assert used == graders["verdicts"].keys()
    by_fact = {
        name for name, part in graders["verdicts"].items() if not part.keys() & {"missing", "empty"}
    }
    assert by_fact == FACTS.get(system, set())
    entries = [*graders["graders"], *graders["verdicts"].values()]
    variants = [entry.get("variants", []) for entry in entries]
    assert {name for some in variants for name in some} <= set(SYSTEMS[system].variants)


@every_case("dialect", dialects(), ids=str)
def test_every_example_of_a_row_is_decided_once_by_each_grader(dialect: Any) -> None:
    for row in load(dialect.schema)["$defs"]["row"]["examples"]:
        predicted = [*dialect.predict(row)]
        assert {*Counter(each.name for each in predicted).values()} <= {1}
        assert all("{" not in f"{each.reason}{each.field}" for each in predicted)
