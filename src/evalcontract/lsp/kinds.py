"""Which kind of artifact a file is: what the command line would check it as."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.reference import Kind
from evalcontract.model.startup import lazy_pattern
from evalcontract.source import SCHEMA_SUFFIX, format_of, read_file
from evalcontract.workspace import display_name, find_root
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.recognition import is_dataset
from evalcontract.workspace.roots import ARTIFACT_FOLDERS

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.source import Files

#: A bundle and the configuration are checked with their workspace alone.
BUNDLE, CONFIGURATION = "bundle", "configuration"
_KIND_OF_FOLDER: dict[str, str] = {
    **{f"{kind}s": kind for kind in (Kind.RUBRIC, Kind.JUDGE, Kind.TARGET)},
    "bundles": BUNDLE,
}
#: The name of a schema in the first characters: in a modeline, or under `$schema`.
_SCHEMA = lazy_pattern(rf"\$schema\W{{1,6}}\S*?\b(?P<kind>{'|'.join(Kind)})\.schema\.json")
_HEAD = 1 << 10


def kind_of(path: Path, files: Files) -> str | None:
    """Return the kind of a file, by its folder, the schema that it names, or its content.

    A file that the command line does not read has no kind.
    """
    if path.name == FILE_NAME:
        return CONFIGURATION
    root = find_root(path, files)
    real = files.real(path)
    folder = real.relative_to(root).parts[0] if root in real.parents else ""
    if real.parent == root or folder not in ARTIFACT_FOLDERS:
        return _kind_by_content(path, root, files)
    is_schema = path.name.endswith(SCHEMA_SUFFIX)
    kind = _KIND_OF_FOLDER[folder]
    is_read = format_of(path.name) is not None and is_schema == (kind == BUNDLE)
    return kind if is_read else None


def _kind_by_content(path: Path, root: Path, files: Files) -> str | None:
    try:
        head = files.read(path)[:_HEAD].decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
    if named := _SCHEMA.search(head):
        return Kind(named["kind"])
    real = files.real(path)
    inside = real if root in real.parents else root / path.name
    source = read_file(path, display_name(path), files, quick=True)
    return Kind.DATASET if is_dataset(inside, root, source, files) else None
