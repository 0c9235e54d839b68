"""Files of a workspace that nothing reads, and misspelled folder names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from evalcontract.library.library import MisnamedFolder, identity_from_name
from evalcontract.model.nearest import nearest
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source import (
    FOLDER,
    SCHEMA_SUFFIX,
    SUFFIXES,
    Entry,
    Files,
    RowSource,
    SourceProblem,
    UnreadableFile,
    read_file,
)
from evalcontract.source.filesystem import DANGLING, SPLITS, TABLES
from evalcontract.source.tables.arrow import is_saved
from evalcontract.workspace.recognition import tool_without_dataset
from evalcontract.workspace.roots import (
    ARTIFACT_FOLDERS,
    DATASETS,
    WORKSPACE_FOLDERS,
    data_files,
    display_name,
)


def misnamed_folder(root: Path, files: Files, kind: Kind) -> MisnamedFolder | None:
    """Return the folder of a workspace that is probably meant as that of a kind, or None.

    It has at least one data file.
    """
    meant = f"{kind}s"
    try:
        entries = files.entries(root)
    except (OSError, ValueError):
        return None
    for entry in entries:
        if entry.kind != FOLDER or entry.is_link or entry.name in ARTIFACT_FOLDERS:
            continue
        if nearest(entry.name, (meant,)) is None:
            continue
        folder = root / entry.name
        paths = data_files(folder, files=files)
        names = (
            identity_from_name(f"{meant}/{path.relative_to(folder)}", kind)[0] for path in paths
        )
        if paths:
            return MisnamedFolder(f"{entry.name}/", frozenset(name for name in names if name))
    return None


def meant_folder(path: Path, root: Path, source: RowSource) -> str | None:
    """Return the folder that a target or a schema of a bundle is meant to be in, or None.

    The file is in a folder at the root of the workspace with a similar name, such as `target/`.
    """
    folder, *inner = path.relative_to(root).parts
    meant = _similar_folder(folder) if inner else None
    if meant == "bundles":
        return meant if path.name.endswith(SCHEMA_SUFFIX) else None
    value = source.document.quick if meant and source.document else None
    is_target = isinstance(value, dict) and isinstance(value.get("dataset"), str)
    return meant if is_target else None


@cache
def _similar_folder(name: str) -> str | None:
    return nearest(name, ("targets", "bundles"))


#: The codes of a file that is surely data of evalcontract, that may be data, and of any other one.
MISNAMED, UNSUPPORTED, UNREAD = (
    "workspace/misnamed-file",
    "workspace/unsupported-file",
    "workspace/unread-file",
)
_SILENT = lazy_pattern(
    r"(readme|licen[cs]e|notice|copying|changelog|authors|contributing|codeowners)(\..*)?|"
    r"thumbs\.db|desktop\.ini|makefile|"
    r".*\.(md|mdx|markdown|rst|adoc|sw[opx])|#.*#|"
    # Hidden files that are not data: of version control, editors, macOS, linters.
    r"\.git.*|\.#.*|\._.*|\.nfs.*|\.vscode.*|\.(ds_store|directory|keep|placeholder)|"
    r"\.[\w-]*(config|lint|prettier|rc|ignore|spell)[\w-]*(\.\w+)?"
)
_TABLES = frozenset(
    (
        *TABLES, ".avro", ".xlsx", ".xls", ".ods", ".sqlite", ".db",
    )
)  # fmt: skip
_AS_DATASET = "write it as YAML, JSON or JSONL"
_FROM_TABLE = (
    "translate it with `evalcontract convert`, or check it by itself with "
    "`evalcontract validate-dataset`"
)
_SAVED = (
    "this folder, which Hugging Face `datasets` wrote, is not read; "
    "a dataset of a workspace is YAML, JSON or JSONL"
)
_MARKUP = frozenset(
    (
        ".toml", ".json5", ".jsonc", ".hjson", ".jsonld", ".jsonnet", ".libsonnet", ".xml",
        ".ini", ".cue", ".dhall",
    )
)  # fmt: skip
_JSONL = frozenset([".jsonlines", ".jsonline", ".jl", ".ldjson"])
_PACKED = frozenset(
    (
        ".gz", ".bz2", ".xz", ".zst", ".lz4", ".br", ".zip", ".tar", ".tgz", ".7z", ".rar",
    )
)  # fmt: skip
_TEMPLATES = frozenset(
    (
        ".j2", ".jinja", ".jinja2", ".tmpl", ".tpl", ".template", ".erb", ".mustache", ".hbs",
    )
)  # fmt: skip
_TEXT = frozenset([".txt", ".text"])
# Other extensions that are near to one of data.
_NOT_MISSPELLED = frozenset([".js", ".jsx", ".mjs", ".jso", ".yar", ".yara"])


class _Reason(NamedTuple):
    """Why a file is not read. `original` is the name of the file that may be beside it instead."""

    code: str
    message: str
    advice: str
    original: str | None = None


def explain_unread(entries: Mapping[Path, Entry], files: Files) -> Iterator[UnreadableFile]:
    """Yield the files that are not read, with the reasons.

    Files of no known use are reported once for each extension in a folder.
    """
    others: dict[tuple[Path, str], list[Path]] = {}
    saved: dict[Path, None] = {}
    for path, entry in entries.items():
        if _SILENT.fullmatch(entry.name.lower()):
            continue
        if path.suffix == ".arrow" and is_saved(path.parent, files):
            is_split = files.is_file(path.parent.parent / SPLITS)
            saved[path.parent.parent if is_split else path.parent] = None
            continue
        reason = _reason(path, entry)
        if reason is None:
            others.setdefault((path.parent, path.suffix), []).append(path)
            continue
        if reason.original and files.is_there(path.with_name(reason.original)):
            if entry.name.endswith("~"):
                continue
            message = f"this file is not read; `{reason.original}` beside it is"
            reason = _Reason(UNREAD, message, "remove it")
        yield _unread(path, reason.code, reason.message, advice=reason.advice)
    for folder in saved:
        yield _unread(folder, UNSUPPORTED, _SAVED, advice=_FROM_TABLE)
    for (_, suffix), paths in others.items():
        yield _of_other_use(suffix, paths)


def _of_other_use(suffix: str, paths: list[Path]) -> UnreadableFile:
    what = f"`{suffix}` files are" if suffix else "files without an extension are"
    beside = f" (there are {len(paths):,} in this folder)" if len(paths) > 1 else ""
    kinds = "YAML, JSON and JSONL are" if _kind(paths[0]) == "dataset" else "YAML and JSON are"
    advice = "move what is not evaluation data to another folder"
    return _unread(paths[0], UNREAD, f"{what} not read{beside}; {kinds}", advice=advice)


def no_dataset(path: Path, files: Files) -> UnreadableFile | None:
    """Explain a log, or the like, of another tool that is among datasets; None if it is none."""
    tool = tool_without_dataset(read_file(path, display_name(path), files, quick=True).peek())
    if tool is None:
        return None
    message = f"this looks like {tool.what} of {tool.name}: it is not checked"
    return _unread(path, UNREAD, message, advice="move it to another folder")


def _unread(path: Path, code: str, message: str, advice: str) -> UnreadableFile:
    fault = SourceProblem(code, message, None, f"{advice}, or list it under `exclude`")
    return UnreadableFile(display_name(path), (fault,))


def _reason(path: Path, entry: Entry) -> _Reason | None:
    name, suffix = entry.name, path.suffix.lower()
    if entry.kind == FOLDER:
        message = "this is a link to a folder, which is not followed"
        return _Reason(UNSUPPORTED, message, "move the folder here, or check it by itself")
    if entry.kind == DANGLING:
        return _Reason(UNSUPPORTED, "this is a link that leads nowhere", "correct it or remove it")
    if suffix in SUFFIXES and not name.startswith("."):
        return _schema_of_bundle(path)
    inner = path.with_suffix("").suffix.lower()
    if inner in SUFFIXES or name.endswith("~"):
        return _of_two_extensions(path, name)
    if suffix in SUFFIXES:
        message = "hidden files are not read"
        return _Reason(UNSUPPORTED, message, f"rename it to `{name.lstrip('.')}`")
    return _of_extension(path, suffix)


def _of_two_extensions(path: Path, name: str) -> _Reason | None:
    """Explain a file such as `a.yaml.txt` or `a.jsonl.gz`."""
    suffix = path.suffix.lower()
    original = name.rstrip("~") if name.endswith("~") else path.stem
    if path.with_name(original).suffix.lower() not in SUFFIXES:
        return None
    if suffix in _PACKED:
        message, advice = "compressed files are not read", f"unpack it to `{original}`"
        return _Reason(MISNAMED, message, advice, original)
    if suffix in _TEXT:
        message = f"`{path.suffix}` files are not read"
        return _Reason(MISNAMED, message, f"rename it to `{original}`", original)
    if suffix in _TEMPLATES:
        message = "templates are not read"
        return _Reason(UNSUPPORTED, message, f"render it to `{original}`", original)
    if suffix == ".dvc":
        message = f"this only points at `{original}`, which is not here"
        return _Reason(MISNAMED, message, "run `dvc pull`", original)
    message = f"a file whose name ends in `{name.removeprefix(original)}` is not read"
    return _Reason(UNSUPPORTED, message, f"rename it to `{original}`, remove it", original)


def _of_extension(path: Path, suffix: str) -> _Reason | None:
    kind = _kind(path)
    if suffix in _JSONL and kind == "dataset":
        message = f"`{suffix}` files are not read"
        return _Reason(MISNAMED, message, f"rename it to `{path.stem}.jsonl`", f"{path.stem}.jsonl")
    formats = "YAML, JSON or JSONL" if kind == "dataset" else "YAML or JSON"
    if suffix in _TABLES and kind == "dataset":
        message = f"`{suffix}` files are not read; a dataset of a workspace is YAML, JSON or JSONL"
        return _Reason(UNSUPPORTED, message, _FROM_TABLE if suffix in TABLES else _AS_DATASET)
    if suffix in _TABLES | _MARKUP | _JSONL:
        message = f"`{suffix}` files are not read; a {kind} is {formats}"
        return _Reason(UNSUPPORTED, message, f"write it as {formats}")
    if suffix in _PACKED:
        return _Reason(UNSUPPORTED, "compressed files are not read", "unpack it")
    meant = None if suffix in _NOT_MISSPELLED or not suffix else nearest(suffix, SUFFIXES)
    if meant:
        message = f"`{suffix}` files are not read; did you mean `{meant}`?"
        return _Reason(MISNAMED, message, f"rename it to `{path.stem}{meant}`")
    return None


def _schema_of_bundle(path: Path) -> _Reason:
    """Explain a file of `bundles/` that is not called `{name}.schema.json`."""
    name = path.name.removesuffix(path.suffix).removesuffix(".schema")
    message = "a bundle is a JSON Schema called `{name}.schema.json`; this file is not read"
    verb = "rename it to" if path.suffix.lower() == ".json" else "write it as JSON to"
    return _Reason(MISNAMED, message, f"{verb} `{name}{SCHEMA_SUFFIX}`", f"{name}{SCHEMA_SUFFIX}")


def _kind(path: Path) -> str:
    """Return the kind of file that is expected in a folder."""
    parents = reversed(path.parts[:-1])
    folder = next((part for part in parents if part in WORKSPACE_FOLDERS), DATASETS)
    return folder.removesuffix("s")
