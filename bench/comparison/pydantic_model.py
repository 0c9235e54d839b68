"""What a careful user of pydantic writes for the files in `clean`.

`python bench/comparison/pydantic_model.py FOLDER...` prints a line for each folder that has errors.
"""

import re
import sys
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
Fraction = Annotated[float, Field(ge=0, le=1)]


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class Expected(Closed):
    format: Literal["json", "text"]


class Row(Closed):
    id: Text
    input: Text
    criteria: Text | None = None
    expected: Expected | None = None
    expected_facts: list[Text] = []
    expected_tools: list[Text] = []
    must_contain_any: list[Text] = []
    must_not_contain: list[Text] = []
    rubric_ref: Text | None = None
    tags: list[Text] = []
    metadata: dict[str, Any] = {}


class Dataset(Closed):
    id: Text
    version: Version
    questions: list[Row]


class Check(Closed):
    id: Text
    kind: Literal["regex", "fact_match", "llm_judge"]
    pattern: re.Pattern[str] | None = None
    min_recall: Fraction | None = None
    judge_prompt_ref: Text | None = None


class Scoring(Closed):
    combine: Literal["all_pass", "weighted_avg"]
    weights: dict[Text, float] = {}
    threshold: Fraction | None = None


class Rubric(Closed):
    id: Text
    version: Version
    checks: list[Check]
    scoring: Scoring


class Validation(Closed):
    tpr: Fraction
    tnr: Fraction
    sample_size: int
    validated_at: date


class Judge(Closed):
    id: Text
    version: Version
    template: Text
    score_type: Literal["binary"]
    validation: Validation


def read(model: type[Any], folder: Path) -> list[Any]:
    files = sorted(folder.glob("*.yaml"))
    return [model.model_validate(yaml.safe_load(file.read_text("utf-8"))) for file in files]


def names(items: list[Any]) -> set[str | None]:
    ids = [item.id for item in items]
    assert len(set(ids)) == len(ids), f"an id is there twice: {ids}"
    return {*ids}


def check(root: Path) -> None:
    judges = {f"judge/{judge.id}@{judge.version}" for judge in read(Judge, root / "judges")}
    rubrics = set()
    for rubric in read(Rubric, root / "rubrics"):
        rubrics.add(f"rubric/{rubric.id}@{rubric.version}")
        assert names(rubric.checks) >= {*rubric.scoring.weights}, "a weight of no check"
        assert {each.judge_prompt_ref for each in rubric.checks} <= {None, *judges}, "no such judge"
    for dataset in read(Dataset, root / "datasets"):
        names(dataset.questions)
        assert {row.rubric_ref for row in dataset.questions} <= {None, *rubrics}, "no such rubric"


for name in sys.argv[1:]:
    try:
        check(Path(name))
    except (ValidationError, AssertionError, yaml.YAMLError) as error:
        print(f"{name}: {error!r}")
