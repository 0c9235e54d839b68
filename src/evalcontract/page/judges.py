"""What the page shows of judges: how well each agrees with the labels of people, and where not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import Any

from evalcontract.calibrating.files import (
    CalibrationOptions,
    NamedJudge,
    ReadFile,
    find_judge,
    read_rows,
    scale_for,
)
from evalcontract.calibrating.joining import (
    JoinedRecords,
    LabelledVerdict,
    LabelRecord,
    have_scores,
    join,
)
from evalcontract.calibrating.measuring import Labels, Measurement, measure, remarks
from evalcontract.datasets.opening import Options
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.library.scores import Scale
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Reference
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped
from evalcontract.page.content import GradedRun, JudgeLabels
from evalcontract.page.runs import SENTENCE, answers_of, shown
from evalcontract.statistics.rates import RATES, Interval, wilson_interval
from evalcontract.workspace import display_name

#: The number of disagreements and of thresholds that the page has.
_DISAGREEMENTS, _THRESHOLDS = 2_000, 200
#: The number of problems of the labels that are told.
_PROBLEMS = 20
_BINS = 10


class _Verdicts(NamedTuple):
    """The verdicts of a judge, and the number of the run that has them; None if the labels do."""

    records: Sequence[LabelRecord]
    run: int | None


def judge_data(
    wanted: JudgeLabels, runs: Sequence[GradedRun], root: Path, options: Options
) -> dict[str, Any]:
    """Return how well a judge agrees with labels, whose verdicts may be those of a run.

    Raises:
        UsageError: there is no such judge, the labels cannot be read, or there are no verdicts.

    """
    judge = find_judge(wanted.judge, root, options.configuration)
    if not isinstance(judge, NamedJudge):
        raise UsageError(f"{wanted.judge} cannot be used: {judge[0].message}")
    scale = scale_for(judge, CalibrationOptions(wanted.labels))
    labels = read_rows(wanted.labels, ("id", "human"), judge.workspace)
    name = display_name(wanted.labels)
    if isinstance(labels, list):
        raise UsageError(f"{name} cannot be used: {labels[0].message}")
    rows = labels.records.rows
    verdicts = _verdicts(rows, judge.name, runs)
    if not verdicts.records:
        raise UsageError(f"neither {name} nor the results have verdicts of {judge.name}")
    has_scores = have_scores(scale, (row.values["human"] for row in rows))
    joined = join(rows, verdicts.records, scale, cutoff=scale.threshold if has_scores else None)
    if not joined.items:
        raise UsageError(f"no output has both a label in {name} and a verdict of {judge.name}")
    measured = measure(
        joined.items,
        scale.threshold,
        is_numeric=scale.is_numeric,
        levels=(scale.levels or {}).values(),
    )
    about = _about(labels, joined, has_scores=has_scores)
    found = remarks(measured, about, is_default=scale.is_default)
    problems = [*labels.records.problems, *joined.label_problems, *joined.verdict_problems]
    told = dict.fromkeys(
        shown(
            f"{clipped(each.row, NAME_LENGTH)}: {each.message}" if each.row else each.message,
            SENTENCE,
        )
        for each in problems
    )
    return {
        "judge": shown(judge.name),
        "file": shown(name),
        "run": verdicts.run,
        "labelled": joined.labelled,
        "compared": len(joined.items),
        "ties": joined.ties,
        "scale": [scale.low, scale.high] if scale.is_numeric else None,
        "threshold": scale.threshold if scale.is_numeric else None,
        **_figures(measured),
        "ranks": {} if measured.ranks is None else _known(measured.ranks._asdict()),
        "people": joined.annotators and joined.annotators._asdict(),
        "remarks": [each.message for each in found],
        "problems": [*told][:_PROBLEMS],
        "more_problems": max(len(told) - _PROBLEMS, 0),
        "reliability": [*_reliability(joined.items, scale)],
        **_disagreements(joined, scale),
    }


def _about(labels: ReadFile, joined: JoinedRecords, *, has_scores: bool) -> Labels:
    """Return what is known of the labels."""
    return Labels(
        file=labels.file.file,
        sha256=labels.file.sha256,
        split=None,
        splits={},
        labelled=joined.labelled,
        compared=len(joined.items),
        unreadable=0,
        ties=joined.ties,
        are_scores=has_scores,
        annotators=joined.annotators,
    )


def _verdicts(labels: Iterable[LabelRecord], judge: str, runs: Sequence[GradedRun]) -> _Verdicts:
    """Return the verdicts in labels, each once, or else those of the first run that has some."""
    given = {(row.id, str(row.values["judge"])): row for row in labels if "judge" in row.values}
    if given:
        return _Verdicts([*given.values()], None)
    ids = {row.id for row in labels}
    for number, run in enumerate(runs):
        answered = [
            LabelRecord(at, id_, {"judge": answer["verdict"]})
            for at, row in enumerate(run.rows)
            if (id_ := _labelled_id(row, ids)) in ids
            for answer in _answers(row.checks, judge)
        ]
        if answered:
            return _Verdicts(answered, number)
    return _Verdicts((), None)


def _labelled_id(row: RowResult, ids: AbstractSet[str]) -> str:
    """Return the id that labels have for an output: of several of a row, `ID #SAMPLE`."""
    of_sample = f"{row.id} #{row.sample}"
    return row.id if row.sample is None or of_sample not in ids else of_sample


def _answers(checks: Iterable[CheckResult], judge: str) -> Iterator[dict[str, Any]]:
    """Yield the first answer of a judge to a row, if it gave a verdict."""
    for check in checks:
        for _, leaf in check.leaves():
            for answer in answers_of(leaf) if leaf.kind == "llm_judge" else ():
                if answer["judge"] == judge and "verdict" in answer:
                    yield answer
                    return


def _figures(measured: Measurement) -> dict[str, Any]:
    every = measured.thresholds
    step = max(1, len(every) // _THRESHOLDS)
    return {
        "matrix": measured.agreement._asdict(),
        **{rate: _figure(measured.rates.get(rate), measured.intervals.get(rate)) for rate in RATES},
        "kappa": _figure(measured.kappa, measured.kappa_interval),
        "best": measured.best.score if measured.best else None,
        "thresholds": [
            [each.score, *(each.agreement.rate(rate) for rate in RATES)] for each in every[::step]
        ],
    }


def _known(figures: Mapping[str, float | None]) -> dict[str, float]:
    return {name: value for name, value in figures.items() if value is not None}


def _figure(value: float | None, interval: Interval | None) -> list[float] | None:
    return None if value is None else [value, *(interval or ())]


def _reliability(items: Sequence[LabelledVerdict], scale: Scale) -> Iterator[dict[str, Any]]:
    """Yield, for scores that are alike, how many outputs people passed: for each tenth or level."""
    groups: dict[float, list[LabelledVerdict]] = {}
    for item in items:
        share = scale.score(float(item.judge))
        known = scale.levels is not None
        groups.setdefault(share if known else min(int(share * _BINS), _BINS - 1), []).append(item)
    for _, group in sorted(groups.items()):
        passed = sum(item.human for item in group)
        scores = [float(item.judge) for item in group]
        yield {
            "score": sum(scores) / len(scores),
            "share": sum(map(scale.score, scores)) / len(scores),
            "count": len(group),
            "passed": passed,
            "interval": [*wilson_interval(passed, len(group))],
        }


def _disagreements(joined: JoinedRecords, scale: Scale) -> dict[str, Any]:
    """Return where people and the judge differ, the surest of the judge first."""
    cutoff = scale.threshold if scale.is_numeric else 0.5
    found = [item for item in joined.items if item.human != scale.passes(float(item.judge))]
    found.sort(key=lambda item: -abs(float(item.judge) - cutoff))
    return {
        "disagreements": [
            {
                "id": shown(item.id),
                "human": item.human,
                "judge": float(item.judge) if scale.is_numeric else None,
            }
            for item in found[:_DISAGREEMENTS]
        ],
        "more_disagreements": max(len(found) - _DISAGREEMENTS, 0),
    }


def labels_of(text: str) -> JudgeLabels:
    """Return the judge and the file of labels in `JUDGE=FILE`.

    Raises:
        UsageError: it is not of this form.

    """
    judge, separator, file = text.partition("=")
    if not separator or not file or Reference.parse(judge) is None:
        raise UsageError(f"it must be JUDGE=FILE, such as judge/tone=labels.jsonl, not `{text}`")
    return JudgeLabels(judge, Path(file))
