"""The examples of the manual pages, written into a folder and checked there."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any, cast

from doors import Input, Kind, Options, check_workspaces, validate

from evalcontract.calibrating.calibrate import calibrate
from evalcontract.calibrating.files import CalibrationOptions
from evalcontract.checks.outcome import Outcome, Verdict, error
from evalcontract.formats import FORMATS
from evalcontract.grading.grade import Grading
from evalcontract.judging.asking import Judging, Usage
from evalcontract.model.codes import example_files
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from evalcontract import Diagnostic
    from evalcontract.library.library import Artifact

CODES = KnownCodes()
#: What the labels of an example are about.
JUDGE = 'id: tone\nversion: "1.0.0"\ntemplate: "Is it kind? {{ output }}"\n'
#: Codes whose bad example is a text that cannot have the fault, and why.
STAND_INS = {
    "source/unreadable": "who may open a file is not part of its text",
    "internal/rule-crashed": "a file that crashes a rule is a bug, and gets mended",
}
#: Codes whose bad example has the fault as bytes of another encoding, which a page cannot show.
ENCODINGS = {
    "source/binary": "utf-16-le",
    "source/encoding": "cp1252",
    "evret/rejected": "utf-8-sig",
    "evret/hidden-column": "utf-8-sig",
    "openai/rejected": "utf-8-sig",
}
#: Codes of other systems' datasets that only another dialect than the system's first one has.
DIALECTS = {
    "mlflow/duplicate-id": "mlflow:managed",
    "mlflow/open-source-source": "mlflow:managed",
    "mlflow/several-sources": "mlflow:managed",
    "mlflow/mixed-traces": "mlflow:evaluate",
    "mlflow/no-rows": "mlflow:evaluate",
    "openai/empty-ideal": "openai:samples",
    "openai/near-miss-key": "openai:samples",
    "openai/not-lines": "openai:samples",
    "openai/nothing-expected": "openai:samples",
    "openai/rejected": "openai:samples",
}


def findings_of(folder: Path, example: str, code: str, encoding: str = "utf-8") -> list[Diagnostic]:
    """Return what the check of an example, written into a folder, finds."""
    for name, text in example_files(example, code).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding=encoding)
    options = Options(root=folder, strict=False, today=date(2026, 6, 1))
    system = code.partition("/")[0]
    if system == "output":
        dataset, outputs = (Input(folder / name) for name in example_files(example, code))
        grading = Grading(dataset, outputs, options)
        list(grading.results())
        return grading.diagnostics
    if system == "labels":
        return _findings_of_labels(folder, next(iter(example_files(example, code))))
    first = folder / next(iter(example_files(example, code)))
    if first.suffix == ".csv" and system == "dataset":  # a folder has no tables
        return validate(Kind.DATASET, [Input(first)], options).diagnostics
    if system not in {each.name for each in FORMATS}:
        return check_workspaces(folder, options).diagnostics
    asked = None if code.endswith("/detected") else DIALECTS.get(code, system)
    options = options._replace(dialect=asked)
    return validate(Kind.DATASET, [Input(first)], options).diagnostics


def _findings_of_labels(folder: Path, name: str) -> list[Diagnostic]:
    """Return what is wrong with the labels of a judge, and with the verdicts beside them."""
    judge = folder / "judges" / "tone.yaml"
    judge.parent.mkdir(exist_ok=True)
    judge.write_text(JUDGE, encoding="utf-8")
    verdicts = folder / "verdicts.csv"
    options = CalibrationOptions(folder / name, verdicts if verdicts.exists() else None)
    judging = cast("Judging", _Kind())  # asked only about labels without verdicts
    return [*calibrate(str(judge), options, judging).diagnostics]


class _Kind:
    """Passes what it is asked about, but for what it does not answer."""

    concurrency = 1
    usage_so_far = Usage()

    def ask(self, judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        details = {"judge": judge.name, "model": "m-1"}
        if "too long" in variables["output"]:
            return error("the endpoint answers HTTP 400", **details)
        if "prose" in variables["output"]:
            return error("the answer is not JSON", **details, answer="Well, yes")
        passes = "welcome" in variables["output"].lower()
        return Verdict(
            Outcome.PASSED if passes else Outcome.FAILED,
            float(passes),
            None,
            {**details, "verdict": "pass" if passes else "fail"},
        )

    ask_ahead = ask

    def wait(self, asked: Verdict) -> None:
        assert asked.outcome

    def close(self) -> None:
        self.concurrency = 0


def findings_of_bad_example(folder: Path, code: str) -> list[Diagnostic]:
    """Return what the bad example of a code gives."""
    return findings_of(folder, CODES[code].page.bad, code, ENCODINGS.get(code, "utf-8"))


def findings_of_bad_examples(
    work: Path, room: str | None = None
) -> Iterator[tuple[str, list[Diagnostic], Path]]:
    """Yield each code, the findings of its bad example, and the folder below `work` it is in.

    With a `room`, only the codes that begin with it.
    """
    for code in sorted(each for each in CODES if room in (None, each.partition("/")[0])):
        folder = work / code
        folder.mkdir(parents=True)
        yield code, findings_of_bad_example(folder, code), folder
