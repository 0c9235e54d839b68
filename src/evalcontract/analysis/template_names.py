"""The names that a template may use, and suggestions for those it may not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalcontract.model.lazy_pattern import lazy_pattern
from evalcontract.model.nearest import nearest, normalise

ROOTS = ("input", "output", "criteria", "expected", "context")
BELOW = ("expected", "context")
"""The variables that are objects with keys; the others are strings."""

_FORMAT = ["expected", "format"]
_PART = lazy_pattern(r"[\w-]+")
_INDEX = lazy_pattern(r"""\[\s*["']?(?P<name>[\w-]+)["']?\s*\]""")
_BLOCK = lazy_pattern(r"(?P<word>if|unless|each|with|for)\s+(?P<name>\S+)$")
_MAX_NAME = 120  # characters of a name that are compared with known names

#: Names of the variables in other systems.
_FOREIGN = {
    "input": (
        "question", "prompt", "query", "request", "instruction", "instructions", "problem", "task",
        "user", "message", "user_input", "user_message", "user_query", "user_prompt",
    ),
    "output": (
        "answer", "response", "reply", "prediction", "completion", "result", "generation",
        "generated", "submission", "actual", "assistant", "candidate", "actual_output",
        "model_output", "agent_output", "llm_output", "output_text", "model_response",
    ),
    "criteria": (
        "criterion", "grading_criteria", "guidelines", "guideline", "requirements", "rubric",
    ),
    "expected": (
        "reference", "ground_truth", "target", "ideal", "gold", "golden", "label", "truth",
        "expectations", "expected_output", "expected_answer", "expected_response",
        "expected_result", "correct_answer", "reference_answer", "reference_output",
    ),
    "context": (
        "document", "documents", "docs", "passages", "sources", "history", "conversation",
        "retrieved_context", "retrieved_documents", "retrieval_context",
    ),
}  # fmt: skip
_ROOT_BY_ALIAS = {alias: root for root, names in _FOREIGN.items() for alias in names}
#: The aliases that, in braces, are almost certainly placeholders.
_SURE_ALIASES = ("question", "query", "answer", "response", "completion", "reference")
#: Ordinary words that resemble one of them.
_WORDS = ("content", "contents", "contest", "except")
#: Keys of a row that templates cannot use, with advice.
_ROW_KEYS = {
    "expected_facts": "put the facts under the row's `expected`, and write `{{ expected.facts }}`",
    "facts": "write `{{ expected.facts }}`",
    "expected_tools": "put them under the row's `expected`, and write `{{ expected.tools }}`",
    "tags": "put them under the row's `context`, and write `{{ context.tags }}`",
    "metadata": "put it under the row's `context`, and write `{{ context.metadata }}`",
}
_FORMS = {"raw": "{{{{{{ {} }}}}}}", "section": "{{{{#{}}}}}", "inverted": "{{{{^{}}}}}"}
_VARIABLE = "{{{{ {} }}}}"


@dataclass(frozen=True, slots=True)
class NameFault:
    """A fault of a name; `meant` has the variables that it may stand for."""

    message: str
    help: str
    meant: frozenset[str] = frozenset(ROOTS)


def written(name: str, kind: str) -> str:
    """Return a tag of a kind for a name."""
    return _FORMS.get(kind, _VARIABLE).format(name)


def fault_of_name(name: str, kind: str, *, member: bool = False) -> NameFault | None:
    """Return the fault of the name in a tag, or None if it is valid.

    A `member` is inside a section over an object, so any name is allowed.
    """
    if not name:
        return NameFault("has no name", f"write one of {_ALL}")
    if name == "else":
        advice = "close the section and open an inverted one: `{{/expected}}{{^expected}}`"
        return NameFault("is not Mustache, which has no `else`", advice, frozenset())
    parts = name.split(".")
    if not all(_PART.fullmatch(part) for part in parts):
        return _malformed(name, kind)
    if parts[0] == "this":
        rest = ".".join(parts[1:]) or "."
        advice = f"write `{written(rest, kind)}` inside of a section"
        return NameFault("is not Mustache, which has no `this`", advice, frozenset())
    if parts[0] in ROOTS:
        return _key_of_string(parts, kind)
    return None if member else _unknown(parts, kind)


def meaning(name: str) -> str | None:
    """Return the variable that the first part of a name means by alias or typo, or None."""
    word = normalise(name[:_MAX_NAME])
    return word if word in ROOTS else _ROOT_BY_ALIAS.get(word) or nearest(word, ROOTS)


def surely_means(name: str) -> str | None:
    """Return the variable that a name outside of tags means, or None if it may be another word."""
    word = normalise(name[:_MAX_NAME])
    if word in ROOTS:
        return word
    if word in _ROOT_BY_ALIAS:
        return _ROOT_BY_ALIAS[word] if "_" in word or word in _SURE_ALIASES else None
    return None if word in _WORDS else nearest(word, ROOTS)


def block(name: str) -> tuple[str, str] | None:
    """Split a Handlebars block, `each expected.facts`, into its keyword and its name."""
    match = _BLOCK.fullmatch(name) if len(name) <= _MAX_NAME else None
    return (match["word"], match["name"]) if match else None


def _key_of_string(parts: list[str], kind: str) -> NameFault | None:
    """Return the fault of a name that looks up a key in a string, or None if it does not."""
    root = parts[0]
    if parts[:2] == _FORMAT and len(parts) > len(_FORMAT):
        fault = "looks up a key of `expected.format`, which is a string"
        return NameFault(fault, f"write `{written('expected.format', kind)}`", frozenset((root,)))
    if root in BELOW or len(parts) == 1:
        return None
    fault = f"looks up a key of `{root}`, which is a string"
    return NameFault(fault, f"write `{written(root, kind)}`", frozenset((root,)))


def _unknown(parts: list[str], kind: str) -> NameFault:
    fault = "is not a variable that a judge is given"
    if parts[0] in _ROW_KEYS and len(parts) == 1:
        return NameFault(fault, _ROW_KEYS[parts[0]], frozenset())
    root = meaning(parts[0])
    rest = parts[1:]
    if root is None and rest:  # `row.input`, `item.question`
        root, rest = meaning(rest[0]), rest[1:]
    if root is None:
        known = f"the variables are {_ALL}"
        name = ".".join(parts)
        advice = f"{known}; put other values under `context`, as `context.{name}`"
        return NameFault(fault, advice if len(name) <= _MAX_NAME else known)
    name = ".".join([root, *rest]) if root in BELOW else root
    is_alias = normalise(parts[0]) in _ROOT_BY_ALIAS or rest != parts[1:]
    tag = f"`{written(name, kind)}`"
    advice = f"write {tag}" if is_alias else f"did you mean {tag}?"
    return NameFault(fault, advice, frozenset((root,)))


def _malformed(name: str, kind: str) -> NameFault:
    mentioned = frozenset(root for root in ROOTS if root in name)
    handlebars = block(name)
    if handlebars and kind in ("section", "inverted"):
        word, variable = handlebars
        form = written(variable, "inverted" if word == "unless" else "section")
        fault = f"is not Mustache, which has no `{word}`"
        return NameFault(fault, f"write `{form}` … `{{{{/{variable}}}}}`", frozenset())
    first = name.split("|", maxsplit=1)[0].strip()
    if "|" in name and fault_of_name(first, kind) is None:
        fault = "has a filter, which Mustache does not support"
        return NameFault(fault, f"write `{written(first, kind)}`", mentioned)
    joined = re.sub(r"\s+", "", name)
    if joined != name and fault_of_name(joined, kind) is None:
        fault = "has a space in its name"
        meant = frozenset(root for root in ROOTS if root in joined)
        return NameFault(fault, f"write `{written(joined, kind)}`", meant)
    dotted = _INDEX.sub(r".\g<name>", name)
    if dotted != name and fault_of_name(dotted, kind) is None:
        fault = "uses brackets to look up a key, where Mustache uses dots"
        return NameFault(fault, f"write `{written(dotted, kind)}`", mentioned)
    *words, last = _PART.findall(name) or [""]
    if last in ROOTS and words in ([], ["if"]):
        form = f"{{{{#{last}}}}}` … `{{{{/{last}}}}}" if words else written(last, kind)
        return NameFault("contains more than a variable name", f"write `{form}`", mentioned)
    advice = f"a name is one of {_ALL}, or a key of the last two, such as `expected.facts`"
    return NameFault("has no valid variable name", advice, mentioned or frozenset(ROOTS))


_ALL = "`input`, `output`, `criteria`, `expected` and `context`"
