"""Check the header of a CSV table."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evalcontract.formats._findings import quoted
from evalcontract.formats.evret.releases import ID_KEYS, NAMES
from evalcontract.formats.evret.warnings import read_by_others
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest, normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release

_NAMES = tuple(name for pair in NAMES for name in pair)
_TEXTS = NAMES[1]
_NO_BOM = "save the file as UTF-8 without a byte order mark"
# Delimiters of other programs.
_DELIMITERS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Header:
    """A header: its names as they are written, and as the loader reads them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    release: Release

    @property
    def has_text(self) -> bool:
        """Whether there is a column for the text of a query."""
        return any(name in self.read for name in _TEXTS)

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The columns that the release reads."""
        return (*_NAMES, *self.release.list_columns)

    def problems(self, schema: SchemaChecker, *, has_rows: bool) -> list[Problem]:
        """Return the problems of the header."""
        problems: list[Problem] = []
        unknown = self._unknown()
        if not self.has_text and has_rows:
            meant = self._meant_text(unknown)
            problems.append(self._no_text(meant))
            unknown = [] if self._delimiter else [name for name in unknown if name != meant]
        elif hidden := self._hidden():
            problems.append(hidden)
        problems += self._unread(unknown, schema)
        problems += self._duplicates()
        if not any(name in self.read for name in self.release.columns):
            others = [name for name in self.of_others if name in self.written]
            problems += [read_by_others(name, (name,), self.release) for name in others]
        has_list = any(name in self.read for name in self.release.list_columns)
        is_told = any(map(self._is_of_a_list, problems))
        if has_rows and self.has_text and not has_list and not is_told:
            problems.append(self._nothing_expected())
        return problems

    @property
    def of_others(self) -> tuple[str, ...]:
        """The columns of document ids that only other releases read."""
        return tuple(name for name in ID_KEYS if name not in self.known)

    def _is_of_a_list(self, problem: Problem) -> bool:
        """Whether a problem says why a column of expectations is not read."""
        texts = f"{problem.message} {problem.help}"
        return any(f"`{name}`" in texts for name in (*self.release.list_columns, *ID_KEYS))

    @property
    def _delimiter(self) -> str | None:
        """The delimiter of a header with a single name, if it is not the comma."""
        if len(self.written) != 1:
            return None
        return next((word for char, word in _DELIMITERS.items() if char in self.written[0]), None)

    def _unknown(self) -> list[str]:
        ignored = (*self.known, *ID_KEYS, "metadata")
        return [name for name in dict.fromkeys(self.written) if name not in ignored]

    def _meant_text(self, unknown: list[str]) -> str | None:
        return next(filter(None, (nearest(name, unknown) for name in _TEXTS)), None)

    def _no_text(self, meant: str | None) -> Problem:
        code = "evret/missing-key"
        message = "the header has neither `query_text` nor `query`"
        if any(name in self.written for name in _TEXTS):
            hidden = self.written[0]
            message = f"a byte order mark hides the required column `{hidden}`"
            return Problem(code, message, (hidden,), _NO_BOM)
        if meant is not None:
            message = f"{message}; names must match exactly, and `{meant}` does not"
            return Problem(code, message, (meant,), "rename it to `query_text`")
        advice = "add a column `query_text`"
        if self._delimiter:
            advice = f"put commas between the cells, not {self._delimiter}"
        return Problem(code, message, (), advice)

    def _hidden(self) -> Problem | None:
        if self.written[:1] == self.read[:1] or self.written[0] not in self.known:
            return None
        message = f"a byte order mark hides the column `{self.written[0]}`"
        return Problem("evret/hidden-column", message, (self.written[0],), _NO_BOM)

    def _unread(self, unknown: list[str], schema: SchemaChecker) -> Iterator[Problem]:
        known_names = {normalise(name): name for name in self.known}
        present = dict.fromkeys((name for name in self.written if name in self.known), "")
        for name in unknown:
            near = known_names.get(normalise(name))
            if near and near not in self.read:
                message = f"the column `{name}` is not read: names must match exactly"
                advice = f"rename it to `{near}`"
                yield Problem("evret/near-miss-key", message, (name,), advice, on_key=True)
            else:
                problems = schema.unread({**present, name: ""}, ())
                yield from (problem for problem in problems if problem.path == (name,))

    def _duplicates(self) -> Iterator[Problem]:
        for name, count in Counter(self.read).items():
            if count > 1 and name in self.known:
                message = f"{count} columns are named `{name}`: only the last one is read"
                advice = "remove the others"
                yield Problem("evret/duplicate-column", message, (name,), advice, on_key=True)

    def _nothing_expected(self) -> Problem:
        message = "no column has expectations: every metric is 0.0, whatever is retrieved"
        columns = quoted(self.release.list_columns[:2], " or ")
        return Problem("evret/nothing-expected", message, (), f"add a column {columns}")
