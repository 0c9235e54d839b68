"""Recognise datasets, rubrics and judges of other tools by their keys.

The keys are those that the documentation of a tool names; `source` says where. A value that has
the keys of this package is never recognised.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    #: Keys that a mapping has, each with the type of its value; None for any type.
    Shape = Mapping[str, type[Any] | None]


class Tool(NamedTuple):
    """A tool, by the shapes of its files: each list has alternatives.

    `roots` are shapes of a whole file, `rows` those of a row, `entries` those of all values of a
    mapping. `lists` maps the key of a list of rows to shapes of these rows. `advice` says which
    keys correspond to those of this package, `command` what translates a file, and `like` which
    dialect has rows that look the same.
    """

    name: str
    source: str
    advice: str
    command: str | None = None
    roots: tuple[Shape, ...] = ()
    rows: tuple[Shape, ...] = ()
    entries: tuple[Shape, ...] = ()
    lists: Mapping[str, tuple[Shape, ...]] = {}
    like: str | None = None


_INPUT_OUTPUT: Shape = {"inputs": dict, "outputs": dict}

TOOLS = (
    Tool(
        "pydantic-evals",
        "https://ai.pydantic.dev/evals/how-to/dataset-serialization/",
        "`cases` become `questions`, `inputs` becomes `input`, `expected_output` becomes "
        "`expected.reference`, and `evaluators` the checks of a rubric",
        rows=({"inputs": None, "expected_output": None}, {"inputs": None, "evaluators": list}),
        lists={"cases": ({"inputs": None},)},
    ),
    Tool(
        "Ragas",
        "https://docs.ragas.io/en/stable/concepts/components/eval_sample/",
        "`user_input` becomes `input`, `reference` becomes `expected.reference`, and "
        "`retrieved_contexts` becomes `context`",
        rows=(
            {"user_input": None, "reference": None},
            {"user_input": None, "response": None},
            {"user_input": None, "retrieved_contexts": None},
            {"user_input": None, "reference_contexts": None},
            {"question": str, "contexts": list},
        ),
        lists={"samples": ({"user_input": None},)},
    ),
    Tool(
        "OpenAI evals",
        "https://github.com/openai/evals/blob/main/docs/build-eval.md",
        "`class` names the eval; the samples that `samples_jsonl` names can be converted from the "
        "dialect `openai:samples`",
        entries=({"class": str, "args": dict}, {"id": str, "metrics": list}),
    ),
    Tool(
        "OpenAI evals",
        "https://github.com/openai/evals/blob/main/docs/eval-templates.md",
        "`prompt` becomes `template`, `choice_strings` `level_names`, and `choice_scores` "
        "`level_values`",
        roots=({"prompt": None, "choice_strings": None}, {"prompt": None, "choice_scores": dict}),
        entries=({"prompt": None, "choice_strings": None},),
    ),
    Tool(
        "OpenAI evals",
        "https://platform.openai.com/docs/guides/evals",
        "`testing_criteria` become the checks of a rubric, and its judges",
        "evalcontract convert FILE OUT --from openai",
        roots=({"testing_criteria": list}, {"data_source_config": dict}),
    ),
    Tool(
        "LangSmith",
        "https://docs.langchain.com/langsmith/example-data-format",
        "the text in `inputs` becomes `input`, and that in `outputs` becomes `expected.reference`",
        rows=(_INPUT_OUTPUT,),
        lists={"examples": (_INPUT_OUTPUT,)},
        like="`mlflow:evaluate`",
    ),
    Tool(
        "ai_best_practices",
        "https://www.drupal.org/project/ai_best_practices (evals.json)",
        "`evals` become `questions`, `prompt` becomes `input`, and `must_contain_any`, "
        "`must_not_contain`, `check_php_lint` and `check_markdown_structure` become checks",
        "evalcontract migrate FILE -o FOLDER",
        rows=({"prompt": str, "expectations": list}, {"prompt": str, "check_php_lint": None}),
        lists={"evals": ({"prompt": str},), "behavioral_cases": ({"prompt": str},)},
    ),
)

# A file or a row with one of these keys is one of this package, perhaps a faulty one.
_OWN_KEYS = frozenset({"questions", "checks", "scoring", "template"})
_OWN_ROW_KEYS = frozenset({"criteria", "rubric_ref", "expected", "expected_facts"})


def tool_of_rows(rows: Iterable[Any]) -> Tool | None:
    """Return the tool whose rows these are; None if one of them may be of this package."""
    mappings = _foreign(rows)
    return next((tool for tool in TOOLS if _all_match(mappings, tool.rows)), None)


def tool_of_root(value: Any) -> Tool | None:
    """Return the tool whose file this is, by the keys of its root; None if it may be ours."""
    if not isinstance(value, dict) or not _OWN_KEYS.isdisjoint(value):
        return None
    return next((tool for tool in TOOLS if _is_root_of(value, tool)), None)


def _is_root_of(value: dict[str, Any], tool: Tool) -> bool:
    if any(_matches(value, shape) for shape in tool.roots):
        return True
    entries = [*value.values()]
    if all(isinstance(entry, dict) for entry in entries) and _all_match(entries, tool.entries):
        return True
    lists = ((value.get(key), shapes) for key, shapes in tool.lists.items())
    return any(isinstance(rows, list) and _all_match(_foreign(rows), of) for rows, of in lists)


def _foreign(rows: Iterable[Any]) -> list[dict[str, Any]]:
    """Return the rows that are mappings; none if one of them may be of this package."""
    mappings = [row for row in rows if isinstance(row, dict)]
    return [] if any(_is_own(row) for row in mappings) else mappings


def _is_own(row: dict[str, Any]) -> bool:
    """Whether a row has what a row of this package needs, or a key that only such a row has."""
    is_complete = isinstance(row.get("id"), str) and isinstance(row.get("input"), str)
    return is_complete or not _OWN_ROW_KEYS.isdisjoint(row)


def _all_match(values: list[dict[str, Any]], shapes: tuple[Shape, ...]) -> bool:
    """Whether each of at least one values has one of the shapes."""
    return bool(values) and all(any(_matches(value, shape) for shape in shapes) for value in values)


def _matches(value: dict[str, Any], shape: Shape) -> bool:
    return all(
        key in value and (kind is None or isinstance(value[key], kind))
        for key, kind in shape.items()
    )
