"""The result of a calibration, as reports and the command line use it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from evalcontract.calibrating.joining import Annotators
    from evalcontract.calibrating.measuring import Measurement
    from evalcontract.calibrating.remarks import Remark


class Labels(NamedTuple):
    """The labels that a judge was compared with.

    `split` is the part that was used, None if that is all of several, or if nothing says;
    `splits` are those that were used, with the number of rows of each. Of the `labelled` outputs,
    `compared` have a verdict, and `unreadable` an answer of the judge that is none; `ties` are
    those on which people are divided.
    """

    file: str
    sha256: str
    split: str | None
    splits: Mapping[str, int]
    labelled: int
    compared: int
    ties: int
    annotators: Annotators | None
    have_scores: bool
    unreadable: int = 0


class Result(NamedTuple):
    """How well a judge agrees with labels, and the `validation` that says so.

    `validation` is None if it must not be written: `refusal` says why. `is_chosen` is whether the
    threshold was chosen from the labels.
    """

    judge: str
    file: str
    score_type: str
    labels: Labels
    measured: Measurement
    remarks: Sequence[Remark]
    is_chosen: bool
    validation: Mapping[str, Any] | None
    refusal: str | None = None
