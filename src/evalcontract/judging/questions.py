"""Questions to judges: what each shows of an output, its cached answer and what that is worth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Any
from unicodedata import category, normalize

from evalcontract.analysis.template import scan
from evalcontract.cache.store import Cache
from evalcontract.checks.outcome import Outcome, Verdict, error, unavailable
from evalcontract.judging.client import SPOKEN, Reply
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
from evalcontract.judging.settings import Settings
from evalcontract.library.library import Artifact
from evalcontract.model.errors import UsageError
from evalcontract.model.scale import Scale, ScaleError, scale_of
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import NAME_LENGTH, clipped, is_finite_number
from evalcontract.source.faults import ParseError
from evalcontract.source.json.reading import load_json

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
