"""What the open-source store holds against a record for the sake of those before it."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.path import Path

#: The input that makes a record a conversation to simulate, and what may stand beside it.
GOAL = "goal"
SESSION_KEYS = frozenset({"persona", GOAL, "context", "simulation_guidelines"})

_encode = json.JSONEncoder(sort_keys=True).encode
# Bytes of a digest: of a million million records two would hardly agree by chance.
_ENOUGH = 16
_EMPTY, _SESSION, _TRACE = "empty", "session", "trace"
_SAID = {
    _EMPTY: "has empty inputs",
    _SESSION: "is a conversation (`goal`)",
    _TRACE: "is a single question",
}
_CLASHES = {
    _TRACE: (
        "mlflow/mixed-granularity",
        "a dataset holds one or the other",
        "keep them in two datasets",
    ),
    _EMPTY: (
        "mlflow/empty-inputs",
        "a conversation needs a `goal`",
        "write what the conversation is for: `inputs: {goal: …}`",
    ),
}
_WORDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "float",
    str: "string",
    list: "array",
}


def _told_apart(inputs: dict[str, Any]) -> bytes:
    """Return bytes that are equal where inputs are equal as JSON with sorted keys."""
    if len(inputs) == 1:
        ((key, value),) = inputs.items()
        if type(value) is str:  # most inputs are one text, and need no encoder
            return f"{len(key)} {key}{value}".encode("utf-8", "surrogatepass")
    return _encode(inputs).encode()


class Merging:
    """Tells records that the store takes for one: those whose inputs are equal.

    Equal means equal as JSON with sorted keys, so 1 and 1.0 differ. Of a record only the digest
    is kept.
    """

    def __init__(self) -> None:
        self._first = FirstRows()

    def first_with(self, inputs: dict[str, Any], path: Path) -> Path | None:
        """Return the first record with these inputs, where that is an earlier one."""
        return self._first.before(sha256(_told_apart(inputs)).digest()[:_ENOUGH], path)


def mixed_goal(inputs: Any, path: Path) -> Problem | None:
    """Say that inputs hold the reserved `goal` beside what cannot stand there."""
    if not isinstance(inputs, dict) or GOAL not in inputs:
        return None
    others = [key for key in inputs if key not in SESSION_KEYS]
    if not others:
        return None
    listed = ", ".join(f"`{each}`" for each in others)
    return Problem(
        "mlflow/mixed-goal",
        f"`{GOAL}` makes the record a conversation, and {listed} cannot stand beside it",
        (*path, "inputs", GOAL),
        f"put {listed} below `context`, or give `{GOAL}` another name",
        on_key=True,
    )


class Granularity:
    """Tells records of one dataset apart that are conversations from those that are not."""

    def __init__(self) -> None:
        self._first: dict[str, Path] = {}
        self._is_told = False
        self._has_company = False

    def observe(self, inputs: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Take a record; return a problem where it does not go with one before it."""
        kind = (_SESSION if GOAL in inputs else _TRACE) if inputs else _EMPTY
        if kind is _SESSION:
            self._has_company |= len(inputs) > 1
        if kind in self._first:
            return ()
        self._first[kind] = path
        is_alone = len(self._first) == 1
        return () if self._is_told or is_alone else self._clash(kind, path)

    def finish(self) -> Iterator[Problem]:
        """Say that `goal` is reserved, where nothing shows that the author knows it."""
        first = self._first.get(_SESSION)
        if first is not None and not self._has_company and not self._is_told:
            yield Problem(
                "mlflow/reserved-goal",
                f"`{GOAL}` is reserved: MLflow takes these records for conversations to simulate",
                (*first, "inputs", GOAL),
                "add `persona` or `context` if that is meant, or give it another name",
                on_key=True,
            )

    def _clash(self, kind: str, path: Path) -> Iterator[Problem]:
        if _SESSION not in self._first:
            return  # empty inputs go with all but conversations
        self._is_told = True
        one, other = (_SESSION, _TRACE) if _TRACE in self._first else (_SESSION, _EMPTY)
        before = other if kind is one else one
        code, why, advice = _CLASHES[other]
        yield Problem(
            code,
            f"this record {_SAID[kind]}, and an earlier one {_SAID[before]}: {why}",
            (*path, "inputs"),
            advice,
            related=(Related(f"this one {_SAID[before]}", (*self._first[before], "inputs")),),
        )


class Outputs:
    """Tells outputs that the store cannot describe together.

    The store keeps one description of the outputs of a dataset: the word for the type of the
    first that is no mapping, unless a mapping came before it. A mapping that comes later is
    written into that word, and fails.
    """

    def __init__(self) -> None:
        self._word = ""
        self._first: Path = ()
        self._has_keys = False

    def observe(self, outputs: Any, path: Path) -> Iterator[Problem]:
        """Take the outputs of a record, which are not null."""
        if not isinstance(outputs, dict):
            if not self._word and not self._has_keys:
                self._word, self._first = _WORDS.get(type(outputs), "unknown"), path
        elif not self._word:
            self._has_keys |= bool(outputs)
        elif any(key not in self._word for key in outputs):
            yield Problem(
                "mlflow/mixed-outputs",
                "`outputs` is a mapping here and was none before: the store cannot describe both",
                (*path, "outputs"),
                "write all `outputs` in one form, or leave them out",
                related=(Related("here it is none", (*self._first, "outputs")),),
            )
