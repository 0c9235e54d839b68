"""The fields of cases of Agent Skills, and the fields of evalcontract that mean the same."""

from __future__ import annotations

from evalcontract.formats._fields import Field
from evalcontract.formats.agent_skills.variants import BEST_PRACTICES, GUIDE, SKILL_CREATOR

_NO_KEY = "rows of evalcontract have no key for it"
_NO_FIELD = "a case has no field for it"
_RUBRIC = "a case has no rubric"
_RUN = "the prompt is all that the agent is given"
_AS_LIST = "several statements are a list with a `- ` before each"
_CHECKS = (BEST_PRACTICES,)

FIELDS = (
    Field("id", "id", "a number is a text"),
    Field("prompt", "input"),
    Field("expected_output", "expected.expected_output", "a description for people, no answer"),
    Field("files", "context.files"),
    Field("assertions", "criteria", _AS_LIST, (GUIDE,)),
    Field("expectations", "criteria", _AS_LIST, (SKILL_CREATOR, BEST_PRACTICES)),
    Field("must_contain_any", "must_contain_any", "", _CHECKS),
    Field("must_not_contain", "must_not_contain", "", _CHECKS),
    Field("check_php_lint", "rubric_ref", "a check `php_lint`", _CHECKS),
    Field("check_markdown_structure", "rubric_ref", "a check `markdown_structure`", _CHECKS),
    Field("*", None, _NO_KEY),
    Field(None, "rubric_ref", _RUBRIC),
    Field(None, "rubric", _RUBRIC),
    Field(None, "messages", _RUN),
    Field(None, "expected.reference", "`expected_output` describes a result, and is no answer"),
    Field(None, "*", _NO_FIELD),
)
