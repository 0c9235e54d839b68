"""The rows that are measured on: made up, the same at every run, about 650 bytes of JSON each.

They have the keys that real datasets have. A third of them hold a colon in two of their texts, and
every tenth of these a word in quotes too: both are what a reader of JSON may trip over.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Row = dict[str, Any]

RUBRICS = 10
MANY_RUBRICS = 200
#: One row in so many is bad, in the file of bad rows.
ONE_BAD_IN = 100

_SEED = 20
_VOCABULARY = (
    "access account address answer api block cache change check client code content control "
    "course cron customer data day delivery device entity error event export facet field file "
    "filter form front group hook image index item job key label language layout letter limit "
    "link list log mail menu message module node number order page parcel parser password patch "
    "path payment plugin policy price product profile query queue record refund region report "
    "request revision role route rule schema search server service session shop site state "
    "storage string support table tag task template term test theme token type user value view"
)
_WORDS = _VOCABULARY.split()
_TOOLS = ("entity_query", "field_lookup", "order_lookup", "site_status", "search_pages")


def rows(number: int) -> Iterator[Row]:
    """Yield that many rows, all of them clean, with ids in ascending order."""
    chance = random.Random(_SEED)
    for index in range(number):
        colon = ":" if index % 3 == 0 else ""
        quote = '"' if index % 30 == 0 else ""
        yield {
            "id": f"question_{index:07}",
            "input": f"How do I change{colon} {_text(chance, 16, quote)}?",
            "criteria": f"Names the {_text(chance, 14)}",
            "expected": {"format": "text", "min_words": chance.randint(5, 50)},
            "expected_facts": [
                f"the {_text(chance, 2)}{colon} {_text(chance, 5)}",
                *(f"the {_text(chance, 7)}" for _ in range(2)),
            ],
            "expected_tools": chance.sample(_TOOLS, 2),
            "rubric_ref": f"rubric/quality_{chance.randrange(RUBRICS)}@1.0.0",
            "tags": chance.sample(_WORDS, 3),
            "metadata": {"author": _text(chance, 2), "difficulty": chance.randint(1, 5)},
        }


def shuffled_ids(number: int) -> list[int]:
    """Return the numbers of that many ids in no order."""
    numbers = list(range(number))
    random.Random(_SEED).shuffle(numbers)
    return numbers


def with_own_keys(row: Row, index: int) -> Row:
    """Return the row with three keys of its author's own."""
    reviewer = {"name": _WORDS[index % len(_WORDS)], "team": "quality"}
    return {**row, "source": "crawl", "reviewer": reviewer, "difficulty_score": index % 7 / 3}


def with_bundle(row: Row, index: int) -> Row:
    """Return the row with a rubric of many, and a bundle that asks for `context`."""
    context = [row["criteria"], row["expected_facts"][0]]
    rubric = f"rubric/quality_{index * 7 % MANY_RUBRICS}@1.0.0"
    return {**row, "rubric_ref": rubric, "bundle": "rag", "context": context}


def with_fault(row: Row, index: int) -> Row:
    """Return the row, or with one fault where it is the one bad row of its hundred."""
    hundred, place = divmod(index, ONE_BAD_IN)
    if place != (hundred * 37 + 11) % ONE_BAD_IN:
        return row
    return FAULTS[hundred % len(FAULTS)]({**row})


def _misspell_a_key(row: Row) -> Row:
    row["expecteed_facts"] = row.pop("expected_facts")
    return row


def _give_a_wrong_type(row: Row) -> Row:
    row["tags"] = "x"
    return row


def _refer_to_nothing(row: Row) -> Row:
    row["rubric_ref"] = "rubric/qualty_1@1.0.0"
    return row


def _forget_the_input(row: Row) -> Row:
    del row["input"]
    return row


def _misspell_a_value(row: Row) -> Row:
    row["expected"] = {"format": "jsn"}
    return row


#: One finding each.
FAULTS: tuple[Callable[[Row], Row], ...] = (
    _misspell_a_key,
    _give_a_wrong_type,
    _refer_to_nothing,
    _forget_the_input,
    _misspell_a_value,
)


def _text(chance: random.Random, words: int, quote: str = "") -> str:
    text = " ".join(chance.choices(_WORDS, k=words))
    return f"{quote}{chance.choice(_WORDS)}{quote} {text}" if quote else text
