"""What hangs on changes: which rubrics score otherwise, on which rows, and which judges to measure.

A reference has the same effect in two revisions if all that it reaches says the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from hashlib import sha256
from typing import Any

from evalcontract.comparing.revisions import RevisedWorkspace, WorkspacePair
from evalcontract.library.library import (
    Artifact,
    ReferenceSite,
    Resolution,
    file_uses,
    visit_inner_first,
)
from evalcontract.meaning.view import ChangeClass, View, digest_of_json, view_and_digest
from evalcontract.model.reference import Kind, Reference, Version
from evalcontract.model.startup import NamedTuple
from evalcontract.source import RowSource
from evalcontract.source.document import value_at
from evalcontract.source.encoding import canonical

_REFERENCES = frozenset({"judge_prompt_ref", "rubric_ref"})
_FILE = "schema_ref"
_CYCLE = "cycle"


#: An artifact as both revisions have it.
_Pair = tuple[Artifact, Artifact]


def _key(pair: _Pair) -> tuple[int, int]:
    return id(pair[0].document), id(pair[1].document)


class Meanings:
    """What the artifacts of a workspace say, and the effect of each on scores."""

    def __init__(self, workspace: RevisedWorkspace) -> None:
        self.workspace = workspace
        self._effects: dict[int, str] = {}
        self._files: dict[str, str | None] = {}

    def view(self, artifact: Artifact) -> View:
        """Return the view of an artifact."""
        return view_and_digest(artifact.kind, artifact.document)[0]

    def resolve(self, reference: Reference) -> Artifact | None:
        """Return the artifact that a reference stands for; None if there is none."""
        found = self.workspace.library.resolve(reference)
        return found.artifact if isinstance(found, Resolution) else None

    def effect(self, artifact: Artifact) -> str:
        """Return the digest of all that the scores of an artifact depend on, itself included."""

        def is_new(each: Artifact) -> bool:
            if id(each.document) in self._effects:
                return False
            self._effects[id(each.document)] = _CYCLE
            return True

        visit_inner_first(artifact, self._targets, is_new, self._set_effect)
        return self._effects[id(artifact.document)]

    def _targets(self, artifact: Artifact) -> Iterator[Artifact]:
        return filter(None, (self.resolve(use.reference) for use in artifact.uses))

    def _set_effect(self, artifact: Artifact) -> None:
        view, whose = self.view(artifact), f"{artifact.library}:" if artifact.library else ""
        parts = [
            {
                name: self._resolved(name.rpartition(".")[2], leaf.value, whose)
                for name, leaf in leaves.items()
                if leaf.rank is ChangeClass.BREAKING
            }
            for leaves in (view.leaves, *(item.leaves for item in view.items.values()))
        ]
        text = canonical([parts[0], sorted(map(canonical, parts[1:]))])
        digest = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
        self._effects[id(artifact.document)] = digest

    def _resolved(self, key: str, value: Any, whose: str) -> Any:
        """Return a value in which each reference is the effect of what it leads to.

        `whose` is the beginning of the names of files.
        """
        if isinstance(value, list):
            return [self._resolved(key, part, whose) for part in value]
        if isinstance(value, dict):
            return {name: self._resolved(name, part, whose) for name, part in value.items()}
        if not isinstance(value, str):
            return value
        if key in _REFERENCES:
            reference = Reference.parse(value)
            target = self.resolve(reference) if reference else None
            return value if target is None else self.effect(target)
        return (self.file(whose + value) or value) if key == _FILE else value

    def file(self, name: str) -> str | None:
        """Return the digest of what a file says that a check names; None if it cannot be read."""
        if name not in self._files:
            try:
                self._files[name] = digest_of_json(self.workspace.read_json(name))
            except LookupError:
                self._files[name] = None
        return self._files[name]


class Effects:
    """What is compared of two revisions of a workspace besides the files themselves."""

    def __init__(self, pair: WorkspacePair) -> None:
        self.old, self.new = Meanings(pair.old), Meanings(pair.new)
        self._same: dict[tuple[int, int], bool] = {}

    @cached_property
    def may_differ(self) -> bool:
        """Whether any reference may have another effect: not if all files are the same ones."""
        old, new = (
            {id(each.document) for each in side.workspace.library.artifacts}
            for side in (self.old, self.new)
        )
        theirs = [
            {(each.file, each.document.sha256) for each in side.workspace.library.shared.artifacts}
            for side in (self.old, self.new)
        ]
        library = self.new.workspace.library
        every = (*library.artifacts, *library.shared.artifacts)
        names = {use.name for each in every for use in file_uses(each)}
        is_other = old != new or theirs[0] != theirs[1]
        return is_other or any(self.old.file(name) != self.new.file(name) for name in names)

    def are_same(self, old: Artifact, new: Artifact) -> bool:
        """Whether two artifacts give every output the same score, as far as files decide it."""

        def is_new(pair: _Pair) -> bool:
            key = _key(pair)
            if key in self._same:
                return False
            self._same[key] = True  # of a cycle
            return True

        visit_inner_first((old, new), self._inner_pairs, is_new, self._set_same)
        return self._same[_key((old, new))]

    def _inner_pairs(self, pair: _Pair) -> Iterator[_Pair]:
        """Yield what the references of an artifact lead to, if it has not changed itself."""
        old, new = pair
        for use in new.uses if old.document is new.document else ():
            before, after = self.old.resolve(use.reference), self.new.resolve(use.reference)
            if before and after:
                yield before, after

    def _set_same(self, pair: _Pair) -> None:
        old, new = pair
        if old.document is not new.document:
            self._same[_key(pair)] = self.old.effect(old) == self.new.effect(new)
            return
        files = (use.name for use in file_uses(new))
        self._same[_key(pair)] = all(map(self._is_same_use, new.uses)) and all(
            self.old.file(name) == self.new.file(name) for name in files
        )

    def _is_same_use(self, use: ReferenceSite) -> bool:
        old, new = self.old.resolve(use.reference), self.new.resolve(use.reference)
        if old is None or new is None:
            return old is new
        return self._same[_key((old, new))]

    def causes(self, reference: Reference) -> list[str]:
        """Return why a reference has another effect: a path of names that ends at the change."""
        old, new = self.old.resolve(reference), self.new.resolve(reference)
        seen: set[int] = set()
        chain: list[str] = []
        while old and new and id(new) not in seen and not self.are_same(old, new):
            seen.add(id(new))
            chain.append(new.name)
            step = next(
                (
                    (before, after)
                    for use in new.uses
                    if (before := self.old.resolve(use.reference))
                    and (after := self.new.resolve(use.reference))
                    and not self.are_same(before, after)
                ),
                None,
            )
            files = [use.name for use in file_uses(new)]
            changed = [name for name in files if self.old.file(name) != self.new.file(name)]
            if step is None:
                return [*chain, *changed[:1]]
            old, new = step
        return chain


class AffectedRows(NamedTuple):
    """Rows of a dataset whose scores can be others, because of what they refer to.

    `through` is the path to what changed. `fault` says that the reference does not resolve.
    """

    file: str
    reference: str
    rows: int
    total: int
    through: tuple[str, ...]
    fault: str | None = None


def affected_rows(
    effects: Effects, datasets: Iterable[tuple[str, RowSource]]
) -> Iterator[AffectedRows]:
    """Yield the rows of datasets whose references have another effect, by file and reference."""
    if not effects.may_differ:
        return
    known: dict[str, tuple[tuple[str, ...], str | None] | None] = {}
    for file, source in datasets:
        counts = references_in(source)
        for text, rows in counts.items():
            if text is None:
                continue
            if text not in known:
                known[text] = _other_effect(effects, text)
            other = known[text]
            if other is not None:
                yield AffectedRows(file, text, rows, counts.total(), *other)


def _other_effect(effects: Effects, text: str) -> tuple[tuple[str, ...], str | None] | None:
    reference = Reference.parse(text)
    if reference is None:
        return None
    old, new = effects.old.resolve(reference), effects.new.resolve(reference)
    if new is None:
        return None if old is None else ((), "it leads nowhere now")
    if old is None or effects.are_same(old, new):
        return None
    return tuple(effects.causes(reference)), None


def references_in(source: RowSource) -> Counter[str | None]:
    """Count the rows of a dataset of evalcontract by the rubric that they refer to."""
    counts: Counter[str | None] = Counter()
    for rows in _lists_of_rows(source):
        counts.update(_reference_of(row) for row in rows)
    return counts


def _lists_of_rows(source: RowSource) -> Iterator[list[Any]]:
    if source.stream is not None:
        yield from (batch.rows for batch in source.stream.batches(quick=True))
    elif source.document is not None:
        value = source.document.quick
        rows = value.get("questions") if isinstance(value, dict) else value
        yield rows if isinstance(rows, list) else []


def _reference_of(row: Any) -> str | None:
    reference = row.get("rubric_ref") if isinstance(row, dict) else None
    return reference if isinstance(reference, str) else None


class StaleValidation(NamedTuple):
    """A judge that was validated as it was before: `fields` are what changed since."""

    name: str
    file: str
    fields: tuple[str, ...]


#: What the agreement of a judge with people depends on, besides what only describes it.
_MEASURED = (
    "template",
    "model",
    "score_type",
    "level_",
    "min_score",
    "max_score",
    "pass_threshold",
)


def stale_validation(
    old: Artifact, new: Artifact, file: str, fields: Iterable[str]
) -> StaleValidation | None:
    """Return that a judge was changed in `fields`, and its validation not recorded again."""
    changed = tuple(field for field in fields if field.startswith(_MEASURED))
    before, after = (value_at(each.document.value, ("validation",)) for each in (old, new))
    if new.kind is not Kind.JUDGE or not changed or not isinstance(after, dict) or not after:
        return None
    of_other = Version.parse(str(after.get("judge_version"))) not in (None, new.version)
    is_old = of_other or _measured(before) == _measured(after)
    return StaleValidation(new.name, file, changed) if is_old else None


def _measured(validation: Any) -> Any:
    """Return a validation without the version of the judge, which may be added to an old one."""
    if not isinstance(validation, dict):
        return None
    return canonical({key: part for key, part in validation.items() if key != "judge_version"})
