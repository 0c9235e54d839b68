"""References between artifacts: `rubric/{id}@{version}`, `judge/{id}@{version}`."""

from __future__ import annotations

from enum import StrEnum

from evalcontract.model.lazy_pattern import lazy_pattern
from evalcontract.model.record import NamedTuple
from evalcontract.model.version import Version


class Kind(StrEnum):
    """The kinds of artifact: the word before the `/` in a code and in a reference."""

    DATASET = "dataset"
    RUBRIC = "rubric"
    JUDGE = "judge"
    TARGET = "target"


_NAME = "[a-z][a-z0-9_]*"
#: The grammar of names: ids of artifacts, bundles, kinds of checks, dataset formats.
IDENTIFIER = lazy_pattern(_NAME)
_PATTERN = lazy_pattern(rf"(?P<kind>rubric|judge)/(?P<id>{_NAME})(?:@(?P<version>.+))?")


class Reference(NamedTuple):
    """A reference to a rubric or a judge; without `version` it is unpinned."""

    kind: Kind
    id: str
    version: Version | None = None

    @classmethod
    def parse(cls, text: str) -> Reference | None:
        """Parse a reference; return None if the text is not one."""
        match = _PATTERN.fullmatch(text)
        if match is None:
            return None
        version = None
        if match["version"] is not None:
            version = Version.parse(match["version"])
            if version is None:
                return None
        return cls(Kind(match["kind"]), match["id"], version)

    @property
    def is_pinned(self) -> bool:
        """Whether it has a version."""
        return self.version is not None

    def __str__(self) -> str:
        return f"{self.kind}/{self.id}" + (f"@{self.version}" if self.version else "")
