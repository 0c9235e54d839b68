"""`explain`: print the manual page of a code, a kind of check, a key or an artifact."""

from __future__ import annotations

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import groupby
from textwrap import fill, indent
from typing import Any

import click
from click.shell_completion import CompletionItem

from evalcontract.checks import kinds_in_use
from evalcontract.checks._kind import EvalContext, State
from evalcontract.checks.outcome import Outcome
from evalcontract.cli import options
from evalcontract.cli.command import Command, chosen, completes, parts_of_codes
from evalcontract.cli.output import put, wants_colour
from evalcontract.cli.printing import CommandAnswer, json_text, put_answer
from evalcontract.library.library import Library
from evalcontract.model.codes import Code
from evalcontract.model.nearest import nearest
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import many
from evalcontract.policy import current_code
from evalcontract.source.yaml.writing import yaml_mapping
from evalcontract.structure import schemas
from evalcontract.structure.authored import SchemaAnalyses
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import SHARED_KEYS
from evalcontract.workspace.catalogue import KnownCodes, kind_of, url_of

_WIDTH = 80


@completes
def _topics(incomplete: str) -> list[CompletionItem]:
    """Offer what is explained: kinds, artifacts and keys, and codes by their kinds."""
    names = names_of_topics() if "/" not in incomplete else []
    return [*parts_of_codes(incomplete, KnownCodes()), *chosen(dict.fromkeys(names), incomplete)]


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
@click.argument("topic", required=False, shell_complete=_topics)
@options.output_format(*options.TABLES)
def explain_command(topic: str | None, output_format: str) -> None:
    """Explain a code, a kind of check, a key or an artifact, or list all codes.

    TOPIC is the name in brackets in a finding, such as dataset/duplicate-id; a kind of check, such
    as regex; a key, such as expected_facts or scoring.threshold; or an artifact, such as rubric.
    """
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
        put(write_text(matches, width))
        return
    pages = [
        {**topic._asdict(), "keys": [key._asdict() for key in topic.keys],
         "notes": dict(topic.notes)}
        for topic in matches
    ]  # fmt: skip
    _put_answer("topics", pages, write_markdown(matches), output_format)


def _put_codes(codes: list[Code], output_format: str, width: int, *, is_page: bool = False) -> None:
    if output_format != "text":
        markdown = ["\n".join(map(_as_markdown, codes))]
        _put_answer("codes", [*map(_as_json, codes)], markdown, output_format)
    elif is_page:
        put(_page(codes[0], width, in_colour=wants_colour(sys.stdout)))
    else:
        put(_list(codes, width))


def _put_answer(
    key: str, pages: list[dict[str, Any]], markdown: Iterable[str], output_format: str
) -> None:
    document, written = json_text({"version": VERSION, key: pages}), {"markdown": markdown}
    put_answer(CommandAnswer("explain", "", document, pages, written=written), output_format)


def _page(code: Code, width: int, *, in_colour: bool) -> Iterator[str]:
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


#: What a program can rely on; docs/versioning.md says when it changes.
VERSION = "1.0"
#: The longest example that stands beside a key, in characters.
_SHORT = 50


class Key(NamedTuple):
    """A key that a schema describes.

    `path` leads to it from the top of its file, as in `checks[].threshold`, or is its name alone in
    a list of keys. `kinds` are the kinds of checks that have it, if only some do; `read_by` those
    that read it, for a key of rows. `allowed` says what its value may be.
    """

    path: str
    description: str
    allowed: str
    required: bool = False
    default: Any = None
    example: Any = None
    artifact: str = ""
    kinds: tuple[str, ...] = ()
    read_by: tuple[str, ...] = ()


class Topic(NamedTuple):
    """A page: of a kind of check, of a key, or of an artifact or a part of it.

    `what` is one of these words. `notes` are pairs of a heading and a text. `example` is YAML.
    """

    name: str
    what: str
    description: str
    keys: tuple[Key, ...] = ()
    notes: tuple[tuple[str, str], ...] = ()
    example: str = ""


def write_text(topics: Iterable[Topic], width: int) -> Iterator[str]:
    """Yield pages as text of a width."""
    for number, topic in enumerate(topics):
        yield ("\n\n" if number else "") + f"{topic.name} ({topic.what})\n"
        if topic.description:
            yield f"\n{fill(topic.description, width)}\n"
        for heading, text in topic.notes:
            yield "\n" + fill(f"{heading}: {text}", width, subsequent_indent="  ") + "\n"
        if topic.keys:
            yield "\n" if topic.what == "key" else "\nKeys:\n"
        for key in topic.keys:
            yield from _key_as_text(key, width)
        if topic.example:
            yield f"\nExample:\n\n{indent(topic.example, '    ')}"


def _key_as_text(key: Key, width: int) -> Iterator[str]:
    where = f"{key.artifact}: {key.path}" if key.artifact else key.path
    facts = [key.allowed, *(["required"] if key.required else []), *_facts(key)]
    deep = "      "
    yield fill(f"  {where}{_of_kinds(key)}", width, subsequent_indent=deep) + "\n"
    yield fill("; ".join(facts), width, initial_indent=deep, subsequent_indent=deep) + "\n"
    yield fill(key.description, width, initial_indent=deep, subsequent_indent=deep) + "\n"


def _facts(key: Key) -> Iterator[str]:
    if key.default is not None:
        yield f"default: {_json(key.default)}"
    elif key.example is not None and len(shown := _json(key.example)) <= _SHORT:
        yield f"such as {shown}"
    if key.read_by:
        yield f"read by: {', '.join(key.read_by)}"


def _of_kinds(key: Key) -> str:
    return f" (of {', '.join(key.kinds)})" if key.kinds else ""


def write_markdown(topics: Iterable[Topic]) -> Iterator[str]:
    """Yield pages as Markdown, each with a heading of the first level."""
    for number, topic in enumerate(topics):
        yield ("\n" if number else "") + f"# `{topic.name}` ({topic.what})\n"
        if topic.description:
            yield f"\n{topic.description}\n"
        for heading, text in topic.notes:
            yield f"\n**{heading}**: {text}\n"
        if topic.keys:
            yield "\n| key | value | required | default | what |\n|---|---|---|---|---|\n"
        yield from map(_key_as_row, topic.keys)
        if topic.example:
            yield f"\n```yaml\n{topic.example}```\n"


def _key_as_row(key: Key) -> str:
    where = f"{key.artifact}: `{key.path}`" if key.artifact else f"`{key.path}`"
    default = "" if key.default is None else f"`{_json(key.default)}`"
    required = "yes" if key.required else "no"
    cells = [where + _of_kinds(key), key.allowed, required, default, key.description]
    return "| " + " | ".join(cell.replace("|", r"\|") for cell in cells) + " |\n"


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


#: The artifacts that people write; the other schemas describe what is written for programs.
AUTHORED = ("dataset", "rubric", "judge", "target", "configuration")
#: The key that says of which kind a check is.
_KIND = "kind"
#: A definition is a topic of its own if it is a mapping with keys, and not a check of one kind.
_OF_KIND = "check_"


def topics_named(name: str) -> list[Topic]:
    """Return the pages on a name: a kind of check, an artifact or a part of one, a key.

    A key may be a path, such as `scoring.threshold`. Several things may have the same name.

    Raises:
        PluginError: a kind of another package cannot be used.

    """
    topics = [topic for topic in artifacts() if topic.name == name]
    topics += [kind_topic(name)] if name in kinds_in_use() else []
    places = tuple(key for key in every_key() if _is_named(key.path, name))
    return [*topics, *([Topic(name, "key", "", places)] if places else [])]


def names_of_topics() -> list[str]:
    """List every name that has a page: kinds, then artifacts and their parts, then keys."""
    keys = (re.sub(r"^.*[.]", "", key.path).removesuffix("[]") for key in every_key())
    others = (topic.name for topic in artifacts())
    return [*dict.fromkeys([*kinds_in_use(), *others, *filter(str.isidentifier, keys)])]


def kind_topic(name: str) -> Topic:
    """Return the page of a kind of check: what it checks, its keys, what it needs, an example."""
    root = schemas.load("rubric")
    schema = follow(root["$defs"].get(f"{_OF_KIND}{name}", {}), root)
    example: Any = next(iter(schema.get("examples", ())), None)
    text = yaml_mapping({"checks": [example]}).decode() if example else ""
    notes = [("When it runs", needs)] if (needs := _needs_of(name)) else []
    if kinds_in_use()[name].prepare is not None:
        notes.append(("Outcomes", _sentences(Outcome)))
    notes.append(("Coverage", _sentences(State)))
    keys = sorted(_keys_of(schema, root), key=lambda key: key.path in SHARED_KEYS)
    described = schema.get("description", "")
    return Topic(name, "kind of check", described, tuple(keys), tuple(notes), text)


def _needs_of(name: str) -> str:
    """Return what the module of a kind says that it needs of a row."""
    kind = kinds_in_use()[name]
    module = sys.modules.get((kind.prepare or kind.needs).__module__)
    summary = " ".join((getattr(module, "__doc__", None) or "").split("\n\n")[0].split())
    return summary.partition("`: ")[2] if summary.startswith(f"`{name}`: ") else ""


def _sentences(enum: type[Outcome | State]) -> str:
    """Return what an enumeration says of its members, which are written as in its values."""
    described = " ".join((enum.__doc__ or "").split("\n\n", 1)[-1].split())
    return re.sub(r"\b[A-Z]{3,}\b", lambda match: match[0].lower(), described)


@cache
def artifacts() -> tuple[Topic, ...]:
    """Return the pages of the artifacts, and of the parts of those that people write."""
    roots = {name: schemas.load(name) for name in schemas.names()}
    topics = [_artifact(name, "artifact", root, root=root) for name, root in roots.items()]
    for name in AUTHORED:
        for part, schema in roots[name].get("$defs", {}).items():
            if "properties" in schema and not part.startswith(_OF_KIND):
                topics.append(_artifact(part, f"part of a {name}", schema, root=roots[name]))
    return tuple(topics)


def _artifact(name: str, what: str, schema: Schema, root: Schema) -> Topic:
    example = next((each for each in schema.get("examples", ()) if isinstance(each, dict)), None)
    text = yaml_mapping(example).decode() if example else ""
    return Topic(name, what, schema.get("description", ""), _keys_of(schema, root), (), text)


def _keys_of(schema: Schema, root: Schema) -> tuple[Key, ...]:
    required = schema.get("required", ())
    return tuple(
        _key(name, follow(each, root), root, required=name in required)
        for name, each in schema.get("properties", {}).items()
    )


@cache
def every_key() -> tuple[Key, ...]:
    """Return every key of every file that people write, in the order of the schemas."""
    keys: dict[tuple[str, str, str], Key] = {}
    for artifact in AUTHORED:
        root = schemas.load(artifact)
        for key in _walk(root, root, "", kind=None, above=()):
            same = (artifact, key.path, key.description)
            kinds = (*(keys[same].kinds if same in keys else ()), *key.kinds)
            keys[same] = key._replace(artifact=artifact, kinds=kinds)
    every_kind = set(kinds_in_use())
    return tuple(
        key._replace(kinds=() if set(key.kinds) >= every_kind else key.kinds,
                     read_by=_readers(key.path) if key.artifact == "dataset" else ())
        for key in keys.values()
    )  # fmt: skip


def _walk(
    schema: Schema, root: Schema, path: str, kind: str | None, above: tuple[int, ...]
) -> Iterator[Key]:
    """Yield the keys at and below a schema."""
    schema = follow(schema, root)
    properties = schema.get("properties", {})
    if id(properties) in above:
        return
    required = schema.get("required", ())
    for name, each in properties.items():
        there = f"{path}.{name}" if path else name
        subschema = follow(each, root)
        key = _key(there, subschema, root, required=name in required)
        yield key._replace(kinds=(kind,) if kind else ())
        yield from _walk(subschema, root, there, kind=kind, above=(*above, id(properties)))
    if isinstance(items := schema.get("items"), dict):
        yield from _walk(items, root, f"{path}[]", kind=kind, above=above)
    for name in properties.get(_KIND, {}).get("enum", ()):
        for branch in list(schemas.branches(schema, {_KIND: name}, root))[1:]:
            yield from _walk(branch, root, path, kind=name, above=above)


def _key(path: str, schema: Schema, root: Schema, *, required: bool) -> Key:
    example = next(iter(schema.get("examples", ())), None)
    described = (schema.get("description", ""), allowed(schema, root))
    return Key(path, *described, required, schema.get("default"), example)


def allowed(schema: Schema, root: Schema) -> str:
    """Return what a value may be, in words: `number from 0 to 1`, `list of strings`."""
    if "const" in schema:
        return f"`{schema['const']}`"
    if "enum" in schema:
        return "one of " + ", ".join(f"`{value}`" for value in schema["enum"])
    types = schema.get("type", "anything")
    names = {"array": "list", "object": "mapping", "boolean": "true or false"}
    titles = [names.get(each, each) for each in ([types] if isinstance(types, str) else types)]
    if titles == ["list"] and isinstance(schema.get("items"), dict):
        return f"list; each {allowed(follow(schema['items'], root), root)}"
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = f" from {low}" if low is not None else ""
    bounds += f" to {high}" if high is not None else ""
    return " or ".join(titles) + bounds


def _is_named(path: str, name: str) -> bool:
    plain = path.replace("[]", "")
    return name in (path, plain) or plain.endswith(f".{name}")


def _readers(path: str) -> tuple[str, ...]:
    """Return the kinds whose checks read a key of rows if they have no value of their own."""
    field = path.removeprefix("questions[].")
    return tuple(name for name, fields in _read_fields().items() if field in fields)


@cache
def _read_fields() -> dict[str, frozenset[str]]:
    """Return the keys of rows that each kind reads for a check that has no keys but its kind."""
    root = schemas.load("rubric")
    context = EvalContext(library=Library(), has_php=True, read_json=str, schemas=SchemaAnalyses())
    return {
        name: kind.reads({_KIND: name}, context)
        for name, kind in kinds_in_use().items()
        if _needs_only_its_kind(root["$defs"].get(f"{_OF_KIND}{name}", {}))
    }


def _needs_only_its_kind(schema: Schema) -> bool:
    others = (part.get("else", {}).get("required") for part in (schema, *schema.get("allOf", ())))
    return schema.get("required") == [_KIND] and not any(others)
