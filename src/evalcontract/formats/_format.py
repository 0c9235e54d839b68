"""A dataset format of another system: its codes, its fields, and how files are read and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from evalcontract.model.code import Code
from evalcontract.model.diagnostic import Path, Problem, Severity
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
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
    page: str | None = None,
) -> tuple[Code, ...]:
    """Return the codes of a system: those that every system has, and its own.

    `guesses` are silently accepted too, and depend on what the author probably meant. `notes` are
    no faults: they say what the system will do, in both modes. `page` is the manual page that the
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

    return tuple(declared())


class Field(NamedTuple):
    """A field of a system, and the field of evalcontract that means the same.

    Both are keys joined by dots; a last key `*` stands for every other key there. If one of the two
    is None, the other system has nothing that means the same: the value is a loss, and `note` says
    why. Otherwise `note` says how the value changes. `variants` limits the field to some variants
    of the system; empty means all.
    """

    theirs: str | None
    ours: str | None
    note: str = ""
    variants: tuple[str, ...] = ()


_NOT_CARRIED = "a value of this form has no counterpart"


def fields_of(table: Sequence[Field], variant: str | None) -> list[Field]:
    """Return the fields of one variant of a system."""
    return [field for field in table if not field.variants or variant in field.variants]


def reason_against(table: Sequence[Field], ours: Path, variant: str | None) -> str:
    """Return why a system has no place for a field of evalcontract."""
    known = {f.ours: f.note for f in fields_of(table, variant) if f.theirs is None and f.ours}
    # A rubric that was made from the row stands in the row itself.
    return _reason(known, ("rubric_ref",) if ours == ("rubric",) else ours)


def reason_for(table: Sequence[Field], theirs: Path, variant: str | None) -> str:
    """Return why evalcontract has no place for a field of a system."""
    known = {f.theirs: f.note for f in fields_of(table, variant) if f.ours is None and f.theirs}
    return _reason(known, theirs)


def _reason(known: dict[str, str], path: Path) -> str:
    """Return the reason for a path, or for the nearest field above it."""
    steps = [str(step) for step in path]
    for end in range(len(steps), 0, -1):
        for name in (".".join(steps[:end]), ".".join([*steps[: end - 1], "*"])):
            if name in known:
                return known[name]
    return _NOT_CARRIED


# The path of a key of a row has its index and the key.
_OF_COLUMN = 2


class SchemaChecker(Protocol):
    """Checks values against the schema of a dialect.

    `of` is the name of a definition in the schema.
    """

    def faults(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the schema violations of a value, and its ignored keys."""
        ...

    def near_misses(self, value: dict[str, Any], path: Path, of: str) -> list[Problem]:
        """Return the keys of a mapping that are probably misspelled; any other one is allowed."""
        ...

    def unread(self, value: Any, path: Path, of: str = "row") -> list[Problem]:
        """Return the ignored keys of a value: near misses of known keys, and others."""
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


class GraderPrediction(NamedTuple):
    """Whether one grader, scorer, metric or judge of the system will run on a row.

    `state` is `run`, `skip`, `fail` (it runs, but cannot pass because something is missing) or
    `vacuous` (it passes whatever the output is). `field` is the key of the row that decides. Not
    `is_asked`: the row has nothing that is meant for it, so that only those who use it miss it.
    """

    name: str
    kind: str
    state: str
    reason: str | None = None
    field: str | None = None
    is_asked: bool = True


class Format(NamedTuple):
    """A dataset format of another system: what its loader does, as functions.

    `variants` are the names of its dialects, the default first; empty if there is only one.
    `media` are the file formats that its loaders read. `basis` is the evidence for its verdicts.
    Each function gets the variant, or None if the format has none.
    """

    name: str
    title: str
    variants: tuple[str, ...]
    media: tuple[str, ...]
    basis: str
    #: Finds the rows of a file.
    find_rows: Callable[[ExternalFile, str | None, SchemaChecker], RowLayout]
    #: Starts a pass over rows.
    row_checker: Callable[[str | None, SchemaChecker], RowChecker]
    #: Returns the name of a row; None if it has none.
    name_of: Callable[[Any], str | None]
    #: Detects the dialect of a whole document or a first row from its keys and their types; None
    #: if it may belong to another system.
    recognise: Callable[[dict[str, Any]], Dialect | None]
    #: Predicts for each of the system's graders whether it will run on a valid row.
    predict: Callable[[Any, str | None], Iterator[GraderPrediction]]
    #: Starts the conversion of valid rows of a file to evalcontract.
    reader: Callable[[ExternalFile, str | None], Reader]
    #: Starts the conversion of rows of evalcontract to a file of a medium.
    writer: Callable[[str, str | None], Writer]
    #: The codes of what is found in its datasets; see `codes_of_system`.
    codes: tuple[Code, ...] = ()
    #: The fields that mean the same in evalcontract, and those that have no counterpart.
    fields: tuple[Field, ...] = ()
    #: As `predict`, if the graders stand in the file beside the rows.
    predict_in: Callable[[ExternalFile, Any, str | None], Iterator[GraderPrediction]] | None = None
    #: Detects the dialect of a document or a row that other systems might have as well; it is asked
    #: only if no format recognises the dataset.
    may_recognise: Callable[[dict[str, Any]], Dialect | None] | None = None
    #: Whether its loader takes the lines of JSONL from a Python text file, and strips each: a lone
    #: carriage return ends a line, and white space of Unicode around it does not count.
    has_text_lines: bool = False
    #: For formats of other packages: the JSON Schema of each variant, or of "" if there is only
    #: one. `$defs/row` describes a row.
    schemas: Mapping[str, Mapping[str, Any]] = MappingProxyType({})


class Dialect(NamedTuple):
    """A format and one of its variants; `str()` is its name on the command line."""

    format: Format
    variant: str | None

    def __str__(self) -> str:
        return f"{self.format.name}:{self.variant}" if self.variant else self.format.name

    @property
    def stage(self) -> tuple[str, str, str]:
        """The arguments of its schema stage: the name, the title, and the schema."""
        return self.format.name, self.format.title, self.schema

    @property
    def schema(self) -> str:
        """The name of its schema, such as `formats/evret-0.0.1`."""
        return f"formats/{str(self).replace(':', '-')}"


def dialects_of(formats: Iterable[Format]) -> list[Dialect]:
    """List the dialects of some formats."""
    return [
        Dialect(format_, variant) for format_ in formats for variant in format_.variants or (None,)
    ]


def named_by(*keys: str) -> Callable[[Any], str | None]:
    """Return a function that names a row by the first of some keys that holds a text."""

    def name_of(row: Any) -> str | None:
        if not isinstance(row, dict):
            return None
        return next((row[key] for key in keys if isinstance(row.get(key), str)), None)

    return name_of
