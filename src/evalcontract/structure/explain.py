"""Decide which problems of an invalid value to report: each mistake once, causes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator
from typing import Any

from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.key_messages import missing_key, near_miss, unknown_key
from evalcontract.structure.keys.mismatches import KeyInMapping, KeyMismatch, rename_unknown
from evalcontract.structure.keys.names import CLOSED_ALIASES, canonical_of
from evalcontract.structure.keys.spelling import KeyNames, key_names, split_key_value
from evalcontract.structure.native import SchemaViolation
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import alternatives, described, known_keys
from evalcontract.structure.value_messages import message_for
from evalcontract.structure.violations import SchemaPair

_HEAD = lazy_pattern(r"[-+]?[1-9]\d{0,2}")
_TAIL = lazy_pattern(r"\d{3}(?!\d).*")


def with_whole_text(
    problem: Problem, path: Path, source_text: Callable[[Path], str | None]
) -> Problem:
    """Return the problem of an item with the advice to quote the whole text, if it was split."""
    *parent, last = path or ("",)
    if not isinstance(last, int) or not problem.code.endswith("/wrong-type"):
        return problem
    before, own, after = (
        source_text((*parent, index)) if index >= 0 else None for index in range(last - 1, last + 2)
    )
    for head, tail in ((own, after), (before, own)):
        if head and tail and _HEAD.fullmatch(head) and _TAIL.fullmatch(tail):
            advice = f'quote the text with its comma: "{head},{tail}"'
            return problem._replace(help=advice, fix=None)
    return problem


def explain(
    pair: SchemaPair,
    value: Any,
    mismatches: list[KeyMismatch],
    violations: list[tuple[Schema, list[SchemaViolation]]],
    prefix: Path,
    source_text: Callable[[Path], str | None] | None,
) -> list[Problem]:
    """Return the problems of a value: its mismatched keys and its schema violations.

    `prefix` and `source_text` are those of `SchemaValidator.check`.
    """

    def written(path: Path) -> str | None:
        return source_text((*prefix, *path)) if source_text else None

    article = "an" if pair.kind.startswith(tuple("aeiou")) else "a"
    subject = "a row" if prefix else f"{article} {pair.kind}"
    problems = [near_miss(pair.kind, mismatch) for mismatch in mismatches]
    misspelled = {(mismatch.path, mismatch.meant) for mismatch in mismatches if mismatch.meant}
    for schema, of_schema in violations:
        explanation = _Explanation(pair, schema, value, misspelled=misspelled, violations=of_schema)
        for violation in of_schema:
            problems += explanation.of(violation, subject, written)
    unique = {(problem.code, problem.path, problem.message): problem for problem in problems}
    return [_below(prefix, problem) for problem in unique.values()]


class _Explanation:
    """The violations of one schema in one value, where one violation may explain another."""

    def __init__(
        self,
        pair: SchemaPair,
        schema: Schema,
        value: Any,
        misspelled: set[tuple[Path, str]],
        violations: list[SchemaViolation],
    ) -> None:
        self._pair = pair
        self._schema = schema
        self._value = value
        self._misspelled = misspelled
        self._fits = pair.fits(schema)
        self._missing: dict[Path, dict[str, None]] = {}
        self._known: dict[Path, _KnownAt] = {}
        self._forbidden: dict[Path, SchemaViolation] = {}
        #: One violation for each list of required keys; the engine gives one for each missing key.
        self._lacking = {
            (violation.path, id(violation.keyword_value)): violation
            for violation in reversed(violations)
            if violation.keyword == "required"
        }
        for (path, _), violation in reversed(self._lacking.items()):
            required, mapping = violation.keyword_value, violation.instance
            missing = dict.fromkeys(key for key in required if key not in mapping)
            self._missing.setdefault(path, {}).update(missing)
        #: The unknown keys of closed mappings that the root requires, and lacks.
        self._indented = {
            (violation.path, key)
            for violation in violations
            if violation.path and _has_unknown_keys(violation)
            for key in violation.instance
            if key in self._missing.get((), ()) and key not in pair.known(violation, (0,), schema)
        }
        #: The unknown keys of closed mappings by path, each with the known key that was meant.
        self._unknown = {
            violation.path: self._resolve_unknown(violation)
            for violation in violations
            if _has_unknown_keys(violation)
        }

    def of(
        self, violation: SchemaViolation, subject: str, written: Callable[[Path], str | None]
    ) -> Iterator[Problem]:
        """Yield the problems of a violation; none if another violation already reports them."""
        # `subject` is the noun for the whole value; `written` returns a scalar as in the file.
        path, keyword = violation.path, violation.keyword
        if keyword == "required":
            if self._lacking[path, id(violation.keyword_value)] is violation:
                yield from self._required(violation, path)
        elif _has_unknown_keys(violation):
            yield from self._additional(violation)
        elif keyword == "unevaluatedProperties" and violation.keyword_value is False:
            yield from self._unevaluated(violation)
        elif keyword == "anyOf" and self._unknown.get(path):
            return  # the required key is there, misspelled
        elif self._is_repeated(violation):
            return
        elif keyword != "not" or path[:-1] not in {place for place, _ in self._misspelled}:
            # A forbidden key is often right, and the key that would allow it is misspelled.
            problem = message_for(
                self._pair.kind,
                violation,
                path,
                written=written(path),
                subject=subject,
                fits=lambda value: self._fits.fits(value, violation.schema),
            )
            yield with_whole_text(problem, path, written)

    def _additional(self, violation: SchemaViolation) -> Iterator[Problem]:
        """Yield the problems of the unknown keys of a closed mapping."""
        path, unknown = violation.path, self._unknown[violation.path]
        of, missing = self._known_at(violation, path), self._missing.get(path, {})
        uses = Counter(unknown.values())
        for key, meant in unknown.items():
            if (path, meant) not in self._misspelled:
                problem = self._unknown_key(
                    KeyInMapping(path, key, violation.instance), meant, of, missing=missing
                )
                if uses[meant] > 1:
                    problem = problem._replace(fix=None)
                if (path, key) in self._indented:
                    problem = problem._replace(help=f"move it to the root, beside `{path[0]}`")
                yield problem

    def _unknown_key(
        self, entry: KeyInMapping, meant: str | None, of: _KnownAt, missing: Collection[str] = ()
    ) -> Problem:
        fix = rename_unknown(
            entry, meant, of.known, names=of.names, missing=missing, fits=self._fits
        )
        return unknown_key(
            self._pair.kind,
            entry,
            meant,
            known=of.known,
            absent=of.listed,
            missing=missing,
            fix=fix,
        )

    def _is_repeated(self, violation: SchemaViolation) -> bool:
        """Whether an earlier key of the mapping is forbidden for the same reason."""
        if violation.keyword != "not":
            return False
        reason = violation.schema_path[:-2]  # without the key, and `not`
        first = self._forbidden.setdefault((*reason, *violation.path)[:-1], violation)
        return first is not violation

    def _required(self, violation: SchemaViolation, path: Path) -> Iterator[Problem]:
        meant = {*self._unknown.get(path, {}).values()}
        if not path:
            meant |= {key for _, key in self._indented}
        mapping = violation.instance
        known = described(self._schema, self._value, path) | known_keys(
            violation.schema, mapping, self._schema
        )
        for key in violation.keyword_value:
            if key in mapping or (path, key) in self._misspelled or key in meant:
                continue
            # An alternative to the key may be there, misspelled.
            if not alternatives(self._schema, self._value, path, key=key) & meant:
                yield missing_key(
                    self._pair.kind, key, path, value=mapping, known=known, root=self._schema
                )

    def _unevaluated(self, violation: SchemaViolation) -> Iterator[Problem]:
        *parent, last = violation.path
        path, key, mapping = tuple(parent), str(last), violation.instance
        of = self._known_at(violation, path)
        if path or last not in of.known:
            meant = of.names.meant(key, mapping, of.absent)
            if (path, meant) not in self._misspelled:
                yield self._unknown_key(KeyInMapping(path, key, mapping), meant, of)

    def _known_at(self, violation: SchemaViolation, path: Path) -> _KnownAt:
        """Return the known keys of the mapping at a path; of its unknown keys, each is a violation.

        They are computed again only for another schema.
        """
        cached = self._known.get(path)
        if cached is None or cached.schema is not violation.schema:
            known = self._pair.known(violation, path, self._schema)
            absent = dict.fromkeys(name for name in known if name not in violation.instance)
            names = key_names(tuple(known), tuple(known))
            cached = _KnownAt(violation.schema, known, absent, tuple(absent), names)
            self._known[path] = cached
        return cached

    def _resolve_unknown(self, violation: SchemaViolation) -> dict[str, str | None]:
        """Return the unknown keys of a closed mapping, each with the known key that was meant."""
        # If one required key is missing and one unknown key resembles nothing, the two are paired.
        path, mapping = violation.path, violation.instance
        known = self._known_at(violation, path).known
        missing = self._missing.get(path, {})
        names = key_names(tuple(known), tuple(missing))
        absent = known.keys() - mapping.keys()
        meant = {
            key: self._split_off(key, mapping, known)
            or names.meant(key, mapping, missing)
            or canonical_of(key, CLOSED_ALIASES, absent)
            for key in mapping
            if key not in known and (path, key) not in self._indented
        }
        resolved = set(meant.values())
        still_missing = [key for key in missing if key not in resolved]
        unresolved = [key for key, known_key in meant.items() if known_key is None]
        if len(still_missing) == len(unresolved) == 1:
            meant[unresolved[0]] = still_missing[0]
        return meant | {key: None for key in mapping if (path, key) in self._indented}

    @staticmethod
    def _split_off(key: str, mapping: dict[str, Any], known: dict[str, Schema]) -> str | None:
        """Return the known key in `tpr:0.9`, which YAML reads as a key without a value."""
        pair = split_key_value(key, mapping[key])
        return pair[0] if pair and pair[0] in known and pair[0] not in mapping else None


class _KnownAt(NamedTuple):
    """The known keys of a mapping that a schema checks; `absent` ones in a dict and in a tuple."""

    schema: Schema
    known: dict[str, Schema]
    absent: dict[str, None]
    listed: tuple[str, ...]
    names: KeyNames


def _has_unknown_keys(violation: SchemaViolation) -> bool:
    return violation.keyword == "additionalProperties" and violation.keyword_value is False


def _below(prefix: Path, problem: Problem) -> Problem:
    return problem.relocated(lambda path: (*prefix, *path)) if prefix else problem
