"""The mini projects of `fixtures/workspaces`: each has exactly the findings that it lists.

`expected.json` holds `soft` and `strict`, and `unforced` where targets or a configuration decide,
as `[file, line, column, severity, code]`. `says` and `never_says` are pieces of what is told at a
line, `related` the other places that are named there, `places` those that a finding stands for.
"""

from __future__ import annotations

import json
import re
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces
from tables import every_case
from texts import facts

if TYPE_CHECKING:
    from evalcontract import Diagnostic
    from evalcontract.model.diagnostic import RunOutcome

ROOT = Path(__file__).parents[2]
WORKSPACES = ROOT / "fixtures" / "workspaces"
MODES = {"soft": False, "strict": True, "unforced": None}
MODELINE = re.compile(r"# yaml-language-server: \$schema=(?P<address>\S+)")
SCHEMAS = {"rubrics": "rubric", "judges": "judge", "targets": "target"}


def names() -> list[str]:
    """List the mini projects; none at all is a failure, not a pass."""
    found = sorted(path.parent.name for path in WORKSPACES.glob("*/expected.json"))
    assert found, "no workspace has an expected.json"
    folders = sorted(path.name for path in WORKSPACES.iterdir() if path.is_dir())
    assert found == folders, "a workspace lacks its expected.json"
    return found


def expectation(name: str) -> dict[str, Any]:
    """Return what a mini project expects."""
    read: dict[str, Any] = json.loads(
        (WORKSPACES / name / "expected.json").read_text(encoding="utf-8")
    )
    return read


def check(name: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> RunOutcome:
    """Check a mini project as from inside of its folder, on the day that it names."""
    monkeypatch.chdir(WORKSPACES / name)
    today = date.fromisoformat(expectation(name)["today"])
    return check_workspaces(Path(), Options(strict=MODES[mode], today=today))


def placed(found: Diagnostic) -> list[Any]:
    span = found.place.span
    at = [span.line, span.column] if span else [None, None]
    return [found.place.file, *at, str(found.severity), found.code]


def by_place(listed: list[Any]) -> list[Any]:
    """Return a key to sort what is listed by file, line and column."""
    return [part if part is not None else 0 for part in listed[:3]]


def told(found: Diagnostic) -> str:
    return "\n".join([found.message, found.help or "", *(message for message, _ in found.related)])


@pytest.mark.slow
@every_case(
    ("name", "mode"),
    [(name, mode) for name in names() for mode in MODES if mode in expectation(name)],
)
def test_findings_are_exactly_those(name: str, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """No more, no less, at their places, by their codes, and as severe as the mode says."""
    expected = expectation(name)
    outcome = check(name, mode, monkeypatch)
    assert sorted((placed(found) for found in outcome.diagnostics), key=by_place) == expected[mode]
    assert outcome.left_out == sorted(["expected.json", *expected["left_out"]])


@pytest.mark.slow
@every_case("name", names())
def test_findings_tell_what_helps(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nearest id, the versions that exist, the file that is broken; and nothing misleading."""
    expected = expectation(name)
    outcome = check(name, "soft", monkeypatch)
    by_line: dict[tuple[str, int], str] = {}
    for found in outcome.diagnostics:
        if found.place.span:
            key = (found.place.file, found.place.span.line)
            by_line[key] = f"{by_line.get(key, '')}\n{told(found)}"
    for file, line, text in expected.get("says", ()):
        is_named = set(facts(text)) <= set(facts(by_line[file, line]))
        assert is_named if "`" in text else text in by_line[file, line]
    for file, line, text in expected.get("never_says", ()):
        assert text not in by_line[file, line]


@every_case("name", [name for name in names() if "related" in expectation(name)])
def test_related_places(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twins name each other, and a cycle shows every hop."""
    found = [
        [
            each.place.file,
            each.place.span.line if each.place.span else None,
            [placed_related(place) for _, place in each.related],
        ]
        for each in check(name, "soft", monkeypatch).diagnostics
        if each.related
    ]
    assert sorted(found, key=lambda each: each[:2]) == expectation(name)["related"]


@every_case("name", [name for name in names() if "places" in expectation(name)])
def test_places(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cause names its consequences, which are no findings by themselves."""
    found = [
        [
            each.place.file,
            each.place.span.line if each.place.span else None,
            [placed_related(site.place) for site in each.sites.first],
        ]
        for each in check(name, "soft", monkeypatch).diagnostics
        if each.sites
    ]
    assert sorted(found, key=lambda each: each[:2]) == expectation(name)["places"]


def placed_related(place: Any) -> list[Any]:
    return [place.file, place.span.line, place.span.column]


@pytest.mark.slow
@every_case("name", names())
def test_no_engine_speaks_for_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a library says of a value is never what an author gets to read."""
    for found in check(name, "soft", monkeypatch).diagnostics:
        assert "is not valid under any of the given schemas" not in told(found)
        assert "did not find expected" not in told(found)


def test_nine_mistakes_are_nine_findings(monkeypatch: pytest.MonkeyPatch) -> None:
    """One mistake, one finding."""
    assert len(check("nine_mistakes", "soft", monkeypatch).diagnostics) == 9
    assert len(check("nine_mistakes", "strict", monkeypatch).diagnostics) == 9


def test_strict_finds_what_soft_finds() -> None:
    """The modes differ in severity alone, unless a configuration says more."""
    for name in set(names()) - {"configured"}:
        expected = expectation(name)
        assert [without_severity(each) for each in expected["soft"]] == [
            without_severity(each) for each in expected["strict"]
        ], name


def without_severity(found: list[Any]) -> list[Any]:
    return [*found[:3], found[4]]


@every_case("name", names())
def test_editors_find_the_schema(name: str) -> None:
    """The first line of each YAML file leads to the schema of its kind."""
    files = sorted((WORKSPACES / name).rglob("*.yaml"))
    for file in files:
        found = MODELINE.fullmatch(file.read_text(encoding="utf-8").split("\n")[0])
        assert found, file
        kind = SCHEMAS.get(file.relative_to(WORKSPACES / name).parts[0], "dataset")
        led_to = (file.parent / found["address"]).resolve()
        assert led_to == ROOT / "schema" / f"{kind}.schema.json", file
