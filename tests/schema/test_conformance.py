"""The conformance suite, run through both engines of the package.

`jsonschema` must give the verdict and every error of a case, `jsonschema_rs` the verdict.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from conformance_suite import groups, read, suite_files, topic
from tables import every_case

from evalcontract.structure.exact import validator_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Error = tuple[str, str, str | None]


GROUPS = groups()


@pytest.mark.slow
@every_case("group", GROUPS.values(), ids=GROUPS)
def test_exact_engine_reports_the_errors(group: Any, exact: dict[str, Any]) -> None:
    """Every case has exactly its errors, at their paths and by their keywords."""
    validator = exact[group["schema"]]
    for case in group["tests"]:
        expected = sorted(map(_stated, case.get("errors", [])), key=str)
        found = sorted(_found(validator, case["data"]), key=str)
        assert found == expected, case["description"]


@every_case("group", GROUPS.values(), ids=GROUPS)
def test_fast_engine_gives_the_verdict(group: Any, native: dict[str, Any]) -> None:
    """The fast engine accepts what is valid and nothing else."""
    validator = native[group["schema"]]
    for case in group["tests"]:
        assert validator.is_valid(case["data"]) is case["valid"], case["description"]


@pytest.mark.slow
@every_case("suite_file", suite_files(), ids=topic)
def test_file_follows_the_suite_schema(suite_file: Path, suite_schema: Any) -> None:
    """A file of the suite has the shape that a port may rely on, in the folder of its schema."""
    read_groups = read(suite_file)
    validator_for(suite_schema).validate(read_groups)
    assert {group["schema"] for group in read_groups} == {suite_file.parent.name}


@every_case("suite_file", suite_files(), ids=topic)
def test_descriptions_are_unique(suite_file: Path) -> None:
    """A group is found by its description in the file, a case by its own in the group."""
    read_groups = read(suite_file)
    assert _twice(group["description"] for group in read_groups) == []
    for group in read_groups:
        assert _twice(case["description"] for case in group["tests"]) == [], group["description"]


def _stated(error: dict[str, str]) -> Error:
    return error["path"], error["keyword"], error.get("property")


def _found(validator: Any, data: Any) -> Iterator[Error]:
    for error in validator.iter_errors(data):
        for name in _properties(error):
            yield _pointer(error.absolute_path), error.validator, name


def _properties(error: Any) -> list[Any]:
    """List the keys that an error is about: the missing one, or those that are one too many."""
    if error.validator == "additionalProperties":
        return [key for key in error.instance if key not in error.schema["properties"]]
    if error.validator == "required":
        # The engine yields one error for each missing key, and names it in the message alone.
        missing = (key for key in error.validator_value if key not in error.instance)
        return [key for key in missing if error.message.startswith(repr(key))]
    return [None]


def _pointer(path: Any) -> str:
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _twice(names: Iterator[str]) -> list[str]:
    return [name for name, times in Counter(names).items() if times > 1]
