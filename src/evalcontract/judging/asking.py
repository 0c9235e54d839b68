"""Ask judges over a model: several questions at a time, none of them twice."""

from __future__ import annotations

import threading
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evalcontract.checks.outcome import PASSED, Outcome, Verdict, error, unavailable
from evalcontract.judging.client import (
    INSTALL,
    SPOKEN,
    Client,
    MissingLibraryError,
    NoReplyError,
    Reply,
)
from evalcontract.judging.prompt import Message, messages_again, surroundings
from evalcontract.judging.questions import (
    AnswerCache,
    BudgetError,
    Prospect,
    Prospects,
    Question,
    QuestionBudget,
    ReadyJudge,
    named_model,
    named_provider,
    ready_judge,
)
from evalcontract.judging.settings import Machine, Prices, Settings, read_machine, read_settings
from evalcontract.library.library import Artifact
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import clipped, many

if TYPE_CHECKING:
    from evalcontract.checks._kind import Ask

Task = TypeVar("Task")

# For each question that is sent at a time, so many more wait, in case that one takes long.
_WAITING = 4


def asked_ahead(
    tasks: Iterable[Task],
    judging: Judging,
    run: Callable[[Task, Ask], None],
    progress: Callable[[], None] = lambda: None,
) -> Iterator[Task]:
    """Yield tasks, in order, each when the questions of its judges have been answered.

    `run` runs the checks of a task that ask judges, with what they are to ask by. They get no
    answer yet: what a check asks must not depend on earlier answers. If it does, the other
    questions are asked when the task is graded. `progress` is called after each answer.
    """
    questions: list[Any] = []

    def ask(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        questions.append(judging.ask_ahead(judge, variables))
        return PASSED

    def wait(task: Task, sent: list[Any]) -> Task:
        for question in sent:
            judging.wait(question)
            progress()
        return task

    limit = judging.concurrency * _WAITING
    waiting: deque[tuple[Task, list[Any]]] = deque()
    number = 0
    for task in tasks:
        run(task, ask)
        waiting.append((task, list(questions)))
        number += len(questions)
        questions.clear()
        # Outputs may be large, so that the number of rows is limited, too.
        while waiting and (number >= limit or len(waiting) >= limit or not waiting[0][1]):
            number -= len(waiting[0][1])
            yield wait(*waiting.popleft())
    for task, sent in waiting:
        yield wait(task, sent)


def prospects_of(
    tasks: Iterable[Task], judging: Judging, run: Callable[[Task, Ask], None]
) -> Prospects:
    """Return what judges would be asked about tasks; nothing is sent. `run` is as above."""
    found = Prospects()

    def ask(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        prospect = judging.prospect(judge, variables)
        if isinstance(prospect, Verdict):
            found.impossible[prospect.reason or prospect.outcome] += 1
        else:
            found.add(prospect)
        return PASSED

    for task in tasks:
        run(task, ask)
    return found


Result = TypeVar("Result")


class Threads(Generic[Result]):
    """At most `limit` threads, which work one after another on what is submitted.

    They end with the program, even while they wait: those of `concurrent.futures` would keep an
    interrupted program from ending until the endpoint has answered.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._threads: list[threading.Thread] = []
        self._work: SimpleQueue[tuple[Future[Result], Callable[[], Result]] | None] = SimpleQueue()

    def submit(self, work: Callable[[], Result]) -> Future[Result]:
        """Return the future result of some work."""
        future: Future[Result] = Future()
        self._work.put((future, work))
        if len(self._threads) < self._limit:
            thread = threading.Thread(target=self._serve, name="judge", daemon=True)
            self._threads.append(thread)
            thread.start()
        return future

    def close(self) -> None:
        """Let the threads end, and give up what none of them has begun."""
        while not self._work.empty():
            item = self._work.get()
            if item is not None:
                item[0].cancel()
        for _ in self._threads:
            self._work.put(None)
        self._threads = []

    def _serve(self) -> None:
        while (item := self._work.get()) is not None:
            future, work = item
            if not future.set_running_or_notify_cancel():
                continue
            try:
                result = work()
            except BaseException as error:  # noqa: BLE001 - raised where the result is asked for
                future.set_exception(error)
            else:
                future.set_result(result)


_MILLION = 1_000_000


class Usage(NamedTuple):
    """The usage of judges: questions, tokens and cost.

    `calls` are the questions that the model was sent, one that was asked once more counted twice;
    `cached` are those that the cache answered.
    `unmetered` are answers for which the endpoint told no tokens, and `unpriced` those whose model
    has no price; `cost` is that of the others, and None without prices. `remarks` are for people,
    such as a variable that is not used.
    `repeated` are questions that were asked once more, since no verdict could be read. `lenient`
    are answers that were not in the form that was asked for; `readings` count how they were read.
    `unasked` are questions that were not asked, since the budget was used up.
    """

    calls: int = 0
    cached: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    unmetered: int = 0
    cost: float | None = None
    remarks: tuple[str, ...] = ()
    repeated: int = 0
    lenient: int = 0
    readings: Mapping[str, int] = MappingProxyType({})
    unasked: int = 0
    unpriced: int = 0

    @property
    def whole_cost(self) -> float | None:
        """The cost of all answers; None if that of some is not known."""
        return None if self.unmetered or self.unpriced else self.cost

    @property
    def told_cost(self) -> Iterator[str]:
        """Yield what the tokens cost, for people, and which part of that is not known."""
        if self.cost is not None:
            yield f"cost {'' if self.whole_cost is not None else 'at least '}{self.cost:.4f}"
            if self.unpriced:
                yield f"no price is known for {many(self.unpriced, 'answer')}"

    @property
    def is_empty(self) -> bool:
        """Whether no judge was to be asked."""
        return not self.calls and not self.cached and not self.unasked

    @property
    def tokens(self) -> int:
        """The tokens of questions and answers."""
        return self.input_tokens + self.output_tokens

    def with_readings(self, names: Collection[str]) -> Usage:
        """Return the usage with an answer that was read so; it was as asked for without names."""
        if not names:
            return self
        readings = dict(sorted((Counter(self.readings) + Counter(names)).items()))
        return self._replace(lenient=self.lenient + 1, readings=readings)

    def with_tokens(self, input_: int | None, output: int | None, prices: Prices | None) -> Usage:
        """Return the usage with those of another answer; None if they are not known."""
        if input_ is None or output is None:
            return self._replace(unmetered=self.unmetered + 1)
        usage = self._replace(
            input_tokens=self.input_tokens + input_, output_tokens=self.output_tokens + output
        )
        if prices is None:
            return usage._replace(unpriced=self.unpriced + 1)
        cost = (input_ * prices.input + output * prices.output) / _MILLION
        return usage._replace(cost=(self.cost or 0.0) + cost)


# The number of answers that are remembered for questions that are asked again.
_MAX_REMEMBERED = 10_000
_NOT_INSTALLED = unavailable(f"the client for models is not installed: {INSTALL}")


class _Endpoint:
    """An endpoint with its client and threads; `fault` is why no question to it has an answer."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.client = Client(settings)
        self.threads: Threads[_AnsweredQuestion] = Threads(settings.concurrency)
        self.fault: str | None = None

    def close(self) -> None:
        self.threads.close()
        self.client.close()


_NO_MACHINE = Machine("endpoints.toml")


class Judging:
    """Asks judges over the model of some settings; one thread uses it, and `close`s it.

    A judge whose provider is the name of an endpoint in a file of the machine is asked there, any
    other by `settings`, if there are any.

    `ask` is what checks call; see `EvalContext`. `ask_ahead` sends the question already, so that
    other questions can be sent before `ask` waits for the answer. `answered` counts the questions
    to the endpoint that somebody has waited for, answered or given up, and `failed` those of them
    that ended in an error. Questions beyond the `budget` are not sent, and unavailable.
    """

    def __init__(
        self,
        settings: Settings | None,
        cache: AnswerCache | None = None,
        machine: Machine = _NO_MACHINE,
        budget: QuestionBudget | None = None,
    ) -> None:
        self._cache = cache
        self._budget = budget or QuestionBudget()
        self._machine = machine
        every = [*([settings] if settings else []), *machine.endpoints.values()]
        self._endpoints = {each.provider: _Endpoint(each) for each in every}
        self._judges: dict[str, ReadyJudge | Verdict] = {}
        self._pending: dict[str, _PendingQuestion] = {}
        self._usage = Usage()
        self.answered = self.failed = 0
        self._remarks: dict[str, None] = {}

    @classmethod
    def of(
        cls,
        environment: Mapping[str, str],
        cache: Path | None = None,
        budget: QuestionBudget | None = None,
    ) -> Judging | None:
        """Return what asks by environment variables and the file of this machine with endpoints.

        None if there is no endpoint. `cache` is the folder with the answers of earlier runs, if
        they are used.

        Raises:
            UsageError: a variable, or the file, is malformed.
            ConfigurationError: the file is not TOML.

        """
        settings, machine = read_settings(environment), read_machine(environment)
        if settings is None and not machine.endpoints:
            return None
        return cls(settings, AnswerCache(cache) if cache else None, machine, budget)

    def basis_of(self, judge: Artifact) -> dict[str, dict[str, Any]]:
        """Return what the answers to a judge depend on besides its file; nothing of it is secret.

        That are the `endpoint`, the `parameters` of every question, which are sent unless the
        endpoint refuses them, and by the name of the judge its model (`models`) and the digest of
        the prompt around its template (`prompts`), None for a judge that cannot be asked. A judge
        with an endpoint of its own has both of the former in `endpoints`, by its name.
        """
        ready, endpoint = self._ready(judge), self._endpoint_of(judge)
        model = prompt = None
        if not isinstance(ready, Verdict):
            model = ready.model
            prompt = sha256("\0".join(surroundings(ready.scale)).encode()).hexdigest()
        basis: dict[str, Any] = {"models": {judge.name: model}, "prompts": {judge.name: prompt}}
        if endpoint is None:
            return {"endpoint": {"host": None}, **basis}
        settings = endpoint.settings
        where = {"host": settings.host, "address_sha256": settings.address_sha256}
        parameters = dict(SPOKEN[settings.api].parameters)
        if settings.provider is None:
            return {"endpoint": where, "parameters": parameters, **basis}
        own = {"provider": settings.provider, "api": settings.api, **where}
        return {"endpoints": {judge.name: {**own, "parameters": parameters}}, **basis}

    @property
    def concurrency(self) -> int:
        """The maximum number of questions that are sent at a time, to all endpoints."""
        return sum(each.settings.concurrency for each in self._endpoints.values())

    @property
    def usage(self) -> Usage:
        """The usage of all questions that were sent so far."""
        for pending in self._pending.values():
            if pending.future and pending.future.done():
                self._settle(pending)
        return self._usage._replace(remarks=tuple(self._remarks))

    @property
    def usage_so_far(self) -> Usage:
        """The usage of the answers that a caller has waited for."""
        return self._usage

    def ask(self, judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        """Return the verdict of a judge, for the variables of its template."""
        return self.wait(self.ask_ahead(judge, variables))

    def ask_ahead(
        self, judge: Artifact, variables: Mapping[str, Any]
    ) -> _PendingQuestion | Verdict:
        """Send a question, unless it has been asked, or cannot be: then return the verdict."""
        question = self._question(judge, variables)
        if isinstance(question, Verdict):
            return question
        if question.key not in self._pending:
            try:
                pending = self._from_cache(question) or self._send(question)
            except MissingLibraryError:
                return _NOT_INSTALLED
            if len(self._pending) >= _MAX_REMEMBERED:
                self._settle(self._pending.pop(next(iter(self._pending))))
            self._pending[question.key] = pending
        return self._pending[question.key]

    def prospect(self, judge: Artifact, variables: Mapping[str, Any]) -> Prospect | Verdict:
        """Return a question, without sending it; or the verdict if it cannot be asked."""
        question = self._question(judge, variables)
        if isinstance(question, Verdict):
            return question
        cached = self._cached(question)
        try:
            if cached is None:
                self._endpoints[question.judge.endpoint.provider].client.prepare()
        except MissingLibraryError:
            return _NOT_INSTALLED
        return Prospect(question, cached and cached[0], self._prices_of(question.judge))

    def wait(self, pending: _PendingQuestion | Verdict) -> Verdict:
        """Wait until a question is answered, or has no answer; return the verdict."""
        return pending if isinstance(pending, Verdict) else self._settle(pending)

    def close(self) -> None:
        """Give up the questions that are not answered yet, and close the connections."""
        for endpoint in self._endpoints.values():
            endpoint.close()

    def _endpoint_of(self, judge: Artifact) -> _Endpoint | None:
        """Return where a judge is asked; None if there is no such endpoint."""
        provider = (named_provider(judge) or "").casefold()
        settings = self._machine.endpoints.get(provider)
        return self._endpoints.get(settings.provider if settings else None)

    def _ready(self, judge: Artifact) -> ReadyJudge | Verdict:
        if judge.file not in self._judges:
            self._judges[judge.file] = self._make_ready(judge)
        return self._judges[judge.file]

    def _make_ready(self, judge: Artifact) -> ReadyJudge | Verdict:
        endpoint, provider = self._endpoint_of(judge), named_provider(judge)
        has = f"{self._machine.file} has no endpoint of that name"
        if endpoint is None:
            what = f"the provider `{clipped(provider)}`, and {has}" if provider else "no provider"
            return unavailable(f"no model is configured: {judge.name} names {what}")
        model, default = named_model(judge), endpoint.settings.model
        if endpoint.settings.provider is None:
            if provider and self._machine.endpoints:
                where = f"it is asked at {endpoint.settings.host}"
                remark = (
                    f"{judge.name} names the provider `{clipped(provider)}`: {has}, and {where}"
                )
                self._remarks[remark] = None
            if model and default and model != default:
                remark = f"{judge.name} names the model {model}: EVALCONTRACT_MODEL is not used"
                self._remarks[remark] = None
        return ready_judge(judge, endpoint.settings)

    def _question(self, judge: Artifact, variables: Mapping[str, Any]) -> Question | Verdict:
        ready = self._ready(judge)
        return ready if isinstance(ready, Verdict) else ready.question(variables)

    def _cached(self, question: Question) -> tuple[Reply, Verdict] | None:
        """Return an answer in the cache that can be read, with its verdict."""
        reply = self._cache.get(question.key) if self._cache else None
        verdict = question.verdict(reply) if reply else None
        if reply is None or verdict is None or verdict.score is None:
            return None
        return reply, verdict

    def _from_cache(self, question: Question) -> _PendingQuestion | None:
        cached = self._cached(question)
        if cached is None:
            return None
        verdict = cached[1]
        usage = self._usage._replace(cached=self._usage.cached + 1)
        self._usage = usage.with_readings(_readings(verdict))
        return _PendingQuestion(question.without_messages(), None, verdict)

    def _send(self, question: Question) -> _PendingQuestion:
        endpoint = self._endpoints[question.judge.endpoint.provider]
        endpoint.client.prepare()
        future = endpoint.threads.submit(partial(self._call, question))
        return _PendingQuestion(question, future)

    def _call(self, question: Question) -> _AnsweredQuestion:
        """Return the answer to a question; one that is no verdict is asked for once more."""
        first = self._reply(question, question.messages)
        verdict = question.verdict(first)
        if verdict.score is not None:
            return self._kept(question, _AnsweredQuestion((first,), verdict))
        try:
            again = messages_again(question.messages, question.judge.scale, first.text)
            second = self._reply(question, again)
        except NoReplyError as raised:
            return _AnsweredQuestion(
                (first,), _verdict_of_failure(question, raised), raised.was_sent
            )
        return self._kept(question, _AnsweredQuestion((first, second), question.verdict(second)))

    def _kept(self, question: Question, answered: _AnsweredQuestion) -> _AnsweredQuestion:
        """Keep an answer at once: a run that is killed asks only for what it had not got."""
        if answered.verdict.score is not None and self._cache:
            self._cache.put(question.key, answered.replies[-1])
        return answered

    def _reply(self, question: Question, messages: list[Message]) -> Reply:
        endpoint = self._endpoints[question.judge.endpoint.provider]
        if endpoint.fault is not None:
            raise NoReplyError(endpoint.fault, was_sent=False)
        self._budget.take()
        try:
            reply = endpoint.client.ask(question.judge.model, messages)
        except NoReplyError as raised:
            if raised.is_lasting:
                endpoint.fault = str(raised)
            raise
        self._budget.spend(reply, sum(len(message["content"]) for message in messages))
        endpoint.fault = None  # what another question failed by meanwhile does not last
        return reply

    def _settle(self, pending: _PendingQuestion) -> Verdict:
        """Return the verdict on a question; wait for the answer, and count it once."""
        if pending.verdict is None and pending.future is not None:
            pending.verdict = self._receive(pending.question, pending.future)
            self.answered += 1
            self.failed += pending.verdict.outcome is Outcome.ERROR
            pending.future = None
            pending.question = pending.question.without_messages()
        return pending.verdict or error("it was given up")

    def _receive(self, question: Question, future: Future[_AnsweredQuestion]) -> Verdict:
        usage = self._usage
        try:
            answered = future.result()
        except NoReplyError as raised:
            verdict = _verdict_of_failure(question, raised)
            unasked = usage.unasked + (verdict.outcome is Outcome.UNAVAILABLE)
            self._usage = usage._replace(calls=usage.calls + raised.was_sent, unasked=unasked)
            return verdict
        replies, verdict, unanswered = answered
        usage = usage._replace(unasked=usage.unasked + (verdict.outcome is Outcome.UNAVAILABLE))
        calls = len(replies) + unanswered
        usage = usage._replace(calls=usage.calls + calls, repeated=usage.repeated + (calls > 1))
        usage = usage.with_readings(_readings(verdict))
        for reply in replies:
            tokens = (reply.input_tokens, reply.output_tokens)
            usage = usage.with_tokens(*tokens, self._prices_of(question.judge))
        self._usage = usage
        return verdict

    def _prices_of(self, judge: ReadyJudge) -> Prices | None:
        return self._machine.prices.get(judge.model, judge.endpoint.prices)


class _AnsweredQuestion(NamedTuple):
    """The replies to a question, with the last verdict; `unanswered` requests had none."""

    replies: tuple[Reply, ...]
    verdict: Verdict
    unanswered: int = 0


def _readings(verdict: Verdict) -> Collection[str]:
    names: Collection[str] = (verdict.details or {}).get("readings", ())
    return names


def _verdict_of_failure(question: Question, raised: NoReplyError) -> Verdict:
    if isinstance(raised, BudgetError):
        return unavailable(str(raised))
    return error(str(raised), judge=question.judge.name, model=question.judge.model)


class _PendingQuestion:
    """A question that was asked, with its verdict, or with the answer to come."""

    __slots__ = ("future", "question", "verdict")

    def __init__(
        self,
        question: Question,
        future: Future[_AnsweredQuestion] | None,
        verdict: Verdict | None = None,
    ) -> None:
        self.question = question
        self.future = future
        self.verdict = verdict
