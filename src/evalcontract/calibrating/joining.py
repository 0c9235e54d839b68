"""Join human labels with the verdicts of a judge, output by output."""

from __future__ import annotations

import json
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import combinations
from math import isfinite
from statistics import median
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem, Related
from evalcontract.model.nearest import nearest
from evalcontract.model.scale import reaches
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, listed
from evalcontract.source import SourceProblem
from evalcontract.source.tables import CsvTable
from evalcontract.statistics.rates import Agreement, cohens_kappa

if TYPE_CHECKING:
    from evalcontract.model.scale import Scale
    from evalcontract.source.json.lines import RowStream

#: After so many problems of one sort of fault no other is kept; a further one says so.
MAX_PROBLEMS = 10_000


def note(problems: list[Problem], problem: Problem) -> None:
    """Add a problem, unless there are too many."""
    if len(problems) < MAX_PROBLEMS:
        problems.append(problem)
    elif len(problems) == MAX_PROBLEMS:
        message = f"there are more than {MAX_PROBLEMS:,} faults: the rest is not reported"
        problems.append(Problem("source/limit-exceeded", message, problem.path[:1]))


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
    """Turns rows into records, and notes the `problems` of those that it cannot use."""

    def __init__(self, required: Sequence[str], shown: Sequence[str]) -> None:
        self.problems: list[Problem] = []
        self._required = required
        self._shown = shown

    def read(self, index: int, row: Any) -> LabelRecord | None:
        if not isinstance(row, dict):
            self._note("wrong-type", "a row must be an object", (index,), index, None)
            return None
        values = {key: row[key] for key in KEYS if not _is_blank(row.get(key))}
        id_ = self._text(values, "id", index)
        for key in self._required:
            # A label without a verdict is told when both are joined.
            if key not in values and (key == "id" or (key == "human" and id_ is not None)):
                at = (index, key) if key in row else (index,)
                self._note("missing-value", f"the row has no `{key}`", at, index, id_)
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
                self._show(values, key, value, index)
        return LabelRecord(index, id_, values)

    def _show(self, values: dict[str, Any], key: str, value: Any, index: int) -> None:
        """Keep what a judge is shown; note a value of another type."""
        if key == "expected" and isinstance(value, str):  # a cell of CSV
            with suppress(ValueError, RecursionError):
                value = json.loads(value)
        wanted = {"expected": dict, "context": object}.get(key, str)
        if isinstance(value, wanted):
            values[key] = value
        else:
            what = "an object" if key == "expected" else "text"
            self._note("wrong-type", f"`{key}` must be {what}", (index, key), index, None)

    def _text(self, values: dict[str, Any], key: str, index: int) -> str | None:
        """Return a value as text; a whole number is one. Note and drop any other value."""
        value = values.get(key)
        if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
            return _text_of(value)
        if key in values:
            self._note("wrong-type", f"`{key}` must be text", (index, key), index, None)
            del values[key]
        return None

    def _model(self, value: Any, index: int) -> dict[str, str] | None:
        model = {"name": value} if isinstance(value, str) else value
        keys = ("provider", "name")
        if isinstance(model, dict) and isinstance(model.get("name"), str):
            known = {key: model[key] for key in keys if key in model}
            if all(isinstance(part, str) for part in known.values()):
                return known
        message = "`model` must be a name, or `{provider, name}`"
        self._note("wrong-type", message, (index, "model"), index, None)
        return None

    def _note(
        self, fault: str, message: str, at: tuple[int | str, ...], index: int, row: str | None
    ) -> None:
        problem = Problem(f"labels/{fault}", message, at, row=row, row_index=index)
        if not any(each.path == at for each in self.problems[-1:]):  # one fault of a value
            note(self.problems, problem)


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
    if not scale.is_numeric:
        word = passes(value)
        return _not_a_word(value) if word is None else word
    return read_score(scale, value)


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


def human(value: Any) -> bool | UnreadableValue:
    """Read a human label: pass or fail."""
    word = passes(value)
    return _not_a_word(value) if word is None else word


def _not_a_word(value: Any) -> UnreadableValue:
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


class JudgeVerdict(NamedTuple):
    """What a judge said about an output; `row` is its row in the file, from 0."""

    row: int
    id: str
    value: Any


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
    do.
    """

    people: int
    outputs: int
    kappa: float | None


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


class _LabelledOutput(NamedTuple):
    row: int
    human: bool
    score: float | None


def join(
    labels: Sequence[LabelRecord],
    verdicts: Iterable[JudgeVerdict],
    scale: Scale,
    cutoff: float | None = None,
    told: Container[str] = (),
) -> JoinedRecords:
    """Join labels with verdicts, which may come from anywhere; only the ids have to match.

    With a `cutoff`, the labels are scores, and those from it on are passes. Several people may
    label an output: the majority decides, and without one the output is left out. An output with a
    conflict, or a value that cannot be read, is left out, too. The problems of verdicts have the
    paths of their file. Why the outputs that are `told` have no verdict is known already.
    """
    people = _People(scale, cutoff)
    for label in labels:
        people.add(label)
    labelled, ties = people.decide()
    judged = _VerdictsByOutput(scale)
    for verdict in verdicts:
        judged.add(verdict, is_known=verdict.id in people.ids)
    for id_, (index, *_) in labelled.items():
        if id_ not in judged.seen and id_ not in told:
            message = "the judge gave no verdict on it"
            people.problem("missing-verdict", message, (index,), id_, "it is left out")
    items = [
        LabelledVerdict(id_, label.human, judged.values[id_], label.score)
        for id_, label in labelled.items()
        if id_ in judged.values
    ]
    return JoinedRecords(
        items, people.problems, judged.problems, len(labelled), ties, people.agreement()
    )


class _People:
    """The labels of all people, by output and annotator."""

    def __init__(self, scale: Scale, cutoff: float | None) -> None:
        self.problems: list[Problem] = []
        self.ids: dict[str, int] = {}  # every output, and its first row
        self._scale, self._cutoff = scale, cutoff
        self._labels: dict[str, dict[str, tuple[int, bool | float]]] = {}
        self._unusable: set[str] = set()

    def problem(
        self,
        fault: str,
        message: str,
        path: tuple[int | str, ...],
        id_: str,
        advice: str | None = None,
        first: int | None = None,
    ) -> None:
        related = () if first is None else (Related("first here", (first, "human")),)
        index = int(path[0])
        note(
            self.problems,
            Problem(f"labels/{fault}", message, path, advice, False, id_, related, index),
        )

    def add(self, label: LabelRecord) -> None:
        index, id_, values = label
        self.ids.setdefault(id_, index)
        raw = values["human"]
        value = human(raw) if self._cutoff is None else read_score(self._scale, raw)
        if isinstance(value, UnreadableValue):
            self.problem("unknown-value", value.message, (index, "human"), id_, value.help)
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
            advice = "it is counted once; remove one"
            self.problem("duplicate-label", message, (index, "human"), id_, advice, first)
            return
        message = f"`{id_}` is labelled twice{who}, and not in the same way"
        advice = "decide on one; if several people labelled it, name them in `annotator`"
        self.problem("conflicting-label", message, (index, "human"), id_, advice, first)
        self._unusable.add(id_)

    def decide(self) -> tuple[dict[str, _LabelledOutput], int]:
        """Return the labels that the majority agrees on, and how many have none."""
        decided: dict[str, _LabelledOutput] = {}
        ties = 0
        for id_, labels in self._labels.items():
            if id_ in self._unusable:
                continue
            passed = sum(self._passes(value) for _, value in labels.values())
            failed = len(labels) - passed
            if passed == failed:
                ties += 1
                message = f"{passed} passed it and {failed} failed it"
                path = (self.ids[id_], "human")
                self.problem("tied", message, path, id_, "it is left out: let one more decide")
                continue
            score = None if self._cutoff is None else median(v for _, v in labels.values())
            decided[id_] = _LabelledOutput(self.ids[id_], passed > failed, score)
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
        if sum(len(labels) ** 2 for labels in shared) > _MOST_COMPARED:
            return Annotators(len(people), len(shared), None)
        for labels in shared:
            if len(pairs) > _MOST_PAIRS:
                return Annotators(len(people), len(shared), None)
            for one, other in combinations(sorted(labels), 2):
                both = self._passes(labels[one][1]), self._passes(labels[other][1])
                pairs.setdefault((one, other), []).append(both)
        kappas = [*_defined(cohens_kappa(Agreement.of_pairs(pair)) for pair in pairs.values())]
        return Annotators(len(people), len(shared), sum(kappas) / len(kappas) if kappas else None)


def _defined(values: Iterable[float | None]) -> Iterator[float]:
    return (value for value in values if value is not None)


class _VerdictsByOutput:
    """The verdicts of a judge by output; those of a conflict are only in `seen`."""

    def __init__(self, scale: Scale) -> None:
        self.problems: list[Problem] = []
        self.values: dict[str, bool | float] = {}
        self.seen: dict[str, int] = {}  # the first row with a verdict
        self._scale = scale
        self._first: dict[str, bool | float] = {}

    def add(self, verdict: JudgeVerdict, *, is_known: bool) -> None:
        index, id_, raw = verdict
        first = self.seen.setdefault(id_, index)
        if not is_known:
            message = f"nobody labelled `{id_}`, which the judge has a verdict on"
            self._problem("surplus-verdict", message, verdict)
            return
        value = read_verdict(self._scale, raw)
        if isinstance(value, UnreadableValue):
            self.values.pop(id_, None)
            self._problem("unknown-value", value.message, verdict, value.help)
        elif first == index:
            self.values[id_] = self._first[id_] = value
        elif self._first.get(id_) != value:
            self.values.pop(id_, None)
            message = f"the judge has two verdicts on `{id_}`, which differ"
            self._problem("conflicting-verdict", message, verdict, "keep one", first)
        else:
            message = f"the judge has two verdicts on `{id_}`, which are the same"
            self._problem("duplicate-verdict", message, verdict, "it is counted once", first)

    def _problem(
        self,
        fault: str,
        message: str,
        verdict: JudgeVerdict,
        advice: str | None = None,
        first: int | None = None,
    ) -> None:
        index, id_, _ = verdict
        related = () if first is None else (Related("first here", (first, "judge")),)
        path = (index, "judge")
        note(
            self.problems,
            Problem(f"labels/{fault}", message, path, advice, False, id_, related, index),
        )
