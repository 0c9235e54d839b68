"""`evals.json` of ai_best_practices: each case becomes a row, each sort of case a rubric.

The checks are what the runner of that project computes: an empty list, `false` and a rule that
allows every output are no checks. All checks have to pass.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from evalcontract.checks.markdown_structure import IDLE
from evalcontract.formats._conversion import Loss
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import lazy_pattern
from evalcontract.structure.schemas import definition, known_keys, load

#: The version of every rubric that is made.
VERSION = "1.0.0"
_CHARACTERS = lazy_pattern(r"[^a-z0-9]+")


def snake_case(text: str, default: str) -> str:
    """Return an id made of the ASCII letters and digits of a text, or of a default without any."""
    name = _CHARACTERS.sub("_", text.lower()).strip("_") or default
    return name if name[0].isalpha() else f"{default}_{name}"


class Names:
    """Names that are all different."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}  # the number that each name was given last

    def take(self, name: str) -> str:
        """Return a name that was not taken before, if need be with `_2`, `_3` … at its end."""
        free, number = name, self._last.get(name, 1)
        while free in self._last:
            number += 1
            free = f"{name}_{number}"
        self._last[name] = number
        self._last.setdefault(free, 1)
        return free


class Rubrics:
    """The rubrics that are made, by id; rows with equal checks and scoring share one."""

    def __init__(self) -> None:
        self.made: dict[str, dict[str, Any]] = {}
        self._known: dict[str, str] = {}
        self._names = Names()

    @property
    def references(self) -> set[str]:
        """The references to all of them."""
        return {f"rubric/{id_}@{VERSION}" for id_ in self.made}

    def reference_to(
        self, name: str, description: str, checks: list[dict[str, Any]], scoring: dict[str, Any]
    ) -> str:
        """Return the reference to the rubric with these checks, which is made if it is new."""
        key = json.dumps([checks, scoring], sort_keys=True)
        if key not in self._known:
            id_ = self._known[key] = self._names.take(name)
            head = {"id": id_, "version": VERSION, "description": description}
            self.made[id_] = {**head, "checks": checks, "scoring": scoring}
        return f"rubric/{self._known[key]}@{VERSION}"


@dataclass
class FileMigration:
    """What one file becomes.

    `losses` are told by the place in the source that they have. `notes` say what is graded in
    another way than before. `judges` are ids of starter judges.
    """

    root: dict[str, Any] = field(default_factory=dict)
    rows: list[dict[str, Any]] = field(default_factory=list)
    losses: list[tuple[Path, Loss]] = field(default_factory=list)
    notes: dict[str, int] = field(default_factory=dict)
    judges: set[str] = field(default_factory=set)

    def lose(self, path: Path, *losses: Loss) -> None:
        """Record what is lost below a path."""
        self.losses += [(path, loss) for loss in losses]

    def note(self, text: str) -> None:
        """Count a difference in how something is graded."""
        self.notes[text] = self.notes.get(text, 0) + 1


#: The keys of the list of cases; the second is that of older files.
CASES = ("evals", "behavioral_cases")
#: The name of the schema of these files.
SCHEMA = "migration/evals"

_ALL_PASS = {"combine": "all_pass"}
_UNKNOWN = "the runner of ai_best_practices does not read it"
_UNGRADED = "prose that no check reads"
_EVERY_OUTPUT = "every output contains the empty text, so that it {verdict} every output"
_MAX_LEVEL = 6
#: How a rubric is called: a word for each kind of check, in this order.
_WORDS = {
    "must_contain_any": "contains",
    "must_not_contain": "excludes",
    "php_lint": "php",
    "markdown_structure": "markdown",
}
_NOTES = {
    "php_lint": "`php_lint` is unavailable on a machine without PHP; the old runner passed there",
    "markdown_structure": "`markdown_structure` parses Markdown; the old runner looked at the "
    "first characters of lines",
    "min_paragraphs": "`min_paragraphs` counts paragraphs; the old runner counted lines of text",
}


def move(value: dict[str, Any], name: str, rubrics: Rubrics) -> FileMigration:
    """Return the dataset of a valid file; `name` is its id if the file names no skill."""
    moved = FileMigration(_root(value, name))
    known = load(SCHEMA)["properties"]
    moved.lose((), *(Loss((key,), _UNKNOWN, is_kept=False) for key in value if key not in known))
    names = Names()
    for key in CASES:
        for index, case in enumerate(value.get(key, ())):
            moved.rows.append(_row(case, (key, index), names, rubrics, moved))
    return moved


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
    case: dict[str, Any],
    path: tuple[str, int],
    names: Names,
    rubrics: Rubrics,
    moved: FileMigration,
) -> dict[str, Any]:
    row: dict[str, Any] = {"id": _id(case, path, names, moved), "input": case["prompt"]}
    checks: list[dict[str, Any]] = []
    for key in ("must_contain_any", "must_not_contain"):
        if texts := [*_texts(case, key, path, moved)]:
            row[key] = texts
            checks.append({"id": key, "kind": key})
    if case.get("check_php_lint"):
        checks.append({"id": "php_lint", "kind": "php_lint", "on_no_code": "pass"})
    if rules := _markdown_rules(case, path, moved):
        checks.append({"id": "markdown_structure", "kind": "markdown_structure", **rules})
    for noted in (*(check["kind"] for check in checks), *(rules or ())):
        if noted in _NOTES:
            moved.note(_NOTES[noted])
    if checks:
        name = "_".join(_WORDS[check["kind"]] for check in checks)
        text = "Every check has to pass, as in the runner of ai_best_practices."
        row["rubric_ref"] = rubrics.reference_to(name, text, checks, _ALL_PASS)
    row |= _prose(case, path, moved, is_graded=bool(checks))
    known = known_keys(definition("case", of=SCHEMA)["$defs"]["case"], case, {})
    moved.lose(path, *(Loss((key,), _UNKNOWN, is_kept=False) for key in case if key not in known))
    return row


def _id(case: dict[str, Any], path: tuple[str, int], names: Names, moved: FileMigration) -> str:
    """Return the id of a case as the old runner prints it: `B01` for 1."""
    given = case.get("id", path[1] + 1)
    wanted = f"B{given:02d}" if isinstance(given, int) else given.strip() or f"B{path[1] + 1:02d}"
    name = names.take(wanted)
    if name != wanted:
        moved.lose(path, Loss(("id",), "another case has it: a number was added", is_kept=False))
    return name


def _texts(
    case: dict[str, Any], key: str, path: tuple[str, int], moved: FileMigration
) -> Iterator[str]:
    """Yield the texts of a list, each once; none if a check of them would pass every output."""
    texts = [*dict.fromkeys(case.get(key, ()))]
    if "" in texts:
        is_any = key == "must_contain_any"
        reason = _EVERY_OUTPUT.format(verdict="passed" if is_any else "failed")
        moved.lose(path, Loss((key,) if is_any else (key, case[key].index("")), reason, False))
        texts = [] if is_any else [text for text in texts if text]
    seen: set[str] = set()
    for text in texts:
        if text.lower() not in seen:  # the check ignores case
            yield text
        seen.add(text.lower())


def _markdown_rules(
    case: dict[str, Any], path: tuple[str, int], moved: FileMigration
) -> dict[str, Any] | None:
    """Return the rules for Markdown that restrict the output."""
    given = case.get("check_markdown_structure")
    if given is None:
        return None
    unknown = [key for key in given if key not in IDLE]
    at = "check_markdown_structure"
    moved.lose(path, *(Loss((at, key), _UNKNOWN, is_kept=False) for key in unknown))
    rules = {key: given[key] for key in IDLE if key in given and given[key] != IDLE[key]}
    if rules.get("max_heading_level", 0) > _MAX_LEVEL:
        del rules["max_heading_level"]
    return rules


def _prose(
    case: dict[str, Any], path: tuple[str, int], moved: FileMigration, *, is_graded: bool
) -> dict[str, Any]:
    """Return what a row keeps of the prose of a case, and of where it comes from.

    Without a check, the prose is all that the case expects: it becomes `criteria` for a judge.
    """
    metadata: dict[str, Any] = {}
    prose = [case.get("expected_output", ""), *case.get("expectations", ())]
    if not is_graded and any(text.strip() for text in prose):
        moved.note("a case without checks passed always; its prose became `criteria` for a judge")
        kept: dict[str, Any] = {"criteria": "\n".join(text for text in prose if text.strip())}
    else:
        kept = {}
        for key in ("expected_output", "expectations"):
            if case.get(key):
                metadata[key] = case[key]
                moved.lose(path, Loss((key,), _UNGRADED, is_kept=True))
    if "source" in case:
        metadata["source"] = case["source"]
    return {**kept, "metadata": metadata} if metadata else kept
