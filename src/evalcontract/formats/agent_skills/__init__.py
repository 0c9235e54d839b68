"""The cases of Agent Skills: `evals/evals.json` in the folder of a skill, and its ancestor.

Measured on the runner agent-skills-eval 0.1.1; skill-creator and ai_best_practices per their
documentation and files.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evalcontract.formats._findings import predictions
from evalcontract.formats._format import Dialect, Format, codes_of_system
from evalcontract.formats.agent_skills.checker import AgentSkillsChecker, find_rows
from evalcontract.formats.agent_skills.fields import FIELDS, GUIDE, VARIANTS, variant_of

if TYPE_CHECKING:
    from evalcontract.formats._conversion import Reader, Writer
    from evalcontract.formats._format import GraderPrediction
    from evalcontract.source.external import ExternalFile


def _recognise(value: dict[str, Any]) -> Dialect | None:
    variant = variant_of(value)
    return Dialect(AGENT_SKILLS, variant) if variant else None


def _predict(row: Any, variant: str | None) -> Iterator[GraderPrediction]:
    # What is no list is not read, so there is nothing in it to grade.
    lists = ("assertions", "expectations", "must_contain_any", "must_not_contain")
    read = {key: part for key, part in row.items() if key not in lists or isinstance(part, list)}
    return predictions("agent_skills", read, variant or GUIDE)


def _name_of(row: Any) -> str | None:
    given = row.get("id") if isinstance(row, dict) else None
    return str(given) if isinstance(given, str | int) and not isinstance(given, bool) else None


def _reader(read: ExternalFile, variant: str | None) -> Reader:
    from evalcontract.formats.agent_skills.conversion import (
        AgentSkillsReader,  # a check needs it not
    )

    return AgentSkillsReader(read, variant or GUIDE)


def _writer(_medium: str, variant: str | None) -> Writer:
    from evalcontract.formats.agent_skills.conversion import (
        AgentSkillsWriter,  # a check needs it not
    )

    return AgentSkillsWriter(variant or GUIDE)


AGENT_SKILLS = Format(
    name="agent_skills",
    title="Agent Skills",
    variants=VARIANTS,
    media=("json",),
    basis="agent-skills-eval 0.1.1, run; skill-creator and ai_best_practices per public files",
    find_rows=lambda read, variant, schema: find_rows(read, variant or GUIDE, schema),
    row_checker=lambda variant, schema: AgentSkillsChecker(variant or GUIDE, schema),
    name_of=_name_of,
    recognise=_recognise,
    predict=_predict,
    reader=_reader,
    writer=_writer,
    codes=codes_of_system(
        "agent_skills",
        # JSON.parse rejects what Python reads as a number that is not finite.
        rejected=("empty-value", "unknown-value", "not-finite"),
        silently_accepted=("no-evals", "not-read", "other-name"),
    ),
    fields=FIELDS,
)
