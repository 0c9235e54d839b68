"""What rules on patterns and JSON Schemas of a rubric share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import below, format_path
from evalcontract.model.startup import NamedTuple
from evalcontract.rules._rule import (
    Code,
    Context,
    Path,
    Problem,
    Problems,
    Rule,
    Subject,
    rule,
)

if TYPE_CHECKING:
    from evalcontract.analysis.ambiguity import Attack, PatternSearch


def schemas_of(subject: Subject, context: Context) -> Iterator[tuple[Path, Any]]:
    """Yield each valid schema, with the path of the key that holds or names it."""
    for path, check in subject.checks_of("json_schema"):
        key = "schema" if "schema" in check else "schema_ref"
        try:
            schema = check[key] if key == "schema" else context.read_json(check[key])
        except LookupError:
            continue  # reported as `rubric/invalid-json-schema`
        if not context.schemas.faults(schema):
            yield (*path, key), schema


class Regex(NamedTuple):
    """The pattern of a `regex` check, with its path."""

    path: Path
    pattern: str
    flags: Sequence[str]
    is_full: bool
    is_negated: bool


def regexes_of(subject: Subject) -> Iterator[Regex]:
    """Yield the patterns of the `regex` checks of a rubric."""
    for path, check in subject.checks_of("regex"):
        yield Regex(
            path=(*path, "pattern"),
            pattern=check["pattern"],
            flags=check.get("flags", ()),
            is_full=check.get("match") == "full",
            is_negated=check.get("negate", False),
        )


#: Why a pattern may be slow although no finding says so.
UNSEARCHED = (
    "the search for exponential backtracking ended before this pattern, after too many steps"
)


def placed(problem: Problem, path: Path) -> Problem:
    """Return a problem in a schema as one of its rubric, whose key at a path holds or names it.

    A problem in a separate schema file is reported at the check; the message has the inner path.
    """
    if path[-1] == "schema":
        return below(path, problem)
    message = f"{problem.message} (at {format_path(problem.path)} of the schema)"
    return problem._replace(message=message, path=path, on_key=False, fix=None)


def schema_rule(code: Code) -> Callable[[Callable[[Any, Context], Problems]], Rule]:
    """Turn a function into a rule on each valid schema; the paths of its problems are in that."""

    def make(check: Callable[[Any, Context], Problems]) -> Rule:
        def of_rubric(subject: Subject, context: Context) -> Problems:
            for path, schema in schemas_of(subject, context):
                yield from (placed(problem, path) for problem in check(schema, context))

        return rule(code)(of_rubric)

    return make


class SlowPattern(NamedTuple):
    """A pattern of a schema with the text that it backtracks on; None if it is not searched.

    `on_key` is whether the pattern is a key, of `patternProperties`.
    """

    path: Path
    attack: Attack | None
    on_key: bool


def slow_patterns(schema: Any, search: PatternSearch) -> Iterator[SlowPattern]:
    """Yield the patterns of a schema that backtrack exponentially, or that are not searched.

    Each pattern is yielded at its first occurrence.
    """
    from evalcontract.analysis.ambiguity import BudgetSpentError  # both are slow to import
    from evalcontract.structure.parts import patterns

    seen: set[str] = set()
    for path, pattern, on_key in patterns(schema):
        if pattern in seen:
            continue
        seen.add(pattern)
        try:
            attack = search.attack(pattern)
        except BudgetSpentError:
            yield SlowPattern(path, None, on_key)
        else:
            if attack is not None:
                yield SlowPattern(path, attack, on_key)


def unsearched(problems: list[Problem]) -> Problems:
    """Yield one problem for the patterns of a file that are not searched: the first of them."""
    for problem in problems[:1]:
        rest = f"{len(problems):,} patterns of this file are" if problems[1:] else "this pattern is"
        yield problem._replace(help=f"{rest} not searched; correct or remove the slow ones first")


def unproved(paths: list[Path], what: str) -> Problems:
    """Yield one problem for the patterns of a file that may match `what`, at the first of them."""
    for path in paths[:1]:
        from evalcontract.analysis.ambiguity import MAX_PROVED_CHARACTERS  # slow to import

        these = (
            f"{len(paths):,} patterns of this file match" if paths[1:] else "this pattern matches"
        )
        reason = f"those before have over {MAX_PROVED_CHARACTERS:,} characters"
        message = f"it is not known whether {these} {what}: {reason}"
        yield Problem("source/limit-exceeded", message, path, "shorten the patterns")


def remark_rule(code: Code) -> Rule:
    """Return a rule that yields the remarks with the fault of its code on every valid schema."""
    fault = code.partition("/")[2]

    @schema_rule(code)
    def remarks(schema: Any, context: Context) -> Problems:
        for each in context.schemas.remarks(schema):
            if each.fault == fault:
                yield Problem(code, each.message, each.path, each.help, each.on_key, fix=each.fix)

    return remarks
