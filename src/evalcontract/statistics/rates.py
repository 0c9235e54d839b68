"""Rates and their intervals: agreement, Wilson, bootstrap, corrected rates."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import ceil, floor, log, log1p, sqrt
from random import Random
from typing import NamedTuple

#: The two rates of a judge: of the outputs that people passed, and of those that they failed.
RATES = ("tpr", "tnr")


class Agreement(NamedTuple):
    """A confusion matrix. Positive means PASS."""

    tp: int
    fn: int
    tn: int
    fp: int

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[bool, bool]]) -> Agreement:
        """Count pairs of verdicts: whether people passed an output, and whether the judge did."""
        counts = {(True, True): 0, (True, False): 0, (False, False): 0, (False, True): 0}
        for human, judge in pairs:
            counts[bool(human), bool(judge)] += 1
        return cls(*counts.values())

    @property
    def total(self) -> int:
        """The number of outputs compared."""
        return self.tp + self.fn + self.tn + self.fp

    def of(self, rate: str) -> tuple[int, int]:
        """Return the counts behind a rate: how many the judge got right, and the total."""
        if rate == "tpr":
            return self.tp, self.tp + self.fn
        return self.tn, self.tn + self.fp

    def rate(self, name: str) -> float | None:
        """Return `tpr` = tp / (tp + fn) or `tnr` = tn / (tn + fp); None for a class of nothing."""
        right, of_all = self.of(name)
        return right / of_all if of_all else None

    @property
    def youden(self) -> float | None:
        """Youden's J = TPR + TNR - 1, from -1 to 1; None if a class is empty.

        W. J. Youden, "Index for rating diagnostic tests", Cancer 3 (1950), 32-35. A judge whose
        J is 0 or less is no better than chance. Balanced accuracy is (J + 1) / 2.
        """
        tpr, tnr = self.rate("tpr"), self.rate("tnr")
        return None if tpr is None or tnr is None else tpr + tnr - 1


def cohens_kappa(agreement: Agreement) -> float | None:
    """Return Cohen's kappa, (po - pe) / (1 - pe), at most 1.

    `po` is the share of outputs on which both agree, `pe` the share expected by chance from how
    often each passes. J. Cohen, "A coefficient of agreement for nominal scales", Educational and
    Psychological Measurement 20 (1960), 37-46. None without outputs, or if both raters gave one
    and the same verdict throughout.
    """
    total = agreement.total
    if not total:
        return None
    tp, fn, tn, fp = agreement
    expected = (tp + fn) * (tp + fp) + (tn + fp) * (tn + fn)  # times total²
    if expected == total * total:
        return None
    return (total * (tp + tn) - expected) / (total * total - expected)


#: The 97.5 % point of the standard normal distribution, and the level that it stands for.
Z95 = 1.959963984540054
LEVEL = 0.95
_CEILING = 10**12  # larger counts are treated as this one, to avoid float overflow

#: How often a sample is drawn, and the most outputs that are drawn for one interval.
RESAMPLES, _FEWEST, _MOST_DRAWS = 2000, 200, 2_000_000
SEED = 20250101
# Beyond so many outputs, their four numbers are drawn instead of each of them; a number that is
# larger than this on average is drawn from the normal distribution.
_MOST_SINGLE, _MOST_COUNTED = 10_000, 1000


class Interval(NamedTuple):
    """A confidence interval of 95 %: its ends."""

    lower: float
    upper: float

    @property
    def width(self) -> float:
        """The distance of the ends."""
        return self.upper - self.lower


def wilson_interval(right: float, of_all: float) -> Interval:
    """Return the 95 % confidence interval of a rate; both ends are from 0 to 1.

    The rate is `right` / `of_all`; `of_all` is more than 0, neither need be whole. The score
    interval of E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", Journal of the American Statistical Association 22 (1927), 209-212:
    (p + z²/2n ± z √(p(1-p)/n + z²/4n²)) / (1 + z²/n) with p = right/of_all, n = of_all.
    """
    n = min(of_all, _CEILING)
    p = right / of_all
    z2 = Z95 * Z95
    middle = p + z2 / (2 * n)
    spread = Z95 * sqrt(p * (1 - p) / n + z2 / (4 * n * n))
    whole = 1 + z2 / n
    return Interval(max(0.0, (middle - spread) / whole), min(1.0, (middle + spread) / whole))


def bootstrap_interval(
    agreement: Agreement, figure: Callable[[Agreement], float | None], *, seed: int = SEED
) -> Interval | None:
    """Return the 95 % percentile bootstrap interval of a figure of a confusion matrix.

    Samples of the same size are drawn with replacement from the outputs compared, 2,000 of them
    (fewer, but at least 200, for more than 1,000 outputs; of more than 10,000, the large cells of
    the matrix are drawn from the normal distribution); the ends are the 2.5 % and the 97.5 %
    point of the figure, interpolated between neighbours. B. Efron, "Bootstrap methods: another look
    at the jackknife", Annals of Statistics 7 (1979), 1-26. Samples for which the figure is None are
    left out; the result is None if that is all of them. A seed always gives the same result.
    """
    from random import Random  # slow to import

    if not agreement.total:
        return None
    random = Random(seed)  # noqa: S311 - statistics, which must be repeatable
    draw = _each if agreement.total <= _MOST_SINGLE else _numbers
    draws = min(RESAMPLES, max(_FEWEST, _MOST_DRAWS // agreement.total))
    figures: list[float] = []
    for _ in range(draws):
        value = figure(draw(agreement, random))
        if value is not None:
            figures.append(value)
    if not figures:
        return None
    ordered, tail = sorted(figures), (1 - LEVEL) / 2
    return Interval(_point(ordered, tail), _point(ordered, 1 - tail))


def _each(agreement: Agreement, random: Random) -> Agreement:
    """Draw a sample output by output."""
    drawn = random.choices(range(4), agreement, k=agreement.total)
    return Agreement(*(drawn.count(cell) for cell in range(4)))


def _numbers(agreement: Agreement, random: Random) -> Agreement:
    """Draw the numbers of a sample: each is binomial, given those before it."""
    drawn: list[int] = []
    left, total = agreement.total, agreement.total
    for count in agreement:
        drawn.append(_binomial(left, count / total, random) if total else 0)
        left, total = left - drawn[-1], total - count
    return Agreement(*drawn)


def _binomial(trials: int, chance: float, random: Random) -> int:
    """Draw how many of some trials succeed."""
    if chance > 1 / 2:
        return trials - _binomial(trials, 1 - chance, random)
    mean = trials * chance
    if mean > _MOST_COUNTED:
        return min(trials, max(0, round(random.gauss(mean, sqrt(mean * (1 - chance))))))
    successes = at = 0
    while chance:
        # The number of trials up to the next success is geometric.
        at += floor(log(1 - random.random()) / log1p(-chance)) + 1
        if at > trials:
            break
        successes += 1
    return successes


def _point(ordered: list[float], share: float) -> float:
    """Return a quantile, interpolated linearly (Hyndman and Fan's definition 7)."""
    at = share * (len(ordered) - 1)
    below, above = ordered[floor(at)], ordered[ceil(at)]
    return below + (above - below) * (at - floor(at))


class CorrectedRate(NamedTuple):
    """A corrected pass rate with its interval, as computed: they may lie outside of 0 to 1."""

    rate: float
    interval: Interval

    @property
    def clipped(self) -> CorrectedRate:
        """The same within 0 to 1, where a rate has to be."""
        return CorrectedRate(_clip(self.rate), Interval(*map(_clip, self.interval)))


class MeasuredRate(NamedTuple):
    """A rate that was measured on `n` outputs."""

    rate: float
    n: float


def corrected_rate(observed: float, tpr: float, tnr: float) -> float | None:
    """Return the true pass rate behind an observed one, not clipped to 0..1.

    (observed + TNR - 1) / (TPR + TNR - 1), by W. J. Rogan and B. Gladen, "Estimating prevalence
    from the results of a screening test", American Journal of Epidemiology 107 (1978), 71-76.
    None if TPR + TNR <= 1: such a judge is no better than chance, and nothing follows from it.
    """
    youden = tpr + tnr - 1
    return (observed + tnr - 1) / youden if youden > 0 else None


def corrected_interval(
    observed: MeasuredRate, tpr: MeasuredRate, tnr: MeasuredRate
) -> Interval | None:
    """Return the 95 % interval of the corrected pass rate, not clipped to 0..1.

    It accounts for the sample of the observed rate and for both samples of labels. The form of
    Z. Lang and J. Reiczigel, "Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity", Preventive Veterinary Medicine 113 (2014), 13-22, as given for
    judges by C. Lee et al., arXiv:2511.21140. All three rates and sizes are adjusted first: z²/2
    passes and z²/2 fails are added to the observed sample, one right and one wrong verdict to
    each class. None if then TPR + TNR <= 1.
    """
    z2 = Z95 * Z95
    p, n = _with(observed, z2 / 2)
    (q1, m1), (q0, m0) = _with(tpr, 1), _with(tnr, 1)
    middle = corrected_rate(p, q1, q0)
    if middle is None:
        return None
    spread1, spread0 = q1 * (1 - q1) / m1, q0 * (1 - q0) / m0
    shift = 2 * z2 * (middle * spread1 - (1 - middle) * spread0)
    variance = p * (1 - p) / n + (1 - middle) ** 2 * spread0 + middle**2 * spread1
    margin = Z95 * sqrt(variance) / (q0 + q1 - 1)
    return Interval(middle + shift - margin, middle + shift + margin)


def _with(measured: MeasuredRate, added: float) -> MeasuredRate:
    """Return what a rate is with so many more outputs of either sort."""
    rate, n = measured
    return MeasuredRate((n * rate + added) / (n + 2 * added), n + 2 * added)


def corrected(observed: MeasuredRate, agreement: Agreement) -> CorrectedRate | None:
    """Return the corrected pass rate by a judge with this agreement; None if it has no meaning.

    That is so if a class is empty, or if TPR + TNR <= 1.
    """
    (_, m1), (_, m0) = agreement.of("tpr"), agreement.of("tnr")
    tpr, tnr = agreement.rate("tpr"), agreement.rate("tnr")
    if tpr is None or tnr is None:
        return None
    rate = corrected_rate(observed.rate, tpr, tnr)
    interval = corrected_interval(observed, MeasuredRate(tpr, m1), MeasuredRate(tnr, m0))
    return None if rate is None or interval is None else CorrectedRate(rate, interval)


def _clip(value: float) -> float:
    return min(1.0, max(0.0, value))
