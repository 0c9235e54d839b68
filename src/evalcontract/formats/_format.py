"""What a dataset format of another system is: how its files are read, judged and converted."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.model.code import Code
    from evalcontract.model.diagnostic import Problem
    from evalcontract.model.path import Path
    from evalcontract.source.external import ExternalFile


class SchemaChecker(Protocol):
    """Checks values against the schema of a dialect; lent by the floor above.

    `of` names a definition of the schema: `row`, where nothing else is said.
    """

    def faults(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return what the schema refuses in a value, and the keys in it that nobody reads."""
        ...

    def unread(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the keys in a value that nobody reads: near misses of known ones, and others."""
        ...


class RowLayout(NamedTuple):
    """Where the rows of a file stand. `problems` are those of what stands around them.

    `rows` is None where they are those of the source itself, one by one, or where there are none
    to judge, which `is_lost` tells. The path of row n is `prefix` and n; where the whole document
    `is_row`, the path of that one row is `prefix` alone. `passed_over` are the codes of faults of
    the source at which the loader does not stop; they are the format's then, as `NAME/empty` is.
    """

    rows: list[Any] | None = None
    prefix: Path = ()
    problems: tuple[Problem, ...] = ()
    is_lost: bool = False
    is_row: bool = False
    passed_over: frozenset[str] = frozenset()


class RowChecker(Protocol):
    """One pass over the rows of one dataset."""

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next row.

        `is_clean` says that the schema has nothing to say of it, unknown keys included.
        """
        ...

    def finish(self) -> Iterable[Problem]:
        """Yield what only the whole dataset shows."""
        ...


class GraderPrediction(NamedTuple):
    """What will become of one grader, scorer, metric or judge of the system on a row.

    `state` is `run`, `skip`, `fail` (it runs, and cannot but fail for want of something) or
    `vacuous` (it passes whatever the output is). `field` is the key of the row that decides.
    """

    name: str
    kind: str
    state: str
    reason: str | None = None
    field: str | None = None


class Format(NamedTuple):
    """A dataset format of another system: what its loader does, as functions.

    `variants` are its dialects, the default first; none where there is one alone. `media` are
    those that its loaders read. `basis` says what its verdicts rest on. Each function is given
    the variant, if any.
    """

    name: str
    title: str
    variants: tuple[str, ...]
    media: tuple[str, ...]
    basis: str
    #: Finds the rows of a file.
    find_rows: Callable[[ExternalFile, str | None, SchemaChecker], RowLayout]
    #: Begins a pass over rows.
    row_checker: Callable[[str | None, SchemaChecker], RowChecker]
    #: Returns what names a row; None where nothing does.
    name_of: Callable[[Any], str | None]
    #: Returns the dialect of a whole document or a first row that can be of no other system: it
    #: has what the system asks for, of the right types. None where it may be anybody's.
    recognise: Callable[[dict[str, Any]], Dialect | None]
    #: Yields what will become of each of the system's graders on a sound row.
    predict: Callable[[Any, str | None], Iterator[GraderPrediction]]
    #: Begins to convert sound rows of a file into ours.
    reader: Callable[[ExternalFile, str | None], Reader]
    #: Begins to convert rows of ours, for a file of a medium that the system reads.
    writer: Callable[[str, str | None], Writer]
    #: Of a format of another package: the JSON Schema of each variant, of "" where there is one
    #: alone. `$defs/row` describes a row.
    schemas: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    #: Of a format of another package: its codes, see `codes_of_system`.
    codes: tuple[Code, ...] = ()


class Dialect(NamedTuple):
    """A format, and which of its variants; `str()` is what the command line takes."""

    format: Format
    variant: str | None

    def __str__(self) -> str:
        return f"{self.format.name}:{self.variant}" if self.variant else self.format.name

    @property
    def stage(self) -> tuple[str, str, str]:
        """What its structure stage is made of: the name, the title, and the schema."""
        return self.format.name, self.format.title, self.schema

    @property
    def schema(self) -> str:
        """The name of its schema, such as `formats/evret-0.0.1`."""
        return f"formats/{str(self).replace(':', '-')}"


def dialects_of(formats: Iterable[Format]) -> list[Dialect]:
    """List every dialect of some formats."""
    return [Dialect(each, variant) for each in formats for variant in each.variants or (None,)]
