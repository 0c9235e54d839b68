"""Versions are those of SemVer 2.0.0, and their order is its precedence."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.model.reference import Kind, Reference, Version, newest

#: From the oldest to the newest; those of a line are equal.
ORDER = [
    ["0.9", "0.9.0"],
    ["1.0.0-0"],
    ["1.0.0-2"],
    ["1.0.0-10"],
    ["1.0.0-10.0"],
    ["1.0.0-10.a"],
    ["1.0.0-1a"],
    ["1.0.0-alpha", "1.0.0-alpha+b1"],
    ["1.0.0-alpha.1"],
    ["1.0.0-alpha.beta"],
    ["1.0.0-beta"],
    ["1.0.0-rc.1"],
    ["1.0", "1.0.0", "1.0.0+a", "1.0.0+001.z-"],
    ["1.0.1-a"],
    ["1.0.1"],
    ["1.2"],
    ["1.10"],
    ["2.0"],
    ["10.0.0"],
]
RANKED = [(text, rank) for rank, texts in enumerate(ORDER) for text in texts]


def version(text: str) -> Version:
    parsed = Version.parse(text)
    assert parsed is not None, text
    return parsed


def test_order() -> None:
    for one, rank in RANKED:
        for other, other_rank in RANKED:
            left, right = version(one), version(other)
            compared = (left < right, left <= right, left > right, left >= right, left == right)
            expected = (
                rank < other_rank,
                rank <= other_rank,
                rank > other_rank,
                rank >= other_rank,
                rank == other_rank,
            )
            assert compared == expected, (one, other)


@every_case(
    ("text", "parts", "shown"),
    [
        ("1.2", (1, 2, 0, ()), "1.2.0"),
        ("0.0.0", (0, 0, 0, ()), "0.0.0"),
        ("1.2.3", (1, 2, 3, ()), "1.2.3"),
        ("10.20.30", (10, 20, 30, ()), "10.20.30"),
        ("1.2.3-rc.1", (1, 2, 3, ("rc", "1")), "1.2.3-rc.1"),
        ("1.2.3-0.x-y.0a", (1, 2, 3, ("0", "x-y", "0a")), "1.2.3-0.x-y.0a"),
        ("1.2.3-rc.1+build.007", (1, 2, 3, ("rc", "1")), "1.2.3-rc.1"),
        ("1.2.3+build.007", (1, 2, 3, ()), "1.2.3"),
    ],
)
def test_parts(text: str, parts: tuple[object, ...], shown: str) -> None:
    assert (tuple(version(text)), str(version(text))) == (parts, shown)
    assert version(text).is_prerelease is bool(parts[3])


def test_a_patch_and_a_prerelease_may_be_left_out() -> None:
    assert Version(1, 2) == Version(1, 2, 0, ()) == version("1.2")


@every_case(
    "text",
    [
        *("", "1", "1.", ".1", "01.2", "1.02", "1.2.03", "1.2.3.4", "v1.2.3", "1.2.3 ", "1.2-rc"),
        *(
            "1.2.3-",
            "1.2.3+",
            "1.2.3-01",
            "1.2.3-a..b",
            "1.2.3-a.",
            "1.2.3+a..b",
            "1.2.3-ä",
            "1.2+a",
        ),
        *("1.2.3+a_b", "1.2.3\n", "-1.2.3", "1.2.³"),
    ],
)
def test_no_version(text: str) -> None:
    assert Version.parse(text) is None
    assert Reference.parse(f"rubric/r@{text}") is None


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["1.0", "2.0", "1.5"], "2.0"),
        (["1.0", "2.0.0-rc.1"], "1.0"),
        (["2.0.0-rc.1", "2.0.0-rc.2", "1.0.0-x"], "2.0.0-rc.2"),
        (["0.1"], "0.1"),
    ],
)
def test_the_newest_is_a_release_if_there_is_one(texts: list[str], expected: str) -> None:
    assert newest([version(text) for text in texts]) == version(expected)


@every_case(
    ("text", "kind", "id_", "pinned"),
    [
        ("rubric/tone", Kind.RUBRIC, "tone", None),
        ("judge/a_1@1.0", Kind.JUDGE, "a_1", "1.0.0"),
        ("rubric/tone@1.0.0-rc.1", Kind.RUBRIC, "tone", "1.0.0-rc.1"),
    ],
)
def test_references(text: str, kind: Kind, id_: str, pinned: str | None) -> None:
    reference = Reference.parse(text)
    assert reference is not None
    assert (reference.kind, reference.id) == (kind, id_)
    assert reference.is_pinned is (pinned is not None)
    assert str(reference) == f"{kind.value}/{id_}" + (f"@{pinned}" if pinned else "")


@every_case(
    "text",
    [
        "",
        "tone",
        "dataset/a",
        "target/a",
        "Rubric/a",
        "rubric/A",
        "rubric/1",
        "rubric/a@",
        "rubric/a b",
    ],
)
def test_no_reference(text: str) -> None:
    assert Reference.parse(text) is None
