"""What will become of the metrics and judges of Evret on a query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import GraderPrediction
from evalcontract.formats.evret.releases import ANSWERS, ids_key, parsed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats.evret.releases import Release

METRICS = ("HitRate", "Recall", "Precision", "MRR", "NDCG", "AveragePrecision")
#: Those that came with 0.0.2.
LATER_METRICS = ("ERR", "RBP")
JUDGES = ("TokenOverlapJudge", "SemanticJudge", "LLMJudge")


def predictions(row: dict[str, Any], release: Release) -> Iterator[GraderPrediction]:
    """Yield what will become of each metric, and of each judge that may be chosen."""
    query = parsed(row, release)
    field = ids_key(row, release) if query.ids else ANSWERS if query.answers else None
    later = () if release.version == "0.0.1" else LATER_METRICS
    for name in (*METRICS, *later):
        if field is None:
            yield GraderPrediction(
                name, "metric", "fail", "nothing is expected, so it is always 0.0"
            )
        else:
            yield GraderPrediction(name, "metric", "run", None, field)
    # Up to 0.0.2 a judge compares whatever is expected; 0.0.3 compares ids by themselves.
    is_judged = release.version != "0.0.3" or not query.ids
    for name in JUDGES:
        if field is None:
            yield GraderPrediction(name, "judge", "skip", "nothing is expected")
        elif is_judged:
            yield GraderPrediction(name, "judge", "run", None, field)
        else:
            yield GraderPrediction(
                name, "judge", "skip", "document ids are compared without it", field
            )
