"""Convert cases of Agent Skills to rows of evalcontract and back; neither loses anything."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import (
    BUNDLES,
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    criteria_of,
    default_id,
    guidelines_of,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._findings import mapping_at
from evalcontract.formats._residual import Form, Residual, ResidualPlace, difference, is_row
from evalcontract.formats.agent_skills.fields import (
    BEST_PRACTICES,
    CASES,
    FIELDS,
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
#: What a rubric says of where it comes from.
_ORIGIN = {"made_from": "agent_skills"}


def texts_of(case: dict[str, Any], key: str) -> list[str]:
    """Return the texts of a list, without those that decide nothing."""
    given = case.get(key)
    texts = [text for text in given if isinstance(text, str)] if isinstance(given, list) else []
    if "" in texts and key == "must_contain_any":
        return []  # every output has it
    return [text for text in dict.fromkeys(texts) if text]


def rubric_of(case: dict[str, Any]) -> dict[str, Any] | None:
    """Return the rubric of the checks of a case; None if it has none."""
    checks: list[dict[str, Any]] = [
        {"id": key, "kind": key} for key in _LISTS if texts_of(case, key)
    ]
    if case.get("check_php_lint"):
        checks.append({**_PHP})
    if rules := _rules_of(case.get("check_markdown_structure")):
        checks.append({"id": _MARKDOWN, "kind": _MARKDOWN, **rules})
    if not checks:
        return None
    return {"checks": checks, "scoring": {"combine": "all_pass"}, "metadata": {**_ORIGIN}}


@cache
def _rule_names() -> tuple[str, ...]:
    """Return the names of the rules for Markdown, which checks of evalcontract have, too."""
    schema = table("formats/agent_skills-best_practices.schema")
    return tuple(schema["$defs"]["markdown_structure"]["properties"])


def _rules_of(given: Any) -> dict[str, Any]:
    """Return the rules for Markdown that restrict the output."""
    if not isinstance(given, dict):
        return {}
    rules = {key: given[key] for key in _rule_names() if given.get(key)}
    if rules.get("max_heading_level", 0) >= _MAX_LEVEL:
        del rules["max_heading_level"]
    return rules


def checks_of(rubric: dict[str, Any] | None, row: dict[str, Any]) -> dict[str, Any]:
    """Return the checks of a case that a rubric stands for; none if a case cannot say all of it."""
    found: dict[str, Any] = {}
    checks = rubric.get("checks") if rubric else None
    for check in checks if isinstance(checks, list) else ():
        kind = check.get("kind") if isinstance(check, dict) else None
        if kind == "php_lint":
            found["check_php_lint"] = True
        elif kind == _MARKDOWN:
            rules = {key: part for key, part in check.items() if key in _rule_names()}
            found["check_markdown_structure"] = rules
    lists = {key: row[key] for key in _LISTS if key in row}
    return found if is_said(rubric, {**lists, **found}) else {}


def is_said(rubric: dict[str, Any] | None, case: dict[str, Any]) -> bool:
    """Whether the checks of a case are all that a rubric says."""
    made = rubric_of(case)
    if rubric is None or made is None:
        return False
    return all(json_equal(rubric.get(key), made[key]) for key in ("checks", "scoring"))


_THEIRS = "agent_skills"
_RUBRIC = "rubric"
_OUTPUT, _FILES = "expected_output", "files"
_LISTS = ("must_contain_any", "must_not_contain")
_NESTED: dict[str, Any] = {"expected": {}, "context": {}}
_FORM = Form(None, "_unset")
_IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
_IN_OURS = ResidualPlace("metadata", _THEIRS, "_metadata")
# What says in the metadata of a dataset that the cases were under the key of older files.
_ROWS = "cases_key"
# Numbers with more digits are not exact in JavaScript.
_MAX_DIGITS = 15
# Values of a case that are told by no loss: they are kept, and mean nothing by themselves.
_QUIET = ("metadata", "id", "prompt")
_CHECKS = (*_LISTS, "check_php_lint", "check_markdown_structure")
_UNREAD = "prose that no check reads"
_NO_TEXT = "a statement is a text that is not blank, and nothing beside it"


class AgentSkillsReader(Reader):
    """Converts cases to rows; preserves everything else in `metadata.agent_skills`."""

    def __init__(self, read: ExternalFile, variant: str) -> None:
        self._variant = variant
        value = read.document.value if read.document else None
        self._root = _root_of(value, variant) if isinstance(value, dict) else {}

    @property
    def root(self) -> dict[str, Any]:
        """The keys beside the rows."""
        return self._root

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid case; a foreign value in place of the residual is ordinary data."""
        bare, kept = _IN_THEIRS.split(row, _FORM.fits)
        ours = _FORM.applied(to_ours(bare, index, self._variant), kept, _NESTED)
        if not is_row(ours):
            bare, ours = row, to_ours(row, index, self._variant)
        rubric = rubric_of(bare) if self._variant == BEST_PRACTICES else None
        if "rubric_ref" in ours or "rubric" in ours:
            rubric = None
        residual = difference(to_theirs(ours, rubric, self._variant), bare)
        losses = tuple(
            Loss(path, self._reason(path, bare), is_kept=True)
            for path in self._lost(residual, bare)
        )
        return OurRow(_IN_OURS.joined(ours, _FORM.written(residual)), rubric, losses)

    def _lost(self, residual: Residual, case: dict[str, Any]) -> Iterator[Path]:
        """Yield what a row of evalcontract does not hold of a case."""
        # A check that decides nothing is no loss.
        quiet = (*_QUIET, *(_CHECKS if self._variant == BEST_PRACTICES else ()))
        for key in residual.set:
            if key not in quiet and case.get(key) not in (None, [], {}, "", False):
                yield (key,)

    def _reason(self, path: Path, case: dict[str, Any]) -> str:
        if path[0] == statements_key(self._variant) and statements_of(case[path[0]]) is not None:
            return _UNREAD if _is_checked(case, self._variant) else _NO_TEXT
        is_prose = path[0] == _OUTPUT and _is_checked(case, self._variant)
        return _UNREAD if is_prose else reason_for(FIELDS, path, self._variant)


def _is_checked(case: dict[str, Any], variant: str) -> bool:
    """Whether checks decide on a case, so that nothing reads its prose."""
    return variant == BEST_PRACTICES and rubric_of(case) is not None


class AgentSkillsWriter(Writer):
    """Converts rows to cases; preserves everything else in `metadata.evalcontract`."""

    def __init__(self, variant: str) -> None:
        self._variant = variant

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row; `rubric` is the rubric that it references, if any."""
        if not isinstance(row.get("input"), str) or not row["input"]:
            message = "`input` is empty, and a case needs a prompt"
            return TheirRow(None, problems=(Problem("agent_skills/empty-value", message, ()),))
        bare, kept = _IN_OURS.split(row, _FORM.fits)
        # A rubric that was made from a row of another system stands in the row.
        own_rubric = bare.get(_RUBRIC) if rubric is None else rubric
        checks = own_rubric if isinstance(own_rubric, dict) else None
        theirs = _FORM.applied(to_theirs(bare, checks, self._variant), kept, _NESTED)
        residual = difference(to_ours(theirs, index, self._variant), bare, _NESTED)
        if self._variant == BEST_PRACTICES and is_said(checks, theirs):
            for key in ("rubric_ref", _RUBRIC):
                residual.set.pop(key, None)
        losses = (Loss(path, self._reason(path), is_kept=True) for path in _unsaid(residual, bare))
        return TheirRow(_IN_THEIRS.joined(theirs, _FORM.written(residual)), tuple(losses))

    def _reason(self, path: Path) -> str:
        return reason_against(FIELDS, path, self._variant)

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the file: the name of the skill, the cases, and what beside them is preserved."""
        metadata = mapping_at(root, "metadata")
        theirs = mapping_at(metadata, _THEIRS)
        beside = {key: part for key, part in theirs.items() if key != _ROWS}
        is_old = self._variant == BEST_PRACTICES and theirs.get(_ROWS) == CASES[1]
        value: dict[str, Any] = {}
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


def _unsaid(residual: Residual, row: dict[str, Any]) -> Iterator[Path]:
    """Yield what a case does not say of a row."""
    for key, part in residual.set.items():
        is_bundle = key == "bundle" and part in BUNDLES
        is_question = key == "messages" and part == [{"role": "user", "content": row["input"]}]
        if key == "metadata" or part is None or is_bundle or is_question:
            continue
        if key in _NESTED and isinstance(part, dict) and part:
            yield from ((key, name) for name in part)
        else:
            yield (key,)


def _root_of(value: dict[str, Any], variant: str) -> dict[str, Any]:
    """Return the keys of a dataset for those beside the cases of a file."""
    key = cases_key(value, variant)
    beside = {name: part for name, part in value.items() if name not in (key, "skill_name")}
    root: dict[str, Any] = {}
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


def to_ours(case: dict[str, Any], index: int, variant: str) -> dict[str, Any]:
    """Convert a case to evalcontract, without a residual."""
    ours: dict[str, Any] = {"id": _id(case.get("id"), index), "input": case["prompt"]}
    is_prose_read = not _is_checked(case, variant)
    if is_prose_read and (
        criteria := criteria_of(statements_of(case.get(statements_key(variant))))
    ):
        ours["criteria"] = criteria
    output, files = case.get(_OUTPUT), case.get(_FILES)
    if is_prose_read and isinstance(output, str) and output.strip():
        ours["expected"] = {_OUTPUT: output}
    if isinstance(files, list) and files and all(isinstance(name, str) for name in files):
        ours["context"] = {_FILES: files}
    if variant == BEST_PRACTICES:
        ours |= {key: texts for key in _LISTS if (texts := texts_of(case, key))}
    return ours


def _id(given: Any, index: int) -> str:
    if isinstance(given, bool) or not isinstance(given, str | int) or given == "":
        return default_id(index)
    return str(given)


def to_theirs(row: dict[str, Any], rubric: dict[str, Any] | None, variant: str) -> dict[str, Any]:
    """Convert a row of evalcontract to a case, without a residual."""
    case: dict[str, Any] = {"id": _number(row.get("id")), "prompt": row.get("input")}
    if isinstance(output := mapping_at(row, "expected").get(_OUTPUT), str) and output.strip():
        case[_OUTPUT] = output
    files = mapping_at(row, "context").get(_FILES)
    if isinstance(files, list) and files and all(isinstance(name, str) for name in files):
        case[_FILES] = files
    criteria = row.get("criteria")
    if isinstance(criteria, str) and criteria.strip():
        case[statements_key(variant)] = guidelines_of(criteria)
    if variant == BEST_PRACTICES:
        case |= {key: row[key] for key in _LISTS if row.get(key)}
        case |= checks_of(rubric, row)
    return case


def _number(id_: Any) -> Any:
    """Return an id as a number if it is one, as the ids of most files are."""
    is_number = isinstance(id_, str) and id_.isascii() and id_.isdigit() and len(id_) <= _MAX_DIGITS
    return int(id_) if is_number and str(int(id_)) == id_ else id_
