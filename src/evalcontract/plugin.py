"""The API for packages that extend evalcontract. Other modules may change without notice.

A package extends it through entry points. Their groups and the objects that they name are:

`evalcontract.rules`
    A rule with its code and page, made by `rule`, `row_rule` or `DatasetRule`.
`evalcontract.checks`
    A check kind for rubrics: a `CheckKind` with the same name, a `schema` and `prepare`, which runs
    its checks. Or `prepare` alone, for checks that need nothing of a row: a function with the
    attributes `schema` and `check_kind`. Without `check_kind`, the entry point's name without
    `_grader` is the kind. Built-in kinds cannot be replaced.
`evalcontract.dialects`
    A dataset format: a subclass of `Format` with the same name, `schemas` and `codes`.
`evalcontract.reports`
    An output format: a function that takes a `Report` and a `Style` and yields strings. The names
    of built-in formats cannot be used.
`evalcontract.bundles`
    A bundle of row keys: a JSON Schema.

An entry point that does not load, or names another object, ends a run with exit code 2.
"""

from __future__ import annotations

from evalcontract.checks import CheckKind, Needs, Prediction, State
from evalcontract.checks._kind import EvalContext, always_runs, never_runs, reads_nothing
from evalcontract.checks.outcome import (
    PASSED,
    Executor,
    Outcome,
    Output,
    ToolCall,
    Verdict,
    error,
    failed,
    of_text,
    skipped,
    unavailable,
)
from evalcontract.formats._conversion import Field, Loss, OurRow, Reader, TheirRow, Writer
from evalcontract.formats._format import (
    Format,
    RowChecker,
    RowLayout,
    SchemaChecker,
    codes_of_system,
)
from evalcontract.formats._graders import GraderPrediction
from evalcontract.formats._lens import At, Cells, Lens, ReadRubric
from evalcontract.model.codes import Code
from evalcontract.model.diagnostic import (
    Diagnostic,
    Fix,
    Move,
    Problem,
    Related,
    Rename,
    Severity,
    Write,
)
from evalcontract.model.errors import PluginError
from evalcontract.model.reference import Kind
from evalcontract.report import Report, Style
from evalcontract.rules._rule import (
    Context,
    DatasetContext,
    DatasetRule,
    RowGroup,
    RowRule,
    RowSubject,
    Rule,
    Subject,
    row_rule,
    rule,
)
from evalcontract.source.external import ExternalFile

__all__ = [
    "PASSED", "At", "Cells", "CheckKind", "Code", "Context", "DatasetContext", "DatasetRule",
    "Diagnostic", "EvalContext", "Executor", "ExternalFile", "Field", "Fix", "Format",
    "GraderPrediction", "Kind", "Lens", "Loss", "Move", "Needs", "OurRow", "Outcome", "Output",
    "PluginError", "Prediction", "Problem", "ReadRubric", "Reader", "Related", "Rename", "Report",
    "RowChecker", "RowGroup", "RowLayout", "RowRule", "RowSubject", "Rule", "SchemaChecker",
    "Severity", "State", "Style", "Subject", "TheirRow", "ToolCall", "Verdict", "Write", "Writer",
    "always_runs", "codes_of_system", "error", "failed", "never_runs", "of_text", "reads_nothing",
    "row_rule", "rule", "skipped", "unavailable",
]  # fmt: skip
