"""What a judge is shown of each labelled output: from the labels, or a dataset and its outputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.calibrating.records import SHOWN
from evalcontract.checks.outcome import Output
from evalcontract.datasets.columns import of_outputs
from evalcontract.datasets.opening import Input, open_dataset
from evalcontract.datasets.outputs import Outputs
from evalcontract.datasets.passes import NATIVE, rows_of
from evalcontract.datasets.placing import from_unreadable_files
from evalcontract.datasets.run import Run, today
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence
    from pathlib import Path

    from evalcontract.calibrating.calibration_options import CalibrationOptions
    from evalcontract.calibrating.records import Record
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.workspace import Workspace

_OUTPUT = "output"
_OF_ROW = tuple(key for key in SHOWN if key != _OUTPUT)


class Shown(NamedTuple):
    """A row and an output as a judge sees them."""

    row: Mapping[str, Any]
    output: Output


class Shower:
    """Says what a judge is shown of a labelled output.

    `diagnostics` has the findings on the dataset and its outputs, as far as they cannot be read.

    Raises:
        UsageError: no label has an output, or a file brings what the labels bring, too; or the
            dataset is in the format of another system.

    """

    def __init__(
        self, labels: Sequence[Record], options: CalibrationOptions, workspace: Workspace
    ) -> None:
        _require_one_source(labels, options)
        self.diagnostics: list[Diagnostic] = []
        self._run = Run(workspace, None, options.today or today())
        ids = {label.id for label in labels}
        self._rows = self._outputs = None
        columns, keys = of_outputs(options.columns)
        if options.dataset:
            self._rows = dict(self._rows_of(options.dataset, columns, ids))
        if options.outputs:
            self._outputs = self._outputs_of(options.outputs, keys, ids)

    def of(self, label: Record) -> Shown | str:
        """Return what the judge is shown, or why it cannot be asked."""
        row: Any = {key: label.values[key] for key in _OF_ROW if key in label.values}
        if self._rows is not None:
            row = self._rows.get(label.id, "the dataset has no such row")
        if isinstance(row, str):
            return row
        if self._outputs is not None:
            output = self._outputs.get(label.id, Output())
        else:
            output = Output(label.values.get(_OUTPUT))
        return "it has no recorded output" if output.text is None else Shown(row, output)

    def _rows_of(
        self, path: Path, columns: ColumnKeys, ids: Container[str]
    ) -> Iterator[tuple[str, Mapping[str, Any] | str]]:
        """Yield the rows with these ids, the first of each; or why one cannot be used."""
        dataset = open_dataset(Input(path), columns=columns)
        if dataset.dialect != NATIVE:
            raise UsageError(f"{dataset.file} is a dataset of {dataset.dialect}: convert it first")
        if dataset.unreadable:
            self.diagnostics += from_unreadable_files(
                [dataset.unreadable], self._run.standards.base
            )
            return
        dataset_pass = dataset.begin(self._run, self._run.standards.policy_for(path))
        seen: set[str] = set()
        for checked in dataset_pass.batches(keep_rows=True):
            self.diagnostics += checked.faults
            for row in rows_of(dataset_pass, checked):
                id_ = row.value.get("id") if isinstance(row.value, dict) else None
                if isinstance(id_, str) and id_ in ids and id_ not in seen:
                    seen.add(id_)
                    fault = row.fault
                    yield id_, f"its row is not valid: {fault.message}" if fault else row.value

    def _outputs_of(self, path: Path, keys: ColumnKeys, ids: Container[str]) -> dict[str, Output]:
        source = Input(path).read()
        if source.unreadable:
            self.diagnostics += from_unreadable_files([source.unreadable], self._run.standards.base)
            return {}
        outputs = Outputs(source, self._run.standards.base, keys)
        records = (record for batch in outputs.batches() for record in batch)
        found = {record.id: record.output for record in records if record.id in ids}
        self.diagnostics += outputs.diagnostics
        return found


def _require_one_source(labels: Sequence[Record], options: CalibrationOptions) -> None:
    """Require that there is one place for what the judge is shown."""
    own = {key for label in labels for key in SHOWN if key in label.values}
    if options.outputs and _OUTPUT in own:
        raise UsageError("the labels have outputs themselves: leave out `--outputs`")
    if not options.outputs and _OUTPUT not in own:
        raise UsageError(
            "there is nothing to show the judge: add the key `output` to the labels, and what else "
            "its template reads; or name recorded outputs with `--outputs`, and `--dataset`"
        )
    both = sorted(own.intersection(_OF_ROW))
    if options.dataset and both:
        raise UsageError(f"the labels have `{both[0]}` themselves: leave out `--dataset`")
