"""`explain`: print the manual page of a code, a kind of check, a key or an artifact."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import click

from evalcontract.cli import options
from evalcontract.cli.command import Command, topics
from evalcontract.cli.output import put, wants_colour
from evalcontract.model.codes import Code
from evalcontract.model.nearest import nearest
from evalcontract.policy import current_code

_WIDTH = 80


@click.command(
    "explain",
    cls=Command,
    examples={"Explain a finding by its code": "evalcontract explain dataset/duplicate-id",
"Say what a kind of check takes, needs and does": "evalcontract explain regex",
"Say what a key means, wherever it may stand": "evalcontract explain scoring.threshold",
"List the keys of an artifact as Markdown":
"evalcontract explain rubric --output-format markdown",
},
)  # fmt: skip
@click.argument("topic", required=False, shell_complete=topics)
@options.output_format(*options.TABLES)
def explain_command(topic: str | None, output_format: str) -> None:
    """Explain a code, a kind of check, a key or an artifact, or list all codes.

    TOPIC is the name in brackets in a finding, such as dataset/duplicate-id; a kind of check, such
    as regex; a key, such as expected_facts or scoring.threshold; or an artifact, such as rubric.
    """
    from evalcontract.report import reference
    from evalcontract.report.reference import topics_named  # slow to import
    from evalcontract.workspace.catalogue import KnownCodes

    codes = KnownCodes()
    width = min(shutil.get_terminal_size().columns, _WIDTH)
    if topic is None:
        _put_codes([*codes.values()], output_format, width)
        return
    name = current_code(topic)
    if name in codes:
        if name != topic:
            put([f"note: `{topic}` is now called `{name}`\n"], err=True)
        _put_codes([codes[name]], output_format, width, is_page=True)
        return
    matches = topics_named(topic)
    if not matches:
        raise click.UsageError(_unknown(topic, codes), click.get_current_context())
    if output_format == "text":
        put(reference.write_text(matches, width))
        return
    document = "".join(reference.write_json(matches))
    written = reference.write_markdown(matches)
    _put_answer(document, "topics", written, output_format)


def _put_codes(codes: list[Code], output_format: str, width: int, *, is_page: bool = False) -> None:
    if output_format != "text":
        from evalcontract.report.reference import VERSION

        pages = {"version": VERSION, "codes": [*map(_as_json, codes)]}
        document = json.dumps(pages, ensure_ascii=False) + "\n"
        _put_answer(document, "codes", ["\n".join(map(_as_markdown, codes))], output_format)
    elif is_page:
        put(_page(codes[0], width, in_colour=wants_colour(sys.stdout)))
    else:
        put(_list(codes, width))


def _put_answer(document: str, key: str, in_markdown: Iterable[str], output_format: str) -> None:
    from evalcontract.cli.printing import CommandAnswer, put_answer  # slow to import

    records = json.loads(document)[key]
    written = {"markdown": in_markdown}
    put_answer(CommandAnswer("explain", "", [document], records, written=written), output_format)


def _page(code: Code, width: int, *, in_colour: bool) -> Iterator[str]:
    from evalcontract.workspace.catalogue import url_of

    page, (soft, strict) = code.page, code.severities
    yield f"{click.style(code, bold=True) if in_colour else code}\n"
    yield f"\n{_wrap(page.what, width)}\n\n{_wrap(page.why, width)}\n\n"
    yield f"Severity: {soft} (soft), {strict} (strict)\n"
    yield f"Confidence: {code.confidence}\n"
    yield f"Documentation: {url}\n\n" if (url := url_of(code)) else "\n"
    yield f"Bad:\n\n{textwrap.indent(page.bad, '    ')}\n"
    yield f"Good:\n\n{textwrap.indent(page.good, '    ')}"


def _wrap(text: str, width: int) -> str:
    """Return a text with its paragraphs wrapped; lists and indented examples stay as they are."""
    parts = re.split(r"\n{2,}", text)
    return "\n\n".join(
        part if re.search(r"(?m)^(?:[ ]{2}|[-*|])", part) else textwrap.fill(part, width)
        for part in parts
    )


def _as_json(code: Code) -> dict[str, Any]:
    from evalcontract.workspace.catalogue import url_of

    page, (soft, strict) = code.page, code.severities
    return {
        "code": code, "soft": soft and str(soft), "strict": strict and str(strict),
        "confidence": code.confidence, "url": url_of(code), "what": page.what, "why": page.why,
        "bad": page.bad, "good": page.good,
    }  # fmt: skip


def _as_markdown(code: Code) -> str:
    page, (soft, strict) = code.page, code.severities
    examples = "".join(
        f"\n## {title}\n\n````yaml\n{text}````\n"
        for title, text in (("Bad", page.bad), ("Good", page.good))
    )
    return (
        f"# {code}\n\n{page.what}\n\nSeverity: {soft} (soft), {strict} (strict)  \n"
        f"Confidence: {code.confidence}\n\n## Why\n\n{page.why}\n{examples}"
    )


def _list(codes: Iterable[Code], width: int) -> Iterator[str]:
    """Yield each code by its kind, followed by the first sentence of its page."""
    from evalcontract.checks import kinds_in_use
    from evalcontract.model.values import many
    from evalcontract.report.reference import artifacts
    from evalcontract.workspace.catalogue import kind_of

    for kind, group in groupby(codes, key=kind_of):
        members = [*group]
        yield f"{kind}: {many(len(members), 'code')}\n\n"
        indent = "    "
        for code in members:
            summary = textwrap.fill(
                code.page.summary, width, initial_indent=indent, subsequent_indent=indent
            )
            yield f"{code}\n{summary}\n"
        yield "\n"
    names = ", ".join(topic.name for topic in artifacts() if topic.what == "artifact")
    others = f"Also explained: kinds of checks ({', '.join(kinds_in_use())}), artifacts ({names}), "
    yield textwrap.fill(f"{others}and every key of theirs.", width) + "\n"


def _unknown(given: str, codes: Iterable[str]) -> str:
    from evalcontract.report.reference import names_of_topics

    near = nearest(given, [*names_of_topics(), *codes]) if "/" not in given else None
    near = near or nearest(given, codes) or _by_fault(given, codes)
    advice = f"did you mean `{near}`?" if near else "`evalcontract explain` lists them all"
    what = "code" if "/" in given else "code, kind of check, key or artifact"
    return f"there is no {what} `{given}`; {advice}"


def _by_fault(given: str, codes: Iterable[str]) -> str | None:
    """Find a code by its second half, in case the kind was left out; built-in codes first."""
    faults: dict[str, str] = {}
    for code in codes:
        faults.setdefault(code.partition("/")[2], code)
    near = nearest(given.rpartition("/")[2], faults)
    return faults[near] if near else None
