"""Join human labels with the verdicts of a judge, output by output."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations
from math import isfinite
from statistics import median
from typing import Any

from evalcontract.library.scores import Scale, reaches
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, listed
from evalcontract.source import SourceProblem
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable
from evalcontract.statistics.rates import Agreement, cohens_kappa
from evalcontract.statistics.scores import Metric, krippendorff_alpha

#: After so many problems of one sort of fault no other is kept; a further one says so.
MAX_PROBLEMS = 10_000


class LabelProblems(list[Problem]):
    """The problems of the rows of a file, one of a value; too many are cut off."""

    def add(
        self,
        fault: str,
        message: str,
        path: tuple[int | str, ...],
        *,
        id_: str | None = None,
        advice: str | None = None,
        first: int | None = None,
    ) -> None:
        """Add a problem of a value, or of a row; `first` is an earlier row with the same output."""
        if self and self[-1].path == path:
            return
        if len(self) == MAX_PROBLEMS:
            message = f"there are more than {MAX_PROBLEMS:,} faults: the rest is not reported"
            self.append(Problem("source/limit-exceeded", message, path[:1]))
        elif len(self) < MAX_PROBLEMS:
            related = () if first is None else (Related("first here", (first, *path[1:])),)
            problem = Problem(f"labels/{fault}", message, path, advice, row=id_, related=related)
            self.append(problem._replace(row_index=int(path[0])))


#: The keys that are read. Any other key is ignored, unless it is probably meant as one of these.
KEYS = ("id", "human", "judge", "split", "model", "annotator")
#: The keys with what a judge is shown. They are read of labels without verdicts.
SHOWN = ("input", "output", "criteria", "expected", "context")


class LabelRecord(NamedTuple):
    """A row: its number from 0, the id of its output, and the keys that are not empty.

    `split` and `annotator` are text, `model` is a mapping with a `name`; `human` and `judge` are
    as they stand in the file. Of the `SHOWN` keys, `input`, `output` and `criteria` are text, and
    the output may be empty; `expected` is a mapping.
    """

    row: int
    id: str
    values: dict[str, Any]


class Records(NamedTuple):
    """The rows of a file that can be used, and what is wrong with the file.

    `faults` are problems of lines that cannot be parsed, each with its text.
    """

    rows: Sequence[LabelRecord]
    problems: Sequence[Problem]
    faults: Sequence[tuple[SourceProblem, str]] = ()

    def have(self, key: str) -> bool:
        """Whether any row has a value for a key."""
        return any(key in row.values for row in self.rows)


def read_records(
    source: CsvTable | RowStream, required: Sequence[str], *, is_shown: bool = False
) -> Records:
    """Read all rows of a file, which must have the `required` keys, and may have all `KEYS`.

    With `is_shown`, it may have the `SHOWN` keys, too, unless it has verdicts.
    """
    rows: list[tuple[int, Any]] = []
    faults: list[tuple[SourceProblem, str]] = []
    for batch in source.batches():
        rows += enumerate(batch.rows, batch.first_index)
        faults += batch.faults
    names: dict[str, int] = {}  # every key, and the first row that has it
    if isinstance(source, CsvTable):
        names.update(dict.fromkeys(source.header, 0))
    for index, row in rows:
        for key in row if isinstance(row, dict) else ():
            names.setdefault(key, index)
    shown = SHOWN if is_shown and "judge" not in names else ()
    problems = (
        [*_of_keys(names, required, (*KEYS, *shown))]
        if rows or isinstance(source, CsvTable)
        else []
    )
    if any(problem.code == "labels/missing-column" for problem in problems):
        return Records((), problems, faults)
    if isinstance(source, CsvTable):
        problems += _of_table(source, (*KEYS, *shown))
    reader = _RecordReader(required, shown)
    records = [record for index, row in rows if (record := reader.read(index, row))]
    return Records(records, [*problems, *reader.problems], faults)


def _of_keys(
    names: dict[str, int], required: Sequence[str], keys: Sequence[str]
) -> Iterable[Problem]:
    """Yield the required keys that no row has, and the keys that are meant as others."""
    meant: dict[str, str] = {}
    for name in names:
        known = None if name in keys else nearest(name, keys)
        if known and known not in names:
            meant.setdefault(known, name)
    for key in required:
        if key not in names:
            near = f"rename `{clipped(meant[key])}` to `{key}`" if key in meant else None
            at = (names[meant[key]], meant[key]) if key in meant else ()
            message = f"there is no `{key}`"
            yield Problem("labels/missing-column", message, at, near or _NEEDED[key], on_key=True)
    for key, name in meant.items():
        if key not in required:
            message = f"`{clipped(name)}` is not a key of labels, and ignored"
            advice = f"did you mean `{key}`?"
            yield Problem("labels/near-miss-key", message, (names[name], name), advice, on_key=True)


_NEEDED = {
    "id": "name each output by an `id`",
    "human": "give what people said in `human`: pass or fail",
    "judge": "give what the judge said in `judge`",
}


def _of_table(table: CsvTable, keys: Sequence[str]) -> Iterable[Problem]:
    for key in keys:
        if table.header.count(key) > 1:
            message = f"the header has `{key}` {table.header.count(key)} times"
            advice = "remove all but one: only the last would be read"
            yield Problem("labels/duplicate-column", message, (0, key), advice, on_key=True)
    for index, record in enumerate(table.records):
        if len(record) > len(table.header):
            message = f"the row has {len(record)} cells, the header has {len(table.header)}"
            advice = "put a text that contains a comma in double quotes"
            yield Problem("labels/extra-cell", message, (index,), advice, row_index=index)


class _RecordReader:
    """Turns rows into records; `problems` are those of the others."""

    def __init__(self, required: Sequence[str], shown: Sequence[str]) -> None:
        self.problems = LabelProblems()
        self._required = required
        self._shown = shown

    def read(self, index: int, row: Any) -> LabelRecord | None:
        if not isinstance(row, dict):
            self.problems.add("wrong-type", "a row must be an object", (index,))
            return None
        values = {key: row[key] for key in KEYS if not _is_blank(row.get(key))}
        id_ = self._text(values, "id", index)
        for key in self._required:
            # A label without a verdict is told when both are joined.
            if key not in values and (key == "id" or (key == "human" and id_ is not None)):
                path = (index, key) if key in row else (index,)
                self.problems.add("missing-value", f"the row has no `{key}`", path, id_=id_)
        if id_ is None or any(key not in values for key in self._required):
            return None
        for key in ("split", "annotator"):
            if key in values and (text := self._text(values, key, index)) is not None:
                values[key] = text
        if "model" in values:
            model = self._model(values.pop("model"), index)
            values |= {} if model is None else {"model": model}
        for key in self._shown:
            value = row.get(key)
            if value is not None and (key == "output" or not _is_blank(value)):
                self._show(values, key, value, index=index)
        return LabelRecord(index, id_, values)

    def _show(self, values: dict[str, Any], key: str, value: Any, index: int) -> None:
        if key == "expected" and isinstance(value, str):  # a cell of CSV
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        expected_type = {"expected": dict, "context": object}.get(key, str)
        if isinstance(value, expected_type):
            values[key] = value
        else:
            what = "an object" if key == "expected" else "text"
            self.problems.add("wrong-type", f"`{key}` must be {what}", (index, key))

    def _text(self, values: dict[str, Any], key: str, index: int) -> str | None:
        """Return a value as text; a whole number is one. Report and drop any other value."""
        value = values.get(key)
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return _text_of(value)
        if key in values:
            self.problems.add("wrong-type", f"`{key}` must be text", (index, key))
            del values[key]
        return None

    def _model(self, value: Any, index: int) -> dict[str, str] | None:
        match {"name": value} if isinstance(value, str) else value:
            case {"name": str(name), "provider": str(provider)}:
                return {"provider": provider, "name": name}
            case {"name": str(name), **rest} if "provider" not in rest:
                return {"name": name}
        message = "`model` must be a name, or `{provider, name}`"
        self.problems.add("wrong-type", message, (index, "model"))
        return None


def _text_of(value: str | int) -> str:
    try:
        return str(value)
    except ValueError:  # too many digits
        return hex(value) if isinstance(value, int) else value


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())


_PASS = frozenset({"pass", "passed", "true", "yes", "1"})
_FAIL = frozenset({"fail", "failed", "false", "no", "0"})

# Of more levels than these, none is looked for that a verdict resembles.
_MANY = 50


class UnreadableValue(NamedTuple):
    """A value that cannot be read: why, and what to write."""

    message: str
    help: str


def read_verdict(scale: Scale, value: Any) -> bool | float | UnreadableValue:
    """Read a verdict of a judge: a score, or pass or fail of a binary judge."""
    return read_score(scale, value) if scale.is_numeric else read_word(value)


def read_score(scale: Scale, value: Any) -> float | UnreadableValue:
    """Read a score: a number on the scale of a judge, or the name of a level."""
    if scale.levels is not None:
        name = value if isinstance(value, str) else _shown(value)
        if name in scale.levels:
            return scale.levels[name]
        near = nearest(name, scale.levels) if len(scale.levels) <= _MANY else None
        advice = f"did you mean `{near}`?" if near else f"write one of {listed(scale.levels)}"
        return UnreadableValue(f"`{clipped(name)}` is not a level of the judge", advice)
    number = _number(value)
    ends = f"{scale.low:g} to {scale.high:g}"
    if number is None:
        return UnreadableValue(f"`{_shown(value)}` is not a number", f"write a score from {ends}")
    if not scale.low <= number <= scale.high:
        message = f"{number:g} is not on the judge's scale, {ends}"
        return UnreadableValue(message, "correct the score, or `min_score` and `max_score`")
    return number


def have_scores(scale: Scale, labels: Iterable[Any]) -> bool:
    """Whether human labels are scores, rather than pass or fail.

    They are if one of them can only be a score: a level, or a number other than 0 and 1.
    """
    return scale.is_numeric and any(
        passes(value) is None and not isinstance(read_score(scale, value), UnreadableValue)
        for value in labels
    )


def passes(value: Any) -> bool | None:
    """Read pass or fail in any of its words; return None if it is none of them.

    These are pass, passed, true, yes and 1; fail, failed, false, no and 0; case is ignored.
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return bool(value) if value in (0, 1) else None
    word = value.strip().casefold() if isinstance(value, str) else ""
    return True if word in _PASS else False if word in _FAIL else None


def read_word(value: Any) -> bool | UnreadableValue:
    """Read pass or fail."""
    word = passes(value)
    if word is not None:
        return word
    return UnreadableValue(f"`{_shown(value)}` is neither pass nor fail", "write pass or fail")


def _number(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def _shown(value: Any) -> str:
    try:
        return clipped(str(value))
    except ValueError:  # an integer of too many digits
        return "a very large number"


#: The kappa among people is computed for so many pairs of people, and of labels of an output.
_MOST_PAIRS, _MOST_COMPARED = 20_000, 4_000_000


class LabelledVerdict(NamedTuple):
    """An output with both: whether people passed it, and the judge's verdict or score.

    `score` is the human score, if the labels are scores.
    """

    id: str
    human: bool
    judge: bool | float
    score: float | None = None


class Annotators(NamedTuple):
    """How well people agree: the mean kappa of every two of them.

    `people` is their number, `outputs` how many outputs two or more of them labelled. The mean is
    that of R. J. Light, "Measures of response agreement for qualitative data", Psychological
    Bulletin 76 (1971), 365-377; None if no two share outputs on which it is defined, or too many
    do. `alpha` is Krippendorff's, by the `metric` that suits the labels: nominal for pass and fail,
    ordinal for levels, interval for numbers; None if it is not defined.
    """

    people: int
    outputs: int
    kappa: float | None
    alpha: float | None = None
    metric: Metric = "nominal"


class JoinedRecords(NamedTuple):
    """The outputs that have a label and a verdict, and the problems of the two files.

    `labelled` counts the outputs with a usable label, `ties` those on which people are divided.
    """

    items: Sequence[LabelledVerdict]
    label_problems: Sequence[Problem]
    verdict_problems: Sequence[Problem]
    labelled: int
    ties: int
    annotators: Annotators | None


def join(
    labels: Sequence[LabelRecord],
    verdicts: Iterable[LabelRecord],
    scale: Scale,
    *,
    cutoff: float | None = None,
    without: Container[str] = (),
) -> JoinedRecords:
    """Join labels with verdicts, which may come from anywhere; only the ids have to match.

    With a `cutoff`, the labels are scores, and those from it on are passes. Several people may
    label an output: the majority decides, and without one the output is left out. An output with a
    conflict, or a value that cannot be read, is left out, too. The problems of verdicts have the
    paths of their file. Why the outputs `without` a verdict have none is known already.
    """
    people = _People(scale, cutoff)
    for label in labels:
        people.add(label)
    labelled, ties = people.decide()
    judged = _VerdictsByOutput(scale)
    for verdict in verdicts:
        judged.add(verdict, is_known=verdict.id in people.ids)
    for id_ in labelled:
        if id_ not in judged.seen and id_ not in without:
            message, path = "the judge gave no verdict on it", (people.ids[id_],)
            people.problems.add("missing-verdict", message, path, id_=id_, advice="it is left out")
    items = [
        LabelledVerdict(id_, human, judged.values[id_], score)
        for id_, (human, score) in labelled.items()
        if id_ in judged.values
    ]
    return JoinedRecords(
        items=items,
        label_problems=people.problems,
        verdict_problems=judged.problems,
        labelled=len(labelled),
        ties=ties,
        annotators=people.agreement(),
    )


class _People:
    """The labels of all people, by output and annotator."""

    def __init__(self, scale: Scale, cutoff: float | None) -> None:
        self.problems = LabelProblems()
        self.ids: dict[str, int] = {}  # every output, and its first row
        self._scale, self._cutoff = scale, cutoff
        self._labels: dict[str, dict[str, tuple[int, bool | float]]] = {}
        self._unusable: set[str] = set()

    def add(self, label: LabelRecord) -> None:
        index, id_, values = label
        self.ids.setdefault(id_, index)
        raw, report = values["human"], partial(self.problems.add, path=(index, "human"), id_=id_)
        value = read_word(raw) if self._cutoff is None else read_score(self._scale, raw)
        if isinstance(value, UnreadableValue):
            report("unknown-value", value.message, advice=value.help)
            self._unusable.add(id_)
            return
        annotator = values.get("annotator", "")
        labels = self._labels.setdefault(id_, {})
        first, other = labels.setdefault(annotator, (index, value))
        if first == index:
            return
        who = f" by `{annotator}`" if annotator else ""
        if other == value:
            message = f"`{id_}` is labelled twice{who}, in the same way"
            report("duplicate-label", message, advice="it is counted once; remove one", first=first)
            return
        message = f"`{id_}` is labelled twice{who}, and not in the same way"
        advice = "decide on one; if several people labelled it, name them in `annotator`"
        report("conflicting-label", message, advice=advice, first=first)
        self._unusable.add(id_)

    def decide(self) -> tuple[dict[str, tuple[bool, float | None]], int]:
        """Return whether the majority passed each output and its score, and the number of ties."""
        decided: dict[str, tuple[bool, float | None]] = {}
        ties = 0
        for id_, labels in self._labels.items():
            if id_ in self._unusable:
                continue
            passed = sum(self._passes(value) for _, value in labels.values())
            failed = len(labels) - passed
            if passed == failed:
                ties += 1
                message = f"{passed} passed it and {failed} failed it"
                path, advice = (self.ids[id_], "human"), "it is left out: let one more decide"
                self.problems.add("tied", message, path, id_=id_, advice=advice)
                continue
            score = None if self._cutoff is None else median(v for _, v in labels.values())
            decided[id_] = passed > failed, score
        return decided, ties

    def _passes(self, value: bool | float) -> bool:  # noqa: FBT001 - a verdict
        return bool(value) if self._cutoff is None else reaches(value, self._cutoff)

    def agreement(self) -> Annotators | None:
        """Return how well people agree; None if one person labelled all, or nobody is named."""
        people = {annotator for labels in self._labels.values() for annotator in labels}
        if len(people) < 2:  # noqa: PLR2004 - agreement needs two
            return None
        pairs: dict[tuple[str, str], list[tuple[bool, bool]]] = {}
        shared = [labels for labels in self._labels.values() if len(labels) > 1]
        metric: Metric = "nominal"
        if self._cutoff is not None:
            metric = "ordinal" if self._scale.levels else "interval"
        units = [[float(value) for _, value in labels.values()] for labels in shared]
        alpha = krippendorff_alpha(units, metric)
        found = Annotators(len(people), len(shared), None, alpha, metric)
        if sum(len(labels) ** 2 for labels in shared) > _MOST_COMPARED:
            return found
        for labels in shared:
            if len(pairs) > _MOST_PAIRS:
                return found
            for one, other in combinations(sorted(labels), 2):
                both = self._passes(labels[one][1]), self._passes(labels[other][1])
                pairs.setdefault((one, other), []).append(both)
        each = (cohens_kappa(Agreement.of_pairs(pair)) for pair in pairs.values())
        kappas = [kappa for kappa in each if kappa is not None]
        return found._replace(kappa=sum(kappas) / len(kappas) if kappas else None)


class _VerdictsByOutput:
    """The verdicts of a judge by output; those of a conflict are only in `seen`."""

    def __init__(self, scale: Scale) -> None:
        self.problems = LabelProblems()
        self.values: dict[str, bool | float] = {}
        self.seen: dict[str, int] = {}  # the first row with a verdict
        self._scale = scale
        self._first: dict[str, bool | float] = {}

    def add(self, verdict: LabelRecord, *, is_known: bool) -> None:
        index, id_, values = verdict
        first = self.seen.setdefault(id_, index)
        report = partial(self.problems.add, path=(index, "judge"), id_=id_)
        if not is_known:
            message = f"nobody labelled `{id_}`, which the judge has a verdict on"
            report("surplus-verdict", message)
            return
        value = read_verdict(self._scale, values["judge"])
        if isinstance(value, UnreadableValue):
            self.values.pop(id_, None)
            report("unknown-value", value.message, advice=value.help)
        elif first == index:
            self.values[id_] = self._first[id_] = value
        elif self._first.get(id_) != value:
            self.values.pop(id_, None)
            message = f"the judge has two verdicts on `{id_}`, which differ"
            report("conflicting-verdict", message, advice="keep one", first=first)
        else:
            message = f"the judge has two verdicts on `{id_}`, which are the same"
            report("duplicate-verdict", message, advice="it is counted once", first=first)
