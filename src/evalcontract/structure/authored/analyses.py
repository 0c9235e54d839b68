"""What is known about the authored schemas of a run; each schema is analysed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from evalcontract.structure.authored.fault import SchemaFault
    from evalcontract.structure.authored.keywords import Remark


class SchemaAnalyses:
    """The faults of authored schemas, and the remarks on those without faults.

    A schema is known by its identity, and kept, so that its id is not reused.
    """

    def __init__(self) -> None:
        self._faults: dict[int, tuple[Any, tuple[SchemaFault, ...]]] = {}
        self._remarks: dict[int, tuple[Any, tuple[Remark, ...]]] = {}

    def faults(self, schema: Any) -> tuple[SchemaFault, ...]:
        """Return the faults of a schema."""
        if id(schema) not in self._faults:
            from evalcontract.structure.authored.faults import schema_faults  # slow to import

            self._faults[id(schema)] = schema, schema_faults(schema)
        return self._faults[id(schema)][1]

    def remarks(self, schema: Any) -> tuple[Remark, ...]:
        """Return the remarks on the keywords and keys of a valid schema."""
        if id(schema) not in self._remarks:
            from evalcontract.structure.authored.keywords import remarks  # slow to import

            self._remarks[id(schema)] = schema, tuple(remarks(schema))
        return self._remarks[id(schema)][1]
