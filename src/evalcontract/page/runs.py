"""The results of `grade` as JSON values: rows with what they and their outputs say, and figures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from typing import Any

from evalcontract.checks.outcome import Outcome, Output
from evalcontract.checks.tool_usage import read_calls
from evalcontract.grading.basis import differences
from evalcontract.grading.comparison import Comparison
from evalcontract.grading.earlier import by_id
from evalcontract.grading.groups import Grouping
from evalcontract.grading.printed import (
    methods_sentence,
    samples_sentence,
    tally_sentence,
    unmeasured_lines,
)
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.grading.rows import EXPECTATIONS
from evalcontract.grading.runner import score_text
from evalcontract.grading.samples import reduced
from evalcontract.grading.summary import Summary, Tally, counts
from evalcontract.library.library import Library
from evalcontract.library.scores import Bounds, ScaleError, scale_of
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import (
    NAME_LENGTH,
    clipped,
    escape_controls,
    is_finite_number,
    many,
)
from evalcontract.page.content import GradedRun, OutputKey, RowTexts

#: The number of bars of a distribution of scores.
BINS = 10
#: The length of a reason, which names what the row lacks.
SENTENCE = 1000
#: The length of a text of a row or an output, and of all of them together.
TEXT, ROOM = 8_000, 32_000_000
#: The number of tags and other groups in the table of them.
_GROUPS = 200
#: The number of runs that are compared, each with each.
_COMPARED = 5
#: An id of more characters than these cannot be that of a label.
_LABELLED = 1000
# The rows that a reader looks for come first.
_ORDER = (Outcome.UNDECIDED, Outcome.FAILED, None, Outcome.SKIPPED, Outcome.PASSED)
_BESIDE = ("context", "metadata")
_ANSWERED = ("judge", "model", "reason", "answer")


# Letters of scripts that are written with joiners, their viramas, and pictures.
_LETTERS = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ufb50-\ufdff\ufe70-\ufefc"
_VIRAMAS = "\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca"
_PICTURES = "\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\U0001f000-\U0001faff"
_JOINER = lazy_pattern(
    f"(?<=[{_LETTERS}])[\u200c\u200d](?=[{_LETTERS}])"
    f"|(?<=[{_VIRAMAS}])[\u200c\u200d](?![\u200c\u200d])"
    f"|(?<=[{_PICTURES}])\u200d(?=[{_PICTURES}])"
)


def shown(text: str, most: int = NAME_LENGTH * 3) -> str:
    """Return a text as the page shows it: of a bearable length, without invisible characters."""
    return _escaped(clipped(text, most))


def _escaped(text: str) -> str:
    """Return a text with signs for invisible characters, but for joiners where they are spelling.

    Persian and the scripts of India need them between letters, and pictures of several persons.
    """
    if text.isprintable():
        return text
    # A sign is one character, too.
    characters = [*escape_controls(text)]
    for match in _JOINER.finditer(text):
        characters[match.start()] = match[0]
    return "".join(characters)


def shown_sentence(text: str | None) -> str | None:
    """Return a sentence as the page shows it."""
    return None if text is None else shown(text, SENTENCE)


def texts_of(row: Mapping[str, Any]) -> RowTexts:
    """Return what a row says, as texts."""
    tags = row.get("tags")
    return RowTexts(
        _text(row.get("input")),
        _texts(row, EXPECTATIONS),
        _texts(row, _BESIDE),
        tuple(each for each in tags if isinstance(each, str)) if isinstance(tags, list) else (),
    )


def _texts(row: Mapping[str, Any], keys: Iterable[str]) -> tuple[tuple[str, str], ...]:
    texts = ((key, _text(row.get(key))) for key in keys)
    return tuple((key, text) for key, text in texts if text is not None)


def _text(value: Any) -> str | None:
    """Return a value as text: lists of texts as lines, and other values as JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "\n".join(value)
    return json.dumps(value, ensure_ascii=False, indent=2, default=str)


def ranked(run: GradedRun, max_rows: int) -> list[tuple[int, RowResult]]:
    """Return the rows that are shown, each with its number: those that did not pass first."""
    rows = sorted(enumerate(run.rows), key=lambda each: _rank(each[1]))
    return rows[: max_rows or None]


def _rank(row: RowResult) -> tuple[int, float]:
    return _ORDER.index(row.outcome), 1.0 if (low := _lowest(row)) is None else low


def _lowest(row: RowResult | CheckResult) -> float | None:
    """Return the score, or the lowest that it may be."""
    return row.bounds.low if row.score is None and row.bounds else row.score


def thresholds_of(run: GradedRun, library: Library) -> dict[tuple[str | None, str | None], float]:
    """Return the lowest scores that pass, by rubric and check; those of rubrics have no check."""
    found: dict[tuple[str | None, str | None], float] = {}
    for name in {row.rubric for row in run.rows if row.rubric}:
        artifact = library.artifact_of(name)
        rubric = artifact.document.value if artifact and artifact.name == name else None
        for check, part in _parts_of(rubric if isinstance(rubric, dict) else {}):
            with suppress(ScaleError, TypeError):
                threshold = part.get("threshold")
                if threshold is None and "judge_prompt_ref" in part:
                    threshold = _judge_threshold(library, part["judge_prompt_ref"])
                if is_finite_number(threshold):
                    found[name, check] = float(threshold)
    return found


def _parts_of(rubric: Mapping[str, Any]) -> Iterator[tuple[str | None, Mapping[str, Any]]]:
    """Yield the scoring of a rubric, and each of its checks with its id."""
    scoring, checks = rubric.get("scoring"), rubric.get("checks")
    if isinstance(scoring, dict):
        yield None, scoring
    for check in checks if isinstance(checks, list) else ():
        if isinstance(check, dict) and isinstance(check.get("id"), str):
            yield check["id"], check


def _judge_threshold(library: Library, reference: Any) -> float | None:
    judge = library.artifact_of(reference)
    scale = scale_of(judge.document.value) if judge else None
    return scale.score(scale.threshold) if scale and scale.is_numeric else None


def comparisons(runs: Sequence[GradedRun], grouping: Grouping) -> Iterator[dict[str, Any]]:
    """Yield, of two runs each, what else differs, and how the scores of the same rows do."""
    rows = [reduced(run.rows, grouping.reduce) for run in runs[:_COMPARED]]
    for before, after in combinations(range(len(rows)), 2):
        compared = Comparison.of(by_id(rows[before]), rows[after], grouping)
        difference = compared.rows.difference
        found = difference.scores if difference else None
        interval = found.difference.interval if found else None
        yield {
            "before": before,
            "after": after,
            "pairs": found.pairs if found else 0,
            "mean": found.mean if found else None,
            "interval": [*interval] if interval else None,
            "differences": _differences(runs[before], runs[after]),
            "turned": _differences(runs[after], runs[before]),
        }


def _differences(before: GradedRun, after: GradedRun) -> list[str]:
    return [shown(line, SENTENCE) for line in differences(before.basis, after.basis)]


class RunsData:
    """The JSON values of runs; what rows say stands in `given` once, for all runs."""

    def __init__(self, max_rows: int, grouping: Grouping) -> None:
        self._max_rows = max_rows
        self._grouping = grouping
        self._room = ROOM
        self._numbers: dict[RowTexts, int] = {}
        self.given: list[dict[str, Any]] = []
        #: The number of rows of which texts are left out.
        self.left_out = 0

    def of(self, run: GradedRun) -> dict[str, Any]:
        """Return the summary of a run, its checks and its rows."""
        rows = reduced(run.rows, self._grouping.reduce)
        summary = Summary.of(rows, self._grouping)
        summary.add_samples(run.rows)
        together = _together(run.rows, rows) if summary.samples.rows else {}
        number = {key: at for at, key in enumerate(summary.checks)}
        rubrics = [rubric for rubric in summary.rubrics if rubric is not None]
        outputs = _outputs_of(run)
        thresholds = {run.thresholds.get((rubric, None)) for rubric in rubrics}
        return {
            "file": shown(run.file),
            "dataset": shown(run.dataset),
            "graded": run.graded,
            "is_complete": run.is_complete,
            "rows_total": len(run.rows),
            "rows_tally": _tally(summary.rows, thresholds.pop() if len(thresholds) == 1 else None),
            "sentence": tally_sentence(summary.rows),
            "samples": samples_sentence(summary.samples) if together else None,
            "methods": escape_controls(methods_sentence(summary)),
            "unmeasured": [escape_controls(line) for line in unmeasured_lines(summary)],
            "has_outputs": run.outputs is not None
            or any(
                key in (row.content or {}) for row in run.rows for key in ("output", "tool_calls")
            ),
            "checks": [
                {
                    "rubric": None if rubric is None else shown(rubric),
                    "check": shown(name),
                    "kind": shown(kind),
                    **_tally(tally, run.thresholds.get((rubric, name))),
                }
                for (rubric, name), (kind, tally) in summary.checks.items()
            ],
            "groups": [
                {"key": shown(group.key), "value": shown(group.value), **_tally(tally)}
                for group, tally in sorted(summary.groups.items())[:_GROUPS]
            ],
            "rows": [
                {
                    **self._row(run, row, place, number=number, outputs=outputs),
                    **_of_sample(row, together),
                }
                for place, row in ranked(run, self._max_rows)
            ],
        }

    def _row(
        self,
        run: GradedRun,
        row: RowResult,
        place: int,
        *,
        number: Mapping[Any, int],
        outputs: Mapping[OutputKey, Output],
    ) -> dict[str, Any]:
        given, output = _given(run, row), outputs.get((row.id, row.sample)) or _recorded(row)
        texts = _output_texts(output)
        if self._room < 0:
            self.left_out += bool(given or texts)
            given, texts = None, {}
        name = shown(row.id)
        # As numbers, since the page has no character that it may not show.
        is_labelled = name == row.id or len(row.id) <= _LABELLED
        exact = {"exact": [*map(ord, row.id)]} if is_labelled and name != row.id else {}
        return {
            "id": name,
            "outcome": row.outcome and str(row.outcome),
            "score": _number(row.score, row.bounds),
            "low": _lowest(row),
            "reason": shown_sentence(row.reason),
            "checks": [
                _check(number[row.rubric, name], leaf)
                for check in row.checks
                for name, leaf in check.leaves()
            ],
            "place": place,
            "given": None if given is None else self._number_of(given),
            **{key: self._shown(text) for key, text in texts.items()},
            **exact,
            "is_labelled": is_labelled,
        }

    def _number_of(self, given: RowTexts) -> int:
        """Return the number of what a row says in `given`."""
        if given not in self._numbers:
            self._numbers[given] = len(self.given)
            self.given.append(
                {
                    "input": None if given.input is None else self._shown(given.input),
                    "expected": [[key, self._shown(text)] for key, text in given.expected],
                    "beside": [[key, self._shown(text)] for key, text in given.beside],
                    "tags": [shown(tag) for tag in given.tags[:SENTENCE]],
                }
            )
        return self._numbers[given]

    def _shown(self, text: str) -> str:
        """Return a text of several lines as the page shows it."""
        self._room -= min(len(text), TEXT)
        lines = text[:TEXT].replace("\r\n", "\n").split("\n")
        whole = "\n".join(map(_escaped, lines))
        left = len(text) - TEXT
        return f"{whole}… (and {many(left, 'more character')})" if left > 0 else whole


def _given(run: GradedRun, row: RowResult) -> RowTexts | None:
    """Return what a row said when it was graded, as far as results tell; the rest as it is now."""
    now, then = run.texts.get(row.id), row.content or {}
    if "input" not in then:
        return now
    expected = then.get("expected")
    graded = texts_of(
        {**then, "expected": None, **(expected if isinstance(expected, dict) else {})}
    )
    untold = [each for each in (now.beside if now else ()) if each[0] not in then]
    return graded._replace(beside=(*graded.beside, *untold))


def _recorded(row: RowResult) -> Output:
    """Return the output that results have of a row."""
    content = row.content or {}
    text, calls = content.get("output"), content.get("tool_calls")
    read = read_calls(calls).calls if isinstance(calls, list) else None
    return Output(text if isinstance(text, str) else None, read)


def _outputs_of(run: GradedRun) -> Mapping[OutputKey, Output]:
    """Return the outputs of rows; none of an id that several have: nobody knows whose it is."""
    times = Counter((row.id, row.sample) for row in run.rows)
    return {key: each for key, each in (run.outputs or {}).items() if times[key] == 1}


def _together(samples: Sequence[RowResult], rows: Iterable[RowResult]) -> dict[str, list[Any]]:
    """Return what the outputs of each row come to, and how many of them pass, of how many."""
    passed = Counter(each.id for each in samples if each.outcome is Outcome.PASSED)
    outputs = Counter(each.id for each in samples)
    return {
        row.id: [row.outcome, _number(row.score, row.bounds), passed[row.id], outputs[row.id]]
        for row in rows
    }


def _of_sample(row: RowResult, together: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return which output of its row a result is of, and what all of them come to."""
    if row.sample is None:
        return {}
    return {"sample": shown(str(row.sample)), "together": together[row.id]}


def _output_texts(output: Output) -> dict[str, str]:
    """Return what was recorded of an output, by the names that the page has for it."""
    texts = {"output": output.text, "context": _text(output.context)}
    if output.tool_calls is not None:
        calls = [f"{call.name}({_arguments(call.arguments)})" for call in output.tool_calls]
        texts["calls"] = "\n".join(calls) or "no calls"
    return {key: text for key, text in texts.items() if text is not None}


def _arguments(arguments: Any) -> str:
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False, default=str)


def _check(number: int, leaf: CheckResult) -> list[Any]:
    result = [number, str(leaf.outcome), _number(leaf.score, leaf.bounds), _lowest(leaf)]
    return [*result, shown_sentence(leaf.reason), [*answers_of(leaf)]]


def answers_of(leaf: CheckResult) -> Iterator[dict[str, Any]]:
    """Yield what each judge of a check answered."""
    details = leaf.details or {}
    several = details.get("judges")
    for each in several if isinstance(several, list) else [details]:
        if isinstance(each, dict) and isinstance(each.get("judge"), str):
            yield {
                **{
                    key: shown(text, SENTENCE)
                    for key in _ANSWERED
                    if isinstance(text := each.get(key), str)
                },
                **({"verdict": _verdict(each["verdict"])} if "verdict" in each else {}),
            }


def _verdict(value: Any) -> Any:
    """Return a verdict as a label has it: a number, a truth value, or a text."""
    if isinstance(value, bool | int | float):
        return value
    return shown(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))


def _tally(tally: Tally, threshold: float | None = None) -> dict[str, Any]:
    mean, rate = tally.estimate, tally.pass_rate
    return {
        "counts": counts(tally),
        "mean": _number(tally.mean, tally.bounds if tally.scored < tally.counted else None),
        "point": tally.mean,
        "interval": [*mean.interval] if mean and mean.interval else None,
        "decided": tally.decided,
        "counted": tally.counted,
        "scored": tally.scored,
        "bins": _bins(tally.scores),
        "threshold": threshold,
        "passed": [*tally.verdicts, [*rate.interval] if rate and rate.interval else None],
    }


def _bins(scores: Mapping[float, int]) -> Sequence[int]:
    """Return how many scores lie in each tenth; a score of 1 is in the last one."""
    bins = [0] * BINS
    for score, count in scores.items():
        bins[max(0, min(int(score * BINS), BINS - 1))] += count
    return bins


def _number(score: float | None, bounds: Bounds | None) -> str | None:
    """Return a score, or its bounds, as text; None if there is no score."""
    return None if score is None and bounds is None else score_text(score, bounds, ".2f")
