"""The report for people, where there is more than a person reads."""

from __future__ import annotations

from evalcontract import Diagnostic, Severity
from evalcontract.model.diagnostic import Place, Span
from evalcontract.report import Report, Style
from evalcontract.report.text import write


def found(code: str, severity: Severity, line: int) -> Diagnostic:
    return Diagnostic(code, severity, "a message", Place("rows.yaml", Span.point(line), "text"))


def test_what_is_not_shown_is_counted_by_its_code() -> None:
    """The gravest first, so that no error hides behind a thousand warnings."""
    many = [found("dataset/near-miss-key", Severity.WARNING, n) for n in range(1, 2001)]
    few = [found("source/syntax", Severity.ERROR, n) for n in range(2001, 2004)]
    text = "".join(write(Report([*many, *few], {"dataset": 1}, 2003), Style(limit=1)))

    assert text.count("-->") == 1
    assert text.endswith(
        "… 2,002 more findings: `--limit 0` shows all\n"
        "      3  error    source/syntax\n"
        "  1,999  warning  dataset/near-miss-key\n"
        "\n"
        "1 dataset (2,003 rows): 3 errors, 2,000 warnings\n"
    )


def test_nothing_is_said_where_all_is_shown() -> None:
    for limit in (0, 2, 3):
        findings = [found("source/syntax", Severity.ERROR, n) for n in (1, 2)]
        assert "more finding" not in "".join(write(Report(findings, {}), Style(limit=limit)))
