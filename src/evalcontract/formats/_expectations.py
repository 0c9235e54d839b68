"""What rows of evalcontract expect, as most systems have it: criteria, a reference, own keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import BUNDLES, Loss, conversation_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from evalcontract.formats._residual import Residual

_BULLET = "- "
#: Keys of `expected` that mean something else than an expectation of the author's own.
OWN_KEYS = frozenset({"format", "reference"})


def criteria_of(guidelines: Any) -> str | None:
    """Return a list of guidelines as criteria; None if `guidelines_of` would not restore it."""
    if not isinstance(guidelines, list) or not guidelines:
        return None
    if not all(isinstance(text, str) and text.strip() for text in guidelines):
        return None
    if len(guidelines) == 1:
        criteria = str(guidelines[0])
    else:
        criteria = "\n".join(f"{_BULLET}{text}" for text in guidelines)
    return criteria if guidelines_of(criteria) == guidelines else None


def guidelines_of(criteria: str) -> list[str]:
    """Return criteria as guidelines: the items of a list of at least two, or one guideline."""
    lines = criteria.split("\n")
    items = [line.removeprefix(_BULLET) for line in lines if line.startswith(_BULLET)]
    is_list = len(lines) > 1 and len(items) == len(lines) and all(map(str.strip, items))
    return items if is_list else [criteria]


def reference_of(row: dict[str, Any]) -> str | None:
    """Return the reference answer of a row; None if it has none."""
    expected = row.get("expected")
    reference = expected.get("reference") if isinstance(expected, dict) else None
    return reference if isinstance(reference, str) and reference.strip() else None


def own_expectations(row: dict[str, Any]) -> dict[str, Any]:
    """Return the expectations of the author's own that a row has below `expected`."""
    expected = row.get("expected")
    given = expected if isinstance(expected, dict) else {}
    return {key: part for key, part in given.items() if key not in OWN_KEYS and part is not None}


def losses_of(
    rest: Residual, row: dict[str, Any], reason: Callable[..., str], beside: str, run: str
) -> Iterator[Loss]:
    """Yield the losses of a row, given the rest of it that a system does not represent.

    `reason` says why the system has no place for a path; `beside` why it has none for a reference
    beside facts, and `run` for the run after the question of a conversation.
    """
    for key, part in rest.set.items():
        match key:
            case "bundle" if part in BUNDLES:
                continue
            case "expected_facts" if part == [reference_of(row)]:
                continue  # it is written as the reference
            case "expected" | "context" if isinstance(part, dict) and part:
                for name in part:
                    is_beside = (key, name) == ("expected", "reference") and row.get(
                        "expected_facts"
                    )
                    yield Loss((key, name), beside if is_beside else reason((key, name)), True)
            case "messages":
                if conversation_of(row).has_more:
                    yield Loss((key,), run, is_kept=True)
            case _:
                yield Loss((key,), reason((key,)), is_kept=True)
