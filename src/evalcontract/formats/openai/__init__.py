"""Exports of OpenAI's hosted evals, and samples of the registry openai/evals.

The hosted service shuts down, so that its verdicts cannot be asked; those on structure are the
types of the published Python package. The basic evals of the registry are run.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected
from evalcontract.formats._format import Dialect, Format, RowLayout, codes_of_system
from evalcontract.formats.openai.checker import OpenAIChecker, predict, predict_in
from evalcontract.formats.openai.conversion import (
    ItemReader,
    ItemWriter,
    SampleReader,
    SampleWriter,
)
from evalcontract.formats.openai.evaluation import layout_of
from evalcontract.formats.openai.fields import FIELDS, HOSTED, SAMPLES
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import SchemaChecker
    from evalcontract.source.external import ExternalFile

# The keys of a row that say what is expected of it, here and elsewhere.
_OF_OTHERS = frozenset(
    {"expected", "expected_facts", "expected_tools", "target", "expected_output", "messages"}
)
_NOT_LINES = Problem(
    "openai/not-lines",
    "openai/evals reads one sample a line, and this file is one JSON value",
    (),
    "convert it to JSONL",
)


def _find_rows(read: ExternalFile, variant: str | None, schema: SchemaChecker) -> RowLayout:
    if variant == SAMPLES and read.has_mark:
        message = "the file begins with a byte order mark, at which openai/evals stops"
        return RowLayout.without_rows(bom_rejected("openai", message))
    if read.document is None:
        return RowLayout()
    if variant != SAMPLES:
        return layout_of(read.document.value, schema)
    value = read.document.value
    if isinstance(value, list):
        return RowLayout(value, problems=(_NOT_LINES,))
    return RowLayout([value], problems=(_NOT_LINES,), is_row=True)


def _recognise(value: dict[str, Any]) -> Dialect | None:
    """Detect an eval, an item or a sample, unless another key says that it is something else."""
    if isinstance(value.get("testing_criteria"), list) and not {"checks", "cases"} & value.keys():
        return Dialect(OPENAI, HOSTED)
    if isinstance(value.get("item"), dict) and "input" not in value:
        return Dialect(OPENAI, HOSTED)
    is_sample = isinstance(value.get("input"), list | str) and isinstance(
        value.get("ideal"), list | str
    )
    is_ours = isinstance(value.get("id"), str) and isinstance(value.get("input"), str)
    if not is_sample or is_ours or not _OF_OTHERS.isdisjoint(value):
        return None
    return Dialect(OPENAI, SAMPLES)


def _name_of(row: Any) -> str | None:
    item = row.get("item", row) if isinstance(row, dict) else None
    name = item.get("id") if isinstance(item, dict) else None
    return name if isinstance(name, str) else None


def _reader(read: ExternalFile, variant: str | None) -> Reader:
    return SampleReader() if variant == SAMPLES else ItemReader(read)


def _writer(medium: str, variant: str | None) -> Writer:
    return SampleWriter() if variant == SAMPLES else ItemWriter(medium)


OPENAI = Format(
    name="openai",
    title="OpenAI evals",
    variants=(HOSTED, SAMPLES),
    media=("json", "jsonl"),
    basis="the types of openai for Python, and the basic evals of openai/evals 3.0.1, run",
    find_rows=_find_rows,
    row_checker=lambda variant, schema: OpenAIChecker(schema, is_sample=variant == SAMPLES),
    name_of=_name_of,
    recognise=_recognise,
    predict=predict,
    predict_in=predict_in,
    reader=_reader,
    writer=_writer,
    codes=codes_of_system(
        "openai",
        rejected=("unknown-value", "too-few-items"),
        silently_accepted=(
            "constant-criterion",
            "empty-ideal",
            "invalid-schema",
            "no-rows",
            "not-lines",
            "nothing-expected",
            "schema-mismatch",
            "unknown-label",
            "unknown-variable",
        ),
        guesses=("misplaced-key",),
    ),
    fields=FIELDS,
)
