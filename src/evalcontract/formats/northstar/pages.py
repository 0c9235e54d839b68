"""The manual pages of what is wrong with a dataset of NorthStar."""

from __future__ import annotations

from evalcontract.formats.northstar.pages_of_meaning import OF_MEANING
from evalcontract.formats.northstar.swallowed_pages import SWALLOWED
from evalcontract.model.page import Page, parse_page

# `SAID` in a page stands for a conversation with an answer.
_SAID = '"messages": [{"role": "assistant", "content": "It is sunny in Paris."}]'

_REJECTED = {
    "northstar/rejected": """
        The file is none that NorthStar reads: it holds neither cases nor one case, or begins with a
        byte order mark.

        Why: Its loader stops there, and nothing is evaluated.

        Bad:
            # file: cases.json
            "paris"

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/unread-medium": """
        The file is written in something that NorthStar has no loader for.

        Why: It reads JSON and JSONL alone, and refuses every other ending.

        Bad:
            # file: cases.yaml
            - {id: paris, messages: []}

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/missing-key": """
        A key that must be there is missing.

        Why: NorthStar refuses the whole file for one case without `id` or `messages`.

        Bad:
            # file: cases.json
            [{"id": "paris", "expected": {"contains": ["sunny"]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/unknown-key": """
        A case, or a part of it, has a key that NorthStar does not know.

        Why: Its models forbid them, so that the whole file is refused. It is mostly a typing error,
        or a key that belongs one level down.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "required_tool": ["weather"]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "required_tools": ["weather"]}}]
        """,
    "northstar/wrong-type": """
        A value is of another type than its field takes.

        Why: NorthStar refuses the whole file. It is lenient with numbers, which may be texts, and
        with six lists, which may be one text; with nothing else.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": [22]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["22"]}}]
        """,
    "northstar/malformed-value": """
        A text stands where a number or a truth is asked for, and cannot be read as one.

        Why: NorthStar takes `"3"` and `"yes"`, and refuses the whole file for anything else.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"max_tool_calls": "three"}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"max_tool_calls": 3}}]
        """,
    "northstar/out-of-range": """
        A number is outside of what its field takes.

        Why: NorthStar refuses the whole file: limits are 0 or more, shares from 0 to 1.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"max_tool_calls": -1}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"max_tool_calls": 1}}]
        """,
}

PAGES: tuple[Page, ...] = tuple(
    parse_page(code, text.replace("SAID", _SAID))
    for code, text in {**_REJECTED, **SWALLOWED, **OF_MEANING}.items()
)
