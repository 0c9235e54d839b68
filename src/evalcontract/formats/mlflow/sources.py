"""Where a record comes from, in the two ways in which MLflow writes it.

The open-source store has `{"source_type": …, "source_data": {…}}`, Databricks one key for each
kind: `{"human": {…}}`.
"""

from __future__ import annotations

from typing import Any

#: The kinds that Databricks documents, with the key that each must have.
DOCUMENTED = {"human": "user_name", "document": "doc_uri", "trace": "trace_id"}
#: What the open-source store knows.
TYPES = ("HUMAN", "DOCUMENT", "TRACE", "CODE", "UNSPECIFIED")


def kinds_of(source: Any) -> list[str]:
    """Return the documented kinds that a source is of; a kind that is null does not count."""
    if not isinstance(source, dict):
        return []
    return [kind for kind in DOCUMENTED if source.get(kind) is not None]


def is_documented(source: Any) -> bool:
    """Whether a source is written as Databricks documents it."""
    return isinstance(source, dict) and not source.keys().isdisjoint(DOCUMENTED)


def is_open_source(source: Any) -> bool:
    """Whether a source is written as the open-source store takes it."""
    return isinstance(source, dict) and "source_type" in source


def type_of(source: Any) -> str | None:
    """Return the type of an open-source source, as the store writes it."""
    type_ = source.get("source_type") if isinstance(source, dict) else None
    return type_.upper() if isinstance(type_, str) and type_.upper() in TYPES else None


def open_source_form(source: Any) -> dict[str, Any] | None:
    """Return a documented source as the open-source store takes it; None where that is unclear."""
    kinds = kinds_of(source)
    if len(kinds) != 1 or source.keys() - DOCUMENTED.keys():
        return None
    data = source[kinds[0]]
    if not isinstance(data, dict):
        return None
    return {"source_type": kinds[0].upper(), "source_data": data}


def documented_form(source: Any) -> dict[str, Any] | None:
    """Return an open-source source as Databricks documents it; None where it has no such form."""
    type_ = type_of(source)
    kind = type_.lower() if type_ else ""
    data = source.get("source_data") if type_ else None
    if kind not in DOCUMENTED or not isinstance(data, dict):
        return None
    return {kind: data} if isinstance(data.get(DOCUMENTED[kind]), str) else None


def id_of(source: dict[str, Any]) -> tuple[str, Any]:
    """Return what the open-source store takes for the id of a source: its key, and its value."""
    key = "trace_id" if type_of(source) == "TRACE" else "source_id"
    return key, (source.get("source_data") or {}).get(key)


def for_store(source: Any) -> dict[str, Any] | None:
    """Return any source as the open-source store takes it; None where it has no such form."""
    form = open_source_form(source) if is_documented(source) else source
    if not isinstance(form, dict) or type_of(form) is None:
        return None
    if form.keys() - {"source_type", "source_data"}:
        return None
    if not isinstance(form.get("source_data", {}), dict | None):
        return None
    return None if isinstance(id_of(form)[1], dict | list) else form


def for_databricks(source: Any) -> dict[str, Any] | None:
    """Return any source as Databricks documents it; None where it has no such form."""
    form = source if is_documented(source) else documented_form(source)
    kinds = kinds_of(form)
    if form is None or len(kinds) != 1 or not isinstance(form[kinds[0]], dict):
        return None
    data = form[kinds[0]]
    is_told = isinstance(data.get(DOCUMENTED[kinds[0]]), str)
    return form if is_told and isinstance(data.get("content"), str | None) else None
