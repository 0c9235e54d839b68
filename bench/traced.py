"""Run a command of evalcontract in this process, and count what of its code runs, as JSON.

python -P bench/traced.py OUT.json validate-dataset FILE

The counts are of functions, generators, comprehensions and classes of the package, not of the
bodies of its modules. What the command prints goes nowhere.
"""

from __future__ import annotations

import json
import os
import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import CodeType, FrameType

PACKAGE = "evalcontract"
#: What depends on the packages that are installed, not on what is checked.
ENTRY_POINTS = "source/installed.py"
_MOST = 40


class Counts:
    """What ran so far; `folder` holds the package."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._names: dict[CodeType, str] = {}
        self.calls: Counter[str] = Counter()
        self.functions: Counter[str] = Counter()
        self.changes = 0
        self.depth = 0
        self.deepest: list[str] = []

    def see(self, frame: FrameType, event: str, _argument: object) -> None:
        """Count a call; generators are called each time that they go on."""
        file = self._name(frame.f_code) if event == "call" else ""
        if not file:
            return
        self.calls[file] += 1
        self.functions[f"{file} {frame.f_code.co_qualname}"] += 1
        around = self._frames_around(frame)
        self.changes += len(around) > 1 and self._name(around[1].f_code) != file
        if len(around) > self.depth:
            self.depth = len(around)
            self.deepest = [f"{self._name(each.f_code)} {each.f_code.co_name}" for each in around]

    def _frames_around(self, frame: FrameType) -> list[FrameType]:
        """Return the frames of the package, the innermost first."""
        found = []
        at: FrameType | None = frame
        while at is not None:
            if self._name(at.f_code):
                found.append(at)
            at = at.f_back
        return found

    def _name(self, code: CodeType) -> str:
        """Return the file of a function of the package; nothing for any other code."""
        name = self._names.get(code)
        if name is None:
            path = code.co_filename
            is_ours = path.startswith(self._folder) and code.co_name != "<module>"
            name = path.removeprefix(self._folder).replace(os.sep, "/") if is_ours else ""
            self._names[code] = name
        return name


def traced(arguments: list[str]) -> dict[str, Any]:
    """Run `evalcontract` with arguments; return the counts, and its exit status."""
    from evalcontract.cli import start

    counts = Counts(str(Path(start.__file__).parents[1]) + os.sep)
    sys.argv = [PACKAGE, *arguments]
    status: object = 0
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123 - a device
        out, sys.stdout = sys.stdout, nowhere
        sys.setprofile(counts.see)
        try:
            start.evalcontract()
        except SystemExit as left:
            status = left.code
        finally:
            sys.setprofile(None)
            sys.stdout = out
    is_ours = f"{PACKAGE}."
    return {
        "status": status,
        "files": len(counts.calls),
        "calls": sum(count for file, count in counts.calls.items() if file != ENTRY_POINTS),
        "entry points": counts.calls[ENTRY_POINTS],
        "changes": counts.changes,
        "depth": counts.depth,
        "modules": sum(name == PACKAGE or name.startswith(is_ours) for name in sys.modules),
        "functions": dict(counts.functions.most_common(_MOST)),
        "deepest": counts.deepest[::-1],
    }


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(json.dumps(traced(sys.argv[2:])), encoding="utf-8")
