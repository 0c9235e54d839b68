"""Migrate files of ai_best_practices and ai_eval to a workspace: write all files, or none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, Self

from evalcontract.converting.placing import Names, snake_case
from evalcontract.datasets.opening import Input
from evalcontract.datasets.placing import from_unreadable, to_diagnostics
from evalcontract.formats.agent_skills import GUIDE, SKILL_CREATOR, variant_of
from evalcontract.model.codes import GUESSES, ILL_FORMED
from evalcontract.model.diagnostic import Diagnostic, Severity
from evalcontract.model.errors import EditError, UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.policy import Policy
from evalcontract.report.losses import Losses
from evalcontract.source import Document, format_of, read_text
from evalcontract.source import installed as shipped
from evalcontract.source.comments import CommentsAbove, without_modelines
from evalcontract.source.files import guess_format
from evalcontract.source.setting import set_value
from evalcontract.source.writing import StagedFiles
from evalcontract.source.yaml.writing import NotWritableError, utf8, yaml_mapping, yaml_text
from evalcontract.starting.systems import (
    CASES,
    EVALS,
    GRADERS,
    JUDGED,
    FileMigration,
    Rubrics,
    TargetGraders,
    misspelled_graders,
    move_dataset,
    move_evals,
)
from evalcontract.structure.schemas import load
from evalcontract.structure.validator import SchemaValidator
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import (
    Modelines,
    open_staged,
    with_modeline,
    write_error,
    write_staged,
)

#: The names of the systems, as the command line takes them.
BEST_PRACTICES, AI_EVAL = "ai_best_practices", "ai_eval"
SYSTEMS = (BEST_PRACTICES, AI_EVAL)

_ROWS, _GRADERS = "questions", "graders"
_EXPECTED = {
    BEST_PRACTICES: "a mapping with `evals` or `behavioral_cases`",
    AI_EVAL: "a mapping with `graders` or `questions`",
}
_GENERIC = ("evals", "dataset", "stdin")


class MigrationSource(NamedTuple):
    """A file to migrate, with a value that fits the schema of its system.

    `name` is an id made of the file's name. `is_target` says that it has graders and no rows.
    """

    document: Document
    system: str
    name: str
    is_target: bool


def open_source(
    input_: Input, system: str | None
) -> tuple[MigrationSource | None, list[Diagnostic]]:
    """Return a file to migrate, or None if it has errors, and the findings on it.

    Raises:
        UsageError: the file is of neither system.

    """
    source = input_.read()
    if source.unreadable:
        return None, [*from_unreadable(source.unreadable, Policy())]
    document = source.document
    if not isinstance(document, Document):
        raise UsageError(f"{source.file} cannot be migrated: it is a file of rows, one per line")
    detection = _system_of(document.value)
    if detection is None or system not in (None, detection):
        expected = " or ".join(_EXPECTED[each] for each in ([system] if system else SYSTEMS))
        raise UsageError(
            f"{document.file} cannot be migrated: expected {expected}, "
            f"but it is {_describe(document.value)}"
        )
    is_target = detection == AI_EVAL and _ROWS not in document.value
    of_rows = EVALS if detection == BEST_PRACTICES else "dataset"
    diagnostics = [*_findings(document, GRADERS if is_target else of_rows)]
    if any(each.is_error for each in diagnostics):
        return None, diagnostics
    # The folder says more than a name such as `evals.json`, which all files of a project share.
    stem = snake_case(input_.path.name.partition(".")[0], "dataset")
    folder = input_.path.absolute().parent.name
    name = snake_case(folder, stem) if stem in _GENERIC and not input_.stream else stem
    return MigrationSource(document, detection, name, is_target), diagnostics


def is_migrated(input_: Input) -> bool:
    """Whether a file has cases or graders that only a migration can read."""
    document = input_.read(quick=True).document
    value = document.quick if document else None
    if not isinstance(value, dict):
        return False
    # The cases of other skills are a dataset of their own dialect.
    is_other = variant_of(value) in (GUIDE, SKILL_CREATOR)
    return (_system_of(value) == BEST_PRACTICES and not is_other) or _GRADERS in value


def _system_of(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    if any(key in value for key in CASES):
        return BEST_PRACTICES
    return AI_EVAL if _ROWS in value or _GRADERS in value else None


def _describe(value: Any) -> str:
    if isinstance(value, list):
        return "a list"
    if not isinstance(value, dict):
        return "empty" if value is None else "a single value"
    if not value:
        return "an empty mapping"
    return f"a mapping with {listed(f'`{key}`' for key in value)}"


def _findings(document: Document, schema: str) -> Iterator[Diagnostic]:
    """Yield the findings on a value; those that make it unusable are errors."""
    # A key that is probably misspelled is such a fault where the right one is required.
    validator = SchemaValidator("dataset", load(schema))
    problems = validator.check(document.value)
    is_incomplete = bool(problems) and bool(validator.missing_keys(document.value))
    is_sound = not is_incomplete and all(each.code not in ILL_FORMED for each in problems)
    if schema == GRADERS and is_sound:
        problems = [*problems, *misspelled_graders(document.value)]
    for finding in to_diagnostics(problems, document, Policy()):
        is_fault = finding.code in ILL_FORMED or (is_incomplete and finding.code.endswith(GUESSES))
        yield finding._replace(severity=Severity.ERROR) if is_fault else finding


class WorkspaceFiles:
    """Context manager that collects the files of a workspace and writes them on `commit`."""

    def __init__(self, folder: Path, *, force: bool) -> None:
        self._folder = folder
        self._force = force
        self._staged = StagedFiles()
        self._files: dict[Path, bytes] = {}
        self._modelines = Modelines(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the files that were not committed."""
        self._staged.__exit__()

    def report(self, path: Path | None) -> BinaryIO | None:
        """Open the report of losses, if there is to be one.

        Raises:
            UsageError: the file exists, or cannot be written.

        """
        if path is None:
            return None
        return open_staged(self._staged, path, replace=self._force)

    def dataset(
        self, name: str, root: dict[str, Any], rows: list[dict[str, Any]], source: Document
    ) -> None:
        """Add a dataset: the YAML file that its rows come from, with what the migration adds.

        Where that file cannot be edited, or has no rows of ours, the dataset is written anew, with
        the comments of the file.

        Raises:
            UsageError: a value of it cannot be written as YAML.

        """
        path = self._folder / "datasets" / f"{name}.yaml"
        modeline = self._modelines.of(path, "dataset")
        if _ROWS in source.value and _is_yaml(source):
            try:
                text = set_value(source.text, {**root, _ROWS: rows})
                self._files[path] = utf8(with_modeline(text, modeline))
            except (EditError, NotWritableError):
                pass  # it is written anew
            else:
                return
        above = CommentsAbove()
        comments: list[list[str]] = []
        if _ROWS in source.value:  # rows of JSON have no comments
            comments = [above.row(source, (_ROWS, index)) for index in range(len(rows))]
        header = [*modeline, *without_modelines(above.header)]
        try:
            self._files[path] = yaml_text(root, _ROWS, rows, comments=comments, above=header)
        except NotWritableError as error:
            raise write_error(path, error) from None

    def add(self, kind: str, value: dict[str, Any]) -> None:
        """Add a rubric or a target.

        Raises:
            UsageError: it cannot be written as YAML.

        """
        path = self._folder / f"{kind}s" / f"{value['id']}.yaml"
        try:
            self._files[path] = yaml_mapping(value, self._modelines.of(path, kind))
        except NotWritableError as error:
            raise write_error(path, error) from None

    def judge(self, id_: str) -> None:
        """Add a starter judge, as it ships with this package."""
        path = self._folder / "judges" / f"{id_}.yaml"
        lines = [*self._modelines.of(path, "judge"), shipped.text_of(f"judges/{id_}.yaml")]
        self._files[path] = "\n".join(lines).encode()

    def commit(self) -> list[str]:
        """Write all files and return their names; those that are there already are left alone.

        Raises:
            UsageError: another file of that name exists, or a file cannot be written.

        """
        files = self._files | self._modelines.files
        try:
            for path, data in files.items():
                if read_text(path, path.name) != data.decode():
                    write_staged(self._staged, path, data, bound=self._folder, replace=self._force)
            self._staged.put()
        except OSError as error:
            raise write_error(self._folder, error) from None
        return [display_name(path) for path in files]


def _is_yaml(source: Document) -> bool:
    form = format_of(source.file) or guess_format(source.text.encode())
    return form == "yaml"


_STATIC_CHECKS = "static-checks.json"


class MigrateOptions(NamedTuple):
    """The options of a migration: where from, where to, and whether existing files are replaced.

    If `from_` is None, the system is detected from the keys of each file.
    """

    from_: str | None
    folder: Path
    loss_report: Path | None = None
    force: bool = False


@dataclass
class MigrateResult:
    """The result of a migration. `written` are the names of the files.

    `changes` say what is graded in another way, each with the number of cases. `notes` name files
    that were not migrated. If nothing was written, `refusal` is the reason.
    """

    diagnostics: list[Diagnostic] = field(default_factory=list)
    losses: Losses = field(default_factory=Losses)
    changes: Counter[str] = field(default_factory=Counter)
    notes: list[str] = field(default_factory=list)
    systems: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)
    judges: list[str] = field(default_factory=list)
    rows: int = 0
    written: list[str] = field(default_factory=list)
    refusal: str | None = None


def migrate(inputs: Sequence[Input], options: MigrateOptions) -> MigrateResult:
    """Migrate files to a folder, which becomes a workspace.

    Nothing is written if a file cannot be read or has a value of a wrong type.

    Raises:
        UsageError: a file is of neither system, there are two configurations of graders, or a file
            exists already or cannot be written.

    """
    result = MigrateResult()
    sources = [*_sources(inputs, options, result)]
    if any(finding.is_error for finding in result.diagnostics):
        result.refusal = "a file has errors"
    elif not sources:
        result.refusal = "there is nothing to migrate"
    if result.refusal:
        return result
    with WorkspaceFiles(options.folder, force=options.force) as files:
        result.losses.report = files.report(options.loss_report)
        head = {
            "from": ", ".join(result.systems),
            "to": "evalcontract",
            "source": ", ".join(result.sources),
            "target": display_name(options.folder),
        }
        result.losses.begin(head)
        _move_all(sources, files, result)
        result.losses.end()
        result.written = files.commit()
    return result


def _sources(
    inputs: Iterable[Input], options: MigrateOptions, result: MigrateResult
) -> list[MigrationSource]:
    """Return the files that can be migrated; the findings on all are recorded."""
    sources: list[MigrationSource] = []
    for input_ in inputs:
        if input_.path.name == _STATIC_CHECKS:
            result.notes.append(_about_static_checks(input_.path))
            continue
        source, diagnostics = open_source(input_, options.from_)
        result.diagnostics += diagnostics
        if source is None:
            continue
        sources.append(source)
        result.sources.append(source.document.file)
        if source.system not in result.systems:
            result.systems.append(source.system)
        sibling = input_.path.with_name(_STATIC_CHECKS)
        if source.system == BEST_PRACTICES and not input_.stream and input_.files.is_file(sibling):
            result.notes.append(_about_static_checks(sibling))
    result.notes = [*dict.fromkeys(result.notes)]
    return sources


def _about_static_checks(path: Path) -> str:
    return (
        f"{display_name(path)} is not migrated: its assertions are about the files of a skill, "
        "and checks are about outputs of a model"
    )


def _move_all(
    sources: Sequence[MigrationSource], files: WorkspaceFiles, result: MigrateResult
) -> None:
    rubrics, names = Rubrics(), Names()
    target = _target(sources, rubrics, result)
    datasets: list[str] = []
    referenced: set[str] = set()
    judges: set[str] = set()
    for source in sources:
        if source.is_target:
            continue
        if source.system == AI_EVAL:
            migration = move_dataset(source.document.value, source.name, target)
        else:
            migration = move_evals(source.document.value, source.name, rubrics)
        name = names.take(snake_case(str(migration.root["id"]), source.name))
        migration.root["id"] = name
        files.dataset(name, migration.root, migration.rows, source=source.document)
        datasets.append(name)
        _record(migration, source, result)
        referenced.update(row["rubric_ref"] for row in migration.rows if "rubric_ref" in row)
    if target is not None:
        for name in datasets:
            own = target.name if len(datasets) == 1 else f"{target.name}_{name}"
            files.add("target", {"id": own, **target.settings, "dataset": f"datasets/{name}.yaml"})
    for rubric in rubrics.by_id.values():
        files.add("rubric", rubric)
        referenced.update(each["rubric_ref"] for each in rubric["checks"] if "rubric_ref" in each)
        judges.update(each["id"] for each in rubric["checks"] if each["id"] in JUDGED)
    if others := sorted(referenced - rubrics.references):
        names_of_others = listed(f"`{name}`" for name in others)
        result.notes.append(f"copy the files of {names_of_others} to `rubrics/`: rows need them")
    result.judges = sorted(judges)
    for id_ in result.judges:
        files.judge(id_)


def _target(
    sources: Sequence[MigrationSource], rubrics: Rubrics, result: MigrateResult
) -> TargetGraders | None:
    """Return the target whose graders grade the rows; without any rows, make its rubric."""
    targets = [source for source in sources if source.is_target]
    if not targets:
        return None
    source, *others = targets
    if others:
        raise UsageError(
            f"{source.document.file} and {others[0].document.file} both have `graders`: migrate "
            "one target at a time"
        )
    migration = FileMigration()
    target = TargetGraders(source.document.value, source.name, migration, rubrics=rubrics)
    if all(each.is_target for each in sources):
        target.rubric_of_all(migration)
    _record(migration, source, result)
    return target


def _record(migration: FileMigration, source: MigrationSource, result: MigrateResult) -> None:
    place_of = partial(source.document.place, on_key=True)
    for path, loss in migration.losses:
        index = next((step for step in path if isinstance(step, int)), None)
        result.losses.note([loss], index, path, place=place_of)
    result.changes.update(migration.notes)
    result.rows += len(migration.rows)
