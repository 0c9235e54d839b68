"""What the library finds: artifacts by reference, file and likely meaning; the reference graph."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

import pytest
from library_artifacts import artifact, composite
from tables import every_case

from evalcontract.library.library import (
    Artifact,
    DanglingReference,
    Library,
    Resolution,
    find_cycles,
    identity_from_name,
    read_artifact,
    references_in_row,
    visit,
)
from evalcontract.library.references import check_cycles, check_depth, check_use, reach, with_advice
from evalcontract.model.diagnostic import Fix, Problem, Write
from evalcontract.model.nearest import Suggestions
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.source import Document, read_stream

if TYPE_CHECKING:
    from collections.abc import Sequence


def reference(text: str) -> Reference:
    parsed = Reference.parse(text)
    assert parsed is not None
    return parsed


TONE = [
    artifact(f"rubrics/tone/{v}.yaml", id="tone", version=v)
    for v in ("1.2.0", "2.0.0-rc.1", "1.0.3")
]
AGAIN = artifact("rubrics/z.yaml", id="tone", version="1.2.0")
JUDGE = artifact("judges/j.yaml", id="j", version="0.1.0")
PRE = artifact("judges/p.yaml", id="p", version="1.0.0-a")
LIBRARY = Library([*TONE, AGAIN, JUDGE, PRE])


@every_case(
    ("text", "file", "pinned"),
    [
        ("rubric/tone", "rubrics/tone/1.2.0.yaml", False),
        ("rubric/tone@1.2", "rubrics/tone/1.2.0.yaml", True),
        ("rubric/tone@1.0.3", "rubrics/tone/1.0.3.yaml", True),
        ("rubric/tone@2.0.0-rc.1", "rubrics/tone/2.0.0-rc.1.yaml", True),
        ("judge/j", "judges/j.yaml", False),
        ("judge/p", "judges/p.yaml", False),
    ],
)
def test_resolved(text: str, file: str, *, pinned: bool) -> None:
    target = LIBRARY.resolve(reference(text))
    assert isinstance(target, Resolution)
    assert (target.artifact.file, target.pinned) == (file, pinned)
    assert LIBRARY.artifact_of(text) is target.artifact


@every_case(
    "text", ["rubric/tone@1.0", "rubric/j", "tone", "rubric/", "", None, 7, ["rubric/tone"]]
)
def test_what_resolves_to_no_artifact(text: Any) -> None:
    assert LIBRARY.artifact_of(text) is None


@every_case(
    ("text", "versions"),
    [
        ("rubric/tone@1.0", ("1.0.3", "1.2.0", "2.0.0-rc.1")),
        ("rubric/j", ()),
        ("judge/tone@1.2.0", ()),
    ],
)
def test_dangling_references_know_the_versions(text: str, versions: tuple[str, ...]) -> None:
    parsed = tuple(Version.parse(version) for version in versions)
    assert LIBRARY.resolve(reference(text)) == DanglingReference(reference(text), parsed)  # type: ignore[arg-type]


def test_look_ups() -> None:
    assert LIBRARY.artifacts == (*TONE, AGAIN, JUDGE, PRE)
    assert LIBRARY.ids(Kind.RUBRIC) == ["tone"]
    assert LIBRARY.ids(Kind.JUDGE) == ["j", "p"]
    assert LIBRARY.at("judges/j.yaml") is JUDGE
    assert LIBRARY.at("judges/x.yaml") is None
    assert LIBRARY.in_file(Kind.JUDGE, "judges/j.yaml") is JUDGE
    assert LIBRARY.in_file(Kind.RUBRIC, "judges/j.yaml") is None
    assert LIBRARY.versions(Kind.RUBRIC, "tone")[Version(1, 2)] == [TONE[0], AGAIN]
    assert LIBRARY.versions(Kind.JUDGE, "tone") == {}
    assert LIBRARY.nearest_id(Kind.RUBRIC, "toen") == "tone"
    assert LIBRARY.nearest_id(Kind.JUDGE, "toen") is None
    assert LIBRARY.misnamed_folder(Kind.RUBRIC) is None
    assert Library().artifacts == ()


def test_pinned_references_in_every_spelling() -> None:
    rubrics = LIBRARY.pinned_references(Kind.RUBRIC)
    tone = ["1.2.0", "1.2", "2.0.0-rc.1", "1.0.3"]
    assert rubrics == [f"rubric/tone@{version}" for version in tone]
    assert LIBRARY.pinned_references(Kind.RUBRIC) is rubrics
    assert LIBRARY.pinned_references(Kind.JUDGE) == [
        "judge/j@0.1.0",
        "judge/j@0.1",
        "judge/p@1.0.0-a",
    ]


def test_suspects() -> None:
    invalid = artifact("rubrics/a.yaml", id="Kind-Words", version="1.0.0")
    unversioned = artifact("rubrics/b.yaml", id="b", version="x")
    renamed = artifact("rubrics/c@1.0.0.yaml", id="d", version="1.0.0")
    sound = artifact("rubrics/e.yaml", id="e", version="1.0.0")
    empty = artifact("judges/b.yaml")
    library = Library([invalid, unversioned, renamed, sound, empty])
    found = {
        f"{kind}/{id_}": [suspect.file for suspect in library.suspects(kind, id_)]
        for kind in (Kind.RUBRIC, Kind.JUDGE)
        for id_ in ("a", "kind_words", "b", "c", "d", "e")
    }
    assert {name: files for name, files in found.items() if files} == {
        "rubric/a": ["rubrics/a.yaml"],
        "rubric/kind_words": ["rubrics/a.yaml"],
        "rubric/b": ["rubrics/b.yaml"],
        "rubric/c": ["rubrics/c@1.0.0.yaml"],
        "judge/b": ["judges/b.yaml"],
    }


@every_case(
    ("file", "id_", "version"),
    [
        ("rubrics/tone.yaml", "tone", None),
        ("tone.yaml", "tone", None),
        ("rubrics/tone@1.2.yaml", "tone", "1.2.0"),
        ("rubrics/tone@x.yaml", "tone", None),
        ("rubrics/tone/1.2.0.yaml", "tone", "1.2.0"),
        ("deep\\rubrics\\tone\\1.2.0.yaml", "tone", "1.2.0"),
        ("rubrics/1.2.0.yaml", None, None),
        ("rubrics/My Tone.yaml", None, None),
    ],
)
def test_names_of_files(file: str, id_: str | None, version: str | None) -> None:
    assert identity_from_name(file, "rubric") == (id_, Version.parse(version) if version else None)


def of_yaml(text: str, kind: Kind = Kind.RUBRIC) -> Artifact:
    document = read_stream(io.BytesIO(text.encode()), "rubrics/x.yaml")
    assert isinstance(document, Document)
    return read_artifact(kind, document)


@every_case(
    ("text", "id_", "version"),
    [
        ('id: a\nversion: "1.2"', "a", "1.2.0"),
        ("id: a\nversion: 1.10", "a", "1.10.0"),
        ("id: a\nversion: 2", "a", "2.0.0"),
        ("id: a\nversion: true", "a", None),
        ("id: a\nversion: [1]", "a", None),
        ("id: A\nversion: v1", None, None),
        ("id: 5\nversion: 1.0", None, "1.0.0"),
        ("version: 1.0", None, "1.0.0"),
        ("[]", None, None),
    ],
)
def test_what_can_be_read_of_an_identity(text: str, id_: str | None, version: str | None) -> None:
    read = of_yaml(text)
    assert (read.id, read.version) == (id_, Version.parse(version) if version else None)
    assert read.file == "rubrics/x.yaml"
    assert read.name == f"rubric/{id_}@{read.version}"


USES = """\
checks:
  - 5
  - {kind: composite, rubric_ref: rubric/a@1.0, judge_prompt_ref: rubric/a}
  - {kind: llm_judge, judge_prompt_ref: judge/b, rubric_ref: judge/b}
  - kind: llm_judge
    jury:
      judges: [{judge_prompt_ref: judge/c}, 7, {judge_prompt_ref: 8}, {judge_prompt_ref: judge/d}]
  - {rubric_ref: rubric/e}
  - {kind: llm_judge, jury: {judges: 5}}
  - {kind: llm_judge, jury: []}
  - {kind: composite, rubric_ref: rubric/E}
"""


def test_references_of_a_rubric() -> None:
    assert [(use.path, str(use.reference), use.via) for use in of_yaml(USES).uses] == [
        (("checks", 1, "rubric_ref"), "rubric/a@1.0.0", "composite"),
        (("checks", 2, "judge_prompt_ref"), "judge/b", "llm_judge"),
        (("checks", 3, "jury", "judges", 0, "judge_prompt_ref"), "judge/c", "llm_judge"),
        (("checks", 3, "jury", "judges", 3, "judge_prompt_ref"), "judge/d", "llm_judge"),
        (("checks", 4, "rubric_ref"), "rubric/e", "None"),
    ]
    assert of_yaml(USES, Kind.JUDGE).uses == ()
    assert of_yaml("checks: 5").uses == ()


@every_case(
    ("row", "text"),
    [
        ({"rubric_ref": "rubric/a"}, "rubric/a"),
        ({"rubric_ref": "judge/a"}, None),
        ({"rubric_ref": 5}, None),
        ({"judge_prompt_ref": "judge/a"}, None),
        ([], None),
    ],
)
def test_the_reference_of_a_row(row: Any, text: str | None) -> None:
    sites = [*references_in_row(row, ("questions", 3))]
    assert [(site.path, str(site.reference), site.via) for site in sites] == (
        [(("questions", 3, "rubric_ref"), text, "row")] if text else []
    )


# The graph of references


def graph(**references: Sequence[str]) -> dict[str, Artifact]:
    return {id_: composite(id_, *(f"rubric/{to}" for to in tos)) for id_, tos in references.items()}


def test_cycles_are_the_shortest_ones() -> None:
    nodes = graph(a="bd", b="c", c="ab", d="dx", e="a", x="")
    library = Library(nodes.values())
    cycles = {
        id_: ["".join(str(hop.id) for hop, _ in cycle) for cycle in find_cycles(node, library)]
        for id_, node in nodes.items()
    }
    assert cycles == {"a": ["abc"], "b": ["bc"], "c": ["cab", "cb"], "d": ["d"], "e": [], "x": []}


def test_a_cycle_is_told_at_its_first_file() -> None:
    nodes = graph(a="b", b="c", c="a", d="d")
    library = Library(nodes.values())
    problems = {id_: [*check_cycles(node, library)] for id_, node in nodes.items()}
    assert [id_ for id_, of_node in problems.items() if of_node] == ["a", "d"]
    (cycle,) = problems["a"]
    assert (cycle.code, cycle.path) == ("rubric/cycle", ("checks", 0, "rubric_ref"))
    assert "rubric/a@1.0.0 -> rubric/b@1.0.0 -> rubric/c@1.0.0 -> rubric/a@1.0.0" in cycle.message
    assert [(hop.file, hop.path) for hop in cycle.related] == [
        ("rubrics/b.yaml", ("checks", 0, "rubric_ref")),
        ("rubrics/c.yaml", ("checks", 0, "rubric_ref")),
    ]
    assert "rubric/b@1.0.0 refers to rubric/c" in cycle.related[0].message


def test_composites_are_one_level_deep() -> None:
    nodes = graph(a="bc", b="c", c="", d="de", e="b", f="d")
    library = Library(nodes.values())
    problems = {id_: [*check_depth(node, library)] for id_, node in nodes.items()}
    assert {id_: [p.path[1] for p in told] for id_, told in problems.items() if told} == {
        "a": [0],
        "e": [0],
    }
    (nested,) = problems["a"]
    assert (nested.code, nested.related[0].file) == ("rubric/nested-composite", "rubrics/b.yaml")
    assert "rubric/b@1.0.0" in nested.message
    assert nested.related[0].path == ("checks", 0, "rubric_ref")


def reached(start: Artifact, library: Library) -> list[str | None]:
    """Return the ids of what an artifact reaches, each as often as it is visited."""
    ids: list[str | None] = []

    def is_new(artifact: Artifact) -> bool:
        ids.append(artifact.id)
        return True

    visit(start, library, is_new)
    return ids


def test_a_judge_is_no_composite() -> None:
    judged = artifact(
        "rubrics/b.yaml",
        id="b",
        version="1.0.0",
        checks=[{"id": "j", "kind": "llm_judge", "judge_prompt_ref": "judge/j"}],
    )
    outer = composite("a", "rubric/b")
    library = Library([outer, judged, JUDGE])
    assert [*check_depth(outer, library)] == []
    assert reached(outer, library) == ["a", "b", "j"]
    assert library.used == {id(judged), id(JUDGE)}
    assert reached(judged, library) == ["b", "j"]


def test_reach_ends_with_cycles() -> None:
    nodes = graph(a="b", b="a", c="")
    assert reached(nodes["a"], Library(nodes.values())) == ["a", "b"]


def test_what_is_reached_is_pinned_where_every_reference_on_the_way_is() -> None:
    nodes = {
        "a": composite("a", "rubric/c@1.0.0", "rubric/b"),
        "b": composite("b", "rubric/d@1.0.0", "rubric/gone"),
        "c": composite("c", "rubric/d@1.0.0"),
        "d": artifact(
            "rubrics/d.yaml",
            id="d",
            version="1.0.0",
            checks=[{"id": "j", "kind": "llm_judge", "judge_prompt_ref": "judge/j@0.1.0"}],
        ),
    }
    library = Library([*nodes.values(), JUDGE])

    def pins(*references: str) -> dict[str, bool]:
        return {each.name: pinned for each, pinned in reach(references, library).artifacts}

    assert pins("rubric/a@1.0.0") == {
        "rubric/a@1.0.0": True,
        "rubric/b@1.0.0": False,
        "rubric/c@1.0.0": True,
        "rubric/d@1.0.0": False,
        "judge/j@0.1.0": False,
    }
    both = {"rubric/c@1.0.0": True, "rubric/d@1.0.0": True, "judge/j@0.1.0": True}
    assert pins("rubric/c@1.0.0", "rubric/gone", "no reference") == both
    assert pins("rubric/d@1.0", "rubric/d") == {"rubric/d@1.0.0": False, "judge/j@0.1.0": False}
    assert reach(["rubric/d"], library, [(nodes["a"], True)]).unpinned == {
        "rubric/b": "rubric/b@1.0.0",
        "rubric/d": "rubric/d@1.0.0",
    }
    assert reach(["rubric/a", "rubric/d@2.0"], library).dangling == {
        "rubric/gone",
        "rubric/d@2.0.0",
    }
    assert reach((), library, [(nodes["d"], False)]).artifacts[0] == (nodes["d"], False)


# Faults of references


def fault(text: str, **unreadable: list[tuple[Version | None, str]]) -> Problem | None:
    (use,) = references_in_row({"rubric_ref": text}, (0,))
    files = {f"rubric/{id_}": found for id_, found in unreadable.items()}
    problems = [*check_use(use, LIBRARY, files)]
    assert all(problem.path == (0, "rubric_ref") for problem in problems)
    return problems[0] if problems else None


def fix(text: str, *, safe: bool) -> Fix:
    return Fix((0, "rubric_ref"), Write(text), safe)


BROKEN = "rubrics/broken.yaml"


@every_case(
    ("text", "code", "facts", "offered", "cause"),
    [
        (
            "rubric/tone",
            "unpinned",
            ["resolves to 1.2.0", "rubric/tone@1.2.0"],
            "rubric/tone@1.2.0",
            None,
        ),
        (
            "rubric/toen@1.2.0",
            "dangling",
            ["`rubric/tone@1.2.0`"],
            "rubric/tone@1.2.0",
            "rubric/toen@1.2.0",
        ),
        ("rubric/toen", "dangling", ["`rubric/tone`"], "rubric/tone", "rubric/toen"),
        ("rubric/toen@9.0", "dangling", ["`rubric/tone@9.0.0`"], None, "rubric/toen@9.0.0"),
        ("rubric/tone@9.0", "dangling", ["2.0.0-rc.1, 1.2.0, 1.0.3"], None, "rubric/tone@9.0.0"),
        ("rubric/zebra", "dangling", ["rubrics/zebra.yaml", "are tone"], None, "rubric/zebra"),
    ],
)
def test_faults(
    text: str, code: str, facts: list[str], offered: str | None, cause: str | None
) -> None:
    problem = fault(text)
    assert problem is not None
    assert problem.code == f"reference/{code}"
    assert [fact for fact in facts if fact not in f"{problem.message} {problem.help}"] == []
    assert problem.fix == (fix(offered, safe=code == "unpinned") if offered else None)
    assert (problem.cause and problem.cause.name) == cause


def test_a_pinned_reference_has_no_fault() -> None:
    assert fault("rubric/tone@1.2.0") is None


def test_an_unreadable_file_may_be_meant() -> None:
    unpinned = fault("rubric/tone", tone=[(Version(3, 0), BROKEN)])
    assert unpinned is not None
    assert (unpinned.fix, unpinned.message.endswith(f"; {BROKEN} could not be read")) == (
        None,
        True,
    )
    for version, text in (
        (None, "zebra@1.0"),
        (Version(1, 0), "zebra@1.0"),
        (Version(1, 0), "zebra"),
    ):
        problem = fault(f"rubric/{text}", zebra=[(version, BROKEN)])
        assert problem is not None
        assert problem.cause is not None
        assert (problem.cause.name, problem.cause.file) == (BROKEN, BROKEN)
        assert f"fix {BROKEN} first" in str(problem.help)
    misspelled = fault("rubric/toen@1.2.0", toen=[(None, BROKEN)])
    assert misspelled is not None
    assert (misspelled.fix, f"fix {BROKEN} first" in str(misspelled.help)) == (None, True)
    other = fault("rubric/zebra@2.0", zebra=[(Version(1, 0), BROKEN)])
    assert other is not None
    assert BROKEN not in str(other.help)


# Malformed references


@every_case(
    ("text", "meant", "safe"),
    [
        ("tone@1.2.0", "rubric/tone@1.2.0", True),
        ("rubrics/tone@1.0.3", "rubric/tone@1.0.3", True),
        ("rubric/tone@v1.0.3", "rubric/tone@1.0.3", True),
        ("rubric/tone@1", "rubric/tone@1.2.0", False),
        ("tone", "rubric/tone@1.2.0", False),
        ("toen@1.2.0", "rubric/tone@1.2.0", False),
        ("rubric/tone@v2.0.0-rc.1", "rubric/tone@2.0.0-rc.1", True),
        ("judges/tone@1.2.0", None, False),
        ("zebra", None, False),
        ("", None, False),
        ("tone@1.2.0" + " " * 190, "rubric/tone@1.2.0", True),
        ("tone@1.2.0" + " " * 191, None, False),
    ],
)
def test_fixes_of_malformed_references(text: str, meant: str | None, *, safe: bool) -> None:
    malformed = Problem("dataset/malformed-value", "m", (7, "rubric_ref"), "help")
    (advised,) = with_advice([malformed], {"rubric_ref": text}, LIBRARY, below=1)
    expected = Fix((7, "rubric_ref"), Write(meant), safe) if meant else None
    assert advised.fix == expected
    assert advised.help != "help"
    assert ("did you mean" in str(advised.help)) is (meant is not None)
    assert advised._replace(help="help", fix=None) == malformed


@every_case(
    ("problem", "value"),
    [
        (Problem("dataset/malformed-value", "m", (), "help"), {"rubric_ref": "tone"}),
        (Problem("dataset/malformed-value", "m", ("id",), "help"), {"id": "tone"}),
        (Problem("dataset/wrong-type", "m", ("rubric_ref",), "help"), {"rubric_ref": "tone"}),
        (Problem("dataset/malformed-value", "m", ("rubric_ref",), "help"), {"rubric_ref": 5}),
    ],
)
def test_other_faults_stay_as_they_are(problem: Problem, value: Any) -> None:
    assert with_advice([problem], value, LIBRARY) == [problem]


def test_an_empty_reference_is_advised_too() -> None:
    empty = Problem("rubric/empty-value", "m", ("checks", 0, "judge_prompt_ref"))
    (advised,) = with_advice([empty], {"checks": [{"judge_prompt_ref": ""}]}, LIBRARY)
    assert advised.help == "the judges are j, p"


@pytest.mark.parametrize(
    ("word", "ids", "expected"),
    [
        ("tone", ["tones", "tone"], "tone"),
        ("toen", ["tine", "tone"], "tone"),
        ("tane", ["tone", "tine"], "tone"),
        ("expectatoins", ["expxctatoxns", "expectations"], "expectations"),
        ("abcdefgh", ["abxdefxh", "abydefyh"], "abxdefxh"),
        ("Tone Two", ["tone_two", "tone-two"], "tone_two"),
        ("zebra", ["tone"], None),
    ],
)
def test_suggestions(word: str, ids: list[str], expected: str | None) -> None:
    assert Suggestions(ids).nearest(word) == expected
