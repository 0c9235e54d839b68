"""Questions to judges: what each shows, its cached answer and what that is worth; and the cost."""

from __future__ import annotations

import json
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from html import unescape
from math import ceil
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

from evalcontract.analysis.template import scan
from evalcontract.cache.store import Cache
from evalcontract.checks.outcome import Outcome, Verdict, error, unavailable
from evalcontract.judging.client import SPOKEN, NoReplyError, Reply
from evalcontract.judging.prompt import (
    AGAIN,
    BINARY_WORDS,
    Message,
    PromptError,
    as_text,
    grade_of,
    messages_for,
    on_scale,
)
from evalcontract.judging.settings import Prices, Settings
from evalcontract.library.library import Artifact
from evalcontract.library.scores import Scale, ScaleError, scale_of
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import NAME_LENGTH, clipped, is_finite_number, many
from evalcontract.source.faults import ParseError
from evalcontract.source.json import load_json

# Change this when the format of answers changes.
_NAME = "answers-2"
# The cache is looked through for what is too old after so many answers.
_TRIM_EVERY = 500


class AnswerCache:
    """Answers by the keys of their questions: the text and the tokens, nothing of the question."""

    def __init__(self, folder: Path) -> None:
        self._cache = Cache(folder, _NAME, trim_every=_TRIM_EVERY)

    def get(self, key: str) -> Reply | None:
        """Return an answer; None if there is none, or it is damaged."""
        body = self._cache.get(key)
        if body is None:
            return None
        try:
            text, *tokens = json.loads(body)
        except (ValueError, TypeError, RecursionError):
            return None
        is_whole = isinstance(text, str) and len(tokens) == len(Reply._fields) - 1
        return Reply(text, *tokens) if is_whole else None

    def put(self, key: str, reply: Reply) -> None:
        """Keep an answer, if possible."""
        self._cache.put(key, json.dumps(reply).encode())


#: A reason is cut to this number of characters, and an answer that cannot be read to fewer.
MAX_REASON = 2_000
_SHOWN = 200
#: An answer with other text than its verdict is read up to this number of characters, and of what
#: begins like JSON and is none: for each, the decoder counts the lines before it.
MAX_MIXED, MAX_BROKEN = 1_000_000, 1_000

#: How an answer is read that is not in the form that was asked for, in the words of people.
READINGS: Mapping[str, str] = {
    "thoughts": "after thoughts",
    "fence": "in a fence",
    "prose": "with other text around the JSON",
    "bare": "without JSON",
    "form": "with a verdict in another form",
}

_FENCED = lazy_pattern(r"(`{3,}|~{3,})[\w+.-]*\s*(\{.*\})\s*\1", re.DOTALL)
_OPENING = lazy_pattern(r"[\[{]")
# Models that reason in their answer begin so; some servers leave out the first tag.
_THOUGHT = lazy_pattern(r"\s*<think(?:ing)?>", re.IGNORECASE)
_THOUGHT_END = lazy_pattern(r"</think(?:ing)?>", re.IGNORECASE)
_THOUGHT_TAG = lazy_pattern(r"<(/?)think(?:ing)?>", re.IGNORECASE)
# What may stand before a verdict without JSON, and how long that may be.
_LABEL = lazy_pattern(r"[\s*_#]*verdict[\s*_]*[:=]", re.IGNORECASE)
_MAX_BARE = 1_000

# What may stand between the word and the value: `"verdict": "pass"`, `the verdict is pass`.
_CLAIM = lazy_pattern(r"verdict[\W_]*")
_FILLER = lazy_pattern(r"(?:is|was|be|should|must|of|equals)\b[\W_]*")
_NUMBER = lazy_pattern(r"[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?")
_WORD = lazy_pattern(r"[^\W_]+")
_ESCAPE = lazy_pattern(r"\\+(?:u([0-9a-fA-F]{4})|[nrtbf])?")
# Escapes of escapes are undone so many times.
_MAX_ESCAPED = 5


class AnswerError(Exception):
    """An answer is no verdict; the message shows the beginning of the answer."""

    def __init__(self, problem: str, text: str) -> None:
        shown = shown_of(text)
        super().__init__(f"{problem}: {shown}" if shown else problem)


def shown_of(text: str) -> str:
    """Return the beginning of an answer, as much of it as is shown."""
    return text.strip()[:_SHOWN]


class Answer(NamedTuple):
    """A verdict, whatever JSON value it is, and the reason of the model if it gives one.

    `readings` are the keys of READINGS that say how it was read; none if it is in the form that was
    asked for.
    """

    verdict: Any
    reason: str | None
    readings: tuple[str, ...] = ()


def read_answer(
    text: str, scale: Scale, shown: Iterable[str] = (), *, is_cut: bool = False
) -> Answer:
    """Return the answer in a text: a JSON object with the key `verdict`, or a verdict alone.

    `shown` are the texts that the model was shown, which it may quote. With `is_cut`, the end of
    the answer is missing, so that only a whole object counts.

    Raises:
        AnswerError: there is none, there are several verdicts, or what was shown has the same one.

    """
    shown = tuple(shown)
    answer_text = _without_thoughts(text, shown)
    if not answer_text.strip():
        raise AnswerError("the answer is empty", text)
    readings = () if answer_text == text else ("thoughts",)
    whole = _whole(answer_text.strip(), readings)
    if whole is not None:
        return whole
    if is_cut:
        raise AnswerError("the answer is cut off", text)
    bare = _verdict_alone(answer_text, scale)
    if bare is not None:
        return Answer(bare, None, (*readings, "bare"))
    return _answer(_own(answer_text, scale, shown, answer=text), (*readings, "prose"))


def _answer(value: dict[str, Any], readings: tuple[str, ...]) -> Answer:
    reason = value.get("reason")
    reason = reason[:MAX_REASON] if isinstance(reason, str) else None
    return Answer(value["verdict"], reason, readings)


def _without_thoughts(text: str, shown: Iterable[str]) -> str:
    """Return an answer without the thoughts before it, if it is certain where they end."""
    tags = list(_THOUGHT_TAG.finditer(text))
    if not any(tag[1] for tag in tags):
        return "" if _THOUGHT.match(text) else text
    closes = [bool(tag[1]) for tag in tags]
    if closes[0]:  # the server has left out the first tag
        closes.insert(0, False)
    is_certain = closes == [False, True] * (len(closes) // 2)
    if not is_certain or any(_THOUGHT_END.search(_plain(part)) for part in shown):
        return text
    return text[tags[-1].end() :]


def _whole(text: str, readings: tuple[str, ...]) -> Answer | None:
    """Return the answer that a text is, with nothing around but a fence."""
    fenced = _FENCED.fullmatch(text)
    value = _object(fenced[2] if fenced else text)
    return (
        _answer(value, (*readings, *(["fence"] if fenced else []))) if "verdict" in value else None
    )


def _verdict_alone(text: str, scale: Scale) -> str | None:
    """Return the verdict that a text is, without JSON and without anything else."""
    text = text.strip()
    if len(text) > _MAX_BARE:
        return None
    label = _LABEL.match(text)
    text = text if label is None or on_scale(scale, text) is not None else text[label.end() :]
    return None if on_scale(scale, text) is None else text


def _own(text: str, scale: Scale, shown: Iterable[str], answer: str) -> dict[str, Any]:
    """Return the object with the verdict that is the model's own, in a text with other things."""
    objects = list(_objects_in(text, answer))
    if not objects:
        raise AnswerError("the answer is not JSON with a `verdict`", answer)
    held = {value for part in shown for value in _claims(part, scale)}
    own = [value for value, _ in objects if _comparison_key(scale, value["verdict"]) not in held]
    if not own:
        raise AnswerError("the answer may quote its verdict from what the judge was shown", answer)
    verdict = own[-1]["verdict"]
    ends = [0, *(span.stop for _, span in objects)]
    starts = [*(span.start for _, span in objects), len(text)]
    rest = " ".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    others = {*_claims(rest, scale)} - held - {_comparison_key(scale, verdict)}
    if others or not all(_is_same(scale, value["verdict"], verdict) for value in own):
        raise AnswerError("the answer has two different verdicts", answer)
    return own[-1]


def _objects_in(text: str, answer: str) -> Iterator[tuple[dict[str, Any], slice]]:
    """Yield the objects with a verdict in a text, each with its place."""
    # What stands inside of another value, or of one that is broken, is none of them.
    decoder = json.JSONDecoder()
    position = broken = 0
    if len(text) > MAX_MIXED:
        raise AnswerError(f"the answer has more than {MAX_MIXED:,} characters", answer)
    while (opening := _OPENING.search(text, position)) is not None:
        start = opening.start()
        try:
            _, position = decoder.raw_decode(text, start)
        except json.JSONDecodeError as error:
            position = max(error.pos, start + 1)
            broken += 1
            if broken > MAX_BROKEN:
                raise AnswerError("the answer cannot be read", answer) from None
        except (ValueError, RecursionError):  # a number of too many digits; nested too deeply
            raise AnswerError("the answer cannot be read", answer) from None
        else:
            value = _object(text[start:position])
            if "verdict" in value:
                yield value, slice(start, position)


def _object(text: str) -> dict[str, Any]:
    """Return the JSON object that a text is; an empty one if it is none."""
    # An object with two verdicts is none: its keys must be unique.
    try:
        value = load_json(text.encode())
    except (ParseError, ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _is_same(scale: Scale, first: Any, second: Any) -> bool:
    found = on_scale(scale, first)
    if found is not None:
        return found == on_scale(scale, second)
    return type(first) is type(second) and bool(first == second)


def _claims(text: str, scale: Scale) -> Iterator[str | float]:
    """Yield the values on a scale that a text calls a verdict, however it writes them."""
    plain = _plain(text)
    names = sorted({_plain(name).strip() for name in scale.levels or ()}, key=len, reverse=True)
    words = BINARY_WORDS if scale.score_type == "binary" else {}
    patterns = [(name, re.compile(_letters(name))) for name in names]
    patterns += [(name, re.compile(word)) for word, name in words.items()]
    for claim in _CLAIM.finditer(plain):
        end = claim.end()
        yield from (name for name in names if name in claim[0])  # those without a letter
        while True:
            if scale.levels is None:
                number = _NUMBER.match(plain, end)
                yield from [float(number[0])] if number else []
                if number and plain[end - 1] == ".":  # `.5`, which is no JSON
                    yield from [float(f".{number[0]}")]
            yield from (name for name, pattern in patterns if pattern.match(plain, end))
            filler = _FILLER.match(plain, end)
            if filler is None:
                break
            end = filler.end()


def _letters(name: str) -> str:
    """Return a pattern of the name of a level from its first letter or digit on."""
    # Its words may stand in other lines, or be written as `very_good`. A name without letters and
    # digits matches nothing.
    words = _WORD.findall(name)
    return r"[\W_]*".join(map(re.escape, words)) if words else r"(?!)"


def _comparison_key(scale: Scale, verdict: Any) -> str | float:
    found = on_scale(scale, verdict)
    verdict = verdict if found is None else found
    if is_finite_number(verdict):
        return abs(float(verdict))
    return _plain(verdict).strip() if isinstance(verdict, str) else json.dumps(verdict)


def _plain(text: str) -> str:
    """Return a text as it is compared: without escapes, case and what is not seen."""
    text = unescape(text)
    for _ in range(_MAX_ESCAPED):
        if "\\" not in text:
            break
        text = _ESCAPE.sub(_unescape, text)
    if text.isascii():
        return text.lower()
    text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return "".join(char for char in normalize("NFKC", text).casefold() if category(char) != "Cf")


def _unescape(escape: re.Match[str]) -> str:
    if escape[1]:
        return chr(int(escape[1], 16))
    return "" if escape[0].endswith("\\") else " "


class ReadyJudge(NamedTuple):
    """A judge that can be asked, the model that it is asked over, and the endpoint of that."""

    name: str
    template: str
    scale: Scale
    model: str
    endpoint: Settings = Settings()

    def question(self, variables: Mapping[str, Any]) -> Question | Verdict:
        """Return what the judge is asked; or the verdict if that is not possible."""
        try:
            messages = messages_for(self.template, self.scale, variables)
        except (PromptError, UsageError) as raised:
            return error(f"{self.name} cannot be asked: {raised}")
        # The messages contain the scale. Nothing of all this can be read from the digest.
        endpoint, parameters = self.endpoint.identity, dict(SPOKEN[self.endpoint.api].parameters)
        parts = [self.name, self.template, endpoint, self.model, messages, parameters, AGAIN]
        key = sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        shown = [as_text(variables.get(name)) for name in sorted(scan(self.template).shown)]
        return Question(self, messages, key, tuple(shown))


class Question(NamedTuple):
    """A question for a model; `key` identifies all that the answer depends on.

    `shown` are the texts that the template shows, which others wrote.
    """

    judge: ReadyJudge
    messages: list[Message]
    key: str
    shown: tuple[str, ...] = ()

    def without_messages(self) -> Question:
        """Return the question without what is needed only to send it, which may be large."""
        return self._replace(messages=[], shown=())

    def verdict(self, reply: Reply) -> Verdict:
        """Return the verdict in a reply; an error if there is none.

        The details have the verdict as it stands on the scale and, if the answer was not in the
        form that was asked for, how it was read; or else the beginning of the `answer`.
        """
        judge, text = self.judge, reply.text
        details: dict[str, Any] = {"judge": judge.name, "model": judge.model}
        try:
            answer = read_answer(text, judge.scale, self.shown, is_cut=reply.is_cut)
        except AnswerError as raised:
            return error(str(raised), **details, answer=shown_of(text))
        try:
            grade = grade_of(judge.scale, answer.verdict)
        except ScaleError as raised:
            problem = f"the answer has a `verdict` that cannot be used, since {raised}"
            return error(str(AnswerError(problem, text)), **details, answer=shown_of(text))
        details["verdict"] = grade.verdict
        readings = (
            *answer.readings,
            *([] if grade.is_exact or "bare" in answer.readings else ["form"]),
        )
        if readings:
            details["readings"] = list(readings)
        if answer.reason:
            details["reason"] = answer.reason
        if grade.passes:
            return Verdict(Outcome.PASSED, grade.score, None, details)
        verdict_text = clipped(json.dumps(grade.verdict, ensure_ascii=False), NAME_LENGTH)
        reason = answer.reason or f"the judge answers {verdict_text}"
        return Verdict(Outcome.FAILED, grade.score, reason, details)


def ready_judge(artifact: Artifact, endpoint: Settings) -> ReadyJudge | Verdict:
    """Return a judge that can be asked at an endpoint, or the verdict of checks that ask it."""
    value = artifact.document.value
    template = value.get("template") if isinstance(value, dict) else None
    if not isinstance(template, str):
        return unavailable(f"{artifact.name} has no template")
    model = named_model(artifact) or endpoint.model
    if model is None:
        where = "EVALCONTRACT_MODEL is not set"
        if endpoint.provider is not None:
            where = f"the endpoint `{clipped(endpoint.provider)}` has no `model`"
        return unavailable(f"no model is configured: {artifact.name} names no model, and {where}")
    if endpoint.lacks is not None:
        reason = f"the key of `{clipped(endpoint.provider or '')}` is missing"
        return unavailable(f"{reason}: {endpoint.lacks} is not set")
    try:
        scale = scale_of(value)
    except ScaleError as raised:
        return error(f"{artifact.name} is not valid: {raised}")
    return ReadyJudge(artifact.name, template, scale, model, endpoint)


def named_model(artifact: Artifact) -> str | None:
    """Return the name of the model that a judge is meant for, if it names one."""
    match artifact.document.value:
        case {"model": {"name": str(name)}} if name.strip():
            return str(name)
    return None


def named_provider(artifact: Artifact) -> str | None:
    """Return the name of who serves the model that a judge is meant for, if it says so."""
    match artifact.document.value:
        case {"model": {"provider": str(name)}} if name.strip():
            return name.strip()
    return None


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
