"""Goldens of DeepEval, as `EvaluationDataset` reads them from files.

A script may give other names of keys to the loader; the file does not say so. Measured on
`deepeval` 4.3.1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._findings import SystemChecker, missing_key, stops_loader
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.formats.deepeval.reading import (
    EXPECTED,
    LISTS,
    OF_INPUT,
    OF_SCENARIO,
    TOOLS,
    as_read,
    find_rows,
    has_scenario,
    misread_list,
    parsed,
    parsed_turns,
)
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.nearest import nearest
from evalcontract.model.values import clipped, quoted

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.source.external import ExternalFile

_STOPS = "DeepEval stops here"
_MALFORMED = "deepeval/malformed-value"
_DUPLICATE = Problem(
    "deepeval/duplicate-id",
    "two goldens have the name `{clipped}`: results cannot be told apart",
    (),
    "rename one",
)
_NO_EXPECTATION = Problem(
    "deepeval/no-expectation",
    "the golden expects nothing: metrics that compare stop the run",
    (),
    "write `expected_output`, or what else the others have",
)
_CONDITIONS = ("must", "must_not", "mustNot", "model", "eval_mode")


class GoldenChecker(SystemChecker):
    """Reports what DeepEval rejects in each golden, and what it silently drops or changes."""

    _kind: tuple[bool, Path] | None = None
    _has_expectations = False

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next golden."""
        found = [] if is_clean else self._schema.faults(row, path)
        if isinstance(row, dict):
            found = [*self._of_kind(row, path, found)]
        yield from found
        if isinstance(row, dict):
            yield from _of_other_kind(row, path)
        if stops_loader(found):
            return
        malformed = [*self._texts(row, path), *_conditions(row, path), *_counts(row, path)]
        yield from malformed
        if malformed:
            return
        yield from self._mixed(row, path)
        yield from _meant_otherwise(row, path)
        yield from self._names.duplicate(row.get("name") or None, path, "name", problem=_DUPLICATE)
        self._observe(row, path, {problem.path for problem in found})

    def finish(self) -> Iterator[Problem]:
        """Report goldens that expect nothing, if others do."""
        yield from self.bare_rows(_NO_EXPECTATION) if self._has_expectations else ()

    def _of_kind(self, row: dict[str, Any], path: Path, found: list[Problem]) -> Iterator[Problem]:
        """Yield the findings on the keys that are read, and that the input is missing."""
        unread = _unread(row)
        end = len(path)
        missing = not has_scenario(row) and row.get("input") is None
        near = None
        if missing:
            known = {*OF_INPUT, *OF_SCENARIO}
            near = next((key for key in row if key not in known and _is_meant(key, "input")), None)
        for problem in found:
            key = problem.path[end] if len(problem.path) > end else None
            if (
                key not in unread
                and (near is None or key != near)
                and not (missing and key == "input")
            ):
                yield _not_of_other_kind(problem, row) if len(problem.path) == end + 1 else problem
        if missing:
            message = f"`input` is missing: {_STOPS}"
            advice = "write the input, or a `scenario` for a conversation"
            yield missing_key("deepeval", message, path, "input", near, advice)

    def _texts(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield the texts that are not the JSON of tools or of turns."""
        read = OF_SCENARIO if has_scenario(row) else OF_INPUT
        for key, of in ((TOOLS[0], "tool"), (TOOLS[1], "tool"), ("turns", "turn")):
            text = row.get(key)
            if key not in read or not isinstance(text, str) or not text:
                continue
            place = (*path, key)
            try:
                value = parsed_turns(text) if of == "turn" else parsed(text)
            except ValueError:
                yield Problem(_MALFORMED, f"`{key}` is a text that is not JSON: {_STOPS}", place)
                continue
            is_nothing = value == {} and of == "tool"
            parts = value if isinstance(value, list) else [] if is_nothing else [None]
            if any(stops_loader(self._schema.faults(part, (), of)) for part in parts):
                message = f"`{key}` is not the JSON of a list of {of}s: {_STOPS}"
                yield Problem(_MALFORMED, message, place)

    def _mixed(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Yield that a golden is of another kind than the first."""
        kind = has_scenario(row)
        if self._kind is None:
            self._kind = (kind, path)
        elif kind is not self._kind[0]:
            what = "has" if kind else "has no"
            message = f"the golden {what} `scenario`, unlike the first: {_STOPS}"
            related = (Related("the first golden", self._kind[1]),)
            advice = "write both kinds to files of their own"
            yield Problem("deepeval/mixed-goldens", message, path, advice, related=related)

    def _observe(self, row: dict[str, Any], path: Path, reported: set[Path]) -> None:
        if any(row.get(key) for key in EXPECTED):
            self._has_expectations = True
        elif not any(len(of) > len(path) for of in reported):
            self._bare.append(path)


def _unread(row: dict[str, Any]) -> list[str]:
    """Return the keys that only goldens of the other kind have."""
    is_conversation = has_scenario(row)
    read, others = (OF_SCENARIO, OF_INPUT) if is_conversation else (OF_INPUT, OF_SCENARIO)
    return [key for key in row if key in others and key not in read]


def _not_of_other_kind(problem: Problem, row: dict[str, Any]) -> Problem:
    """Report a key that is the last words of one of the other kind as a key of the author's own."""
    is_conversation = has_scenario(row)
    others = {*OF_INPUT} - {*OF_SCENARIO} if is_conversation else {*OF_SCENARIO} - {*OF_INPUT}
    key = problem.path[-1]
    meant = next((name for name in others if name.endswith(f"_{key}")), None)
    if problem.code != "deepeval/near-miss-key" or meant is None:
        return problem
    kind = "without" if is_conversation else "with"
    message, advice = f"DeepEval does not read `{key}`", f"only goldens {kind} a `scenario` have"
    return problem._replace(
        code="deepeval/ignored-key", message=message, help=f"{advice} `{meant}`", fix=None
    )


def _of_other_kind(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the keys that are not read, since there is a scenario, or since there is none."""
    for key in _unread(row):
        if row[key] is None or key == "scenario":
            continue
        if has_scenario(row):
            message, advice = f"`{key}` is not read beside a `scenario`", "remove one of both"
        else:
            message, advice = f"`{key}` is read only beside a `scenario`", "write a `scenario`"
        yield Problem("deepeval/other-kind", message, (*path, key), advice, on_key=True)


def _is_meant(key: str, known: str) -> bool:
    return nearest(key, (known,)) == known


def _meant_otherwise(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield what is probably read in another way than its author means."""
    if not has_scenario(row) and not str(row.get("input")).strip():
        yield Problem("deepeval/empty-input", "the input is empty", (*path, "input"), "write it")
    if not has_scenario(row) and row.get("actual_output") == "":
        message = "`actual_output` is empty: metrics that score it stop the run"
        advice = "remove it, so that the application is asked"
        yield Problem("deepeval/empty-output", message, (*path, "actual_output"), advice)
    for key in LISTS:
        if isinstance(text := row.get(key), str):
            yield from misread_list(key, text, (*path, key), read_as="a text")


def _counts(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the counts that are no whole numbers."""
    for key in () if has_scenario(row) else ("input_token_count", "output_token_count"):
        value = row.get(key)
        try:
            is_whole = value is None or float(value).is_integer()
        except (ValueError, OverflowError):
            is_whole = False
        if not is_whole:
            yield Problem(_MALFORMED, f"`{key}` is no whole number: {_STOPS}", (*path, key))


def _conditions(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the keys of `expectations` that DeepEval forbids, and conditions that are blank."""
    given = row.get("expectations")
    if not isinstance(given, dict):
        return
    place = (*path, "expectations")
    for key, value in given.items():
        if key not in _CONDITIONS:
            near = nearest(key, _CONDITIONS)
            advice = f"did you mean `{near}`?" if near else f"there are {quoted(_CONDITIONS[:2])}"
            message = f"`expectations` has no key `{clipped(key)}`: {_STOPS}"
            yield Problem(_MALFORMED, message, (*place, key), advice, on_key=True)
        elif isinstance(value, list):
            for number, text in enumerate(value):
                if isinstance(text, str) and not text.strip():
                    message = f"a condition is blank: {_STOPS}"
                    yield Problem(_MALFORMED, message, (*place, key, number), "remove it")


# Keys that only goldens have, beside their input.
_OWN = frozenset(
    {"expected_output", "actual_output", "retrieval_context", "tools_called", "source_file"}
    | {"additional_metadata", "custom_column_key_values"}
)
# Keys of other systems and of ours, whose rows have some of the same keys.
_OTHERS = frozenset(
    {"inputs", "target", "ideal", "prompt", "evals", "queries", "cases", "vars", "question"}
    | {"id", "criteria", "expected", "expected_facts", "rubric_ref", "must_contain_any"}
)
_OF_CONVERSATION = frozenset({"turns", "expected_outcome", "user_description", "persona"})
FACTS = {
    "of_input": lambda row, _: has_scenario(row),
    "of_scenario": lambda row, _: not has_scenario(row),
    "empty_list": lambda row, key: key in row and as_read({key: row[key]}).get(key) == [],
    "empty_output": lambda row, _: row.get("actual_output") == "",
    "no_conditions": lambda row, _: not _has_conditions(row),
}


def _has_conditions(row: dict[str, Any]) -> bool:
    given = row.get("expectations")
    return isinstance(given, dict) and any(given.get(k) for k in ("must", "must_not", "mustNot"))


class DeepEval(Format):
    """Goldens, of a question or of a scenario."""

    name = "deepeval"
    title = "DeepEval"
    media = ("json", "jsonl", "csv")
    basis = "`EvaluationDataset` and the metrics of deepeval 4.3.1, run"
    row_checker = GoldenChecker
    conversion = "evalcontract.formats.deepeval.conversion:GoldenLens"
    codes = codes_of_system(
        "deepeval",
        rejected=(
            "ragged-row",
            "malformed-value",
            "number-column",
            "mixed-goldens",
            "unknown-value",
        ),
        silently_accepted=(
            *("empty-input", "empty-output", "null-text", "other-kind"),
            *("shifted-columns", "no-rows"),
        ),
        guesses=("list-as-text", "no-expectation", "misplaced-key"),
    )
    facts = FACTS
    named_by = ("name",)
    of_rows = _OF_CONVERSATION | {"scenario"}  # others have one conversation a file
    has_text_lines = True

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a golden by its input and a key of its own, or by its scenario."""
        if not _OTHERS.isdisjoint(value):
            return None
        is_golden = "input" in value and not _OWN.isdisjoint(value)
        is_conversation = "scenario" in value and not _OF_CONVERSATION.isdisjoint(value)
        is_file = isinstance(value.get("goldens"), list)  # which the loaders refuse
        return cls() if is_golden or is_conversation or is_file else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        return find_rows(file)

    def name_of(self, row: Any) -> str | None:
        return super().name_of(row) or None
