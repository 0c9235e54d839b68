"""Values just inside and just outside of what a rule accepts, and all that is said of them.

A case is written as it would be in YAML; what the rules say of all cases is a snapshot.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from rule_edges import said, shown
from texts import plain

if TYPE_CHECKING:
    from pathlib import Path

    from syrupy.assertion import SnapshotAssertion

pytestmark = pytest.mark.messages

ROOT = "scoring: {combine: min}\nchecks:\n"
ALL = "scoring: {combine: all_pass}\nchecks:\n"
WORDS = "  - {id: w, kind: must_contain_any, values: [a]}\n"
JURY = "  - {id: j, kind: llm_judge, jury: {%s}}\n"


def jury(weights: str, more: str = "") -> str:
    judges = ", ".join(
        f"{{judge_prompt_ref: judge/j{number}@1.0.0, weight: {weight}}}"
        for number, weight in enumerate(weights.split())
    )
    return ROOT + JURY % f"judges: [{judges}]{more}"


#: What stands below the id and the version of a rubric.
RUBRICS = [
    # Juries
    jury("1 1"),
    jury("1 1 1"),
    jury("2 1 1"),
    jury("0.1 0.2 0.3"),
    jury("3 2 2 1"),
    jury("1 1", ", tie_break: fail"),
    jury("1 1", ", aggregation: average"),
    jury("1 2 3", ", aggregation: median"),
    jury("1 1.0", ", aggregation: median"),
    jury("0 0"),
    jury("0 0", ", aggregation: weighted_average"),
    jury("0 1", ", aggregation: weighted_average"),
    jury("0 0", ", aggregation: average"),
    ROOT + JURY % "judges: [{judge_prompt_ref: judge/j0}, {judge_prompt_ref: judge/j0@1.0.0}]",
    # Weights
    *(
        f"scoring: {{combine: {combine}, weights: {weights}}}\nchecks:\n{WORDS}"
        "  - {id: v, kind: must_contain_any, values: [b]}\n"
        for combine, weights in (
            ("weighted_avg", "{w: 0}"),
            ("weighted_avg", "{w: 0, v: 0}"),
            ("weighted_avg", "{w: 0, v: 0.1}"),
            ("weighted_avg", "{w: 1, u: 1}"),
            ("weighted_avg", "{u: 1, t: 1}"),
            ("weighted_avg", "{}"),
            ("min", "{w: 1, v: 1}"),
            ("min", "{}"),
        )
    ),
    # Thresholds
    *(
        f"scoring: {{combine: {combine}, threshold: {threshold}}}\nchecks:\n{WORDS}"
        for combine, threshold in (
            *(("min", 0), ("min", 0.01), ("min", 1), ("all_pass", 0.5), ("any_pass", 1)),
            ("weighted_avg", 1),
        )
    ),
    *(
        ROOT + f"  - {{id: f, kind: fact_match, facts: [a, b], min_recall: {recall}}}\n"
        for recall in (0, 0.009, 0.01, 1)
    ),
    ROOT + f"  - {{id: f, kind: fact_match, facts: {[f'a{n}' for n in range(200)]},"
    " min_recall: 0.005}\n",
    ROOT + f"  - {{id: f, kind: fact_match, facts: {[f'a{n}' for n in range(199)]},"
    " min_recall: 0.005}\n",
    ROOT + "  - {id: f, kind: fact_match, min_recall: 0.004}\n",
    *(
        ROOT + "  - {id: h, kind: llm_judge, judge_prompt_ref: judge/half@1.0.0, "
        f"threshold: {threshold}}}"
        for threshold in (0.4, 0.5, 0.6, 1)
    ),
    # Names
    ROOT + "  - {kind: regex, pattern: a}\n  - {id: a, kind: regex, pattern: b}\n"
    "  - {id: a, kind: regex, pattern: c}\n  - {id: a, kind: regex, pattern: d}\n",
    ROOT + "  - {kind: regex, pattern: a}\n  - {kind: regex, pattern: a}\n",
    # Texts
    ROOT + "  - {id: m, kind: markdown_structure, required_sections: ['# A', '###### A ',"
    " '####### A', '   # A', '    # A', '#A', '# ', '#\\tA']}\n",
    ROOT + "  - {id: m, kind: must_contain_any, values: [a, A, ' ', b, a]}\n",
    ROOT + "  - {id: m, kind: must_contain_any, case_sensitive: true, values: [a, A, a]}\n",
    ROOT + "  - {id: m, kind: must_contain_any, values: ['\\d+', 'a.*b', 'x .* y', 'C:\\data']}\n",
    ROOT + "  - {id: m, kind: must_contain_any, values: [“a”, “a, b”]}\n",
    ROOT + "  - {id: m, kind: format, format: text, required_keys: [a]}\n",
    ROOT + "  - {id: m, kind: format, format: text, max_chars: 1}\n"
    "  - {id: n, kind: format, format: text}\n",
    # Contradictions
    ROOT + "  - {id: m, kind: must_contain_any, values: [full refund]}\n"
    "  - {id: n, kind: must_not_contain, values: [refund]}\n",
    ROOT + "  - {id: m, kind: must_contain_any, values: [full refund, none]}\n"
    "  - {id: n, kind: must_not_contain, values: [refund]}\n",
    ALL + "  - {id: m, kind: must_contain_any, values: [full refund, none]}\n"
    "  - {id: n, kind: must_not_contain, values: [refund]}\n",
    ALL + "  - {id: t, kind: tool_usage, expected_tools: [a, b], max_calls: 2}\n",
    ALL + "  - {id: t, kind: tool_usage, expected_tools: [a, b], max_calls: 1}\n",
    ALL + "  - {id: t, kind: tool_usage, expected_tools: [a, b], forbidden_tools: [b]}\n",
    # Patterns
    ROOT + "  - {id: r, kind: regex, pattern: '(a+)+$'}\n"
    "  - {id: s, kind: regex, pattern: '(a+)+$', match: full}\n",
    ROOT + "  - {id: r, kind: regex, pattern: '(a'}\n  - {id: s, kind: regex, pattern: ''}\n",
    ROOT + "  - {id: r, kind: regex, pattern: 'a*'}\n  - {id: s, kind: regex, pattern: 'a$b'}\n",
    ROOT + "  - {id: r, kind: regex, pattern: 'a*', negate: true}\n",
]
RUNS = "  - {id: runs, kind: regex, pattern: x}\n"
FACTS = "  - {id: facts, kind: fact_match}\n"


def judges_of(*names: str) -> str:
    judge_of = "kind: llm_judge, judge_prompt_ref: judge"
    return "".join(f"  - {{id: {name}, {judge_of}/{name}@1.0.0}}\n" for name in names)


#: What the rubric of rows checks, and the rows' own keys; a check for the row to run stands before.
ROWS = [
    ("{kind: fact_match}", "expected_facts: [a]"),
    ("{kind: fact_match}", "expected_facts: []"),
    ("{kind: fact_match}", "expected_facts: [a, ' ', a]"),
    ("{kind: fact_match}", "criteria: It is short."),
    ("{kind: tool_usage}", "expected_tools: [a], criteria: c"),
    ("{kind: tool_usage, forbidden_tools: [b]}", "expected_tools: [a, b, b]"),
    ("{kind: tool_usage, forbidden_tools: [b], match: any}", "expected_tools: [a, b]"),
    ("{kind: tool_usage, forbidden_tools: [b], match: any}", "expected_tools: [b]"),
    ("{kind: tool_usage, max_calls: 2}", "expected_tools: [a, b]"),
    ("{kind: tool_usage, max_calls: 1}", "expected_tools: [a, b]"),
    ("{kind: fact_match}, {kind: format, format: text, max_chars: 3}", "expected_facts: [abc]"),
    ("{kind: fact_match}, {kind: format, format: text, max_chars: 3}", "expected_facts: [abcd]"),
    ("{kind: fact_match}, {kind: must_not_contain, values: [b c]}", "expected_facts: [a b c]"),
    ("{kind: fact_match}, {kind: must_not_contain, values: [B]}", "expected_facts: [abc]"),
    ("{kind: fact_match}, {kind: must_not_contain}", "expected_facts: [ab], must_not_contain: [B]"),
    ("{kind: must_contain_any}, {kind: must_not_contain, values: [b c]}",
     "must_contain_any: [a b c]"),
    ("{kind: must_contain_any}, {kind: must_not_contain, values: [b]}",
     "must_contain_any: [abc, d]"),
    ("{kind: format}, {kind: markdown_structure, min_headings: 1}", "expected: {format: json}"),
    ("{kind: format}, {kind: markdown_structure, min_headings: 1}", "expected: {format: text}"),
    ("{kind: format}", "expected: {format: json, answer: 1}"),
    ("{kind: regex, pattern: a}", "expected: {format: json, 'a.b': 1}"),
    ("{kind: regex, pattern: a}", "expected: {}, must_contain_any: [a], must_not_contain: [b]"),
    ("{kind: llm_judge, judge_prompt_ref: judge/k@1.0.0}", "expected: {answre: a}"),
    ("{kind: llm_judge, judge_prompt_ref: judge/k@1.0.0}", "expected: {answer: a, other: b}"),
    ("{kind: llm_judge, judge_prompt_ref: judge/k@1.0.0}", "expected: {answer: a, answre: b}"),
    ("{kind: llm_judge, judge_prompt_ref: judge/k@1.0.0}", "expected: {answer: null}"),
    (", ".join(f"{{kind: llm_judge, judge_prompt_ref: judge/k{n}@1.0.0}}" for n in range(10)),
     "expected: {answer: 1}"),
    (", ".join(f"{{kind: llm_judge, judge_prompt_ref: judge/k{n}@1.0.0}}" for n in range(11)),
     "expected: {answer: 1}"),
    (None, "expected_facts: []"),
    (None, "expected: {format: text}"),
    (None, "expected: {format: text}, criteria: c"),
    (None, "criteria: ''"),
    (None, "must_not_contain: [b], must_contain_any: [abc]"),
    (None, "must_not_contain: [b], expected_facts: [a B, c]"),
    (None, "must_not_contain: [b], expected_facts: [a], must_contain_any: [abc, d]"),
    (None, "criteria: c, must_contain_any: ['\\d+', “a”, a, a]"),
]  # fmt: skip
TEMPLATES = {
    "k": "{{ output }} {{ expected.answer }}",
    **{f"k{n}": f"{{{{ output }}}} {{{{ expected.key{n} }}}}" for n in range(11)},
}


@pytest.mark.slow
def test_rubrics(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    judges = {f"judges/j{n}.yaml": judge(f"j{n}", "{{ output }}") for n in range(4)}
    scale = "score_type: levels\nlevel_names: [poor, good]\nlevel_values: [1, 2]"
    scale += "\nmin_score: 0\nmax_score: 2\npass_threshold: 2\n"
    judges["judges/half.yaml"] = judge("half", "{{ output }}") + scale
    told = [
        said(tmp_path / f"{n}", {"rubrics/a.yaml": f"id: a\nversion: 1.0.0\n{text}", **judges})
        for n, text in enumerate(RUBRICS)
    ]
    assert shown(RUBRICS, told) == plain(snapshot)


@pytest.mark.slow
def test_rows(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    told = []
    judges = {f"judges/{name}.yaml": judge(name, text) for name, text in TEMPLATES.items()}
    for number, (checks, keys) in enumerate(ROWS):
        files = {"data.yaml": f"questions:\n  - {{id: r, input: Where?, {keys}}}\n"}
        if checks is not None:
            runs = "{id: runs, kind: regex, pattern: x}"
            first, *others = checks.split("{kind:")
            named = (f"{{id: c{n}, kind:{other}" for n, other in enumerate(others))
            head = "id: a\nversion: 1.0.0\nscoring: {combine: all_pass}\n"
            files["data.yaml"] = files["data.yaml"].replace(
                "}\n", ", rubric_ref: rubric/a@1.0.0}\n"
            )
            files["rubrics/a.yaml"] = f"{head}checks: [{runs}, {first}{''.join(named)}]\n"
        told.append(said(tmp_path / f"{number}", files | judges))
    assert shown([f"{checks}\n{keys}" for checks, keys in ROWS], told) == plain(snapshot)


#: The checks of a rubric, and the keys of its rows: rows that lack the same share a cause.
ROWS_WITH_A_CAUSE = [
    (RUNS + judges_of("k"), ["expected: {answre: a}", "expected: {answre: b}"]),
    (RUNS + judges_of("k"), ["expected: {answre: a}", "expected: {other: b}"]),
    (RUNS + judges_of("k"), ["expected: {other: a}", "expected: {other: b}", "criteria: c"]),
    (judges_of("k"), ["expected: {other: a}", "expected: {other: b}"]),
    (judges_of("k", "k1"), ["expected: {other: a}", "expected: {other: b}"]),
    (RUNS + judges_of("k1", "k2"), ["expected: {other: a}", "expected: {other: b}"]),
    (RUNS + judges_of("k1") + FACTS, ["expected: {other: a}", "expected: {other: b}"]),
    (RUNS + FACTS, ["criteria: a", "criteria: b"]),
    (FACTS, ["criteria: a", "criteria: b"]),
]


def test_rows_with_a_cause(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    told = []
    judges = {f"judges/{name}.yaml": judge(name, text) for name, text in TEMPLATES.items()}
    for number, (checks, rows) in enumerate(ROWS_WITH_A_CAUSE):
        lines = (
            f"  - {{id: r{n}, input: Where {n}?, {keys}, rubric_ref: rubric/a@1.0.0}}\n"
            for n, keys in enumerate(rows)
        )
        files = {
            "data.yaml": "questions:\n" + "".join(lines),
            "rubrics/a.yaml": f"id: a\nversion: 1.0.0\n{ALL}{checks}",
        }
        told.append(said(tmp_path / f"{number}", files | judges))
    cases = [f"{checks}{'; '.join(rows)}" for checks, rows in ROWS_WITH_A_CAUSE]
    assert shown(cases, told) == plain(snapshot)


def judge(name: str, template: str) -> str:
    rates = "validated_at: 2026-05-08, tpr: 0.9, tnr: 0.9, sample_size: 200"
    return f"id: {name}\nversion: 1.0.0\ntemplate: '{template}'\nvalidation: {{{rates}}}\n"
