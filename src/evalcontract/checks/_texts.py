"""The texts that checks look for, and facts, as they are compared."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.analysis.normalized import composed, folded
from evalcontract.model.listing import SHOWN, clipped, listed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence


class Wanted(NamedTuple):
    """A text that a check looks for, as it is written and as it is compared."""

    written: str
    normal: str


# So many facts, words of a fact and sorts of gaps are tried before a text is made comparable.
_TRIED, _MOST_WORDS, _MOST_GAPS = 4, 8, 3
# White space of ASCII but the space.
_OTHER_SPACES = "\n\t\v\f\r\x1c\x1d\x1e\x1f"

# The checks of a rubric ask for the same output, one after the other.
_composed_output, _folded_output = lru_cache(maxsize=4)(composed), lru_cache(maxsize=4)(folded)


def searched_form(*, case_sensitive: bool) -> Callable[[str], str]:
    """Return what gives an output in the form in which checks search it."""
    return _composed_output if case_sensitive else _folded_output


def texts_of(check: Mapping[str, Any], key: str) -> Callable[[Mapping[str, Any]], list[Wanted]]:
    """Return a function that gives the texts a check looks for, for a row.

    They are the `values` of the check, which are normalised once, or else the row's list `key`.
    `check` has its defaults.
    """
    form = composed if check["case_sensitive"] else folded

    def wanted(texts: Iterable[str]) -> list[Wanted]:
        return [Wanted(text, form(text)) for text in texts]

    if "values" not in check:
        return lambda row: wanted(row[key])
    own = wanted(check["values"])
    return lambda _: own


def facts_to_find(facts: Iterable[str]) -> list[Wanted]:
    """Return facts as `not_stated` compares them: without case, each run of white space a space."""
    return [Wanted(fact, " ".join(folded(fact).split())) for fact in facts]


def not_stated(facts: Iterable[Wanted], text: str) -> list[str]:
    """Return the facts that a text does not contain, as they are written.

    It is compared like them. It is searched as it is first, since making it so takes long: what it
    contains then has single spaces, which stay.
    """
    searched = _folded_output(text)
    spaced = None
    missing: list[str] = []
    for fact, wanted in facts:
        if wanted in searched:
            continue
        if spaced is None and (len(missing) >= _TRIED or _may_be_apart(wanted, searched)):
            spaced = _spaced_output(searched)
        if spaced is None or wanted not in spaced:
            missing.append(fact)
    return missing


def _may_be_apart(fact: str, text: str) -> bool:
    """Whether more than a space may follow a word in a text, other than the last of the words."""
    words = fact.split(" ", _MOST_WORDS)
    if len(words) == 1:
        return False
    if len(words) > _MOST_WORDS or not text.isascii():
        return True
    gaps = ["  ", *[space for space in _OTHER_SPACES if space in text]]
    return len(gaps) > _MOST_GAPS or any(word + gap in text for gap in gaps for word in words[:-1])


@lru_cache(maxsize=1)
def _spaced_output(text: str) -> str:
    return " ".join(text.split())


def quoted(text: str) -> str:
    """Return a text for a reason: in one line, clipped, in backticks."""
    return f"`{clipped(' '.join(text.split()))}`"


def quoted_list(texts: Sequence[str]) -> str:
    """Return the first of some texts for a reason, and the number of the others."""
    return listed(map(quoted, texts[: SHOWN + 1]), total=len(texts))
