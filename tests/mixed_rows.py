"""Rows that mix what the schema knows, what rules look at and what nobody knows, most of it right.

A row that is wrong in many places never comes near a gate. So most values are in order, and the odd
ones stand alone: an empty list, a null, a key of the author's own, letters beyond ASCII.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.datasets.plans import row_schema

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from random import Random

    Row = dict[str, Any]

#: Texts that checks and rules treat alike or apart: case, other scripts, folded letters, forms.
WORDS = (
    *("refund", "the Refund", "left", "order 7", "a  b", "lookup", "delivery"),
    *("Größe", "STRASSE", "Straße", "cafe\u0301", "café", "слово", "日本語", "\u212aelvin", "ﬁle"),
)
BLANK = ("", " ", "\u2009", "\u200b")
ODD_TEXTS = (*BLANK, "“left”", r"\d+ days", "{{ input }}", "a ", "\x1c\x85")
#: What may stand below any key that nobody knows.
ANYTHING: tuple[Any, ...] = (None, "", "text", "слово", 0, 1.5, True, [], {}, ["a"], {"a": None})
#: Keys of an author's own; some look like the contract's own, or like the rest of a sentence.
OWN_KEYS = (
    *("owner", "source_url", "x_tag", "label", "answer", "note", "user name", "Größe", "0"),
    *("tag", "facts", "formt", "expected_fact", "contex", "question", "reference", "ground_truth"),
    *("threshold", "values", "kind", "checks", "how are you?", "and so on", "tour", "tuor"),
)
_LISTS = ("expected_facts", "must_contain_any", "must_not_contain", "tags")
_TOOLS: tuple[Any, ...] = ("lookup", "search", {"name": "left"}, {"name": "b", "arguments": {}})


class MixedRows:
    """Rows from a random source; `bundles` and `references` are what rows may name.

    `more` has further values for keys, which may be others than those that the schema knows; rows
    have these more often.
    """

    def __init__(
        self,
        chance: Random,
        bundles: Sequence[str],
        references: Sequence[str],
        more: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        self._chance = chance
        self._bundles = bundles
        self._references = references
        self._more = more or {}
        self._known = list(
            dict.fromkeys([*row_schema()["$defs"]["row"]["properties"], *self._more])
        )
        self._of_expected = list(row_schema()["$defs"]["expected"]["properties"])

    def rows(self, number: int) -> Iterator[Row]:
        """Yield so many rows; mostly, their ids differ."""
        for index in range(number):
            yield self.row(index)

    def row(self, index: int) -> Row:
        """Return a row."""
        chance = self._chance
        row: Row = {"id": f"r{index}", "input": self._text()}
        keys = [key for key in self._known if key not in row]
        asked_for = [key for key in self._more if key not in row]
        some = chance.sample(asked_for, min(len(asked_for), chance.choice((0, 0, 0, 1, 2))))
        for key in (*some, *chance.sample(keys, chance.choice((0, 1, 1, 2, 2, 3, 4)))):
            row[key] = self._value(key)
        for key in chance.sample(OWN_KEYS, chance.choice((0, 0, 1, 1, 2))):
            row[key] = chance.choice(ANYTHING)
        if chance.random() < 0.5:
            row = dict(chance.sample(list(row.items()), len(row)))
        if chance.random() < 0.05:
            row["id"] = f"{row['id']}{chance.choice(ODD_TEXTS)}"
        if chance.random() < 0.01:
            del row[chance.choice(list(row))]
        return row

    def _value(self, key: str) -> Any:
        chance = self._chance
        if self._more.get(key) and chance.random() < 0.5:
            return self._beside(chance.choice(self._more[key]))
        if chance.random() < 0.02:
            return chance.choice(ANYTHING)
        make: Callable[[], Any] | None = getattr(self, f"_{key}", None)
        if make is None:
            return self._texts() if key in _LISTS else chance.choice(ANYTHING)
        return make()

    def _beside(self, value: Any) -> Any:
        """Return a value; a mapping sometimes with another key."""
        if not isinstance(value, dict) or self._chance.random() < 0.3:
            return value
        return {**value, self._chance.choice(OWN_KEYS): self._chance.choice(ANYTHING)}

    def _text(self) -> str:
        chance = self._chance
        if chance.random() < 0.03:
            return chance.choice(ODD_TEXTS)
        return " ".join(chance.choices(WORDS, k=chance.choice((1, 2, 3))))

    def _texts(self) -> list[str]:
        chance = self._chance
        texts = list(dict.fromkeys(self._text() for _ in range(chance.choice((1, 1, 2, 3)))))
        if chance.random() < 0.05:
            return chance.choice([[], [*texts, texts[0]], list(BLANK[1:2])])
        return texts

    _input = _criteria = _text

    def _expected(self) -> dict[str, Any]:
        chance = self._chance
        values: dict[str, Any] = {
            "format": chance.choice(("text", "text", "json")),
            "reference": chance.choice(("Lima", "Größe", "")),
            **dict.fromkeys(chance.sample(OWN_KEYS, 2), chance.choice(ANYTHING)),
            "answer": chance.choice(ANYTHING),
        }
        keys = [*values, *self._of_expected]
        return {key: values[key] for key in chance.sample(keys, chance.choice((0, 1, 1, 2, 3)))}

    def _expected_tools(self) -> list[Any]:
        chance = self._chance
        tools = chance.sample(_TOOLS, chance.choice((1, 1, 2)))
        if chance.random() < 0.1:
            text = chance.choice(ODD_TEXTS)
            tools[0] = chance.choice((text, {"name": text}))
        return [] if chance.random() < 0.05 else tools

    def _rubric_ref(self) -> str:
        return self._chance.choice(self._references)

    def _bundle(self) -> str:
        return self._chance.choice(self._bundles)

    def _context(self) -> Any:
        return self._chance.choice((*ANYTHING, self._text()))

    def _metadata(self) -> dict[str, Any]:
        return self._chance.choice(({}, {"a": None, "b": [1]}, {"facts": "x"}))
