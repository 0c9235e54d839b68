"""The `validation` block of a judge that records a measurement."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.rates import LEVEL, RATES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.calibrating.measuring import Measurement

_DIGITS = 4
#: The keys that a measurement decides on; others, such as notes, are the author's.
_MEASURED = frozenset(
    {
        "confidence_intervals",
        "confusion_matrix",
        "judge_version",
        "model",
        "sample_size",
        "split",
        "template_sha256",
        "tnr",
        "tpr",
        "validated_against",
        "validated_at",
    }
)


class Subject(NamedTuple):
    """What was measured on what: the keys of a validation beside its numbers; None is left out."""

    validated_against: str
    validated_at: str
    split: str | None
    judge_version: str
    template_sha256: str
    model: Mapping[str, Any] | None


def validation_of(measured: Measurement, subject: Subject, old: Any) -> dict[str, Any]:
    """Return a validation with both rates, which agree with its counts to the digits given.

    The author's own keys of the `old` validation are kept.
    """
    kept = (
        {key: part for key, part in old.items() if key not in _MEASURED}
        if (isinstance(old, dict))
        else {}
    )
    block: dict[str, Any] = {
        "validated_against": subject.validated_against,
        "validated_at": subject.validated_at,
        "split": subject.split,
        "sample_size": measured.agreement.total,
        "confusion_matrix": measured.agreement._asdict(),
        **{rate: round(measured.rates[rate], _DIGITS) for rate in RATES},
        "confidence_intervals": {
            rate: {
                **{
                    end: round(at, _DIGITS)
                    for end, at in measured.intervals[rate]._asdict().items()
                },
                "level": LEVEL,
                "method": "wilson",
            }
            for rate in RATES
        },
        "judge_version": subject.judge_version,
        "template_sha256": subject.template_sha256,
        "model": dict(subject.model) if subject.model else None,
    }
    return {key: part for key, part in block.items() if part is not None} | kept
