"""The pages of what the loaders of Evret take without a word."""

from __future__ import annotations

TEXTS = {
    "evret/near-miss-key": """
        A key that Evret does not read looks like one that it reads.

        Why: Evret passes over what it does not know. A query whose answers stand below a
        misspelled key expects nothing, and scores 0.0.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_id": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/ignored-key": """
        A key stands where Evret does not read it.

        Why: Whoever wrote it may count on it. A name that begins with `x_` says that the key is
        meant for somebody else.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "level": "easy", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "x_level": "easy", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/detected": """
        A file is checked as a dataset of Evret, since it can be of no other system.

        Why: Nobody said whose it is. If it is meant as another one, what is found in it means
        nothing; `--dialect` says it for certain.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}

        Good:
            # file: cases.yaml
            questions:
              - {id: q1, input: opening hours, criteria: Names the hours}
        """,
    "evret/duplicate-key": """
        A mapping of JSON has a key twice.

        Why: Python keeps the last of the two and says nothing, so half of what was written is
        gone.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"], "expected_doc_ids": ["sundays"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours", "sundays"]}]}
        """,
    "evret/not-finite": """
        A number is `NaN` or infinite, for which JSON has no form.

        Why: Python reads it all the same. Other programs refuse the whole file.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}],
             "documents": [{"doc_id": "hours", "text": "At nine.", "metadata": {"rank": NaN}}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}],
             "documents": [{"doc_id": "hours", "text": "At nine.", "metadata": {"rank": null}}]}
        """,
    "evret/duplicate-id": """
        Two queries have the same id.

        Why: Evret does not look, and whoever joins results to queries by id mistakes one for
        the other.

        Bad:
            # file: cases.json
            {"queries": [
              {"query_id": "q1", "query_text": "opening hours", "expected_doc_ids": ["hours"]},
              {"query_id": "q1", "query_text": "closing days", "expected_doc_ids": ["days"]}]}

        Good:
            # file: cases.json
            {"queries": [
              {"query_id": "q1", "query_text": "opening hours", "expected_doc_ids": ["hours"]},
              {"query_id": "q2", "query_text": "closing days", "expected_doc_ids": ["days"]}]}
        """,
    "evret/duplicate-document": """
        Two documents have the same id, case and width of blanks aside.

        Why: Ids are compared in lower case. The text of the last one stands for both, so the
        other is never compared with an answer.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}],
             "documents": [{"doc_id": "hours", "text": "9"}, {"doc_id": "Hours", "text": "10"}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}],
             "documents": [{"doc_id": "hours", "text": "9"}, {"doc_id": "late", "text": "10"}]}
        """,
    "evret/unknown-document": """
        A query expects a document that the file does not hold, though it holds others.

        Why: No document can be found by that id, unless the collection has it elsewhere: the
        query counts as missed whatever is retrieved.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hors"]}],
             "documents": [{"doc_id": "hours", "text": "We open at nine."}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}],
             "documents": [{"doc_id": "hours", "text": "We open at nine."}]}
        """,
    "evret/nothing-expected": """
        A query has neither document ids nor answers that are read.

        Why: Evret loads it and gives it 0.0 in every metric, whatever is retrieved, which
        lowers the mean of all.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours"}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/ignored-answers": """
        A query has document ids and answers, and only the ids count.

        Why: Where there are ids, Evret 0.0.1 and 0.0.3 never ask a judge. The answers look as
        if they were compared.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"], "expected_answers": ["at nine"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/other-release": """
        A key is read by another release of Evret, and not by this one.

        Why: The names of what a query expects changed with each release, and an unknown name is
        passed over. So a dataset of one release may expect nothing in the next.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "relevant_docs": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/shadowed-key": """
        A query has two keys for one thing, with different values.

        Why: The first one that is not empty counts: `query_id` before `id`, `query_text` before
        `query`, `expected_doc_ids` before `relevant_doc_ids`. The other is passed over.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "id": "hours", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/blank-item": """
        A list has an item that is blank.

        Why: It is dropped, so the list is shorter than it looks.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours", " "]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/repeated-item": """
        A list has the same item twice, case and width of blanks aside.

        Why: It counts once, so the share that was found is of fewer items than there seem to
        be.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours", "Hours"]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/not-text": """
        A value is no text where Evret expects one.

        Why: It is turned into a text as Python writes it: null is the document `None`, true is
        `True`, 7.0 is `7.0` and no more the document `7`.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours", null]}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/taken-for-absent": """
        A value is empty, and of another type than its key takes.

        Why: Evret takes 0, false, an empty text and an empty mapping for nothing. A text of a
        document that is 0 becomes an empty one.

        Bad:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"], "expected_answers": 0}]}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
    "evret/no-queries": """
        A dataset has no queries.

        Why: Evret loads it. The evaluation refuses it, which a program that only loads never
        sees.

        Bad:
            # file: cases.json
            {"queries": []}

        Good:
            # file: cases.json
            {"queries": [{"query_id": "q1", "query_text": "opening hours",
                          "expected_doc_ids": ["hours"]}]}
        """,
}
