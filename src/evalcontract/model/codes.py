"""Codes: names of faults, with severities and manual pages; those of no rule or other system."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Never, Self, TypedDict

from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import InstallationError
from evalcontract.model.startup import NamedTuple, lazy_pattern


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
        return read_page(self) if self.docstring is None else parse_page(self, self.docstring)


class CodeOptions(TypedDict, total=False):
    """The options of `Code` that codes without a page in their module may have."""

    soft: Severity
    strict: Severity
    guess: bool


class CodeTable(Mapping[str, Code]):
    """Codes by name; each is made when it is first looked up.

    `declared` are words for the kinds, words for the faults that each of the kinds may have, and
    the options that these codes share.

    Raises:
        ValueError: a name is declared twice.

    """

    def __init__(self, *declared: tuple[str, str, CodeOptions]) -> None:
        self._options: dict[str, CodeOptions] = {}
        self._made: dict[str, Code] = {}
        for kinds, faults, options in declared:
            for kind in kinds.split():
                for fault in faults.split():
                    name = f"{kind}/{fault}"
                    if name in self._options:
                        raise ValueError(f"the code {name} is declared twice")
                    self._options[name] = options

    def __getitem__(self, name: str) -> Code:
        code = self._made.get(name)
        if code is None:
            code = self._made[name] = Code(name, **self._options[name])
        return code

    def __iter__(self) -> Iterator[str]:
        return iter(self._options)

    def __len__(self) -> int:
        return len(self._options)


_USUAL: CodeOptions = {}
_ERROR: CodeOptions = {"soft": Severity.ERROR}
_NOTE: CodeOptions = {"soft": Severity.NOTE, "strict": Severity.NOTE}
_LENIENT: CodeOptions = {"strict": Severity.WARNING}
_GUESS: CodeOptions = {"guess": True}

_OF_TARGETS = "malformed-value missing-key out-of-range unknown-key wrong-type"
_OF_OTHERS = f"{_OF_TARGETS} conflicting-key empty-value repeated-item too-few-items unknown-value"
_OF_VALUES = (
    ("dataset rubric judge", _OF_OTHERS, _USUAL),
    ("dataset", "invalid-value undecided-value", _USUAL),
    # A target sets the mode of other files: if it is invalid, no mode can be trusted.
    ("target", _OF_TARGETS, _ERROR),
)
#: The codes of invalid values; a guess about a key leaves its value usable.
ILL_FORMED = frozenset(CodeTable(*_OF_VALUES))
#: The suffixes of the codes of guesses, for every kind and every dialect.
GUESSES = ("/near-miss-key", "/misplaced-key", "/foreign-key")

#: The codes of no rule and of no other system.
CORE = CodeTable(
    *_OF_VALUES,
    ("dataset rubric judge", "near-miss-key misplaced-key foreign-key", _GUESS),
    ("reference", "dangling unpinned", _USUAL),
    ("rubric", "cycle nested-composite", _USUAL),
    ("library", "not-synced ambiguous", _ERROR),
    ("library", "unusable", _USUAL),
    ("library", "shadowed", _LENIENT),
    (
        "source",
        """binary duplicate-key empty encoding lfs-pointer limit-exceeded multiple-documents syntax
        unreadable unsupported""",
        _ERROR,
    ),
    ("dataset rubric judge target", "wrong-kind", _ERROR),
    ("dataset", "no-questions", _ERROR),
    ("target", "missing-dataset", _ERROR),
    ("workspace", "misnamed-file", _ERROR),
    ("internal", "rule-crashed", _ERROR),
    ("dataset rubric judge", "other-tool", {**_ERROR, **_GUESS}),
    ("dataset", "mapped-column harness-task", {**_NOTE, **_GUESS}),
    ("workspace", "unread-file", _NOTE),
    ("rubric", "no-executor", _LENIENT),
    (
        "workspace",
        "schema-reference unused-ignore invalid-ignore shadowed-configuration",
        _LENIENT,
    ),
    ("target", "misspelled-row-key", _GUESS),
    ("bundle", "near-miss-keyword near-miss-required", _GUESS),
    ("bundle", "invalid-schema outdated-keyword slow-regex unsatisfiable-schema", _USUAL),
    ("dataset", "ragged-row repeated-column unclosed-quote", _USUAL),
    ("workspace", "unsupported-file", _USUAL),
    # A version that means something else is an error in both modes: that is what a lock is for.
    (
        "lock",
        """changed-file changed-meaning conflict invalid missing-entry newer-format
        resolves-elsewhere version-too-small""",
        _ERROR,
    ),
    ("lock", "unused-entry", _NOTE),
    (
        "output",
        "invalid-record no-answer unread-answer unreadable-tool-call duplicate-id missing",
        _ERROR,
    ),
    ("output", "near-miss-key", _GUESS),
    ("output", "undecided cut-off", _USUAL),
    ("output", "unknown-id", _LENIENT),
    # With one of these, the figures would be of other outputs than the files say.
    (
        "labels",
        """conflicting-label conflicting-output conflicting-verdict duplicate-column extra-cell
        missing-column one-class several-models unanswered unknown-value wrong-type""",
        _ERROR,
    ),
    # What is left out or counted once, and told.
    (
        "labels",
        """duplicate-label duplicate-verdict missing-value missing-verdict mixed-splits not-asked
        surplus-verdict tied unreadable-answer""",
        _USUAL,
    ),
    ("labels", "near-miss-key", _GUESS),
)


_FILE = lazy_pattern(r"^# file: (\S+)\n", re.MULTILINE)
#: A fenced block of a Markdown page, optionally preceded by a file name.
_BLOCK = lazy_pattern(r"(?:^`(\S+)`\n\n)?^(`{3,})\w*\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
_SECTIONS = ("Why", "Bad", "Good")
#: Where the project is published: the documentation, and what others clone. Nothing is yet, so this
#: is a reserved name, with which schemas have an `$id`, and to which nobody is sent: see
#: `is_published`. This is the line that a release changes; see CONTRIBUTING.md.
SITE = "https://evalcontract.example"
#: What a contributor clones.
REPOSITORY = f"{SITE}/evalcontract.git"


class Page(NamedTuple):
    """The content of `explain CODE`. `bad` and `good` are the text of one or more files.

    Several files are separated by lines `# file: NAME`; see `example_files`.
    """

    code: str
    what: str
    why: str
    bad: str
    good: str

    @property
    def summary(self) -> str:
        """The first sentence, without its full stop."""
        return " ".join(self.what.split()).split(". ")[0].rstrip(".")


def is_published() -> bool:
    """Whether `SITE` leads anywhere: a host below `.example` never does (RFC 2606)."""
    return not SITE.endswith(".example")


def page_url(code: str) -> str:
    """Return the address of the published page of a built-in code."""
    return f"{SITE}/rules/{code}/"


def guide_url(page: str) -> str:
    """Return the address of a published page of `docs/`, such as `judges` or `judges#levels`."""
    name, mark, heading = page.partition("#")
    return f"{SITE}/{name}/{mark}{heading}"


def where_to_read(page: str) -> str:
    """Return where people find such a page: its address, or its file before it is published."""
    if is_published():
        return guide_url(page)
    name, _, heading = page.partition("#")
    section = f" (section `#{heading}`)" if heading else ""
    return f"docs/{name}.md in the repository of evalcontract{section}"


def parse_page(code: str, docstring: str) -> Page:
    """Parse a page from a docstring: the fault, `Why:`, and examples under `Bad:` and `Good:`.

    Raises:
        ValueError: a section is missing.

    """
    from textwrap import dedent  # slow to import, and only pages need it

    what, *parts = re.split(r"(?m)^(Why|Bad|Good):", dedent(docstring).strip("\n"))
    sections = dict(zip(parts[::2], map(dedent, parts[1::2]), strict=True))
    return _page(code, what, sections)


def read_page(code: str) -> Page:
    """Read a page from the files of the package.

    A code has a file, or shares one with those of other systems: `pages/formats/near-miss-key.md`
    is the text of `databricks/near-miss-key`, and `pages/databricks.md` has its examples.

    Raises:
        InstallationError: it is not installed.

    """
    system, _, fault = code.partition("/")
    if (text := _installed(f"{code}.md")) is not None:
        return parse_markdown(code, text)
    shared, of_system = _installed(f"formats/{fault}.md"), _installed(f"{system}.md")
    if shared is not None and of_system is not None:
        return parse_shared(code, shared, of_system)
    if sys.flags.optimize > 1:  # `python -OO` removes the docstrings with the pages of rules
        return Page(code, "has no page: Python runs without docstrings (-OO)", "", "\n", "\n")
    raise InstallationError(f"the page of {code} is not installed")


def _installed(name: str) -> str | None:
    """Return the text of a file of `pages/`; None if there is none."""
    from importlib.resources import files  # slow to import

    try:
        return (files("evalcontract") / "pages" / name).read_text(encoding="utf-8")
    except FileNotFoundError:
        return None


def parse_markdown(code: str, text: str) -> Page:
    """Parse a page from Markdown: sections `Why`, `Bad` and `Good`, with fenced examples.

    Raises:
        ValueError: a section is missing, or the title is not the code.

    """
    what, sections = _sections(code, code, text)
    for name in ("Bad", "Good"):
        sections[name] = "".join(_examples(sections.get(name, "")))
    return _page(code, what, sections)


def parse_shared(code: str, shared: str, of_system: str) -> Page:
    """Parse the page of a fault that datasets of every system may have.

    `shared` is its text for all systems, in which `{title}` stands for the title of the system:
    sections as in `parse_markdown`, of which `Bad` and `Good` may be missing. `of_system` has the
    title of the system as its heading, and below `Good` an example that is right. Below the name
    of the fault, it has a note that ends the section `Why`, an example with the fault, and below
    `### Good` one without it. Each may be missing: an example is then the one that is right. A
    block without the name of a file has the name of that one.

    Raises:
        ValueError: a section is missing, or a title is not that of the fault.

    """
    fault = code.partition("/")[2]
    heading, *parts = re.split(r"(?m)^## (\S+)$", of_system)
    of_faults = dict(zip(parts[::2], parts[1::2], strict=True))
    what, sections = _sections(
        code, fault, shared.replace("{title}", heading.removeprefix("# ").strip())
    )
    right = "".join(_examples(of_faults.get("Good", "")))
    file = match[1] if (match := _FILE.match(right)) else None
    own, _, own_good = of_faults.get(fault, "").partition("\n### Good\n")
    first = _BLOCK.search(own)
    note = (own[: first.start()] if first else own).strip()
    sections["Why"] = f"{sections.get('Why', '').strip()}\n\n{note}"
    for name, of_code in (("Bad", own), ("Good", own_good)):
        example = "".join(_examples(of_code, file))
        sections[name] = example or "".join(_examples(sections.get(name, ""))) or right
    return _page(code, what, sections)


def _sections(code: str, title: str, text: str) -> tuple[str, dict[str, str]]:
    """Return what a page in Markdown says first, and its sections by name."""
    first, _, body = text.partition("\n")
    if first != f"# {title}":
        raise ValueError(f"the page of {code} has the title {first!r}")
    what, *parts = re.split(r"(?m)^## (Why|Bad|Good)$", body)
    return what, dict(zip(parts[::2], parts[1::2], strict=True))


def _examples(section: str, file: str | None = None) -> Iterator[str]:
    """Yield the fenced blocks of a section; one without a name has the name `file`."""
    for name, _, content in _BLOCK.findall(section):
        named = name or file
        yield f"# file: {named}\n{content}" if named else content


def _page(code: str, what: str, sections: dict[str, str]) -> Page:
    if not what.strip() or not all(sections.get(name, "").strip() for name in _SECTIONS):
        raise ValueError(f"the page of {code} needs what, Why, Bad and Good")
    bad, good = (sections[name].strip("\n") + "\n" for name in ("Bad", "Good"))
    return Page(code, what.strip(), sections["Why"].strip(), bad, good)


def example_files(example: str, code: str) -> dict[str, str]:
    """Return the files of an example by name, in order. The first one is the file to check.

    A file without a name is named after its kind and id.
    """
    parts = _FILE.split(example)
    if len(parts) > 1:
        return dict(zip(parts[1::2], parts[2::2], strict=True))
    kind = code.split("/", maxsplit=1)[0]
    id_ = re.search(r"^id: (\w+)$", example, re.MULTILINE)
    name = id_[1] if id_ else "example"
    folder = f"{kind}s/" if kind in ("rubric", "judge", "target") else ""
    return {f"{folder}{name if folder else 'data'}.yaml": example}
