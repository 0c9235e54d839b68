"""Judges just inside and just outside of what a rule accepts, and all that is said of them.

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

VALIDATION = "validation: {validated_at: 2026-05-08, %s}"
RATES = "tpr: 0.9, tnr: 0.9, sample_size: 200"
LEVELS = "score_type: levels\nlevel_names: [bad, fair, good]\n"
#: What stands below the id, the version and, unless it is there, the template of a judge.
JUDGES = [
    # Dates: today is 2026-06-01, and the limit is 90 days.
    *(
        f"validation: {{validated_at: {day}, tpr: 0.9, tnr: 0.9, sample_size: 200}}"
        for day in ("2026-06-02", "2026-06-03", "2026-03-03", "2026-03-02", "2026-02-30")
    ),
    "validation: {tpr: 0.9, tnr: 0.9}",
    "validation: {validated_at: 2026-05-08}",
    "validation: {sample_size: 200}",
    # Sizes of samples
    VALIDATION % "tpr: 0.9, tnr: 0.9, sample_size: 60",
    VALIDATION % "tpr: 0.9, tnr: 0.9, sample_size: 59",
    VALIDATION % "tpr: 0.9, tnr: 0.8, sample_size: 1",
    VALIDATION % "sample_size: 5, judge_version: 1.0.0",
    VALIDATION % "confusion_matrix: {tp: 18, fn: 2, tn: 38, fp: 2}",
    VALIDATION % "confusion_matrix: {tp: 18, fn: 1, tn: 39, fp: 2}",
    VALIDATION % "confusion_matrix: {tp: 38, fn: 2, tn: 18, fp: 1}",
    VALIDATION % "confusion_matrix: {tp: 18, fn: 1, tn: 18, fp: 1}, sample_size: 38",
    VALIDATION % "confusion_matrix: {tp: 18, fn: 1, tn: 180, fp: 1}, sample_size: 200",
    VALIDATION % "confusion_matrix: {tp: 60, fn: 5, tn: 0, fp: 0}",
    VALIDATION % "confusion_matrix: {tp: 0, fn: 0, tn: 0, fp: 0}",
    # Rates beside counts: the rates are the ones that are written.
    VALIDATION % "tpr: 0.9, confusion_matrix: {tp: 55, fn: 5, tn: 55, fp: 5}",
    VALIDATION % "tpr: 0.92, tnr: 0.92, confusion_matrix: {tp: 55, fn: 5, tn: 55, fp: 5}",
    VALIDATION % "tpr: 0.5, tnr: 0.5, confusion_matrix: {tp: 50, fn: 50, tn: 49, fp: 50}",
    VALIDATION % "tnr: 1, confusion_matrix: {tp: 60, fn: 5, tn: 0, fp: 0}",
    VALIDATION % "sample_size: 119, confusion_matrix: {tp: 55, fn: 5, tn: 55, fp: 5}",
    # Chance
    VALIDATION % "tpr: 0.5, tnr: 0.5, sample_size: 200",
    VALIDATION % "tpr: 0.5, tnr: 0.51, sample_size: 200",
    VALIDATION % "confusion_matrix: {tp: 50, fn: 50, tn: 40, fp: 60}",
    # Intervals
    *(
        VALIDATION % f"{RATES}, confidence_intervals: {{{interval}}}"
        for interval in (
            "tpr: {lower: 0.9, upper: 0.9}",
            "tpr: {lower: 0.95, upper: 0.85}",
            "tpr: {lower: 1, upper: 1}",
            "tpr: {lower: 1.00, upper: 1.00}",
            "tnr: {lower: 0.80, upper: 0.84}",
            "tnr: {lower: 0.80, upper: 0.85}, tpr: {lower: 0.96, upper: 0.99}",
        )
    ),
    # What was validated
    VALIDATION % f"{RATES}, model: {{name: a}}" + "\nmodel: {name: b}",
    VALIDATION % f"{RATES}, model: {{name: a}}" + "\nmodel: {name: a, provider: c}",
    VALIDATION % f"{RATES}, model: {{name: a, provider: b}}" + "\nmodel: {name: a, provider: c}",
    VALIDATION % f"{RATES}, model: {{name: a, provider: b}}" + "\nmodel: {name: a}",
    VALIDATION % f"{RATES}, model: {{name: a, provider: b}}" + "\nmodel: {name: c}",
    VALIDATION % f"{RATES}" + "\nmodel: {name: a}",
    VALIDATION % f"{RATES}, model: {{name: a}}, judge_version: 0.9.0" + "\nmodel: {name: b}",
    VALIDATION % f"{RATES}, judge_version: '1.0'",
    VALIDATION % f"{RATES}, template_sha256: '{'0' * 64}'",
    VALIDATION % f"{RATES}, template_sha256: '{'0' * 64}', judge_version: 0.9.0",
    # Scales
    "score_type: continuous\nmin_score: 1\nmax_score: 1",
    "score_type: continuous\nmin_score: 2\nmax_score: 1",
    "score_type: continuous\nmin_score: 1\nmax_score: 5\npass_threshold: 5",
    "score_type: continuous\nmin_score: 1\nmax_score: 5\npass_threshold: 5.1",
    "score_type: continuous\nmin_score: 1\nmax_score: 5\npass_threshold: 1",
    "score_type: continuous\nmin_score: 1",
    "score_type: continuous\nmax_score: 5",
    "score_type: continuous\npass_threshold: 1",
    "min_score: 2\nmax_score: 1",
    # Of a scale with a malformed part, nobody knows what it reaches.
    "score_type: continuous\nmin_score: [0]\npass_threshold: 7",
    "score_type: continuous\nmax_score: [0]\npass_threshold: 7",
    "score_type: [continuous]\npass_threshold: 7",
    LEVELS + "level_values: [a]\npass_threshold: 7",
    LEVELS + "level_values: [0, 1]",
    LEVELS + "level_values: [0, 1, 1]",
    LEVELS + "level_values: [0, 2, 1]",
    LEVELS + "level_values: [2, 1, 1]",
    LEVELS + "level_values: [2, 1, 0]",
    LEVELS + "level_values: [0, 1, 2]\nmin_score: 0\nmax_score: 2",
    LEVELS + "level_values: [0, 1, 2]\nmin_score: 1\nmax_score: 2",
    LEVELS + "level_values: [0, 1, 2]\nmin_score: 0\nmax_score: 1",
    LEVELS + "level_values: [0, 1, 2]\nmin_score: 5",
    LEVELS + "pass_threshold: 2",
    LEVELS + "pass_threshold: 2.5",
    LEVELS + "pass_threshold: 0",
    "score_type: levels\nlevel_values: [0, 2, 1]",
    # Templates
    "template: 'Is {{ ouput }} right?'",
    "template: '{{ output }} {{ outputs }} {{ input.text }}'",
    "template: '" + "{{ output }} " + "".join(f"{{{{ a{n} }}}} " for n in range(22)) + "'",
    "template: '" + "{{ output }} " + "".join(f"{{{{ a{n} }}}} " for n in range(21)) + "'",
    "template: 'Answer with {{\"score\": 1}}. {{ output }}'",
    "template: |\n  {{ output }}\n  pass_threshold: 0.5\n  pass_threshold: 0.6",
    "template: |\n  {{ output }}\n  validation:\n    tpr: 0.9\n  version: 1.0",
    "template: |\n  {{ output }}\n  validation:\n  Look closely.\n  version: the newest",
    "template: 'Does the answer fit the question? {{ output }}'",
    "template: 'Look at the context. {{ output }}'",
]


def test_judges(snapshot: SnapshotAssertion, tmp_path: Path) -> None:
    head = "id: a\nversion: 1.0.0\n"
    template = "template: '{{ output }}'\n"
    files = [head + ("" if "template:" in text else template) + text for text in JUDGES]
    told = [said(tmp_path / f"{n}", {"judges/a.yaml": text}) for n, text in enumerate(files)]
    assert shown(JUDGES, told) == plain(snapshot)
