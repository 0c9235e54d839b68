"""A check that was done before is not done again: its outcome is remembered.

A run is a function of what it asks: the names below a folder, the bytes of the files that it
reads, the installation, the day and the options. So the names and all but the bytes are one key;
under it stands which files were read. Those with their bytes are the second key, and under that
stands the outcome.
"""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.api.environment import environment
from evalcontract.api.outcome_json import Unkept, outcome_from, outcome_to_json
from evalcontract.api.run import today
from evalcontract.source.witness import Witness, answer, digest, present
from evalcontract.workspace import find_root, real
from evalcontract.workspace.discovery import is_workspace
from evalcontract.workspace.survey import Survey, survey

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from evalcontract.api.options import Options
    from evalcontract.api.validate import Outcome

    #: What was asked, of which path, and what was answered.
    Answer = tuple[str, str, str | None]


def remembered(path: Path, options: Options, check: Callable[[Path, Options], Outcome]) -> Outcome:
    """Return what `check` gives, from the cache of the options where it is known."""
    cache = options.cache
    options = options._replace(today=options.today or today(), cache=None)
    top = _top(path, options)
    names = survey(top)
    question = _question(names, options)
    if cache is None or names is None or question is None:
        return check(path, options)
    with suppress(Unkept):
        return outcome_from(cache.get(_key(question, _ask_again(cache.get(question)))))
    witness = Witness(top, names.files)
    with present(witness):
        outcome = check(path, options)
    if witness.is_sound and survey(top) == names and (kept := outcome_to_json(outcome)):
        answers: list[Answer] = [(*asked, found) for asked, found in sorted(witness.seen.items())]
        cache.put(question, [(asked, of) for asked, of, _ in answers])
        cache.put(_key(question, answers), kept)
    return outcome


def _top(path: Path, options: Options) -> Path:
    """Return the folder below which a check of workspaces looks."""
    if options.root:
        return real(options.root)
    root = find_root(path)
    return root if is_workspace(root) else real(path)


def _question(names: Survey | None, options: Options) -> str | None:
    """Return the key of all but the bytes of files; None where it cannot be told."""
    around = environment()
    if names is None or around is None:
        return None
    try:
        here = os.getcwd()  # noqa: PTH109 - findings call files by their way from here
    except OSError:
        return None
    # One process gives the verdict of many, and who watches changes nothing.
    asked = repr(options._replace(progress=None, cache=None, jobs=1))
    return digest(repr([around, here, asked, names.above, names.below]).encode())


def _ask_again(known: Any) -> list[Answer]:
    """Ask what an earlier run has asked.

    Raises:
        Unkept: there was none, or something cannot be answered now.

    """
    try:
        answers = [(str(asked), str(path), answer(asked, path)) for asked, path in known or ()]
    except (TypeError, ValueError) as error:
        raise Unkept from error
    if not answers or any(found is None for _, _, found in answers):
        raise Unkept
    return answers


def _key(question: str, answers: list[Answer]) -> str:
    """Return the key of an outcome: that of the very same answers."""
    return digest(repr([question, answers]).encode())
