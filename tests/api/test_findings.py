"""Findings as a table: records, a data frame, and what a notebook shows."""

from __future__ import annotations

import pickle
import sys
from html.parser import HTMLParser
from importlib import import_module
from typing import TYPE_CHECKING, Any

import pytest
from needs import missing
from publishing import PUBLISHED
from writing import write

from evalcontract import ContractViolation, DatasetLoader, Findings, UsageError
from evalcontract.api.findings import COLUMNS
from evalcontract.model import codes as page

if TYPE_CHECKING:
    from pathlib import Path

HOSTILE = "<img src=x onerror=alert(1)>&\x1b[31m\u202e"
TAGS = {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "code", "br"}


def needed(module: str) -> Any:
    """Import a package that only development needs; skip the test without it, but not in CI."""
    try:
        return import_module(module)
    except ImportError:
        missing(f"the package `{module}`")


@pytest.fixture
def findings(tmp_path: Path) -> Findings:
    rows = [{"id": f"q{number}", "input": "a", "criteriaa": "b"} for number in range(25)]
    rows.append({"id": HOSTILE, "input": "a", f"criteria{HOSTILE}": "b", "tags": "none"})
    write(tmp_path, {"evalcontract.toml": "", "datasets/a.json": {"questions": rows}})
    return DatasetLoader(tmp_path, strict=False).load(tmp_path / "datasets/a.json").diagnostics


def test_they_are_still_a_tuple(findings: Findings) -> None:
    assert findings == tuple(findings)
    assert isinstance(findings, Findings)
    copied = pickle.loads(pickle.dumps(findings))  # noqa: S301 - our own bytes
    assert (copied, type(copied)) == (findings, Findings)
    assert Findings() == ()


def test_all_loaders_give_them(tmp_path: Path) -> None:
    with pytest.raises(ContractViolation) as caught:
        DatasetLoader(tmp_path).load(tmp_path / "nothing.yaml")
    assert caught.value.diagnostics
    loaded = DatasetLoader(tmp_path, strict=False).load_rows(
        [{"id": "a", "input": "b", "inputt": 1}]
    )
    assert isinstance(loaded.rows[0].diagnostics, Findings)


def test_records(findings: Findings, monkeypatch: pytest.MonkeyPatch) -> None:
    records = findings.to_records()
    assert len(records) == len(findings) > 25
    assert {tuple(record) for record in records} == {tuple(COLUMNS)}
    first, found = records[0], findings[0]
    assert found.place.span
    assert (first["code"], first["line"]) == (found.code, found.place.span.line)
    assert (first["severity"], first["row_index"]) == ("warning", found.row_index)
    assert first["url"] is None
    monkeypatch.setattr(page, "SITE", PUBLISHED)
    assert findings.to_records()[0]["url"] == f"{PUBLISHED}/rules/{found.code}/"


@pytest.mark.slow
def test_a_data_frame(findings: Findings) -> None:
    needed("pandas")
    frame: Any = findings.to_pandas()
    assert [*frame.columns] == [*COLUMNS]
    assert len(frame) == len(findings)
    assert (frame["severity"] >= "note").all()
    assert str(frame["line"].dtype) == "Int64"
    assert frame.groupby("row").size()["q3"] == 1
    empty: Any = Findings().to_pandas()
    assert ([*empty.columns], len(empty)) == ([*COLUMNS], 0)
    assert (empty.dtypes == frame.dtypes).all()


def test_without_pandas(findings: Findings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(UsageError, match=r"evalcontract\[pandas\]"):
        findings.to_pandas()


class _Reader(HTMLParser):
    """Collects what a browser would see."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.mark.costly
def test_a_notebook_shows_a_short_and_harmless_table(findings: Findings) -> None:
    formatters = needed("IPython.core.formatters")
    shown = Findings(reversed(findings))
    data, _ = formatters.DisplayFormatter().format(shown)
    reader = _Reader()
    reader.feed(data["text/html"])
    assert set(reader.tags) == TAGS
    assert reader.attributes == {"style"}
    assert reader.tags.count("tr") == 21
    assert f"{len(findings)} findings" in reader.text
    assert f"{len(findings) - 20} more" in reader.text
    assert "<img src=x onerror=alert(1)>&" in reader.text
    assert not {"\x1b", "\u202e"} & set(reader.text)
    assert "color" not in data["text/html"]  # that of the notebook, light or dark


def test_no_findings_are_no_table() -> None:
    html = Findings()._repr_html_()
    assert html == "<div><p>0 findings</p></div>"
