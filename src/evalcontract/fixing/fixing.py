"""One run of fixes: check the files, apply fixes and check again, until no fix is left.

One fix may make another one possible. Nothing is written: the checks read drafts in memory.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.kinds import other_kind
from evalcontract.datasets.opening import Input
from evalcontract.fixing.text_edits import fix_in_text
from evalcontract.model.diagnostic import Outcome, sort_key
from evalcontract.model.reference import Kind
from evalcontract.source import format_of, read_file
from evalcontract.source.editing import edit_text
from evalcontract.source.files import guess_format
from evalcontract.source.overlays import Drafts, read_bytes
from evalcontract.workspace import display_name, find_root
from evalcontract.workspace.writing import FileFix, FixResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from evalcontract.datasets.opening import Options
    from evalcontract.model.diagnostic import Diagnostic, Fix
    from evalcontract.workspace.writing import FixOptions

#: The maximum number of rounds. Every round applies a fix, and a few rounds are usual.
_MAX_ROUNDS = 50
#: The same once so many characters of files are edited, each time that they are.
_MAX_ROUNDS_OF_MANY, _MANY_CHARACTERS = 2, 1_500_000
#: After so many findings, counted in each round, no other round is begun.
_MANY_FINDINGS = 20_000
_AMBIGUOUS_EDIT = "the fix would also change something else: edit the file by hand"
_OUTSIDE = "a symbolic link leads out of the workspace"
#: The kinds of the files in a folder; for None, the whole workspace has to be checked.
_FOLDERS = {"rubrics": Kind.RUBRIC, "judges": Kind.JUDGE, "targets": None, "bundles": None}


def fix(
    paths: Sequence[Path], options: Options, fix_options: FixOptions, content: bytes | None = None
) -> FixResult:
    """Fix files, and all files in folders, in memory.

    Only these files are changed, although others may be checked with them. `content` replaces the
    content of the only file in `paths`.

    Raises:
        NothingToCheck: there is no file.
        ConfigurationError: a workspace's configuration cannot be used.

    """
    drafts = Drafts()
    if content is not None:
        drafts.put(paths[0], content)
    return _FixRun(paths, options._replace(files=drafts), fix_options, drafts).run()


class _FixRun:
    """The files and folders to fix, and the results so far.

    Files are identified by their real paths, so that a link and its target are one file.
    """

    def __init__(
        self, paths: Sequence[Path], options: Options, fix_options: FixOptions, drafts: Drafts
    ) -> None:
        # Each place of a finding has its own fix.
        self._options = options._replace(cache=None, is_joined=False)
        self._fix_options = fix_options
        self._drafts = drafts
        folders = [path for path in paths if os.path.isdir(path)]
        self._folders = [drafts.real(folder) for folder in folders]
        self._roots = [drafts.real(options.root or find_root(path)) for path in self._folders]
        self._named = {drafts.real(path): path for path in paths if path not in folders}
        self._checked_folders = folders
        self._inputs: dict[Kind, list[Input]] = {}
        for path in self._named.values():
            kind = self._kind_of(path)
            if kind is None:
                self._checked_folders.append(path.parent)
            else:
                self._inputs.setdefault(kind, []).append(Input(path, files=drafts))
        self._files: dict[Path, FileFix] = {}
        self._refused: dict[Path, dict[Fix, tuple[Diagnostic, str]]] = {}
        self._edited_characters = 0
        self._findings = 0

    def _kind_of(self, path: Path) -> Kind | None:
        """Return the kind of a file by its folder, or else by its content."""
        root = self._drafts.real(self._options.root or find_root(path))
        real = self._drafts.real(path)
        folder = real.relative_to(root).parts[0] if root in real.parents else ""
        if folder in _FOLDERS:
            return _FOLDERS[folder]
        document = read_file(path, display_name(path), self._drafts).document
        value = document.value if document else None
        return other_kind(Kind.DATASET, value) or Kind.DATASET

    def run(self) -> FixResult:
        """Apply fixes until none is left."""
        for done in range(_MAX_ROUNDS):
            if done >= _MAX_ROUNDS_OF_MANY and self._edited_characters > _MANY_CHARACTERS:
                break
            if self._findings > _MANY_FINDINGS:
                break
            outcome = self._check()
            self._findings += len(outcome.diagnostics)
            if not self._apply(outcome.diagnostics):
                return self._result(outcome, is_settled=True)
        outcome = self._check()
        return self._result(outcome, is_settled=not self._fixable(outcome.diagnostics))

    def _result(self, outcome: Outcome, *, is_settled: bool) -> FixResult:
        files = [file for file in self._files.values() if file.before != file.after]
        refused = [each for by_fix in self._refused.values() for each in by_fix.values()]
        return FixResult(tuple(files), tuple(refused), outcome, is_settled)

    def _check(self) -> Outcome:
        """Check the drafts."""
        outcomes = [validate(kind, inputs, self._options) for kind, inputs in self._inputs.items()]
        outcomes += [check_workspaces(path, self._options) for path in self._checked_folders]
        diagnostics = [item for outcome in outcomes for item in outcome.diagnostics]
        checked = {name: kind for each in outcomes for name, kind in each.checked.items()}
        return Outcome(diagnostics, checked=checked).settle()

    def _apply(self, diagnostics: Iterable[Diagnostic]) -> bool:
        """Apply all fixes that do not conflict; return whether there may be more to apply."""
        by_file = self._fixable(diagnostics)
        changed = [self._edit(path, [*by_fix.values()]) for path, by_fix in by_file.items()]
        return any(changed)

    def _fixable(self, diagnostics: Iterable[Diagnostic]) -> dict[Path, dict[Fix, Diagnostic]]:
        """Return the fixes to apply, by the real paths of their files, with their findings."""
        by_file: dict[Path, dict[Fix, Diagnostic]] = {}
        changeable = cache(self._changeable)  # many findings have the same file
        for diagnostic in diagnostics:
            if diagnostic.fix and self._fix_options.selects(diagnostic):
                real = changeable(diagnostic.place.file)
                if real and diagnostic.fix not in self._refused.get(real, ()):
                    by_file.setdefault(real, {}).setdefault(diagnostic.fix, diagnostic)
        return by_file

    def _changeable(self, name: str) -> Path | None:
        """Return the real path of a file; None if it must not change."""
        path = Path(name)
        real = self._drafts.real(path)
        parents = Path(os.path.abspath(path)).parents  # noqa: PTH100 - links are not followed
        is_in_folder = any(folder in parents for folder in self._folders)
        return real if is_in_folder or real in self._named else None

    def _edit(self, path: Path, diagnostics: list[Diagnostic]) -> bool:
        """Apply the fixes of one file; return whether there may be more to apply."""
        try:
            file = self._open(path)
        except OSError as error:
            self._refuse(path, diagnostics, (error.strerror or str(error)).lower())
            return False
        form = format_of(diagnostics[0].place.file) or guess_format(file.after)
        by_fix = {fix_in_text(diagnostic, form): diagnostic for diagnostic in diagnostics}
        edited = edit_text(file.text, form, [fix for fix in by_fix if fix])
        self._edited_characters += len(file.text)
        unplaced = [by_fix[None]] if None in by_fix else []
        if edited.made:
            fixed = sorted((by_fix[fix] for fix in edited.made), key=sort_key)
            self._files[path] = file.edited(edited.text, fixed)
            self._drafts.put(path, self._files[path].after)
            self._refused.pop(path, None)  # they may be possible in the new text
        else:
            refused = [*unplaced, *(by_fix[fix] for fix in edited.refused)]
            self._refuse(path, refused, _AMBIGUOUS_EDIT)
        has_more = len(edited.made) + len(edited.refused) + len(unplaced) < len(diagnostics)
        return bool(edited.made or (edited.refused and has_more))

    def _refuse(self, path: Path, diagnostics: Iterable[Diagnostic], reason: str) -> None:
        for diagnostic in diagnostics:
            if diagnostic.fix:
                self._refused.setdefault(path, {})[diagnostic.fix] = (diagnostic, reason)

    def _open(self, path: Path) -> FileFix:
        """Return a file with the fixes so far; read it at first use.

        Raises:
            OSError: the file cannot be read, or is outside the workspace.

        """
        if path not in self._files:
            if path not in self._named and not any(root in path.parents for root in self._roots):
                raise OSError(_OUTSIDE)
            draft = self._drafts.draft(path)
            data = read_bytes(path) if draft is None else draft
            self._files[path] = FileFix(self._named.get(path, path), data, data, ())
        return self._files[path]
