"""The codes of findings on whole files: wrong kind, missing file, faulty bundle schema."""

from __future__ import annotations

from evalcontract.model.code import CodeTable
from evalcontract.model.diagnostic import Severity

_ERRORS = (
    *(f"{kind}/wrong-kind" for kind in ("dataset", "rubric", "judge", "target")),
    "dataset/no-questions",
    "target/missing-dataset",
    "workspace/misnamed-file",
    "internal/rule-crashed",
)
_WARNINGS = (
    "rubric/no-executor",
    "workspace/schema-reference",
    "workspace/unused-ignore",
    "workspace/invalid-ignore",
    "workspace/shadowed-configuration",
)
_GUESSES = ("target/misspelled-row-key", "bundle/near-miss-keyword", "bundle/near-miss-required")
_USUAL = (
    "dataset/ragged-row",
    "dataset/repeated-column",
    "dataset/unclosed-quote",
    "bundle/invalid-schema",
    "bundle/outdated-keyword",
    "bundle/slow-regex",
    "bundle/unsatisfiable-schema",
    "workspace/unsupported-file",
)

CODES = CodeTable(
    (_ERRORS, {"soft": Severity.ERROR}),
    (
        [f"{kind}/other-tool" for kind in ("dataset", "rubric", "judge")],
        {"soft": Severity.ERROR, "guess": True},
    ),
    (
        ["dataset/mapped-column"],
        {"soft": Severity.NOTE, "strict": Severity.NOTE, "guess": True},
    ),
    (["workspace/unread-file"], {"soft": Severity.NOTE, "strict": Severity.NOTE}),
    (_WARNINGS, {"strict": Severity.WARNING}),
    (_GUESSES, {"guess": True}),
    (_USUAL, {}),
)
