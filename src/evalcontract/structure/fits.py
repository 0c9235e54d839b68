"""Whether a value would do at another place of a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.schemas import follow

if TYPE_CHECKING:
    from jsonschema_rs import Draft202012Validator as NativeValidator

    from evalcontract.structure.schemas import Schema


class Fits:
    """Answers that for the parts of one schema; what a part needs is compiled once."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        # With the part itself, so that nothing else gets its id.
        self._engines: dict[int, tuple[Schema, NativeValidator | None]] = {}

    def alike(self, value: Any, schema: Any) -> bool:
        """Whether a value is of the sort that a part describes: a mapping, a list, or neither."""
        types = follow(schema, self._root).get("type", ())
        wanted = [types] if isinstance(types, str) else types
        if not wanted or value is None:
            return value is not None
        if isinstance(value, dict | list):
            return ("object" if isinstance(value, dict) else "array") in wanted
        return any(each not in ("object", "array") for each in wanted)

    def fits(self, value: Any, schema: Any) -> bool:
        """Whether a value is valid by a part."""
        if id(schema) not in self._engines:
            self._engines[id(schema)] = schema, self._compiled(schema)
        _, engine = self._engines[id(schema)]
        try:
            return engine is not None and bool(engine.is_valid(value))
        except (ValueError, TypeError, RecursionError):
            return False  # no JSON value

    def is_any_text(self, schema: Any) -> bool:
        """Whether a part takes whatever text there is, so that a fitting one shows nothing."""
        whole = follow(schema, self._root)
        return not {"enum", "const", "pattern", "properties", "items"} & whole.keys() and whole.get(
            "type", "string"
        ) in ("string", ["string"])

    def _compiled(self, schema: Any) -> NativeValidator | None:
        from evalcontract.structure.native import native_for  # slow to import

        defs = {"$defs": self._root["$defs"]} if "$defs" in self._root else {}
        try:
            return native_for({**defs, "allOf": [schema]})
        except ValueError:  # it leads elsewhere
            return None
