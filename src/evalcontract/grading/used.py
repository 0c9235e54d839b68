"""What the results of rows depend on, noted while they are graded, and the manifest of a run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from itertools import islice
from typing import Any

from evalcontract.checks import KINDS, php_lint
from evalcontract.datasets.provenance import NamedByRows, Provenance
from evalcontract.datasets.run import Run
from evalcontract.grading.basis import Sections
from evalcontract.grading.results import RowResult
from evalcontract.grading.runner import Task
from evalcontract.judging.asking import Judging
from evalcontract.library.library import Artifact, visit
from evalcontract.meaning.rows import RowsMeaning
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import Document
from evalcontract.structure.schemas import packages_of_kinds


class RowDependencies(NamedTuple):
    """What a process notes of some rows; it is picklable.

    `rubrics` are the exact names of those that graded them, `references` the references to them,
    `bundles` the names of their bundles. `files` has, for each rubric, the digests of the files
    that its checks have read. `rows` is what the rows mean, if that is wanted.
    """

    rubrics: frozenset[str]
    references: frozenset[str]
    bundles: frozenset[str]
    files: Mapping[str, Mapping[str, str | None]]
    rows: RowsMeaning = RowsMeaning()


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(tz=UTC)


class ResultDependencies:
    """Everything that the results so far depend on, in sections of names with their values.

    `artifacts`, `files` and `bundles` have SHA-256 digests, None for what cannot be read or is not
    there. `references` has the exact name that each unpinned reference of a row stands for.
    `models` and `prompts` are those of judges, `endpoint` and `parameters` how they are asked;
    `programs` and `packages` have the versions of what runs checks, None for what is absent.

    The process that reads the rows has all: it adds what those that grade find results depend on.
    `started` is when this was made. `dataset` is that of the rows, if it is one value. `prepare`
    makes a rubric ready.
    """

    def __init__(
        self,
        run: Run,
        judging: Judging | None,
        dataset: Document | None,
        prepare: Callable[[str], None],
        *,
        digests_rows: bool = False,
    ) -> None:
        root = dataset.root if dataset else None
        self._run = run
        self._judging = judging
        self._prepare = prepare
        self.started = now()
        self._default = root.get("bundle") if isinstance(root, dict) else None
        self._digests_rows = digests_rows
        self._bundles: set[str] = set()
        self._references: set[str] = set()
        self._rows = RowsMeaning()
        self._named = NamedByRows(root if isinstance(root, dict) else {})
        self._digested: dict[str, int] = {}  # how many files of a rubric
        self._forget()

    def _forget(self) -> None:
        self._artifacts: dict[str, Artifact] = {}
        self._files: dict[str, dict[str, str | None]] = {}
        self._old: Sections = {}
        self.sections: Sections = {}

    def note(self, tasks: Sequence[Task]) -> None:
        """Note what rows name, in the process that grades them: bundles also if they are not valid.

        The results tell the exact names of rubrics, but not which of them a row has pinned.
        """
        rows, default = [task.row for task in tasks], self._default
        bundles = [row.get("bundle", default) for row in rows]
        self._bundles.update([bundle for bundle in bundles if isinstance(bundle, str)])
        self._references.update([task.rubric for task in tasks if task.rubric is not None])
        self.note_known(tasks)

    def note_known(self, tasks: Iterable[Task]) -> None:
        """Note what rows mean, also of those whose results are known already."""
        if self._digests_rows:
            self._rows = self._rows.plus(_rows_of(tasks), self._default)

    def of(self, results: Iterable[RowResult]) -> RowDependencies:
        """Return what these results depend on, in the process that graded them."""
        bundles, self._bundles = frozenset(self._bundles), set()
        references, self._references = frozenset(self._references), set()
        meaning, self._rows = self._rows, RowsMeaning()
        reads = self._run.plans.reads
        known = self._digested
        new = [rubric for rubric, names in reads.items() if len(names) > known.get(rubric, 0)]
        known |= {rubric: len(reads[rubric]) for rubric in new}
        rubrics = frozenset({row.rubric for row in results if row.rubric})
        return RowDependencies(rubrics, references, bundles, self._digests(new), meaning)

    def begin(self, rubrics: Iterable[str], earlier: Sections) -> Sections:
        """Begin anew, with what results depend on now that some rubrics made; return it.

        `earlier` is what they depended on. An unpinned reference may stand for another rubric now,
        which then is one of those that they depend on.
        """
        names, was = frozenset(rubrics), earlier.get("references", {})
        references = frozenset({reference for reference, name in was.items() if name in names})
        artifacts = map(self._run.workspace.library.artifact_of, references)
        names |= {artifact.name for artifact in artifacts if artifact is not None}
        for name in sorted(names):
            self._prepare(name)
        self._forget()
        bundles, files = frozenset(earlier.get("bundles", ())), self._run.plans.reads
        self.add(RowDependencies(names, references, bundles, self._digests(files)))
        return self.sections

    def add(self, use: RowDependencies) -> None:
        """Add what some results depend on.

        Raises:
            UsageError: a file has changed since it was first read.

        """
        self._named.take(use.references | use.rubrics, use.bundles, use.rows)
        for name in sorted(use.bundles):
            self._add("bundles", name, self._bundle(name))
        known = len(self._artifacts)
        library = self._run.workspace.library
        for reference in sorted(use.references):
            artifact = library.artifact_of(reference)
            if artifact is not None and "@" not in reference:
                self._add("references", reference, artifact.name)
        for name in sorted(use.rubrics - self._artifacts.keys()):
            artifact = library.artifact_of(name)
            if artifact is not None:
                visit(artifact, library, self._is_new)
        for rubric, files in use.files.items():
            self._files.setdefault(rubric, {}).update(files)
        for rubric in (*islice(self._artifacts, known, None), *use.files):
            files = self._files.pop(rubric, {}) if rubric in self._artifacts else {}
            for name, digest in sorted(files.items()):
                self._add("files", name, digest)

    def provenance(self, source: tuple[str, str | None]) -> Provenance:
        """Return the same as the provenance of the dataset, whose name and digest is `source`."""
        return self._named.provenance(self._run, source)

    def news(self) -> Sections:
        """Return what was added since the last call."""
        news: Sections = {}
        for section, values in self.sections.items():
            old = self._old.setdefault(section, {})
            if new := {name: value for name, value in values.items() if name not in old}:
                news[section] = new
                old |= new
        return news

    def _digests(self, rubrics: Iterable[str]) -> dict[str, dict[str, str | None]]:
        digest, reads = self._run.workspace.digest_of_json, self._run.plans.reads
        return {rubric: {name: digest(name) for name in reads[rubric]} for rubric in rubrics}

    def _add(self, section: str, name: str, value: Any) -> None:
        known = self.sections.setdefault(section, {}).setdefault(name, value)
        if known != value:
            raise UsageError(f"`{name}` changed while outputs were graded: try again")

    def _is_new(self, artifact: Artifact) -> bool:
        if artifact.name in self._artifacts:
            return False
        self._artifacts[artifact.name] = artifact
        self._add("artifacts", artifact.name, artifact.document.sha256)
        if artifact.kind is Kind.JUDGE:
            nobody: Sections = {"endpoint": {"host": None}, "models": {artifact.name: None}}
            basis = self._judging.basis_of(artifact) if self._judging else nobody
            for section, values in basis.items():
                for name, value in values.items():
                    self._add(section, name, value)
        for kind in sorted({*_kinds_of(artifact)}):
            if kind == php_lint.KIND.name:
                self._add("programs", "php", self._php)
            elif kind not in KINDS:
                self._add("packages", kind, self._packages.get(kind))
        return True

    def _bundle(self, name: str) -> str | None:
        """Return the digest of the schema of a bundle; that of another package has no file."""
        workspace = self._run.workspace
        source = workspace.bundle_files.get(name)
        if source is not None:
            return source.document.sha256 if source.document else None
        schema = workspace.bundles.get(name)
        return schema and sha256(json.dumps(schema, sort_keys=True).encode()).hexdigest()

    @cached_property
    def _php(self) -> str | None:
        return php_lint.php_version()

    @cached_property
    def _packages(self) -> dict[str, str]:
        return {kind: " ".join(package) for kind, package in packages_of_kinds().items()}


def _rows_of(tasks: Iterable[Task]) -> Iterator[Any]:
    """Yield the rows of tasks, each once: the samples of a row follow on each other."""
    before: Any = None
    for task in tasks:
        if task.sample is None or task.row is not before:
            yield task.row
        before = task.row


def _kinds_of(artifact: Artifact) -> Iterator[str]:
    value = artifact.document.value
    checks = value.get("checks") if isinstance(value, dict) else None
    for check in checks if isinstance(checks, list) else ():
        match check:
            case {"kind": str(kind)}:
                yield kind
