"""Convert tests of promptfoo to rows of evalcontract and back; no test loses anything."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from evalcontract.formats._conversion import (
    BUNDLES,
    OURS,
    Loss,
    OurRow,
    Reader,
    TheirRow,
    Writer,
    default_id,
)
from evalcontract.formats._fields import reason_against, reason_for
from evalcontract.formats._residual import Form, ResidualPlace, difference, is_row, restored
from evalcontract.formats.promptfoo.assertions import AssertionRepeats, cell_of, number_of
from evalcontract.formats.promptfoo.checks import (
    MAX_ASSERTIONS,
    NO_RUBRICS,
    SHARED,
    AssertionChecks,
    said_of,
)
from evalcontract.formats.promptfoo.fields import FIELDS, NO_INPUT, RUBRIC, SEVERAL
from evalcontract.formats.promptfoo.mapping import (
    INPUT,
    assertions_of,
    plain_of,
    question_in,
    to_ours,
    to_theirs,
    variables_of,
)
from evalcontract.model.diagnostic import Path
from evalcontract.model.values import json_equal

_NO_CELL = "no cell of a table is read as this value"
_TEXTS = ("description", "providerOutput")


def cells_of(test: dict[str, Any]) -> tuple[dict[str, str], list[Loss]]:
    """Return a test as cells by the names of columns, and what no cell can hold."""
    cells: dict[str, str] = {}
    losses: list[Loss] = []
    for path, column, cell in _cells(test):
        if cell is None:
            losses.append(Loss(path, _NO_CELL, is_kept=False))
        else:
            cells[column] = cell
    return cells, losses


def _cells(test: dict[str, Any]) -> Iterator[tuple[Path, str, str | None]]:
    """Yield each value of a test by its path, with its column and its cell."""
    variables, asserts, metadata = (test.get(key) for key in ("vars", "assert", "metadata"))
    for name, part in (variables if isinstance(variables, dict) else {}).items():
        yield ("vars", name), name, _variable(name, part)
    for number, assertion in enumerate(asserts if isinstance(asserts, list) else ()):
        yield ("assert", number), f"__expected{number + 1}", cell_of(assertion)
    for name, part in (metadata if isinstance(metadata, dict) else {}).items():
        yield ("metadata", name), f"__metadata:{name}", _metadata(name, part)
    for key, value in test.items():
        if key in _TEXTS:
            yield (key,), f"__{key}", value if isinstance(value, str) and value else None
        elif key == "threshold":
            is_read = isinstance(value, int | float) and number_of(str(value)) == value
            yield (key,), "__threshold", str(value) if is_read else None
        elif key not in ("vars", "assert", "metadata") and value is not None:
            yield (key,), "", None


def _variable(name: str, value: Any) -> str | None:
    is_name = name == name.strip() and name and not name.startswith("_")
    return value if is_name and isinstance(value, str) else None


def _metadata(name: str, value: Any) -> str | None:
    if name == OURS:
        return json.dumps(value, ensure_ascii=False)
    is_plain = isinstance(value, str) and value.strip() and name == name.strip()
    return value if is_plain and name and not name.endswith("[]") else None


def header_of(columns: Iterable[str]) -> list[str]:
    """Return the names of columns: variables first, then assertions by their number."""
    names = [*columns]
    variables = [name for name in names if not name.startswith("__")]
    numbered = [name for name in names if name.startswith("__expected")]
    others = [name for name in names if name.startswith("__") and name not in numbered]
    return [*variables, *sorted(numbered, key=lambda name: (len(name), name)), *others]


_ROOT = "a file of tests has no place for it"
_NESTED: dict[str, Any] = {"expected": {}, "context": {}}
_FORM = Form("set", "absent")
_IN_THEIRS = ResidualPlace("metadata", OURS, "_metadata")
_IN_OURS = ResidualPlace("metadata", "promptfoo", "_metadata")
#: What says which variable is the input, beside what is preserved of a test.
_VARIABLE = "variable"
#: What says that a row has no rubric of its own, or none, since there are so many of them.
_LIMIT = "rubrics"
#: How many different rubrics are made whose texts are their own, and how many others.
MAX_RUBRICS = 200
_TOO_MANY = f"only {MAX_ASSERTIONS} assertions of a test are converted"
#: Says that a row has no rubric, though its assertions would make one.
_NO_RUBRIC = ["rubric_ref"]


class PromptfooReader(Reader):
    """Converts tests to evalcontract; preserves everything else in `metadata.promptfoo`."""

    def __init__(self) -> None:
        self._ids: set[str] = set()
        self._rubrics: dict[bool, set[str]] = {True: set(), False: set()}
        self._is_repeated = AssertionRepeats()
        self._last: tuple[AssertionChecks, str | None, Any] | None = None

    def read(self, row: dict[str, Any], index: int) -> OurRow:
        """Convert a valid test; a foreign value in place of the residual is ordinary data."""
        bare, kept = _IN_THEIRS.split(plain_of(row), _is_kept)
        id_ = self._id_of(bare, index)
        said, limit = self._said(bare)
        ours = _FORM.applied(to_ours(bare, id_, said.keys), kept, _NESTED)
        if not (is_row(ours) and ours.get("id") and isinstance(ours.get("input"), str)):
            bare, ours = plain_of(row), to_ours(plain_of(row), id_)
        has_none = bool(kept) and _NO_RUBRIC in kept.get("absent", ())
        rubric = None if has_none or "rubric_ref" in ours or "rubric" in ours else said.rubric
        name = question_in(bare) or INPUT
        residual = difference(to_theirs(ours, assertions_of(ours, rubric), index, name), bare)
        losses = [*_losses_of_test(residual.set, bare, said)]
        written = _FORM.written(residual)
        if name != INPUT:
            written[_VARIABLE] = name
        if limit:
            written[_LIMIT] = limit
        judges = said.judges if rubric is not None else ()
        return OurRow(_IN_OURS.joined(ours, written), rubric, tuple(losses), judges)

    def _said(self, test: dict[str, Any]) -> tuple[AssertionChecks, str | None]:
        """Return what the assertions of a test say, and the limit if the rubrics are too many."""
        threshold = test.get("threshold")
        if self._is_repeated(test.get("assert")) and self._last and self._last[2] is threshold:
            return self._last[:2]
        said, limit = self._said_anew(test)
        self._last = said, limit, threshold
        return said, limit

    def _said_anew(self, test: dict[str, Any]) -> tuple[AssertionChecks, str | None]:
        for limit in (None, SHARED):
            said = said_of(test, limit)
            known, key = self._rubrics[said.is_shared], repr(said.rubric)
            if said.rubric is None or key in known or len(known) < MAX_RUBRICS:
                known.add(key)
                return said, limit
        return said_of(test, NO_RUBRICS), NO_RUBRICS

    def _id_of(self, test: dict[str, Any], index: int) -> str:
        """Return the description of a test as an id, if it is the first with it."""
        id_ = _id_in(test, index)
        id_ = default_id(index) if id_ in self._ids else id_
        self._ids.add(id_)
        return id_


class PromptfooWriter(Writer):
    """Converts rows to tests; preserves everything else in `metadata.evalcontract`."""

    says_rubrics = True

    def __init__(self, *, is_table: bool) -> None:
        self._is_table = is_table
        self._columns: dict[str, None] = {}

    def write(self, row: dict[str, Any], rubric: dict[str, Any] | None, index: int) -> TheirRow:
        """Convert a row; `rubric` is the rubric that it references, if any."""
        bare, kept = _IN_OURS.split(row, _is_kept_of_test)
        given = bare.get("rubric") if rubric is None else rubric
        checks = given if isinstance(given, dict) else None
        kept = dict(kept or {})
        limit = kept.pop(_LIMIT, None)
        asserted = assertions_of(bare, checks)
        theirs = to_theirs(bare, asserted, index, kept.pop(_VARIABLE, INPUT))
        if kept and (residual := _FORM.read(kept)):
            # An edit of the row counts, and not what its test was before.
            now = {**bare, "checks": (checks or {}).get("checks")}
            theirs = restored(theirs, residual, {}, now, partial(_said_by, limit=limit))
        said = said_of(theirs, limit)
        again = to_ours(theirs, _id_in(theirs, index), said.keys)
        residual = difference(again, bare, _NESTED)
        made = said.rubric
        if made is not None and checks is None and "rubric_ref" not in bare:
            residual.absent.append(_NO_RUBRIC)
        if made is not None and rubric is not None and _is_made(rubric, made):
            residual.set.pop("rubric_ref", None)
        is_said = asserted.is_whole and checks is not None
        losses = [*_losses_of_row(residual.set, is_whole=is_said)]
        if rubric is not None and "rubric_ref" not in row and not asserted.is_whole:
            losses.append(Loss(("rubric_ref",), RUBRIC, is_kept=True))
        whole = _IN_THEIRS.joined(theirs, _FORM.written(residual))
        if not self._is_table:
            return TheirRow(whole, tuple(losses))
        cells, lost = cells_of(whole)
        self._columns |= dict.fromkeys(cells)
        return TheirRow(cells, (*losses, *lost))

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the list of tests, or the header and the rows of a table."""
        losses = [Loss((key,), _ROOT, is_kept=False) for key in root]
        if not self._is_table:
            return rows, losses
        header = header_of(self._columns)
        return (header, [{name: row.get(name, "") for name in header} for row in rows]), losses


def _is_made(rubric: dict[str, Any], made: dict[str, Any]) -> bool:
    """Whether a rubric is what a conversion makes again; its name need not be preserved."""
    bare = {key: part for key, part in rubric.items() if key not in ("id", "version", "judges")}
    return json_equal(bare, made)


def _id_in(test: dict[str, Any], index: int) -> str:
    name = test.get("description")
    return name if isinstance(name, str) and name.strip() else default_id(index)


def _said_by(test: dict[str, Any], *, limit: str | None) -> dict[str, Any]:
    """Return what a test says of a row, and the checks of its rubric."""
    said = said_of(test, limit)
    read = to_ours(test, "", said.keys)
    keys = ("input", "criteria", "must_contain_any", "must_not_contain", "expected", "context")
    return {
        **{key: read.get(key) for key in keys},
        "checks": (said.rubric or {}).get("checks"),
    }


def _losses_of_test(
    rest: dict[str, Any], test: dict[str, Any], said: AssertionChecks
) -> Iterator[Loss]:
    """Yield the losses of a test, given the rest of it that a row does not represent."""
    for index, reason in said.lost.items():
        yield Loss(("assert", index), reason, is_kept=True)
    if test.get("vars") and question_in(test) is None:
        yield Loss(("vars",), NO_INPUT, is_kept=True)
    for name, value in variables_of(test).items():
        if isinstance(value, list):
            yield Loss(("vars", name), SEVERAL, is_kept=True)
    if len(test.get("assert") or ()) > MAX_ASSERTIONS:
        yield Loss(("assert",), _TOO_MANY, is_kept=True)
    for key in rest:
        if key in ("assert", "vars", "description", "metadata") or test.get(key) in (None, {}, []):
            continue
        if key == "threshold" and not said.lost and test.get("assert"):
            continue
        yield Loss((key,), reason_for(FIELDS, (key,)), is_kept=True)


def _losses_of_row(rest: dict[str, Any], *, is_whole: bool) -> Iterator[Loss]:
    """Yield the losses of a row, given the rest of it that a test does not represent."""
    for key, part in rest.items():
        if key == "metadata" or (key == "bundle" and part in BUNDLES):
            continue
        if key in ("rubric_ref", "rubric") and is_whole:
            continue
        if key in _NESTED and isinstance(part, dict) and part:
            for name in part:
                yield Loss((key, name), reason_against(FIELDS, (key, name)), is_kept=True)
        else:
            yield Loss((key,), reason_against(FIELDS, (key,)), is_kept=True)


def _is_kept(value: dict[str, Any]) -> bool:
    """Whether a mapping is what a conversion preserved of a row, and not the author's own."""
    return _FORM.has_written(value, _IN_OURS.was)


def _is_kept_of_test(value: dict[str, Any]) -> bool:
    """Whether a mapping is what a conversion preserved of a test."""
    own = {key: part for key, part in value.items() if key not in (_VARIABLE, _LIMIT)}
    name = value.get(_VARIABLE, "")
    is_name = isinstance(name, str) and name != INPUT
    is_limit = _LIMIT not in value or value[_LIMIT] in (SHARED, NO_RUBRICS)
    return is_name and is_limit and _is_kept(own)
