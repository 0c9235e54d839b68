"""Tests of promptfoo: in a configuration, in files of their own, and in tables.

Measured on promptfoo 0.123.1, with `tests: [file://…]`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._format import Dialect, Format, codes_of_system
from evalcontract.formats.promptfoo.assertions import predict
from evalcontract.formats.promptfoo.checker import PromptfooChecker
from evalcontract.formats.promptfoo.fields import FIELDS
from evalcontract.formats.promptfoo.table import find_rows

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import RowChecker, SchemaChecker
    from evalcontract.source.external import ExternalFile

#: Configurations have two of these keys.
_CONFIGURATIONS = (
    *(("prompts", "providers"), ("prompts", "tests"), ("providers", "tests"), ("targets", "tests")),
    *(("providers", "redteam"), ("targets", "redteam"), ("prompts", "targets")),
)


def _name_of(row: Any) -> str | None:
    name = row.get("description") if isinstance(row, dict) else None
    return name if isinstance(name, str) and name else None


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Detect a test by its variables or its assertions, and a configuration by two of its keys."""
    tests = value.get("tests")
    has_tests = isinstance(tests, list) and any(map(_is_test, tests[:5]))
    is_configuration = any(value.keys() >= {*keys} for keys in _CONFIGURATIONS)
    is_table = any(key.strip().startswith("__expected") for key in value)
    is_default = isinstance(value.get("defaultTest"), dict)
    is_ours = has_tests or is_configuration or is_table or is_default or _is_test(value)
    return Dialect(PROMPTFOO, None) if is_ours else None


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


def _checker(_variant: str | None, schema: SchemaChecker) -> RowChecker:
    return PromptfooChecker(schema)


def _reader(_read: ExternalFile, _variant: str | None) -> Reader:
    from evalcontract.formats.promptfoo.conversion import (
        PromptfooReader,  # a check does not need it
    )

    return PromptfooReader()


def _writer(medium: str, _variant: str | None) -> Writer:
    from evalcontract.formats.promptfoo.conversion import (
        PromptfooWriter,  # a check does not need it
    )

    return PromptfooWriter(is_table=medium == "csv")


PROMPTFOO = Format(
    name="promptfoo",
    title="promptfoo",
    variants=(),
    media=("yaml", "json", "jsonl", "csv"),
    basis="the loader and the assertions of promptfoo 0.123.1, run",
    find_rows=find_rows,
    row_checker=_checker,
    name_of=_name_of,
    recognise=_recognise,
    predict=predict,
    reader=_reader,
    writer=_writer,
    codes=codes_of_system(
        "promptfoo",
        rejected=("ragged-row", "unknown-assertion", "malformed-value"),
        silently_accepted=("assert-in-vars", "unread-cell", "no-rows"),
        guesses=("no-assertion", "equals-of-text", "split-list", "unknown-variable"),
        notes=("not-followed",),
    ),
    fields=FIELDS,
)
