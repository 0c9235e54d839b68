"""What files ignore: codes or kinds, in comments, in `metadata` and in the configuration.

What is ignored is counted, and an ignore that ignores nothing, or is faulty, is a finding itself.
"""

from __future__ import annotations

import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterable, Iterator
from itertools import chain
from typing import TYPE_CHECKING, Any

from evalcontract.datasets.placing import Locatable, from_source_fault
from evalcontract.model.diagnostic import Diagnostic, Path, Span
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.policy import Policy, is_chosen, is_locked, parse_codes
from evalcontract.source import Document, SourceProblem
from evalcontract.workspace import Workspace
from evalcontract.workspace.catalogue import KnownCodes, code_named

if TYPE_CHECKING:
    from evalcontract.source.comments import Comment

UNUSED, INVALID = "workspace/unused-ignore", "workspace/invalid-ignore"
#: The ignores of a run that may be faulty: what each may mean is looked for, which takes long.
MAX_FAULTS = 200
#: What an ignore without codes should look like.
EXAMPLE = "dataset/near-miss-key"


def parse_code(text: str) -> tuple[str, str | None]:
    """Return the code or kind in a text, and None; or the text, and why it cannot be ignored."""
    if not text.strip():
        return text, "a code is missing"
    try:
        (code,) = parse_codes(text, KnownCodes(), to_ignore=True)
    except UsageError as error:
        return text, str(error)
    except ValueError:  # a comma in a string of JSON
        return text, f"`{text}` is more than one code: write each on its own"
    return code, None


class Ignore(NamedTuple):
    """A code or kind of codes to ignore in a part of a file, and where the file says so.

    The part are `lines`, from the first to the last, or what is at a path that begins with
    `prefix`; without either, it is the whole file. The place is `span` or that of `path`.
    """

    code: str
    lines: tuple[int, int] | None = None
    prefix: Path = ()
    span: Span | None = None
    path: Path = ()


class Fault(NamedTuple):
    """What is wrong with an ignore that has no effect. The place is `span` or that of `path`."""

    message: str
    help: str | None = None
    span: Span | None = None
    path: Path = ()


_OURS = lazy_pattern(
    r"#[ \t]*evalcontract[ \t]*:[ \t]*(?P<directive>[\w-]*)(?P<rest>.*)", re.DOTALL
)
_CODES = lazy_pattern(r"[ \t]*\[(?P<codes>[^]]*)\](?P<reason>.*)", re.DOTALL)
_DIRECTIVES = ("ignore", "ignore-file")
#: What comments of other linters say instead.
_OTHERS = frozenset(
    {"disable", "noqa", "off", "skip", "suppress", "allow", "nolint", "ignore-line"}
    | {"ignore-next-line", "disable-line", "disable-next-line", "ignore-all"}
)


class _Directive(NamedTuple):
    """A comment for us: its name, what follows it, and the column where this begins."""

    comment: Comment
    name: str
    rest: str
    start: int
    column: int

    def span(self, start: int = 0, end: int | None = None) -> Span:
        """Return the span of a part of what follows the name; without `end`, of the comment."""
        line = self.comment.line
        if end is None:
            return Span(line, self.start, line, self.column + len(self.rest))
        return Span(line, self.column + start, line, self.column + end)


def ignores_in_comments(
    document: Document, *, demands_reason: bool = False
) -> Iterator[Ignore | Fault]:
    """Yield what the comments of a YAML document ignore, and their faults."""
    if not _OURS.search(document.text):
        return
    directives = [*_directives(document)]
    needs_extents = any(_stands_alone(document, directive) for directive in directives)
    from evalcontract.source.comments import extents_of  # slow to import

    extents = extents_of(document) if needs_extents else {}
    begins = sorted(extents)
    for directive in directives:
        lines: tuple[int, int] | None = (directive.comment.line, directive.comment.line)
        if directive.name == "ignore-file":
            lines = None
        elif _stands_alone(document, directive):
            at = bisect_left(begins, directive.comment.next_line)
            if at < len(begins):  # else nothing follows, so that the comment is unused
                lines = begins[at], extents[begins[at]]
        yield from _parse(directive, lines, demands_reason=demands_reason)


def _directives(document: Document) -> Iterator[_Directive]:
    from evalcontract.source.comments import comments_of  # slow to import

    for comment in comments_of(document.text):
        if match := _OURS.search(comment.text):
            line = document.lines[comment.line - 1].rstrip()
            before = len(line) - len(comment.text)
            name, start = match["directive"], match.start("rest")
            yield _Directive(
                comment, name, match["rest"], before + match.start() + 1, before + start + 1
            )


def _stands_alone(document: Document, directive: _Directive) -> bool:
    return document.lines[directive.comment.line - 1].lstrip(" \t").startswith("#")


def _parse(
    directive: _Directive, lines: tuple[int, int] | None, *, demands_reason: bool
) -> Iterator[Ignore | Fault]:
    name = directive.name
    if name not in _DIRECTIVES:
        near = nearest(name, _DIRECTIVES) or ("ignore" if name in _OTHERS else None)
        if near or directive.rest.lstrip().startswith("["):
            meant = near or "ignore"
            advice = f"did you mean `# evalcontract: {meant}[{EXAMPLE}]`?"
            yield Fault(f"`{name}` is not `ignore` or `ignore-file`", advice, directive.span())
        return
    listed = _CODES.match(directive.rest)
    if listed is None or not listed["codes"].strip():
        advice = f"name the codes: `# evalcontract: {name}[{EXAMPLE}]`"
        yield Fault("an ignore without codes ignores nothing", advice, directive.span())
        return
    if demands_reason and not listed["reason"].strip():
        advice = "write it after the codes"
        yield Fault("an ignore needs a reason", advice, directive.span())
        return
    start = listed.start("codes")
    for text in listed["codes"].split(","):
        indent = len(text) - len(text.lstrip())
        end = max(start + len(text.rstrip()), start + indent + 1)
        span = directive.span(start + indent, end)
        code, fault = parse_code(text.strip())
        yield Fault(fault, span=span) if fault else Ignore(code, lines, span=span)
        start += len(text) + 1


_KEYS = ("ignore", "reason")


def ignores_in_metadata(
    ours: Any, path: Path, *, demands_reason: bool = False
) -> Iterator[Ignore | Fault]:
    """Yield what `metadata.evalcontract` of the mapping at a path ignores, and its faults.

    Keys that resemble neither `ignore` nor `reason` are no business of this.
    """
    here = (*path, "metadata", "evalcontract")
    if not isinstance(ours, dict):
        return
    for key in ours:
        near = nearest(key, _KEYS) if key not in _KEYS else None
        if near and near not in ours:
            yield Fault(f"unknown key `{key}`", f"did you mean `{near}`?", path=(*here, key))
    if "ignore" not in ours:
        return
    codes, reason = ours["ignore"], ours.get("reason")
    if not isinstance(codes, list) or not codes:
        advice = f'as in `"ignore": ["{EXAMPLE}"]`'
        yield Fault("`ignore` must be a list of codes", advice, path=(*here, "ignore"))
        return
    if "reason" in ours and not isinstance(reason, str):
        yield Fault("`reason` must be a text", path=(*here, "reason"))
    if demands_reason and not (isinstance(reason, str) and reason.strip()):
        yield Fault("an ignore needs a reason", "add `reason`", path=(*here, "ignore"))
        return
    for index, text in enumerate(codes):
        at = (*here, "ignore", index)
        code, fault = parse_code(text) if isinstance(text, str) else ("", "a code is a text")
        yield Fault(fault, path=at) if fault else Ignore(code, prefix=path, path=at)


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
            ours = metadata["evalcontract"]
            self.add(ignores_in_metadata(ours, path, demands_reason=self.demands_reason))

    def add(self, items: Iterable[Ignore | Fault]) -> None:
        """Add ignores and the faults of others; all but the first MAX_FAULTS of a run are left."""
        for item in () if self._is_cut else items:
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

    @property
    def may_ignore(self) -> bool:
        """Whether anything is ignored."""
        return self.are_there or bool(self.codes)

    def apply(self, diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings that are not ignored; remember the others."""
        if not self.may_ignore:
            yield from diagnostics
            return
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

    def final_findings(
        self, source: Locatable, policy: Policy, not_sought: Collection[str] = ()
    ) -> Iterator[Diagnostic]:
        """Yield the findings on the ignores of a file that was checked to its end.

        Whether those of codes that were `not_sought` are needed is not known.
        """
        yield from self.faults(source, policy)
        kinds = {code.partition("/")[0] for code in not_sought}
        self._used.update(each for each in self._all if each.code in kinds.union(not_sought))
        yield from self.unused(source, policy)

    def faults(self, source: Locatable, policy: Policy) -> Iterator[Diagnostic]:
        """Yield the findings on ignores that are no valid ones, once."""
        faults, self._faults = self._faults, []
        for fault in faults:
            yield from self._finding(
                INVALID, fault, fault.message, advice=fault.help, source=source, policy=policy
            )

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
            yield from self._finding(
                UNUSED, ignore, message, advice="remove it", source=source, policy=policy
            )

    def _finding(
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
        finding = from_source_fault(fault, place.file, text, policy=policy)
        if finding and not is_chosen(code, self.codes):
            yield finding._replace(path=at.path)


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
            entry = self._kept.get(diagnostic.place.file) if diagnostic.sites else None
            yield from entry[2].apply([diagnostic]) if entry else [diagnostic]

    def unused(self, *, is_whole: bool) -> Iterator[Diagnostic]:
        """Yield the ignores of artifacts, targets and bundles that have ignored nothing so far.

        Unless the workspace is checked as a whole, only those of codes that do not depend on other
        files: what the rows of some dataset do to a judge may not have been seen.
        """
        for document, policy, ignores in self._kept.values():
            kinds = None if is_whole else _OWN_KINDS
            yield from ignores.unused(document, policy, kinds)
