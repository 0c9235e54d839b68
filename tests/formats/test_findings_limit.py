"""Of a large document in another format, the rest is not checked after too many findings."""

from __future__ import annotations

import io
import json
from pathlib import Path

from evalcontract.checking.pipeline import validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind


def test_the_rest_is_not_checked_after_too_many_findings() -> None:
    text = json.dumps([{"input": "a", "target": "b", "sandbox": 3}] * 5_000)
    given = Input(Path("samples.json"), io.BytesIO(text.encode()))
    result = validate(Kind.DATASET, [given], Options(dialect="inspect", max_findings=10))
    assert result.diagnostics[0].code == "source/limit-exceeded"
    assert result.rows == 1_000
