"""Convert items of hosted evals and samples of the registry to rows of evalcontract and back."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import Loss, conversation_of, last_question, reference_of
from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats._lens import At, Lens, ReadRubric
from evalcontract.formats._residual import Residual, Row
from evalcontract.formats.openai.criteria import (
    Criteria,
    EvalCriteria,
    asked_messages,
    item_of_row,
    item_schema,
    row_of_item,
)
from evalcontract.formats.openai.export import (
    CONTENT,
    Keys,
    items_of,
    keys_of,
    root_of,
    template_of,
    text_of,
)
from evalcontract.model.diagnostic import Path
from evalcontract.model.values import is_text

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The name of the system, below `metadata`.
THEIRS = "openai"
# The key of an eval that preserves what stands beside the rows; a custom key, by its prefix.
_IN_EVAL = "x_evalcontract"
_NO_KEY = "an eval has no key for it"
_EDITED = "it was edited since; the eval has what it came from"
_DEFAULT_KEYS = Keys()


class ItemLens(Lens):
    """Keeps everything else of an item in `metadata.openai`, and of ours in its metadata.

    In JSON, an eval is around the items, whose criteria are rubrics and judges here.
    """

    nested_theirs = MappingProxyType({"item": {"expected": {}, "context": {}}, "sample": {}})
    nothing = (None, [], {}, "")
    deepest = 2
    run = "the run after the question is not among the messages that are asked"

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        self.ways.clear()  # keys of an item are those of a row by their types
        self._eval: Row = {}
        self._keys: Keys | None = None
        self._criteria: Criteria | None = None
        self._template: list[Row] = []
        self._target = EvalCriteria(has_root=self.medium == "json")
        #: What the row that is written keeps of its item, and whether the eval says its rubric.
        self._taken = Residual({}, [])
        self._is_graded = False

    def begin(self, file: ExternalFile) -> None:
        """Take the eval around the items."""
        self._eval = root_of(file)
        self._keys = keys_of(self._eval, _first_item(file, self._eval))
        self._criteria = Criteria(self._eval, self._keys, _items(items_of(self._eval)))
        self._template = template_of(self._eval)
        super().begin(file)

    def root_of(self, file: ExternalFile) -> Row:
        """Return the name of the eval, and all of it but its items."""
        if not self._eval:
            return {}
        if ours := mapping_at(self._eval, _IN_EVAL):
            return ours
        name = self._eval.get("name")
        label = {"label": name} if isinstance(name, str) and name else {}
        return {**label, "metadata": {THEIRS: {"eval": without_items(self._eval)}}}

    @property
    def losses(self) -> Sequence[Loss]:
        """The criteria that no check can express."""
        is_ours = bool(mapping_at(self._eval, _IN_EVAL))
        return () if is_ours or self._criteria is None else self._criteria.losses

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return the keys of the eval if what is beside the rows is lost."""
        if loss.path == ("label",):
            return [loss._replace(path=("name",))]
        if loss.path[:1] != ("metadata",):
            return [loss]
        keys = [key for key in self._eval if key not in ("name", "data_source")]
        paths = [*((key,) for key in keys), *_beside_items(self._eval)]
        return [loss._replace(path=path) for path in paths]

    def place_of(self, row: Row, index: int) -> At:
        names = (self._keys or Keys())._asdict().items()
        named = {name: key for name, key in names if key not in (name, None)}
        return At(index, hints={"keys": named} if named else {})

    def are_hints(self, hints: Row) -> bool:
        return hints.keys() <= {"keys"}

    def _keys_of(self, at: At) -> Keys:
        return self._keys or _keys_in(at.hints)

    def to_ours(self, row: Row, at: At) -> Row:
        ours = row_of_item(row, at.number, self._keys_of(at))
        if "messages" not in ours and len(self._template) > 1:
            asked = asked_messages(self._template, row["item"])
            ours |= {"messages": asked, "bundle": "agent"} if asked else {}
        if self._criteria and (values := self._criteria.list_of(row["item"])):
            ours.setdefault("must_contain_any", values)
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        return item_of_row(row, at.number, self._keys_of(at))

    def rubric_of(self, row: Row, at: At) -> ReadRubric:
        if self._criteria is None:
            return ReadRubric()
        rubric, judges, _ = self._criteria.rubric_of(row["item"])
        return ReadRubric(rubric, judges)

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield why a criterion does not grade the item as a check does."""
        reasons = self._criteria.rubric_of(row["item"])[2] if self._criteria else ()
        for reason in dict.fromkeys(reasons):
            yield Loss(("item",), reason, is_kept=True)

    def says(self, path: Path, row: Row, at: At) -> bool:
        return path == ("item", "id")

    def seen(self, row: Row) -> Row:
        """Return a row without what the eval around its item may say."""
        made = ("messages", "bundle", "must_contain_any", "checks")
        return {key: part for key, part in row.items() if key not in made}

    def taken(self, residual: Residual | None, at: At) -> tuple[Residual | None, list[Loss]]:
        self._taken = residual or Residual({}, [])
        return super().taken(residual, at)

    def _is_asked(self, at: At) -> bool:
        """Whether the eval that a row came from asks for its messages."""
        is_made = ["item", "messages"] in self._taken.absent and "messages" in at.row
        return is_made and self._target.asks(at.row["messages"], at.number)

    def settled(self, theirs: Row, at: At) -> Row:
        """Return an item with the messages that no eval asks for."""
        has_more = "messages" not in at.row or conversation_of(at.row).has_more
        if has_more or self._is_asked(at):
            return theirs
        return {**theirs, "item": {**theirs["item"], "messages": at.row["messages"]}}

    def remade(self, theirs: Row, at: At) -> Collection[str]:
        """Return what the item and the eval around it say of a row."""
        made = set()
        if self._is_asked(at):
            made |= {"messages", *(["bundle"] if at.row.get("bundle") == "agent" else [])}
        elif "messages" in theirs["item"]:
            made.add("messages")
        if self._is_list_of_criterion(at):
            made.add("must_contain_any")
        self._is_graded = at.rubric is not None and self._target.says(at.rubric, at.number)
        if self._is_graded:
            made |= {"rubric", *(["rubric_ref"] if self._target.has_made(at.number) else [])}
        return made

    def _is_list_of_criterion(self, at: At) -> bool:
        """Whether a criterion that compares with the reference made `must_contain_any`."""
        is_made = ["item", "must_contain_any"] in self._taken.absent
        is_reference = at.row.get("must_contain_any") == [reference_of(at.row)]
        return is_made and is_reference and bool(self._keys_of(at).reference)

    def is_said(self, path: Path, row: Row, at: At) -> bool:
        return path[0] in ("rubric", "rubric_ref") and self._is_graded

    def says_messages(self, row: Row, again: Row) -> bool:
        return False

    def wrap(self, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return the eval with its items, as it was exported or made from the rows."""
        if not self._target.has_root:
            return super().wrap(rows, root)
        metadata = mapping_at(root, "metadata")
        if known := mapping_at(metadata, THEIRS, "eval"):
            return self._restored(known, rows, root)
        value = {
            "name": str(root.get("label") or root.get("id") or "converted from evalcontract"),
            "data_source_config": {
                "type": "custom",
                "item_schema": item_schema(rows),
                "include_sample_schema": True,
            },
            "testing_criteria": self._target.criteria,
        }
        if root:
            value[_IN_EVAL] = root
        losses = [Loss((key,), _NO_KEY, is_kept=True) for key in root]
        return with_items(value, rows), [loss for loss in losses if loss.path != ("label",)]

    def _restored(self, known: Row, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return the eval that the rows were converted from."""
        value = {**known}
        if isinstance(root.get("label"), str):
            value["name"] = root["label"]
        free = {key: part for key, part in root.items() if key not in ("label", "metadata")}
        rest = {key: part for key, part in mapping_at(root, "metadata").items() if key != THEIRS}
        free |= {"metadata": rest} if rest else {}
        losses = [Loss((key,), _NO_KEY, is_kept=False) for key in free]
        items = [row["item"] for row in rows if row is not None]
        criteria = Criteria(known, keys_of(known, items[0] if items else None), items)
        given = [row and row["item"] for row in rows]
        edited = self._target.edited(criteria, template_of(known), given)
        losses += [Loss(("questions", 0, key), _EDITED, is_kept=False) for key in edited]
        return with_items(value, rows), losses


def without_items(root: Row) -> Row:
    """Return an eval without its items, everything else in its place."""
    if not isinstance(items_of(root), list):
        return root
    source = root["data_source"]
    inner = {key: part for key, part in source["source"].items() if key != CONTENT[-1]}
    return {**root, "data_source": {**source, "source": inner}}


def _beside_items(root: Row) -> Iterator[Path]:
    """Yield the keys of a data source that say something else than that it holds the items."""
    source = root.get("data_source")
    inner = source.get("source") if isinstance(source, dict) else None
    yield from (("data_source", key) for key in source or () if key not in ("type", "source"))
    for key in inner if isinstance(inner, dict) else ():
        if key not in ("type", CONTENT[-1]):
            yield ("data_source", "source", key)


def with_items(root: Row, rows: list[Any]) -> Row:
    """Return an eval with items, the inverse of `without_items`."""
    source = mapping_at(root, "data_source") or {"type": "jsonl"}
    inner = mapping_at(source, "source") or {"type": "file_content"}
    return {**root, "data_source": {**source, "source": {**inner, CONTENT[-1]: rows}}}


def _items(rows: Any) -> list[Any]:
    """Return the items of rows that may be malformed."""
    rows = rows if isinstance(rows, list) else []
    items = [row.get("item") for row in rows if isinstance(row, dict)]
    return [item for item in items if isinstance(item, dict)]


def _first_item(read: ExternalFile, root: Row) -> Any:
    rows = items_of(root) if root else read.peek()
    first = (rows[0] if rows else None) if isinstance(rows, list) else rows
    return first.get("item") if isinstance(first, dict) else None


def _keys_in(hints: Mapping[str, Any]) -> Keys:
    given = hints.get("keys")
    if not isinstance(given, dict) or not set(given) <= set(Keys._fields):
        return _DEFAULT_KEYS
    known = {key: part for key, part in given.items() if isinstance(part, str | None)}
    return Keys(**{**_DEFAULT_KEYS._asdict(), **known})


#: All other keys of a sample are context.
_KEYS = frozenset({"id", "input", "ideal", "completion", "metadata"})


class SampleLens(Lens):
    """Keeps everything else of a sample in `metadata.openai_samples`, and of ours in its metadata.

    A row may keep something of an item of a hosted eval, too.
    """

    kept_as = "openai_samples"
    quiet = frozenset({"id", "input"})
    nothing = ()
    run = "the run after the question is not among the messages that are asked"

    def to_ours(self, row: Row, at: At) -> Row:
        given = row["input"]
        question = last_question(given) if isinstance(given, list) else given
        is_asked = is_text(question)
        ours: Row = {"input": question if is_asked else text_of(given) or " "}
        if is_list_of(given, dict) and given and (len(given) > 1 or not is_asked):
            ours["messages"] = given
        ideal = row.get("ideal")
        if is_text(ideal):
            ours["expected"] = {"reference": ideal}
        elif is_list_of(ideal, str) and ideal and all(map(is_text, ideal)):
            ours["must_contain_any"] = ideal
        if context := {key: part for key, part in row.items() if key not in _KEYS}:
            ours["context"] = context
        if isinstance(row.get("completion"), str):
            ours["recorded_output"] = row["completion"]
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        said = conversation_of(row)
        theirs: Row = {"input": said.asked or [{"role": "user", "content": row.get("input")}]}
        alternatives = row.get("must_contain_any")
        if reference := reference_of(row):
            theirs["ideal"] = reference
        elif is_list_of(alternatives, str) and alternatives:
            theirs["ideal"] = alternatives
        answer = row.get("recorded_output", said.answer)
        if isinstance(answer, str):
            theirs["completion"] = answer
        if isinstance(context := row.get("context"), dict):
            theirs |= {key: part for key, part in context.items() if key not in _KEYS}
        return theirs
