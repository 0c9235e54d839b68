"""What a judge is asked about an output, and what its answer comes to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from evalcontract.analysis.template import scan
from evalcontract.checks.outcome import Outcome, Verdict, error, unavailable
from evalcontract.judging.answer_cache import question_key
from evalcontract.judging.answers import AnswerError, read_answer, shown_of
from evalcontract.judging.grade_of import grade_of
from evalcontract.judging.mustache import as_text
from evalcontract.judging.prompt import PromptError, messages_again, messages_for
from evalcontract.model.errors import UsageError
from evalcontract.model.scale import Scale, ScaleError, scale_of
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped

if TYPE_CHECKING:
    from collections.abc import Mapping

    from evalcontract.judging.client import Reply
    from evalcontract.judging.prompt import Message
    from evalcontract.library.artifact import Artifact


class ReadyJudge(NamedTuple):
    """A judge that can be asked, and the model that it is asked over."""

    name: str
    template: str
    scale: Scale
    model: str

    def question(self, url: str, variables: Mapping[str, Any]) -> Question | Verdict:
        """Return what the judge is asked at an endpoint; or the verdict if that is not possible."""
        try:
            messages = messages_for(self.template, self.scale, variables)
        except (PromptError, UsageError) as raised:
            return error(f"{self.name} cannot be asked: {raised}")
        key = question_key(self.name, self.template, url, self.model, messages)
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

    def messages_again(self, answer: str) -> list[Message]:
        """Return what is sent after an answer that is no verdict."""
        return messages_again(self.messages, self.judge.scale, answer)

    def without_messages(self) -> Question:
        """Return the question without what is needed only to send it, which may be large."""
        return self._replace(messages=[], shown=())

    def verdict(self, reply: Reply) -> Verdict:
        """Return the verdict in a reply; an error if there is none.

        The details have the verdict as it stands on the scale, or else the beginning of the
        `answer`.
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
        if answer.reason:
            details["reason"] = answer.reason
        if grade.passes:
            return Verdict(Outcome.PASSED, grade.score, None, details)
        said = clipped(json.dumps(grade.verdict, ensure_ascii=False), NAME_LENGTH)
        reason = answer.reason or f"the judge answers {said}"
        return Verdict(Outcome.FAILED, grade.score, reason, details)


def ready_judge(artifact: Artifact, default_model: str | None) -> ReadyJudge | Verdict:
    """Return a judge that can be asked, or the verdict of checks that ask it.

    `default_model` is for a judge that names none.
    """
    value = artifact.document.value
    template = value.get("template") if isinstance(value, dict) else None
    if not isinstance(template, str):
        return unavailable(f"{artifact.name} has no template")
    model = named_model(artifact) or default_model
    if model is None:
        reason = f"{artifact.name} names no model, and EVALCONTRACT_MODEL is not set"
        return unavailable(f"no model is configured: {reason}")
    try:
        scale = scale_of(value)
    except ScaleError as raised:
        return error(f"{artifact.name} is not valid: {raised}")
    return ReadyJudge(artifact.name, template, scale, model)


def named_model(artifact: Artifact) -> str | None:
    """Return the name of the model that a judge is meant for, if it names one."""
    match artifact.document.value:
        case {"model": {"name": str(name)}} if name.strip():
            return str(name)
    return None
