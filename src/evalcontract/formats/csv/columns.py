"""What the columns of a table mean: each is a key of a row, or a key of its metadata."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.formats._findings import quoted
from evalcontract.model.diagnostic import Problem
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest, normalise
from evalcontract.source.shipped import table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

#: Keys whose cells hold lists.
LISTS = frozenset(
    {"expected_facts", "expected_tools", "must_contain_any", "must_not_contain", "tags"}
)
#: Keys of a row whose own keys may be columns, written with a dot.
PREFIXES = ("expected", "context", "metadata")
INPUT = "input"
SEPARATOR = ";"


class Column(NamedTuple):
    """A column: its name and position, the key that it means, and the separator of a list."""

    name: str
    position: int
    key: str
    separator: str = SEPARATOR


class Columns(NamedTuple):
    """The columns of a table that mean something, and the problems of its header."""

    known: tuple[Column, ...]
    problems: tuple[Problem, ...]

    def of(self, key: str) -> Column | None:
        """Return the column of a key; None if there is none."""
        return next((column for column in self.known if column.key == key), None)


@cache
def known_columns() -> Mapping[str, list[str]]:
    """Return the names that are understood, by the key of a row that they mean."""
    names: Mapping[str, list[str]] = table("formats/csv.columns")["columns"]
    return names


@cache
def _keys_by_name() -> Mapping[str, str]:
    return {normalise(name): key for key, names in known_columns().items() for name in names}


def columns_of(header: Sequence[str], given: Mapping[str, str]) -> Columns:
    """Return what the columns of a header mean; `given` says so for some of them.

    Raises:
        UsageError: `given` names no column of the header, or no key of a row.

    """
    chosen = {name: _chosen(name, meant, header) for name, meant in given.items()}
    problems = [*_duplicates(header)]
    taken: set[str] = set()
    keys: dict[int, tuple[str, str]] = {}
    for position, name in enumerate(header):
        if name in chosen:
            keys[position] = chosen[name]
            key = chosen[name][0]
            if key in taken:
                raise UsageError(f"`--map` gives two columns the key `{key}`")
            taken.add(key)
    for position, name, key in sorted(_recognised(header, chosen), key=_rank):
        if key in taken:
            if header.count(name) == 1:  # else it is a duplicate
                problems.append(_shadowed(name, key))
            continue
        keys[position] = key, SEPARATOR
        taken.add(key)
    for position, name in enumerate(header):
        if position not in keys:
            problems += _near_miss(name, header, taken)
            free = _free(name or f"column_{position + 1}", taken)
            keys[position] = free, SEPARATOR
            taken.add(free)
    if INPUT not in taken:
        problems = [problem for problem in problems if problem.code != "csv/near-miss-key"]
        problems.append(_no_input(header))
    known = tuple(Column(header[at], at, *keys[at]) for at in sorted(keys))
    return Columns(known, tuple(problems))


def _chosen(name: str, meant: str, header: Sequence[str]) -> tuple[str, str]:
    """Return the key and the separator that the caller gives a column.

    Raises:
        UsageError: there is no such column or key, or the key has no separator.

    """
    if name not in header:
        near = nearest(name, header)
        advice = f"did you mean `{near}`? " if near else ""
        raise UsageError(
            f"`--map`: there is no column `{name}`; {advice}there are {quoted(header)}"
        )
    key, _, rest = meant.partition("[")
    separator = rest.removesuffix("]") or SEPARATOR
    above, dot, below = key.partition(".")
    if key not in known_columns() and not (dot and below and above in PREFIXES):
        known = [*known_columns(), *(f"{prefix}.…" for prefix in PREFIXES)]
        near = nearest(key, known_columns())
        advice = f"did you mean `{near}`? " if near else ""
        raise UsageError(f"`--map`: a row has no key `{key}`; {advice}there are {quoted(known)}")
    if rest and key not in LISTS:
        raise UsageError(f"`--map`: `{key}` is no list, and has no separator")
    return key, separator


def _recognised(
    header: Sequence[str], chosen: Mapping[str, tuple[str, str]]
) -> Iterator[tuple[int, str, str]]:
    """Yield the position, name and key of each column whose name is understood."""
    for position, name in enumerate(header):
        above, _, below = name.strip().partition(".")
        key = _keys_by_name().get(normalise(name.strip()))
        if name in chosen:
            continue
        if key is None and above in PREFIXES and below:
            key = f"{above}.{below}"
        if key is not None:
            yield position, name, key


def _rank(found: tuple[int, str, str]) -> tuple[int, int]:
    """Order columns of one key by the names in the table."""
    position, name, key = found
    names = [normalise(known) for known in known_columns().get(key, ())]
    name = normalise(name.strip())
    return (names.index(name) if name in names else len(names), position)


def _free(name: str, taken: set[str]) -> str:
    """Return a key of the metadata for a column that means nothing else."""
    key = f"metadata.{name}"
    number = 2
    while key in taken:
        key, number = f"metadata.{name}_{number}", number + 1
    return key


def _duplicates(header: Sequence[str]) -> Iterator[Problem]:
    seen: set[str] = set()
    for name in header:
        if name and name in seen:
            message = f"two columns are named `{name}`: it is unclear which one is meant"
            yield Problem("csv/duplicate-column", message, (name,), "rename one", on_key=True)
        seen.add(name)


def _shadowed(name: str, key: str) -> Problem:
    message = f"the column `{name}` goes to `metadata`: another column is already the `{key}`"
    advice = f"choose it with `--map`, such as `{name}={key}`"
    return Problem("csv/shadowed-column", message, (name,), advice, on_key=True)


def _near_miss(name: str, header: Sequence[str], taken: set[str]) -> Iterator[Problem]:
    near = nearest(name.strip(), _keys_by_name())
    if near is None or near in map(normalise, header) or _keys_by_name()[near] in taken:
        return
    message = f"the column `{name}` goes to `metadata`: its name is not understood"
    yield Problem("csv/near-miss-key", message, (name,), f"did you mean `{near}`?", on_key=True)


def _no_input(header: Sequence[str]) -> Problem:
    message = "no column holds the questions"
    names = known_columns()[INPUT]
    meant = next(filter(None, (nearest(name, header) for name in names)), None)
    if meant is not None:
        near = nearest(meant, names)
        return Problem("csv/missing-key", message, (meant,), f"rename `{meant}` to `{near}`")
    advice = f"name one of them {quoted(names[:3], ' or ')}, or convert with `--map COLUMN=input`"
    return Problem("csv/missing-key", message, (), advice)
