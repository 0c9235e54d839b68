"""How often two raters agree on passing outputs: the confusion matrix and Cohen's kappa."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

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
