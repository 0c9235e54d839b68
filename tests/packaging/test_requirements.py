"""Where a requirement has no wheel, it is not required: nobody has to compile it."""

from __future__ import annotations

import tomllib

from doors import ROOT
from packaging.requirements import Requirement
from tables import every_case

LINES = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
REQUIREMENTS = {each.name: each for each in map(Requirement, LINES["dependencies"])}


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
