"""Rows as lines of JSON, in the seven shapes that datasets have."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

from rows import SEED, TOOLS, WORDS, text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from rows import Row

_UNICODE = "Größe naïve señor Łódź čeština γλώσσα слово 日本語 世界 한국어 שלום नमस्ते 😀 🚀 → “so”"
_SCRIPTS = _UNICODE.split()


def _simple(chance: random.Random, index: int) -> Row:
    return {
        "id": f"q{index}",
        "input": f"How do I change {text(chance, 12)}?",
        "expected_facts": [text(chance, 6), text(chance, 6)],
    }


def simple(number: int) -> Iterator[str]:
    """An id, a question, two facts."""
    return _lines(number, _simple)


def three_keys(number: int) -> Iterator[str]:
    """The same with three keys of the author's own: a text, a mapping, a number."""

    def one(chance: random.Random, index: int) -> Row:
        reviewer = {"name": chance.choice(WORDS), "team": "quality"}
        own = {"source": "crawl", "reviewer": reviewer, "difficulty_score": index % 7 / 3}
        return {**_simple(chance, index), **own}

    return _lines(number, one)


def chat(number: int) -> Iterator[str]:
    """A conversation before the question, and one in `metadata`."""

    def one(chance: random.Random, index: int) -> Row:
        roles = ("system", "user", "assistant", "user", "assistant")
        messages = [{"role": role, "content": f"{text(chance, 12)}."} for role in roles]
        later = [{"role": role, "content": text(chance, 6)} for role in roles[1:3]]
        return {
            "id": f"chat-{index:06}",
            "input": f"{text(chance, 8)}?\nAnd {text(chance, 4)}?",
            "context": {"messages": messages},
            "expected": {"format": "text", "reference": f"It is {text(chance, 10)}."},
            "expected_facts": [text(chance, 5)],
            "tags": chance.sample(WORDS, 2),
            "metadata": {"messages": later, "model": "m-1", "temperature": 0.2},
        }

    return _lines(number, one)


def long_contexts(number: int) -> Iterator[str]:
    """Four passages of about 450 letters each."""

    def one(chance: random.Random, index: int) -> Row:
        passages = [f"{text(chance, 35)}.\n\n{text(chance, 35)}." for _ in range(4)]
        return {**_simple(chance, index), "context": passages}

    return _lines(number, one)


def tools(number: int) -> Iterator[str]:
    """Calls of tools as OpenAI's API records them: arguments are JSON inside of a string."""

    def one(chance: random.Random, index: int) -> Row:
        names = chance.sample(TOOLS, 2)
        calls = [
            {
                "id": f"call_{index}_{place}",
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": json.dumps({"query": f'say "{text(chance, 3)}"', "limit": place}),
                },
            }
            for place, name in enumerate(names)
        ]
        arguments = {"query": text(chance, 3), "limit": chance.randrange(10)}
        return {
            "id": f"t{index}",
            "input": f"Look up {text(chance, 8)}.",
            "expected_tools": [{"name": names[0], "arguments": arguments}, {"name": names[1]}],
            "context": {"messages": [{"role": "assistant", "content": "", "tool_calls": calls}]},
        }

    return _lines(number, one)


def unicode(number: int) -> Iterator[str]:
    """Texts in many scripts; every other row writes them as escapes."""

    def one(chance: random.Random, index: int) -> Row:
        def said(words: int) -> str:
            return " ".join(chance.choices(_SCRIPTS, k=words))

        facts = [said(5), f"{said(3)} {text(chance, 3)}"]
        return {"id": f"frage_{index}", "input": f"{said(10)}?", "expected_facts": facts}

    return _lines(number, one, lambda index: {"ensure_ascii": index % 2 == 1})


def varied(number: int) -> Iterator[str]:
    """Rows with other keys, in another order, with other spaces: from several sources."""

    def one(chance: random.Random, index: int) -> Row:
        row = _simple(chance, index)
        others: tuple[tuple[str, Any], ...] = (
            ("tags", chance.sample(WORDS, 2)),
            ("criteria", f"Says: {text(chance, 8)}"),
            ("context", chance.choice((text(chance, 20), [text(chance, 9)], {"page": index}))),
            ("expected", {"format": "text", "min_words": chance.randrange(40)}),
            ("expected_tools", [{"name": chance.choice(TOOLS), "arguments": {"deep": [1, {}]}}]),
            ("must_not_contain", [f"NEVER {chance.choice(WORDS).upper()}"]),
            ("metadata", {"score": chance.random(), "seen": index, "ok": True, "by": None}),
            ("source_url", f"https://example.org/{index}?a=1&b={chance.choice(WORDS)}"),
            ("x_batch", index // 1000),
        )
        row |= dict(chance.sample(others, chance.randrange(len(others))))
        keys = list(row)
        chance.shuffle(keys)
        return {key: row[key] for key in keys}

    spaces = (None, (",", ":"))
    return _lines(number, one, lambda index: {"separators": spaces[index % 2]})


SHAPES: dict[str, Callable[[int], Iterator[str]]] = {
    "simple": simple,
    "three keys of their own": three_keys,
    "chat": chat,
    "long contexts": long_contexts,
    "tools": tools,
    "unicode": unicode,
    "varied": varied,
}


def clean_table(number: int) -> Iterator[str]:
    """A question and facts, as in the first shape, with five columns of the author's own."""
    return _table(number, lambda index: dict.fromkeys(_COLUMNS, f"value {index % 9}"))


def nulls(number: int) -> Iterator[str]:
    """The same, where most columns are null, as rows that a table is exported to have them."""
    return _table(number, lambda index: {**dict.fromkeys(_COLUMNS), _COLUMNS[index % 9 % 5]: "a"})


def empty_texts(number: int) -> Iterator[str]:
    """The same, where most columns are empty texts."""
    return _table(number, lambda index: {**dict.fromkeys(_COLUMNS, ""), "note": f"{index}"})


def fifth_with_extra_keys(number: int) -> Iterator[str]:
    """The same, where a fifth of the rows has three keys more, of forty that differ."""

    def columns(index: int) -> Row:
        more = {f"column_{(index + place) % 40}": index for place in range(3)}
        return dict.fromkeys(_COLUMNS, "a") | (more if index % 5 == 0 else {})

    return _table(number, columns)


def another_key_each(number: int) -> Iterator[str]:
    """The same, where each row has a key that no other row has."""
    return _table(
        number, lambda index: dict.fromkeys(_COLUMNS[:4], "a") | {f"column_{index}": index}
    )


def nulls_beside_braces(number: int) -> Iterator[str]:
    """The same, where most columns are null, and one is a text with braces."""
    return _table(number, lambda _: {**dict.fromkeys(_COLUMNS), "note": "see {x}, and more"})


def keys_of_others(number: int) -> Iterator[str]:
    """The same, with columns that other tools have, beside the ones that we have."""
    others = ("question", "answer", "reference", "ground_truth_source", "name")
    return _table(number, lambda index: dict.fromkeys(others, f"value {index % 9}"))


def unicode_with_bans(number: int) -> Iterator[str]:
    """The same, with texts in many scripts, a list of forbidden texts and one of alternatives."""

    def columns(index: int) -> Row:
        word = _SCRIPTS[index % len(_SCRIPTS)]
        facts = [f"{word} {index}", "Größe naïve"]
        some = {
            "must_contain_any": ["a refund", f"{word} {index}"],
            "must_not_contain": ["refund", "nie “so”"],
        }
        return {**dict.fromkeys(_COLUMNS, word), "expected_facts": facts, **some}

    return _table(number, columns)


_COLUMNS = ("context", "owner", "note", "user name", "source_url")


def _table(number: int, columns: Callable[[int], Row]) -> Iterator[str]:
    return _lines(number, lambda chance, index: {**_simple(chance, index), **columns(index)})


#: Rows with the values that tables and people leave; each is compared with the first.
TABLES: dict[str, Callable[[int], Iterator[str]]] = {
    "clean": clean_table,
    "nulls": nulls,
    "empty texts": empty_texts,
    "a fifth with extra keys": fifth_with_extra_keys,
    "another key in each row": another_key_each,
    "nulls beside braces": nulls_beside_braces,
    "keys of other tools": keys_of_others,
    "unicode and forbidden texts": unicode_with_bans,
}


def _lines(
    number: int,
    one: Callable[[random.Random, int], Row],
    settings: Callable[[int], dict[str, Any]] = lambda _: {},
) -> Iterator[str]:
    chance = random.Random(SEED)
    for index in range(number):
        yield json.dumps(one(chance, index), **settings(index)) + "\n"
