"""What a bomb is: a small workspace that may cost much, as a function of its size."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

#: The files of a workspace by name. Text is written as it is, another value as JSON; a name that
#: ends in a slash is an empty folder.
Files = dict[str, Any]

#: A row without findings.
ROW = {"id": "a", "input": "b", "criteria": "c"}


#: The arguments of the commands that a bomb is given to; a bomb may cost another one more.
CHECK = ("check", "--no-cache", ".")
JSON = ("check", "--no-cache", "--output-format", "json", ".")
COVERAGE = ("coverage", "datasets")
REPORT = ("report", "datasets")
FIX = ("fix", "--diff", ".")


class Bomb(NamedTuple):
    """A bomb and its default size, with which its files have at most one megabyte.

    `commands` are the arguments of each command that it is given to.
    """

    files: Callable[[int], Files]
    size: int
    commands: tuple[tuple[str, ...], ...] = (CHECK,)

    @property
    def name(self) -> str:
        """Its name."""
        return self.files.__name__

    @property
    def grows(self) -> str:
        """What grows with the size."""
        return (self.files.__doc__ or "").strip()

    def write(self, folder: Path, size: int | None = None) -> int:
        """Write the files into a folder; return their total size in bytes."""
        total = 0
        for name, value in self.files(size or self.size).items():
            path = folder / name
            if name.endswith("/"):
                path.mkdir(parents=True, exist_ok=True)
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            total += path.write_bytes(_encoded(value))
        return total


def _encoded(value: Any) -> bytes:
    return (value if isinstance(value, str) else json.dumps(value)).encode()


def rubric(*checks: dict[str, Any], id_: str = "a", **keys: Any) -> dict[str, Any]:
    """Return a rubric whose checks all have to pass."""
    scoring = {"combine": "all_pass"}
    return {"id": id_, "version": "1.0.0", "checks": checks, "scoring": scoring, **keys}


def judge(template: str, id_: str = "a") -> dict[str, Any]:
    """Return a judge."""
    return {"id": id_, "version": "1.0.0", "template": template}


def contains(id_: str = "x", *values: str) -> dict[str, Any]:
    """Return a check that the output contains one of these texts."""
    return {"id": id_, "kind": "must_contain_any", "values": values or ("a b",)}


def composite(id_: str, target: str) -> dict[str, Any]:
    """Return a check that refers to version 1.0.0 of another rubric."""
    return {"id": id_, "kind": "composite", "rubric_ref": f"rubric/{target}@1.0.0"}


def facts(id_: str) -> dict[str, Any]:
    """Return a check that compares the output with the facts of the row."""
    return {"id": id_, "kind": "fact_match"}


def dataset(*rows: dict[str, Any]) -> Files:
    """Return a dataset, in a folder that is a workspace."""
    return {"rubrics/": None, "datasets/a.json": {"questions": rows}}


def numbered(many: int, *, rubric_ref: str = "rubric/a@1.0.0", **keys: Any) -> list[dict[str, Any]]:
    """Return many rows with a reference to a rubric."""
    return [
        {"id": f"a{index}", "input": f"b{index}", "rubric_ref": rubric_ref, **keys}
        for index in range(many)
    ]


def yaml_dataset(text: str) -> Files:
    """Return a dataset as YAML, in a folder that is a workspace."""
    return {"rubrics/": None, "datasets/a.yaml": text}
