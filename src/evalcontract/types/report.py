"""Types of `report.schema.json`, written by `make typed`."""

from typing import Literal, NotRequired, TypedDict


class Tool(TypedDict):
    """A program by name and version."""

    name: str
    version: str


class ReportSummaryBaseline(TypedDict):
    """What has become of the findings of the baseline.

    Absent without one.
    """

    known: int
    gone: int


class ReportSummaryFiles(TypedDict):
    """How many files of each kind were looked at.

    A kind of which there was none is absent.
    """

    dataset: NotRequired[int]
    rubric: NotRequired[int]
    judge: NotRequired[int]
    target: NotRequired[int]
    bundle: NotRequired[int]
    output: NotRequired[int]
    results: NotRequired[int]
    unreadable: NotRequired[int]


class Fix(TypedDict):
    """One edit of the file of the finding: a key is renamed, or moved, or a value is written
    anew.
    """

    edit: Literal["rename", "move", "write"]
    path: str
    to: NotRequired[str]
    value: NotRequired[str | float | bool | None]
    safe: bool


class Related(TypedDict):
    """A second place that belongs to a finding."""

    message: str
    file: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None


class SeveritySource(TypedDict):
    """A setting, and the file that it stands in."""

    setting: Literal["strict_validation", "strict", "[severity]"]
    file: str


class ReportSummary(TypedDict):
    """The counts of a run.

    Unless options say otherwise, an exit code of 1 means that `errors` is not 0.
    """

    files: ReportSummaryFiles
    rows: int
    errors: int
    warnings: int
    notes: int
    left_out: list[str]
    ignored: NotRequired[int]
    baseline: NotRequired[ReportSummaryBaseline]


class Site(TypedDict):
    """One of the places that a finding stands for."""

    file: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    path: str
    row: str | None
    row_index: int | None
    fix: NotRequired[Fix]


class Finding(TypedDict):
    """One mistake, or one thing worth knowing, and where it stands."""

    code: str
    severity: Literal["error", "warning", "note"]
    message: str
    help: str | None
    file: str
    line: int | None
    column: int | None
    end_line: int | None
    end_column: int | None
    path: str
    row: str | None
    row_index: int | None
    related: list[Related]
    fix: NotRequired[Fix]
    url: NotRequired[str | None]
    repository_file: NotRequired[str]
    fingerprint: NotRequired[str]
    severity_source: NotRequired[SeveritySource]
    place_count: NotRequired[int]
    places: NotRequired[list[Site]]


class Report(TypedDict):
    """What a check found, for programs: the output of `--output-format json`; each line of
    `--output-format jsonl` is one of the findings.

    Later 1.x versions may add keys, so a reader should pass over those that it does not know.
    """

    version: str
    tool: Tool
    summary: ReportSummary
    findings: list[Finding]
