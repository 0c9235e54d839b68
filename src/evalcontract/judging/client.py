"""Ask an endpoint: the interfaces that it may have, retries, what it refuses and replies."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from time import monotonic
from typing import Any
from urllib.parse import quote

from evalcontract.judging.prompt import Message
from evalcontract.judging.settings import Settings
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, many


class RawReply(NamedTuple):
    """What an endpoint answers, before the key is looked for in it.

    `text` is None if there is none; `refusal` is why the model does not answer.
    """

    text: str | None
    refusal: str | None
    input_tokens: int | None
    output_tokens: int | None
    is_cut: bool


class Api(NamedTuple):
    """An interface: where a question is sent below the address, and what is sent and answered.

    `parameters` are sent unless the endpoint refuses them: for the likeliest answer, as JSON.
    `reply` returns None for what is no answer.
    """

    path: Callable[[str], str]
    headers: Callable[[str], dict[str, str]]
    parameters: Mapping[str, Any]
    body: Callable[[str, list[Message]], dict[str, Any]]
    reply: Callable[[Any], RawReply | None]


# Why a model may end before the end of its answer.
_CUT = ("length", "content_filter", "max_tokens", "model_context_window_exceeded", "pause_turn")
#: Anthropic wants to know the most tokens of an answer, thoughts included.
MAX_TOKENS = 8192
_ANTHROPIC_VERSION = "2023-06-01"


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _of_completion(value: Any) -> RawReply | None:
    usage = value.get("usage") if isinstance(value, dict) else None
    names = ("prompt_tokens", "completion_tokens")
    usage = usage if isinstance(usage, dict) else {}
    read, written = (_count(usage.get(name)) for name in names)
    message = ended = None
    with suppress(AttributeError, IndexError, TypeError, KeyError):
        message, ended = value["choices"][0]["message"], value["choices"][0].get("finish_reason")
    if not isinstance(message, dict):
        return None
    refusal, text = message.get("refusal"), message.get("content")
    refusal = refusal if isinstance(refusal, str) and refusal else None
    return RawReply(text if isinstance(text, str) else None, refusal, read, written, ended in _CUT)


def _of_message(value: Any) -> RawReply | None:
    """Return the answer in a message of Anthropic; blocks with thoughts are no part of it."""
    blocks = value.get("content") if isinstance(value, dict) else None
    if not isinstance(blocks, list):
        return None
    ended, usage = value.get("stop_reason"), value.get("usage")
    texts = [
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and block.get("type") == "text"
        and isinstance(block.get("text"), str)
    ]
    usage = usage if isinstance(usage, dict) else {}
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    read, written = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
    if read is not None:
        read += sum(_count(usage.get(name)) or 0 for name in cached)
    refusal = "".join(texts) or "stop_reason: refusal" if ended == "refusal" else None
    return RawReply("".join(texts), refusal, read, written, ended in _CUT)


def _message(model: str, messages: list[Message]) -> dict[str, Any]:
    system = [each["content"] for each in messages if each["role"] == "system"]
    return {
        "model": model,
        "max_tokens": MAX_TOKENS,
        "system": "\n\n".join(system),
        "messages": [each for each in messages if each["role"] != "system"],
    }


def _deployment(model: str) -> str:
    # The name comes from a file of the workspace: it stays one part of the path.
    name = quote(model, safe="").replace(".", "%2E") if model.strip(".") == "" else quote(model, "")
    return f"/openai/deployments/{name}/chat/completions"


_OPENAI = Api(
    path=lambda _: "/chat/completions",
    headers=lambda key: {"Authorization": f"Bearer {key}"},
    parameters={"temperature": 0, "response_format": {"type": "json_object"}},
    body=lambda model, messages: {"model": model, "messages": messages},
    reply=_of_completion,
)
#: By the `api` of an endpoint.
SPOKEN: Mapping[str, Api] = {
    "openai": _OPENAI,
    "azure": _OPENAI._replace(path=_deployment, headers=lambda key: {"api-key": key}),
    "anthropic": Api(
        path=lambda _: "/messages",
        headers=lambda key: {"x-api-key": key, "anthropic-version": _ANTHROPIC_VERSION},
        parameters={"temperature": 0},
        body=_message,
        reply=_of_message,
    ),
}


INSTALL = "pip install 'evalcontract[judges]'"
_REFUSED = (400, 422)
# The headers of a request that stay where the endpoint is one of the file of this machine: none of
# those that variables of the client library add for another one.
_OWN_HEADERS = frozenset({
    "host", "accept", "accept-encoding", "connection", "content-type", "content-length",
    "user-agent", "x-stainless-retry-count",
})  # fmt: skip
# The exceptions of the library below by which no connection is made.
_UNREACHED = frozenset({"ConnectError", "ProxyError", "UnsupportedProtocol"})
_NOT_ALLOWED = {401: "refuses the key", 403: "does not allow the key to do this"}
_MAX_MESSAGE = 200


class MissingLibraryError(Exception):
    """The client library is not installed."""


class NoReplyError(Exception):
    """The endpoint gave no answer; the message says why, and never has the key.

    With `is_lasting`, no other question will get an answer, either; those are not sent any more.
    """

    def __init__(self, reason: str, *, is_lasting: bool = False, was_sent: bool = True) -> None:
        super().__init__(reason)
        self.is_lasting = is_lasting
        self.was_sent = was_sent


class Reply(NamedTuple):
    """The text of an answer, and its tokens; None if the endpoint does not tell them.

    With `is_cut`, the model was ended before the answer was.
    """

    text: str
    input_tokens: int | None = None
    output_tokens: int | None = None
    is_cut: bool = False


class Client:
    """An endpoint. It may be asked from several threads at a time.

    The library retries after 408, 409, 429, 5xx and lost connections, and waits as long as the
    endpoint asks for, at most two minutes.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._api = SPOKEN[settings.api]
        self._refused: dict[str, frozenset[str]] = {}
        self._is_reached = self._is_answered = False
        self._key = _key_pattern(settings.key) if settings.key else None

    @cached_property
    def library(self) -> Any:
        """The client library.

        Raises:
            MissingLibraryError: it is not installed.

        """
        try:
            import openai  # slow to import, and an extra
        except ImportError as error:
            raise MissingLibraryError from error
        return openai

    @cached_property
    def _client(self) -> Any:
        settings = self._settings
        client = self.library.OpenAI(
            base_url=settings.base_url,
            # The library wants one; local endpoints do not.
            api_key=settings.key if settings.key and settings.provider is None else "none",
            timeout=settings.seconds,
            max_retries=settings.retries,
            # What is judged is sent to the endpoint of the settings and nowhere else.
            http_client=self.library.DefaultHttpxClient(
                follow_redirects=False,
                event_hooks={"request": [self._authorize], "response": [self._limit]},
            ),
        )
        if not settings.is_openai:  # of OPENAI_ORG_ID and OPENAI_PROJECT_ID
            client.organization = client.project = None
        return client

    def _authorize(self, request: Any) -> None:
        """Send a named endpoint its own key, and nothing that is meant for another one."""
        if self._settings.provider is None:
            return
        for name in [*request.headers]:
            if name.lower() not in _OWN_HEADERS:
                del request.headers[name]
        request.headers.update(self._api.headers(self._settings.key) if self._settings.key else {})

    def _limit(self, response: Any) -> None:
        """Limit the size and the time of the body of a response, before it is read."""
        response.stream = limited(response, self._settings.seconds)

    def prepare(self) -> None:
        """Import the library and make the client, before threads use them.

        Raises:
            MissingLibraryError: the library is not installed.

        """
        self._client  # noqa: B018 - imports and makes it

    def close(self) -> None:
        """Close the connections."""
        client = self.__dict__.pop("_client", None)
        if client is not None:
            client.close()

    def ask(self, model: str, messages: list[Message]) -> Reply:
        """Return the answer of a model.

        Raises:
            NoReplyError: there is none.

        """
        openai, api, version = self.library, self._api, self._settings.api_version
        options = {"params": {"api-version": version}} if version else {}
        refused = self._refused.get(model, frozenset())
        while True:
            parameters = {
                name: value for name, value in api.parameters.items() if name not in refused
            }
            body = {**api.body(model, messages), **parameters}
            try:
                text = self._client.post(api.path(model), cast_to=str, body=body, options=options)
                answer = json.loads(text)
            except openai.APIStatusError as error:
                self._is_reached = True
                names: set[str] = set()
                if error.status_code in _REFUSED:
                    message = f"{error.message} {error.body}"
                    names = {name for name in parameters if name in message}
                if not names:
                    raise self._status_error(error) from None
                refused |= names
                continue
            except openai.APITimeoutError:
                raise NoReplyError(f"no answer within {self._settings.seconds:g} s") from None
            except openai.APIConnectionError as error:
                raise self._connection_error(error) from None
            except (
                openai.OpenAIError,
                ValueError,
                TypeError,
                AttributeError,
                RecursionError,
            ) as error:
                # What came is no answer, and the library, or JSON, fails on it in some way.
                raise NoReplyError(self._reason("the endpoint answers strangely", error)) from None
            self._is_reached = self._is_answered = True
            self._refused[model] = refused
            return self._reply_in(answer)

    def _reply_in(self, answer: Any) -> Reply:
        found = self._api.reply(answer)
        if found is None:
            raise NoReplyError("what the endpoint answers is not a chat completion")
        if found.refusal:
            reason = clipped(self._without_key(found.refusal), _MAX_MESSAGE)
            raise NoReplyError(f"the model refuses to answer: {reason}")
        text = self._without_key(found.text or "")
        return Reply(text, found.input_tokens, found.output_tokens, found.is_cut)

    def _status_error(self, error: Any) -> NoReplyError:
        status = error.status_code
        if status in _NOT_ALLOWED:
            reason = f"the endpoint {_NOT_ALLOWED[status]} (HTTP {status})"
            return NoReplyError(reason, is_lasting=not self._is_answered)
        # The library tells the endpoint how often it has tried before, and nobody else.
        retries = error.request.headers.get("x-stainless-retry-count", "0")
        after = f" after {_tries(int(retries))}" if retries.isdigit() and retries != "0" else ""
        return NoReplyError(self._reason(f"the endpoint answers HTTP {status}{after}", error))

    def _connection_error(self, error: Any) -> NoReplyError:
        cause = error.__cause__ or error
        tries = _tries(self._settings.retries)
        if _UNREACHED.isdisjoint(kind.__name__ for kind in type(cause).__mro__):
            self._is_reached = True  # the connection was lost: the next answer may be whole
            return NoReplyError(self._reason(f"no whole answer after {tries}", cause))
        reason = self._reason(f"the endpoint cannot be reached after {tries}", cause)
        return NoReplyError(reason, is_lasting=not self._is_reached)

    def _reason(self, what: str, error: Any) -> str:
        """Return a reason with what an exception says, but for the key."""
        body = getattr(error, "body", None)
        message = body.get("message") if isinstance(body, dict) else None
        message = str(message or getattr(error, "message", None) or error)
        message = clipped(" ".join(self._without_key(message).split()), _MAX_MESSAGE)
        return f"{what}: {message}" if message else what

    def _without_key(self, text: str) -> str:
        """Return a text of the endpoint without the key, which it knows."""
        return self._key.sub("***", text) if self._key else text


def _key_pattern(key: str) -> re.Pattern[str]:
    """Return what finds a key in a text, also where decoding the text as JSON would show it."""
    # Each character may be written as an escape, and that in a text that is escaped again. The
    # pattern takes time linear in the length of the text.
    escaped = [
        rf"\\++(?:u(?i:{ord(char):04x}))?"
        if char == "\\"
        else rf"\\*+(?:{re.escape(char)}|(?<=\\)u(?i:{ord(char):04x}))"
        for char in re.sub(r"\\+", r"\\", key)
    ]
    return re.compile(r"(?<!\\)" + "".join(escaped))


def _tries(retries: int) -> str:
    return many(retries + 1, "try", "tries")


#: The most bytes of an answer; of a compressed one, which may become a thousand times larger.
MAX_BYTES, MAX_COMPRESSED = 16_000_000, 100_000


def limited(response: Any, seconds: float) -> Any:
    """Return the stream of a response of httpx, which ends with an exception at its limits.

    `seconds` is the time for the whole body: the client's own limit is for each part of it.
    """
    # The client library brings httpx, or a successor with another name.
    library: Any = import_module(type(response).__module__.partition(".")[0])
    stream, request = response.stream, response.request
    encoding = response.headers.get("content-encoding", "identity")
    most = MAX_BYTES if encoding == "identity" else MAX_COMPRESSED
    end = monotonic() + seconds

    class LimitedStream(library.SyncByteStream):  # type: ignore[misc] # known only now
        """The stream of the response."""

        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for part in stream:
                size += len(part)
                if size > most:
                    raise library.ReadError(f"its answer exceeds {most:,} bytes", request=request)
                if monotonic() > end:
                    raise library.ReadTimeout("it sends too slowly", request=request)
                yield part

        def close(self) -> None:
            stream.close()

    return LimitedStream()
