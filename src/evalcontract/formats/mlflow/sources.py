"""The two forms of a record's source.

The open-source store has `{"source_type": …, "source_data": {…}}`, Databricks one key for each
kind: `{"human": {…}}`.
"""

from __future__ import annotations

from typing import Any

#: The kinds that Databricks documents, and the key that each requires.
DOCUMENTED = {"human": "user_name", "document": "doc_uri", "trace": "trace_id"}
#: The types of the open-source store.
TYPES = ("HUMAN", "DOCUMENT", "TRACE", "CODE", "UNSPECIFIED")


def kinds_of(source: Any) -> list[str]:
    """Return the documented kinds of a source that are not null."""
    if not isinstance(source, dict):
        return []
    return [kind for kind in DOCUMENTED if source.get(kind) is not None]


def is_documented(source: Any) -> bool:
    """Whether a source has the form that Databricks documents."""
    return isinstance(source, dict) and not source.keys().isdisjoint(DOCUMENTED)


def type_of(source: Any) -> str | None:
    """Return the type of an open-source source, as the store writes it; None if it is unknown."""
    type_ = source.get("source_type") if isinstance(source, dict) else None
    return type_.upper() if isinstance(type_, str) and type_.upper() in TYPES else None


def open_source_form(source: Any) -> dict[str, Any] | None:
    """Convert a documented source to the open-source form; None if it is ambiguous."""
    kinds = kinds_of(source)
    if len(kinds) != 1 or source.keys() - DOCUMENTED.keys():
        return None
    data = source[kinds[0]]
    if not isinstance(data, dict):
        return None
    return {"source_type": kinds[0].upper(), "source_data": data}


def documented_form(source: Any) -> dict[str, Any] | None:
    """Convert an open-source source to the documented form; None if it has none."""
    type_ = type_of(source)
    kind = type_.lower() if type_ else ""
    data = source.get("source_data") if type_ else None
    if kind not in DOCUMENTED or not isinstance(data, dict):
        return None
    return {kind: data} if isinstance(data.get(DOCUMENTED[kind]), str) else None


def id_of(source: dict[str, Any]) -> tuple[str, Any]:
    """Return the key and the value that the open-source store takes as the id of a source."""
    key = "trace_id" if type_of(source) == "TRACE" else "source_id"
    return key, (source.get("source_data") or {}).get(key)


def for_store(source: Any) -> dict[str, Any] | None:
    """Convert any source to what the open-source store accepts; None if that is impossible."""
    form = open_source_form(source) if is_documented(source) else source
    if not isinstance(form, dict) or type_of(form) is None:
        return None
    if form.keys() - {"source_type", "source_data"}:
        return None
    if not isinstance(form.get("source_data", {}), dict | None):
        return None
    return None if isinstance(id_of(form)[1], dict | list) else form


def for_databricks(source: Any) -> dict[str, Any] | None:
    """Convert any source to what Databricks documents; None if that is impossible."""
    form = source if is_documented(source) else documented_form(source)
    kinds = kinds_of(form)
    if form is None or len(kinds) != 1 or not isinstance(form[kinds[0]], dict):
        return None
    data = form[kinds[0]]
    is_named = isinstance(data.get(DOCUMENTED[kinds[0]]), str)
    return form if is_named and isinstance(data.get("content"), str | None) else None


def shown(value: Any) -> str:
    """Format a source on one line, in YAML's flow style."""
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key}: {shown(part)}' for key, part in value.items())}}}"
    return str(value)
