"""The texts of the pages of what NorthStar passes over in silence."""

from __future__ import annotations

# `SAID` in a text stands for a conversation with an answer; see `pages`.
SWALLOWED = {
    "northstar/detected": """
        Nobody said whose dataset the file is, and it can be NorthStar's alone.

        Why: It is checked by other rules than a dataset of ours. If that is wrong, say so with
        `--dialect evalcontract`; if it is right, `--dialect northstar` saves the guess.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]

        Good:
            # file: data.yaml
            questions:
              - {id: paris, input: How is the weather in Paris?, criteria: Says that it is sunny}
        """,
    "northstar/duplicate-key": """
        A key stands twice in one mapping.

        Why: NorthStar reads the last of the two and drops the first without a word.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "contains": ["Paris"]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny", "Paris"]}}]
        """,
    "northstar/not-finite": """
        A number is not a number, or infinite.

        Why: That is no JSON, and only Python reads it. A limit that is not a number is kept or
        broken by chance: nothing is smaller than it, and nothing larger.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "metrics": {"latency_ms": 320},
              "expected": {"max_latency_ms": NaN}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "metrics": {"latency_ms": 320},
              "expected": {"max_latency_ms": 5000}}]
        """,
    "northstar/near-miss-key": """
        A key beside `cases` looks like a misspelled one.

        Why: NorthStar reads `cases` and drops everything beside it without a word, so that the
        cases below the misspelled key are never run.

        Bad:
            # file: cases.json
            {"cases": [{"id": "paris", SAID,
                        "expected": {"contains": ["sunny"]}}],
             "case": [{"id": "rome", SAID,
                       "expected": {"contains": ["sunny"]}}]}

        Good:
            # file: cases.json
            {"cases": [{"id": "paris", SAID,
                        "expected": {"contains": ["sunny"]}},
                       {"id": "rome", SAID,
                        "expected": {"contains": ["sunny"]}}]}
        """,
    "northstar/ignored-key": """
        A key stands beside `cases`.

        Why: NorthStar drops it without a word. In a case the same key would be refused.

        Bad:
            # file: cases.json
            {"owner": "support team",
             "cases": [{"id": "paris", SAID,
                        "expected": {"contains": ["sunny"]}}]}

        Good:
            # file: cases.json
            {"cases": [{"id": "paris", SAID,
                        "metadata": {"owner": "support team"},
                        "expected": {"contains": ["sunny"]}}]}
        """,
    "northstar/duplicate-id": """
        Two cases have the same id.

        Why: NorthStar does not check it and runs both. In the results they cannot be told apart.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}},
             {"id": "paris", SAID,
              "expected": {"contains": ["warm"]}}]

        Good:
            # file: cases.json
            [{"id": "paris_sunny", SAID,
              "expected": {"contains": ["sunny"]}},
             {"id": "paris_warm", SAID,
              "expected": {"contains": ["warm"]}}]
        """,
    "northstar/blank-id": """
        The id of a case is blank.

        Why: NorthStar takes it. In the results nobody can tell which case it was.

        Bad:
            # file: cases.json
            [{"id": "", SAID,
              "expected": {"contains": ["sunny"]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/empty": """
        There are no cases in the file.

        Why: NorthStar loads an empty list, and an empty file of JSONL, too. A run over nothing has
        nothing to fail: it is green, and says nothing.

        Bad:
            # file: cases.json
            []

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/not-evaluated": """
        Nothing is expected of a case that the graders of the default plan read.

        Why: They all skip, and the case counts as not evaluated. `goal` and `rubric` are read by
        judges, which have to be asked for, and what is expected of a trace by graders of traces.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"goal": "Say how the weather is."}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"goal": "Say how the weather is.", "contains": ["sunny"]}}]
        """,
    "northstar/missing-answer": """
        A text is expected of the answer, and no message of an assistant has one.

        Why: The graders do not skip, they fail: `not_contains`, too.

        Bad:
            # file: cases.json
            [{"id": "paris",
              "messages": [{"role": "user", "content": "How is the weather in Paris?"}],
              "expected": {"not_contains": ["rain"]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"not_contains": ["rain"]}}]
        """,
    "northstar/missing-metric": """
        A latency or a cost is limited, and was not measured.

        Why: The grader does not skip, it fails: there is nothing to hold against the limit.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"max_latency_ms": 5000}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "metrics": {"latency_ms": 320},
              "expected": {"max_latency_ms": 5000}}]
        """,
    "northstar/empty-list": """
        A list of what is expected is empty.

        Why: NorthStar does not skip it as it would skip null: it is graded, and passes whatever
        the agent does. So the case counts as evaluated.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "required_tools": []}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/blank-text": """
        A text that the answer must hold, or must not hold, is blank.

        Why: Nearly every answer holds it. `contains` passes by it whatever the agent says, and
        `not_contains` fails.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": [""]}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}}]
        """,
    "northstar/unused-trace": """
        A trace is recorded in a form that NorthStar does not use.

        Why: Without `run_id`, or a first run with an `id`, there is no trace to it, and every
        grader of traces skips without a word.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}, "trace": {"spans": []}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"]}, "trace": {"run_id": "run_1", "spans": []}}]
        """,
    "northstar/missing-trace": """
        Something is expected of the trace, and the case has none.

        Why: The graders of traces skip without a word, and the case passes as if they had run.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "expected": {"contains": ["sunny"], "trace": {"max_step_cost_usd": 0.01}}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "trace": {"run_id": "run_1", "spans": []},
              "expected": {"contains": ["sunny"], "trace": {"max_step_cost_usd": 0.01}}}]
        """,
    "northstar/ungraded-retrieval": """
        Relevant documents are named without a least precision or recall, or the other way round.

        Why: The grader needs both, and skips without a word where one is absent.

        Bad:
            # file: cases.json
            [{"id": "paris", SAID,
              "trace": {"run_id": "run_1", "spans": []},
              "expected": {"contains": ["sunny"],
                           "trace": {"relevant_retrieval_ids": ["weather_report"]}}}]

        Good:
            # file: cases.json
            [{"id": "paris", SAID,
              "trace": {"run_id": "run_1", "spans": []},
              "expected": {"contains": ["sunny"],
                           "trace": {"relevant_retrieval_ids": ["weather_report"],
                                     "min_retrieval_recall": 0.8}}}]
        """,
}
