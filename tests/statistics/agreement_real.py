"""What scikit-learn and krippendorff compute of agreement, about many cases."""

from __future__ import annotations

import json
import math
import sys
import warnings
from itertools import zip_longest
from typing import Any

import krippendorff
import numpy as np
from sklearn.metrics import cohen_kappa_score, roc_auc_score

warnings.simplefilter("ignore")


def kappa(left: list[int], right: list[int], power: int) -> float | None:
    """Return a weighted kappa."""
    weights = {1: "linear", 2: "quadratic"}[power]
    labels = [*range(max(*left, *right) + 1)]
    return _known(cohen_kappa_score(left, right, labels=labels, weights=weights))


def alpha(units: list[list[float]], metric: str) -> float | None:
    """Return Krippendorff's alpha of units of any sizes."""
    raters = np.array([*zip_longest(*units, fillvalue=math.nan)], dtype=float)
    return _known(krippendorff.alpha(reliability_data=raters, level_of_measurement=metric))


def auc(humans: list[bool], scores: list[float]) -> float | None:
    """Return the area under the ROC curve."""
    return _known(roc_auc_score(humans, scores))


def _known(value: Any) -> float | None:
    return None if math.isnan(value) else float(value)


_ASKED = {each.__name__: each for each in (kappa, alpha, auc)}


def main() -> None:
    """Answer one question about many cases."""
    cases: list[list[Any]] = json.load(sys.stdin)
    sys.stdout.write(json.dumps([_ASKED[sys.argv[1]](*case) for case in cases]) + "\n")


if __name__ == "__main__":
    main()
