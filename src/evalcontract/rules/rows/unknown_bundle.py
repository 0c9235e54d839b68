"""
A row names a bundle that is not declared.

Why: A bundle provides the schema of its own row keys. Without it those keys are not checked, so a
misspelled one goes unnoticed.

Bad:
    questions:
      - {id: a, input: Which file?, expected_facts: [Form.php], bundle: code_navigation}

Good:
    # file: data.yaml
    questions:
      - {id: a, input: Which file?, expected_facts: [Form.php], bundle: code_navigation}
    # file: bundles/code_navigation.schema.json
    {"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object"}
"""

from collections.abc import Collection, Mapping
from typing import Any

from evalcontract.model.nearest import Suggestions
from evalcontract.model.reference import IDENTIFIER
from evalcontract.rules._rule import (
    Code,
    DatasetContext,
    DatasetRule,
    Path,
    Problem,
    Problems,
    Severity,
)


class _Bundles:
    """Counts the rows of each undeclared bundle, to report it once, at its first use."""

    def __init__(self, context: DatasetContext) -> None:
        self._context = context
        self._uses: dict[str, tuple[Path, int]] = {}
        default = context.root.get("bundle")
        if isinstance(default, str):
            self._uses[default] = (("bundle",), 0)

    def see(self, first_index: int, rows: list[Any]) -> Problems:
        for index, row in enumerate(rows, first_index):
            name = row.get("bundle") if row.__class__ is dict else None
            if name.__class__ is str and name not in self._context.bundles:
                path, count = self._uses.get(name, ((*self._context.prefix, index, "bundle"), 0))
                self._uses[name] = (path, count + 1)
        return iter(())

    def see_ids(self, first_index: int, ids: list[str]) -> Problems:
        return iter(())

    def finish(self) -> Problems:
        return undeclared(self._uses, self._context.bundles)


def undeclared(uses: Mapping[str, tuple[Path, int]], declared: Collection[str]) -> Problems:
    """Yield the problems of bundles that rows use, each with its first place and their number."""
    bundles = Suggestions(sorted(declared))
    for name, (path, count) in uses.items():
        # An invalid bundle name is reported by the structure stage.
        if name in declared or not IDENTIFIER.fullmatch(name):
            continue
        rows = f" (used by {count} rows)" if count > 1 else ""
        near = bundles.nearest(name)
        declare = f"declare it in bundles/{name}.schema.json"
        advice = f"did you mean `{near}`? Otherwise {declare}" if near else declare
        yield Problem(RULE.code, f"the bundle `{name}` is not declared{rows}", path, advice)


RULE = DatasetRule(Code("dataset/unknown-bundle", strict=Severity.WARNING, page=__doc__), _Bundles)
