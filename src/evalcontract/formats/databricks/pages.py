"""The manual pages of what is said of evaluation sets."""

from __future__ import annotations

from evalcontract.model.page import Page, parse_page

_TEXTS = {
    "databricks/detected": """
        Nobody said whose dataset this is, and it can be one of Databricks agent evaluation alone.

        Why: It is checked by other rules than ours. Say it with `--dialect`, so that the next
        change of the file does not change how it is checked.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_response": "It moves data."}]

        Good:
            # file: set.yaml
            questions:
              - {id: shuffle, input: What is a shuffle?, criteria: It moves data}
        """,
    "databricks/rejected": """
        Agent evaluation cannot take this file as an evaluation set, per its documentation.

        Why: An evaluation set is a table: a list of rows.

        Bad:
            # file: set.json
            {"request": "What is a shuffle?", "expected_response": "It moves data."}

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_response": "It moves data."}]
        """,
    "databricks/unread-medium": """
        The file is written in a form that an evaluation set cannot be read from.

        Why: A table of text alone has no place for messages and lists of documents.

        Bad:
            # file: set.csv
            request,expected_response
            What is a shuffle?,It moves data.

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_response": "It moves data."}]
        """,
    "databricks/missing-key": """
        A row lacks what every row must have, per the documentation.

        Why: Without a `request` there is nothing to ask, and a document without its `doc_uri` is
        none that recall can count.

        Bad:
            # file: set.json
            [{"expected_response": "It moves data."}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_response": "It moves data."}]
        """,
    "databricks/wrong-type": """
        A value is of another type than the documentation gives for its column.

        Why: A table has one type a column, and a row that breaks it fails the whole evaluation, or
        is judged by something else than was meant.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_facts": "It moves data."}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_facts": ["It moves data."]}]
        """,
    "databricks/near-miss-key": """
        A column is called almost as one that agent evaluation reads.

        Why: The column is not read, the metric that needs it is left out, and nothing says so.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_respons": "It moves data."}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_response": "It moves data."}]
        """,
    "databricks/ignored-key": """
        A column is none that agent evaluation is documented to read.

        Why: Whoever wrote it may believe that it has a part in the evaluation.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "difficulty": "hard"}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "x_difficulty": "hard"}]
        """,
    "databricks/duplicate-key": """
        A key stands twice in one mapping.

        Why: Python's parser takes the last and drops the first without a word.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "request": "What is a join?"}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?"}, {"request": "What is a join?"}]
        """,
    "databricks/not-finite": """
        A number is NaN or infinite, which JSON does not have.

        Why: Python's parser reads it; others refuse the file. A hole in a table often becomes one.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "response": "Data.", "custom_expected": {"n": NaN}}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "response": "Data.", "custom_expected": {"n": null}}]
        """,
    "databricks/duplicate-id": """
        Two rows have the same request id.

        Why: The documentation calls it the unique identifier of a request: results are found by it.

        Bad:
            # file: set.json
            [{"request_id": "a", "request": "What is a shuffle?"},
             {"request_id": "a", "request": "What is a join?"}]

        Good:
            # file: set.json
            [{"request_id": "a", "request": "What is a shuffle?"},
             {"request_id": "b", "request": "What is a join?"}]
        """,
    "databricks/undocumented": """
        A value that the documentation does not speak of: it may be taken, or not.

        Why: What agent evaluation makes of it is known on Databricks alone, and may change.

        Bad:
            # file: set.json
            [{"request": [{"role": "user", "content": "What is a shuffle?"}]}]

        Good:
            # file: set.json
            [{"request": {"messages": [{"role": "user", "content": "What is a shuffle?"}]}}]
        """,
    "databricks/two-expectations": """
        A row has both a whole expected response and expected facts.

        Why: Which of them the judge of correctness goes by is not documented, and the judge of open
        source MLflow refuses the pair.

        Bad:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_response": "It moves data.",
              "expected_facts": ["It moves data."]}]

        Good:
            # file: set.json
            [{"request": "What is a shuffle?", "expected_facts": ["It moves data."]}]
        """,
}

PAGES: tuple[Page, ...] = tuple(parse_page(code, text) for code, text in _TEXTS.items())
