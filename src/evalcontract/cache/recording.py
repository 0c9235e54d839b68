"""Files that take notes: what a run has asked of them, so that a later one can ask the same."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from functools import partial
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evalcontract.cache.installation import code_in
from evalcontract.cache.store import digest
from evalcontract.source import DISK, Entry, Files, Stream, TooLargeError, is_given
from evalcontract.source.limits import MAX_DOCUMENT_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    #: What is asked, of which path, and what else belongs to the question.
    Question = tuple[str | int, ...]

#: A stream above this size is not held in memory, so that nobody can say what was read of it.
MAX_STREAM_BYTES = 1 << 24

_ANSWER: dict[str, Callable[..., Any]] = {
    "kind": DISK.kind,
    "real": DISK.real,
    "entries": DISK.entries,
    "read": DISK.read,
    "code": code_in,
}


class RecordingFiles(Files):
    """The files of this machine, with notes of what was asked of them.

    `answers` has the answers by question, in the order of asking. `is_cacheable` is False where
    they do not tell what the run has seen.
    """

    def __init__(self) -> None:
        self.answers: dict[Question, str] = {}
        self.is_cacheable = True
        self._listed: dict[str, dict[str, Entry]] = {}
        self._begun = time.time_ns()

    def mark_uncacheable(self) -> None:
        """Note that the run has seen what cannot be asked again."""
        self.is_cacheable = False

    def kind(self, path: str | Path) -> str:
        """Return the kind of thing that a path leads to; a listing of its folder says it, too."""
        entry = self._listed_as(path)
        return entry.kind if entry else str(self._ask("kind", path))

    def real(self, path: str | Path) -> Path:
        """Return a path without links; of a name that was listed it is known whether it is one."""
        entry = self._listed_as(path)
        if entry and not entry.is_link:
            return self.real(os.path.dirname(path)) / entry.name  # noqa: PTH120 - may be a text
        return Path(self._ask("real", path))

    def entries(self, folder: str | Path, *endings: str) -> tuple[Entry, ...]:
        """List a folder, as `Files` does."""
        entries: tuple[Entry, ...] = self._ask("entries", folder, *endings)
        self._listed[os.fspath(folder)] = {entry.name: entry for entry in entries}
        return entries

    def read(self, path: str | Path, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
        """Read a file, as `Files` does."""
        if is_given(path):
            self.mark_uncacheable()  # it may be read only once
        return bytes(self._ask("read", path, limit))

    def stream(self, path: str | Path) -> Stream:
        """Hold the bytes of a file, so that what is checked is what was noted."""
        try:
            data = self.read(path, MAX_STREAM_BYTES)
        except TooLargeError:
            self.mark_uncacheable()
            return super().stream(path)
        return Stream(partial(BytesIO, data), len(data))

    def record_code(self, paths: Iterable[str]) -> None:
        """Note the state of code that was run; what has changed meanwhile may not be what ran."""
        try:
            files = [file for path in paths for file in self._ask("code", path)]
        except OSError:  # it is in an archive, or gone
            self.mark_uncacheable()
        else:
            if any(changed >= self._begun for _, _, changed in files):
                self.mark_uncacheable()

    def ask_again(self, questions: Sequence[Question]) -> list[str]:
        """Return the answers to what an earlier run has asked.

        Raises:
            LookupError, TypeError: one is no question.

        """
        for question in questions:
            if question not in self.answers:
                with suppress(OSError, ValueError):
                    self._ask(*question)
        return [self.answers[question] for question in questions]

    def _listed_as(self, path: str | Path) -> Entry | None:
        folder, name = os.path.split(path)
        return self._listed.get(folder, {}).get(name)

    def _ask(self, what: Any, path: Any, *more: Any) -> Any:
        """Put a question to the disk, and note the answer; an error is one, too."""
        question = (what, os.fspath(path), *more)
        try:
            found = _ANSWER[what](path, *more)
        except (OSError, ValueError) as error:
            self._note(question, repr(error))
            raise
        self._note(question, digest(found) if isinstance(found, bytes) else repr(found))
        return found

    def _note(self, question: Question, answer: str) -> None:
        if self.answers.setdefault(question, answer) != answer:
            self.mark_uncacheable()
