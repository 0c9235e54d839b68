"""Answers of the language server come in time, or not at all."""

from __future__ import annotations

import asyncio
import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

if not os.environ.get("CI"):
    pytest.importorskip("pygls", reason="the extra `lsp` is not installed")

from evalcontract.lsp import answers
from evalcontract.lsp.answers import in_time


def test_an_answer_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """A text that is made to be slow to read does not keep the editor waiting."""
    ends = threading.Event()
    with ThreadPoolExecutor(2) as threads:
        assert asyncio.run(in_time(lambda: "in time", threads)) == "in time"
        monkeypatch.setattr(answers, "_SECONDS", 0.05)
        try:
            with pytest.raises(TimeoutError, match=r"more than 0\.05 seconds"):
                asyncio.run(in_time(lambda: ends.wait(60), threads))
        finally:
            ends.set()
