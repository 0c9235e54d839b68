"""The outcome of a check on an output, with its score and reason, and executors that give it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from typing import Any, Protocol, TypeAlias

from evalcontract.analysis.texts import composed, folded
from evalcontract.library.scores import Bounds
from evalcontract.model.startup import NamedTuple


class OutputTexts:
    """The texts of some outputs, in order; `written` are the texts as they are.

    Each form in which checks search them is made once, for all checks that ask for it.
    """

    def __init__(self, written: Sequence[str]) -> None:
        self.written = written
        self._all: tuple[OutputTexts, Sequence[int]] | None = None
        self._spaced: dict[str, str] = {}

    def some(self, numbers: Sequence[int]) -> OutputTexts:
        """Return some of the texts, which share the forms of these."""
        some = OutputTexts([self.written[number] for number in numbers])
        some._all = self, numbers
        some._spaced = self._spaced
        return some

    def searched(self, *, case_sensitive: bool) -> Sequence[str]:
        """Return the texts in the form in which checks search them."""
        return self.composed if case_sensitive else self.folded

    @cached_property
    def composed(self) -> Sequence[str]:
        """The texts in normalisation form C."""
        if self._all is None:
            return list(map(composed, self.written))
        return [self._all[0].composed[number] for number in self._all[1]]

    @cached_property
    def folded(self) -> Sequence[str]:
        """The texts without case, in normalisation form C."""
        if self._all is None:
            return list(map(folded, self.written))
        return [self._all[0].folded[number] for number in self._all[1]]

    def spaced(self, text: str) -> str:
        """Return one of the `folded` texts with a space for each run of white space."""
        spaced = self._spaced.get(text)
        if spaced is None:
            spaced = self._spaced[text] = " ".join(text.split())
        return spaced


class Outcome(StrEnum):
    """The outcome of a check on an output, or of a row.

    PASSED and FAILED: that is certain. UNDECIDED: what did not run decides it. SKIPPED: it has
    nothing to judge, because the row lacks a key or the output has no such part. UNAVAILABLE: it
    cannot run on this machine, in this workspace or with what was recorded. ERROR: it ran, and came
    to no verdict.
    """

    PASSED = "passed"
    FAILED = "failed"
    UNDECIDED = "undecided"
    SKIPPED = "skipped"
    UNAVAILABLE = "unavailable"
    ERROR = "error"

    __hash__ = str.__hash__  # that of enums is slower; results are counted by outcome


#: The outcomes of checks that say nothing certain, the gravest first.
UNMEASURED = (Outcome.ERROR, Outcome.UNAVAILABLE, Outcome.UNDECIDED)
#: The name of the details that say why a judge gave no verdict, though the others decide.
UNANSWERED = "unanswered"
#: The bounds of what did not run.
ANY_SCORE = Bounds()


class Verdict(NamedTuple):
    """An outcome; `score` is from 0 to 1.

    It is None if the check is skipped, which has no part in any score, and if it is not known; then
    `bounds` are those of the scores that it may have. `reason` says why it did not pass. `details`
    are for machines: JSON values by name.
    """

    outcome: Outcome
    score: float | None = None
    reason: str | None = None
    details: Mapping[str, Any] | None = None
    bounds: Bounds | None = None


class HasOutcome(Protocol):
    """Anything with an outcome: a verdict, or the result of a check."""

    @property
    def outcome(self) -> Outcome:
        """The outcome."""

    @property
    def score(self) -> float | None:
        """The score from 0 to 1, if it is known."""

    @property
    def bounds(self) -> Bounds | None:
        """The bounds of the score, if it is not known."""

    @property
    def reason(self) -> str | None:
        """Why it did not pass."""


class End(NamedTuple):
    """One end of what is possible: a score, and whether it passes; None if nothing says."""

    score: float
    passed: bool | None


class CombinedVerdict(NamedTuple):
    """The combination of several verdicts; see `Verdict`. `outcome` is None for a number alone."""

    outcome: Outcome | None
    score: float | None
    bounds: Bounds | None


def combined(
    verdicts: Iterable[HasOutcome], combine: Callable[[list[End]], End]
) -> CombinedVerdict:
    """Combine verdicts, none of which is skipped: the lowest that they may be, and the highest.

    What is neither passed nor failed may be either. Whatever is combined here (a rubric, a
    composite, a jury, facts), `combine` must not fall where a score rises or a check turns to pass;
    so all that is possible lies between both ends. It is decided where they agree.
    """
    lowest, highest = zip(*map(_ends, verdicts), strict=True)
    low = combine([*lowest])
    high = low if lowest == highest else combine([*highest])
    is_exact = low.score == high.score
    outcome: Outcome | None
    if low.passed is not high.passed:
        outcome = Outcome.UNDECIDED
    elif low.passed is None:
        outcome = None if is_exact else Outcome.UNDECIDED
    else:
        outcome = Outcome.PASSED if low.passed else Outcome.FAILED
    if is_exact:
        return CombinedVerdict(outcome, low.score, None)
    return CombinedVerdict(outcome, None, Bounds(low.score, high.score))


def of_judges(
    verdict: CombinedVerdict,
    verdicts: Iterable[HasOutcome],
    reason: str,
    details: Mapping[str, Any],
) -> Verdict:
    """Return the verdict of a check that combines those of judges; `reason` is why it fails.

    Where it is undecided, it has the outcome and the reason of the judges that gave no verdict.
    Where it is decided without these, their reason is `UNANSWERED` in the details.
    """
    outcome: Outcome = verdict.outcome or Outcome.UNDECIDED
    why: str | None = reason if outcome is Outcome.FAILED else None
    lacking, unanswered = gravest(verdicts)
    if outcome is Outcome.UNDECIDED:
        outcome, why = lacking, unanswered
    elif lacking in UNMEASURED:
        details = {**details, UNANSWERED: unanswered or str(lacking)}
    return Verdict(outcome, verdict.score, why, details, verdict.bounds)


def _ends(verdict: HasOutcome) -> tuple[End, End]:
    outcome, score = verdict.outcome, verdict.score
    low, high = (verdict.bounds or ANY_SCORE) if score is None else (score, score)
    return End(low, outcome is Outcome.PASSED), End(high, outcome is not Outcome.FAILED)


def gravest(verdicts: Iterable[HasOutcome]) -> tuple[Outcome, str | None]:
    """Return the gravest outcome of what is not certain, and its first reason; else skipped."""
    reasons: dict[Outcome, str | None] = {}
    for verdict in verdicts:
        reasons.setdefault(verdict.outcome, verdict.reason)
    for outcome in (*UNMEASURED, Outcome.SKIPPED):
        if outcome in reasons:
            return outcome, reasons[outcome]
    return Outcome.SKIPPED, "there are no checks"


class ToolCall(NamedTuple):
    """A call of a tool; `arguments` is a mapping, also if they were recorded as its JSON text.

    `fault` is why the call cannot be read: its name is empty, or its arguments are unknown.
    """

    name: str
    arguments: Any = None
    fault: str | None = None


class Output(NamedTuple):
    """What a model answered: its text and its calls of tools, in order.

    None is what was not recorded, which is not the same as an empty text or no calls. `context` is
    what the model was given besides the row, such as retrieved passages.
    """

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    context: Any = None


#: Judges one output of a row. It raises nothing because of what the row or the output contain.
Executor: TypeAlias = Callable[[Mapping[str, Any], Output], Verdict]

PASSED = Verdict(Outcome.PASSED, 1.0)
_FAILED = Outcome.FAILED  # members of enums are found slowly


def failed(reason: str, score: float = 0.0, **details: Any) -> Verdict:
    """Return the verdict of a check that failed."""
    return Verdict(_FAILED, score, reason, details or None)


def skipped(reason: str) -> Verdict:
    """Return the verdict of a check that has nothing to judge."""
    return Verdict(Outcome.SKIPPED, None, reason)


def unavailable(reason: str) -> Verdict:
    """Return the verdict of a check that cannot run."""
    return Verdict(Outcome.UNAVAILABLE, None, reason, None, ANY_SCORE)


#: The verdict of a check that judges the text if none was recorded.
NO_TEXT = unavailable("no text of the output was recorded")
#: The verdict of a check that asks a judge if there is no endpoint to ask.
NO_MODEL = unavailable("no model is configured")


def error(reason: str, **details: Any) -> Verdict:
    """Return the verdict of a check that came to no verdict."""
    return Verdict(Outcome.ERROR, None, reason, details or None, ANY_SCORE)


def always(verdict: Verdict) -> Executor:
    """Return an executor that gives the same verdict on every output."""

    def execute(row: Mapping[str, Any], output: Output) -> Verdict:
        del row, output
        return verdict

    return execute


#: Judges the texts of some outputs, each of its row, in order; see `Executor`.
JudgeTexts: TypeAlias = Callable[[Sequence[Mapping[str, Any]], OutputTexts], list[Verdict]]


class OfTexts:
    """An executor that judges the texts of outputs; it is unavailable without one.

    `judge` takes several at a time, so that what they share is done once.
    """

    __slots__ = ("judge",)

    def __init__(self, judge: JudgeTexts) -> None:
        self.judge = judge

    def __call__(self, row: Mapping[str, Any], output: Output) -> Verdict:
        """Judge an output."""
        if output.text is None:
            return NO_TEXT
        return self.judge((row,), OutputTexts((output.text,)))[0]


def of_text(judge: Callable[[Mapping[str, Any], str], Verdict]) -> OfTexts:
    """Return an executor that judges the text of an output; it is unavailable without one."""
    return OfTexts(lambda rows, texts: list(map(judge, rows, texts.written)))
