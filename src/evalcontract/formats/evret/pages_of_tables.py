"""The pages of what becomes of a table of CSV without a word."""

from __future__ import annotations

TEXTS = {
    "evret/extra-cell": """
        A row of a table has more cells than the header.

        Why: What is beyond the header is dropped. Mostly a text with a comma has lost its
        quotes.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,hours,sundays

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,"hours,sundays"
        """,
    "evret/duplicate-column": """
        A table has two columns of one name.

        Why: Only the last one is read.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids,expected_doc_ids
            q1,opening hours,hours,sundays

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,"hours,sundays"
        """,
    "evret/hidden-column": """
        A byte order mark stands before a name in the header of a table.

        Why: The loader takes it for a part of the name, and does not know the column. Below,
        such a mark stands before `query_id`, unseen: the ids are not read, and made up from the
        row's number.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,hours

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,hours
        """,
    "evret/cut-cell": """
        A cell of a list is cut where nobody meant it, or not where somebody did.

        Why: What is no JSON is cut at its commas, and nowhere else. A sentence becomes several
        answers, each of which is looked for, and ids between semicolons become one id that no
        document has.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,hours;sundays

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,"[""hours"", ""sundays""]"
        """,
    "evret/python-list": """
        A cell holds a list as Python writes it, in single quotes.

        Why: It is no JSON, so it is cut at its commas: the brackets and quotes become part of
        the ids.

        Bad:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,"['hours', 'sundays']"

        Good:
            # file: cases.csv
            query_id,query_text,expected_doc_ids
            q1,opening hours,"[""hours"", ""sundays""]"
        """,
}
