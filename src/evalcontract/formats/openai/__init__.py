"""Exports of OpenAI's hosted evals, and samples of the registry openai/evals.

The hosted service shuts down, so that its verdicts cannot be asked; those on structure are the
types of the published Python package. The basic evals of the registry are run.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._findings import (
    FirstRows,
    SystemChecker,
    bom_rejected,
    is_ignored_key,
    mapping_at,
    missing_key,
    near_miss,
    parsed_json,
    stops_loader,
)
from evalcontract.formats._format import (
    Format,
    RowLayout,
    SchemaChecker,
    codes_of_system,
    lens_named,
)
from evalcontract.formats._graders import GraderPrediction, listed_predictions
from evalcontract.formats.openai.export import (
    CONTENT,
    HOSTED,
    MAX_CRITERIA,
    READERS,
    SAMPLES,
    Variable,
    criteria_of,
    filled,
    is_well_formed,
    item_schema_of,
    items_of,
    message_texts,
    root_of,
    template_of,
    texts_of,
    variables,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.values import quoted

if TYPE_CHECKING:
    from evalcontract.formats._lens import Lens
    from evalcontract.source.external import ExternalFile

_MISSING = "openai/missing-key"
_EXAMPLES = {
    "item": 'such as "item": {"input": "How deep?"}',
    "input": 'such as "input": [{"role": "user", "content": "How deep?"}]',
}


class OpenAIChecker(SystemChecker):
    """Reports what the row lacks of its schema, and a sample without a right answer."""

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next row."""
        problems = [] if is_clean else self._faults(row, path)
        yield from problems
        if not stops_loader(problems):
            found = [*_ideal(row, path)] if self._variant == SAMPLES else []
            yield from found
            reported = {problem.path for problem in found}
            near = self._schema.near_misses(row, path)
            yield from (problem for problem in near if problem.path not in reported)

    def _faults(self, row: Any, path: Path) -> list[Problem]:
        problems = self._schema.faults(row, path)
        required = "input" if self._variant == SAMPLES else "item"
        if not isinstance(row, dict) or required in row:
            return problems
        message = f"`{required}` is missing"
        near = nearest(required, filter(str.isidentifier, row))
        found = missing_key("openai", message, path, required, near, _EXAMPLES[required])
        return [found, *(p for p in problems if p.code != _MISSING and p.path != found.path)]


def _ideal(row: dict[str, Any], path: Path) -> Iterator[Problem]:
    """Yield a problem if a sample has no right answer, or one that every answer contains."""
    if "ideal" not in row:
        near = nearest("ideal", filter(str.isidentifier, row))
        if near is not None:
            message = f"`{near}` is not a key that evals read"
            yield near_miss("openai", message, (*path, near), "ideal")
        elif len(row) == 1:
            message = "the sample has no `ideal`, without which Match and Includes stop"
            advice = "write the right answer, or a list of right answers"
            yield Problem("openai/nothing-expected", message, path, advice)
        return
    ideal, where = row["ideal"], (*path, "ideal")
    if ideal == []:
        message = "`ideal` is an empty list, so no answer is right"
        yield Problem("openai/empty-ideal", message, where, "write the right answers")
    for index, text in enumerate(_right_answers(row)):
        if text == "":
            place: Path = (*where, index) if isinstance(ideal, list) else where
            message = "every answer contains the empty text, so that Match and Includes pass"
            yield Problem("openai/empty-ideal", message, place, "write the right answer")


def _right_answers(row: dict[str, Any]) -> list[Any]:
    ideal = row.get("ideal")
    return ideal if isinstance(ideal, list) else [ideal]


FACTS = {
    "empty_list": lambda row, _: row.get("ideal") == [],
    "empty_text": lambda row, _: "" in _right_answers(row),
    "no_json": lambda row, _: any(
        isinstance(text, str) and parsed_json(text, ...) is ... for text in _right_answers(row)
    ),
}


def predict_criteria(root: dict[str, Any], row: Any) -> Iterator[GraderPrediction] | None:
    """Return the prediction for each criterion of an eval; None if it has none."""
    criteria = criteria_of(root, MAX_CRITERIA)
    if not criteria:
        return None
    return listed_predictions(
        (_prediction(f"testing_criteria[{index}]", each, row) for index, each in criteria),
        total=len(root["testing_criteria"]),
        most=MAX_CRITERIA,
        what="criteria",
        kind="testing_criterion",
    )


def _prediction(place: str, criterion: dict[str, Any], row: dict[str, Any]) -> GraderPrediction:
    name, kind = criterion.get("name"), str(criterion.get("type"))
    state, reason, field = _verdict(criterion, row)
    given = name if isinstance(name, str) and name else place
    return GraderPrediction(given, kind, state, reason=reason, field=field)


def _verdict(criterion: dict[str, Any], row: dict[str, Any]) -> tuple[str, str | None, str | None]:
    """Return the state of a criterion, its reason, and the key that decides."""
    if not is_well_formed(criterion):
        return "fail", "the criterion is malformed", None
    for each in (each for _, text in texts_of(criterion) for each in variables(text)):
        is_key = each.path[:1] == ("item",)
        if is_key and filled(f"{{{{{each.written}}}}}", row["item"]) is None:
            return "fail", f"the item has no `{'.'.join(each.path[1:])}`", each.path[1]
    if criterion.get("type") == "label_model":
        labels = set(criterion.get("labels") or ())
        passing = labels & set(criterion.get("passing_labels") or ())
        if labels and passing == labels:
            return "vacuous", "every label passes", None
        if not passing:
            return "fail", "no label passes", None
    if _is_empty_search(criterion, row):
        return "vacuous", "every output contains an empty text", None
    return "run", None, None


def _is_empty_search(criterion: dict[str, Any], row: dict[str, Any]) -> bool:
    if criterion.get("operation") not in ("like", "ilike"):
        return False
    return filled(criterion.get("reference", ""), row["item"]) == ""


_SAMPLE_KEYS = ("output_text", "output_json", "output_tools", "choices", "output_audio")
_DUPLICATE = Problem(
    "openai/duplicate-id",
    "duplicate name `{name}`: results cannot tell criterion {number} from this one",
    (),
    "give each criterion a name of its own",
)
_NO_ROWS = "there are no items, so nothing is evaluated"
_MERGE = "put the rows of the JSONL into the list `data_source.source.content`, or check them alone"


def layout_of(value: Any, schema: SchemaChecker) -> RowLayout:
    """Find the items of a document: an eval, or a list of items."""
    if isinstance(value, list):
        empty = Problem("openai/no-rows", _NO_ROWS, (), "add an item")
        return RowLayout(value, problems=() if value else (empty,))
    if not isinstance(value, dict):
        message = "the file must be an eval or a list of items"
        return RowLayout.without_rows(Problem("openai/wrong-type", message, ()))
    items, shallow = items_of(value), value
    has_items = isinstance(items, list)
    if has_items:
        source = value["data_source"]
        inner = {**source["source"], CONTENT[-1]: []}
        shallow = {**value, "data_source": {**source, "source": inner}}
    rows = items if has_items else []
    problems = [*_without_unknown(schema.faults(shallow, (), of="file"))]
    # The items are checked all the same, unless what is wrong is where they stand.
    if not stops_loader(problems):
        problems += _criteria_problems(value, rows)
        problems += _schema_problems(value, rows, schema)
        if not rows:
            place = CONTENT if has_items else ()
            problems.append(Problem("openai/no-rows", _NO_ROWS, place, _MERGE))
    return RowLayout(rows, CONTENT, tuple(problems))


def _without_unknown(problems: list[Problem]) -> Iterator[Problem]:
    """Leave out the keys of criteria and sources of an unknown type: nobody knows which they have.

    A configuration without a schema is called so.
    """
    unknown = {
        problem.path[:2]
        for problem in problems
        if problem.code == "openai/unknown-value"
        or (problem.code == _MISSING and problem.message.startswith("`type`"))
    }
    for problem in problems:
        if problem.path == ("data_source_config",) and problem.code == "openai/missing-key":
            message = "the configuration has no schema of its items"
            advice = "write `item_schema`, as the eval was created, or `schema`, as it is given"
            yield problem if problem.on_key else problem._replace(message=message, help=advice)
        elif problem.code != "openai/ignored-key" or problem.path[:2] not in unknown:
            yield problem


def _criteria_problems(root: dict[str, Any], rows: list[Any]) -> Iterator[Problem]:
    known = _KnownVariables(root, rows)
    names = FirstRows()
    for index, criterion in criteria_of(root):
        path: Path = ("testing_criteria", index)
        yield from names.duplicate(criterion.get("name"), path, "name", problem=_DUPLICATE)
        yield from _label_problems(criterion, path)
        texts = [*texts_of(criterion)]
        found = [each for _, text in texts for each in variables(text)]
        for where, text in texts:
            yield from known.problems(text, (*path, *where))
        if texts and not found and criterion.get("type") != "python":
            message = "the criterion reads neither `item` nor `sample`: it is the same for all"
            advice = "write `{{ sample.output_text }}` where the output belongs"
            yield Problem("openai/constant-criterion", message, path, advice)
    asked: Path = ("data_source", "input_messages", "template")
    for where, text in message_texts(template_of(root)):
        yield from known.problems(text, (*asked, *where), is_question=True)


class _KnownVariables:
    """The variables that the items of an eval have, by their schema and by the items themselves."""

    def __init__(self, root: dict[str, Any], rows: list[Any]) -> None:
        _, self._schema = item_schema_of(root)
        items = [row["item"] for row in rows if isinstance(row, dict) and "item" in row]
        self._items = [item for item in items if isinstance(item, dict)]
        declared = mapping_at(self._schema or {}, "properties")
        self._keys = sorted({*declared, *(key for item in self._items for key in item)})
        self._named = frozenset(self._keys)
        self._suggested = 0

    def problems(self, text: str, path: Path, *, is_question: bool = False) -> Iterator[Problem]:
        """Yield the variables of a template that no item has, each once."""
        for each in dict.fromkeys(variables(text)):
            if fault := self._fault(each, is_question=is_question):
                message, advice = fault
                yield Problem("openai/unknown-variable", message, path, advice)

    def _fault(self, variable: Variable, *, is_question: bool) -> tuple[str, str] | None:
        """Return what is wrong with a variable, and the help."""
        written, steps = variable.written, variable.path
        if not variable.is_known:
            near = self._meant(written)
            advice = f"write `{{{{ {near} }}}}`" if near else "variables begin with `item.`"
            return f"`{{{{ {written} }}}}` is no variable of a template", advice
        if steps[:1] == ("sample",) and is_question:
            message = f"`{{{{ {written} }}}}` is empty before the model has answered"
            return message, "write a key of `item`"
        if steps[:1] == ("sample",):
            return _unknown_output(written, steps)
        # Without items and schema it is unknown what items have.
        if not steps or not self._keys or self._has(steps[1:]):
            return None
        _, *below = steps
        near = self._suggestion(below[0]) if len(below) == 1 else None
        listed = f"items have {quoted(self._keys[:8])}"
        advice = f"write `{{{{ item.{near} }}}}`" if near else listed
        return f"no item has `{'.'.join(below)}`, so that `{{{{ {written} }}}}` is empty", advice

    def _suggestion(self, key: str) -> str | None:
        """Return the key that was probably meant; only so often, since many take long."""
        self._suggested += 1
        return _near(key, self._keys, self._suggested)

    def _meant(self, written: str) -> str | None:
        if written in self._named:
            return f"item.{written}"
        return "sample.output_text" if nearest(written, ("output_text", "output")) else None

    def _has(self, steps: tuple[str, ...]) -> bool:
        return steps in self._paths or _is_declared(self._schema, steps)

    @cached_property
    def _paths(self) -> set[tuple[str, ...]]:
        return {path for item in self._items for path in _paths_of(item)}


# No template reads deeper keys; and so many words are compared with so many others.
_DEEPEST = 8
_FEW, _MANY = 50, 500


def _paths_of(item: dict[str, Any], above: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for key, value in item.items():
        yield (*above, key)
        if isinstance(value, dict) and len(above) < _DEEPEST:
            yield from _paths_of(value, (*above, key))


def _near(word: str, known: list[str], times: int) -> str | None:
    """Return the known word that another resembles, for few of each."""
    return nearest(word, known) if times <= _FEW and len(known) <= _MANY else None


def _unknown_output(written: str, steps: tuple[str, ...]) -> tuple[str, str] | None:
    if steps[1] in _SAMPLE_KEYS:
        return None
    near = nearest(steps[1], _SAMPLE_KEYS) or "output_text"
    return f"`{{{{ {written} }}}}` is no part of a sample", f"write `{{{{ sample.{near} }}}}`"


def _is_declared(schema: Any, steps: tuple[str, ...]) -> bool:
    """Whether a schema names a key, or allows any below a mapping that it does not describe."""
    for number, step in enumerate(steps):
        if not isinstance(schema, dict) or schema.get("type", "object") != "object":
            return False
        properties = mapping_at(schema, "properties")
        if step not in properties:
            return number > 0 and not properties
        schema = properties[step]
    return True


def _label_problems(criterion: dict[str, Any], path: Path) -> Iterator[Problem]:
    if criterion.get("type") != "label_model":
        return
    labels, passing = criterion["labels"], criterion["passing_labels"]
    place = (*path, "passing_labels")
    known = set(labels)
    unknown = [index for index, label in enumerate(passing) if label not in known]
    for times, index in enumerate(unknown, 1):
        near = _near(passing[index], labels, times)
        advice = f"write `{near}`" if near else f"the labels are {quoted(labels[:8])}"
        message = f"`{passing[index]}` is not one of `labels`, so that it never passes"
        yield Problem("openai/unknown-label", message, (*place, index), advice)
    if not passing:
        message = "no label passes, so that every item fails"
        yield Problem("openai/unknown-label", message, place, "write the labels of good answers")


def _schema_problems(
    root: dict[str, Any], rows: list[Any], schema: SchemaChecker
) -> Iterator[Problem]:
    path, item_schema = item_schema_of(root)
    if item_schema is None:
        return
    own = schema.own(item_schema)
    if isinstance(own, str):
        message = f"the schema of items is invalid: {own}"
        yield Problem("openai/invalid-schema", message, path, "mend it, or no item can be checked")
        return
    yield from schema.keywords(item_schema, path)
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("item"), dict):
            continue
        place: Path = (*CONTENT, index, "item")
        for problem in own(row["item"], place):
            text = f"by the schema of items, {problem.message}"
            code = problem.code if is_ignored_key(problem) else "openai/schema-mismatch"
            yield problem._replace(code=code, message=text, row_index=index, fix=None)


# The keys of a row that say what is expected of it, here and elsewhere.
_OF_OTHERS = frozenset(
    {"expected", "expected_facts", "expected_tools", "target", "expected_output", "messages"}
)
_NOT_LINES = Problem(
    "openai/not-lines",
    "openai/evals reads one sample a line, and this file is one JSON value",
    (),
    "convert it to JSONL",
)


class OpenAI(Format):
    """Items of hosted evals, or samples of the registry."""

    name = "openai"
    title = "OpenAI evals"
    variants = (HOSTED, SAMPLES)
    media = ("json", "jsonl")
    basis = "the types of openai for Python, and the basic evals of openai/evals 3.0.1, run"
    codes = codes_of_system(
        "openai",
        rejected=("unknown-value", "too-few-items"),
        silently_accepted=(
            "constant-criterion",
            "empty-ideal",
            "invalid-schema",
            "no-rows",
            "not-lines",
            "nothing-expected",
            "schema-mismatch",
            "unknown-label",
            "unknown-variable",
        ),
        guesses=("misplaced-key",),
    )
    row_checker = OpenAIChecker
    readers = READERS
    facts = FACTS

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect an eval, an item or a sample, unless a key says that it is something else."""
        criteria = value.get("testing_criteria")
        if isinstance(criteria, list) and not {"checks", "cases"} & value.keys():
            return cls(HOSTED)
        if isinstance(value.get("item"), dict) and "input" not in value:
            return cls(HOSTED)
        is_sample = isinstance(value.get("input"), list | str) and isinstance(
            value.get("ideal"), list | str
        )
        is_ours = isinstance(value.get("id"), str) and isinstance(value.get("input"), str)
        if not is_sample or is_ours or not _OF_OTHERS.isdisjoint(value):
            return None
        return cls(SAMPLES)

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        if self._is_sample and file.has_mark:
            message = "the file begins with a byte order mark, at which openai/evals stops"
            return RowLayout.without_rows(bom_rejected("openai", message))
        if file.document is None:
            return RowLayout()
        value = file.document.value
        if not self._is_sample:
            return layout_of(value, schema)
        if isinstance(value, list):
            return RowLayout(value, problems=(_NOT_LINES,))
        return RowLayout([value], problems=(_NOT_LINES,), is_row=True)

    @property
    def _is_sample(self) -> bool:
        return self.variant == SAMPLES

    def name_of(self, row: Any) -> str | None:
        return super().name_of(row.get("item", row) if isinstance(row, dict) else None)

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        root = root_of(file) if file and not self._is_sample else {}
        return predict_criteria(root, row) or super().predict(row, file)

    def lens_class(self) -> type[Lens]:
        own = "SampleLens" if self._is_sample else "ItemLens"
        return lens_named(f"evalcontract.formats.openai.conversion:{own}")
