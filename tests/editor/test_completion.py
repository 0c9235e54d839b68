"""What is offered and shown while somebody types, by the real language servers."""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import count
from typing import TYPE_CHECKING

import pytest
import yaml
from author import CURSOR, Author, documentation, inserted
from corpus import ROOT, fault_of

from evalcontract.model.codes import SITE, is_published
from evalcontract.structure import schemas
from evalcontract.structure.exact import validator_for
from evalcontract.structure.parts import follow

if TYPE_CHECKING:
    from pathlib import Path

    from lsp_client import Client

pytest_plugins = ["server_fixtures"]
pytestmark = pytest.mark.slow

RUBRIC = schemas.load("rubric")
KINDS = RUBRIC["$defs"]["check"]["properties"]["kind"]["enum"]
HEAD = 'id: polite\nversion: "1.0.0"\nscoring: {combine: min}\nchecks:\n'
#: A path that has to be filled in.
PATH = re.compile(r"^( *(?:dataset|schema_ref)): *$", re.MULTILINE)
CHECK = f"{HEAD}  - id: a\n"
ROW = "questions:\n  - id: a\n    input: b\n"
JUDGE = 'id: tone\nversion: "1.0.0"\ntemplate: "{{ output }}"\n'

#: Where somebody types, for each schema: an empty file, a new item, a new key, a value.
PLACES = [
    ("dataset", CURSOR),
    ("dataset", f"questions:\n  - {CURSOR}"),
    ("dataset", f"{ROW}    {CURSOR}"),
    ("dataset", f"{ROW}    rubric_ref: {CURSOR}"),
    ("dataset", f"{ROW}    context: {CURSOR}"),
    ("dataset", f"{ROW}    expected:\n      {CURSOR}"),
    ("dataset", f"{ROW}    expected_tools:\n      - {CURSOR}"),
    ("dataset", f"{ROW}bundle: {CURSOR}"),
    ("rubric", CURSOR),
    ("rubric", f"{HEAD}  - {CURSOR}"),
    ("rubric", f"{CHECK}    {CURSOR}"),
    ("rubric", f"{CHECK}    kind: {CURSOR}"),
    *(("rubric", f"{CHECK}    kind: {kind}\n    {CURSOR}") for kind in KINDS),
    ("rubric", f"{CHECK}    kind: composite\n    rubric_ref: {CURSOR}"),
    ("rubric", f"{CHECK}    kind: llm_judge\n    jury:\n      {CURSOR}"),
    ("rubric", f"{CHECK}    kind: json_schema\n    schema_ref: {CURSOR}"),
    ("rubric", f'id: a\nversion: "1.0"\nscoring:\n  {CURSOR}'),
    ("judge", CURSOR),
    ("judge", f"{JUDGE}{CURSOR}"),
    ("judge", f"{JUDGE}score_type: {CURSOR}"),
    ("judge", f"{JUDGE}score_type: levels\n{CURSOR}"),
    ("judge", f"{JUDGE}validation:\n  {CURSOR}"),
    ("judge", f"{JUDGE}validation:\n  validated_at: {CURSOR}"),
    ("target", CURSOR),
    ("target", f"dataset: a.yaml\n{CURSOR}"),
    ("target", f"dataset: {CURSOR}"),
    ("configuration", CURSOR),
    ("formats/evret-0.0.1", f"queries:\n  - query_id: a\n    {CURSOR}"),
    ("formats/mlflow-managed", f"- inputs: {{a: b}}\n  {CURSOR}"),
]
every_place = pytest.mark.parametrize(("schema", "text"), PLACES)


@every_place
def test_nothing_is_offered_twice(schema: str, text: str, typing_author: Author) -> None:
    labels = typing_author.labels(schema, text)
    assert [label for label, times in Counter(labels).items() if times > 1] == []


@every_place
def test_nothing_dangles(schema: str, text: str, typing_author: Author) -> None:
    """Nobody has the rubric, the judge, the file or the bundle of an example."""
    for item in typing_author.offered(schema, text):
        written = inserted(CURSOR, item)
        assert not re.search(r"(rubric|judge)/\w+@\d|\w\.(yaml|json)|: (rag|agent)$", written)


@every_place
def test_all_that_is_offered_is_explained(schema: str, text: str, typing_author: Author) -> None:
    for item in typing_author.offered(schema, text):
        if item["label"] not in ("true", "false", "null"):
            assert documentation(item), item["label"]


def test_all_kinds_are_offered_each_with_what_it_does(typing_author: Author) -> None:
    items = typing_author.offered("rubric", f"{CHECK}    kind: {CURSOR}")
    assert sorted(item["label"] for item in items) == sorted(KINDS)
    for item in items:
        branch = RUBRIC["$defs"][f"check_{item['label']}"]
        assert documentation(item).startswith(branch["description"])
        assert (f"[Guide]({SITE}/checks/#" in documentation(item)) is is_published()


@pytest.mark.parametrize("kind", KINDS)
def test_the_keys_of_a_kind_are_offered_and_no_others(kind: str, typing_author: Author) -> None:
    check = follow(RUBRIC["$defs"]["check"], RUBRIC)
    known = set(schemas.known_keys(check, {"kind": kind}, RUBRIC))
    offered = typing_author.labels("rubric", f"{CHECK}    kind: {kind}\n    {CURSOR}")
    forms = {branch["title"] for branch in schemas.branches(check, {"kind": kind}, RUBRIC)}
    assert set(offered) - forms == known - {"id", "kind"}


@pytest.mark.parametrize(
    ("schema", "text", "offered"),
    [
        (
            "rubric",
            f"{CHECK}    kind: llm_judge\n    judge_prompt_ref: judge/a@1.0\n    {CURSOR}",
            {"jury": False},
        ),
        (
            "rubric",
            f"{CHECK}    kind: llm_judge\n    jury: {{judges: []}}\n    {CURSOR}",
            {"judge_prompt_ref": False},
        ),
        (
            "rubric",
            f"{CHECK}    kind: llm_judge\n    {CURSOR}",
            {"jury": True, "judge_prompt_ref": True},
        ),
        (
            "rubric",
            f"{CHECK}    kind: json_schema\n    schema: {{}}\n    {CURSOR}",
            {"schema_ref": False},
        ),
        (
            "judge",
            f"{JUDGE}score_type: levels\n{CURSOR}",
            {"level_names": True, "level_values": True},
        ),
        (
            "judge",
            f"{JUDGE}score_type: binary\n{CURSOR}",
            {"level_names": False, "level_values": False},
        ),
        ("dataset", f"{ROW}{CURSOR}", {"$schema": False, "metadata": True}),
        (
            "formats/evret-0.0.1",
            f"queries:\n  - query_id: a\n    {CURSOR}",
            {"relevant_docs": False, "query": True},
        ),
    ],
)
def test_a_key_is_offered_where_it_may_stand(
    schema: str, text: str, offered: dict[str, bool], typing_author: Author
) -> None:
    labels = typing_author.labels(schema, text)
    assert {key: key in labels for key in offered} == offered


@pytest.mark.parametrize(
    ("schema", "text", "at"),
    [
        (
            "rubric",
            f'id: a\nversion: "1.0"\nscoring:\n  combine: {CURSOR}',
            "rubric/scoring/combine",
        ),
        ("judge", f"{JUDGE}score_type: {CURSOR}", "judge/score_type"),
        ("dataset", f"{ROW}    expected:\n      format: {CURSOR}", "dataset/expected/format"),
        (
            "rubric",
            f"{CHECK}    kind: tool_usage\n    match: {CURSOR}",
            "rubric/check_tool_usage/match",
        ),
        (
            "rubric",
            f"{CHECK}    kind: tool_usage\n    order: {CURSOR}",
            "rubric/check_tool_usage/order",
        ),
        ("rubric", f"{CHECK}    kind: regex\n    match: {CURSOR}", "rubric/check_regex/match"),
        (
            "rubric",
            f"{CHECK}    kind: json_schema\n    extract: {CURSOR}",
            "rubric/check_json_schema/extract",
        ),
        (
            "rubric",
            f"{CHECK}    kind: php_lint\n    on_no_code: {CURSOR}",
            "rubric/check_php_lint/on_no_code",
        ),
    ],
)
def test_each_value_is_offered_with_its_text(
    schema: str, text: str, at: str, typing_author: Author
) -> None:
    texts = json.loads((ROOT / "editors/schemas/texts.json").read_text(encoding="utf-8"))
    items = typing_author.offered(schema, text)
    assert {item["label"]: documentation(item) for item in items} == texts["values"][at]


def test_a_hover_says_what_a_kind_does(typing_author: Author) -> None:
    shown = typing_author.hover("rubric", f"{CHECK}    kind: re{CURSOR}gex\n    pattern: a\n")
    first = next(line for line in shown.splitlines() if line.startswith("* "))
    assert first == f"* `regex`: {RUBRIC['$defs']['check_regex']['description']}"


def test_a_hover_has_an_example_and_a_link(typing_author: Author) -> None:
    shown = typing_author.hover("dataset", f"{ROW}    rubric_r{CURSOR}ef: rubric/polite@1.0.0\n")
    assert "Pin a version" in shown
    assert "Example: `rubric/order_support@1.0.0`" in shown
    assert (f"[Guide]({SITE}/datasets/#the-keys-of-a-row)" in shown) is is_published()


#: Where a snippet is offered: an empty file, the first item of a list, the next one, a begun one.
SNIPPETS = {
    "new dataset": ("dataset", [CURSOR]),
    "new rubric": ("rubric", [CURSOR]),
    "new judge": ("judge", [CURSOR]),
    "new target": ("target", [CURSOR]),
    "new row": (
        "dataset",
        [f"questions:\n  - {CURSOR}", f"{ROW}  - {CURSOR}", f"questions:\n- {CURSOR}"],
    ),
    **{
        f"{kind} check": (
            "rubric",
            [
                f"{HEAD}  - {CURSOR}",
                f"{CHECK}    kind: regex\n    pattern: a\n  - {CURSOR}",
                f"{HEAD}- {CURSOR}",
                f"{CHECK}    {CURSOR}",
            ],
        )
        for kind in KINDS
    },
}


@pytest.mark.parametrize("label", SNIPPETS)
def test_a_snippet_is_valid_but_for_what_has_to_be_filled_in(
    label: str, typing_author: Author
) -> None:
    """References and paths are wrong until somebody has written them; the editor says so."""
    schema, places = SNIPPETS[label]
    validator = validator_for(schemas.load(schema))
    for text in places:
        (item,) = (each for each in typing_author.offered(schema, text) if each["label"] == label)
        written = inserted(text, item)
        filled = PATH.sub(r"\1: a.yaml", written.replace("/ID@VERSION", "/some@1.0.0"))
        assert list(validator.iter_errors(yaml.safe_load(filled))) == [], filled
        opened, *_ = typing_author.open(schema, written)
        assert len(opened.diagnostics()) == (written != filled), written


@pytest.fixture
def author_of_any(any_client: Client, tmp_path: Path) -> Author:
    return Author(any_client, tmp_path, ROOT / "schema" / "editor", count())


def test_older_servers_use_the_same_schemas(author_of_any: Author) -> None:
    """No schema is dropped: the same mistakes, all kinds, the snippets."""
    author = author_of_any
    bad = f"{CHECK}    kind: regexp\n  - kind: llm_judge\nidd: 1\n".replace("polite", "Po")
    (opened, *_) = author.open("rubric", bad)
    faults = {fault_of(each) for each in opened.diagnostics()}
    assert faults == {"malformed-value", "unknown-value", "missing-key"}
    kinds = author.labels("rubric", f"{CHECK}    kind: {CURSOR}")
    assert sorted(kinds) == sorted(KINDS)
    labels = author.labels("rubric", f"{HEAD}  - {CURSOR}")
    assert {f"{kind} check" for kind in KINDS} <= set(labels)
    assert "Pass" in author.hover("rubric", f"{CHECK}    ki{CURSOR}nd: regex\n")


@pytest.mark.parametrize("schema", schemas.names_of_editions())
def test_every_schema_is_accepted_by_every_server(schema: str, author_of_any: Author) -> None:
    """A schema that a server cannot use is one diagnostic about the schema."""
    name = schema.removeprefix("editor/")
    said = author_of_any.messages(name, "x: 1\n")
    assert [message for message in said if "schema" in message.lower() or "$ref" in message] == []
