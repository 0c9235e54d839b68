"""Conflicts between a record and earlier ones, in the open-source store."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import FirstRows, quoted
from evalcontract.model.diagnostic import Problem, Related

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from evalcontract.model.diagnostic import Path

#: The input that marks a record as a conversation to simulate, and the inputs it may have.
GOAL = "goal"
SESSION_KEYS = frozenset({"persona", GOAL, "context", "simulation_guidelines"})

_encode = json.JSONEncoder(sort_keys=True).encode
# Enough bytes of a digest that records practically never collide.
_DIGEST_BYTES = 16
_EMPTY, _SESSION, _TRACE = "empty", "session", "trace"
_DESCRIPTIONS = {
    _EMPTY: "has empty inputs",
    _SESSION: "is a conversation (`goal`)",
    _TRACE: "is a single question",
}
_CLASHES = {
    _TRACE: (
        "mlflow/mixed-granularity",
        "a dataset must not mix them",
        "put them in two datasets",
    ),
    _EMPTY: (
        "mlflow/empty-inputs",
        "a conversation needs a `goal`",
        "write the goal of the conversation: `inputs: {goal: …}`",
    ),
}
_WORDS: dict[type, str] = {
    bool: "boolean",
    int: "integer",
    float: "float",
    str: "string",
    list: "array",
}


def _canonical(inputs: dict[str, Any]) -> bytes:
    """Return bytes that are equal for inputs that are equal as JSON with sorted keys."""
    if len(inputs) == 1:
        ((key, value),) = inputs.items()
        if type(value) is str:  # the most common inputs, without an encoder
            return f"{len(key)} {key}{value}".encode("utf-8", "surrogatepass")
    return _encode(inputs).encode()


class Merging:
    """Finds records that the store merges, because their inputs are equal.

    They are compared as JSON with sorted keys, so 1 and 1.0 differ. Only digests are stored.
    """

    def __init__(self) -> None:
        self._first = FirstRows()

    def first_with(self, inputs: dict[str, Any], path: Path) -> Path | None:
        """Return the path of the first record with these inputs if it is an earlier one."""
        return self._first.before(sha256(_canonical(inputs)).digest()[:_DIGEST_BYTES], path)


def mixed_goal(inputs: Any, path: Path) -> Problem | None:
    """Report inputs that mix the reserved `goal` with other inputs."""
    if not isinstance(inputs, dict) or GOAL not in inputs:
        return None
    others = [key for key in inputs if key not in SESSION_KEYS]
    if not others:
        return None
    return Problem(
        "mlflow/mixed-goal",
        f"`{GOAL}` marks the record as a conversation, which cannot have {quoted(others)}",
        (*path, "inputs", GOAL),
        f"move {quoted(others)} to `context`, or rename `{GOAL}`",
        on_key=True,
    )


class Granularity:
    """Finds datasets that mix conversations with other records."""

    def __init__(self) -> None:
        self._first: dict[str, Path] = {}
        self._is_reported = False
        self._has_company = False

    def observe(self, inputs: dict[str, Any], path: Path) -> Iterable[Problem]:
        """Add a record; return a problem if it conflicts with an earlier one."""
        kind = (_SESSION if GOAL in inputs else _TRACE) if inputs else _EMPTY
        if kind is _SESSION:
            self._has_company |= len(inputs) > 1
        if kind in self._first:
            return ()
        self._first[kind] = path
        is_alone = len(self._first) == 1
        return () if self._is_reported or is_alone else self._clash(kind, path)

    def finish(self) -> Iterator[Problem]:
        """Report that `goal` is reserved if nothing shows that the author knows it."""
        first = self._first.get(_SESSION)
        if first is not None and not self._has_company and not self._is_reported:
            yield Problem(
                "mlflow/reserved-goal",
                f"`{GOAL}` is reserved: MLflow treats these records as conversations to simulate",
                (*first, "inputs", GOAL),
                "add `persona` or `context` if that is intended, or rename it",
                on_key=True,
            )

    def _clash(self, kind: str, path: Path) -> Iterator[Problem]:
        if _SESSION not in self._first:
            return  # empty inputs conflict with conversations only
        self._is_reported = True
        one, other = (_SESSION, _TRACE) if _TRACE in self._first else (_SESSION, _EMPTY)
        before = other if kind is one else one
        code, why, advice = _CLASHES[other]
        first = (*self._first[before], "inputs")
        yield Problem(
            code,
            f"this record {_DESCRIPTIONS[kind]} but an earlier one {_DESCRIPTIONS[before]}: {why}",
            (*path, "inputs"),
            advice,
            related=(Related(f"this one {_DESCRIPTIONS[before]}", first),),
        )


class Outputs:
    """Finds outputs whose types the store cannot describe together.

    The store describes the outputs of a dataset by the name of a type if the first ones are not
    mappings, and by their keys if they are. It fails to add the keys of a later mapping to a name.
    """

    def __init__(self) -> None:
        self._word = ""
        self._first: Path = ()
        self._has_keys = False

    def observe(self, outputs: Any, path: Path) -> Iterator[Problem]:
        """Add the outputs of a record, which are not null."""
        if not isinstance(outputs, dict):
            if not self._word and not self._has_keys:
                self._word, self._first = _WORDS.get(type(outputs), "unknown"), path
        elif not self._word:
            self._has_keys |= bool(outputs)
        elif any(key not in self._word for key in outputs):
            yield Problem(
                "mlflow/mixed-outputs",
                "`outputs` is a mapping, but earlier ones are not: the store cannot describe both",
                (*path, "outputs"),
                "write all `outputs` in one form, or remove them",
                related=(Related("not a mapping", (*self._first, "outputs")),),
            )
