"""What rules on judges share: scales, what templates hold, rows that lack it, and validations."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date, datetime
from typing import Any

from evalcontract.checks._judges import tag_for
from evalcontract.checks.plan import StepGroup, rows_with_all
from evalcontract.model.diagnostic import Cause
from evalcontract.model.reference import Version
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.rules._rule import (
    Code,
    Context,
    Path,
    Problem,
    Problems,
    RowGroup,
    Rule,
    Subject,
    rule,
)
from evalcontract.statistics.rates import RATES, Agreement


def template_digest(template: str) -> str:
    r"""Return the SHA-256 of a template, as 64 lower-case hexadecimal digits.

    The digest is of the parsed text in UTF-8 without a BOM: block scalars without indentation,
    lines ended by `\n`, with a final newline only if the YAML style keeps it (`|` does, `|-`
    does not).
    """
    from hashlib import sha256  # slow to import

    return sha256(template.encode("utf-8", "surrogatepass")).hexdigest()


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


def template_problems(code: Code, judge: Subject, *, of_json: bool) -> Problems:
    """Yield the first faults of a template, in JSON or in tags, and the number of the others."""
    from evalcontract.analysis.template import scan  # slow to import

    template = scan(judge.value.get("template", ""))
    faults = [fault for fault in template.faults if fault.is_json is of_json]
    for fault in faults[:_MOST]:
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


def cause_in_template(
    code: str, groups: Iterable[StepGroup], field: str, similar: str | None
) -> Cause | None:
    """Return the tag for which checks cannot run on rows without a field; None if there is none.

    `similar` is the name that a row has in place of the field, or None.
    """
    numbered = [judge for group in groups for judge in group.judges]
    numbered.sort(key=lambda judge: judge[0])
    shown = tag_for((judge for _, judge in numbered), field)
    if shown is None:
        return None
    judge, tag = shown
    optional = f"`{{{{#{field}}}}}…{{{{/{field}}}}}`"
    advice = (
        f"the rows have `{similar}`: use the same name in both places"
        if similar
        else f"add `{field}` to the rows, or make it optional: {optional}"
    )
    message = f"`{tag.text}` shows what rows lack: no check with this judge runs on them"
    problem = Problem(code, message, ("template",), advice, within=tag.within)
    return Cause(f"{judge.file}:{field}:{similar}", f"lack `{field}`", judge.file, problem)


def rows_lacking_nothing(group: RowGroup) -> dict[str, Any] | bool:
    """Return a schema of the rows that have all that the checks of their rubric need."""
    return group.plan is None or rows_with_all(group.plan)


#: The keys that say how well a judge agrees with people.
_MEASURES = (*RATES, "confusion_matrix")
_SLACK = 1e-9  # tolerance for floating-point error


class Validation:
    """The well-formed part of the `validation` of a judge; `values` are its keys."""

    def __init__(self, judge: Subject, code: Code) -> None:
        self.judge = judge
        self._code = code
        self.values: dict[str, Any] = judge.value["validation"]

    def problem(self, message: str, path: Path, advice: str, *, on_key: bool = False) -> Problem:
        """Return a problem at a path below `validation`, with the code of the rule."""
        return Problem(self._code, message, ("validation", *path), advice, on_key=on_key)

    def lacks(self, key: str) -> bool:
        """Whether a key is missing, and none was meant to be it."""
        return key not in self.values and ("validation", key) not in self.judge.misspelled

    @property
    def measure(self) -> str | None:
        """The first key that says how well the judge agrees with people; None without one."""
        return next((key for key in _MEASURES if key in self.values), None)

    @property
    def lacks_measures(self) -> bool:
        """Whether nothing says how well the judge agrees with people, nor was meant to."""
        return all(map(self.lacks, _MEASURES))

    @property
    def day(self) -> date | None:
        """The day of the validation; None if it is missing or no calendar date."""
        try:
            return datetime.fromisoformat(self.values["validated_at"]).date()
        except (KeyError, ValueError):
            return None

    @property
    def is_of_other_version(self) -> bool:
        """Whether it was made with another version of the judge; `1.0` is `1.0.0`.

        If so, a different template or model is expected and not a separate mistake.
        """
        validated, current = self.values.get("judge_version"), self.judge.artifact.version
        return validated is not None and current is not None and Version.parse(validated) != current

    @property
    def agreement(self) -> Agreement | None:
        """The confusion matrix, or None."""
        counts = self.values.get("confusion_matrix")
        return Agreement(*(counts[key] for key in ("tp", "fn", "tn", "fp"))) if counts else None

    def rate(self, name: str) -> float | None:
        """Return a rate as given, or else computed from the counts."""
        if name in self.values:
            return float(self.values[name])
        return self.agreement.rate(name) if self.agreement else None

    def rounding(self, path: Path, value: float) -> float:
        """Return the possible rounding error of a number, from the digits it is written with.

        Half a unit of the last digit: 0.005 for `0.93`, 0.05 for `0.9`. Whole numbers are treated
        as having one decimal digit.
        """
        from decimal import Decimal, InvalidOperation  # slow to import

        written = self.judge.artifact.document.raw(("validation", *path))
        try:
            exponent = Decimal(written or repr(value)).as_tuple().exponent
        except InvalidOperation:
            exponent = Decimal(repr(value)).as_tuple().exponent
        digits = max(1, -exponent) if isinstance(exponent, int) else 1
        return float(0.5 * 10.0 ** -min(digits, 300)) + _SLACK

    def disagreements(self) -> Iterator[tuple[str, str]]:
        """Yield the numbers that contradict the confusion matrix, each as a key and a message."""
        counted = self.agreement
        if counted is None:
            return
        for rate, formula in (("tpr", "tp / (tp + fn)"), ("tnr", "tn / (tn + fp)")):
            if rate not in self.values:
                continue
            right, of_all = counted.of(rate)
            given = self.values[rate]
            if not of_all:
                yield rate, f"{rate} is {given}, but the counts behind it are 0"
            elif abs(given - right / of_all) > self.rounding((rate,), given):
                computed = f"{formula} is {right} / {of_all} = {right / of_all:.4g}"
                yield rate, f"{rate} is {given}, but {computed}"
        size, total = self.values.get("sample_size", counted.total), counted.total
        if size != total:
            yield "sample_size", f"sample_size is {size}, but the counts add up to {total}"


def validation_rule(code: Code) -> Callable[[Callable[[Validation, Context], Problems]], Rule]:
    """Turn a function into a rule on the validations of judges."""

    def make(check: Callable[[Validation, Context], Problems]) -> Rule:
        def of_judge(judge: Subject, context: Context) -> Problems:
            if "validation" in judge.value:
                yield from check(Validation(judge, code), context)

        return rule(code)(of_judge)

    return make
