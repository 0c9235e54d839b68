"""What is migrated: `evals.json` of ai_best_practices, and targets and datasets of ai_eval.

Of ai_best_practices, each case becomes a row, each sort of case a rubric. The checks are what the
runner of that project computes: an empty list, `false` and a rule that allows every output are no
checks. All checks have to pass. Of ai_eval, graders become rubrics, and rows name those that grade
them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from evalcontract.checks.markdown_structure import IDLE
from evalcontract.converting.placing import Names, snake_case
from evalcontract.formats._conversion import Loss
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.schemas import definition, known_keys, load
from evalcontract.structure.validator import structure_of

#: The version of every rubric that is made, and of the starter judges.
VERSION = "1.0.0"


class Rubrics:
    """The rubrics that are made, by id; rows with equal checks and scoring share one."""

    def __init__(self) -> None:
        self.by_id: dict[str, dict[str, Any]] = {}
        self._ids: dict[str, str] = {}
        self._names = Names()

    @property
    def references(self) -> set[str]:
        """The references to all of them."""
        return {f"rubric/{id_}@{VERSION}" for id_ in self.by_id}

    def reference_to(
        self, name: str, description: str, *, checks: list[dict[str, Any]], scoring: dict[str, Any]
    ) -> str:
        """Return the reference to the rubric with these checks, which is made if it is new."""
        key = json.dumps([checks, scoring], sort_keys=True)
        if key not in self._ids:
            id_ = self._ids[key] = self._names.take(name)
            head = {"id": id_, "version": VERSION, "description": description}
            self.by_id[id_] = {**head, "checks": checks, "scoring": scoring}
        return f"rubric/{self._ids[key]}@{VERSION}"


@dataclass
class FileMigration:
    """What one file becomes: a dataset with its losses, each below a path of the source.

    `notes` say what is graded in another way than before, and how often.
    """

    root: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    losses: list[tuple[Path, Loss]] = field(default_factory=list)
    notes: Counter[str] = field(default_factory=Counter)

    def lose(self, reason: str, *paths: Path, below: Path = (), is_kept: bool = False) -> None:
        """Record that what stands at some paths is lost, or is kept only in metadata."""
        self.losses += [(below, Loss(path, reason, is_kept)) for path in paths]


#: The keys of the list of cases; the second is that of older files.
CASES = ("evals", "behavioral_cases")
#: The name of the schema of these files.
EVALS = "migration/evals"

_ALL_PASS = {"combine": "all_pass"}
_UNREAD = "the runner of ai_best_practices does not read it"
_UNGRADED = "prose that no check reads"
_PROSE = "a case without checks passed always; its prose became `criteria` for a judge"
_EVERY_OUTPUT = "every output contains the empty text, so that it {verdict} every output"
_MAX_LEVEL = 6
#: How a rubric is called: a word for each kind of check, in this order.
_WORDS = {
    "must_contain_any": "contains",
    "must_not_contain": "excludes",
    "php_lint": "php",
    "markdown_structure": "markdown",
}
_NOTES_ON_CASES = {
    "php_lint": "`php_lint` is unavailable on a machine without PHP; the old runner passed there",
    "markdown_structure": "`markdown_structure` parses Markdown; the old runner looked at the "
    "first characters of lines",
    "min_paragraphs": "`min_paragraphs` counts paragraphs; the old runner counted lines of text",
}


def move_evals(value: dict[str, Any], name: str, rubrics: Rubrics) -> FileMigration:
    """Return the dataset of a valid file; `name` is its id if the file names no skill."""
    migration = FileMigration(_root(value, name))
    known = load(EVALS)["properties"]
    migration.lose(_UNREAD, *((key,) for key in value if key not in known))
    names = Names()
    for key in CASES:
        for index, case in enumerate(value.get(key, ())):
            id_ = _id(case, (key, index), names, migration=migration)
            migration.rows.append(
                {"id": id_, **_row(case, (key, index), rubrics, migration=migration)}
            )
    return migration


def _root(value: dict[str, Any], name: str) -> dict[str, Any]:
    skill = value.get("skill_name", "")
    root: dict[str, Any] = {"id": snake_case(skill, name)}
    if skill.strip():
        root["label"] = skill
    if "description" in value:
        root["description"] = value["description"]
    if "skill_file" in value:
        root["metadata"] = {"skill_file": value["skill_file"]}
    return root


def _row(
    case: dict[str, Any], path: tuple[str, int], rubrics: Rubrics, migration: FileMigration
) -> dict[str, Any]:
    """Return the row of a case, but for its id."""
    row: dict[str, Any] = {"input": case["prompt"]}
    checks: list[dict[str, Any]] = []
    for key in ("must_contain_any", "must_not_contain"):
        if texts := [*_texts(case, key, path, migration=migration)]:
            row[key] = texts
            checks.append({"id": key, "kind": key})
    if case.get("check_php_lint"):
        checks.append({"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"})
    if rules := _markdown_rules(case, path, migration):
        checks.append({"id": "markdown_structure", "kind": "markdown_structure", **rules})
    names = (*(check["kind"] for check in checks), *(rules or ()))
    migration.notes.update(_NOTES_ON_CASES[name] for name in names if name in _NOTES_ON_CASES)
    if checks:
        name = "_".join(_WORDS[check["kind"]] for check in checks)
        text = "Every check has to pass, as in the runner of ai_best_practices."
        row["rubric_ref"] = rubrics.reference_to(name, text, checks=checks, scoring=_ALL_PASS)
    row |= _prose(case, path, migration, is_graded=bool(checks))
    known = known_keys(definition("case", of=EVALS)["$defs"]["case"], case, {})
    migration.lose(_UNREAD, *((key,) for key in case if key not in known), below=path)
    return row


def _id(case: dict[str, Any], path: tuple[str, int], names: Names, migration: FileMigration) -> str:
    """Return the id of a case as the old runner prints it: `B01` for 1."""
    given = case.get("id", path[1] + 1)
    wanted = f"B{given:02d}" if isinstance(given, int) else given.strip() or f"B{path[1] + 1:02d}"
    name = names.take(wanted)
    if name != wanted:
        migration.lose("another case has it: a number was added", ("id",), below=path)
    return name


def _texts(
    case: dict[str, Any], key: str, path: tuple[str, int], migration: FileMigration
) -> Iterator[str]:
    """Yield the texts of a list, each once; none if a check of them would pass every output."""
    texts = [*dict.fromkeys(case.get(key, ()))]
    if "" in texts:
        is_any = key == "must_contain_any"
        reason = _EVERY_OUTPUT.format(verdict="passed" if is_any else "failed")
        migration.lose(reason, (key,) if is_any else (key, case[key].index("")), below=path)
        texts = [] if is_any else [text for text in texts if text]
    seen: set[str] = set()
    for text in texts:
        if text.lower() not in seen:  # the check ignores case
            yield text
        seen.add(text.lower())


def _markdown_rules(
    case: dict[str, Any], path: tuple[str, int], migration: FileMigration
) -> dict[str, Any] | None:
    given = case.get("check_markdown_structure")
    if given is None:
        return None
    unknown = (("check_markdown_structure", key) for key in given if key not in IDLE)
    migration.lose(_UNREAD, *unknown, below=path)
    rules = {key: given[key] for key in IDLE if key in given and given[key] != IDLE[key]}
    if rules.get("max_heading_level", 0) > _MAX_LEVEL:
        del rules["max_heading_level"]
    return rules


def _prose(
    case: dict[str, Any], path: tuple[str, int], migration: FileMigration, *, is_graded: bool
) -> dict[str, Any]:
    """Return what a row keeps of the prose of a case, and of where it comes from."""
    # Without a check, the prose is all that the case expects: it becomes `criteria` for a judge.
    metadata: dict[str, Any] = {}
    prose = [case.get("expected_output", ""), *case.get("expectations", ())]
    if not is_graded and any(text.strip() for text in prose):
        migration.notes[_PROSE] += 1
        fields: dict[str, Any] = {"criteria": "\n".join(text for text in prose if text.strip())}
    else:
        fields = {}
        for key in ("expected_output", "expectations"):
            if case.get(key):
                metadata[key] = case[key]
                migration.lose(_UNGRADED, (key,), below=path, is_kept=True)
    if "source" in case:
        metadata["source"] = case["source"]
    return {**fields, "metadata": metadata} if metadata else fields


#: The name of the schema of a configuration of graders.
GRADERS = "migration/graders"

_OF_EVERY_CHECK = ("id", "kind", "label", "description", "metadata")
_SUFFIX = "_grader"
#: The grader of ai_eval that runs the rubric of a row.
RUBRIC_CHECKS = "rubric_checks"
#: The kind of check of each grader, without the end `_grader` of its id. Those that ask a model
#: have a starter judge of the same name.
JUDGED = ("accuracy", "relevance", "completeness", "actionability", "groundedness")
_KINDS = {
    **dict.fromkeys(JUDGED, "llm_judge"),
    "fact_match": "fact_match",
    "format": "format",
    "tool_usage": "tool_usage",
    "structured_match": "json_schema",
    RUBRIC_CHECKS: "composite",
}
#: What a setting is called here, by the kind of check.
_RENAMED = {"fact_match": {"threshold": "min_recall"}}


class GraderCheck(NamedTuple):
    """A grader as a check; that of `rubric_checks` has no `rubric_ref` yet, which rows provide."""

    name: str
    check: dict[str, Any]
    weight: float


def _graders_in(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any] | None, Path]]:
    """Yield the id, the settings and the path of each grader of a valid configuration."""
    given = value["graders"]
    if isinstance(given, dict):
        yield from ((id_, settings, ("graders", id_)) for id_, settings in given.items())
    else:
        yield from ((id_, None, ("graders", n)) for n, id_ in enumerate(given))


def misspelled_graders(value: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield the graders of a valid configuration that are probably misspelled."""
    for id_, _, path in _graders_in(value):
        name = id_.removesuffix(_SUFFIX)
        if name not in _KINDS and (meant := nearest(name, _KINDS)):
            message, end = f"unknown grader `{id_}`", id_[len(name) :]
            advice = f"did you mean `{meant}{end}`?"
            yield Problem("dataset/near-miss-key", message, path, advice, on_key=True)


def graders_of(value: Mapping[str, Any], migration: FileMigration) -> list[GraderCheck]:
    """Return the graders of a valid configuration, and record what of it is lost."""
    graders: dict[str, GraderCheck] = {}
    for id_, settings, path in _graders_in(value):
        grader = _grader(id_, settings or {}, path, migration=migration)
        if grader and grader.name in graders:
            migration.lose(f"`{grader.name}` is there twice", path)
        elif grader:
            graders[grader.name] = grader
    return [*graders.values()]


def _grader(
    id_: str, settings: dict[str, Any], path: Path, migration: FileMigration
) -> GraderCheck | None:
    name = id_.removesuffix(_SUFFIX)
    kind = _KINDS.get(name)
    if kind is None:
        migration.lose("no check kind does this", path)
        return None
    if settings.get("enabled", True) is False:
        migration.lose("it is not enabled", path)
        return None
    check: dict[str, Any] = {"id": name, "kind": kind}
    if name in JUDGED:
        check["judge_prompt_ref"] = f"judge/{name}@{VERSION}"
    check |= _parameters(check, settings, path, migration=migration)
    if kind == "json_schema" and not check.keys() & {"schema", "schema_ref"}:
        migration.lose("it has no `schema` for `json_schema`", path)
        return None
    return GraderCheck(name, check, settings.get("weight", 1))


def _parameters(
    check: dict[str, Any], settings: dict[str, Any], path: Path, migration: FileMigration
) -> dict[str, Any]:
    """Return the settings that are parameters of the kind, with values that its schema allows."""
    schema = definition(f"check_{check['kind']}", of="rubric")["$defs"][f"check_{check['kind']}"]
    known = known_keys(schema, check, load("rubric"))
    renamed = _RENAMED.get(check["kind"], {})
    parameters: dict[str, Any] = {}
    for key, value in settings.items():
        name = renamed.get(key, key)
        at = (*path, key)
        if key in ("enabled", "weight"):
            continue
        if name in _OF_EVERY_CHECK or name in check or name not in known:
            migration.lose(f"no parameter of `{check['kind']}`", at)
        elif faults := [*_faults({**check, name: value})]:
            migration.lose(f"as `{name}`: {faults[0]}", at)
        else:
            parameters[name] = value
    return parameters


def _faults(check: dict[str, Any]) -> Iterator[str]:
    if check["kind"] == "composite":  # rows name its rubric
        check = {"rubric_ref": "rubric/any@1.0.0", **check}
    rubric = {"id": "r", "version": "1.0.0", "checks": [check], "scoring": {"combine": "all_pass"}}
    for problem in structure_of("rubric").check(rubric):
        if problem.code in ILL_FORMED:
            yield problem.message


# Keys of sample datasets of ai_eval whose graders were never published.
_ORPHANS_OF_EXPECTED = ("route", "also_valid_routes", "tier", "entity_type", "project_id")
_ORPHANS = ("also_valid_routes", "also_valid")
_ORPHAN = "no grader of ai_eval was published that reads it"
#: The graders whose starter judges show `expected.facts`; a test compares their templates.
_SHOWN_FACTS = frozenset({"accuracy", "completeness"})
_UNKNOWN = "nothing here reads it"
_NOTES = {
    "fact_match": "`fact_match` looks for the text of each fact, ignoring case and spaces; ai_eval "
    "asked a model (`judge_prompt_ref` names a judge)",
    "must_not_contain": "`must_not_contain` is a check of its own; in ai_eval a forbidden text "
    "limited the score of `accuracy`",
    "facts": "`expected_facts` became `expected.facts`, which judges are shown",
    "facts_too": "`expected_facts` is `expected.facts`, too, which judges are shown",
    "rubric_ref": "the rubric of a row became a `composite` check",
    "untouched": "a row has nothing that the graders can grade; it has no rubric",
}


class TargetGraders:
    """The graders of a target, which make the rubrics of rows."""

    def __init__(
        self, value: dict[str, Any], name: str, migration: FileMigration, rubrics: Rubrics
    ) -> None:
        self.name = snake_case(value.get("id", ""), name)
        self._graders = graders_of(value, migration)
        self._rubrics = rubrics
        self._threshold = _threshold(value, migration)
        parts = (value.get(key, "").strip() for key in ("label", "description"))
        self._description = ": ".join(part for part in parts if part)
        known = load(GRADERS)["properties"]
        # The threshold is that of its rubrics.
        settings = load("target")["properties"].keys() & known.keys() - {"id", "threshold"}
        #: What a file for the target says, beside its dataset.
        self.settings = {key: part for key, part in value.items() if key in settings}
        migration.lose(_UNKNOWN, *((key,) for key in value if key not in known))

    def rubric_of_all(self, migration: FileMigration) -> str | None:
        """Return the reference to the rubric with all graders, for rows that are not there yet."""
        graders = [grader for grader in self._graders if grader.name != RUBRIC_CHECKS]
        return self._reference(graders, [], migration, name=self.name)

    def grade(self, row: dict[str, Any], path: Path, migration: FileMigration) -> dict[str, Any]:
        """Return a row with the reference to the rubric of the graders that can grade it."""
        graders = [grader for grader in self._graders if _can_grade(grader, row)]
        names = {grader.name for grader in graders}
        row = self._prepare(row, names, path, migration=migration)
        extra: list[dict[str, Any]] = []
        if "accuracy" in names and row.get("must_not_contain"):
            extra.append({"id": "must_not_contain", "kind": "must_not_contain"})
            migration.notes[_NOTES["must_not_contain"]] += 1
        if "rubric_ref" in row and RUBRIC_CHECKS in names:
            migration.notes[_NOTES["rubric_ref"]] += 1
            graders = [_with_rubric(grader, row["rubric_ref"]) for grader in graders]
        elif "rubric_ref" in row:
            migration.lose(
                f"`{RUBRIC_CHECKS}` is not among the graders", ("rubric_ref",), below=path
            )
        row = {key: value for key, value in row.items() if key != "rubric_ref"}
        reference = self._reference(graders, extra, migration, name=self._name_without(names))
        if reference is None:
            migration.notes[_NOTES["untouched"]] += 1
            return row
        return {**row, "rubric_ref": reference}

    def _name_without(self, names: set[str]) -> str:
        """Return a name for the rubric of rows that only some of the graders can grade."""
        left_out = [grader.name for grader in self._graders if grader.name not in names]
        words = [name for name in left_out if name != RUBRIC_CHECKS]
        return "_".join([self.name, *(["without", *words] if words else [])])

    def _prepare(
        self, row: dict[str, Any], names: set[str], path: Path, migration: FileMigration
    ) -> dict[str, Any]:
        """Return a row whose expectations stand where the checks read them."""
        if not names.isdisjoint(_SHOWN_FACTS) and row.get("expected_facts"):
            expected = {**row.get("expected", {}), "facts": row["expected_facts"]}
            is_read = "fact_match" in names
            row = {key: row[key] for key in row if is_read or key != "expected_facts"}
            row["expected"] = expected
            migration.notes[_NOTES["facts_too" if is_read else "facts"]] += 1
        expected = row.get("expected", {})
        own = {grader.name for grader in self._graders}
        if expected.get("format") == "text" and "format" in own - names:
            reason = "every output is text, and there is no other limit"
            migration.lose(reason, ("expected", "format"), below=path)
            row = _without(row, "format")
        return row

    def _reference(
        self,
        graders: list[GraderCheck],
        extra: list[dict[str, Any]],
        migration: FileMigration,
        name: str,
    ) -> str | None:
        if not graders:
            return None
        if any(grader.name == "fact_match" for grader in graders):
            migration.notes[_NOTES["fact_match"]] += 1
        scoring: dict[str, Any] = {"combine": "weighted_avg"}
        if any(grader.weight != 1 for grader in graders):
            scoring["weights"] = {grader.name: grader.weight for grader in graders}
            scoring["weights"] |= {check["id"]: 1 for check in extra}
        if self._threshold is not None:
            scoring["threshold"] = self._threshold
        text = self._description or "The graders of a target of ai_eval."
        checks = [*(grader.check for grader in graders), *extra]
        return self._rubrics.reference_to(name, text, checks=checks, scoring=scoring)


def move_dataset(value: dict[str, Any], name: str, target: TargetGraders | None) -> FileMigration:
    """Return a dataset of ai_eval; with a `target`, its rows refer to rubrics of its graders."""
    head = {key: part for key, part in value.items() if key != "questions"}
    migration = FileMigration({"id": name, **head})
    for index, given in enumerate(value["questions"]):
        path = ("questions", index)
        row = _without_orphans(given, path, migration)
        migration.rows.append(row if target is None else target.grade(row, path, migration))
    return migration


def _threshold(value: dict[str, Any], migration: FileMigration) -> float | None:
    given: float | None = value.get("threshold")
    if given is None or 0 <= given <= 1:
        return given
    reason = "scores are from 0 to 1 here, and the scale of this number is not documented"
    migration.lose(reason, ("threshold",))
    return None


def _can_grade(grader: GraderCheck, row: dict[str, Any]) -> bool:
    """Whether a grader can grade a row; ai_eval leaves it out of the average if it cannot."""
    check = grader.check
    match grader.name:
        case "fact_match":
            return bool(row.get("expected_facts")) or "facts" in check
        case "tool_usage":
            own = ("expected_tools", "forbidden_tools", "max_calls")
            return bool(row.get("expected_tools")) or any(key in check for key in own)
        case "format":
            limits = ("max_chars", "required_keys")
            is_json = (check.get("format") or row.get("expected", {}).get("format")) == "json"
            return is_json or any(key in check for key in limits)
        case "groundedness":
            return row.get("context") not in (None, "", [], {})
        case "rubric_checks":
            return "rubric_ref" in row
    return True


def _with_rubric(grader: GraderCheck, reference: str) -> GraderCheck:
    if grader.name != RUBRIC_CHECKS:
        return grader
    return grader._replace(check={**grader.check, "rubric_ref": reference})


def _without_orphans(row: dict[str, Any], path: Path, migration: FileMigration) -> dict[str, Any]:
    """Return a row with the keys that no grader reads in its metadata."""
    expected = row.get("expected", {})
    orphaned_values = {key: expected[key] for key in _ORPHANS_OF_EXPECTED if key in expected}
    paths: list[tuple[str, ...]] = [("expected", key) for key in orphaned_values]
    orphans: dict[str, Any] = {"expected": orphaned_values} if orphaned_values else {}
    for key in _ORPHANS:
        if key in row:
            orphans[key] = row[key]
            paths.append((key,))
    orphans = {key: part for key, part in orphans.items() if key not in row.get("metadata", {})}
    if not paths or len(orphans) < len({step[0] for step in paths}):
        return row
    migration.lose(_ORPHAN, *paths, below=path, is_kept=True)
    rest = {key: part for key, part in row.items() if key not in _ORPHANS}
    return {**_without(rest, *orphaned_values), "metadata": {**row.get("metadata", {}), **orphans}}


def _without(row: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return a row without keys of `expected`, and without that if nothing is left of it."""
    if not keys or "expected" not in row:
        return row
    rest = {key: part for key, part in row["expected"].items() if key not in keys}
    others = {key: part for key, part in row.items() if key != "expected"}
    return {**others, "expected": rest} if rest else others
