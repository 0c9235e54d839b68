"""The rows that are measured on: made up, the same at every run, and clean.

`rows` are the benchmark's own, of about 680 bytes of JSON, with the keys that real datasets have. A
third of them hold a colon in two of their texts, and every tenth of these a word in quotes.
`unlike_rows` are these where no two neighbours have the same keys.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    Row = dict[str, Any]

RUBRICS = 10
#: One row in so many is bad, in the files of bad rows.
ONE_BAD_IN = 100
SEED = 20

_VOCABULARY = (
    "access account address answer api block cache change check client code content control "
    "course cron customer data day delivery device entity error event export facet field file "
    "filter form front group hook image index item job key label language layout letter limit "
    "link list log mail menu message module node number order page parcel parser password patch "
    "path payment plugin policy price product profile query queue record refund region report "
    "request revision role route rule schema search server service session shop site state "
    "storage string support table tag task template term test theme token type user value view"
)
WORDS = _VOCABULARY.split()
TOOLS = ("entity_query", "field_lookup", "order_lookup", "site_status", "search_pages")


def text(chance: random.Random, words: int) -> str:
    """Return that many words."""
    return " ".join(chance.choices(WORDS, k=words))


def rows(number: int) -> Iterator[Row]:
    """Yield that many rows, with ids in ascending order."""
    chance = random.Random(SEED)
    for index in range(number):
        colon = ":" if index % 3 == 0 else ""
        quoted = f'"{chance.choice(WORDS)}" ' if index % 30 == 0 else ""
        yield {
            "id": f"question_{index:07}",
            "input": f"How do I change{colon} {quoted}{text(chance, 16)}?",
            "criteria": f"Names the {text(chance, 14)}",
            "expected": {"format": "text", "min_words": chance.randint(5, 50)},
            "expected_facts": [
                f"the {text(chance, 2)}{colon} {text(chance, 5)}",
                *(f"the {text(chance, 7)}" for _ in range(2)),
            ],
            "expected_tools": chance.sample(TOOLS, 2),
            "rubric_ref": reference(chance.randrange(RUBRICS)),
            "tags": chance.sample(WORDS, 3),
            "metadata": {"author": text(chance, 2), "difficulty": chance.randint(1, 5)},
        }


def unlike_rows(number: int) -> Iterator[Row]:
    """Yield the rows, some with tools that have arguments, with a context, with keys of their own.

    Others lack what need not be there.
    """
    chance = random.Random(SEED)
    for index, row in enumerate(rows(number)):
        if index % 3 == 0:
            row["expected_tools"] = [
                {
                    "name": name,
                    "arguments": {"query": text(chance, 3), "limit": index, "deep": True},
                }
                for name in TOOLS[:2]
            ]
        if index % 4 == 1:
            row["context"] = [f"{text(chance, 20)}." for _ in range(2)]
        if index % 5 == 2:
            row["source_url"] = f"https://example.org/{chance.choice(WORDS)}?page={index}"
            row["reviewer"] = {"name": chance.choice(WORDS), "teams": chance.sample(WORDS, 2)}
        if index % 6 == 3:
            del row["criteria"]
        if index % 7 == 4:
            seen = [{"by": chance.choice(WORDS), "score": index / 8, "note": None}]
            row["metadata"] = {**row["metadata"], "seen": seen}
        yield row


def reference(number: int) -> str:
    """Return the reference to a rubric of the workspace."""
    return f"rubric/quality_{number}@1.0.0"


def with_faults(clean: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows, with one fault in one row of each hundred."""
    for index, row in enumerate(clean):
        hundred, place = divmod(index, ONE_BAD_IN)
        if place == (hundred * 37 + 11) % ONE_BAD_IN:
            FAULTS[hundred % len(FAULTS)](row)
        yield row


def _misspell_a_key(row: Row) -> None:
    row["expecteed_facts"] = row.pop("expected_facts")


def _give_a_wrong_type(row: Row) -> None:
    row["tags"] = "x"


def _refer_to_nothing(row: Row) -> None:
    # Each another one: rows that refer to the same missing rubric are one finding.
    row["rubric_ref"] = f"rubric/qualty_{row['id'].rpartition('_')[2]}@1.0.0"


def _forget_the_input(row: Row) -> None:
    del row["input"]


def _misspell_a_value(row: Row) -> None:
    row["expected"] = {"format": "jsn"}


#: One finding each.
FAULTS: tuple[Callable[[Row], None], ...] = (
    _misspell_a_key,
    _give_a_wrong_type,
    _refer_to_nothing,
    _forget_the_input,
    _misspell_a_value,
)
