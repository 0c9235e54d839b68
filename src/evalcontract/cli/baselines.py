"""`--baseline` and `--write-baseline`: findings that are known do not fail a run.

This module does not import click, for the fast path in `plain`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.checking.baseline import Scope, compare, next_baseline, read_baseline, text_of
from evalcontract.cli.output import put
from evalcontract.cli.report_files import ReportFile, refuse_inputs, refuse_unwritable
from evalcontract.cli.signals import signals_as_interrupts
from evalcontract.model.errors import UsageError
from evalcontract.model.values import escape_controls
from evalcontract.report.report import BaselineCounts
from evalcontract.source.writing import write_text
from evalcontract.workspace import display_name, write_bound
from evalcontract.workspace.writing import write_error

if TYPE_CHECKING:
    from evalcontract.checking.baseline import Known
    from evalcontract.cli.outcome import CheckArgs
    from evalcontract.model.diagnostic import Outcome

#: Where `--write-baseline` writes without a name: a hidden file is taken for no dataset.
DEFAULT = ".evalcontract-baseline.json"


class Baselines:
    """The baseline that the options name, and where to write the next one, if anywhere.

    Raises:
        UsageError: the file cannot be read, or must not be written.
        ConfigurationError: it is not a baseline.

    """

    def __init__(self, args: CheckArgs, folder: Path | None) -> None:
        self._quiet = args.quiet
        self._scope = Scope(folder, args.selection)
        self._path: Path | None = None
        if args.write_baseline is not None:
            self._path = Path(args.write_baseline or args.baseline or DEFAULT)
            _refuse_name(self._path)
        source = args.baseline or self._path
        is_new = source == self._path and source is not None and not source.exists()
        self._source = source
        self._old: list[Known] = [] if is_new or source is None else read_baseline(source)
        if self._path is not None:
            if self._path not in (source, None) and self._path.exists():
                read_baseline(self._path)  # it must not replace anything else
            refuse_unwritable([*args.output, ReportFile("json", self._path)])
        refuse_inputs(args.output, [source] if source else ())

    def apply(self, outcome: Outcome) -> BaselineCounts:
        """Leave only the new findings in an outcome; write the next baseline if that is wanted."""
        left_out = {display_name(path) for path in (self._source, self._path) if path}
        outcome.left_out = [name for name in outcome.left_out if name not in left_out]
        old = self._old
        if self._path is not None:
            new = next_baseline(outcome, old, self._scope)
            self._write(new)
            old = new
        compared = compare(outcome, old, self._scope)
        outcome.diagnostics = compared.new
        return BaselineCounts(len(compared.known), len(compared.gone))

    def _write(self, baseline: list[Known]) -> None:
        path = self._path or Path(DEFAULT)
        text = text_of(baseline)
        if not path.exists() or path.read_bytes() != text.encode():
            with signals_as_interrupts():
                error = write_text(path, text, bound=write_bound(path), replace=True)
            if error:
                raise write_error(path, ValueError(error))
        if self._quiet:
            return
        before = {entry.fingerprint for entry in self._old}
        after = {entry.fingerprint for entry in baseline}
        changes = f"{len(after - before):,} new, {len(before - after):,} removed"
        name, count = escape_controls(display_name(path)), len(baseline)
        findings = "finding" if count == 1 else "findings"
        put([f"baseline of {count:,} {findings} in {name} ({changes})\n"], err=True)


def _refuse_name(path: Path) -> None:
    """Refuse a name that may be an argument which was meant to be checked.

    Raises:
        UsageError: it is one.

    """
    if path.suffix != ".json" or path.is_dir():
        raise UsageError(
            f"`--write-baseline` takes a name that ends in .json, not `{path}`; "
            "write it last, or with `--write-baseline=FILE`"
        )
