"""The output formats, one per file, and what they are given: a report and a style.

They yield text; the command line prints it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

from evalcontract.model.codes import Code
from evalcontract.model.diagnostic import Diagnostic, Severity, TextEdit
from evalcontract.model.startup import NamedTuple
from evalcontract.source.installed import entry_points


class BaselineCounts(NamedTuple):
    """The findings of a baseline: those that occur again, and those that no longer occur."""

    known: int
    gone: int


class Report(NamedTuple):
    """The findings of a run, sorted, and what was checked.

    `files` counts files by kind, `rows` the rows of datasets. `left_out` has the names of data
    files that were skipped because they do not look like datasets, `checked` the kinds of the
    others by name. `ignored` is the number of findings that files or the configuration ignore,
    `baseline` has those of a baseline, if there is one. Findings of at least the severity
    `fails_from` fail the run.

    `name_of` turns the name of a file into its path from the top of the repository, with forward
    slashes. `codes` has the codes of the findings, `url_of` returns the address of the page of a
    code, or None. `edits_of` returns the edits that fix findings, by their numbers.
    """

    diagnostics: Sequence[Diagnostic]
    files: Mapping[str, int]
    rows: int = 0
    left_out: Sequence[str] = ()
    checked: Mapping[str, str] = {}
    ignored: int = 0
    baseline: BaselineCounts | None = None
    fails_from: Severity = Severity.ERROR
    name_of: Callable[[str], str] = str
    codes: Mapping[str, Code] = {}
    url_of: Callable[[str], str | None] = lambda _: None
    edits_of: Callable[[Sequence[Diagnostic]], Mapping[int, tuple[TextEdit, ...]]] = lambda _: {}

    def how_many(self, severity: Severity) -> int:
        """Return the number of findings of a severity."""
        return sum(diagnostic.severity is severity for diagnostic in self.diagnostics)


class Style(NamedTuple):
    """The appearance of a report: whether in colour, the width of a line, the number of findings.

    A `limit` of 0 shows all findings; `statistics` adds their numbers by code. `links` makes codes
    links to their pages, for terminals; `quiet` leaves out everything but the findings. `encoding`
    is that of what is printed to: other characters than its own are printed as `?`.
    """

    colour: bool = False
    width: int = 80
    limit: int = 0
    verbose: bool = False
    version: str = ""
    statistics: bool = False
    links: bool = False
    quiet: bool = False
    encoding: str = "utf-8"


#: Yields a report as pieces of text, in order.
Write = Callable[[Report, Style], Iterator[str]]


#: The medium of each built-in output format, by the name that `--output-format` takes: `json` may
#: be escaped as JSON, `commands` are for a runner of CI and must not be changed, the rest is text.
#: A format is imported at first use.
FORMATS = {
    "text": "text",
    "concise": "text",
    "json": "json",
    "jsonl": "json",
    "github": "commands",
    "gitlab": "json",
    "junit": "text",
    "sarif": "json",
    "markdown": "text",
}


def write_of(name: str) -> Write:
    """Return the function that writes an output format.

    Raises:
        KeyError: there is no such format.
        PluginError: a format of another package cannot be used.

    """
    if name not in FORMATS:
        return _of_others()[name]
    write: Write = import_module(f"{__name__}.{name}").write
    return write


def format_names() -> list[str]:
    """Return the names of the built-in output formats, and of those of other packages.

    Raises:
        PluginError: a format of another package cannot be used.

    """
    return [*FORMATS, *_of_others()]


def _of_others() -> Mapping[str, Write]:
    """Return the entry points of `evalcontract.reports`."""
    return entry_points("reports", _fault_of)


def _fault_of(name: str, write: Any) -> str | None:
    if not callable(write):
        return "is not callable"
    return "has a name that is taken: the format is built in" if name in FORMATS else None
