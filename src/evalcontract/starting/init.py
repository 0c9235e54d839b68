"""Make a workspace in a folder: its files, the settings around it, and rows that nothing grades."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from string import Template
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xml.sax.saxutils import quoteattr

from evalcontract._version import __version__
from evalcontract.converting.placing import GradedBy, graded_by
from evalcontract.covering import run_for_coverage
from evalcontract.datasets.columns import ColumnKeys
from evalcontract.datasets.opening import Input, Options, files_below, open_dataset
from evalcontract.datasets.passes import NATIVE, CheckedRow, DatasetPass, rows_of
from evalcontract.model.codes import REPOSITORY, is_published
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source import DISK, SUFFIXES, read_text
from evalcontract.source import installed as shipped
from evalcontract.source.writing import StagedFiles
from evalcontract.source.yaml.writing import flow
from evalcontract.starting.source import StartingFiles, starting_files
from evalcontract.workspace import data_files, display_name
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.writing import (
    EditorSchema,
    editor_schemas,
    modeline,
    schema_text,
    write_error,
)

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


#: The file of each system of CI, and its template.
CI_FILES = {
    "github": (".github/workflows/evalcontract.yml", "project/github.yaml"),
    "gitlab": (".gitlab-ci.yml", "project/gitlab-ci.yaml"),
}
_EXTENSIONS = ("redhat.vscode-yaml", "tamasfe.even-better-toml")
#: The name by which a file knows of evalcontract.
PACKAGE = "evalcontract"


class ProjectFile(NamedTuple):
    """A file of the project that the workspace is in, by its path.

    If it is there already, `mark` says whether it knows of evalcontract, and `snippet` is what to
    add to it if it does not.
    """

    path: str
    text: str
    mark: str
    snippet: str


class _Template(Template):
    """Text with names such as `%{version}`: `$` has a meaning in YAML, TOML and shells."""

    delimiter = "%"


def filled(template: str, **values: str) -> str:
    """Return a template with its values."""
    return _Template(shipped.template(template)).substitute(values)


def project_files(
    folder: str, ci: str | None, source: InstallSource | None
) -> Iterator[ProjectFile]:
    """Yield the files for a workspace in a folder of the project, which is `.` or a path.

    CI installs evalcontract from `source`; without one, there is no file for CI. pre-commit runs
    what is installed.
    """
    values = {"quoted_folder": _quoted(folder), "shell_folder": shlex.quote(folder)}
    mark = f'{_below(folder, next(iter(editor_schemas())).path)}"'
    settings = _json(_vs_code(folder))
    yield ProjectFile(".vscode/settings.json", settings, f"./{mark}", settings)
    extensions = _json({"recommendations": [*_EXTENSIONS]})
    yield ProjectFile(".vscode/extensions.json", extensions, _EXTENSIONS[0], extensions)
    entries = "".join(_mapping(schema, folder) for schema in editor_schemas())
    mappings = filled("project/jsonSchemas.xml", entries=entries)
    yield ProjectFile(".idea/jsonSchemas.xml", mappings, f'"{mark}', entries)
    hooks = filled("project/pre-commit-config.yaml", **values)
    snippet = hooks.partition("repos:\n")[2]
    yield ProjectFile(".pre-commit-config.yaml", hooks, PACKAGE, snippet)
    if ci is not None and source is not None:
        path, template = CI_FILES[ci]
        values |= {"quoted_source": _quoted(source.requirement),
                   "shell_source": shlex.quote(source.requirement)}  # fmt: skip
        text = filled(template, **values)
        yield ProjectFile(path, text, PACKAGE, text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _below(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _vs_code(folder: str) -> dict[str, object]:
    """Return settings of the YAML extension, and of the JSON support that is built in."""
    kinds = [schema for schema in editor_schemas() if schema.is_of_folder]

    def files_of(schema: EditorSchema, kind: str) -> list[str]:
        below = _below(folder, schema.describes)
        return [f"{below}/**/*{ending}" for ending, of in SUFFIXES.items() if of == kind]

    paths = {schema: f"./{_below(folder, schema.path)}" for schema in kinds}
    return {
        "yaml.schemas": {paths[schema]: files_of(schema, "yaml") for schema in kinds},
        "json.schemas": [
            {"fileMatch": [f"/{each}" for each in files_of(schema, "json")], "url": paths[schema]}
            for schema in kinds
        ],
    }


def _mapping(schema: EditorSchema, folder: str) -> str:
    """Return the mapping of a folder or a file to its schema, as IDEs of JetBrains store it."""
    described = {"path": _below(folder, schema.describes)}
    if schema.is_of_folder:
        described = {"directory": "true", **described, "mappingKind": "Directory"}
    options = (f'<option name="{key}" value={quoteattr(of)} />' for key, of in described.items())
    return filled(
        "project/jsonSchemas-entry.xml",
        name=quoteattr(f"{PACKAGE} {schema.name}"),
        schema=quoteattr(_below(folder, schema.path)),
        options="".join(f"{' ' * 20}{option}\n" for option in options),
    )


# Schemes that nobody on the way can change what comes from.
_SCHEMES = ("git+https", "git+ssh", "https")
_ARCHIVES = (".whl", ".tar.gz", ".zip")
_GIT_URL = lazy_pattern(r"\.git(@[^/@]+)?$")
_URL = lazy_pattern(r"[\w.~:/?#@!$&'()*+,=%-]+", re.ASCII)
# pip reads `;` as the begin of a condition, and brackets as extras.
_PATH = lazy_pattern(r"[^;\[\]]+")
_FILES = lazy_pattern(r"evalcontract-[^/]+(\.whl|\.tar\.gz)$")
_PROJECT = "pyproject.toml"
#: What GitHub replaces before a shell or pip sees it.
EXPRESSION = "${{"


class InstallSource(NamedTuple):
    """What pip installs in a clone of the repository: a path in it, or a URL.

    `requirement` is one argument of pip, to be run at the top of the clone. `is_remote` says that
    it is a URL, which pip can use anywhere. `is_moving` says that it names no version: what it
    installs may change. `is_own` says that nobody named it: evalcontract itself is installed
    from there.
    """

    requirement: str
    is_remote: bool = False
    is_moving: bool = False
    is_own: bool = False


def source_of(name: str | None, project: Path) -> InstallSource | None:
    """Return the source that somebody names, or else where this evalcontract comes from.

    `project` is the folder that is cloned. Returns None if nobody else can install from there: it
    was installed from a folder of this machine, for example.

    Raises:
        UsageError: a clone of the project cannot install from what is named.

    """
    if name is not None:
        return _source_of_name(name, project)
    if is_published():
        return _remote(f"git+{REPOSITORY}@v{__version__}")
    try:
        source = _source_of_record(_direct_url(), project)
    except UsageError:  # what it was installed from is nothing that settings should hold
        return None
    return source._replace(is_own=True) if source else None


def _source_of_name(name: str, project: Path) -> InstallSource:
    if "://" in name:
        return _remote(name)
    if re.match(r"[\w.-]+@[\w.-]+:", name):
        user, _, path = name.partition(":")
        raise UsageError(f"write this address for `--source` as git+ssh://{user}/{path}")
    return _local(Path(name), project)


def _remote(url: str) -> InstallSource:
    """Return a URL as a source, if pip can use it, and others may read it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise UsageError(f"`--source {url}` is no URL") from None
    if parts.password or (parts.username and not parts.scheme.endswith("ssh")):
        raise UsageError("the URL of `--source` holds a name or a key: others would read it")
    if parts.scheme.removeprefix("git+") == "file":
        raise UsageError(
            f"`--source {url}` is on this machine, so that a clone does not have it: put a wheel "
            "into the repository, or name a git URL that CI can reach"
        )
    if not _URL.fullmatch(url) or not parts.netloc or EXPRESSION in url:
        raise UsageError(f"`--source {url}` is no URL")
    if parts.scheme == "https" and _GIT_URL.search(parts.path):
        return _remote(f"git+{url}")
    if parts.scheme not in _SCHEMES:
        allowed = ", ".join(f"`{scheme}://`" for scheme in _SCHEMES)
        raise UsageError(f"`--source` must be a path, or a URL that begins with {allowed}")
    is_git = parts.scheme.startswith("git+")
    if not is_git and not parts.path.endswith(_ARCHIVES):
        endings = ", ".join(_ARCHIVES)
        raise UsageError(f"`--source {url}` must begin with `git+`, or end with {endings}")
    is_moving = is_git and "@" not in parts.path
    return InstallSource(f"evalcontract @ {url}", is_remote=True, is_moving=is_moving)


def _local(path: Path, project: Path) -> InstallSource:
    """Return a file or folder as a source, if a clone of the project has it, and pip can use it."""
    name, real = display_name(path), DISK.real(path)
    if not DISK.is_there(real):
        raise UsageError(f"`--source {name}`: there is no such file or folder")
    if not real.is_relative_to(project):
        raise UsageError(
            f"`--source {name}` is outside of the repository, so that a clone does not have it: "
            "put a wheel into the repository, or name a git URL"
        )
    inside = real.relative_to(project).as_posix()
    if not inside.isprintable() or not _PATH.fullmatch(inside) or EXPRESSION in inside:
        raise UsageError(f"`--source {name}` cannot be used in settings: choose another name")
    if DISK.is_folder(real):
        if not DISK.is_there(real / _PROJECT):
            raise UsageError(f"`--source {name}` has no {_PROJECT}: pip cannot install it")
    elif not _FILES.fullmatch(real.name):
        raise UsageError(f"`--source {name}` is no wheel or source distribution of evalcontract")
    return InstallSource(f"./{inside}")


def _direct_url() -> Mapping[str, object]:
    """Return where the installer got evalcontract from (PEP 610); empty if it did not say."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    try:
        text = distribution("evalcontract").read_text("direct_url.json")
        record = json.loads(text or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _source_of_record(direct: Mapping[str, object], project: Path) -> InstallSource | None:
    """Return the source that PEP 610 describes, or None if a clone cannot install from it."""
    url, vcs = direct.get("url"), direct.get("vcs_info")
    if not isinstance(url, str):
        return None
    if isinstance(vcs, dict):
        return _remote(f"{vcs.get('vcs')}+{url}@{vcs.get('commit_id')}")
    parts = urlsplit(url)
    if parts.scheme == "file":
        return _local(Path(url2pathname(parts.path)), project)
    return _remote(url)
