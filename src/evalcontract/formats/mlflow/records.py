"""Records: where they are from, exports that hold them, and one pass over those of any dialect.

The open-source store has `{"source_type": …, "source_data": {…}}`, Databricks one key for each
kind: `{"human": {…}}`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import (
    SystemChecker,
    is_ignored_key,
    is_list_of,
    mapping_at,
    parsed_json,
    stops_loader,
)
from evalcontract.formats._format import RowLayout
from evalcontract.formats._frames import first_row_of, frame_of, layout_of
from evalcontract.formats._graders import Fact, GraderPrediction, Row, predictions, read_field
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.source.installed import table

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile


_RECORDS = "records"
# `to_dict` writes all of them beside the records.
_OF_DATASET = frozenset({"dataset_id", "digest", "profile"})
#: The columns of which a data frame has one.
COLUMNS = frozenset({"inputs", "trace"})
_EXPORT = Problem(
    "mlflow/export",
    "this is `to_dict` of a dataset: `EvaluationDataset.from_dict` reads it",
    (),
    f"`merge_records` takes its `{_RECORDS}`",
)


def is_export(value: Any) -> bool:
    """Whether a document is what `to_dict` of a dataset gives, with its records."""
    is_dataset = isinstance(value, dict) and not _OF_DATASET.isdisjoint(value)
    return is_dataset and isinstance(value.get(_RECORDS), list)


def exported_rows(value: Any) -> RowLayout | None:
    """Return the rows of an export; None if a document is none."""
    if is_export(value):
        return RowLayout(value[_RECORDS], (_RECORDS,), (_EXPORT,))
    frame = frame_of(value, COLUMNS)
    return layout_of(frame, "mlflow") if frame else None


def first_exported(value: dict[str, Any]) -> Any:
    """Return the first row of an export; None if a document is none."""
    if is_export(value):
        return next(iter(value[_RECORDS]), None)
    return first_row_of(value, COLUMNS)


def exported_root(read: ExternalFile) -> dict[str, Any]:
    """Return what an export says of the dataset, as the keys of evalcontract beside the rows."""
    value = read.document.value if read.document else None
    if not isinstance(value, dict) or not is_export(value):
        return {}
    root = {"label": value["name"]} if isinstance(value.get("name"), str) else {}
    tags = value.get("tags")
    return {**root, "metadata": {"tags": tags}} if isinstance(tags, dict) and tags else root


#: The kinds that Databricks documents, and the key that each requires.
DOCUMENTED = {"human": "user_name", "document": "doc_uri", "trace": "trace_id"}
#: The types of the open-source store.
TYPES = ("HUMAN", "DOCUMENT", "TRACE", "CODE", "UNSPECIFIED")


def kinds_of(source: Any) -> list[str]:
    """Return the documented kinds of a source that are not null."""
    if not isinstance(source, dict):
        return []
    return [kind for kind in DOCUMENTED if source.get(kind) is not None]


def is_documented(source: Any) -> bool:
    """Whether a source has the form that Databricks documents."""
    return isinstance(source, dict) and not source.keys().isdisjoint(DOCUMENTED)


def type_of(source: Any) -> str | None:
    """Return the type of an open-source source, as the store writes it; None if it is unknown."""
    type_ = source.get("source_type") if isinstance(source, dict) else None
    return type_.upper() if isinstance(type_, str) and type_.upper() in TYPES else None


def stored_form(source: Any) -> dict[str, Any] | None:
    """Return any source as the open-source store accepts it; None if that is impossible."""
    if is_documented(source):
        kinds = kinds_of(source)
        if len(kinds) != 1 or source.keys() - DOCUMENTED.keys():
            return None
        source = {"source_type": kinds[0].upper(), "source_data": source[kinds[0]]}
    if type_of(source) is None or source.keys() - {"source_type", "source_data"}:
        return None
    is_known = isinstance(source.get("source_data"), dict | None)
    return source if is_known and not isinstance(id_of(source)[1], dict | list) else None


def documented_form(source: Any) -> dict[str, Any] | None:
    """Return any source as Databricks documents it; None if that is impossible."""
    type_ = type_of(source)
    form = {type_.lower(): source.get("source_data")} if type_ else source
    kinds = kinds_of(form)
    data: Any = form[kinds[0]] if len(kinds) == 1 else None
    is_named = isinstance(data, dict) and isinstance(data.get(DOCUMENTED[kinds[0]]), str)
    return form if is_named and isinstance(data.get("content"), str | None) else None


def id_of(source: dict[str, Any]) -> tuple[str, Any]:
    """Return the key and the value that the open-source store takes as the id of a source."""
    key = "trace_id" if type_of(source) == "TRACE" else "source_id"
    return key, (source.get("source_data") or {}).get(key)


OSS, MANAGED, EVALUATE = "oss", "managed", "evaluate"
_INPUTS, _OUTPUTS, _TRACE = "inputs", "outputs", "trace"
# The keys that a record or a row for `evaluate` may have.
_COLUMNS = frozenset({_INPUTS, _OUTPUTS, _TRACE, "expectations", "tags", "source", "request_id"})
# The keys of a trace that `Trace.to_dict` writes.
_TRACE_PARTS = frozenset({"info", "data"})


def recognised(value: dict[str, Any]) -> str | None:
    """Return the variant of a record by its `inputs` and `expectations`, or by its trace."""
    if isinstance(row := first_exported(value), dict):
        return recognised(row) or perhaps_recognised(row)
    trace = value.get(_TRACE)
    if trace is not None and "trace_metadata" in value:
        return EVALUATE
    is_trace = isinstance(trace, dict) and trace.keys() >= _TRACE_PARTS
    if is_trace and not {"input", "request"} & value.keys():  # rows of others may have one, too
        return EVALUATE
    is_record = all(isinstance(value.get(key), dict) for key in (_INPUTS, "expectations"))
    return _variant_of(value) if is_record else None


def perhaps_recognised(value: dict[str, Any]) -> str | None:
    """Return the variant of a record that has nothing but its inputs, or outputs besides.

    Mappings of `inputs` and `outputs` alone are not recognised: they may be examples of another
    system, whose outputs are the expected ones.
    """
    inputs, outputs = value.get(_INPUTS), value.get(_OUTPUTS)
    others = table("formats/mlflow.columns")
    columns = {*_COLUMNS, *others["dropped"], *others["of_others"]} - {"id"}
    if not isinstance(inputs, dict) or not inputs or not value.keys() <= columns:
        return None
    if isinstance(outputs, dict) and value.keys() == {_INPUTS, _OUTPUTS}:
        return None
    return _variant_of(value)


def _variant_of(value: dict[str, Any]) -> str:
    if _TRACE in value or "request_id" in value:
        return EVALUATE
    source = value.get("source")
    if is_documented(source):
        return MANAGED
    # The open-source store gives it beside each record.
    is_stored = "source_type" in (source if isinstance(source, dict) else value)
    return MANAGED if "create_time" in value and not is_stored else OSS


FACTS, RESPONSE, GUIDELINES = "expected_facts", "expected_response", "guidelines"
TOOL_CALLS, CONTEXT = "expected_tool_calls", "expected_retrieved_context"
#: Names of expectations that scorers of MLflow or Databricks read.
RESERVED = frozenset({FACTS, RESPONSE, GUIDELINES, TOOL_CALLS, CONTEXT})


def are_guidelines(value: Any) -> bool:
    """Whether a value can be read as guidelines: a list of texts, or one text."""
    return isinstance(value, str) or is_list_of(value, str)


def unnamed_call(value: Any) -> int | None:
    """Return the index of the first expected tool call that cannot be read; -1 for no list."""
    if not isinstance(value, list):
        return -1
    for index, call in enumerate(value):
        arguments = call.get("arguments") if isinstance(call, dict) else ""
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            return index
        if arguments is not None and not isinstance(arguments, dict):
            return index
    return None


def expectation_problems(expectations: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the problems of the expectations at a path."""
    facts, guidelines = expectations.get(FACTS), expectations.get(GUIDELINES)
    if facts is not None and expectations.get(RESPONSE) is not None:
        message = f"the record has both `{FACTS}` and `{RESPONSE}`: Correctness will not score it"
        code, advice = "mlflow/facts-and-response", "remove one of them"
        yield Problem(code, message, (*path, FACTS), advice, on_key=True)
    if facts is not None and not is_list_of(facts, str):
        yield _no_texts(FACTS, "Correctness and RetrievalSufficiency fail", path)
    if guidelines is not None and not are_guidelines(guidelines):
        yield _no_texts(GUIDELINES, "ExpectationsGuidelines fails", path)
    calls = expectations.get(TOOL_CALLS)
    if calls and (index := unnamed_call(calls)) is not None:
        message = f"`{TOOL_CALLS}` is stored, but ToolCallCorrectness cannot read it"
        where = (*path, TOOL_CALLS) if index < 0 else (*path, TOOL_CALLS, index)
        advice = "write a list of mappings: `[{name: …, arguments: {…}}]`"
        yield Problem("mlflow/unreadable-tool-call", message, where, advice)


def _no_texts(key: str, consequence: str, path: Path) -> Problem:
    message = f"`{key}` is not a list of texts: it is stored, but {consequence} at scoring"
    code, advice = "mlflow/no-list-of-texts", f"write a list: `{key}: [...]`"
    return Problem(code, message, (*path, key), advice)


#: The input that marks a record as a conversation to simulate, and the inputs it may have.
GOAL = "goal"
SESSION_KEYS = frozenset({"persona", GOAL, "context", "simulation_guidelines"})
_MERGED = "mlflow/equal-inputs"
_DUPLICATE = Problem(
    "mlflow/duplicate-id",
    "duplicate `{key}`: record {number} has `{name}` too",
    (),
    "record ids must be unique",
)
_NO_EXPECTATIONS = Problem(
    "mlflow/no-expectations",
    "the record has no expectations, and others have: the scorers that read them fail on it",
    (),
    f"add `expectations`, such as `{{{FACTS}: [...]}}`",
)
_MISSPELLED = ("mlflow/near-miss-key", "mlflow/misplaced-key")


class MlflowChecker(SystemChecker):
    """Checks records against the schema, and for expectations that no scorer can use.

    Subclasses add what each loader checks.
    """

    #: The key that names a record, if the loader reads one.
    named_by: str | None = None
    _has_expectations = False

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record."""
        faults = [] if is_clean else self._faults(row, path)
        if faults and stops_loader(faults):
            return faults
        problems = [*self.record_problems(row, path), *self._misspelled(row, path)]
        if problems and stops_loader(p for p in problems if p.code != _MERGED):
            return [*faults, *problems]
        if (key := self.named_by) and key in row:
            problems += self._names.duplicate(row[key], path, key, problem=_DUPLICATE)
        expectations = row.get("expectations")
        if expectations and isinstance(expectations, dict):
            self._has_expectations = True
            problems += expectation_problems(expectations, (*path, "expectations"))
        elif not faults and self.needs_expectations(row):
            self._bare.append(path)
        return [*faults, *problems]

    def _misspelled(self, row: Any, path: Path) -> Iterator[Problem]:
        for problem in self._schema.near_misses(row, path):
            *above, key = problem.path
            message = f"no MLflow scorer reads `{key}`"
            is_expected = above[-1] == "expectations"
            yield problem._replace(message=message) if is_expected else problem

    def finish(self) -> Iterable[Problem]:
        """Report the records without expectations, unless no record has any.

        Such a dataset is meant for scorers that compare with nothing, or for a simulation.
        """
        return self.bare_rows(_NO_EXPECTATIONS) if self._has_expectations else ()

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        """Return the schema violations, except misspelled expectations, which are checked later."""
        expectations = (*path, "expectations")
        return [
            problem
            for problem in self.adapt_faults(self._schema.faults(row, path), row, path)
            if problem.path[:-1] != expectations or not is_ignored_key(problem)
        ]

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Adapt the schema violations to what the loader rejects."""
        return problems

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield the problems of a record that satisfies the schema."""
        return ()

    def needs_expectations(self, row: dict[str, Any]) -> bool:
        """Whether a record can have expectations only under `expectations`."""
        return True


def explained(
    problems: list[Problem], row: dict[str, Any], path: Path, *, is_managed: bool = False
) -> list[Problem]:
    """Say of keys that other parts of MLflow have why this one ignores them.

    A record that a store exported has them all, and one of `search_traces` others: no faults.
    """
    columns = table("formats/mlflow.columns")
    dropped = {} if is_managed else columns["dropped"]
    given = {*dropped, "create_time"} - {"id"}
    given = given if isinstance(row.get("dataset_record_id"), str) else set()
    given |= {*columns["of_traces"]} if {"trace", "trace_id"} <= row.keys() else set()
    of_row, of_call = {**columns["of_others"], **dropped}, columns["of_calls"]
    return [
        _explained(problem, of_row if problem.path[:-1] == path else of_call, dropped)
        for problem in problems
        if problem.path[:-1] != path or problem.path[-1] not in given
    ]


def _explained(problem: Problem, known: Mapping[str, str], dropped: Mapping[str, str]) -> Problem:
    key = str(problem.path[-1]) if problem.path and is_ignored_key(problem) else ""
    if key not in known:
        return problem
    code = "mlflow/ignored-key" if key in dropped else "mlflow/near-miss-key"
    return problem._replace(code=code, help=known[key])


def with_missing(problems: list[Problem], value: Any, path: Path, key: str) -> list[Problem]:
    """Report a misspelled or misplaced key as a missing one if the loader requires it.

    The schema stage reports only the misspelling, which would not stop the loader.
    """
    if not isinstance(value, dict) or key in value:
        return problems
    return [_missing_if_meant(problem, path, key) for problem in problems]


def _missing_if_meant(problem: Problem, path: Path, key: str) -> Problem:
    is_here = problem.path[:-1] == path and problem.code in _MISSPELLED
    if not is_here or f"`{key}`" not in (problem.help or ""):
        return problem
    message = f"`{key}` is missing; `{problem.path[-1]}` is not read"
    return problem._replace(code="mlflow/missing-key", message=message)


def expected_tools(calls: Any) -> list[Any] | None:
    """Return expected calls as tools: names, or calls with arguments; None if a row has no such.

    A key that is null is absent, as it is for MLflow: a table has it wherever another call has it.
    """
    if not calls or not is_list_of(calls, dict):
        return None
    given = [{key: part for key, part in call.items() if part is not None} for call in calls]
    if not all(map(_is_call, given)):
        return None
    return [call["name"] if len(call) == 1 else call for call in given]


def expected_calls(tools: Any) -> list[Any] | None:
    """Return tools as expected calls; None if there are none."""
    if not isinstance(tools, list) or not tools:
        return None
    return [{"name": tool} if isinstance(tool, str) else tool for tool in tools]


def _is_call(call: dict[str, Any]) -> bool:
    name = call.get("name")
    is_named = call.keys() <= {"name", "arguments"} and isinstance(name, str) and name.strip()
    return bool(is_named) and isinstance(call.get("arguments", {}), dict)


def read_trace(trace: Any) -> dict[str, Any]:
    """Return a trace, which may be written as its JSON text; an empty mapping if it is none."""
    read = parsed_json(trace) if isinstance(trace, str) else trace
    return read if isinstance(read, dict) else {}


def scorers(record: dict[str, Any], variant: str) -> Iterator[GraderPrediction]:
    """Yield the prediction for each scorer on a valid record."""
    trace = record.get("trace") if variant == "evaluate" else None
    expectations = record.get("expectations")
    if "expectations" not in record:
        expectations = _assessed(read_trace(trace))
    seen = {**record, "trace": trace, "expectations": expectations}
    return predictions("mlflow", seen, variant, facts=SCORER_FACTS)


def _assessed(trace: dict[str, Any]) -> dict[str, Any]:
    assessments = mapping_at(trace, "info").get("assessments")
    return {
        str(assessment.get("assessment_name")): assessment["expectation"].get("value")
        for assessment in (assessments if isinstance(assessments, list) else ())
        if isinstance(assessment, dict) and isinstance(assessment.get("expectation"), dict)
    }


def _expected(record: Row, name: str, default: Any = None) -> Any:
    found = read_field(record, f"expectations.{name}")
    return default if found is None else found


#: The facts that the verdicts of `mlflow.graders.json` refer to.
SCORER_FACTS: Mapping[str, Fact] = {
    "facts_and_response": lambda record, _: (
        None not in (_expected(record, FACTS), _expected(record, RESPONSE))
    ),
    "facts_unreadable": lambda record, _: not is_list_of(_expected(record, FACTS, default=[]), str),
    "guidelines_unreadable": lambda record, _: not are_guidelines(_expected(record, GUIDELINES)),
    "calls_unreadable": lambda record, _: (
        unnamed_call(_expected(record, TOOL_CALLS) or []) is not None
    ),
    "no_conversation": lambda record, _: (
        record["trace"] is None and GOAL not in mapping_at(record, "inputs")
    ),
}
