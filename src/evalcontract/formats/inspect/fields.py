"""The keys of records of Inspect, and the fields of evalcontract that mean the same."""

from __future__ import annotations

from evalcontract.formats._fields import Field

_NO_KEY = "rows of evalcontract have no key for it"
_NO_PLACE = "samples have no place for it"
_RUBRIC = "scorers are chosen in the task, not in its dataset"

FIELDS = (
    Field("id", "id", "a number is its digits, and digits are a number"),
    Field("input", "input", "a text, or the last message of the user"),
    Field("input", "messages", "chat messages, up to the question"),
    Field("target", "expected.reference", "a text; a number or the like is the text that is read"),
    Field("target", "must_contain_any", "a list of targets, any of which is right"),
    Field("choices", "context.choices", "a text is split at its commas or blanks"),
    Field("metadata", "metadata"),
    Field("files", None, _NO_KEY),
    Field("setup", None, _NO_KEY),
    Field("sandbox", None, _NO_KEY),
    Field("checkpoint", None, _NO_KEY),
    Field("*", None, "Inspect does not read it, and rows have no key for it"),
    Field(None, "rubric_ref", _RUBRIC),
    Field(None, "criteria", "scorers have instructions, samples do not"),
    Field(None, "expected", _NO_PLACE),
    Field(None, "expected_facts", _NO_PLACE),
    Field(None, "expected_tools", _NO_PLACE),
    Field(None, "must_not_contain", _NO_PLACE),
    Field(None, "context", "samples have a place for `choices` alone"),
    Field(None, "recorded_output", "samples have no outputs"),
    Field(None, "*", _NO_PLACE),
)
