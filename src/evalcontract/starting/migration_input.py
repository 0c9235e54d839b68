"""Open the files to migrate: read them, detect their system, and check their values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.placing import from_unreadable, to_diagnostics
from evalcontract.formats.agent_skills.fields import GUIDE, SKILL_CREATOR, variant_of
from evalcontract.model.codes import GUESSES, ILL_FORMED
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.policy import Policy
from evalcontract.source import Document
from evalcontract.starting import best_practices, graders
from evalcontract.starting.result import snake_case
from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.datasets.opening import Input
    from evalcontract.model.diagnostic import Diagnostic

#: The names of the systems, as the command line takes them.
BEST_PRACTICES, AI_EVAL = "ai_best_practices", "ai_eval"
SYSTEMS = (BEST_PRACTICES, AI_EVAL)

_ROWS, _GRADERS = "questions", "graders"
_EXPECTED = {
    BEST_PRACTICES: "a mapping with `evals` or `behavioral_cases`",
    AI_EVAL: "a mapping with `graders` or `questions`",
}
_GENERIC = ("evals", "dataset", "stdin")


class MigrationSource(NamedTuple):
    """A file to migrate, with a value that fits the schema of its system.

    `name` is an id made of the file's name. `is_target` says that it has graders and no rows.
    """

    document: Document
    system: str
    name: str
    is_target: bool


def open_source(
    input_: Input, system: str | None
) -> tuple[MigrationSource | None, list[Diagnostic]]:
    """Return a file to migrate, or None if it has errors, and the findings on it.

    Raises:
        UsageError: the file is of neither system.

    """
    source = input_.read()
    if source.unreadable:
        return None, [*from_unreadable(source.unreadable, Policy())]
    document = source.document
    if not isinstance(document, Document):
        raise UsageError(f"{source.file} cannot be migrated: it is a file of rows, one per line")
    found = _system_of(document.value)
    if found is None or system not in (None, found):
        expected = " or ".join(_EXPECTED[each] for each in ([system] if system else SYSTEMS))
        raise UsageError(
            f"{document.file} cannot be migrated: expected {expected}, "
            f"but it is {_described(document.value)}"
        )
    is_target = found == AI_EVAL and _ROWS not in document.value
    diagnostics = [*_findings(document, _schema_of(found, is_target=is_target))]
    if any(each.is_error for each in diagnostics):
        return None, diagnostics
    # The folder says more than a name such as `evals.json`, which all files of a project share.
    stem = snake_case(input_.path.name.partition(".")[0], "dataset")
    folder = input_.path.absolute().parent.name
    name = snake_case(folder, stem) if stem in _GENERIC and not input_.stream else stem
    return MigrationSource(document, found, name, is_target), diagnostics


def is_migrated(input_: Input) -> bool:
    """Whether a file has cases or graders that only a migration can read."""
    document = input_.read(quick=True).document
    value = document.quick if document else None
    if not isinstance(value, dict):
        return False
    # The cases of other skills are a dataset of their own dialect.
    is_other = variant_of(value) in (GUIDE, SKILL_CREATOR)
    return (_system_of(value) == BEST_PRACTICES and not is_other) or _GRADERS in value


def _system_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    if any(key in value for key in best_practices.CASES):
        return BEST_PRACTICES
    return AI_EVAL if _ROWS in value or _GRADERS in value else None


def _described(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if not isinstance(value, dict):
        return "empty" if value is None else "a single value"
    if not value:
        return "an empty mapping"
    return f"a mapping with {listed(f'`{key}`' for key in value)}"


def _schema_of(system: str, *, is_target: bool) -> str:
    if system == BEST_PRACTICES:
        return best_practices.SCHEMA
    return graders.SCHEMA if is_target else "dataset"


def _findings(document: Document, schema: str) -> Iterator[Diagnostic]:
    """Yield the findings on a value; those that make it unusable are errors.

    A key that is probably misspelled is such a fault where the right one is required.
    """
    validator = SchemaValidator("dataset", load(schema))
    problems = validator.check(document.value)
    is_incomplete = bool(problems) and bool(validator.missing_keys(document.value))
    for finding in to_diagnostics(problems, document, Policy(), {}):
        is_fault = finding.code in ILL_FORMED or (is_incomplete and finding.code.endswith(GUESSES))
        yield finding._replace(severity=Severity.ERROR) if is_fault else finding
