"""Ask an OpenAI-compatible chat endpoint; the only module that knows the client library."""

from __future__ import annotations

import re
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.judging.prompt import Message
    from evalcontract.judging.settings import Settings

INSTALL = "pip install 'evalcontract[judges]'"
#: What is asked for, unless the endpoint refuses it: the likeliest answer, as JSON.
PARAMETERS: Mapping[str, Any] = {
    "temperature": 0,
    "response_format": {"type": "json_object"},
}
_REFUSED = (400, 422)
# Why a model may end before the end of its answer.
_CUT = ("length", "content_filter")
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
            api_key=settings.key or "none",  # the library wants one; local endpoints do not
            timeout=settings.seconds,
            max_retries=settings.retries,
            # What is judged is sent to the endpoint of the settings and nowhere else.
            http_client=self.library.DefaultHttpxClient(
                follow_redirects=False, event_hooks={"response": [self._limit]}
            ),
        )
        if not settings.is_openai:  # of OPENAI_ORG_ID and OPENAI_PROJECT_ID
            client.organization = client.project = None
        return client

    def _limit(self, response: Any) -> None:
        """Limit the size and the time of the body of a response, before it is read."""
        from evalcontract.judging.limited import limited  # only with the library

        response.stream = limited(response, self._settings.seconds)

    def prepare(self) -> None:
        """Import the library and make the client, before threads use them.

        Raises:
            MissingLibraryError: the library is not installed.

        """
        self._client.chat.completions  # noqa: B018 - imports the rest of the library

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
        openai = self.library
        refused = self._refused.get(model, frozenset())
        while True:
            wanted = {name: value for name, value in PARAMETERS.items() if name not in refused}
            try:
                completion = self._client.chat.completions.create(
                    model=model, messages=messages, **wanted
                )
            except openai.APIStatusError as error:
                self._is_reached = True
                names = self._refused_names(error, wanted)
                if not names:
                    raise self._status_error(error) from None
                refused |= names
                continue
            except openai.APITimeoutError:
                raise NoReplyError(f"no answer within {self._settings.seconds:g} s") from None
            except openai.APIConnectionError as error:
                raise self._connection_error(error) from None
            except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
                # What came is no chat completion, and the library fails on it in some way.
                raise NoReplyError(self._told("the endpoint answers strangely", error)) from None
            self._is_reached = self._is_answered = True
            self._refused[model] = refused
            return self._reply(completion)

    def _reply(self, completion: Any) -> Reply:
        usage = getattr(completion, "usage", None)
        tokens = (
            _count(getattr(usage, "prompt_tokens", None)),
            _count(getattr(usage, "completion_tokens", None)),
        )
        message = ended = None
        with suppress(AttributeError, IndexError, TypeError, KeyError):
            message = completion.choices[0].message
            ended = completion.choices[0].finish_reason
        refusal = getattr(message, "refusal", None)
        if isinstance(refusal, str) and refusal:
            said = clipped(self._without_key(refusal), _MAX_MESSAGE)
            raise NoReplyError(f"the model refuses to answer: {said}")
        text = getattr(message, "content", None)
        if message is None:
            raise NoReplyError("what the endpoint answers is not a chat completion")
        text = self._without_key(text) if isinstance(text, str) else ""
        return Reply(text, *tokens, ended in _CUT)

    def _refused_names(self, error: Any, wanted: Mapping[str, Any]) -> frozenset[str]:
        """Return the parameters that the endpoint refuses, by its message."""
        if error.status_code not in _REFUSED:
            return frozenset()
        said = f"{error.message} {error.body}"
        return frozenset(name for name in wanted if name in said)

    def _status_error(self, error: Any) -> NoReplyError:
        status = error.status_code
        if status in _NOT_ALLOWED:
            reason = f"the endpoint {_NOT_ALLOWED[status]} (HTTP {status})"
            return NoReplyError(reason, is_lasting=not self._is_answered)
        # The library tells the endpoint how often it has tried before, and nobody else.
        retries = error.request.headers.get("x-stainless-retry-count", "0")
        after = f" after {_tries(int(retries))}" if retries.isdigit() and retries != "0" else ""
        return NoReplyError(self._told(f"the endpoint answers HTTP {status}{after}", error))

    def _connection_error(self, error: Any) -> NoReplyError:
        cause = error.__cause__ or error
        tries = _tries(self._settings.retries)
        if _UNREACHED.isdisjoint(kind.__name__ for kind in type(cause).__mro__):
            self._is_reached = True  # the connection was lost: the next answer may be whole
            return NoReplyError(self._told(f"no whole answer after {tries}", cause))
        reason = self._told(f"the endpoint cannot be reached after {tries}", cause)
        return NoReplyError(reason, is_lasting=not self._is_reached)

    def _told(self, what: str, error: Any) -> str:
        """Return a reason with what an exception says, but for the key."""
        body = getattr(error, "body", None)
        message = body.get("message") if isinstance(body, dict) else None
        said = str(message or getattr(error, "message", None) or error)
        said = clipped(" ".join(self._without_key(said).split()), _MAX_MESSAGE)
        return f"{what}: {said}" if said else what

    def _without_key(self, text: str) -> str:
        """Return a text of the endpoint without the key, which it knows."""
        return self._key.sub("***", text) if self._key else text


def _key_pattern(key: str) -> re.Pattern[str]:
    """Return what finds a key in a text, also where decoding the text as JSON would show it.

    Each character may be written as an escape, and that in a text that is escaped again. The
    pattern takes time linear in the length of the text.
    """
    escaped = [
        rf"\\++(?:u(?i:{ord(char):04x}))?"
        if char == "\\"
        else rf"\\*+(?:{re.escape(char)}|(?<=\\)u(?i:{ord(char):04x}))"
        for char in re.sub(r"\\+", r"\\", key)
    ]
    return re.compile(r"(?<!\\)" + "".join(escaped))


def _tries(retries: int) -> str:
    return f"{retries + 1} tries" if retries else "1 try"


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
