"""The names that a template may use, and what to write instead of those it may not."""

from __future__ import annotations

import re
from dataclasses import dataclass

from evalcontract.model.nearest import nearest, normalise

ROOTS = ("input", "output", "expected", "context")
BELOW = ("expected", "context")
"""The variables that have names below them; the others are texts."""

_FORMAT = ["expected", "format"]
_PART = re.compile(r"[\w-]+")
_INDEX = re.compile(r"""\[\s*["']?(?P<name>[\w-]+)["']?\s*\]""")
_BLOCK = re.compile(r"(?P<word>if|unless|each|with|for)\s+(?P<name>\S+)$")
_MANY = 120  # characters of a name that are looked at for what it could mean

#: What other systems call the four, by the name here.
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
_HERE = {foreign: root for root, names in _FOREIGN.items() for foreign in names}
#: Of these, what a prompt hardly says in braces but to have it filled in.
_SELDOM_ELSE = ("question", "query", "answer", "response", "completion", "reference")
#: Ordinary words that are near to one of the four.
_WORDS = ("content", "contents", "contest", "except")
#: Keys of a row that no template is given.
_OF_A_ROW = {
    "criteria": "write the criteria into the template, or carry them as `{{ context.criteria }}`",
    "rubric": "write what counts into the template, or carry it as `{{ context.rubric }}`",
    "expected_facts": "put the facts below the row's `expected`, and write `{{ expected.facts }}`",
    "facts": "write `{{ expected.facts }}`",
    "expected_tools": "put them below the row's `expected`, and write `{{ expected.tools }}`",
    "tags": "put them below the row's `context`, and write `{{ context.tags }}`",
    "metadata": "put it below the row's `context`, and write `{{ context.metadata }}`",
}
_FORMS = {"raw": "{{{{{{ {} }}}}}}", "section": "{{{{#{}}}}}", "inverted": "{{{{^{}}}}}"}
_VARIABLE = "{{{{ {} }}}}"


@dataclass(frozen=True, slots=True)
class NameFault:
    """What is wrong with a name; `meant` are the variables that it may stand for."""

    message: str
    help: str
    meant: frozenset[str] = frozenset(ROOTS)


def written(name: str, kind: str) -> str:
    """Write a tag of a kind."""
    return _FORMS.get(kind, _VARIABLE).format(name)


def fault_of_name(name: str, kind: str, *, member: bool = False) -> NameFault | None:
    """Judge the name in a tag of a kind; None where it is good.

    A `member` stands in a section over something that has names below it, so it may be any.
    """
    if not name:
        return NameFault("has no name in it", f"write one of {_listed()}")
    if name == "else":
        advice = "close the section and open an inverted one: `{{/expected}}{{^expected}}`"
        return NameFault("is no Mustache, which knows no `else`", advice, frozenset())
    parts = name.split(".")
    if not all(_PART.fullmatch(part) for part in parts):
        return _malformed(name, kind)
    if parts[0] == "this":
        rest = ".".join(parts[1:]) or "."
        advice = f"write `{written(rest, kind)}` inside of a section"
        return NameFault("is no Mustache, which knows no `this`", advice, frozenset())
    if parts[0] in ROOTS:
        return _below_a_text(parts, kind)
    return None if member else _unknown(parts, kind)


def meaning(name: str) -> str | None:
    """Return the variable that a foreign or misspelled first part means, if one is near."""
    word = normalise(name[:_MANY])
    return word if word in ROOTS else _HERE.get(word) or nearest(word, ROOTS)


def surely_means(name: str) -> str | None:
    """Return the variable that a name outside of tags means, where other words stand too."""
    word = normalise(name[:_MANY])
    if word in ROOTS:
        return word
    if word in _HERE:
        return _HERE[word] if "_" in word or word in _SELDOM_ELSE else None
    return None if word in _WORDS else nearest(word, ROOTS)


def block(name: str) -> tuple[str, str] | None:
    """Split a block of Handlebars, `each expected.facts`, into its word and its name."""
    found = _BLOCK.fullmatch(name) if len(name) <= _MANY else None
    return (found["word"], found["name"]) if found else None


def _below_a_text(parts: list[str], kind: str) -> NameFault | None:
    root = parts[0]
    if parts[:2] == _FORMAT and len(parts) > len(_FORMAT):
        told = "looks below `expected.format`, which is a text and has nothing below it"
        return NameFault(told, f"write `{written('expected.format', kind)}`", frozenset((root,)))
    if root in BELOW or len(parts) == 1:
        return None
    told = f"looks below `{root}`, which is a text and has nothing below it"
    return NameFault(told, f"write `{written(root, kind)}`", frozenset((root,)))


def _unknown(parts: list[str], kind: str) -> NameFault:
    told = "names nothing that a judge is given"
    if parts[0] in _OF_A_ROW and len(parts) == 1:
        return NameFault(told, _OF_A_ROW[parts[0]], frozenset())
    root = meaning(parts[0])
    rest = parts[1:]
    if root is None and rest:  # `row.input`, `item.question`
        root, rest = meaning(rest[0]), rest[1:]
    if root is None:
        known = f"it is given {_listed()}"
        name = ".".join(parts)
        advice = f"{known}; what else it needs stands below `context`, as `context.{name}`"
        return NameFault(told, advice if len(name) <= _MANY else known)
    name = ".".join([root, *rest]) if root in BELOW else root
    foreign = normalise(parts[0]) in _HERE or rest != parts[1:]
    right = f"`{written(name, kind)}`"
    return NameFault(
        told, f"write {right}" if foreign else f"did you mean {right}?", frozenset((root,))
    )


def _malformed(name: str, kind: str) -> NameFault:
    mentioned = frozenset(root for root in ROOTS if root in name)
    called = block(name)
    if called and kind in ("section", "inverted"):
        word, about = called
        form = written(about, "inverted" if word == "unless" else "section")
        told = f"is no Mustache, which knows no `{word}`"
        return NameFault(told, f"write `{form}` … `{{{{/{about}}}}}`", frozenset())
    first = name.split("|", maxsplit=1)[0].strip()
    if "|" in name and fault_of_name(first, kind) is None:
        told = "has a filter, and Mustache knows none"
        return NameFault(told, f"write `{written(first, kind)}`", mentioned)
    joined = re.sub(r"\s+", "", name)
    if joined != name and fault_of_name(joined, kind) is None:
        told = "has a space inside of its name"
        right = frozenset(root for root in ROOTS if root in joined)
        return NameFault(told, f"write `{written(joined, kind)}`", right)
    dotted = _INDEX.sub(r".\g<name>", name)
    if dotted != name and fault_of_name(dotted, kind) is None:
        told = "looks up by brackets, and Mustache by dots"
        return NameFault(told, f"write `{written(dotted, kind)}`", mentioned)
    *words, last = _PART.findall(name) or [""]
    if last in ROOTS and words in ([], ["if"]):
        form = f"{{{{#{last}}}}}` … `{{{{/{last}}}}}" if words else written(last, kind)
        told = "has more in it than the name of a variable"
        return NameFault(told, f"write `{form}`", mentioned)
    advice = f"a name is one of {_listed()}, or one below the last two, as `expected.facts`"
    return NameFault("has no name of a variable in it", advice, mentioned or frozenset(ROOTS))


def _listed() -> str:
    return "`input`, `output`, `expected` and `context`"
