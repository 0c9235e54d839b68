"""Check the schema of a bundle: whether it is usable, and whether it means what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.analysis.schema_sense import refusal
from evalcontract.datasets.placing import from_unreadable, to_diagnostics
from evalcontract.datasets.plans import row_schema
from evalcontract.model.diagnostic import Problem, Related
from evalcontract.rules._schemas import UNSEARCHED, slow_patterns, unsearched
from evalcontract.structure.authored.keywords import remarks
from evalcontract.structure.schemas import properties

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.analysis.ambiguity import PatternSearch
    from evalcontract.datasets.run import Run
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.structure.authored.keywords import SchemaAnalyses


def check_bundles(run: Run) -> Iterator[Diagnostic]:
    """Check the files of `bundles/`: each must be a JSON Schema."""
    policy = run.standards.base
    for source in run.workspace.bundle_files.values():
        if source.unreadable:
            yield from from_unreadable(source.unreadable, policy)
        if document := source.document:
            problems = check_bundle(document.value, run.patterns, run.workspace.schemas)
            found = to_diagnostics(problems, document, policy, {})
            yield from run.ignores.without_ignored(document, policy, found)


def check_bundle(schema: Any, search: PatternSearch, schemas: SchemaAnalyses) -> Iterator[Problem]:
    """Yield the problems of the schema of a bundle; if it is invalid, only the reasons."""
    faults = schemas.faults(schema)
    for fault in faults:
        related = tuple(Related(message, path) for message, path in fault.also)
        text = f"the schema is invalid: {fault.message}"
        yield Problem(
            "bundle/invalid-schema", text, fault.path, fault.help, fault.on_key, related=related
        )
    if not faults:
        unsatisfiable = list(_unsatisfiable(schema))
        yield from unsatisfiable
        yield from _slow(schema, search)
        for remark in remarks(schema, properties(row_schema())):
            if remark.path not in [problem.path for problem in unsatisfiable]:
                yield Problem(
                    f"bundle/{remark.fault}",
                    remark.message,
                    remark.path,
                    remark.help,
                    remark.on_key,
                    fix=remark.fix,
                )


def _unsatisfiable(schema: Any) -> Iterator[Problem]:
    """Yield a problem if no row can be valid by the schema."""
    code = "bundle/unsatisfiable-schema"
    if not isinstance(schema, dict):
        if schema is False:
            advice = "describe the keys of its rows, or write `true` to accept every row"
            yield Problem(code, "no row can be valid by this schema", (), advice)
        return
    type_ = schema.get("type", "object")
    if "object" not in (type_ if isinstance(type_, list) else [type_]):
        advice = "a bundle describes one row, and every row is a mapping: write `type: object`"
        yield Problem(code, "no row can be valid by this schema", ("type",), advice)
        return
    # The schema of a bundle does not have to define the keys that every row has.
    known = {**dict.fromkeys(properties(row_schema()), True), **schema.get("properties", {})}
    place = refusal({**schema, "type": "object", "properties": known})
    if place is not None:
        advice = "no row can satisfy this"
        yield Problem(code, "no row can be valid by this schema", place, advice)


def _slow(schema: Any, search: PatternSearch) -> Iterator[Problem]:
    left: list[Problem] = []
    for path, attack, on_key in slow_patterns(schema, search):
        if attack is None:
            left.append(Problem("bundle/slow-regex", UNSEARCHED, path, None, on_key))
            continue
        message = f"the pattern backtracks exponentially on {attack.told()}"
        advice = "make the pattern unambiguous: `a+` for `(a+)+`"
        yield Problem("bundle/slow-regex", message, path, advice, on_key)
    yield from unsearched(left)
