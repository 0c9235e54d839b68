"""Which findings of a file or a run are ignored, and which ignores are faulty or unused.

What is ignored is counted, and an ignore that ignores nothing is a finding itself.
"""

from __future__ import annotations

import os
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import Any

from evalcontract.datasets.ignore import Fault, Ignore
from evalcontract.datasets.placing import Locatable, from_source_fault
from evalcontract.model.diagnostic import Diagnostic, Path
from evalcontract.policy import Policy, is_chosen, is_locked
from evalcontract.source import Document, SourceProblem
from evalcontract.workspace import Workspace
from evalcontract.workspace.catalogue import KnownCodes, code_named

UNUSED, INVALID = "workspace/unused-ignore", "workspace/invalid-ignore"
#: The ignores of a run that may be faulty: what each may mean is looked for, which takes long.
MAX_FAULTS = 200


class Faulty:
    """The number of faulty ignores in the files of a run."""

    count = 0


class Ignores:
    """What is ignored in one file; `codes` are those that the configuration ignores in it.

    `are_there` is whether there are any ignores, valid or not.
    `ignored` identifies the findings that were ignored. With `demands_reason`, an ignore without a
    reason has no effect. `faulty` is counted up; beyond MAX_FAULTS, no more ignores are read.
    """

    def __init__(
        self,
        file: str,
        codes: Collection[str] = (),
        faulty: Faulty | None = None,
        *,
        demands_reason: bool = False,
    ) -> None:
        self.file = file
        self._faulty = faulty or Faulty()
        self._is_cut = False
        self.are_there = bool(codes)
        self.ignored: set[int] = set()
        self.demands_reason = demands_reason
        self.codes = codes
        self._document: Document | None = None
        self._faults: list[Fault] = []
        self._all: list[Ignore] = []
        self._used: set[Ignore] = set()
        self._by_prefix: dict[Path, list[Ignore]] = {}
        self._ranges = _Ranges()

    @property
    def are_inline(self) -> bool:
        """Whether the file itself ignores something."""
        return bool(self._all)

    def read(self, document: Document, value: Any = None) -> Ignores:
        """Add the comments of a document, and the metadata of a value and of its checks."""
        if "evalcontract" in document.text and document.may_be_yaml:
            self._document = document
            from evalcontract.datasets.ignore import ignores_in_comments  # rarely needed

            self.add(ignores_in_comments(document, demands_reason=self.demands_reason))
        checks = value.get("checks") if isinstance(value, dict) else None
        self.read_metadata(value, ())
        for index, check in enumerate(checks if isinstance(checks, list) else ()):
            self.read_metadata(check, ("checks", index))
        return self

    def read_metadata(self, value: Any, path: Path) -> None:
        """Add what the metadata of a mapping at a path ignores in it."""
        metadata = value.get("metadata") if isinstance(value, dict) else None
        if isinstance(metadata, dict) and "evalcontract" in metadata:
            from evalcontract.datasets.ignore import ignores_in_metadata  # rarely needed

            ours = metadata["evalcontract"]
            self.add(ignores_in_metadata(ours, path, demands_reason=self.demands_reason))

    def add(self, found: Iterable[Ignore | Fault]) -> None:
        """Add ignores and the faults of others; all but the first MAX_FAULTS of a run are left."""
        for item in () if self._is_cut else found:
            self.are_there = True
            if isinstance(item, Fault):
                self._faulty.count += 1
                if self._faulty.count > MAX_FAULTS:
                    self._is_cut = True
                    self._faults.append(_TOO_MANY._replace(span=item.span, path=item.path))
                    return
                self._faults.append(item)
                continue
            self._all.append(item)
            if item.lines:
                self._ranges.add(item.lines, item)
            else:
                self._by_prefix.setdefault(item.prefix, []).append(item)

    def apply(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings that are not ignored; remember the others."""
        for diagnostic in diagnostics:
            if is_locked(diagnostic.code) or not self._covers(diagnostic):
                yield diagnostic
            else:
                place = diagnostic.place[:2]
                self.ignored.add(hash((diagnostic.code, place, diagnostic.message)))

    def _covers(self, diagnostic: Diagnostic) -> bool:
        code, path, span = diagnostic.code, diagnostic.path, diagnostic.place.span
        covering = [
            ignore
            for size in {len(prefix) for prefix in self._by_prefix}
            for ignore in self._by_prefix.get(path[:size], ())
            if size <= len(path)
        ]
        covering += self._ranges.at(span.line) if span else ()
        matching = [ignore for ignore in covering if is_chosen(code, (ignore.code,))]
        self._used.update(matching)
        return bool(matching) or is_chosen(code, self.codes)

    def told(self, source: Locatable, policy: Policy) -> Iterator[Diagnostic]:
        """Yield the findings on the ignores of a file that was checked to its end."""
        yield from self.faults(source, policy)
        yield from self.unused(source, policy)

    def faults(self, source: Locatable, policy: Policy) -> Iterator[Diagnostic]:
        """Yield the findings on ignores that are no valid ones, once."""
        faults, self._faults = self._faults, []
        for fault in faults:
            yield from self._told(INVALID, fault, fault.message, fault.help, source, policy)

    def unused(
        self, source: Locatable, policy: Policy, kinds: Collection[str] | None = None
    ) -> Iterator[Diagnostic]:
        """Yield a finding for each ignore that has ignored nothing, of codes of some `kinds`.

        A code that is not reported at all may be ignored.
        """
        for ignore in self._all:
            is_known = kinds is None or ignore.code.partition("/")[0] in kinds
            if ignore in self._used or not is_known or not _is_reported(ignore.code, policy):
                continue
            what = f"`{ignore.code}`" if "/" in ignore.code else f"code of `{ignore.code}/`"
            message = f"no finding to ignore here: {what}"
            yield from self._told(UNUSED, ignore, message, "remove it", source, policy)

    def _told(
        self,
        code: str,
        at: Ignore | Fault,
        message: str,
        advice: str | None,
        source: Locatable,
        policy: Policy,
    ) -> Iterator[Diagnostic]:
        place = source.place(at.path)
        span, text = at.span or place.span, place.text
        if at.span and self._document:
            text = self._document.lines[at.span.line - 1]
        fault = SourceProblem(code, message, span, advice)
        found = from_source_fault(fault, place.file, text, policy)
        if found and not is_chosen(code, self.codes):
            yield found._replace(path=at.path)


_TOO_MANY = Fault(
    f"more than {MAX_FAULTS} ignores are not valid: from here on, the file ignores nothing more",
    "correct the others first",
)


def _is_reported(code: str, policy: Policy) -> bool:
    """Whether a code, or one of a kind, is reported at all."""
    codes = [code] if "/" in code else [name for name in KnownCodes() if is_chosen(name, (code,))]
    return any(policy.severity_of(code_named(name)) is not None for name in codes)


class _Ranges:
    """Ranges of lines, of which two are apart or one contains the other, as parts of a tree are."""

    def __init__(self) -> None:
        self._ignores: dict[tuple[int, int], list[Ignore]] = {}
        self._sorted: list[tuple[int, int]] = []
        self._parents: list[int] = []

    def add(self, lines: tuple[int, int], ignore: Ignore) -> None:
        self._ignores.setdefault(lines, []).append(ignore)
        self._sorted = []

    def _sort(self) -> None:
        self._sorted = sorted(self._ignores, key=lambda lines: (lines[0], -lines[1]))
        self._parents = []
        open_: list[int] = []
        for number, (first, _) in enumerate(self._sorted):
            while open_ and self._sorted[open_[-1]][1] < first:
                open_.pop()
            self._parents.append(open_[-1] if open_ else -1)
            open_.append(number)

    def at(self, line: int) -> Iterator[Ignore]:
        """Yield the ignores of all ranges that contain a line."""
        if self._ignores and not self._sorted:
            self._sort()
        number = bisect_right(self._sorted, line, key=lambda lines: lines[0]) - 1
        while number >= 0:
            if self._sorted[number][1] >= line:
                yield from self._ignores[self._sorted[number]]
            number = self._parents[number]


# The kinds of codes that do not depend on what the rows of datasets do to a rubric or a judge.
_OWN_KINDS = frozenset({"rubric", "judge", "target", "bundle", "reference", "workspace"})


class RunIgnores:
    """What is ignored in the files of a workspace; those of its artifacts are kept."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._faulty = Faulty()
        self._kept: dict[str, tuple[Document, Policy, Ignores]] = {}

    def are_in(self, document: Document) -> bool:
        """Whether a document that was checked, or the configuration, has ignores for it."""
        return self._kept[document.file][2].are_there

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
