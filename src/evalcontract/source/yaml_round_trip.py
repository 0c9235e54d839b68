"""Changes of YAML that need the whole text written anew: aliases, merged keys, rare forms.

ruamel.yaml keeps comments and order, but writes some of the rest its own way. So that it cannot
change what a value means, it reads every plain scalar as the text it is.
"""

from __future__ import annotations

import io
import re
import warnings
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.resolver import VersionedResolver

from evalcontract.source.text import split_lines
from evalcontract.source.yaml_parts import placeholders, put_back

if TYPE_CHECKING:
    from evalcontract.model.path import Path

#: The scalar that stands where a value is to be set.
PLACEHOLDER = "placeholder"
_HEAD = re.compile(r"(?:[ \t]*(?:#.*)?\n|%.*\n)*---[ \t]*(?:#.*)?\n")
_LINE_END = re.compile(r"\r\n|\n|\r")


class _Resolver(VersionedResolver):
    """Takes plain scalars, keys too, for text; only what is empty is null."""

    @property
    def versioned_resolver(self) -> Any:
        return {"": [("tag:yaml.org,2002:null", re.compile(r"\Z"))]}


def with_placeholder(text: str, path: Path, step: int, offset: int) -> str | None:
    """Return the text with a plain scalar at a path, a comment lost nowhere; None if it cannot be.

    `step` and `offset` are how far mappings and lists stand to the right of their keys.
    """
    hidden = placeholders(text)
    plain = "\n".join(split_lines(text)).translate({ord(old): new for new, old in hidden.items()})
    head = _HEAD.match(plain)
    start = head.end() if head else 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            written = _written(plain[start:], path, step, offset)
    except (YAMLError, LookupError, TypeError, ValueError, AttributeError):
        return None
    if written.count("#") != plain.count("#", start):
        return None
    end = _LINE_END.search(text)
    whole = (plain[:start] + written).replace("\n", end.group() if end else "\n")
    return put_back(whole, hidden)


def _written(text: str, path: Path, step: int, offset: int) -> str:
    yaml = YAML(typ="rt")
    yaml.Resolver = _Resolver
    yaml.preserve_quotes = True
    yaml.width = 1 << 16
    yaml.indent(mapping=step, sequence=offset + 2, offset=offset)
    yaml.explicit_start = text.startswith("---")
    value = yaml.load(text)
    holder = value
    for part in path[:-1]:
        holder = holder[part]
    holder[path[-1]] = PLACEHOLDER
    stream = io.StringIO()
    yaml.dump(value, stream)
    return stream.getvalue()
