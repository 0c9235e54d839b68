"""What a file is by its keys: a dataset of another system, a task, or a file of another kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, partial
from itertools import product
from typing import TYPE_CHECKING, Any, TypeAlias

from evalcontract.model.diagnostic import Path, Problem, Span
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import clipped
from evalcontract.source import RowSource, SourceProblem, UnreadableFile, format_of
from evalcontract.source.faults import duplicate_fault
from evalcontract.structure.parts import Schema, follow
from evalcontract.structure.schemas import definition, known_keys, load, properties
from evalcontract.workspace.recognition import (
    Tool,
    tool_of_root,
    tool_of_rows,
    tool_without_dataset,
)

if TYPE_CHECKING:
    from evalcontract.datasets.tables import TableSource
    from evalcontract.formats import Format
    from evalcontract.source.external import ExternalFile
    from evalcontract.source.rows import RowIterable

#: Asks a format for the dialect of a document or a row.
_Ask: TypeAlias = "Callable[[dict[str, Any]], Format | None]"

# A row or document with one of these keys is in evalcontract's format.
_NATIVE_KEYS = frozenset(
    {"questions", "criteria", "rubric_ref", "must_contain_any", "must_not_contain"}
)
# So many rows, forms of rows and keys are examined, and items of a list in them.
_EXAMINED_ROWS = 20
_EXAMINED_KEYS = 50
# So many keys are tried as the one that is misspelled: for each, the rows are copied.
_TRIED = 8


class DialectMatch(NamedTuple):
    """A dialect that a dataset can be in, and the keys that show it.

    If only the first rows of the dataset were examined, `of_first` is their number.
    """

    dialect: Format
    keys: tuple[str, ...] = ()
    of_first: int | None = None


def detect(value: Any) -> DialectMatch | None:
    """Return the only dialect that a document, its rows or a row can be in."""
    matches = candidates(value)
    return matches[0] if len(matches) == 1 else None


def detect_in(source: RowSource | ExternalFile) -> DialectMatch | None:
    """Return the only dialect that a file can be in: of JSONL, by its first block of rows."""
    first, stream = source.peek(), source.stream
    if stream is None or _has_own_key(first):
        return detect(first)
    from evalcontract.source.jsonl import RowStream  # slow to import

    if not isinstance(stream, RowStream):
        return detect([first])
    # The first line may be one that only Python's parser reads.
    rows = next((batch.rows for batch in stream.batches(quick=True)), [])
    match = detect(rows if rows[:1] == [first] else [first, *rows])
    return match._replace(of_first=len(rows)) if match and not stream.is_done else match


def candidates(value: Any) -> list[DialectMatch]:
    """Return the dialects that a document, a list of rows or a row can be in.

    All formats are asked, of the commonest rows first. Those that recognise a row for sure go
    before those to which it may belong, and these before those to which it would belong if one of
    its keys was not misspelled. All rows decide which dialect of a system it is.
    """
    is_list = isinstance(value, list)
    rows = _forms(value) if is_list else [_with_forms(value)]
    if not rows or _is_native(rows[0]) or tool_without_dataset(value):
        return []
    examined = [row for row in rows[:_EXAMINED_ROWS] if not _is_native(row)]
    for row, asks in _asked(examined):
        asked = [(ask, dialect) for ask in asks if (dialect := ask(row))]
        asked = [pair for pair in asked if is_list or pair[1].of_rows.isdisjoint(value)]
        keys = {dialect: _keys_of(ask, row, dialect) for ask, dialect in asked}
        if keys:
            whole = {key: part for each in (*rows[::-1], row) for key, part in each.items()}
            return [DialectMatch(_reader_of(each, whole), by) for each, by in keys.items()]
    return []


def _asked(rows: list[dict[str, Any]]) -> Iterator[tuple[dict[str, Any], Iterable[_Ask]]]:
    """Yield rows, each with what asks of it, the surest first.

    Of keys that may be misspelled, those go first that are written in the case of the key that is
    meant: both in camel case, or neither.
    """
    for asks, row in product((_sure, _unsure), rows):
        yield row, asks(row)
    misspelled = cache(lambda at: [*_misspelled(rows[at])])
    for is_alike, at in product((True, False), range(len(rows))):
        yield rows[at], [ask for alike, ask in misspelled(at) if alike is is_alike]


def _forms(rows: list[Any]) -> list[dict[str, Any]]:
    """Return the first mapping with each selection of keys, the commonest first, and some more."""
    mappings = [row for row in rows if isinstance(row, dict)]
    first = mappings[:_EXAMINED_ROWS]
    if not first or first[0].keys() >= set().union(*mappings):
        return first  # the first row shows what all have
    forms = Counter(map(tuple, mappings))
    shown = dict(zip(map(tuple, reversed(mappings)), reversed(mappings), strict=True))
    return [*(shown[form] for form, _ in forms.most_common()), *first]


def _with_forms(value: Any) -> dict[str, Any]:
    """Return a document with fewer rows in its lists, which show what all of them have."""
    parts = value.items() if isinstance(value, dict) else ()
    return {key: (isinstance(part, list) and _forms(part)) or part for key, part in parts}


def _is_native(row: dict[str, Any]) -> bool:
    return _has_own_key(row) or row.keys() <= _keys_of_rows()


def _has_own_key(row: Any) -> bool:
    return isinstance(row, dict) and not _NATIVE_KEYS.isdisjoint(row)


def _formats(row: dict[str, Any]) -> Iterable[type[Format]]:
    """Return the formats of which a row may be; one that is complete as ours is ours."""
    from evalcontract.formats import formats_in_use  # slow to import

    is_ours = isinstance(row.get("id"), str) and isinstance(row.get("input"), str)
    return () if is_ours else formats_in_use()


def _sure(_: dict[str, Any]) -> Iterator[_Ask]:
    return (form.recognise for form in _formats({}))


def _unsure(row: dict[str, Any]) -> Iterator[_Ask]:
    return (form.may_recognise for form in _formats(row))


def _misspelled(row: dict[str, Any]) -> Iterator[tuple[bool, _Ask]]:
    """Yield what asks of a row with one key as it is read: of the formats that read another.

    Each comes with whether both keys are in camel case, or neither is.
    """
    for form in _formats(row):
        read, near = _keys_for(form.dialects(), row)
        for key in [*near][:_TRIED] if read else ():
            is_alike = key.islower() is near[key].islower()
            yield is_alike, partial(_recognised, form, {key: near[key]})


def _recognised(form: type[Format], names: Mapping[str, str], value: Any) -> Format | None:
    """Ask a format for the dialect of a value whose keys have other names."""
    renamed = _renamed(value, names) if names else value
    return form.recognise(renamed) or form.may_recognise(renamed)


def _reader_of(dialect: Format, whole: dict[str, Any]) -> Format:
    """Return the dialect of a system that reads what rows have together, misspelled or not."""
    _, near = _keys_for(dialect.dialects(), whole)
    return _recognised(type(dialect), near, whole) or dialect


def _keys_for(dialects: Iterable[Format], value: dict[str, Any]) -> tuple[set[str], dict[str, str]]:
    """Return the keys in a document or row that some dialects read, and those near one of them."""
    roots = [load(dialect.schema) for dialect in dialects]
    parts = [(root["$defs"].get(name, {}), root) for root in roots for name in ("file", "row")]
    pairs = [pair for part, root in parts for pair in _described(value, part, root)]
    read = {key for key, meant in pairs if key == meant}
    return read, {key: meant for key, meant in reversed(pairs) if key not in read}


def _described(value: Any, schema: Schema, root: Schema) -> Iterator[tuple[str, str]]:
    """Yield the keys in a value that a schema describes, or almost, each with the one it has."""
    schema = follow(schema, root)
    if isinstance(value, list):
        for part in value[:_EXAMINED_ROWS]:
            yield from _described(part, schema.get("items", {}), root)
    elif isinstance(value, dict):
        known = known_keys(schema, value, root)
        for key in (*value,)[:_EXAMINED_KEYS] if known else ():
            meant = key if key in known else nearest(key, known)
            if meant and (meant == key or meant not in value):
                yield key, meant
                yield from _described(value[key], known[meant], root)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Return a value in which keys have other names, wherever they are."""
    if isinstance(value, list):
        return [_renamed(part, names) for part in value]
    if isinstance(value, dict):
        return {names.get(key, key): _renamed(part, names) for key, part in value.items()}
    return value


def _keys_of(ask: _Ask, row: dict[str, Any], dialect: Format) -> tuple[str, ...]:
    """Return the keys of a row without which it would not be taken for one of a dialect."""
    if len(row) > _EXAMINED_KEYS:
        return ()
    others = {key: {name: part for name, part in row.items() if name != key} for key in row}
    return tuple(key for key, rest in others.items() if ask(rest) != dialect)


def _keys_of_rows() -> AbstractSet[str]:
    """Return the keys of evalcontract rows; every other format requires a key not among them."""
    return properties(definition("row", of="dataset")).keys()


# Only this many rows are compared with those of other tools.
_ROWS_OF_OTHER_TOOLS = 100
_IDENTITY = frozenset({"id", "version"})
_ARTICLES = {
    Kind.DATASET: "an evalcontract dataset",
    Kind.RUBRIC: "a rubric",
    Kind.JUDGE: "a judge",
}


def problem_of_rows(rows: list[Any], path: Path) -> Problem | None:
    """Return the problem of rows of another tool; None if they may be of this package.

    `path` leads to the first row.
    """
    first = next((row for row in rows if isinstance(row, dict)), None)
    dialects = _dialects_of(rows) if first is not None else None
    if dialects:
        return _of_dialects(dialects, path)
    tool = tool_of_rows(rows[:_ROWS_OF_OTHER_TOOLS])
    return _of_tool(Kind.DATASET, tool, path) if tool else None


def problem_of_root(kind: Kind, value: dict[str, Any]) -> Problem | None:
    """Return the problem of a whole file of another tool; None if it may be of this package."""
    if kind is Kind.DATASET:
        dialects = _dialects_of(value)
        if dialects:
            return _of_dialects(dialects, ())
    elif value.keys() >= _IDENTITY:
        return None
    tool = tool_of_root(value)
    return _of_tool(kind, tool, ()) if tool else None


def _dialects_of(value: Any) -> list[Format]:
    return [each.dialect for each in candidates(value)]


def _of_dialects(dialects: list[Format], path: Path) -> Problem:
    systems = " or ".join(dialect.title for dialect in dialects)
    message = f"this looks like a dataset of {systems}, not an evalcontract dataset"
    names = " or ".join(f"`--dialect {dialect}`" for dialect in dialects)
    advice = f"check it with {names}"
    if len(dialects) == 1:
        advice = (
            f"check it with `validate-dataset --dialect {dialects[0]}`, or translate it with "
            f"`evalcontract convert --from {dialects[0]}`"
        )
    return Problem("dataset/other-tool", message, path, advice)


def _of_tool(kind: Kind, tool: Tool, path: Path) -> Problem:
    message = f"this looks like {tool.what or 'a file'} of {tool.name}, not {_ARTICLES[kind]}"
    if tool.what:
        return Problem(f"{kind}/other-tool", message, path, tool.advice)
    how = f"with `{tool.command}`" if tool.command else "by hand"
    advice = f"translate it {how}: {tool.advice}"
    if tool.like:
        advice = f"{advice}; if it is of another system, such as {tool.like}, pass its `--dialect`"
    return Problem(f"{kind}/other-tool", message, path, advice)


# Keys that only one kind has. A file without those of its kind, but with those of another kind,
# is considered to be of the other kind.
_DISTINCTIVE_KEYS = {
    Kind.DATASET: ("questions",),
    Kind.RUBRIC: ("checks", "scoring"),
    Kind.JUDGE: ("template",),
}


def other_kind(kind: Kind, value: Any) -> Kind | None:
    """Return the kind that a file seems to be of, if it is not `kind`; None for a target."""
    own = _DISTINCTIVE_KEYS.get(kind)
    if own is None or not isinstance(value, dict) or any(key in value for key in own):
        return None
    return next(
        (other for other, keys in _DISTINCTIVE_KEYS.items() if any(key in value for key in keys)),
        None,
    )


def wrong_kind(kind: Kind, other: Kind) -> Problem:
    """Return one problem, to report in place of every missing key."""
    key = _DISTINCTIVE_KEYS[other][0]
    message = f"this is a {other}, not a {kind}: it has `{key}`"
    advice = f"check it with `validate-{other}`, or move it to the folder `{other}s/`"
    return Problem(f"{kind}/wrong-kind", message, (key,), advice, on_key=True)


# A task of lm-evaluation-harness: which keys it has is checked, and nothing else. Where none of its
# class is named, it makes a `TaskConfig` of all keys, which refuses an unknown one; of a key that
# is there twice, its loader drops the first value.

#: The fields of `TaskConfig` and `GroupConfig` of version 0.4.13.
KEYS = (
    "task", "task_alias", "tag", "custom_dataset", "dataset_path", "dataset_name",
    "dataset_kwargs", "training_split", "validation_split", "test_split", "fewshot_split",
    "process_docs", "doc_to_text", "doc_to_target", "doc_to_image", "doc_to_audio", "unsafe_code",
    "doc_to_choice", "process_results", "use_prompt", "description", "target_delimiter",
    "fewshot_delimiter", "fewshot_config", "num_fewshot", "metric_list", "output_type",
    "generation_kwargs", "repeats", "filter_list", "should_decontaminate",
    "doc_to_decontamination_query", "gen_prefix", "metadata",
    "group", "group_alias", "aggregate_metric_list",
)  # fmt: skip
# What its loader takes away before, or what names the class that reads the other keys.
_STRUCTURE = ("include", "task_list", "class")
_KNOWN = frozenset((*KEYS, *_STRUCTURE))
# Keys that hardly any other tool has; one shows a task beside `task`, two show a part of one.
_OWN = frozenset(key for key in _KNOWN if "_" in key) | {"include", "group"}
_SHOWING = 2
# A file with one of these may be a dataset of ours, a rubric or a judge.
_OURS = ("questions", "checks", "scoring", "template")
# A line that a task has.
_MARK = lazy_pattern(r"""["']?(task|group|include|dataset_path|doc_to_\w+)["']?[ \t]*:""")
_TAG = "the tag `!function`"
_ADVICE = "`lm-eval validate --tasks NAME` checks the rest"


def as_task(source: RowSource | RowIterable | TableSource) -> UnreadableFile | None:
    """Return a file that is a task, with what is wrong with its keys; None for any other file."""
    if format_of(source.file) != "yaml" or source.stream is not None:
        return None
    if source.document and not _is_like_task(source.document.quick):
        return None
    lines = source.document.lines if source.document else getattr(source.unreadable, "lines", ())
    if not any(_MARK.match(line) for line in lines):
        return None
    from evalcontract.source.yaml.reading import keys_as_libyaml  # slow to import

    found = keys_as_libyaml("\n".join(lines))
    keys = dict(reversed(found))
    if not _is_like_task(keys) or any(nearest(ours, keys) for ours in _OURS):
        return None
    read = source.unreadable.faults if source.unreadable else ()
    faults = [*_of_keys(keys), *_repeated(found, read)]
    return UnreadableFile(source.file, tuple(faults), tuple(lines))


def _is_like_task(value: Any) -> bool:
    """Whether a mapping has two keys that only a task, a group or a part of one has together."""
    if not isinstance(value, dict):
        return False
    return len(_OWN & value.keys()) + ("task" in value) >= _SHOWING


def _of_keys(keys: dict[str, Span]) -> Iterator[SourceProblem]:
    what = "a group of tasks" if "group" in keys else "a task"
    message = f"this is {what} of lm-evaluation-harness: only its keys are checked"
    yield SourceProblem("dataset/harness-task", message, None, _ADVICE)
    # A class reads other keys, and what is included or in a group may name one.
    may_have_class = not keys.keys().isdisjoint(("include", "group"))
    for key in () if "class" in keys else [key for key in keys if key not in _KNOWN]:
        meant = nearest(key, [known for known in _KNOWN if known not in keys])
        if meant or not may_have_class:
            code = "dataset/near-miss-key" if meant else "dataset/unknown-key"
            message = f"unknown key `{clipped(key)}`: lm-evaluation-harness does not load the task"
            advice = f"did you mean `{meant}`?" if meant else "remove it, or move it to `metadata`"
            yield SourceProblem(code, message, keys[key], advice)


def _repeated(
    found: list[tuple[str, Span]], read: Sequence[SourceProblem]
) -> Iterator[SourceProblem]:
    """Yield the duplicate keys that were read, or those of the root if reading ended before."""
    duplicates = [fault for fault in read if fault.code == "source/duplicate-key"]
    yield from duplicates
    tags = [fault for fault in read if fault.message.startswith(_TAG)]
    if len(tags) + len(duplicates) < len(read):
        seen: dict[str, Span] = {}
        for key, span in found:
            if key in seen:
                yield duplicate_fault(key, span, seen[key])
            seen.setdefault(key, span)
