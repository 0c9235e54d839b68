"""`diff --ask` asks the judges of both revisions, each by its own template."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from doors import printed_by
from model_server import KEY, ModelServer, Response, needs_client, verdict
from writing import write

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, needs_client]

CHECK = {"id": "polite", "kind": "llm_judge", "judge_prompt_ref": "judge/polite@1.0.0"}
RUBRIC = {"id": "tone", "version": "1.0.0", "checks": [CHECK], "scoring": {"combine": "all_pass"}}
ROWS = [{"id": id_, "input": "x", "rubric_ref": "rubric/tone@1.0.0"} for id_ in "ab"]
OUTPUTS = "".join(f"{json.dumps({'id': id_, 'output': f'answer {id_}'})}\n" for id_ in "ab")


def by_template(request: dict[str, Any], _: int) -> Response:
    """Pass what the old template asks, and of what the new one asks only row b."""
    prompt = request["messages"][1]["content"]
    return verdict("pass" if prompt.startswith("POLITE") or "answer b" in prompt else "fail")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for side, template in (("old", "POLITE? {{ output }}"), ("new", "KIND? {{ output }}")):
        write(
            tmp_path / side,
            {
                "judges/polite.json": {"id": "polite", "version": "1.0.0", "template": template},
                "rubrics/tone.json": RUBRIC,
                "datasets/d.json": {"questions": ROWS},
            },
        )
    write(tmp_path, {"d.jsonl": OUTPUTS})
    return tmp_path


def test_judges_of_both_revisions_are_asked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ModelServer(by_template) as server:
        for name, value in (("BASE_URL", server.url), ("API_KEY", KEY), ("MODEL", "m-1")):
            monkeypatch.setenv(f"EVALCONTRACT_{name}", value)
        call = ("diff", "old", "new", "--outputs", "d.jsonl", "--cache", "--output-format", "json")
        silent = printed_by(*call, cwd=folder)
        assert (json.loads(silent.out)["flips"]["undecided"], server.requests) == (2, [])
        for times in range(2):
            done = printed_by(*call, "--ask", cwd=folder)
            flips = json.loads(done.out)["flips"]
            assert [(row["row"], row["old"]["outcome"], row["new"]["outcome"]) for row in
                    flips["changed"]] == [("a", "passed", "failed")]  # fmt: skip
            assert (flips["flipped"], flips["undecided"]) == (1, 0)
            assert f"judges: {'0 calls, 4' if times else '4 calls, 0'} from the cache" in done.err
        assert len(server.requests) == 4


def test_without_an_endpoint_nobody_can_be_asked(folder: Path) -> None:
    done = printed_by("diff", "old", "new", "--outputs", "d.jsonl", "--ask", cwd=folder)
    assert (done.code, "--ask needs an endpoint" in done.err) == (2, True)


def test_both_revisions_spend_one_budget(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A part of the rows is no answer: the exit status is 1."""
    with ModelServer(by_template) as server:
        for name, value in (("BASE_URL", server.url), ("API_KEY", KEY), ("MODEL", "m-1")):
            monkeypatch.setenv(f"EVALCONTRACT_{name}", value)
        call = ("diff", "old", "new", "--outputs", "d.jsonl", "--output-format", "json")
        done = printed_by(*call, "--ask", "--no-cache", "--max-questions", "3", cwd=folder)
        assert (done.code, len(server.requests)) == (1, 3)
        assert json.loads(done.out)["flips"]["undecided"] == 1
        assert "1 question was not asked" in done.err
        enough = ("--ask", "--no-cache", "--max-questions", "4")
        assert "not asked" not in printed_by(*call, *enough, cwd=folder).err
        refused = printed_by(*call, "--max-questions", "3", cwd=folder)
        assert refused.code == 2
        assert "--ask" in refused.err
