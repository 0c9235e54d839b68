"""The settings around a workspace: of editors, of pre-commit, and of CI."""

from __future__ import annotations

import json
import shlex
from string import Template
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from evalcontract.model.startup import NamedTuple
from evalcontract.source import SUFFIXES
from evalcontract.source import installed as shipped
from evalcontract.workspace.editor_schemas import editor_schemas

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.starting.install import InstallSource
    from evalcontract.workspace.editor_schemas import EditorSchema

#: The file of each system of CI, and its template.
CI_FILES = {
    "github": (".github/workflows/evalcontract.yml", "project/github.yaml"),
    "gitlab": (".gitlab-ci.yml", "project/gitlab-ci.yaml"),
}
_EXTENSIONS = ("redhat.vscode-yaml", "tamasfe.even-better-toml")
#: The name by which a file knows of evalcontract.
PACKAGE = "evalcontract"


class ProjectFile(NamedTuple):
    """A file of the project that the workspace is in, by its path.

    If it is there already, `mark` says whether it knows of evalcontract, and `snippet` is what to
    add to it if it does not.
    """

    path: str
    text: str
    mark: str
    snippet: str


class _Template(Template):
    """Text with names such as `%{version}`: `$` has a meaning in YAML, TOML and shells."""

    delimiter = "%"


def filled(template: str, **values: str) -> str:
    """Return a template with its values."""
    return _Template(shipped.template(template)).substitute(values)


def project_files(
    folder: str, ci: str | None, source: InstallSource | None
) -> Iterator[ProjectFile]:
    """Yield the files for a workspace in a folder of the project, which is `.` or a path.

    CI installs evalcontract from `source`; without one, there is no file for CI. pre-commit runs
    what is installed.
    """
    values = {"quoted_folder": _quoted(folder), "shell_folder": shlex.quote(folder)}
    mark = f'{_below(folder, next(iter(editor_schemas())).path)}"'
    settings = _json(_vs_code(folder))
    yield ProjectFile(".vscode/settings.json", settings, f"./{mark}", settings)
    extensions = _json({"recommendations": [*_EXTENSIONS]})
    yield ProjectFile(".vscode/extensions.json", extensions, _EXTENSIONS[0], extensions)
    entries = "".join(_mapping(schema, folder) for schema in editor_schemas())
    yield ProjectFile(".idea/jsonSchemas.xml", _jetbrains(entries), f'"{mark}', entries)
    hooks = filled("project/pre-commit-config.yaml", **values)
    snippet = hooks.partition("repos:\n")[2]
    yield ProjectFile(".pre-commit-config.yaml", hooks, PACKAGE, snippet)
    if ci is not None and source is not None:
        path, template = CI_FILES[ci]
        values |= {"quoted_source": _quoted(source.requirement),
                   "shell_source": shlex.quote(source.requirement)}  # fmt: skip
        text = filled(template, **values)
        yield ProjectFile(path, text, PACKAGE, text)


def _quoted(text: str) -> str:
    """Return a text as a scalar of YAML."""
    return json.dumps(text, ensure_ascii=False)


def _below(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _vs_code(folder: str) -> dict[str, object]:
    """Return settings of the YAML extension, and of the JSON support that is built in."""
    kinds = [schema for schema in editor_schemas() if schema.is_of_folder]

    def files_of(schema: EditorSchema, kind: str) -> list[str]:
        below = _below(folder, schema.describes)
        return [f"{below}/**/*{ending}" for ending, of in SUFFIXES.items() if of == kind]

    paths = {schema: f"./{_below(folder, schema.path)}" for schema in kinds}
    return {
        "yaml.schemas": {paths[schema]: files_of(schema, "yaml") for schema in kinds},
        "json.schemas": [
            {"fileMatch": [f"/{each}" for each in files_of(schema, "json")], "url": paths[schema]}
            for schema in kinds
        ],
    }


def _jetbrains(entries: str) -> str:
    return f"""\
<?xml version="1.0" encoding="UTF-8"?>
<project version="4">
  <component name="JsonSchemaMappingsProjectConfiguration">
    <state>
      <map>
{entries}\
      </map>
    </state>
  </component>
</project>
"""


def _mapping(schema: EditorSchema, folder: str) -> str:
    """Return the mapping of a folder or a file to its schema, as IDEs of JetBrains store it."""
    name = f"{PACKAGE} {schema.name}"
    described = {"path": _below(folder, schema.describes)}
    if schema.is_of_folder:
        described = {"directory": "true", **described, "mappingKind": "Directory"}
    lines = [
        f"<entry key={quoteattr(name)}>",
        "  <value>",
        "    <SchemaInfo>",
        f"      {_option('name', name)}",
        f"      {_option('relativePathToSchema', _below(folder, schema.path))}",
        '      <option name="patterns">',
        "        <list>",
        "          <Item>",
        *(f"            {_option(*item)}" for item in described.items()),
        "          </Item>",
        "        </list>",
        "      </option>",
        "    </SchemaInfo>",
        "  </value>",
        "</entry>",
    ]
    return "".join(f"        {line}\n" for line in lines)


def _option(name: str, value: str) -> str:
    return f"<option name={quoteattr(name)} value={quoteattr(value)} />"
