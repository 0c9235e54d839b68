"""The rules of a SARIF log: what each code means, from its manual page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Severity

if TYPE_CHECKING:
    from evalcontract.model.code import Code, Page

_FENCE = "`" * 5
#: How GitHub names what it sorts alerts by.
_PROBLEMS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.NOTE: "recommendation"}
_PRECISIONS = {"certain": "very-high", "guess": "medium"}


def rule(name: str, code: Code | None, url: str | None) -> dict[str, Any]:
    """Return the description of a code; that of an undeclared one is its name alone.

    The default level is that of soft mode.
    """
    if code is None:
        return {"id": name}
    page, severity = code.page, code.severities.soft
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.replace("/", "-").split("-")),
        "shortDescription": {"text": _sentence(page.summary)},
        "fullDescription": {"text": " ".join(page.what.split())},
        "help": {"text": f"{page.what}\n\n{page.why}", "markdown": _markdown(page, url)},
        **({"helpUri": url} if url else {}),
        "defaultConfiguration": {"level": str(severity) if severity else "none"},
        "properties": {
            "tags": ["llm-evaluation", name.partition("/")[0]],
            "confidence": code.confidence,
            "precision": _PRECISIONS[code.confidence],
            **({"problem.severity": _PROBLEMS[severity]} if severity else {}),
        },
    }


def _markdown(page: Page, url: str | None) -> str:
    link = f"\n\n[Documentation]({url})" if url else ""
    bad, good = (f"{_FENCE}\n{example}{_FENCE}" for example in (page.bad, page.good))
    return f"{page.what}\n\n{page.why}\n\n**Bad**\n\n{bad}\n\n**Good**\n\n{good}{link}"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
