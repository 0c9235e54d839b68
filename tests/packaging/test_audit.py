"""What the audit of the dependencies makes of the answers of pip-audit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from audit import report
from tables import every_case

if TYPE_CHECKING:
    import pytest

FINE = {"name": "a", "version": "1", "vulns": []}
BAD = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1"}, {"id": "PYSEC-2"}]}
UNKNOWN = {"name": "c", "skip_reason": "not found"}


@every_case(
    ("packages", "status", "said"),
    [
        ([FINE], 0, "1 packages have no known"),
        ([FINE, BAD], 1, "b 2 has known vulnerabilities: PYSEC-1, PYSEC-2"),
        ([FINE, UNKNOWN], 1, "c is not audited: not found"),
        ([UNKNOWN, UNKNOWN], 0, "the dependencies are not audited: not found"),
    ],
)
def test_the_audit(
    packages: list[dict[str, Any]], status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert report(packages) == status
    assert said in capsys.readouterr().out
