"""The interfaces of endpoints: OpenAI's chat completions, Azure's, and Anthropic's messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import quote

from evalcontract.judging.prompt import Message
from evalcontract.model.startup import NamedTuple


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
        if isinstance(block, dict) and block.get("type") == "text" and _is_text(block.get("text"))
    ]
    usage = usage if isinstance(usage, dict) else {}
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    read, written = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
    if read is not None:
        read += sum(_count(usage.get(name)) or 0 for name in cached)
    refusal = "".join(texts) or "stop_reason: refusal" if ended == "refusal" else None
    return RawReply("".join(texts), refusal, read, written, ended in _CUT)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _completion(model: str, messages: list[Message]) -> dict[str, Any]:
    return {"model": model, "messages": messages}


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
    body=_completion,
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
