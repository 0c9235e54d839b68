"""What to keep in mind about a measurement: too few labels, too low rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple
from evalcontract.statistics.rates import RATES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.calibrating.measuring import Measurement

#: As the rule `judge/small-sample` has them.
ENOUGH, ENOUGH_OF_A_CLASS = 60, 20
#: By H. Husain and S. Shankar: a rate below the first is too low, one below the second is not good.
USABLE, GOOD = 0.8, 0.9
_WIDE = 0.2
#: The share of the smaller class from which labels are balanced.
_BALANCED = 0.3
_CLASSES = {"tpr": "passed", "tnr": "failed"}
_FAULTS = {"tpr": "it fails good work", "tnr": "it lets bad work through"}


class Remark(NamedTuple):
    """A remark on a measurement: a name for programs, and a sentence."""

    name: str
    message: str


def remarks(
    measured: Measurement, *, is_chosen: bool = False, is_default: bool = False
) -> Iterator[Remark]:
    """Yield what to keep in mind.

    `is_chosen` is whether the threshold was chosen here, `is_default` whether the judge has none.
    """
    yield from _of_sample(measured)
    if is_default and measured.threshold is not None:
        message = (
            f"the judge has no `pass_threshold`: the middle of its scale, {measured.threshold:g}, "
            "decides here as it does in `grade`, and is written with the validation"
        )
        yield Remark("default-threshold", message)
    tpr, tnr = measured.rates.get("tpr"), measured.rates.get("tnr")
    if tpr is not None and tnr is not None and tpr + tnr <= 1:
        message = "the judge is no better than chance: TPR and TNR add up to 1 or less"
        yield Remark("no-better-than-chance", message)
    else:
        yield from _of_rates(measured)
    if measured.observed and measured.corrected is None:
        message = (
            "the pass rate cannot be corrected: that takes a TPR and a TNR of more than 1 in sum"
        )
        yield Remark("not-corrected", message)
    elif measured.corrected and measured.corrected.clipped != measured.corrected:
        message = "the corrected pass rate or its interval was cut off at 0 or 1"
        yield Remark("clipped", message)
    if is_chosen:
        message = (
            "the threshold was chosen on these labels, so the rates are too good: measure them "
            "with it on another split"
        )
        yield Remark("chosen-threshold", message)


def _of_sample(measured: Measurement) -> Iterator[Remark]:
    total = measured.agreement.total
    sizes = {rate: measured.agreement.of(rate)[1] for rate in RATES}
    few = [
        f"{size:,} that people {_CLASSES[rate]}"
        for rate, size in sizes.items()
        if size < ENOUGH_OF_A_CLASS
    ]
    if total < ENOUGH or few:
        what = f"only {_outputs(total)}" if total < ENOUGH else f"only {' and '.join(few)}"
        message = (
            f"{what}: compare at least {ENOUGH}, {ENOUGH_OF_A_CLASS} that people passed and "
            f"{ENOUGH_OF_A_CLASS} that they failed"
        )
        yield Remark("small-sample", message)
    elif min(sizes.values()) < _BALANCED * total:
        fewer = min(sizes, key=sizes.__getitem__)
        message = (
            f"the labels are unbalanced: people {_CLASSES[fewer]} {sizes[fewer]:,} of {total:,} "
            "outputs; half of each is best"
        )
        yield Remark("unbalanced", message)
    wide = [rate.upper() for rate, each in measured.intervals.items() if each.width > _WIDE]
    if wide:
        which = " and of ".join(wide)
        message = f"the interval of {which} is wider than {_WIDE:g}: label more outputs"
        yield Remark("wide-interval", message)


def _outputs(number: int) -> str:
    return "1 output" if number == 1 else f"{number:,} outputs"


def _of_rates(measured: Measurement) -> Iterator[Remark]:
    for name, rate in measured.rates.items():
        if rate < GOOD:
            bound = USABLE if rate < USABLE else GOOD
            how = "too low to use" if rate < USABLE else "use it with care"
            message = f"{name.upper()} is below {bound:.1f} ({how}): {_FAULTS[name]}"
            yield Remark(f"low-{name}", message)
