"""Which checks ask which judges, and their pass rates, corrected for the errors of the judge."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from evalcontract.grading.basis import Sections
from evalcontract.grading.summary import Summary
from evalcontract.library.library import Artifact, Library
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, many
from evalcontract.report.frame import wrapped
from evalcontract.rules._judge import template_digest
from evalcontract.statistics.estimates import FEWEST_CLUSTERS, Estimate, effective_size
from evalcontract.statistics.rates import (
    LEVEL,
    Agreement,
    CorrectedRate,
    MeasuredRate,
    corrected,
)


class JudgedCheck(NamedTuple):
    """A check that asks judges; one inside a composite is called `composite/check`."""

    name: str
    check: Mapping[str, Any]
    judges: list[Artifact]


def judged_checks(rubric: Artifact | None, library: Library) -> Iterator[JudgedCheck]:
    """Yield the checks of a rubric that ask judges."""
    value = rubric.document.value if rubric else None
    checks = value.get("checks") if isinstance(value, dict) else None
    for index, check in enumerate(checks if isinstance(checks, list) else ()):
        if rubric is None or not isinstance(check, dict):
            continue
        name = check.get("id")
        name = name if isinstance(name, str) and name else f"{check.get('kind')}[{index}]"
        reached = [
            target
            for use, target in library.resolved_uses(rubric)
            if use.path[:2] == ("checks", index)
        ]
        judges = [each for each in reached if each.kind is Kind.JUDGE]
        if judges:
            yield JudgedCheck(name, check, judges)
        for inner in reached:
            if inner.kind is Kind.RUBRIC and inner is not rubric:
                for part in judged_checks(_without_composites(inner), library):
                    yield part._replace(name=f"{name}/{part.name}")


def _without_composites(rubric: Artifact) -> Artifact:
    """Return a rubric without its references to rubrics, so that looking into it ends."""
    uses = (use for use in rubric.uses if use.reference.kind is Kind.JUDGE)
    return rubric._replace(uses=tuple(uses))


class Correction(NamedTuple):
    """The pass rate of a check that asks one judge, and the true one behind it.

    `observed` is of the rows that passed or failed; of rows with several outputs, of these
    `outputs`. `agreement` is how the judge agreed with people; it is None, and so is `corrected`,
    if `reason` says why the rate cannot be corrected.
    """

    rubric: str
    check: str
    judge: str
    observed: Estimate
    outputs: bool = False
    agreement: Agreement | None = None
    corrected: CorrectedRate | None = None
    reason: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON of it; the corrected rate is within 0 to 1."""
        content: dict[str, Any] = {
            "rubric": self.rubric,
            "check": self.check,
            "judge": self.judge,
            "observed": round(self.observed.value, 12),
            "n": self.observed.n,
            "corrected": None,
        }
        if self.corrected is not None:
            rate, interval = self.corrected.clipped
            ends = {name: round(end, 12) for name, end in interval._asdict().items()}
            content |= {"corrected": round(rate, 12), "interval": {**ends, "level": LEVEL}}
        return content if self.reason is None else {**content, "reason": self.reason}


def corrections(summary: Summary, library: Library, used: Sections) -> list[Correction]:
    """Return the pass rates of the checks of a run whose judge was measured against people.

    A check that asks several judges is none of them, and neither is one whose judge has no counts:
    what they would be corrected by is not known. Of rows with several outputs, the rate is that of
    all outputs, since the judge was measured on single ones.
    """
    found = []
    of_rubric: dict[str | None, dict[str, JudgedCheck]] = {}
    for (rubric, name), (_, tally) in summary.checks.items():
        if rubric not in of_rubric:
            checks = judged_checks(library.artifact_of(rubric) if rubric else None, library)
            of_rubric[rubric] = {each.name: each for each in checks}
        known = of_rubric[rubric].get(name)
        outputs = summary.judged.get((rubric, name))
        observed = (outputs or tally).pass_rate
        if known is None or rubric is None or observed is None:
            continue
        if known.check.get("kind") != "llm_judge" or "jury" in known.check:
            continue
        judge = known.judges[0]
        validation = judge.document.value.get("validation")
        agreement = _agreement(validation)
        if agreement is not None:
            row = Correction(rubric, name, judge.name, observed, outputs=outputs is not None)
            model = used.get("models", {}).get(judge.name)
            refusal = next(_refusals(known.check, judge, model), None)
            if refusal is None and observed.interval is None:
                what = "row" if summary.grouping.cluster is None else "cluster"
                few = many(observed.clusters or 0, what)
                refusal = f"{few} are too few to say: at least {FEWEST_CLUSTERS}"
            found.append(_corrected(row, agreement, refusal))
    return found


def _agreement(validation: Any) -> Agreement | None:
    counts = validation.get("confusion_matrix") if isinstance(validation, dict) else None
    keys = ("tp", "fn", "tn", "fp")
    values: list[Any] = [counts.get(key) for key in keys] if isinstance(counts, dict) else []
    is_whole = [type(value) is int and value >= 0 for value in values]
    return Agreement(*values) if values and all(is_whole) else None


def _refusals(check: Mapping[str, Any], judge: Artifact, model: str | None) -> Iterator[str]:
    """Yield why the validation of a judge says nothing about its answers in this check."""
    value = judge.document.value
    validation = value["validation"]
    version, named = validation.get("judge_version"), validation.get("model")
    validated = named.get("name") if isinstance(named, dict) else None
    written = validation.get("template_sha256")
    if "threshold" in check:
        yield "the check has a `threshold` of its own"
    if not isinstance(written, str):
        yield "the validation does not say of which template it is (`template_sha256`)"
    elif written.casefold() != template_digest(value["template"]):
        yield "the judge was validated with another template"
    if version is None:
        yield "the validation does not say of which version it is (`judge_version`)"
    elif version != value.get("version"):
        yield "another version of the judge was validated"
    if validated is None:
        yield "the validation does not say of which model it is (`model`)"
    elif validated != model:
        yield f"the judge was validated on {validated}, and asked over {model or 'no model'}"


def _corrected(row: Correction, agreement: Agreement, refusal: str | None) -> Correction:
    if refusal is not None:
        return row._replace(reason=refusal)
    observed = MeasuredRate(row.observed.value, effective_size(row.observed))
    rate = corrected(observed, agreement)
    reason = None
    if rate is None:
        reason = "TPR and TNR of the judge must be known, and be more than 1 in sum"
    return row._replace(agreement=agreement, corrected=rate, reason=reason)


def write_corrections(found: Iterable[Correction], width: int) -> Iterator[str]:
    """Yield a sentence for each observed rate, with the corrected one or why there is none."""
    for each in found:
        name = f"{clipped(each.rubric, NAME_LENGTH)}: {clipped(each.check, NAME_LENGTH)}"
        of_all = many(each.observed.n, "output" if each.outputs else "row")
        line = f"{name}: pass rate {each.observed.value:.3f} of {of_all} as observed; "
        if each.corrected is None or each.agreement is None:
            line += f"not corrected for errors of {each.judge}: {each.reason}"
        else:
            true, (low, high) = each.corrected.clipped
            rates = [each.agreement.rate(name) or 0.0 for name in ("tpr", "tnr")]
            line += (
                f"{true:.3f}, 95 % interval {low:.3f} to {high:.3f}, corrected for errors of "
                f"{each.judge} (TPR {rates[0]:.3f}, TNR {rates[1]:.3f} of "
                f"{many(each.agreement.total, 'output')})"
            )
        yield from wrapped(escape_controls(line), 0, width)
