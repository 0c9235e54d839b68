"""What commands answer on standard output, as each output format has it; and dry runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from shutil import get_terminal_size
from typing import TYPE_CHECKING, Any

from evalcontract._version import __version__
from evalcontract.cli.outcome import write_findings
from evalcontract.cli.output import put, put_json
from evalcontract.model.codes import where_to_read
from evalcontract.model.diagnostic import Diagnostic, Place, Severity
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import NAME_LENGTH, clipped, escape_controls, many
from evalcontract.policy import exit_status
from evalcontract.report import FORMATS, Report, Style, write_of
from evalcontract.report.frame import wrapped
from evalcontract.report.github import SHOWN, escaped_data, escaped_property
from evalcontract.report.junit import escaped
from evalcontract.report.markdown import MAX_BYTES, plain, text
from evalcontract.source.yaml.writing import csv_text
from evalcontract.workspace.roots import RepositoryNames

if TYPE_CHECKING:
    from evalcontract.judging.questions import Forecast, Prospects


class CaseOutcome(NamedTuple):
    """What becomes of a case: an element of JUnit, or none; a severity, or no finding."""

    element: str | None = None
    severity: Severity | None = None


class Case(NamedTuple):
    """A part of an answer that is well or not: a row, a rate, an artifact.

    `group` is what it belongs to, such as a rubric. `outcome` is one of the answer's `outcomes`;
    another is well. `reasons` say why, and `place` where.
    """

    name: str
    group: str
    outcome: str
    reasons: Sequence[str] = ()
    place: Place | None = None


class MarkdownTable(NamedTuple):
    """A table in Markdown: cells are written as they are; from `numbers` on, they align right."""

    head: Sequence[str]
    lines: Iterable[Sequence[str]]
    numbers: int = 99


class CommandAnswer(NamedTuple):
    """What a command answers, for programs; each part is read only if a format shows it.

    `document` has the pieces of one JSON text; `records` become lines of JSON, and of a table. Its
    columns are their keys, or the `header` without any record.
    `subject` is the file that cases without a place are in. `written` has the text of formats that
    the command writes itself.
    """

    command: str
    sentence: str
    document: Iterable[str] = ()
    records: Iterable[Mapping[str, Any]] = ()
    tables: Iterable[MarkdownTable] = ()
    cases: Iterable[Case] = ()
    outcomes: Mapping[str, CaseOutcome] = {}
    subject: str = "evalcontract"
    written: Mapping[str, Iterable[str]] = {}
    header: Sequence[str] = ()

    @property
    def findings(self) -> Iterator[tuple[Case, Severity, Place]]:
        """The cases that are findings, with their severity and place."""
        for case in self.cases:
            severity = self.outcomes.get(case.outcome, CaseOutcome()).severity
            if severity is not None:
                yield case, severity, case.place or Place(self.subject)


def put_answer(answer: CommandAnswer, output_format: str) -> None:
    """Print an answer in an output format for programs."""
    if output_format in answer.written:
        put(_harmless(answer.written[output_format]))
    elif output_format in _PRINTERS:
        _PRINTERS[output_format](answer)
    else:
        _put_findings(answer, output_format)


#: The version of the documents that have no other.
VERSION = "1.0"


def head(command: str) -> dict[str, Any]:
    """Return what the document of a command begins with; see `schema/answer.schema.json`."""
    tool = {"name": "evalcontract", "version": __version__}
    return {"version": VERSION, "tool": tool, "command": command}


def listing(
    command: str,
    sentence: str,
    more: Mapping[str, Any] = {},
    **lists: Sequence[Mapping[str, Any]],
) -> CommandAnswer:
    """Return the answer of a command that lists something: lists of records, by what they are.

    The document has `more`.
    """
    records = [
        {"of": name, **each} if len(lists) > 1 else each
        for name, some in lists.items()
        for each in some
    ]
    keys = [*dict.fromkeys(key for each in records for key in each)]
    lines = ([_in_markdown(each.get(key)) for key in keys] for each in records)
    return CommandAnswer(
        command,
        sentence,
        document=json_text({**head(command), **more, **lists}),
        records=records,
        tables=[MarkdownTable(keys, lines)],
        header=() if records else _keys_of(command, lists),
    )


def _keys_of(command: str, lists: Iterable[str]) -> Sequence[str]:
    """Return the keys that records of some lists have, by the schema of answers."""
    from evalcontract.structure.schemas import load  # only without any record

    defined = load("answer")["$defs"]
    parts = defined.get(command, {}).get("properties", {})
    names = [*lists]
    items = [parts.get(name, {}).get("items", {}) for name in names]
    items = [defined[each["$ref"].rpartition("/")[2]] if "$ref" in each else each for each in items]
    several = ["of"] if len(names) > 1 else []
    return [*several, *dict.fromkeys(key for each in items for key in each.get("properties", {}))]


def _in_markdown(value: Any) -> str:
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return "<br>".join(map(text, value))
    return text(_cell(value))


def json_text(document: Any) -> Iterator[str]:
    """Yield the pieces of a document in one line."""
    yield f"{json.dumps(document, ensure_ascii=False)}\n"


_BETWEEN_ENDS = lazy_pattern("[^\r\n\t]+")


def _put_table(answer: CommandAnswer) -> None:
    records = [*answer.records]
    keys = dict.fromkeys(key for record in records for key in record)
    header = [*keys] if records else answer.header
    cells = ({key: _cell(value) for key, value in each.items()} for each in records)
    if header:
        put(_harmless([csv_text(header, [*cells], ",")]))


def _harmless(pieces: Iterable[str]) -> Iterator[str]:
    """Yield text without controls that a terminal acts on; files of results have them."""
    return (_BETWEEN_ENDS.sub(lambda match: escape_controls(match[0]), piece) for piece in pieces)


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)


def _put_markdown(answer: CommandAnswer) -> None:
    put([f"### evalcontract: {plain(answer.sentence)}\n"])
    room = MAX_BYTES
    for table in answer.tables:
        marks = ["---:" if at >= table.numbers else "---" for at in range(len(table.head))]
        begin = f"\n{_line(table.head)}{_line(marks)}"
        lines = [*table.lines]
        for number, line in enumerate(lines):
            shown = f"{begin if not number else ''}{_line(line)}"
            room -= len(shown.encode("utf-8", "replace"))
            if room < 0:
                put([f"\n… and {len(lines) - number:,} more\n"])
                return
            put([shown])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |\n"


def _put_junit(answer: CommandAnswer) -> None:
    """Print a test suite, of which each case is a test."""
    cases = [*answer.cases]
    elements = [answer.outcomes.get(case.outcome, CaseOutcome()).element for case in cases]
    counts = [
        f'{name}="{elements.count(element)}"'
        for name, element in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped"))
    ]
    suite = f'tests="{len(cases)}" {" ".join(counts)}'
    put(['<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="evalcontract">\n'])
    put([f'<testsuite name="{escaped(answer.subject)}" {suite}>\n'])
    put(_test_case(case, element) for case, element in zip(cases, elements, strict=True))
    put(["</testsuite>\n</testsuites>\n"])


def _test_case(case: Case, element: str | None) -> str:
    head = f'<testcase classname="{escaped(case.group)}" name="{escaped(case.name)}"'
    if element is None:
        return f"{head}/>\n"
    message = escaped(case.reasons[0] if case.reasons else case.outcome)
    inside = "".join(f"{escaped(reason)}\n" for reason in case.reasons)
    told = "" if element == "system-out" else f' message="{message}"'
    return f"{head}>\n<{element}{told}>{inside}</{element}>\n</testcase>\n"


_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "notice"}


def _put_github(answer: CommandAnswer) -> None:
    """Print workflow commands of GitHub Actions: a notice, and each finding as an annotation."""
    name_of = RepositoryNames()
    found = [*answer.findings]
    told = [answer.sentence]
    if more := len(found[SHOWN:]):
        told.append(f"GitHub shows {SHOWN} of them, the log of this step {more:,} more")
    put([f"::notice title=evalcontract::{escaped_data(told)}\n"], raw=True)
    for case, severity, place in found:
        file, line = name_of(place.file), place.span.line if place.span else 1
        title = escaped_property(f"{case.name}: {case.outcome}")
        message = escaped_data([*map(escape_controls, case.reasons)] or [case.outcome])
        where = f"file={escaped_property(file)},line={line},title={title}"
        put([f"::{_COMMANDS[severity]} {where}::{message}\n"], raw=True)


def _put_findings(answer: CommandAnswer, output_format: str) -> None:
    """Print the findings as those of a check, by the format's own writer."""
    found = [
        Diagnostic(
            f"{answer.command}/{case.outcome.replace(' ', '-')}",
            severity,
            f"{case.name}: {'; '.join(case.reasons) or case.outcome}",
            place,
            row=case.name,
        )
        for case, severity, place in answer.findings
    ]
    pieces = write_of(output_format)(
        Report(found, {}, name_of=RepositoryNames()), Style(version=__version__)
    )
    if FORMATS[output_format] == "json":
        put_json(pieces)
    else:
        put(pieces)


_PRINTERS: Mapping[str, Callable[[CommandAnswer], None]] = {
    "json": lambda answer: put_json(answer.document),
    "jsonl": lambda answer: put_json(each for one in answer.records for each in json_text(one)),
    "csv": _put_table,
    "markdown": _put_markdown,
    "junit": _put_junit,
    "github": _put_github,
}


# What judges would be asked: `--dry-run`


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
        put(_forecast_text(prospects, get_terminal_size().columns))
    else:
        put_answer(_forecast_answer(prospects), output_format)
    return status


def _forecast_answer(prospects: Prospects | None) -> CommandAnswer:
    from evalcontract.judging import questions  # slow to import

    prospects = prospects or questions.Prospects()
    sentence = _forecast_sentence(questions.total_of(prospects.forecasts()))
    found = questions.forecast_fields(prospects)
    document = json_text({**head("dry-run"), "dry_run": found})
    return listing("dry-run", sentence, judges=found["judges"])._replace(document=document)


def _forecast_text(prospects: Prospects | None, width: int) -> Iterator[str]:
    from evalcontract.judging import questions  # slow to import

    if prospects is None:
        where = where_to_read("judges#ask-a-model")
        yield from wrapped(
            f"no question would be asked: no model is configured; see {where}", 0, width
        )
        return
    every = [*prospects.forecasts()]
    yield from wrapped(f"dry run: {_forecast_sentence(questions.total_of(every))}", 0, width)
    for each in every:
        name = f"{clipped(each.judge, NAME_LENGTH)} over {clipped(each.model, NAME_LENGTH)}"
        yield from wrapped(escape_controls(f"{name}: {_forecast_sentence(each)}"), 2, width)
    for reason, number in prospects.impossible.items():
        line = f"{many(number, 'question')} cannot be asked: {reason}"
        yield from wrapped(escape_controls(line), 2, width)
    if any(each.questions for each in every):
        yield from wrapped(
            "tokens are estimated: by what cached answers of the same judge took, otherwise by "
            f"{questions.CHARACTERS_OF_TOKEN} characters a token and {questions.TOKENS_OF_ANSWER} "
            "tokens an answer; "
            "questions that have to be asked once more come on top",
            0,
            width,
        )


def _forecast_sentence(each: Forecast) -> str:
    parts = [many(each.questions, "question"), f"{each.cached:,} in the cache"]
    if each.questions:
        parts.append(f"about {each.input_tokens:,} + {many(each.output_tokens, 'token')}")
        parts.append("no price is known" if each.cost is None else f"cost about {each.cost:.4f}")
    return ", ".join(parts)
