"""What a row, a rubric, a judge or a check ignores in its metadata.

`metadata: {"evalcontract": {"ignore": ["dataset/near-miss-key"], "reason": "…"}}`
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.ignore import EXAMPLE, Fault, Ignore, parse_code
from evalcontract.model.nearest import nearest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path

_KEYS = ("ignore", "reason")


def ignores_in_metadata(
    ours: Any, path: Path, *, demands_reason: bool = False
) -> Iterator[Ignore | Fault]:
    """Yield what `metadata.evalcontract` of the mapping at a path ignores, and its faults.

    Keys that resemble neither `ignore` nor `reason` are no business of this.
    """
    here = (*path, "metadata", "evalcontract")
    if not isinstance(ours, dict):
        return
    for key in ours:
        near = nearest(key, _KEYS) if key not in _KEYS else None
        if near and near not in ours:
            yield Fault(f"unknown key `{key}`", f"did you mean `{near}`?", path=(*here, key))
    if "ignore" not in ours:
        return
    codes, reason = ours["ignore"], ours.get("reason")
    if not isinstance(codes, list) or not codes:
        advice = f'as in `"ignore": ["{EXAMPLE}"]`'
        yield Fault("`ignore` must be a list of codes", advice, path=(*here, "ignore"))
        return
    if "reason" in ours and not isinstance(reason, str):
        yield Fault("`reason` must be a text", path=(*here, "reason"))
    if demands_reason and not (isinstance(reason, str) and reason.strip()):
        yield Fault("an ignore needs a reason", "add `reason`", path=(*here, "ignore"))
        return
    for index, text in enumerate(codes):
        at = (*here, "ignore", index)
        code, fault = parse_code(text) if isinstance(text, str) else ("", "a code is a text")
        yield Fault(fault, path=at) if fault else Ignore(code, prefix=path, path=at)
