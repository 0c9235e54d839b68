"""`python -m evalcontract.spark` where there is no Spark."""

from __future__ import annotations

import sys

import pytest

from evalcontract.spark.__main__ import main


@pytest.fixture(autouse=True)
def without_spark(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "pyspark"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyspark", None)


def test_it_says_what_to_install(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rows"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "error: this needs pyspark: pip install 'evalcontract[spark]'\n"


def test_its_help_needs_no_spark(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(["--help"])
    assert end.value.code == 0
    assert "report faults as errors" in capsys.readouterr().out
