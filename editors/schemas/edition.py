"""One schema as an editor reads it: the canonical one, with the keywords of language servers.

The keywords are those of yaml-language-server and of the JSON language server of VS Code.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from sentences import either, example_of, not_a, not_text, plain

from evalcontract.model.codes import guide_url, is_published
from evalcontract.structure import schemas
from evalcontract.structure.parts import follow

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Schema = dict[str, Any]

_NESTED = ("items", "additionalProperties", "contains", "if", "then", "else", "not")
_CONDITIONS = ("contains", "if", "not")
_LISTS = ("allOf", "anyOf")
_FORBIDDEN: Schema = {}
# A text that YAML cannot hold: an `enum` of nothing is refused by the strict mode of ajv.
_NOWHERE = "\0"
_ANY = ["string", "object", "array", "number", "boolean", "null"]
_SHAPES = frozenset({"type", "enum", "const", "properties", "items", "anyOf", "not", "$ref"})


class _At(NamedTuple):
    """Where a subschema stands: in which definition (or ""), and at which key (or "").

    `known` are the keys that the schema around a branch describes. `asks` is whether the subschema
    is a condition: nobody sees its messages.
    """

    definition: str = ""
    key: str = ""
    known: Mapping[str, Any] = MappingProxyType({})
    asks: bool = False


class Edition:
    """The edition of one schema.

    `guides` are pages by `SCHEMA` or `SCHEMA/DEFINITION`, `values` the texts of the values of an
    `enum` by `SCHEMA/DEFINITION/KEY`, all from `texts.json`.
    """

    def __init__(self, name: str, guides: dict[str, str], values: dict[str, Any]) -> None:
        self._name = name
        self._family = name.partition("/")[0]
        self._root = schemas.load(name)
        self._guides = guides
        self._values = values

    def whole(self) -> Schema:
        """Return the edition of the whole schema."""
        edition: Schema = self._part(self._root, _At())
        _drop_unused(edition)
        edition["$id"] = edition["$id"].replace(f"{self._name}.", f"editor/{self._name}.")
        return edition

    def _part(self, part: Any, at: _At) -> Any:
        if not isinstance(part, dict):
            return part
        if "$ref" in part and len(part) > 1:
            return self._in_place(part, at)
        out = {key: value for key, value in part.items() if key != "examples"}
        if at.asks:
            out = {key: value for key, value in out.items() if key not in schemas.FOR_PEOPLE}
        else:
            self._describe(part, out, at)
            self._explain(part, out)
        known = {**at.known, **part.get("properties", {})}
        for keyword in _NESTED:
            if keyword in part:
                inside = known if keyword in ("then", "else") else _At().known
                asks = at.asks or keyword in _CONDITIONS
                step = _At(at.definition, at.key, inside, asks)
                out[keyword] = self._part(out[keyword], step)
        for keyword in _LISTS:
            if keyword in part:
                step = _At(at.definition, at.key, known, at.asks)
                out[keyword] = [self._part(each, step) for each in out[keyword]]
        if "$defs" in part:
            out["$defs"] = {
                name: self._part(each, _At(name)) for name, each in part["$defs"].items()
            }
        if "properties" in part:
            step = _At(at.definition, asks=at.asks)
            out["properties"] = {
                key: self._property(key, each, step) for key, each in part["properties"].items()
            }
        return out if at.asks else self._refusals(part, self._offers(part, out, known, at))

    def _in_place(self, part: Schema, at: _At) -> Schema:
        """Put a definition where a `$ref` with other keywords stands, which servers read badly."""
        name = _name(part["$ref"])
        own = {"examples": self._root["$defs"][name].get("examples", ()), **part}
        del own["$ref"]
        has_guide = f"{self._family}/{name}" in self._guides
        place = at._replace(definition=name) if has_guide else at
        return {**self._definition(part["$ref"], asks=at.asks), **self._part(own, place)}

    def _definition(self, reference: str, *, asks: bool = False) -> Schema:
        name = _name(reference)
        edition: Schema = self._part(self._root["$defs"][name], _At(name, asks=asks))
        return edition

    def _property(self, key: str, part: Any, at: _At) -> Any:
        out = self._part(part, at._replace(key=key))
        if isinstance(part, dict) and "title" in part and not (at.asks or _SHAPES & part.keys()):
            out["type"] = _ANY  # without a type, only the name of the key is inserted
        return out

    def _describe(self, part: Schema, out: Schema, at: _At) -> None:
        """Add the text of a hover, and one text for each value of an `enum`."""
        if description := self._description(part, at):
            out["description"] = description
            paragraphs = [description]
            if example := example_of(part):
                paragraphs.append(f"Example: {example}")
            if guide := self._guide(at):
                paragraphs.append(f"[Guide]({guide})")
            out["markdownDescription"] = "\n\n".join(paragraphs)
        if "enum" in part and (texts := self._texts(part, at)):
            out["enumDescriptions"] = [plain(texts[value]) for value in part["enum"]]
            out["markdownEnumDescriptions"] = [texts[value] for value in part["enum"]]

    def _description(self, part: Schema, at: _At) -> str | None:
        """Return what a schema says of itself; a kind is described where its check is."""
        if at.key == "kind" and "const" in part:
            part = self._root["$defs"][at.definition]
        return part.get("description")

    def _guide(self, at: _At) -> str | None:
        own = f"{self._family}/{at.definition}"
        page = self._guides.get(own) or self._guides.get(self._family)
        if page is None or not is_published():
            return None
        return guide_url(page)

    def _texts(self, part: Schema, at: _At) -> dict[str, str] | None:
        if (at.definition, at.key) == ("check", "kind"):
            branches = {kind: self._root["$defs"][f"check_{kind}"] for kind in part["enum"]}
            return {kind: branch["description"] for kind, branch in branches.items()}
        path = (self._name, at.definition, at.key)
        texts: dict[str, str] | None = self._values.get("/".join(step for step in path if step))
        return texts

    def _explain(self, part: Schema, out: Schema) -> None:
        """Put a sentence in place of what a server itself says of a pattern or a condition."""
        if "pattern" in part:
            whole = follow(part, self._root)
            out["patternErrorMessage"] = not_a(whole)
            if part.get("type") == "string":
                out["errorMessage"] = not_text(whole)
        if "anyOf" in part and all(each.keys() == {"required"} for each in part["anyOf"]):
            keys = either([key for each in part["anyOf"] for key in each["required"]])
            text = f"Give at least one of {keys}."
            out["anyOf"] = [{**each, "errorMessage": text} for each in part["anyOf"]]
        if one_of_two := _one_of_two(part):
            text = f"Give {either([*one_of_two])}."
            out["else"] = {**part["else"], "errorMessage": text}

    def _offers(self, part: Schema, out: Schema, known: Schema, at: _At) -> Schema:
        """Offer each key once, and only where it may stand."""
        elsewhere = at.known.keys() | _conditional_keys(part)  # offered there
        for key, each in part.get("properties", {}).items():
            # YAML has a comment in place of `$schema`.
            if key in elsewhere or key == "$schema" or each.get("deprecated"):
                described = out["properties"][key]
                if "$ref" in described:
                    described = self._definition(described["$ref"])
                out["properties"][key] = {**described, "doNotSuggest": True}
        if refused := [key for key in _refused(part.get("then", {})) if key in known]:
            out["else"] = {**out.get("else", {}), "properties": self._offered(refused, known, at)}
        if one_of_two := _one_of_two(part):
            other, first = one_of_two
            condition = {
                "if": {"required": [other]},
                "else": {"properties": self._offered([first], known, at)},
            }
            out["allOf"] = [*out.get("allOf", ()), condition]
        return out

    def _offered(self, keys: list[str], known: Schema, at: _At) -> Schema:
        return {key: self._part(known[key], _At(at.definition, key)) for key in keys}

    def _refusals(self, part: Schema, out: Schema) -> Schema:
        """Refuse what `not` refuses, with a message: a server has none of ours for it."""
        further: list[Schema] = []
        for key, text in _refused(part).items():
            del out["properties"][key]
            further.append({"properties": {key: False}, "errorMessage": text})
        if "properties" in out and not out["properties"]:
            del out["properties"]
        if out.get("not"):
            never = {"enum": [_NOWHERE], "errorMessage": part.get("description", not_a(part))}
            further.append({"if": out.pop("not"), "then": never})
        if further:
            out["allOf"] = [*out.get("allOf", ()), *further]
        return out


def _name(reference: str) -> str:
    return reference.removeprefix("#/$defs/")


def _refused(part: Schema) -> dict[str, str]:
    """Return the keys that a branch does not allow, each with the reason."""
    return {
        key: each["description"]
        for key, each in part.get("properties", {}).items()
        if each.get("not") == _FORBIDDEN
    }


def _conditional_keys(part: Schema) -> set[str]:
    """Return the keys of a schema that one of its own conditions refuses."""
    conditions = [part, *part.get("allOf", ())]
    keys = {key for each in conditions for key in _refused(each.get("then", {}))}
    return keys | set(_one_of_two(part))


def _one_of_two(part: Schema) -> tuple[str, ...]:
    """Return the keys of which exactly one is needed: the one that is, and its alternative."""
    pair = part.get("else", {}), part.get("if", {})
    if all(each.keys() == {"required"} and len(each["required"]) == 1 for each in pair):
        return tuple(each["required"][0] for each in pair)
    return ()


def _drop_unused(edition: Schema) -> None:
    """Remove the definitions that were put in their places."""
    definitions = edition.get("$defs", {})
    while unused := definitions.keys() - set(_references({**edition, "$defs": definitions})):
        for name in unused:
            del definitions[name]


def _references(part: Any) -> Iterator[str]:
    if isinstance(part, dict):
        if isinstance(part.get("$ref"), str):
            yield _name(part["$ref"])
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from _references(each)
