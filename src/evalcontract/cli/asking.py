"""What a run may ask judges, and what it would: `--max-questions`, `--max-tokens`, `--dry-run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import wraps
from shutil import get_terminal_size
from typing import Any

from evalcontract.cli import options
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put
from evalcontract.cli.printing import CommandAnswer, head, json_text, listing, put_answer
from evalcontract.judging.cost import (
    CHARACTERS_OF_TOKEN,
    TOKENS_OF_ANSWER,
    Forecast,
    Prospects,
    QuestionBudget,
    forecast_fields,
    total_of,
)
from evalcontract.model.diagnostic import Diagnostic
from evalcontract.model.page import where_to_read
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, many
from evalcontract.policy import exit_status
from evalcontract.report.frame import wrapped

_OPTIONS = (
    options.flag(
        "--dry-run",
        "Ask no judge: say how many questions judges would be asked, how many of them the cache"
        " answers, and estimate tokens and cost.",
    ),
    options.number(
        "--max-questions",
        "Maximum number of questions to send to models; beyond it, checks do not run, and the exit "
        "status is 1.",
    ),
    options.number(
        "--max-tokens",
        "Number of tokens of questions and answers after which no question is sent, with the same "
        "effect.",
    ),
)


class Asking(NamedTuple):
    """How judges may be asked, by the names of the options."""

    dry_run: bool = False
    max_questions: int | None = None
    max_tokens: int | None = None

    @property
    def budget(self) -> QuestionBudget:
        """The budget of the run, which nothing has been spent of."""
        return QuestionBudget(self.max_questions, self.max_tokens)


def _asking(*added: options.Option) -> options.Option:
    def add(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(**arguments: Any) -> Any:
            given = {name: arguments.pop(name) for name in Asking._fields if name in arguments}
            return command(asking=Asking(**given), **arguments)

        with_options: Callable[..., Any] = run
        for option in reversed(added):
            with_options = option(with_options)
        return with_options

    return add


#: Add what may be asked to a command, which gets it as `asking`; `BUDGET` has no dry run.
ASKING, BUDGET = _asking(*_OPTIONS), _asking(*_OPTIONS[1:])


def forecast(
    prospects: Prospects | None, diagnostics: Sequence[Diagnostic], output_format: str
) -> int:
    """Print what judges would be asked; return the exit code, which is that of the findings.

    `prospects` is None if nobody can be asked; with errors in the findings, nothing is known.
    """
    write_findings(diagnostics)
    status = exit_status(diagnostics)
    if prospects is None and status:
        return status
    if output_format == "text":
        put(_text(prospects, get_terminal_size().columns))
    else:
        put_answer(_answer(prospects or Prospects()), output_format)
    return status


def _answer(prospects: Prospects) -> CommandAnswer:
    found = forecast_fields(prospects)
    return listing(
        "dry-run", _sentence(total_of(prospects.forecasts())), judges=found["judges"]
    )._replace(document=json_text({**head("dry-run"), "dry_run": found}))


def _text(prospects: Prospects | None, width: int) -> Iterator[str]:
    if prospects is None:
        where = where_to_read("judges#ask-a-model")
        yield from wrapped(
            f"no question would be asked: no model is configured; see {where}", 0, width
        )
        return
    every = [*prospects.forecasts()]
    yield from wrapped(f"dry run: {_sentence(total_of(every))}", 0, width)
    for each in every:
        name = f"{clipped(each.judge, NAME_LENGTH)} over {clipped(each.model, NAME_LENGTH)}"
        yield from wrapped(escape_controls(f"{name}: {_sentence(each)}"), 2, width)
    for reason, number in prospects.impossible.items():
        line = f"{many(number, 'question')} cannot be asked: {reason}"
        yield from wrapped(escape_controls(line), 2, width)
    if any(each.questions for each in every):
        yield from wrapped(
            "tokens are estimated: by what cached answers of the same judge took, otherwise by "
            f"{CHARACTERS_OF_TOKEN} characters a token and {TOKENS_OF_ANSWER} tokens an answer; "
            "questions that have to be asked once more come on top",
            0,
            width,
        )


def _sentence(each: Forecast) -> str:
    parts = [many(each.questions, "question"), f"{each.cached:,} in the cache"]
    if each.questions:
        parts.append(f"about {each.input_tokens:,} + {many(each.output_tokens, 'token')}")
        parts.append("no price is known" if each.cost is None else f"cost about {each.cost:.4f}")
    return ", ".join(parts)
