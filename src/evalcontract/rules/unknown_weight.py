"""
A weight names no check of the rubric.

Why: The weight is read by nobody, and the check that was meant counts as if it had none.

Bad:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: weighted_avg, weights: {no_insult: 2}}

Good:
    id: polite
    version: "1.0.0"
    checks:
      - {id: no_insults, kind: must_not_contain, values: [stupid]}
    scoring: {combine: weighted_avg, weights: {no_insults: 2}}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.diagnostic import Problem
from evalcontract.model.listing import listed
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.rules._rule import Context, Subject, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

CODE = "rubric/unknown-weight"


@rule(CODE, Kind.RUBRIC, page=__doc__)
def RULE(subject: Subject, context: Context) -> Iterator[Problem]:
    weights = subject.value.get("scoring", {}).get("weights", {})
    # All ids as written, those of ill-formed checks too: their weight is not the mistake.
    written = subject.artifact.document.value.get("checks", [])
    ids = [each["id"] for each in written if isinstance(each, dict) and "id" in each]
    for key in weights:
        if key not in ids:
            free = [id_ for id_ in ids if id_ not in weights]
            meant = nearest(key, free) or nearest(key, ids)
            advice = f"did you mean `{meant}`?" if meant else f"the checks are: {listed(ids)}"
            path = ("scoring", "weights", key)
            yield Problem(CODE, f"no check has the id `{key}`", path, advice, on_key=True)
