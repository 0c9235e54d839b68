"""Quick fixes: the fixes of findings, one by one or all safe ones at once, and ignores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from evalcontract.fixing.fixing import fix_in_text
from evalcontract.lsp.edits import edits_between
from evalcontract.lsp.ignoring import is_ignorable, title_of_ignore
from evalcontract.lsp.replies import overlaps
from evalcontract.model.diagnostic import Move, Rename
from evalcontract.model.values import clipped, escape_controls
from evalcontract.source.editing import edit_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from evalcontract.lsp.documents import Open
    from evalcontract.lsp.publishing import Publisher
    from evalcontract.model.diagnostic import Diagnostic, Fix


_QUICK_FIX = types.CodeActionKind.QuickFix


def actions_on(
    document: Open,
    found: Sequence[Diagnostic],
    params: types.CodeActionParams,
    all_: str,
    publisher: Publisher,
) -> list[types.CodeAction]:
    """Return the actions on the findings in a document, without their edits: fixes come first.

    `all_` is the kind of the action that applies all safe fixes.
    """
    wanted = params.context.only or [_QUICK_FIX]
    fixes: list[types.CodeAction] = []
    ignores: list[types.CodeAction] = []
    for number, finding in enumerate(found if _is_wanted(_QUICK_FIX, wanted) else ()):
        if not overlaps(publisher.range(document.real, finding.place.span), params.range):
            continue
        data = {"uri": document.uri, "state": document.state, "findings": [number]}
        shown = [publisher.diagnostic(finding)]
        if fix := finding.fix:
            title, safe = title_of(fix), fix.safe
            fixes.append(types.CodeAction(title, _QUICK_FIX, shown, is_preferred=safe, data=data))
        if is_ignorable(finding, document.format):
            data = {**data, "ignores": True}
            title = title_of_ignore(finding)
            ignores.append(types.CodeAction(title, _QUICK_FIX, shown, data=data))
    safe_ones = [n for n, finding in enumerate(found) if finding.fix and finding.fix.safe]
    if safe_ones and params.context.only and _is_wanted(all_, wanted):
        data = {"uri": document.uri, "state": document.state, "findings": safe_ones}
        fixes.append(types.CodeAction("Apply all safe fixes of evalcontract", all_, data=data))
    return fixes + ignores


def _is_wanted(kind: str, wanted: Sequence[str]) -> bool:
    """Whether a kind of action is asked for, or one that it belongs to."""
    name = str(getattr(kind, "value", kind))
    names = [str(getattr(each, "value", each)) for each in wanted]
    return any(name == each or name.startswith(f"{each}.") or not each for each in names)


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
