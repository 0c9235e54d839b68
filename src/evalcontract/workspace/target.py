"""A target: the dataset that it runs, and the settings for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import is_finite_number
from evalcontract.workspace.graded_keys import GRADED, graded_keys

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcontract.source import Document


class Target(NamedTuple):
    """One file of `targets/`: the dataset that it runs, and how strictly to check it.

    `dataset` is None if the target names none, or one outside of the workspace. `row_keys_graded`
    are the keys of rows that the graders of its runner read, `threshold` the mean score from 0 to 1
    that the outputs have to reach; None if there is none. `allow_undecided` is whether rows may be
    undecided.
    """

    document: Document
    dataset: Path | None
    row_keys_graded: frozenset[str] = frozenset()
    threshold: float | None = None
    allow_undecided: bool = False


def read_target(document: Document, root: Path, contains: Callable[[Path], bool]) -> Target:
    """Return the target in a document; a malformed setting counts as missing.

    The path of the dataset is relative to the `root` of the workspace; `contains` tells whether a
    path leads into it.
    """
    value: Any = document.value if isinstance(document.value, dict) else {}
    name, threshold = value.get("dataset"), value.get("threshold")
    path = root / name if isinstance(name, str) else None
    dataset = path if path and contains(path) else None
    usable = is_finite_number(threshold) and 0 <= threshold <= 1
    return Target(
        document,
        dataset,
        graded_keys(value.get(GRADED)),
        float(threshold) if usable else None,
        value.get("allow_undecided") is True,
    )
