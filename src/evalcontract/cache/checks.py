"""A check that was done before is not done again: its outcome is taken from the cache.

A run is a function of what it asks: of the files, the installation, the day and the options. All
but the files is one key; under it stand the lists of questions that earlier runs have put to the
files. Such a list with the answers that are given now is another key, and under that stands the
outcome: with the same answers, a run would go on to ask the very same, and find the same.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from evalcontract.cache.installation import installation_fingerprint, loaded_code
from evalcontract.cache.recording import RecordingFiles
from evalcontract.cache.serialization import CacheMiss, deserialize, serialize
from evalcontract.cache.store import digest
from evalcontract.source import DISK

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.cache.store import Cache
    from evalcontract.model.diagnostic import Outcome
    from evalcontract.source import Files

#: Lists of questions that are kept: a run asks others where names or references have changed.
_MOST_LISTS = 8


def cached_check(cache: Cache, asked: Any, check: Callable[[Files], Outcome]) -> Outcome:
    """Return what `check` finds in some files, from the cache where it is known.

    `asked` is all that it depends on besides, as a value whose `repr` tells it from others.
    """
    installation = installation_fingerprint()
    if installation is None:
        return check(DISK)
    context = _digest(installation.fingerprint, asked)
    with suppress(CacheMiss):
        return _recall(cache, context)
    files = RecordingFiles()
    outcome = check(files)
    if installation.has_plugins:
        files.record_code(loaded_code())
    _remember(cache, context, files, outcome)
    return outcome


def _recall(cache: Cache, context: str) -> Outcome:
    """Return the outcome of a run that was given the same answers.

    Raises:
        CacheMiss: there is none.

    """
    files = RecordingFiles()
    for name in _lists(cache, context):
        with suppress(OSError, ValueError, LookupError, TypeError):
            questions = [tuple(question) for question in json.loads(cache.get(name) or b"")]
            answers = files.ask_again(questions)
            if kept := cache.get(_digest(name, answers)):
                return deserialize(kept)
    raise CacheMiss


def _remember(cache: Cache, context: str, files: RecordingFiles, outcome: Outcome) -> None:
    """Keep an outcome under the questions of its run, and their answers."""
    kept = serialize(outcome) if files.is_cacheable else None
    if kept is None:
        return
    questions = json.dumps(list(files.answers)).encode()
    name = _digest(context, questions)
    others = [other for other in _lists(cache, context) if other != name]
    cache.put(name, questions)
    cache.put(context, json.dumps([name, *others][:_MOST_LISTS]).encode())
    cache.put(_digest(name, list(files.answers.values())), kept)


def _lists(cache: Cache, context: str) -> list[str]:
    """Return the keys of the lists of questions, the latest first."""
    try:
        return [str(name) for name in json.loads(cache.get(context) or b"[]")]
    except (ValueError, TypeError):
        return []


def _digest(*values: Any) -> str:
    return digest(repr(values).encode())
