"""What checkers of rows share: findings by code, lookups of values, graders and predictions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeGuard

from evalcontract.formats._format import GraderPrediction
from evalcontract.model.diagnostic import Path, Problem, Related
from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped
from evalcontract.source.document import value_at
from evalcontract.source.installed import table

if TYPE_CHECKING:
    from evalcontract.formats._format import Format, SchemaChecker

_IGNORED_KEYS = ("near-miss-key", "misplaced-key", "foreign-key", "ignored-key")


def is_ignored_key(problem: Problem) -> bool:
    """Whether a problem reports a key that the loader silently ignores."""
    return problem.code.partition("/")[2] in _IGNORED_KEYS


def stops_loader(problems: Iterable[Problem]) -> bool:
    """Whether the loader rejects a value in which the schema reports these problems."""
    return not all(map(is_ignored_key, problems))


def is_below(problem: Problem, path: Path) -> bool:
    """Whether a problem is at a path or below it."""
    return problem.path[: len(path)] == path


def without(problems: Iterable[Problem], path: Path) -> list[Problem]:
    """Drop the problems at a path and below it."""
    return [problem for problem in problems if not is_below(problem, path)]


def missing_key(
    system: str, message: str, path: Path, key: str, near: str | None, advice: str | None
) -> Problem:
    """Report a missing key: at the key `near` that was probably meant, if there is one."""
    code = f"{system}/missing-key"
    if near is None:
        return Problem(code, message, path, advice)
    return Problem(
        code, message, (*path, near), f"`{near}` is not read: rename it to `{key}`", on_key=True
    )


def near_miss(system: str, message: str, path: Path, near: str) -> Problem:
    """Report a key, the last one of a path, that was probably meant as `near`."""
    return Problem(f"{system}/near-miss-key", message, path, f"did you mean `{near}`?", on_key=True)


def ragged_row(system: str, title: str, index: int, cells: int, width: int) -> Problem:
    """Report a row of a table that has not as many cells as the loader takes."""
    message = f"the row has {cells} cells, and the header {width}: {title} stops here"
    advice = "put a cell that contains commas in double quotes"
    return Problem(f"{system}/ragged-row", message, (index,), advice, row_index=index)


def bom_rejected(system: str, message: str) -> Problem:
    """Report a byte order mark at which the loader stops."""
    return Problem(f"{system}/rejected", message, (), "save it as UTF-8 without a byte order mark")


class FirstRows:
    """Remembers the first row of each name; stores one index per name."""

    def __init__(self) -> None:
        self._first: dict[str | bytes, str | int] = {}

    def before(self, name: str | bytes, path: Path) -> Path | None:
        """Return the path of the first row with a name if it comes before the row at `path`."""
        index = path[-1] if path else 0
        first = self._first.setdefault(name, index)
        return None if first == index else (*path[:-1], first)

    def duplicate(self, name: Any, path: Path, key: str, problem: Problem) -> Iterator[Problem]:
        """Yield a problem, with its place below `path` at `key`, if an earlier row has the name.

        `{name}` in the message stands for the name, `{clipped}` for its beginning, `{number}` for
        the earlier row, from 1, and `{key}` for the key. A name that is no string is not compared.
        """
        if isinstance(name, str) and (first := self.before(name, path)):
            number = int(first[-1]) + 1
            message = problem.message.format(
                name=name, clipped=clipped(name), number=number, key=key
            )
            related = (Related("first used here", (*first, key)),)
            yield problem._replace(message=message, path=(*path, key), related=related)


def misspelled_messages(schema: SchemaChecker, messages: Any, path: Path) -> Iterator[Problem]:
    """Yield the keys of chat messages that are probably misspelled."""
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict):
            yield from schema.near_misses(message, (*path, index), "message")


def mapping_at(value: dict[str, Any], *keys: str) -> dict[str, Any]:
    """Return the mapping below some keys; an empty one if there is none."""
    for key in keys:
        inner = value.get(key)
        value = inner if isinstance(inner, dict) else {}
    return value


def is_list_of(value: Any, type_: type) -> TypeGuard[list[Any]]:
    """Whether a value is a list whose items have a type; an empty list is one."""
    return isinstance(value, list) and all(isinstance(item, type_) for item in value)


def parsed_json(text: str, default: Any = None) -> Any:
    """Parse a JSON text; return the default if it is not valid."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return default


def has_lone_surrogate(text: str) -> bool:
    """Whether a text holds half of a surrogate pair, which UTF-8 cannot encode."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def as_json(value: Any) -> str:
    """Format a value as JSON with all characters as they are."""
    return json.dumps(value, ensure_ascii=False)


def quoted(words: Iterable[str], joiner: str = ", ") -> str:
    """Join words in backquotes."""
    return joiner.join(f"`{word}`" for word in words)


Row = dict[str, Any]
#: A predicate on a row and the key that a grader reads, such as `expected.contains`.
Fact = Callable[[Row, str], bool]

_NO_FACTS: Mapping[str, Fact] = {}


def predictions(
    system: str, row: Row, variant: str | None, facts: Mapping[str, Fact] = _NO_FACTS
) -> Iterator[GraderPrediction]:
    """Yield the prediction for each grader of a system on a row."""
    for reads, verdicts in _graders(system, variant):
        applies = (each.found for each in verdicts if each.applies(row, reads, facts))
        yield from next(applies)


def listed_predictions(
    found: Iterable[GraderPrediction], *, total: int, most: int, what: str, kind: str
) -> Iterator[GraderPrediction]:
    """Yield predictions for graders that a file lists, under distinct names.

    Of a `total` of them, only so many are predicted; the last prediction is for the others.
    """
    used: Counter[str] = Counter()
    for each in found:
        used[each.name] += 1
        number = used[each.name]
        yield each if number == 1 else each._replace(name=f"{each.name} ({number})")
    if total > most:
        reason = f"only {most} {what} are predicted"
        yield GraderPrediction(f"{total - most:,} more {what}", kind, "skip", reason)


class _Verdict(NamedTuple):
    """When a verdict of a grader applies, and what it predicts then."""

    missing: tuple[Path, ...]
    empty: tuple[Path, ...]
    fact: str | None
    found: tuple[GraderPrediction, ...]

    def applies(self, row: Row, reads: str, facts: Mapping[str, Fact]) -> bool:
        if self.missing:
            return all(value_at(row, path) is None for path in self.missing)
        if self.empty:
            return not any(value_at(row, path) for path in self.empty)
        return self.fact is None or facts[self.fact](row, reads)


@lru_cache(maxsize=32)  # systems by their variants
def _graders(system: str, variant: str | None) -> list[tuple[str, list[_Verdict]]]:
    """Return the key that each grader reads, and its verdicts; the last one always applies."""
    graders = table(f"formats/{system}.graders")
    known = {name: {**verdict, "fact": name} for name, verdict in graders["verdicts"].items()}
    return [
        (
            grader.get("reads", ""),
            [
                _verdict(verdict, grader)
                for verdict in (*(known[name] for name in grader["verdicts"]), grader)
                if _is_for(verdict, variant)
            ],
        )
        for grader in graders["graders"]
        if _is_for(grader, variant)
    ]


def _verdict(verdict: dict[str, Any], grader: dict[str, Any]) -> _Verdict:
    reason, field = (_filled(verdict.get(key), grader) for key in ("reason", "field"))
    state, is_asked = verdict.get("state", "run"), not verdict.get("unasked", False)
    return _Verdict(
        tuple(_path(key.format_map(grader)) for key in verdict.get("missing", ())),
        tuple(_path(key) for key in verdict.get("empty", ())),
        verdict.get("fact"),
        tuple(
            GraderPrediction(name, grader["kind"], state, reason, field, is_asked)
            for name in grader["names"]
        ),
    )


def chosen_graders(
    form: Format, variant: str | None, plan: str | None, only: Sequence[str]
) -> frozenset[str] | None:
    """Return the names of the graders of a plan, and of those that are named; None for all.

    Raises:
        UsageError: the system has no such plan or grader.

    """
    if plan is None and not only:
        return None
    system = form.title
    if form.schemas:  # of another package, which says its graders for each row
        if plan is not None:
            raise UsageError(f"there is no plan `{plan}`: {system} has no plans")
        return frozenset(only)
    graders = table(f"formats/{form.name}.graders")
    plans = graders.get("plans", {})
    if plan is not None and plan not in plans:
        known = f"the plans of {system} are {quoted(plans)}" if plans else f"{system} has no plans"
        raise UsageError(f"there is no plan `{plan}`: {_meant(plan, plans) or known}")
    known_names = [n for g in graders["graders"] if _is_for(g, variant) for n in g["names"]]
    for name in only:
        if name not in known_names:
            advice = _meant(name, known_names) or f"{system} has {quoted(known_names)}"
            raise UsageError(f"there is no grader `{name}`: {advice}")
    return frozenset((*plans.get(plan, ()), *only))


def _meant(name: str, known: Iterable[str]) -> str | None:
    near = nearest(name, known)
    return f"did you mean `{near}`?" if near else None


def read_field(row: Row, field: str) -> Any:
    """Return the value of a field such as `expected.trace`; None if there is none."""
    return value_at(row, _path(field))


@lru_cache(maxsize=1_024)
def _path(field: str) -> Path:
    return tuple(field.split("."))


def _is_for(entry: dict[str, Any], variant: str | None) -> bool:
    return variant in entry.get("variants", (variant,))


def _filled(text: str | None, grader: dict[str, Any]) -> str | None:
    """Fill the placeholders of a text from the table with the values of a grader."""
    return text.format_map(grader) if text and "{" in text else text
