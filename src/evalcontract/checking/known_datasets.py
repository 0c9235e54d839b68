"""The results of the datasets that have not changed since an earlier check of their workspace.

The result of a dataset depends on its content, on its policy, and on the state of the workspace:
the library, the bundles, the targets, the configuration, the JSON files that checks refer to, and
whether the schemas are there that files name for editors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.cache.checks import CacheMiss, deserialize, serialize
from evalcontract.cache.store import digest
from evalcontract.datasets.run import Run
from evalcontract.model.diagnostic import RunOutcome
from evalcontract.policy import Policy

if TYPE_CHECKING:
    from evalcontract.cache import Memory


class KnownDatasets:
    """The datasets of a workspace with known results, which are passed to `take`."""

    def __init__(self, run: Run, memory: Memory, take: Callable[[RunOutcome], None]) -> None:
        self._run = run
        self._memory = memory
        self._take = take
        self._name = f"datasets of {run.workspace.root}"
        self._state = _state_of(run)
        self._known: dict[str, Any] = {}
        self._kept: dict[str, Any] = {}
        self._json_files: dict[str, str] = {}
        self._is_named = False
        self._scheduled = 0
        self._scheduled_again: set[tuple[str, str]] = set()
        self._policy: Policy | None = None
        self._policy_digest = ""
        value = memory.load(self._name)
        if isinstance(value, dict) and value.get("state") == self._state:
            names, schemas = value["json_files"], value["schemas"]
            if names == _contents(run, names) and schemas == _missing(run, schemas):
                self._known, self._json_files = value["datasets"], names

    def recall(self, path: Path, is_named: bool) -> bool:  # noqa: FBT001 - as `scan` calls it
        """Take the known result of a file; return whether there is one."""
        self._is_named = is_named
        self._scheduled = len(self._run.scheduled.files)
        name = str(path)
        known = self._known.get(name)
        if known is None:
            return False
        policy = self._run.standards.policy_for(path)
        *conditions, data, rubrics = known
        if conditions != [self._memory.content(path), is_named, self._digest_of(policy)]:
            return False
        try:
            outcome = deserialize(data.encode())
        except CacheMiss:
            return False
        for file in rubrics:
            self._schedule(file, policy)
        self._kept[name] = known
        self._take(outcome)
        return True

    def keep(self, path: Path, outcome: RunOutcome) -> None:
        """Keep the result of a file that was checked after it could not be recalled."""
        content = self._memory.content_read(path)
        data = serialize(outcome) if content is not None else None
        if data is not None:
            policy = self._digest_of(self._run.standards.policy_for(path))
            rubrics = list(dict.fromkeys(self._run.scheduled.files[self._scheduled :]))
            self._kept[str(path)] = [content, self._is_named, policy, data.decode(), rubrics]

    def _digest_of(self, policy: Policy) -> str:
        """Return the digest of a policy; most datasets have the same one."""
        if policy is not self._policy:
            self._policy, self._policy_digest = policy, digest(repr(policy).encode())
        return self._policy_digest

    def _schedule(self, file: str, policy: Policy) -> None:
        """Schedule the check of a rubric, once for each policy."""
        key = (file, self._digest_of(policy))
        artifact = self._run.workspace.library.at(file)
        if key not in self._scheduled_again and artifact is not None:
            self._scheduled_again.add(key)
            self._run.scheduled.add(artifact, policy, self._run.workspace.library)

    def save(self) -> None:
        """Keep the results for later runs."""
        names = {*self._json_files, *self._run.files_of_checks}
        value = {
            "state": self._state,
            "json_files": _contents(self._run, sorted(names)),
            "schemas": {str(path): gone for path, gone in self._run.schemas_of_files.items()},
            "datasets": self._kept,
        }
        self._memory.keep(self._name, value)


def _state_of(run: Run) -> str:
    """Return a digest of all that the results of datasets depend on, but JSON files of checks."""
    workspace = run.workspace
    library = [
        (artifact.kind, artifact.file, artifact.document.sha256)
        for artifact in workspace.library.artifacts
    ]
    bundles = [
        (name, source.file, source.document.sha256 if source.document else None)
        for name, source in workspace.bundle_files.items()
    ]
    targets = [(target.document.file, target.document.sha256) for target in workspace.targets]
    state = (
        library,
        bundles,
        targets,
        workspace.unreadable_names,
        workspace.configuration,
        workspace.nested,
        run.standards.external_policies,
        run.standards.external_graded,
        run.max_findings,
    )
    return digest(repr(state).encode())


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
