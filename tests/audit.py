# ruff: noqa: T201 - a command for people
"""Look for known vulnerabilities of the packages that development pins.

`make audit` runs this with pip-audit. It fails if a package has a known vulnerability, or if only
some packages could be looked up. Where none can be, as behind a mirror without advisories, it says
so and passes: there is nothing that the project could do about it.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PINS = Path(__file__).parents[1] / "constraints.txt"
OPTIONS = ("--no-deps", "--disable-pip", "--format", "json", "--progress-spinner", "off")


def main() -> int:
    """Audit the pins; return the exit code."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(PINS), *OPTIONS]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    try:
        packages = json.loads(done.stdout)["dependencies"]
    except ValueError:
        print(f"the dependencies are not audited: {done.stderr.strip().splitlines()[-1:]}")
        return 0 if "ConnectionError" in done.stderr else 1
    return report(packages)


def report(packages: list[dict[str, Any]]) -> int:
    """Print what is known of packages, as pip-audit gives it; return the exit code."""
    skipped = [package for package in packages if "skip_reason" in package]
    if packages and len(skipped) == len(packages):
        print(f"the dependencies are not audited: {skipped[0]['skip_reason']}, and no other one")
        return 0
    for package in skipped:
        print(f"{package['name']} is not audited: {package['skip_reason']}")
    vulnerable = [package for package in packages if package.get("vulns")]
    for package in vulnerable:
        ids = ", ".join(vulnerability["id"] for vulnerability in package["vulns"])
        print(f"{package['name']} {package['version']} has known vulnerabilities: {ids}")
    if not skipped and not vulnerable:
        print(f"{len(packages)} packages have no known vulnerabilities")
    return 1 if skipped or vulnerable else 0


if __name__ == "__main__":
    sys.exit(main())
