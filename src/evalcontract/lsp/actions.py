"""Quick fixes: the fixes of findings, one by one or all safe ones at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.engine.text_edits import fix_in_text
from evalcontract.lsp.edits import edits_between
from evalcontract.model.fix import Move, Rename
from evalcontract.model.listing import clipped
from evalcontract.report.frame import escape_controls
from evalcontract.source.editing import edit_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from lsprotocol import types

    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.model.fix import Fix


def title_of(fix: Fix) -> str:
    """Return what a fix does, for a menu."""
    target = escape_controls(clipped(str(fix.target)))
    match fix.edit:
        case Rename():
            said = f"Rename the key to `{target}`"
        case Move():
            said = f"Move the key to `{target}`"
        case _:
            said = f"Replace by `{target}`"
    return said if fix.safe else f"{said} (check whether it is meant)"


def edits_of(
    findings: Sequence[Diagnostic], text: str, form: str, encoding: str
) -> list[types.TextEdit]:
    """Return the edits of the fixes of findings in one text.

    A fix that would change something else is left out, and so is one that conflicts with another.
    """
    fixes = dict.fromkeys(fix for each in findings if (fix := fix_in_text(each, form)))
    return edits_between(text, edit_text(text, form, list(fixes)).text, encoding)
