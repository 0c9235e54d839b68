"""One run of fixes: files are checked, what can be mended is, and they are checked again.

So one fix may show what the next is to be. Nothing is written: the checks read drafts.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.engine.fix_options import FileFix, FixResult
from evalcontract.engine.options import Input
from evalcontract.engine.pipeline import check_workspaces, validate
from evalcontract.engine.wrong_kind import other_kind
from evalcontract.model.diagnostic import Outcome, sort_key
from evalcontract.model.reference import Kind
from evalcontract.source import format_of, read_file
from evalcontract.source.drafts import Drafts, read_bytes
from evalcontract.source.editing import edit_text
from evalcontract.source.files import guess_format
from evalcontract.workspace import find_root, name_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcontract.engine.fix_options import FixOptions
    from evalcontract.engine.options import Options
    from evalcontract.model.diagnostic import Diagnostic
    from evalcontract.model.fix import Fix

#: How often files are checked again. Each time something is mended, so a handful is usual.
_ROUNDS = 50
_BY_HAND = "it would change something else, too: edit it by hand"
_OUTSIDE = "a link leads out of the workspace"
#: What the files of a folder are; of None the whole workspace has to be checked.
_FOLDERS = {"rubrics": Kind.RUBRIC, "judges": Kind.JUDGE, "targets": None, "bundles": None}


def fix(
    paths: Sequence[Path], options: Options, wanted: FixOptions, given: bytes | None = None
) -> FixResult:
    """Mend files, and the files in folders, in memory. `given` stands for the one file of `paths`.

    Only these files are mended, whatever else is checked with them.

    Raises:
        NothingToCheck: there is no file.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    drafts = Drafts()
    if given is not None:
        drafts.put(paths[0], given)
    return _Mending(paths, options._replace(files=drafts), wanted, drafts).run()


class _Mending:
    """The files and folders to be mended, and what came of it so far.

    Files are known by where their paths lead, so that a link is no second file.
    """

    def __init__(
        self, paths: Sequence[Path], options: Options, wanted: FixOptions, drafts: Drafts
    ) -> None:
        self._options = options._replace(cache=None)
        self._wanted = wanted
        self._drafts = drafts
        self._whole = [each for each in paths if os.path.isdir(each)]
        self._tops = [drafts.real(each) for each in self._whole]
        self._roots = [drafts.real(options.root or find_root(top)) for top in self._tops]
        self._named = {drafts.real(each): each for each in paths if each not in self._whole}
        self._inputs: dict[Kind, list[Input]] = {}
        for each in self._named.values():
            kind = self._kind_of(each)
            if kind is None:
                self._whole.append(each.parent)
            else:
                self._inputs.setdefault(kind, []).append(Input(each, files=drafts))
        self._files: dict[Path, FileFix] = {}
        self._refused: dict[tuple[Path, Fix], tuple[Diagnostic, str]] = {}

    def _kind_of(self, path: Path) -> Kind | None:
        """Return what a file is checked as: by its folder, or by what it holds."""
        root = self._drafts.real(self._options.root or find_root(path))
        there = self._drafts.real(path)
        first = there.relative_to(root).parts[0] if root in there.parents else ""
        if first in _FOLDERS:
            return _FOLDERS[first]
        document = read_file(path, name_of(path), self._drafts).document
        value = document.value if document else None
        return other_kind(Kind.DATASET, value) or Kind.DATASET

    def run(self) -> FixResult:
        """Mend until nothing is left to mend."""
        for _ in range(_ROUNDS):
            outcome = self._look()
            if not self._mend(outcome.diagnostics):
                return self._result(outcome, is_settled=True)
        return self._result(self._look(), is_settled=False)

    def _result(self, outcome: Outcome, *, is_settled: bool) -> FixResult:
        files = [each for each in self._files.values() if each.before != each.after]
        return FixResult(tuple(files), tuple(self._refused.values()), outcome, is_settled)

    def _look(self) -> Outcome:
        """Check everything as it is by now."""
        found = [validate(kind, each, self._options) for kind, each in self._inputs.items()]
        found += [check_workspaces(each, self._options) for each in self._whole]
        return Outcome([each for one in found for each in one.diagnostics]).settle()

    def _mend(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Make the fixes that can be made at once; return whether there may be more to do."""
        by_file: dict[Path, dict[Fix, Diagnostic]] = {}
        for found in diagnostics:
            if found.fix and self._wanted.takes(found):
                path = Path(found.place.file)
                there = self._drafts.real(path)
                if self._is_asked_for(path) and (there, found.fix) not in self._refused:
                    by_file.setdefault(there, {}).setdefault(found.fix, found)
        changed = [self._edit(path, [*asked.values()]) for path, asked in by_file.items()]
        return any(changed)

    def _is_asked_for(self, path: Path) -> bool:
        above = Path(os.path.abspath(path)).parents  # noqa: PTH100 - a link stands where it stands
        return self._drafts.real(path) in self._named or any(top in above for top in self._tops)

    def _edit(self, path: Path, asked: list[Diagnostic]) -> bool:
        try:
            file = self._opened(path)
        except OSError as error:
            self._refuse(path, asked, (error.strerror or str(error)).lower())
            return False
        form = format_of(asked[0].place.file) or guess_format(file.after)
        places = {_in_text(each, form): each for each in asked}
        edited = edit_text(file.text, form, [each for each in places if each])
        unplaced = [places[None]] if None in places else []
        self._refuse(path, [*unplaced, *(places[each] for each in edited.refused)], _BY_HAND)
        if edited.made:
            made = sorted((places[each] for each in edited.made), key=sort_key)
            self._files[path] = file.edited(edited.text, made)
            self._drafts.put(path, self._files[path].after)
        is_left = len(edited.made) + len(edited.refused) + len(unplaced) < len(asked)
        return bool(edited.made or (edited.refused and is_left))

    def _refuse(self, path: Path, asked: Iterable[Diagnostic], reason: str) -> None:
        self._refused.update({(path, each.fix): (each, reason) for each in asked if each.fix})

    def _opened(self, path: Path) -> FileFix:
        """Open a file, once.

        Raises:
            OSError: it cannot be read, or only a link leads to it.

        """
        if path not in self._files:
            if path not in self._named and not any(root in path.parents for root in self._roots):
                raise OSError(_OUTSIDE)
            draft = self._drafts.draft(path)
            data = read_bytes(path) if draft is None else draft
            self._files[path] = FileFix(self._named.get(path, path), data, data, ())
        return self._files[path]


def _in_text(found: Diagnostic, form: str) -> Fix | None:
    """Return the fix of a finding by its place in the text: a row of JSONL is a line."""
    span = found.place.span
    if found.fix is None or form != "jsonl":
        return found.fix
    return found.fix.relocated(lambda path: (span.line - 1, *path[1:])) if span else None
