"""A dataset format of another system: its codes, its fields, and how files are read and checked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from evalcontract.formats._conversion import Field, Ways, fields_of, listed_fields
from evalcontract.formats._graders import Fact, GraderPrediction, chosen_graders, predictions
from evalcontract.model.codes import Code
from evalcontract.model.diagnostic import Path, Problem, Severity
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._lens import Lens
    from evalcontract.source.external import ExternalFile

#: What every loader may reject.
_REJECTED = ("rejected", "unread-medium", "missing-key", "wrong-type")
#: What every loader silently accepts, unless the system says that it is rejected.
_SILENTLY_ACCEPTED = ("duplicate-key", "not-finite", "duplicate-id")


def codes_of_system(
    system: str,
    *,
    rejected: Iterable[str] = (),
    silently_accepted: Iterable[str] = (),
    guesses: Iterable[str] = (),
    notes: Iterable[str] = (),
    never: Iterable[str] = (),
    page: str | None = None,
) -> tuple[Code, ...]:
    """Return the codes of a system: those that every system has, and its own.

    `guesses` are silently accepted too, and depend on what the author probably meant. `notes` are
    no faults: they say what the system will do, in both modes. What its loader cannot find `never`
    has a code. `page` is the manual page that the
    codes of another package share.
    """
    rejected = (*_REJECTED, *rejected)

    def declared() -> Iterator[Code]:
        for fault in rejected:
            yield Code(f"{system}/{fault}", soft=Severity.ERROR, page=page)
        for fault in (*_SILENTLY_ACCEPTED, *silently_accepted):
            if fault not in rejected:
                yield Code(f"{system}/{fault}", page=page)
        for fault in ("near-miss-key", *guesses):
            yield Code(f"{system}/{fault}", guess=True, page=page)
        # An unknown key may be meant for another tool, so it never fails a run.
        yield Code(f"{system}/ignored-key", strict=Severity.WARNING, page=page)
        note = Severity.NOTE
        for fault in notes:
            yield Code(f"{system}/{fault}", soft=note, strict=note, page=page)
        yield Code(f"{system}/detected", soft=note, strict=note, guess=True, page=page)

    none = {f"{system}/{fault}" for fault in never}
    return tuple(code for code in declared() if code not in none)


# The path of a key of a row has its index and the key.
_OF_COLUMN = 2


class SchemaChecker(Protocol):
    """Checks values against the schema of a dialect.

    `of` is the name of a definition in the schema.
    """

    def faults(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the schema violations of a value, and its ignored keys."""
        ...

    def near_misses(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the misspelled keys of mappings in a value that may have any other key."""
        ...

    def unread(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the ignored keys of a value: near misses of known keys, and others."""
        ...

    def keywords(self, schema: dict[str, Any], path: Path) -> list[Problem]:
        """Return the misspelled keywords and required keys of a valid schema that a file brings."""
        ...

    def own(self, schema: dict[str, Any]) -> Callable[[Any, Path], list[Problem]] | str:
        """Return a check against a schema that a file brings; why not if it is invalid."""
        ...


class RowLayout(NamedTuple):
    """The rows of a file, and the problems outside of them.

    `rows` is None if the source yields them one by one, or if `is_lost`: then there are none to
    check. The path of row n is `prefix` and n; if the whole document `is_row`, the path of that
    row is `prefix`. If rows are read as other values than they are in the file, `place_of` returns
    the path in the file of a path in the rows, and `column_of` that of the name of a column, if all
    rows have the same. `passed_over` are the codes of source problems that
    the loader tolerates; the format reports its own instead.
    """

    rows: list[Any] | None = None
    prefix: Path = ()
    problems: tuple[Problem, ...] = ()
    is_lost: bool = False
    is_row: bool = False
    passed_over: frozenset[str] = frozenset()
    place_of: Callable[[Path], Path] | None = None
    column_of: Callable[[str], Path] | None = None

    @classmethod
    def without_rows(cls, *problems: Problem) -> RowLayout:
        """Return the layout of a file whose rows cannot be checked, and why."""
        return cls(problems=problems, is_lost=True)

    def placed(self, problem: Problem) -> Problem:
        """Return a problem of a row with its places in the file."""
        if self.place_of is None or not problem.path:  # a problem of all rows
            return problem
        if (column := self.column_in(problem)) and self.column_of:
            return problem._replace(path=self.column_of(column))
        related = tuple(each._replace(path=self.place_of(each.path)) for each in problem.related)
        return problem.relocated(self.place_of)._replace(related=related)

    def column_in(self, problem: Problem) -> str | None:
        """Return the name of the column that a problem of a row is about; None if it is about none.

        Such a problem is that of all rows.
        """
        name = problem.path[-1] if len(problem.path) == _OF_COLUMN and problem.on_key else None
        return name if self.column_of and isinstance(name, str) else None


#: Codes of a file without anything.
EMPTY = frozenset({"source/empty"})


def bom_rejected(system: str, message: str) -> Problem:
    """Report a byte order mark at which the loader stops."""
    return Problem(f"{system}/rejected", message, (), "save it as UTF-8 without a byte order mark")


class RowChecker(Protocol):
    """One pass over the rows of a dataset."""

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterable[Problem]:
        """Check the next row.

        `is_clean` means that the schema finds nothing in it, not even ignored keys.
        """
        ...

    def finish(self) -> Iterable[Problem]:
        """Yield the problems that only the whole dataset shows."""
        return ()


class Format(ABC):
    """A dataset format of another system: what its loader does. An instance is one dialect of it.

    `str()` is the name of the dialect on the command line, such as `evret:0.0.1`. Without a
    `variant`, it is the default one; that of a format with one dialect is empty.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    #: The names of its dialects, the default first; empty if there is only one.
    variants: ClassVar[tuple[str, ...]] = ()
    #: The file formats that its loaders read.
    media: ClassVar[tuple[str, ...]]
    #: The evidence for its verdicts.
    basis: ClassVar[str]
    #: The codes of what is found in its datasets; see `codes_of_system`.
    codes: ClassVar[tuple[Code, ...]] = ()
    #: The fields that mean the same in evalcontract, and those that have no counterpart; without
    #: any, those of the table `formats/NAME.fields.json`.
    fields: ClassVar[tuple[Field, ...]] = ()
    #: The ways between values that the table names.
    ways: ClassVar[Mapping[str, Ways]] = MappingProxyType({})
    #: What checks its rows in one pass, a `SystemChecker`.
    row_checker: ClassVar[type[Any]]
    #: The module and the class of its conversion, with a colon between; a check does not load them.
    conversion: ClassVar[str] = "evalcontract.formats._lens:Lens"
    #: Its readers by variant, if several read the same files: each may be meant by a key.
    readers: ClassVar[Mapping[str, str]] = MappingProxyType({})
    #: What decides on the graders of its table, by the names that the table has for it.
    facts: ClassVar[Mapping[str, Fact]] = MappingProxyType({})
    #: The keys that name a row: the first that holds a text.
    named_by: ClassVar[tuple[str, ...]] = ("id",)
    #: Keys that show one of its rows, and not a document.
    of_rows: ClassVar[frozenset[str]] = frozenset()
    #: Whether its loader takes the lines of JSONL from a Python text file, and strips each: a lone
    #: carriage return ends a line, and white space of Unicode around it does not count.
    has_text_lines: ClassVar[bool] = False
    #: The media in which a byte order mark stops its loader, and the words for it.
    no_mark: ClassVar[tuple[str, ...]] = ()
    mark: ClassVar[str] = "at which {} stops"
    #: Whether an empty file of lines, or of a table, is a dataset without rows.
    may_be_empty: ClassVar[bool] = False
    #: Whether its loader reads the lines of files alone whose names end in `.jsonl`.
    has_lines_by_name: ClassVar[bool] = False
    #: For formats of other packages: the JSON Schema of each variant, or of "" if there is only
    #: one. `$defs/row` describes a row.
    schemas: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})

    def __init__(self, variant: str = "") -> None:
        self.variant = variant or next(iter(self.variants), "")

    def __str__(self) -> str:
        return f"{self.name}:{self.variant}" if self.variant else self.name

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and str(other) == str(self)

    def __hash__(self) -> int:
        return hash(str(self))

    @classmethod
    def dialects(cls) -> list[Self]:
        """List its dialects, the default first."""
        return [cls(variant) for variant in cls.variants or ("",)]

    @property
    def stage(self) -> tuple[str, str, str, tuple[tuple[str, str], ...]]:
        """The arguments of its schema stage: the name, the title, the schema, other readers."""
        others = (each for each in self.dialects() if each != self and each.variant in self.readers)
        readers = {each.schema: self.readers[each.variant] for each in others}
        return self.name, self.title, self.schema, (*readers.items(),)

    @property
    def schema(self) -> str:
        """The name of its schema, such as `formats/evret-0.0.1`."""
        return f"formats/{str(self).replace(':', '-')}"

    @classmethod
    def all_fields(cls) -> tuple[Field, ...]:
        """Return the fields of all its dialects."""
        is_listed = not cls.fields and not cls.schemas
        return tuple(listed_fields(cls.name, cls.ways)) if is_listed else cls.fields

    @property
    def own_fields(self) -> list[Field]:
        """The fields of this dialect."""
        return fields_of(self.all_fields(), self.variant)

    @classmethod
    @abstractmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect the dialect of a whole document or a first row from its keys and their types.

        None means that it may belong to another system.
        """

    @classmethod
    def may_recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect the dialect of a document or a row that other systems might have as well.

        It is asked only if no format recognises the dataset.
        """
        return None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        """Find the rows of a file."""
        if self.stops_at_mark(file):
            mark = self.mark.format(self.title)
            message = f"the file begins with a byte order mark, {mark}"
            return RowLayout.without_rows(bom_rejected(self.name, message))
        if isinstance(file.source, CsvTable):
            return self.rows_of_table(file.source, file, schema)
        if file.document is not None:
            return self.rows_of_document(file.document.value, file, schema)
        return self.rows_of_lines(file)

    def stops_at_mark(self, file: ExternalFile) -> bool:
        """Whether the loader stops at the byte order mark of a file."""
        return file.has_mark and file.medium in self.no_mark

    def rows_of_table(
        self, table: CsvTable, file: ExternalFile, schema: SchemaChecker
    ) -> RowLayout:
        """Find the rows of a table, for those whose loader reads tables."""
        return self._none()

    def rows_of_document(self, value: Any, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        """Find the rows of a document, for those whose loader reads documents."""
        return self._none()

    def _none(self) -> RowLayout:
        message = f"{self.title} has no rows in such a file"
        return RowLayout.without_rows(Problem(f"{self.name}/rejected", message, ()))

    def rows_of_lines(self, file: ExternalFile) -> RowLayout:
        """Return what is said of a file whose source yields the rows one by one."""
        problems: tuple[Problem, ...] = ()
        is_named = PurePath(file.file).suffix.lower() == ".jsonl"
        if self.has_lines_by_name and isinstance(file.source, RowStream) and not is_named:
            message = f"{self.title} reads the lines of files alone whose names end in `.jsonl`"
            problems = (Problem(f"{self.name}/rejected", message, (), "rename it"),)
        passed_over = EMPTY if self.may_be_empty else frozenset()
        return RowLayout(problems=problems, passed_over=passed_over)

    def checker(self, schema: SchemaChecker) -> RowChecker:
        """Start a pass over rows."""
        checker: RowChecker = self.row_checker(self, schema)
        return checker

    def name_of(self, row: Any) -> str | None:
        """Return the name of a row; None if it has none."""
        if not isinstance(row, dict):
            return None
        return next((row[key] for key in self.named_by if isinstance(row.get(key), str)), None)

    def predict(self, row: Any, file: ExternalFile | None = None) -> Iterator[GraderPrediction]:
        """Predict for each of the system's graders whether it will run on a valid row.

        By default the table of the graders says so. `file` is where the row stands, if in one.
        """
        return predictions(self.name, row, self.variant, facts=self.facts)

    def chosen(self, plan: str | None, only: Sequence[str]) -> frozenset[str] | None:
        """Return the names of the graders of a plan, and of those that are named; None for all.

        Raises:
            UsageError: the system has no such plan or grader.

        """
        if plan is None and not only:
            return None
        if not self.schemas:
            return chosen_graders(self.name, self.variant, self.title, plan=plan, only=only)
        if plan is not None:  # what another package brings says its graders for each row
            raise UsageError(f"there is no plan `{plan}`: {self.title} has no plans")
        return frozenset(only)

    def lens_class(self) -> type[Lens]:
        """Return how rows are converted; by default, all that has a counterpart is renamed."""
        return lens_named(self.conversion)

    def lens(self, medium: str) -> Lens:
        """Start the conversion of the rows of a file of a medium, in one direction or the other."""
        return self.lens_class()(self.name, self.own_fields, self.variant, medium)

    def reader(self, file: ExternalFile) -> Reader:
        """Start the conversion of valid rows of a file to evalcontract."""
        lens = self.lens(file.medium)
        lens.begin(file)
        return lens

    def writer(self, medium: str) -> Writer:
        """Start the conversion of rows of evalcontract to a file of a medium."""
        return self.lens(medium)


def lens_named(name: str) -> type[Lens]:
    """Load a class for conversions by its name, `module:Class`."""
    module, _, own = name.partition(":")
    found: type[Lens] = getattr(import_module(module), own)
    return found
