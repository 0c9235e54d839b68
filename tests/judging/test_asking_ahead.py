"""Questions of several rows are sent before the first of them is graded, but not of all rows."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from model_server import ModelServer, needs_client, verdict

from evalcontract.checks.outcome import Outcome
from evalcontract.judging.asking import Judging, asked_ahead
from evalcontract.library.library import read_artifact
from evalcontract.model.reference import Kind
from evalcontract.source import Document, read_stream

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.checks._kind import Ask
    from evalcontract.library.library import Artifact


pytestmark = [pytest.mark.slow, needs_client]


@pytest.fixture(scope="module")
def judge() -> Artifact:
    text = b'{"id": "kind", "version": "1.0.0", "template": "{{ output }}"}'
    document = read_stream(io.BytesIO(text), "judges/kind.json")
    assert isinstance(document, Document)
    return read_artifact(Kind.JUDGE, document)


def noted(number: int, begun: list[int]) -> Iterator[int]:
    """Yield so many tasks, and note which have been begun."""
    for task in range(number):
        begun.append(task)
        yield task


def test_few_rows_wait_and_each_is_asked_once(judge: Artifact) -> None:
    begun: list[int] = []

    def run(task: int, ask: Ask) -> None:
        for question in range(3):
            assert ask(judge, {"output": f"{task}/{question}"}).outcome is Outcome.PASSED

    done: list[int] = []
    with ModelServer(lambda *_: verdict("fail")) as server:
        judging = Judging(server.settings(concurrency=3))
        for task in asked_ahead(noted(40, begun), judging, run):
            assert len(begun) - len(done) <= 5, "12 questions, and those of one more row"
            done.append(task)
            for question in range(3):
                verdict_ = judging.ask(judge, {"output": f"{task}/{question}"})
                assert verdict_.outcome is Outcome.FAILED
        judging.close()
    assert done == begun == list(range(40))
    assert len(server.requests) == judging.usage.calls == 120


def test_rows_without_questions_do_not_wait(judge: Artifact) -> None:
    def run(task: int, ask: Ask) -> None:
        if task == 3:
            ask(judge, {"output": "a"})

    begun: list[int] = []
    with ModelServer(lambda *_: verdict("pass")) as server:
        judging = Judging(server.settings())
        ahead = asked_ahead(noted(6, begun), judging, run)
        assert [next(ahead) for _ in range(3)] == begun == [0, 1, 2]
        assert list(ahead) == [3, 4, 5]
        judging.close()
    assert len(server.requests) == 1
