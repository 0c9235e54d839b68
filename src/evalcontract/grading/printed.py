"""The results of `grade` as text: rows, tables, what did not run, usage and gate."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import chain, groupby, islice
from operator import attrgetter, methodcaller
from typing import Any

from evalcontract.checks.outcome import NO_MODEL, Outcome
from evalcontract.grading.basis import each_as_json, to_json
from evalcontract.grading.earlier import counted_of, fingerprint_of
from evalcontract.grading.results import CheckResult, RowResult
from evalcontract.grading.rows import content_without_texts, details_without_texts
from evalcontract.grading.runner import score_text
from evalcontract.grading.samples import SampleTally
from evalcontract.grading.summary import MissingVerdicts, QualityGate, Summary, Tally, counts
from evalcontract.judging.asking import Usage
from evalcontract.judging.questions import READINGS
from evalcontract.library.scores import Bounds
from evalcontract.model.codes import where_to_read
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, listed, many
from evalcontract.report.frame import aligned, fits, wrapped
from evalcontract.source.encoding import texts_as_json
from evalcontract.statistics.estimates import WILSON, Estimate, T

# So many causes are shown.
_SHOWN = 5
_VERBS = {
    Outcome.PASSED: "passed without all verdicts",
    Outcome.FAILED: "failed without all verdicts",
    Outcome.ERROR: "ended in an error",
    Outcome.UNAVAILABLE: "did not run",
    Outcome.UNDECIDED: "came to no verdict",
}
_COULD_NOT = "could not be graded"
_NO_MODEL = (
    "judges: no model is configured: set EVALCONTRACT_BASE_URL or EVALCONTRACT_API_KEY; see "
)


def write_unmeasured(summary: Summary, width: int) -> Iterator[str]:
    """Yield what `unmeasured_lines` do, wrapped to `width` cells, and an empty line if any."""
    lines = [*unmeasured_lines(summary)]
    for line in lines:
        yield from wrapped(escape_controls(line), 0, width)
    if lines:
        yield "\n"


def unmeasured_lines(summary: Summary) -> Iterator[str]:
    """Yield a sentence for each cause of checks and rows without a verdict, the frequent first."""
    causes = [*summary.unmeasured.items()]
    for cause, number in causes[:_SHOWN]:
        yield cause_sentence(cause, number, summary.counted(cause.kind))
    if len(causes) > _SHOWN:
        yield f"… and {many(len(causes) - _SHOWN, 'other cause')}: the results have all"


def cause_sentence(cause: MissingVerdicts, number: int, of: int) -> str:
    """Return how many checks of a kind, or rows, came to no verdict, and why."""
    what = "row" if cause.kind is None else f"{cause.kind} check"
    verb = _COULD_NOT if cause.kind is None else _VERBS[cause.outcome]
    return f"{number:,} of {many(of, what)} {verb}: {cause.reason}"


def write_usage(usage: Usage | None, summary: Summary, width: int) -> Iterator[str]:
    """Yield a sentence on what was asked, and one for each remark.

    `usage` is None without an endpoint: that is said if it made a check unavailable.
    """
    if usage is None:
        if any(cause.reason == NO_MODEL.reason for cause in summary.unmeasured):
            yield from wrapped(_NO_MODEL + where_to_read("judges#ask-a-model"), 0, width)
        return
    yield from write_judge_usage(usage, width)


def write_judge_usage(usage: Usage, width: int) -> Iterator[str]:
    """Yield a sentence on what was asked, if anything was, and one for each remark."""
    if not usage.is_empty:
        yield from wrapped(f"judges: {_sentence(usage)}", 0, width)
    if usage.unasked:
        questions = many(usage.unasked, "question was", "questions were")
        line = f"judges: {questions} not asked, since the budget was used up: this is only a part"
        yield from wrapped(line, 0, width)
    if usage.lenient:
        answers = many(usage.lenient, "answer was", "answers were")
        how = ", ".join(f"{count:,} {READINGS[name]}" for name, count in usage.readings.items())
        yield from wrapped(f"judges: {answers} not in the form that was asked for: {how}", 0, width)
    for remark in usage.remarks:
        yield from wrapped(escape_controls(f"note: {remark}"), 0, width)


def usage_fields(usage: Usage) -> dict[str, Any]:
    """Return the JSON of what was asked."""
    fields: dict[str, Any] = usage._asdict()
    for name in ("remarks", "cost", "unpriced"):
        del fields[name]
    fields["readings"] = dict(usage.readings)
    for name in ("repeated", "lenient", "readings", "unasked"):
        if not fields[name]:
            del fields[name]
    cost = usage.whole_cost
    return fields if cost is None else {**fields, "cost": round(cost, 9)}


def _sentence(usage: Usage) -> str:
    parts = [many(usage.calls, "call"), f"{usage.cached:,} from the cache"]
    parts.append(many(usage.tokens, "token"))
    if usage.unmetered:
        parts.append(f"and those of {many(usage.unmetered, 'call')} that are not known")
    if usage.repeated:
        parts.append(f"{many(usage.repeated, 'question')} asked once more")
    return ", ".join([*parts, *usage.told_cost])


# The columns of outcomes without a score, which are left out where no check has one.
_OTHERS = (Outcome.UNDECIDED, Outcome.SKIPPED, Outcome.UNAVAILABLE, Outcome.ERROR)
_MAX_REASON = 300
#: The number of checks in all tables together.
MAX_CHECKS = 5000
_SCORE, _INTERVAL, _TOO_SMALL = "score", "95 % interval", "n is too small to say"
_TOO_FEW = "too few clusters to say"
_METHODS = {WILSON: "Wilson's of rates", T: "t of other means"}
# On a narrower terminal, a table that does not fit is written as sentences.
_USUAL_WIDTH = 80


def write_results(
    summary: Summary, failures: Sequence[RowResult], limit: int, width: int
) -> Iterator[str]:
    """Yield a table for each rubric, the rows that did not pass, what did not run, and all rows.

    `failures` are the first of the rows that did not pass; of each, at most `limit` checks are
    listed, or all if it is 0. Sentences are wrapped to `width` cells.
    """
    left = MAX_CHECKS
    for rubric, tally in summary.rubrics.items():
        head = rubric or "rows without a rubric, by expectation"
        yield from wrapped(escape_controls(f"{head}: {tally_sentence(tally)}"), 0, width)
        lines = [*_check_lines(summary, rubric)]
        yield from _table(lines[: left + 1], width)
        if len(lines) - 1 > left:
            yield f"    … and {len(lines) - 1 - left:,} more checks: the results have all\n"
        left = max(0, left - len(lines) + 1)
        yield "\n"
    yield from _groups(summary, limit, width)
    if failures:
        yield "not passed:\n"
        for row in failures:
            yield from write_row(row, limit, width, indent=2)
        outcomes = summary.rows.outcomes
        hidden = outcomes.total() - outcomes[Outcome.PASSED] - outcomes[None] - len(failures)
        if hidden > 0:
            yield f"  … and {hidden:,} more: `--limit 0` shows all\n"
        yield "\n"
    yield from write_unmeasured(summary, width)
    yield from wrapped(tally_sentence(summary.rows), 0, width)
    if summary.samples.rows:
        yield from wrapped(samples_sentence(summary.samples), 0, width)
    if methods := methods_sentence(summary):
        yield from wrapped(methods, 0, width)


def _groups(summary: Summary, limit: int, width: int) -> Iterator[str]:
    """Yield a table for each key that groups rows: the values that most rows have come first."""
    for key, values in groupby(sorted(summary.groups), attrgetter("key")):
        groups = sorted(values, key=lambda group: (-summary.groups[group].total, group.value))
        tallies = [(group.value, summary.groups[group]) for group in groups]
        yield from wrapped(escape_controls(f"by {clipped(key, NAME_LENGTH)}:"), 0, width)
        shown = tallies[: limit or None]
        yield from _table([*_lines(("value",), [((name,), tally) for name, tally in shown])], width)
        if len(tallies) > len(shown):
            yield f"    … and {len(tallies) - len(shown):,} more: `--limit 0` shows all\n"
        yield "\n"


def samples_sentence(samples: SampleTally) -> str:
    """Return what the samples of rows come to, of which there are some."""
    parts = [f"{many(samples.outputs, 'output')} of {many(samples.rows, 'row')}", *samples.caveats]
    at, every = samples.chance(of_all=False), samples.chance(of_all=True)
    if at and every:
        one, shares = samples.chance(of_all=False, k=1), samples.shares
        parts += [
            f"pass@{k} {number_text(found and found.value)}{_in_brackets(found)}"
            for k, found in {1: one, samples.k: at}.items()
        ]
        parts.append(f"pass^{samples.k} {number_text(every.value)}{_in_brackets(every)}")
        parts += [f"{100 * share:.0f} % {when} right" for when, share in shares.items()]
    within, between = samples.variance
    if within is not None and between is not None:
        parts.append(f"variance {within:.3f} within rows, {between:.3f} between them")
    return f"samples: {', '.join(parts)}"


def methods_sentence(summary: Summary) -> str:
    """Return how the intervals were computed; nothing without any."""
    tallies = [summary.rows, *summary.rubrics.values(), *summary.groups.values()]
    tallies += [tally for _, tally in summary.checks.values()]
    estimates = [each for tally in tallies for each in (tally.estimate, tally.pass_rate)]
    methods = {each.method for each in estimates if each and each.interval}
    if not methods:
        return ""
    named = listed(name for method, name in _METHODS.items() if method in methods)
    sentence = f"95 % intervals: {named}"
    if (clusters := summary.rows.clusters) is not None:
        cluster = clipped(str(summary.grouping.cluster), NAME_LENGTH)
        sentence += f"; rows of one `{cluster}` count as drawn together ({clusters:,} of them)"
        if alone := summary.rows.alone:
            sentence += f", and each of the {many(alone, 'row')} without it for itself"
    return escape_controls(sentence)


def write_gate(summary: Summary, gate: QualityGate, width: int) -> Iterator[str]:
    """Yield whether the mean score reaches a threshold, and whether undecided rows forbid it."""
    tally, threshold = summary.rows, gate.threshold
    if threshold is None:
        return
    bound = f"the threshold of {threshold:g}"
    if tally.bounds is None:
        yield f"no row has a score, so {bound} is not reached\n"
        return
    lowest = "" if tally.bounds.low == tally.bounds.high else "lowest possible "
    verb = "reaches" if summary.reaches(threshold) else "is below"
    line = f"the {lowest}mean score of {_below(tally.bounds.low, threshold)} {verb} {bound}"
    yield from wrapped(line, 0, width)
    if tally.undecided and not gate.allow_undecided:
        rows = many(tally.undecided, "row is", "rows are")
        line = f"{rows} undecided, which `--allow-undecided` would allow"
        yield from wrapped(line, 0, width)


def _table(lines: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Yield a table, as sentences if it does not fit on a narrow terminal."""
    if width < _USUAL_WIDTH and not fits(lines, width):
        yield from _as_sentences(lines, width)
    else:
        yield from aligned(lines)


def _check_lines(summary: Summary, rubric: str | None) -> Iterator[tuple[str, ...]]:
    """Yield a head and a line for each check of a rubric."""
    checks = [
        ((name, kind), tally)
        for (of, name), (kind, tally) in summary.checks.items()
        if of == rubric
    ]
    yield from _lines(("check", "kind"), checks)


def _lines(
    head: tuple[str, ...], tallies: Sequence[tuple[tuple[str, ...], Tally]]
) -> Iterator[tuple[str, ...]]:
    """Yield a head and a line for each tally, without the columns that are 0 for all of them."""
    others = [
        outcome for outcome in _OTHERS if any(tally.outcomes[outcome] for _, tally in tallies)
    ]
    shown = (Outcome.PASSED, Outcome.FAILED, *others)
    yield (*head, _SCORE, _INTERVAL, *shown)
    for names, tally in tallies:
        numbers = (tally.outcomes[outcome] for outcome in shown)
        cells = (f"{number:,}" if number else "." for number in numbers)
        name, *rest = names
        estimate = tally.estimate
        interval = "-" if estimate is None else _ends(estimate)
        yield (clipped(name, NAME_LENGTH), *rest, number_text(tally.mean), interval, *cells)


def _as_sentences(lines: Sequence[tuple[str, ...]], width: int) -> Iterator[str]:
    """Yield a line for each row of a table, without what there is none of."""
    head, *rows = lines
    at = head.index(_SCORE)
    for name, *cells in rows:
        kind = f" ({', '.join(cells[: at - 1])})" if at > 1 else ""
        score, interval, *counts = cells[at - 1 :]
        parts = [f"{_SCORE} {score}"]
        parts += [] if interval == "-" else [f"{_INTERVAL} {interval}"]
        parts += [
            f"{count} {what}"
            for count, what in zip(counts, head[at + 2 :], strict=True)
            if count != "."
        ]
        yield from wrapped(escape_controls(f"{name}{kind}: {', '.join(parts)}"), 4, width)


def tally_sentence(tally: Tally) -> str:
    """Return how many rows there are, how many are decided, their mean score and outcomes."""
    parts = [many(tally.total, "row")]
    if tally.undecided:
        share = 100 * tally.decided // tally.counted
        parts.append(f"{tally.decided:,} decided ({share} %)")
    parts += [*_mean(tally), *_pass_rate(tally)]
    if tally.outcomes[None]:
        parts.append(f"{tally.outcomes[None]:,} without a threshold")
    counts = ((tally.outcomes[outcome], outcome) for outcome in Outcome)
    parts += [
        many(count, outcome, "errors" if outcome is Outcome.ERROR else outcome)
        for count, outcome in counts
        if count
    ]
    return ", ".join(parts)


def _mean(tally: Tally) -> Iterator[str]:
    """Yield the mean of what is decided, and the bounds of the mean of all if that is not all."""
    scored, bounds = tally.scored, tally.bounds
    if bounds is None:
        yield "no score"
        return
    if scored:
        of = f" of the {scored:,} with one" if scored < tally.total else ""
        if tally.undecided and scored == tally.decided:
            of = " of these"
        yield f"mean score {number_text(tally.mean)}{of}{_in_brackets(tally.estimate)}"
    if scored < tally.counted:
        between = score_text(None, bounds, ".2f")
        yield f"{between} of all" if scored else f"mean score {between}"


def _pass_rate(tally: Tally) -> Iterator[str]:
    """Yield the share that passed, unless the mean score says the same."""
    rate, mean = tally.pass_rate, tally.estimate
    if rate and (mean is None or mean.method != WILSON or mean[:2] != rate[:2]):
        of = " of the decided" if tally.undecided else ""
        yield f"pass rate {number_text(rate.value)}{of}{_in_brackets(rate)}"


def _in_brackets(estimate: Estimate | None) -> str:
    """Return the interval of an estimate as it follows on it."""
    if estimate is None:
        return ""
    return f" ({f'{_INTERVAL} ' if estimate.interval else ''}{_ends(estimate)})"


def _ends(estimate: Estimate) -> str:
    """Return the interval of an estimate, or why there is none."""
    if estimate.interval is None:
        return _TOO_SMALL if estimate.clusters is None else _TOO_FEW
    return f"{estimate.interval.lower:.2f} to {estimate.interval.upper:.2f}"


def write_row(row: RowResult, limit: int, width: int, *, indent: int = 0) -> Iterator[str]:
    """Yield the outcome of a row, and why its checks failed: at most `limit` of them, 0: all.

    Each reason is told once, where it belongs.
    """
    leaves = (leaf for check in row.checks for leaf in check.leaves())
    failed = (leaf for leaf in leaves if leaf[1].outcome in (Outcome.FAILED, Outcome.ERROR))
    shown = [*islice(failed, limit or None)]
    line = f"{clipped(row.id, NAME_LENGTH)}: {brief(row)}"
    is_shown = any(leaf.reason == row.reason for _, leaf in shown)  # of an undecided row
    if row.outcome is not Outcome.FAILED and row.reason and not is_shown:
        line += f": {clipped(row.reason, _MAX_REASON)}"
    yield from wrapped(escape_controls(line), indent, width)
    for name, leaf in shown:
        yield from wrapped(escape_controls(_reason(name, leaf)), indent + 2, width)
    if hidden := sum(1 for _ in failed):
        yield f"{' ' * indent}  … and {many(hidden, 'more check')}: `--limit 0` shows all\n"


def _reason(name: str, check: CheckResult) -> str:
    reason = clipped(check.reason or check.outcome, _MAX_REASON)
    prefix = "error: " if check.outcome is Outcome.ERROR else ""
    return f"{clipped(name, NAME_LENGTH)}: {prefix}{reason}"


def brief(row: RowResult) -> str:
    """Return the outcome of a row with its score."""
    outcome = row.outcome or "scored"
    if row.score is None and row.bounds is None:
        return outcome
    return f"{outcome} {score_text(row.score, row.bounds, '.2f')}"


# Looked up once: members of enums are found slowly.
_NO_FAILURES = (Outcome.PASSED, None)


def is_failure(row: RowResult) -> bool:
    """Whether a row is listed as not passed."""
    return row.outcome not in _NO_FAILURES


def number_text(score: float | None) -> str:
    """Return a score with two digits."""
    return "-" if score is None else f"{score:.2f}"


def _below(mean: float, threshold: float) -> str:
    """Return a mean with as many digits as it takes to see that it is below the threshold."""
    for digits in range(2, 13):
        shown = round(mean, digits)
        if (shown >= threshold) == (round(mean, 12) >= threshold):
            return f"{mean:.{digits}f}"
    return repr(mean)


def row_lines(rows: Iterable[RowResult], *, texts: bool = True) -> Iterator[str]:
    """Yield the lines of rows; without `texts` as those of `without_texts` are."""
    rows = [*rows]
    kept = [row.content or {} for row in rows]
    kept = kept if texts else [*map(content_without_texts, kept)]
    for head, content in zip(_row_heads(rows, texts=texts), _content_texts(kept), strict=True):
        yield f"{head}, {content}}}\n" if content else f"{head}}}\n"


def _row_heads(rows: Sequence[RowResult], *, texts: bool = True) -> Iterator[str]:
    """Yield how the lines of rows begin: all but what results keep of rows and their outputs."""
    checks = _check_texts([check for row in rows for check in row.checks], texts=texts)
    for row, id_ in zip(rows, texts_as_json([row.id for row in rows]), strict=True):
        which = id_ if row.sample is None else f'{id_}, "sample": {to_json(row.sample)}'
        which = f'{which}, "fingerprint": "{fingerprint_of(counted_of(row))}"'
        result = _score_text("rubric", row.rubric, row.outcome, row.score, row.bounds)
        why = f', "reason": {to_json(row.reason)}' if texts and row.reason is not None else ""
        of_row = ", ".join(islice(checks, len(row.checks)))
        yield f'{{"id": {which}, {result}{why}, "checks": [{of_row}]'


def row_fields(rows: Iterable[RowResult]) -> list[dict[str, Any]]:
    """Return the JSON of rows, as their lines have it."""
    return [*map(json.loads, row_lines(rows))]


# What a table or YAML may have and JSON has not is written as text.
_strict_json = json.JSONEncoder(ensure_ascii=False, allow_nan=False, check_circular=False).encode


def _content_texts(contents: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the JSON of mappings, without the braces around them."""
    values = [*chain.from_iterable(map(methodcaller("values"), contents))]
    texts = iter(texts_as_json([value for value in values if value.__class__ is str]))
    others = iter(_value_texts([value for value in values if value.__class__ is not str]))
    written = (next(texts if value.__class__ is str else others) for value in values)
    for content in contents:
        yield _template(tuple(content)) % tuple(islice(written, len(content)))


@lru_cache(maxsize=1 << 10)
def _template(keys: tuple[str, ...]) -> str:
    """Return the JSON of a mapping with these keys, with a place for each value."""
    return ", ".join(to_json(key).replace("%", "%%") + ": %s" for key in keys)


def _value_texts(values: Sequence[Any]) -> Sequence[str]:
    try:
        return each_as_json(values, _strict_json)
    except (TypeError, ValueError, RecursionError):
        return [to_json(_writable(value)) for value in values]


def _writable(value: Any) -> Any:
    """Return a value if it can be written as JSON, else a text of it."""
    try:
        _strict_json(value)
    except RecursionError:
        return "… is nested too deeply"
    except (TypeError, ValueError):
        if isinstance(value, dict):
            return {str(key): _writable(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [_writable(inner) for inner in value]
        return hex(value) if isinstance(value, int) else str(value)
    return value


def summary_fields(
    summary: Summary,
    gate: QualityGate,
    usage: Usage | None = None,
    corrected: Sequence[Mapping[str, Any]] = (),
) -> dict[str, Any]:
    """Return the JSON of a summary; `gate` is what the results had to meet.

    `usage` is what asking judges took, None if there was no model to ask. `corrected` are pass
    rates without the errors of judges.
    """
    content: dict[str, Any] = {"rows": _tally(summary.rows)}
    if gate.threshold is not None:
        content["threshold"] = gate.threshold
        content["reached"] = summary.reaches(gate.threshold)
    if gate.allow_undecided:
        content["allow_undecided"] = True
    content["unmeasured"] = [
        {**cause._asdict(), "number": number, "of": summary.counted(cause.kind)}
        for cause, number in summary.unmeasured.items()
    ]
    if usage is not None and not usage.is_empty:
        content["judges"] = usage_fields(usage)
    if corrected:
        content["corrected"] = [*corrected]
    content["rubrics"] = [
        {"rubric": rubric, **_tally(tally)} for rubric, tally in summary.rubrics.items()
    ]
    content["checks"] = [
        {"rubric": rubric, "check": check, "kind": kind, **_tally(tally)}
        for (rubric, check), (kind, tally) in summary.checks.items()
    ]
    if summary.samples.rows:
        content["samples"] = _sample_fields(summary.samples)
    if summary.groups:
        content["groups"] = [
            {**group._asdict(), **_tally(tally)} for group, tally in sorted(summary.groups.items())
        ]
    if summary.grouping.cluster is not None:
        content["cluster"] = summary.grouping.cluster
    return content


def _check_texts(checks: Sequence[CheckResult], *, texts: bool) -> Iterator[str]:
    """Yield the JSON of checks; many rows have the very same one."""
    ids = [*map(id, checks)]
    distinct = dict(zip(ids, checks, strict=True))
    written = dict(zip(distinct, _distinct_texts([*distinct.values()], texts=texts), strict=True))
    return map(written.__getitem__, ids)


def _distinct_texts(checks: Sequence[CheckResult], *, texts: bool) -> Iterator[str]:
    told = [_details_of(check, texts=texts) for check in checks if check.details]
    details = iter(each_as_json(told))
    for id_, kind, outcome, score, reason, has_details, bounds, inner in checks:
        text = _start_of_check(id_, kind, outcome, score, bounds)
        if texts and reason is not None:
            text += f', "reason": {to_json(reason)}'
        if has_details and (written := next(details)) != _EMPTY:
            text += f', "details": {written}'
        if inner:
            text += f', "checks": [{", ".join(_check_texts(inner, texts=texts))}]'
        yield f"{text}}}"


_EMPTY = "{}"


def _details_of(check: CheckResult, *, texts: bool) -> dict[str, Any]:
    return dict((check.details if texts else details_without_texts(check)) or {})


# Most checks have the same result on many rows.
@lru_cache(maxsize=1 << 10, typed=True)
def _start_of_check(
    id_: str, kind: str, outcome: Outcome, score: float | None, bounds: Bounds | None
) -> str:
    result = _score_text("kind", kind, outcome, score, bounds)
    return f'{{"id": {to_json(id_)}, {result}'


@lru_cache(maxsize=1 << 10, typed=True)
def _score_text(
    key: str, by: str | None, outcome: Outcome | None, score: float | None, bounds: Bounds | None
) -> str:
    content = {key: by, "outcome": outcome, "score": score}
    return to_json(content if bounds is None else {**content, "bounds": bounds})[1:-1]


def _tally(tally: Tally) -> dict[str, Any]:
    mean, bounds, rate = tally.estimate, tally.bounds, tally.pass_rate
    content: dict[str, Any] = {
        "total": tally.total,
        "decided": tally.decided,
        "undecided": tally.undecided,
        "mean": mean if mean is None else round(mean.value, 12),
    }
    if mean is not None:
        content |= estimate_fields(mean)
    if bounds is not None:
        content["bounds"] = [round(end, 12) for end in bounds]
    if rate is not None:
        content["pass_rate"] = {"rate": round(rate.value, 12), **estimate_fields(rate)}
    return {**content, "outcomes": dict(counts(tally))}


def _sample_fields(samples: SampleTally) -> dict[str, Any]:
    within, between = samples.variance
    content: dict[str, Any] = {"rows": samples.rows, "outputs": samples.outputs, "k": samples.k}
    content["decided"] = samples.decided
    content |= {"variance_within": within, "variance_between": between}
    for name, of_all in (("pass_at_k", False), ("pass_all_k", True)):
        chances = {k: samples.chance(of_all=of_all, k=k) for k in range(1, samples.k + 1)}
        content[name] = [
            {"k": k, "rate": round(found.value, 12), **estimate_fields(found)}
            for k, found in chances.items()
            if found
        ]
    return {**content, **(samples.shares if samples.passes else {})}


def estimate_fields(estimate: Estimate) -> dict[str, Any]:
    """Return the JSON of how sure an estimate is: null where the sample is too small to say."""
    interval, error, clusters = estimate.interval, estimate.stderr, estimate.clusters
    return {
        "stderr": error and round(error, 12),
        "interval": interval and [round(end, 12) for end in interval],
        "method": estimate.method,
        **({} if clusters is None else {"clusters": clusters}),
    }
