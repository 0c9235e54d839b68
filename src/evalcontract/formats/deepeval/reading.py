"""What DeepEval makes of files and of their values, with Python's `json` or with pandas."""

from __future__ import annotations

import ast
import json
import re
import warnings
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import bom_rejected, ragged_row
from evalcontract.formats._format import RowLayout
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import lazy_pattern
from evalcontract.source.jsonl import RowStream
from evalcontract.source.tables.delimited import CsvTable

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile


#: The key of the metadata of a golden.
METADATA = "additional_metadata"
#: Lists of texts, which JSONL and tables may have as one text.
LISTS = ("context", "retrieval_context")
TOOLS = ("tools_called", "expected_tools")
#: What separates the texts of a list in one text.
DELIMITER = "|"
#: The keys that a golden with a scenario is read with, and the others.
OF_SCENARIO = (
    *("scenario", "turns", "expected_outcome", "user_description", "persona", "context"),
    *("comments", "name", "additional_metadata", "custom_column_key_values", "expectations"),
)
OF_INPUT = (
    *("input", "actual_output", "expected_output", "context", "retrieval_context"),
    *("tools_called", "expected_tools", "token_cost", "input_token_count", "output_token_count"),
    *("comments", "name", "source_file", "additional_metadata", "custom_column_key_values"),
    "expectations",
)
#: The keys that say what a golden expects.
EXPECTED = ("expected_output", "expected_outcome", "expected_tools", "expectations", "context")
_COMMA = lazy_pattern(r",\s*([\]}])")
_WITH_SOURCE = lazy_pattern(r"deepeval_source=(?P<source>.*?),deepeval_context=(?P<context>.*)")


def has_scenario(golden: dict[str, Any]) -> bool:
    """Whether a golden is read as one of a conversation."""
    return bool(golden.get("scenario"))


def texts_of(value: Any) -> Any:
    """Return a list of texts that stands in one text; any other value as it is."""
    if not isinstance(value, str):
        return value
    return value.split(DELIMITER) if value else []


def parsed(text: str) -> Any:
    """Return the value of a JSON text; a comma may stand before a closing bracket.

    Raises:
        ValueError: the text is not JSON, as for DeepEval.

    """
    stripped = text.strip()
    try:
        try:
            return json.loads(stripped)
        except json.JSONDecodeError:
            return json.loads(_COMMA.sub(r"\1", stripped))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def parsed_turns(text: str) -> Any:
    """Return the value of a JSON text of turns, which DeepEval reads more strictly.

    Raises:
        ValueError: the text is not JSON.

    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def document_of(item: Any) -> tuple[str | None, str] | None:
    """Return the source and the text of what was retrieved; None if it is neither."""
    if isinstance(item, dict):
        source, text = item.get("source"), item.get("context")
        return (source, text) if isinstance(source, str) and isinstance(text, str) else None
    if not isinstance(item, str):
        return None
    match = _WITH_SOURCE.fullmatch(item)
    return (match["source"], match["context"]) if match else (None, item)


def as_read(golden: dict[str, Any]) -> dict[str, Any]:
    """Return a golden with its lists as lists, and without what is null, or no turns.

    Calls, turns and retrieved texts have the form in which DeepEval holds them: `save_as` writes
    all keys of a turn, the type of a call, and a source inside of a text.
    """
    read = {key: value for key, value in golden.items() if value is not None}
    for key in LISTS:
        if key in read:
            read[key] = texts_of(read[key])
    for key in (*TOOLS, "turns"):
        if isinstance(read.get(key), str):
            try:
                parse = parsed_turns if key == "turns" else parsed
                read[key] = parse(read[key]) if read[key] else []
            except ValueError:
                del read[key]
    if read.get("turns") == []:
        del read["turns"]
    for key, one in (("retrieval_context", _retrieved), ("turns", _turn), *_CALLS):
        if isinstance(read.get(key), list):
            read[key] = [*map(one, read[key])]
    return read


def _retrieved(item: Any) -> Any:
    """Return what was retrieved, with a source that stands in its text beside the text."""
    source, text = document_of(item) or (None, None)
    return item if source is None or isinstance(item, dict) else {"source": source, "context": text}


def _turn(turn: Any) -> Any:
    """Return a turn without what is null."""
    if not isinstance(turn, dict):
        return turn
    return {key: part for key, part in turn.items() if part is not None}


def _call(call: Any) -> Any:
    """Return a call without what is null or the default; of both names of a key the first."""
    if not isinstance(call, dict):
        return call
    read = dict(call)
    if "inputParameters" in read:
        read["input_parameters"] = read.pop("inputParameters")
    if read.get("type") == "FUNCTION":
        del read["type"]
    return {key: part for key, part in read.items() if part is not None}


_CALLS = tuple((key, _call) for key in TOOLS)


_UNNAMED = "document_{}"


def documents_of(items: Any) -> list[dict[str, Any]] | None:
    """Return retrieved texts as documents; a text without a source is named by its number.

    The letters of a text, as which a loader reads it in place of a list, are no documents.
    """
    if not isinstance(items, list) or not items or _are_letters(items):
        return None
    documents = []
    for number, item in enumerate(items, 1):
        found = document_of(item)
        if found is None or found[0] == "":
            return None
        documents.append({"id": found[0] or _UNNAMED.format(number), "content": found[1]})
    return documents


def texts_of_documents(documents: Any) -> list[Any] | None:
    """Return documents as retrieved texts; None if one has no text."""
    if not isinstance(documents, list) or not documents:
        return None
    texts: list[Any] = []
    for number, document in enumerate(documents, 1):
        if not isinstance(document, dict) or document.keys() != {"id", "content"}:
            return None
        id_, content = document["id"], document["content"]
        if id_ == _UNNAMED.format(number) and document_of(content) == (None, content):
            texts.append(content)
        else:
            texts.append({"source": id_, "context": content})
    return texts


def _are_letters(items: list[Any]) -> bool:
    return len(items) > 1 and all(isinstance(item, str) and len(item) == 1 for item in items)


def misread_list(key: str, text: str, place: Path, *, read_as: str) -> Iterator[Problem]:
    """Yield that a text is JSON, which is `read_as` something else, or that parts are blank."""
    parts = texts_of(text)
    if text.strip().startswith("[") and _is_list(text):
        message = f"`{key}` is the JSON of a list, and is read as {read_as}"
        advice = f"write `{DELIMITER}` between the texts"
        yield Problem("deepeval/list-as-text", message, place, advice)
    elif any(not part.strip() for part in parts):
        message = f"`{key}` is split at `{DELIMITER}` into {len(parts)} texts, some of them blank"
        yield Problem("deepeval/list-as-text", message, place, "write JSON, where lists are lists")


def _is_list(text: str) -> bool:
    try:
        return isinstance(parsed(text), list)
    except ValueError:
        return False


def tools_of(calls: Any) -> list[Any] | None:
    """Return expected calls, as they are read, as tools; None if a row has no such."""
    if not isinstance(calls, list) or not calls:
        return None
    tools = [_tool(call) for call in calls]
    return None if any(tool is None for tool in tools) else tools


def calls_of(tools: Any) -> list[Any] | None:
    """Return tools as expected calls; None if there are none."""
    if not isinstance(tools, list) or not tools:
        return None
    return [
        {"name": tool}
        if isinstance(tool, str)
        else {"name": tool["name"], "input_parameters": tool.get("arguments", {})}
        for tool in tools
    ]


def _tool(call: Any) -> Any:
    """Return a call as a tool; None if it says more than a name and arguments."""
    if not isinstance(call, dict):
        return None
    name = call.get("name")
    if not isinstance(name, str) or not name or not call.keys() <= {"name", "input_parameters"}:
        return None
    if "input_parameters" not in call:
        return name
    return {"name": name, "arguments": call["input_parameters"]}


_BOM = bom_rejected("deepeval", "the file begins with a byte order mark, which DeepEval rejects")
_NO_ROWS = Problem(
    "deepeval/no-rows", "there are no goldens: DeepEval loads an empty dataset", (), "add a golden"
)
_NO_LIST = Problem("deepeval/rejected", "the file holds no list of goldens", (), "write a list")
_RETRIEVED = "retrieval_context"
_OF_JSON = "persona"
#: The columns that are read, in the order in which they are written.
COLUMNS = tuple(key for key in dict.fromkeys((*OF_INPUT, *OF_SCENARIO)) if key != _OF_JSON)
_NO_COLUMN = Problem(
    "deepeval/near-miss-key",
    f"`{_OF_JSON}` is read from JSON and JSON Lines, and never from a table",
    (_OF_JSON,),
    "write its `characteristics` as `user_description`, or write JSON",
    on_key=True,
)
_EMPTY = frozenset({"source/empty"})
_STOPS = "DeepEval stops here"
#: The cells that pandas reads as nothing.
_NOTHING = frozenset(
    [
        *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND"),
        *("1.#QNAN", "<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
    ]
)
_NUMBER = lazy_pattern(
    r"[ \t]*[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]+)?|inf(?:inity)?)[ \t]*",
    re.IGNORECASE,
)
_TRUTHS = frozenset({"true", "false"})
_COUNTS = ("token_cost", "input_token_count", "output_token_count")
#: Cells that hold JSON.
_JSON = (*TOOLS, "turns", "expectations")
_MAPPINGS = ("additional_metadata", "custom_column_key_values")


def find_rows(read: ExternalFile) -> RowLayout:
    """Return the goldens of a file."""
    if isinstance(read.source, CsvTable):
        return _of_table(read.source)
    if read.has_mark:
        return RowLayout.without_rows(_BOM)
    if isinstance(read.source, RowStream) or read.document is None:
        return RowLayout(passed_over=_EMPTY)
    return _of_document(read.document.value)


def _of_document(value: Any) -> RowLayout:
    if not isinstance(value, list):
        return RowLayout.without_rows(_NO_LIST)
    problems = [] if value else [_NO_ROWS]
    rows = []
    for index, row in enumerate(value):
        read = row
        if isinstance(row, dict):
            problems += _of_texts(row, index)
            if isinstance(row.get(_RETRIEVED), str) and not has_scenario(row):
                read = {**row, _RETRIEVED: [*row[_RETRIEVED]]}
        rows.append(read)
    return RowLayout(rows, problems=tuple(problems))


def _of_texts(row: dict[str, Any], index: int) -> Iterator[Problem]:
    """Yield the texts in place of lists, which only JSONL and tables may have."""
    for key in ("context",) if has_scenario(row) else (*LISTS, *TOOLS):
        if not isinstance(row.get(key), str):
            continue
        code, message = "wrong-type", f"`{key}` must be a list, not text: {_STOPS}"
        if key == _RETRIEVED:
            code, message = "list-as-text", f"`{key}` is a text, and is read letter by letter"
        advice = "write a list; JSONL and tables may have a text"
        yield Problem(f"deepeval/{code}", message, (index, key), advice, row_index=index)


def _of_table(table: CsvTable) -> RowLayout:
    header = table.header
    if not header:
        if not table.records:
            problem = Problem("deepeval/rejected", f"the table is empty: {_STOPS}", ())
        else:
            problem = Problem("deepeval/rejected", "the first line is blank", (), "remove it")
        return RowLayout.without_rows(problem)
    table.keep_rows(lambda record: len(record) != 1 or record[0] == "" or bool(record[0].strip()))
    problems = [*_of_shape(table)]
    if not table.records:
        problems.append(_NO_ROWS)
    # With one cell more in the first row, pandas takes the first column for labels.
    extra = max(len(table.records[0]) - len(header), 0) if table.records else 0
    columns = [*_columns(table, extra)]
    scenarios = next((cells for name, cells in columns if name == "scenario"), [])
    rows: list[Any] = [{} for _ in table.records]
    for name, cells in columns:
        is_read = name in COLUMNS
        found, values = _read(name, cells) if is_read else ([], [cell or None for cell in cells])
        if name == _OF_JSON and not all(cell in _NOTHING for cell in scenarios):
            problems.append(_NO_COLUMN)
        problems += (problem for problem in found if _is_read(name, problem, scenarios))
        for row, value in zip(rows, values, strict=True):
            if value is not None:
                row[name] = value
    return RowLayout(rows, problems=tuple(problems))


def _is_read(name: str, problem: Problem, scenarios: list[str]) -> bool:
    """Whether a cell counts; those of the other kind are parsed, and then left alone."""
    if name not in OF_INPUT or name in OF_SCENARIO or name in LISTS or not scenarios:
        return True
    if problem.code == "deepeval/number-column":
        return any(cell in _NOTHING for cell in scenarios)
    return problem.row_index is None or scenarios[problem.row_index] in _NOTHING


def _of_shape(table: CsvTable) -> Iterator[Problem]:
    width = max(len(table.header), len(table.records[0]) if table.records else 0)
    if table.is_open:
        message = f"the last cell begins with a quote that has no end: {_STOPS}"
        yield Problem("deepeval/ragged-row", message, (len(table.records) - 1,), "add the quote")
    if width > len(table.header):
        message = (
            f"the header has {len(table.header)} cells, and the first row {width}: "
            "all columns are shifted to the right"
        )
        yield Problem("deepeval/shifted-columns", message, (0,), "name all columns", row_index=0)
    seen: set[str] = set()
    for name in table.header:
        if name in seen:
            message = f"several columns are called `{name}`: DeepEval reads the first of them"
            yield Problem("deepeval/duplicate-key", message, (name,), "rename the others")
        seen.add(name)
    for index, record in enumerate(table.records):
        if len(record) > width:
            yield ragged_row("deepeval", "DeepEval", index, len(record), width)


def _columns(table: CsvTable, extra: int) -> Iterator[tuple[str, list[str]]]:
    """Yield each column by its name: of those with one name the first."""
    seen: set[str] = set()
    for number, name in enumerate(table.header):
        if name not in seen:
            at = number + extra
            yield name, [record[at] if at < len(record) else "" for record in table.records]
        seen.add(name)


def _read(name: str, cells: list[str]) -> tuple[list[Problem], list[Any]]:
    """Return the values of a column for DeepEval, and what is wrong with its cells."""
    problems: list[Problem] = []
    given = [cell for cell in cells if cell not in _NOTHING]
    kind = kind_of(given)
    if kind is not None:
        if name in _COUNTS and kind == "numbers":
            return [], [float(cell) if cell not in _NOTHING else None for cell in cells]
        index = next(n for n, cell in enumerate(cells) if cell not in _NOTHING)
        message = f"all cells of `{name}` are {kind}, which pandas does not keep as texts: {_STOPS}"
        advice = "write JSON or JSONL, where texts are in quotes"
        where = (index, name)
        problem = Problem("deepeval/number-column", message, where, advice, row_index=index)
        return [problem], [cell if cell not in _NOTHING else None for cell in cells]
    values: list[Any] = []
    for index, cell in enumerate(cells):
        place: Path = (index, name)
        if cell in _NOTHING:
            # The list of an empty cell is empty, and not missing.
            values.append([] if name in (*LISTS, *TOOLS) else None)
            if cell:
                message = f"the cell `{cell}` is read as nothing"
                advice = "leave the cell empty, or write JSON if the text is meant"
                problems.append(
                    Problem("deepeval/null-text", message, place, advice, row_index=index)
                )
            continue
        value, wrong = _value_of(name, cell)
        if wrong:
            problems.append(
                Problem("deepeval/malformed-value", wrong, place, None, row_index=index)
            )
        if name in LISTS:
            found = misread_list(name, cell, place, read_as="texts")
            problems += (problem._replace(row_index=index) for problem in found)
        values.append(value)
    return problems, values


def is_nothing(cell: str) -> bool:
    """Whether pandas reads a cell as nothing."""
    return cell in _NOTHING


def kind_of(cells: list[str]) -> str | None:
    """Return what pandas takes all cells of a column for; None if for texts."""
    if cells and all(_NUMBER.fullmatch(cell) for cell in cells):
        return "numbers"
    if cells and all(cell.lower() in _TRUTHS for cell in cells):
        return "true or false"
    return None


def _value_of(name: str, cell: str) -> tuple[Any, str | None]:
    """Return the value of a cell, or why DeepEval stops at it."""
    if name in LISTS:
        return texts_of(cell), None
    if name not in (*_JSON, *_MAPPINGS, *_COUNTS):
        return cell, None
    if name in _COUNTS:
        return None, f"`{name}` is no number: {_STOPS}"
    try:
        value = parsed_turns(cell) if name == "turns" else parsed(cell)
    except ValueError:
        value = _literal(cell) if name in _MAPPINGS else None
    if name in TOOLS and value == {}:
        return [], None
    wanted = dict if name in (*_MAPPINGS, "expectations") else list
    if isinstance(value, wanted):
        return value, None
    return (
        None,
        f"`{name}` is not the JSON of a {'mapping' if wanted is dict else 'list'}: {_STOPS}",
    )


def _literal(cell: str) -> Any:
    """Return the value of a mapping as Python writes it; None if it is none."""
    if not cell.lstrip(" \t").startswith("{"):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            value = ast.literal_eval(cell.lstrip(" \t"))
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return None
    # What JSON has no value for is its text.
    return json.loads(json.dumps(value, default=str)) if _is_named(value) else None


def _is_named(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)
