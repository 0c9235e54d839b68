"""Patterns as other languages write them: how Python misreads them, and JavaScript's faults."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from evalcontract.analysis.pattern import (
    FLAGS,
    Uncompilable,
    compile_pattern,
)
from evalcontract.model.startup import lazy_pattern

_DELIMITED = lazy_pattern(
    r"(?P<mark>[/#~%@!])(?P<body>(?:\\.|(?!(?P=mark))[^\\])++)(?P=mark)(?P<flags>[a-zA-Z]*)",
    re.DOTALL,
)
_SURE = ("i", "g", "gi", "ig")  # unlikely names of folders
_FOREIGN_FLAGS = frozenset("gimsuxyU")
_WORDS = ("img", "gym", "mug", "gum", "mix", "six")  # words that consist of flag letters
_SPACED = lazy_pattern(r"\w(?:\s|\\s[*+]?)\w")
_META = lazy_pattern(r"\\[a-zA-Z]|[\[\](){}|^$+*?]|\s")
# Bodies that make sense only between delimiters: `/^` and `$/` could never match, and `\b` next to
# a slash would be redundant.
_ANCHORED = lazy_pattern(r"\^.*|.*(?<!\\)(?:\\\\)*\$|\\b.*\\b", re.DOTALL)
# A class is skipped as a whole: inside a class, `\b` is a backspace in Python too.
_PART = lazy_pattern(r"\\.|\[\^?+\]?+(?:\[:\^?\w+:\]|\\.|[^\]\\])*+(?:\]|\Z)|\x08", re.DOTALL)
_POSIX = lazy_pattern(r"\[:\^?(?P<name>\w++):\]")
_CLASSES = {
    "alpha": "a-zA-Z", "digit": "0-9", "alnum": "a-zA-Z0-9", "upper": "A-Z", "lower": "a-z",
    "space": r"\s", "blank": r" \t", "punct": r"!-/:-@\[-`{-~", "xdigit": "0-9a-fA-F",
    "word": r"\w", "cntrl": r"\x00-\x1f", "print": " -~", "graph": "!-~",
}  # fmt: skip
_MAX_SHOWN = 60
# A quantifier with a space, after a part that it could repeat. Python matches it literally.
_SPACED_QUANTIFIER = lazy_pattern(r"(?<=[\w.)\]])\{(?=\d* ?,? *\d)(?=[\d,]* )[\d ]*,?[\d ]*\}")
# Alternatives of plain words, of which only the first has the `^` and only the last the `$`.
_WORD = r"(?:[\w ,'-]|\\[.?!+*$()/-])+"
_HALF_ANCHORED = lazy_pattern(rf"\^(?P<words>{_WORD}(?:\|{_WORD})+)\$")


@dataclass(frozen=True, slots=True)
class Misreading:
    """A pattern that compiles but certainly does not mean what its author intended."""

    message: str
    help: str


def misreadings(
    pattern: str, flags: Iterable[str] = (), *, full: bool = False
) -> Iterator[Misreading]:
    """Yield the parts that Python reads differently than intended, each kind once.

    Yield nothing for a pattern that does not compile. With `full`, the pattern must match the whole
    output.
    """
    differences = list(_misreadings(pattern, full=full))
    if differences and not isinstance(compile_pattern(pattern, flags), Uncompilable):
        yield from differences


def _misreadings(pattern: str, *, full: bool) -> Iterator[Misreading]:
    delimited = _delimit(pattern)
    if delimited:
        yield delimited
    if "\b" in pattern and any(part[0] == "\b" for part in _PART.finditer(pattern)):
        yield Misreading(
            r"the pattern contains a backspace: in double quotes, `\b` is that character, not a "
            "word boundary",
            r"double each backslash, `\\b`, or in YAML write the pattern in single quotes",
        )
    if "[:" in pattern:
        yield from _posix(pattern)
    yield from _spaced_quantifiers(pattern)
    half_anchored = None if full else _HALF_ANCHORED.fullmatch(pattern)
    if half_anchored:
        first, *_, last = half_anchored["words"].split("|")
        yield Misreading(
            f"`^` applies only to `{first}`, and `$` only to `{last}`",
            "to anchor all alternatives, put them into a group: `^(?:…|…)$`",
        )


def _delimit(pattern: str) -> Misreading | None:
    """Report a pattern between delimiters, as in PHP, Perl and JavaScript."""
    match = _DELIMITED.fullmatch(pattern)
    if not match or not _are_delimiters(match["mark"], match["body"], match["flags"]):
        return None
    mark, written = match["mark"], match["flags"]
    message = (
        f"the pattern has delimiters, `{mark}` and `{mark}{written}`, which Python matches "
        "literally"
    )
    known = [flag for flag in dict.fromkeys(written) if flag in FLAGS]
    flags = f", and `flags: [{', '.join(known)}]`" if known else ""
    plain = match["body"].replace(f"\\{mark}", mark)
    body = f"`{plain}`" if len(plain) <= _MAX_SHOWN else "the part between them"
    return Misreading(message, f"write {body} alone{flags}")


def _are_delimiters(mark: str, body: str, flags: str) -> bool:
    """Distinguish delimiters from a path or comment that starts and ends with the same mark."""
    if len(set(flags)) < len(flags) or not _FOREIGN_FLAGS.issuperset(flags):
        return False
    if _ANCHORED.fullmatch(body):
        return True
    if ("i" in flags or "g" in flags) and flags not in _WORDS:
        return bool(_META.search(body)) or (mark == "/" and flags in _SURE)
    return mark == "/" and bool(_SPACED.search(body))


def _spaced_quantifiers(pattern: str) -> Iterator[Misreading]:
    classes = [part.span() for part in _PART.finditer(pattern) if part[0].startswith("[")]
    for match in _SPACED_QUANTIFIER.finditer(pattern):
        if not any(start < match.start() < end for start, end in classes):
            compact = match[0].replace(" ", "")
            yield Misreading(
                f"`{match[0]}` is not a quantifier because of the space: Python matches it "
                "literally",
                f"write `{compact}`, or for the characters `\\{match[0][:-1]}\\}}`",
            )
            return


def _posix(pattern: str) -> Iterator[Misreading]:
    for part in _PART.finditer(pattern):
        # `[:alpha:]` alone is as wrong as `[[:alpha:]]`.
        for match in _POSIX.finditer(part[0]) if part[0].startswith("[") else ():
            equivalent = _CLASSES.get(match["name"])
            if equivalent:
                yield Misreading(
                    f"`{match[0]}` is not a character class in Python: it is read as its letters",
                    f"write `{equivalent}` inside of the brackets",
                )
                return


_ADVICE: list[tuple[re.Pattern[str], str]] = [
    (lazy_pattern(r"\(\?<(?![=!])"), "in Python, write a named group as `(?P<name>…)`"),
    (lazy_pattern(r"\(\?'"), "in Python, write a named group as `(?P<name>…)`"),
    (lazy_pattern(r"\(\?(?:R|[0-9]|&|\+)"), "Python's `re` has no recursion"),
    (lazy_pattern(r"\(\?\|"), "Python's `re` has no branch reset: use separate groups"),
    (lazy_pattern(r"\(\?\^?[a-zA-Z-]+\)"),
     "put inline flags at the start, as `(?i)`, or around a part, as `(?i:…)`; or use `flags`"),
    (lazy_pattern(r"\(\?\^?[a-zA-Z-]+:"), "the inline flags are `a i m s u x`, as `(?i:…)`"),
    (lazy_pattern(r"\\[pP]"), "Python's `re` has no `\\p`: for a letter write `[^\\W\\d_]`"),
    (lazy_pattern(r"\\z"), "write `\\Z` for the end of the text"),
    (lazy_pattern(r"\\[hH]"), "write `[ \\t]` for `\\h`"),
    (lazy_pattern(r"\\R"), "write `(?:\\r\\n|\\n|\\r)` for `\\R`"),
    (lazy_pattern(r"\\K"), "write the part before `\\K` as a look-behind, `(?<=…)`"),
    (lazy_pattern(r"\\G"), "Python's `re` has no `\\G`"),
    (lazy_pattern(r"\\[QE]"), "Python's `re` has no `\\Q…\\E`: escape each character"),
    (lazy_pattern(r"\\k"), "write `(?P=name)` for a backreference"),
    (lazy_pattern(r"\\[xX]\{"), "write a character by its code point as `\\u20ac`"),
    (lazy_pattern(r"\\[uUxN]"), "write `\\u` with four hexadecimal digits, `\\x` with two"),
    (lazy_pattern(r"\[\[:"), "Python has no `[:alpha:]`: write `a-zA-Z`"),
]  # fmt: skip


#: Advice by the start of Python's error message.
_ADVICE_BY_REASON = [
    ("look-behind", "give every branch of the look-behind one length, or match the text instead"),
    ("multiple repeat", "escape a literal character: `\\+`, `\\*`, `\\?`"),
    ("nothing to repeat", "escape a literal character: `\\+`, `\\*`, `\\?`"),
    ("missing )", "close it, or escape a literal character: `\\(`"),
    ("unterminated character set", "close it, or escape a literal character: `\\[`"),
    ("unbalanced", "remove it, or write `\\)`"),
    ("ASCII and UNICODE flags", "keep one of the two"),
]


def advice_on(pattern: str, fault: Uncompilable) -> str | None:
    """Return what to write instead of a fault, or None if Python's message is enough."""
    at = fault.at or 0
    if fault.reason.startswith("nothing to repeat") and at == 0:
        return "a pattern is not a glob: write `.*` for any text, `\\*` for a star"
    for start_of_reason, advice in _ADVICE_BY_REASON:
        if fault.reason.startswith(start_of_reason):
            return advice
    for start in range(max(0, at - 4), at + 1):
        for syntax, advice in _ADVICE:
            match = syntax.match(pattern, start)
            if match and match.end() > at:
                return advice
    return None


_TOKEN = lazy_pattern(
    r"(?P<edge>\\[bB]|[\^$])|\\.|(?P<open>\((?:\?(?:<[A-Za-z_$][\w$]*>|:|(?P<look><?[=!])))?(?!\?))"
    r"|(?P<close>\))|\[\^?(?P<set>(?:\\.|[^\]\\])*)\]"
    r"|(?P<repeat>(?:[*+?]|\{(?P<least>[0-9]+)(?:,(?P<most>[0-9]*))?\})\??)|(?P<bar>\|)"
    r"|(?P<flags>\(\?(?:[ims]+(?:-[ims]*)?|-[ims]+):)|(?P<bad>\(|\[|\\)|[\w\s]+|.",
    re.DOTALL,
)
_RANGE = lazy_pattern(r"(.)-(.)", re.DOTALL)
_BAD = {
    "(": "`(?` begins no group of JavaScript",
    "[": "a class has no `]`",
    "\\": "it ends with a backslash",
}
_FLAGS = frozenset("dgimsuvy")


def pattern_fault(pattern: str, flags: str = "") -> str | None:
    """Return why JavaScript does not compile a pattern; None if nothing was found.

    Groups with flags, such as `(?i:x)`, are new in JavaScript: what follows one is not looked at.
    """
    if not _FLAGS.issuperset(flags) or len(set(flags)) < len(flags) or {"u", "v"} <= {*flags}:
        return f"`{flags}` are no flags of JavaScript"
    return next(_faults(pattern), None)


def _faults(pattern: str) -> Iterator[str]:
    opened: list[bool] = []
    can_repeat = False
    for token in _TOKEN.finditer(pattern):
        kind, could_repeat = token.lastgroup, can_repeat
        if token["flags"]:
            return
        if token["bad"]:
            yield _BAD[token["bad"]]
        if _is_out_of_order(token):
            yield f"`{token[0]}` is out of order"
        if token["repeat"] and not could_repeat:
            yield f"`{token[0]}` has nothing to repeat"
        can_repeat = not (token["repeat"] or token["edge"] or token["open"] or token["bar"])
        if token["open"]:
            opened.append((token["look"] or "").startswith("<"))
        elif kind == "close":
            if not opened:
                yield "a `)` has no `(`"
            can_repeat = not (opened and opened.pop())
    if opened:
        yield "a `(` has no `)`"


def _is_out_of_order(token: re.Match[str]) -> bool:
    """Whether a class or the bounds of a repeat fall; not known of a class with a backslash."""
    of_class = token["set"] or ""
    falls = "\\" not in of_class and any(a > b for a, b in _RANGE.findall(of_class))
    return falls or bool(token["most"] and _number(token["least"]) > _number(token["most"]))


def _number(digits: str) -> tuple[int, str]:
    """Return what compares as a number of any length."""
    significant = digits.lstrip("0")
    return len(significant), significant
