"""The judges of a check: what they read of a row, how they are asked, and how a jury decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from statistics import median
from typing import TYPE_CHECKING, Any

from evalcontract.checks._kind import EvalContext, Field, Needs, State, never_runs
from evalcontract.checks.outcome import (
    NO_MODEL,
    End,
    Outcome,
    Output,
    Verdict,
    combined,
    error,
    of_judges,
    unavailable,
)
from evalcontract.library.library import Artifact
from evalcontract.library.scores import TOLERANCE, reaches
from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.scores import weighted_mean

if TYPE_CHECKING:
    from evalcontract.analysis.template import Template
    from evalcontract.analysis.template_tags import Tag


#: The variables of templates that are keys of a row and may be missing.
_ROOTS: tuple[Field, ...] = ("criteria", "expected", "context")
#: The kinds of tags that test for a variable.
_TESTS = ("section", "inverted")


def needs_of_judges(
    references: Iterable[str], context: EvalContext, *, of_row: bool = True
) -> Needs:
    """Return what judges need from a row; the check never runs if a judge is missing.

    With `of_row`, keys such as `expected.facts` must be in the row; without it, the check itself
    provides `expected`.
    """
    judges: list[Artifact] = []
    for text in references:
        judge = context.library.artifact_of(text)
        if judge is None:
            return never_runs(State.UNAVAILABLE, f"there is no `{text}`")
        if not isinstance(judge.document.value.get("template"), str):
            return never_runs(State.UNAVAILABLE, f"`{text}` has no template")
        judges.append(judge)
    return needs_of(judges, of_row=of_row)


def needs_of(judges: Sequence[Artifact], *, of_row: bool = True) -> Needs:
    """Return what the templates of judges need from a row; `of_row` is as above."""
    fields: dict[Field, None] = {}
    paths: dict[Field, None] = {}
    for judge in judges:
        shown = _shown_roots(judge)
        fields.update(
            dict.fromkeys(
                field for field in _ROOTS if field in shown and (of_row or field != "expected")
            )
        )
        if of_row:
            paths.update(dict.fromkeys(_paths(judge)))
    return Needs(tuple(fields), present=tuple(paths), judges=tuple(judges))


def tag_for(judges: Iterable[Artifact], field: Field) -> tuple[Artifact, Tag] | None:
    """Return the first tag that shows a field, with its judge; or None."""
    for judge in judges:
        tag = _tag_in(judge.document.value["template"], field)
        if tag is not None:
            return judge, tag
    return None


@lru_cache(maxsize=1 << 14)  # it is asked for each row that lacks the field
def _tag_in(template: str, field: Field) -> Tag | None:
    """Return the first tag of a template that shows a field; or None."""
    for tag in _scan(template).tags:
        is_shown = tag.name == field or tag.name.startswith(f"{field}.")
        if is_shown and tag.kind in ("variable", "raw"):
            return tag
    return None


def reads_of_judges(references: Iterable[str], context: EvalContext) -> frozenset[str]:
    """Return the fields that the templates of judges mention, or were meant to.

    `expected` means all of it, `expected.answer` that key and what is below it. A section that
    only tests for `expected` reads none of its keys.
    """
    fields: set[str] = set()
    for text in references:
        judge = context.library.artifact_of(text)
        template = judge.document.value.get("template") if judge else None
        if isinstance(template, str):
            scanned = _scan(template)
            shows_all = any(tag.name == "." for tag in scanned.tags)
            fields |= {
                tag.name
                for tag in scanned.tags
                if tag.name.split(".")[0] in _ROOTS
                and (shows_all or tag.name != "expected" or tag.kind not in (*_TESTS, "close"))
            }
            fields |= {root for fault in scanned.faults for root in fault.meant if root in _ROOTS}
    return frozenset(fields)


def _scan(template: str) -> Template:
    from evalcontract.analysis.template import scan  # slow to import

    return scan(template)


def _paths(judge: Artifact) -> list[str]:
    """Return the dotted names that a template requires."""
    # A name is optional if a section tests it or a prefix of it.
    template = _scan(judge.document.value["template"])
    tested = {tag.name for tag in template.tags if tag.kind in _TESTS}
    return sorted(path for path in template.paths if tested.isdisjoint(_prefixes(path)))


def _prefixes(path: str) -> Iterator[str]:
    """Yield a dotted name and its prefixes, the longest first."""
    while path:
        yield path
        path = path.rpartition(".")[0]


def _shown_roots(judge: Artifact) -> set[str]:
    """Return the variables that a template requires: it shows them, and no section tests them."""
    template = _scan(judge.document.value["template"])
    tested = {tag.name.split(".")[0] for tag in template.tags if tag.kind in _TESTS}
    return set(template.shown) - tested


#: The variables of templates that are keys of a row.
_OF_ROW = ("input", "criteria", "expected", "context")


class Panel(NamedTuple):
    """The judges of a check, each with its reference, and how they are asked."""

    judges: tuple[tuple[str, Artifact], ...]
    asking: Callable[[Artifact, Mapping[str, Any]], Verdict]

    def ask(self, variables: Mapping[str, Any]) -> list[Verdict]:
        """Return the verdict of each judge: passed or failed with a score, else what hinders it."""
        return [
            _certain(reference, self.asking(judge, variables)) for reference, judge in self.judges
        ]


def _certain(reference: str, verdict: Verdict) -> Verdict:
    """Return a verdict that passes or fails with a score; another one as an error that says so."""
    if verdict.outcome is Outcome.UNAVAILABLE:
        return verdict
    if verdict.outcome in (Outcome.PASSED, Outcome.FAILED) and verdict.score is not None:
        return verdict
    reason = f"`{reference}` came to no verdict: {verdict.reason or verdict.outcome}"
    return error(reason, **(verdict.details or {}))


def panel_of(references: Iterable[str], context: EvalContext) -> Panel | Verdict:
    """Return the judges that references lead to, or the verdict of a check that cannot ask them."""
    judges = []
    for reference in references:
        judge = context.library.artifact_of(reference)
        if judge is None:
            return unavailable(f"there is no `{reference}`")
        judges.append((reference, judge))
    return NO_MODEL if context.ask is None else Panel(tuple(judges), context.ask)


def variables_of(row: Mapping[str, Any], output: Output) -> dict[str, Any]:
    """Return the variables of templates for an output; its own context stands for the row's."""
    variables = {key: row[key] for key in _OF_ROW if row.get(key) is not None}
    if output.context is not None:
        variables["context"] = output.context
    return {**variables, "output": output.text}


def decide(
    jury: Mapping[str, Any], verdicts: Sequence[Verdict], threshold: float | None = None
) -> Verdict:
    """Return the verdict of a jury; `verdicts` are those of its judges, in order.

    The majority of the votes decides, by the weights of the judges, or `tie_break` in a tie; with a
    `threshold`, the score decides. With `majority_vote` the score is 1 or 0, otherwise what
    `aggregation` makes of the scores. Only `majority_vote` and `weighted_average` use the weights.
    A judge that gave no verdict may have given any; see `combined`.
    """
    weights = _weights(jury)
    if not any(weights):
        return error("all judges of the jury have a weight of 0")
    result = combined(verdicts, partial(_end, jury, weights, threshold))
    details = {
        "scores": [verdict.score for verdict in verdicts],
        "passes": [_vote(verdict) for verdict in verdicts],
        "judges": [verdict.details for verdict in verdicts],
    }
    return of_judges(result, verdicts, _reason(verdicts, weights), details=details)


def _weights(jury: Mapping[str, Any]) -> list[float]:
    if jury["aggregation"] in ("average", "median"):
        return [1.0] * len(jury["judges"])
    return [float(juror["weight"]) for juror in jury["judges"]]


def _end(
    jury: Mapping[str, Any], weights: list[float], threshold: float | None, ends: list[End]
) -> End:
    """Return what a jury makes of verdicts that are known."""
    share = _share([bool(end.passed) for end in ends], weights)
    passes = jury["tie_break"] == "pass" if _is_half(share) else share > 0.5  # noqa: PLR2004 - half
    scores = [end.score for end in ends]
    if jury["aggregation"] == "majority_vote":
        score = float(passes)
    elif jury["aggregation"] == "median":
        score = float(median(scores))
    else:
        score = weighted_mean(scores, weights) or 0.0
    return End(score, passes if threshold is None else reaches(score, threshold))


def _share(votes: list[bool], weights: list[float]) -> float:
    return weighted_mean([float(vote) for vote in votes], weights) or 0.0


def _is_half(share: float) -> bool:
    return abs(share - 0.5) <= TOLERANCE


def _vote(verdict: Verdict) -> bool | None:
    return {Outcome.PASSED: True, Outcome.FAILED: False}.get(verdict.outcome)


def _reason(verdicts: Sequence[Verdict], weights: list[float]) -> str:
    votes = [_vote(verdict) for verdict in verdicts]
    reason = f"{votes.count(True)} of {len(votes)} judges pass it"
    if None in votes:
        return f"{reason}, {votes.count(None)} gave no verdict"
    return (
        f"{reason}, a tie" if _is_half(_share([bool(vote) for vote in votes], weights)) else reason
    )
