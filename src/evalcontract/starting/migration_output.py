"""The files of a migrated workspace: YAML for editors with a schema, written all or none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, Self

from evalcontract.model.errors import EditError
from evalcontract.source import format_of, read_text
from evalcontract.source import installed as shipped
from evalcontract.source.files import guess_format
from evalcontract.source.setting import set_value
from evalcontract.source.writing import Staged
from evalcontract.source.yaml.writing import NotWritableError, utf8, yaml_mapping, yaml_text
from evalcontract.workspace import display_name
from evalcontract.workspace.editor_schemas import Modelines, with_modeline, without_modelines
from evalcontract.workspace.writing import CommentsAbove, open_staged, write_error, write_staged

if TYPE_CHECKING:
    from pathlib import Path

    from evalcontract.source import Document

_ROWS = "questions"


class WorkspaceFiles:
    """Context manager that collects the files of a workspace and writes them on `commit`."""

    def __init__(self, folder: Path, *, force: bool) -> None:
        self._folder = folder
        self._force = force
        self._staged = Staged()
        self._files: dict[Path, bytes] = {}
        self._modelines = Modelines(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Remove the files that were not committed."""
        self._staged.__exit__()

    def report(self, path: Path | None) -> BinaryIO | None:
        """Open the report of losses, if there is to be one.

        Raises:
            UsageError: the file exists, or cannot be written.

        """
        if path is None:
            return None
        return open_staged(self._staged, path, replace=self._force)

    def dataset(
        self, name: str, root: dict[str, Any], rows: list[dict[str, Any]], source: Document
    ) -> None:
        """Add a dataset: the YAML file that its rows come from, with what the migration adds.

        Where that file cannot be edited, or has no rows of ours, the dataset is written anew, with
        the comments of the file.

        Raises:
            UsageError: a value of it cannot be written as YAML.

        """
        path = self._folder / "datasets" / f"{name}.yaml"
        modeline = self._modelines.of(path, "dataset")
        if _ROWS in source.value and _is_yaml(source):
            try:
                text = set_value(source.text, {**root, _ROWS: rows})
                self._files[path] = utf8(with_modeline(text, modeline))
            except (EditError, NotWritableError):
                pass  # it is written anew
            else:
                return
        above = CommentsAbove()
        comments: list[list[str]] = []
        if _ROWS in source.value:  # rows of JSON have no comments
            comments = [above.row(source, (_ROWS, index)) for index in range(len(rows))]
        header = [*modeline, *without_modelines(above.header)]
        try:
            self._files[path] = yaml_text(root, _ROWS, rows, comments, header)
        except NotWritableError as error:
            raise write_error(path, error) from None

    def rubric(self, id_: str, rubric: dict[str, Any]) -> None:
        """Add a rubric."""
        self._add("rubric", id_, rubric)

    def target(self, id_: str, settings: dict[str, Any], datasets: list[str]) -> None:
        """Add a target for each of its datasets."""
        for name in datasets:
            own = id_ if len(datasets) == 1 else f"{id_}_{name}"
            self._add("target", own, {"id": own, **settings, "dataset": f"datasets/{name}.yaml"})

    def judge(self, id_: str) -> None:
        """Add a starter judge, as it ships with this package."""
        path = self._folder / "judges" / f"{id_}.yaml"
        lines = [*self._modelines.of(path, "judge"), shipped.text_of(f"judges/{id_}.yaml")]
        self._files[path] = "\n".join(lines).encode()

    def commit(self) -> list[str]:
        """Write all files and return their names; those that are there already are left alone.

        Raises:
            UsageError: another file of that name exists, or a file cannot be written.

        """
        files = self._files | self._modelines.files
        try:
            for path, data in files.items():
                if read_text(path, path.name) != data.decode():
                    write_staged(self._staged, path, data, self._folder, replace=self._force)
            self._staged.put()
        except OSError as error:
            raise write_error(self._folder, error) from None
        return [display_name(path) for path in files]

    def _add(self, kind: str, id_: str, value: dict[str, Any]) -> None:
        path = self._folder / f"{kind}s" / f"{id_}.yaml"
        try:
            text = yaml_mapping(value, self._modelines.of(path, kind))
        except NotWritableError as error:
            raise write_error(path, error) from None
        self._files[path] = text


def _is_yaml(source: Document) -> bool:
    """Whether a file is YAML, by its name, or else by its text."""
    form = format_of(source.file) or guess_format(source.text.encode())
    return form == "yaml"
