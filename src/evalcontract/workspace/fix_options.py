"""The options and the result of a run of fixes, which is shown as a diff or written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple
from evalcontract.source.overlays import replace_all
from evalcontract.source.writing import remove_abandoned
from evalcontract.workspace import display_name
from evalcontract.workspace.opened import write_error

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Diagnostic, Outcome
    from evalcontract.policy import Selection


class FixOptions(NamedTuple):
    """Which fixes to apply: those of the codes in `selection`, or all if it is None.

    `unsafe` includes uncertain fixes.
    """

    unsafe: bool = False
    selection: Selection | None = None

    def selects(self, diagnostic: Diagnostic) -> bool:
        """Whether to apply the fix of a finding."""
        chosen = self.selection is None or self.selection.chooses(diagnostic.code)
        return chosen and diagnostic.fix is not None and (diagnostic.fix.safe or self.unsafe)


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
    left: Outcome
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
    try:
        replace_all((file.path, file.before, file.after) for file in fixed.files)
    except OSError as error:
        raise write_error(fixed.files[0].path, error) from None
    for folder in {Path(name).parent for name in fixed.left.checked}:
        remove_abandoned(folder)
