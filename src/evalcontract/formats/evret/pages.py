"""The pages of what is wrong with a dataset of Evret: what its loaders refuse."""

from __future__ import annotations

from evalcontract.formats.evret.pages_of_tables import TEXTS as OF_TABLES
from evalcontract.formats.evret.pages_of_traps import TEXTS as OF_TRAPS
from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "evret/rejected": """
        A file is not what the loaders of Evret read.

        Why: Evret hands the text to a parser that stops at the byte order mark with which some
        programs begin a file. Below, such a mark stands before the first brace, unseen.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/unread-medium": """
        A file is in a form that Evret has no loader for.

        Why: Evret reads one JSON document, or a table of CSV. Of a file with a query on each line
        it reads nothing.

        Bad:
            # file: cases.jsonl
            {"query_id": "q1", "query_text": "opening hours", "expected_doc_ids": ["hours"]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/missing-key": """
        A query has no id or no text, or a document no id.

        Why: The loader stops at the first of them, and nothing of the file is evaluated.

        Bad:
            # file: cases.json
            {"queries": [{"query_text": "opening hours", "expected_doc_ids": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/wrong-type": """
        A value is of another type than the loader takes.

        Why: One text where a list belongs is refused in JSON, though a cell of CSV may hold it.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": "hours"}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/empty-value": """
        The id or the text of a query, or the id of a document, is empty or blank.

        Why: What is empty is read as missing: 0 and false as well. A blank text is refused even
        where `query` would hold one, since the first of the two that is not empty counts.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": 0, "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q0", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/malformed-cell": """
        A cell that should hold a list is JSON of another sort: a number, true, null, a text.

        Why: The loader reads such a cell as JSON first, and only what is no JSON as texts between
        commas. So `hours` is a list of one document, and `9` stops it.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,9

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,"[""9""]"
        """,
    "evret/short-row": """
        A row of a table ends before a column that holds a list.

        Why: The loader expects a cell there, if only an empty one, and breaks off with an error
        of Python that names neither the row nor the column.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids,expected_answers
            q1,opening hours,hours

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids,expected_answers
            q1,opening hours,hours,
        """,
}

PAGES: tuple[Page, ...] = tuple(
    parse_page(code, text) for code, text in (_TEXTS | OF_TRAPS | OF_TABLES).items()
)
