"""Print a constraints file with the lowest version that pyproject.toml allows of each package.

`make lowest` runs the tests with these.
"""

from __future__ import annotations

import re
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).parents[1] / "pyproject.toml"
_LOWER_BOUND = re.compile(
    r"(?P<name>[A-Za-z0-9._-]+)>=(?P<version>[0-9.]+)(?:,<[0-9.]+)?(?P<marker>;.*)?"
)


def main() -> None:
    """Print the constraints."""
    project = tomllib.loads(PROJECT.read_text(encoding="utf-8"))["project"]
    extras = project["optional-dependencies"].values()
    requirements = [*project["dependencies"], *(line for lines in extras for line in lines)]
    sys.stdout.writelines(f"{line}\n" for line in sorted(set(map(lowest, requirements))))


def lowest(requirement: str) -> str:
    """Return the requirement of exactly the lowest version: `click>=8.1` becomes `click==8.1`."""
    match = _LOWER_BOUND.fullmatch(requirement)
    if match is None:
        raise SystemExit(f"{PROJECT.name}: {requirement!r} has no lower bound")
    return f"{match['name']}=={match['version']}{match['marker'] or ''}"


if __name__ == "__main__":
    main()
