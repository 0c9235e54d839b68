"""What rows, items and samples preserve for converting back, and what that loses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.formats._conversion import BUNDLES, OURS, Loss, conversation_of
from evalcontract.formats._fields import reason_against
from evalcontract.formats._residual import Form, Residual, ResidualPlace
from evalcontract.formats.openai.fields import FIELDS, SAMPLES

if TYPE_CHECKING:
    from collections.abc import Iterator

#: The name of the system, below `metadata`.
THEIRS = "openai"
_RUN = "the run after the question is not among the messages that are asked"
# The mappings of a row that are compared key by key.
NESTED: dict[str, Any] = {"expected": {}, "context": {}}
NESTED_ITEM: dict[str, Any] = {"item": {"expected": {}, "context": {}}, "sample": {}}
FORM = Form("set", "absent")
_KEYS = frozenset({"set", "absent", "keys", "_metadata"})
IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
IN_OURS = ResidualPlace("metadata", THEIRS, "_metadata")
#: Of samples, since a row may preserve something of an item and of a sample.
IN_OURS_OF_SAMPLE = ResidualPlace("metadata", "openai_samples", "_metadata")


def is_kept(kept: dict[str, Any]) -> bool:
    """Whether a conversion can have written a mapping."""
    return kept.keys() <= _KEYS and FORM.fits(kept) and kept.get("set") != {}


def row_losses(residual: Residual, row: dict[str, Any], variant: str) -> Iterator[Loss]:
    """Yield the losses of a row that an item or a sample does not represent."""
    for key, part in residual.set.items():
        if key == "metadata" or (key == "bundle" and part in BUNDLES):
            continue
        if key == "messages" and not conversation_of(row).has_more and variant == SAMPLES:
            continue
        if key == "messages":
            yield Loss((key,), _RUN, is_kept=True)
        elif key in ("expected", "context") and isinstance(part, dict) and part:
            for name in part:
                reason = reason_against(FIELDS, (key, name), variant)
                yield Loss((key, name), reason, is_kept=True)
        else:
            yield Loss((key,), reason_against(FIELDS, (key,), variant), is_kept=True)
