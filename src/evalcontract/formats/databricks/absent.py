"""What an evaluation set must have and lacks, told at the key that was meant as it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats.databricks.columns import CONTEXTS
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest
from evalcontract.model.path import key_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.path import Path

_EXAMPLES = {
    "request": '"request": "What is a shuffle?"',
    "messages": '"messages": [{"role": "user", "content": "What is a shuffle?"}]',
    "doc_uri": '"doc_uri": "guide/shuffle.md"',
}


def absent(row: dict[str, Any], path: Path, *, has_outputs: bool) -> Iterator[Problem]:
    """Yield what a row lacks, each once; `path` leads to the row."""
    yield from _one_of(row, path, ("request",), "")
    if has_outputs:
        yield from _one_of(row, path, ("response", "trace"), "the row")
    request = row.get("request")
    if isinstance(request, dict):
        yield from _one_of(request, (*path, "request"), ("messages", "query"), "`request`")
    for key in CONTEXTS:
        items = row.get(key)
        for index, item in enumerate(items if isinstance(items, list) else ()):
            if isinstance(item, dict):
                where = f" in `{key_of((key, index))}`"
                yield from _one_of(item, (*path, key, index), ("doc_uri",), where)


def _one_of(
    value: dict[str, Any], path: Path, keys: tuple[str, ...], where: str
) -> Iterator[Problem]:
    """Yield that none of some keys is in a mapping; `where` is what the sentence calls it."""
    if any(key in value for key in keys):
        return
    first = keys[0]
    message = f"`{first}` is missing{where}"
    if len(keys) > 1:
        message = f"{where} has neither `{first}` nor `{keys[1]}`"
    for key in keys:
        near = nearest(key, (each for each in value if each.isidentifier()))
        if near is not None and near not in _KNOWN:
            advice = f"`{near}` is not read: call it `{key}`"
            yield Problem("databricks/missing-key", message, (*path, near), advice, on_key=True)
            return
    example = _EXAMPLES.get(first)
    advice = f"such as {example}" if example else f"record `{first}`, or `{keys[1]}`"
    yield Problem("databricks/missing-key", message, path, advice)


# What has a meaning of its own, however near it looks.
_KNOWN = frozenset({"request_id", "expected_response", "response", "trace", "content", "history"})
