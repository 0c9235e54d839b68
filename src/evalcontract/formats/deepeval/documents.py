"""What was retrieved for a golden, as documents of evalcontract."""

from __future__ import annotations

from typing import Any

from evalcontract.formats.deepeval.reading import document_of

_UNNAMED = "document_{}"


def documents_of(items: Any) -> list[dict[str, Any]] | None:
    """Return retrieved texts as documents; a text without a source is named by its number.

    The letters of a text, as which a loader reads it in place of a list, are no documents.
    """
    if not isinstance(items, list) or not items or _are_letters(items):
        return None
    documents = []
    for number, item in enumerate(items, 1):
        found = document_of(item)
        if found is None or found[0] == "":
            return None
        documents.append({"id": found[0] or _UNNAMED.format(number), "content": found[1]})
    return documents


def texts_of_documents(documents: Any) -> list[Any] | None:
    """Return documents as retrieved texts; None if one has no text."""
    if not isinstance(documents, list) or not documents:
        return None
    texts: list[Any] = []
    for number, document in enumerate(documents, 1):
        if not isinstance(document, dict) or document.keys() != {"id", "content"}:
            return None
        id_, content = document["id"], document["content"]
        if id_ == _UNNAMED.format(number) and document_of(content) == (None, content):
            texts.append(content)
        else:
            texts.append({"source": id_, "context": content})
    return texts


def _are_letters(items: list[Any]) -> bool:
    return len(items) > 1 and all(isinstance(item, str) and len(item) == 1 for item in items)
