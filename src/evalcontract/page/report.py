"""The report of datasets in several modes, put together as one page.

The modes decide how severe the same problems are. The page is a template, the style, the scripts
and the data in one text; nothing is loaded from elsewhere. The content security policy allows
exactly this style and this script, by their digests, so that nothing in the data can run even if it
were taken for markup.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

from evalcontract._version import __version__
from evalcontract.checking.pipeline import validate, validate_in_modes
from evalcontract.checks.outcome import Output
from evalcontract.comparing.compare import compare
from evalcontract.comparing.difference import Difference
from evalcontract.comparing.revisions import of_git
from evalcontract.covering import run_for_coverage
from evalcontract.datasets.columns import ColumnKeys, of_outputs
from evalcontract.datasets.opening import Input, Options, open_with_graders
from evalcontract.datasets.output_files import read_outputs
from evalcontract.datasets.outputs import OutputFile
from evalcontract.datasets.passes import Dataset, rows_of
from evalcontract.datasets.placing import one_finding
from evalcontract.datasets.run import Run, today
from evalcontract.grading.groups import Grouping
from evalcontract.grading.results import earlier_results
from evalcontract.grading.runner import row_name
from evalcontract.grading.summary import ALL_ALIKE
from evalcontract.library.library import references_in_row
from evalcontract.model.diagnostic import Diagnostic, RunOutcome, Severity
from evalcontract.model.errors import InstallationError, UsageError
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import many
from evalcontract.page.collectors import CoverageCollector, Excerpts, GraphCollector
from evalcontract.page.content import (
    CoverageTable,
    GradedRun,
    HtmlReport,
    JudgeLabels,
    ModeFinding,
    OutputKey,
    RowTexts,
)
from evalcontract.page.data import page_data
from evalcontract.page.judges import judge_data
from evalcontract.page.runs import ranked, texts_of, thresholds_of
from evalcontract.policy import Policy
from evalcontract.source import MisreadError
from evalcontract.source.external import digest_of
from evalcontract.source.writing import StagedFiles
from evalcontract.workspace import Workspace, display_name, find_root, open_workspace
from evalcontract.workspace.catalogue import KnownCodes, url_of
from evalcontract.workspace.writing import open_staged, write_error


class ReportInputs(NamedTuple):
    """The inputs of an HTML report.

    `modes` are the options of each mode by its name; findings are those of all modes. `mode` is the
    name of the one that is shown first. `results` are files that `grade` wrote, `outputs` those
    that it graded, and `labels` those of judges that answered. `grouping` says which rows were
    drawn together, and what several outputs of a row come to. Tables have at most `max_rows` rows,
    if that is not 0: those with findings or gaps first. `against` is a revision of git to say what
    changed since then.
    """

    datasets: Sequence[Input]
    modes: Mapping[str, Options]
    mode: str
    results: Sequence[Path] = ()
    max_rows: int = 0
    against: str | None = None
    outputs: Sequence[Input] = ()
    labels: Sequence[JudgeLabels] = ()
    grouping: Grouping = ALL_ALIKE


def html_report(inputs: ReportInputs) -> HtmlReport:
    """Check datasets in every mode, and collect what the page shows of them.

    Raises:
        NothingToCheck: there is no input.
        ConfigurationError: a workspace's configuration cannot be used.
        UsageError: there is no such dialect or revision, or results cannot be read.

    """
    columns, keys = of_outputs(inputs.modes[inputs.mode].columns)
    modes = {name: mode._replace(columns=columns) for name, mode in inputs.modes.items()}
    inputs = inputs._replace(modes=modes)
    runs = [_read_run(path) for path in inputs.results]
    for run in runs:
        inputs.grouping.require_told(run.rows)
    runs = _with_outputs(runs, inputs, keys)
    # Standard input is read once, and checked several times.
    datasets = [input_.buffered() for input_ in inputs.datasets]
    options = inputs.modes[inputs.mode]
    options = options._replace(opened=_open_workspaces(datasets, options))
    outcomes = _outcomes(inputs, datasets, options)
    findings = _merge(outcomes)
    collected = _PassResults([each.diagnostic for each in findings], inputs.max_rows)
    for run in runs:
        collected.runs.setdefault(run.dataset, []).append(run)
    if len(datasets) == 1 and runs:  # any, if there is no other dataset that it could be over
        collected.runs.setdefault(display_name(datasets[0].path), runs)
    for input_ in _rewound(datasets):
        collected.take(input_, options)
    crashes = {mode: RunOutcome(collected.crashes) for mode in outcomes}
    findings += (each for each in _merge(crashes) if each not in findings)
    outcome = outcomes[inputs.mode]
    return HtmlReport(
        __version__,
        (options.today or today()).isoformat(),
        list(inputs.modes),
        inputs.mode,
        outcome.files,
        outcome.rows,
        [display_name(input_.path) for input_ in datasets],
        findings,
        collected.excerpts.of_all(),
        collected.tables,
        collected.graph.graph(),
        [collected.of_run.get(run.file, run) for run in runs],
        inputs.max_rows,
        _changes(datasets, inputs.against, options),
        [judge_data(each, runs, _root_of(datasets[0], options), options) for each in inputs.labels],
        inputs.grouping,
    )


def _root_of(dataset: Input, options: Options) -> Path:
    return options.files.real(options.root or find_root(dataset.path, options.files))


def _changes(datasets: Sequence[Input], against: str | None, options: Options) -> Difference | None:
    """Return what changed in the workspaces of datasets since a revision."""
    if against is None:
        return None
    paths = [each.path for each in datasets if each.stream is None]
    roots = dict.fromkeys(options.files.real(options.root or find_root(path)) for path in paths)
    with closing(of_git(against, None, roots or [Path()])) as revisions:
        return compare(revisions, options.configuration)


def _open_workspaces(datasets: Iterable[Input], options: Options) -> dict[Path, Workspace]:
    """Return the workspaces of datasets by their roots, each opened once for all modes."""
    files, configuration = options.files, options.configuration
    roots = {files.real(options.root or find_root(input_.path, files)): None for input_ in datasets}
    return {root: open_workspace(root, (), files, choice=configuration) for root in roots}


def _outcomes(
    inputs: ReportInputs, datasets: Sequence[Input], options: Options
) -> dict[str, RunOutcome]:
    """Return the outcome in each mode: the severities of each, over the problems of one check."""
    # Where modes or workspaces differ in the codes that they report, each mode has its own check.
    modes = {name: mode._replace(opened=options.opened) for name, mode in inputs.modes.items()}
    policies = [workspace.configuration.policy for workspace in (options.opened or {}).values()]
    is_one = len(policies) == 1 or not any(policy.overrides for policy in policies)
    if is_one and all(policy.reports_alike(KnownCodes().values()) for policy in policies):
        return validate_in_modes(Kind.DATASET, _rewound(datasets), modes, policy=policies[0])
    return {name: validate(Kind.DATASET, _rewound(datasets), mode) for name, mode in modes.items()}


def _rewound(inputs: Sequence[Input]) -> Sequence[Input]:
    for input_ in inputs:
        if input_.stream is not None:
            input_.stream.seek(0)
    return inputs


def _read_run(path: Path) -> GradedRun:
    results = earlier_results(path)
    return GradedRun(
        display_name(path),
        results.dataset,
        results.is_complete,
        results.rows,
        graded=results.basis.manifest["outputs"].get("sha256"),
        basis=results.basis,
    )


def _with_outputs(
    runs: Sequence[GradedRun], inputs: ReportInputs, keys: ColumnKeys
) -> list[GradedRun]:
    """Return runs with the outputs that they graded, which have the digest that results name."""
    outputs: dict[str, Mapping[OutputKey, Output]] = {}
    for input_ in inputs.outputs:
        source = read_outputs(input_)
        if source.unreadable:
            fault = source.unreadable.faults[0]
            raise UsageError(f"{source.file} cannot be read: {fault.message}")
        file = OutputFile(source, Policy(), keys)
        if file.has_samples(None):
            file.take_samples()
        records = {
            (each.id, each.sample): each.output for batch in file.batches() for each in batch
        }
        digest = digest_of(input_.path)
        if digest not in {run.graded for run in runs}:
            raise UsageError(f"{source.file} is not what the results are of: its digest is another")
        outputs[str(digest)] = records
    return [run._replace(outputs=outputs.get(str(run.graded))) for run in runs]


def _merge(outcomes: Mapping[str, RunOutcome]) -> list[ModeFinding]:
    """Return the findings of all modes, each with its severities."""
    severities: dict[Diagnostic, dict[str, Severity]] = {}
    first: dict[Diagnostic, Diagnostic] = {}
    for mode, outcome in outcomes.items():
        for diagnostic in outcome.diagnostics:
            key = diagnostic._replace(severity=diagnostic.severity.NOTE, severity_source=None)
            first.setdefault(key, diagnostic)
            severities.setdefault(key, {})[mode] = diagnostic.severity
    known = KnownCodes()
    pages = {code: _page_of(code, known) for code in {diagnostic.code for diagnostic in first}}
    return [
        ModeFinding(diagnostic, severities[key], *pages[key.code])
        for key, diagnostic in first.items()
    ]


def _page_of(name: str, known: KnownCodes) -> tuple[str | None, str | None]:
    """Return the address and the summary of the page of a code; None if it has none."""
    code = known.get(name)
    return (None, None) if code is None else (url_of(code), code.page.summary)


class _PassResults:
    """Collects what the page shows during the passes over the datasets."""

    def __init__(self, diagnostics: Sequence[Diagnostic], max_rows: int) -> None:
        self.excerpts = Excerpts(diagnostics)
        self.graph = GraphCollector()
        self.tables: list[CoverageTable] = []
        self.crashes: list[Diagnostic] = []
        self._runs: dict[Path, Run] = {}
        self._max_rows = max_rows
        #: The runs of `grade` over each dataset, by its file.
        self.runs: dict[str, list[GradedRun]] = {}
        #: The runs with what their rows say, by the file of results.
        self.of_run: dict[str, GradedRun] = {}

    def take(self, input_: Input, options: Options) -> None:
        """Pass over the rows of a dataset; one that cannot be read has findings alone."""
        root = _root_of(input_, options)
        if root not in self._runs:
            self._runs[root] = run_for_coverage(root, options)
            self.excerpts.know(self._runs[root])
        run = self._runs[root]
        with one_finding(display_name(input_.path), self.crashes.append), suppress(MisreadError):
            dataset = open_with_graders(input_, options)
            if not dataset.unreadable:
                self._pass_over(dataset, run, input_.path)

    def _pass_over(self, dataset: Dataset, run: Run, path: Path) -> None:
        runs = self.runs.get(dataset.file, [])
        wanted = {row.id for each in runs for _, row in ranked(each, self._max_rows)}
        texts: dict[str, RowTexts] = {}
        table = CoverageCollector(dataset.file, self._max_rows, runs[0] if runs else None)
        rows_with_findings = self.excerpts.rows_of(dataset.file)
        dataset_pass = dataset.begin(run, run.standards.base, run.standards.graded_for(path))
        self.graph.add_dataset(dataset.file)
        references: Counter[Reference] = Counter()
        for checked in dataset_pass.batches(keep_rows=True):
            for row in rows_of(dataset_pass, checked):
                table.take(dataset_pass.cover(row), has_findings=row.number in rows_with_findings)
                references.update(site.reference for site in references_in_row(row.value, ()))
                if wanted and (name := row_name(row.value, row.number)) in wanted:
                    texts.setdefault(name, texts_of(row.value))
        if table.row_count:
            self.tables.append(table.table())
        self.graph.add_dataset(dataset.file, many(table.row_count, "row"))
        self.graph.refer(dataset.file, references, run.workspace.library)
        self.excerpts.locate(dataset, dataset_pass)
        for each in runs:
            thresholds = thresholds_of(each, run.workspace.library)
            self.of_run[each.file] = each._replace(texts=texts, thresholds=thresholds)


@contextmanager
def page_file(path: Path, *, force: bool) -> Iterator[Callable[[Iterable[str]], str]]:
    """Open the file of a page before it is made; what it gives writes the page, and names the file.

    Raises:
        UsageError: the file exists, and `force` is false, or it cannot be written.

    """
    with StagedFiles() as staged:
        stream = open_staged(staged, path, replace=force)

        def write(pieces: Iterable[str]) -> str:
            try:
                stream.writelines(piece.encode() for piece in pieces)
                staged.put()
            except OSError as error:  # for example because the disk is full
                raise write_error(path, error) from None
            return display_name(path)

        yield write


#: The modules of the page, each behind those that it imports.
MODULES = (
    "dom", "data", "state", "theme", "virtual", "tabs", "findings", "legend", "heatmap", "coverage",
    "graph", "charts", "words", "row", "against", "query", "marks", "results", "judges", "changes",
    "overview", "keys", "main",
)  # fmt: skip
_IMPORT = lazy_pattern(r"^import \{[^}]*\} from \"\./\w+\.js\";\n", re.MULTILINE)
_EXPORT = lazy_pattern(r"^export ((?:function|const) (\w+))", re.MULTILINE)
# What could end the element of the data or begin another, what some readers take for line ends,
# and what UTF-8 cannot encode.
_ESCAPED = lazy_pattern("[<>&\u2028\u2029\ud800-\udfff]")
_PLACE = lazy_pattern(r"\{\{ (\w+) \}\}")


def write_page(report: HtmlReport) -> Iterator[str]:
    """Yield the page as pieces of text."""
    style, script = text_of("page.css"), linked_script()
    parts = {
        "policy": _policy(style, script),
        "style": style,
        "script": script,
        "data": data_text(page_data(report)),
    }
    for at, piece in enumerate(_PLACE.split(text_of("page.html"))):
        yield parts[piece] if at % 2 else piece


def linked_script() -> str:
    """Return all modules as one script that imports nothing: each a function, called once.

    What a module exports is visible in those behind it; other names are its own.
    """
    return "\n".join(_link(text_of(f"{name}.js")) for name in MODULES)


def _link(text: str) -> str:
    names = ", ".join(match[2] for match in _EXPORT.finditer(text))
    body = _EXPORT.sub(r"\1", _IMPORT.sub("", text))
    return f"const {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();"


def data_text(value: Any) -> str:
    """Return JSON that can stand in an element of HTML."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def text_of(name: str) -> str:
    """Return the text of a file of the page.

    Raises:
        InstallationError: the file is missing.

    """
    from importlib.resources import files  # slow to import

    try:
        path = files("evalcontract") / "report" / "page" / name
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InstallationError(f"`report/page/{name}` is not installed") from error


def _policy(style: str, script: str) -> str:
    allowed = [
        "default-src 'none'",
        f"style-src '{_digest(style)}'",
        f"script-src '{_digest(script)}'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    ]
    return "; ".join(allowed)


def _digest(text: str) -> str:
    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
