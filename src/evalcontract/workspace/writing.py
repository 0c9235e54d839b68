"""Write YAML datasets with the comments of their rows; which fixes to apply; where files may go."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from evalcontract.cache.folders import is_kept
from evalcontract.model.diagnostic import Diagnostic, Place, RunOutcome, Span
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Selection
from evalcontract.source import Document
from evalcontract.source.comments import Comment, comments_of
from evalcontract.source.writing import StagedFiles, remove_abandoned, replace_all
from evalcontract.workspace import display_name, write_bound
from evalcontract.workspace.configuration import FILE_NAME, PYPROJECT
from evalcontract.workspace.editor_schemas import without_modelines


class CommentsAbove:
    """Hands out the comments of one document, row by row, from the first to the last.

    `header` has those above the first row, once a row was asked for. Where the rows stand below a
    key, those between the key and the first row belong to the row.
    """

    def __init__(self) -> None:
        self._header: list[Comment] = []
        self._pending: deque[Comment] | None = None

    @property
    def header(self) -> list[str]:
        """The texts of the comments above the first row."""
        return [comment.text for comment in self._header]

    def row(self, source: Document, path: tuple[str | int, ...]) -> list[str]:
        """Return the comments in a row, and directly above it; none if it is not YAML."""
        return [comment.text for comment in self._of_row(source, path)]

    def places(self, source: Document, path: tuple[str | int, ...]) -> list[Place]:
        """Return the places of the comments of a row, as `row` returns their texts."""
        return [_place(source, comment) for comment in self._of_row(source, path)]

    def end(self, source: Document) -> None:
        """Take all comments as those above the rows if no row was asked for."""
        if self._pending is None:
            self._pending = deque()
            self._header = comments_of("\n".join(source.lines)) if source.may_be_yaml else []

    def header_places(self, source: Document) -> list[Place]:
        """Return the places of the comments above the first row, but for modelines."""
        lines = without_modelines(self.header)
        return [_place(source, comment) for comment in self._header if comment.text in lines]

    def _of_row(self, source: Document, path: tuple[str | int, ...]) -> list[Comment]:
        if self._pending is None:
            self._pending = self._begin(source, path)
        if not self._pending:
            return []  # places are slow to find
        until = _next_line(source, path)
        comments: list[Comment] = []
        while self._pending and (until is None or self._pending[0].next_line < until):
            comments.append(self._pending.popleft())
        return comments

    def _begin(self, source: Document, path: tuple[str | int, ...]) -> deque[Comment]:
        """Return the comments after the header, which ends where the first row begins."""
        comments = comments_of("\n".join(source.lines)) if source.may_be_yaml else []
        pending = deque(comments)
        first = source.place(path).span if pending else None
        end = first.line - (len(path) > 1) if first else 0
        while pending and pending[0].next_line <= end:
            self._header.append(pending.popleft())
        return pending


def _place(source: Document, comment: Comment) -> Place:
    """Return the place of a comment, which ends where its line does."""
    text = source.lines[comment.line - 1]
    end = len(text.rstrip()) + 1
    start = end - len(comment.text)
    return Place(source.file, Span(comment.line, start, comment.line, end), text)


def _next_line(source: Document, path: tuple[str | int, ...]) -> int | None:
    """Return the line of the row after this one; None for the last row."""
    if not path:
        return None  # the document is the row
    *above, index = path
    after = source.place((*above, int(index) + 1)).span
    own = source.place(path).span
    # After the last row, a path leads to the whole list.
    return after.line if own and after and after.line > own.line else None


def open_staged(
    staged: StagedFiles, path: Path, bound: Path | None = None, *, replace: bool
) -> BinaryIO:
    """Open a file that is put in its place with all others, below `bound` or in its workspace.

    Raises:
        UsageError: it exists and `replace` is false, it has settings, or it cannot be written.

    """
    refuse_settings(path)
    try:
        return staged.open(path, bound=bound or write_bound(path), replace=replace)
    except (OSError, RuntimeError, ValueError) as error:
        raise write_error(path, error) from None


def write_staged(
    staged: StagedFiles, path: Path, data: bytes, bound: Path | None = None, *, replace: bool
) -> None:
    """Write a whole file that is put in its place with all others; see `open_staged`.

    Raises:
        UsageError: it exists and `replace` is false, it has settings, or it cannot be opened.
        OSError: it cannot be written.

    """
    with open_staged(staged, path, bound, replace=replace) as stream:
        stream.write(data)


def refuse_settings(path: Path) -> None:
    """Refuse to replace a file with settings, even if that is asked for.

    Raises:
        UsageError: it is one.

    """
    if path.name.casefold() in (FILE_NAME, PYPROJECT) and path.exists():
        raise UsageError(f"{display_name(path)} has settings: choose another name")


def refuse_kept(paths: Iterable[Path]) -> None:
    """Refuse to change a file of a library.

    Raises:
        UsageError: one is in the cache folder.

    """
    for path in paths:
        if is_kept(path):
            raise UsageError(f"{display_name(path)} is a file of a library, which is read-only")


def write_error(path: Path, error: Exception) -> UsageError:
    """Return the error for a file that exists already, or cannot be written.

    It is `path`, unless the error names another.
    """
    file = getattr(error, "filename", None)
    name = display_name(Path(file) if file else path)
    if isinstance(error, FileExistsError):
        return UsageError(f"{name} already exists; pass --force to replace it")
    reason = getattr(error, "strerror", None) or str(error)
    return UsageError(f"{name} cannot be written: {reason.lower()}")


class FixOptions(NamedTuple):
    """Which fixes to apply: those of the codes in `selection`, or all if it is None.

    `unsafe` includes uncertain fixes.
    """

    unsafe: bool = False
    selection: Selection | None = None

    def selects(self, diagnostic: Diagnostic) -> bool:
        """Whether to apply the fix of a finding."""
        is_selected = self.selection is None or self.selection.chooses(diagnostic.code)
        return is_selected and diagnostic.fix is not None and (diagnostic.fix.safe or self.unsafe)


class FileFix(NamedTuple):
    """A file with fixes: its content before and after, and the findings that are fixed."""

    path: Path
    before: bytes
    after: bytes
    fixed: tuple[Diagnostic, ...]

    @property
    def name(self) -> str:
        """The name of the file in findings."""
        return self.fixed[0].place.file if self.fixed else display_name(self.path)

    @property
    def text(self) -> str:
        """The text after the fixes; bytes that are not UTF-8 are preserved as surrogates."""
        return self.after.decode("utf-8", "surrogateescape")

    def edited(self, text: str, fixed: Iterable[Diagnostic]) -> FileFix:
        """Return a copy with another text and more fixed findings."""
        after = text.encode("utf-8", "surrogateescape")
        return self._replace(after=after, fixed=(*self.fixed, *fixed))


class FixResult(NamedTuple):
    """The result: the changed files, the refused fixes with reasons, and the remaining findings.

    `is_settled` is False if the run stopped although more fixes could be applied.
    """

    files: tuple[FileFix, ...]
    refused: tuple[tuple[Diagnostic, str], ...]
    left: RunOutcome
    is_settled: bool = True

    @property
    def fixed(self) -> list[Diagnostic]:
        """The fixed findings, by file."""
        return [diagnostic for file in self.files for diagnostic in file.fixed]


def write(fixed: FixResult) -> None:
    """Write all files atomically, as far as the operating system allows it.

    The temporary files of earlier runs that were killed are removed, also beside files that need
    no fix any more.

    Raises:
        UsageError: a file cannot be written, or has changed in the meantime.

    """
    refuse_kept(file.path for file in fixed.files)
    try:
        replace_all((file.path, file.before, file.after) for file in fixed.files)
    except OSError as error:
        raise write_error(fixed.files[0].path, error) from None
    for folder in {Path(name).parent for name in fixed.left.checked}:
        remove_abandoned(folder)
