"""The texts that checks compare: wanted words and facts, JSON in outputs, quotations."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from evalcontract.analysis.texts import composed, folded
from evalcontract.checks.outcome import Verdict, error, failed
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import SHOWN, VALUE_LENGTH, clipped, listed
from evalcontract.source.faults import ParseError


class NotJsonError(Exception):
    """A text is not JSON; `verdict` is what a check makes of it."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict)
        self.verdict = verdict


def json_of(text: str, subject: str = "it") -> Any:
    """Return the value of a JSON text; `subject` names the text in reasons.

    Raises:
        NotJsonError: it is not JSON (the check fails), or it is nested too deeply to be read (an
            error).

    """
    if not text.strip():
        raise NotJsonError(failed(f"{subject} is not JSON: it is empty"))
    from evalcontract.source.json import load_json  # slow to import

    try:
        return load_json(text.encode())
    except ParseError as raised:
        fault = raised.faults[0]
        if fault.code == "source/limit-exceeded":
            raise NotJsonError(error(f"{subject} cannot be read: {fault.message}")) from None
        message = fault.message.removeprefix("not JSON: ")
        place = f"line {fault.span.line}, column {fault.span.column}: " if fault.span else ""
    except UnicodeEncodeError:
        message, place = "it contains half of a surrogate pair", ""
    except (ValueError, RecursionError) as raised:  # a number of too many digits
        raise NotJsonError(error(f"{subject} cannot be read: {raised}")) from None
    raise NotJsonError(failed(f"{subject} is not JSON: {place}{message}"))


# So many facts, words of a fact and sorts of gaps are tried before a text is made comparable.
_TRIED, _MOST_WORDS, _MOST_GAPS = 4, 8, 3
# White space of ASCII but the space.
_OTHER_SPACES = "\n\t\v\f\r\x1c\x1d\x1e\x1f"


class SearchText(NamedTuple):
    """A text that a check looks for, as it is written and as it is compared."""

    written: str
    normal: str


def texts_of(check: Mapping[str, Any], key: str) -> Callable[[Mapping[str, Any]], list[SearchText]]:
    """Return a function that gives the texts a check looks for, for a row.

    They are the `values` of the check, which are normalised once, or else the row's list `key`.
    `check` has its defaults.
    """
    form = composed if check["case_sensitive"] else folded

    def wanted(texts: Iterable[str]) -> list[SearchText]:
        return [SearchText(text, form(text)) for text in texts]

    if "values" not in check:
        return lambda row: wanted(row[key])
    own = wanted(check["values"])
    return lambda _: own


def facts_to_find(facts: Iterable[str]) -> list[tuple[str, str]]:
    """Return facts as they are written, and as `not_stated` compares them.

    That is without case, each run of white space a space.
    """
    return [(fact, " ".join(folded(fact).split())) for fact in facts]


def not_stated(
    facts: Iterable[tuple[str, str]], text: str, spaced_form: Callable[[str], str]
) -> list[str]:
    """Return the facts that a folded text does not contain, as they are written.

    It is compared like them, in its `spaced_form`. It is searched as it is first, since making
    that takes long: what it contains then has single spaces, which stay.
    """
    gaps: list[str] | None = None
    spaced = None
    missing: list[str] = []
    for fact, search_text in facts:
        if search_text in text:
            continue
        if spaced is None and " " in search_text:
            if gaps is None:
                gaps = _gaps_in(text)
            if gaps and (len(missing) >= _TRIED or _may_be_apart(search_text, text, gaps)):
                spaced = spaced_form(text)
        if spaced is None or search_text not in spaced:
            missing.append(fact)
    return missing


def _gaps_in(text: str) -> list[str]:
    """Return what more than a space after a word may begin with in a text; "" if that may be any.

    It is nothing if there are only single spaces.
    """
    gaps = ["  "] if "  " in text else []
    if text.isprintable():  # of white space, that is the space alone
        return gaps
    return [*gaps, *[space for space in _OTHER_SPACES if space in text]] if text.isascii() else [""]


def _may_be_apart(fact: str, text: str, gaps: list[str]) -> bool:
    """Whether a text may have the words of a fact in a row, with more than a space between two."""
    words = fact.split(" ", _MOST_WORDS)
    if len(words) > _MOST_WORDS or len(gaps) > _MOST_GAPS:
        return True
    if gaps == [""]:
        return all(word in text for word in words)
    for word in words[:-1]:
        for gap in gaps:
            if word + gap in text:
                return True
    return False


def quoted(text: str) -> str:
    """Return a text for a reason: in one line, clipped, in backticks."""
    line = " ".join(text.split())
    return f"`{line if len(line) <= VALUE_LENGTH else clipped(line)}`"


def quoted_list(texts: Sequence[str]) -> str:
    """Return the first of some texts for a reason, and the number of the others."""
    return listed([quoted(text) for text in texts[: SHOWN + 1]], total=len(texts))
