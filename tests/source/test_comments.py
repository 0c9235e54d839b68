"""Comments of YAML: each once, with the line of what follows it."""

from __future__ import annotations

import pytest

from evalcontract.source.comments import comments_of

CASES = {
    "above and behind": ("# a\n- x  # b\n- y\n", [(1, "# a", 2), (2, "# b", 3)]),
    "in texts there are none": ("- '# a'\n- |\n  # b\n- c#d\n", []),
    "the line ends of YAML 1.1": (
        "# a\u2028b\n- 'c\x85d'  # e\u2029f\n- g\n",
        [(1, "# a\u2028b", 2), (2, "# e\u2029f", 3)],
    ),
    "what cannot be read has none": ("- 'a  # b\n", []),
}


@pytest.mark.parametrize("name", CASES)
def test_comments(name: str) -> None:
    text, expected = CASES[name]
    assert [tuple(each[:3]) for each in comments_of(text)] == expected
