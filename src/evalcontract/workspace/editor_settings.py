"""Settings that map the folders of a workspace to the schemas for editors.

`schema export WORKSPACE/schema` writes the schemas that they name. Both functions take the folder
of the workspace relative to that of the project, with forward slashes: "" is the project itself.
"""

from __future__ import annotations

import json
from xml.sax.saxutils import quoteattr

from evalcontract.model.reference import Kind

_SUFFIXES = {"yaml": ("yaml", "yml"), "json": ("json",)}
_MAPPING = """\
        <entry key={name}>
          <value>
            <SchemaInfo>
              <option name="name" value={name} />
              <option name="relativePathToSchema" value={schema} />
              <option name="schemaVersion" value="JSON Schema version 2020-12" />
              <option name="patterns">
                <list>
                  <Item>
                    <option name="directory" value="true" />
                    <option name="path" value={folder} />
                    <option name="mappingKind" value="Directory" />
                  </Item>
                </list>
              </option>
            </SchemaInfo>
          </value>
        </entry>
"""


def vscode_settings(workspace: str = "") -> str:
    """Return `.vscode/settings.json`, for its own JSON support and the extension YAML."""
    kinds = [*Kind]
    settings = {
        "yaml.schemas": {
            f"./{_schema(workspace, kind)}": _globs(workspace, kind, "yaml") for kind in kinds
        },
        "json.schemas": [
            {
                "url": f"./{_schema(workspace, kind)}",
                "fileMatch": [f"/{glob}" for glob in _globs(workspace, kind, "json")],
            }
            for kind in kinds
        ],
    }
    return json.dumps(settings, indent=2) + "\n"


def jetbrains_settings(workspace: str = "") -> str:
    """Return `.idea/jsonSchemas.xml`, which JetBrains' IDEs read for JSON and YAML."""
    mappings = (
        _MAPPING.format(
            name=quoteattr(f"evalcontract {kind}"),
            schema=quoteattr(_schema(workspace, kind)),
            folder=quoteattr(_in(workspace, f"{kind}s")),
        )
        for kind in Kind
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<project version="4">\n'
        '  <component name="JsonSchemaMappingsProjectConfiguration">\n'
        f"    <state>\n      <map>\n{''.join(mappings)}      </map>\n    </state>\n"
        "  </component>\n</project>\n"
    )


def _schema(workspace: str, kind: Kind) -> str:
    return _in(workspace, f"schema/editor/{kind}.schema.json")


def _globs(workspace: str, kind: Kind, language: str) -> list[str]:
    return [_in(workspace, f"{kind}s/**/*.{suffix}") for suffix in _SUFFIXES[language]]


def _in(workspace: str, name: str) -> str:
    return f"{workspace}/{name}" if workspace else name
