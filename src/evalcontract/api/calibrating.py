"""Measure in Python how well a judge agrees with human labels, as `calibrate-judge` does."""

from __future__ import annotations

import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from evalcontract._version import __version__
from evalcontract.api.findings import Findings
from evalcontract.calibrating.calibrate import CalibrationOutcome, calibrate, prospects
from evalcontract.calibrating.files import CalibrationOptions
from evalcontract.calibrating.measuring import CalibrationResult, document_of
from evalcontract.judging.asking import Judging, Usage
from evalcontract.judging.questions import QuestionBudget, forecast_fields
from evalcontract.model.errors import ContractViolation, UsageError
from evalcontract.statistics.rates import Agreement, CorrectedRate, Interval, MeasuredRate


class Calibration:
    """How well a judge agrees with people; `calibrate_judge` makes it.

    Positive means PASS. A rate of a class without outputs is None.
    """

    def __init__(
        self, outcome: CalibrationOutcome, result: CalibrationResult, usage: Usage
    ) -> None:
        self._done, self._result, self._usage = outcome, result, usage
        self._is_written = False

    def __repr__(self) -> str:
        rates = ", ".join(
            f"{name}={'None' if value is None else f'{value:.4g}'}"
            for name, value in (("tpr", self.tpr), ("tnr", self.tnr), ("kappa", self.kappa))
        )
        return f"Calibration({self.judge!r}, {rates})"

    @property
    def judge(self) -> str:
        """The pinned reference to the judge."""
        return self._result.judge

    @property
    def diagnostics(self) -> Findings:
        """The findings on the labels and verdicts."""
        return Findings(self._done.diagnostics)

    @property
    def agreement(self) -> Agreement:
        """The confusion matrix: `tp`, `fn`, `tn` and `fp`."""
        return self._result.measured.agreement

    @property
    def tpr(self) -> float | None:
        """The share of good outputs that the judge passes."""
        return self._result.measured.rates.get("tpr")

    @property
    def tnr(self) -> float | None:
        """The share of bad outputs that the judge fails."""
        return self._result.measured.rates.get("tnr")

    @property
    def kappa(self) -> float | None:
        """Cohen's kappa; None if it is not defined."""
        return self._result.measured.kappa

    @property
    def intervals(self) -> Mapping[str, Interval]:
        """The 95 % intervals of `tpr`, `tnr` and `kappa`, as far as they are defined."""
        measured = self._result.measured
        kappa = {"kappa": measured.kappa_interval} if measured.kappa_interval else {}
        return {**measured.intervals, **kappa}

    @property
    def threshold(self) -> float | None:
        """The lowest score that passes; None for a binary judge."""
        return self._result.measured.threshold

    @property
    def pass_rate(self) -> CorrectedRate | None:
        """The `observed` pass rate, corrected, from 0 to 1; None if it cannot be."""
        corrected = self._result.measured.corrected
        return corrected and corrected.clipped

    @property
    def warnings(self) -> tuple[str, ...]:
        """Remarks on the result, such as too few labels or too low rates."""
        return tuple(remark.message for remark in self._result.remarks)

    @property
    def validation(self) -> Mapping[str, Any] | None:
        """The `validation` that `write` adds to the judge; None if `refusal` says why not."""
        return self._result.validation

    @property
    def refusal(self) -> str | None:
        """Why the validation must not, or cannot be written; None if it can."""
        return self._result.refusal

    @staticmethod
    def dry_run(
        judge: str | Path,
        labels: str | Path,
        *,
        outputs: str | Path | None = None,
        dataset: str | Path | None = None,
        split: str | None = None,
        root: str | Path | None = None,
    ) -> dict[str, Any]:
        """Return what `calibrate_judge` would ask, as `dry_run` of `schema/answer.schema.json`.

        Nobody is asked.

        Raises:
            ContractViolation: the judge or a file has faults with which nothing can be asked.
            UsageError: there is no endpoint, or as for `calibrate_judge`.

        """
        options = CalibrationOptions(
            Path(labels),
            split=split,
            root=_folder(root),
            dataset=_path(dataset),
            outputs=_path(outputs),
        )
        judging = Judging.of(os.environ)
        found, diagnostics = prospects(os.fspath(judge), options, judging)
        if found is None and judging is None and not diagnostics:
            raise UsageError("no model is configured: set EVALCONTRACT_BASE_URL")
        if found is None:
            raise ContractViolation(Findings(diagnostics))
        return forecast_fields(found)

    def write(self) -> None:
        """Write the validation into the file of the judge; nothing else in it changes.

        Raises:
            UsageError: there is a `refusal`, or the file cannot be written or has changed.

        """
        if self.refusal:
            raise UsageError(f"the validation of {self.judge} is not written: {self.refusal}")
        self._done.write()
        self._is_written = True

    def to_dict(self) -> dict[str, Any]:
        """Return all figures, as `schema/calibration.schema.json` describes them."""
        is_written = self._is_written
        return document_of(self._result, self._usage, __version__, is_written=is_written)


def calibrate_judge(
    judge: str | Path,
    labels: str | Path,
    *,
    verdicts: str | Path | None = None,
    outputs: str | Path | None = None,
    dataset: str | Path | None = None,
    split: str | None = None,
    threshold: float | Literal["auto"] | None = None,
    observed: tuple[float, int] | None = None,
    root: str | Path | None = None,
    ask_judge: bool = False,
    max_questions: int | None = None,
    max_tokens: int | None = None,
) -> Calibration:
    """Measure how well a judge, a file or a reference, agrees with human labels.

    The files are those of `evalcontract calibrate-judge`: `labels` with the keys id, human and
    judge, or `verdicts` with the latter. `split` selects labels. `threshold` is the lowest score
    that passes, "auto" for the best one on these labels. `observed` is a pass rate of the judge on
    other outputs and their number, to correct. `root` is the folder of the workspace. With
    `ask_judge`, a judge without verdicts is asked over the endpoint that environment variables
    name, about what the labels, `outputs` and `dataset` have; its answers are not kept.
    `max_questions` and `max_tokens` are a budget: beyond it, outputs have no verdict, as a finding
    says, and nothing is to be written. `Calibration.dry_run` says what would be asked.

    Nothing is written: `write` of the result does that.

    Raises:
        ContractViolation: the judge or a file has faults with which nothing can be measured.
        UsageError: a file or the judge is not there, a value is out of range, or no output has
            both a label and a verdict.
        ConfigurationError: the configuration of the workspace cannot be used.

    """
    shown = (_path(dataset), _path(outputs))
    of = (_threshold(threshold), _measured_rate(observed), _folder(root))
    options = CalibrationOptions(Path(labels), _path(verdicts), split, *of)
    options = options._replace(dataset=shown[0], outputs=shown[1])
    budget = QuestionBudget(max_questions, max_tokens)
    judging = Judging.of(os.environ, budget=budget) if ask_judge else None
    outcome = calibrate(os.fspath(judge), options, judging)
    if outcome.result is None:
        if outcome.nothing and not any(each.is_error for each in outcome.diagnostics):
            raise UsageError(outcome.nothing)
        raise ContractViolation(Findings(outcome.diagnostics))
    return Calibration(outcome, outcome.result, judging.usage if judging else Usage())


def _folder(root: str | Path | None) -> Path | None:
    if root is not None and not os.path.isdir(root):
        raise UsageError(f"the workspace {root} is not a folder")
    return _path(root)


def _path(name: str | Path | None) -> Path | None:
    return None if name is None else Path(name)


def _threshold(value: float | str | None) -> float | str | None:
    if value is None or value == "auto":
        return value
    if isinstance(value, str) or not math.isfinite(value):
        raise UsageError(f"`threshold` must be a number or `auto`, not {value!r}")
    return float(value)


def _measured_rate(value: tuple[float, int] | None) -> MeasuredRate | None:
    if value is None:
        return None
    rate, number = value
    if not (0 <= rate <= 1 and number >= 1):
        raise UsageError(
            f"`observed` is a rate from 0 to 1 and the number of outputs that it is of, not {value}"
        )
    return MeasuredRate(rate, number)
