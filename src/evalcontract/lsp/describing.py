"""What an editor shows of a rubric, a judge, a key or a value: Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.lsp.markdown import code, escaped
from evalcontract.model.reference import Kind
from evalcontract.model.values import listed
from evalcontract.structure.parts import follow
from evalcontract.structure.schemas import branches

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from evalcontract.library.artifact import Artifact
    from evalcontract.library.library import Library
    from evalcontract.model.reference import Reference
    from evalcontract.structure.parts import Schema

_MOST = 20


def describe_artifact(artifact: Artifact) -> str:
    """Return what a rubric or a judge is: its name, what it checks, and how it was validated."""
    value = artifact.document.value
    value = value if isinstance(value, dict) else {}
    lines = [f"**{code(artifact.name)}**"]
    lines += [escaped(text) for key in ("label", "description") if (text := _text(value, key))]
    parts = _of_rubric(value) if artifact.kind is Kind.RUBRIC else _of_judge(value)
    lines.append("\n".join(f"- {part}" for part in parts))
    lines.append(f"*{escaped(artifact.file)}*")
    return "\n\n".join(line for line in lines if line)


def _of_rubric(value: dict[str, Any]) -> Iterator[str]:
    checks = value.get("checks")
    checks = checks if isinstance(checks, list) else []
    for check in checks[:_MOST]:
        if isinstance(check, dict):
            name = code(check["id"]) if isinstance(check.get("id"), str) else "a check"
            refers = _text(check, "judge_prompt_ref") or _text(check, "rubric_ref")
            to = f" → {code(refers)}" if refers else ""
            yield f"{name}: {code(check.get('kind'))}{to}"
    if len(checks) > _MOST:
        yield f"… and {len(checks) - _MOST:,} more checks"
    yield from _scalars(value.get("scoring"), "scoring")


def _of_judge(value: dict[str, Any]) -> Iterator[str]:
    for key in ("score_type", "pass_threshold", "applicable_to"):
        if key in value:
            yield f"{key}: {_shown(value[key])}"
    yield from _scalars(value.get("model"), "model")
    if not isinstance(value.get("validation"), dict):
        yield "not validated"
    yield from _scalars(value.get("validation"), "validation")


def _scalars(value: Any, name: str) -> Iterator[str]:
    """Yield a line with the scalars of a mapping."""
    if isinstance(value, dict):
        shown = [
            f"{escaped(str(key))} {_shown(part)}"
            for key, part in list(value.items())[:_MOST]
            if not isinstance(part, dict)
        ]
        if shown:
            yield f"{name}: {', '.join(shown)}"


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return listed([code(part) for part in value])
    return code(str(value).lower() if isinstance(value, bool) else value)


def _text(value: dict[str, Any], key: str) -> str | None:
    text = value.get(key)
    return text if isinstance(text, str) else None


def describe_missing(reference: Reference, library: Library) -> str:
    """Return that a reference leads nowhere, and where it might."""
    versions = library.sorted_versions(reference.kind, reference.id)
    if versions:
        known = listed([code(f"{reference.kind}/{reference.id}@{each}") for each in versions])
        return f"There is no {code(reference)}. Versions: {known}"
    near = library.nearest_id(reference.kind, reference.id)
    meant = f" Did you mean {code(f'{reference.kind}/{near}')}?" if near else ""
    return f"There is no {code(reference)}.{meant}"


def describe_key(key: str, schema: Schema, root: Schema, *, is_ours: bool = True) -> str:
    """Return what a key means, by its schema; what other packages and files say is escaped."""
    full = follow(schema, root)
    text = full.get("description") or full.get("title") or ""
    text = str(text) if is_ours else escaped(str(text))
    facts = [f"`{_type(full)}`"] if _type(full) else []
    if values := full.get("enum"):
        facts.append(" · ".join(code(value) for value in values))
    if "default" in full:
        facts.append(f"default {_shown(full['default'])}")
    head = f"**{code(key)}** {' — '.join(facts)}".strip()
    return f"{head}\n\n{text}".strip()


def _type(schema: Schema) -> str:
    found = schema.get("type", "")
    return " or ".join(map(str, found)) if isinstance(found, list) else str(found)


def describe_value(
    schema: Schema, root: Schema, key: str, value: str, texts: Mapping[str, str]
) -> str:
    """Return what one of several values of a key means.

    `texts` are those of the schema for editors. The kinds of checks of other packages have the
    text of the branch of the schema that they select.
    """
    of_branches = (
        str(branch["description"])
        for branch in branches(schema, {key: value}, root)
        if branch is not schema and "description" in branch
    )
    text = texts.get(value) or next(of_branches, "")
    return f"**{code(value)}**\n\n{text}" if text else ""
