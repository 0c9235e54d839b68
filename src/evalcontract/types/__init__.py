"""Types of datasets, rubrics, judges and reports, for type checkers: `TypedDict`s.

They are written by `make typed` from the schemas. Datasets, rows, rubrics and judges
may have further keys, which type checkers do not know: read those with `get`.
"""

from __future__ import annotations

from evalcontract.types.dataset import Dataset, Expected, Row, ToolExpectation
from evalcontract.types.judge import (
    ConfidenceIntervals,
    ConfusionMatrix,
    Interval,
    Judge,
    Model,
    Validation,
)
from evalcontract.types.output import RecordedOutput, ToolCall, ToolCallFunction
from evalcontract.types.report import (
    Finding,
    Fix,
    Related,
    Report,
    ReportSummary,
    ReportSummaryBaseline,
    ReportSummaryFiles,
    SeveritySource,
    Site,
    Tool,
)
from evalcontract.types.results import (
    CheckResult,
    DigestedFile,
    Manifest,
    ManifestJudging,
    ManifestTool,
    ResultsLine,
    ResultsSummary,
    RowResult,
    Tally,
    Usage,
)
from evalcontract.types.rubric import (
    Check,
    CompositeCheck,
    FactMatchCheck,
    FormatCheck,
    JsonSchemaCheck,
    Juror,
    Jury,
    LlmJudgeCheck,
    MarkdownStructureCheck,
    MustContainAnyCheck,
    MustNotContainCheck,
    PhpLintCheck,
    RegexCheck,
    Rubric,
    Scoring,
    ToolUsageCheck,
)
from evalcontract.types.target import Target

__all__ = [
    "Check",
    "CheckResult",
    "CompositeCheck",
    "ConfidenceIntervals",
    "ConfusionMatrix",
    "Dataset",
    "DigestedFile",
    "Expected",
    "FactMatchCheck",
    "Finding",
    "Fix",
    "FormatCheck",
    "Interval",
    "JsonSchemaCheck",
    "Judge",
    "Juror",
    "Jury",
    "LlmJudgeCheck",
    "Manifest",
    "ManifestJudging",
    "ManifestTool",
    "MarkdownStructureCheck",
    "Model",
    "MustContainAnyCheck",
    "MustNotContainCheck",
    "PhpLintCheck",
    "RecordedOutput",
    "RegexCheck",
    "Related",
    "Report",
    "ReportSummary",
    "ReportSummaryBaseline",
    "ReportSummaryFiles",
    "ResultsLine",
    "ResultsSummary",
    "Row",
    "RowResult",
    "Rubric",
    "Scoring",
    "SeveritySource",
    "Site",
    "Tally",
    "Target",
    "Tool",
    "ToolCall",
    "ToolCallFunction",
    "ToolExpectation",
    "ToolUsageCheck",
    "Usage",
    "Validation",
]
