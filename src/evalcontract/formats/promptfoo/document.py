"""What a document has beside its tests: kept in the root of a dataset, and written around tests.

A test that is read has what the default test adds to it. Around the default test, a test is written
without that again, so that promptfoo adds it once.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evalcontract.formats._conversion import Loss
from evalcontract.formats._findings import mapping_at
from evalcontract.formats._residual import Row
from evalcontract.formats.promptfoo.assertions import is_configuration
from evalcontract.formats.promptfoo.configuration import (
    ADDED,
    KEY,
    MERGED,
    default_test_of,
    limits_of,
    tests_elsewhere,
    with_default,
)
from evalcontract.model.startup import NamedTuple
from evalcontract.model.values import json_equal

#: The name of the system below `metadata` of a dataset, and what stands there: the configuration
#: without its tests, and the entries of the list of tests that lead elsewhere, by their numbers.
THEIRS = "promptfoo"
CONFIGURATION, _ELSEWHERE = "configuration", "elsewhere"
#: The keys of a configuration that change which outputs there are, or nothing: never their scores.
UNSCORED = frozenset(
    {
        *("providers", "targets", "description", "evaluateOptions", "outputPath", "sharing"),
        *("tags", "writeLatestResults"),
    }
)
_TESTS, _DESCRIPTION, _DEFAULT = "tests", "description", "defaultTest"
NO_KEY = "a dataset of evalcontract has no key for it"
_MOST_DIGITS = 10
_ADDS_MORE = "it adds to a test what that does not have, so that each test has its part of it"


class DocumentParts(NamedTuple):
    """A dataset's root for a document, and the paths of the document that only its metadata has."""

    root: Row
    kept: tuple[tuple[str | int, ...], ...] = ()


def parts_of(value: Any) -> DocumentParts:
    """Return what a document has beside its tests."""
    elsewhere = {str(index): test for index, test in tests_elsewhere(value)}
    paths: list[tuple[str | int, ...]] = []
    theirs: Row = {}
    root: Row = {}
    above: tuple[str, ...] = ()
    if isinstance(value, dict) and is_configuration(value):
        above = (_TESTS,)
        name, tests = value.get(_DESCRIPTION), value.get(_TESTS)
        has_label = isinstance(name, str) and bool(name.strip())
        root = {"label": name} if has_label else {}
        said = {_DESCRIPTION: has_label, _TESTS: isinstance(tests, list) and bool(tests)}
        theirs[CONFIGURATION] = {k: part for k, part in value.items() if not said.get(k)}
        paths = [(key,) for key in theirs[CONFIGURATION] if key not in (_TESTS, _DEFAULT)]
        paths += _beside_default(value)
    if elsewhere:
        theirs[_ELSEWHERE] = elsewhere
        paths += [(*above, int(index)) for index in elsewhere]
    return DocumentParts({**root, "metadata": {THEIRS: theirs}} if theirs else root, tuple(paths))


def _beside_default(configuration: Row) -> Iterator[tuple[str, ...]]:
    """Yield what a default test has that it does not add to tests; all of one that is not read."""
    given = configuration.get(_DEFAULT)
    if isinstance(given, dict) and default_test_of(configuration):
        added = (*ADDED, *MERGED, "assert", KEY)
        yield from ((_DEFAULT, key) for key in given if key not in added)
    elif given:
        yield (_DEFAULT,)


def document_of(rows: list[Any], root: Row, reason: str) -> tuple[Any, list[Loss]]:
    """Return tests with what a root keeps of the document that they were in, and what is lost.

    The list of rows stays the same list. `reason` says why other keys of a root are lost.
    """
    metadata = mapping_at(root, "metadata")
    theirs = mapping_at(metadata, THEIRS)
    if not _is_kept(theirs):
        return rows, [Loss((key,), reason, is_kept=False) for key in root]
    free = {key: part for key, part in root.items() if key != "metadata"}
    free |= {"metadata": metadata} if len(metadata) > 1 else {}
    configuration: Row | None = theirs.get(CONFIGURATION)
    losses: list[Loss] = []
    if configuration is not None:
        if isinstance(label := free.pop("label", None), str):
            configuration = {_DESCRIPTION: label, **configuration}
        configuration, losses = _around(rows, configuration)
    for number, test in theirs.get(_ELSEWHERE, {}).items():
        rows.insert(int(number), test)
    losses += [Loss((key,), reason, is_kept=False) for key in free]
    if configuration is None:
        return rows, losses
    return {**configuration, **({_TESTS: rows} if rows else {})}, losses


def _is_kept(theirs: Row) -> bool:
    """Whether a mapping is what `parts_of` kept of a document."""
    parts = (theirs.get(CONFIGURATION, {}), theirs.get(_ELSEWHERE, {}))
    is_known = bool(theirs) and theirs.keys() <= {CONFIGURATION, _ELSEWHERE}
    if not is_known or not all(isinstance(part, dict) for part in parts):
        return False
    return all(name.isascii() and name.isdigit() and len(name) < _MOST_DIGITS for name in parts[1])


def _around(rows: list[Any], configuration: Row) -> tuple[Row, list[Loss]]:
    """Take from each row what the default test adds; if it adds more, leave the default test."""
    default = default_test_of(configuration)
    if not default:
        return configuration, []
    most, few = limits_of(default, len(rows))
    bare = [
        row and without_default(row, default if number < most else few)
        for number, row in enumerate(rows)
    ]
    if all(each is not None or row is None for row, each in zip(rows, bare, strict=True)):
        rows[:] = bare
        return configuration, []
    path = ("metadata", THEIRS, CONFIGURATION, _DEFAULT)
    rest = {key: part for key, part in configuration.items() if key != _DEFAULT}
    return rest, [Loss(path, _ADDS_MORE, is_kept=False)]


def without_default(test: Row, default: Row) -> Row | None:
    """Return the test to which a default test adds what a test has; None if it adds more."""
    return next(
        (each for each in _shorter(test, default) if json_equal(with_default(each, default), test)),
        None,
    )


def _shorter(test: Row, default: Row) -> Iterator[Row]:
    """Yield a test with less and less taken away of what a default test may have added."""
    added = {key: part for key, part in default.items() if key in ADDED}
    rest = {k: part for k, part in test.items() if k not in added or added[k] != part}
    bare = {**rest}
    for key in MERGED:
        given, shared = rest.get(key), default.get(key)
        if isinstance(given, dict) and isinstance(shared, dict):
            own = {
                name: part
                for name, part in given.items()
                if name not in shared or not json_equal(shared[name], part)
            }
            bare[key] = own
            if not own:
                del bare[key]
    for each in (bare, rest, test):
        yield _without_assertions(each, default)
        yield each


def _without_assertions(test: Row, default: Row) -> Row:
    given, shared = test.get("assert"), default.get("assert")
    if not isinstance(given, list) or not isinstance(shared, list) or not shared:
        return test
    count = len(given) - len(shared)
    if count < 0 or not json_equal(given[count:], shared):
        return test
    own = {"assert": given[:count]} if count else {}
    return {**{key: part for key, part in test.items() if key != "assert"}, **own}
