"""The texts of the pages of expectations that say another thing than is meant."""

from __future__ import annotations

# `SAID` in a text stands for a conversation with an answer; see `pages`.
OF_MEANING = {
    "northstar/contradiction": """
        What a case expects cannot all be met.

        Why: Every grader has to pass, and here one of two fails whatever the agent does: a phrase
        or a tool is asked for and forbidden, or more calls are asked for than are allowed.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "not_contains": ["sun"]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "not_contains": ["rain"]}}]
        """,
    "northstar/list-as-text": """
        A list is written as a text.

        Why: NorthStar takes a text for the only item of a list. No answer holds the brackets, and
        no tool has such a name.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": "['sunny', 'Paris']"}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny", "Paris"]}}]
        """,
}
