"""Types of `rubric.schema.json`, written by `make typed`."""

from typing import Any, Literal, NotRequired, TypeAlias, TypedDict


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


class ToolExpectation(TypedDict):
    """A tool that should be called: its name alone, or an object with the name and the
    arguments that the call should carry.
    """

    name: str
    arguments: NotRequired[dict[str, Any]]


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
