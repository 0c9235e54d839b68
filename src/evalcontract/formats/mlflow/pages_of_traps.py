"""The texts of the pages of what MLflow takes without a word."""

from __future__ import annotations

TEXTS = {
    "mlflow/detected": """
        A file is checked as a dataset of MLflow, and nobody has said that it is one.

        Why: Its records have `inputs` and `expectations`, which no other system has. If that is
        wrong all other findings are, too; `--dialect` settles it.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            {"questions": [{"id": "depth", "input": "How deep?", "expected_facts": ["9 m"]}]}
        """,
    "mlflow/ignored-key": """
        A record has a key that MLflow drops.

        Why: The record is stored without it, and nothing tells. Whoever wanted to find the record
        by its `id` later does not find it.

        Bad:
            # file: records.json
            [{"id": "depth", "inputs": {"question": "How deep?"},
              "expectations": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            [{"tags": {"name": "depth"}, "inputs": {"question": "How deep?"},
              "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/near-miss-key": """
        A key looks like one that MLflow reads, and is not.

        Why: `expectation` is dropped without a word, and the record is stored without anything to
        compare an answer with.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectation": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/misplaced-key": """
        A key is known to MLflow, but at another place.

        Why: Beside `inputs` nothing reads `expected_response`: it is dropped, and the scorer
        Correctness finds nothing to compare with.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expected_response": "Nine metres."}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"},
              "expectations": {"expected_response": "Nine metres."}}]
        """,
    "mlflow/duplicate-key": """
        A mapping has a key twice.

        Why: Python's JSON keeps the last one without a word, so a part of what was written is
        lost.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?", "question": "How wide?"},
              "expectations": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/duplicate-id": """
        Two records have the same id.

        Why: In Databricks `dataset_record_id` names one record, per public documentation, and in
        the results of `evaluate` a `request_id` names one row. With two of a name nobody can tell
        them apart.

        Bad:
            # file: records.json
            [{"dataset_record_id": "dr-1", "inputs": {"question": "How deep?"},
              "expectations": {"expected_facts": ["9 m"]}},
             {"dataset_record_id": "dr-1", "inputs": {"question": "How wide?"},
              "expectations": {"expected_facts": ["40 m"]}}]

        Good:
            # file: records.json
            [{"dataset_record_id": "dr-1", "inputs": {"question": "How deep?"},
              "expectations": {"expected_facts": ["9 m"]}},
             {"dataset_record_id": "dr-2", "inputs": {"question": "How wide?"},
              "expectations": {"expected_facts": ["40 m"]}}]
        """,
    "mlflow/not-finite": """
        A number is NaN or infinite.

        Why: Python's JSON takes it and MLflow stores it, but other readers of JSON refuse the
        record, and NaN is equal to nothing, not even to itself.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"depth_m": NaN}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"depth_m": 9}}]
        """,
    "mlflow/equal-inputs": """
        Two records have the same inputs.

        Why: For MLflow they are one record. What the later one expects is written over what the
        earlier one does, its source is not read, and the dataset has a row less than the file.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}},
             {"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["8 m"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}},
             {"inputs": {"question": "How deep is it at low tide?"},
              "expectations": {"expected_facts": ["8 m"]}}]
        """,
    "mlflow/reserved-goal": """
        Inputs have the reserved name `goal`, and nothing shows that a conversation is meant.

        Why: With `goal` a record is a conversation to simulate, not a question. From then on the
        dataset takes no others.

        Bad:
            # file: records.json
            [{"inputs": {"goal": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/facts-and-response": """
        A record has `expected_facts` and `expected_response`.

        Why: It is stored, but the scorer Correctness refuses to score it: it takes one of the
        two.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"},
              "expectations": {"expected_facts": ["9 m"], "expected_response": "Nine metres."}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/no-list-of-texts": """
        Facts or guidelines are no list of texts.

        Why: MLflow stores anything, and the scorer that reads them fails later, when the answers
        are there and paid for.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": "9 m"}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/unreadable-tool-call": """
        An expected tool call is none that ToolCallCorrectness can read.

        Why: MLflow stores it, and the scorer fails later. A call is a mapping with a `name`, and
        with `arguments` that are a mapping.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"},
              "expectations": {"expected_tool_calls": ["read_chart"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"},
              "expectations": {"expected_tool_calls": [{"name": "read_chart"}]}}]
        """,
    "mlflow/no-expectations": """
        A record expects nothing.

        Why: MLflow takes it, and notes that it was made by code. Scorers that compare an answer
        with something fail on it, and the others are all that is left.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
}
