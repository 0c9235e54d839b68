"""Findings that an editor asks for, as newer ones do, rather than be sent them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest
from live import Document, Live
from writing import write

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: thanks, kind: must_contain_any, values: [thank you]}
scoring: {combine: all_pass}
"""
ROWS = """\
questions:
  - id: one
    input: Hello
    rubric_ref: rubric/polite@1.0.0
"""
PULLS = {
    "textDocument": {"diagnostic": {"relatedDocumentSupport": False}},
    "workspace": {"diagnostics": {"refreshSupport": True}, "codeLens": {"refreshSupport": True}},
}


class Pulling(Live):
    """A client that asks, and counts how often the server says that it should ask again."""

    refreshes = 0
    capabilities: dict[str, Any]

    def request(self, method: str, params: Any) -> Any:
        """Remember what the server can."""
        found = super().request(method, params)
        if method == "initialize":
            self.capabilities = found["capabilities"]
        return found

    def _next(self, deadline: float) -> dict[str, Any]:
        message = super()._next(deadline)
        self.refreshes += message.get("method") == "workspace/diagnostic/refresh"
        return message

    def until_refresh(self) -> None:
        """Wait until the server says once more that it should be asked."""
        deadline, before = time.monotonic() + 60, self.refreshes
        while self.refreshes == before:
            self._next(deadline)


@pytest.fixture(name="server")
def pulling_server(tmp_path: Path) -> Iterator[Pulling]:
    write(tmp_path, {"rubrics/polite.yaml": RUBRIC, "datasets/a.yaml": ROWS})
    with Pulling(tmp_path, capabilities=PULLS) as live:
        yield live


def codes(document: Document, **more: Any) -> list[str]:
    return [each["code"] for each in document.ask("diagnostic", **more)["items"]]


def test_the_answer_is_of_the_newest_text(server: Pulling) -> None:
    """And nothing is sent of what is open."""
    dataset = server.start(server.folder / "datasets/a.yaml")
    assert codes(dataset) == []
    for _ in range(3):
        dataset.replace_all(ROWS.replace("input", "inptu"))
        assert codes(dataset) == ["dataset/near-miss-key"]
        dataset.replace_all(ROWS)
        assert codes(dataset) == []
    assert not server.published().get(dataset.uri)


def test_what_is_the_same_is_not_sent_again(server: Pulling) -> None:
    dataset = server.start(server.folder / "datasets/a.yaml", ROWS.replace("input", "inptu"))
    first = dataset.ask("diagnostic")
    assert (first["kind"], len(first["items"])) == ("full", 1)
    dataset.replace((4, 0), (4, 0), "    tags: [a]\n")
    again = dataset.ask("diagnostic", previousResultId=first["resultId"])
    assert again == {"kind": "unchanged", "resultId": first["resultId"]}
    dataset.replace_all(ROWS)
    assert codes(dataset, previousResultId=first["resultId"]) == []


def test_another_file_that_changes_makes_the_editor_ask_again(server: Pulling) -> None:
    dataset = server.start(server.folder / "datasets/a.yaml")
    rubric = server.start(server.folder / "rubrics/polite.yaml")
    assert codes(dataset) == codes(rubric) == []
    rubric.replace_all(RUBRIC.replace("1.0.0", "2.0.0"))
    assert codes(rubric) == []
    if not codes(dataset):
        server.until_refresh()
    assert codes(dataset) == ["reference/dangling"]


def test_a_closed_file_is_sent(server: Pulling) -> None:
    """Its findings are no longer asked for; and once it is open, they are not shown twice."""
    path = server.folder / "datasets/b.yaml"
    path.write_text(ROWS.replace("input", "inptu"), encoding="utf-8")
    dataset = server.start(server.folder / "datasets/a.yaml")
    assert codes(dataset) == []
    server.until(path.as_uri(), bool)
    opened = server.start(path)
    assert codes(opened) == ["dataset/near-miss-key"]
    assert server.published()[path.as_uri()] == []
    opened.close()
    server.until(path.as_uri(), bool)


def test_only_who_can_be_told_to_ask_again_is_not_sent_findings(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(ROWS.replace("input", "inptu"), encoding="utf-8")
    with Pulling(tmp_path, capabilities={"textDocument": PULLS["textDocument"]}) as server:
        assert "diagnosticProvider" not in server.capabilities
        document = server.start(tmp_path / "a.yaml")
        server.until(document.uri, bool)
    with Pulling(tmp_path, capabilities=PULLS) as server:
        assert server.capabilities["diagnosticProvider"]["interFileDependencies"]


def test_a_command_checks_all_workspaces(server: Pulling, tmp_path: Path) -> None:
    """What nobody has opened, too; its findings are sent before the answer."""
    assert server.capabilities["executeCommandProvider"]["commands"] == ["evalcontract.check"]
    command = {"command": "evalcontract.check", "arguments": []}
    clean = {"workspaces": 1, "note": 0, "warning": 0, "error": 0}
    assert server.request("workspace/executeCommand", command) == clean
    other = tmp_path / "other/rubrics/rude.yaml"
    other.parent.mkdir(parents=True)
    other.write_text(RUBRIC.replace("must_contain_any", "must"), encoding="utf-8")
    found = server.request("workspace/executeCommand", command)
    sent = [each["severity"] for each in server.published()[other.as_uri()]]
    counts = {"error": sent.count(1), "warning": sent.count(2), "note": sent.count(3)}
    assert found == {"workspaces": 2, **counts}
    assert sent
