"""What `dump_findings.py` checks: every fixture, example and case, as workspaces in a folder.

A dataset stands there in other forms, too: large enough for what reads files by blocks, as JSON,
as JSONL, as a bare list.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDERS = {"dataset": "datasets", "rubric": "rubrics", "judge": "judges", "target": "targets"}
DATA = {".yaml", ".yml", ".json", ".jsonl", ".csv", ".tsv"}
#: The rows of a large form stand this often in it, each time behind so many clean rows.
COPIES = 3
CLEAN_ROWS = 70
#: The page of a code whose fault lies in the bytes.
ENCODINGS = {
    "source/binary": "utf-16-le",
    "source/encoding": "cp1252",
    "evret/rejected": "utf-8-sig",
    "evret/hidden-column": "utf-8-sig",
    "openai/rejected": "utf-8-sig",
}
DIALECTS = {
    "databricks": ("databricks", "databricks:outputs"),
    "deepeval": ("deepeval",),
    "evret": ("evret:0.0.1", "evret:0.0.2", "evret:0.0.3"),
    "inspect": ("inspect",),
    "mlflow": ("mlflow:oss", "mlflow:managed", "mlflow:evaluate"),
    "northstar": ("northstar",),
    "promptfoo": ("promptfoo",),
    "openai": ("openai:hosted", "openai:samples"),
}
_BLOCK = re.compile(r"^(questions:[^\n]*\n)((?:[ \t#-][^\n]*\n|\n)+)", re.MULTILINE)
_ID = re.compile(r"""(\bid:[ ]+["']?)([A-Za-z])""")
_EXAMPLE = re.compile(r"^`(\S+)`\n\n(`{3,4})\w+\n(.*?)\2$", re.MULTILINE | re.DOTALL)


class Call(NamedTuple):
    """A command, in a folder."""

    folder: str
    arguments: tuple[str, ...]


class _Plain(yaml.CSafeLoader):
    """Reads dates as texts."""


_Plain.yaml_implicit_resolvers = {
    first: [each for each in found if each[0] != "tag:yaml.org,2002:timestamp"]
    for first, found in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def write_inputs(root: Path, work: Path, shared: Path | None) -> list[Call]:
    """Write all inputs below a folder; return the calls that check them.

    They are those of a repository, and of the folder of files that are no part of it, if any.
    """
    calls: list[Call] = []
    for case in _cases(root, work, shared):
        calls += _calls(work, case)
    if shared:
        calls += _foreign(shared, work)
    return calls


def _cases(root: Path, work: Path, shared: Path | None) -> Iterator[Path]:
    yield from _whole(root / "fixtures" / "workspaces", work / "workspaces")
    yield from _whole(root, work, "demo")
    if shared:
        yield from _whole(shared / "real", work / "real")
    for kind in ("dataset", "rubric", "judge"):
        yield from _whole(root / "fixtures" / "rules" / kind, work / "rules" / kind)
        yield from _alone(root / "fixtures" / "rules" / kind, work / "rules" / kind, kind)
    yield from _suites(root / "fixtures" / "schema", work / "schema")
    with tempfile.TemporaryDirectory() as built:
        yield from _examples(_pages(root, Path(built)), work / "pages")


def _whole(source: Path, target: Path, only: str = "*") -> Iterator[Path]:
    """Copy the workspaces of a folder."""
    for each in sorted(source.glob(only)):
        if each.is_dir():
            drop = shutil.ignore_patterns(
                "expected.json", "*.expect", "*.py", "__pycache__", "*.md"
            )
            shutil.copytree(each, target / each.name, ignore=drop, copy_function=shutil.copyfile)
            yield target / each.name


def _alone(source: Path, target: Path, kind: str) -> Iterator[Path]:
    """Copy single files, each into a workspace of its own."""
    for each in sorted(source.glob("*.*")):
        if each.suffix in DATA and each.is_file():
            case = target / each.name.replace(".", "_")
            _write(case / FOLDERS[kind] / each.name, each.read_bytes())
            yield case


def _suites(source: Path, target: Path) -> Iterator[Path]:
    """Write the instances of the schema suite, as JSON."""
    for suite in sorted(source.glob("*/*.json")):
        number = 0
        for group in json.loads(suite.read_bytes()):
            for test in group["tests"]:
                case = target / suite.parent.name / f"{suite.stem}_{number:03}"
                folder = FOLDERS.get(group["schema"], "datasets")
                _write(case / folder / "one.json", _json(test["data"]))
                number += 1
                yield case


def _pages(root: Path, built: Path) -> Path:
    """Return the folder of the manual pages; an earlier version of the repository holds them."""
    there = root / "docs" / "rules"
    scripts = [root / "docs" / name for name in ("site/rule_pages.py", "build_rules.py")]
    script = next(filter(Path.exists, scripts), None)
    if there.is_dir() or script is None:
        return there
    call = (sys.executable, script, built)
    environment = {**os.environ, "PYTHONPATH": str(root / "src")}
    subprocess.run(call, env=environment, stdout=subprocess.DEVNULL, check=True)
    return built


def _examples(source: Path, target: Path) -> Iterator[Path]:
    """Write the bad and the good example of every page."""
    for page in sorted(source.glob("*/*.md")):
        code = f"{page.parent.name}/{page.stem}"
        parts = re.split(r"^## (?:Bad|Good)$", page.read_text("utf-8"), flags=re.MULTILINE)
        for name, part in zip(("bad", "good"), parts[1:], strict=False):  # a list of pages has none
            case = target / page.parent.name / page.stem / name
            for file, _, text in _EXAMPLE.findall(part):
                encoding = ENCODINGS.get(code, "utf-8") if name == "bad" else "utf-8"
                _write(case / file, text.encode(encoding))
            yield case


def _calls(work: Path, case: Path) -> Iterator[Call]:
    """Yield the calls for a workspace, and for each of its files; add the other forms."""
    name = case.relative_to(work).as_posix()
    for mode in ((), ("--soft",), ("--strict",)):
        yield Call(name, ("check", ".", "--no-cache", *mode))
    files = sorted(each for each in case.rglob("*") if each.suffix in DATA and each.is_file())
    system = case.relative_to(work).parts[1] if name.startswith("pages/") else ""
    for file in files:
        kind = _kind(file.relative_to(case))
        if kind:
            yield from _of_file(name, file.relative_to(case).as_posix(), kind)
        if kind == "dataset" and system in DIALECTS:
            for dialect in DIALECTS[system]:
                yield from _of_file(name, file.relative_to(case).as_posix(), kind, dialect)
    others = [(file, _forms(file)) for file in files if _kind(file.relative_to(case)) == "dataset"]
    if any(forms for _, forms in others):
        shutil.copytree(case, other := case.with_name(f"{case.name}~forms"))
        for file, forms in others:
            for form, data in forms.items():
                path = (other / file.relative_to(case)).with_name(f"{file.stem}.{form}")
                _write(path, data)
                relative = path.relative_to(other).as_posix()
                yield from _of_file(f"{name}~forms", relative, "dataset")


def _kind(path: Path) -> str | None:
    """Return what a file of a workspace is checked as; None where only `check` reads it."""
    if {"bundles", "targets", "schemas"} & set(path.parts) or "schema" in path.suffixes:
        return None
    return next((kind for kind, each in FOLDERS.items() if each in path.parts), "dataset")


def _of_file(folder: str, name: str, kind: str, dialect: str = "") -> Iterator[Call]:
    for mode in ("--soft", "--strict"):
        asked = ("--dialect", dialect) if dialect else ()
        yield Call(folder, (f"validate-{kind}", mode, *asked, "--root", ".", name))


def _forms(file: Path) -> dict[str, bytes]:
    """Return a dataset in other forms, by the ends of their names; {} where it cannot be read."""
    try:
        text = file.read_text(encoding="utf-8")
        if file.suffix == ".jsonl":
            value: Any = {"questions": [json.loads(line) for line in text.splitlines()]}
        else:
            value = json.loads(text) if file.suffix == ".json" else yaml.load(text, _Plain)  # noqa: S506 - a safe one
        rows = value["questions"] if isinstance(value, dict) else value
    except (ValueError, KeyError, yaml.YAMLError, RecursionError):
        return {}
    if not isinstance(rows, list):
        return {}
    root = value if isinstance(value, dict) else {}
    large = _repeated(rows)
    forms = {
        "small.json": _json({**root, "questions": rows}),
        "list.json": _json(rows),
        "small.jsonl": _lines(rows),
        "list.yaml": _yaml(rows),
        "dumped.yaml": _yaml({**root, "questions": large}),
        "large.json": _json({**root, "questions": large}),
        "large.jsonl": _lines(large),
    }
    if file.suffix == ".yaml" and (as_written := _repeated_text(text)):
        forms["large.yaml"] = as_written.encode()
        forms["crlf.yaml"] = text.replace("\n", "\r\n").encode()
    return forms


def _repeated(rows: list[Any]) -> list[Any]:
    """Return the rows several times, with other ids, and clean rows between."""
    found: list[Any] = []
    for copy in range(COPIES):
        found += _clean_rows(copy)
        for row in rows:
            renamed = isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"]
            found.append({**row, "id": f"c{copy}_{row['id']}"} if renamed else row)
    return found


def _repeated_text(text: str) -> str:
    """Return YAML with the lines of its rows several times, and clean rows between."""
    found = _BLOCK.search(text if text.endswith("\n") else f"{text}\n")
    dash = found and re.search(r"^( *)- ", found[2], re.MULTILINE)
    if not found or not dash:
        return ""
    block = found[2]
    pieces = [text[: found.start()], found[1]]
    for copy in range(COPIES):
        for row in _clean_rows(copy):
            lines = _yaml([row], width=10_000).decode().splitlines()
            pieces += [f"{dash[1]}{line}\n" for line in lines]
        pieces.append(_ID.sub(rf"\g<1>c{copy}_\g<2>", block))
    return "".join([*pieces, text[found.end() :]])


def _clean_rows(copy: int) -> list[dict[str, Any]]:
    words = " ".join(f"order {number} of the customer" for number in range(12))
    return [
        {
            "id": f"clean_{copy}_{number}",
            "input": f"What became of {words}?",
            "expected_facts": [f"order {number} was sent"],
            "tags": ["orders"],
        }
        for number in range(CLEAN_ROWS)
    ]


def _foreign(shared: Path, work: Path) -> Iterator[Call]:
    """Write the cases that were put to other systems' loaders; yield the calls."""
    for system, dialects in DIALECTS.items():
        file = shared / "cases" / f"{system}.json"
        cases = json.loads(file.read_bytes()) if file.is_file() else []
        for number, case in enumerate(cases):
            given = case["input"]
            name, data = f"{case['name']}.json", _json(given)
            if isinstance(given, dict) and "text" in given:
                name, data = given["filename"], (given["text"] or "").encode()
            elif isinstance(given, dict) and (inner := given.keys() & {"records", "DataFrame"}):
                data = _json(given[inner.pop()])
            elif isinstance(given, dict) and system == "databricks":
                data = _json([given.get("row", given)])
            folder = f"cases/{system}/{number:03}_{case['name']}".replace(" ", "_")
            _write(work / folder / name, data)
            for dialect in ("", *dialects):
                yield from _of_file(folder, name, "dataset", dialect)


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, default=str).encode("utf-8", "surrogatepass")


def _lines(rows: list[Any]) -> bytes:
    return b"".join(_json(row) + b"\n" for row in rows)


def _yaml(value: Any, width: int = 80) -> bytes:
    text: str = yaml.dump(
        value, Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, width=width
    )
    return text.encode("utf-8", "surrogatepass")
