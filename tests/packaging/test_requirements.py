"""Where a requirement has no wheel, it is not required: nobody has to compile it."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib import import_module
from importlib.metadata import packages_distributions

import pytest
from doors import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from tables import every_case

LINES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = {each.name: each for each in map(Requirement, LINES["dependencies"])}

EXTRAS = ("arrow", "delta", "judges", "lsp", "pandas", "spark")
#: What pytest brings to its plugin, pygls to the server, and type checkers to themselves; and what
#: stands for PySpark in tests.
BROUGHT = ("pytest", "lsprotocol", "typing_extensions", "pyspark-client")


@pytest.mark.slow
def test_every_package_that_is_imported_is_required() -> None:
    extras = (Requirement(each) for name in EXTRAS for each in LINES["optional-dependencies"][name])
    wanted = {*map(canonicalize_name, (*REQUIREMENTS, *(each.name for each in extras), *BROUGHT))}
    installed = packages_distributions()
    imported = {
        canonicalize_name(installed[name][0])
        for path in (ROOT / "src").rglob("*.py")
        for name in re.findall(r"^ *(?:from|import) (\w+)", path.read_text("utf-8"), re.MULTILINE)
        if name in installed.keys() - sys.stdlib_module_names - {"evalcontract"}
    }
    assert len(imported) > 10
    assert imported <= wanted, imported - wanted


def test_the_commands_are_there() -> None:
    assert "evalcontract" in LINES["scripts"]
    for where in LINES["scripts"].values():
        module, _, name = where.partition(":")
        assert callable(getattr(import_module(module), name))


@every_case(
    ("system", "machine", "is_required"),
    [
        ("linux", "x86_64", True),
        ("linux", "aarch64", True),
        ("linux", "armv7l", True),
        ("linux", "s390x", False),
        ("linux", "riscv64", False),
        ("linux", "", False),
        ("darwin", "arm64", True),
        ("win32", "AMD64", True),
        ("win32", "ARM64", True),
        ("freebsd14", "amd64", False),
    ],
)
def test_yaml_rs_is_required_where_it_has_wheels(
    system: str,
    machine: str,
    is_required: bool,  # noqa: FBT001 - a column of the table
) -> None:
    marker = REQUIREMENTS["yaml-rs"].marker
    assert marker is not None
    here = {
        "sys_platform": system,
        "platform_machine": machine,
        "platform_python_implementation": "CPython",
        "python_version": "3.12",
    }
    assert marker.evaluate(here) is is_required
    assert not marker.evaluate({**here, "platform_python_implementation": "GraalVM"})
    assert not marker.evaluate({**here, "python_version": "3.16"})
