"""The seeds of the fuzzers: every fixture, example of a page and case, as files and as texts."""

from __future__ import annotations

import io
import json
from functools import cache
from typing import TYPE_CHECKING, Any

import yaml
from doors import ROOT
from needs import find_shared

from evalcontract.model.codes import example_files
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

#: A workspace: the contents of its files by their names.
Files = dict[str, bytes]

_NO_SEEDS = {".md", ".py", ".expect", ".pyc"}
_FOLDERS = {"dataset": "datasets", "rubric": "rubrics", "judge": "judges", "target": "targets"}


class _Plain(yaml.SafeLoader):
    """Reads dates as texts."""


_Plain.yaml_implicit_resolvers = {
    first: [resolver for resolver in found if resolver[0] != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


@cache
def workspaces() -> tuple[Files, ...]:
    """Return all workspaces: the fixtures, the demo, and both examples of every page."""
    folders = [ROOT / "demo", *sorted((ROOT / "fixtures" / "workspaces").iterdir())]
    found = [_files_below(folder) for folder in folders if folder.is_dir()]
    for kind in ("dataset", "rubric", "judge"):
        for path in sorted((ROOT / "fixtures" / "rules" / kind).iterdir()):
            if path.is_dir():
                found.append(_files_below(path))
            elif path.suffix not in _NO_SEEDS:
                found.append({f"{_FOLDERS[kind]}/{path.name}": path.read_bytes()})
    return (*found, *_examples())


def _files_below(folder: Path) -> Files:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in files
        if path.suffix not in _NO_SEEDS and path.name != "expected.json"
    }


def _examples() -> Iterator[Files]:
    codes = KnownCodes()
    for code in sorted(codes):
        for example in (codes[code].page.bad, codes[code].page.good):
            files = example_files(example, code)
            yield {name: text.encode("utf-8", "surrogatepass") for name, text in files.items()}


@cache
def files_named(*suffixes: str) -> tuple[bytes, ...]:
    """Return the contents of all files whose names end in one of the suffixes."""
    found = [
        data for files in workspaces() for name, data in files.items() if name.endswith(suffixes)
    ]
    found += [data for name, data in _foreign() if name.endswith(suffixes)]
    return tuple(dict.fromkeys(found))


def _foreign() -> Iterator[tuple[str, bytes]]:
    """Yield the cases of other systems' loaders, if they are there."""
    cases = find_shared("cases")
    for file in sorted(cases.glob("*.json")) if cases else ():
        for case in json.loads(file.read_bytes()):
            given = case["input"]
            if isinstance(given, dict) and "text" in given:
                yield given["filename"], (given["text"] or "").encode()
            else:
                yield "case.json", json.dumps([given]).encode()


@cache
def texts_at(*keys: str) -> tuple[bytes, ...]:
    """Return the texts that stand under one of the keys in any file."""
    values = [value_of(name, data) for files in workspaces() for name, data in files.items()]
    found = [text for value in values for text in _texts_below(value, keys)]
    return tuple(text.encode("utf-8", "replace") for text in dict.fromkeys(found))


def value_of(name: str, data: bytes) -> Any:
    """Return the value of a file; None if it is not valid YAML, JSON or JSONL."""
    try:
        text = data.decode()
        if name.endswith(".jsonl"):
            return [json.loads(line) for line in text.splitlines() if line.strip()]
        if name.endswith(".json"):
            return json.loads(text)
        if name.endswith((".yaml", ".yml")):
            return yaml.load(text, _Plain)  # noqa: S506 - a safe one
    except (ValueError, yaml.YAMLError, RecursionError):
        pass
    return None


def _texts_below(value: Any, keys: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, list):
        for part in value:
            yield from _texts_below(part, keys)
    elif isinstance(value, dict):
        for key, part in value.items():
            if key in keys and isinstance(part, str):
                yield part
            yield from _texts_below(part, keys)


@cache
def tables(of: str = "parquet") -> tuple[bytes, ...]:
    """Return datasets of other systems as Parquet files, or as streams `of` Arrow."""
    import pyarrow as pa
    from pyarrow import parquet

    found = []
    for data in files_named(".json"):
        value = value_of(".json", data)
        rows = value if isinstance(value, list) else [value]
        out = io.BytesIO()
        try:
            table = pa.Table.from_pylist(rows)
            if of == "parquet":
                parquet.write_table(table, out)
            else:
                with pa.ipc.new_stream(out, table.schema) as writer:
                    writer.write_table(table)
        except (pa.ArrowException, TypeError, AttributeError, OverflowError):
            continue  # rows that have no common type
        found.append(out.getvalue())
    return tuple(found)
