"""Where judges are asked: environment variables, and a file of this machine with endpoints."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import sha256
from math import nan
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped, is_finite_number, listed
from evalcontract.source.faults import UnreadableFile
from evalcontract.source.files import read_text
from evalcontract.source.toml import parse_toml

OPENAI_URL = "https://api.openai.com/v1"
# What may stand in the header of a request.
_KEY = lazy_pattern(r"[\x21-\x7e]+")
_MAX_SECONDS = 3600.0
_MAX_RETRIES = 20
_MAX_CONCURRENCY = 256


class Prices(NamedTuple):
    """The prices of a million tokens of prompts and answers, in any one currency."""

    input: float
    output: float


class Settings(NamedTuple):
    """An endpoint, and how it is asked; `key` never leaves this room.

    `model` is for judges that name none. `seconds` is the time limit of a request, `retries` how
    often it is sent again, `concurrency` the maximum number of requests at a time. `is_openai` says
    that the variables of the client library were used, and none of our own. `provider` is the name
    of its entry in the file of this machine, None for the endpoint of the variables; `api` is how
    it is spoken to, `api_version` a version that it wants to know. `lacks` is the variable of the
    key, if that is not set.
    """

    base_url: str = OPENAI_URL
    key: str | None = None
    model: str | None = None
    seconds: float = 60.0
    retries: int = 4
    concurrency: int = 8
    prices: Prices | None = None
    is_openai: bool = False
    provider: str | None = None
    api: str = "openai"
    api_version: str | None = None
    lacks: str | None = None

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

    @property
    def identity(self) -> str:
        """What answers depend on of an endpoint: its address, and how it is spoken to."""
        if self.api == "openai":
            return self.base_url
        return f"{self.api} {self.api_version or ''} {self.base_url}"


#: How an endpoint may be spoken to, each with the address that is meant if none is given.
APIS: Mapping[str, str | None] = {
    "openai": OPENAI_URL,
    "azure": None,
    "anthropic": "https://api.anthropic.com/v1",
}
# The settings of an endpoint: the keys of an entry, and the variables without `EVALCONTRACT_`.
_NUMBERS = ("timeout_seconds", "max_retries", "concurrency", "input_price", "output_price")
_KEYS = ("api", "base_url", "api_version", "api_key_env", "model", *_NUMBERS)
_VARIABLE = lazy_pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_VERSION = lazy_pattern(r"[A-Za-z0-9._-]{1,50}")


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
    settings = _numbers_in(given, {name: f"EVALCONTRACT_{name.upper()}" for name in _NUMBERS})
    if not _is_configured(given, prefix):
        return None
    return settings._replace(
        base_url=_url(given, f"{prefix}_BASE_URL"),
        key=_key(given, f"{prefix}_API_KEY"),
        model=given.get("EVALCONTRACT_MODEL"),
        is_openai=prefix == "OPENAI",
    )


class Machine(NamedTuple):
    """What a file of this machine says: endpoints by the names of providers, prices by models.

    Names of providers are in lower case. `file` is the name of the file, also if there is none.
    """

    file: str
    endpoints: Mapping[str, Settings] = {}
    prices: Mapping[str, Prices] = {}


#: Names the file with endpoints, by an absolute path.
FILE_VARIABLE = "EVALCONTRACT_ENDPOINTS"
_OTHERS_MAY_WRITE = 0o022


def read_machine(environment: Mapping[str, str]) -> Machine:
    """Return what the file of this machine says; nothing if there is no such file.

    EVALCONTRACT_ENDPOINTS names it; otherwise it is `evalcontract/endpoints.toml` in the folder
    for settings of this user. No file of a workspace can be it by where it is: relative paths are
    refused or ignored. A file that others may write to is refused.

    Raises:
        UsageError: the file cannot be used; the message has no key.
        ConfigurationError: it is not TOML.

    """
    named = environment.get(FILE_VARIABLE, "")
    if named and not os.path.isabs(named):  # noqa: PTH117 - as the cache does
        raise UsageError(f"{FILE_VARIABLE} must be an absolute path")
    path = Path(named) if named else _usual_file(environment)
    if path is None or (not named and not path.exists()):
        return Machine(str(path or "endpoints.toml"))
    text = read_text(path, str(path))
    if isinstance(text, UnreadableFile):
        raise UsageError(f"{path} cannot be read: {text.faults[0].message}")
    _require_private(path)
    table = parse_toml(text, str(path))
    _require_keys(table, ("providers", "prices"), str(path))
    providers: dict[str, Settings] = {}
    for name, entry in _tables(table, "providers", str(path)):
        if name.strip().casefold() in providers:
            raise UsageError(f"{path}: `{clipped(name)}` is there twice: case is ignored")
        settings = _entry(entry, name, environment, file=str(path))
        providers[name.strip().casefold()] = settings
    prices = {
        name: _prices_of_model(entry, f"{path}: prices.{clipped(name)}")
        for name, entry in _tables(table, "prices", str(path))
    }
    return Machine(str(path), providers, prices)


def has_endpoint(environment: Mapping[str, str]) -> bool:
    """Whether any endpoint is configured; raises as `read_settings` and `read_machine` do."""
    return read_settings(environment) is not None or bool(read_machine(environment).endpoints)


def _usual_file(environment: Mapping[str, str]) -> Path | None:
    if sys.platform == "win32":
        base = environment.get("APPDATA", "")
    else:
        base = environment.get("XDG_CONFIG_HOME", "")
        if not os.path.isabs(base):  # noqa: PTH117 - a relative path is ignored
            base = str(Path(environment.get("HOME", "")) / ".config")
    return Path(base) / "evalcontract" / "endpoints.toml" if os.path.isabs(base) else None  # noqa: PTH117


def _require_private(path: Path) -> None:
    """Refuse a file that somebody else may write to: it says where keys are sent."""
    if not hasattr(os, "geteuid"):
        return
    status = path.stat()
    if status.st_mode & _OTHERS_MAY_WRITE or status.st_uid not in (0, os.geteuid()):
        raise UsageError(f"{path}: others may write to it: make it yours, with `chmod 600`")


def _tables(table: Mapping[str, Any], key: str, file: str) -> Iterator[tuple[str, dict[str, Any]]]:
    entries = table.get(key, {})
    for name, entry in entries.items() if isinstance(entries, dict) else [("", None)]:
        if not name.strip() or not isinstance(entry, dict):
            raise UsageError(f"{file}: `{key}` must be tables with names, `[{key}.NAME]`")
        yield name, entry


def _require_keys(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            raise UsageError(f"{where}: `{clipped(key)}` is not known: write {listed(keys)}")


def _entry(
    entry: Mapping[str, Any], provider: str, environment: Mapping[str, str], file: str
) -> Settings:
    where = f"{file}: providers.{clipped(provider)}"
    _require_keys(entry, _KEYS, where)
    names = {key: f"{where}.{key}" for key in _KEYS}
    given = {names[key]: _text(value, names[key]) for key, value in entry.items()}
    api = given.get(names["api"], "openai")
    if api not in APIS:
        raise UsageError(f"{names['api']} must be one of {listed(APIS)}")
    url, version = APIS[api], given.get(names["api_version"])
    if names["base_url"] in given or url is None:
        given.setdefault(names["base_url"], "")
        url = _url(given, names["base_url"], instead="api_key_env")
    if (api == "azure") is (version is None) or not _VERSION.fullmatch(version or "-"):
        needed = "is needed, such as 2024-10-21" if api == "azure" else 'is for `api = "azure"`'
        raise UsageError(f"{names['api_version']} {needed}")
    variable = given.get(names["api_key_env"])
    if variable is not None and not _VARIABLE.fullmatch(variable):
        raise UsageError(f"{names['api_key_env']} must be the name of a variable, not a key")
    key = _key({variable: environment.get(variable, "").strip()}, variable) if variable else None
    return _numbers_in(given, names)._replace(
        base_url=url,
        key=key,
        model=given.get(names["model"]),
        provider=provider.strip(),
        api=api,
        api_version=version,
        lacks=variable if variable and not key else None,
    )


def _text(value: Any, name: str) -> str:
    if isinstance(value, str) and value.strip():
        return value.strip()
    if is_finite_number(value):
        return f"{value}"
    raise UsageError(f"{name} must be text or a number")


def _prices_of_model(entry: Mapping[str, Any], where: str) -> Prices:
    _require_keys(entry, Prices._fields, where)
    given = {f"{where}.{key}": _text(value, f"{where}.{key}") for key, value in entry.items()}
    return _prices(given, *(f"{where}.{key}" for key in Prices._fields))


def _numbers_in(given: Mapping[str, str], names: Mapping[str, str]) -> Settings:
    """Return settings with the numbers that are given; `names` are how each is called."""
    seconds = _number(given, names["timeout_seconds"], 60.0, bounds=(0.001, _MAX_SECONDS))
    retries = _number(given, names["max_retries"], 4, bounds=(0, _MAX_RETRIES), is_whole=True)
    bounds = (1, _MAX_CONCURRENCY)
    concurrency = _number(given, names["concurrency"], 8, bounds=bounds, is_whole=True)
    priced = (names["input_price"], names["output_price"])
    prices = _prices(given, *priced) if any(name in given for name in priced) else None
    return Settings(
        seconds=seconds, retries=int(retries), concurrency=int(concurrency), prices=prices
    )


def _prices(given: Mapping[str, str], *names: str) -> Prices:
    """Return both prices: one that is missing is not known, which is not the same as 0."""
    prices = Prices(*(_number(given, name, 0.0, bounds=(0.0, 1e9)) for name in names))
    missing = [name for name in names if name not in given]
    if missing:
        raise UsageError(f"{missing[0]} is missing: set both prices, to 0 for what is free")
    return prices


def _is_configured(given: Mapping[str, str], prefix: str) -> bool:
    return f"{prefix}_BASE_URL" in given or f"{prefix}_API_KEY" in given


def _url(given: Mapping[str, str], name: str, instead: str | None = None) -> str:
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
        variable = instead or name.replace("BASE_URL", "API_KEY")
        raise UsageError(f"{name} must not contain a user or a password: use {variable}")
    return given[name]


def _key(given: Mapping[str, str], name: str) -> str | None:
    key = given.get(name) or None
    if key is not None and not _KEY.fullmatch(key):
        raise UsageError(f"{name} must consist of ASCII letters, digits and punctuation")
    return key


def _number(
    given: Mapping[str, str],
    name: str,
    default: float,
    bounds: tuple[float, float],
    *,
    is_whole: bool = False,
) -> float:
    """Return the number in a variable; without it, the default."""
    if name not in given:
        return default
    text, (least, most) = given[name], bounds
    number = nan
    if not is_whole or (text.isascii() and text.isdigit()):
        with suppress(ValueError):
            number = float(text)
    if not least <= number <= most:
        what = "a whole number" if is_whole else "a number"
        raise UsageError(f"{name} must be {what} from {least:g} to {most:g}")
    return number
