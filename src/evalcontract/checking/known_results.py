"""The results of the files of a workspace that are the same as in an earlier check of it.

Each depends on the content of the file and on its policy, on the state of the workspace (which
artifacts there are, the bundles, the targets, the configuration, the JSON files that checks refer
to, and whether the schemas are there that files name for editors), and on the contents of the
artifacts that it reaches: those that it refers to, directly or indirectly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from evalcontract.cache import Memory
from evalcontract.cache.checks import CacheMiss, deserialize, serialize
from evalcontract.cache.store import digest
from evalcontract.datasets.run import Run
from evalcontract.library.library import Artifact
from evalcontract.model.diagnostic import Diagnostic, RunOutcome
from evalcontract.model.values import SHOWN
from evalcontract.policy import Policy
from evalcontract.workspace import Workspace

#: Results that depend on more artifacts than this are not kept: to look at all of them takes long.
MAX_REACHED = 100


class KnownResults:
    """The results of datasets, rubrics and judges of a workspace that an earlier run kept."""

    def __init__(self, run: Run, memory: Memory) -> None:
        self._run = run
        self._memory = memory
        self._name = f"results of {run.workspace.root}"
        self._new_lock: str | None = None
        run.workspace.recall_lock = self._recall_lock
        self._library = run.workspace.library  # reads the lock, if there are others
        self._state = _state_of(run)
        self._kept: dict[str, dict[str, Any]] = {"datasets": {}, "artifacts": {}}
        self._known = self._kept
        self._json_files: Iterable[str] = ()
        self._scheduled_again: set[tuple[str, str]] = set()
        self._contents: dict[str, str | None] = {}
        self._targets: dict[str, dict[str, Artifact]] = {}
        self._is_named = False
        value = memory.load(self._name)
        if isinstance(value, dict) and value.get("state") == self._state:
            names, schemas = value["json_files"], value["schemas"]
            if names == _contents(run, names) and schemas == _missing(run, schemas):
                self._known, self._json_files = value, names

    def of_dataset(self, path: Path, *, is_named: bool) -> RunOutcome | None:
        """Return the known result of a dataset, and schedule its rubrics; None if there is none.

        `is_named` is whether a target names the file.
        """
        self._is_named = is_named
        known = self._known["datasets"].get(str(path))
        if known is None:
            return None
        policy = self._run.standards.policy_for(path)
        mark = _mark_of(policy)
        *conditions, data, rubrics = known
        if conditions != [self._memory.content(path), is_named, mark, self._digest_below(rubrics)]:
            return None
        outcome = _outcome_of(data)
        if outcome is not None:
            for file in rubrics:
                self._schedule(file, policy, mark)
            self._kept["datasets"][str(path)] = known
        return outcome

    def keep_dataset(self, path: Path, outcome: RunOutcome, rubrics: Sequence[str]) -> None:
        """Keep the result of a dataset that has just been looked for.

        `rubrics` are the files of those that it refers to.
        """
        content, below = self._memory.content_read(path), self._digest_below(rubrics)
        data = serialize(outcome) if content and below else None
        if data is not None:
            mark = _mark_of(self._run.standards.policy_for(path))
            conditions = [content, self._is_named, mark, below]
            self._kept["datasets"][str(path)] = [*conditions, data.decode(), list(rubrics)]

    def of_artifact(self, artifact: Artifact, policy: Policy) -> Sequence[Diagnostic] | None:
        """Return the known findings of an artifact; None if it is to be checked."""
        known = self._known["artifacts"].get(artifact.file)
        if known is None or known[0] != self._conditions_of(artifact, policy):
            return None
        outcome = _outcome_of(known[1])
        if outcome is None:
            return None
        self._kept["artifacts"][artifact.file] = known
        return outcome.diagnostics

    def keep_artifact(
        self, artifact: Artifact, policy: Policy, findings: Sequence[Diagnostic]
    ) -> None:
        """Keep the findings of an artifact, unless they depend on those of other files."""
        if any(finding.cause is not None for finding in findings):
            return
        if self._run.ignores.are_in(artifact.document):
            return
        conditions = self._conditions_of(artifact, policy)
        data = serialize(RunOutcome([*findings])) if conditions else None
        if data is not None:
            self._kept["artifacts"][artifact.file] = [conditions, data.decode()]

    def _conditions_of(self, artifact: Artifact, policy: Policy) -> str | None:
        """Return a digest of all that the findings of an artifact depend on, but the state."""
        is_used = id(artifact) in self._library.used
        contents = self._contents_reached_by(artifact)
        return contents and digest(repr((policy, is_used, contents)).encode())

    def _digest_below(self, rubrics: Iterable[str]) -> str | None:
        """Return a digest of the contents that rubrics reach, None if these are too many."""
        artifacts = filter(None, map(self._library.at, rubrics))
        contents = [self._contents_reached_by(artifact) for artifact in artifacts]
        return None if None in contents else digest(repr(contents).encode())

    def _contents_reached_by(self, artifact: Artifact) -> str | None:
        """Return a digest of the files that an artifact reaches, None if these are too many."""
        if artifact.file not in self._contents:
            artifacts = self._reached_by(artifact)
            contents = sorted({(each.file, each.document.sha256) for each in artifacts})
            is_small = len(artifacts) <= MAX_REACHED
            self._contents[artifact.file] = digest(repr(contents).encode()) if is_small else None
        return self._contents[artifact.file]

    def _reached_by(self, artifact: Artifact) -> list[Artifact]:
        """Return an artifact, those that it reaches, and others of the same name, which it shows.

        There are more than `MAX_REACHED` if these are not all.
        """
        artifacts = {artifact.file: artifact}
        waiting = [artifact]
        while waiting and len(artifacts) <= MAX_REACHED:
            for file, target in self._targets_of(waiting.pop()).items():
                if file not in artifacts:
                    artifacts[file] = target
                    waiting.append(target)
        same: Sequence[Artifact] = ()
        if artifact.id is not None and artifact.version is not None:
            same = self._library.versions(artifact.kind, artifact.id)[artifact.version]
        return [*artifacts.values(), *same[: SHOWN + 1]]

    def _targets_of(self, artifact: Artifact) -> dict[str, Artifact]:
        """Return what an artifact refers to, by file."""
        if artifact.file not in self._targets:
            uses = self._library.resolved_uses(artifact)
            self._targets[artifact.file] = {target.file: target for _, target in uses}
        return self._targets[artifact.file]

    def _schedule(self, file: str, policy: Policy, mark: str) -> None:
        """Schedule the check of a rubric, once for each policy."""
        artifact = self._library.at(file)
        if (file, mark) not in self._scheduled_again and artifact is not None:
            self._scheduled_again.add((file, mark))
            self._run.scheduled.add(artifact, policy, self._library)

    def _recall_lock(self, data: bytes) -> Any:
        """Return the value of the lock with these bytes, if an earlier run has read it."""
        name = f"lock {digest(data)}"
        value = self._memory.load(name)
        self._new_lock = name if value is None else None
        return value

    def save(self) -> None:
        """Keep the results for later runs."""
        found = self._run.workspace.lock_file
        if self._new_lock and found and found.lock and found.document:
            self._memory.keep(self._new_lock, found.document.quick)
        names = {*self._json_files, *self._run.files_of_checks}
        value = {
            "state": self._state,
            "json_files": _contents(self._run, sorted(names)),
            "schemas": {
                str(path): is_missing for path, is_missing in self._run.schemas_of_files.items()
            },
            **self._kept,
        }
        self._memory.keep(self._name, value)


def _mark_of(policy: Policy) -> str:
    """Return a digest of a policy."""
    return digest(repr(policy).encode())


def _outcome_of(data: str) -> RunOutcome | None:
    try:
        return deserialize(data.encode())
    except CacheMiss:
        return None


def _state_of(run: Run) -> str:
    """Return a digest of all that results depend on, but contents of artifacts and JSON files."""
    # What is no whole name may be meant by any reference, so that its content counts.
    workspace = run.workspace
    library = [
        (kind, document.file, id_, str(version), document.sha256 if None in (id_, version) else "")
        for kind, document, id_, version, *_ in workspace.library.artifacts
    ]
    shared = [(each.file, each.document.sha256) for each in workspace.library.shared.artifacts]
    bundles = [
        (name, source.file, source.document.sha256 if source.document else None)
        for name, source in workspace.bundle_files.items()
    ]
    targets = [(target.document.file, target.document.sha256) for target in workspace.targets]
    state = (
        library,
        shared,
        workspace.library.shared.unreadable,
        workspace.libraries and workspace.libraries.bundles,
        workspace.faults_of_libraries,
        bundles,
        targets,
        workspace.unreadable_names,
        _lock_of(workspace),
        workspace.configuration,
        workspace.nested,
        run.standards.external_policies,
        run.standards.external_graded,
        run.max_findings,
    )
    return digest(repr(state).encode())


def _lock_of(workspace: Workspace) -> str | None:
    """Return what identifies the content of the lock, None without one."""
    lock = workspace.lock_file
    return digest(lock.data) + repr(lock.unreadable) if lock else None


def _missing(run: Run, paths: Iterable[str]) -> dict[str, bool]:
    """Return whether schemas that files name for editors are missing, by their paths."""
    return {path: run.is_schema_missing(Path(path)) for path in paths}


def _contents(run: Run, names: Iterable[str]) -> dict[str, str]:
    """Return the digests of the values of JSON files by name."""
    contents = {}
    for name in names:
        try:
            value = repr(run.read_json(name))
        except LookupError as error:
            value = repr(error)
        contents[name] = digest(value.encode("utf-8", "surrogatepass"))
    return contents
