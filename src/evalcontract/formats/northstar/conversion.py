"""Cases of NorthStar and rows of evalcontract: how they correspond."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, conversation_of, default_id, reference_of
from evalcontract.formats._findings import (
    has_lone_surrogate,
    is_list_of,
    mapping_at,
    parsed_json,
    without_keys,
)
from evalcontract.formats._lens import At, Lens, ReadRubric
from evalcontract.formats._residual import Residual, Row
from evalcontract.formats.northstar.case import input_of, is_blank, phrases
from evalcontract.formats.northstar.numbers import (
    CASE,
    EXPECTED,
    LIMITS_OF_RUN,
    LIMITS_OF_TRACE,
    TRACE,
    normal,
    same_as,
    valid,
)
from evalcontract.formats.northstar.rubric import (
    GradedRow,
    LabelledRubrics,
    from_rubric,
    grade_expectations,
    is_rubric,
    only_in_rubric,
)
from evalcontract.model.diagnostic import Path
from evalcontract.model.values import json_equal

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

#: The name of the system, below `metadata`.
THEIRS = "northstar"
#: What a row notes of its case: what no JSON can hold.
_UNWRITABLE = "unwritable"
_RUBRIC, _BESIDE = "rubric", "beside"
#: What judges read, and a row may have below `expected`.
_OF_JUDGES = ("goal", "rubric", "ground_truth")
_NEEDED = ("id", "messages")
_LIMITS = {**EXPECTED, **TRACE}
_NO_JSON = "only Python accepts it as JSON"
_UNREAD = "NorthStar does not read it"
_FOREIGN = "no conversion wrote it for this case, so it is not restored"
_NO_TEXT = "the input of a row is a text"
_BLANK, _TOO_LARGE = "a check cannot expect a blank text", "the limit is too large"
_WHOLE = "a check compares a mapping among the arguments whole; NorthStar allows further keys"


class RunLens(Lens):
    """Keeps everything else of a case in `metadata.northstar`, and of ours in its metadata."""

    says_rubrics = True
    nested_theirs = MappingProxyType({"expected": {"trace": {}}, "metrics": {}})
    nested_ours = MappingProxyType({"expected": {}})
    no_root = "NorthStar has no place for keys beside the cases"

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        #: The keys beside `cases`, and what is lost of them.
        self._beside: Row = {}
        self._lost_beside: list[Loss] = []
        self._rubrics = LabelledRubrics()
        #: What of the last case that was read no JSON can hold.
        self._unwritable: list[list[Any]] = []
        #: The keys of the last row that was written that its case says, and whether its rubric.
        self._paths: set[str] = set()
        self._is_remade = False
        #: What is lost of the rubric of that row.
        self._lost_rubric: list[Loss] = []
        #: The last case that was read, with what it expects in its normal form and what grades it.
        self._asked: tuple[Row, Row, GradedRow] | None = None
        #: Whether that row keeps what judges read of its case.
        self._is_left_out = False

    def root_of(self, file: ExternalFile) -> Row:
        value = file.document.value if file.document else None
        if not isinstance(value, dict) or not isinstance(value.get("cases"), list):
            return {}
        self._beside = without_keys(value, ["cases"])
        ours = mapping_at(self._beside, "metadata", OURS)
        if json_equal(self._beside, {"metadata": {OURS: ours}}):
            return ours
        kept, unwritable = without_unwritable(self._beside)
        self._lost_beside = [Loss((key,), _UNREAD, is_kept=True) for key in self._beside]
        self._lost_beside += [Loss(tuple(path), _NO_JSON, False) for *path, _ in unwritable]
        return {"metadata": {THEIRS: {_BESIDE: kept}}}

    @property
    def losses(self) -> Sequence[Loss]:
        """The keys beside `cases`, which NorthStar does not read either."""
        return self._lost_beside

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return the keys beside `cases` if what is beside them is lost."""
        is_beside = loss.path == ("metadata",) and bool(self._lost_beside)
        keys = self._beside if is_beside else loss.path[:1]
        return [loss._replace(path=(key,)) for key in keys]

    def plain(self, row: Row) -> Row:
        """Return a case that is valid JSON, and that keeps its rubric, not only the label of it."""
        self._asked = None
        whole = self._rubrics.whole(row)
        bare, kept = self.in_theirs.split(whole, self.is_written)
        plain, self._unwritable = without_unwritable(whole if kept is None else bare)
        return dict(plain) if kept is None else self.in_theirs.joined(plain, kept)

    def place_of(self, row: Row, index: int) -> At:
        return At(index, hints={_UNWRITABLE: self._unwritable} if self._unwritable else {})

    def are_hints(self, hints: Row) -> bool:
        replaced = hints.get(_UNWRITABLE, [])
        is_list = isinstance(replaced, list) and all(map(_is_replaced, replaced))
        return hints.keys() <= {_UNWRITABLE} and is_list

    def to_ours(self, row: Row, at: At) -> Row:
        expected, graded = self._asked_by(row)
        name = default_id(at.number) if is_blank(row["id"]) else row["id"]
        ours: Row = {"id": name, "input": input_of(row.get("input"), row["messages"], name)}
        ours |= _for_judges(expected) if graded.rubric is None else {}
        if "ground_truth" in expected:
            ours["expected"] = {"reference": expected["ground_truth"], **ours.get("expected", {})}
        ours |= graded.row
        ours |= {"bundle": "agent", "messages": row["messages"]}
        if (ids := expected.get("trace", {}).get("relevant_retrieval_ids")) is not None:
            ours["expected_documents"] = [{"id": id_} for id_ in ids]
        return ours

    def _asked_by(self, row: Row) -> tuple[Row, GradedRow]:
        """Return what a case expects in its normal form, and what grades it; once for each case."""
        if self._asked is None or self._asked[0] is not row:
            expected = normal(row.get("expected", {}), EXPECTED)
            self._asked = row, expected, grade_expectations(expected)
        return self._asked[1:]

    def to_theirs(self, row: Row, at: At) -> Row:
        carried = from_rubric(at.rubric, row)
        self._paths, self._lost_rubric = carried.paths, carried.losses
        paths = carried.paths
        expected = _judged(row, paths) | carried.expected
        if expected.get("ground_truth") != reference_of(row):
            paths.discard("expected.reference")
        if isinstance(row.get("context"), str):
            paths.add("context")
        limits = same_as(
            {key: row[key] for key in (*LIMITS_OF_RUN, *LIMITS_OF_TRACE) if key in row}, _LIMITS
        )
        expected |= {key: limits[key] for key in LIMITS_OF_RUN if key in limits}
        of_trace = {key: limits[key] for key in LIMITS_OF_TRACE if key in limits} | _documents(row)
        if of_trace:
            expected["trace"] = of_trace
        paths.update(limits)
        name, question = str(row.get("id")), row.get("input")
        case: Row = {"id": name, "messages": _messages(row, paths)}
        if question != input_of(None, case["messages"], name):
            case["input"] = question
        if expected:
            case["expected"] = expected
        return case

    def rubric_of(self, row: Row, at: At) -> ReadRubric:
        rubric = self._asked_by(row)[1].rubric
        return ReadRubric(rubric, only=only_in_rubric(rubric, row.get("expected", {})))

    def unread(self, row: Row, ours: Row) -> Row:
        """Return the goal and the rubric of a case for judges, if its checks leave them out."""
        expected, graded = self._asked_by(row)
        if graded.rubric is None:
            return {}
        judged, own = _for_judges(expected), mapping_at(ours, "expected")
        criteria = [ours.get("criteria"), *(own.get(key) for key in _OF_JUDGES)]
        return {
            key: part
            for key, part in judged.items()
            if part not in criteria and (key != "expected" or part["goal"] not in criteria)
        }

    def rubric_kept_in(self, kept: Row) -> Row | None:
        return kept.get(_RUBRIC)

    def is_written(self, kept: Row) -> bool:
        is_known = _RUBRIC not in kept or is_rubric(kept[_RUBRIC])
        return is_known and super().is_written(without_keys(kept, [_RUBRIC]))

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield what no JSON can hold, and what a check would compare otherwise."""
        yield from (Loss(tuple(path), _NO_JSON, True) for *path, _ in self._unwritable)
        calls = row.get("expected", {}).get("tool_arguments") or ()
        arguments = (part for call in calls for part in call["arguments"].values())
        if any(isinstance(part, dict) and part for part in arguments):
            yield Loss(("expected", "tool_arguments"), _WHOLE, is_kept=True)
        if OURS in row.get("metadata", {}):
            yield Loss(("metadata", OURS), _FOREIGN, is_kept=True)

    def says(self, path: Path, row: Row, at: At) -> bool:
        """Whether a value has a form of its own, and its normal form is in the row."""
        *above, key = path
        form = {"expected": EXPECTED, "expected.trace": TRACE}.get(".".join(map(str, above)))
        value = mapping_at(row, *map(str, above)).get(str(key))
        if path == ("input",):
            return isinstance(value, str) and not is_blank(value)
        if form is None or value is None:
            return True
        if key in (*LIMITS_OF_RUN, *LIMITS_OF_TRACE):
            return False
        is_blank_phrase = key in ("contains", "not_contains") and any(map(is_blank, phrases(value)))
        return value == [] or not (is_blank_phrase or form[str(key)](value) is None)

    def reason_for(self, path: Path, row: Row) -> str:
        if path == ("input",):
            return _NO_TEXT
        if path[-1] in (*LIMITS_OF_RUN, *LIMITS_OF_TRACE):
            return super().reason_for(path, row)
        is_text = isinstance(mapping_at(row, *map(str, path[:-1])).get(str(path[-1])), str | list)
        return _BLANK if is_text else _TOO_LARGE

    def is_said(self, path: Path, row: Row, at: At) -> bool:
        is_rubric_lost = path[0] == "rubric_ref" and bool(self._lost_rubric)
        return is_rubric_lost or ".".join(map(str, path)) in self._paths

    def says_messages(self, row: Row, again: Row) -> bool:
        return "messages" in self._paths

    def remade(self, theirs: Row, at: At) -> Collection[str]:
        """Return what a conversion makes again: the rubric, and criteria that it leaves out."""
        made = self.rubric_of(theirs, at).rubric
        self._is_remade = made is not None and json_equal(made, _unnamed(at.rubric or {}))
        is_left_out = made is not None and self._is_left_out
        return [
            *(("rubric_ref",) if self._is_remade else ()),
            *(("criteria",) if is_left_out else ()),
        ]

    def taken(self, residual: Residual | None, at: At) -> tuple[Residual | None, list[Loss]]:
        """Return what a case may have, unless the row says it, and what is lost of the rubric."""
        losses = [*self._lost_rubric]
        self._is_left_out, self._asked = False, None
        if residual is None:
            return None, losses
        kept = valid(residual.set, CASE)
        expected = mapping_at(kept, "expected")
        for part in (expected, mapping_at(expected, "trace")):
            for key in {*LIMITS_OF_RUN, *LIMITS_OF_TRACE} & part.keys() & at.row.keys():
                del part[key]
        self._is_left_out = not expected.keys().isdisjoint(("goal", "rubric"))
        criteria = at.row.get("criteria")
        said = normal(expected, EXPECTED)
        judged = next((key for key in ("rubric", "goal") if key in said), None)
        if judged and isinstance(criteria, str) and expected[judged] != criteria:
            del expected[judged]
            if judged == "rubric" and "goal" in expected:
                expected["rubric"] = criteria
        return Residual(kept, [path for path in residual.absent if path[0] not in _NEEDED]), losses

    def joined(self, theirs: Row, rest: Residual, at: At) -> Row:
        """Return a case with the rubric that it does not stand for, and what no JSON can hold."""
        kept = self.form.written(rest)
        if at.rubric is not None and not self._is_remade and _RUBRIC not in at.row:
            kept[_RUBRIC] = self._rubrics.labelled(_unnamed(at.rubric))
        case = self.in_theirs.joined(theirs, kept)
        return with_unwritable(case, at.hints.get(_UNWRITABLE, []))

    def wrap(self, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return a list of cases, or an object if there are keys beside them."""
        if self.medium != "json" or not root:
            return super().wrap(rows, root)
        beside = mapping_at(root, "metadata", THEIRS, _BESIDE)
        if root == {"metadata": {THEIRS: {_BESIDE: beside}}}:
            return {**beside, "cases": rows}, ()
        losses = [Loss((key,), self.no_root, is_kept=True) for key in root]
        return {"cases": rows, "metadata": {OURS: root}}, losses


def _for_judges(expected: Row) -> Row:
    """Return what judges read of the expectations of a case, in their normal form."""
    goal, rubric = expected.get("goal"), expected.get("rubric")
    if rubric is None:
        return {} if goal is None else {"criteria": goal}
    return {"criteria": rubric, **({} if goal is None else {"expected": {"goal": goal}})}


def _unnamed(rubric: Row) -> Row:
    return without_keys(rubric, ["id", "version"])


def _messages(row: Row, paths: set[str]) -> list[Row]:
    """Return the conversation of a row, or its history and its question; then its answer."""
    messages = row.get("messages")
    if is_list_of(messages, dict):
        paths.add("messages")
    else:
        history = mapping_at(row, "context").get("history")
        before = history if is_list_of(history, dict) else []
        if before and row["context"].keys() == {"history"}:
            paths.add("context")
        messages = [*before, {"role": "user", "content": row.get("input")}]
    output = row.get("recorded_output")
    answer = conversation_of({"messages": messages}).answer
    if isinstance(output, str) and answer is None:
        messages = [*messages, {"role": "assistant", "content": output}]
        answer = output
    if answer is not None and output == answer:
        paths.add("recorded_output")
    return messages


def _judged(row: Row, paths: set[str]) -> Row:
    """Return the goal, the rubric and the right answer that judges grade by."""
    given = mapping_at(row, "expected")
    texts = {key: given[key] for key in _OF_JUDGES if isinstance(given.get(key), str)}
    paths.update(f"expected.{key}" for key in texts)
    criteria = row.get("criteria")
    if isinstance(criteria, str):
        if "rubric" in texts and texts["rubric"] != criteria:
            paths.discard("expected.rubric")
        texts["rubric" if "goal" in texts else "goal"] = criteria
        paths.add("criteria")
    if (reference := reference_of(row)) is not None:
        if texts.setdefault("ground_truth", reference) != reference:
            paths.discard("expected.ground_truth")
        texts["ground_truth"] = reference
        paths.add("expected.reference")
    return texts


def _documents(row: Row) -> Row:
    documents = row.get("expected_documents")
    if not is_list_of(documents, dict):
        return {}
    ids = [document.get("id") for document in documents]
    return {"relevant_retrieval_ids": ids} if is_list_of(ids, str) else {}


def without_unwritable(value: Any) -> tuple[Any, list[list[Any]]]:
    """Return a value that is valid JSON, and what was replaced: paths, each with Python's text."""
    replaced: list[list[Any]] = []
    return _plain(value, (), replaced), sorted(replaced, key=json.dumps)


def _plain(value: Any, path: Path, replaced: list[list[Any]]) -> Any:
    match value:
        case float() if not math.isfinite(value):
            replaced.append([*path, json.dumps(value)])
            return None
        case str() if has_lone_surrogate(value):
            replaced.append([*path, json.dumps(value)])
            return value.encode("utf-8", "replace").decode()
        case dict() if any(map(has_lone_surrogate, value)):
            replaced.append([*path, json.dumps(value)])
            return {}
        case dict():
            return {key: _plain(part, (*path, key), replaced) for key, part in value.items()}
        case list():
            return [_plain(part, (*path, index), replaced) for index, part in enumerate(value)]
    return value


def _is_replaced(entry: Any) -> bool:
    """Whether an entry is a path, and the text of a value that no JSON can hold."""
    if not isinstance(entry, list) or not entry or not isinstance(entry[-1], str):
        return False
    return bool(without_unwritable(parsed_json(entry[-1]))[1])


def with_unwritable(case: Row, kept: list[Any]) -> Row:
    """Restore the values that were replaced, where their stand-ins are unchanged."""
    for entry in kept:
        try:
            *path, text = entry
            value = json.loads(text)
            case = _replaced(case, path, without_unwritable(value)[0], by=value)
        except (AttributeError, LookupError, RecursionError, TypeError, ValueError):
            continue  # the entry is foreign, or its place is gone
    return case


def _replaced(value: Any, path: list[Any], stand_in: Any, by: Any) -> Any:
    """Return a copy of a value with another part at a path, if the stand-in is there."""
    if not path:
        return by if json_equal(value, stand_in) else value
    copy = value.copy()
    copy[path[0]] = _replaced(value[path[0]], path[1:], stand_in, by=by)
    return copy
