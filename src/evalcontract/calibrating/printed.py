"""The result of a calibration for people: the counts, the rates and what to keep in mind."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from evalcontract.calibrating.measuring import CalibrationResult, Labels, Measurement, Ranks, Remark
from evalcontract.grading.printed import usage_fields, write_judge_usage
from evalcontract.judging.asking import Usage
from evalcontract.model.values import clipped, escape_controls, many
from evalcontract.statistics.rates import LEVEL, RATES, Interval
from evalcontract.statistics.scores import ChosenThreshold

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
_NO_USAGE: dict[str, Any] = {"cost": None, "repeated": 0, "lenient": 0, "readings": {}}


def write_json(
    result: CalibrationResult, usage: Usage, version: str, *, is_written: bool
) -> Iterator[str]:
    """Yield one JSON document; see `document_of`."""
    document = document_of(result, usage, version, is_written=is_written)
    yield f"{json.dumps(document, ensure_ascii=False, indent=2)}\n"


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
