"""What asking judges may take, and will take: budgets of a run, and forecasts without asking."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from math import ceil
from typing import Any

from evalcontract.judging.client import NoReplyError, Reply
from evalcontract.judging.questions import Question
from evalcontract.judging.settings import Prices
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import many

#: Where nothing tells, a token is so many characters, and an answer has so many tokens.
CHARACTERS_OF_TOKEN, TOKENS_OF_ANSWER = 4, 150
_MILLION = 1_000_000


class BudgetError(NoReplyError):
    """A question is not asked: the budget is used up. The message says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(f"not asked: {reason}", was_sent=False)


class QuestionBudget:
    """The most questions to models, and the tokens after which none is sent; None for no limit.

    Threads use it at the same time. The tokens of an answer are known when it is there, so that
    those of the questions that are sent at a time come on top. What the endpoint does not tell is
    estimated.
    """

    def __init__(self, questions: int | None = None, tokens: int | None = None) -> None:
        self.questions, self.tokens = questions, tokens
        self._asked = self._spent = 0
        self._lock = threading.Lock()

    def take(self) -> None:
        """Count a question that is to be sent.

        Raises:
            BudgetError: it must not be.

        """
        with self._lock:
            if self.questions is not None and self._asked >= self.questions:
                most = many(self.questions, "question")
                raise BudgetError(f"the budget is {most} (`--max-questions`)")
            if self.tokens is not None and self._spent >= self.tokens:
                raise BudgetError(f"the budget is {many(self.tokens, 'token')} (`--max-tokens`)")
            self._asked += 1

    def spend(self, reply: Reply, characters: int) -> None:
        """Count the tokens of an answer to a question of so many characters."""
        known = (reply.input_tokens, reply.output_tokens)
        estimated = (characters / CHARACTERS_OF_TOKEN, len(reply.text) / CHARACTERS_OF_TOKEN)
        tokens = (ceil(e) if k is None else k for k, e in zip(known, estimated, strict=True))
        with self._lock:
            self._spent += sum(tokens)


class Prospect(NamedTuple):
    """A question as a run would ask it, with its answer if the cache has one."""

    question: Question
    cached: Reply | None
    prices: Prices | None

    @property
    def characters(self) -> int:
        """The size of its messages."""
        return sum(len(message["content"]) for message in self.question.messages)


class Forecast(NamedTuple):
    """What a run would ask one judge; tokens and cost are estimates, cost is None without prices.

    `questions` are those that the endpoint would be sent if each is answered at once, `cached`
    those that the cache answers.
    """

    judge: str
    model: str
    questions: int
    cached: int
    input_tokens: int
    output_tokens: int
    cost: float | None


class Prospects:
    """Collects what a run would ask, each question once; `impossible` counts why others cannot be.

    Answers in the cache tell how many tokens the questions to the same judge have, and its answers.
    """

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._judges: dict[tuple[str, str], _Totals] = {}
        self.impossible: Counter[str] = Counter()

    def add(self, prospect: Prospect) -> None:
        """Count a question."""
        if prospect.question.key in self._keys:
            return
        self._keys.add(prospect.question.key)
        judge = prospect.question.judge
        self._judges.setdefault((judge.name, judge.model), _Totals(prospect.prices)).add(prospect)

    @property
    def questions(self) -> int:
        """The number of questions that only an endpoint can answer."""
        return sum(each.questions for each in self._judges.values())

    def forecasts(self) -> Iterator[Forecast]:
        """Yield what each judge would be asked."""
        for (judge, model), totals in self._judges.items():
            read, written = totals.tokens()
            prices, cost = totals.prices, None
            if prices is not None:
                cost = (read * prices.input + written * prices.output) / _MILLION
            yield Forecast(judge, model, totals.questions, totals.cached, read, written, cost)


class _Totals:
    def __init__(self, prices: Prices | None) -> None:
        self.prices = prices
        self.questions = self.cached = self._characters = 0
        self._known: list[tuple[int, int, int]] = []

    def add(self, prospect: Prospect) -> None:
        reply = prospect.cached
        if reply is None:
            self.questions += 1
            self._characters += prospect.characters
            return
        self.cached += 1
        if reply.input_tokens is not None and reply.output_tokens is not None:
            self._known.append((prospect.characters, reply.input_tokens, reply.output_tokens))

    def tokens(self) -> tuple[int, int]:
        of_token, of_answer = float(CHARACTERS_OF_TOKEN), float(TOKENS_OF_ANSWER)
        if self._known:
            characters, read, written = (sum(each) for each in zip(*self._known, strict=True))
            of_token = characters / read if read else of_token
            of_answer = written / len(self._known)
        return ceil(self._characters / of_token), ceil(self.questions * of_answer)


def forecast_fields(prospects: Prospects) -> dict[str, Any]:
    """Return the JSON of what would be asked; see `schema/answer.schema.json`."""
    every = [*prospects.forecasts()]
    total = total_of(every)._asdict()
    impossible = [
        {"reason": reason, "number": number} for reason, number in prospects.impossible.items()
    ]
    return {
        **{name: total[name] for name in Forecast._fields[2:]},
        "judges": [each._asdict() for each in every],
        "impossible": impossible,
    }


def total_of(forecasts: Iterable[Forecast]) -> Forecast:
    """Return the sum of forecasts; its cost is unknown if that of a judge with questions is."""
    every = [each for each in forecasts if each.questions]
    costs = [each.cost for each in every]
    return Forecast(
        judge="",
        model="",
        questions=sum(each.questions for each in every),
        cached=sum(each.cached for each in forecasts),
        input_tokens=sum(each.input_tokens for each in every),
        output_tokens=sum(each.output_tokens for each in every),
        cost=None if None in costs else sum(cost for cost in costs if cost is not None),
    )
