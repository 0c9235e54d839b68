"""
An input is written in capital letters only.

Why: Models answer shouted questions in another tone, and scores are not comparable.

Bad:
    questions:
      - {id: hours, input: WHEN DO YOU OPEN?, expected_facts: [Names the hour]}

Good:
    questions:
      - {id: hours, input: When do you open?, expected_facts: [Names the hour]}
"""

from __future__ import annotations

import sys
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from evalcontract.plugin import (
    PASSED,
    CheckKind,
    Code,
    EvalContext,
    Executor,
    ExternalFile,
    Format,
    GraderPrediction,
    Loss,
    Needs,
    OurRow,
    Problem,
    Reader,
    Report,
    RowChecker,
    RowGroup,
    RowLayout,
    RowSubject,
    SchemaChecker,
    State,
    Style,
    TheirRow,
    Verdict,
    Writer,
    codes_of_system,
    failed,
    never_runs,
    of_text,
    reads_nothing,
    row_rule,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SHOUTING = Code("acme/shouting", page=__doc__)


def _silent(group: RowGroup) -> dict[str, Any]:
    del group
    return {"properties": {"input": {"pattern": "[a-z]"}}}


@row_rule(SHOUTING, silent=_silent)
def shouts(subject: RowSubject) -> Iterator[Problem]:
    """Yield an input that shouts."""
    if subject.row["input"].isupper():
        yield Problem(SHOUTING, "the input shouts", (*subject.path, "input"), "write it quietly")


def _needs(check: dict[str, Any], around: EvalContext) -> Needs:
    del around
    if check["min_words"] > check.get("max_words", check["min_words"]):
        return never_runs(State.FAIL, "no text has so many and so few words")
    return Needs()


def _prepare(check: dict[str, Any], around: EvalContext) -> Executor:
    del around
    least, most = check["min_words"], check.get("max_words", sys.maxsize)

    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        del row
        count = len(text.split())
        return PASSED if least <= count <= most else failed(f"it has {count} words")

    return of_text(judge)


WORD_COUNT = CheckKind(
    "word_count",
    reads_nothing,
    _needs,
    {
        "required": ["min_words"],
        "properties": {
            "min_words": {"type": "integer", "minimum": 0},
            "max_words": {"type": "integer", "minimum": 0},
        },
    },
    _prepare,
)


def prepare_ending(check: dict[str, Any], around: EvalContext) -> Executor:
    """Return what runs a check of the kind `ending`, which needs nothing of a row."""
    del around

    def judge(row: Mapping[str, Any], text: str) -> Verdict:
        del row
        return PASSED if text.endswith(check["text"]) else failed("it ends otherwise")

    return of_text(judge)


prepare_ending.schema = {  # type: ignore[attr-defined]
    "required": ["text"],
    "properties": {"text": {"type": "string", "minLength": 1}},
}

TICKET = {"type": "object", "required": ["ticket"], "properties": {"ticket": {"type": "integer"}}}


class _Checker:
    """Finds answers that are missing."""

    def __init__(self, schema: Any) -> None:
        self._schema = schema

    def check(self, row: Any, path: Any, *, is_clean: bool) -> Iterator[Problem]:
        """Check a row."""
        if not is_clean:
            yield from self._schema.faults(row, path)
        elif row["a"] == "":
            yield Problem("acme/blank-answer", "the answer is blank", (*path, "a"))

    def finish(self) -> Iterator[Problem]:
        """Yield nothing."""
        return iter(())


class _Reader(Reader):
    def read(self, row: Any, index: int) -> OurRow:
        """Turn a row into one of ours."""
        return OurRow({"id": f"q{index}", "input": row["q"], "criteria": row["a"]})


class _Writer(Writer):
    def write(self, row: dict[str, Any], rubric: Any, index: int) -> TheirRow:
        """Turn one of our rows."""
        del rubric, index
        lost = [key for key in row if key not in ("id", "input", "criteria")]
        losses = tuple(Loss((key,), "Acme has no such field", is_kept=False) for key in lost)
        return TheirRow({"q": row["input"], "a": row.get("criteria", "")}, losses)

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, tuple[Loss, ...]]:
        """Return the list."""
        return rows, tuple(Loss((key,), "a list of rows", is_kept=False) for key in root)


_ROW = {
    "type": "object",
    "required": ["q", "a"],
    "properties": {"q": {"type": "string"}, "a": {"type": "string"}},
}


CODES = codes_of_system("acme", silently_accepted=["blank-answer"], page=__doc__)


class AcmeFormat(Format):
    """Questions and answers of Acme."""

    name = "acme"
    title = "Acme"
    media = ("json",)
    basis = "its own tests"
    schemas = MappingProxyType({"": {"$defs": {"row": _ROW}}})
    codes = CODES

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> None:
        """Recognise no row."""
        del value

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        """Find the rows."""
        del schema
        rows = file.document.value if file.document else None
        if isinstance(rows, list):
            return RowLayout(rows)
        problem = Problem("acme/rejected", "Acme reads a list of rows", ())
        return RowLayout(problems=(problem,), is_lost=True)

    def checker(self, schema: SchemaChecker) -> RowChecker:
        """Check rows."""
        return _Checker(schema)

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        """Predict the only grader."""
        del row, file
        yield GraderPrediction("exact", "text", "run")

    def reader(self, file: ExternalFile) -> Reader:
        """Read rows."""
        del file
        return _Reader()

    def writer(self, medium: str) -> Writer:
        """Write rows."""
        del medium
        return _Writer()


def write_lines(report: Report, style: Style) -> Iterator[str]:
    """Write one line for each finding."""
    del style
    for finding in report.diagnostics:
        yield f"{finding.place} {finding.code}\n"
