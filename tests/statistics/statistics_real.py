"""What SciPy and statsmodels compute: `python statistics_real.py WHAT`, with cases on its input."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np
from scipy import stats
from statsmodels.api import OLS
from statsmodels.stats import contingency_tables
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint


def wilson(right: float, of_all: float) -> list[float]:
    """Return Wilson's interval."""
    return [float(end) for end in proportion_confint(right, of_all, method="wilson")]


def mean(values: list[float]) -> list[float]:
    """Return a mean, its standard error and its interval by t."""
    error, middle = stats.sem(values), np.mean(values)
    return [middle, error, *stats.t.interval(0.95, len(values) - 1, middle, error)]


def clustered(values: list[float], names: list[int]) -> list[float]:
    """Return a mean, its clustered standard error and its interval by t with G - 1 degrees."""
    groups = {"groups": np.array(names), "df_correction": True}
    fit = OLS(values, np.ones(len(values))).fit(cov_type="cluster", cov_kwds=groups, use_t=True)
    return [fit.params[0], fit.bse[0], *fit.conf_int()[0]]


def t_quantile(freedom: float, level: float) -> float:
    """Return the end of the middle share of Student's distribution."""
    return float(stats.t.ppf((1 + level) / 2, freedom))


def t_tail(t: float, freedom: float) -> float:
    """Return the p-value of t in a two-sided test."""
    return float(2 * stats.t.sf(abs(t), freedom))


def paired(before: list[float], after: list[float]) -> list[float]:
    """Return the mean difference, its p-value and its interval by t."""
    found = stats.ttest_rel(after, before)
    ends = found.confidence_interval(0.95)
    return [np.mean(np.subtract(after, before)), found.pvalue, ends.low, ends.high]


def mcnemar(better: int, worse: int) -> float:
    """Return the p-value of McNemar's exact test."""
    return float(contingency_tables.mcnemar([[0, better], [worse, 0]], exact=True).pvalue)


def holm(*p_values: float) -> list[float]:
    """Return p-values corrected by Holm's procedure."""
    return [float(each) for each in multipletests(p_values, method="holm")[1]]


_ALL = (wilson, mean, clustered, t_quantile, t_tail, paired, mcnemar, holm)
_ASKED = {each.__name__: each for each in _ALL}


def main() -> None:
    """Answer one question about many cases."""
    cases: list[list[Any]] = json.load(sys.stdin)
    answers = [_ASKED[sys.argv[1]](*case) for case in cases]
    sys.stdout.write(json.dumps(answers, default=float) + "\n")


if __name__ == "__main__":
    main()
