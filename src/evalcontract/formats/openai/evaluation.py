"""Find the items of an exported eval, and check what stands around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, mapping_at, stops_loader
from evalcontract.formats._format import RowLayout
from evalcontract.formats.openai.export import (
    CONTENT,
    criteria_of,
    item_schema_of,
    items_of,
    message_texts,
    template_of,
    texts_of,
    variables,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.values import quoted

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.openai.export import Variable

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
    shallow = value
    items = items_of(value)
    if isinstance(items, list):
        source = value["data_source"]
        inner = {**source["source"], CONTENT[-1]: []}
        shallow = {**value, "data_source": {**source, "source": inner}}
    problems = [*_without_unknown(schema.faults(shallow, (), of="file"))]
    if stops_loader(problems):
        # The items are checked all the same, unless what is wrong is where they stand.
        return RowLayout(items if isinstance(items, list) else [], CONTENT, tuple(problems))
    rows = items if isinstance(items, list) else []
    problems += _criteria_problems(value, rows)
    problems += _schema_problems(value, rows, schema)
    if not rows:
        place: Path = CONTENT if isinstance(items, list) else ()
        problems.append(Problem("openai/no-rows", _NO_ROWS, place, _MERGE))
    return RowLayout(rows, CONTENT, tuple(problems))


def _without_unknown(problems: list[Problem]) -> Iterator[Problem]:
    """Leave out the keys of criteria of an unknown type: it is unknown which they have.

    A configuration without a schema is called so.
    """
    unknown = {p.path[:2] for p in problems if p.code == "openai/unknown-value"}
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
        yield from names.duplicate(criterion.get("name"), path, "name", _DUPLICATE)
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
        _, schema = item_schema_of(root)
        self._schema = schema
        items = [row["item"] for row in rows if isinstance(row, dict) and "item" in row]
        self._items = [item for item in items if isinstance(item, dict)]
        self._paths: set[tuple[str, ...]] | None = None
        declared = mapping_at(schema or {}, "properties")
        self._keys = sorted({*declared, *(key for item in self._items for key in item)})
        self._named = frozenset(self._keys)
        self._suggested = 0
        # Without items and schema it is unknown what items have.
        self._is_any = not self._keys

    def problems(self, text: str, path: Path, *, is_question: bool = False) -> Iterator[Problem]:
        """Yield the variables of a template that no item has, each once."""
        for each in dict.fromkeys(variables(text)):
            if problem := self._problem(each, path, is_question=is_question):
                yield problem

    def _problem(self, variable: Variable, path: Path, *, is_question: bool) -> Problem | None:
        written, steps = variable.written, variable.path
        if not variable.is_known:
            near = self._meant(written)
            advice = f"write `{{{{ {near} }}}}`" if near else "variables begin with `item.`"
            message = f"`{{{{ {written} }}}}` is no variable of a template"
            return Problem("openai/unknown-variable", message, path, advice)
        if steps[:1] == ("sample",):
            if is_question:
                message = f"`{{{{ {written} }}}}` is empty before the model has answered"
                return Problem("openai/unknown-variable", message, path, "write a key of `item`")
            return _unknown_output(written, steps, path)
        if not steps or self._is_any or self._has(steps[1:]):
            return None
        near = self._suggestion(steps[1]) if len(steps) == 2 else None  # noqa: PLR2004
        advice = f"write `{{{{ item.{near} }}}}`" if near else self._listed()
        message = f"no item has `{'.'.join(steps[1:])}`, so that `{{{{ {written} }}}}` is empty"
        return Problem("openai/unknown-variable", message, path, advice)

    def _meant(self, written: str) -> str | None:
        if written in self._named:
            return f"item.{written}"
        return "sample.output_text" if nearest(written, ("output_text", "output")) else None

    def _suggestion(self, key: str) -> str | None:
        """Return the key that was probably meant; only so often, since many take long."""
        self._suggested += 1
        return _near(key, self._keys, self._suggested)

    def _listed(self) -> str:
        return f"items have {quoted(self._keys[:8])}"

    def _has(self, steps: tuple[str, ...]) -> bool:
        if self._paths is None:
            self._paths = set()
            for item in self._items:
                self._collect(item)
        return steps in self._paths or _is_declared(self._schema, steps)

    def _collect(self, item: dict[str, Any]) -> None:
        """Remember the paths of keys; no template is longer than these."""
        pending: list[tuple[tuple[str, ...], Any]] = [((), item)]
        while pending:
            path, part = pending.pop()
            for key, value in part.items():
                self._paths = self._paths or set()
                self._paths.add((*path, key))
                if isinstance(value, dict) and len(path) < _DEEPEST:
                    pending.append(((*path, key), value))


# No template reads deeper keys; and so many words are compared with so many others.
_DEEPEST = 8
_FEW, _MANY = 50, 500


def _near(word: str, known: list[str], times: int) -> str | None:
    """Return the known word that another resembles, for few of each."""
    return nearest(word, known) if times <= _FEW and len(known) <= _MANY else None


def _unknown_output(written: str, steps: tuple[str, ...], path: Path) -> Problem | None:
    if not steps or steps[1] in _SAMPLE_KEYS:
        return None
    near = nearest(steps[1], _SAMPLE_KEYS)
    advice = f"write `{{{{ sample.{near or 'output_text'} }}}}`"
    message = f"`{{{{ {written} }}}}` is no part of a sample"
    return Problem("openai/unknown-variable", message, path, advice)


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
    labels = criterion["labels"]
    known = set(labels)
    told = 0
    for index, label in enumerate(criterion["passing_labels"]):
        if label not in known:
            told += 1
            near = _near(label, labels, told)
            advice = f"write `{near}`" if near else f"the labels are {quoted(labels[:8])}"
            message = f"`{label}` is not one of `labels`, so that it never passes"
            yield Problem("openai/unknown-label", message, (*path, "passing_labels", index), advice)
    if not criterion["passing_labels"]:
        message = "no label passes, so that every item fails"
        advice = "write the labels of good answers"
        yield Problem("openai/unknown-label", message, (*path, "passing_labels"), advice)


def _schema_problems(
    root: dict[str, Any], rows: list[Any], schema: SchemaChecker
) -> Iterator[Problem]:
    """Yield what is wrong with the schema of items, or what is wrong with items by it."""
    path, item_schema = item_schema_of(root)
    if item_schema is None:
        return
    own = schema.own(item_schema)
    if isinstance(own, str):
        message = f"the schema of items is invalid: {own}"
        yield Problem("openai/invalid-schema", message, path, "mend it, or no item can be checked")
        return
    for index, row in enumerate(rows):
        if not isinstance(row, dict) or not isinstance(row.get("item"), dict):
            continue
        place: Path = (*CONTENT, index, "item")
        for problem in own(row["item"], place):
            text = f"by the schema of items, {problem.message}"
            yield problem._replace(
                code="openai/schema-mismatch", message=text, row_index=index, fix=None
            )
