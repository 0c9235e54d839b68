"""What is said of references that lead nowhere, or are none."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import Kind, Options, check_workspaces
from tables import every_case
from texts import plain
from work import calls_of

from evalcontract.library.library import (
    Artifact,
    DanglingReference,
    Library,
    ReferenceSite,
    read_artifact,
)
from evalcontract.library.references import advice_for, check_use
from evalcontract.model.reference import Reference
from evalcontract.source import Document, read_stream

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion


def artifact(file: str, **value: Any) -> Artifact:
    document = read_stream(io.BytesIO(json.dumps(value).encode()), file)
    assert isinstance(document, Document)
    return read_artifact(Kind(file.split("s/", maxsplit=1)[0]), document)


def of(kind: str, id_: str, *versions: str) -> list[Artifact]:
    return [artifact(f"{kind}s/{id_}/{each}.json", id=id_, version=each) for each in versions]


LIBRARY = Library(
    [
        *of("rubric", "everything", "1.0.0", "1.0.3", "1.2.0", "2.0.0"),
        *of("rubric", "tone", "0.3.1"),
        *of("rubric", "many", *(f"{n}.0.0" for n in range(1, 9))),
        *of("judge", "accuracy", "1.0.0"),
        artifact("rubrics/shape.json", id="shape", version="1.0.0.0"),
        artifact("rubrics/kind.json", id="Kind-Words", version="1.0.0"),
        artifact("rubrics/nameless.json", version="1.0.0"),
        artifact("rubrics/greeting.json", id="hello", version="1.0.0"),
        *of("rubric", "answer", "1.0.0"),
        artifact("rubrics/answer@2.0.0.json", id="answer", version="two"),
    ]
)


def say(text: str, library: Library = LIBRARY) -> str:
    reference = Reference.parse(text)
    assert reference is not None
    (found,) = check_use(ReferenceSite((), reference, "row"), library, {})
    assert found.code == "reference/dangling"
    return f"{found.message} | {found.help}"


DANGLING = [
    "rubric/shape@1.0.0",
    "rubric/kind_words@1.0.0",
    "rubric/nameless@1.0.0",
    "rubric/answer@2.0.0",
    "rubric/answer@3.0.0",
    "rubric/greeting@1.0.0",
    "rubric/many@9.0.0",
    "rubric/politeness",
    "rubric/toen@0.3.1",
]


@pytest.mark.messages
def test_dangling(snapshot: SnapshotAssertion) -> None:
    assert "".join(f"{text}: {say(text)}\n" for text in DANGLING) == plain(snapshot)


@every_case(
    ("text", "meant"),
    [
        ("everything@1.0", "rubric/everything@1.0.0"),
        ("rubrics/everything@1.0", "rubric/everything@1.0.0"),
        ("rubrics/everything.yaml", "rubric/everything@2.0.0"),
        ("../rubrics/everything@1.2.0.yaml", "rubric/everything@1.2.0"),
        ("rubrics\\everything\\1.2.0.yml", "rubric/everything@1.2.0"),
        ("rubrics/everything/1.2.0.yaml", "rubric/everything@1.2.0"),
        ("rubric/everything@v1.2.0", "rubric/everything@1.2.0"),
        ("rubric/everything@v1", "rubric/everything@1.2.0"),
        ("rubric/everything@1", "rubric/everything@1.2.0"),
        ("rubric/everything@1.0.x", "rubric/everything@1.0.3"),
        ("rubric/everything:1.0.0", "rubric/everything@1.0.0"),
        ("rubric/everything==1.0.0", "rubric/everything@1.0.0"),
        ("rubric/everything@^1.0.0", "rubric/everything@1.0.0"),
        ("rubric/everything@latest", "rubric/everything@2.0.0"),
        ("rubric/everything@", "rubric/everything@2.0.0"),
        ("rubric/everything@01.2.0", "rubric/everything@1.2.0"),
        ("rubric/everything@1.2.0.0", "rubric/everything@1.2.0"),
        ("rubric/everything 1.2.0", "rubric/everything@1.2.0"),
        (" rubric/everything@1.2.0\n", "rubric/everything@1.2.0"),
        ("rubric/ everything@1.2.0", "rubric/everything@1.2.0"),
        ("Rubric/Everything@1.2.0", "rubric/everything@1.2.0"),
        ("rubric.everything", "rubric/everything@2.0.0"),
        ("rubric/every-thing@1.2.0", "rubric/everything@1.2.0"),
        ("everythin", "rubric/everything@2.0.0"),
        ("tone", "rubric/tone@0.3.1"),
        ("rubric/tone@v7", "rubric/tone@0.3.1"),
        ("rubrics/team/tone.yaml", "rubric/tone@0.3.1"),
        ('"rubric/tone"', "rubric/tone@0.3.1"),
        ("https://example.org/rubrics/tone.yaml", "rubric/tone@0.3.1"),
    ],
)
def test_what_a_malformed_reference_means(text: str, meant: str) -> None:
    assert Reference.parse(text) is None
    advice = advice_for(text, Kind.RUBRIC, LIBRARY)
    assert advice is not None
    assert advice.startswith(f"did you mean `{meant}`?")
    assert ("; it has 2.0.0, 1.2.0, 1.0.3, 1.0.0" in advice) is ("everything" in meant)


@every_case("text", ["", "  ", "@1.0.0", "rubric/", "/", '""', "x" * 100_000])
def test_a_reference_to_nothing_names_what_there_is(text: str) -> None:
    said = "the rubrics are answer, everything, hello, many, tone"
    assert advice_for(text, Kind.RUBRIC, LIBRARY) == said
    assert advice_for(text, Kind.RUBRIC, Library()) is None or text.startswith("x")


@pytest.mark.parametrize(
    ("text", "kind", "said"),
    [
        (
            "judge/accuracy@1.0.0",
            Kind.RUBRIC,
            (
                "`judge/accuracy` is a judge, but a rubric is required here; "
                "the rubrics are answer, everything, hello, many, tone"
            ),
        ),
        (
            "rubrics/tone.yaml",
            Kind.JUDGE,
            "`rubric/tone` is a rubric, but a judge is required here; the judges are accuracy",
        ),
        ("judges/acuracy.yaml", Kind.JUDGE, "did you mean `judge/accuracy@1.0.0`?"),
        ("Zebra@v2", Kind.JUDGE, "write it as `judge/zebra@2.0.0`; the judges are accuracy"),
        (
            "rubric",
            Kind.RUBRIC,
            (
                "write it as `rubric/rubric@1.0.0`; "
                "the rubrics are answer, everything, hello, many, tone"
            ),
        ),
        (
            "zebra crossing",
            Kind.JUDGE,
            "write it as `judge/zebra@1.0.0`; the judges are accuracy",
        ),
    ],
)
def test_other_kinds_and_unknown_ids(text: str, kind: Kind, said: str) -> None:
    assert advice_for(text, kind, LIBRARY) == said


ROWS = """\
questions:
  - {id: a, input: b, rubric_ref: everything@1.0}
"""
RUBRIC = """\
id: everything
version: "1.0.2"
checks:
  - {id: right, kind: llm_judge, judge_prompt_ref: rubric/everything@1.0.2}
scoring: {combine: all_pass}
"""


def test_the_advice_stands_at_the_finding(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    (tmp_path / "rubrics" / "everything.yaml").write_text(RUBRIC)
    (tmp_path / "data.yaml").write_text(ROWS)
    found = check_workspaces(tmp_path, Options(root=tmp_path)).diagnostics
    assert [(each.code, each.help) for each in found] == [
        (
            "rubric/malformed-value",
            "`rubric/everything` is a rubric, but a judge is required here",
        ),
        ("dataset/malformed-value", "did you mean `rubric/everything@1.0.2`?"),
    ]


# How much work it is


def test_a_look_up_does_not_grow_with_the_library() -> None:
    reference = Reference(Kind.RUBRIC, "everythink", None)
    others = [artifact for n in range(50) for artifact in of("rubric", f"other_{n}", "1.0.0")]
    few, many = Library(others[:5]), Library(others)
    assert many.resolve(reference) == few.resolve(reference) == DanglingReference(reference, ())
    assert calls_of(lambda: many.resolve(reference)) == calls_of(lambda: few.resolve(reference))


def test_dangling_versions_of_one_id_are_sorted_once() -> None:
    library = Library(of("rubric", "tone", *(f"1.0.{n}" for n in range(500))))
    references = [Reference.parse(f"rubric/tone@2.0.{n}") for n in range(100)]

    def resolve_all() -> None:
        for reference in references:
            assert reference is not None
            assert isinstance(library.resolve(reference), DanglingReference)

    resolve_all()
    assert calls_of(resolve_all) < 50 * len(references)
