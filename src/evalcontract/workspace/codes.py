"""The codes of findings on whole files: wrong kind, missing file, faulty bundle schema."""

from __future__ import annotations

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Severity

CODES = (
    *(
        Code(f"{kind}/wrong-kind", soft=Severity.ERROR)
        for kind in ("dataset", "rubric", "judge", "target")
    ),
    *(
        Code(f"{kind}/other-tool", soft=Severity.ERROR, guess=True)
        for kind in ("dataset", "rubric", "judge")
    ),
    Code("dataset/no-questions", soft=Severity.ERROR),
    Code("dataset/mapped-column", soft=Severity.NOTE, strict=Severity.NOTE, guess=True),
    Code("dataset/ragged-row"),
    Code("dataset/repeated-column"),
    Code("target/missing-dataset", soft=Severity.ERROR),
    Code("target/misspelled-row-key", guess=True),
    Code("rubric/no-executor", strict=Severity.WARNING),
    Code("bundle/invalid-schema"),
    Code("bundle/near-miss-keyword", guess=True),
    Code("bundle/near-miss-required", guess=True),
    Code("bundle/outdated-keyword"),
    Code("bundle/slow-regex"),
    Code("bundle/unsatisfiable-schema"),
    Code("workspace/misnamed-file", soft=Severity.ERROR),
    Code("workspace/unsupported-file"),
    Code("workspace/schema-reference", strict=Severity.WARNING),
    Code("workspace/unused-ignore", strict=Severity.WARNING),
    Code("workspace/invalid-ignore", strict=Severity.WARNING),
    Code("workspace/shadowed-configuration", strict=Severity.WARNING),
    Code("workspace/unread-file", soft=Severity.NOTE, strict=Severity.NOTE),
    Code("internal/rule-crashed", soft=Severity.ERROR),
)
