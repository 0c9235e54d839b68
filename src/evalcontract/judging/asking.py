"""Ask judges over a model: several questions at a time, none of them twice."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future
from functools import partial
from hashlib import sha256
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from evalcontract.checks.outcome import PASSED, Verdict, error, unavailable
from evalcontract.judging.client import (
    INSTALL,
    PARAMETERS,
    Client,
    MissingLibraryError,
    NoReplyError,
    read_settings,
)
from evalcontract.judging.prompt import surroundings
from evalcontract.judging.questions import (
    AnswerCache,
    Question,
    ReadyJudge,
    named_model,
    ready_judge,
)
from evalcontract.library.artifact import Artifact
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.checks._kind import Ask
    from evalcontract.judging.client import Prices, Reply, Settings
    from evalcontract.judging.prompt import Message

Task = TypeVar("Task")

# For each question that is sent at a time, so many more wait, in case that one takes long.
_WAITING = 4


def asked_ahead(
    tasks: Iterable[Task],
    judging: Judging,
    run: Callable[[Task, Ask], None],
    told: Callable[[], None] | None = None,
) -> Iterator[Task]:
    """Yield tasks, in order, each when the questions of its judges have been answered.

    `run` runs the checks of a task that ask judges, with what they are to ask by. They get no
    answer yet: what a check asks must not depend on earlier answers. If it does, the other
    questions are asked when the task is graded. `told` is called after each answer.
    """
    questions: list[Any] = []

    def ask(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        questions.append(judging.ask_ahead(judge, variables))
        return PASSED

    limit = judging.concurrency * _WAITING
    waiting: deque[tuple[Task, list[Any]]] = deque()
    sent = 0
    for task in tasks:
        run(task, ask)
        waiting.append((task, list(questions)))
        sent += len(questions)
        questions.clear()
        # Outputs may be large, so that the number of rows is limited, too.
        while waiting and (sent >= limit or len(waiting) >= limit or not waiting[0][1]):
            first, asked = waiting.popleft()
            sent -= len(asked)
            yield _answered(first, asked, judging, told)
    for task, asked in waiting:
        yield _answered(task, asked, judging, told)


def _answered(
    task: Task, asked: list[Any], judging: Judging, told: Callable[[], None] | None
) -> Task:
    for question in asked:
        judging.wait(question)
        if told:
            told()
    return task


def questions_to_send(
    tasks: Iterable[Task], judging: Judging, run: Callable[[Task, Ask], None]
) -> int:
    """Count the questions of tasks that only the endpoint can answer; none is sent.

    `run` is as above. A question that is asked again is sent once.
    """
    keys: set[str] = set()

    def ask(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        key = judging.to_be_sent(judge, variables)
        if key is not None:
            keys.add(key)
        return PASSED

    for task in tasks:
        run(task, ask)
    return len(keys)


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


# The number of answers that are remembered for questions that are asked again.
_MAX_REMEMBERED = 10_000
_NOT_INSTALLED = unavailable(f"the client for models is not installed: {INSTALL}")


class Judging:
    """Asks judges over the model of some settings; one thread uses it, and `close`s it.

    `ask` is what checks call; see `EvalContext`. `ask_ahead` sends the question already, so that
    other questions can be sent before `ask` waits for the answer.
    """

    def __init__(self, settings: Settings, cache: AnswerCache | None = None) -> None:
        self._settings = settings
        self._cache = cache
        self._client = Client(settings)
        self._threads: Threads[_AnsweredQuestion] = Threads(settings.concurrency)
        self._judges: dict[str, ReadyJudge | Verdict] = {}
        self._asked: dict[str, _PendingQuestion] = {}
        self._usage = Usage()
        self._answered = 0
        self._remarks: dict[str, None] = {}
        self._lasting: str | None = None

    @classmethod
    def of(cls, environment: Mapping[str, str], cache: Path | None = None) -> Judging | None:
        """Return what asks by the settings of environment variables; None if there is no endpoint.

        `cache` is the folder with the answers of earlier runs, if they are used.

        Raises:
            UsageError: a variable is malformed.

        """
        settings = read_settings(environment)
        return settings and cls(settings, AnswerCache(cache) if cache else None)

    def basis_of(self, judge: Artifact) -> dict[str, dict[str, Any]]:
        """Return what the answers to a judge depend on besides its file; nothing of it is secret.

        That are the `endpoint`, the `parameters` of every question, which are sent unless the
        endpoint refuses them, and by the name of the judge its model (`models`) and the digest of
        the prompt around its template (`prompts`), None for a judge that cannot be asked.
        """
        ready, settings = self._ready(judge), self._settings
        model = prompt = None
        if not isinstance(ready, Verdict):
            model = ready.model
            prompt = sha256("\0".join(surroundings(ready.scale)).encode()).hexdigest()
        return {
            "endpoint": {"host": settings.host, "address_sha256": settings.address_sha256},
            "parameters": dict(PARAMETERS),
            "models": {judge.name: model},
            "prompts": {judge.name: prompt},
        }

    @property
    def concurrency(self) -> int:
        """The maximum number of questions that are sent at a time."""
        return self._settings.concurrency

    @property
    def usage(self) -> Usage:
        """The usage of all questions that were sent so far."""
        for asked in self._asked.values():
            if asked.future and asked.future.done():
                self._settle(asked)
        return self._usage._replace(remarks=tuple(self._remarks))

    @property
    def spent(self) -> Usage:
        """The usage of the answers that a caller has waited for."""
        return self._usage

    @property
    def answered(self) -> int:
        """The questions to the endpoint that somebody has waited for, answered or given up."""
        return self._answered

    def ask(self, judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        """Return the verdict of a judge, for the variables of its template."""
        asked = self.ask_ahead(judge, variables)
        return asked if isinstance(asked, Verdict) else self._settle(asked)

    def ask_ahead(
        self, judge: Artifact, variables: Mapping[str, Any]
    ) -> _PendingQuestion | Verdict:
        """Send a question, unless it has been asked, or cannot be: then return the verdict."""
        question = self._question(judge, variables)
        if isinstance(question, Verdict):
            return question
        asked = self._asked.get(question.key)
        if asked is None:
            try:
                asked = self._kept(question) or self._sent(question)
            except MissingLibraryError:
                return _NOT_INSTALLED
            self._remember(asked)
        return asked

    def to_be_sent(self, judge: Artifact, variables: Mapping[str, Any]) -> str | None:
        """Return the key of a question that only the endpoint can answer, without sending it.

        None if it cannot be asked, or the cache has its answer.
        """
        question = self._question(judge, variables)
        if isinstance(question, Verdict) or self._known(question):
            return None
        try:
            self._client.prepare()
        except MissingLibraryError:
            return None
        return question.key

    def wait(self, asked: _PendingQuestion | Verdict) -> None:
        """Wait until a question is answered, or has no answer."""
        if not isinstance(asked, Verdict):
            self._settle(asked)

    def close(self) -> None:
        """Give up the questions that are not answered yet, and close the connections."""
        self._threads.close()
        self._client.close()

    def _ready(self, judge: Artifact) -> ReadyJudge | Verdict:
        if judge.file not in self._judges:
            default = self._settings.model
            self._judges[judge.file] = ready_judge(judge, default)
            named = named_model(judge)
            if named and default and named != default:
                remark = f"{judge.name} names the model {named}: EVALCONTRACT_MODEL is not used"
                self._remarks[remark] = None
        return self._judges[judge.file]

    def _question(self, judge: Artifact, variables: Mapping[str, Any]) -> Question | Verdict:
        """Return what a judge is asked, or the verdict if it cannot be asked."""
        ready = self._ready(judge)
        if isinstance(ready, Verdict):
            return ready
        return ready.question(self._settings.base_url, variables)

    def _known(self, question: Question) -> Verdict | None:
        """Return the verdict of an answer in the cache that can be read."""
        reply = self._cache.get(question.key) if self._cache else None
        verdict = question.verdict(reply) if reply else None
        return None if verdict is None or verdict.score is None else verdict

    def _kept(self, question: Question) -> _PendingQuestion | None:
        """Return a question that the cache answers."""
        verdict = self._known(question)
        if verdict is None:
            return None
        self._usage = self._usage._replace(cached=self._usage.cached + 1)
        return _PendingQuestion(question.without_messages(), None, verdict)

    def _sent(self, question: Question) -> _PendingQuestion:
        self._client.prepare()
        return _PendingQuestion(question, self._threads.submit(partial(self._call, question)))

    def _call(self, question: Question) -> _AnsweredQuestion:
        """Return the answer to a question; one that is no verdict is asked for once more."""
        first = self._reply(question, question.messages)
        verdict = question.verdict(first)
        if verdict.score is not None:
            return _AnsweredQuestion((first,), verdict)
        try:
            second = self._reply(question, question.messages_again(first.text))
        except NoReplyError as raised:
            return _AnsweredQuestion((first,), _unanswered(question, raised), raised.was_sent)
        return _AnsweredQuestion((first, second), question.verdict(second))

    def _reply(self, question: Question, messages: list[Message]) -> Reply:
        if self._lasting is not None:
            raise NoReplyError(self._lasting, was_sent=False)
        try:
            reply = self._client.ask(question.judge.model, messages)
        except NoReplyError as raised:
            if raised.is_lasting:
                self._lasting = str(raised)
            raise
        self._lasting = None  # what another question failed by meanwhile does not last
        return reply

    def _remember(self, asked: _PendingQuestion) -> None:
        if len(self._asked) >= _MAX_REMEMBERED:
            oldest = self._asked.pop(next(iter(self._asked)))
            self._settle(oldest)
        self._asked[asked.question.key] = asked

    def _settle(self, asked: _PendingQuestion) -> Verdict:
        """Return the verdict on a question; wait for the answer, and count it once."""
        if asked.verdict is None and asked.future is not None:
            asked.verdict = self._received(asked.question, asked.future)
            self._answered += 1
            asked.future = None
            asked.question = asked.question.without_messages()
        return asked.verdict or error("it was given up")

    def _received(self, question: Question, future: Future[_AnsweredQuestion]) -> Verdict:
        usage = self._usage
        try:
            answered = future.result()
        except NoReplyError as raised:
            self._usage = usage._replace(calls=usage.calls + raised.was_sent)
            return _unanswered(question, raised)
        replies, verdict, unanswered = answered
        usage = usage._replace(calls=usage.calls + len(replies) + unanswered)
        for reply in replies:
            tokens = (reply.input_tokens, reply.output_tokens)
            usage = usage.with_tokens(*tokens, self._settings.prices)
        self._usage = usage
        if verdict.score is not None and self._cache:
            self._cache.put(question.key, replies[-1])
        return verdict


class _AnsweredQuestion(NamedTuple):
    """The replies to a question, in order, and the verdict of the last.

    `unanswered` is the number of requests that were sent without a reply.
    """

    replies: tuple[Reply, ...]
    verdict: Verdict
    unanswered: int = 0


def _unanswered(question: Question, raised: NoReplyError) -> Verdict:
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
