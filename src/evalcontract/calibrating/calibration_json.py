"""The result of a calibration for programs, as `schema/calibration.schema.json` describes it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.grading.printed import usage_fields
from evalcontract.statistics.rates import LEVEL, RATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.calibrating.measuring import Measurement
    from evalcontract.calibrating.result import Labels, Result
    from evalcontract.judging.asking import Usage
    from evalcontract.statistics.rates import Corrected, Interval
    from evalcontract.statistics.scores import Threshold

VERSION = "1.0"


def write_json(result: Result, usage: Usage, version: str, *, is_written: bool) -> Iterator[str]:
    """Yield one JSON document; see `document_of`."""
    document = document_of(result, usage, version, is_written=is_written)
    yield f"{json.dumps(document, ensure_ascii=False, indent=2)}\n"


def document_of(result: Result, usage: Usage, version: str, *, is_written: bool) -> dict[str, Any]:
    """Return the document; `version` is that of the program, `usage` what was asked.

    Figures that are not defined are None. Only the corrected pass rate as computed, `unclipped`,
    may lie outside of 0 to 1.
    """
    measured = result.measured
    return {
        "version": VERSION,
        "tool": {"name": "evalcontract", "version": version},
        "judge": {"reference": result.judge, "file": result.file, "score_type": result.score_type},
        "labels": _labels(result.labels),
        "asked": None if usage.is_empty else {"cost": None, **usage_fields(usage)},
        "confusion_matrix": measured.agreement._asdict(),
        **{rate: _rate(measured, rate) for rate in RATES},
        "kappa": {"value": measured.kappa, "interval": _interval(measured.kappa_interval)},
        "scores": _scores(result) if measured.thresholds else None,
        "pass_rate": _pass_rate(measured),
        "warnings": [remark._asdict() for remark in result.remarks],
        "validation": result.validation and dict(result.validation),
        "written": is_written,
        "refusal": result.refusal,
    }


def _labels(labels: Labels) -> dict[str, Any]:
    return {
        "file": labels.file,
        "sha256": labels.sha256,
        "split": labels.split,
        "splits": dict(labels.splits),
        "labelled": labels.labelled,
        "compared": labels.compared,
        "unreadable": labels.unreadable,
        "ties": labels.ties,
        "are_scores": labels.have_scores,
        "annotators": labels.annotators and labels.annotators._asdict(),
    }


def _rate(measured: Measurement, rate: str) -> dict[str, Any]:
    interval = measured.intervals.get(rate)
    return {"value": measured.rates.get(rate), "interval": _interval(interval)}


def _interval(interval: Interval | None) -> dict[str, float] | None:
    return None if interval is None else {**interval._asdict(), "level": LEVEL}


def _scores(result: Result) -> dict[str, Any]:
    measured = result.measured
    ranks = measured.ranks
    return {
        "threshold": measured.threshold,
        "is_chosen": result.is_chosen,
        "best": measured.best.score if measured.best else None,
        "spearman": ranks.spearman if ranks else None,
        "kendall_tau_b": ranks.kendall_tau_b if ranks else None,
        "thresholds": [_threshold(each) for each in measured.thresholds],
    }


def _threshold(threshold: Threshold) -> dict[str, Any]:
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
        "corrected": corrected and _corrected(corrected.clipped),
        "unclipped": corrected and _corrected(corrected),
    }


def _corrected(corrected: Corrected) -> dict[str, Any]:
    return {"value": corrected.rate, "interval": _interval(corrected.interval)}
