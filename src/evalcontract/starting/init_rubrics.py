"""Give rows of a dataset of ours that only a judge can grade a rubric which asks one."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from evalcontract.converting.placing import NativeTarget
from evalcontract.model.codes import ILL_FORMED
from evalcontract.model.errors import EditError
from evalcontract.source import format_of
from evalcontract.source.faults import ParseError
from evalcontract.source.json.reading import load_json
from evalcontract.source.setting import with_new_key
from evalcontract.source.yaml.reading import parse_yaml
from evalcontract.source.yaml.writing import yaml_mapping
from evalcontract.structure.schemas import definition
from evalcontract.structure.validator import SchemaValidator
from evalcontract.workspace.editor_schemas import modeline

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.model.diagnostic import Path

_ROWS, _KEY = "questions", "rubric_ref"


def with_rubrics(data: bytes, name: str) -> tuple[bytes, dict[str, bytes], int]:
    """Return a dataset whose rows have rubrics, the files of these, and how many rows got one.

    `name` is that of the dataset in the workspace. Comments and layout stay. Rows with faults get
    none, nor does a text that cannot be parsed.

    Raises:
        EditError: a rubric cannot be added without another change.

    """
    form = format_of(name) or "yaml"
    target = NativeTarget(PurePath(name).stem, form, asks_judge=True)
    validator = SchemaValidator("dataset", definition("row", of="dataset"))
    try:
        rows = [*_rows(text := data.decode(), form)]
    except (ParseError, ValueError, RecursionError):
        return data, {}, 0
    references = {
        path: reference
        for path, row in rows
        if not any(each.code in ILL_FORMED for each in validator.check(row))
        and (reference := target.judged_by(row)) is not None
    }
    try:
        changed = with_new_key(text, form, _KEY, references).encode() if references else data
    except (ParseError, ValueError, RecursionError):
        raise EditError("the result cannot be read") from None
    files = {
        path: yaml_mapping(rubric, (modeline("rubric"),))
        for path, rubric in target.extra_files.items()
    }
    return changed, files, target.judged


def _rows(text: str, form: str) -> Iterator[tuple[Path, Any]]:
    """Yield the rows of a text by their paths; in JSON Lines, the first step is the line.

    Raises:
        ParseError, ValueError, RecursionError: the text cannot be parsed.

    """
    body = text.removeprefix("\ufeff")
    if form == "jsonl":
        for number, line in enumerate(body.split("\n")):
            if line.strip():
                yield (number,), load_json(line.encode(), is_line=True)
        return
    value = parse_yaml(body, "", b"").value if form == "yaml" else load_json(body.encode())
    home: Path = () if isinstance(value, list) else (_ROWS,)
    rows = value.get(_ROWS) if isinstance(value, dict) else value
    for number, row in enumerate(rows if isinstance(rows, list) else ()):
        yield (*home, number), row
