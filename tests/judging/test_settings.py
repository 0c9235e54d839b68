"""Environment variables say where judges are asked; what is malformed is named, not shown."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.judging.settings import OPENAI_URL, Prices, Settings, read_settings
from evalcontract.model.errors import UsageError

OURS = {"EVALCONTRACT_BASE_URL": "http://localhost:8000/v1", "EVALCONTRACT_API_KEY": "sk-1"}
THEIRS = {"OPENAI_BASE_URL": "https://gateway.example/v1", "OPENAI_API_KEY": "sk-2"}


@every_case(
    ("environment", "settings"),
    [
        ({}, None),
        ({"EVALCONTRACT_MODEL": "m", "PATH": "/bin"}, None),
        ({"EVALCONTRACT_BASE_URL": " ", "EVALCONTRACT_API_KEY": ""}, None),
        (OURS, Settings("http://localhost:8000/v1", "sk-1")),
        (THEIRS, Settings("https://gateway.example/v1", "sk-2", is_openai=True)),
        ({**OURS, **THEIRS}, Settings("http://localhost:8000/v1", "sk-1")),
        (
            {"EVALCONTRACT_BASE_URL": "http://[::1]:80", **THEIRS},
            Settings("http://[::1]:80", None),
        ),
        ({"EVALCONTRACT_API_KEY": "sk-1", **THEIRS}, Settings(OPENAI_URL, "sk-1")),
        ({"OPENAI_API_KEY": " sk-2\n"}, Settings(OPENAI_URL, "sk-2", is_openai=True)),
        (
            {
                **OURS,
                "EVALCONTRACT_MODEL": "m",
                "EVALCONTRACT_TIMEOUT_SECONDS": "2.5",
                "EVALCONTRACT_MAX_RETRIES": "0",
                "EVALCONTRACT_CONCURRENCY": "20",
                "EVALCONTRACT_INPUT_PRICE": "0",
                "EVALCONTRACT_OUTPUT_PRICE": "10",
            },
            Settings("http://localhost:8000/v1", "sk-1", "m", 2.5, 0, 20, Prices(0, 10)),
        ),
    ],
)
def test_the_environment_is_read(environment: dict[str, str], settings: Settings | None) -> None:
    assert read_settings(environment) == settings


@every_case("name", ["INPUT", "OUTPUT"])
def test_a_price_that_is_not_given_is_not_nothing(name: str) -> None:
    other = {"INPUT": "OUTPUT", "OUTPUT": "INPUT"}[name]
    with pytest.raises(UsageError, match=f"EVALCONTRACT_{other}_PRICE is missing"):
        read_settings({**OURS, f"EVALCONTRACT_{name}_PRICE": "10"})


@every_case(
    ("name", "value"),
    [
        *(
            ("EVALCONTRACT_BASE_URL", bad)
            for bad in ("localhost:8000", "ftp://a", "http://", "x y")
        ),
        *(("EVALCONTRACT_BASE_URL", f"http://a{bad}") for bad in (":x", "?b", "#b", "\n/b", "/é")),
        ("EVALCONTRACT_BASE_URL", "https://user:secret@a/v1"),
        ("OPENAI_BASE_URL", "not-a-url-5"),
        *(("EVALCONTRACT_API_KEY", bad) for bad in ("se cret", "secrét", "secret\r\nX: y")),
        *(
            ("EVALCONTRACT_TIMEOUT_SECONDS", bad)
            for bad in ("soon", "0", "-1", "nan", "inf", "1e9")
        ),
        *(("EVALCONTRACT_MAX_RETRIES", bad) for bad in ("many", "-1", "1.5", "21", "²", "9" * 99)),
        *(("EVALCONTRACT_CONCURRENCY", bad) for bad in ("0", "1_0", "257")),
        *(("EVALCONTRACT_INPUT_PRICE", bad) for bad in ("-0.1", "cheap", "inf")),
    ],
)
def test_a_malformed_variable_is_named_without_its_value(name: str, value: str) -> None:
    with pytest.raises(UsageError) as raised:
        read_settings({name: value})
    assert name in str(raised.value)
    assert len(value) < 3 or value not in str(raised.value)
    assert "secret" not in str(raised.value)


@every_case(
    ("url", "host"),
    [
        (OPENAI_URL, "api.openai.com"),
        ("http://localhost:8000/v1", "localhost:8000"),
        ("http://[::1]:80", "[::1]:80"),
        ("https://user:sk-secret@Gateway.example/sk-secret/v1?key=sk-secret", "gateway.example"),
    ],
)
def test_the_host_has_nothing_secret(url: str, host: str) -> None:
    assert Settings(url).host == host


@every_case(
    ("one", "other", "is_same"),
    [
        ("https://a.example/v1", "https://a.example/v1/", True),
        ("https://a.example/v1", "https://user:sk-secret@a.example/v1?key=b", True),
        ("https://a.example/v1", "https://a.example/v2", False),
        ("https://a.example/v1", "http://a.example/v1", False),
        ("https://a.example/v1", "https://a.example:8000/v1", False),
    ],
)
def test_the_digest_of_an_address(one: str, other: str, *, is_same: bool) -> None:
    digests = {Settings(url).address_sha256 for url in (one, other)}
    assert len(digests) == (1 if is_same else 2)
