"""What the public documentation of Databricks says of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import is_passed_over
from evalcontract.formats.mlflow import rejections
from evalcontract.formats.mlflow.records import RecordChecker
from evalcontract.formats.mlflow.sources import DOCUMENTED, kinds_of
from evalcontract.model.diagnostic import Problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from evalcontract.model.path import Path


class ManagedChecker(RecordChecker):
    """What the public documentation of Databricks says of a record."""

    named_by = "dataset_record_id"

    def refused(self, problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Say the findings of the schema, and what they rest on."""
        found = rejections.told_missing(problems, row, path, "inputs")
        found = self._of_source(found, row, path)
        return [_documented(each) for each in rejections.in_databricks(found, row, path)]

    def in_order(self, row: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Say of a source that it is of several kinds, or of none."""
        source = row.get("source")
        if not isinstance(source, dict):
            return
        kinds = kinds_of(source)
        if len(kinds) > 1:
            said = ", ".join(f"`{each}`" for each in kinds)
            message = f"`source` has {said}: a record has one source"
            where = (*path, "source", kinds[1])
            problem = Problem("mlflow/several-sources", message, where, "keep one", on_key=True)
            yield _documented(problem)

    @staticmethod
    def _of_source(problems: list[Problem], row: Any, path: Path) -> list[Problem]:
        """Tell a kind that is there under another name as missing."""
        source = row.get("source") if isinstance(row, dict) else None
        if not isinstance(source, dict):
            return problems
        where = (*path, "source")
        found = problems
        for kind in DOCUMENTED:
            if not kinds_of(source) and any(each.path[:-1] == where for each in found):
                found = rejections.told_missing(found, source, where, kind)
        if any(each.path[:-1] == where and each.code == "mlflow/missing-key" for each in found):
            found = [each for each in found if each.path != where]
        return found


def _documented(problem: Problem) -> Problem:
    if is_passed_over(problem):
        return problem
    return problem._replace(message=f"{problem.message}, per public documentation")
