"""Check records as each reader does: the open-source store, `evaluate`, the store of Databricks."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from hashlib import sha256
from typing import Any

from evalcontract.formats._findings import (
    FirstRows,
    has_lone_surrogate,
    is_below,
    is_ignored_key,
    missing_key,
    parsed_json,
    stops_loader,
    without,
)
from evalcontract.formats.mlflow.records import (
    DOCUMENTED,
    GOAL,
    SESSION_KEYS,
    MlflowChecker,
    documented_form,
    explained,
    id_of,
    is_documented,
    kinds_of,
    stored_form,
    with_missing,
)
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.nearest import nearest
from evalcontract.model.values import quoted
from evalcontract.source.document import value_at
from evalcontract.source.yaml.writing import flow

_encode = json.JSONEncoder(sort_keys=True).encode
# Enough bytes of a digest that records practically never collide.
_DIGEST_BYTES = 16
_EMPTY, _SESSION, _TRACE = "empty", "session", "trace"
_DESCRIPTIONS = {
    _EMPTY: "has empty inputs",
    _SESSION: "is a conversation (`goal`)",
    _TRACE: "is a single question",
}
_CLASHES = {
    _TRACE: ("mlflow/mixed-granularity", "a dataset must not mix them", "put them in two datasets"),
    _EMPTY: (
        "mlflow/empty-inputs",
        "a conversation needs a `goal`",
        "write the goal of the conversation: `inputs: {goal: …}`",
    ),
}
_WORDS = {bool: "boolean", int: "integer", float: "float", str: "string", list: "array"}


_MIXED_OUTPUTS = Problem(
    "mlflow/mixed-outputs",
    "`outputs` is a mapping, but earlier ones are not: the store cannot describe both",
    (),
    "write all `outputs` in one form, or remove them",
)


def _canonical(inputs: dict[str, Any]) -> bytes:
    """Return bytes that are equal for inputs that are equal as JSON with sorted keys."""
    if len(inputs) == 1:
        ((key, value),) = inputs.items()
        if type(value) is str:  # the most common inputs, without an encoder
            return f"{len(key)} {key}{value}".encode("utf-8", "surrogatepass")
    return _encode(inputs).encode()


class Merging(FirstRows):
    """Finds records that the store merges, because their inputs are equal.

    They are compared as JSON with sorted keys, so 1 and 1.0 differ. Only digests are stored.
    """

    def first_with(self, inputs: dict[str, Any], path: Path) -> Path | None:
        """Return the path of the first record with these inputs if it is an earlier one."""
        return self.before(sha256(_canonical(inputs)).digest()[:_DIGEST_BYTES], path)


def mixed_goal(inputs: Any, path: Path) -> Problem | None:
    """Report inputs that mix the reserved `goal` with other inputs."""
    is_session = isinstance(inputs, dict) and GOAL in inputs
    others = quoted(key for key in inputs if key not in SESSION_KEYS) if is_session else ""
    if not others:
        return None
    message = f"`{GOAL}` marks the record as a conversation, which cannot have {others}"
    advice = f"move {others} to `context`, or rename `{GOAL}`"
    return Problem("mlflow/mixed-goal", message, (*path, "inputs", GOAL), advice, on_key=True)


class Granularity:
    """Finds datasets that mix conversations with other records."""

    def __init__(self) -> None:
        self._first: dict[str, Path] = {}
        self._is_reported = False
        self._has_company = False

    def observe(self, inputs: dict[str, Any], path: Path) -> Iterator[Problem]:
        """Add a record; yield a problem if it is the first to conflict with an earlier one."""
        kind = (_SESSION if GOAL in inputs else _TRACE) if inputs else _EMPTY
        self._has_company |= kind is _SESSION and len(inputs) > 1
        if kind in self._first:
            return
        self._first[kind] = path
        # Empty inputs conflict with conversations only.
        if _SESSION in self._first and len(self._first) > 1 and not self._is_reported:
            self._is_reported = True
            yield self._clash(kind, path)

    def finish(self) -> Iterator[Problem]:
        """Report that `goal` is reserved if nothing shows that the author knows it."""
        first = self._first.get(_SESSION)
        if first is not None and not self._has_company and not self._is_reported:
            message = (
                f"`{GOAL}` is reserved: MLflow treats these records as conversations to simulate"
            )
            advice = "add `persona` or `context` if that is intended, or rename it"
            where = (*first, "inputs", GOAL)
            yield Problem("mlflow/reserved-goal", message, where, advice, on_key=True)

    def _clash(self, kind: str, path: Path) -> Problem:
        other = _TRACE if _TRACE in self._first else _EMPTY
        before = other if kind is _SESSION else _SESSION
        is_now, was = _DESCRIPTIONS[kind], _DESCRIPTIONS[before]
        code, why, advice = _CLASHES[other]
        message = f"this record {is_now} but an earlier one {was}: {why}"
        related = (Related(f"this one {was}", (*self._first[before], "inputs")),)
        return Problem(code, message, (*path, "inputs"), advice, related=related)


class OutputTypes:
    """Finds outputs whose types the store cannot describe together.

    The store describes the outputs of a dataset by the name of a type if the first ones are not
    mappings, and by their keys if they are. It fails to add the keys of a later mapping to a name.
    """

    def __init__(self) -> None:
        self._word = ""
        self._first: Path = ()
        self._has_keys = False

    def observe(self, outputs: Any, path: Path) -> Iterator[Problem]:
        """Add the outputs of a record, which are not null."""
        if not isinstance(outputs, dict):
            if not self._word and not self._has_keys:
                self._word, self._first = _WORDS.get(type(outputs), "unknown"), path
        elif not self._word:
            self._has_keys |= bool(outputs)
        elif any(key not in self._word for key in outputs):
            related = (Related("not a mapping", (*self._first, "outputs")),)
            yield _MIXED_OUTPUTS._replace(path=(*path, "outputs"), related=related)


_USER = "mlflow.user"
_SQLITE_LIMIT = 2**63


class StoreChecker(MlflowChecker):
    """Checks records as `merge_records` of the open-source store does."""

    _first: Path | None = None

    def __init__(self, *started: Any) -> None:
        super().__init__(*started)
        self._merging = Merging()
        self._granularity = Granularity()
        self._outputs = OutputTypes()

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record; the store reads less of one that it merges into an earlier one."""
        inputs = row.get("inputs") if isinstance(row, dict) else None
        self._first = self._merging.first_with(inputs, path) if isinstance(inputs, dict) else None
        return super().check(row, path, is_clean=is_clean)

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Adapt the schema violations to what the store rejects."""
        if not isinstance(row, dict):
            return problems
        if self._first is not None:
            problems = without(problems, (*path, "source"))
            if not row.get("expectations"):
                problems = without(problems, (*path, "expectations"))
        problems = _documented_source(problems, row.get("source"), (*path, "source"))
        if mixed := mixed_goal(row.get("inputs"), path):
            problems = [*without(problems, (*path, "inputs")), mixed]
        return explained(problems, row, path)

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield conflicts with earlier records, and values that the store cannot write."""
        problems = [*self._granularity.observe(row["inputs"], path)]
        if row.get("outputs") is not None:
            problems += self._outputs.observe(row["outputs"], path)
        if self._first is not None:
            problems.append(_merged(self._first, path))
        elif row.get("source"):
            key, value = id_of(row["source"])
            problems += _unstorable(value, (*path, "source", "source_data", key))
        if not isinstance(row.get("tags", {}), dict):
            problems.append(_empty_tags((*path, "tags")))
        elif row.get("tags") and _USER in row["tags"]:
            problems += _unstorable(row["tags"][_USER], (*path, "tags", _USER))
        return problems

    def finish(self) -> Iterable[Problem]:
        """Also report the reserved input if nothing shows that the author knows it."""
        return [*super().finish(), *self._granularity.finish()]


def _merged(first: Path, path: Path) -> Problem:
    number, advice = int(first[-1]) + 1, "make the inputs differ, or write one record"
    message = f"record {number} has the same `inputs`: MLflow merges this record into it"
    related = (Related("the record with the same inputs", (*first, "inputs")),)
    return Problem("mlflow/equal-inputs", message, (*path, "inputs"), advice, related=related)


def _empty_tags(path: Path) -> Problem:
    message = "MLflow 3.17 fails on `tags` that are empty and no mapping; 3.18 stores the record"
    return Problem("mlflow/empty-tags", message, path, "remove the key, or write `{}`")


def _unstorable(value: Any, path: Path) -> Iterator[Problem]:
    """Report a value that does not fit into the column that the store copies it to."""
    is_half = isinstance(value, str) and has_lone_surrogate(value)
    is_large = isinstance(value, int) and not -_SQLITE_LIMIT <= value < _SQLITE_LIMIT
    if isinstance(value, dict | list) or is_half or is_large:
        message = f"`{path[-1]}` is copied into a text column, which cannot hold this value"
        yield Problem("mlflow/wrong-type", message, path, "write a text")


def _documented_source(problems: list[Problem], source: Any, path: Path) -> list[Problem]:
    if not is_documented(source) or not any(is_below(problem, path) for problem in problems):
        return problems
    form = stored_form(source) or {"source_type": "…", "source_data": {"…": "…"}}
    kind = next(kind for kind in DOCUMENTED if kind in source)
    message = f"`source` with `{kind}` is Databricks' form, which the open-source store rejects"
    code, advice = "mlflow/documented-source", f"write `source: {flow(form)}`"
    return [*without(problems, path), Problem(code, message, (*path, kind), advice, on_key=True)]


#: `evaluate` needs a trace in every row, or in none.
MIXED_TRACES = Problem(
    "mlflow/mixed-traces",
    "some rows have a trace and others do not: `evaluate` fails",
    (),
    "give every row a `trace`, or none",
)
_MALFORMED = "mlflow/malformed-value"


class EvaluateChecker(MlflowChecker):
    """Checks rows as `mlflow.genai.evaluate` does."""

    named_by = "request_id"
    _first: Path | None = None
    _has_traces = False
    _is_reported = False

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Tolerate NaN, which counts as missing for a whole column and as a number inside."""
        problems = [p for p in problems if not _is_nan(row, p.path[len(path) :])]
        if isinstance(row, dict):
            problems = explained(problems, row, path)
            problems = [_renamed(problem, row, path) for problem in problems]
        if self._first is None and isinstance(row, dict) and "trace" not in row:
            problems = with_missing(problems, row, path, key="inputs")
        if not stops_loader(problems):
            return problems
        is_reported = any(problem.code == "mlflow/missing-key" for problem in problems)
        return [*problems, *self._across_rows(row, path, is_reported=is_reported)]

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield what the first row lacks, and where a row differs from it."""
        return self._across_rows(row, path)

    def needs_expectations(self, row: dict[str, Any]) -> bool:
        """Whether the row has no trace, which may have expectations too."""
        return "trace" not in row

    def finish(self) -> Iterable[Problem]:
        """Also report a dataset without rows."""
        yield from super().finish()
        if self._first is None:
            yield Problem("mlflow/no-rows", "there are no rows: `evaluate` rejects that", ())

    def _across_rows(self, row: Any, path: Path, *, is_reported: bool = False) -> Iterator[Problem]:
        is_first = self._first is None
        self._first = self._first or path
        if not isinstance(row, dict):
            return
        has_trace = "trace" in row
        if is_first:
            self._has_traces = has_trace
            if not has_trace and not is_reported and not isinstance(row.get("inputs"), dict):
                yield _first_inputs(row, path)
        elif has_trace is not self._has_traces and not self._is_reported:
            self._is_reported = True
            related = (Related("the first row", self._first or ()),)
            where = (*path, "trace") if has_trace else path
            yield MIXED_TRACES._replace(path=where, related=related)
        if has_trace and isinstance(row["trace"], str):
            yield from self._trace_text(row["trace"], (*path, "trace"))

    def _trace_text(self, text: str, path: Path) -> Iterator[Problem]:
        """Check a trace that is written as a JSON text."""
        trace = parsed_json(text, default=...)
        if trace is ...:
            message = "`trace` is a text that is not JSON: `evaluate` cannot parse it"
            yield Problem(_MALFORMED, message, path, "write the trace as a mapping")
            return
        faults = self._schema.faults(trace, (), of="trace") if isinstance(trace, dict) else None
        if faults is None or stops_loader(faults):
            reason = faults[0].message if faults else "it is not a mapping"
            message = f"the text of `trace` is not an MLflow trace: {reason}"
            yield Problem(_MALFORMED, message, path, "write the output of `Trace.to_json`")


def _first_inputs(row: dict[str, Any], path: Path) -> Problem:
    if "inputs" not in row:
        message = "the first row has neither `inputs` nor `trace`"
        return Problem("mlflow/missing-key", message, path, "such as `inputs: {question: …}`")
    message = "`inputs` of the first row must be a mapping"
    advice = "write the arguments of the application by name: `inputs: {question: …}`"
    return Problem("mlflow/wrong-type", message, (*path, "inputs"), advice)


def _renamed(problem: Problem, row: dict[str, Any], path: Path) -> Problem:
    """Return the problem of a missing key of a trace at the key that was probably meant."""
    where = problem.path[len(path) :]
    if problem.code != "mlflow/missing-key" or where[:1] != ("trace",):
        return problem
    key, value = problem.message.split("`")[1], value_at(row, where)
    near = nearest(key, value) if isinstance(value, dict) else None
    if near is None:
        return problem
    return missing_key("mlflow", problem.message, problem.path, key, near, problem.help)


def _is_nan(row: Any, path: Path) -> bool:
    """Whether a place in a row has a NaN that `evaluate` accepts."""
    value = value_at(row, path)
    return path[:1] in (("expectations",), ("tags",)) and value != value  # noqa: PLR0124 - NaN


class ManagedChecker(MlflowChecker):
    """Checks records against the public documentation of Databricks."""

    named_by = "dataset_record_id"

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Adapt the schema violations, and name their basis."""
        if isinstance(row, dict):
            problems = explained(problems, row, path, is_managed=True)
        if isinstance(row, dict) and isinstance(source := row.get("source"), dict):
            problems = _missing_kind(problems, source, (*path, "source"))
            problems = _open_source_source(problems, source, (*path, "source"))
        return [_documented(problem) for problem in problems]

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Report a source of several kinds."""
        kinds = kinds_of(row.get("source"))
        if len(kinds) > 1:
            message = f"`source` has {quoted(kinds)}, but a record has one source"
            where = (*path, "source", kinds[1])
            problem = Problem("mlflow/several-sources", message, where, "keep one", on_key=True)
            yield _documented(problem)


def _missing_kind(problems: list[Problem], source: dict[str, Any], path: Path) -> list[Problem]:
    for kind in DOCUMENTED:
        if not kinds_of(source) and any(problem.path[:-1] == path for problem in problems):
            problems = with_missing(problems, source, path, key=kind)
    if any(p.path[:-1] == path and p.code == "mlflow/missing-key" for p in problems):
        return [problem for problem in problems if problem.path != path]
    return problems


def _open_source_source(
    problems: list[Problem], source: dict[str, Any], path: Path
) -> list[Problem]:
    if "source_type" not in source or is_documented(source):
        return problems
    message = "`source` with `source_type` is the form of the open-source store"
    advice = "remove it: Databricks has no such source"
    if form := documented_form(source):
        advice = f"write `source: {flow(form)}`"
    code, where = "mlflow/open-source-source", (*path, "source_type")
    problem = Problem(code, message, where, advice, on_key=True)
    return [*without(problems, path), problem]


def _documented(problem: Problem) -> Problem:
    if is_ignored_key(problem):
        return problem
    return problem._replace(message=f"{problem.message}, per public documentation")
