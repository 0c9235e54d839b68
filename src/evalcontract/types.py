"""Types of datasets, rubrics, judges and reports, for type checkers: `TypedDict`s.

They are written by `make typed` from the schemas. Datasets, rows, rubrics and judges
may have further keys, which type checkers do not know: read those with `get`.
"""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict

__all__ = [
    "Cause", "Check", "CheckResult", "CompositeCheck", "ConfidenceIntervals", "ConfusionMatrix",
    "Dataset", "Digested", "DigestedFile", "Expected", "FactMatchCheck", "Finding", "Fix",
    "FormatCheck", "Interval", "JsonSchemaCheck", "Judge", "Juror", "Jury", "LlmJudgeCheck",
    "Manifest", "ManifestSettings", "ManifestTool", "MarkdownStructureCheck", "Model",
    "MustContainAnyCheck", "MustNotContainCheck", "PhpLintCheck", "Provenance", "ProvenanceDataset",
    "RecordedOutput", "RegexCheck", "Related", "Report", "ReportSummary", "ReportSummaryBaseline",
    "ReportSummaryFiles", "ResultsLine", "ResultsSummary", "ResultsSummaryCorrectedItem",
    "ResultsSummaryCorrectedItemInterval", "ResultsSummarySamples", "Row", "RowResult", "Rubric",
    "Scoring", "SeveritySource", "Site", "Tally", "TallyPassRate", "Target", "Tool", "ToolCall",
    "ToolCallCustom", "ToolCallFunction", "ToolExpectation", "ToolUsageCheck", "Usage", "Used",
    "UsedEndpoint", "UsedEndpointsItem", "Validation",
]  # fmt: skip


class Expected(TypedDict):
    """What the output should be like.

    Only `format` has a fixed meaning; add any further keys that your judges or bundles read.
    """

    format: NotRequired[Literal["json", "text"]]
    reference: NotRequired[str]


class ToolExpectation(TypedDict):
    """A tool that should be called: its name alone, or an object with the name and the
    arguments that the call should carry.
    """

    name: str
    arguments: NotRequired[dict[str, Any]]


class Row(TypedDict):
    """One question, what is expected of the answer, and the rubric that grades it.

    Further keys are allowed; a key that looks like a misspelled one is reported.
    """

    id: str
    input: str
    criteria: NotRequired[str]
    expected: NotRequired[Expected]
    expected_facts: NotRequired[list[str]]
    expected_tools: NotRequired[list[str | ToolExpectation]]
    rubric_ref: NotRequired[str]
    bundle: NotRequired[str]
    must_contain_any: NotRequired[list[str]]
    must_not_contain: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    context: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]


_DatasetKeys = TypedDict("_DatasetKeys", {"$schema": NotRequired[str]})


class Dataset(_DatasetKeys):
    """A list of questions to put to a system, with what is expected of each answer.

    Further keys are allowed, so that a domain can add its own.
    """

    id: NotRequired[str]
    version: NotRequired[str]
    label: NotRequired[str]
    description: NotRequired[str]
    bundle: NotRequired[str]
    questions: list[Row]
    metadata: NotRequired[dict[str, Any]]


class Scoring(TypedDict):
    """How the scores of the checks become the score of the rubric."""

    combine: Literal["all_pass", "any_pass", "weighted_avg", "min", "max", "median"]
    weights: NotRequired[dict[str, float]]
    threshold: NotRequired[float]


class MustContainAnyCheck(TypedDict):
    """Passes when at least one of the values is part of the output."""

    id: NotRequired[str]
    kind: Literal["must_contain_any"]
    label: NotRequired[str]
    description: NotRequired[str]
    values: NotRequired[list[str]]
    case_sensitive: NotRequired[bool]
    metadata: NotRequired[dict[str, Any]]


class MustNotContainCheck(TypedDict):
    """Passes when none of the values is part of the output."""

    id: NotRequired[str]
    kind: Literal["must_not_contain"]
    label: NotRequired[str]
    description: NotRequired[str]
    values: NotRequired[list[str]]
    case_sensitive: NotRequired[bool]
    metadata: NotRequired[dict[str, Any]]


class RegexCheck(TypedDict):
    """Passes when the regular expression matches the output, or with `negate` when it does not."""

    id: NotRequired[str]
    kind: Literal["regex"]
    label: NotRequired[str]
    description: NotRequired[str]
    pattern: str
    flags: NotRequired[list[Literal["i", "m", "s", "x"]]]
    match: NotRequired[Literal["search", "full"]]
    negate: NotRequired[bool]
    metadata: NotRequired[dict[str, Any]]


class JsonSchemaCheck(TypedDict):
    """Passes when the output is JSON and valid against a schema.

    Give the schema in place as `schema`, or as a file with `schema_ref`: one of the two.
    """

    id: NotRequired[str]
    kind: Literal["json_schema"]
    label: NotRequired[str]
    description: NotRequired[str]
    schema: NotRequired[dict[str, Any] | bool]
    schema_ref: NotRequired[str]
    extract: NotRequired[Literal["whole", "first_fence"]]
    metadata: NotRequired[dict[str, Any]]


class PhpLintCheck(TypedDict):
    """Passes when every fenced PHP block of the output is free of syntax errors by `php -l`.

    On a machine without PHP the check is unavailable, which is never a pass.
    """

    id: NotRequired[str]
    kind: Literal["php_lint"]
    label: NotRequired[str]
    description: NotRequired[str]
    on_no_code: NotRequired[Literal["skip", "fail", "pass"]]
    timeout_seconds: NotRequired[float]
    metadata: NotRequired[dict[str, Any]]


class MarkdownStructureCheck(TypedDict):
    """Passes when the output, read as Markdown, meets every rule that is given.

    At least one rule is needed.
    """

    id: NotRequired[str]
    kind: Literal["markdown_structure"]
    label: NotRequired[str]
    description: NotRequired[str]
    min_headings: NotRequired[int]
    max_heading_level: NotRequired[int]
    required_sections: NotRequired[list[str]]
    forbidden_patterns: NotRequired[list[str]]
    min_code_blocks: NotRequired[int]
    min_paragraphs: NotRequired[int]
    no_h1: NotRequired[bool]
    metadata: NotRequired[dict[str, Any]]


class FormatCheck(TypedDict):
    """Passes when the output has the right format and length."""

    id: NotRequired[str]
    kind: Literal["format"]
    label: NotRequired[str]
    description: NotRequired[str]
    format: NotRequired[Literal["json", "text"]]
    max_chars: NotRequired[int]
    required_keys: NotRequired[list[str]]
    metadata: NotRequired[dict[str, Any]]


class FactMatchCheck(TypedDict):
    """Counts how many of the facts the output states.

    The share of facts found is the score.
    """

    id: NotRequired[str]
    kind: Literal["fact_match"]
    label: NotRequired[str]
    description: NotRequired[str]
    facts: NotRequired[list[str]]
    min_recall: NotRequired[float]
    judge_prompt_ref: NotRequired[str]
    metadata: NotRequired[dict[str, Any]]


class CompositeCheck(TypedDict):
    """Grades the output by another rubric and takes over its score.

    That rubric may not hold a composite check itself.
    """

    id: NotRequired[str]
    kind: Literal["composite"]
    label: NotRequired[str]
    description: NotRequired[str]
    rubric_ref: str
    threshold: NotRequired[float]
    metadata: NotRequired[dict[str, Any]]


class Juror(TypedDict):
    """One judge of a jury."""

    judge_prompt_ref: str
    weight: NotRequired[float]


class ToolUsageCheck(TypedDict):
    """Compares the tools that the system called with those it should call."""

    id: NotRequired[str]
    kind: Literal["tool_usage"]
    label: NotRequired[str]
    description: NotRequired[str]
    expected_tools: NotRequired[list[str | ToolExpectation]]
    forbidden_tools: NotRequired[list[str]]
    match: NotRequired[Literal["all", "any", "exact"]]
    order: NotRequired[Literal["any", "sequence"]]
    max_calls: NotRequired[int]
    metadata: NotRequired[dict[str, Any]]


class Jury(TypedDict):
    """Several judges who grade the same output, and how their grades become one."""

    judges: list[Juror]
    aggregation: NotRequired[Literal["majority_vote", "average", "weighted_average", "median"]]
    tie_break: NotRequired[Literal["pass", "fail"]]


class LlmJudgeCheck(TypedDict):
    """Lets a language model grade the output, by one judge or by a jury of several: give
    `judge_prompt_ref` or `jury`, not both.
    """

    id: NotRequired[str]
    kind: Literal["llm_judge"]
    label: NotRequired[str]
    description: NotRequired[str]
    judge_prompt_ref: NotRequired[str]
    jury: NotRequired[Jury]
    threshold: NotRequired[float]
    metadata: NotRequired[dict[str, Any]]


#: A check, told apart by its `kind`.
Check: TypeAlias = (
    MustContainAnyCheck
    | MustNotContainCheck
    | RegexCheck
    | JsonSchemaCheck
    | PhpLintCheck
    | MarkdownStructureCheck
    | ToolUsageCheck
    | FormatCheck
    | FactMatchCheck
    | LlmJudgeCheck
    | CompositeCheck
)


_RubricKeys = TypedDict("_RubricKeys", {"$schema": NotRequired[str]})


class Rubric(_RubricKeys):
    """A named and versioned set of checks, and the rule by which their scores become one.

    Further keys are allowed at the top, so that a bundle can add its own.
    """

    id: str
    version: str
    label: NotRequired[str]
    description: NotRequired[str]
    applicable_bundles: NotRequired[list[str]]
    checks: list[Check]
    scoring: Scoring
    metadata: NotRequired[dict[str, Any]]


class Model(TypedDict):
    """A language model.

    Further keys, such as a temperature, are allowed.
    """

    provider: NotRequired[str]
    name: str


class ConfusionMatrix(TypedDict):
    """How often the judge and the people agreed.

    Positive means PASS.
    """

    tp: int
    fn: int
    tn: int
    fp: int


class Interval(TypedDict):
    """A confidence interval of a rate."""

    lower: float
    upper: float
    level: NotRequired[float]
    method: NotRequired[str]


class ConfidenceIntervals(TypedDict):
    """One interval for each rate."""

    tpr: NotRequired[Interval]
    tnr: NotRequired[Interval]


class Validation(TypedDict):
    """The record of a comparison with human labels.

    Positive means PASS throughout: a high `tpr` says that good work passes, a high `tnr` that
    bad work fails. Further keys are allowed.
    """

    tpr: NotRequired[float]
    tnr: NotRequired[float]
    validated_against: NotRequired[str]
    validated_at: NotRequired[str]
    sample_size: NotRequired[int]
    confusion_matrix: NotRequired[ConfusionMatrix]
    confidence_intervals: NotRequired[ConfidenceIntervals]
    split: NotRequired[str]
    judge_version: NotRequired[str]
    template_sha256: NotRequired[str]
    model: NotRequired[Model]


_JudgeKeys = TypedDict("_JudgeKeys", {"$schema": NotRequired[str]})


class Judge(_JudgeKeys):
    """The instruction by which a language model grades an output, with the record of how well
    it agrees with people.

    Further keys are allowed.
    """

    id: str
    version: str
    label: NotRequired[str]
    description: NotRequired[str]
    template: str
    score_type: NotRequired[Literal["binary", "continuous", "levels"]]
    level_names: NotRequired[list[str]]
    level_values: NotRequired[list[float]]
    min_score: NotRequired[float]
    max_score: NotRequired[float]
    pass_threshold: NotRequired[float]
    applicable_to: NotRequired[list[str]]
    model: NotRequired[Model]
    validation: NotRequired[Validation]
    metadata: NotRequired[dict[str, Any]]


_TargetKeys = TypedDict("_TargetKeys", {"$schema": NotRequired[str]})


class Target(_TargetKeys):
    """What to validate and how strictly: the settings that belong to one evaluation target."""

    id: NotRequired[str]
    label: NotRequired[str]
    description: NotRequired[str]
    dataset: str
    strict_validation: NotRequired[bool]
    max_validation_age_days: NotRequired[int]
    row_keys_graded: NotRequired[list[str]]
    threshold: NotRequired[float]
    allow_undecided: NotRequired[bool]
    metadata: NotRequired[dict[str, Any]]


class ToolCallCustom(TypedDict):
    """The name and the text of a call of a custom tool, as chat completions have them.

    The text is its argument `input`.
    """

    name: str
    input: NotRequired[dict[str, Any] | str | None]


class ToolCallFunction(TypedDict):
    """The name and the arguments, as chat completions have them, or the name alone, as Inspect
    has it.
    """

    name: str
    arguments: NotRequired[dict[str, Any] | str | None]


class ToolCall(TypedDict):
    """A call of a tool, in the shape in which the tools of OpenAI, Anthropic, LangChain,
    MLflow, DeepEval or Inspect record it.

    Its arguments stand under one key.
    """

    name: NotRequired[str]
    arguments: NotRequired[dict[str, Any] | str | None]
    input: NotRequired[dict[str, Any] | str | None]
    args: NotRequired[dict[str, Any] | str | None]
    inputs: NotRequired[dict[str, Any] | str | None]
    input_parameters: NotRequired[dict[str, Any] | str | None]
    inputParameters: NotRequired[dict[str, Any] | str | None]
    partial_json: NotRequired[dict[str, Any] | str | None]
    id: NotRequired[Any]
    type: NotRequired[Any]
    function: NotRequired[ToolCallFunction | str]
    custom: NotRequired[ToolCallCustom]
    attributes: NotRequired[dict[str, Any]]


class RecordedOutput(TypedDict):
    """What a model answered to one row of a dataset: one line of the outputs that `evalcontract
    grade` reads.
    """

    id: str | int
    sample: NotRequired[int | str | None]
    output: NotRequired[str | None]
    tool_calls: NotRequired[list[ToolCall] | None]
    context: NotRequired[Any]
    metadata: NotRequired[dict[str, Any]]


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


class Digested(TypedDict):
    """A thing with a name and the digest of what it means."""

    name: str
    meaning_sha256: str | None


class ProvenanceDataset(TypedDict):
    """The dataset."""

    meaning_sha256: str | None


class DigestedFile(TypedDict):
    """A file that was read; standard input has no digest."""

    file: str
    sha256: NotRequired[str]


class ManifestSettings(TypedDict):
    """The settings that decide what rows are and what is read of them, each as a list."""

    map: NotRequired[list[str]]
    row_keys_graded: NotRequired[list[str]]


class ManifestTool(TypedDict):
    """The program that wrote the results."""

    name: str
    version: str


class UsedEndpoint(TypedDict):
    """Where judges are asked."""

    host: str | None
    address_sha256: NotRequired[str]


class UsedEndpointsItem(TypedDict):
    """."""

    provider: str
    api: str
    host: str
    address_sha256: str
    parameters: dict[str, Any]


class CheckResult(TypedDict):
    """What one check made of the output."""

    id: str
    kind: str
    outcome: Literal["passed", "failed", "undecided", "skipped", "unavailable", "error"]
    score: float | None
    bounds: NotRequired[list[float]]
    reason: NotRequired[str]
    details: NotRequired[dict[str, Any]]
    checks: NotRequired[list["CheckResult"]]


class TallyPassRate(TypedDict):
    """The share that passed of the results that passed or failed."""

    rate: float
    stderr: float | None
    interval: list[float] | None
    method: Literal["wilson", "t"]
    clusters: NotRequired[int]


class Usage(TypedDict):
    """What asking judges took in this run; without it, none was asked."""

    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    unmetered: int
    repeated: NotRequired[int]
    lenient: NotRequired[int]
    readings: NotRequired[dict[str, int]]
    unasked: NotRequired[int]
    cost: NotRequired[float]


class Cause(TypedDict):
    """Why checks of a kind came to no verdict, or why rows could not be graded."""

    kind: str | None
    outcome: Literal["passed", "failed", "undecided", "unavailable", "error"]
    reason: str
    number: int
    of: int


class ResultsSummarySamples(TypedDict):
    """The rows that have several outputs: how many, the variance of their scores within and
    between rows, the chance that one (`pass_at_k`) or all (`pass_all_k`) of k outputs pass, and
    the shares of rows that are `never`, `sometimes` and `always` right.
    """

    rows: int
    outputs: int
    decided: NotRequired[int]


class ResultsSummaryCorrectedItemInterval(TypedDict):
    """Its confidence interval, within 0 to 1; it accounts for the outputs and for both classes
    of labels.
    """

    lower: float
    upper: float
    level: float


class Provenance(TypedDict):
    """The manifest of a dataset; `manifest.schema.json` describes it.

    What is compared of two runs are the digests here.
    """

    dataset: ProvenanceDataset
    rubrics: list[Digested]
    judges: list[Digested]
    bundles: list[Digested]
    files: list[Digested]


class Manifest(TypedDict):
    """What all results depend on, as far as it is known before the rows are read: the program,
    the files, the settings; and when the run started.
    """

    version: str
    tool: ManifestTool
    dataset: DigestedFile
    outputs: DigestedFile
    python: NotRequired[str]
    started: NotRequired[str]
    settings: NotRequired[ManifestSettings]


class Used(TypedDict):
    """What rows depend on, by name.

    The lines of a file add to each other; what is in none of them was not used.
    """

    artifacts: NotRequired[dict[str, str]]
    references: NotRequired[dict[str, str]]
    files: NotRequired[dict[str, str | None]]
    bundles: NotRequired[dict[str, str | None]]
    endpoint: NotRequired[UsedEndpoint]
    endpoints: NotRequired[dict[str, UsedEndpointsItem]]
    models: NotRequired[dict[str, str | None]]
    prompts: NotRequired[dict[str, str | None]]
    parameters: NotRequired[dict[str, Any]]
    programs: NotRequired[dict[str, str | None]]
    packages: NotRequired[dict[str, str | None]]


class RowResult(TypedDict):
    """What the rubric of a row made of its output."""

    id: str
    sample: NotRequired[int | str]
    fingerprint: NotRequired[str]
    rubric: str | None
    outcome: Literal["passed", "failed", "undecided", "skipped"] | None
    score: float | None
    bounds: NotRequired[list[float]]
    reason: NotRequired[str]
    checks: list[CheckResult]
    tags: NotRequired[Any]
    by: NotRequired[dict[str, Any]]
    metadata: NotRequired[Any]
    input: NotRequired[Any]
    output: NotRequired[Any]
    tool_calls: NotRequired[Any]
    expected: NotRequired[dict[str, Any]]


class Tally(TypedDict):
    """Outcomes, the mean of the scores that are known, and the bounds of the mean of all."""

    total: int
    decided: int
    undecided: int
    mean: float | None
    stderr: NotRequired[float | None]
    interval: NotRequired[list[float] | None]
    method: NotRequired[Literal["wilson", "t"]]
    clusters: NotRequired[int]
    pass_rate: NotRequired[TallyPassRate]
    bounds: NotRequired[list[float]]
    outcomes: dict[str, int]


class ResultsSummaryCorrectedItem(TypedDict):
    """The pass rate of one check."""

    rubric: str
    check: str
    judge: str
    observed: float
    n: int
    corrected: float | None
    interval: NotRequired[ResultsSummaryCorrectedItemInterval]
    reason: NotRequired[str]


class ResultsSummary(TypedDict):
    """What the rows come to: all, by rubric, and by check; and what did not run."""

    rows: Tally
    threshold: NotRequired[float]
    reached: NotRequired[bool]
    allow_undecided: NotRequired[bool]
    unmeasured: list[Cause]
    judges: NotRequired[Usage]
    corrected: NotRequired[list[ResultsSummaryCorrectedItem]]
    rubrics: list[Tally]
    checks: list[Tally]
    samples: NotRequired[ResultsSummarySamples]
    groups: NotRequired[list[Tally]]
    cluster: NotRequired[str]


class ResultsLine(TypedDict):
    """One row of the results that `evalcontract grade` writes, or the run file beside them: the
    manifest, what the rows depend on, and the summary.

    `grade --output-format json` prints both as one object. Results of version 2 have these in
    lines between the rows, and so has the file of a run that goes on. Later 3.x versions may
    add keys, so a reader should pass over those that it does not know.
    """

    manifest: NotRequired[Manifest]
    used: NotRequired[Used]
    summary: NotRequired[ResultsSummary]
    rows: NotRequired[list[RowResult]]
    provenance: NotRequired[Provenance]
