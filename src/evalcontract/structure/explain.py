"""Decide which problems of an invalid value to report: each mistake once, causes first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.structure.keys.mismatches import KeyInMapping, rename_unknown
from evalcontract.structure.keys.names import canonical_closed_key
from evalcontract.structure.keys.spelling import key_names, split_key_value
from evalcontract.structure.messages.keys import missing_key, near_miss, unknown_key
from evalcontract.structure.messages.values import message_for
from evalcontract.structure.native import SchemaViolation
from evalcontract.structure.parts import Schema
from evalcontract.structure.schemas import alternatives, described, known_keys
from evalcontract.structure.violations import SchemaPair

if TYPE_CHECKING:
    from evalcontract.structure.keys.mismatches import KeyMismatch
    from evalcontract.structure.keys.spelling import KeyNames

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
    problems = [near_miss(pair.kind, mismatch) for mismatch in mismatches]
    misspelled = {(mismatch.path, mismatch.meant) for mismatch in mismatches if mismatch.meant}
    for schema, schema_violations in violations:
        explanation = _Explanation(pair, schema, value, misspelled, schema_violations)
        for violation in schema_violations:
            problems += explanation.of(violation, source_text, prefix)
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
        self,
        violation: SchemaViolation,
        source_text: Callable[[Path], str | None] | None,
        prefix: Path,
    ) -> Iterator[Problem]:
        """Yield the problems of a violation; none if another violation already reports them."""
        path = violation.path
        kind = self._pair.kind
        unknown = self._unknown.get(path, {})
        if violation.keyword == "required":
            if self._lacking[path, id(violation.keyword_value)] is violation:
                yield from self._required(violation, path)
        elif _has_unknown_keys(violation):
            known = self._pair.known(violation, path, self._schema)
            missing, uses = self._missing.get(path, {}), Counter(unknown.values())
            mapping = violation.instance
            absent = [name for name in known if name not in mapping]
            names = key_names(tuple(known))
            for key, meant in unknown.items():
                if (path, meant) not in self._misspelled:
                    entry = KeyInMapping(path, key, mapping)
                    fix = rename_unknown(entry, meant, known, names, missing, self._fits)
                    fix = fix if uses[meant] == 1 else None
                    problem = unknown_key(kind, entry, meant, known, absent, missing, fix)
                    is_indented = (path, key) in self._indented
                    advice = f"move it to the root, beside `{path[0]}`" if is_indented else None
                    yield problem._replace(help=advice) if is_indented else problem
        elif violation.keyword == "unevaluatedProperties" and violation.keyword_value is False:
            yield from self._unevaluated(violation, path)
        elif violation.keyword == "anyOf" and unknown:
            return  # the required key is there, misspelled
        elif self._is_repeated(violation):
            return
        elif violation.keyword != "not" or path[:-1] not in {
            mapping_path for mapping_path, _ in self._misspelled
        }:
            # A forbidden key is often right, and the key that would allow it is misspelled.
            yield self._message(violation, path, source_text, prefix)

    def _message(
        self,
        violation: SchemaViolation,
        path: Path,
        source_text: Callable[[Path], str | None] | None,
        prefix: Path,
    ) -> Problem:
        def written(part: Path) -> str | None:
            return source_text((*prefix, *part)) if source_text else None

        kind = self._pair.kind
        article = "an" if kind.startswith(tuple("aeiou")) else "a"
        subject = "a row" if prefix else f"{article} {kind}"
        problem = message_for(
            self._pair.kind,
            violation,
            path,
            written(path),
            subject,
            lambda value: self._fits.fits(value, violation.schema),
        )
        return with_whole_text(problem, path, written)

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
            if not alternatives(self._schema, self._value, path, key) & meant:
                yield missing_key(self._pair.kind, key, path, mapping, known, self._schema)

    def _unevaluated(self, violation: SchemaViolation, path: Path) -> Iterator[Problem]:
        *parent, last = path
        mapping_path, key = tuple(parent), str(last)
        of = self._known_at(violation, mapping_path)
        if mapping_path or last not in of.known:
            mapping = violation.instance
            meant = of.names.meant(key, mapping, of.absent)
            if (mapping_path, meant) not in self._misspelled:
                entry = KeyInMapping(mapping_path, key, mapping)
                fix = rename_unknown(entry, meant, of.known, of.names, (), self._fits)
                yield unknown_key(self._pair.kind, entry, meant, of.known, of.listed, (), fix)

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
        """Return the unknown keys of a closed mapping, each with the known key that was meant.

        If one required key is missing and one unknown key resembles nothing, the two are paired.
        """
        path, mapping = violation.path, violation.instance
        known = self._pair.known(violation, path, self._schema)
        missing = self._missing.get(path, {})
        names = key_names(tuple(known), tuple(missing))
        meant = {
            key: self._split_off(key, mapping, known)
            or names.meant(key, mapping, missing)
            or canonical_closed_key(key, known, mapping)
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
