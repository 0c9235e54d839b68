"""The options of a calibration, and the scale and the labels that they mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.errors import UsageError
from evalcontract.model.scale import Scale, ScaleError, scale_of
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.workspace import NEAREST, ChosenConfiguration

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import date
    from pathlib import Path

    from evalcontract.calibrating.named_judge import NamedJudge
    from evalcontract.calibrating.records import Record
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.datasets.opening import Progress
    from evalcontract.statistics.rates import Measured


class CalibrationOptions(NamedTuple):
    """What to compare with what.

    `verdicts` is a file with the judge's verdicts, None if the labels have them or the judge is to
    be asked; `dataset` and `outputs` have what it is shown then, as far as the labels do not.
    `split` selects labels. `threshold` is the lowest score that passes, `AUTO` for the best on
    these labels, None for that of the judge. `observed` is a pass rate to correct. `progress` is
    called with the name of the labels, the number of outputs judged, and that of all.
    `configuration` is the one that the caller chooses. `columns` are columns of the dataset, and
    keys of the outputs, with the keys that they are read as.
    """

    labels: Path
    verdicts: Path | None = None
    split: str | None = None
    threshold: float | str | None = None
    observed: Measured | None = None
    root: Path | None = None
    today: date | None = None
    dataset: Path | None = None
    outputs: Path | None = None
    progress: Progress | None = None
    configuration: ChosenConfiguration = NEAREST
    columns: ColumnKeys = ()


def scale_for(judge: NamedJudge, options: CalibrationOptions) -> Scale:
    """Return the scale of a judge with the threshold that the options ask for.

    Raises:
        UsageError: a binary judge gets a threshold, or another one has none that is on its scale.

    """
    try:
        scale = scale_of(judge.value)
    except ScaleError as error:
        raise UsageError(f"{judge.name} cannot be measured: {error}") from None
    threshold = options.threshold
    if not scale.is_numeric:
        if threshold is not None:
            raise UsageError(f"{judge.name} is binary: it takes no threshold")
        return scale
    if isinstance(threshold, float):
        if not scale.low <= threshold <= scale.high:
            ends = f"{scale.low:g} to {scale.high:g}"
            raise UsageError(f"the threshold {threshold:g} is not on the judge's scale, {ends}")
        return scale._replace(threshold=threshold, is_default=False)
    return scale


def labels_of_split(rows: Sequence[Record], split: str | None) -> list[Record]:
    """Return the labels of a split; all of them if it is None.

    Raises:
        UsageError: no label is of that split.

    """
    if split is None:
        return [*rows]
    chosen = [row for row in rows if row.values.get("split") == split]
    if not chosen:
        names = sorted({row.values["split"] for row in rows if "split" in row.values})
        have = f"they have {listed(names)}" if names else "they have no `split`"
        raise UsageError(f"no label is of the split `{split}`; {have}")
    return chosen
