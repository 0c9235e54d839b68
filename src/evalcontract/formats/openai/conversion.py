"""Convert items of hosted evals to rows of evalcontract and back, and say what that loses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import (
    BUNDLES,
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    conversation_of,
    reference_of,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._findings import mapping_at
from evalcontract.formats._residual import (
    Form,
    Residual,
    ResidualPlace,
    difference,
    is_row,
    restored,
)
from evalcontract.formats.openai.export import (
    CONTENT,
    Keys,
    items_of,
    keys_of,
    root_of,
    template_of,
)
from evalcontract.formats.openai.fields import FIELDS, HOSTED, NOT_SAID
from evalcontract.formats.openai.mapping import (
    EvalCriteria,
    asked_messages,
    item_of_row,
    item_schema,
    row_of_item,
)
from evalcontract.formats.openai.rubrics import Criteria
from evalcontract.model.diagnostic import Path

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The name of the system, below `metadata`.
THEIRS = "openai"
_RUN = "the run after the question is not among the messages that are asked"
# The mappings of a row that are compared key by key.
NESTED: dict[str, Any] = {"expected": {}, "context": {}}
NESTED_ITEM: dict[str, Any] = {"item": {"expected": {}, "context": {}}, "sample": {}}
FORM = Form("set", "absent")
_KEYS = frozenset({"set", "absent", "keys", "_metadata"})
IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
IN_OURS = ResidualPlace("metadata", THEIRS, "_metadata")


def is_kept(kept: dict[str, Any]) -> bool:
    """Whether a conversion can have written a mapping."""
    return kept.keys() <= _KEYS and FORM.fits(kept) and kept.get("set") != {}


def _losses_of_row(residual: Residual) -> Iterator[Loss]:
    """Yield the losses of a row that an item does not represent."""
    for key, part in residual.set.items():
        if key == "metadata" or (key == "bundle" and part in BUNDLES):
            continue
        if key == "messages":
            yield Loss((key,), _RUN, is_kept=True)
        elif key in ("expected", "context") and isinstance(part, dict) and part:
            for name in part:
                reason = reason_against(FIELDS, (key, name), HOSTED)
                yield Loss((key, name), reason, is_kept=True)
        else:
            yield Loss((key,), reason_against(FIELDS, (key,), HOSTED), is_kept=True)


# The key of an eval that preserves what stands beside the rows; a custom key, by its prefix.
_IN_EVAL = "x_evalcontract"
_NO_KEY = "an eval has no key for it"
_EDITED = "it was edited since; the eval has what it came from"
_DEFAULT_KEYS = Keys()


class ItemReader(Reader):
    """Converts the items of hosted evals; criteria become rubrics and judges."""

    def __init__(self, read: ExternalFile) -> None:
        self._eval = root_of(read)
        self._keys = keys_of(self._eval, _first_item(read, self._eval))
        self._criteria = Criteria(self._eval, self._keys, _items(items_of(self._eval)))
        self._template = template_of(self._eval)

    @property
    def root(self) -> dict[str, Any]:
        """The name of the eval, and all of it but its items."""
        if not self._eval:
            return {}
        ours = mapping_at(self._eval, _IN_EVAL)
        if ours:
            return ours
        name = self._eval.get("name")
        label = {"label": name} if isinstance(name, str) and name else {}
        return {**label, "metadata": {THEIRS: {"eval": without_items(self._eval)}}}

    @property
    def losses(self) -> Sequence[Loss]:
        """The criteria that no check can express."""
        return () if mapping_at(self._eval, _IN_EVAL) else self._criteria.losses

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return the keys of the eval if what is beside the rows is lost."""
        if loss.path == ("label",):
            return [loss._replace(path=("name",))]
        if loss.path[:1] != ("metadata",):
            return [loss]
        keys = [key for key in self._eval if key not in ("name", "data_source")]
        return [loss._replace(path=(key,)) for key in keys]

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid item; a foreign value in place of the residual is ordinary data."""
        bare, kept = IN_THEIRS.split(row, is_kept)
        ours = FORM.applied(row_of_item(bare, index, self._keys), kept, NESTED)
        if not is_row(ours):
            bare, kept, ours = row, None, row_of_item(row, index, self._keys)
        if "messages" not in ours and kept is None and len(self._template) > 1:
            asked = asked_messages(self._template, bare["item"])
            ours |= {"messages": asked, "bundle": "agent"} if asked else {}
        if kept is None and (values := self._criteria.list_of(bare["item"])):
            ours.setdefault("must_contain_any", values)
        residual = difference(item_of_row(ours, index, self._keys), bare, NESTED_ITEM)
        losses = [
            Loss(path, reason_for(FIELDS, path, HOSTED), is_kept=True)
            for path in _lost_of_item(residual, bare)
        ]
        written = FORM.written(residual)
        names = self._keys._asdict().items()
        if named := {name: key for name, key in names if key not in (name, None)}:
            written["keys"] = named
        ours = IN_OURS.joined(ours, written)
        if kept is not None and not {"rubric", "rubric_ref"}.isdisjoint(ours):
            return OurRow(ours, None, tuple(losses))
        rubric, judges, reasons = self._criteria.rubric_of(bare["item"])
        losses += [Loss(("item",), reason, is_kept=True) for reason in dict.fromkeys(reasons)]
        return OurRow(ours, rubric, tuple(losses), judges)


class ItemWriter(Writer):
    """Writes items; in JSON with an eval around them."""

    def __init__(self, medium: str) -> None:
        self._target = EvalCriteria(has_root=medium == "json")

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row, which preserves in `metadata` what an item has no place for."""
        bare, kept = IN_OURS.split(row, is_kept)
        keys = _keys_in(kept)
        theirs = item_of_row(bare, index, keys)
        if preserved := FORM.read(kept or {}):
            theirs = restored(
                theirs,
                preserved,
                NESTED_ITEM,
                _without_asked(bare),
                lambda each: _without_asked(row_of_item(each, index, keys)),
            )
        residual = difference(row_of_item(theirs, index, keys), bare, NESTED)
        said = bare.get("rubric", rubric)
        if self._is_asked(bare, kept, index):
            residual.set.pop("messages", None)
            if residual.set.get("bundle") == "agent":
                del residual.set["bundle"]
        elif "messages" in bare and not conversation_of(bare).has_more:
            theirs["item"]["messages"] = bare["messages"]
            residual.set.pop("messages", None)
        if _is_list_of_criterion(bare, kept, keys):
            residual.set.pop("must_contain_any", None)
        losses = [*_losses_of_row(residual)]
        if said is not None:
            where = ("rubric",) if "rubric" in bare else ("rubric_ref",)
            losses = [loss for loss in losses if loss.path != where]
            if self._target.says(said, index):
                residual.set.pop("rubric", None)
                if self._target.has_made(index):
                    residual.set.pop("rubric_ref", None)
            else:
                losses.append(Loss(where, NOT_SAID, is_kept=True))
        whole = IN_THEIRS.joined(theirs, FORM.written(residual))
        return TheirRow(whole, tuple(losses))

    def _is_asked(self, row: dict[str, Any], kept: dict[str, Any] | None, index: int) -> bool:
        """Whether the eval that a row came from asks for its messages."""
        residual = FORM.read(kept or {})
        is_made = residual is not None and ["item", "messages"] in residual.absent
        return is_made and "messages" in row and self._target.asks(row["messages"], index)

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
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

    def _restored(
        self, known: dict[str, Any], rows: list[Any], root: dict[str, Any]
    ) -> tuple[Any, Sequence[Loss]]:
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


def _without_asked(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row without what the eval of its item may have made."""
    made = ("messages", "bundle", "must_contain_any")
    return {key: part for key, part in row.items() if key not in made}


def without_items(root: dict[str, Any]) -> dict[str, Any]:
    """Return an eval without its items, everything else in its place."""
    if not isinstance(items_of(root), list):
        return root
    source = root["data_source"]
    inner = {key: part for key, part in source["source"].items() if key != CONTENT[-1]}
    return {**root, "data_source": {**source, "source": inner}}


def with_items(root: dict[str, Any], rows: list[Any]) -> dict[str, Any]:
    """Return an eval with items, the inverse of `without_items`."""
    source = mapping_at(root, "data_source") or {"type": "jsonl"}
    inner = mapping_at(source, "source") or {"type": "file_content"}
    return {**root, "data_source": {**source, "source": {**inner, CONTENT[-1]: rows}}}


def _is_list_of_criterion(row: dict[str, Any], kept: dict[str, Any] | None, keys: Keys) -> bool:
    """Whether a criterion that compares with the reference made `must_contain_any` of a row."""
    residual = FORM.read(kept or {})
    is_made = residual is not None and ["item", "must_contain_any"] in residual.absent
    return is_made and row.get("must_contain_any") == [reference_of(row)] and bool(keys.reference)


def _items(rows: Any) -> list[Any]:
    """Return the items of rows that may be malformed."""
    rows = rows if isinstance(rows, list) else []
    items = [row.get("item") for row in rows if isinstance(row, dict)]
    return [item for item in items if isinstance(item, dict)]


def _first_item(read: ExternalFile, root: dict[str, Any]) -> Any:
    rows = items_of(root) if root else read.peek()
    first = (rows[0] if rows else None) if isinstance(rows, list) else rows
    return first.get("item") if isinstance(first, dict) else None


def _keys_in(kept: dict[str, Any] | None) -> Keys:
    given = (kept or {}).get("keys")
    if not isinstance(given, dict) or not set(given) <= set(Keys._fields):
        return _DEFAULT_KEYS
    known = {key: part for key, part in given.items() if isinstance(part, str | None)}
    return Keys(**{**_DEFAULT_KEYS._asdict(), **known})


def _lost_of_item(residual: Residual, row: dict[str, Any]) -> Iterator[Path]:
    """Yield what a row of evalcontract does not hold of an item."""
    for key, part in residual.set.items():
        if row.get(key) in (None, {}, []) or key == "metadata":
            continue
        if key not in ("item", "sample") or not isinstance(part, dict):
            yield (key,)
            continue
        for name, value in part.items():
            if value in (None, [], {}, "") or name == "id":
                continue
            yield (key, name)
