"""Cases of Agent Skills and rows of evalcontract: how they correspond."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import OURS, Loss, criteria_of, default_id, guidelines_of
from evalcontract.formats._findings import mapping_at
from evalcontract.formats._lens import At, Lens, ReadRubric
from evalcontract.formats._residual import Form, Row
from evalcontract.formats.agent_skills import (
    BEST_PRACTICES,
    CASES,
    cases_key,
    statements_key,
    statements_of,
)
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.values import json_equal
from evalcontract.source.installed import table

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

_MAX_LEVEL = 6
_PHP = {"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"}
_MARKDOWN = "markdown_structure"
_CHECK_OF_MARKDOWN = "check_markdown_structure"
#: What a rubric says of where it comes from.
_ORIGIN = {"made_from": "agent_skills"}


def texts_of(case: Row, key: str) -> list[str]:
    """Return the texts of a list, without those that decide nothing."""
    given = case.get(key)
    texts = [text for text in given if isinstance(text, str)] if isinstance(given, list) else []
    if "" in texts and key == "must_contain_any":
        return []  # every output has it
    return [text for text in dict.fromkeys(texts) if text]


def rubric_of(case: Row) -> Row | None:
    """Return the rubric of the checks of a case; None if it has none."""
    checks: list[Row] = [{"id": key, "kind": key} for key in _LISTS if texts_of(case, key)]
    if case.get("check_php_lint"):
        checks.append({**_PHP})
    if rules := _rules_of(case.get(_CHECK_OF_MARKDOWN)):
        checks.append({"id": _MARKDOWN, "kind": _MARKDOWN, **rules})
    if not checks:
        return None
    return {"checks": checks, "scoring": {"combine": "all_pass"}, "metadata": {**_ORIGIN}}


@cache
def _rule_names() -> tuple[str, ...]:
    """Return the names of the rules for Markdown, which checks of evalcontract have, too."""
    schema = table("formats/agent_skills-best_practices.schema")
    return tuple(schema["$defs"]["markdown_structure"]["properties"])


def _rules_of(given: Any) -> Row:
    """Return the rules for Markdown that restrict the output."""
    if not isinstance(given, dict):
        return {}
    rules = {key: given[key] for key in _rule_names() if given.get(key)}
    if rules.get("max_heading_level", 0) >= _MAX_LEVEL:
        del rules["max_heading_level"]
    return rules


def checks_of(rubric: Row | None, row: Row) -> Row:
    """Return the checks of a case that a rubric stands for; none if a case cannot say all of it."""
    found: Row = {}
    checks = rubric.get("checks") if rubric else None
    for check in checks if isinstance(checks, list) else ():
        kind = check.get("kind") if isinstance(check, dict) else None
        if kind == "php_lint":
            found["check_php_lint"] = True
        elif kind == _MARKDOWN:
            rules = {key: part for key, part in check.items() if key in _rule_names()}
            found[_CHECK_OF_MARKDOWN] = rules
    lists = {key: row[key] for key in _LISTS if key in row}
    return found if is_said(rubric, {**lists, **found}) else {}


def is_said(rubric: Row | None, case: Row) -> bool:
    """Whether the checks of a case are all that a rubric says."""
    made = rubric_of(case)
    if rubric is None or made is None:
        return False
    return all(json_equal(rubric.get(key), made[key]) for key in ("checks", "scoring"))


_THEIRS = "agent_skills"
_OUTPUT, _FILES = "expected_output", "files"
_LISTS = ("must_contain_any", "must_not_contain")
# What says in the metadata of a dataset that the cases were under the key of older files.
_ROWS = "cases_key"
# Numbers with more digits are not exact in JavaScript.
_MAX_DIGITS = 15
_CHECKS = (*_LISTS, "check_php_lint", _CHECK_OF_MARKDOWN)
_UNREAD = "prose that no check reads"
_NO_RULE = "there is no rule of this name"
_NO_TEXT = "a statement is a text that is not blank, and nothing beside it"


class CaseLens(Lens):
    """Keeps everything else of a case in `metadata.agent_skills`, and of ours in its metadata."""

    form = Form(None, "_unset")
    quiet = frozenset({"id", "prompt"})
    nothing = (None, [], {}, "", False)

    def __init__(self, *of_dialect: Any) -> None:
        super().__init__(*of_dialect)
        #: What the file has beside its cases and the name of the skill.
        self._beside: list[str] = []

    def root_of(self, file: ExternalFile) -> Row:
        value = file.document.value if file.document else None
        if not isinstance(value, dict):
            return {}
        key = cases_key(value, self.variant)
        self._beside = [name for name in value if name not in (key, "skill_name")]
        return _root_of(value, self.variant)

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return the keys of the file if what is beside the cases is lost."""
        if loss.path == ("label",):
            return [loss._replace(path=("skill_name",))]
        if loss.path[:1] != ("metadata",):
            return [loss]
        return [loss._replace(path=(key,)) for key in self._beside]

    def to_ours(self, row: Row, at: At) -> Row:
        ours: Row = {"id": _id(row.get("id"), at.number)}
        is_prose_read = not _is_checked(row, self.variant)
        statements = statements_of(row.get(statements_key(self.variant)))
        if is_prose_read and (criteria := criteria_of(statements)):
            ours["criteria"] = criteria
        output, files = row.get(_OUTPUT), row.get(_FILES)
        if is_prose_read and isinstance(output, str) and output.strip():
            ours["expected"] = {_OUTPUT: output}
        if isinstance(files, list) and files and all(isinstance(name, str) for name in files):
            ours["context"] = {_FILES: files}
        if self.variant == BEST_PRACTICES:
            ours |= {key: texts for key in _LISTS if (texts := texts_of(row, key))}
        return ours

    def to_theirs(self, row: Row, at: At) -> Row:
        case: Row = {"id": _number(row.get("id"))}
        output = mapping_at(row, "expected").get(_OUTPUT)
        if isinstance(output, str) and output.strip():
            case[_OUTPUT] = output
        files = mapping_at(row, "context").get(_FILES)
        if isinstance(files, list) and files and all(isinstance(name, str) for name in files):
            case[_FILES] = files
        criteria = row.get("criteria")
        if isinstance(criteria, str) and criteria.strip():
            case[statements_key(self.variant)] = guidelines_of(criteria)
        if self.variant == BEST_PRACTICES:
            case |= {key: row[key] for key in _LISTS if row.get(key)}
            case |= checks_of(at.rubric, row)
        return case

    def rubric_of(self, row: Row, at: At) -> ReadRubric:
        return ReadRubric(rubric_of(row) if self.variant == BEST_PRACTICES else None)

    def lost(self, row: Row, at: At) -> Iterator[Loss]:
        """Yield the rules for Markdown that there are not."""
        given = row.get(_CHECK_OF_MARKDOWN) if self.variant == BEST_PRACTICES else None
        for key in given if isinstance(given, dict) else ():
            if key not in _rule_names():
                yield Loss((_CHECK_OF_MARKDOWN, key), _NO_RULE, is_kept=True)

    def says(self, path: Path, row: Row, at: At) -> bool:
        """Whether a value is no loss: a check that decides nothing is none."""
        is_check = self.variant == BEST_PRACTICES and path[0] in _CHECKS
        return is_check or super().says(path, row, at)

    def is_said(self, path: Path, row: Row, at: At) -> bool:
        return row.get(str(path[0])) is None

    def says_messages(self, row: Row, again: Row) -> bool:
        return bool(row["messages"] == [{"role": "user", "content": row.get("input")}])

    def remade(self, theirs: Row, at: At) -> Collection[str]:
        is_all = self.variant == BEST_PRACTICES and is_said(at.rubric, theirs)
        return ("rubric_ref", "rubric") if is_all else ()

    def reason_for(self, path: Path, row: Row) -> str:
        key, is_checked = path[0], _is_checked(row, self.variant)
        if key == statements_key(self.variant) and statements_of(row[key]) is not None:
            return _UNREAD if is_checked else _NO_TEXT
        return _UNREAD if key == _OUTPUT and is_checked else super().reason_for(path, row)

    def problems(self, theirs: Row, at: At) -> Iterator[Problem]:
        if not theirs.get("prompt"):
            message = "`input` is empty, and a case needs a prompt"
            yield Problem("agent_skills/empty-value", message, ())

    def wrap(self, rows: list[Any], root: Row) -> tuple[Any, Sequence[Loss]]:
        """Return the file: the name of the skill, the cases, and what beside them is preserved."""
        metadata = mapping_at(root, "metadata")
        theirs = mapping_at(metadata, _THEIRS)
        beside = {key: part for key, part in theirs.items() if key != _ROWS}
        is_old = self.variant == BEST_PRACTICES and theirs.get(_ROWS) == CASES[1]
        value: Row = {}
        if isinstance(label := root.get("label"), str) and label:
            value["skill_name"] = label
        value |= beside
        value[CASES[1] if is_old else CASES[0]] = [row for row in rows if row is not None]
        rest = {key: part for key, part in root.items() if key not in ("label", "metadata")}
        if free := {key: part for key, part in metadata.items() if key != _THEIRS}:
            rest["metadata"] = free
        if "label" in root and "skill_name" not in value:
            rest["label"] = root["label"]
        if rest:
            given = value.get("metadata")
            value["metadata"] = {**(given if isinstance(given, dict) else {}), OURS: rest}
        reason = "an evals.json has no place for it"
        return value, [Loss((key,), reason, is_kept=True) for key in rest]


def _is_checked(case: Row, variant: str) -> bool:
    """Whether checks decide on a case, so that nothing reads its prose."""
    return variant == BEST_PRACTICES and rubric_of(case) is not None


def _root_of(value: Row, variant: str) -> Row:
    """Return the keys of a dataset for those beside the cases of a file."""
    key = cases_key(value, variant)
    beside = {name: part for name, part in value.items() if name not in (key, "skill_name")}
    root: Row = {}
    if "skill_name" in value:
        if isinstance(value["skill_name"], str) and value["skill_name"]:
            root["label"] = value["skill_name"]
        else:
            beside = {"skill_name": value["skill_name"], **beside}
    ours = mapping_at(beside, "metadata", OURS)
    if ours and set(ours) <= {"id", "version", "description", "bundle", "metadata", "label"}:
        rest = {name: part for name, part in beside["metadata"].items() if name != OURS}
        beside = {name: part for name, part in beside.items() if name != "metadata"}
        beside |= {"metadata": rest} if rest else {}
        root |= ours
    kept = {**beside, **({_ROWS: key} if key != CASES[0] else {})}
    if kept:
        given = root.get("metadata")
        root["metadata"] = {**(given if isinstance(given, dict) else {}), _THEIRS: kept}
    return root


def _id(given: Any, index: int) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        return default_id(index)
    return str(given)


def _number(id_: Any) -> Any:
    """Return an id as a number if it is one, as the ids of most files are."""
    is_number = isinstance(id_, str) and id_.isascii() and id_.isdigit() and len(id_) <= _MAX_DIGITS
    return int(id_) if is_number and str(int(id_)) == id_ else id_
