"""Types of `results.schema.json`, written by `make typed`."""

from typing import Any, Literal, NotRequired, TypedDict


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


class Tally(TypedDict):
    """Outcomes, the mean of the scores that are known, and the bounds of the mean of all."""

    total: int
    decided: int
    undecided: int
    mean: float | None
    bounds: NotRequired[list[float]]
    outcomes: dict[str, int]


class Usage(TypedDict):
    """What asking judges took in this run; without it, none was asked."""

    calls: int
    cached: int
    input_tokens: int
    output_tokens: int
    unmetered: int
    cost: NotRequired[float]


class Cause(TypedDict):
    """Why checks of a kind came to no verdict, or why rows could not be graded."""

    kind: str | None
    outcome: Literal["passed", "failed", "undecided", "unavailable", "error"]
    reason: str
    number: int
    of: int


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
    models: NotRequired[dict[str, str | None]]
    prompts: NotRequired[dict[str, str | None]]
    parameters: NotRequired[dict[str, Any]]
    programs: NotRequired[dict[str, str | None]]
    packages: NotRequired[dict[str, str | None]]


class RowResult(TypedDict):
    """What the rubric of a row made of its output."""

    id: str
    rubric: str | None
    outcome: Literal["passed", "failed", "undecided", "skipped"] | None
    score: float | None
    bounds: NotRequired[list[float]]
    reason: NotRequired[str]
    checks: list[CheckResult]


class ResultsSummary(TypedDict):
    """What the rows come to: all, by rubric, and by check; and what did not run."""

    rows: Tally
    threshold: NotRequired[float]
    reached: NotRequired[bool]
    allow_undecided: NotRequired[bool]
    unmeasured: list[Cause]
    judges: NotRequired[Usage]
    rubrics: list[Tally]
    checks: list[Tally]


class ResultsLine(TypedDict):
    """One line of the results that `evalcontract grade` writes: first the manifest, then a line
    for each row, and at the end the summary.

    What rows depend on stands in lines `used`, before the first row that depends on it. Later
    2.x versions may add keys, so a reader should pass over those that it does not know.
    """

    manifest: NotRequired[Manifest]
    used: NotRequired[Used]
    summary: NotRequired[ResultsSummary]
