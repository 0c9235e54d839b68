"""The JSON Schemas of a rubric's checks."""

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
    """Yield each valid schema, with the path of the key that holds or names it."""
    for path, check in subject.checks:
        if check["kind"] != "json_schema":
            continue
        key = "schema" if "schema" in check else "schema_ref"
        try:
            schema = check[key] if key == "schema" else context.read_json(check[key])
        except LookupError:
            continue  # reported as `rubric/invalid-json-schema`
        if not schema_faults(schema):
            yield (*path, key), schema


def schema_problem(
    code: str,
    path: Path,
    message: str,
    inner: Path,
    advice: str | None,
    *,
    on_key: bool,
    fix: Fix | None = None,
) -> Problem:
    """Return a problem at `inner` of a schema; `path` is the check's key that holds or names it.

    A problem in a separate schema file is reported at the check; the message has the inner path.
    """
    if path[-1] == "schema":
        fix = fix and fix.relocated(lambda within: (*path, *within))
        return Problem(code, message, (*path, *inner), advice, on_key, fix=fix)
    return Problem(code, f"{message} (at {format_path(inner)} of the schema)", path, advice)


def slow_patterns(schema: Any) -> Iterator[tuple[Path, Attack, bool]]:
    """Yield the patterns of a schema that backtrack exponentially, each at its first occurrence.

    Each comes with its path, the text that it backtracks on, and whether it is a key (of
    `patternProperties`).
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
    """Return the faults of a schema."""
    from evalcontract.structure.authored.faults import (
        schema_faults as find_faults,  # slow to import
    )

    return list(find_faults(schema))


def remarks(schema: Any) -> Iterator[Remark]:
    """Yield the suspicious keywords and keys of a valid schema."""
    from evalcontract.structure.authored.keywords import remarks as find_remarks  # slow to import

    yield from find_remarks(schema)


def remarks_of(subject: Subject, context: Context, fault: str, code: str) -> Iterator[Problem]:
    """Yield the remarks of one kind on every valid schema, as problems."""
    for path, schema in schemas_of(subject, context):
        for remark in remarks(schema):
            if remark.fault == fault:
                yield schema_problem(
                    code,
                    path,
                    remark.message,
                    remark.path,
                    remark.help,
                    on_key=remark.on_key,
                    fix=remark.fix,
                )
