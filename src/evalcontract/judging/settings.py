"""The model that judges are asked over, as environment variables set it.

No file sets any of this: a workspace may be a stranger's, and must not choose where texts are sent.
"""

from __future__ import annotations

from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Mapping

OPENAI_URL = "https://api.openai.com/v1"
# What may stand in the header of a request.
_KEY = lazy_pattern(r"[\x21-\x7e]+")
_MAX_SECONDS = 3600.0
_MAX_RETRIES = 20
_MAX_CONCURRENCY = 256


class Prices(NamedTuple):
    """What a million tokens cost, in a currency that nobody names."""

    input: float = 0.0
    output: float = 0.0


class Settings(NamedTuple):
    """An endpoint, and how it is asked; `key` never leaves this room.

    `model` is for judges that name none. `seconds` is the time limit of a request, `retries` how
    often it is sent again, `concurrency` the maximum number of requests at a time. `is_openai` says
    that the variables of the client library were used, and none of our own.
    """

    base_url: str = OPENAI_URL
    key: str | None = None
    model: str | None = None
    seconds: float = 60.0
    retries: int = 4
    concurrency: int = 8
    prices: Prices | None = None
    is_openai: bool = False

    def __repr__(self) -> str:
        return f"Settings({self.model!r})"

    @property
    def host(self) -> str:
        """The host of the endpoint, with its port if the address has one: nothing secret."""
        url = urlsplit(self.base_url)
        host = url.hostname or ""
        host = f"[{host}]" if ":" in host else host
        return host if url.port is None else f"{host}:{url.port}"

    @property
    def address_sha256(self) -> str:
        """The digest of the address of the endpoint, whose path may be that of a customer."""
        url = urlsplit(self.base_url)
        return sha256(f"{url.scheme}://{self.host}{url.path.rstrip('/')}".encode()).hexdigest()


def read_settings(environment: Mapping[str, str]) -> Settings | None:
    """Return the settings; None if no endpoint is configured.

    EVALCONTRACT_BASE_URL and EVALCONTRACT_API_KEY say where; if neither is set, OPENAI_BASE_URL and
    OPENAI_API_KEY do. They are never mixed, so that no key is sent to the endpoint of another.

    Raises:
        UsageError: a variable is malformed; the message names it, and shows no value.

    """
    prefix = "EVALCONTRACT"
    given = {name: value.strip() for name, value in environment.items() if value.strip()}
    if not _is_configured(given, prefix):
        prefix = "OPENAI"
    settings = Settings(
        _url(given, f"{prefix}_BASE_URL"),
        _key(given, f"{prefix}_API_KEY"),
        given.get("EVALCONTRACT_MODEL"),
        _number(given, "EVALCONTRACT_TIMEOUT_SECONDS", 60.0, _MAX_SECONDS, least=0.001),
        _whole(given, "EVALCONTRACT_MAX_RETRIES", 4, _MAX_RETRIES, least=0),
        _whole(given, "EVALCONTRACT_CONCURRENCY", 8, _MAX_CONCURRENCY, least=1),
        _prices(given),
        prefix == "OPENAI",
    )
    return settings if _is_configured(given, prefix) else None


def _is_configured(given: Mapping[str, str], prefix: str) -> bool:
    return f"{prefix}_BASE_URL" in given or f"{prefix}_API_KEY" in given


def _url(given: Mapping[str, str], name: str) -> str:
    if name not in given:
        return OPENAI_URL
    try:
        url = urlsplit(given[name])
        is_usable = url.scheme in ("http", "https") and url.hostname and url.port != 0
    except ValueError:  # a port that is no number, or half of an IPv6 address
        is_usable = False
        url = urlsplit("")
    if not is_usable or not _KEY.fullmatch(given[name]) or url.query or url.fragment:
        raise UsageError(f"{name} must be a URL such as {OPENAI_URL}, without `?` and `#`")
    if "@" in url.netloc:
        variable = name.replace("BASE_URL", "API_KEY")
        raise UsageError(f"{name} must not contain a user or a password: use {variable}")
    return given[name]


def _key(given: Mapping[str, str], name: str) -> str | None:
    key = given.get(name)
    if key is not None and not _KEY.fullmatch(key):
        raise UsageError(f"{name} must consist of ASCII letters, digits and punctuation")
    return key


def _prices(given: Mapping[str, str]) -> Prices | None:
    names = ("EVALCONTRACT_INPUT_PRICE", "EVALCONTRACT_OUTPUT_PRICE")
    if not any(name in given for name in names):
        return None
    return Prices(*(_number(given, name, 0.0, 1e9, least=0.0) for name in names))


def _number(
    given: Mapping[str, str], name: str, default: float, most: float, *, least: float
) -> float:
    if name not in given:
        return default
    try:
        number = float(given[name])
    except ValueError:
        number = float("nan")
    if not isfinite(number) or not least <= number <= most:
        raise UsageError(f"{name} must be a number from {least:g} to {most:g}")
    return number


def _whole(given: Mapping[str, str], name: str, default: int, most: int, *, least: int) -> int:
    if name not in given:
        return default
    text = given[name]
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1  # noqa: PLR2004
    if not least <= number <= most:
        raise UsageError(f"{name} must be a whole number from {least} to {most}")
    return number
