"""An ignore: a code or kind that is known and can be ignored, and the part of a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple
from evalcontract.policy import parse_codes
from evalcontract.workspace.known_codes import KnownCodes

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import Path, Span

#: What an ignore without codes should look like.
EXAMPLE = "dataset/near-miss-key"


def parse_code(text: str) -> tuple[str, str | None]:
    """Return the code or kind in a text, and None; or the text, and why it cannot be ignored."""
    if not text.strip():
        return text, "a code is missing"
    try:
        (code,) = parse_codes(text, KnownCodes(), to_ignore=True)
    except UsageError as error:
        return text, str(error)
    except ValueError:  # a comma in a string of JSON
        return text, f"`{text}` is more than one code: write each on its own"
    return code, None


class Ignore(NamedTuple):
    """A code or kind of codes to ignore in a part of a file, and where the file says so.

    The part are `lines`, from the first to the last, or what is at a path that begins with
    `prefix`; without either, it is the whole file. The place is `span` or that of `path`.
    """

    code: str
    lines: tuple[int, int] | None = None
    prefix: Path = ()
    span: Span | None = None
    path: Path = ()


class Fault(NamedTuple):
    """What is wrong with an ignore that has no effect. The place is `span` or that of `path`."""

    message: str
    help: str | None = None
    span: Span | None = None
    path: Path = ()
