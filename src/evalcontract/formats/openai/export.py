"""The fields of items and samples, and what an exported eval says of its items.

Which keys of the items are asked, compared and expected; fields of evalcontract mean the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import as_json, is_list_of, mapping_at
from evalcontract.model.diagnostic import Path
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import is_finite_number, is_text

if TYPE_CHECKING:
    from evalcontract.source.external import ExternalFile

HOSTED, SAMPLES = "hosted", "samples"
#: What reads the rows of each variant.
READERS = {HOSTED: "the API of hosted evals", SAMPLES: "openai/evals"}

#: The keys of an item that have the names and the types of keys of a row.
SAME = (
    *("criteria", "expected_facts", "expected_tools", "must_contain_any", "must_not_contain"),
    *("expected_documents", "retrieved_documents", "tags", "messages"),
)


_TAG = lazy_pattern(r"\{\{([^{}]*)\}\}")
_NAME = lazy_pattern(r"[\w-]+(?:\.[\w-]+)*")
#: The answer of the model, as a whole.
OUTPUT = ("sample", "output_text")
_SPACES = ("item", "sample")


class Variable(NamedTuple):
    """A variable as it is `written` between braces.

    `path` begins with `item` or `sample`; it is empty if it cannot be followed key by key.
    """

    written: str
    path: tuple[str, ...]

    @property
    def is_known(self) -> bool:
        """Whether it has a namespace that templates have."""
        return self.written.partition(".")[0].partition("[")[0] in _SPACES


@lru_cache(maxsize=1024)
def variables(text: str) -> tuple[Variable, ...]:
    """Return the variables of a template, in order."""
    return tuple(_variable(match[1]) for match in _TAG.finditer(text))


def whole(text: str) -> tuple[str, ...]:
    """Return the path of the variable that a template consists of; empty if it has more."""
    match = _TAG.fullmatch(text.strip())
    return _variable(match[1]).path if match else ()


def filled(text: str, item: Any) -> str | None:
    """Fill a template with the values of an item; None if it reads anything else."""
    values = [_value(each.path, item) for each in variables(text)]
    if any(value is None for value in values):
        return None
    rest = iter(values)
    return _TAG.sub(lambda _: str(next(rest)), text)


def translated(text: str, name_of: Callable[[tuple[str, ...]], str | None]) -> str | None:
    """Return a template in Mustache, given the names of variables there; None if one has none."""
    names = [name_of(each.path) if each.path else None for each in variables(text)]
    literal = _TAG.sub("", text)
    if None in names or "{{" in literal or "}}" in literal:
        return None
    rest = iter(names)
    return _TAG.sub(lambda _: f"{{{{ {next(rest)} }}}}", text)


def text_of(value: Any) -> str:
    """Return a value as a text: texts as they are, others as JSON."""
    return value if isinstance(value, str) else as_json(value)


def _value(path: tuple[str, ...], item: Any) -> str | None:
    if not path or path[0] != "item":
        return None
    part = item
    for key in path[1:]:
        if not isinstance(part, dict) or key not in part:
            return None
        part = part[key]
    return None if part is None else text_of(part)


def _variable(inside: str) -> Variable:
    written = inside.strip()
    path = tuple(written.split(".")) if _NAME.fullmatch(written) else ()
    is_path = len(path) > 1 and path[0] in _SPACES
    return Variable(written, path if is_path else ())


#: How many criteria of an eval are predicted, and converted.
MAX_CRITERIA = 50
#: Where the items of a run stand in an eval.
CONTENT = ("data_source", "source", "content")
_QUESTIONS = ("input", "question", "prompt", "query", "user_input", "message")
_REFERENCES = (
    *("reference", "ideal", "expected_output", "ground_truth", "correct_label"),
    *("correct_answer", "expected_answer", "reference_answer"),
)
_COMPARING = ("string_check", "text_similarity")


class Keys(NamedTuple):
    """The keys of items that are the question, the reference answer and the recorded answer.

    None if there is no such key; the recorded answer is then the sample.
    """

    input: str | None = "input"
    reference: str | None = "reference"
    output: str | None = None


def root_of(read: ExternalFile) -> dict[str, Any]:
    """Return the eval in a file; empty if the file has items only."""
    value = read.document.value if read.document else None
    return value if isinstance(value, dict) else {}


def items_of(root: dict[str, Any]) -> Any:
    """Return the items of an eval; None if it has none."""
    return mapping_at(root, *CONTENT[:-1]).get(CONTENT[-1])


def criteria_of(root: dict[str, Any], most: int | None = None) -> list[tuple[int, dict[str, Any]]]:
    """Return the testing criteria that are mappings, with their places in the list.

    `most` is how many of the list are looked at.
    """
    given = root.get("testing_criteria")
    listed = enumerate(given[:most]) if isinstance(given, list) else ()
    return [(index, each) for index, each in listed if isinstance(each, dict)]


def is_well_formed(criterion: dict[str, Any]) -> bool:
    """Whether a criterion has what its type needs, with the right types."""
    if not isinstance(criterion.get("name"), str):
        return False
    match criterion:
        case {"type": "string_check", "input": str(), "reference": str(), "operation": operation}:
            return operation in ("eq", "ne", "like", "ilike")
        case {"type": "label_model", "input": list(), "model": str()}:
            lists = (criterion.get("labels"), criterion.get("passing_labels"))
            return all(is_list_of(each, str) for each in lists)
        case {"type": "score_model", "input": list(), "model": str()}:
            ends, threshold = criterion.get("range") or [0, 1], criterion.get("pass_threshold")
            numbers = (
                [*ends, 0 if threshold is None else threshold] if isinstance(ends, list) else []
            )
            return len(numbers) > 2 and all(map(is_finite_number, numbers))  # noqa: PLR2004
    return criterion.get("type") in ("text_similarity", "python")


def item_schema_of(root: dict[str, Any]) -> tuple[Path, Any]:
    """Return the schema of items, and its path; None if the eval has none."""
    config = mapping_at(root, "data_source_config")
    if isinstance(config.get("item_schema"), dict):
        return ("data_source_config", "item_schema"), config["item_schema"]
    properties = mapping_at(config, "schema", "properties")
    path = ("data_source_config", "schema", "properties", "item")
    item = properties.get("item")
    return path, item if isinstance(item, dict) else None


def texts_of(criterion: dict[str, Any]) -> Iterator[tuple[Path, str]]:
    """Yield the templates of a criterion, with their paths in it."""
    for key in ("input", "reference"):
        value = criterion.get(key)
        if isinstance(value, str):
            yield (key,), value
        elif isinstance(value, list):
            yield from (((key, *path), text) for path, text in message_texts(value))


def message_texts(messages: list[Any]) -> Iterator[tuple[Path, str]]:
    """Yield the texts of messages, with their paths."""
    for index, message in enumerate(messages):
        content = message.get("content") if isinstance(message, dict) else None
        parts = content if isinstance(content, list) else [content]
        for number, part in enumerate(parts):
            path: Path = (index, "content")
            path = (*path, number) if isinstance(content, list) else path
            if isinstance(part, str):
                yield path, part
            elif isinstance(part, dict) and isinstance(part.get("text"), str):
                yield (*path, "text"), part["text"]


def keys_of(root: dict[str, Any], first: Any) -> Keys:
    """Return the keys that an eval names, or else that the `first` item has by a usual name."""
    item = first if isinstance(first, dict) else {}
    criteria = [criterion for _, criterion in criteria_of(root)]
    texts = [text for criterion in criteria for _, text in texts_of(criterion)]
    is_sampled = any(each.path[:1] == ("sample",) for text in texts for each in variables(text))
    compared = [each for each in criteria if each.get("type") in _COMPARING]
    inputs = filter(None, (_key(each.get("input")) for each in compared))
    output = None if is_sampled else next(inputs, None)
    named = next(filter(None, (_key(each.get("reference")) for each in compared)), None)
    reference = named or _usual(item, _REFERENCES, {output}) or Keys().reference
    asked = _asked(root) or _usual(item, _QUESTIONS, {output, reference})
    asked = asked or _only_text(item, {"id", output, reference}) or Keys().input
    return Keys(asked, None if reference in (asked, output) else reference, output)


def is_output(text: Any, keys: Keys) -> bool:
    """Whether a template is the answer and nothing else."""
    path = whole(text) if isinstance(text, str) else ()
    return path == OUTPUT or (keys.output is not None and path == ("item", keys.output))


def template_of(root: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the messages that a model is asked for each item; empty if there are none."""
    template = mapping_at(root, "data_source", "input_messages").get("template")
    messages = template if isinstance(template, list) else []
    return [each for each in messages if isinstance(each, dict)]


def _asked(root: dict[str, Any]) -> str | None:
    """Return the key that the last message of a user consists of."""
    messages = [each for each in template_of(root) if each.get("role") == "user"]
    return _key(messages[-1].get("content")) if messages else None


def _key(text: Any) -> str | None:
    if isinstance(text, dict):
        text = text.get("text")
    path = whole(text) if isinstance(text, str) else ()
    return path[1] if len(path) == 2 and path[0] == "item" else None  # noqa: PLR2004


def _usual(item: dict[str, Any], names: tuple[str, ...], taken: set[str | None]) -> str | None:
    return next((key for key in names if key not in taken and is_text(item.get(key))), None)


def _only_text(item: dict[str, Any], taken: set[str | None]) -> str | None:
    """Return the only key that holds a text, if no key has a usual name."""
    texts = [key for key, part in item.items() if key not in taken and is_text(part)]
    return texts[0] if len(texts) == 1 else None
