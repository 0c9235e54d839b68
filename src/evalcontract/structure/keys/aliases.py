"""The words that no schema can tell: names of other tools, and words that are no near miss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.model.nearest import normalise

if TYPE_CHECKING:
    from collections.abc import Container

#: Ordinary words, one edit away from a known key of the contract, that authors use for their
#: own ends.
EVERYDAY_WORDS = frozenset(
    {
        "content",
        "contest",
        "fnr",
        "fpr",
        "labels",
        "level",
        "libel",
        "mode",
        "modes",
        "motel",
        "stage",
        "stags",
        "tabs",
        "taps",
        "type",
        "versions",
    }
)


class KeyAlias(NamedTuple):
    """What other tools call keys of ours; the first of `ours` that a mapping knows is meant.

    `distinct` names are nobody's own word. `how` says what to write, where that is not simply
    the other key; a `weak` name is told only where no other one tells the same. `of_rows` names
    count only over a list of mappings. Of a `same` one nothing but the name differs.
    """

    ours: tuple[str, ...]
    distinct: bool = False
    how: str | None = None
    weak: bool = False
    of_rows: bool = False
    same: bool = False

    @property
    def renaming(self) -> bool | None:
        """Whether to rename it is certain to be right; None where more has to be done."""
        return None if self.how else self.same


class AliasMatch(NamedTuple):
    """What we call a key of another tool. The lower its `rank`, the surer.

    For `renaming` see `KeyAlias`.
    """

    key: str
    advice: str
    rank: int
    renaming: bool | None = None


_EXPECTED = "`expected_facts` (a list) or `criteria` (prose), or below `expected`"
_RUBRIC = "`rubric_ref`, and the checks go into a rubric"
_ANSWERED = "what the system answers has no place in a row; what is expected is"
_RECORDED = "what the system answers has no place in a row: remove it, or put it below `metadata`"


def _each(names: str, foreign: KeyAlias) -> dict[str, KeyAlias]:
    return dict.fromkeys(names.split(), foreign)


def _same(ours: str) -> KeyAlias:
    return KeyAlias((ours,), same=True)


#: Keys that authors bring from other tools, by what we call them.
ALIASES = {
    **_each(
        "question query request user_query user_message messages", KeyAlias(("input",), same=True)
    ),
    **_each("user_input vars", KeyAlias(("input",), distinct=True, same=True)),
    **_each("prompt instruction instructions", KeyAlias(("input", "template"), same=True)),
    **_each("system_prompt rubric", KeyAlias(("template",))),
    **_each(
        "prompt_template judge_prompt grading_prompt evaluation_prompt rubric_prompt",
        KeyAlias(("template",), distinct=True, same=True),
    ),
    **_each("choices categories rails labels levels scale", KeyAlias(("level_names",), same=True)),
    **_each("choice_strings", KeyAlias(("level_names",), distinct=True, same=True)),
    **_each("choice_scores", KeyAlias(("level_values",), distinct=True, same=True)),
    **_each(
        "expected_output expected_outputs expected_response expected_answer ground_truth"
        " groundtruth reference_answer reference_output reference_outputs gold_answer expectations"
        " expect expects",
        KeyAlias(("expected",), distinct=True),
    ),
    **_each("reference answer target ideal", KeyAlias(("expected",))),
    **_each(
        "response completion output outputs",
        KeyAlias(("expected",), how=f"{_ANSWERED} {_EXPECTED}", weak=True),
    ),
    **_each("actual_output actual_outputs", KeyAlias(("expected",), distinct=True, how=_RECORDED)),
    "reference_contexts": KeyAlias(
        ("expected",), distinct=True, how="here it goes below `expected`"
    ),
    **_each(
        "assert asserts assertions testing_criteria",
        KeyAlias(("rubric_ref", "checks", "questions"), distinct=True),
    ),
    **_each("graders evaluators", KeyAlias(("rubric_ref", "checks"))),
    **_each("scorers metrics rules criteria tests", KeyAlias(("checks",))),
    **_each("guidelines grading_notes", KeyAlias(("criteria",))),
    "tool_calls": KeyAlias(("expected_tools",)),
    **_each(
        "expected_tool_calls reference_tool_calls",
        KeyAlias(("expected_tools",), distinct=True, same=True),
    ),
    **_each("not_contains must_exclude", KeyAlias(("must_not_contain",), distinct=True, same=True)),
    **_each(
        "must_contain must_include should_contain",
        KeyAlias(
            ("expected_facts",),
            distinct=True,
            how="here it is `expected_facts`, or a `must_contain_any` check of the rubric",
        ),
    ),
    **_each(
        "retrieved_context retrieved_contexts retrieval_context retrieved_documents",
        KeyAlias(("context",), distinct=True, same=True),
    ),
    "default_test": KeyAlias(("questions",), distinct=True),
    **_each("test_cases goldens", KeyAlias(("questions",), of_rows=True)),
    "type": KeyAlias(("kind",), same=True),
}
# `tests` are checks in a rubric, and rows in a dataset.
ALIASES["tests"] = KeyAlias(("checks", "questions"), of_rows=True)

#: What a closed mapping does not take, by what it may stand for. There every unknown key is a
#: fault already: this only says more.
CLOSED_ALIASES = {
    **_each("value text texts words phrases strings substrings keywords", _same("values")),
    **_each("judge judge_ref prompt rubric_prompt", _same("judge_prompt_ref")),
    **_each("regex regexp expression", _same("pattern")),
    **_each("args params parameters input", _same("arguments")),
    "tool": _same("name"),
    **_each("name idd ids uid identifier check_id key", KeyAlias(("id",))),
    "judges": KeyAlias(("jury",)),
    "tools": KeyAlias(("expected_tools",)),
    "timeout": KeyAlias(("timeout_seconds",)),
    "max_length": _same("max_chars"),
    "max_characters": _same("max_chars"),
    **_each("mode method strategy aggregate aggregation operator", _same("combine")),
    **_each("threshold recall", KeyAlias(("min_recall",))),
    **_each("pass_threshold min_score", KeyAlias(("threshold",))),
    **_each("schema_file schema_path", _same("schema_ref")),
    **_each("not negated inverse invert", _same("negate")),
    **_each(
        "ignore_case case_insensitive", KeyAlias(("case_sensitive",), how="it is the opposite")
    ),
    **_each("true_positive true_positives", _same("tp")),
    **_each("false_negative false_negatives", _same("fn")),
    **_each("true_negative true_negatives", _same("tn")),
    **_each("false_positive false_positives", _same("fp")),
    **_each("strict strict_mode strictness", _same("strict_validation")),
    **_each("max_age max_age_days max_validation_age", KeyAlias(("max_validation_age_days",))),
    **_each("data dataset_file dataset_path file path", KeyAlias(("dataset",))),
}

# Where one of these is set, the row says what it expects, and an ordinary word is its own.
_EXPECTATIONS = ("criteria", "expected", "expected_facts", "rubric_ref")
# Beside these a row may well keep what another tool has it by.
_KEPT = ("input", "context")
_SURE, _ORDINARY, _WEAK = range(3)


def canonical_key(
    key: str, known: Container[str], value: dict[str, Any], missing: Container[str]
) -> AliasMatch | None:
    """Return what we call a key of another tool; None where it is rather the author's own word.

    An ordinary word counts only where what it would mean is missing.
    """
    foreign = ALIASES.get(normalise(key))
    ours = next((each for each in foreign.ours if each in known), None) if foreign else None
    if foreign is None or ours is None or not _counts(foreign, ours, value, missing, key):
        return None
    rank = _SURE if foreign.distinct else _WEAK if foreign.weak else _ORDINARY
    how = {"expected": _EXPECTED, "rubric_ref": _RUBRIC}.get(ours, f"`{ours}`")
    advice = foreign.how or f"here it is {how}"
    if ours == "questions" and not foreign.of_rows:
        return AliasMatch(ours, "here each row says for itself what is expected", rank)
    return AliasMatch(ours, advice, rank, foreign.renaming)


def _counts(
    foreign: KeyAlias, ours: str, value: dict[str, Any], missing: Container[str], key: str
) -> bool:
    there = ours in value
    if foreign.of_rows and ours == "questions":
        rows = value[key]
        return isinstance(rows, list) and any(isinstance(row, dict) for row in rows)
    if foreign.distinct:
        return not (there and ours in _KEPT)
    silent = not any(each in value for each in _EXPECTATIONS)
    is_expected = ours in (*_EXPECTATIONS, "expected_tools")
    return not there and (ours in missing or (is_expected and silent))


def canonical_closed_key(key: str, known: Container[str], value: Container[str]) -> str | None:
    """Return the key of a closed mapping that an unknown one stands for by what it means."""
    foreign = CLOSED_ALIASES.get(normalise(key))
    ours = foreign.ours if foreign else ()
    return next((each for each in ours if each in known and each not in value), None)


def closed_renaming(key: str, ours: str) -> bool | None:
    """Tell of an unknown key of a closed mapping, and what it stands for, as `KeyAlias` does.

    What is no name of another tool was guessed, and that is never certain.
    """
    foreign = CLOSED_ALIASES.get(normalise(key))
    return foreign.renaming if foreign and ours in foreign.ours else False
