"""The options of a call, and the files to read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, BinaryIO

from evalcontract.model.startup import NamedTuple
from evalcontract.source import DISK, Files, read_file, read_stream
from evalcontract.workspace import NEAREST, ChosenConfiguration, display_name

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import date
    from pathlib import Path

    from evalcontract.cache import Cache, Memory
    from evalcontract.datasets.columns import ColumnKeys
    from evalcontract.datasets.passes import Passes
    from evalcontract.judging.asking import Usage
    from evalcontract.policy import Selection
    from evalcontract.source import Source
    from evalcontract.source.external import ExternalFile
    from evalcontract.workspace import Workspace


class Advance(NamedTuple):
    """How far a run has come in a file.

    `rows` are those of the file so far. `read` are the bytes of it so far, and all of them; None if
    it is read at once. `questions` are those to judges that are answered so far, and all of them;
    `tokens` is what they took so far. `files` are those of the run so far, and all of them; None if
    it is not known how many come.
    """

    file: str
    rows: int = 0
    read: tuple[int, int] | None = None
    questions: tuple[int, int] | None = None
    tokens: int = 0
    files: tuple[int, int] | None = None

    def asking(self, spent: Usage, questions: tuple[int, int]) -> Advance:
        """Return the same with the questions to judges.

        What is read is left out: a file may be read long before its questions are answered.
        """
        return self._replace(read=None, questions=questions, tokens=spent.tokens)


#: Called after each batch of rows, and after each question to a judge.
Progress = Callable[[Advance], None]


class Options(NamedTuple):
    """The options of a call: the workspace, the mode, the date, a progress callback and a cache.

    `jobs` is the maximum number of processes that check one large dataset. Without a `cache`,
    everything is checked again. `dialect` is the format of the datasets, such as `mlflow:oss`; if
    None, it is detected. `files` is the file system that the run reads. With `is_joined`, findings
    with the same cause are one. With `allows_empty`, a folder may contain nothing to check.
    `memory` has results of earlier runs for files that have not changed. `max_findings` is the
    number of findings after which a run stops; 0 for no limit. `selection` has the codes to report,
    None for all. `look` is called between the batches of a dataset; what it raises ends the run.
    `opened` are workspaces by root that are used as they are. `configuration` is the one that the
    caller chooses. `passes` begins the passes over datasets, if they are shared with other modes.
    `plan` and `only` choose graders of another system, of which the coverage is asked for.
    `columns` are columns of tables with the keys of rows that they are read as.
    """

    root: Path | None = None
    strict: bool | None = None
    today: date | None = None
    progress: Progress | None = None
    jobs: int = 1
    cache: Cache | None = None
    dialect: str | None = None
    files: Files = DISK
    is_joined: bool = True
    allows_empty: bool = False
    memory: Memory | None = None
    max_findings: int = 0
    selection: Selection | None = None
    look: Callable[[], None] | None = None
    opened: Mapping[Path, Workspace] | None = None
    configuration: ChosenConfiguration = NEAREST
    passes: Passes | None = None
    columns: ColumnKeys = ()
    plan: str | None = None
    only: tuple[str, ...] = ()


class Input(NamedTuple):
    """One file to read: a path, or a stream with the path that findings name."""

    path: Path
    stream: BinaryIO | None = None
    files: Files = DISK

    def read(self, *, quick: bool = False) -> Source:
        """Read the file; `quick` is as for `read_file`."""
        name = display_name(self.path)
        if self.stream:
            return read_stream(self.stream, name, quick=quick)
        return read_file(self.path, name, self.files, quick=quick)

    def read_external(self) -> ExternalFile:
        """Read the file as a dataset in another format."""
        from evalcontract.source.external import (  # rarely needed
            read_external,
            read_external_stream,
        )

        name = display_name(self.path)
        if not self.stream:
            return read_external(self.path, name, self.files)
        if self.stream.seekable():
            self.stream.seek(0)
        return read_external_stream(self.stream, name)

    def buffered(self) -> Input:
        """Return an input that can be read twice: a stream is read into memory."""
        if self.stream is None:
            return self
        from io import BytesIO

        from evalcontract.source.faults import MAX_DOCUMENT_BYTES

        return Input(self.path, BytesIO(self.stream.read(MAX_DOCUMENT_BYTES + 1)))
