"""The names of a table's columns: which are read, and which only look like it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from evalcontract.formats.evret.releases import ID_KEYS, NAMES
from evalcontract.formats.evret.traps import unread_by
from evalcontract.model.diagnostic import Problem
from evalcontract.model.nearest import nearest, normalise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import SchemaChecker
    from evalcontract.formats.evret.releases import Release

_NAMES = tuple(name for pair in NAMES for name in pair)
_TEXTS = NAMES[1]
# What other programs put between cells.
_CUTS = {";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True)
class Header:
    """A header: its names as an author wrote them, and as the loader reads them."""

    written: tuple[str, ...]
    read: tuple[str, ...]
    release: Release

    @property
    def has_text(self) -> bool:
        """Whether there is a column that the text of a query can come from."""
        return any(name in self.read for name in _TEXTS)

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The columns that the release reads."""
        return (*_NAMES, *self.release.list_columns)

    def problems(self, schema: SchemaChecker, *, has_rows: bool) -> list[Problem]:
        """Return what is wrong with the header of a table."""
        found: list[Problem] = []
        strangers = self._strangers()
        if not self.has_text and has_rows:
            meant = self._meant_text(strangers)
            found.append(self._no_text(meant))
            strangers = [each for each in strangers if each != meant and not self._is_uncut]
        elif hidden := self._hidden():
            found.append(hidden)
        found += self._unread(strangers, schema)
        found += self._doubled()
        others = [name for name in ID_KEYS if name in self.written and name not in self.known]
        if not any(name in self.read for name in self.release.columns):
            found += [unread_by(name, (name,), self.release) for name in others]
        if has_rows and self.has_text and not self._expects() and not found:
            found.append(self._nothing_expected())
        return found

    @property
    def _is_uncut(self) -> bool:
        return len(self.written) == 1 and self._cut_by is not None

    @property
    def _cut_by(self) -> str | None:
        """What stands between the names of a header that no commas cut."""
        return next((word for sign, word in _CUTS.items() if sign in self.written[0]), None)

    def _strangers(self) -> list[str]:
        unknown = [name for name in dict.fromkeys(self.written) if name not in self.known]
        return [name for name in unknown if name not in (*ID_KEYS, "metadata")]

    def _expects(self) -> bool:
        return any(name in self.read for name in self.release.list_columns)

    def _meant_text(self, strangers: list[str]) -> str | None:
        return next((each for each in (nearest(name, strangers) for name in _TEXTS) if each), None)

    def _no_text(self, meant: str | None) -> Problem:
        message = "the header has neither `query_text` nor `query`"
        if any(name in self.written for name in _TEXTS):
            hidden = self.written[0]
            message = f"the byte order mark before it hides `{hidden}`, which every row needs"
            advice: str | None = "save the file as UTF-8 without a mark"
            return Problem("evret/missing-key", message, (hidden,), advice)
        if meant is not None:
            message = f"{message}: names are compared to the letter, and `{meant}` is another"
            advice = "call it `query_text`"
        elif self._is_uncut:
            advice = f"put commas between the cells, not {self._cut_by}"
        else:
            advice = "add a column `query_text`"
        return Problem("evret/missing-key", message, (meant,) if meant is not None else (), advice)

    def _hidden(self) -> Problem | None:
        if self.written[:1] == self.read[:1] or self.written[0] not in self.known:
            return None
        message = f"the byte order mark before it hides the column `{self.written[0]}`"
        advice = "save the file as UTF-8 without a mark"
        return Problem("evret/hidden-column", message, (self.written[0],), advice)

    def _unread(self, strangers: list[str], schema: SchemaChecker) -> Iterator[Problem]:
        folded = {normalise(name): name for name in self.known}
        there = dict.fromkeys((each for each in self.written if each in self.known), "")
        for name in strangers:
            known = folded.get(normalise(name))
            if known and known not in self.read:
                message = f"the column `{name}` is not read: names are compared to the letter"
                advice = f"call it `{known}`"
                yield Problem("evret/near-miss-key", message, (name,), advice, on_key=True)
            else:
                found = schema.unread({**there, name: ""}, ())
                yield from (each for each in found if each.path == (name,))

    def _doubled(self) -> Iterator[Problem]:
        for name, count in Counter(self.read).items():
            if count > 1 and name in self.known:
                message = f"{count} columns are called `{name}`, and only the last one is read"
                advice = "keep one of them"
                yield Problem("evret/duplicate-column", message, (name,), advice, on_key=True)

    def _nothing_expected(self) -> Problem:
        columns = " or ".join(f"`{name}`" for name in self.release.list_columns[:2])
        message = "no column says what is expected: every metric is 0.0, whatever is retrieved"
        return Problem("evret/nothing-expected", message, (), f"add a column {columns}")
