"""Data for `evaluate` of azure-ai-evaluation, as its built-in evaluators read it.

Measured on azure-ai-evaluation 1.18.10: pandas reads the file, and an evaluator gets the columns
that have the names of its parameters. A column with another name is read only where the code maps
it (`column_mapping`), which the file does not say.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import Any

from evalcontract.formats._conversion import conversation_of, last_question, unsaid
from evalcontract.formats._findings import as_json
from evalcontract.formats._format import codes_of_system
from evalcontract.formats._plain import PlainFormat, texts


def _question(query: Any) -> Any:
    """Return the question of a query: a text, or the last one of messages."""
    return last_question(query) or as_json(query) if isinstance(query, list) else query


def _messages(query: Any) -> list[Any] | None:
    return query if isinstance(query, list) and query else None


def _questions_of(messages: Any) -> list[Any] | None:
    """Return messages as a query, if there is more than the question."""
    questions = conversation_of({"messages": messages}).asked
    return questions if len(questions) > 1 else None


def _messages_of(conversation: Any) -> Any:
    return conversation.get("messages") if isinstance(conversation, dict) else None


def _listed(context: Any) -> list[Any] | None:
    return [context] if isinstance(context, str) else None


def _joined(context: Any) -> str | None:
    """Return texts as one, between blank lines."""
    found = [context] if isinstance(context, str) else texts(context)
    return "\n\n".join(found) if found else None


# What pandas reads as nothing in a cell.
_NOTHING = frozenset({"NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>", "#N/A"})


class Azure(PlainFormat):
    """Rows of questions, answers and references, or of conversations."""

    name = "azure"
    title = "Azure AI evaluation"
    media = ("jsonl", "csv")
    basis = "the loader and the evaluators of azure-ai-evaluation 1.18.10, run"
    codes = codes_of_system(
        "azure", rejected=("ragged-row",), never=("duplicate-id", "missing-key")
    )
    ways = MappingProxyType(
        {
            "conversation": (_messages_of, unsaid),
            "question": (_question, None),
            "messages": (_messages, _questions_of),
            "texts": (_listed, _joined),
        }
    )
    named_by = ()
    signs = (
        *(frozenset({"query", "response", key}) for key in ("context", "ground_truth")),
        *(frozenset({"query", key}) for key in ("ground_truth", "tool_definitions")),
        frozenset({"retrieval_ground_truth", "retrieved_documents"}),
    )
    others = frozenset({"user_input", "input", "inputs", "query_id", "reference"})
    meant = MappingProxyType(
        {"question": "query", "answer": "response", "contexts": "context", "input": "query"}
        | dict.fromkeys(("reference", "expected_output", "expected_response"), "ground_truth")
    )
    nested = MappingProxyType(
        {"tool_definitions.function": "write `name`, `description` and `parameters` in its place"}
    )
    no_mark = ("jsonl",)
    has_graders = True
    facts = MappingProxyType({"conversation": lambda row, _: bool(row.get("conversation"))})

    def cell(self, column: str, text: str) -> Any:
        """Return the text of a cell; pandas reads some as nothing."""
        del column
        return None if text in _NOTHING else text
