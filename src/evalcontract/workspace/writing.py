"""What is written to a workspace: within bounds, as fixes, and the schemas that editors use."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path, PurePath
from typing import BinaryIO

from evalcontract.cache.store import is_kept
from evalcontract.model.diagnostic import Diagnostic, RunOutcome
from evalcontract.model.errors import UsageError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import Selection
from evalcontract.source import SCHEMA_SUFFIX, read_text
from evalcontract.source import installed as shipped
from evalcontract.source.comments import MODELINE, comments_of
from evalcontract.source.text import LINE_END
from evalcontract.source.writing import StagedFiles, remove_abandoned, replace_all
from evalcontract.structure import schemas
from evalcontract.workspace import display_name, write_bound
from evalcontract.workspace.configuration import FILE_NAME, PYPROJECT


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


def is_same(one: Path, other: Path) -> bool:
    """Whether two paths lead to the same file or folder."""
    try:
        return one.samefile(other)
    except (OSError, ValueError):  # one of them is not there
        return False


def refuse_inside(path: Path, read: Path, needs: str) -> None:
    """Refuse to write a file into a folder that is `read` as one dataset, through links, too.

    Raises:
        UsageError: it is below the folder; the message says that it `needs` another one.

    """
    if read.is_dir() and any(is_same(above, read) for above in path.resolve().parents):
        raise UsageError(f"the files in {display_name(read)} are read: {needs} another folder")


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
    reason = getattr(error, "strerror", None)
    return UsageError(f"{name} cannot be written: {reason.lower() if reason else error}")


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


def write_changed(files: Sequence[FileFix], new: Iterable[tuple[Path, bytes]] = ()) -> None:
    """Write all changed and new files, or none.

    Raises:
        UsageError: a file cannot be written, or has changed in the meantime.

    """
    refuse_kept(file.path for file in files)
    try:
        replace_all(((file.path, file.before, file.after) for file in files), new)
    except OSError as error:
        raise write_error(files[0].path if files else Path(), error) from None


def write(fixed: FixResult) -> None:
    """Write all files atomically, as far as the operating system allows it.

    The temporary files of earlier runs that were killed are removed, also beside files that need
    no fix any more.

    Raises:
        UsageError: a file cannot be written, or has changed in the meantime.

    """
    write_changed(fixed.files)
    for folder in {Path(name).parent for name in fixed.left.checked}:
        remove_abandoned(folder)


#: The folder in a workspace that `schema export` writes, by the name that migrations give it.
FOLDER = "schema"


class Modelines:
    """The modelines of the files in one folder; `files` are the schemas that they need.

    They work without a network and without this package: a modeline is a path in the folder. A
    schema that is there already is left alone, so that an own one stays.
    """

    def __init__(self, root: Path) -> None:
        self._root = Path(os.path.abspath(root))  # noqa: PTH100 - links are not followed
        self.files: dict[Path, bytes] = {}
        self._known: dict[tuple[str, str], list[str]] = {}

    def of(self, path: Path, name: str) -> list[str]:
        """Return the modeline of a file as comment lines, by the name of the schema.

        There is none for a schema that editors have no edition of, as that of a plugin.
        """
        folder = os.path.dirname(os.path.abspath(path))  # noqa: PTH100, PTH120 - as above
        known = self._known.get((folder, name))  # there may be thousands of files in a folder
        if known is None:
            known = self._known[folder, name] = self._write_editions(Path(folder), name)
        return known

    def _write_editions(self, folder: Path, name: str) -> list[str]:
        edition = schemas.edition_of(name)
        if edition is None:
            return []
        base = self._root if self._root in (folder, *folder.parents) else folder
        schema = base / FOLDER / f"{edition}{SCHEMA_SUFFIX}"
        if not isinstance(read_text(schema, schema.name), str):
            self.files[schema] = shipped.text_of(f"{edition}{SCHEMA_SUFFIX}").encode()
        target = PurePath(os.path.relpath(schema, folder)).as_posix()
        return [f"# {MODELINE} $schema={target}"]


def with_modeline(text: str, modeline: list[str]) -> str:
    """Return a YAML text below a modeline, without the lines of other modelines."""
    ends = [match.end() for match in LINE_END.finditer(text)]
    lines = [text[start:end] for start, end in pairwise([0, *ends, len(text)])]
    old = {comment.line - 1 for comment in comments_of(text) if MODELINE in comment.text}
    others = [
        line
        for number, line in enumerate(lines)
        if number not in old or not line.lstrip().startswith("#")
    ]
    match = LINE_END.search(text)
    line_end = match[0] if match else "\n"
    return "".join([*(f"{line}{line_end}" for line in modeline), *others])


_EDITION = "editor"
_CONFIGURATION = "configuration"


class EditorSchema(NamedTuple):
    """A schema by name; `describes` is a folder of a workspace, or one file of it."""

    name: str
    describes: str

    @property
    def path(self) -> str:
        """The path of the schema, relative to the workspace."""
        return f"{FOLDER}/{_EDITION}/{self.name}{SCHEMA_SUFFIX}"

    @property
    def is_of_folder(self) -> bool:
        """Whether it describes the files of a folder."""
        return self.name != _CONFIGURATION


def editor_schemas() -> tuple[EditorSchema, ...]:
    """Return the schemas of the files of a workspace."""
    folders = (EditorSchema(str(kind), f"{kind}s") for kind in Kind)
    return (*folders, EditorSchema(_CONFIGURATION, FILE_NAME))


def schema_text(name: str) -> str:
    """Return the text of a schema, in the edition for editors."""
    return schemas.text_of(f"{_EDITION}/{name}")


def modeline(kind: str) -> str:
    """Return the comment that names the schema of a file in a folder of the workspace."""
    return f"# {MODELINE} $schema=../{EditorSchema(kind, '').path}"
