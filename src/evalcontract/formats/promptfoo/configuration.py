"""The tests of a configuration of promptfoo, each with what the default test adds to it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any
from urllib.parse import unquote

from evalcontract.formats._findings import mapping_at, near_miss, stops_loader
from evalcontract.formats._format import RowLayout, SchemaChecker
from evalcontract.formats.promptfoo.assertions import has_needed, misspelled
from evalcontract.model.diagnostic import Cause, Path, Problem
from evalcontract.model.nearest import suggestions
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import clipped

KEY = "$ref"
#: How many values the references of a file may name in all, how many of them may lead to one
#: another, and how deeply what comes of them may be nested.
_MAX_VALUES, _MAX_STEPS, _MAX_DEPTH = 200_000, 50, 100
_TOO_MANY = "the references of the file name too many values, which are not looked at"
_TOO_DEEP = "references lead to one another too often, and are not looked at"


class UnresolvedError(Exception):
    """A reference that is not replaced: where it stands, and why.

    It `is_elsewhere` if it names another file, so that promptfoo may find what we do not look for.
    """

    def __init__(self, path: Path, reason: str, *, is_elsewhere: bool = False) -> None:
        super().__init__(reason)
        self.path = path
        self.reason = reason
        self.is_elsewhere = is_elsewhere


class References:
    """The references of one configuration."""

    def __init__(self, root: Any) -> None:
        self._root = root
        self._values_left = _MAX_VALUES
        self._steps = 0
        # What a name stands for, how many values that has and how deeply it is nested; or why it
        # stands for nothing.
        self._targets: dict[str, tuple[Any, int, int] | UnresolvedError] = {}

    def replaced(self, value: Any, path: Path) -> Any:
        """Return a value without references; the same value if it has none.

        Raises:
            UnresolvedError: a reference leads nowhere, to itself or to another file.

        """
        if not _has_reference(value):
            return value
        if len(path) > _MAX_DEPTH:
            raise UnresolvedError(path, _TOO_DEEP, is_elsewhere=True)
        if isinstance(value, list):
            return [self.replaced(each, (*path, at)) for at, each in enumerate(value)]
        name = value.get(KEY)
        rest = {
            key: self.replaced(each, (*path, key))
            for key, each in value.items()
            if key != KEY or not _is_reference(each)
        }
        if not _is_reference(name):
            return rest
        target = self._target(name, path)
        if not rest:
            return target
        return {**(target if isinstance(target, dict) else {}), **rest}

    def _target(self, name: str, path: Path) -> Any:
        """Return what a name stands for, without references."""
        if name not in self._targets:
            self._targets[name] = UnresolvedError(path, f"`{name}` leads to itself")
            self._steps += 1
            try:
                target = self.replaced(self._named(name, path), path)
                self._targets[name] = target, *_measured(target)
            except UnresolvedError as error:
                self._targets[name] = error
            finally:
                self._steps -= 1
        known = self._targets[name]
        if isinstance(known, UnresolvedError):  # where the first of the references stands
            raise UnresolvedError((*path, KEY), known.reason, is_elsewhere=known.is_elsewhere)
        target, size, depth = known
        self._values_left -= size
        if self._values_left < 0 or len(path) + depth > _MAX_DEPTH:
            reason = _TOO_MANY if self._values_left < 0 else _TOO_DEEP
            raise UnresolvedError((*path, KEY), reason, is_elsewhere=True)
        return target

    def _named(self, name: str, path: Path) -> Any:
        """Return what a JSON pointer of the file names."""
        if not name.startswith("#"):
            reason = f"`{name}` is not looked at"
            raise UnresolvedError((*path, KEY), reason, is_elsewhere=True)
        if self._steps > _MAX_STEPS:
            raise UnresolvedError((*path, KEY), _TOO_DEEP, is_elsewhere=True)
        value = self._root
        for step in name.split("/")[1:]:
            key = unquote(step).replace("~1", "/").replace("~0", "~")
            if isinstance(value, list) and _is_index(key, value):
                value = value[int(key)]
            elif isinstance(value, dict) and key in value:
                value = value[key]
            else:
                raise UnresolvedError((*path, KEY), f"there is no `{name}`")
        return value


def _is_reference(value: Any) -> bool:
    """Whether promptfoo follows a name: a pointer in the file, or the name of another one."""
    if not isinstance(value, str) or not value:
        return False
    return value == "#" or value.startswith("#/") or not value.startswith("#")


def _is_index(key: str, values: list[Any]) -> bool:
    is_number = key.isascii() and key.isdigit() and len(key) <= len(str(len(values)))
    return is_number and int(key) < len(values)


def _levels(value: Any) -> Iterator[list[Any]]:
    """Yield the values of each depth of a value, itself first."""
    level = [value]
    while level:
        yield level
        parts = (each.values() if isinstance(each, dict) else each for each in level
                 if isinstance(each, dict | list))  # fmt: skip
        level = [part for each in parts for part in each]


def _measured(value: Any) -> tuple[int, int]:
    """Return how many values a value has, itself included, and how deeply it is nested.

    Of a value with too many it is enough to know that.
    """
    size = depth = 0
    for level in _levels(value):
        size, depth = size + len(level), depth + 1
        if size > _MAX_VALUES:
            break
    return size, depth


def _has_reference(value: Any) -> bool:
    mappings = (each for level in _levels(value) for each in level if isinstance(each, dict))
    return any(_is_reference(each.get(KEY)) for each in mappings)


NO_ROWS = Problem("promptfoo/no-rows", "there are no tests", (), "add a test")
#: How many variables and assertions of a default test are always added to every test, and how many
#: are added to all of them, if it has more.
_FEW, _MAX_ADDED = 10, 100_000
_TESTS, _DEFAULT = ("tests",), ("defaultTest",)
#: Keys of a default test that count where a test has no value of its own, and keys whose mappings
#: are joined with those of a test.
ADDED = ("threshold", "prompts", "provider", "providers", "assertScoringFunction")
MERGED = ("vars", "options", "metadata")
_NAMES = ("tests", "defaultTest")


def of_configuration(value: dict[str, Any], schema: SchemaChecker) -> RowLayout:
    """Return the tests of a configuration."""
    references = References(value)
    problems = [*misspelled(value, "file", ())]
    tests = value.get("tests")
    if isinstance(tests, dict):
        try:
            tests = references.replaced(tests, _TESTS)
        except UnresolvedError as error:
            return RowLayout.without_rows(_unresolved(error))
    if value.get("scenarios"):
        problems.append(_not_looked_at("the tests of `scenarios` are", ("scenarios",)))
    if not isinstance(tests, list):
        found = _without_list(value, tests)
        return RowLayout([], problems=(*problems, *found))
    default, faults = _default_of(value, references, schema)
    problems += faults
    layout = _of_list(tests, _TESTS, default, references=references, problems=problems)
    return layout._replace(problems=(*layout.problems, *_unused_variables(value, layout)))


_NAME = lazy_pattern(r"\{[{%]-?\s*(?:for\s+\w+\s+in\s+|if\s+)?([A-Za-z_]\w*)")
#: So many variables of prompts are looked for in tests.
_MOST = 100
_FILE = lazy_pattern(r"file://|.*(?:\*|\.\w{1,5})$")


def prompts_of(value: Any) -> list[str | None]:
    """Return the texts of the prompts of a configuration; None for one in a file."""
    given = value.get("prompts") if isinstance(value, dict) else None
    prompts = given if isinstance(given, list) else [given]
    # Without a label, a mapping is a prompt as JSON.
    bare = [p.get("label") and p.get("raw") if isinstance(p, dict) else p for p in prompts]
    return [text if isinstance(text, str) and not _FILE.match(text) else None for text in bare]


def _unused_variables(value: dict[str, Any], layout: RowLayout) -> Iterator[Problem]:
    """Yield the variables that nothing uses where the test lacks one of a prompt with such a name.

    Nothing is known of a configuration whose prompts stand in files.
    """
    texts = prompts_of(value)
    known = [text for text in texts if text is not None]
    wanted = [*dict.fromkeys(name for text in known for name in _NAME.findall(text))][:_MOST]
    beside = repr({key: part for key, part in value.items() if key not in _NAMES})
    for index, row in enumerate(layout.rows or () if len(known) == len(texts) else ()):
        variables = mapping_at(row, "vars") if isinstance(row, dict) else {}
        missing = suggestions(tuple(name for name in wanted if name not in variables))
        near = {name: missing.nearest(str(name)) for name in variables if wanted}
        like = [name for name in near if near[name] and name not in beside][:_FEW]
        rest = repr({**row, "vars": [*variables.values()]}) if like else ""
        for name in (name for name in like if name not in rest):
            message = f"no prompt uses the variable `{clipped(name)}`"
            path = (*layout.prefix, index, "vars", name)
            found = layout.placed(near_miss("promptfoo", message, path, str(near[name])))
            yield found._replace(row_index=index, cause=Cause(f"vars:{name}", "contain it"))


def of_list(tests: list[Any]) -> RowLayout:
    """Return the tests of a list, in which promptfoo replaces no references."""
    return _of_list(tests, (), {}, references=None, problems=[])


def default_test_of(value: dict[str, Any]) -> dict[str, Any]:
    """Return the default test of a configuration; an empty one if there is none to be read."""
    try:
        default = References(value).replaced(value.get("defaultTest"), _DEFAULT)
    except UnresolvedError:
        return {}
    return default if isinstance(default, dict) else {}


def tests_elsewhere(value: Any) -> Iterator[tuple[int, Any]]:
    """Yield the entries of a list of tests that name other files, each with its number."""
    references = References(value) if isinstance(value, dict) else None
    tests = value.get("tests") if isinstance(value, dict) else value
    for index, given in enumerate(tests if isinstance(tests, list) else ()):
        try:
            test = references.replaced(given, (*_TESTS, index)) if references else given
        except UnresolvedError:
            yield index, given
            continue
        if isinstance(test, str) or _is_generator(test):
            yield index, given


def _default_of(
    value: dict[str, Any], references: References, schema: SchemaChecker
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the default test, and its faults but for those that each test has with it."""
    try:
        default = references.replaced(value.get("defaultTest"), _DEFAULT)
    except UnresolvedError as error:
        return {}, [_unresolved(error)]
    if isinstance(default, str):
        return {}, [_not_looked_at(f"the default test in `{clipped(default)}` is", _DEFAULT)]
    if not isinstance(default, dict):
        return {}, []
    faults = schema.faults(default, _DEFAULT)
    if stops_loader(faults):
        return {}, faults
    return default, [each for each in faults if each.path[1:2] != ("assert",)]


def _without_list(value: dict[str, Any], tests: Any) -> Iterator[Problem]:
    if isinstance(tests, str) or _is_generator(tests):
        yield _not_followed(tests, _TESTS)
    elif tests is not None:
        message = "`tests` is neither a list nor the name of a file, and is ignored"
        yield NO_ROWS._replace(message=message, path=_TESTS)
    elif "redteam" in value:
        message = "the tests of `redteam` are made when promptfoo runs, and are"
        yield _not_looked_at(message, ("redteam",))
    elif not value.get("scenarios"):
        message = "the configuration has no `tests`: promptfoo runs each prompt once, and it passes"
        yield NO_ROWS._replace(message=message)


def _is_generator(test: Any) -> bool:
    return isinstance(test, dict) and "path" in test and test.keys() <= {"path", "config"}


def _not_followed(name: Any, path: Path) -> Problem:
    shown = name if isinstance(name, str) else name.get("path")
    message = f"the tests in `{clipped(str(shown))}` are not looked at"
    return Problem("promptfoo/not-followed", message, path, "check that file by itself")


def _not_looked_at(what: str, path: Path) -> Problem:
    advice = "check them by themselves, as a list of tests"
    return Problem("promptfoo/not-followed", f"{what} not looked at", path, advice)


def _unresolved(error: UnresolvedError) -> Problem:
    reason = clipped(error.reason)
    if error.is_elsewhere:
        return Problem("promptfoo/not-followed", reason, error.path, "write it in this file")
    return Problem("promptfoo/rejected", f"{reason}: promptfoo stops here", error.path, None)


def _of_list(
    tests: list[Any],
    prefix: Path,
    default: dict[str, Any],
    references: References | None,
    problems: list[Problem],
) -> RowLayout:
    if not tests:
        problems.append(NO_ROWS._replace(path=prefix))
    most, few = limits_of(default, len(tests))
    rows: list[Any] = []
    own: list[Any] = []
    places: list[int] = []
    for index, given in enumerate(tests):
        path = (*prefix, index)
        try:
            test = references.replaced(given, path) if references else given
        except UnresolvedError as error:
            problems.append(_unresolved(error))
            continue
        if isinstance(test, str) or _is_generator(test):
            problems.append(_not_followed(test, path))
            continue
        own.append(test)
        rows.append(with_default(test, default if len(rows) < most else few))
        places.append(index)
    if len(rows) > most:
        message = f"only the first {most:,} tests have the whole default test: it is too large"
        advice = "split it, or the list of tests"
        problems.append(Problem("promptfoo/not-followed", message, _DEFAULT, advice))
    if len(rows) == len(tests) and not default:
        return RowLayout(rows, prefix=prefix, problems=tuple(problems))

    def place_of(path: Path) -> Path:
        row, *rest = path[len(prefix) :]
        test = own[int(row)] if isinstance(own[int(row)], dict) else {}
        return _place_in_default(test, default, rest) or (*prefix, places[int(row)], *rest)

    return RowLayout(rows, prefix=prefix, problems=tuple(problems), place_of=place_of)


def _place_in_default(
    test: dict[str, Any], default: dict[str, Any], rest: list[str | int]
) -> Path | None:
    """Return the place of a value that the default test added to a test; None if it did not."""
    key, *below = rest or [""]
    given = test.get(str(key))
    if key not in default:
        return None
    if key == "assert":
        count = len(given) if isinstance(given, list) else 0
        if below and isinstance(below[0], int) and below[0] >= count:
            return (*_DEFAULT, key, below[0] - count, *below[1:])
        return (*_DEFAULT, key) if not below and given is None else None
    if key in MERGED:
        is_mapping = isinstance(given, dict)
        is_own = given is not None and (not is_mapping or not below or below[0] in given)
        return None if is_own else (*_DEFAULT, *rest)
    return (*_DEFAULT, *rest) if key in ADDED and given is None else None


def limits_of(default: dict[str, Any], count: int) -> tuple[int, dict[str, Any]]:
    """Return how many of some tests have the whole default test, and what the others have of it."""
    given = {key: default.get(key) for key in ("vars", "assert")}
    parts = {key: part for key, part in given.items() if isinstance(part, dict | list)}
    added = sum(map(len, parts.values()))
    most = count if added <= _FEW else _MAX_ADDED // added
    return most, default | {key: _first(part) for key, part in parts.items()}


def _first(part: Any) -> Any:
    """Return the first variables or assertions of a default test."""
    return part[:_FEW] if isinstance(part, list) else dict(islice(part.items(), _FEW))


def with_default(test: Any, default: dict[str, Any]) -> Any:
    """Return a test with what the default test adds to it.

    promptfoo puts the assertions of the default test first; here they are last, so that those of
    the test have the numbers that they have in the file.
    """
    if not isinstance(test, dict) or not default or not has_needed(test):
        return test  # promptfoo stops before the default test is added
    whole = dict(test)
    for key in MERGED:
        added, own = default.get(key), test.get(key)
        if isinstance(added, dict) and isinstance(own, dict | None):
            whole[key] = {**added, **(own or {})}
    for key in ADDED:
        if whole.get(key) is None and default.get(key) is not None:
            whole[key] = default[key]
    given, asserts = default.get("assert"), test.get("assert")
    options = test.get("options")
    is_off = isinstance(options, dict) and options.get("disableDefaultAsserts") is True
    if isinstance(given, list) and given and isinstance(asserts, list | None) and not is_off:
        whole["assert"] = [*asserts, *given] if asserts else given
    return whole
