"""What an artifact says, field by field, whatever its layout: its view, and the digest of that."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from functools import cache, lru_cache, partial
from hashlib import sha256
from types import MappingProxyType
from typing import Any

from evalcontract.model.diagnostic import Path
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import is_writable
from evalcontract.source.document import Document
from evalcontract.source.encoding import canonical, canonical_bytes
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import known_keys, load


class ChangeClass(IntEnum):
    """What a change does, from the least to the most; a higher one needs a higher version."""

    WORDING = 0
    ADDITIVE = 1
    BREAKING = 2

    @property
    def title(self) -> str:
        """Its name in messages and in the documentation."""
        return ("wording only", "additive", "score-breaking")[self]


#: The fields that are what an artifact is called, and no part of what it means.
IDENTITY = frozenset({"id", "version"})

_PATHS = {
    Kind.RUBRIC: {
        ChangeClass.WORDING: """
            $schema label description metadata
            checks[].label checks[].description checks[].metadata
        """,
        ChangeClass.ADDITIVE: "applicable_bundles checks[].id",
        ChangeClass.BREAKING: """
            checks checks[].kind checks[].values checks[].case_sensitive checks[].pattern
            checks[].flags checks[].match checks[].negate checks[].schema checks[].schema_ref
            checks[].extract checks[].on_no_code checks[].timeout_seconds checks[].min_headings
            checks[].max_heading_level checks[].required_sections checks[].forbidden_patterns
            checks[].min_code_blocks checks[].min_paragraphs checks[].no_h1
            checks[].expected_tools checks[].expected_tools[].name
            checks[].expected_tools[].arguments checks[].forbidden_tools checks[].order
            checks[].max_calls checks[].format checks[].max_chars checks[].required_keys
            checks[].facts checks[].min_recall checks[].judge_prompt_ref checks[].jury
            checks[].jury.judges checks[].jury.judges[].judge_prompt_ref
            checks[].jury.judges[].weight checks[].jury.aggregation checks[].jury.tie_break
            checks[].threshold checks[].rubric_ref
            scoring scoring.combine scoring.weights scoring.threshold
        """,
    },
    Kind.JUDGE: {
        ChangeClass.WORDING: """
            $schema label description metadata validation validation.tpr validation.tnr
            validation.validated_against validation.validated_at validation.sample_size
            validation.confusion_matrix validation.confusion_matrix.tp
            validation.confusion_matrix.fn validation.confusion_matrix.tn
            validation.confusion_matrix.fp validation.confidence_intervals
            validation.confidence_intervals.tpr validation.confidence_intervals.tpr.lower
            validation.confidence_intervals.tpr.upper validation.confidence_intervals.tpr.level
            validation.confidence_intervals.tpr.method validation.confidence_intervals.tnr
            validation.confidence_intervals.tnr.lower validation.confidence_intervals.tnr.upper
            validation.confidence_intervals.tnr.level validation.confidence_intervals.tnr.method
            validation.split validation.judge_version validation.template_sha256
            validation.model validation.model.provider validation.model.name
        """,
        ChangeClass.ADDITIVE: "applicable_to",
        ChangeClass.BREAKING: """
            template score_type level_names level_values min_score max_score pass_threshold
            model model.provider model.name
        """,
    },
    Kind.DATASET: {
        ChangeClass.WORDING: """
            $schema label description metadata questions[].tags questions[].metadata
        """,
        ChangeClass.ADDITIVE: "questions[].id",
        ChangeClass.BREAKING: """
            bundle questions questions[].input questions[].criteria questions[].expected
            questions[].expected.format questions[].expected.reference questions[].expected_facts
            questions[].expected_tools questions[].expected_tools[].name
            questions[].expected_tools[].arguments questions[].rubric_ref questions[].bundle
            questions[].must_contain_any questions[].must_not_contain questions[].context
        """,
    },
}

#: The class of each field, by kind and the path of the field; `[]` stands for an item of a list.
FIELDS: Mapping[Kind, Mapping[str, ChangeClass]] = MappingProxyType(
    {
        kind: {path: rank for rank, paths in classes.items() for path in paths.split()}
        for kind, classes in _PATHS.items()
    }
)

#: The lists whose order makes no difference to any score.
UNORDERED = frozenset(
    {
        *("applicable_bundles", "applicable_to", "checks[].values", "checks[].flags"),
        *("checks[].required_sections", "checks[].forbidden_patterns", "checks[].forbidden_tools"),
        *("checks[].required_keys", "questions[].must_contain_any"),
        *("questions[].must_not_contain", "questions[].tags"),
    }
)


def class_of(kind: Kind, field: str) -> ChangeClass:
    """Return the class of a field, which is that of the nearest field above it that has one.

    A key that the contract does not know may be read by somebody: a change of it counts as
    score-breaking.
    """
    fields = FIELDS.get(kind, {})
    while field and field not in fields:
        field = field[:-2] if field.endswith("[]") else field.rpartition(".")[0]
    return fields.get(field, ChangeClass.BREAKING)


#: The name of an item that shares it with others: what it is called, and its number.
NUMBERED = lazy_pattern(r"(?s)(.*)#[0-9]+")
#: The lists whose items are told apart by name, with the keys of the name: the first that is there.
_NAMED_BY = {"checks": ("id", "kind"), "questions": ("id",)}
#: The combinations that read weights, and those that read no threshold.
_WEIGHTED, _BOOLEAN = "weighted_avg", ("all_pass", "any_pass")


class Leaf(NamedTuple):
    """One field of an artifact.

    `path` leads to it in the file, `field` is its path in the table of fields. `value` is in normal
    form: equal for all ways to write the same.
    """

    path: Path
    field: str
    value: Any
    rank: ChangeClass


#: The fields of an artifact, or of one of its checks or rows, by the path of keys below it.
Leaves = dict[str, Leaf]


class Item(NamedTuple):
    """A check of a rubric, or a row of a dataset: what it is called, its place and its fields.

    `base` is its id, or else its kind; `name` also has a number where it may be that of several.
    """

    name: str
    base: str
    path: Path
    leaves: Leaves

    @property
    def values(self) -> dict[str, Any]:
        """The values of its fields, except for those that are wording only."""
        return {
            name: leaf.value
            for name, leaf in self.leaves.items()
            if leaf.rank > ChangeClass.WORDING
        }


class View(NamedTuple):
    """The fields of an artifact, and its items by name. An item is a check or a row.

    Items with the same name are told apart by a number, in the order of what they say.
    """

    kind: Kind
    leaves: Leaves
    items: dict[str, Item]

    def flat(self) -> Iterator[tuple[str, Leaf]]:
        """Yield all fields, each with its full name, such as `checks.tone.values`."""
        yield from self.leaves.items()
        for item in self.items.values():
            above = f"{item.path[0]}.{_step(item.name)}"
            for name, leaf in item.leaves.items():
                yield f"{above}.{name}", leaf

    @property
    def digest(self) -> str:
        """The SHA-256 of the meaning, in hexadecimal: of every field that is not wording only."""
        counted = {
            name: leaf.value for name, leaf in self.flat() if leaf.rank > ChangeClass.WORDING
        }
        return sha256(canonical_bytes(counted)).hexdigest()


def _step(key: str) -> str:
    """Return a key as a part of a name: in quotes, if it could be taken for several parts."""
    return json.dumps(key) if "." in key or key.startswith('"') else key


def digest_of_json(value: Any) -> str:
    """Return the SHA-256 of any JSON value, whatever its layout: of a bundle or another schema."""
    return sha256(canonical_bytes(plain(value))).hexdigest()


def view_of(kind: Kind, value: Any) -> View:
    """Return the view of a rubric, a judge or a dataset, which may have faults."""
    root = load(kind)
    if not isinstance(value, dict):
        return View(kind, {"": Leaf((), "", plain(value), ChangeClass.BREAKING)}, {})
    top = {key: part for key, part in value.items() if key not in IDENTITY}
    own = known_keys(root, value, root)  # a judge may have `checks` that are nobody's
    lists = [key for key in _NAMED_BY if key in own and _is_of_mappings(top.get(key))]
    named = {key: top.pop(key) for key in lists}
    if kind is Kind.RUBRIC:
        top = _as_scored(top)
    reader = reader_of(kind)
    leaves = reader.leaves(top, root, path=(), above="")
    if "questions" in named:  # a row has it, if it has none of its own
        leaves.pop("bundle", None)
    weights = leaves.pop("scoring.weights", None)
    items: dict[str, Item] = {}
    for key, parts in named.items():
        schema = reader.item_schema(key)
        found = [reader.item(part, schema, path=(key, index)) for index, part in enumerate(parts)]
        for item in _told_apart(found):
            items[item.name] = item
    if weights is not None:
        _add_weights(weights, items, leaves)
    if "questions" in named and isinstance(value.get("bundle"), str):
        default = Leaf(("bundle",), "questions[].bundle", value["bundle"], ChangeClass.BREAKING)
        for item in items.values():
            item.leaves.setdefault("bundle", default)
    return View(kind, leaves, items)


# Views of so many files are remembered, by their content.
_MOST_VIEWS = 4096
_VIEWS: dict[tuple[Kind, str, str], tuple[View, str]] = {}


def view_and_digest(kind: Kind, document: Document) -> tuple[View, str]:
    """Return the view of a file and its digest, made once while the file has the same content."""
    key = kind, document.file, document.sha256
    if key not in _VIEWS:
        if len(_VIEWS) >= _MOST_VIEWS:
            _VIEWS.clear()
        view = view_of(kind, document.value)
        _VIEWS[key] = view, view.digest
    return _VIEWS[key]


def _is_of_mappings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(part, dict) for part in value)


def _as_scored(rubric: dict[str, Any]) -> dict[str, Any]:
    """Return a rubric without the parts of `scoring` that its combination does not read."""
    scoring = rubric.get("scoring")
    if not isinstance(scoring, dict):
        return rubric
    combine = scoring.get("combine")
    unread = set()
    if combine != _WEIGHTED and combine is not None:
        unread.add("weights")
    if combine in _BOOLEAN:
        unread.add("threshold")
    if not unread:
        return rubric
    return {**rubric, "scoring": {key: part for key, part in scoring.items() if key not in unread}}


def _add_weights(weights: Leaf, items: dict[str, Item], leaves: Leaves) -> None:
    """Give each check its weight; 1 is that of a check without one."""
    rest = {}
    for name, weight in weights.value.items() if isinstance(weights.value, dict) else ():
        item = items.get(name)
        if item is None:
            rest[name] = weight
        elif weight != 1:
            item.leaves["weight"] = weights._replace(path=(*weights.path, name), value=weight)
    if rest or not isinstance(weights.value, dict):
        leaves["scoring.weights"] = weights._replace(value=rest or weights.value)


#: Describes nothing: anything may have it.
NOTHING: Schema = {}
#: Authors may write any number of kinds that there are not.
_REMEMBERED = 1000


class KnownField:
    """What is known of a key of mappings: its full name, and what its values are.

    `keys` are the path to it below the artifact, the check or the row; `field` is its path in the
    table of fields. `schema` describes its values, `default` is what they are without the key, in
    normal form. A container has fields of its own. `keeps_texts` says that a text, and a list of
    texts, is in normal form as it is.
    """

    __slots__ = (
        *(
            "default",
            "field",
            "is_container",
            "is_reference",
            "is_wording",
            "keeps_texts",
            "keys",
            "name",
        ),
        *("rank", "schema"),
    )

    def __init__(
        self, name: str, keys: Path, field: str, *, schema: Schema, default: Any, kind: Kind
    ) -> None:
        self.name = name
        self.keys = keys
        self.field = field
        self.schema = schema
        self.default = default
        self.rank = class_of(kind, field)
        self.is_wording = self.rank is ChangeClass.WORDING
        self.is_container = field in _containers(kind)
        self.is_reference = field.endswith("_ref") and default is NOTHING
        is_as_written = default is NOTHING and field not in UNORDERED
        self.keeps_texts = is_as_written and not self.is_reference


class _Fields(dict[str, KnownField]):
    """What is known of the keys of mappings that are described alike; each is made when met."""

    def __init__(
        self, known: Mapping[str, Schema], make: Callable[[str, Schema], KnownField]
    ) -> None:
        super().__init__()
        self._known = known
        self._make = make

    def __missing__(self, key: str) -> KnownField:
        field = self._make(key, self._known.get(key, NOTHING))
        if len(self) < _REMEMBERED:
            self[key] = field
        return field


class _Place:
    """The mappings that one schema describes in one place, such as the rows of a dataset."""

    def __init__(
        self, schema: Schema, root: Schema, make: Callable[[str, Schema], KnownField]
    ) -> None:
        self._schema = schema
        self._root = root
        self._make = make
        conditions = (part.get("if", {}) for part in schema.get("allOf", ()))
        named = (condition.get("properties", ()) for condition in conditions)
        self._names = tuple(sorted({name for names in named for name in names}))
        self._by_marks: dict[tuple[Any, ...], _Fields] = {}

    def fields_of(self, value: dict[str, Any]) -> _Fields:
        """Return what is known of the keys of a value."""
        marks = tuple([value.get(name) for name in self._names])
        if any(isinstance(mark, dict | list | bool) for mark in marks):
            return self._describe(value)
        fields = self._by_marks.get(marks)
        if fields is None:
            fields = self._describe(value)
            if len(self._by_marks) < _REMEMBERED:
                self._by_marks[marks] = fields
        return fields

    def _describe(self, value: dict[str, Any]) -> _Fields:
        known = known_keys(self._schema, value, self._root) if self._schema else NOTHING
        return _Fields(known, self._make)


class FieldReader:
    """Reads the fields of values by the schema of a kind."""

    def __init__(self, kind: Kind, root: Schema) -> None:
        self._kind = kind
        self._root = root
        # By the `id()` of schemas, each of which is kept, so that no other one gets its `id()`.
        self._followed: dict[int, tuple[Schema, Schema]] = {}
        self._places: dict[tuple[int, str, str], _Place] = {}

    def follow(self, schema: Schema) -> Schema:
        """Return what `structure.parts.follow` does, the same object for the same schema."""
        if not schema:
            return NOTHING
        key = id(schema)
        if key not in self._followed:
            self._followed[key] = schema, follow(schema, self._root)
        return self._followed[key][1]

    def item_schema(self, key: str) -> Schema:
        """Return the schema of the checks or the rows."""
        return self.follow(self.follow(self._root)["properties"][key]["items"])

    def item(self, part: dict[str, Any], schema: Schema, path: Path) -> Item:
        """Return a check or a row; one that has no name is called by its kind."""
        key = str(path[0])
        name = next((part[k] for k in _NAMED_BY[key] if isinstance(part.get(k), str)), "?")
        own = {k: v for k, v in part.items() if k != "id"}
        return Item(name, name, path, self.leaves(own, schema, path=path, above=f"{key}[]"))

    def leaves(self, value: dict[str, Any], schema: Schema, path: Path, above: str) -> Leaves:
        """Return the fields of a mapping that are not as they are by default, by name."""
        return {
            field.name: Leaf((*path, *field.keys), field.field, normal, field.rank)
            for field, normal in self.fields(value, schema, above)
        }

    def fields(
        self, value: dict[str, Any], schema: Schema, above: str, of: KnownField | None = None
    ) -> Iterator[tuple[KnownField, Any]]:
        """Yield the fields of a mapping that are not as they are by default, in normal form.

        `of` is the field that the mapping is, if it is one.
        """
        known = self.known_fields(value, schema, above, of)
        for key, part in value.items():
            yield from self.of_field(known[key], part)

    def known_fields(
        self, value: dict[str, Any], schema: Schema, above: str, of: KnownField | None = None
    ) -> Mapping[str, KnownField]:
        """Return what is known of the keys of a mapping, and of any other; see `fields`."""
        where = id(schema), above, of.name if of else ""
        place = self._places.get(where)
        if place is None:
            make = partial(self._field, above=above, of=of)
            place = self._places[where] = _Place(schema, self._root, make)
        return place.fields_of(value)

    def of_field(self, field: KnownField, value: Any) -> Iterator[tuple[KnownField, Any]]:
        """Yield what `fields` does of one value."""
        if field.is_container and value and isinstance(value, dict):
            yield from self.fields(value, field.schema, field.field, field)
            return
        normal = self._normal(value, field.schema, field.field)
        if field.default is NOTHING or normal != field.default:
            yield field, normal

    def _field(self, key: str, schema: Schema, *, above: str, of: KnownField | None) -> KnownField:
        inner, step = self.follow(schema), _step(key)
        if step == "weight" and above == "checks[]":  # which no check has: see `_add_weights`
            step = '"weight"'
        field = f"{above}.{step}" if above else step
        default = inner.get("default", NOTHING)
        return KnownField(
            f"{of.name}.{step}" if of else step,
            (*(of.keys if of else ()), key),
            field,
            schema=inner,
            default=default if default is NOTHING else self._normal(default, NOTHING, field),
            kind=self._kind,
        )

    def _normal(self, value: Any, schema: Schema, field: str) -> Any:
        """Return a value in normal form, without what is as it is by default."""
        if isinstance(value, str):
            return normal_reference(value) if field.endswith("_ref") else value
        if isinstance(value, list):
            items, inner = self.follow(schema.get("items", NOTHING)), f"{field}[]"
            parts = [self._normal(part, items, inner) for part in value]
            return sorted(parts, key=canonical) if field in UNORDERED else parts
        if isinstance(value, dict):
            if not schema.get("properties"):
                return plain(value)
            fields = self.fields(value, schema, above=field)
            return {inside.name: normal for inside, normal in fields}
        return plain(value)


@lru_cache(maxsize=4096)  # thousands of rows have the same few
def normal_reference(text: str) -> str:
    """Return a reference as all ways to write it are read; any other text as it is."""
    reference = Reference.parse(text)
    return text if reference is None else str(reference)


@cache
def reader_of(kind: Kind) -> FieldReader:
    """Return the reader of the fields of a kind."""
    return FieldReader(kind, load(kind))


@cache
def _containers(kind: Kind) -> frozenset[str]:
    """Return the fields of a kind that have fields of their own, whose values are mappings."""
    fields: Mapping[str, Any] = FIELDS.get(kind, {})
    return frozenset(
        field.rpartition(".")[0] for field in fields if "." in field and not field.endswith("]")
    ) - {"checks[]", "questions[]"}


def plain(value: Any) -> Any:
    """Return a value in which numbers that are equal are the same: 1.0 is 1."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if value.__class__ is int and not is_writable(value):
        return f"{value:#x}"
    if isinstance(value, list):
        return [plain(part) for part in value]
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    return value


def _told_apart(items: list[Item]) -> Iterator[Item]:
    """Yield items, those with the same name by a number, in the order of what they say.

    A name that looks like one with a number gets a number, too: `a#1` is never both.
    """
    by_name: dict[str, list[Item]] = {}
    for item in items:
        by_name.setdefault(item.base, []).append(item)
    # The lock has checks by their names alone; only rows may do without a number.
    is_certain = all(item.path[0] == "questions" for item in items) and len(by_name) == len(items)
    for name, same in by_name.items():
        if len(same) == 1 and (is_certain or not NUMBERED.fullmatch(name)):
            yield same[0]
            continue
        ordered = sorted(same, key=lambda item: canonical(item.values))
        for number, item in enumerate(ordered, 1):
            yield item._replace(name=f"{name}#{number}")
