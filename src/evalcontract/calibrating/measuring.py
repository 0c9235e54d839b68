"""Measure how well a judge agrees with people, with remarks; and what of that is printed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Any, Literal

from evalcontract.calibrating.joining import Annotators, LabelledVerdict
from evalcontract.grading.printed import usage_fields, write_judge_usage
from evalcontract.judging.asking import Usage
from evalcontract.library.scores import reaches
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, escape_controls, many
from evalcontract.statistics.rates import (
    LEVEL,
    RATES,
    Agreement,
    CorrectedRate,
    Interval,
    MeasuredRate,
    bootstrap_interval,
    cohens_kappa,
    corrected,
    wilson_interval,
)
from evalcontract.statistics.scores import (
    ChosenThreshold,
    area_under_roc,
    best,
    kendall_tau_b,
    spearman,
    sweep,
    weighted_kappa,
)

#: A threshold that is to be chosen from the labels.
AUTO = "auto"


class Ranks(NamedTuple):
    """How far scores rise with what people said; each is None if undefined.

    The area under the ROC curve, `auc`, is from 0 to 1, the others from -1 to 1. Both weighted
    kappas are those of levels that people gave, too: by the distance of ranks, and by its square.
    """

    spearman: float | None
    kendall_tau_b: float | None
    auc: float | None = None
    linear_kappa: float | None = None
    quadratic_kappa: float | None = None


class Measurement(NamedTuple):
    """The agreement of a judge with people.

    `rates` and `intervals` (Wilson) are those of `tpr` and `tnr`; a class without outputs has
    none. `kappa_interval` is a bootstrap interval, None where all samples are the same. A numeric
    judge has a `threshold`, all that it can have, the `best` of them, and `ranks`. `corrected` is
    the pass rate behind the `observed` one; None if none was given, or if it has no meaning.
    """

    agreement: Agreement
    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    kappa: float | None
    kappa_interval: Interval | None
    threshold: float | None = None
    thresholds: Sequence[ChosenThreshold] = ()
    best: ChosenThreshold | None = None
    ranks: Ranks | None = None
    observed: MeasuredRate | None = None
    corrected: CorrectedRate | None = None

    @property
    def is_complete(self) -> bool:
        """Whether both rates are known."""
        return all(rate in self.rates for rate in RATES)


def measure(
    items: Sequence[LabelledVerdict],
    threshold: float | str | None = None,
    observed: MeasuredRate | None = None,
    *,
    is_numeric: bool = False,
    levels: Iterable[float] = (),
) -> Measurement:
    """Measure the agreement on outputs; `levels` are the values of those that a judge may give.

    A numeric judge needs a `threshold`, the lowest score that passes; with `AUTO` it is the best
    one on these outputs. If there is no best one, because people passed or failed all outputs, it
    is the lowest score.
    """
    if not is_numeric:
        return _measurement(
            Agreement.of_pairs((item.human, bool(item.judge)) for item in items), observed
        )
    thresholds = sweep((item.human, float(item.judge)) for item in items)
    top = best(thresholds)
    if threshold is None or isinstance(threshold, str):
        threshold = (top or thresholds[0]).score
    cutoff = threshold
    agreement = Agreement.of_pairs((item.human, reaches(item.judge, cutoff)) for item in items)
    scores = [float(item.judge) for item in items]
    people = [float(item.human) if item.score is None else item.score for item in items]
    auc = area_under_roc((item.human, float(item.judge)) for item in items)
    ranks = Ranks(spearman(scores, people), kendall_tau_b(scores, people), auc)
    order = sorted(set(levels))
    if order and all(item.score is not None for item in items):
        pair = [_rank(order, score) for score in scores], [_rank(order, score) for score in people]
        linear, quadratic = (weighted_kappa(*pair, power=power) for power in _POWERS)
        ranks = ranks._replace(linear_kappa=linear, quadratic_kappa=quadratic)
    return _measurement(agreement, observed)._replace(
        threshold=threshold, thresholds=thresholds, best=top, ranks=ranks
    )


# Of the distance of two ranks.
_POWERS: tuple[Literal[1], Literal[2]] = (1, 2)


def _rank(levels: Sequence[float], value: float) -> float:
    """Return the rank of a level; the median of two people may be halfway between two."""
    at = bisect_left(levels, value)
    if levels[at] == value:
        return at
    below, above = levels[at - 1], levels[at]
    return at - 1 + (value - below) / (above - below)


def _measurement(agreement: Agreement, observed: MeasuredRate | None) -> Measurement:
    rates = {name: rate for name in RATES if (rate := agreement.rate(name)) is not None}
    drawn = bootstrap_interval(agreement, cohens_kappa)
    return Measurement(
        agreement,
        rates,
        {name: wilson_interval(*agreement.of(name)) for name in rates},
        cohens_kappa(agreement),
        drawn if drawn and drawn.width else None,
        observed=observed,
        corrected=corrected(observed, agreement) if observed else None,
    )


#: As the rule `judge/small-sample` has them.
ENOUGH, ENOUGH_OF_A_CLASS = 60, 20
#: By H. Husain and S. Shankar: a rate below the first is too low, one below the second is not good.
USABLE, GOOD = 0.8, 0.9
_WIDE = 0.2
#: The share of the smaller class from which labels are balanced.
_BALANCED = 0.3
_CLASSES = {"tpr": "passed", "tnr": "failed"}
_FAULTS = {"tpr": "it fails good work", "tnr": "it lets bad work through"}


class Remark(NamedTuple):
    """A remark on a measurement: a name for programs, and a sentence."""

    name: str
    message: str


def remarks(
    measured: Measurement, labels: Labels, *, is_chosen: bool = False, is_default: bool = False
) -> Iterator[Remark]:
    """Yield what to keep in mind of the figures, and of the labels behind them.

    `is_chosen` is whether the threshold was chosen here, `is_default` whether the judge has none.
    """
    yield from _of_sample(measured)
    yield from _of_people(labels)
    if is_default and measured.threshold is not None:
        message = (
            f"the judge has no `pass_threshold`: the middle of its scale, {measured.threshold:g}, "
            "decides here as it does in `grade`, and is written with the validation"
        )
        yield Remark("default-threshold", message)
    tpr, tnr = measured.rates.get("tpr"), measured.rates.get("tnr")
    if tpr is not None and tnr is not None and tpr + tnr <= 1:
        message = "the judge is no better than chance: TPR and TNR add up to 1 or less"
        yield Remark("no-better-than-chance", message)
    else:
        yield from _of_rates(measured)
    if measured.observed and measured.corrected is None:
        message = (
            "the pass rate cannot be corrected: that takes a TPR and a TNR of more than 1 in sum"
        )
        yield Remark("not-corrected", message)
    elif measured.corrected and measured.corrected.clipped != measured.corrected:
        message = "the corrected pass rate or its interval was cut off at 0 or 1"
        yield Remark("clipped", message)
    if is_chosen:
        message = (
            "the threshold was chosen on these labels, so the rates are too good: measure them "
            "with it on another split"
        )
        yield Remark("chosen-threshold", message)


def _of_sample(measured: Measurement) -> Iterator[Remark]:
    total = measured.agreement.total
    sizes = {rate: measured.agreement.of(rate)[1] for rate in RATES}
    few = [
        f"{size:,} that people {_CLASSES[rate]}"
        for rate, size in sizes.items()
        if size < ENOUGH_OF_A_CLASS
    ]
    if total < ENOUGH or few:
        what = many(total, "output") if total < ENOUGH else " and ".join(few)
        message = (
            f"only {what}: compare at least {ENOUGH}, {ENOUGH_OF_A_CLASS} that people passed and "
            f"{ENOUGH_OF_A_CLASS} that they failed"
        )
        yield Remark("small-sample", message)
    elif min(sizes.values()) < _BALANCED * total:
        fewer = min(sizes, key=sizes.__getitem__)
        message = (
            f"the labels are unbalanced: people {_CLASSES[fewer]} {sizes[fewer]:,} of {total:,} "
            "outputs; half of each is best"
        )
        yield Remark("unbalanced", message)
    wide = [rate.upper() for rate, each in measured.intervals.items() if each.width > _WIDE]
    if wide:
        which = " and of ".join(wide)
        message = f"the interval of {which} is wider than {_WIDE:g}: label more outputs"
        yield Remark("wide-interval", message)


def _of_people(labels: Labels) -> Iterator[Remark]:
    if labels.ties:
        outputs = many(labels.ties, "output is", "outputs are")
        message = (
            f"{outputs} left out, on which people are divided: on those that are left the judge "
            "looks better than on all; let one more person decide"
        )
        yield Remark("ties-dropped", message)
    people = labels.annotators
    agreement = people and (people.kappa if people.alpha is None else people.alpha)
    if agreement is not None and agreement <= 0:
        message = (
            "people agree no better than chance: what the judge is compared with is no measure; "
            "say in the instructions what passes, and label again"
        )
        yield Remark("people-disagree", message)


def _of_rates(measured: Measurement) -> Iterator[Remark]:
    for name, rate in measured.rates.items():
        if rate < GOOD:
            bound = USABLE if rate < USABLE else GOOD
            how = "too low to use" if rate < USABLE else "use it with care"
            message = f"{name.upper()} is below {bound:.1f} ({how}): {_FAULTS[name]}"
            yield Remark(f"low-{name}", message)


class Labels(NamedTuple):
    """The labels that a judge was compared with.

    `split` is the part that was used, None if that is all of several, or if nothing says;
    `splits` are those that were used, with the number of rows of each. Of the `labelled` outputs,
    `compared` have a verdict, and `unreadable` an answer of the judge that is none; `ties` are
    those on which people are divided.
    """

    file: str
    sha256: str
    split: str | None
    splits: Mapping[str, int]
    labelled: int
    compared: int
    unreadable: int
    ties: int
    are_scores: bool
    annotators: Annotators | None


class CalibrationResult(NamedTuple):
    """How well a judge agrees with labels, and the `validation` that says so.

    `validation` is None if it must not be written: `refusal` says why. `is_chosen` is whether the
    threshold was chosen from the labels.
    """

    judge: str
    file: str
    score_type: str
    labels: Labels
    measured: Measurement
    remarks: Sequence[Remark]
    is_chosen: bool
    validation: Mapping[str, Any] | None = None
    refusal: str | None = None


_DIGITS = 4


def figures_of(measured: Measurement) -> dict[str, Any]:
    """Return the keys of a validation with figures; both rates agree with its counts.

    They do so to the digits given.
    """
    return {
        "sample_size": measured.agreement.total,
        "confusion_matrix": measured.agreement._asdict(),
        **{rate: round(measured.rates[rate], _DIGITS) for rate in RATES},
        "confidence_intervals": {
            rate: {
                "lower": round(measured.intervals[rate].lower, _DIGITS),
                "upper": round(measured.intervals[rate].upper, _DIGITS),
                "level": LEVEL,
                "method": "wilson",
            }
            for rate in RATES
        },
    }


_WIDTH = 80
#: The thresholds that are printed: so many of the best, besides the one in use.
_THRESHOLDS = 8
_LABEL = 22
_NO_INTERVAL = "no interval: there is too little to say"


def write_text(result: CalibrationResult, usage: Usage) -> Iterator[str]:
    """Yield the result, at most 80 columns wide as far as the names allow."""
    labels, measured = result.labels, result.measured
    yield f"{result.judge} ({escape_controls(result.file)})\n"
    yield from _of_labels(labels)
    yield from write_judge_usage(usage, _WIDTH)
    yield "\n"
    yield from _table(measured)
    yield "\n"
    yield from _figures(measured)
    if labels.annotators:
        people = labels.annotators
        shared = f"{people.people} people, {many(people.outputs, 'output')} labelled by several"
        yield _line("kappa among people", _number(people.kappa), shared)
        metric = f"Krippendorff's, {people.metric}"
        yield _line("alpha among people", _number(people.alpha), metric)
    yield from _corrected_lines(measured)
    if measured.thresholds:
        yield "\n"
        yield from _thresholds(measured, is_chosen=result.is_chosen)
    yield from _remarks(result.remarks)


def _of_labels(labels: Labels) -> Iterator[str]:
    compared = many(labels.compared, "output")
    names = [f"{clipped(name, 30)} ({count:,})" for name, count in labels.splits.items()]
    if labels.split is not None:
        split = f", split {clipped(labels.split, 30)}"
    else:
        split = f", splits {', '.join(names[:4])}" if names else ""
        split += ", …" if len(names) > 4 else ""  # noqa: PLR2004 - as above
    text = f"{compared} compared with {labels.file}{split}"
    yield f"{escape_controls(text)}\n"
    left = labels.labelled - labels.compared - labels.unreadable
    notes = [f"{left:,} without a verdict"] if left else []
    if labels.unreadable:
        notes.append(f"{labels.unreadable:,} on which the judge's answer is no verdict")
    notes += [f"{labels.ties:,} on which people are divided"] if labels.ties else []
    if notes:
        yield f"left out: {', '.join(notes)}\n"


def _table(measured: Measurement) -> Iterator[str]:
    tp, fn, tn, fp = measured.agreement
    yield f"{'':{_LABEL}}  {'judge passed':>12}  {'judge failed':>12}\n"
    for name, passed, failed in (("people passed", tp, fn), ("people failed", fp, tn)):
        yield f"  {name:{_LABEL - 2}}  {passed:>12,}  {failed:>12,}\n"


def _figures(measured: Measurement) -> Iterator[str]:
    meanings = {"tpr": "of good outputs pass", "tnr": "of bad outputs fail"}
    for rate in RATES:
        if rate in measured.rates:
            interval = _interval(measured.intervals[rate])
            yield _line(
                rate.upper(), _number(measured.rates[rate]), f"{interval}  {meanings[rate]}"
            )
        else:
            yield _line(rate.upper(), "-", "no such outputs")
    kappa = measured.kappa_interval
    yield _line(
        "Cohen's kappa", _number(measured.kappa), _interval(kappa) if kappa else _NO_INTERVAL
    )
    if measured.ranks:
        ranks = measured.ranks
        if ranks.quadratic_kappa is not None:
            linear = f"of levels, quadratic; {_number(ranks.linear_kappa)} linear"
            yield _line("weighted kappa", _number(ranks.quadratic_kappa), linear)
        yield _line("AUC", _number(ranks.auc), "of pairs in the right order")
        yield _line("Spearman's rho", _number(measured.ranks.spearman))
        yield _line("Kendall's tau-b", _number(measured.ranks.kendall_tau_b))


def _corrected_lines(measured: Measurement) -> Iterator[str]:
    if measured.observed:
        rate, n = measured.observed
        yield _line("observed pass rate", _number(rate), f"of {many(int(n), 'output')}")
    if measured.corrected:
        rate, interval = measured.corrected.clipped
        yield _line("corrected pass rate", _number(rate), _interval(interval))


def _thresholds(measured: Measurement, *, is_chosen: bool) -> Iterator[str]:
    used = measured.threshold
    best = measured.best.score if measured.best else None
    every = {each.score: each for each in measured.thresholds}
    ranked = sorted(every.values(), key=_merit, reverse=True)[:_THRESHOLDS]
    shown = {each.score: each for each in ranked}
    if best is not None:
        shown[best] = every[best]
    scores = sorted(shown)
    yield f"{'pass from':>12}  {'TPR':>6}  {'TNR':>6}  {'balanced':>8}\n"
    for score in scores:
        each = shown[score].agreement
        youden = each.youden
        balanced = None if youden is None else (youden + 1) / 2
        marks = ["best"] if score == best else []
        marks += ["chosen" if is_chosen else "in use"] if score == used else []
        line = (
            f"{score:>12g}  {_number(each.rate('tpr')):>6}  {_number(each.rate('tnr')):>6}  "
            f"{_number(balanced):>8}  {', '.join(marks)}"
        )
        yield f"{line.rstrip()}\n"
    if used is not None and used not in shown:
        yield f"{used:>12g}  {'':24}in use\n"
    hidden = len(every) - len(shown)
    if hidden:
        yield f"{'…':>12}  {hidden:,} more: `--output-format json` has all\n"


def _merit(threshold: ChosenThreshold) -> float:
    youden = threshold.agreement.youden
    return -2.0 if youden is None else youden


def _remarks(remarks: Sequence[Remark]) -> Iterator[str]:
    if remarks:
        yield "\n"
    for remark in remarks:
        text = f"warning: {remark.message}"
        yield from (f"{line}\n" for line in wrap(text, _WIDTH, subsequent_indent="  "))


def _line(name: str, value: str, more: str = "") -> str:
    return f"{name:{_LABEL}}  {value:>6}  {more}".rstrip() + "\n"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _interval(interval: Interval) -> str:
    return f"{interval.lower:.3f} to {interval.upper:.3f}"


VERSION = "1.0"
# What `usage_fields` leaves out if there is none.
_NO_USAGE: dict[str, Any] = {
    "cost": None,
    "repeated": 0,
    "lenient": 0,
    "readings": {},
    "unasked": 0,
}


def document_of(
    result: CalibrationResult, usage: Usage, version: str, *, is_written: bool
) -> dict[str, Any]:
    """Return the document; `version` is that of the program, `usage` what was asked.

    Figures that are not defined are None. Only the corrected pass rate as computed, `unclipped`,
    may lie outside of 0 to 1.
    """
    measured = result.measured
    return {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": version},
        "judge": {"reference": result.judge, "file": result.file, "score_type": result.score_type},
        "labels": {
            **result.labels._asdict(),
            "splits": dict(result.labels.splits),
            "annotators": result.labels.annotators and result.labels.annotators._asdict(),
        },
        "asked": None if usage.is_empty else {**_NO_USAGE, **usage_fields(usage)},
        "confusion_matrix": measured.agreement._asdict(),
        **{rate: _figure(measured.rates.get(rate), measured.intervals.get(rate)) for rate in RATES},
        "kappa": _figure(measured.kappa, measured.kappa_interval),
        "scores": _scores(result) if measured.thresholds else None,
        "pass_rate": _pass_rate(measured),
        "warnings": [remark._asdict() for remark in result.remarks],
        "validation": result.validation and dict(result.validation),
        "written": is_written,
        "refusal": result.refusal,
    }


def _figure(value: float | None, interval: Interval | None) -> dict[str, Any]:
    level = None if interval is None else {**interval._asdict(), "level": LEVEL}
    return {"value": value, "interval": level}


def _scores(result: CalibrationResult) -> dict[str, Any]:
    measured = result.measured
    ranks = measured.ranks or Ranks(None, None)
    return {
        "threshold": measured.threshold,
        "is_chosen": result.is_chosen,
        "best": measured.best.score if measured.best else None,
        **ranks._asdict(),
        "thresholds": [_threshold(each) for each in measured.thresholds],
    }


def _threshold(threshold: ChosenThreshold) -> dict[str, Any]:
    agreement = threshold.agreement
    rates = {rate: agreement.rate(rate) for rate in RATES}
    return {"pass_from": threshold.score, **rates, "youden": agreement.youden}


def _pass_rate(measured: Measurement) -> dict[str, Any] | None:
    if measured.observed is None:
        return None
    corrected = measured.corrected
    return {
        "observed": measured.observed.rate,
        "n": int(measured.observed.n),
        "corrected": corrected and _figure(*corrected.clipped),
        "unclipped": corrected and _figure(*corrected),
    }
