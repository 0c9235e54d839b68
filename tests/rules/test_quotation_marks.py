"""Which characters count as quotation marks around a text."""

from __future__ import annotations

from tables import every_case

from evalcontract.rules._texts import wrapping_fault

SINGLE, DOUBLE = "\u2018\u2019\u201a\u201b", "\u201c\u201d\u201e\u201f"
EVERY = [chr(number) for number in range(0x3000)]


def test_the_marks_around_a_text() -> None:
    marks = [char for char in EVERY if wrapping_fault(f"{char}a{char}")]
    assert marks == [*SINGLE, *DOUBLE]


def test_half_of_a_pair_is_a_double_mark() -> None:
    """A single one alone is an apostrophe."""
    assert [char for char in EVERY if wrapping_fault(f"{char}a")] == [*DOUBLE]
    assert [char for char in EVERY if wrapping_fault(f"a{char}")] == [*DOUBLE]


@every_case(
    ("text", "message", "advice"),
    [
        (
            "\u201cyes\u201d",
            "the quotation marks `\u201c` and `\u201d` are a part of this text",
            'write straight ones: `"yes"`',
        ),
        (
            "\u201cyes",
            "the quotation mark `\u201c` is a part of this text",
            "write straight ones around the whole text",
        ),
        (
            "yes\u201d",
            "the quotation mark `\u201d` is a part of this text",
            "write straight ones around the whole text",
        ),
    ],
)
def test_what_is_said_of_them(text: str, message: str, advice: str) -> None:
    assert wrapping_fault(text) == (message, advice)


@every_case(
    "text",
    [
        "",
        "\u201c",
        "\u201c\u201d",
        "say \u201cyes\u201d",
        "\u201cyes\u201d and \u201cno\u201d",
        "\u201cit's\u201d",
        '\u201cthe "a"\u201d',
        "it\u2019s",
    ],
    ids=ascii,
)
def test_marks_that_belong_to_the_text(text: str) -> None:
    assert wrapping_fault(text) is None
