"""The texts of the pages of what MLflow refuses."""

from __future__ import annotations

TEXTS = {
    "mlflow/rejected": """
        The file holds no list of records.

        Why: `merge_records` and `evaluate` take a list. Of a single mapping they read the names
        of its keys as records, and refuse them.

        Bad:
            # file: records.json
            {"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/unread-medium": """
        The file is of a sort that records cannot be read from.

        Why: Records are mappings in mappings. A cell of a CSV file is a text, and MLflow refuses
        `inputs` that are one.

        Bad:
            # file: records.csv
            inputs,expectations
            {"question": "How deep?"},{"expected_facts": ["9 m"]}

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/missing-key": """
        A key that must be there is missing.

        Why: A record without `inputs` says nothing to the application. MLflow refuses the whole
        call, and none of the records is stored.

        Bad:
            # file: records.json
            [{"input": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/wrong-type": """
        A value is of a type that MLflow does not take there.

        Why: Inputs are parameters by name. A bare question ends the whole call with an error
        about a text that has no keys.

        Bad:
            # file: records.json
            [{"inputs": "How deep?", "expectations": {"expected_facts": ["9 m"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/unknown-key": """
        A source has a key that the open-source store does not take.

        Why: Of a source the store takes `source_type` and `source_data` alone, and refuses the
        call for anything else. What is known of the source belongs below `source_data`.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"source_type": "HUMAN", "user_name": "ana"}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"source_type": "HUMAN", "source_data": {"user_name": "ana"}}}]
        """,
    "mlflow/malformed-value": """
        A text is not one that MLflow can read there: the type of a source, or the JSON of a trace.

        Why: The store knows five types of sources, and refuses the whole call for any other.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"source_type": "ROBOT"}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"source_type": "CODE"}}]
        """,
    "mlflow/documented-source": """
        A source is written as Databricks documents it, and the open-source store refuses that.

        Why: The two write the same thing in two ways. The documented form ends in an error about
        an unexpected argument `human`.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"human": {"user_name": "ana@port.example"}}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"source_type": "HUMAN", "source_data": {"user_name": "ana@port.example"}}}]
        """,
    "mlflow/open-source-source": """
        A source in a dataset of Databricks is written as the open-source store wants it.

        Why: Per public documentation a source there has one key for its kind: `human`, `document`
        or `trace`. Which records came from where is lost otherwise.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"source_type": "TRACE", "source_data": {"trace_id": "tr-41"}}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"trace": {"trace_id": "tr-41"}}}]
        """,
    "mlflow/several-sources": """
        A source in a dataset of Databricks is of several kinds.

        Why: Per public documentation a record has one source. Nobody can say which of two counts.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"human": {"user_name": "ana"}, "trace": {"trace_id": "tr-41"}}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]},
              "source": {"trace": {"trace_id": "tr-41"}}}]
        """,
    "mlflow/mixed-goal": """
        Inputs hold the reserved `goal` beside inputs that cannot stand there.

        Why: With `goal` a record is a conversation to simulate, and beside it MLflow takes
        `persona`, `context` and `simulation_guidelines` alone. It refuses the whole call.

        Bad:
            # file: records.json
            [{"inputs": {"goal": "Book a berth", "port": "Wick"},
              "expectations": {"guidelines": ["Names the price."]}}]

        Good:
            # file: records.json
            [{"inputs": {"goal": "Book a berth", "context": {"port": "Wick"}},
              "expectations": {"guidelines": ["Names the price."]}}]
        """,
    "mlflow/mixed-granularity": """
        Conversations and single questions stand in one dataset.

        Why: A dataset of MLflow holds one or the other. It refuses the whole call, and every
        later one with records of the other sort.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}},
             {"inputs": {"goal": "Book a berth", "persona": "A skipper"},
              "expectations": {"guidelines": ["Names the price."]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
    "mlflow/empty-inputs": """
        A record without inputs stands among conversations.

        Why: Elsewhere MLflow takes a record with empty inputs. Among conversations it asks each
        one for a `goal`, and refuses the whole call.

        Bad:
            # file: records.json
            [{"inputs": {"goal": "Book a berth", "persona": "A skipper"},
              "expectations": {"guidelines": ["Names the price."]}},
             {"inputs": {}, "expectations": {"guidelines": ["Names the price."]}}]

        Good:
            # file: records.json
            [{"inputs": {"goal": "Book a berth", "persona": "A skipper"},
              "expectations": {"guidelines": ["Names the price."]}}]
        """,
    "mlflow/mixed-outputs": """
        Outputs are texts in some records, and mappings in later ones.

        Why: The store keeps one description of the outputs of a dataset. It fails when it adds
        the keys of a mapping to the word `string`, and none of the records is stored.

        Bad:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "outputs": "Nine metres.",
              "expectations": {"expected_facts": ["nine metres"]}},
             {"inputs": {"question": "How wide?"}, "outputs": {"answer": "Forty metres."},
              "expectations": {"expected_facts": ["forty metres"]}}]

        Good:
            # file: records.json
            [{"inputs": {"question": "How deep?"}, "outputs": "Nine metres.",
              "expectations": {"expected_facts": ["nine metres"]}},
             {"inputs": {"question": "How wide?"}, "outputs": "Forty metres.",
              "expectations": {"expected_facts": ["forty metres"]}}]
        """,
    "mlflow/mixed-traces": """
        Some rows for `evaluate` have a trace, and others have none.

        Why: Where one row has a trace, `evaluate` looks into those of all. It ends with an error
        about a number that has no data, before anything is scored.

        Bad:
            # file: rows.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}},
             {"inputs": {"question": "How wide?"}, "expectations": {"expected_facts": ["40 m"]},
              "trace": {"info": {"trace_id": "tr-1", "trace_location": {}, "state": "OK",
                                 "request_time": "2026-05-08T09:30:00Z"}, "data": {"spans": []}}}]

        Good:
            # file: rows.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}},
             {"inputs": {"question": "How wide?"}, "expectations": {"expected_facts": ["40 m"]}}]
        """,
    "mlflow/no-rows": """
        A file for `evaluate` holds no rows.

        Why: An empty dataset may be merged, but not evaluated: `evaluate` refuses it.

        Bad:
            # file: rows.json
            []

        Good:
            # file: rows.json
            [{"inputs": {"question": "How deep?"}, "expectations": {"expected_facts": ["9 m"]}}]
        """,
}
