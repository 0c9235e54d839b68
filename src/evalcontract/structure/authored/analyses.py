"""What is known about the authored schemas of a run; each schema is analysed once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.structure.pattern_limit import PatternMatcher

if TYPE_CHECKING:
    from evalcontract.structure.authored.faults import SchemaFault
    from evalcontract.structure.authored.keywords import KeywordRemark


class SchemaAnalyses:
    """The faults of authored schemas, and the remarks on those without faults.

    A schema is known by its identity, and kept, so that its id is not reused. The patterns of all
    schemas together must not be too large; `patterns` limits the time to match them.
    """

    def __init__(self) -> None:
        self.patterns = PatternMatcher()
        self._states = 0
        self._faults: dict[int, tuple[Any, tuple[SchemaFault, ...]]] = {}
        self._remarks: dict[int, tuple[Any, tuple[KeywordRemark, ...]]] = {}

    def faults(self, schema: Any) -> tuple[SchemaFault, ...]:
        """Return the faults of a schema."""
        if id(schema) not in self._faults:
            from evalcontract.structure.authored.faults import schema_faults  # slow to import

            too_large = self._patterns_beyond_limit(schema)
            faults = (too_large,) if too_large else schema_faults(schema)
            self._faults[id(schema)] = schema, faults
        return self._faults[id(schema)][1]

    def _patterns_beyond_limit(self, schema: Any) -> SchemaFault | None:
        """Return a fault at the first pattern that is beyond what all schemas may take."""
        from evalcontract.structure.authored.faults import SchemaFault
        from evalcontract.structure.authored.graph import MAX_STATES, pattern_size
        from evalcontract.structure.parts import patterns

        for path, pattern, on_key in patterns(schema):
            self._states += pattern_size(pattern)
            if self._states > MAX_STATES:
                message = (
                    "the patterns of all schemas together have more than "
                    f"{MAX_STATES:,} states with this one"
                )
                advice = "repeat less: `{1,100}` copies what it repeats a hundred times"
                return SchemaFault(message, path, advice, on_key)
        return None

    def remarks(self, schema: Any) -> tuple[KeywordRemark, ...]:
        """Return the remarks on the keywords and keys of a valid schema."""
        if id(schema) not in self._remarks:
            from evalcontract.structure.authored.keywords import remarks  # slow to import

            self._remarks[id(schema)] = schema, tuple(remarks(schema))
        return self._remarks[id(schema)][1]
