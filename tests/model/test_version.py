"""Versions are those of SemVer 2.0.0, and the two-part form: their grammar and their precedence."""

from __future__ import annotations

from itertools import combinations, pairwise

import pytest
from tables import every_case

from evalcontract.model.reference import Kind, Reference, Version, newest
from evalcontract.structure.native import matches
from evalcontract.structure.schemas import load

#: Texts that the grammar of section 2, 9 and 10 derives, and what they mean.
VALID: dict[str, Version] = {
    "0.0.0": Version(0, 0, 0),
    "0.0.4": Version(0, 0, 4),
    "1.2.3": Version(1, 2, 3),
    "10.20.30": Version(10, 20, 30),
    "99999999999999999999999.999999999999999999.99999999999999999": Version(
        99999999999999999999999, 999999999999999999, 99999999999999999
    ),
    # A pre-release: identifiers that are separated by dots.
    "1.0.0-alpha": Version(1, 0, 0, ("alpha",)),
    "1.0.0-alpha.1": Version(1, 0, 0, ("alpha", "1")),
    "1.0.0-0.3.7": Version(1, 0, 0, ("0", "3", "7")),
    "1.0.0-x.7.z.92": Version(1, 0, 0, ("x", "7", "z", "92")),
    "1.0.0-x-y-z.--": Version(1, 0, 0, ("x-y-z", "--")),
    "1.0.0--": Version(1, 0, 0, ("-",)),
    "1.0.0-0": Version(1, 0, 0, ("0",)),
    "1.0.0-0a": Version(1, 0, 0, ("0a",)),
    "1.0.0-01a": Version(1, 0, 0, ("01a",)),
    "1.0.0-00-": Version(1, 0, 0, ("00-",)),
    "1.0.0-A.b.C9": Version(1, 0, 0, ("A", "b", "C9")),
    # Build metadata, where numbers may begin with zeros, has no meaning.
    "1.0.0+20130313144700": Version(1, 0, 0),
    "1.0.0+001": Version(1, 0, 0),
    "1.0.0+0.build.1-rc.10000aaa-kk-0.1": Version(1, 0, 0),
    "1.0.0+21AF26D3---117B344092BD": Version(1, 0, 0),
    "1.0.0+-": Version(1, 0, 0),
    "1.0.0-beta+exp.sha.5114f85": Version(1, 0, 0, ("beta",)),
    "1.0.0-beta-+-": Version(1, 0, 0, ("beta-",)),
    # Ours: two parts.
    "1.4": Version(1, 4, 0),
    "0.0": Version(0, 0, 0),
}
INVALID = (
    *("", " ", "1", "a", "1.", ".1", "1.2.", "1..2", "1.2.3.4", "1.2.3.", ".1.2.3", "1,2,3"),
    *("01.1.1", "1.01.1", "1.1.01", "01.1", "1.01", "00.0.0", "-1.0.0", "+1.0.0", "1.-1.0"),
    *("v1.2.3", "V1.2.3", "=1.2.3", "^1.2.3", ">=1.2.3", "1.x", "1.2.x", "1.2.*", "latest"),
    *("1.2.3-", "1.2.3-.", "1.2.3-a.", "1.2.3-.a", "1.2.3-a..b", "1.2.3-01", "1.2.3-a.01"),
    *("1.2.3-00", "1.2.3-é", "1.2.3-a_b", "1.2.3-a b", "1.2.3-a@b", "1.2.3-٣", "1.2.3-a*"),
    *(
        "1.2.3+",
        "1.2.3+.",
        "1.2.3+a.",
        "1.2.3+a..b",
        "1.2.3+a+b",
        "1.2.3+é",
        "1.2.3-a+",
        "1.2.3-+a",
    ),
    *(
        "1.2.3 ",
        " 1.2.3",
        "1.2.3\n",
        "\n1.2.3",
        "1.2\n",
        "1. 2.3",
        "1.2.3 -a",
        "1.2.3\0",
        "\uff11.2.3",
    ),
    *("1.2-a", "1.2+a", "1.2-rc.1+a", "1.2.3_a", "1.2.3.DEV", "1.2.3alpha", "1.2a.3", "0x1.2.3"),
    *("1e3.0.0", "1_0.0.0", "٣.0.0", "².0.0", "∞.0.0", "\uff11.2.3", "1.0.0-\ud800"),
)
#: From the lowest precedence to the highest: the examples of section 11, and what they imply.
ASCENDING = (
    *("0.0.0-0", "0.0.0", "0.0.1", "0.1", "0.9.0", "0.10.0", "1.0.0-0", "1.0.0-1", "1.0.0-9"),
    *("1.0.0-10", "1.0.0-10.0", "1.0.0--", "1.0.0--1", "1.0.0-1-", "1.0.0-9a", "1.0.0-A"),
    *("1.0.0-Z", "1.0.0-a", "1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta", "1.0.0-beta"),
    *("1.0.0-beta.2", "1.0.0-beta.11", "1.0.0-beta.11.0", "1.0.0-rc.1", "1.0.0", "1.0.1-a"),
    *("1.0.1", "1.2.0", "1.2.5", "1.10", "2.0.0-a", "2.0.0", "2.1.0", "2.1.1", "10.0.0"),
)


@every_case(("text", "version"), VALID.items(), ids=VALID)
def test_valid(text: str, version: Version) -> None:
    assert Version.parse(text) == version
    assert Reference.parse(f"rubric/a@{text}") == Reference.parse(f"rubric/a@{version}")
    assert Version.parse(str(version)) == version


@every_case("text", INVALID)
def test_invalid(text: str) -> None:
    assert Version.parse(text) is None
    assert Reference.parse(f"rubric/a@{text}") is None


@pytest.mark.parametrize("schema", ["rubric", "judge"])
def test_the_schema_has_the_same_grammar(schema: str) -> None:
    pattern = load(schema)["$defs"]["version"]["pattern"]
    assert [text for text in VALID if not matches(pattern, text)] == []
    assert [text for text in INVALID if matches(pattern, text)] == []


def test_precedence() -> None:
    versions = [version for text in ASCENDING if (version := Version.parse(text))]
    assert len(versions) == len(ASCENDING)
    for low, high in combinations(versions, 2):
        assert low < high, (low, high)
        assert high > low, (low, high)
        assert low <= high, (low, high)
        assert high >= low, (low, high)
        assert (high < low, low > high, low == high) == (False, False, False), (low, high)
    assert sorted(versions, key=Version.precedence) == versions
    for low, high in pairwise(versions):
        assert newest([low, high]) == (low if high.pre and not low.pre else high), (low, high)


@every_case(
    ("one", "other"),
    [("1.0.0+a", "1.0.0+b"), ("1.0.0-rc.1+a", "1.0.0-rc.1"), ("1.4", "1.4.0"), ("1.4", "1.4.0+a")],
)
def test_the_same(one: str, other: str) -> None:
    assert Version.parse(one) == Version.parse(other)
    assert hash(Version.parse(one)) == hash(Version.parse(other))


@every_case(
    ("reference", "text", "is_pinned"),
    [
        (Reference(Kind.RUBRIC, "tone"), "rubric/tone", False),
        (Reference(Kind.JUDGE, "tone", Version.parse("1.2.0")), "judge/tone@1.2.0", True),
    ],
)
def test_a_reference_is_written_as_it_is_read(
    reference: Reference, text: str, *, is_pinned: bool
) -> None:
    assert str(reference) == text
    assert Reference.parse(text) == reference
    assert reference.is_pinned is is_pinned
