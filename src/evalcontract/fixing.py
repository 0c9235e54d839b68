"""Fixes: of a text, and of files until none is left; the summary and the diff of a run.

One fix may make another one possible. Nothing is written: the checks read drafts in memory.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import Match, SequenceMatcher
from functools import cache
from itertools import islice
from pathlib import Path

from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.kinds import other_kind
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.diagnostic import (
    Diagnostic,
    Fix,
    Move,
    Place,
    Rename,
    RunOutcome,
    Severity,
    Span,
    TextEdit,
    key_of,
    sort_key,
)
from evalcontract.model.reference import Kind
from evalcontract.model.values import escape_controls, many
from evalcontract.report import BaselineCounts, Report
from evalcontract.source import format_of, read_file
from evalcontract.source.editing import cuts_by_fix, edit_text
from evalcontract.source.entries import Cut
from evalcontract.source.faults import ParseError
from evalcontract.source.files import guess_format
from evalcontract.source.filesystem import Drafts
from evalcontract.source.text import decode, line_starts, place_at
from evalcontract.source.writing import read_bytes
from evalcontract.workspace import display_name, find_root
from evalcontract.workspace.catalogue import KnownCodes, url_of
from evalcontract.workspace.roots import RepositoryNames
from evalcontract.workspace.writing import FileFix, FixOptions, FixResult

#: The edits of a fix, in the order of their places.
Edits = tuple[TextEdit, ...]


def text_edits(diagnostics: Sequence[Diagnostic]) -> Mapping[int, Edits]:
    """Return the edits that fix findings, by their numbers in the sequence.

    A finding without a fix, or with one that cannot be made in the text as it is now, has none.
    The files are read again.
    """
    by_file: dict[str, list[int]] = {}
    for number, diagnostic in enumerate(diagnostics):
        if diagnostic.fix:
            by_file.setdefault(diagnostic.place.file, []).append(number)
    edits: dict[int, Edits] = {}
    for file, numbers in by_file.items():
        try:
            data = read_bytes(Path(file))
            text = decode(data)
        except (OSError, ValueError, ParseError):  # standard input, or changed in the meantime
            continue
        form = format_of(file) or guess_format(data)
        edits |= _in_text(text, form, {number: diagnostics[number] for number in numbers})
    return edits


def _in_text(text: str, form: str, numbered: dict[int, Diagnostic]) -> Iterator[tuple[int, Edits]]:
    # In JSONL, a lone carriage return ends no line.
    starts = line_starts(text.replace("\r", " ") if form == "jsonl" else text)
    by_number = {
        number: fix_in_text(numbers, form)
        for number, numbers in numbered.items()
        if _is_unchanged(numbers.place, text, starts)
    }
    cuts = cuts_by_fix(text, form, [*dict.fromkeys(filter(None, by_number.values()))])
    for number, fix in by_number.items():
        if fix in cuts:
            yield number, tuple(_edit(cut, starts) for cut in sorted(cuts[fix]))


def _is_unchanged(place: Place, text: str, starts: list[int]) -> bool:
    """Whether a finding is on this text, and not on other content that had the name of its file."""
    if place.span is None or place.text is None:
        return True
    line = place.span.line
    return line <= len(starts) and text.startswith(place.text, starts[line - 1])


def fix_in_text(diagnostic: Diagnostic, form: str) -> Fix | None:
    """Return the fix of a finding with its path in the text: in JSONL, a row is a line."""
    span = diagnostic.place.span
    if diagnostic.fix is None or form != "jsonl":
        return diagnostic.fix
    return diagnostic.fix.relocated(lambda path: (span.line - 1, *path[1:])) if span else None


def _edit(cut: Cut, starts: list[int]) -> TextEdit:
    line, column = place_at(cut.start, starts)
    return TextEdit(Span(line, column, *place_at(cut.end, starts)), cut.text)


#: The maximum number of rounds. Every round applies a fix, and a few rounds are usual.
_MAX_ROUNDS = 50
#: The same once so many characters of files are edited, each time that they are.
_MAX_ROUNDS_OF_MANY, _MANY_CHARACTERS = 2, 1_000_000
#: After so many findings, counted in each round, no other round is begun.
_MANY_FINDINGS = 20_000
_AMBIGUOUS_EDIT = "the fix would also change something else: edit the file by hand"
_OUTSIDE = "a symbolic link leads out of the workspace"
#: The kinds of the files in a folder; for None, the whole workspace has to be checked.
_FOLDERS = {"rubrics": Kind.RUBRIC, "judges": Kind.JUDGE, "targets": None, "bundles": None}


def fix(
    paths: Sequence[Path], options: Options, fix_options: FixOptions, content: bytes | None = None
) -> FixResult:
    """Fix files, and all files in folders, in memory.

    Only these files are changed, although others may be checked with them. `content` replaces the
    content of the only file in `paths`.

    Raises:
        NothingToCheck: there is no file.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    drafts = Drafts()
    if content is not None:
        drafts.put(paths[0], content)
    return _FixRun(paths, options._replace(files=drafts), fix_options, drafts=drafts).run()


class _FixRun:
    """The files and folders to fix, and the results so far."""

    # Files are identified by their real paths, so that a link and its target are one file.

    def __init__(
        self, paths: Sequence[Path], options: Options, fix_options: FixOptions, drafts: Drafts
    ) -> None:
        # Each place of a finding has its own fix.
        self._options = options._replace(cache=None, is_joined=False)
        self._fix_options = fix_options
        self._drafts = drafts
        folders = [path for path in paths if os.path.isdir(path)]
        self._folders = [drafts.real(folder) for folder in folders]
        self._roots = [drafts.real(options.root or find_root(path)) for path in self._folders]
        self._named = {drafts.real(path): path for path in paths if path not in folders}
        self._checked_folders = folders
        self._inputs: dict[Kind, list[Input]] = {}
        for path in self._named.values():
            kind = self._kind_of(path)
            if kind is None:
                self._checked_folders.append(path.parent)
            else:
                self._inputs.setdefault(kind, []).append(Input(path, files=drafts))
        self._files: dict[Path, FileFix] = {}
        self._refused: dict[Path, dict[Fix, tuple[Diagnostic, str]]] = {}
        self._edited_characters = 0
        self._findings = 0

    def _kind_of(self, path: Path) -> Kind | None:
        """Return the kind of a file by its folder, or else by its content."""
        root = self._drafts.real(self._options.root or find_root(path))
        real = self._drafts.real(path)
        folder = real.relative_to(root).parts[0] if root in real.parents else ""
        if folder in _FOLDERS:
            return _FOLDERS[folder]
        document = read_file(path, display_name(path), self._drafts).document
        value = document.value if document else None
        return other_kind(Kind.DATASET, value) or Kind.DATASET

    def run(self) -> FixResult:
        for rounds in range(_MAX_ROUNDS):
            if rounds >= _MAX_ROUNDS_OF_MANY and self._edited_characters > _MANY_CHARACTERS:
                break
            if self._findings > _MANY_FINDINGS:
                break
            outcome = self._check()
            self._findings += len(outcome.diagnostics)
            if not self._apply(outcome.diagnostics):
                return self._result(outcome, is_settled=True)
        outcome = self._check()
        return self._result(outcome, is_settled=not self._fixable(outcome.diagnostics))

    def _result(self, outcome: RunOutcome, *, is_settled: bool) -> FixResult:
        files = [file for file in self._files.values() if file.before != file.after]
        refused = [each for by_fix in self._refused.values() for each in by_fix.values()]
        return FixResult(tuple(files), tuple(refused), outcome, is_settled)

    def _check(self) -> RunOutcome:
        outcomes = [validate(kind, inputs, self._options) for kind, inputs in self._inputs.items()]
        outcomes += [check_workspaces(path, self._options) for path in self._checked_folders]
        diagnostics = [item for outcome in outcomes for item in outcome.diagnostics]
        checked = {name: kind for each in outcomes for name, kind in each.checked.items()}
        return RunOutcome(diagnostics, checked=checked).settle()

    def _apply(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Apply all fixes that do not conflict; return whether there may be more to apply."""
        by_file = self._fixable(diagnostics)
        changed = [self._edit(path, [*by_fix.values()]) for path, by_fix in by_file.items()]
        return any(changed)

    def _fixable(self, diagnostics: Iterable[Diagnostic]) -> dict[Path, dict[Fix, Diagnostic]]:
        """Return the fixes to apply, by the real paths of their files, with their findings."""
        by_file: dict[Path, dict[Fix, Diagnostic]] = {}
        changeable = cache(self._changeable)  # many findings have the same file
        for diagnostic in diagnostics:
            if diagnostic.fix and self._fix_options.selects(diagnostic):
                real = changeable(diagnostic.place.file)
                if real and diagnostic.fix not in self._refused.get(real, ()):
                    by_file.setdefault(real, {}).setdefault(diagnostic.fix, diagnostic)
        return by_file

    def _changeable(self, name: str) -> Path | None:
        """Return the real path of a file; None if it must not change."""
        path = Path(name)
        real = self._drafts.real(path)
        parents = Path(os.path.abspath(path)).parents  # noqa: PTH100 - links are not followed
        is_in_folder = any(folder in parents for folder in self._folders)
        return real if is_in_folder or real in self._named else None

    def _edit(self, path: Path, diagnostics: list[Diagnostic]) -> bool:
        """Apply the fixes of one file; return whether there may be more to apply."""
        try:
            file = self._open(path)
        except OSError as error:
            self._refuse(path, diagnostics, (error.strerror or str(error)).lower())
            return False
        form = format_of(diagnostics[0].place.file) or guess_format(file.after)
        by_fix = {fix_in_text(diagnostic, form): diagnostic for diagnostic in diagnostics}
        edited = edit_text(file.text, form, [fix for fix in by_fix if fix])
        self._edited_characters += len(file.text)
        unplaced = [by_fix[None]] if None in by_fix else []
        if edited.made:
            fixed = sorted((by_fix[fix] for fix in edited.made), key=sort_key)
            self._files[path] = file.edited(edited.text, fixed)
            self._drafts.put(path, self._files[path].after)
            self._refused.pop(path, None)  # they may be possible in the new text
        else:
            refused = [*unplaced, *(by_fix[fix] for fix in edited.refused)]
            self._refuse(path, refused, _AMBIGUOUS_EDIT)
        has_more = len(edited.made) + len(edited.refused) + len(unplaced) < len(diagnostics)
        return bool(edited.made or (edited.refused and has_more))

    def _refuse(self, path: Path, diagnostics: Iterable[Diagnostic], reason: str) -> None:
        for diagnostic in diagnostics:
            if diagnostic.fix:
                self._refused.setdefault(path, {})[diagnostic.fix] = (diagnostic, reason)

    def _open(self, path: Path) -> FileFix:
        """Return a file with the fixes so far; read it at first use, if it is in the workspace."""
        if path not in self._files:
            if path not in self._named and not any(root in path.parents for root in self._roots):
                raise OSError(_OUTSIDE)
            draft = self._drafts.draft(path)
            data = read_bytes(path) if draft is None else draft
            self._files[path] = FileFix(self._named.get(path, path), data, data, ())
        return self._files[path]


def full_report(
    outcome: RunOutcome, fails_from: Severity, baseline: BaselineCounts | None = None
) -> Report:
    """Return the report of an outcome; findings of at least a severity fail it."""
    return Report(
        diagnostics=outcome.diagnostics,
        files=outcome.files,
        rows=outcome.rows,
        left_out=outcome.left_out,
        checked=outcome.checked,
        ignored=outcome.ignored,
        baseline=baseline,
        fails_from=fails_from,
        name_of=RepositoryNames(),
        codes=KnownCodes(),
        url_of=url_of,
        edits_of=text_edits,
    )


# Lines that change in a row, both of the old text and of the new one; of more, all that follow are
# replaced. So many equal lines end a change.
_MAX_CHANGED, _EQUAL = 200, 2


def write_fixed(fixed: Sequence[Diagnostic], limit: int) -> Iterator[str]:
    """Yield the fixed findings by file, at most `limit` of them if it is not 0."""
    file = ""
    for diagnostic in islice(fixed, limit or None):
        if diagnostic.place.file != file:
            file = diagnostic.place.file
            yield f"{escape_controls(file)}\n"
        span = diagnostic.place.span
        at = f"{span.line}:{span.column}" if span else ""
        yield (
            f"  {at}  {diagnostic.code}  {_description(diagnostic.fix)}\n" if diagnostic.fix else ""
        )
    yield from _lines_of_hidden(len(fixed), limit)


def _lines_of_hidden(count: int, limit: int) -> Iterator[str]:
    if limit and count > limit:
        yield f"… {many(count - limit, 'more finding')}: `--limit 0` shows all\n"


def write_summary(fixed: int, files: int, left: Sequence[Diagnostic]) -> Iterator[str]:
    """Yield how many findings were fixed, how many are left, and how many more are fixable."""
    total = f"{many(fixed, 'finding')} fixed in {many(files, 'file')}"
    total = total if fixed else "nothing fixed"
    if not left:
        yield f"{total}; none left\n"
        return
    severities = Counter(diagnostic.severity for diagnostic in left)
    counts = [many(severities[each], str(each)) for each in sorted(severities, reverse=True)]
    yield f"{total}; {len(left):,} left: {', '.join(counts)}\n"
    fixes = [diagnostic.fix for diagnostic in left if diagnostic.fix]
    if unsafe := sum(not fix.safe for fix in fixes):
        yield f"{unsafe:,} more fixable with `--unsafe-fixes`\n"


def write_fixable(fixable: int, files: int) -> Iterator[str]:
    """Yield how many findings are fixable."""
    total = f"{many(fixable, 'finding')} fixable in {many(files, 'file')}"
    yield f"{total if fixable else 'nothing to fix'}\n"


def write_refused(refused: Sequence[tuple[Diagnostic, str]], limit: int) -> Iterator[str]:
    """Yield the fixes that were not made, with the reason; at most `limit` if it is not 0."""
    for diagnostic, reason in refused[: limit or None]:
        place = escape_controls(str(diagnostic.place))
        yield f"not fixed: {place}: {diagnostic.code}: {escape_controls(reason)}\n"
    yield from _lines_of_hidden(len(refused), limit)


def write_diff(fix: FileFix) -> Iterator[str]:
    """Yield the changed lines of a file as a unified diff.

    Control characters are replaced, but for tabs and the ends of lines: `patch` accepts lines
    without others.
    """
    old, new = (_lines(data.decode("utf-8", "replace")) for data in (fix.before, fix.after))
    for line in _unified_diff(old, new, escape_controls(fix.name)):
        text = line.removesuffix("\n").removesuffix("\r")
        end = line[len(text) :]
        yield "\t".join(map(escape_controls, text.split("\t"))) + end
        if not end.endswith("\n"):
            yield "\n"
            yield "\\ No newline at end of file\n"


def _unified_diff(old: list[str], new: list[str], name: str) -> Iterator[str]:
    """Yield what `difflib.unified_diff` does, in time that grows with the number of lines."""
    groups = _Alignment(old, new).get_grouped_opcodes()
    for number, group in enumerate(groups):
        if not number:
            yield from (f"--- {name}\n", f"+++ {name}\n")
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        yield f"@@ -{_range(old_start, old_end)} +{_range(new_start, new_end)} @@\n"
        for kind, start, end, other_start, other_end in group:
            if kind == "equal":
                yield from (f" {line}" for line in old[start:end])
            else:
                yield from (f"-{line}" for line in old[start:end])
                yield from (f"+{line}" for line in new[other_start:other_end])


def _range(start: int, end: int) -> str:
    """Return the lines of a hunk as a unified diff writes them."""
    length = end - start
    first = start + 1 if length else start  # an empty hunk stands after this line
    return f"{first}" if length == 1 else f"{first},{length}"


class _Alignment(SequenceMatcher[str]):
    """Lines of a text before and after fixes, which change few in a row and move none far."""

    # `difflib` compares each changed line with all the others: many rows are alike.

    def __init__(self, old: list[str], new: list[str]) -> None:
        self._old, self._new = old, new
        super().__init__(None, old, new, autojunk=False)

    def get_matching_blocks(self) -> list[Match]:
        """Return the equal parts, in order; the last one is empty."""
        old, new = self._old, self._new
        blocks: list[Match] = []
        at, other = 0, 0
        while (skipped := _next_equal(old, new, at, other=other)) is not None:
            at, other = at + skipped[0], other + skipped[1]
            size = 0
            while old[at + size : at + size + 1] == new[other + size : other + size + 1] != []:
                size += 1
            blocks.append(Match(at, other, size))
            at, other = at + size, other + size
        return [*blocks, Match(len(old), len(new), 0)]


def _next_equal(old: list[str], new: list[str], at: int, other: int) -> tuple[int, int] | None:
    """Return how many lines of both are skipped up to the next that are equal; None if none is."""
    # Where other numbers of lines are skipped, one line may be equal by chance: it needs another.
    for skipped in range(_MAX_CHANGED):
        for of_old in range(skipped + 1):
            of_new = skipped - of_old
            length = 1 if of_old == of_new else _EQUAL
            lines = old[at + of_old : at + of_old + length]
            if lines and lines == new[other + of_new : other + of_new + length]:
                return of_old, of_new
    return None


def _lines(text: str) -> list[str]:
    """Split a text at line feeds only, as `patch` does."""
    lines = [f"{line}\n" for line in text.split("\n")]
    lines[-1] = lines[-1].removesuffix("\n")
    return lines if lines[-1] else lines[:-1]


def _description(fix: Fix) -> str:
    old = escape_controls(key_of(fix.path))
    match fix.edit:
        case Rename(key):
            return f"`{escape_controls(str(fix.path[-1]))}` is now `{escape_controls(key)}`"
        case Move(to):
            return f"`{old}` is now `{escape_controls(key_of(to))}`"
    value = f'"{fix.target}"' if isinstance(fix.target, str) else str(fix.target).lower()
    return f"`{old}` is now {escape_controls(value)}"
