"""What the command line finds in a file, or in a workspace, by the resolved path of the file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from evalcontract.checking.pipeline import check_workspaces, validate
from evalcontract.datasets.opening import Input, Options
from evalcontract.datasets.passes import NATIVE
from evalcontract.lsp.kinds import CONFIGURATION, kind_of
from evalcontract.model.diagnostic import Diagnostic, Place, Severity, Span
from evalcontract.model.errors import ConfigurationError, EvalContractError
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.workspace import find_root
from evalcontract.workspace.roots import is_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from evalcontract.model.diagnostic import Site
    from evalcontract.source import Files
    from evalcontract.workspace import Workspace

    #: Findings by the resolved path of their file.
    ByFile = dict[Path, list[Diagnostic]]

#: The findings after which a check stops, as on the command line.
_MAX_FINDINGS = 10_000
_PLACE = lazy_pattern(r"(?P<file>[^\n]*?)(?::(?P<line>\d+))?: (?P<message>.*)", re.DOTALL)


class Work(NamedTuple):
    """What checks share: the files, the workspaces that are open, and what may end the work."""

    files: Files
    look: Callable[[], None]
    opened: Mapping[Path, Workspace]


def findings_of_file(path: Path, kind: str | None, work: Work) -> list[Diagnostic]:
    """Return the findings in one file, as if it were checked with its workspace."""
    if kind is None or kind not in tuple(Kind):
        return []
    root = find_root(path, work.files)
    dialect = NATIVE if is_workspace(root, work.files) else None
    options = _options(work)._replace(opened=work.opened, dialect=dialect)
    inputs = [Input(path, files=work.files)]
    found = _checked(lambda: validate(Kind(kind), inputs, options).diagnostics, root)
    return by_file(found, work.files).get(work.files.real(path), [])


def findings_of_workspace(root: Path, work: Work) -> ByFile:
    """Return the findings of a workspace, of those inside of it, and of all files in them."""
    options = _options(work)._replace(allows_empty=True)
    found = _checked(lambda: check_workspaces(root, options).diagnostics, root)
    return by_file(found, work.files)


def workspace_of(path: Path, files: Files) -> Path | None:
    """Return the workspace of a file; None for a file outside of every workspace."""
    root = find_root(path, files)
    return root if is_workspace(root, files) else None


def needs_workspace(kind: str | None) -> bool:
    """Whether what a file of this kind says changes the findings in other files."""
    return kind is not Kind.DATASET


def kind_with(path: Path, known: str | None, size: int, files: Files) -> str | None:
    """Return the kind of a file; for a large dataset, the kind that it had before."""
    if known is Kind.DATASET and size > _LARGE:
        return known
    return kind_of(path, files)


#: The bytes from which on a dataset is not read a second time to tell that it still is one.
_LARGE = 1 << 16


def _options(work: Work) -> Options:
    return Options(files=work.files, look=work.look, max_findings=_MAX_FINDINGS)


def _checked(check: Callable[[], list[Diagnostic]], root: Path) -> list[Diagnostic]:
    """Return findings; the command line refuses to check with a configuration that is invalid."""
    try:
        return check()
    except EvalContractError as error:
        where = _PLACE.fullmatch(str(error))
        if not isinstance(error, ConfigurationError) or where is None:
            return [_failure(str(error), Place(str(root / CONFIGURATION)))]
        line = int(where["line"] or 1)
        span = Span(line, 1, line, 1 << 16)
        return [_failure(where["message"], Place(where["file"], span))]


def _failure(message: str, place: Place) -> Diagnostic:
    return Diagnostic("", Severity.ERROR, message, place)


def by_file(diagnostics: Iterable[Diagnostic], files: Files) -> ByFile:
    """Return findings by file, those with several places at each of them."""
    found: ByFile = {}
    real: dict[str, Path] = {}
    for diagnostic in diagnostics:
        for one in spread(diagnostic):
            name = one.place.file
            if name not in real:
                real[name] = files.real(Path(name).absolute())
            found.setdefault(real[name], []).append(one)
    return found


def spread(diagnostic: Diagnostic) -> list[Diagnostic]:
    """Return a finding at each of its places; the others are related to the first."""
    if diagnostic.sites is None:
        return [diagnostic]
    own = diagnostic.place
    others = [site for site in diagnostic.sites.first if not _is_same(site.place, own)]
    message = diagnostic.sites.message
    related = [(message, site.place) for site in others[:_RELATED]]
    first = diagnostic._replace(related=(*diagnostic.related, *related))
    return [first, *(_at(site, diagnostic) for site in others)]


def _at(site: Site, finding: Diagnostic) -> Diagnostic:
    """Return a finding at another of its places."""
    return finding._replace(
        place=site.place,
        path=site.path,
        row=site.row,
        row_index=site.row_index,
        fix=site.fix,
        sites=None,
        related=(("also reported here", finding.place),),
    )


#: The number of other places of a finding that are listed with it.
_RELATED = 20


def _is_same(one: Place, other: Place) -> bool:
    return (one.file, one.span) == (other.file, other.span)
