"""What a run of fixes is asked for, and what comes of it: shown as a difference, or written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.model.errors import UsageError
from evalcontract.source.drafts import replace_all
from evalcontract.workspace import name_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.diagnostic import Diagnostic, Outcome


class FixOptions(NamedTuple):
    """Which fixes are to be made: of these codes, or kinds of codes, or of all; `unsafe` ones too.

    A kind is the first half of a code.
    """

    unsafe: bool = False
    select: tuple[str, ...] = ()

    def takes(self, found: Diagnostic) -> bool:
        """Whether a finding is to be mended."""
        kind, _, _ = found.code.partition("/")
        chosen = not self.select or kind in self.select or found.code in self.select
        return chosen and found.fix is not None and (found.fix.safe or self.unsafe)


class FileFix(NamedTuple):
    """A file that was mended: what it holds before and after, and the findings that are gone."""

    path: Path
    before: bytes
    after: bytes
    fixed: tuple[Diagnostic, ...]

    @property
    def name(self) -> str:
        """What findings call the file."""
        return self.fixed[0].place.file if self.fixed else name_of(self.path)

    @property
    def text(self) -> str:
        """What it holds after; bytes that are not UTF-8 are in it, and come back as they were."""
        return self.after.decode("utf-8", "surrogateescape")

    def edited(self, text: str, fixed: Iterable[Diagnostic]) -> FileFix:
        """Return it with another text, and more findings gone."""
        after = text.encode("utf-8", "surrogateescape")
        return self._replace(after=after, fixed=(*self.fixed, *fixed))


class FixResult(NamedTuple):
    """What came of it: the files, the findings whose fix was refused and why, and what is left.

    `is_settled` is False where it was stopped before all was mended that can be.
    """

    files: tuple[FileFix, ...]
    refused: tuple[tuple[Diagnostic, str], ...]
    left: Outcome
    is_settled: bool = True

    @property
    def fixed(self) -> list[Diagnostic]:
        """The findings that are gone, by file."""
        return [found for each in self.files for found in each.fixed]


def write(fixed: FixResult) -> None:
    """Write the files, each whole, and all of them or none as far as the system lets it.

    Raises:
        UsageError: one cannot be written, or was changed meanwhile.

    """
    try:
        replace_all((each.path, each.before, each.after) for each in fixed.files)
    except OSError as error:
        where = error.filename2 or error.filename
        name = name_of(Path(where)) if where else "a file"
        reason = (error.strerror or str(error)).lower()
        raise UsageError(f"{name} cannot be written: {reason}") from None
