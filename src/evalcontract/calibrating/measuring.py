"""Measure how well a judge agrees with people on joined outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.scale import reaches
from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.rates import (
    RATES,
    Agreement,
    Corrected,
    Interval,
    Measured,
    bootstrap_interval,
    cohens_kappa,
    corrected,
    wilson_interval,
)
from evalcontract.statistics.scores import Threshold, best, kendall_tau_b, spearman, sweep

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcontract.calibrating.joining import Item

#: A threshold that is to be chosen from the labels.
AUTO = "auto"


class Ranks(NamedTuple):
    """How far scores rise with what people said; each from -1 to 1, or None if undefined."""

    spearman: float | None
    kendall_tau_b: float | None


class Measurement(NamedTuple):
    """The agreement of a judge with people.

    `rates` and `intervals` (Wilson) are those of `tpr` and `tnr`; a class without outputs has
    none. `kappa_interval` is a bootstrap interval. A numeric judge has a `threshold`, all that it
    can have, the `best` of them, and `ranks`. `corrected` is the pass rate behind the `observed`
    one; None if none was given, or if it has no meaning.
    """

    agreement: Agreement
    rates: Mapping[str, float]
    intervals: Mapping[str, Interval]
    kappa: float | None
    kappa_interval: Interval | None
    threshold: float | None = None
    thresholds: Sequence[Threshold] = ()
    best: Threshold | None = None
    ranks: Ranks | None = None
    observed: Measured | None = None
    corrected: Corrected | None = None

    @property
    def is_complete(self) -> bool:
        """Whether both rates are known."""
        return all(rate in self.rates for rate in RATES)


def measure(
    items: Sequence[Item],
    threshold: float | str | None = None,
    observed: Measured | None = None,
    *,
    is_numeric: bool = False,
) -> Measurement:
    """Measure the agreement on outputs.

    A numeric judge needs a `threshold`, the lowest score that passes; with `AUTO` it is the best
    one on these outputs. If there is no best one, because people passed or failed all outputs, it
    is the lowest score.
    """
    if not is_numeric:
        return _measured(
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
    return _measured(agreement, observed)._replace(
        threshold=threshold,
        thresholds=thresholds,
        best=top,
        ranks=Ranks(spearman(scores, people), kendall_tau_b(scores, people)),
    )


def _measured(agreement: Agreement, observed: Measured | None) -> Measurement:
    rates = {name: rate for name in RATES if (rate := agreement.rate(name)) is not None}
    return Measurement(
        agreement,
        rates,
        {name: wilson_interval(*agreement.of(name)) for name in rates},
        cohens_kappa(agreement),
        bootstrap_interval(agreement, cohens_kappa),
        observed=observed,
        corrected=corrected(observed, agreement) if observed else None,
    )
