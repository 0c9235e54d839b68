"""A rule that is not imported for a rubric has nothing to say of it."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from evalcontract.api import artifact_check
from evalcontract.api.artifact_check import check_artifact
from evalcontract.api.rules_in_use import RulesInUse
from evalcontract.library.artifact import read_artifact
from evalcontract.library.library import Library
from evalcontract.model.page import example_files
from evalcontract.model.reference import Kind
from evalcontract.rules import RUBRIC_RULES, load_rules, rubric_rules_for
from evalcontract.rules._rule import Context
from evalcontract.source import Document, read_file, read_stream
from evalcontract.structure.schemas import load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.library.artifact import Artifact
    from evalcontract.model.diagnostic import Problem

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rules" / "rubric"
EVERY = load_rules(RUBRIC_RULES, Kind.RUBRIC)


def rubrics() -> Iterator[Any]:
    """Yield all rubrics of the fixtures and of the rules' pages, each with what is beside it."""
    for rule in EVERY:
        first, *others = (
            artifact(name, text) for name, text in example_files(rule.page.bad, rule.code).items()
        )
        yield pytest.param(first.document.value, others, id=rule.code)
    for path in sorted(FIXTURES.rglob("*")):
        if path.suffix in (".yaml", ".json") and path.is_file():
            source = read_file(path, path.name)
            if isinstance(source, Document) and isinstance(source.value, dict):
                yield pytest.param(source.value, [], id=path.relative_to(FIXTURES).as_posix())


def variants(value: Any) -> Iterator[Any]:
    """Yield a rubric, and what is left of it without each of its keys and each of its checks."""
    yield value
    for path in list(places(value)):
        changed = deepcopy(value)
        holder = changed
        for step in path[:-1]:
            holder = holder[step]
        del holder[path[-1]]
        yield changed


def places(value: Any) -> Iterator[tuple[Any, ...]]:
    yield from ((key,) for key in value)
    if isinstance(scoring := value.get("scoring"), dict):
        yield from (("scoring", key) for key in scoring)
    checks = value.get("checks")
    for index, check in enumerate(checks if isinstance(checks, list) else ()):
        yield ("checks", index)
        if isinstance(check, dict):
            yield from (("checks", index, key) for key in check)


def artifact(name: str, text: str) -> Artifact:
    document = read_stream(io.BytesIO(text.encode()), name)
    assert isinstance(document, Document)
    return read_artifact(Kind.JUDGE if name.startswith("judges") else Kind.RUBRIC, document)


def found_in(value: Any, others: list[Artifact]) -> list[Problem]:
    rubric = artifact("rubrics/tone.json", json.dumps(value))

    def read_json(_: str) -> Any:
        return {"type": "object", "requierd": ["a"]}

    context = Context(Library([rubric, *others]), date(2026, 6, 1), 90, read_json)
    return list(check_artifact(rubric, context, {}))


@pytest.mark.parametrize(("value", "others"), list(rubrics()))
def test_rules_that_are_left_out_say_nothing(
    value: Any, others: list[Artifact], monkeypatch: pytest.MonkeyPatch
) -> None:
    used = RulesInUse()
    monkeypatch.setattr(used, "on", lambda *_: EVERY)
    monkeypatch.setattr(artifact_check, "rules_in_use", lambda: used)
    for each in variants(value):
        asked = load_rules(rubric_rules_for(each), Kind.RUBRIC)
        left_out = {rule.code for rule in EVERY} - {rule.code for rule in asked}
        assert left_out.isdisjoint(found.code for found in found_in(each, others))


def test_every_rule_speaks_in_some_rubric() -> None:
    """What never speaks here would be left out unseen."""
    told = {each.code for param in rubrics() for each in found_in(*param.values)}
    assert {rule.code for rule in EVERY} - told == set()


def test_every_word_is_one_of_the_schema() -> None:
    schema = json.dumps(load("rubric"))
    words = {word for reads in RUBRIC_RULES.values() for word in reads}
    assert [word for word in words if f'"{word}"' not in schema] == []


def test_what_a_rubric_has_decides() -> None:
    plain = rubric_rules_for({"checks": [{"kind": "fact_match"}, 7], "scoring": None})
    assert "unnamed_check" in plain
    assert not {"invalid_regex", "tied_jury", "unknown_weight"} & set(plain)
    more = {"checks": [{"kind": "regex"}, {"jury": {}}], "scoring": {"weights": {}}}
    assert {"invalid_regex", "tied_jury", "unknown_weight"} <= set(rubric_rules_for(more))
    assert rubric_rules_for({"checks": [{"kind": ["regex"]}]}) == plain
