"""What is told of an evaluation set: each mistake once, where it stands, with what to type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tables import every_case

from evalcontract.engine.options import Input, Options
from evalcontract.engine.pipeline import validate
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic


def findings(text: str, folder: Path, variant: str = "application") -> list[Diagnostic]:
    path = folder / "set.json"
    path.write_text(text, encoding="utf-8")
    options = Options(root=folder, strict=False, dialect=f"databricks:{variant}")
    return validate(Kind.DATASET, [Input(path)], options).diagnostics


@pytest.mark.parametrize(
    ("text", "column", "message", "advice"),
    [
        (
            '[{"reqest": "Why?"}]',
            3,
            "`request` is missing",
            "`reqest` is not read: call it `request`",
        ),
        (
            '[{"request": {"message": []}}]',
            15,
            "`request` has neither `messages` nor `query`",
            "`message` is not read: call it `messages`",
        ),
        (
            '[{"request": "Why?", "retrieved_context": [{"doc_url": "a"}]}]',
            45,
            "`doc_uri` is missing in `retrieved_context[0]`",
            "`doc_url` is not read: call it `doc_uri`",
        ),
        (
            '[{"request_id": "a"}]',
            2,
            "`request` is missing",
            'such as "request": "What is a shuffle?"',
        ),
    ],
)
def test_what_is_missing_is_told_once(
    text: str, column: int, message: str, advice: str, tmp_path: Path
) -> None:
    (found,) = findings(text, tmp_path)
    assert (found.code, found.is_error) == ("databricks/missing-key", True)
    assert (found.message, found.help) == (message, advice)
    assert found.place.span is not None
    assert found.place.span.column == column


def test_an_answer_under_another_name_is_missing(tmp_path: Path) -> None:
    (found,) = findings('[{"request": "Why?", "respons": "So."}]', tmp_path, "outputs")
    assert found.message == "the row has neither `response` nor `trace`"
    assert found.help == "`respons` is not read: call it `response`"


@every_case(
    ("column", "value", "advice"),
    [
        ("expected_facts", '"March"', 'write ["March"]'),
        ("expected_facts", r'"[\"March\"]"', 'write ["March"]'),
        ("guidelines", '"Be kind"', 'write ["Be kind"]'),
        ("retrieved_context", '"a.md"', 'write [{"doc_uri": "a.md"}]'),
        ("retrieved_context", '["a.md"]', 'write {"doc_uri": "a.md"}'),
        ("expected_response", '["So: yes"]', 'write it without the brackets: "So: yes"'),
        ("expected_response", "1.5", 'quote it: "1.5"'),
    ],
)
def test_the_help_is_json(column: str, value: str, advice: str, tmp_path: Path) -> None:
    (found,) = findings(f'[{{"request": "Why?", "{column}": {value}}}]', tmp_path)
    assert (found.code, found.help) == ("databricks/wrong-type", advice)


def test_nan_is_called_by_its_name(tmp_path: Path) -> None:
    first, second = findings('[{"request": "Why?", "expected_response": NaN}]', tmp_path)
    assert first.code == "databricks/not-finite"
    assert second.message == "`expected_response` must be text or null, not NaN"
    assert second.help == "write null, or leave the key out"


def test_a_set_without_rows_is_told(tmp_path: Path) -> None:
    (found,) = findings("[]", tmp_path)
    assert (found.code, found.is_error) == ("databricks/undocumented", False)


def test_of_two_equal_keys_it_is_told_which_one_counts(tmp_path: Path) -> None:
    (found,) = findings('[{"request": "Why?", "request": "When?"}]', tmp_path)
    assert found.code == "databricks/duplicate-key"
    assert found.help == "keep one of the two; the loader reads this one, and drops the first"
