"""What a file is by its content: a dataset of ours, a target, or a file of another tool."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Span
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import is_finite_number
from evalcontract.source import (
    DISK,
    FILE,
    NOTHING,
    Document,
    Files,
    MisreadError,
    RowSource,
    SourceProblem,
    UnreadableFile,
)
from evalcontract.source.text import LFS_POINTER, split_lines
from evalcontract.structure.validator import structure_of
from evalcontract.workspace.configuration import GRADED, graded_keys

if TYPE_CHECKING:
    from evalcontract.source.jsonl import RowStream

#: Keys that a mapping has, each with the type of its value; None for any type.
Shape = Mapping[str, type[Any] | None]


class Tool(NamedTuple):
    """A tool, by the shapes of its files: each list has alternatives.

    `roots` are shapes of a whole file, `rows` those of a row, `entries` those of all values of a
    mapping. `lists` maps the key of a list of rows to shapes of these rows. `advice` says which
    keys correspond to those of this package, `command` what translates a file, and `like` which
    dialect has rows that look the same. `what` says what the files are if they are no
    datasets, such as logs; `advice` is then what to check instead.
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
    what: str | None = None


_INPUT_OUTPUT: Shape = {"inputs": dict, "outputs": dict}
_SPANS: tuple[Shape, ...] = ({"uuid": str, "startTime": None}, {"uuid": str, "start_time": None})

TOOLS = (
    Tool(
        "pydantic-evals",
        "https://ai.pydantic.dev/evals/how-to/dataset-serialization/",
        "`cases` become `questions`, `inputs` becomes `input`, `expected_output` becomes "
        "`expected.reference`, and `evaluators` the checks of a rubric",
        "evalcontract convert FILE OUT --from pydantic_evals",
        rows=({"inputs": None, "expected_output": None}, {"inputs": None, "evaluators": list}),
        lists={"cases": ({"inputs": None},)},
    ),
    Tool(
        "Ragas",
        "https://docs.ragas.io/en/stable/concepts/components/eval_sample/",
        "the list `samples` can be converted from the dialect `ragas`",
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
        "evalcontract convert FILE OUT --from langsmith",
        rows=(_INPUT_OUTPUT,),
        like="`mlflow:evaluate`",
    ),
    Tool(
        "LangSmith",
        "https://docs.langchain.com/langsmith/example-data-format",
        "the list `examples` can be converted from the dialect `langsmith`",
        lists={"examples": (_INPUT_OUTPUT,)},
    ),
    Tool(
        "ai_best_practices",
        "https://www.drupal.org/project/ai_best_practices (evals.json)",
        "`evals` become `questions`, `prompt` becomes `input`, and `must_contain_any`, "
        "`must_not_contain`, `check_php_lint` and `check_markdown_structure` become checks",
        "evalcontract migrate FILE -o FOLDER",
        rows=({"prompt": str, "expectations": list}, {"prompt": str, "check_php_lint": None}),
        lists={"evals": ({"id": None, "prompt": str},), "behavioral_cases": ({"prompt": str},)},
    ),
    Tool(
        "Inspect",
        "https://inspect.aisi.org.uk/eval-logs.html",
        "check the dataset that was run, with `validate-dataset --dialect inspect`",
        roots=({"eval": dict, "status": str},),
        what="a log",
    ),
    Tool(
        "DeepEval",
        "https://deepeval.com/docs/evaluation-llm-tracing",
        "check the goldens that were run, with `validate-dataset --dialect deepeval`",
        roots=_SPANS,
        rows=_SPANS,
        lists={"traces": _SPANS, "spans": _SPANS},
        what="traces",
    ),
    Tool(
        "DeepEval",
        "https://deepeval.com/docs/evaluation-flags-and-configs",
        "check the goldens that were run, with `validate-dataset --dialect deepeval`",
        roots=({"testCases": list, "metricsScores": list}, {"testRunData": dict}),
        what="the results of a run",
    ),
    Tool(
        "lm-evaluation-harness",
        "https://github.com/EleutherAI/lm-evaluation-harness/blob/main/docs/task_guide.md",
        "it names its dataset, which is not in this file",
        roots=({"task": str, "dataset_path": str}, {"task": str, "output_type": str}),
        what="a task",
    ),
)

_WITHOUT_DATASETS = tuple(tool for tool in TOOLS if tool.what)

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


def tool_without_dataset(value: Any) -> Tool | None:
    """Return the tool whose log, or the like, a value or its first row is."""
    first = next(iter(value), None) if isinstance(value, list) else value
    if not isinstance(first, dict) or _is_own(first) or not _OWN_KEYS.isdisjoint(first):
        return None
    return next((tool for tool in _WITHOUT_DATASETS if _is_root_of(first, tool)), None)


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


_MODELINE = "dataset.schema.json"
_FOLDER = "datasets"
_QUESTIONS = lazy_pattern(r"""^\W*questions""")
#: The key `input` of a row in JSON, YAML or CSV; searched for in the first lines of a file.
_INPUT = lazy_pattern(r"""(?:^|[\s"'{,;])input["']?\s*(?:[:,;]|$)""")

_HEAD_LINES = 5


def is_dataset(path: Path, root: Path, source: RowSource, files: Files = DISK) -> bool:
    """Whether a file of a workspace is meant as a dataset.

    A file is a dataset if it is below `datasets/`, has the key `questions` (or a near miss of it)
    or names the dataset schema in a modeline. A JSONL file or a list is one if its first row has
    an `input`. A file that cannot be parsed is one if its text mentions any of these, and so is a
    file that may not be opened or is a Git LFS pointer.
    """
    if _FOLDER in path.relative_to(root).parts[:-1]:
        return True
    if unreadable := source.unreadable:
        if LFS_POINTER in unreadable.faults:
            return True
        return _mentions_dataset(unreadable.lines) or _is_permission_denied(path, unreadable, files)
    if stream := source.stream:
        return _has_rows(stream)
    return source.document is not None and _is_dataset_document(source.document)


def recorded_kind(source: RowSource) -> str | None:
    """Return `output` or `results` for a file of recorded outputs or of results, else None.

    The first row decides, by the schemas of both.
    """
    first = _first_row(source)
    if not isinstance(first, dict):
        return None
    from evalcontract.structure.native import native_for  # only for files that are no datasets
    from evalcontract.structure.schemas import load

    for kind, keys in _RECORDED.items():
        if not keys.isdisjoint(first) and native_for(load(kind)).is_valid(first):
            return kind
    return None


#: What is recorded, with the keys of which its first row has one, each a key of the schema.
_RECORDED = {
    "results": frozenset({"manifest", "outcome"}),
    "output": frozenset({"output", "tool_calls"}),
}
# What each row of results has, beside the keys of the row that was graded.
_OF_RESULTS = frozenset({"rubric", "outcome", "score", "checks"})


def _first_row(source: RowSource) -> Any:
    if source.stream:
        return next((batch.rows[0] for batch in source.stream.batches() if batch.rows), None)
    value = source.document.quick if source.document else None
    if isinstance(value, dict):  # a run file; any other says nothing of rows
        return value if "manifest" in value else None
    return value[0] if isinstance(value, list) and value else None


def _is_dataset_document(document: Document) -> bool:
    value = document.quick
    has_rows = isinstance(value, dict) and "questions" in value
    if has_rows or any(_MODELINE in line for line in document.lines[:10] if line.startswith("#")):
        return True
    if isinstance(value, dict):
        return any(nearest(key, ("questions",)) for key in value)
    return isinstance(value, list) and bool(value) and _looks_like_row(value[0])


def _is_permission_denied(path: Path, source: UnreadableFile, files: Files) -> bool:
    """Whether a file exists but may not be opened; broken links and pipes do not count."""
    denied = any(fault.code == "source/unreadable" for fault in source.faults)
    return denied and files.kind(path) in (FILE, NOTHING)


def _has_rows(source: RowStream) -> bool:
    for batch in source.batches():
        if batch.rows:
            return _looks_like_row(batch.rows[0])
        if batch.faults:
            if any(fault is LFS_POINTER for fault, _ in batch.faults):
                return True
            return _mentions_dataset(source.opening())
    return False


def _mentions_dataset(lines: Sequence[str]) -> bool:
    """Whether a text that cannot be parsed looks like a dataset; UTF-16 has a NUL per letter."""
    plain = [line.replace("\0", "") for line in lines]
    head = islice((line for line in plain if line.strip()), _HEAD_LINES)
    return any(_QUESTIONS.search(line) or _MODELINE in line for line in plain) or any(
        _INPUT.search(line) for line in head
    )


def _looks_like_row(row: Any) -> bool:
    if not isinstance(row, dict) or isinstance(row.get("inputs"), dict):
        return False  # other formats have a mapping of inputs
    if row.keys() >= _OF_RESULTS:
        return False
    is_like = any(nearest(key, ("input",), limit=1) for key in row)
    return is_like and tool_without_dataset(row) is None


def verified(kind: Kind, source: RowSource) -> RowSource:
    """Return an artifact with a reliable value: that of the fast reader only if it is valid."""
    document = source.document
    if document is None or not document.is_quick:
        return source
    if structure_of(kind).is_clean(document.quick) and not document.has_other_numbers:
        document.trust()
    try:
        document.value  # noqa: B018 - reads the value, if it is not known yet
    except MisreadError as misread:
        return misread.unreadable
    return document


def require_single_value(source: RowSource) -> RowSource:
    """Reject JSONL where a single value is required: a rubric, a judge or a target."""
    if source.stream is None:
        return source
    message = "cannot be read: JSONL contains rows, but this file must be a single value"
    fault = SourceProblem("source/unreadable", message, None, "write it as YAML or JSON")
    return UnreadableFile(source.file, (fault,))


_SCHEMA_REFERENCE = "workspace/schema-reference"
_NAMED_SCHEMA = lazy_pattern(r"#\s*yaml-language-server:.*?\$schema=(?P<target>\S+)")
_SCHEMA_NAME = lazy_pattern(r"(?P<kind>dataset|rubric|judge|target)\.schema\.json")


def check_schema_reference(
    kind: str, document: Document, value: Any, root: Path, is_missing: Callable[[Path], bool]
) -> Iterator[SourceProblem]:
    """Yield the problems of the schema that a file names.

    `value` has the keys of its root. `is_missing` is asked about the path of a schema; one
    outside of the workspace is not looked for.
    """
    if modeline := _named_schema(document.head):
        line, match = modeline
        span = Span(line, match.start("target") + 1, line, match.end("target") + 1)
        yield from _reference_problems(
            kind, match["target"], span, file=document.file, root=root, is_missing=is_missing
        )
    target = value.get("$schema") if isinstance(value, dict) else None
    if isinstance(target, str):
        place = document.place(("$schema",))
        yield from _reference_problems(
            kind, target, place.span, file=document.file, root=root, is_missing=is_missing
        )


def _named_schema(head: str) -> tuple[int, re.Match[str]] | None:
    """Return the first modeline in the beginning of a text, and the number of its line."""
    if "yaml-language-server" in head:  # a fast test
        for number, line in enumerate(split_lines(head), 1):
            if match := _NAMED_SCHEMA.match(line):
                return number, match
    return None


def _reference_problems(
    kind: str,
    target: str,
    span: Span | None,
    file: str,
    root: Path,
    is_missing: Callable[[Path], bool],
) -> Iterator[SourceProblem]:
    location = re.split(r"[?#]", target, maxsplit=1)[0]
    name = PurePosixPath(location).name
    match = _SCHEMA_NAME.fullmatch(name)
    if match and match["kind"] != kind:
        message = f"this is a {kind}, but the schema is that of a {match['kind']}"
        right = target.replace(name, f"{kind}.schema.json")
        yield SourceProblem(_SCHEMA_REFERENCE, message, span, f"write `{right}`")
    elif location and "://" not in location and "\0" not in location:
        path = Path(os.path.abspath(Path(file).parent / location))  # noqa: PTH100 - not resolved
        if root in path.parents and is_missing(path):
            message = f"there is no file `{location}`, so that editors check nothing here"
            advice = "`evalcontract schema export FOLDER` writes the schemas"
            yield SourceProblem(_SCHEMA_REFERENCE, message, span, advice)


class Target(NamedTuple):
    """One file of `targets/`: the dataset that it runs, and how strictly to check it.

    `dataset` is None if the target names none, or one outside of the workspace. `row_keys_graded`
    are the keys of rows that the graders of its runner read, `threshold` the mean score from 0 to 1
    that the outputs have to reach; None if there is none. `allow_undecided` is whether rows may be
    undecided.
    """

    document: Document
    dataset: Path | None
    row_keys_graded: frozenset[str] = frozenset()
    threshold: float | None = None
    allow_undecided: bool = False


def read_target(document: Document, root: Path, contains: Callable[[Path], bool]) -> Target:
    """Return the target in a document; a malformed setting counts as missing.

    The path of the dataset is relative to the `root` of the workspace; `contains` tells whether a
    path leads into it.
    """
    value: Any = document.value if isinstance(document.value, dict) else {}
    name, threshold = value.get("dataset"), value.get("threshold")
    path = root / name if isinstance(name, str) else None
    dataset = path if path and contains(path) else None
    usable = is_finite_number(threshold) and 0 <= threshold <= 1
    row_keys_graded = graded_keys(value.get(GRADED))
    allow_undecided = value.get("allow_undecided") is True
    return Target(
        document, dataset, row_keys_graded, float(threshold) if usable else None, allow_undecided
    )
