"""The manual page of a code: what, why, an example with the fault, and one without it."""

from __future__ import annotations

import re
import sys
from textwrap import dedent
from typing import TYPE_CHECKING, NamedTuple

from evalcontract.model.errors import InstallationError
from evalcontract.model.lazy_pattern import lazy_pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

_FILE = lazy_pattern(r"^# file: (\S+)\n", re.MULTILINE)
#: A fenced block of a Markdown page, optionally preceded by a file name.
_BLOCK = lazy_pattern(r"(?:^`(\S+)`\n\n)?^(`{3,})\w*\n(.*?)^\2$", re.MULTILINE | re.DOTALL)
_SECTIONS = ("Why", "Bad", "Good")
#: Where the project is published: the documentation, and what others clone. Nothing is yet, so this
#: is a reserved name, with which schemas have an `$id`, and to which nobody is sent. This is the
#: line that a release changes; see CONTRIBUTING.md.
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


def parse_page(code: str, docstring: str) -> Page:
    """Parse a page from a docstring: the fault, `Why:`, and examples under `Bad:` and `Good:`.

    Raises:
        ValueError: a section is missing.

    """
    what, *parts = re.split(r"(?m)^(Why|Bad|Good):", dedent(docstring).strip("\n"))
    sections = dict(zip(parts[::2], map(dedent, parts[1::2]), strict=True))
    return _page(code, what, sections)


def read_page(code: str) -> Page:
    """Read a page from a file of the package.

    Raises:
        InstallationError: it is not installed.

    """
    from importlib.resources import files  # slow to import

    try:
        text = (files("evalcontract") / "pages" / f"{code}.md").read_text(encoding="utf-8")
    except FileNotFoundError:
        if sys.flags.optimize > 1:  # `python -OO` removes the docstrings with the pages of rules
            return Page(code, "has no page: Python runs without docstrings (-OO)", "", "\n", "\n")
        raise InstallationError(f"the page of {code} is not installed") from None
    return parse_markdown(code, text)


def parse_markdown(code: str, text: str) -> Page:
    """Parse a page from Markdown: sections `Why`, `Bad` and `Good`, with fenced examples.

    Raises:
        ValueError: a section is missing, or the title is not the code.

    """
    title, _, body = text.partition("\n")
    if title != f"# {code}":
        raise ValueError(f"the page of {code} has the title {title!r}")
    what, *parts = re.split(r"(?m)^## (Why|Bad|Good)$", body)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    for name in ("Bad", "Good"):
        sections[name] = "".join(_examples(sections.get(name, "")))
    return _page(code, what, sections)


def _examples(section: str) -> Iterator[str]:
    for name, _, content in _BLOCK.findall(section):
        yield f"# file: {name}\n{content}" if name else content


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
