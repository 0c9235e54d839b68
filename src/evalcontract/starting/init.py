"""Make a workspace in a folder: its files and the settings around it; and rows nothing grades."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path

from evalcontract.converting.placing import GradedBy, graded_by
from evalcontract.covering import run_for_coverage
from evalcontract.datasets.columns import ColumnKeys
from evalcontract.datasets.opening import Input, Options, files_below, open_dataset
from evalcontract.datasets.passes import NATIVE, CheckedRow, DatasetPass, rows_of
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import DISK, read_text
from evalcontract.source import installed as shipped
from evalcontract.source.writing import StagedFiles
from evalcontract.source.yaml.writing import flow
from evalcontract.starting.project import (
    CI_FILES,
    EXPRESSION,
    PACKAGE,
    InstallSource,
    filled,
    project_files,
    source_of,
)
from evalcontract.starting.source import StartingFiles, starting_files
from evalcontract.workspace import data_files, display_name
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.writing import editor_schemas, modeline, schema_text, write_error

#: The dataset, the outputs and the judge of the example.
EXAMPLE_DATASET, EXAMPLE_OUTPUTS = "datasets/example.yaml", "outputs/example.jsonl"
_EXAMPLE_RUBRIC, _EXAMPLE_JUDGE = "rubrics/example.yaml", "judges/accuracy.yaml"
_EXAMPLE_TARGET = "targets/nightly.yaml"
_REPOSITORY = ".git"


class InitOptions(NamedTuple):
    """The options of `init`: what to start from, and the settings to write.

    `ci` is a key of `CI_FILES`, or None for none. `is_bare` leaves out all files outside of the
    workspace. `dialect` is the format of `sources`; if None, it is detected. With `is_dry`, nothing
    is written. `columns` are columns of tables, and the keys of rows that they are read as.
    `install_from` is a path or URL that CI installs evalcontract from; if None, it is where this
    one was installed from.
    """

    sources: Sequence[Input] = ()
    dialect: str | None = None
    ci: str | None = None
    is_bare: bool = False
    is_dry: bool = False
    columns: ColumnKeys = ()
    install_from: str | None = None


class Addition(NamedTuple):
    """What to add to a file that is there already and knows nothing of evalcontract."""

    name: str
    snippet: str


@dataclass
class InitResult:
    """The result of `init`: the names of the files that were written, and those that were kept.

    `datasets` are those of the workspace, relative to it. `ignores_unvalidated` says that the new
    settings ignore `judge/unvalidated`, since the new judges are. `source` is what CI installs;
    `missing_ci` is the file of CI that was not written, since there is no source. If nothing was
    written, `refusal` is the reason.
    """

    start: StartingFiles = field(default_factory=StartingFiles)
    written: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    additions: list[Addition] = field(default_factory=list)
    datasets: list[str] = field(default_factory=list)
    ignores_unvalidated: bool = False
    source: InstallSource | None = None
    missing_ci: str | None = None
    refusal: str | None = None

    @property
    def has_example(self) -> bool:
        """Whether the example can be graded: its dataset is the only one."""
        return self.datasets == [EXAMPLE_DATASET]


def init(folder: Path, options: InitOptions) -> InitResult:
    """Make a workspace in a folder, which need not exist.

    Files that exist are left alone. All other files are written, or none.

    Raises:
        UsageError: a file cannot be written, or one to start from is no dataset.
        ConfigurationError: the folder has a configuration that cannot be used.

    """
    root = DISK.real(folder)
    project = project_of(root)
    place = _place_in(project, root)
    if options.is_bare and options.install_from is not None:
        raise UsageError("`--source` contradicts `--bare`: use one of them")
    source = None if options.is_bare else source_of(options.install_from, project)
    result = InitResult(
        starting_files(options.sources, root, options.dialect, columns=options.columns)
    )
    result.refusal = result.start.refusal
    if result.refusal:
        return result
    files = dict(_workspace_files(root, result))
    paths = {root / name: text for name, text in files.items()}
    for name, data in result.start.files.items():
        if DISK.is_there(root / name):
            raise UsageError(f"{display_name(root / name)} already exists")
        paths[root / name] = data
    if not options.is_bare:
        result.source = source
        for file in project_files(place, options.ci, source):
            path = project / file.path
            paths[path] = file.text.encode()
            _advise(path, file.mark, file.snippet, result=result)
        if options.ci and not source:
            path = project / CI_FILES[options.ci][0]
            result.missing_ci = None if _has(path, PACKAGE) else display_name(path)
    if not options.is_dry:
        _write(paths, project, result)
    return result


def project_of(root: Path) -> Path:
    """Return the folder for settings: the repository of a workspace, or else the current folder.

    If the workspace is in neither, it is the workspace itself.
    """
    parents = (root, *root.parents)
    repositories = (folder for folder in parents if DISK.is_there(folder / _REPOSITORY))
    here = DISK.real(Path())
    return next(repositories, here if here in parents else root)


def _place_in(project: Path, root: Path) -> str:
    """Return the path of the workspace in the project, as settings and shells can have it."""
    place = root.relative_to(project).as_posix()
    if not place.isprintable() or EXPRESSION in place:
        raise UsageError(f"`{place}` cannot be used in settings: choose another name")
    return place


def _workspace_files(root: Path, result: InitResult) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the workspace that do not come from anywhere else, by name."""
    there = files_below(root, Kind.DATASET) if DISK.is_folder(root) else ()
    datasets = [*result.start.datasets, *(path.relative_to(root).as_posix() for path in there)]
    files = result.start.files
    parts = {name.partition("/")[0] for name in files}
    has_judges = "judges" in parts
    has_library = bool(parts & {"rubrics", "judges"}) or any(
        data_files(root / name) for name in ("rubrics", "judges")
    )
    result.datasets = [*dict.fromkeys(datasets)]
    examples = []
    if result.start.judged:
        examples, has_judges = [_EXAMPLE_JUDGE], True
    if not has_library:
        examples = [_EXAMPLE_RUBRIC, _EXAMPLE_JUDGE]
        has_judges = True
        if not datasets:
            examples += [EXAMPLE_DATASET, EXAMPLE_OUTPUTS]
            result.datasets = [EXAMPLE_DATASET]
    if result.datasets and "targets" not in parts and not data_files(root / "targets"):
        examples.append(_EXAMPLE_TARGET)
    settings = shipped.template(f"workspace/{FILE_NAME}")
    if has_judges:
        line = shipped.template("workspace/unvalidated.toml")
        settings += line
        _advise(root / FILE_NAME, "judge/unvalidated", f"[severity]\n{line}", result=result)
        result.ignores_unvalidated = not DISK.is_there(root / FILE_NAME)
    yield FILE_NAME, settings.encode()
    for name in sorted(examples):
        yield name, _example(name, result.datasets).encode()
    for schema in editor_schemas():
        yield schema.path, schema_text(schema.name).encode()


def _example(name: str, datasets: list[str]) -> str:
    folder, _, file = name.partition("/")
    if name == EXAMPLE_OUTPUTS:
        return shipped.template(f"workspace/{name}")
    line = modeline(folder.removesuffix("s"))
    if name == _EXAMPLE_JUDGE:
        return f"{line}\n{shipped.text_of(f'{folder}/{file}')}"
    is_ours = datasets == [EXAMPLE_DATASET]
    values = {"dataset": flow(datasets[0]), "is_strict": str(is_ours).lower()}
    return f"{line}\n{filled(f'workspace/{name}', **values)}"


def _advise(path: Path, mark: str, snippet: str, result: InitResult) -> None:
    """Say what to add to a file that exists and lacks the mark."""
    if DISK.is_there(path) and not _has(path, mark):
        result.additions.append(Addition(display_name(path), snippet))


def _has(path: Path, mark: str) -> bool:
    text = read_text(path, display_name(path))
    return isinstance(text, str) and mark in text


def _write(paths: dict[Path, bytes], bound: Path, result: InitResult) -> None:
    """Write all files that do not exist, or none."""
    with StagedFiles() as staged:
        for path, data in paths.items():
            if DISK.is_there(path):
                result.kept.append(display_name(path))
                continue
            try:
                staged.write(path, data, bound=bound)
            except (OSError, RuntimeError, ValueError) as error:
                raise write_error(path, error) from None
            result.written.append(display_name(path))
        try:
            staged.put()
        except FileExistsError as error:
            name = display_name(Path(error.filename))
            raise UsageError(f"{name} was written by something else meanwhile: try again") from None
        except OSError as error:
            raise write_error(bound, error) from None


class Lack(Enum):
    """What rows lack: expectations, the rubric of a judge, no faults, or what their checks need."""

    EXPECTATIONS = auto()
    JUDGE = auto()
    CORRECTION = auto()
    NEEDS = auto()


class UngradedRows(NamedTuple):
    """How many rows of a dataset lack the same.

    `has_rubrics` says that other rows of the dataset name rubrics of its workspace.
    """

    input: Input
    lack: Lack
    rows: int
    has_rubrics: bool


def ungraded(inputs: Iterable[Input], root: Path, options: Options) -> Iterator[UngradedRows]:
    """Yield what the rows of datasets of a workspace lack on which no check will run."""
    run = run_for_coverage(root, options)
    for input_ in inputs:
        dataset = open_dataset(input_)
        if dataset.unreadable:
            continue
        graded = run.standards.graded_for(input_.path)
        dataset_pass = dataset.begin(run, run.standards.base, graded)
        counts = dict.fromkeys(Lack, 0)
        has_rubrics = False
        for checked in dataset_pass.batches(keep_rows=True):
            for row in rows_of(dataset_pass, checked):
                is_ours = dataset.dialect == NATIVE
                has_rubrics |= is_ours and isinstance(row.value, dict) and "rubric_ref" in row.value
                lack = _lack(dataset_pass, row, graded if is_ours else None)
                if lack is not None:
                    counts[lack] += 1
        for lack, rows in counts.items():
            if rows:
                yield UngradedRows(input_, lack, rows, has_rubrics)


def _lack(dataset_pass: DatasetPass, row: CheckedRow, graded: frozenset[str] | None) -> Lack | None:
    """Return what a row lacks, or None; `graded` is None for rows of another system."""
    covered = dataset_pass.cover(row)
    if covered.runs:
        return None
    if covered.fault is not None:
        return Lack.CORRECTION
    if graded is None or covered.rubric is not None:
        return Lack.NEEDS
    # An expectation that a check grades, and that does not run, is one that every output meets.
    lacks = {GradedBy.JUDGE: Lack.JUDGE, GradedBy.NOBODY: Lack.EXPECTATIONS}
    return lacks.get(graded_by(row.value, graded), Lack.CORRECTION)
