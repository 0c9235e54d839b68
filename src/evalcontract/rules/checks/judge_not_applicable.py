"""
A rubric uses a judge that was validated for other domains only.

Why: How well a judge agrees with people in one domain says little about another. A rubric's
domains are its `applicable_bundles`, a judge's are its `applicable_to`.

Bad:
    # file: rubrics/right.yaml
    id: right
    version: "1.0.0"
    applicable_bundles: [order_support]
    checks:
      - {id: accuracy, kind: llm_judge, judge_prompt_ref: judge/accuracy@1.0.0}
    scoring: {combine: all_pass}
    # file: judges/accuracy.yaml
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    applicable_to: [release_notes]
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}

Good:
    # file: rubrics/right.yaml
    id: right
    version: "1.0.0"
    applicable_bundles: [order_support]
    checks:
      - {id: accuracy, kind: llm_judge, judge_prompt_ref: judge/accuracy@1.0.0}
    scoring: {combine: all_pass}
    # file: judges/accuracy.yaml
    id: accuracy
    version: "1.0.0"
    template: "Is it right? {{ output }}"
    applicable_to: [release_notes, order_support]
    validation: {tpr: 0.95, tnr: 0.9, validated_at: 2026-05-08, sample_size: 200}
"""

from collections.abc import Iterator
from typing import Any

from evalcontract.library.library import Artifact, Library, rubric_steps
from evalcontract.model.nearest import normalise
from evalcontract.model.reference import Kind
from evalcontract.model.values import listed
from evalcontract.rules._rule import (
    Code,
    Context,
    Path,
    Problem,
    Problems,
    Related,
    Severity,
    Subject,
    rule,
)


@rule(Code("rubric/judge-not-applicable", strict=Severity.WARNING, page=__doc__))
def RULE(subject: Subject, context: Context) -> Problems:
    bundles = subject.value.get("applicable_bundles", [])
    library = context.library
    for path, judge in _judges(subject.artifact, library):
        if _is_foreign(judge, bundles):
            yield _problem(path, judge, bundles, via="")
    for use, inner in rubric_steps(subject.artifact, library):
        own = inner.document.value.get("applicable_bundles", [])
        for _, judge in _judges(inner, library):
            # If the judge does not apply to the inner rubric either, that rubric reports it.
            if _is_foreign(judge, bundles) and not _is_foreign(judge, own):
                yield _problem(use.path, judge, bundles, via=f", which {inner.name} uses,")


def _judges(rubric: Artifact, library: Library) -> Iterator[tuple[Path, Artifact]]:
    for use, target in library.resolved_uses(rubric):
        if target.kind is Kind.JUDGE:
            yield use.path, target


def _is_foreign(judge: Artifact, bundles: Any) -> bool:
    """Whether both name domains and, ignoring spelling variants, have none in common."""
    domains = judge.document.value.get("applicable_to")
    if not (isinstance(domains, list) and isinstance(bundles, list) and domains and bundles):
        return False
    if not all(isinstance(name, str) for name in (*domains, *bundles)):
        return False
    return not set(map(normalise, domains)) & set(map(normalise, bundles))


def _problem(path: Path, judge: Artifact, bundles: list[str], via: str) -> Problem:
    domains = listed(f"`{domain}`" for domain in judge.document.value["applicable_to"])
    wanted = listed(f"`{bundle}`" for bundle in bundles)
    return Problem(
        RULE.code,
        f"{judge.name}{via} was validated for {domains}, not for {wanted}",
        path,
        "use a judge for this domain, or validate it there and add the domain to `applicable_to`",
        related=(Related("the judge's domains", ("applicable_to",), judge.file),),
    )
