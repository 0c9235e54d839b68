"""Conversion of datasets: read, judged, turned row by row, and written all together or not."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from evalcontract.api.carried import Carried, OfOthers, OfOurs
from evalcontract.api.detection import OURS, Theirs, read_any
from evalcontract.api.dialect_check import detected
from evalcontract.api.edge import locate
from evalcontract.api.output import Output, medium_for
from evalcontract.api.placing import AsOurs, AsTheirs
from evalcontract.api.run import Run, today
from evalcontract.formats import dialect_of
from evalcontract.model.diagnostic import sort_key
from evalcontract.policy import Policy
from evalcontract.report.losses import Losses
from evalcontract.source import Unreadable
from evalcontract.workspace import find_root, name_of, open_workspace

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.api.detection import Ours
    from evalcontract.api.options import Input, Options
    from evalcontract.api.placing import Place
    from evalcontract.model.diagnostic import Diagnostic


class Wanted(NamedTuple):
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
class Converted:
    """What came of a conversion. `written` are the files, none where it was refused, and `why`."""

    source: str
    from_: str
    to: str
    diagnostics: list[Diagnostic] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    rows: int = 0
    written: list[str] = field(default_factory=list)
    why: str | None = None


def convert(input_: Input, out: Path, wanted: Wanted, options: Options) -> Converted:
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
    read = read_any(input_, wanted.from_)
    dialect = read.dialect if isinstance(read, Theirs) else None
    done = Converted(name_of(input_.path), str(dialect or OURS), str(target or OURS))
    place: Place = AsTheirs(target, medium) if target else AsOurs(_stem(out), medium)
    rows = _rows(run, read, input_.path)
    if isinstance(rows, Unreadable):
        done.diagnostics += run.unreadable([rows])
        done.why = "the source cannot be read"
        return done
    if dialect and wanted.from_ is None:
        done.diagnostics += detected(dialect, rows.source.file, run.base_policy)
    with Output(out, medium, wanted, options.root) as output:
        done.losses.report = output.report
        head = {"from": done.from_, "to": done.to, "source": done.source, "target": name_of(out)}
        done.losses.begin(head)
        _carry(rows, place, output, done)
        done.losses.end()
        done.diagnostics.sort(key=sort_key)
        done.why = _refusal(rows, done, wanted)
        if done.why is None:
            done.written = output.put(place.beside)
    return done


def _rows(run: Run, read: Ours | Theirs, path: Path) -> OfOthers | OfOurs | Unreadable:
    policy = run.policy_for(path)
    if not isinstance(read, Theirs):
        return read if isinstance(read, Unreadable) else OfOurs(run, read, policy)
    dialect, source = read
    return source if isinstance(source, Unreadable) else OfOthers(dialect, source, policy)


def _carry(rows: OfOthers | OfOurs, place: Place, output: Output, done: Converted) -> None:
    policy = Policy()
    for each in rows.rows():
        row, losses, problems = place.take(each)
        done.losses.note((*each.losses, *losses), each.number, each.path, rows.place)
        for found in locate(_moved(problems, each), rows.source, policy, {}):
            done.diagnostics.append(found)
        output.row(row, each.path, rows.source)
        done.rows += 1
    done.diagnostics += rows.diagnostics
    whole, losses = place.wrap(output.rows, rows.root)
    done.losses.note((*rows.losses, *losses), None, (), rows.place)
    output.document(whole)


def _moved(problems: Any, carried: Carried) -> Any:
    return [
        each._replace(path=(*carried.path, *each.path), row_index=carried.number)
        for each in problems
    ]


def _refusal(rows: OfOthers | OfOurs, done: Converted, wanted: Wanted) -> str | None:
    """Say why nothing is written; None where all is well."""
    is_ill = rows.is_ill if isinstance(rows, OfOurs) else None
    if any(is_ill(each) if is_ill else each.is_error for each in done.diagnostics):
        return "the source has faults for which it cannot be converted whole"
    if wanted.lossless and done.losses.total:
        return "the target cannot carry all of it, and --strict asks for that"
    return None


def _stem(out: Path) -> str:
    return out.name.split(".")[0]
