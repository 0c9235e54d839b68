"""Codes: names of faults with severities and pages; those of no rule and of no other system."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Never, Self, TypedDict

from evalcontract.model.diagnostic import Severity
from evalcontract.model.startup import NamedTuple

if TYPE_CHECKING:
    from evalcontract.model.page import Page


class ModeSeverities(NamedTuple):
    """The severities in soft and in strict mode; None reports nothing in that mode."""

    soft: Severity | None
    strict: Severity | None


class Code(str):
    """The name of a fault, such as `dataset/duplicate-id`, declared where it is reported.

    A code is a string, so it can be used like its name. By default, a finding is a warning in soft
    mode and an error in strict mode. Findings are certain unless the code is a `guess`: then they
    depend on what the author probably meant, and may be wrong. `page` is the manual page in the
    form of a rule's docstring; without it, the page is a file of the package (see `read_page`).
    `url` is the address where a code of another package is documented, or None.
    """

    __slots__ = ("docstring", "is_guess", "severities", "url")

    severities: ModeSeverities
    is_guess: bool
    docstring: str | None
    url: str | None

    def __new__(
        cls,
        name: str,
        *,
        soft: Severity = Severity.WARNING,
        strict: Severity = Severity.ERROR,
        guess: bool = False,
        page: str | None = None,
        url: str | None = None,
    ) -> Self:
        """Declare a code."""
        code = super().__new__(cls, name)
        object.__setattr__(code, "severities", ModeSeverities(soft, strict))
        object.__setattr__(code, "is_guess", guess)
        object.__setattr__(code, "docstring", page)
        object.__setattr__(code, "url", url)
        return code

    def __setattr__(self, name: str, value: object) -> Never:
        raise AttributeError(f"a code cannot be changed: {name}")

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        """Return the arguments that recreate the code when it is unpickled."""
        soft, strict = self.severities
        options = {"soft": soft, "strict": strict, "guess": self.is_guess, "page": self.docstring}
        return (str(self),), {**options, "url": self.url}

    def __getstate__(self) -> None:
        """Return no state: the arguments are enough."""

    @property
    def confidence(self) -> str:
        """The confidence of a finding: `guess` or `certain`."""
        return "guess" if self.is_guess else "certain"

    @property
    def page(self) -> Page:
        """The manual page, read on each access."""
        from evalcontract.model.page import parse_page, read_page  # only `explain` shows pages

        return read_page(self) if self.docstring is None else parse_page(self, self.docstring)


class CodeOptions(TypedDict, total=False):
    """The options of `Code` that codes without a page in their module may have."""

    soft: Severity
    strict: Severity
    guess: bool


class CodeTable(Mapping[str, Code]):
    """The codes that a package declares, by name; each is made when it is first looked up.

    `declared` are names of codes, each with the options that these share.

    Raises:
        ValueError: a name is declared twice.

    """

    def __init__(self, *declared: tuple[Iterable[str], CodeOptions]) -> None:
        self._options: dict[str, CodeOptions] = {}
        self._made: dict[str, Code] = {}
        for names, options in declared:
            for name in names:
                if name in self._options:
                    raise ValueError(f"the code {name} is declared twice")
                self._options[name] = options

    def __getitem__(self, name: str) -> Code:
        code = self._made.get(name)
        if code is None:
            code = self._made[name] = Code(name, **self._options[name])
        return code

    def __contains__(self, name: object) -> bool:
        return name in self._options

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


# With one of these, the figures would be of other outputs than the files say.
_OF_BAD_LABELS = (
    "conflicting-label", "conflicting-output", "conflicting-verdict", "duplicate-column",
    "extra-cell", "missing-column", "one-class", "several-models", "unanswered", "unknown-value",
    "wrong-type",
)  # fmt: skip
# What is left out or counted once, and told.
_OF_ODD_LABELS = (
    "duplicate-label", "duplicate-verdict", "missing-value", "missing-verdict", "mixed-splits",
    "not-asked", "surplus-verdict", "tied", "unreadable-answer",
)  # fmt: skip

OF_LABELS = CodeTable(
    ([f"labels/{fault}" for fault in _OF_BAD_LABELS], {"soft": Severity.ERROR}),
    ([f"labels/{fault}" for fault in _OF_ODD_LABELS], {}),
    (["labels/near-miss-key"], {"guess": True}),
)


OF_REFERENCES = CodeTable(
    (["reference/dangling", "reference/unpinned", "rubric/cycle", "rubric/nested-composite"], {}),
    (["library/not-synced", "library/ambiguous"], {"soft": Severity.ERROR}),
    (["library/unusable"], {}),
    (["library/shadowed"], {"strict": Severity.WARNING}),
)


_OF_BAD_OUTPUTS = (
    "invalid-record", "no-answer", "unread-answer", "unreadable-tool-call", "duplicate-id",
    "missing",
)  # fmt: skip

OF_OUTPUTS = CodeTable(
    ([f"output/{fault}" for fault in _OF_BAD_OUTPUTS], {"soft": Severity.ERROR}),
    (["output/near-miss-key"], {"guess": True}),
    (["output/undecided"], {}),
    (["output/unknown-id"], {"strict": Severity.WARNING}),
)


# A version that means something else is an error in both modes: that is what a lock is for.
_OF_LOCKED = (
    "changed-file", "changed-meaning", "conflict", "invalid", "missing-entry", "newer-format",
    "resolves-elsewhere", "version-too-small",
)  # fmt: skip

OF_LOCKS = CodeTable(
    ([f"lock/{fault}" for fault in _OF_LOCKED], {"soft": Severity.ERROR}),
    (["lock/unused-entry"], {"soft": Severity.NOTE, "strict": Severity.NOTE}),
)


_OF_UNREADABLE = (
    "binary", "duplicate-key", "empty", "encoding", "lfs-pointer", "limit-exceeded",
    "multiple-documents", "syntax", "unreadable", "unsupported",
)  # fmt: skip

OF_SOURCES = CodeTable(([f"source/{fault}" for fault in _OF_UNREADABLE], {"soft": Severity.ERROR}))


_OF_TARGET = ("malformed-value", "missing-key", "out-of-range", "unknown-key", "wrong-type")
_OF_LIBRARY = (
    *_OF_TARGET, "conflicting-key", "empty-value", "repeated-item", "too-few-items",
    "unknown-value",
)  # fmt: skip
_FAULTS = {
    "dataset": (*_OF_LIBRARY, "invalid-value", "undecided-value"),
    "rubric": _OF_LIBRARY,
    "judge": _OF_LIBRARY,
}
_GUESSES = ("near-miss-key", "misplaced-key", "foreign-key")

#: The codes of invalid values; a guess about a key leaves its value usable.
ILL_FORMED = frozenset(
    [
        f"{kind}/{fault}"
        for kind, faults in {**_FAULTS, "target": _OF_TARGET}.items()
        for fault in faults
    ]
)
#: The suffixes of the codes of guesses, for every kind and every dialect.
GUESSES = tuple(f"/{guess}" for guess in _GUESSES)

OF_VALUES = CodeTable(
    ([f"{kind}/{fault}" for kind, faults in _FAULTS.items() for fault in faults], {}),
    ([f"{kind}/{guess}" for kind in _FAULTS for guess in _GUESSES], {"guess": True}),
    # A target sets the mode of other files: if it is invalid, no mode can be trusted.
    ([f"target/{fault}" for fault in _OF_TARGET], {"soft": Severity.ERROR}),
)


_OF_BAD_FILES = (
    *(f"{kind}/wrong-kind" for kind in ("dataset", "rubric", "judge", "target")),
    "dataset/no-questions",
    "target/missing-dataset",
    "workspace/misnamed-file",
    "internal/rule-crashed",
)
_OF_ODD_FILES = (
    "rubric/no-executor", "workspace/schema-reference", "workspace/unused-ignore",
    "workspace/invalid-ignore", "workspace/shadowed-configuration",
)  # fmt: skip
_OF_GUESSED_FILES = (
    "target/misspelled-row-key",
    "bundle/near-miss-keyword",
    "bundle/near-miss-required",
)
_USUAL = (
    "dataset/ragged-row", "dataset/repeated-column", "dataset/unclosed-quote",
    "bundle/invalid-schema", "bundle/outdated-keyword", "bundle/slow-regex",
    "bundle/unsatisfiable-schema", "workspace/unsupported-file",
)  # fmt: skip

OF_FILES = CodeTable(
    (_OF_BAD_FILES, {"soft": Severity.ERROR}),
    (
        [f"{kind}/other-tool" for kind in ("dataset", "rubric", "judge")],
        {"soft": Severity.ERROR, "guess": True},
    ),
    (["dataset/mapped-column"], {"soft": Severity.NOTE, "strict": Severity.NOTE, "guess": True}),
    (["dataset/harness-task"], {"soft": Severity.NOTE, "strict": Severity.NOTE, "guess": True}),
    (["workspace/unread-file"], {"soft": Severity.NOTE, "strict": Severity.NOTE}),
    (_OF_ODD_FILES, {"strict": Severity.WARNING}),
    (_OF_GUESSED_FILES, {"guess": True}),
    (_USUAL, {}),
)
