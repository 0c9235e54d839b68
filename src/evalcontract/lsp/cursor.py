"""Where a position is in the structure of a text, and what it means: its kind, schema and words.

An author asks for help in the middle of a word, and the text may not be possible to parse, so the
lines around it decide, by their columns in YAML and by their brackets in JSON. The result leads to
a part of a schema; checks never use it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from evalcontract.library.library import Artifact, Library
from evalcontract.lsp.documents import OpenDocument
from evalcontract.lsp.text import Point, Text, code, escaped
from evalcontract.model.reference import Kind, Reference
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import listed
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import (
    branches,
    edition_of,
    known_keys,
    load,
    part_at,
    properties,
)
from evalcontract.workspace import Workspace

_LINE = lazy_pattern(
    r"(?P<lead> *)(?P<dashes>(?:-(?: +|$))*)"
    r"(?:(?P<key>\"[^\"]*\"|'[^']*'|[^\s#\"'{}\[\],&*!|>%@`-][^#]{0,200}?|-[^\s#][^#]{0,200}?)\s*:(?=\s|$)"
    r"(?P<gap>\s*)(?P<value>.*))?"
)
_BLOCK = lazy_pattern(r"[|>][-+0-9]*\s*(?:#.*)?$")
_COMMENT = lazy_pattern(r"(?:^|\s)#.*$")
#: The lines around a position that are searched for its own mapping.
_MOST_LINES = 1 << 17
#: A line with more characters is not looked at.
_MOST_CHARACTERS = 1 << 14
_QUOTES = "\"'"
#: What a line begins with that has no structure: nothing, its end, or a comment.
_NOTHING = ("", "\r", "\n", "#")


class CursorStep(NamedTuple):
    """One step from the root to the position: a key, or an item of a list; and what is beside it.

    `siblings` are the keys of the mapping that the step is in, with their scalars as texts.
    """

    key: str | int
    siblings: dict[str, str]


class Cursor(NamedTuple):
    """A position: the steps to the mapping, list or scalar it is in.

    `typed` is the part of a word before the position, which begins at the character `start` of
    the line, and `rest` the part after it. In a value, `key` is its key; else a key can be written,
    beside the `siblings`. `quote` is the quotation mark that the word began with, and `bracket` the
    innermost one that is open.
    """

    steps: tuple[CursorStep, ...]
    siblings: dict[str, str]
    key: str | None
    typed: str
    start: int
    rest: str = ""
    quote: str = ""
    is_block: bool = False
    bracket: str = ""

    @property
    def word(self) -> str:
        """The whole word at the position."""
        return self.typed + self.rest

    @property
    def path(self) -> tuple[str | int, ...]:
        """The steps to the mapping or list, where each item of a list is number 0."""
        return tuple(step.key for step in self.steps)

    @property
    def value(self) -> Any:
        """The mappings around the position as a value, with just what leads to it."""
        inner: Any = dict(self.siblings)
        for step in reversed(self.steps):
            inner = [inner] if isinstance(step.key, int) else {**step.siblings, step.key: inner}
        return inner


class _Entry(NamedTuple):
    """A line of YAML: where its dashes are, and its key with the text of its value."""

    dashes: tuple[int, ...]
    column: int
    key: str | None
    value: str
    value_at: int


def cursor_in_yaml(text: Text, line: int, character: int) -> Cursor:
    """Return the cursor at a place in block-style YAML; both numbers are from 0."""
    whole = text.line(line)
    if len(whole) > _MOST_CHARACTERS:
        return Cursor((), {}, "", "", character)
    here = _entry(whole[:character])
    block = _block_above(text, line, here.column if whole.strip() else character)
    if block is not None:
        owner = _entry(text.line(block))
        steps, siblings = _above(text, block, owner)
        typed, rest = whole[:character], whole[character:]
        return Cursor(steps, siblings, owner.key, typed, 0, rest, is_block=True)
    steps, siblings = _above(text, line, here)
    siblings = {**siblings, **_below(text, line, here)}
    if here.key is None:
        word = re.match(r"[^\s:]*", whole[character:])
        start, typed, quote = _unquote(here.column, whole[here.column : character])
        return Cursor(steps, siblings, None, typed, start, word[0] if word else "", quote)
    start, typed, quote = _unquote(here.value_at, whole[here.value_at : character])
    rest_of = _COMMENT.sub("", whole[character:]).strip().removesuffix(quote)
    return Cursor(steps, siblings, here.key, typed, start, rest_of, quote)


def structured_lines(text: Text) -> Iterator[int]:
    """Yield the numbers of the lines of YAML with content, but of those in blocks of text."""
    block: int | None = None
    for number, line in enumerate(text.lines):
        bare = line.lstrip(" ")
        if bare[:1] in _NOTHING:
            continue
        if block is not None and len(line) - len(bare) > block:
            continue
        block = None
        yield number
        if "|" in line or ">" in line:
            entry = _entry(text.line(number))
            if entry.key is not None and _BLOCK.match(entry.value):
                block = entry.column


def _unquote(start: int, typed: str) -> tuple[int, str, str]:
    if typed[:1] and typed[0] in _QUOTES:
        return start + 1, typed[1:], typed[0]
    return start, typed, ""


def _entry(line: str) -> _Entry:
    match = _LINE.match(line[:_MOST_CHARACTERS])
    if match is None:
        return _Entry((), 0, None, "", 0)
    at = len(match["lead"])
    dashes = tuple(at + n for n, sign in enumerate(match["dashes"]) if sign == "-")
    key = match["key"]
    column = match.start("key") if key else match.end("dashes")
    value = _COMMENT.sub("", match["value"] or "").strip() if key else ""
    value_at = match.start("value") if key else column
    return _Entry(dashes, column, key.strip(_QUOTES) if key else None, value, value_at)


def _block_above(text: Text, line: int, column: int) -> int | None:
    """Return the line of the key whose block of text a line belongs to, if it does."""
    for number, above, lead in _lines_above(text, line):
        if lead >= column:
            continue
        entry = _entry(above)
        if entry.key is not None and _BLOCK.match(entry.value) and entry.column < column:
            return number
        if not lead:
            return None
        column = lead
    return None


def _above(text: Text, line: int, here: _Entry) -> tuple[tuple[CursorStep, ...], dict[str, str]]:
    """Return the steps to the mapping of a line, and the keys of the mapping above the line."""
    steps: list[CursorStep] = []
    own: dict[str, str] = {}
    siblings, column, in_list = own, here.column, False
    dashes = here.dashes
    lines = _lines_above(text, line)
    while True:
        for dash in reversed(dashes):
            if dash < column:
                siblings = {}
                steps.append(CursorStep(0, siblings))
                column, in_list = dash, True
        _, above, lead = next(lines, (0, "", -1))
        if lead < 0:
            return tuple(reversed(steps)), own
        if lead > column or (lead == column and above[lead] == "-"):
            dashes = ()
            continue
        entry = _entry(above)
        dashes = entry.dashes
        if entry.key is None:
            continue
        if entry.column < column or (in_list and entry.column == column):
            siblings = {}
            steps.append(CursorStep(entry.key, siblings))
            column, in_list = entry.column, False
        elif entry.column == column:
            siblings.setdefault(entry.key, _scalar(entry.value))


def _lines_above(text: Text, line: int) -> Iterator[tuple[int, str, int]]:
    """Yield the lines above that are not blank, the nearest first, each with its indentation."""
    for number in range(line - 1, max(line - _MOST_LINES, -1), -1):
        above = text.lines[number] if number < len(text.lines) else ""
        bare = above.lstrip(" ")
        if bare[:1] in _NOTHING:
            continue
        if above.startswith(("---", "...")):
            return
        yield number, text.line(number), len(above) - len(bare)


def _below(text: Text, line: int, here: _Entry) -> dict[str, str]:
    """Return the keys of the mapping of a line that are below the line."""
    scalars: dict[str, str] = {}
    for number in range(line + 1, min(line + _MOST_LINES, len(text.lines))):
        below = text.line(number)
        if below.lstrip(" ")[:1] in _NOTHING:
            continue
        entry = _entry(below)
        first = entry.dashes[0] if entry.dashes else entry.column
        if first < here.column:
            break
        if entry.key is not None and entry.column == here.column:
            scalars.setdefault(entry.key, _scalar(entry.value))
    return scalars


def _scalar(value: str) -> str:
    return value.strip(_QUOTES)


_PART = lazy_pattern(r'"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)|[{}\[\],:]|[^\s{}\[\],:"]+')
#: The brackets around a position that are followed, and the characters of a line of YAML.
_MOST_BRACKETS, _MOST_JSON_CHARACTERS = 100, 1 << 14
#: The characters after the position that are searched for the other keys of its mapping.
_BEYOND = 1 << 14


class _OpenBracket(NamedTuple):
    """A bracket that is not closed: the key that it is the value of, and what is in it so far."""

    bracket: str
    key: str | None
    siblings: dict[str, str]


class _Scan:
    """Reads tokens, and remembers the brackets that are open."""

    def __init__(self, *opened: _OpenBracket) -> None:
        self.opened = [*opened]
        self.key: str | None = None  # the key whose value is next, or is being read
        self.last: str | None = None  # the last scalar

    def read(self, part: str) -> None:
        """Read one part."""
        siblings = self.opened[-1].siblings if self.opened else {}
        if part == ":":
            self.key, self.last = self.last, None
            if self.key is not None:
                siblings.setdefault(self.key, "")
        elif part not in "{}[],":
            self.last = bare(part)
            if self.key is not None:
                siblings[self.key] = self.last
        else:
            if part in "{[":
                self.opened.append(_OpenBracket(part, self.key, {}))
            elif part in "}]" and self.opened:
                self.opened.pop()
            self.key = self.last = None


def bare(part: str) -> str:
    """Return a scalar without its quotation marks."""
    return part.removeprefix('"').removesuffix('"') if part.startswith('"') else part


def cursor_in_json(text: str, at: int, column: int) -> Cursor:
    """Return the cursor at an offset of JSON; `column` is the character of it in its line."""
    scan = _Scan()
    typed, quote = "", ""
    for match in _PART.finditer(text, 0, at):
        part = match[0]
        is_open = part.startswith('"') and (len(part) == 1 or not part.endswith('"'))
        if match.end() == at and (is_open or part[0] not in '{}[],:"'):
            typed, quote = part.removeprefix('"'), '"' if is_open else ""
            continue
        scan.read(part)
    rest = re.match(r'[^"\n]*' if quote else r'[^\s{}\[\],:"]*', text[at:])
    word = rest[0] if rest else ""
    opened = scan.opened
    if len(opened) > _MOST_BRACKETS:
        return Cursor((), {}, "", "", column)
    innermost = opened[-1] if opened else _OpenBracket("", None, {})
    _read_beyond(innermost, text, at + len(word) + len(quote))
    steps = [
        CursorStep(0, {}) if outer.bracket == "[" else CursorStep(inner.key or "", outer.siblings)
        for outer, inner in pairwise(opened)
    ]
    if innermost.bracket == "[":
        steps.append(CursorStep(0, {}))
    siblings = {key: value for key, value in innermost.siblings.items() if key != typed}
    start, bracket = column - len(typed), innermost.bracket
    return Cursor(tuple(steps), siblings, scan.key, typed, start, word, quote, bracket=bracket)


def _read_beyond(innermost: _OpenBracket, text: str, at: int) -> None:
    """Read the keys of the innermost mapping that follow."""
    beyond = _Scan(innermost)
    for match in _PART.finditer(text, at, at + _BEYOND) if innermost.bracket else ():
        beyond.read(match[0])
        if not beyond.opened:
            return


def open_bracket(line: str, at: int) -> int | None:
    """Return where the first bracket opens in a line of YAML that is not closed before `at`.

    A bracket begins a value only after a colon, a dash or another bracket.
    """
    opened: list[int] = []
    before = ""
    if at > _MOST_JSON_CHARACTERS:
        return None
    for match in _PART.finditer(line, 0, at):
        part = match[0]
        begins = before in ("", ":", "-") or opened
        if part in ("{", "[") and begins:
            opened.append(match.start())
        elif part in ("}", "]") and opened:
            opened.pop()
        before = part if part in (":", "-") else "text"
    return opened[0] if opened else None


_ROWS = "questions"
#: The keys that hold a reference, and the kind that it leads to.
REFERENCES = {"rubric_ref": Kind.RUBRIC, "judge_prompt_ref": Kind.JUDGE}


class CursorContext(NamedTuple):
    """A position in a document of a kind that has a schema; `file` is the name of the document."""

    kind: Kind
    cursor: Cursor
    form: str
    workspace: Workspace | None
    file: str = ""

    @property
    def root(self) -> Schema:
        """The schema of the document."""
        return load(self.kind)

    @property
    def path(self) -> tuple[str | int, ...]:
        """The path of the mapping or list at the position; rows are always below `questions`."""
        return (*self._before, *self.cursor.path)

    @property
    def value(self) -> Any:
        """The mapping or list around the position, as far as it can be read, as a value."""
        value = self.cursor.value
        if not self._before:
            return value
        return {_ROWS: [value] if self.form == "jsonl" else value}

    @property
    def _before(self) -> tuple[str | int, ...]:
        if self.kind is not Kind.DATASET:
            return ()
        if self.form == "jsonl":
            return (_ROWS, 0)
        return (_ROWS,) if self.cursor.path[:1] == (0,) else ()

    @property
    def is_row(self) -> bool:
        """Whether the mapping at the position is a row of a dataset."""
        return self.kind is Kind.DATASET and self.path == (_ROWS, 0)

    def part(self, root: Schema | None = None) -> tuple[Schema, Any]:
        """Return the schema of the mapping or list at the position, and what it has so far.

        Without a `root`, by the schema of the document. Both are empty where the text has something
        else than the schema.
        """
        try:
            return part_at(root or self.root, self.value, self.path)
        except (LookupError, TypeError):
            return {}, {}

    def own_keys(self, root: Schema | None = None) -> dict[str, Schema]:
        """Return the keys that the schema knows in the mapping at the position."""
        return known_keys(*self.part(root), root or self.root)

    def bundle_keys(self) -> dict[str, Schema]:
        """Return the keys that the bundle of a row adds."""
        if not self.is_row or self.workspace is None:
            return {}
        of_dataset = self.cursor.steps[0].siblings if self.cursor.steps else {}
        name = self.cursor.siblings.get("bundle") or of_dataset.get("bundle", "")
        bundle = self.workspace.usable_bundles.get(name)
        return properties(bundle) if isinstance(bundle, dict) else {}

    def texts_of_values(self) -> dict[str, str]:
        """Return what each of several values means that the schema allows at the position."""
        edition = edition_of(self.kind)
        schema = self.schema_of_value(load(edition)) if edition else {}
        return dict(
            zip(schema.get("enum", ()), schema.get("markdownEnumDescriptions", ()), strict=False)
        )

    def schema_of_value(self, root: Schema | None = None) -> Schema:
        """Return the schema of the value, or of the item of a list, at the position."""
        if self.cursor.key is not None:
            return follow(self.own_keys(root).get(self.cursor.key, {}), root or self.root)
        return self.part(root)[0] if self.path[-1:] == (0,) else {}


def context_at(
    document: OpenDocument, kind: str | None, point: Point, workspace: Workspace | None
) -> CursorContext | None:
    """Return what a place of a document means; None in a comment, or if its kind has no schema."""
    if kind not in tuple(Kind):
        return None
    form = document.format
    cursor = _cursor(document.text, form, point)
    before = document.text.line(point.line)[: point.character].lstrip()
    if form == "yaml" and before.startswith("#") and not cursor.is_block:
        return None
    return CursorContext(Kind(str(kind)), cursor, form, workspace, str(document.path))


def _cursor(text: Text, form: str, point: Point) -> Cursor:
    line = text.line(point.line)
    if form == "jsonl":
        return cursor_in_json(line, point.character, point.character)
    if form == "json":
        before = sum(map(len, text.lines[: point.line]))
        return cursor_in_json(text.whole, before + point.character, point.character)
    at = open_bracket(line, point.character)
    if at is None:
        return cursor_in_yaml(text, point.line, point.character)
    outer = cursor_in_yaml(text, point.line, at)
    inner = cursor_in_json(line[at:], point.character - at, point.character)
    between = (CursorStep(outer.key, outer.siblings),) if outer.key is not None else ()
    return inner._replace(steps=(*outer.steps, *between, *inner.steps))


_MOST = 20


def describe_artifact(artifact: Artifact) -> str:
    """Return what a rubric or a judge is: its name, what it checks, and how it was validated."""
    value = artifact.document.value
    value = value if isinstance(value, dict) else {}
    lines = [f"**{code(artifact.name)}**"]
    lines += [escaped(text) for key in ("label", "description") if (text := _text(value, key))]
    parts = _of_rubric(value) if artifact.kind is Kind.RUBRIC else _of_judge(value)
    lines.append("\n".join(f"- {part}" for part in parts))
    lines.append(f"*{escaped(artifact.file)}*")
    return "\n\n".join(line for line in lines if line)


def _of_rubric(value: dict[str, Any]) -> Iterator[str]:
    checks = value.get("checks")
    checks = checks if isinstance(checks, list) else []
    for check in checks[:_MOST]:
        if isinstance(check, dict):
            name = code(check["id"]) if isinstance(check.get("id"), str) else "a check"
            refers = _text(check, "judge_prompt_ref") or _text(check, "rubric_ref")
            to = f" → {code(refers)}" if refers else ""
            yield f"{name}: {code(check.get('kind'))}{to}"
    if len(checks) > _MOST:
        yield f"… and {len(checks) - _MOST:,} more checks"
    yield from _scalars(value.get("scoring"), "scoring")


def _of_judge(value: dict[str, Any]) -> Iterator[str]:
    for key in ("score_type", "pass_threshold", "applicable_to"):
        if key in value:
            yield f"{key}: {_shown(value[key])}"
    yield from _scalars(value.get("model"), "model")
    if not isinstance(value.get("validation"), dict):
        yield "not validated"
    yield from _scalars(value.get("validation"), "validation")


def _scalars(value: Any, name: str) -> Iterator[str]:
    """Yield a line with the scalars of a mapping."""
    if isinstance(value, dict):
        shown = [
            f"{escaped(str(key))} {_shown(part)}"
            for key, part in list(value.items())[:_MOST]
            if not isinstance(part, dict)
        ]
        if shown:
            yield f"{name}: {', '.join(shown)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return listed([code(part) for part in value])
    return code(str(value).lower() if isinstance(value, bool) else value)


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def describe_missing(reference: Reference, library: Library) -> str:
    """Return that a reference leads nowhere, and where it might."""
    versions = library.sorted_versions(reference.kind, reference.id)
    if versions:
        known = listed([code(f"{reference.kind}/{reference.id}@{each}") for each in versions])
        return f"There is no {code(reference)}. Versions: {known}"
    near = library.nearest_id(reference.kind, reference.id)
    meant = f" Did you mean {code(f'{reference.kind}/{near}')}?" if near else ""
    return f"There is no {code(reference)}.{meant}"


def describe_key(key: str, schema: Schema, root: Schema, *, is_ours: bool = True) -> str:
    """Return what a key means, by its schema; what other packages and files say is escaped."""
    full = follow(schema, root)
    text = full.get("description") or full.get("title") or ""
    text = str(text) if is_ours else escaped(str(text))
    facts = [f"`{_type(full)}`"] if _type(full) else []
    if values := full.get("enum"):
        facts.append(" · ".join(code(value) for value in values))
    if "default" in full:
        facts.append(f"default {_shown(full['default'])}")
    head = f"**{code(key)}** {' — '.join(facts)}".strip()
    return f"{head}\n\n{text}".strip()


def _type(schema: Schema) -> str:
    types = schema.get("type", "")
    return " or ".join(map(str, types)) if isinstance(types, list) else str(types)


def describe_value(
    schema: Schema, root: Schema, key: str, value: str, texts: Mapping[str, str]
) -> str:
    """Return what one of several values of a key means.

    `texts` are those of the schema for editors. The kinds of checks of other packages have the
    text of the branch of the schema that they select.
    """
    of_branches = (
        str(branch["description"])
        for branch in branches(schema, {key: value}, root)
        if branch is not schema and "description" in branch
    )
    text = texts.get(value) or next(of_branches, "")
    return f"**{code(value)}**\n\n{text}" if text else ""
