"""Conversion of datasets: read, judged, turned row by row, and written all together or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.engine.diagnostics import to_diagnostics
from evalcontract.engine.opening import open_dataset
from evalcontract.engine.output import Output, medium_for
from evalcontract.engine.passes import OURS, rows_of
from evalcontract.engine.placing import DialectTarget, NativeTarget
from evalcontract.engine.run import Run, today
from evalcontract.formats import dialect_of
from evalcontract.model.diagnostic import sort_key
from evalcontract.policy import Policy
from evalcontract.report.losses import Losses
from evalcontract.workspace import find_root, name_of, open_workspace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from evalcontract.engine.options import Input, Options
    from evalcontract.engine.passes import CheckedRow, Dataset, DatasetPass
    from evalcontract.engine.placing import ConversionTarget
    from evalcontract.model.diagnostic import Diagnostic, Problem


class ConvertOptions(NamedTuple):
    """What a conversion is asked for.

    `from_` may be None: what the file holds decides. `lossless` refuses to write where the target
    cannot carry something, even if it would be kept aside. `force` replaces files.
    """

    from_: str | None
    to: str
    loss_report: Path | None = None
    lossless: bool = False
    force: bool = False


@dataclass
class ConvertResult:
    """What came of a conversion. `written` are the files, none where it was refused, and `why`.

    `left_out` counts the rows that have faults for which they cannot be converted.
    """

    source: str
    from_: str
    to: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    rows: int = 0
    left_out: int = 0
    written: list[str] = field(default_factory=list)
    why: str | None = None


def convert(input_: Input, out: Path, wanted: ConvertOptions, options: Options) -> ConvertResult:
    """Convert a dataset into another dialect, or into another medium of the same.

    Nothing is written where the source cannot be loaded by its own system, where a row cannot be
    written, or where `wanted` says that nothing may be lost.

    Raises:
        UsageError: there is no such dialect, the target is not written in the medium that the
            name of `out` promises, or a file is there already.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    target = None if wanted.to == OURS else dialect_of(wanted.to)
    medium = medium_for(out, target)
    root = options.files.real(options.root or find_root(input_.path))
    run = Run(open_workspace(root), None, options.today or today())
    dataset = open_dataset(input_, wanted.from_)
    done = ConvertResult(name_of(input_.path), dataset.dialect, str(target or OURS))
    place: ConversionTarget = (
        DialectTarget(target, medium) if target else NativeTarget(_stem(out), medium)
    )
    if dataset.unreadable:
        done.diagnostics += run.unreadable([dataset.unreadable])
        done.why = "the source cannot be read"
        return done
    check = dataset.begin(run, run.policy_for(input_.path))
    with Output(out, medium, wanted, options.root) as output:
        done.losses.report = output.report
        head = {"from": done.from_, "to": done.to, "source": done.source, "target": name_of(out)}
        done.losses.begin(head)
        _carry(dataset, check, place, output, done)
        done.losses.end()
        done.diagnostics.sort(key=sort_key)
        done.why = _refusal(check, done, wanted)
        if done.why is None:
            done.written = output.put(place.beside)
    return done


def _carry(
    dataset: Dataset,
    check: DatasetPass,
    place: ConversionTarget,
    output: Output,
    done: ConvertResult,
) -> None:
    def at(path: Any) -> Any:
        return check.place(path, on_key=True)

    reader = check.reader()
    for checked in check.batches(keep_rows=True):
        done.diagnostics += [*checked.faults, *check.to_diagnostics(checked.problems)]
        for source in rows_of(check, checked):
            ours = None if source.fault else reader.read(source)
            if ours is None:
                done.left_out += 1
                continue
            row, losses, problems = place.take(ours, source.number)
            done.losses.note((*ours.losses, *losses), source.number, source.path, at)
            done.diagnostics += to_diagnostics(_moved(problems, source), check, Policy(), {})
            output.row(row, source.path, dataset.document)
            done.rows += 1
    done.diagnostics += check.rest()
    whole, losses = place.wrap(output.rows, reader.root)
    done.losses.note((*reader.losses, *losses), None, (), at)
    output.document(whole)


def _moved(problems: Iterable[Problem], source: CheckedRow) -> Iterator[Problem]:
    for problem in problems:
        yield problem._replace(path=(*source.path, *problem.path), row_index=source.number)


def _refusal(check: DatasetPass, done: ConvertResult, wanted: ConvertOptions) -> str | None:
    """Say why nothing is written; None where all is well."""
    is_rejected = any(found.is_error or check.rejects(found.code) for found in done.diagnostics)
    if done.left_out or is_rejected:
        return "the source has faults for which it cannot be converted whole"
    if wanted.lossless and done.losses.total:
        return "the conversion would lose data (--strict)"
    return None


def _stem(out: Path) -> str:
    return out.name.split(".")[0]
