"""Tests of promptfoo: in a configuration, in files of their own, and in tables.

Measured on promptfoo 0.123.1, with `tests: [file://…]`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Self

from evalcontract.formats._findings import SystemChecker, missing_key, stops_loader
from evalcontract.formats._format import Format, RowLayout, SchemaChecker, codes_of_system
from evalcontract.formats.promptfoo.assertions import (
    KEYS,
    LISTS,
    NEEDED,
    SET,
    VARIABLE,
    AssertionRepeats,
    base_of,
    has_needed,
    misspelled,
    number_of,
    types,
)
from evalcontract.formats.promptfoo.table import find_rows
from evalcontract.formats.promptfoo.verdicts import predict, verdict_of
from evalcontract.model.diagnostic import Cause, Path, Problem
from evalcontract.model.nearest import nearest, suggestions
from evalcontract.model.values import clipped, quoted

if TYPE_CHECKING:
    from evalcontract.formats._graders import GraderPrediction
    from evalcontract.source.external import ExternalFile

#: Names that promptfoo gives a value besides.
_GIVEN = ("env", "output", "rubric", "prompt", "context", "_conversation")
_STOPS = "the test ends with an error"
_EFFECTS = {"threshold": "is dropped", "weight": "is joined with the others as one"}
_ADVICE = {
    "regex": "write a pattern of JavaScript, with `[Nn]oon` where `(?i)noon` is meant",
    "equals": "write a `value`",
    "javascript": "write an expression, or lines with `return`",
    "webhook": "write a URL",
    **dict.fromkeys(("is-json", "contains-json"), "write a JSON Schema of draft 7"),
    **dict.fromkeys(LISTS, "write a text"),
}
_DUPLICATE = Problem(
    "promptfoo/duplicate-id", "two tests have the description `{clipped}`", (), "change one"
)
_NO_ASSERTION = Problem(
    "promptfoo/no-assertion",
    "the test has no assertions: it passes whatever the output is",
    (),
    "write `assert`",
)


class PromptfooChecker(SystemChecker):
    """Reports what promptfoo rejects in each test, and what it silently drops or passes."""

    def __init__(self, *started: Any) -> None:
        super().__init__(*started)
        self._asserting = 0
        self._is_repeated = AssertionRepeats()
        # Where an assertion with a fault of a kind stands first; it lives as long as its id counts.
        self._faulty: dict[tuple[str, int], tuple[Path, Any]] = {}

    def check(self, row: Any, path: Path, *, is_clean: bool) -> Iterator[Problem]:
        """Check the next test."""
        found = [] if is_clean else self._schema.faults(row, path)
        if isinstance(row, dict) and not has_needed(row):
            found = [*_without_keys(row, path, found)]
        found = [each for each in found if not self._is_reported(each, row, path)]
        yield from found
        if stops_loader(found) or not isinstance(row, dict):
            return
        yield from _texts_for_numbers(row, path)
        yield from misspelled(row.get("options"), "options", (*path, "options"))
        yield from self._assertions(row, path)
        variables = row.get("vars")
        is_misplaced = isinstance(variables, dict) and "assert" in variables
        if is_misplaced:
            message = "`assert` is a variable here, and asserts nothing"
            code, advice = "promptfoo/assert-in-vars", "move it out of `vars`, by less indentation"
            yield Problem(code, message, (*path, "vars", "assert"), advice, on_key=True)
        name = row.get("description") or None
        yield from self._names.duplicate(name, path, "description", problem=_DUPLICATE)
        if row.get("assert"):
            self._asserting += 1
        elif not any(len(problem.path) > len(path) for problem in found) and not is_misplaced:
            self._bare.append(path)

    def finish(self) -> Iterator[Problem]:
        """Report the tests without assertions, if as many others have some."""
        if self._asserting >= len(self._bare):
            yield from self.bare_rows(_NO_ASSERTION)

    def _is_reported(self, problem: Problem, row: Any, path: Path) -> bool:
        """Whether a problem of an assertion is one of the default test that is reported already."""
        key, index = (*problem.path[len(path) :], None, None)[:2]
        if key != "assert" or not isinstance(index, int):
            return False
        return not self._is_first("schema", row["assert"][index], path)

    def _is_first(self, kind: str, assertion: Any, path: Path) -> bool:
        key = kind, id(assertion)
        return self._faulty.setdefault(key, (path, assertion))[0] == path

    def _assertions(self, row: dict[str, Any], path: Path) -> Iterator[Problem]:
        if self._is_repeated(row.get("assert")):
            return
        for index, assertion in enumerate(row.get("assert") or ()):
            place = (*path, "assert", index)
            faults = [*_faults(assertion, row.get("vars"), place)]
            if faults and self._is_first("value", assertion, place):
                yield from faults


def _without_keys(row: dict[str, Any], path: Path, found: list[Problem]) -> Iterator[Problem]:
    """Yield that a test has none of the keys that one needs, instead of what is misspelled."""
    unknown = (key for key in row if key not in KEYS)
    near = next(((key, n) for key in unknown if (n := nearest(key, NEEDED))), None)
    yield from (each for each in found if near is None or each.path != (*path, near[0]))
    message = f"a test needs one of {quoted(NEEDED)}: promptfoo stops here"
    key, meant = near or (None, "vars")
    yield missing_key("promptfoo", message, path, meant, key, "write `vars` and `assert`")


def _faults(
    assertion: Any, variables: Any, where: Path, *, in_set: bool = False
) -> Iterator[Problem]:
    """Yield why a test ends with an error at an assertion."""
    type_ = assertion.get("type") if isinstance(assertion, dict) else None
    if not isinstance(type_, str) or type_.startswith("promptfoo:redteam:"):
        return
    found = verdict_of(assertion, variables)
    if found is None or found.key != "threshold":
        yield from _texts_for_numbers(assertion, where)
    key = found.key if found and found.key in assertion else None
    place = where if key is None else (*where, key)
    if type_ == SET and not in_set:
        if found:
            message = f"{found.reason}: promptfoo stops here"
            yield Problem("promptfoo/malformed-value", message, where, "write one")
            return
        for index, each in enumerate(assertion["assert"]):
            yield from _faults(each, variables, (*where, "assert", index), in_set=True)
    elif base_of(type_) not in types():
        near = suggestions(tuple(types())).nearest(base_of(type_))
        message = f"promptfoo has no assertion `{clipped(type_)}`: {_STOPS}"
        advice = f"did you mean `{near}`?" if near else "see its list of assertions"
        yield Problem("promptfoo/unknown-assertion", message, (*where, "type"), advice)
    elif found and found.state == "error":
        message = f"{found.reason}: {_STOPS}"
        yield Problem("promptfoo/malformed-value", message, place, "write one")
    elif found and found.state == "fail":
        message = f"{found.reason}: `{type_}` fails whatever the output is"
        yield Problem("promptfoo/always-fails", message, place, _ADVICE.get(base_of(type_)))
    else:
        yield from _unknown(assertion.get("value"), variables, (*where, "value"))


def _texts_for_numbers(given: dict[str, Any], where: Path) -> Iterator[Problem]:
    """Yield the numbers of a test or an assertion in quotes that promptfoo does not read as such.

    An assertion is compared with the number in its threshold.
    """
    for key, effect in _EFFECTS.items():
        text = given.get(key)
        is_compared = key == "threshold" and given.get("type", SET) != SET
        if isinstance(text, str) and (not is_compared or number_of(text) is None):
            message = f"the {key} `{clipped(text)}` is a text, and {effect}"
            advice = "remove the quotes" if number_of(text) is not None else "write a number"
            cause = Cause(f"{key}:{text}", "contain it")
            yield Problem("promptfoo/quoted-number", message, (*where, key), advice, cause=cause)


def _unknown(value: Any, variables: Any, place: Path) -> Iterator[Problem]:
    """Yield the variables in a value that the test does not have, which are empty there."""
    if isinstance(value, list):
        for index, part in enumerate(value):
            yield from _unknown(part, variables, (*place, index))
    elif isinstance(value, str) and isinstance(variables, dict):
        names = dict.fromkeys(VARIABLE.findall(value))
        unknown = [name for name in names if name not in variables and name not in _GIVEN]
        known = suggestions(tuple(variables)) if unknown else None
        for name in unknown:
            near = known.nearest(name) if known else None
            message = f"the test has no variable `{name}`: it is empty here"
            advice = f"did you mean `{near}`?" if near else "write it below `vars`"
            yield Problem("promptfoo/unknown-variable", message, place, advice)


#: Configurations have two of these keys.
_CONFIGURATIONS = (
    *(("prompts", "providers"), ("prompts", "tests"), ("providers", "tests"), ("targets", "tests")),
    *(("providers", "redteam"), ("targets", "redteam"), ("prompts", "targets")),
)


class Promptfoo(Format):
    """Tests, with variables and assertions."""

    name = "promptfoo"
    conversion = "evalcontract.formats.promptfoo.conversion:PromptfooLens"
    title = "promptfoo"
    media = ("yaml", "json", "jsonl", "csv")
    basis = "the loader and the assertions of promptfoo 0.123.1, run"
    codes = codes_of_system(
        "promptfoo",
        rejected=("ragged-row", "unknown-assertion", "malformed-value"),
        silently_accepted=(
            "assert-in-vars",
            "unread-cell",
            "no-rows",
            "always-fails",
            "quoted-number",
        ),
        guesses=(
            *("no-assertion", "equals-of-text", "split-list", "unknown-variable", "misplaced-key"),
        ),
        notes=("not-followed",),
    )
    row_checker = PromptfooChecker
    named_by = ("description",)

    @classmethod
    def recognise(cls, value: dict[str, Any]) -> Self | None:
        """Detect a test by its variables or assertions, a configuration by two of its keys."""
        tests = value.get("tests")
        has_tests = isinstance(tests, list) and any(map(_is_test, tests[:5]))
        is_configuration = any(value.keys() >= {*keys} for keys in _CONFIGURATIONS)
        is_table = any(key.strip().startswith("__expected") for key in value)
        is_default = isinstance(value.get("defaultTest"), dict)
        is_ours = has_tests or is_configuration or is_table or is_default or _is_test(value)
        return cls() if is_ours else None

    def rows(self, file: ExternalFile, schema: SchemaChecker) -> RowLayout:
        return find_rows(file, schema)

    def name_of(self, row: Any) -> str | None:
        return super().name_of(row) or None

    def predict(
        self,
        row: Any,
        file: ExternalFile | None = None,
    ) -> Iterator[GraderPrediction]:
        return predict(row)


def _is_test(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and (isinstance(value.get("vars"), dict) or _is_list(value.get("assert")))
        and "id" not in value
    )


def _is_list(given: Any) -> bool:
    return isinstance(given, list) and all(
        isinstance(each, dict) and "type" in each for each in given
    )
