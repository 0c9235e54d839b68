"""What asking judges took: calls, tokens, cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.judging.settings import Prices

_MILLION = 1_000_000


class Usage(NamedTuple):
    """What questions took.

    `calls` are the questions that the model was sent, one that was asked once more counted twice;
    `cached` are those that the cache answered.
    `unmetered` are answers for which the endpoint told no tokens; `cost` is that of the tokens, and
    None without prices. `remarks` are for people, such as a variable that is not used.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unmetered: int = 0
    cost: float | None = None
    remarks: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether no judge was asked."""
        return not self.calls and not self.cached

    @property
    def tokens(self) -> int:
        """The tokens of questions and answers."""
        return self.input_tokens + self.output_tokens

    def with_tokens(self, input_: int | None, output: int | None, prices: Prices | None) -> Usage:
        """Return the usage with those of another answer; None if they are not known."""
        if input_ is None or output is None:
            return self._replace(unmetered=self.unmetered + 1)
        cost = self.cost
        if prices is not None:
            spent = (input_ * prices.input + output * prices.output) / _MILLION
            cost = (cost or 0.0) + spent
        return self._replace(
            input_tokens=self.input_tokens + input_,
            output_tokens=self.output_tokens + output,
            cost=cost,
        )
