"""The codes that a run reports: what `--select` and `--ignore` leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.errors import UsageError
from evalcontract.model.nearest import nearest
from evalcontract.model.record import NamedTuple
from evalcontract.model.renamed import current_code
from evalcontract.policy.severities import is_locked, meant_code

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping


class Selection(NamedTuple):
    """The codes to report; each item is a code, or a kind of codes such as `rubric`.

    Without `select`, all codes are selected; `ignore` takes precedence. A selection leaves findings
    out and never adds one: what the configuration ignores stays ignored. Codes that mean that
    something was not checked at all are always reported.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def includes(self, code: str) -> bool:
        """Whether a code is reported."""
        return is_locked(code) or self.chooses(code)

    def chooses(self, code: str) -> bool:
        """Whether a code is selected and not ignored, whether or not it has to be reported."""
        is_selected = not self.select or is_chosen(code, self.select)
        return is_selected and not is_chosen(code, self.ignore)


def is_chosen(code: str, chosen: Collection[str]) -> bool:
    """Whether a code or its kind is among those chosen."""
    return code in chosen or code.partition("/")[0] in chosen


def parse_codes(
    text: str, codes: Mapping[str, object], *, to_ignore: bool = False
) -> Iterator[str]:
    """Yield the codes and kinds in a text, separated by commas; `codes` has all known codes.

    A kind is written `rubric`, `rubric/` or `rubric/*`.

    Raises:
        UsageError: there is no such code or kind, or it has to be reported.

    """
    for name in map(current_code, map(str.strip, text.split(","))):
        kind, _, fault = name.partition("/")
        chosen = kind if fault in ("", "*") else name
        if "/" in chosen:
            meant = [chosen] if chosen in codes else []
        else:
            meant = [code for code in codes if is_chosen(code, (chosen,))]
        if not meant:
            raise UsageError(f"there is no code `{name}`; {_advice(chosen, codes)}")
        if to_ignore and all(map(is_locked, meant)):
            reason = "it means that something was not checked at all"
            raise UsageError(f"`{name}` cannot be ignored: {reason}")
        yield chosen


def _advice(name: str, codes: Mapping[str, object]) -> str:
    kinds = sorted({code.partition("/")[0] for code in codes})
    near = (nearest(name, kinds) if "/" not in name else None) or meant_code(name, codes)
    return f"did you mean `{near}`?" if near else "`evalcontract explain` lists them all"
