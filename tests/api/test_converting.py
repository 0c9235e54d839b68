"""`convert` converts rows in memory, with their losses, and refuses what files are refused for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from evalcontract import ContractViolation, Loss, UsageError, convert

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from evalcontract.types import Row

RECORD: dict[str, Any] = {
    "inputs": {"question": "How deep?"},
    "expectations": {"expected_facts": ["9 m"]},
    "source": {"source_type": "HUMAN"},
}
CASE: dict[str, Any] = {
    "id": "depth",
    "messages": [{"role": "user", "content": "How deep?"}],
    "expected": {"forbidden_tools": ["delete"]},
}


def test_rows_become_ours_and_come_back() -> None:
    ours = convert(iter([RECORD, {**RECORD, "inputs": {"question": "How wide?"}}]), from_="mlflow")
    row: Row = ours.rows[0]
    assert row["input"] == "How deep?"
    assert (ours.from_, ours.to) == ("mlflow:oss", "evalcontract")
    assert ours.document == {"questions": [*ours.rows]}
    lost = Loss(1, "$[1].source", "rows have no source", is_kept=True)
    assert (ours.losses[1], ours.is_lossless, ours.diagnostics) == (lost, True, ())
    back = convert(ours.rows, to="mlflow:oss")
    assert back.rows[0] == RECORD
    assert back.document == [*back.rows]


def test_what_the_rows_need_is_in_files() -> None:
    ours = convert([CASE], from_="northstar", name="harbour")
    assert ours.rows[0]["rubric_ref"] == "rubric/harbour_forbidden_tools@1.0.0"
    assert ours.files["rubrics/harbour_forbidden_tools.yaml"]["checks"][0]["forbidden_tools"] == [
        "delete"
    ]


def test_rubrics_of_the_workspace_are_used(tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    text = """\
id: tools
version: "1.0.0"
checks:
  - {id: one, kind: tool_usage, forbidden_tools: [delete]}
scoring: {combine: all_pass}
"""
    (tmp_path / "rubrics" / "tools.yaml").write_text(text, encoding="utf-8")
    row = {"id": "depth", "input": "How deep?", "rubric_ref": "rubric/tools@1.0.0"}
    theirs = convert([row], to="northstar", root=tmp_path)
    assert theirs.rows[0]["expected"]["forbidden_tools"] == ["delete"]


def test_a_document_is_converted_whole() -> None:
    document = {"documents": [{"doc_id": "a"}], "queries": [{"query_id": "q", "query_text": "b"}]}
    ours = convert(document, from_="evret")
    assert ours.rows[0]["input"] == "b"
    assert ours.document["metadata"]["evret"]["documents"]
    assert convert(ours.document, to="evret").document["documents"] == [{"doc_id": "a"}]
    assert convert(ours.document, to="northstar").losses[-1].row_index is None


def test_a_loss_for_good_says_so() -> None:
    row = {"id": "a", "input": "b", "expected_facts": ["c"], "expected": {"reference": "d"}}
    theirs = convert({"label": "Harbour", "questions": [row]}, to="mlflow:oss")
    assert not theirs.is_lossless
    (lost,) = (loss for loss in theirs.losses if not loss.is_kept)
    assert (lost.row_index, lost.path) == (None, "$.label")


REFUSED: dict[str, tuple[Any, str, str]] = {
    "a rejected row": ([{"inputs": 3}], "mlflow", "mlflow/wrong-type"),
    "a value that is no JSON": ([{"id": "a", "input": {1}}], "evalcontract", "source/unsupported"),
    "a rejected document": ({"queries": 3}, "evret", "evret/wrong-type"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_source_system_rejects_is_refused(name: str) -> None:
    rows, from_, code = REFUSED[name]
    with pytest.raises(ContractViolation) as raised:
        convert(rows, from_=from_)
    assert [each.code for each in raised.value.diagnostics if each.is_error] == [code]


def test_a_row_that_cannot_be_written_is_refused() -> None:
    rows = [{"id": name, "input": "How deep?"} for name in "ab"]
    with pytest.raises(ContractViolation) as raised:
        convert(rows, to="mlflow:oss")
    assert raised.value.diagnostics[-1].code == "mlflow/equal-inputs"


@pytest.mark.parametrize("rows", ["a path", b"bytes", 5, None])
def test_what_is_no_rows_is_a_wrong_call(rows: Any) -> None:
    with pytest.raises(UsageError, match="rows must be mappings"):
        convert(rows)


@pytest.mark.parametrize("names", [{"from_": "mlflw"}, {"to": "mlflw"}])
def test_an_unknown_dialect_is_a_wrong_call(names: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="did you mean `mlflow`"):
        convert([], **names)


def test_a_document_that_is_no_json_is_a_wrong_call() -> None:
    with pytest.raises(UsageError, match="which JSON cannot represent"):
        convert({"questions": [{"id": {1}}]})


@pytest.mark.costly
def test_the_rows_are_read_once() -> None:
    def rows() -> Iterator[dict[str, Any]]:
        yield from ({"id": f"q{number}", "input": f"{number}"} for number in range(1200))

    assert len(convert(rows(), to="mlflow:oss").rows) == 1200


def test_what_the_target_does_not_grade_is_told() -> None:
    rows = [{"id": "a", "input": "b", "tags": ["c"]}]
    assert convert(rows, to="evret").remarks == ("1 row asks for nothing that Evret grades",)
    assert convert(rows, to="mlflow:oss").remarks == ()
