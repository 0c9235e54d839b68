"""The schemas that editors use in a workspace, and the files that each of them describes."""

from __future__ import annotations

from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.source import SCHEMA_SUFFIX
from evalcontract.structure import schemas
from evalcontract.workspace.configuration import FILE_NAME
from evalcontract.workspace.modelines import FOLDER, MODELINE

_EDITION = "editor"
_CONFIGURATION = "configuration"


class EditorSchema(NamedTuple):
    """A schema by name; `describes` is a folder of a workspace, or one file of it."""

    name: str
    describes: str

    @property
    def path(self) -> str:
        """The path of the schema, relative to the workspace."""
        return f"{FOLDER}/{_EDITION}/{self.name}{SCHEMA_SUFFIX}"

    @property
    def is_of_folder(self) -> bool:
        """Whether it describes the files of a folder."""
        return self.name != _CONFIGURATION


def editor_schemas() -> tuple[EditorSchema, ...]:
    """Return the schemas of the files of a workspace."""
    folders = (EditorSchema(str(kind), f"{kind}s") for kind in Kind)
    return (*folders, EditorSchema(_CONFIGURATION, FILE_NAME))


def schema_text(name: str) -> str:
    """Return the text of a schema, in the edition for editors."""
    return schemas.text_of(f"{_EDITION}/{name}")


def modeline(kind: str) -> str:
    """Return the comment that names the schema of a file in a folder of the workspace."""
    return f"# {MODELINE} $schema=../{EditorSchema(kind, '').path}"
