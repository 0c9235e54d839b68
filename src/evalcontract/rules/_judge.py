"""What rules on judges share: the age, model and numbers of validations, and keys in templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.reference import Version
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.rules._rule import Subject
from evalcontract.statistics.rates import RATES, Agreement

if TYPE_CHECKING:
    from evalcontract.analysis.template_tags import TagFault


def is_of_other_version(subject: Subject) -> bool:
    """Whether the validation was made with another version of the judge; `1.0` is `1.0.0`.

    If so, a different template or model is expected and not a separate mistake.
    """
    validated = subject.value.get("validation", {}).get("judge_version")
    current = subject.artifact.version
    return validated is not None and current is not None and Version.parse(validated) != current


def template_digest(template: str) -> str:
    r"""Return the SHA-256 of a template, as 64 lower-case hexadecimal digits.

    The digest is of the parsed text in UTF-8 without a BOM: block scalars without indentation,
    lines ended by `\n`, with a final newline only if the YAML style keeps it (`|` does, `|-`
    does not).
    """
    from hashlib import sha256  # slow to import

    return sha256(template.encode("utf-8", "surrogatepass")).hexdigest()


def validated_on(judge: dict[str, Any]) -> date | None:
    """Return the date of `validation.validated_at`, or None if it is missing or invalid."""
    text = judge.get("validation", {}).get("validated_at")
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        return None


def score_type(subject: Subject) -> str | None:
    """Return the judge's `score_type`, or None if it is malformed."""
    if "score_type" in subject.value:
        return str(subject.value["score_type"])
    return None if "score_type" in subject.artifact.document.value else "binary"


def is_withheld(subject: Subject, *keys: str) -> bool:
    """Whether one of the keys is present but malformed."""
    written = subject.artifact.document.value
    return any(key in written and key not in subject.value for key in keys)


def ends(subject: Subject) -> tuple[float | None, float | None]:
    """Return the lowest and the highest grade, each None if unknown.

    The grades of levels with values are these; without, they are spaced over the whole scale. A
    scale without ends is 0 to 1. See `model.scale`, which needs a judge without faults.
    """
    lowest, highest = subject.value.get("min_score"), subject.value.get("max_score")
    if score_type(subject) == "levels":
        values = subject.value.get("level_values")
        if values:
            return min(values), max(values)
    if lowest is None and highest is None and score_type(subject) != "binary":
        return 0, 1
    return lowest, highest


_MOST = 20


def problems_of(code: str, faults: Sequence[TagFault]) -> Iterator[Problem]:
    """Yield the first faults of a template, and the number of remaining ones."""
    for fault in islice(faults, _MOST):
        yield Problem(code, fault.message, ("template",), fault.help, within=fault.within)
    left = len(faults) - _MOST
    if left > 0:
        message = f"{left} more faults like these follow" if left > 1 else faults[-1].message
        advice = "fix the others first" if left > 1 else faults[-1].help
        yield Problem(code, message, ("template",), advice, within=faults[_MOST].within)


_NUMBER = r"-?\d+(?:\.\d+)?"
_LIST = r"(?:\[.*\])?"
_MAPPING = r"(?:\{.*\})?"
#: What the value of each key looks like in the same line. Keys that are ordinary words, such as
#: `description`, are left out: a prompt may well have such a line.
_VALUES = {
    "id": r"[\"']?[a-z][a-z0-9]*_[a-z0-9_]+[\"']?",
    "version": r"[\"']?\d+\.\d+(?:\.\d+)?[\"']?",
    "score_type": r"[\"']?(?:binary|continuous|levels)[\"']?",
    "level_names": _LIST,
    "level_values": _LIST,
    "min_score": _NUMBER,
    "max_score": _NUMBER,
    "pass_threshold": _NUMBER,
    "applicable_to": _LIST,
    "validation": _MAPPING,
    "model": r"\{.*\}",
}
_LINES = "|".join(rf"{key}:[ \t]*{value}" for key, value in _VALUES.items())
_LINE = lazy_pattern(
    rf"^[ \t]*(?P<line>(?P<key>{'|'.join(_VALUES)}):(?=[ \t\n]|\Z).*)$", re.MULTILINE
)
_KEY_AND_VALUE = lazy_pattern(rf"(?:{_LINES})[ \t]*(?:#.*)?")
_VALIDATION = lazy_pattern(r"\s+(?:tpr|tnr|confusion_matrix|validated_at|sample_size):")


class KeyLine(NamedTuple):
    """A line of a template that looks like a key: the key, the line, and where it starts."""

    key: str
    text: str
    start: int


def key_lines(subject: Subject) -> Iterator[KeyLine]:
    """Yield the lines of the template that look like keys that the judge lacks, one for each."""
    template = subject.value.get("template", "")
    present = set(subject.artifact.document.value)
    for match in _LINE.finditer(template):
        key, text = match["key"], match["line"]
        if key in present or not _KEY_AND_VALUE.fullmatch(text):
            continue
        if text.strip() == "validation:" and not _VALIDATION.match(template, match.end()):
            continue  # a heading
        present.add(key)
        yield KeyLine(key, text, match.start("line"))


#: The keys that say how well a judge agrees with people.
MEASURES = (*RATES, "confusion_matrix")
_SLACK = 1e-9  # tolerance for floating-point error


def agreement_of(validation: dict[str, Any]) -> Agreement | None:
    """Return the confusion matrix of a validation, or None."""
    counts = validation.get("confusion_matrix")
    return Agreement(*(counts[key] for key in ("tp", "fn", "tn", "fp"))) if counts else None


def is_measured(validation: dict[str, Any]) -> bool:
    """Whether a validation holds a rate, or the counts behind the rates."""
    return any(key in validation for key in MEASURES)


def rate_of(validation: dict[str, Any], rate: str) -> float | None:
    """Return a rate as given, or else computed from the counts."""
    if rate in validation:
        return float(validation[rate])
    counted = agreement_of(validation)
    right, of_all = counted.of(rate) if counted else (0, 0)
    return right / of_all if of_all else None


def rounding(subject: Subject, path: Path, value: float) -> float:
    """Return the possible rounding error of a number, from the digits it is written with.

    Half a unit of the last digit: 0.005 for `0.93`, 0.05 for `0.9`. Whole numbers are treated as
    having one decimal digit.
    """
    from decimal import Decimal, InvalidOperation  # slow to import

    try:
        exponent = Decimal(subject.artifact.document.raw(path) or repr(value)).as_tuple().exponent
    except InvalidOperation:
        exponent = Decimal(repr(value)).as_tuple().exponent
    digits = max(1, -exponent) if isinstance(exponent, int) else 1
    return float(0.5 * 10.0 ** -min(digits, 300)) + _SLACK


def disagreements(subject: Subject) -> Iterator[tuple[Path, str]]:
    """Yield the numbers that contradict the confusion matrix, each as a path and a message."""
    validation = subject.value.get("validation", {})
    counted = agreement_of(validation)
    if counted is None:
        return
    for rate, formula in (("tpr", "tp / (tp + fn)"), ("tnr", "tn / (tn + fp)")):
        if rate not in validation:
            continue
        right, of_all = counted.of(rate)
        path = ("validation", rate)
        given = validation[rate]
        if not of_all:
            yield path, f"{rate} is {given}, but the counts behind it are 0"
        elif abs(given - right / of_all) > rounding(subject, path, given):
            computed = f"{formula} is {right} / {of_all} = {right / of_all:.4g}"
            yield path, f"{rate} is {given}, but {computed}"
    size = validation.get("sample_size", counted.total)
    if size != counted.total:
        yield (
            ("validation", "sample_size"),
            f"sample_size is {size}, but the counts add up to {counted.total}",
        )
