"""The cases of Agent Skills: `evals/evals.json` in the folder of a skill, and its ancestor.

Measured on the runner agent-skills-eval 0.1.1; skill-creator and ai_best_practices per their
documentation and files.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Any, Self

from evalcontract.analysis.dialects import pattern_fault
from evalcontract.formats._findings import SystemChecker, bom_rejected, missing_key, stops_loader
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.formats._graders import GraderPrediction, predictions
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.values import clipped, is_finite_number

if TYPE_CHECKING:
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.source.external import ExternalFile

GUIDE, SKILL_CREATOR, BEST_PRACTICES = "guide", "skill_creator", "best_practices"
VARIANTS = (GUIDE, SKILL_CREATOR, BEST_PRACTICES)
#: The keys of the list of cases; the second is that of older files of ai_best_practices.
CASES = ("evals", "behavioral_cases")

#: What reads the files of each variant.
READERS = {
    GUIDE: "agent-skills-eval",
    SKILL_CREATOR: "skill-creator",
    BEST_PRACTICES: "ai_best_practices",
}
_OF_BEST_PRACTICES = frozenset(
    {"must_contain_any", "must_not_contain", "check_php_lint", "check_markdown_structure"}
)
#: The keys of an assertion that may hold its statement, in the order in which they are looked for.
STATEMENT_KEYS = ("text", "value", "criterion")


def statements_key(variant: str) -> str:
    """Return the key of the statements that are graded."""
    return "assertions" if variant == GUIDE else "expectations"


def cases_key(value: dict[str, Any], variant: str) -> str:
    """Return the key of the list of cases in a file."""
    is_old = variant == BEST_PRACTICES and CASES[0] not in value and CASES[1] in value
    return CASES[1] if is_old else CASES[0]


def variant_of(value: dict[str, Any]) -> str | None:
    """Return the variant of a whole file by its keys; None if it is no evals.json."""
    key = next((key for key in CASES if isinstance(value.get(key), list)), None)
    cases = value[key] if key else []
    case = next((each for each in cases if isinstance(each, dict)), None)
    if case is None or not isinstance(case.get("prompt"), str):
        return None
    keys = {name for each in cases if isinstance(each, dict) for name in each}
    if not keys.isdisjoint(("with_skill", "without_skill")):
        return None  # the results of a benchmark
    if key == CASES[1] or "skill_file" in value or not _OF_BEST_PRACTICES.isdisjoint(keys):
        return BEST_PRACTICES
    return SKILL_CREATOR if "expectations" in keys and "assertions" not in keys else GUIDE


def statements_of(given: Any) -> list[str] | None:
    """Return the statements of a list of assertions; None if it is no such list."""
    if not isinstance(given, list):
        return None
    texts = [next(_texts(item), None) for item in given]
    return [text for text in texts if text is not None] if None not in texts else None


def _texts(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    elif isinstance(item, dict):
        yield from (item[key] for key in STATEMENT_KEYS if isinstance(item.get(key), str))


_BOM = bom_rejected("agent_skills", "the file begins with a byte order mark, which is not JSON")
_NO_FILE = Problem(
    "agent_skills/rejected",
    "the file must be a mapping with a list `evals`",
    (),
    'write {"skill_name": "…", "evals": […]}',
)
_NO_EVALS = Problem("agent_skills/no-evals", "there are no cases", (), "add a case")
_DUPLICATE = Problem(
    "agent_skills/duplicate-id",
    "duplicate id `{name}`: the results of one case replace those of the other",
    (),
    "ids must be unique",
)
_STATEMENTS = ("assertions", "expectations")
# Keys that people give the text of a statement, the likeliest first.
_TEXTS = ("description", "check", "statement", "assertion", "expectation", "criteria", "name")
# Keys whose values decide on outputs, and the type in which they are read.
_GRADED: dict[str, type] = {
    **dict.fromkeys(("assertions", "expectations", "must_contain_any", "must_not_contain"), list),
    "expected_output": str,
}
_ADVICE = {"pattern": "write a pattern of JavaScript", "max": "write the larger number as `max`"}
# Keys whose values are read only in one form, and the words for it.
_READ_AS: dict[str, tuple[type, str]] = {
    "name": (str, "a text"),
    "expected_output": (str, "a text"),
    "files": (list, "a list"),
    "assertions": (list, "a list"),
    "expectations": (list, "a list"),
}


def find_rows(read: ExternalFile, variant: str, schema: SchemaChecker) -> RowLayout:
    """Find the cases of a file."""
    value = read.document.value if read.document else None
    if read.has_mark:
        return RowLayout.without_rows(_BOM)
    if not isinstance(value, dict):
        return RowLayout.without_rows(_NO_FILE)
    key = cases_key(value, variant)
    cases = value.get(key)
    if not isinstance(cases, list):
        return RowLayout.without_rows(_no_list(value, key))
    shallow = {name: [] if name in CASES else part for name, part in value.items()}
    problems = schema.faults(shallow, (), of="file")
    if not cases:
        problems.append(_NO_EVALS._replace(path=(key,)))
    if variant == BEST_PRACTICES and all(name in value for name in CASES):
        message = f"`{CASES[1]}` is not read beside `{CASES[0]}`"
        advice = "put all cases into one list"
        problems.append(Problem("agent_skills/other-name", message, (CASES[1],), advice, True))
    return RowLayout(cases, (key,), (*problems, *_missing_files(read, cases, (key,))))


def _missing_files(read: ExternalFile, cases: list[Any], path: Path) -> Iterator[Problem]:
    """Yield the files that the skill lacks; nobody knows of a file outside of a folder `evals`."""
    folder = read.path.absolute().parent if read.path else None
    if folder is None or folder.name != "evals":
        return
    skill, known = folder.parent, cache(read.has_below)
    for index, case in enumerate(cases):
        names = case.get("files") if isinstance(case, dict) else None
        for number, name in enumerate(names if isinstance(names, list) else ()):
            if isinstance(name, str) and not (is_there := known(skill, name)):
                message = f"`{clipped(name)}` leads out of the folder of the skill"
                if is_there is False:
                    message = f"the skill has no file `{clipped(name)}`"
                where = (*path, index, "files", number)
                advice = "write its path from the folder of the skill"
                yield Problem("agent_skills/missing-file", message, where, advice, row_index=index)


def _no_list(value: dict[str, Any], key: str) -> Problem:
    if key in value:
        return _NO_FILE._replace(message=f"`{key}` must be a list", path=(key,), help="write […]")
    near = nearest(key, value)
    if near is None:
        return _NO_FILE
    advice = f"`{near}` is not read: rename it to `{key}`"
    return _NO_FILE._replace(path=(near,), help=advice, on_key=True)


class AgentSkillsChecker(SystemChecker):
    """One pass over cases; remembers their ids."""

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next case."""
        problems = [] if is_clean else self._schema.faults(row, path)
        if stops_loader(problems):
            yield from (self._explained(each, row, path) for each in problems)
            return
        other = self._other_name(row, path)
        reported = {problem.path for problem in other}
        found = [*(problem for problem in problems if problem.path not in reported), *other]
        # What is not read at all is told by its name.
        reported |= {problem.path for problem in problems}
        found += (each for each in self._not_read(row, path) if each.path not in reported)
        yield from found
        # What grades the case may be there, under a name or in a form that is not read.
        if all(problem.code.endswith("/ignored-key") for problem in found):
            yield from _nothing_graded(row, path, self._variant)
        yield from _without_effect(row, path, self._variant)
        id_ = row.get("id")  # be it as a number or as a text
        name = str(id_) if _is_id(id_) else None
        yield from self._names.duplicate(name, path, "id", problem=_DUPLICATE)

    def _explained(self, problem: Problem, row: Any, path: Path) -> Problem:
        """Return a problem, or what a statement without a text that is read has instead."""
        key, index = (*problem.path[len(path) :], None, None)[:2]
        if (
            key not in _STATEMENTS
            or not isinstance(index, int)
            or len(problem.path) > len(path) + 2
        ):
            return problem
        statement = row[key][index]
        if not isinstance(statement, dict):
            return problem
        stops = f"{READERS[self._variant]} stops here"
        given = next((name for name in STATEMENT_KEYS if name in statement), None)
        if given is not None:
            message = f"`{given}` of `{key}[{index}]` must be a text: {stops}"
            return Problem(problem.code, message, (*problem.path, given), "write a text")
        message = f"`{key}[{index}]` has no `text`: {stops}"
        texts = [name for name, text in statement.items() if isinstance(text, str) and text]
        near = next((name for name in (*_TEXTS, *texts) if name in texts and name != "id"), None)
        return missing_key("agent_skills", message, problem.path, "text", near, "write `text`")

    def _other_name(self, row: dict[str, Any], path: Path) -> list[Problem]:
        """Return the statements that stand under the name of another variant."""
        key = statements_key(self._variant)
        (other,) = {*_STATEMENTS} - {key}
        if other not in row or key in row:
            return []
        message = f"{READERS[self._variant]} reads `{key}`, and not `{other}`"
        variant = SKILL_CREATOR if self._variant == GUIDE else GUIDE
        advice = f"rename it to `{key}`, or pass `--dialect agent_skills:{variant}`"
        return [Problem("agent_skills/other-name", message, (*path, other), advice, on_key=True)]

    def _not_read(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        for key in (key for key in _READ_AS if row.get(key) is not None):
            type_, words = _READ_AS[key]
            value, where = row[key], (*path, key)
            if not isinstance(value, type_):
                message = f"`{key}` is read only if it is {words}"
                advice = f"write {words}"
                yield Problem("agent_skills/not-read", message, where, advice)
        files = row.get("files")
        for index, name in enumerate(files if isinstance(files, list) else ()):
            if not isinstance(name, str):
                message = "a file is read only if it is a text, its path"
                where = (*path, "files", index)
                yield Problem("agent_skills/not-read", message, where, "write its path")
        if row.get("id") is not None and not _is_id(row["id"]):
            message = "`id` is read only if it is a number or a text"
            yield Problem("agent_skills/not-read", message, (*path, "id"), "write a number")


def _is_id(value: Any) -> bool:
    return isinstance(value, str | int | float) and not isinstance(value, bool)


def predict(case: dict[str, Any], variant: str) -> Iterator[GraderPrediction]:
    """Predict the graders of a case. What has another type is not read, so nothing grades it."""
    read = {
        key: value
        for key, value in case.items()
        if key not in _GRADED or isinstance(value, _GRADED[key])
    }
    return predictions("agent_skills", read, variant, facts={})


def _nothing_graded(row: dict[str, Any], path: Path, variant: str) -> Iterator[Problem]:
    if all(each.state != "run" for each in predict(row, variant)):
        key = "must_contain_any" if variant == BEST_PRACTICES else statements_key(variant)
        message = "nothing decides on the output of the case, so that it passes"
        yield Problem("agent_skills/no-assertion", message, path, f"write `{key}`")


def _without_effect(row: dict[str, Any], path: Path, variant: str) -> Iterator[Problem]:
    """Yield what says nothing of an output, or is the same of each."""
    for key in _GRADED:
        for index, text in enumerate(statements_of(row.get(key)) or ()):
            if not text.strip() and (key not in _STATEMENTS or key == statements_key(variant)):
                message = f"a text of `{key}` is blank, and says nothing of the output"
                where = (*path, key, index)
                yield Problem("agent_skills/empty-item", message, where, "write it, or remove it")
    assertions = row.get("tool_assertions") if variant == GUIDE else None
    for index, assertion in enumerate(assertions or ()):
        if found := _why_failing(assertion):
            key, why = found
            message = f"{why}: the assertion fails whatever is called"
            where = (*path, "tool_assertions", index, key)
            yield Problem("agent_skills/always-fails", message, where, _ADVICE[key])


def _why_failing(assertion: dict[str, Any]) -> tuple[str, str] | None:
    """Return why an assertion can only fail, and the key that decides; None if it can pass."""
    if assertion["type"] == "tool-arg-matches":
        flags = assertion.get("flags")
        fault = pattern_fault(assertion["pattern"], flags if isinstance(flags, str) else "")
        return ("pattern", f"the pattern does not compile: {fault}") if fault else None
    least, most = (assertion.get(key) for key in ("min", "max"))
    if assertion["type"] != "tool-call-count" or not is_finite_number(most):
        return None
    least = max(0, least) if is_finite_number(least) else 0
    if math.ceil(least) <= most:
        return None
    return "max", f"no number of calls is at least {least:g} and at most {most:g}"


class AgentSkills(Format):
    """The cases of a skill, for one of the programs that run them."""

    name = "agent_skills"
    title = "Agent Skills"
    variants = VARIANTS
    media = ("json",)
    basis = "agent-skills-eval 0.1.1, run; skill-creator and ai_best_practices per public files"
    row_checker = AgentSkillsChecker
    conversion = "evalcontract.formats.agent_skills.conversion:CaseLens"
    codes = codes_of_system(
        "agent_skills",
        # JSON.parse rejects what Python reads as a number that is not finite.
        rejected=("empty-value", "unknown-value", "not-finite"),
        silently_accepted=(
            *("always-fails", "empty-item", "missing-file", "no-evals", "not-read", "other-name"),
        ),
        guesses=("misplaced-key", "no-assertion"),
    )
    readers = READERS

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect cases by their keys."""
        variant = variant_of(value)
        return cls(variant) if variant else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        return find_rows(file, self.variant, schema)

    def name_of(self, row: Any) -> str | None:
        given = row.get("id") if isinstance(row, dict) else None
        is_id = isinstance(given, str | int) and not isinstance(given, bool)
        return str(given) if is_id else None

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        return predict(row, self.variant)
