"""Whether a value is valid against another part of a schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.subschemas import follow

if TYPE_CHECKING:
    from evalcontract.structure.native import NativeValidator
    from evalcontract.structure.subschemas import Schema


class Fits:
    """Validates values against the subschemas of one schema, each compiled once."""

    def __init__(self, root: Schema) -> None:
        self._root = root
        # The subschema is kept in the entry, so that its id is not reused.
        self._validators: dict[int, tuple[Schema, NativeValidator | None]] = {}

    def same_shape(self, value: Any, schema: Any) -> bool:
        """Whether a value has the shape of a subschema's type: a mapping, a list or a scalar."""
        declared = follow(schema, self._root).get("type", ())
        types = [declared] if isinstance(declared, str) else declared
        if not types or value is None:
            return value is not None
        if isinstance(value, dict | list):
            return ("object" if isinstance(value, dict) else "array") in types
        return any(name not in ("object", "array") for name in types)

    def fits(self, value: Any, schema: Any) -> bool:
        """Whether a value is valid against a subschema."""
        if id(schema) not in self._validators:
            self._validators[id(schema)] = schema, self._compile(schema)
        _, validator = self._validators[id(schema)]
        try:
            return validator is not None and validator.is_valid(value)
        except (ValueError, TypeError, RecursionError):
            return False  # not a JSON value, or it cannot be decided

    def is_any_text(self, schema: Any) -> bool:
        """Whether a subschema accepts any string, so that a valid value proves nothing."""
        target = follow(schema, self._root)
        constraints = {"enum", "const", "pattern", "properties", "items"}
        return not constraints & target.keys() and target.get("type", "string") in (
            "string",
            ["string"],
        )

    def _compile(self, schema: Any) -> NativeValidator | None:
        from evalcontract.structure.native import native_for  # slow to import

        defs = {"$defs": self._root["$defs"]} if "$defs" in self._root else {}
        try:
            return native_for({**defs, "allOf": [schema]})
        except ValueError:  # a reference to another document
            return None
