"""What is public (docs/versioning.md) is recorded, so that nothing changes or goes unnoticed."""

from __future__ import annotations

import inspect
from enum import Enum
from typing import TYPE_CHECKING, Any, is_typeddict

import click
import pytest
from doors import ROOT, command_line
from tables import every_case
from texts import plain
from writing import write

import evalcontract
from evalcontract import DatasetLoader, plugin, spark, types
from evalcontract.cli import explain
from evalcontract.cli.command import group
from evalcontract.policy import RENAMED, current_code
from evalcontract.report import json as json_report
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import ModuleType

    from syrupy.assertion import SnapshotAssertion


def described(name: str, value: Any) -> Iterator[str]:
    """Yield what others may use of a value, a line each."""
    if isinstance(value, type) and issubclass(value, Enum):
        yield f"{name}: {', '.join(str(each.name) for each in value)}"
    elif is_typeddict(value):
        optional = (f"{key}?" for key in sorted(value.__optional_keys__))
        yield f"{name}: {', '.join([*sorted(value.__required_keys__), *optional])}"
    elif isinstance(value, type):
        fields: Iterable[str] = (
            *getattr(value, "_fields", ()), *getattr(value, "__dataclass_fields__", ()),
        )  # fmt: skip
        names = {each for base in value.__mro__ if base.__module__.startswith("evalcontract")
                 for each in vars(base)}  # fmt: skip
        public = sorted({*fields, *names})
        yield f"{name}: {', '.join(each for each in public if not each.startswith('_'))}"
    elif inspect.isfunction(value):
        yield f"{name}({', '.join(inspect.signature(value).parameters)})"
    else:
        yield name


def names_of(module: ModuleType) -> Iterator[str]:
    for name in sorted(module.__all__):
        if name != "__version__":
            yield from described(f"{module.__name__}.{name}", getattr(module, name))


def options(command: click.Command, *above: str) -> Iterator[str]:
    """Yield each command with its parameters."""
    context = click.Context(command, **command.context_settings)  # its options are kept
    named = (each.opts[-1] for each in command.get_params(context))
    yield f"{' '.join(above)}: {', '.join(sorted(named))}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below, *above, name)


@pytest.mark.messages
def test_python(snapshot: SnapshotAssertion) -> None:
    lines = [each for module in (evalcontract, types, plugin, spark) for each in names_of(module)]
    assert "\n".join(lines) + "\n" == plain(snapshot)


@pytest.mark.messages
def test_commands(snapshot: SnapshotAssertion) -> None:
    assert "\n".join(options(group, "evalcontract")) + "\n" == plain(snapshot)


@pytest.mark.messages
def test_codes(snapshot: SnapshotAssertion) -> None:
    lines = [*sorted(KnownCodes()), *(f"{old} -> {new}" for old, new in sorted(RENAMED.items()))]
    assert "\n".join(lines) + "\n" == plain(snapshot)


@pytest.mark.messages
def test_versions_of_json(snapshot: SnapshotAssertion) -> None:
    versions = {"report": json_report.VERSION, "explain": explain.VERSION}
    lines = [f"{name}: {version}\n" for name, version in versions.items()]
    assert "".join(lines) == plain(snapshot)


def test_no_old_name_is_reused() -> None:
    known = KnownCodes()
    assert [old for old in RENAMED if old in known] == []
    assert [new for new in RENAMED.values() if new not in known] == []


# Renamed codes

OLD, NEW = "dataset/old-name", "dataset/near-miss-key"


@pytest.fixture(autouse=True)
def renamed(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    if "tmp_path" in request.fixturenames:
        monkeypatch.setitem(RENAMED, OLD, NEW)


@every_case(
    ("arguments", "code", "count"),
    [
        (["--select", OLD], 0, 1),
        (["--ignore", f"rubric/cycle, {OLD}"], 0, 0),
        (["--select", NEW], 0, 1),
    ],
)
def test_an_old_name_selects(
    arguments: list[str], code: int, count: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, {"a.yaml": "questions:\n  - {id: a, input: b, criterai: c, criteria: d}\n"})
    assert command_line("validate-dataset", tmp_path / "a.yaml", *arguments) == code
    out, err = capsys.readouterr()
    assert out.count(f"[{NEW}]") == count
    assert (f"note: `{OLD}` is now called `{NEW}`" in err) is (NEW not in arguments)


def test_an_old_name_is_explained(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    del tmp_path
    assert command_line("explain", OLD) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{NEW}\n")
    assert err == f"note: `{OLD}` is now called `{NEW}`\n"


@every_case(
    ("settings", "severities"),
    [
        (f'"{OLD}" = "error"', ["error"]),
        (f'"{OLD}" = "ignore"', []),
        (f'"{OLD}" = "error"\n"{NEW}" = "note"', ["note"]),
        (f'"{NEW}" = "note"\n"{OLD}" = "error"', ["note"]),
    ],
)
def test_an_old_name_has_a_severity(settings: str, severities: list[str], tmp_path: Path) -> None:
    files = {
        "evalcontract.toml": f"[severity]\n{settings}\n",
        "datasets/a.yaml": "questions:\n  - {id: a, input: b, criterai: c, criteria: d}\n",
    }
    write(tmp_path, files)
    loaded = DatasetLoader(tmp_path, strict=False).load(tmp_path / "datasets/a.yaml")
    assert [str(each.severity) for each in loaded.diagnostics] == severities


def test_any_other_name_is_its_own() -> None:
    assert current_code("acme/x") == "acme/x"


def test_the_page_names_what_is_public() -> None:
    text = (ROOT / "docs" / "versioning.md").read_text(encoding="utf-8")
    for module in (evalcontract, types, plugin):
        assert f"`{module.__name__}`" in text
