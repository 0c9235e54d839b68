"""Testing criteria as checks of a rubric and its judges, and items as rows, in both directions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeAlias

from evalcontract.formats._conversion import (
    Loss,
    conversation_of,
    default_id,
    escaped,
    last_question,
    own_expectations,
    reference_of,
    text_matched_by,
    with_bundle,
)
from evalcontract.formats._findings import is_list_of, mapping_at
from evalcontract.formats._residual import is_row
from evalcontract.formats.openai.export import (
    MAX_CRITERIA,
    OUTPUT,
    SAME,
    Keys,
    criteria_of,
    filled,
    is_output,
    is_well_formed,
    message_texts,
    text_of,
    translated,
    variables,
    whole,
)
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import is_text, json_equal

if TYPE_CHECKING:
    from collections.abc import Callable

    #: Says the check of a criterion on an item, or why there is none.
    _Sayer: TypeAlias = Callable[[dict[str, Any]], "CriterionCheck | str"]

#: Into how many different rubrics criteria are converted.
MAX_RUBRICS = 200
_VERSION = "1.0.0"
_MALFORMED = "the criterion is malformed"
_TOO_MANY = f"only {MAX_CRITERIA} criteria are converted"
_TOO_MANY_TEXTS = f"it compares with more than {MAX_RUBRICS} texts, each of which needs a rubric"
_NOT_OUTPUT = "a check looks at the output, and this criterion at something else"
_NO_METRIC = "no check of evalcontract computes `{}`"
_NO_CODE = "no check of evalcontract runs code"
_UNREAD = "the template never reads the output, so that no judge could grade it"
_NO_NAME = "the template reads what a judge is not given"
_EMPTY = "every output contains an empty text"
_NO_SCALE = "no judge has such a scale: every answer passes, or none does"
_CONTAINS = ("like", "ilike")
_LIST = "must_contain_any"


class CriterionCheck(NamedTuple):
    """A criterion as a check, and the judge that it asks, if any."""

    check: dict[str, Any]
    judge: dict[str, Any] | None = None


class Criteria:
    """The testing criteria of an eval, as rubrics of its items.

    `losses` are the criteria that no check can express; they are complete at once, but for those
    that depend on an item.
    """

    def __init__(self, root: dict[str, Any], keys: Keys, items: list[Any]) -> None:
        self._keys = keys
        self._key_of_list: str | None = None
        self._has_lists = any(_LIST in item for item in items)
        self._ids: set[str] = set()
        self._sayers: list[_Sayer] = []
        self._lost: dict[int, str] = {}
        compared = []
        for index, criterion in criteria_of(root):
            sayer = _TOO_MANY if len(self._sayers) >= MAX_CRITERIA else self._sayer(criterion)
            if not isinstance(sayer, str) and self._differs(criterion):
                compared.append((index, criterion["reference"], sayer))
            if isinstance(sayer, str):
                self._lost[index] = sayer
            else:
                self._sayers.append(sayer)
        texts = {tuple(filled(text, each) for _, text, _ in compared) for each in items}
        if len(texts) > MAX_RUBRICS:
            self._lost |= {index: _TOO_MANY_TEXTS for index, *_ in compared}
            lost = [sayer for *_, sayer in compared]
            self._sayers = [each for each in self._sayers if each not in lost]

    def list_of(self, item: dict[str, Any]) -> list[str]:
        """Return `must_contain_any` of the row of an item; empty if no check finds it there."""
        value = item.get(self._key_of_list) if self._key_of_list is not None else None
        return [text_of(value)] if value not in (None, "") else []

    @property
    def losses(self) -> list[Loss]:
        """The criteria that are lost in every row."""
        return [
            Loss(("testing_criteria", index), reason, is_kept=True)
            for index, reason in self._lost.items()
        ]

    def rubric_of(
        self, item: dict[str, Any]
    ) -> tuple[dict[str, Any] | None, tuple[dict[str, Any], ...], list[str]]:
        """Return the rubric of an item, its judges, and why criteria do not apply to it."""
        statements = [each(item) for each in self._sayers]
        reasons = [each for each in statements if isinstance(each, str)]
        parts = [each for each in statements if not isinstance(each, str)]
        if not parts:
            return None, (), reasons
        rubric = {
            "checks": [each.check for each in parts],
            "scoring": {"combine": "all_pass"},
            "metadata": {"made_from": "openai"},
        }
        return rubric, tuple(each.judge for each in parts if each.judge), reasons

    def _differs(self, criterion: dict[str, Any]) -> bool:
        """Whether the check of a criterion differs from item to item."""
        text = criterion.get("reference", "")
        is_in_row = self._key_of_list is not None and whole(text) == ("item", self._key_of_list)
        is_searched = criterion.get("operation") in _CONTAINS
        return bool(variables(text)) and not (is_in_row and is_searched)

    def _sayer(self, criterion: dict[str, Any]) -> _Sayer | str:
        if not is_well_formed(criterion):
            return _MALFORMED
        match criterion.get("type"):
            case "string_check":
                return self._comparison(criterion)
            case "text_similarity":
                return _NO_METRIC.format(criterion.get("evaluation_metric"))
            case "label_model" | "score_model":
                return self._question_of(criterion)
        return _NO_CODE

    def _comparison(self, criterion: dict[str, Any]) -> _Sayer | str:
        given, reference = criterion["input"], criterion["reference"]
        operation = criterion["operation"]
        if operation in ("eq", "ne") and is_output(reference, self._keys):
            given, reference = reference, given
        if not is_output(given, self._keys) or _reads_sample(reference):
            return _NOT_OUTPUT
        if not reference and operation in _CONTAINS:
            return _EMPTY
        head = self._head(criterion)
        path = whole(reference)
        is_key = len(path) == 2 and path[1] not in SAME and not self._has_lists  # noqa: PLR2004
        if operation in _CONTAINS and is_key:
            self._key_of_list = self._key_of_list or path[1]
        is_in_row = operation in _CONTAINS and is_key and path[1] == self._key_of_list

        def say(item: dict[str, Any]) -> CriterionCheck | str:
            text = filled(reference, item)
            if text is None:
                return f"the item lacks what `{head['label']}` compares with"
            if not text and operation in _CONTAINS:
                return _EMPTY
            check = {**head, **_compared(operation, text)}
            if is_in_row:
                del check["values"]
            return CriterionCheck(check)

        return say

    def _question_of(self, criterion: dict[str, Any]) -> _Sayer | str:
        template = template_text(criterion["input"], self._keys)
        if template is None:
            return _NO_NAME
        if "{{ output }}" not in template:
            return _UNREAD
        scale = _scale(criterion)
        if scale is None:
            return _NO_SCALE
        head = self._head(criterion)
        model = {"provider": "openai", "name": criterion["model"]}
        judge = {"id": head["id"], "version": _VERSION, "label": head["label"], **scale}
        judge |= {"model": model} if criterion["model"] else {}
        judge["template"] = template
        reference = f"judge/{head['id']}@{_VERSION}"
        check = {**head, "kind": "llm_judge", "judge_prompt_ref": reference}
        return lambda _: CriterionCheck(check, judge)

    def _head(self, criterion: dict[str, Any]) -> dict[str, Any]:
        """Return the id and the label of a check."""
        name = re.sub(r"[^a-z0-9]+", "_", criterion["name"].lower()).strip("_")[:60].strip("_")
        name = name if name[:1].isalpha() else f"criterion_{name}".strip("_")
        id_, number = name, 1
        while id_ in self._ids:  # as often as there are criteria
            number += 1
            id_ = f"{name}_{number}"
        self._ids.add(id_)
        return {"id": id_, "label": criterion["name"] or id_}


def template_text(messages: list[Any], keys: Keys) -> str | None:
    """Return the messages that a model is asked as one template of a judge; None if it has none."""
    texts = [*message_texts(messages)]
    if len({path[0] for path, _ in texts}) < len(messages) or len(texts) > len(messages):
        return None  # an image, a sound, or several parts
    pieces = [translated(text, lambda path: _name(path, keys)) for _, text in texts]
    if any(text is None for text in pieces) or not pieces:
        return None
    if len(pieces) == 1:
        return pieces[0]
    roles = [str(message.get("role")) for message in messages]
    return "\n\n".join(f"[{role}]\n{text}" for role, text in zip(roles, pieces, strict=True))


def _name(path: tuple[str, ...], keys: Keys) -> str | None:
    """Return the variable of a judge that means the same as one of a criterion."""
    if path == OUTPUT:
        return "output"
    if path[0] != "item":
        return None
    own = {keys.output: "output", keys.reference: "expected.reference", keys.input: "input"}
    if path[1] in own:
        return own[path[1]] if len(path) == 2 else None  # noqa: PLR2004
    if path[1] in (*SAME, "id"):
        return "criteria" if path == ("item", "criteria") else None
    return ".".join(path[1:] if path[1] == "expected" else ("context", *path[1:]))


def _compared(operation: str, text: str) -> dict[str, Any]:
    if operation in _CONTAINS:
        case = {"case_sensitive": True} if operation == "like" else {}
        return {"kind": "must_contain_any", "values": [text], **case}
    pattern = escaped(text) or "^$"
    negate = {"negate": True} if operation == "ne" else {}
    return {"kind": "regex", "pattern": pattern, "match": "full", **negate}


def _scale(criterion: dict[str, Any]) -> dict[str, Any] | None:
    """Return the scale of the judge that a criterion asks; None if a judge cannot have it."""
    if criterion["type"] == "score_model":
        low, high = (criterion.get("range") or [0, 1])[:2]
        threshold = criterion.get("pass_threshold")
        if not low < high or not (threshold is None or low <= threshold <= high):
            return None
        ends = {"min_score": low, "max_score": high}
        passing = {} if threshold is None else {"pass_threshold": threshold}
        return {"score_type": "continuous", **ends, **passing}
    labels = [*dict.fromkeys(label for label in criterion["labels"] if label)]
    passing_labels = set(criterion["passing_labels"])
    ordered = sorted(labels, key=lambda label: label in passing_labels)
    failing = sum(label not in passing_labels for label in ordered)
    if not 0 < failing < len(ordered):
        return None
    # Levels are evenly spaced from 0 to 1.
    first = failing / (len(ordered) - 1)
    return {"score_type": "levels", "level_names": ordered, "pass_threshold": first}


def _reads_sample(text: str) -> bool:
    return any(each.path[:1] != ("item",) for each in variables(text))


_ITEM_KEYS = frozenset({"id", "expected", "context", *SAME})
_MAPPINGS = ("expected_tools", "expected_documents", "retrieved_documents", "messages")


def row_of_item(row: dict[str, Any], index: int, keys: Keys) -> dict[str, Any]:
    """Convert an item and its sample."""
    item = row["item"]
    id_ = item.get("id")
    ours: dict[str, Any] = {"id": id_ if is_text(id_) else default_id(index)}
    ours["input"] = _question(item, keys)
    ours |= {key: item[key] for key in SAME if _is_same(key, item.get(key))}
    expected = own_expectations({"expected": item.get("expected")})
    if keys.reference and is_text(item.get(keys.reference)):
        expected = {"reference": item[keys.reference], **expected}
    if expected:
        ours["expected"] = expected
    rest = {key: part for key, part in item.items() if key not in (*_ITEM_KEYS, *keys)}
    context = item.get("context")
    if isinstance(context, dict) or rest:
        context = {**(context if isinstance(context, dict) else {}), **rest}
    if context is not None and context != {}:
        ours["context"] = context
    answer = item.get(keys.output) if keys.output else mapping_at(row, "sample").get("output_text")
    if isinstance(answer, str):
        ours["recorded_output"] = answer
    return with_bundle(ours)


def item_of_row(row: dict[str, Any], index: int, keys: Keys) -> dict[str, Any]:
    """Convert a row to an item and its sample."""
    item: dict[str, Any] = {}
    if row.get("id") != default_id(index):
        item["id"] = row.get("id")
    item[keys.input or "input"] = row.get("input")
    if reference := reference_of(row):
        item[keys.reference or "reference"] = reference
    item |= {key: row[key] for key in SAME if row.get(key) is not None}
    if conversation_of(row).has_more or item.get("messages") == []:
        item.pop("messages", None)
    if own := own_expectations(row):
        item["expected"] = own
    context = row.get("context")
    if isinstance(context, dict):
        taken = {*_ITEM_KEYS, *keys, "input", "reference"}
        item |= {key: part for key, part in context.items() if key not in taken}
        if below := {key: part for key, part in context.items() if key in taken}:
            item["context"] = below
    elif context is not None:
        item["context"] = context
    theirs: dict[str, Any] = {"item": item}
    answer = row.get("recorded_output", conversation_of(row).answer)
    if answer is not None and keys.output:
        item[keys.output] = answer
    elif answer is not None:
        theirs["sample"] = {"output_text": answer}
    return theirs


def asked_messages(template: list[dict[str, Any]], item: dict[str, Any]) -> list[Any] | None:
    """Return the messages that a model is asked for an item; None if they are not only texts."""
    prompt = []
    for message in template:
        content = message.get("content")
        text = content.get("text") if isinstance(content, dict) else content
        content = filled(text, item) if isinstance(text, str) else None
        if content is None:
            return None
        prompt.append({"role": message.get("role"), "content": content})
    return prompt


def _question(item: dict[str, Any], keys: Keys) -> str:
    """Return the question of an item, or else all of it but the answers as readable text."""
    if keys.input and is_text(item.get(keys.input)):
        return str(item[keys.input])
    messages = item.get("messages")
    last = last_question(messages) if isinstance(messages, list) else None
    if isinstance(last, str) and last.strip():
        return last
    others = {key: part for key, part in item.items() if key not in (*_ITEM_KEYS, *keys[1:])}
    return "\n".join(f"{key}: {text_of(part)}" for key, part in others.items()) or "{}"


def _is_same(key: str, value: Any) -> bool:
    """Whether the value of an item's key has the type that the key of a row has."""
    if value is None or not is_row({key: value}):
        return False
    if key == "criteria":
        return is_text(value)
    if key in _MAPPINGS and key != "expected_tools":
        return is_list_of(value, dict) and bool(value)
    if key == "expected_tools":
        return bool(value)
    return bool(value) and all(map(is_text, value))


_TOLERANCE = 1e-9
_OUTPUT = "{{ sample.output_text }}"
_TAG = lazy_pattern(r"\{\{\{?\s*([^{}]*?)\s*\}?\}\}")
_NAMES = ("string", "boolean", "integer", "number", "null", "array", "object")
_TYPES = dict(zip((str, bool, int, float, type(None), list, dict), _NAMES, strict=True))


class EvalCriteria:
    """The criteria of an eval: those of the rubric that all its items share.

    The first row decides, since criteria are the same for all items.
    """

    def __init__(self, *, has_root: bool) -> None:
        self.has_root = has_root
        self._rubric: Any = None
        self.criteria: list[dict[str, Any]] = []
        # The checks and the messages that were made from an eval, by the number of the row.
        self._checks: dict[int, Any] = {}
        self._messages: dict[int, Any] = {}

    def asks(self, messages: Any, index: int) -> bool:
        """Whether messages that an eval asked need no place in the item."""
        if self.has_root:
            self._messages[index] = messages
        return self.has_root

    def says(self, rubric: Any, index: int) -> bool:
        """Whether the eval grades a row as a rubric does."""
        if not self.has_root or not isinstance(rubric, dict):
            return False
        if mapping_at(rubric, "metadata").get("made_from") == "openai":
            self._checks[index] = rubric.get("checks")
        if index == 0:
            criteria = criteria_of_rubric(rubric)
            self._rubric, self.criteria = (rubric, criteria) if criteria else (None, [])
        is_same = self._rubric is not None and json_equal(self._rubric, rubric)
        return is_same or self.has_made(index)

    def has_made(self, index: int) -> bool:
        """Whether the criteria of the eval that a row came from made its rubric."""
        return index in self._checks

    def edited(self, criteria: Criteria, template: list[Any], items: list[Any]) -> list[str]:
        """Return what was made from an eval and differs now: `rubric_ref`, `messages`."""
        made = ((criteria.rubric_of(items[index])[0], index) for index in self._checks)
        are_same = all(
            json_equal((rubric or {}).get("checks"), self._checks[index]) for rubric, index in made
        )
        are_asked = all(
            json_equal(asked_messages(template, items[index]), messages)
            for index, messages in self._messages.items()
        )
        return [*([] if are_same else ["rubric_ref"]), *([] if are_asked else ["messages"])]


def criteria_of_rubric(rubric: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the testing criteria that mean the same as a rubric; empty if there are none."""
    checks = rubric.get("checks")
    if mapping_at(rubric, "scoring").get("combine") != "all_pass" or not isinstance(checks, list):
        return []
    given = rubric.get("judges")
    judges = {
        f"judge/{judge.get('id')}@{judge.get('version')}": judge
        for judge in (given if isinstance(given, list) else ())
        if isinstance(judge, dict)
    }
    criteria = [_criterion(check, judges) for check in checks if isinstance(check, dict)]
    found = [each for each in criteria if each is not None]
    return found if len(found) == len(checks) else []


def _criterion(check: dict[str, Any], judges: dict[str, Any]) -> dict[str, Any] | None:
    name = str(check.get("label") or check.get("id") or check.get("kind"))
    match check:
        case {"kind": "regex", "pattern": str(pattern), "match": "full"} if not check.get("flags"):
            text = text_matched_by(pattern)
            if text is None:
                return None
            return _string_check(name, "ne" if check.get("negate") else "eq", text)
        case {"kind": "must_contain_any", "values": [str(value)]}:
            return _string_check(name, "like" if check.get("case_sensitive") else "ilike", value)
        case {"kind": "llm_judge", "judge_prompt_ref": str(reference)} if "threshold" not in check:
            judge = judges.get(reference)
            return _asked(name, judge) if judge else None
    return None


def _string_check(name: str, operation: str, text: str) -> dict[str, Any] | None:
    if "{{" in text:
        return None
    head = {"type": "string_check", "name": name}
    return {**head, "input": _OUTPUT, "operation": operation, "reference": text}


def _asked(name: str, judge: dict[str, Any]) -> dict[str, Any] | None:
    """Return the criterion that asks a judge of simple variables; None if it has others."""
    template, model = judge.get("template"), mapping_at(judge, "model").get("name")
    if not isinstance(template, str) or not isinstance(model, str):
        return None
    names = [_variable(tag) for tag in _TAG.findall(template)]
    if None in names:
        return None
    rest = iter(names)
    text = _TAG.sub(lambda _: f"{{{{ {next(rest)} }}}}", template)
    head = {"name": name, "model": model, "input": [{"role": "user", "content": text}]}
    threshold = judge.get("pass_threshold")
    passing = {"pass_threshold": threshold} if isinstance(threshold, int | float) else {}
    if judge.get("score_type") == "continuous":
        ends = [judge.get("min_score", 0), judge.get("max_score", 1)]
        return {"type": "score_model", **head, "range": ends, **passing}
    levels = judge.get("level_names")
    if not isinstance(threshold, int | float) or not isinstance(levels, list):
        return None
    if "level_values" in judge:
        return None
    ranks = [rank / max(len(levels) - 1, 1) for rank in range(len(levels))]
    passed = [
        label for label, rank in zip(levels, ranks, strict=True) if rank >= threshold - _TOLERANCE
    ]
    return {"type": "label_model", **head, "labels": levels, "passing_labels": passed}


def _variable(tag: str) -> str | None:
    """Return the variable of a template that means the same as one of a judge."""
    root, _, rest = tag.partition(".")
    if tag in ("input", "criteria"):
        return f"item.{tag}"
    if tag == "output":
        return "sample.output_text"
    if tag == "expected.reference":
        return "item.reference"
    if root == "expected" and rest:
        return f"item.{tag}"
    return f"item.{rest}" if root == "context" and rest else None


def item_schema(rows: list[Any]) -> dict[str, Any]:
    """Return a JSON Schema that the items of all rows satisfy."""
    items = [row["item"] for row in rows if row is not None]
    types: dict[str, set[str]] = {}
    counts: dict[str, int] = {}
    for item in items:
        for key, part in item.items():
            types.setdefault(key, set()).add(_TYPES[type(part)])
            counts[key] = counts.get(key, 0) + 1
    required = [key for key, count in counts.items() if count == len(items)]
    properties = {
        key: {"type": next(iter(found)) if len(found) == 1 else sorted(found)}
        for key, found in types.items()
    }
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    return {**schema, "required": required} if required else schema
