"""What the rules about judges say, beyond where: numbers, advice, and that they never break."""

from __future__ import annotations

import hashlib
import json
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case
from texts import facts

if TYPE_CHECKING:
    from evalcontract import Diagnostic

FIXTURES = Path(__file__).parents[2] / "fixtures" / "rules" / "judge"
JUDGE = {"id": "a", "version": "1.0.0", "template": "Is it right? {{ output }}"}
DATED = {"validated_at": "2026-05-08"}
MEASURED = DATED | {"tpr": 0.95, "tnr": 0.9}
CAREFUL = ("groundedness", "helpfulness", "tone_of_voice")


def check(folder: Path, text: str, suffix: str = "json") -> list[Diagnostic]:
    (folder / "judges").mkdir(exist_ok=True)
    (folder / "judges" / f"a.{suffix}").write_text(text, encoding="utf-8")
    options = Options(root=folder, strict=True, today=date(2026, 6, 1))
    return check_workspaces(folder, options).diagnostics


def only(folder: Path, **keys: Any) -> tuple[str, str]:
    """Return the code and the words of the one finding of a judge."""
    (found,) = check(folder, json.dumps(JUDGE | keys))
    return found.code, f"{found.message}\n{found.help or ''}"


@pytest.mark.parametrize("name", CAREFUL)
def test_a_careful_judge_is_clean_in_strict_mode_too(name: str, tmp_path: Path) -> None:
    text = (FIXTURES / f"{name}.yaml").read_text(encoding="utf-8")
    assert check(tmp_path, text.replace(f"id: {name}", "id: a"), "yaml") == []


def test_small_sample_says_how_sure_the_rates_are(tmp_path: Path) -> None:
    validation = DATED | {"tpr": 0.9, "tnr": 0.8, "sample_size": 40}
    code, said = only(tmp_path, validation=validation)
    assert code == "judge/small-sample"
    assert facts(said)[:5] == ["40", "0.70", "0.97", "0.58", "0.92"]


LEVELS = {"score_type": "levels", "level_names": ["bad", "good"]}


@every_case(
    ("scale", "threshold", "start"),
    [
        ({**LEVELS, "level_values": [2, 6]}, 2, "everything passes: the lowest grade is 2"),
        ({**LEVELS, "level_values": [6, 2]}, 7, "nothing can pass: the highest grade is 6"),
        ({**LEVELS, "level_values": [2, 6]}, 6, None),
        (LEVELS, 0, "everything passes: the lowest grade is 0"),
        (LEVELS, 1.5, "nothing can pass: the highest grade is 1"),
        (LEVELS, 1, None),
        ({"score_type": "continuous"}, 0, "everything passes: the lowest grade is 0"),
        ({"score_type": "continuous", "min_score": 1, "max_score": 5}, 1, "everything passes"),
        ({"score_type": "continuous", "min_score": 1, "max_score": 5}, 2, None),
    ],
)
def test_thresholds_that_decide_nothing(
    scale: dict[str, Any], threshold: float, start: str | None, tmp_path: Path
) -> None:
    judge = {**JUDGE, **scale, "pass_threshold": threshold}
    problems = check(tmp_path, json.dumps(judge))
    told = [each.message for each in problems if each.code == "judge/ineffective-threshold"]
    assert len(told) == (start is not None)
    assert all(message.startswith(str(start)) for message in told)


def test_small_class_is_counted_with_its_own_size(tmp_path: Path) -> None:
    counts = {"tp": 95, "fn": 5, "tn": 9, "fp": 1}
    code, said = only(tmp_path, validation=DATED | {"confusion_matrix": counts})
    assert code == "judge/small-sample"
    assert facts(said)[:5] == ["10", "0.89", "0.98", "0.60", "0.98"]


def test_a_small_sample_whose_numbers_disagree_is_one_finding(tmp_path: Path) -> None:
    counts = {"tp": 5, "fn": 5, "tn": 5, "fp": 5}
    validation = DATED | {"sample_size": 200, "confusion_matrix": counts}
    code, said = only(tmp_path, validation=validation)
    assert code == "judge/validation-disagrees"
    assert facts(said)[:2] == ["200", "20"]


def test_a_wrong_count_says_all_that_it_contradicts(tmp_path: Path) -> None:
    counts = {"tp": 5, "fn": 5, "tn": 52, "fp": 8}
    rates = {"tpr": 0.92, "tnr": 0.87, "sample_size": 120}
    validation = DATED | rates | {"confusion_matrix": counts}
    code, said = only(tmp_path, validation=validation)
    assert code == "judge/validation-disagrees"
    assert {"0.92", "5", "10", "0.5", "70"} <= set(facts(said))
    assert "0.87" not in said


@every_case(
    ("written", "agrees"),
    [("0.9", True), ("0.92", True), ("0.917", True), ("0.91667", True), ("9.2e-1", True),
     ("0.90", False), ("0.91", False), ("0.9166", False), ("0.8", False), ("1.0", False),
     ("1", False)],
)  # fmt: skip
def test_rounding_is_that_of_the_digits_that_stand_there(
    written: str, *, agrees: bool, tmp_path: Path
) -> None:
    """The rate is 55 / 60, that is 0.91666 and so on."""
    counts = "{tp: 55, fn: 5, tn: 55, fp: 5}"
    head = "id: a\nversion: '1.0.0'\ntemplate: '{{ output }}'\n"
    date_ = "validated_at: 2026-05-08"
    validation = f"validation: {{tpr: {written}, confusion_matrix: {counts}, {date_}}}\n"
    found = check(tmp_path, head + validation, "yaml")
    assert [each.code for each in found] == ([] if agrees else ["judge/validation-disagrees"])


def test_the_right_digest_is_told(tmp_path: Path) -> None:
    digest = hashlib.sha256(JUDGE["template"].encode()).hexdigest()
    validation = MEASURED | {"template_sha256": "0" * 64}
    code, said = only(tmp_path, validation=validation)
    assert code == "judge/validated-other-template"
    assert digest in said
    validation = MEASURED | {"template_sha256": digest}
    assert check(tmp_path, json.dumps(JUDGE | {"validation": validation})) == []


@every_case("style", ["|", "|-", ">", "|+"])
@every_case("end", ["\n", "\r\n"])
def test_the_digest_is_that_of_the_text_yaml_gives(style: str, end: str, tmp_path: Path) -> None:
    text = {"|": "a\n{{ output }}\n", "|-": "a\n{{ output }}", ">": "a {{ output }}\n"}
    digest = hashlib.sha256(text.get(style, "a\n{{ output }}\n\n").encode()).hexdigest()
    lines = ["id: a", "version: '1.0.0'", f"template: {style}", "  a", "  {{ output }}", ""]
    validation = json.dumps(MEASURED | {"template_sha256": digest})
    lines += [f"validation: {validation}", ""]
    assert check(tmp_path, end.join(lines), "yaml") == []


@pytest.mark.parametrize(
    ("mine", "validated", "is_other"),
    [
        ("1.0", "1.0.0", False),
        ("1.0.0", "1.0.0+rebuilt", False),
        ("1.0.0", "1.0.0-rc.1", True),
        ("1.2.0", "1.1", True),
        ("1.0.0", "2.0", True),
    ],
)
def test_versions_compare_as_versions(
    mine: str, validated: str, *, is_other: bool, tmp_path: Path
) -> None:
    judge = JUDGE | {"version": mine, "validation": MEASURED | {"judge_version": validated}}
    expected = ["judge/validated-other-version"] if is_other else []
    assert [each.code for each in check(tmp_path, json.dumps(judge))] == expected


@every_case(
    ("keys", "code", "said"),
    [
        ({"min_score": 1, "max_score": 5}, "judge/scale-unused", "`min_score` and `max_score`"),
        (
            {"score_type": "continuous", "min_score": 5, "max_score": 1},
            "judge/score-range",
            "write `min_score: 1` and `max_score: 5`",
        ),
        (
            {"score_type": "continuous", "min_score": 1, "max_score": 5, "pass_threshold": 6},
            "judge/ineffective-threshold",
            "nothing can pass",
        ),
        (
            {"score_type": "continuous", "pass_threshold": 0},
            "judge/ineffective-threshold",
            "everything passes",
        ),
        ({"template": "{{ outptu }}"}, "judge/template-tag", "did you mean `{{ output }}`?"),
        ({"template": "{{ input }}"}, "judge/output-unused", "add `{{ output }}`"),
        ({"template": "{{! {{ output }}"}, "judge/template-tag", "ends at the first"),
        ({"template": '{{"a": 1}} {{ output }}'}, "judge/template-json", '`{"score": 1}`'),
        (
            {"validation": DATED | {"tpr": 0.5, "tnr": 0.5}},
            "judge/no-better-than-chance",
            "add up to 1",
        ),
        ({"validation": DATED | {"tpr": 0.9}}, "judge/one-sided-validation", "add `tnr`"),
    ],
)
def test_one_mistake_one_finding(
    keys: dict[str, Any], code: str, said: str, tmp_path: Path
) -> None:
    found_code, found_said = only(tmp_path, **keys)
    assert found_code == code
    assert said in found_said


NUMBERS = st.one_of(
    st.integers(-5, 100), st.floats(0, 1), st.floats(allow_nan=False, allow_infinity=False),
    st.integers(10**20, 10**25), st.booleans(),
)  # fmt: skip
COUNTS = st.fixed_dictionaries(
    {key: st.integers(0, 40) | st.just(10**400) for key in ("tp", "fn", "tn", "fp")}
)
INTERVALS = st.fixed_dictionaries({"lower": st.floats(0, 1), "upper": st.floats(0, 1)})
JUDGES = st.fixed_dictionaries(
    {"template": st.sampled_from(["{{ output }}", "{{", "{{#output}}", ""])},
    optional={
        "score_type": st.sampled_from(["binary", "continuous", "levels", "level"]),
        "level_names": st.lists(st.text(), max_size=4),
        "level_values": st.lists(NUMBERS, max_size=4),
        "min_score": NUMBERS,
        "max_score": NUMBERS,
        "pass_threshold": NUMBERS,
        "model": st.sampled_from([{"name": "a"}, {"name": "b", "provider": "c"}, {}]),
        "validation": st.fixed_dictionaries(
            {},
            optional={
                "tpr": st.floats(0, 1) | NUMBERS,
                "tnr": st.floats(0, 1) | NUMBERS,
                "sample_size": st.integers(1, 200),
                "confusion_matrix": COUNTS,
                "confidence_intervals": st.fixed_dictionaries(
                    {}, optional={"tpr": INTERVALS, "tnr": INTERVALS}
                ),
                "judge_version": st.sampled_from(["1.0", "1.0.0", "2.0"]),
                "model": st.sampled_from([{"name": "a"}, {"name": "b", "provider": "d"}]),
            },
        ),
    },
)


@given(JUDGES)
def test_no_rule_breaks(tmp_path: Path, judge: dict[str, Any]) -> None:
    found = check(tmp_path, json.dumps(JUDGE | judge))
    assert "internal/rule-crashed" not in [each.code for each in found]


def test_numbers_that_are_none(tmp_path: Path) -> None:
    text = (
        "id: a\nversion: '1.0.0'\ntemplate: '{{ output }}'\nscore_type: continuous\n"
        "min_score: .nan\nmax_score: .inf\npass_threshold: .nan\nvalidation: {tpr: .nan, tnr: 1}\n"
    )
    assert "internal/rule-crashed" not in [each.code for each in check(tmp_path, text, "yaml")]
