"""The JSON Schemas of a rubric's checks, those that can be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Problem
from evalcontract.model.path import format_path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.analysis.regex_ambiguity import Attack
    from evalcontract.model.fix import Fix
    from evalcontract.model.path import Path
    from evalcontract.rules._rule import Context, Subject
    from evalcontract.structure.authored.fault import SchemaFault
    from evalcontract.structure.authored.keywords import Remark


def schemas_of(subject: Subject, context: Context) -> Iterator[tuple[Path, Any]]:
    """Yield each valid schema, with the path of the key that gives it."""
    for path, check in subject.checks:
        if check["kind"] != "json_schema":
            continue
        key = "schema" if "schema" in check else "schema_ref"
        try:
            schema = check[key] if key == "schema" else context.read_json(check[key])
        except LookupError:
            continue  # `rubric/invalid-json-schema` says so
        if not schema_faults(schema):
            yield (*path, key), schema


def told(
    code: str,
    path: Path,
    message: str,
    inner: Path,
    advice: str | None,
    *,
    on_key: bool,
    fix: Fix | None = None,
) -> Problem:
    """Tell what is wrong at a place of a schema; `path` is the key of the check that gives it.

    What stands in a file of its own is told at the check, with the way to it.
    """
    if path[-1] == "schema":
        fix = fix and fix.relocated(lambda within: (*path, *within))
        return Problem(code, message, (*path, *inner), advice, on_key, fix=fix)
    return Problem(code, f"{message} (at {format_path(inner)} of the schema)", path, advice)


def slow_patterns(schema: Any) -> Iterator[tuple[Path, Attack, bool]]:
    """Yield the patterns of a schema that backtrack exponentially, each where it first stands.

    With the way to it and what it backtracks on, whether it is a key of `patternProperties`.
    """
    from evalcontract.structure.subschemas import patterns  # slow to import

    seen: set[str] = set()
    for path, pattern, on_key in patterns(schema):
        if pattern in seen:
            continue
        from evalcontract.analysis.regex_ambiguity import find_attack  # slow to import

        seen.add(pattern)
        attack = find_attack(pattern, (), full=False)
        if attack is not None:
            yield path, attack, on_key


def schema_faults(schema: Any) -> list[SchemaFault]:
    """Return what is wrong with a schema."""
    from evalcontract.structure.authored.faults import schema_faults as found_in  # slow to import

    return list(found_in(schema))


def remarks(schema: Any) -> Iterator[Remark]:
    """Yield what is odd about the words of a valid schema."""
    from evalcontract.structure.authored.keywords import remarks as found_in  # slow to import

    yield from found_in(schema)


def remarks_of(subject: Subject, context: Context, fault: str, code: str) -> Iterator[Problem]:
    """Yield one sort of remarks on the words of every valid schema."""
    for path, schema in schemas_of(subject, context):
        for each in remarks(schema):
            if each.fault == fault:
                where, on_key = each.path, each.on_key
                yield told(code, path, each.message, where, each.help, on_key=on_key, fix=each.fix)
