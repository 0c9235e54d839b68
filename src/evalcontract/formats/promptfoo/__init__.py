"""Tests of promptfoo: in a configuration, in files of their own, and in tables.

Measured on promptfoo 0.123.1, with `tests: [file://…]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._format import (
    Format,
    RowChecker,
    RowLayout,
    SchemaChecker,
    codes_of_system,
)
from evalcontract.formats.promptfoo.assertions import FIELDS
from evalcontract.formats.promptfoo.checker import PromptfooChecker
from evalcontract.formats.promptfoo.table import find_rows
from evalcontract.formats.promptfoo.verdicts import predict

if TYPE_CHECKING:
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.formats._lens import Lens
    from evalcontract.source.external import ExternalFile

#: Configurations have two of these keys.
_CONFIGURATIONS = (
    *(("prompts", "providers"), ("prompts", "tests"), ("providers", "tests"), ("targets", "tests")),
    *(("providers", "redteam"), ("targets", "redteam"), ("prompts", "targets")),
)


class Promptfoo(Format):
    """Tests, with variables and assertions."""

    name = "promptfoo"
    title = "promptfoo"
    media = ("yaml", "json", "jsonl", "csv")
    basis = "the loader and the assertions of promptfoo 0.123.1, run"
    codes = codes_of_system(
        "promptfoo",
        rejected=("ragged-row", "unknown-assertion", "malformed-value"),
        silently_accepted=(
            "assert-in-vars",
            "unread-cell",
            "no-rows",
            "always-fails",
            "quoted-number",
        ),
        guesses=(
            *("no-assertion", "equals-of-text", "split-list", "unknown-variable", "misplaced-key"),
        ),
        notes=("not-followed",),
    )
    fields = FIELDS
    named_by = ("description",)

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a test by its variables or assertions, a configuration by two of its keys."""
        tests = value.get("tests")
        has_tests = isinstance(tests, list) and any(map(_is_test, tests[:5]))
        is_configuration = any(value.keys() >= {*keys} for keys in _CONFIGURATIONS)
        is_table = any(key.strip().startswith("__expected") for key in value)
        is_default = isinstance(value.get("defaultTest"), dict)
        is_ours = has_tests or is_configuration or is_table or is_default or _is_test(value)
        return cls() if is_ours else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        return find_rows(file, schema)

    def checker(self, schema: SchemaChecker) -> RowChecker:
        return PromptfooChecker(schema)

    def name_of(self, row: Any) -> str | None:
        return super().name_of(row) or None

    def predict(
        self,
        row: Any,
        file: ExternalFile | None = None,
    ) -> Iterator[GraderPrediction]:
        return predict(row)

    def lens_class(self) -> type[Lens]:
        from evalcontract.formats.promptfoo import conversion  # a check does not need it

        return conversion.PromptfooLens


def _is_test(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and (isinstance(value.get("vars"), dict) or _is_list(value.get("assert")))
        and "id" not in value
    )


def _is_list(given: Any) -> bool:
    return isinstance(given, list) and all(
        isinstance(each, dict) and "type" in each for each in given
    )
