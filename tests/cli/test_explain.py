"""`explain`: a page for each kind of check, artifact and key, as the schemas describe them."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from jsonschema import Draft202012Validator
from tables import every_case

from evalcontract.checks import KINDS
from evalcontract.cli.explain import artifacts, every_key, names_of_topics, topics_named
from evalcontract.structure import schemas
from evalcontract.workspace import catalogue as known_codes

if TYPE_CHECKING:
    from collections.abc import Callable

TOPICS = names_of_topics()


@pytest.fixture
def explained(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> Callable[..., tuple[int, str, str]]:
    monkeypatch.setenv("COLUMNS", "80")

    def run(*arguments: str) -> tuple[int, str, str]:
        code = command_line("explain", *arguments)
        return (code, *capsys.readouterr())

    return run


@every_case("name", KINDS)
def test_a_kind_has_all_its_keys(name: str) -> None:
    topic = next(each for each in topics_named(name) if each.what == "kind of check")
    schema = schemas.load("rubric")["$defs"][f"check_{name}"]
    assert {key.path for key in topic.keys} == set(schema["properties"])
    assert {key.path for key in topic.keys if key.required} == set(schema["required"])
    assert topic.description == schema["description"]
    assert f"kind: {name}" in topic.example
    notes = dict(topic.notes)
    assert notes["When it runs"]
    assert ("Outcomes" in notes) is (name != "composite")


@every_case("name", schemas.names())
def test_an_artifact_has_all_its_keys(name: str) -> None:
    topic = next(each for each in topics_named(name) if each.what == "artifact")
    assert [key.path for key in topic.keys] == [*schemas.load(name)["properties"]]


#: A key as somebody types it, and where it may stand.
PLACES: dict[str, list[str]] = {
    "expected_facts": ["dataset: questions[].expected_facts"],
    "scoring.threshold": ["rubric: scoring.threshold"],
    "threshold": ["rubric: checks[].threshold (llm_judge)",
                  "rubric: checks[].threshold (composite)",
                  "rubric: scoring.threshold", "target: threshold"],
    "pattern": ["rubric: checks[].pattern (regex)"],
    "questions.id": ["dataset: questions[].id"],
    "checks[].metadata": ["rubric: checks[].metadata"],
    "jury.judges.weight": ["rubric: checks[].jury.judges[].weight (llm_judge)"],
}  # fmt: skip


@every_case(("name", "wanted"), PLACES.items())
def test_where_a_key_stands(name: str, wanted: list[str]) -> None:
    topic = topics_named(name)[-1]
    shown = [
        f"{key.artifact}: {key.path}" + (f" ({', '.join(key.kinds)})" if key.kinds else "")
        for key in topic.keys
    ]
    assert (topic.what, shown) == ("key", wanted)


def test_which_kinds_read_a_key_of_rows() -> None:
    read = {key.path.removeprefix("questions[]."): key.read_by for key in every_key()}
    assert read["expected_facts"] == ("fact_match",)
    assert read["expected_tools"] == ("tool_usage",)
    assert read["must_not_contain"] == ("must_not_contain",)
    assert read["tags"] == ()


@pytest.mark.costly
@every_case("name", [*TOPICS, "dataset/duplicate-id", "source/syntax", "rubric/cycle"])
def test_every_page_fits_and_says_something(
    name: str, explained: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, err = explained(name)
    assert (code, err) == (0, "")
    prose = [line for line in out.splitlines() if not line.startswith("    ")]
    assert max(map(len, prose)) <= 80
    assert len(out) > len(name) + 20


@every_case("name", ["regex", "rubric", "threshold", "dataset/duplicate-id"])
def test_json_and_markdown(name: str, explained: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = explained(name, "--output-format", "json")
    read: Any = json.loads(out)
    assert (code, read["version"]) == (0, "1.0")
    (found, *_) = read["topics"] if "topics" in read else read["codes"]
    assert name in (found.get("name"), found.get("code"))
    code, out, _ = explained(name, "--output-format", "markdown")
    assert code == 0
    assert out.startswith(("# `", "# dataset/"))


@pytest.fixture(scope="module")
def schema() -> Draft202012Validator:
    """Return a validator for the published schema, with every mapping closed."""
    read = schemas.load("explanation")
    Draft202012Validator.check_schema(read)
    closed = deepcopy(read)
    for each in (closed, *closed["$defs"].values()):
        if "properties" in each:
            each["additionalProperties"] = False
    return Draft202012Validator(closed)


@pytest.mark.slow
@every_case("name", [*TOPICS, *known_codes.KnownCodes()])
def test_every_page_is_as_published(
    name: str, explained: Callable[..., tuple[int, str, str]], schema: Draft202012Validator
) -> None:
    _, out, _ = explained(name, "--output-format", "json")
    schema.validate(json.loads(out))


def test_the_published_examples_are_valid(schema: Draft202012Validator) -> None:
    for example in schemas.load("explanation")["examples"]:
        schema.validate(example)
    broken: list[dict[str, Any]] = [{"version": "1.0"}, {"version": "1.0", "codes": []}]
    for wrong in (*broken, {"topics": [{}]}):
        assert not schema.is_valid(wrong)


@pytest.mark.costly
def test_all_codes_as_json(
    explained: Callable[..., tuple[int, str, str]], schema: Draft202012Validator
) -> None:
    _, out, _ = explained("--output-format", "json")
    schema.validate(json.loads(out))
    assert [each["code"] for each in json.loads(out)["codes"]] == [*known_codes.KnownCodes()]


@every_case(
    ("given", "meant"),
    [
        ("regexp", "regex"), ("expected_fact", "expected_facts"), ("rubrik", "rubric"),
        ("duplicate-id", "dataset/duplicate-id"), ("rubric/cyle", "rubric/cycle"),
        ("fact-match", "fact_match"), ("\x1b[31mregexx", None), ("zzz/zzz", None),
    ],
)  # fmt: skip
def test_near_misses(
    given: str, meant: str | None, explained: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, err = explained(given)
    assert (code, out) == (2, "")
    assert "\x1b" not in err
    assert (f"did you mean `{meant}`?" if meant else "`evalcontract explain` lists") in err


def test_names_of_parts_are_unique() -> None:
    parts = [(topic.name, topic.what) for topic in artifacts()]
    assert len(parts) == len(set(parts))
