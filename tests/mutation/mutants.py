"""The mutants of a module: its text with one small change each.

The changes are those of mutmut and a few more: a condition that always or never holds, a function
that returns nothing, a call that is not made. Docstrings, annotations, imports, and what only type
checkers read are left alone.
"""

from __future__ import annotations

import difflib
import functools
import hashlib
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

#: What has no effect at run time, or only on speed.
_IDLE = (
    m.Annotation()
    | m.Import()
    | m.ImportFrom()
    | m.If(test=m.Name("TYPE_CHECKING"))
    | m.SimpleStatementLine(body=[m.Expr(m.SimpleString() | m.ConcatenatedString())])
    | m.Decorator(m.Call(m.Name("lru_cache")) | m.Call(m.Name("dataclass")))
    | m.Call(m.Name("cast") | m.Name("TypeVar") | m.Name("ParamSpec"))
    | m.Assign([m.AssignTarget(m.Name("__all__") | m.Name("__slots__"))])
)
_MAY_BE_IDLE = (
    *(cst.Annotation, cst.Import, cst.ImportFrom, cst.If, cst.SimpleStatementLine),
    *(cst.Decorator, cst.Call, cst.Assign),
)


class Mutant(NamedTuple):
    """A module with one change: where the statement stands, and what the change is."""

    file: str
    first: int
    last: int
    was: str
    becomes: str
    key: str
    write: Callable[[], str]

    def diff(self, before: str) -> tuple[str, str]:
        """Return the lines that go and the lines that come, without their indentation."""
        lines = [*difflib.ndiff(before.splitlines(), self.write().splitlines())]
        gone, new = (
            [line[2:].strip() for line in lines if line[:2] == sign] for sign in ("- ", "+ ")
        )
        return "\n".join(gone), "\n".join(new)


def mutants_of(path: Path, file: str) -> list[Mutant]:
    """Return the mutants of a module; `file` is its name in keys and reports."""
    wrapper = MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")))
    module = wrapper.module
    positions = wrapper.resolve(PositionProvider)
    met: Counter[tuple[str, str]] = Counter()
    mutants = []
    for node, statement in _nodes(module, module):
        place = positions.get(node)
        if place is None:
            continue
        whole = positions[statement]
        last = (whole if isinstance(statement, cst.SimpleStatementLine) else place).end.line
        for was, new in ((module.code_for_node(node), new) for new in _changes(node)):
            becomes = module.code_for_node(new)
            if becomes == was:
                continue
            met[was, becomes] += 1
            key = f"{file}\n{was}\n{becomes}\n{met[was, becomes]}"
            mutants.append(
                Mutant(
                    file,
                    whole.start.line,
                    last,
                    was,
                    becomes,
                    hashlib.sha256(key.encode()).hexdigest(),
                    functools.partial(_written, module, node, new),
                )
            )
    return mutants


def _written(module: cst.Module, node: cst.CSTNode, new: cst.CSTNode) -> str:
    changed = module.deep_replace(node, new)
    code: str = changed.code
    return code


def _nodes(node: cst.CSTNode, statement: cst.CSTNode) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """Yield what may change, each with the innermost statement that it stands in."""
    for child in node.children:
        if isinstance(child, _MAY_BE_IDLE) and m.matches(child, _IDLE):
            continue
        is_statement = isinstance(child, (cst.SimpleStatementLine, cst.BaseCompoundStatement))
        yield child, child if is_statement else statement
        yield from _nodes(child, child if is_statement else statement)


def _changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    for type_, operator in mutation_operators:
        if isinstance(node, type_):
            changes: Iterable[cst.CSTNode] = operator(node)
            # Texts are written in other cases, too: one change of a text is enough.
            yield from [*changes][:1] if isinstance(node, cst.BaseString) else changes
    yield from _further_changes(node)


def _further_changes(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    if isinstance(node, (cst.If, cst.CompIf)):
        yield from (node.with_changes(test=cst.Name(value)) for value in ("True", "False"))
    elif isinstance(node, cst.Return) and node.value is not None:
        if not m.matches(node.value, m.Name("None")):
            yield node.with_changes(value=cst.Name("None"))
    elif isinstance(node, cst.Expr) and isinstance(node.value, (cst.Call, cst.Yield)):
        yield node.with_changes(value=cst.Name("None"))
