"""What of a pattern is another language's, or another notation's, and how Python writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evalcontract.analysis.pattern import FLAGS, Uncompilable, compile_pattern

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_DELIMITED = re.compile(
    r"(?P<mark>[/#~%@!])(?P<body>(?:\\.|(?!(?P=mark))[^\\])++)(?P=mark)(?P<flags>[a-zA-Z]*)",
    re.DOTALL,
)
_SURE = ("i", "g", "gi", "ig")  # no folder is called so, as far as can be
_OF_OTHERS = frozenset("gimsuxyU")
_WORDS = ("img", "gym", "mug", "gum", "mix", "six")  # of letters that are flags too
_SPACED = re.compile(r"\w(?:\s|\\s[*+]?)\w")
_META = re.compile(r"\\[a-zA-Z]|[\[\](){}|^$+*?]|\s")
# An end that no slash can stand beside: after `/` no text begins, and before it none ends. And
# nobody asks for a boundary of a word there, where it is for certain.
_ANCHORED = re.compile(r"\^.*|.*(?<!\\)(?:\\\\)*\$|\\b.*\\b", re.DOTALL)
# A class is passed over as a whole: in one, `\b` is a backspace for Python too.
_PART = re.compile(r"\\.|\[\^?+\]?+(?:\[:\^?\w+:\]|\\.|[^\]\\])*+(?:\]|\Z)|\x08", re.DOTALL)
_POSIX = re.compile(r"\[:\^?(?P<name>\w++):\]")
_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F",
    "word": r"\w", "cntrl": r"\x00-\x1f", "print": " -~", "graph": "!-~",
}  # fmt: skip
_LONG = 60


@dataclass(frozen=True, slots=True)
class Misreading:
    """A pattern that compiles, and is for certain not what its author meant by it."""

    message: str
    help: str


def misreadings(pattern: str, flags: Iterable[str] = ()) -> Iterator[Misreading]:
    """Yield what Python reads otherwise than it was meant, each kind of it once.

    Nothing is said of what does not compile.
    """
    if isinstance(compile_pattern(pattern, flags), Uncompilable):
        return
    delimited = _delimited(pattern)
    if delimited:
        yield delimited
    if "\b" in pattern and any(found[0] == "\b" for found in _PART.finditer(pattern)):
        yield Misreading(
            r"the pattern has a backspace in it: in double quotes `\b` is that character, and no "
            "word boundary",
            r"double each backslash, `\\b`, or in YAML write the pattern in single quotes",
        )
    if "[:" in pattern:
        yield from _posix(pattern)


def _delimited(pattern: str) -> Misreading | None:
    """Tell of a pattern between delimiters, as PHP, Perl and JavaScript write one."""
    found = _DELIMITED.fullmatch(pattern)
    if not found or not _is_meant(found["mark"], found["body"], found["flags"]):
        return None
    mark, written = found["mark"], found["flags"]
    message = f"the pattern stands between `{mark}` and `{mark}{written}`, which Python looks for"
    known = [flag for flag in dict.fromkeys(written) if flag in FLAGS]
    flags = f", and `flags: [{', '.join(known)}]`" if known else ""
    plain = found["body"].replace(f"\\{mark}", mark)
    body = f"`{plain}`" if len(plain) <= _LONG else "what stands between them"
    return Misreading(message, f"write {body} alone{flags}")


def _is_meant(mark: str, body: str, flags: str) -> bool:
    """Tell delimiters from a path or a comment that happens to begin and end alike."""
    if len(set(flags)) < len(flags) or not _OF_OTHERS.issuperset(flags):
        return False
    if _ANCHORED.fullmatch(body):
        return True
    if ("i" in flags or "g" in flags) and flags not in _WORDS:
        return bool(_META.search(body)) or (mark == "/" and flags in _SURE)
    return mark == "/" and bool(_SPACED.search(body))


def _posix(pattern: str) -> Iterator[Misreading]:
    for part in _PART.finditer(pattern):
        # A class of its own, `[:alpha:]`, is as wrong as one inside of another.
        for found in _POSIX.finditer(part[0]) if part[0].startswith("[") else ():
            right = _CLASSES.get(found["name"])
            if right:
                yield Misreading(
                    f"`{found[0]}` is no class of characters in Python, which reads its letters",
                    f"write `{right}` inside of the brackets",
                )
                return


_ADVICE: list[tuple[re.Pattern[str], str]] = [
    (re.compile(r"\(\?<(?![=!])"), "a group is named by `(?P<name>…)` in Python"),
    (re.compile(r"\(\?'"), "a group is named by `(?P<name>…)` in Python"),
    (re.compile(r"\(\?(?:R|[0-9]|&|\+)"), "Python's `re` has no recursion"),
    (re.compile(r"\(\?\|"), "Python's `re` has no branch reset: number the groups apart"),
    (re.compile(r"\(\?\^?[a-zA-Z-]+\)"),
     "inline flags stand at the start, as `(?i)`, or around a part, as `(?i:…)`; or use `flags`"),
    (re.compile(r"\(\?\^?[a-zA-Z-]+:"), "inline flags are `a i m s u x`, as `(?i:…)`"),
    (re.compile(r"\\[pP]"), "Python's `re` has no `\\p`: for a letter write `[^\\W\\d_]`"),
    (re.compile(r"\\z"), "write `\\Z` for the end of the text"),
    (re.compile(r"\\[hH]"), "write `[ \\t]` for `\\h`"),
    (re.compile(r"\\R"), "write `(?:\\r\\n|\\n|\\r)` for `\\R`"),
    (re.compile(r"\\K"), "write what stands before `\\K` as a look-behind, `(?<=…)`"),
    (re.compile(r"\\G"), "Python's `re` has no `\\G`"),
    (re.compile(r"\\[QE]"), "Python's `re` has no `\\Q…\\E`: escape each character"),
    (re.compile(r"\\k"), "write `(?P=name)` for what a group took once more"),
    (re.compile(r"\\[xX]\{"), "write `\\u20ac` for a character by its number"),
    (re.compile(r"\\[uUxN]"), "write `\\u` with four hexadecimal digits, `\\x` with two"),
    (re.compile(r"\[\[:"), "Python has no `[:alpha:]`: write `a-zA-Z`"),
]  # fmt: skip


#: What Python's words begin with.
_ADVICE_ON_WORDS = [
    ("look-behind", "give every branch of the look-behind one length, or match the text instead"),
    ("multiple repeat", "escape what is meant as a character: `\\+`, `\\*`, `\\?`"),
    ("nothing to repeat", "escape what is meant as a character: `\\+`, `\\*`, `\\?`"),
    ("missing )", "close it, or escape what is meant as a character: `\\(`"),
    ("unterminated character set", "close it, or escape what is meant as a character: `\\[`"),
    ("unbalanced", "remove it, or write `\\)`"),
    ("ASCII and UNICODE flags", "keep one of the two"),
]


def advice_on(pattern: str, fault: Uncompilable) -> str | None:
    """Return what to write instead, of what Python refuses; None where its words are enough."""
    at = fault.at or 0
    if fault.reason.startswith("nothing to repeat") and at == 0:
        return "a pattern is no glob: for any text write `.*`, for a star `\\*`"
    for words, advice in _ADVICE_ON_WORDS:
        if fault.reason.startswith(words):
            return advice
    for start in range(max(0, at - 4), at + 1):
        for shape, advice in _ADVICE:
            found = shape.match(pattern, start)
            if found and found.end() > at:
                return advice
    return None
