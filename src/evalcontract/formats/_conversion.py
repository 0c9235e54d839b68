"""Convert rows from and to evalcontract: the interfaces, fields, losses, and what systems share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import product
from types import MappingProxyType
from typing import Any, Protocol

from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source.installed import table

Row = dict[str, Any]
#: The name of evalcontract's own format, and the metadata key of its residuals in other formats.
OURS = "evalcontract"

#: The example bundles that converted rows may use; a conversion does not lose them.
BUNDLES = ("rag", "agent")
_BUNDLE_KEYS = {
    "agent": ("messages", "trace"),
    "rag": ("expected_documents", "retrieved_documents", "recorded_output"),
}


class Loss(NamedTuple):
    """Something that the target cannot represent.

    `path` is its place in the source, below the row. `is_kept` means that it is preserved in the
    metadata of the target, and restored when converting back.
    """

    path: Path
    reason: str
    is_kept: bool


class KeptAs(NamedTuple):
    """Where a conversion keeps what only another system reads: the `name` of a key of metadata.

    In the metadata of the root, `document` is the key of what stood around the rows. Its keys that
    are `unscored` change the score of no output that there is.
    """

    name: str
    document: str = ""
    unscored: frozenset[str] = frozenset()


class OurRow(NamedTuple):
    """A row converted to evalcontract, and the rubric that grades it, if any.

    A rubric that `is_new` was generated from the row: it has no `id` and `version` yet, rows with
    equal rubrics share one, and whoever names it sets `rubric_ref`. `judges` are complete judges
    that the rubric references; equal ones are written once. `in_rubric` are the paths of the source
    whose values only the rubric has, so that they are lost with it. `unread` is what the row would
    say besides, if a check of the rubric read it; only other systems get it.
    """

    row: dict[str, Any]
    rubric: dict[str, Any] | None = None
    losses: tuple[Loss, ...] = ()
    judges: tuple[dict[str, Any], ...] = ()
    is_new: bool = True
    in_rubric: tuple[Path, ...] = ()
    unread: Mapping[str, Any] = MappingProxyType({})


def with_unread(row: dict[str, Any], unread: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row with what no check of its rubric reads."""
    if "expected" in unread:
        unread = {**unread, "expected": {**row.get("expected", {}), **unread["expected"]}}
    return {**row, **unread} if unread else row


class Reader(Protocol):
    """Converts rows of another system to evalcontract.

    By default the file has nothing outside of its rows.
    """

    @property
    def root(self) -> dict[str, Any]:
        """The keys beside the rows, such as `metadata`; complete once all rows are read."""
        return {}

    @property
    def losses(self) -> Sequence[Loss]:
        """What is lost outside of the rows."""
        return ()

    def places(self, loss: Loss) -> Sequence[Loss]:
        """Return the losses in the source that a loss of a key of `root` means."""
        return (loss,)

    def read(self, row: Any, index: int) -> OurRow:
        """Convert a valid row."""
        ...


class TheirRow(NamedTuple):
    """A row converted to another system.

    `problems` say why the row cannot be written at all; their paths start at the row.
    """

    row: Any
    losses: tuple[Loss, ...] = ()
    problems: tuple[Problem, ...] = ()


class Writer(Protocol):
    """Converts rows of evalcontract to another system.

    If `says_rubrics`, generated rubrics are passed too, and the writer expresses them in its own
    way. Otherwise the row has such a rubric under `rubric`, like any key of its author.
    By default the file is the list of its rows.
    """

    says_rubrics: bool = False

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row; `rubric` is the rubric that it references, if any."""
        ...

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the document that holds the rows, for media that have one, and what it loses.

        `root` has the keys beside the rows of evalcontract.
        """
        reason = "the target is a list of rows, with no place for other keys"
        return rows, [Loss((key,), reason, is_kept=False) for key in root]


def default_id(index: int) -> str:
    """Return the id of a row that has no name."""
    return f"row_{index + 1}"


def with_bundle(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row with the bundle that its keys belong to, if any."""
    for bundle, keys in _BUNDLE_KEYS.items():
        if any(key in row for key in keys):
            return {**row, "bundle": bundle}
    return row


def documents_named(key: str) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Return the ways between documents that have their name under a key and those of a row."""
    return partial(_renamed, old=key, new="id"), partial(_renamed, old="id", new=key)


def _renamed(documents: Any, *, old: str, new: str) -> list[Row] | None:
    """Return documents with their names under another key; None unless all can be converted."""
    if not isinstance(documents, list) or not documents:
        return None
    are_named = all(
        isinstance(each, dict)
        and isinstance(each.get(old), str)
        and new not in each
        and isinstance(each.get("content", ""), str | None)
        for each in documents
    )
    parts = [each.items() for each in documents] if are_named else []
    return [{new if key == old else key: part for key, part in each} for each in parts] or None


def last_question(messages: list[Any]) -> Any:
    """Return the content of the last user message of a conversation; None if there is none."""
    for message in reversed(messages):
        if isinstance(message, dict) and message.get("role") == "user":
            return message.get("content")
    return None


class Conversation(NamedTuple):
    """A recorded conversation: what was `asked`, and the `run` after the last question.

    `answer` is the last text of the assistant in the run; None if there is none.
    """

    asked: list[Any]
    run: list[Any]
    answer: str | None

    @property
    def has_more(self) -> bool:
        """Whether the run has more than the text of the answer."""
        return bool(self.run) and self.run != [{"role": "assistant", "content": self.answer}]


def conversation_of(row: Mapping[str, Any]) -> Conversation:
    """Split the conversation of a row after its last question, so that no answer is asked."""
    messages = row.get("messages")
    messages = messages if isinstance(messages, list) else []
    end = next((n for n in range(len(messages), 0, -1) if _role(messages[n - 1]) == "user"), 0)
    run = messages[end:]
    texts = [part.get("content") for part in run if _role(part) == "assistant"]
    answers = [text for text in texts if isinstance(text, str) and text.strip()]
    return Conversation(messages[:end], run, answers[-1] if answers else None)


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


_BULLET = "- "
#: Keys of `expected` that mean something else than an expectation of the author's own.
OWN_KEYS = frozenset({"format", "reference"})


def criteria_of(guidelines: Any) -> str | None:
    """Return a list of guidelines as criteria; None if `guidelines_of` would not restore it."""
    if not isinstance(guidelines, list) or not guidelines:
        return None
    if not all(isinstance(text, str) and text.strip() for text in guidelines):
        return None
    if len(guidelines) == 1:
        criteria = str(guidelines[0])
    else:
        criteria = "\n".join(f"{_BULLET}{text}" for text in guidelines)
    return criteria if guidelines_of(criteria) == guidelines else None


def guidelines_of(criteria: str) -> list[str]:
    """Return criteria as guidelines: the items of a list of at least two, or one guideline."""
    lines = criteria.split("\n")
    items = [line.removeprefix(_BULLET) for line in lines if line.startswith(_BULLET)]
    is_list = len(lines) > 1 and len(items) == len(lines) and all(map(str.strip, items))
    return items if is_list else [criteria]


def reference_of(row: Mapping[str, Any]) -> str | None:
    """Return the reference answer of a row; None if it has none."""
    expected = row.get("expected")
    reference = expected.get("reference") if isinstance(expected, dict) else None
    return reference if isinstance(reference, str) and reference.strip() else None


def filled(texts: Any) -> list[str] | None:
    """Return a list of texts; None if it is empty, or one of them is blank."""
    are_texts = isinstance(texts, list) and all(isinstance(each, str) for each in texts)
    return texts if are_texts and texts and all(map(str.strip, texts)) else None


def unsaid(_: Any) -> None:
    """Return nothing, for a field that is written with others, or not at all."""


def answers_of(row: Mapping[str, Any], *, are_both: bool = False) -> Row:
    """Return the expected response of a row, or its facts if it has others than that."""
    reference, facts = reference_of(row), filled(row.get("expected_facts"))
    has_response = reference is not None and (are_both or facts in (None, [reference]))
    answers: Row = {"expected_response": reference} if has_response else {}
    return {**answers, "expected_facts": facts} if facts and (are_both or not answers) else answers


def own_expectations(row: dict[str, Any]) -> dict[str, Any]:
    """Return the expectations of the author's own that a row has below `expected`."""
    expected = row.get("expected")
    given = expected if isinstance(expected, dict) else {}
    return {key: part for key, part in given.items() if key not in OWN_KEYS and part is not None}


_SYNTAX = lazy_pattern(r"([\\.^$*+?{}\[\]|()])")
_LITERAL = lazy_pattern(r"\\([\\.^$*+?{}\[\]|()])")


def escaped(text: str) -> str:
    """Return the pattern that a text matches, and nothing else."""
    return _SYNTAX.sub(r"\\\1", text)


def text_matched_by(pattern: str) -> str | None:
    """Return the only text that a pattern of `escaped` matches; None if it is another pattern."""
    text = without_escapes(pattern)
    return text if escaped(text) == pattern else None


def without_escapes(pattern: str) -> str:
    """Return a pattern with each escaped sign as itself."""
    return _LITERAL.sub(r"\1", pattern)


#: The ways between facts and guidelines of other systems and those of a row.
FACTS, GUIDELINES = (filled, unsaid), (criteria_of, guidelines_of)


class Field(NamedTuple):
    """A field of a system, and the field of evalcontract that means the same.

    Both are keys joined by dots; a last key `*` stands for every other key there. If one of the two
    is None, the other system has nothing that means the same: the value is a loss, and `note` says
    why. Otherwise `note` says how the value changes. `variants` limits the field to some variants
    of the system; empty means all. `read` and `write` make the value of one from that of the other,
    and return None for what it cannot say.
    """

    theirs: str | None
    ours: str | None
    note: str = ""
    variants: tuple[str, ...] = ()
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], Any] | None = None


#: Returns the value of one from that of the other; None for what it cannot say.
_Way = Callable[[Any], Any] | None
#: The ways to and from the values of a field.
Ways = tuple[_Way, _Way]


def listed_fields(system: str, ways: Mapping[str, Ways]) -> Iterator[Field]:
    """Yield the fields that the table of a system lists."""
    for row in table(f"formats/{system}.fields")["fields"]:
        read, write = ways[row["way"]] if "way" in row else (None, None)
        note, variants = row.get("note", ""), tuple(row.get("variants", ()))
        for theirs, ours in product(_names(row.get("theirs")), _names(row.get("ours"))):
            yield Field(theirs, ours, note, variants, read=read, write=write)


def _names(given: str | list[str] | None) -> list[Any]:
    return given if isinstance(given, list) else [given]


NOT_CARRIED = "a value of this form has no counterpart"


def fields_of(table: Sequence[Field], variant: str) -> list[Field]:
    """Return the fields of one variant of a system."""
    return [field for field in table if not field.variants or variant in field.variants]


def reason_against(table: Sequence[Field], ours: Path, variant: str = "") -> str:
    """Return why a system has no place for a field of evalcontract."""
    known = {f.ours: f.note for f in fields_of(table, variant) if f.theirs is None and f.ours}
    # A rubric that was made from the row stands in the row itself.
    return _reason(known, ("rubric_ref",) if ours == ("rubric",) else ours)


def reason_for(table: Sequence[Field], theirs: Path, variant: str = "") -> str:
    """Return why evalcontract has no place for a field of a system."""
    known = {f.theirs: f.note for f in fields_of(table, variant) if f.ours is None and f.theirs}
    return _reason(known, theirs)


def _reason(known: dict[str, str], path: Path) -> str:
    """Return the reason for a path, or for the nearest field above it."""
    steps = [str(step) for step in path]
    for end in range(len(steps), 0, -1):
        for name in (".".join(steps[:end]), ".".join([*steps[: end - 1], "*"])):
            if name in known:
                return known[name]
    return NOT_CARRIED
