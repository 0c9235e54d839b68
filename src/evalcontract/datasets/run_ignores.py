"""What is ignored in the files of one run."""

from __future__ import annotations

import os
from itertools import chain
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.ignores import Faulty, Ignores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.policy import Policy
    from evalcontract.source import Document
    from evalcontract.workspace import Workspace

# The kinds of codes that do not depend on what the rows of datasets do to a rubric or a judge.
_OWN_KINDS = frozenset({"rubric", "judge", "target", "bundle", "reference", "workspace"})


class RunIgnores:
    """What is ignored in the files of a workspace; those of its artifacts are kept."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._faulty = Faulty()
        self._kept: dict[str, tuple[Document, Policy, Ignores]] = {}

    @property
    def count(self) -> int:
        """The number of findings that were ignored in artifacts, targets and bundles."""
        return sum(len(ignores.ignored) for _, _, ignores in self._kept.values())

    def of(self, file: str, document: Document | None, value: Any = None) -> Ignores:
        """Return what is ignored in a file, with that of its document and of its root."""
        configuration = self._workspace.configuration
        codes = self._codes(file) if configuration.per_file_ignores else frozenset()
        demands_reason = configuration.require_ignore_reason
        ignores = Ignores(file, codes, self._faulty, demands_reason=demands_reason)
        return ignores.read(document, value) if document else ignores

    def _codes(self, file: str) -> frozenset[str]:
        """Return the codes that the configuration ignores in a file; the file may be a link."""
        folder, name = os.path.split(os.path.abspath(file))  # noqa: PTH100 - links are not followed
        path = self._workspace.files.real(folder) / name
        return self._workspace.configuration.codes_ignored_in(path)

    def without_ignored(
        self, document: Document, policy: Policy, *found: Iterable[Diagnostic]
    ) -> Iterator[Diagnostic]:
        """Yield the findings of a file that are not ignored, and those on its invalid ignores."""
        if document.file not in self._kept or self._kept[document.file][0] is not document:
            self._kept[document.file] = document, policy, self.of_document(document)
        ignores = self._kept[document.file][2]
        yield from ignores.apply(chain(*found))
        yield from ignores.faults(document, policy)

    def of_document(self, document: Document) -> Ignores:
        """Return what is ignored in a document that is an artifact, a target or a bundle."""
        return self.of(document.file, document, document.value)

    def without_joined(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield findings on several rows or checks, unless the file with their cause ignores them.

        All others have been asked about before, each at its own place.
        """
        for diagnostic in diagnostics:
            kept = self._kept.get(diagnostic.place.file) if diagnostic.sites else None
            yield from kept[2].apply([diagnostic]) if kept else [diagnostic]

    def unused(self, *, is_whole: bool) -> Iterator[Diagnostic]:
        """Yield the ignores of artifacts, targets and bundles that have ignored nothing so far.

        Unless the workspace is checked as a whole, only those of codes that do not depend on other
        files: what the rows of some dataset do to a judge may not have been seen.
        """
        for document, policy, ignores in self._kept.values():
            kinds = None if is_whole else _OWN_KINDS
            yield from ignores.unused(document, policy, kinds)
