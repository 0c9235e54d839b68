"""The files that are written: reports of `--output`, and baselines; and what they must not replace.

This module does not import click, for the fast path in `start`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from evalcontract.checking.baseline import (
    BaselineEntry,
    Scope,
    compare,
    next_baseline,
    read_baseline,
    text_of,
)
from evalcontract.cli.arguments import Destination, ReportFile
from evalcontract.cli.output import put, signals_as_interrupts
from evalcontract.model.diagnostic import RunOutcome
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import escape_controls, harmless_json, many
from evalcontract.policy import Selection
from evalcontract.report import FORMATS, BaselineCounts, Report, Style, format_names, write_of
from evalcontract.source.writing import StagedFiles, check_target, target_of, write_text
from evalcontract.workspace import display_name, find_root, write_bound
from evalcontract.workspace.roots import WORKSPACE_FOLDERS, is_workspace
from evalcontract.workspace.writing import refuse_settings, write_error

# The format of a file by its name; the first pattern that matches counts.
_BY_NAME = {
    r"code[-_]?(quality|climate).*\.json$": "gitlab",
    r"\.sarif(\.json)?$": "sarif",
    r"\.json$": "json",
    r"\.(jsonl|ndjson)$": "jsonl",
    r"\.xml$": "junit",
    r"\.(md|markdown)$": "markdown",
    r"\.txt$": "text",
}
_WITH_FORMAT = lazy_pattern(r"([A-Za-z][\w-]+):(.*)", re.DOTALL)
#: Lines of text in files are as wide as a terminal usually is.
_WIDTH = 80


def format_named(name: str) -> str:
    """Return the name of an output format.

    Raises:
        UsageError: there is none of that name.
        PluginError: a format of another package cannot be used.

    """
    if name not in FORMATS and name not in (names := format_names()):
        from evalcontract.model.nearest import nearest

        near = nearest(name, names)
        advice = f"did you mean `{near}`?" if near else f"choose from {', '.join(names)}"
        raise UsageError(f"there is no output format `{name}`; {advice}")
    return name


def parse_report_file(text: str) -> ReportFile:
    """Parse `FILE` or `FORMAT:FILE`; without a format, that of the name of the file counts.

    Raises:
        UsageError: the name is not one of a file, or tells no format.

    """
    given = _WITH_FORMAT.fullmatch(text)
    name, file = given.groups() if given else (None, text)
    if not file or "\0" in text:
        raise UsageError(f"`{text}` names no file")
    if file == "-":
        raise UsageError("use `--output-format` for standard output")
    if name is not None:
        return ReportFile(format_named(name), Path(file))
    for pattern, format_ in _BY_NAME.items():
        if re.search(pattern, Path(file).name, re.IGNORECASE):
            return ReportFile(format_, Path(file))
    raise UsageError(f"`{file}` tells no format: write it before the name, as in `sarif:{file}`")


def refuse_unwritable(files: Sequence[ReportFile]) -> None:
    """Refuse files that cannot be reports, before the check runs.

    Raises:
        UsageError: a file is named twice, is a folder, a link or a device, has settings, or is in a
            folder of a workspace.

    """
    targets: set[str] = set()
    for file in files:
        refuse_settings(file.path)
        try:
            target = target_of(file.path, write_bound(file.path))
            check_target(target, replace=True)
        except (OSError, RuntimeError, ValueError) as error:
            raise write_error(file.path, error) from None
        key = str(target).casefold()  # some file systems take `A.md` and `a.md` for one
        if key in targets:
            raise UsageError(f"{display_name(file.path)} would be written twice")
        if folder := _folder_of_workspace(target):
            name = display_name(file.path)
            raise UsageError(f"{name} is in `{folder}`, whose files are checked: choose another")
        targets.add(key)


def _folder_of_workspace(path: Path) -> str | None:
    """Return the folder of a workspace that a file would be part of, if any."""
    there = next(folder for folder in path.parents if folder.exists())
    root = find_root(there)
    part = path.relative_to(root).parts[0] if root in path.parents else ""
    return f"{part}/" if part in WORKSPACE_FOLDERS and is_workspace(root) else None


def refuse_inputs(files: Sequence[ReportFile], inputs: Iterable[Path]) -> None:
    """Refuse to replace a file that is checked.

    Raises:
        UsageError: one of the files is an input.

    """
    there = [file.path for file in files if file.path.exists()]
    for checked in inputs if there else ():
        for path in there:
            with suppress(OSError, ValueError):  # standard input is no file
                if path.samefile(checked):
                    raise UsageError(f"`--output` would replace {path}, which is checked")


def write_files(files: Sequence[ReportFile], report: Report, style: Style) -> None:
    """Write reports to their files, all or none; their folders are created.

    Raises:
        UsageError: a file cannot be written.

    """
    style = style._replace(width=_WIDTH)
    with signals_as_interrupts(), StagedFiles() as staged:
        for file in files:
            pieces = write_of(file.format)(report, style)
            if FORMATS.get(file.format) == "json":
                pieces = harmless_json(pieces)
            try:
                stream = staged.open(file.path, bound=write_bound(file.path), replace=True)
                stream.writelines(piece.encode("utf-8", "replace") for piece in pieces)
            except (OSError, RuntimeError, ValueError) as error:
                raise write_error(file.path, error) from None
        try:
            staged.put()
        except OSError as error:
            raise write_error(files[0].path, error) from None


#: Where `--write-baseline` writes without a name: a hidden file is taken for no dataset.
DEFAULT = ".evalcontract-baseline.json"


class Baselines:
    """The baseline that the options name, and where to write the next one, if anywhere.

    Raises:
        UsageError: the file cannot be read, or must not be written.
        ConfigurationError: it is not a baseline.

    """

    def __init__(
        self, destination: Destination, selection: Selection | None, folder: Path | None
    ) -> None:
        self._quiet = destination.quiet
        self._scope = Scope(folder, selection)
        self._path: Path | None = None
        if destination.write_baseline is not None:
            self._path = Path(destination.write_baseline or destination.baseline or DEFAULT)
            _refuse_name(self._path)
        source = destination.baseline or self._path
        is_new = source == self._path and source is not None and not source.exists()
        self._source = source
        self._old: list[BaselineEntry] = [] if is_new or source is None else read_baseline(source)
        if self._path is not None:
            if self._path not in (source, None) and self._path.exists():
                read_baseline(self._path)  # it must not replace anything else
            refuse_unwritable([*destination.output, ReportFile("json", self._path)])
        refuse_inputs(destination.output, [source] if source else ())

    def apply(self, outcome: RunOutcome) -> BaselineCounts:
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

    def _write(self, baseline: list[BaselineEntry]) -> None:
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
        name, findings = escape_controls(display_name(path)), many(len(baseline), "finding")
        put([f"baseline of {findings} in {name} ({changes})\n"], err=True)


def _refuse_name(path: Path) -> None:
    """Refuse a name that may be an argument which was meant to be checked."""
    if path.suffix != ".json" or path.is_dir():
        raise UsageError(
            f"`--write-baseline` takes a name that ends in .json, not `{path}`; "
            "write it last, or with `--write-baseline=FILE`"
        )
