"""The manual page of a code: what, why, an example that has the fault, and one that has not."""

from __future__ import annotations

import re
import sys
import textwrap
from dataclasses import dataclass

_SECTIONS = re.compile(r"^(Why|Bad|Good):", re.MULTILINE)
_ID = re.compile(r"^id: (\w+)$", re.MULTILINE)
_FILE = re.compile(r"^# file: (?P<name>\S+)\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """What `explain CODE` shows. `bad` and `good` are the text of one file, or of several.

    Several files are told apart by lines `# file: NAME`; see `example_files`.
    """

    code: str
    what: str
    why: str
    bad: str
    good: str


def parse_page(code: str, text: str) -> Page:
    """Read a page: the fault, then `Why:`, then the examples below `Bad:` and `Good:`.

    Raises:
        ValueError: a section is missing.

    """
    if not text and sys.flags.optimize > 1:  # `python -OO` drops the docstrings that pages are
        return Page(code, "has no page here: Python runs without docstrings", "", "", "")
    what, *parts = _SECTIONS.split(textwrap.dedent(text).strip("\n"))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if not what.strip() or sections.keys() != {"Why", "Bad", "Good"}:
        raise ValueError(f"the page of {code} needs what, Why, Bad and Good")
    return Page(
        code,
        what.strip(),
        textwrap.dedent(sections["Why"]).strip(),
        textwrap.dedent(sections["Bad"]).strip("\n") + "\n",
        textwrap.dedent(sections["Good"]).strip("\n") + "\n",
    )


def example_files(example: str, code: str) -> dict[str, str]:
    """Return the files of an example by name, in order; one without a name by its kind and id.

    The first file is the one that is checked.
    """
    parts = _FILE.split(example)
    if len(parts) > 1:
        return dict(zip(parts[1::2], parts[2::2], strict=True))
    kind = code.split("/", maxsplit=1)[0]
    id_ = _ID.search(example)
    name = id_[1] if id_ else "example"
    folder = f"{kind}s/" if kind in ("rubric", "judge", "target") else ""
    return {f"{folder}{name if folder else 'data'}.yaml": example}
