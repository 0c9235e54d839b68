"""Why a finding is an error, and the target on whose account it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from doors import Input, Kind, Options, check_workspaces, command_line, validate
from writing import write

from evalcontract.model.diagnostic import SeveritySource

if TYPE_CHECKING:
    from evalcontract.model.diagnostic import RunOutcome

FAULTY = "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [d]}\n"
RUBRIC = """\
id: polite
version: "1.0.0"
checks:
  - {id: no_insults, kind: must_not_contain, values: [stupid]}
scoring: {combine: all_pass, threshold: 7}
"""
USES = "questions:\n  - {id: a, input: b, rubric_ref: rubric/polite@1.0.0}\n"
STRICT = "dataset: a.yaml\nstrict_validation: true\n"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a faulty dataset, and make its folder the current one."""
    write(tmp_path, {"a.yaml": FAULTY})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def severities(outcome: RunOutcome) -> list[tuple[str, str, SeveritySource | None]]:
    return [(str(each.severity), each.code, each.severity_source) for each in outcome.diagnostics]


CODE = "dataset/near-miss-key"
BY_TARGET = SeveritySource("strict_validation", "targets/t.yaml")
BY_MODE = SeveritySource("strict", "evalcontract.toml")
BY_TABLE = SeveritySource("[severity]", "evalcontract.toml")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "source"),
    [
        ({"targets/t.yaml": STRICT}, BY_TARGET),
        ({"evalcontract.toml": "strict = true\n"}, BY_MODE),
        ({"evalcontract.toml": f'[severity]\n"{CODE}" = "error"\n'}, BY_TABLE),
        (
            {
                "targets/t.yaml": STRICT,
                "evalcontract.toml": f'[severity]\n"{CODE}" = {{strict = "error"}}\n',
            },
            BY_TARGET,
        ),
        (
            {"targets/t.yaml": STRICT, "targets/u.yaml": "dataset: a.yaml\n"},
            BY_TARGET,
        ),
    ],
)
def test_an_error_names_the_setting_that_made_it_one(
    files: dict[str, str], source: SeveritySource, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, files)
    assert severities(check_workspaces(Path(), Options())) == [("error", CODE, source)]

    assert command_line("check", "--output-format", "json") == 1
    (finding,) = json.loads(capsys.readouterr().out)["findings"]
    assert finding["severity_source"] == {"setting": source.setting, "file": source.file}

    command_line("check")
    *_, why, fixable = capsys.readouterr().out.splitlines()
    assert why.startswith(f"1 error because {source.file} sets ")
    assert f"`{source.setting}`" in why
    assert "fixable" in fixable

    command_line("check", "--verbose")
    assert f" = error because {source.file} sets " in capsys.readouterr().out


@pytest.mark.parametrize(
    ("files", "strict", "severity"),
    [
        ({}, None, "warning"),
        ({}, True, "error"),
        ({"targets/t.yaml": STRICT}, True, "error"),
        ({"targets/t.yaml": STRICT}, False, "warning"),
        ({"evalcontract.toml": "strict = true\n"}, False, "warning"),
        (
            {
                "evalcontract.toml": "strict = true\n",
                "targets/t.yaml": STRICT.replace("true", "false"),
            },
            None,
            "warning",
        ),
    ],
)
def test_nothing_is_named_where_no_setting_did_it(
    files: dict[str, str], strict: Any, severity: str, place: Path
) -> None:
    write(place, files)
    outcome = check_workspaces(Path(), Options(strict=strict))
    assert severities(outcome) == [(severity, CODE, None)]


def test_a_name_of_a_target_cannot_act_on_a_terminal(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"targets/t\x1b[2J.yaml": STRICT})
    command_line("check", "--verbose")
    out = capsys.readouterr().out
    assert "errors because" in out or "error because" in out
    assert "\x1b" not in out


def test_the_limit_of_the_configuration_is_named(place: Path) -> None:
    write(place, {"evalcontract.toml": "max_validation_age_days = 30\n", "a.yaml": USES})
    judge = "id: j\nversion: '1.0.0'\ntemplate: '{{input}} {{output}}'\n"
    dated = "validation: {tpr: 0.9, tnr: 0.9, sample_size: 200, validated_at: 2020-01-01}\n"
    write(place, {"judges/j.yaml": judge + dated, "rubrics/polite.yaml": RUBRIC})
    outcome = check_workspaces(Path(), Options())
    (stale,) = [each for each in outcome.diagnostics if each.code == "judge/stale-validation"]
    assert stale.message.endswith("the limit of evalcontract.toml is 30 days")


# The errors of a target


def target(name: str, **options: Any) -> RunOutcome:
    return validate(Kind.TARGET, [Input(Path(name))], Options(**options))


def found(outcome: RunOutcome) -> list[tuple[str, str, str]]:
    return [(each.place.file, str(each.severity), each.code) for each in outcome.diagnostics]


def test_a_target_is_checked_with_what_it_runs(place: Path) -> None:
    """And nothing else: neither the other dataset nor the other rubric."""
    other = RUBRIC.replace("id: polite", "id: other")
    write(place, {"a.yaml": USES, "b.yaml": FAULTY, "targets/t.yaml": STRICT})
    write(place, {"rubrics/polite.yaml": RUBRIC, "rubrics/other.yaml": other})
    outcome = target("targets/t.yaml")
    assert found(outcome) == [("rubrics/polite.yaml", "error", "rubric/out-of-range")]
    assert outcome.files == {"target": 1, "dataset": 1}
    assert outcome.diagnostics[0].severity_source == BY_TARGET


@pytest.mark.slow
def test_other_targets_do_not_matter(place: Path) -> None:
    """Each is as strict as it says itself; two that are named are so together."""
    write(place, {"targets/t.yaml": STRICT, "targets/u.yaml": "dataset: a.yaml\n"})
    assert found(target("targets/u.yaml")) == [("a.yaml", "warning", CODE)]
    assert found(target("targets/t.yaml")) == [("a.yaml", "error", CODE)]
    assert found(target("targets/t.yaml", strict=False)) == [("a.yaml", "warning", CODE)]
    both = [Input(Path(f"targets/{name}.yaml")) for name in "ut"]
    outcome = validate(Kind.TARGET, both, Options())
    assert found(outcome) == [("a.yaml", "error", CODE)]
    assert outcome.files == {"target": 2, "dataset": 1}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("dataset: nowhere.yaml\n", "target/missing-dataset"),
        ("dataset: [a.yaml]\n", "target/wrong-type"),
        ("dataset: a.yaml\nstrict_validaton: true\n", "target/unknown-key"),
        ("dataset: [\n", "source/syntax"),
    ],
)
def test_a_faulty_target(text: str, code: str, place: Path) -> None:
    write(place, {"targets/t.yaml": text})
    assert ("targets/t.yaml", "error", code) in found(target("targets/t.yaml"))


def test_a_dataset_of_another_workspace_is_checked_by_its_library(place: Path) -> None:
    write(place, {"inner/rubrics/polite.yaml": RUBRIC, "inner/data/a.yaml": USES})
    write(place, {"targets/t.yaml": STRICT.replace("a.yaml", "inner/data/a.yaml")})
    assert found(target("targets/t.yaml")) == [
        ("inner/rubrics/polite.yaml", "error", "rubric/out-of-range")
    ]


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "targets/t.yaml"),
        ("check", "targets/t.yaml", "--root", "."),
        ("validate-target", "targets/t.yaml"),
        ("validate-target", "targets"),
        ("validate-target", "targets/*.yaml"),
        ("aevt", "targets/t.yaml"),
    ],
)
def test_the_ways_to_name_a_target(
    arguments: tuple[str, ...], place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(place, {"targets/t.yaml": STRICT, "b.yaml": FAULTY})
    assert command_line(*arguments) == 1
    out = capsys.readouterr().out
    assert "error[dataset/near-miss-key]" in out
    assert "1 dataset (1 row), 1 target: 1 error\n" in out


def test_check_takes_no_other_file(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert (place / "a.yaml").exists()
    assert command_line("check", "a.yaml") == 2
    assert "validate-dataset" in capsys.readouterr().err
