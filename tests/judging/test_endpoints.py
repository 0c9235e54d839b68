"""Endpoints that a file of this machine names: how each is spoken to, and who may choose them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from doors import command_line
from model_server import ModelServer, Response, failure, message, needs_client, verdict
from tables import every_case
from test_asking import judge
from test_grade_with_judges import results
from writing import write

from evalcontract.checks.outcome import Outcome, Verdict
from evalcontract.judging.asking import Judging
from evalcontract.judging.settings import Prices, Settings, read_machine
from evalcontract.model.errors import ConfigurationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = [pytest.mark.slow, needs_client]

KEYS = {"ACME_KEY": "key-of-acme", "OTHER_KEY": "key-of-other"}
#: What variables of the client library would add to every request.
FOREIGN = {
    "OPENAI_CUSTOM_HEADERS": "X-Team: secret-team\nAuthorization: Bearer sk-custom",
    "OPENAI_API_KEY": "sk-openai",
    "OPENAI_ORG_ID": "org-secret",
    "OPENAI_PROJECT_ID": "proj-secret",
    "AZURE_OPENAI_AD_TOKEN": "token-secret",
    "ANTHROPIC_API_KEY": "sk-ant-secret",
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Return where the file with endpoints is to be."""
    return tmp_path / "machine" / "endpoints.toml"


def machine(file: Path, text: str, **others: str) -> dict[str, str]:
    """Write the file, and return the environment variables with it."""
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, encoding="utf-8")
    file.chmod(0o600)
    return {"EVALCONTRACT_ENDPOINTS": str(file), **KEYS, **others}


def ask(
    environment: Mapping[str, str],
    provider: str | None,
    name: str | None = "large-1",
) -> tuple[Verdict, Judging]:
    judging = Judging.of(environment)
    assert judging is not None
    model = {key: value for key, value in (("provider", provider), ("name", name)) if value}
    try:
        return judging.ask(judge(model=model), {"output": "Hello."}), judging
    finally:
        judging.close()


OPENAI_LIKE = """
[providers.acme]
base_url = "{url}"
api_key_env = "ACME_KEY"
"""
LOCAL = """
[providers.Acme]
base_url = "{url}"
model = "local-7b"
"""
AZURE = """
[providers.acme]
api = "azure"
base_url = "{host}"
api_version = "2024-10-21"
api_key_env = "ACME_KEY"
"""
ANTHROPIC = """
[providers.acme]
api = "anthropic"
base_url = "{url}"
api_key_env = "ACME_KEY"
input_price = 3
output_price = 15
"""


def at(server: ModelServer, text: str) -> str:
    return text.format(url=server.url, host=server.url.removesuffix("/v1"))


@every_case(
    ("text", "answer", "path", "header"),
    [
        (OPENAI_LIKE, verdict("pass"), "/v1/chat/completions", ("authorization", "Bearer {}")),
        (LOCAL, verdict("pass"), "/v1/chat/completions", None),
        (
            AZURE,
            verdict("pass"),
            "/openai/deployments/large-1/chat/completions?api-version=2024-10-21",
            ("api-key", "{}"),
        ),
        (ANTHROPIC, message("pass", thought="Hm."), "/v1/messages", ("x-api-key", "{}")),
    ],
    ids=("openai", "local", "azure", "anthropic"),
)
def test_each_interface_is_spoken_as_its_endpoint_does(
    text: str,
    answer: Response,
    path: str,
    header: tuple[str, str] | None,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It gets its own key and nothing that variables of the client library would add."""
    for name, value in {**KEYS, **FOREIGN}.items():
        monkeypatch.setenv(name, value)
    with ModelServer(lambda *_: answer) as server:
        made, judging = ask(
            machine(file, at(server, text)), "acme", None if text is LOCAL else "large-1"
        )
    assert (made.outcome, made.score) == (Outcome.PASSED, 1), made
    assert server.paths == [path]
    (request,), (headers,) = server.requests, server.headers
    assert request["model"] == ("local-7b" if text is LOCAL else "large-1")
    assert request["temperature"] == 0
    sent = json.dumps([headers, request])
    for secret in (*FOREIGN.values(), KEYS["OTHER_KEY"], "secret", "sk-"):
        assert secret not in sent
    if header:
        assert headers[header[0]] == header[1].format(KEYS["ACME_KEY"])
    assert sent.count(KEYS["ACME_KEY"]) == (1 if header else 0)
    roles = [each["role"] for each in request["messages"]]
    if text is ANTHROPIC:
        assert headers["anthropic-version"] == "2023-06-01"
        assert (roles, request["max_tokens"]) == (["user"], 8192)
        assert '"pass" or "fail"' in request["system"]
        assert "response_format" not in request
        assert judging.usage.cost == pytest.approx((100 * 3 + 10 * 15) / 1e6)
    else:
        assert roles == ["system", "user"]
        assert request["response_format"] == {"type": "json_object"}
    assert (judging.usage.input_tokens, judging.usage.output_tokens) == (100, 10)


@every_case(
    ("answers", "outcome", "fact", "requests"),
    [
        ([message("perhaps"), message("fail")], Outcome.FAILED, "because", 2),
        ([failure(529, "Overloaded"), message("pass")], Outcome.PASSED, "", 2),
        ([failure(400, "`temperature` is deprecated"), message("pass")], Outcome.PASSED, "", 2),
        ([failure(404, "model: large-1")], Outcome.ERROR, "HTTP 404: model: large-1", 1),
        ([failure(401, "invalid x-api-key")], Outcome.ERROR, "refuses the key", 1),
        ([message("pass", "max_tokens")], Outcome.PASSED, "", 1),
        ([Response(body={"type": "message", "content": [], "stop_reason": "refusal"})],
         Outcome.ERROR, "the model refuses to answer", 1),
        ([Response(body={"content": "pass"})], Outcome.ERROR, "not a chat completion", 1),
        ([Response(body={"content": [1, {"type": "text", "text": 5}]})] * 2,
         Outcome.ERROR, "the answer is empty", 2),
        ([Response(body="<html>")], Outcome.ERROR, "answers strangely", 1),
        ([Response(body=f'{{"content": [{{"type": "text", "text": "{KEYS["ACME_KEY"]}"}}]}}')] * 2,
         Outcome.ERROR, "***", 2),
    ],
)  # fmt: skip
def test_what_an_endpoint_of_anthropic_may_answer(
    answers: list[Response], outcome: Outcome, fact: str, requests: int, file: Path
) -> None:
    with ModelServer(lambda _, number: answers[number]) as server:
        made, _ = ask(machine(file, at(server, ANTHROPIC)), "acme")
    assert made.outcome is outcome, made.reason
    assert fact in (made.reason or "")
    assert KEYS["ACME_KEY"] not in repr(made)
    assert len(server.requests) == requests
    for request in server.requests[1:]:
        roles = [each["role"] for each in request["messages"]]
        assert roles == ["user", "assistant", "user"][: len(roles)]
    if "temperature" in repr(answers[0]):
        assert "temperature" not in server.requests[1]


@every_case("name", ["../../v1/other", "..", ".", "a/b?c#d", "%2e%2e", "é"])
def test_the_name_of_a_deployment_stays_one_part_of_the_path(name: str, file: Path) -> None:
    with ModelServer(lambda *_: verdict("pass")) as server:
        made, _ = ask(machine(file, at(server, AZURE)), "acme", name)
    assert made.outcome is Outcome.PASSED
    (path,) = server.paths
    parts = path.partition("?")[0].split("/")
    assert parts[:3] == ["", "openai", "deployments"]
    assert parts[4:] == ["chat", "completions"]
    assert parts[3].strip(".") != ""


JUDGES = {
    "one": {"provider": "ACME", "name": "large-1"},
    "two": {"provider": "other", "name": "large-2"},
    "three": {"name": "m-3"},
    "four": {"provider": "nobody", "name": "m-4"},
}


def workspace(folder: Path) -> None:
    template = {"version": "1.0.0", "template": "Is it kind? {{ output }}"}
    row = {"id": "q", "input": "a"}
    jury = {"judges": [{"judge_prompt_ref": f"judge/{name}@1.0.0"} for name in JUDGES]}
    check = {"id": "jury", "kind": "llm_judge", "jury": jury}
    rubric = {"id": "r", "version": "1.0.0", "checks": [check], "scoring": {"combine": "all_pass"}}
    write(folder, {
        **{f"judges/{name}.json": json.dumps({**template, "id": name, "model": model})
           for name, model in JUDGES.items()},
        "rubrics/r.json": json.dumps(rubric),
        "data.json": json.dumps({"questions": [{**row, "rubric_ref": "rubric/r@1.0.0"}]}),
        "outputs.jsonl": json.dumps({"id": "q", "output": "Hello."}),
    })  # fmt: skip


def test_a_jury_spans_vendors(
    tmp_path: Path,
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Each key goes to its own endpoint; the results say which judge was asked where."""
    workspace(tmp_path / "w")
    monkeypatch.chdir(tmp_path / "w")
    answers = (verdict("pass"), message("pass"), verdict("pass"))
    servers = [ModelServer(lambda *_, answer=answer: answer) for answer in answers]
    grade = ["grade", "data.json", "--outputs", "outputs.jsonl", "--no-cache"]
    with servers[0] as acme, servers[1] as other, servers[2] as usual:
        anthropic = at(other, ANTHROPIC).replace("acme", "other").replace("ACME", "OTHER")
        environment = machine(file, at(acme, OPENAI_LIKE) + anthropic)
        environment |= {"EVALCONTRACT_BASE_URL": usual.url, "EVALCONTRACT_API_KEY": "key-of-usual"}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        assert command_line(*grade, "--results", "a.jsonl", "--output-format", "json") == 0
        out = capsys.readouterr().out
        moved = file.read_text(encoding="utf-8").replace("127.0.0.1", "localhost", 1)
        machine(file, moved)
        assert command_line(*grade, "--compare", "a.jsonl") == 0
        text = " ".join(capsys.readouterr().out.split())
    keys = [json.dumps(each.headers) for each in (acme, other, usual)]
    for index, key in enumerate(("key-of-acme", "key-of-other", "key-of-usual")):
        assert [key in each for each in keys] == [at == index for at in range(3)]
    assert [{each["model"] for each in server.requests} for server in (acme, other, usual)] == [
        {"large-1"}, {"large-2"}, {"m-3", "m-4"},
    ]  # fmt: skip
    used, *_ = results(out)
    assert used["endpoint"]["host"] == usual.url.split("/")[2]
    assert {name: each["provider"] for name, each in used["endpoints"].items()} == {
        "judge/one@1.0.0": "acme",
        "judge/two@1.0.0": "other",
    }
    assert used["endpoints"]["judge/two@1.0.0"]["parameters"] == {"temperature": 0}
    assert "key-of" not in out
    assert "judge/four@1.0.0 names the provider `nobody`" in text
    assert "judge/one@1.0.0 is asked at localhost" in text
    assert "judge/two@1.0.0 is asked at" not in text


@every_case(
    ("text", "provider", "name", "facts"),
    [
        (OPENAI_LIKE, "nobody", "m", ("`nobody`", "endpoints.toml")),
        (OPENAI_LIKE, None, "m", ("names no provider",)),
        (OPENAI_LIKE, "acme", None, ("names no model", "`acme` has no `model`")),
        (OPENAI_LIKE.replace("ACME_KEY", "ABSENT_KEY"), "acme", "m", ("ABSENT_KEY is not set",)),
    ],
)
def test_a_judge_that_no_endpoint_serves_is_unavailable(
    text: str, provider: str | None, name: str | None, facts: tuple[str, ...], file: Path
) -> None:
    with ModelServer(lambda *_: verdict("pass")) as server:
        made, _ = ask(machine(file, at(server, text)), provider, name)
    assert made.outcome is Outcome.UNAVAILABLE
    assert [fact for fact in facts if fact not in (made.reason or "")] == []
    assert server.requests == []


def test_what_one_endpoint_fails_by_is_nothing_to_the_other(file: Path) -> None:
    with (
        ModelServer(lambda *_: failure(401)) as closed,
        ModelServer(lambda *_: verdict("pass")) as open_,
    ):
        text = at(closed, OPENAI_LIKE) + at(open_, OPENAI_LIKE).replace("acme", "other")
        judging = Judging.of(machine(file, text))
        assert judging is not None
        made = [
            judging.ask(
                judge(file=name, model={"provider": name, "name": "m"}), {"output": str(number)}
            )
            for number in range(2)
            for name in ("acme", "other")
        ]
        judging.close()
    assert [each.outcome for each in made] == [Outcome.ERROR, Outcome.PASSED] * 2
    assert (len(closed.requests), len(open_.requests)) == (1, 2)


def test_numbers_and_prices_are_those_of_an_entry(file: Path) -> None:
    text = """
[providers.acme]
base_url = "http://localhost:1/v1"
timeout_seconds = 2.5
max_retries = 0
concurrency = 3
input_price = 0
output_price = 1
[prices]
"large-1" = {input = 2.5, output = 10}
"""
    made = read_machine(machine(file, text))
    entry = Settings("http://localhost:1/v1", None, None, 2.5, 0, 3, Prices(0, 1), provider="acme")
    assert made.endpoints == {"acme": entry}
    assert made.prices == {"large-1": Prices(2.5, 10)}


@every_case(
    ("text", "facts"),
    [
        ("providers = 1", ("`providers` must be tables",)),
        ("[providers]\nacme = 1", ("`[providers.NAME]`",)),
        ("[provider.acme]", ("`provider` is not known",)),
        ("[providers.acme]\nurl = 'http://a'", ("providers.acme", "`url` is not known")),
        ("[providers.acme]\napi_key = 'sk-secret'", ("`api_key` is not known", "api_key_env")),
        ("[providers.acme]\napi_key_env = 'sk-secret'", ("name of a variable",)),
        ("[providers.acme]\napi = 'grpc'", ("providers.acme.api", "anthropic")),
        ("[providers.acme]\napi = 'azure'\napi_version = '1'", ("providers.acme.base_url",)),
        ("[providers.acme]\napi = 'azure'\nbase_url = 'https://a'", ("api_version", "2024")),
        ("[providers.acme]\napi_version = '1'", ("api_version",)),
        ("[providers.acme]\nbase_url = 'https://u:sk-secret@a'", ("base_url", "api_key_env")),
        ("[providers.acme]\nbase_url = ['a']", ("text or a number",)),
        ("[providers.acme]\nmodel = true", ("text or a number",)),
        ("[providers.acme]\nconcurrency = 0", ("providers.acme.concurrency", "from 1 to 256")),
        ("[providers.acme]\n[providers.ACME]", ("twice",)),
        ("[prices.m]\ninput = -1", ("prices.m.input",)),
        ("[prices.m]\nin = 1", ("`in` is not known",)),
        ("[prices.m]\ninput = 1", ("prices.m.output is missing",)),
        ("[prices.m]", ("prices.m.input is missing",)),
        ("[providers.acme]\noutput_price = 1", ("providers.acme.input_price is missing",)),
        ("[providers.acme", ("endpoints.toml",)),
    ],
)
def test_a_file_with_a_mistake_is_refused(text: str, facts: tuple[str, ...], file: Path) -> None:
    with pytest.raises((UsageError, ConfigurationError)) as raised:
        read_machine(machine(file, text))
    message = str(raised.value)
    assert [fact for fact in ("endpoints.toml", *facts) if fact not in message] == []
    assert "sk-secret" not in message


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="there are no such permissions here")
@every_case("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_may_write_to_is_refused(mode: int, file: Path) -> None:
    environment = machine(file, OPENAI_LIKE)
    file.chmod(mode)
    with pytest.raises(UsageError, match="others may write"):
        read_machine(environment)


def test_no_file_of_a_workspace_says_where_judges_are_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not by its name, not by its place, and not by a setting."""
    hostile = '[providers.acme]\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "ACME_KEY"\n'
    places = (
        "endpoints.toml",
        ".config/evalcontract/endpoints.toml",
        "evalcontract/endpoints.toml",
    )
    root = tmp_path / "w"
    workspace(root)
    write(root, dict.fromkeys(places, hostile))
    monkeypatch.chdir(root)
    for variables in ({}, {"XDG_CONFIG_HOME": "."}, {"XDG_CONFIG_HOME": ".", "HOME": ""}):
        assert read_machine(variables).endpoints == {}
        assert Judging.of({**variables, "ACME_KEY": "a"}) is None
    with pytest.raises(UsageError, match="absolute"):
        read_machine({"EVALCONTRACT_ENDPOINTS": "endpoints.toml"})
    with pytest.raises(UsageError, match="cannot be read"):
        read_machine({"EVALCONTRACT_ENDPOINTS": str(tmp_path / "none.toml")})
    write(root, {"evalcontract.toml": hostile})
    command_line("grade", "data.json", "--outputs", "outputs.jsonl")
    assert "`providers`" in capsys.readouterr().err
