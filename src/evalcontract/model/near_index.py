"""An index of many names, which finds those near a word without comparing it with each of them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

from evalcontract.model.nearest import edit_distance
from evalcontract.model.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

#: Longer names are found only if they are equal.
MAX_LENGTH = 120
# So many names with the same beginning are compared one by one.
_FEW = 6
# The steps of one search. A word that takes more is near so many names that none of them is meant.
_MAX_STEPS = 2_000
# The steps of all searches of an index, to which each search adds some. Once they are spent, a word
# is only looked up: the names and the words are many, and alike on purpose.
_MAX_TOTAL_STEPS, _STEPS_PER_SEARCH = 200_000, 5
# The number of answers that are cached: rows repeat their keys.
_MAX_CACHED = 1_024

#: Some names, or a branch for each character that names with the same beginning have next.
_Tree: TypeAlias = "list[str] | dict[str, _Tree]"


class NearIndex:
    """Finds the names within one or two edits of a word, in their order.

    Of two edits, one half of the word has at most one. So one search starts at the beginning of
    the word and allows one edit in the first half; another starts at the end and allows none in
    the last half. Neither visits many names, even if all of them begin and end alike.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._order: dict[str, int] = {}
        for name in names:
            self._order.setdefault(name, len(self._order))
        self._answers: dict[tuple[str, int], list[str]] = {}
        self._steps_left = _MAX_TOTAL_STEPS

    def near(self, word: str, limit: int) -> list[str]:
        """Return the names within a number of edits (at most two), in their order.

        Of very long names, and of a word with very many candidates, only an equal name is near.
        """
        if not limit or len(word) > MAX_LENGTH:
            return [word] if word in self._order else []
        if len(self._order) <= _FEW:
            return [name for name in self._order if edit_distance(name, word, limit) <= limit]
        shortest, longest = self._lengths
        if not shortest - limit <= len(word) <= longest + limit:
            return []
        if len(self._answers) >= _MAX_CACHED:
            self._answers.clear()
        if (word, limit) not in self._answers:
            self._answers[word, limit] = self._near(word, limit)
        return self._answers[word, limit]

    def _near(self, word: str, limit: int) -> list[str]:
        self._steps_left = min(_MAX_TOTAL_STEPS, self._steps_left + _STEPS_PER_SEARCH)
        found = self._found(word, limit) if self._steps_left > 0 else None
        if found is None:
            return [word] if word in self._order else []
        return sorted(found, key=self._order.__getitem__)

    def _found(self, word: str, limit: int) -> set[str] | None:
        """Return the names near a word; None if there are too many steps to them."""
        half = len(word) // 2
        # A swap across the middle is an edit in the first half. It changes the second half, too.
        found, steps = _search(self._forward, word, limit, limit // 2, half)
        self._steps_left -= steps
        if found is None:
            return None
        other, steps = _search(self._backward, word[::-1], limit, 0, len(word) - half - 1)
        self._steps_left -= steps
        return None if other is None else found.union(name[::-1] for name in other)

    @cached_property
    def _lengths(self) -> tuple[int, int]:
        lengths = [len(name) for name in self._order]
        return min(lengths), max(lengths)

    @cached_property
    def _forward(self) -> _Tree:
        return _tree([name for name in self._order if len(name) <= MAX_LENGTH + 2], 0)

    @cached_property
    def _backward(self) -> _Tree:
        return _tree([name[::-1] for name in self._order if len(name) <= MAX_LENGTH + 2], 0)


def _tree(names: list[str], depth: int) -> _Tree:
    """Return the tree of names that agree in their first `depth` characters."""
    if len(names) <= _FEW:
        return names
    branches: dict[str, list[str]] = {}
    for name in names:
        branches.setdefault(name[depth : depth + 1], []).append(name)
    return {char: _tree(branch, depth + 1) for char, branch in branches.items()}


class _Step(NamedTuple):
    """The names of `node` begin with `depth` characters that are `made` edits from `word[:at]`."""

    node: _Tree
    depth: int
    at: int
    made: int


def _search(
    tree: _Tree, word: str, limit: int, edits: int, until: int
) -> tuple[set[str] | None, int]:
    """Return the names within a number of edits of a word, and the steps that it takes.

    The names are None if it takes too many.

    Only `edits` edits are made before the character `until`. An edit is made only where a name
    differs from the word for the first time.
    """
    found: set[str] = set()
    pending = [_Step(tree, 0, 0, 0)]
    steps = 0
    while pending:
        node, depth, at, made = pending.pop()
        left = limit - made
        branch: _Tree | None = node
        while isinstance(branch, dict):
            steps += len(branch)
            if made < (edits if at < until else limit):
                step = _Step(branch, depth, at, made)
                pending += _edited(branch, step, word, is_last=left == 1)
            branch = branch.get(word[at : at + 1])
            depth, at = depth + 1, at + 1
        if branch:
            steps += len(branch)
            rest = word[at:]
            found.update(name for name in branch if edit_distance(name[depth:], rest, left) <= left)
        if steps > _MAX_STEPS:
            return None, steps
    return found, steps


def _edited(
    branches: dict[str, _Tree], step: _Step, word: str, *, is_last: bool
) -> Iterator[_Step]:
    """Yield the steps to the names that differ from the word here, with one edit made.

    `branches` are those of the step's node.
    """
    node, depth, at, made = step
    here, after = word[at : at + 1], word[at + 1 : at + 2]
    if here and (not is_last or after in node):
        yield _Step(node, depth, at + 1, made + 1)  # the name lacks the character
    for char, child in branches.items():
        if char == here:
            continue
        if isinstance(child, list):
            yield _Step(child, depth, at, made)  # few names: compared one by one
            continue
        if not is_last or here in child:
            yield _Step(child, depth + 1, at, made + 1)  # the word lacks the character
        if here and (not is_last or after in child):
            yield _Step(child, depth + 1, at + 1, made + 1)  # another character
        if char == after and here in child:
            yield _Step(child[here], depth + 2, at + 2, made + 1)  # swapped
