"""The manual page of a code: what, why, an example that has the fault, and one that has not."""

from __future__ import annotations

import re
import sys
from functools import cache
from typing import NamedTuple

_FILE = r"^# file: (?P<name>\S+)\n"


class Page(NamedTuple):
    """What `explain CODE` shows. `bad` and `good` are the text of one file, or of several.

    Several files are told apart by lines `# file: NAME`; see `example_files`. The parts are read
    when one is first asked for: every rule has a page, and a check shows none.

    Raises:
        ValueError: at any part, where a section is missing.

    """

    code: str
    text: str

    @property
    def what(self) -> str:
        """What the fault is."""
        return _sections(self.code, self.text)["what"].strip()

    @property
    def why(self) -> str:
        """Why it is one."""
        return _sections(self.code, self.text)["Why"].strip()

    @property
    def bad(self) -> str:
        """An example that has it."""
        return _sections(self.code, self.text)["Bad"].strip("\n") + "\n"

    @property
    def good(self) -> str:
        """The example without it."""
        return _sections(self.code, self.text)["Good"].strip("\n") + "\n"


def parse_page(code: str, text: str) -> Page:
    """Return a page by its text: the fault, `Why:`, and examples below `Bad:` and `Good:`."""
    return Page(code, text)


@cache
def _sections(code: str, text: str) -> dict[str, str]:
    if not text and sys.flags.optimize > 1:  # `python -OO` drops the docstrings that pages are
        told = "has no page here: Python runs without docstrings"
        return {"what": told, "Why": "", "Bad": "", "Good": ""}
    from textwrap import dedent  # only who reads pages needs it

    what, *parts = re.split(r"(?m)^(Why|Bad|Good):", dedent(text).strip("\n"))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if not what.strip() or sections.keys() != {"Why", "Bad", "Good"}:
        raise ValueError(f"the page of {code} needs what, Why, Bad and Good")
    return {"what": what, **{name: dedent(part) for name, part in sections.items()}}


def example_files(example: str, code: str) -> dict[str, str]:
    """Return the files of an example by name, in order; one without a name by its kind and id.

    The first file is the one that is checked.
    """
    parts = re.split(_FILE, example, flags=re.MULTILINE)
    if len(parts) > 1:
        return dict(zip(parts[1::2], parts[2::2], strict=True))
    kind = code.split("/", maxsplit=1)[0]
    id_ = re.search(r"^id: (\w+)$", example, re.MULTILINE)
    name = id_[1] if id_ else "example"
    folder = f"{kind}s/" if kind in ("rubric", "judge", "target") else ""
    return {f"{folder}{name if folder else 'data'}.yaml": example}
