"""Prepare and run a check as a runner does, in a small workspace of its own."""

from __future__ import annotations

import io
import json
import shutil
from collections import defaultdict
from typing import TYPE_CHECKING, Any

from doors import ROOT, Kind

from evalcontract.checks import KINDS, EvalContext
from evalcontract.checks._kind import outlooks_of
from evalcontract.checks.outcome import ANY_SCORE, Outcome, Output, Verdict
from evalcontract.checks.tool_usage import read_calls
from evalcontract.library.library import Artifact, Library, read_artifact
from evalcontract.source import Document, read_stream
from evalcontract.structure.authored import SchemaAnalyses

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evalcontract.checks import Prediction

FOLDER = ROOT / "fixtures" / "checks"
HAS_PHP = shutil.which("php") is not None


def suites() -> list[Path]:
    return [
        path for path in sorted(FOLDER.glob("*.json")) if not path.name.endswith(".schema.json")
    ]


def cases() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the cases of all files, each with its name; those for PHP only where it is."""
    for path in suites():
        suite = json.loads(path.read_text(encoding="utf-8"))
        if suite["kind"] == "php_lint" and not HAS_PHP:
            continue
        for case in suite["tests"]:
            yield f"{suite['kind']}: {case['description']}", case


def judge(reference: str, template: str) -> Artifact:
    """Return the judge of an exact reference."""
    id_, version = reference.removeprefix("judge/").split("@")
    text = json.dumps({"id": id_, "version": version, "template": template}).encode()
    document = read_stream(io.BytesIO(text), f"judges/{id_}.json")
    assert isinstance(document, Document)
    return read_artifact(Kind.JUDGE, document)


def around(
    judges: Mapping[str, Any] | None = None, files: Mapping[str, Any] | None = None
) -> EvalContext:
    """Return the workspace of a case; its judges answer as the case says, in that order."""
    judges, files = judges or {}, files or {}
    asked: dict[str, int] = defaultdict(int)
    made = {reference: judge(reference, each["template"]) for reference, each in judges.items()}
    names = {artifact.name: reference for reference, artifact in made.items()}

    def ask(asked_judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        assert "output" in variables
        reference = names[asked_judge.name]
        verdict = judges[reference]["verdicts"][asked[reference]]
        asked[reference] += 1
        outcome, score = Outcome(verdict["outcome"]), verdict.get("score")
        reason = None if outcome is Outcome.PASSED else "so the judge says"
        return Verdict(outcome, score, reason, None, ANY_SCORE if score is None else None)

    def read_json(name: str) -> Any:
        if name not in files:
            raise LookupError("does not exist")
        return files[name]

    has_model = all("verdicts" in each for each in judges.values())
    return EvalContext(
        Library(list(made.values())),
        HAS_PHP,
        read_json,
        SchemaAnalyses(),
        ask if has_model else None,
    )


def output(**recorded: Any) -> Output:
    """Return an output as it is recorded."""
    calls = recorded.get("tool_calls")
    made = None if calls is None else read_calls(calls).calls
    return Output(recorded.get("text"), made, recorded.get("context"))


def predicted(check: dict[str, Any], row: dict[str, Any], context: EvalContext) -> Prediction:
    """Return the prediction of coverage for a check on a row."""
    (outlook,) = outlooks_of([KINDS[check["kind"]].needs(check, context)], row)
    return outlook


def graded(
    check: dict[str, Any], row: dict[str, Any], made: Output, context: EvalContext
) -> Verdict:
    """Return the verdict of a check that runs on a row."""
    prepare = KINDS[check["kind"]].prepare
    assert prepare is not None
    return prepare(check, context)(row, made)


def verdict_on(check: dict[str, Any], text: str, **row: Any) -> Verdict:
    """Return the verdict on a text, for a check that needs no workspace."""
    return graded(check, {"id": "a", "input": "b", **row}, Output(text), around())
