"""One pass over records: what the checkers of all three dialects share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, is_ignored_key, is_list_of, stops_loader
from evalcontract.formats._format import RowChecker
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker

FACTS, RESPONSE, GUIDELINES = "expected_facts", "expected_response", "guidelines"
TOOL_CALLS, CONTEXT = "expected_tool_calls", "expected_retrieved_context"
#: Names of expectations that scorers of MLflow or Databricks read.
RESERVED = frozenset({FACTS, RESPONSE, GUIDELINES, TOOL_CALLS, CONTEXT})


def are_texts(value: Any) -> bool:
    """Whether a value is a list of texts; an empty list is one."""
    return is_list_of(value, str)


def are_guidelines(value: Any) -> bool:
    """Whether a value can be read as guidelines: a list of texts, or one text."""
    return isinstance(value, str) or are_texts(value)


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


# Many rows have the same custom names.
@lru_cache(maxsize=1024)
def meant_by(name: str) -> str | None:
    """Return the reserved name that a name probably stands for; None if there is none."""
    whole = f"expected_{name}"
    return nearest(name, RESERVED) or (whole if whole in RESERVED else None)


def expectation_problems(expectations: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield the problems of the expectations at a path."""
    if not expectations.keys() <= RESERVED:
        yield from _misspelled(expectations, path)
    facts, response = expectations.get(FACTS), expectations.get(RESPONSE)
    if facts is not None and response is not None:
        yield Problem(
            "mlflow/facts-and-response",
            f"the record has both `{FACTS}` and `{RESPONSE}`: Correctness will not score it",
            (*path, FACTS),
            "remove one of them",
            on_key=True,
        )
    if facts is not None and not are_texts(facts):
        yield _no_texts(FACTS, "Correctness and RetrievalSufficiency fail", path)
    guidelines = expectations.get(GUIDELINES)
    if guidelines is not None and not are_guidelines(guidelines):
        yield _no_texts(GUIDELINES, "ExpectationsGuidelines fails", path)
    calls = expectations.get(TOOL_CALLS)
    if calls and (index := unnamed_call(calls)) is not None:
        yield Problem(
            "mlflow/unreadable-tool-call",
            f"`{TOOL_CALLS}` is stored, but ToolCallCorrectness cannot read it",
            (*path, TOOL_CALLS) if index < 0 else (*path, TOOL_CALLS, index),
            "write a list of mappings: `[{name: …, arguments: {…}}]`",
        )


def _misspelled(expectations: dict[str, Any], path: Path) -> Iterator[Problem]:
    for name in expectations.keys() - RESERVED:
        near = meant_by(name)
        if near and near not in expectations:
            message = f"no MLflow scorer reads `{name}`"
            advice = f"did you mean `{near}`?"
            yield Problem("mlflow/near-miss-key", message, (*path, name), advice, on_key=True)


def no_expectations(path: Path) -> Problem:
    """Report a record without expectations among others that have some."""
    return Problem(
        "mlflow/no-expectations",
        "the record has no expectations, and others have: the scorers that read them fail on it",
        path,
        f"add `expectations`, such as `{{{FACTS}: [...]}}`",
        row_index=int(path[-1]),
    )


def _no_texts(key: str, consequence: str, path: Path) -> Problem:
    return Problem(
        "mlflow/no-list-of-texts",
        f"`{key}` is not a list of texts: it is stored, but {consequence} at scoring",
        (*path, key),
        f"write a list: `{key}: [...]`",
    )


_MERGED = "mlflow/equal-inputs"
_MISSPELLED = ("mlflow/near-miss-key", "mlflow/misplaced-key")


class MlflowChecker(RowChecker):
    """Checks records against the schema, and for expectations that no scorer can use.

    Subclasses add what each loader checks.
    """

    #: The key that names a record, if the loader reads one.
    named_by: str | None = None

    def __init__(self, schema: SchemaChecker) -> None:
        self._schema = schema
        self._names = FirstRows()
        self._without: list[Path] = []
        self._has_expectations = False

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next record."""
        faults = [] if is_clean else self._faults(row, path)
        if faults and stops_loader(faults):
            return faults
        problems = [*self.record_problems(row, path)]
        if problems and stops_loader(p for p in problems if p.code != _MERGED):
            return [*faults, *problems]
        if self.named_by and self.named_by in row:
            problems += self._names.duplicate(
                row[self.named_by], path, self.named_by, self._duplicate
            )
        expectations = row.get("expectations")
        if expectations and isinstance(expectations, dict):
            self._has_expectations = True
            problems += expectation_problems(expectations, (*path, "expectations"))
        elif not faults and self.needs_expectations(row):
            self._without.append(path)
        return [*faults, *problems]

    def finish(self) -> Iterable[Problem]:
        """Report the records without expectations, unless no record has any.

        Such a dataset is meant for scorers that compare with nothing, or for a simulation.
        """
        without = self._without if self._has_expectations else ()
        return [no_expectations(path) for path in without]

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        """Return the schema violations, except misspelled expectations, which are checked later."""
        expectations = (*path, "expectations")
        return [
            problem
            for problem in self.adapt_faults(self._schema.faults(row, path), row, path)
            if problem.path[:-1] != expectations or not is_ignored_key(problem)
        ]

    @property
    def _duplicate(self) -> Problem:
        message = f"duplicate `{self.named_by}`: record {{number}} has `{{name}}` too"
        return Problem("mlflow/duplicate-id", message, (), "record ids must be unique")

    def adapt_faults(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Adapt the schema violations to what the loader rejects."""
        return problems

    def record_problems(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Yield the problems of a record that satisfies the schema."""
        return ()

    def needs_expectations(self, row: dict[str, Any]) -> bool:
        """Whether a record can have expectations only under `expectations`."""
        return True


def with_missing(problems: list[Problem], value: Any, path: Path, key: str) -> list[Problem]:
    """Report a misspelled or misplaced key as a missing one if the loader requires it.

    The schema stage reports only the misspelling, which would not stop the loader.
    """
    if not isinstance(value, dict) or key in value:
        return problems
    return [_as_missing(p, key) if _means(p, path, key) else p for p in problems]


def _means(problem: Problem, path: Path, key: str) -> bool:
    is_here = problem.path[:-1] == path and problem.code in _MISSPELLED
    return is_here and f"`{key}`" in (problem.help or "")


def _as_missing(problem: Problem, key: str) -> Problem:
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
