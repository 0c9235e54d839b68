"""Migrate files of ai_best_practices and ai_eval to a workspace: write all files, or none."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import listed
from evalcontract.report.losses import Losses
from evalcontract.starting import ai_eval, best_practices
from evalcontract.starting.migration_input import AI_EVAL, BEST_PRACTICES, open_source
from evalcontract.starting.migration_output import WorkspaceFiles
from evalcontract.starting.result import Moved, Names, Rubrics, snake_case
from evalcontract.workspace import display_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from evalcontract.datasets.opening import Input
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.starting.migration_input import MigrationSource

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
    changes: dict[str, int] = field(default_factory=dict)
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
        result.losses.begin(_head(result, options))
        _move_all(sources, files, result)
        result.losses.end()
        result.written = files.commit()
    return result


def _head(result: MigrateResult, options: MigrateOptions) -> dict[str, str]:
    return {
        "from": ", ".join(result.systems),
        "to": "evalcontract",
        "source": ", ".join(result.sources),
        "target": display_name(options.folder),
    }


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
    rubrics, judges, names = Rubrics(), set[str](), Names()
    target = _target(sources, rubrics, result, judges)
    datasets: list[str] = []
    referenced: set[str] = set()
    for source in sources:
        if source.is_target:
            continue
        moved = _moved(source, target, rubrics)
        name = names.take(snake_case(str(moved.root["id"]), source.name))
        moved.root["id"] = name
        files.dataset(name, moved.root, moved.rows, source.document)
        datasets.append(name)
        _take(moved, source, result, judges)
        referenced.update(row["rubric_ref"] for row in moved.rows if "rubric_ref" in row)
    if target is not None:
        files.target(target.name, target.settings, datasets)
    for id_, rubric in rubrics.made.items():
        files.rubric(id_, rubric)
        referenced.update(each["rubric_ref"] for each in rubric["checks"] if "rubric_ref" in each)
    if others := sorted(referenced - rubrics.references):
        names_of_others = listed(f"`{name}`" for name in others)
        result.notes.append(f"copy the files of {names_of_others} to `rubrics/`: rows need them")
    result.judges = sorted(judges)
    for id_ in result.judges:
        files.judge(id_)


def _target(
    sources: Sequence[MigrationSource], rubrics: Rubrics, result: MigrateResult, judges: set[str]
) -> ai_eval.Target | None:
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
    moved = Moved()
    target = ai_eval.Target(source.document.value, source.name, moved, rubrics)
    if all(each.is_target for each in sources):
        target.rubric_of_all(moved)
    _take(moved, source, result, judges)
    return target


def _moved(source: MigrationSource, target: ai_eval.Target | None, rubrics: Rubrics) -> Moved:
    value: dict[str, Any] = source.document.value
    if source.system == AI_EVAL:
        return ai_eval.move_dataset(value, source.name, target)
    return best_practices.move(value, source.name, rubrics)


def _take(moved: Moved, source: MigrationSource, result: MigrateResult, judges: set[str]) -> None:
    def place_of(path: Any) -> Any:
        return source.document.place(path, on_key=True)

    for path, loss in moved.losses:
        index = next((step for step in path if isinstance(step, int)), None)
        result.losses.note([loss], index, path, place_of)
    for text, count in moved.notes.items():
        result.changes[text] = result.changes.get(text, 0) + count
    judges |= moved.judges
    result.rows += len(moved.rows)
