"""Whatever stands in a file or an option, no command ends with a crash of ours."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from doors import command_line
from examples import some
from tables import every_case
from writing import write

from evalcontract import formats

if TYPE_CHECKING:
    from pathlib import Path

#: Numbers that Python cannot convert to a text, or no float can hold; and their texts in quotes.
NUMBERS = {
    "decimal": "9" * 5000,
    "negative": "-" + "9" * 5000,
    "just too long": "9" * 4001,
    "longest": "9" * 4000,
    "no float": "9" * 400,
    "hexadecimal": "0x" + "f" * 5000,
    "short hexadecimal": "0x" + "f" * 3400,
    "octal": "0o" + "7" * 6000,
    "infinite": "1e400",
    "fraction": "9" * 5000 + ".5",
    "exponent": "1e" + "9" * 5000,
}
QUOTED = {f"quoted {name}": f'"{number}"' for name, number in NUMBERS.items()}

RUBRIC = """\
id: r
version: 1.0.0
checks:
  - {id: x, kind: must_contain_any, values: [a]}
scoring: {combine: all_pass}
"""
JUDGE = 'id: j\nversion: "1.0.0"\ntemplate: "{{ input }} {{ output }}"\n'
LIBRARY = {
    "rubrics/ok.yaml": RUBRIC.replace("id: r", "id: ok"),
    "judges/ok.yaml": JUDGE.replace("id: j", "id: ok"),
    "datasets/ok.yaml": "questions:\n  - {id: a, input: b, rubric_ref: rubric/ok@1.0.0}\n",
    "outputs.jsonl": '{"id": "a", "output": "a"}\n',
    "labels.csv": "id,human,judge\na,pass,fail\nb,1,0\n",
}
#: Files in which `§` is the number.
PLACES: list[tuple[str, str]] = [
    ("datasets/d.yaml", "questions:\n  - {id: §, input: §, expected: {a: §}, x: §}\n"),
    ("datasets/d.yaml", "questions:\n  - {id: a, input: b, rubric_ref: §, bundle: §}\n"),
    ("datasets/d.yaml", "questions:\n  - {id: a, input: b, rubric_ref: rubric/ok@1.§.0}\n"),
    ("datasets/d.yaml", "questions:\n  - {id: a, input: b, expected_tools: [§], tags: §}\n"),
    ("datasets/d.json", '{"questions": [{"id": "a", "input": "b", "context": §}]}'),
    ("datasets/d.jsonl", '{"id": "a", "input": "b", "expected": {"a": §}}\n'),
    ("datasets/d.yaml", "§\n"),
    ("rubrics/r.yaml", RUBRIC.replace("1.0.0", "§")),
    ("rubrics/r.yaml", "id: §\nversion: 1.0.0\nchecks: [§, {kind: §}]\nscoring: §\n"),
    (
        "rubrics/r.yaml",
        (
            "id: r\nversion: 1.0.0\nchecks:\n  - {id: x, kind: must_contain_any, values: [a]}\n"
            "scoring: {combine: weighted_avg, weights: {x: §, y: §}, threshold: §}\n"
        ),
    ),
    (
        "rubrics/r.yaml",
        (
            "id: r\nversion: 1.0.0\nchecks:\n  - {id: x, kind: regex, pattern: §, flags: [§]}\n"
            "  - {id: y, kind: markdown_structure, min_headings: §, min_code_blocks: §}\n"
            "  - {id: z, kind: json_schema, schema: {minimum: §, const: §, maxLength: §}}\n"
            "scoring: {combine: all_pass}\n"
        ),
    ),
    ("judges/j.yaml", "id: j\nversion: §\ntemplate: '{{ output }}'\nmodel: {name: §}\n"),
    (
        "judges/j.yaml",
        (
            "id: j\nversion: 1.0.0\ntemplate: '{{ output }}'\nscore_type: levels\n"
            "level_names: [a, b]\nlevel_values: [0, §]\nmin_score: §\nmax_score: 4\n"
        ),
    ),
    (
        "judges/j.yaml",
        (
            "id: j\nversion: 1.0.0\ntemplate: '{{ output }}'\nvalidation: {tpr: 0.5, tnr: §, "
            "sample_size: §, validated_at: 2026-05-05, judge_version: §, "
            "confusion_matrix: {tp: §, fn: 1, tn: §, fp: 2}}\n"
        ),
    ),
    ("targets/t.yaml", "id: t\ndataset: datasets/ok.yaml\nthreshold: §\nx: §\n"),
    ("targets/t.yaml", "id: §\ndataset: §\nrow_keys_graded: §\n"),
    ("evalcontract.toml", "max-validation-age-days = §\n"),
    ("evalcontract.toml", "[severity]\n'dataset/no-rows' = [{a = §}]\n"),
]
COMMANDS = [
    ("check", ".", "--strict", "--no-cache", "--output-format", "json"),
    ("coverage", "datasets"),
    ("fix", "--unsafe-fixes", "--diff", "."),
]


def calls(capsys: pytest.CaptureFixture[str], *commands: tuple[str, ...]) -> None:
    """Run commands, none of which may crash."""
    for command in commands:
        code = command_line(*command)
        out, err = capsys.readouterr()
        assert code in (0, 1, 2), (command, err)
        assert "internal/" not in out, command


def enter(folder: Path, patch: pytest.MonkeyPatch, files: dict[str, str]) -> None:
    """Work in a folder with files beside those of the library."""
    patch.chdir(folder)
    write(folder, LIBRARY | files)


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    enter(tmp_path, monkeypatch, {})


Printed = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.mark.slow
@every_case(("number", "place"), some(product((NUMBERS | QUOTED).values(), PLACES), times=2))
def test_no_number_crashes(
    number: str, place: tuple[str, str], tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    name, text = place
    enter(tmp_path, monkeypatch, {name: text.replace("§", number)})
    calls(
        capsys, *COMMANDS, ("manifest", name, "--soft"), ("manifest", "datasets/ok.yaml", "--soft")
    )


@pytest.mark.costly
@every_case("number", NUMBERS.values(), ids=NUMBERS.keys())
def test_no_number_crashes_who_grades_and_calibrates(
    number: str, tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    outputs = '{{"id": "a", "output": {0}, "tool_calls": [{{"name": "t", "arguments": {0}}}]}}\n'
    labels = '{{"id": "a", "human": {0}, "judge": {0}, "split": {0}}}\n'
    files = {"o.jsonl": outputs.format(number), "l.jsonl": labels.format(number)}
    files["p.jsonl"] = f'{{"id": "a", "output": "[{number}]"}}\n'
    enter(tmp_path, monkeypatch, files)
    calls(
        capsys,
        *(("grade", "datasets/ok.yaml", "--outputs", name) for name in ("o.jsonl", "p.jsonl")),
        ("calibrate-judge", "judges/ok.yaml", "--labels", "l.jsonl"),
    )


OPTIONS = [
    ("check", ".", "--max-findings"),
    ("check", ".", "--limit"),
    ("check", ".", "--jobs"),
    ("coverage", "datasets", "--limit"),
    ("coverage", "datasets", "--min-coverage"),
    ("fix", ".", "--limit"),
    ("report", "datasets", "-o", "r.html", "--max-findings"),
    ("report", "datasets", "-o", "r.html", "--max-rows"),
    ("grade", "datasets/ok.yaml", "--outputs", "outputs.jsonl", "--limit"),
    ("grade", "datasets/ok.yaml", "--outputs", "outputs.jsonl", "--jobs"),
    ("grade", "datasets/ok.yaml", "--outputs", "outputs.jsonl", "--threshold"),
    *(
        ("calibrate-judge", "judges/ok.yaml", "--labels", "labels.csv", *option)
        for option in (
            ("--observed", "0.5", "--observed-n"),
            ("--observed-n", "5", "--observed"),
            ("--threshold",),
            ("--min-tpr",),
        )
    ),
]


@pytest.mark.costly
@pytest.mark.usefixtures("place")
@every_case("number", ["9" * 20, "9" * 400, "9" * 5000, "1e400", "nan", "inf", "-1", "0x1", ""])
@every_case("option", OPTIONS, ids=" ".join)
def test_no_number_of_an_option_crashes(
    number: str, option: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    code = command_line(*option, number)
    assert code == 2, option
    assert capsys.readouterr().err


@pytest.mark.usefixtures("place")
@every_case("variable", ["VTE_VERSION", "COLUMNS", "LINES"])
def test_no_number_of_the_environment_crashes(
    variable: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "9" * 5000)
    monkeypatch.setenv("FORCE_COLOR", "1")
    calls(capsys, ("check", ".", "--no-cache"), ("explain", "dataset/no-rows"))


#: Keys of YAML that other parsers read as something else than a text.
KEYS = [
    "1",
    "1.5",
    "true",
    "~",
    ".nan",
    ".inf",
    "0x1F",
    "2024-01-01",
    "9" * 5000,
    "0x" + "f" * 5000,
]
#: Files of nobody's format, or of one, in which `§` is a key.
WITH_KEYS = [
    ("foo.yaml", "foo: {§: a}\n"),
    ("foo.yaml", "§: {input: b}\n"),
    ("foo.yaml", "§: {request: {§: b}}\n"),
    ("foo.yaml", "input: {§: a, b: c}\n"),
    ("foo.yaml", "- {input: {§: a}, §: b}\n"),
    ("foo.yaml", "inputs: {§: a}\nexpectations: {§: b}\n"),
    ("foo.yaml", "columns: [request]\ndata: [{§: a}]\n"),
    ("foo.yaml", "schema: {fields: [{name: input, §: a}]}\ndata: [{§: a}]\n"),
    ("foo.yaml", "tests:\n  - {vars: {§: a}, assert: [{§: x}]}\nprompts: [a]\n"),
    ("foo.yaml", "evals: [{§: a, prompt: b}]\n"),
    ("datasets/d.yaml", "questions:\n  - {id: a, input: b, §: c, metadata: {§: d}}\n"),
    ("datasets/d.yaml", "questions: {§: {id: a}}\n§: [a]\n"),
    ("datasets/d.yaml", "metadata: {§: c}\nquestions:\n  - {id: a, input: b}\n"),
    ("rubrics/r.yaml", RUBRIC + "metadata: {§: a}\n"),
    ("judges/j.yaml", "id: j\nversion: 1.0.0\ntemplate: a\nmodel: {§: a}\nvalidation: {§: a}\n"),
    ("targets/t.yaml", "id: t\ndataset: datasets/ok.yaml\n§: a\n"),
    ("bundles/b.schema.yaml", "properties: {§: {type: string}}\n"),
    ("evalcontract.yaml", "strict: true\n§: a\n"),
]  # fmt: skip


@pytest.mark.slow
@every_case(("key", "place"), some(product(KEYS, WITH_KEYS), times=4))
def test_no_key_crashes(
    key: str, place: tuple[str, str], tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    """A file with keys that are no texts for some parsers costs no other file its findings."""
    name, text = place
    faulty = "questions:\n  - {id: z}\n"
    enter(tmp_path, monkeypatch, {name: text.replace("§", key), "datasets/faulty.yaml": faulty})
    calls(capsys, ("validate-dataset", name), ("coverage", name))
    code = command_line("check", ".", "--no-cache")
    out, err = capsys.readouterr()
    is_refused = name == "evalcontract.yaml" and code == 2  # it is no configuration
    assert is_refused or (code in (0, 1) and "datasets/faulty.yaml" in out), err


# Bugs of formats


def broken(*_: object) -> Any:
    raise ZeroDivisionError("a plain bug")


class BrokenChecker:
    """Fails at the second row, or at the end."""

    def __init__(self, fails: str) -> None:
        self._fails = fails

    def check(self, _: Any, path: Any, *, is_clean: bool) -> list[Any]:
        """Fail at a row other than the first."""
        return broken(path) if self._fails == "check" and path[-1] and not is_clean else []

    def finish(self) -> list[Any]:
        """Fail, or find nothing."""
        return broken(self) if self._fails == "finish" else []


#: What fails in a format, and the keys of it that make that so.
BROKEN: dict[str, dict[str, Any]] = {
    "recognise": {"recognise": broken},
    "may_recognise": {"recognise": lambda _: None, "may_recognise": broken},
    "rows": {"rows": broken},
    "checker": {"checker": broken},
    "check": {"checker": lambda *_: BrokenChecker("check")},
    "finish": {"checker": lambda *_: BrokenChecker("finish")},
    "name_of": {"name_of": broken},
    "predict": {"predict": broken},
    "reader": {"reader": broken},
    "writer": {"writer": broken},
}
THEIRS = '[{"request": "a"}, {"request": 5, "expected_facts": 5}]'


def break_format(patch: Patch, keys: dict[str, Any]) -> None:
    """Use a format of Databricks with a bug in place of the one without."""
    others = [each for each in formats.FORMATS if each.name != "databricks"]
    good = next(each for each in formats.FORMATS if each.name == "databricks")
    bad: Any = type("Bad", (good,), keys)
    if "recognise" not in keys:
        recognise = lambda value: bad() if "request" in value else None  # noqa: E731
        bad.recognise = staticmethod(recognise)
    patch.setattr(formats, "formats_in_use", lambda: (bad, *others))


@every_case("fails", ["recognise", "may_recognise", "rows", "checker", "check", "finish"])
def test_a_format_that_crashes_costs_its_own_file_one_finding(
    fails: str, tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    faulty = {"ours.yaml": "questions:\n  - {id: a, inptu: b}\n", "theirs.json": THEIRS}
    enter(tmp_path, monkeypatch, faulty)
    break_format(monkeypatch, BROKEN[fails])
    code = command_line("validate-dataset", "theirs.json", "ours.yaml", "--output-format", "json")
    found = [
        (each["file"], each["code"]) for each in json.loads(capsys.readouterr().out)["findings"]
    ]
    assert [file for file, code in found if code == "internal/rule-crashed"] == ["theirs.json"]
    assert ("ours.yaml", "dataset/near-miss-key") in found
    assert code == 3


def test_a_bug_in_a_detector_costs_no_other_file_its_findings(
    tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    """Of a file that looks like none of ours, each format is asked whether it is one of its own."""
    files = {"datasets/theirs.json": '{"foo": {"bar": 1}}', "datasets/z.yaml": "questions: 5\n"}
    enter(tmp_path, monkeypatch, files)
    break_format(monkeypatch, BROKEN["recognise"])
    code = command_line("check", ".", "--no-cache", "--output-format", "json")
    found = [
        (each["file"], each["code"]) for each in json.loads(capsys.readouterr().out)["findings"]
    ]
    assert ("datasets/theirs.json", "internal/rule-crashed") in found
    assert ("datasets/z.yaml", "dataset/no-questions") in found
    assert code == 3


@pytest.mark.costly
@every_case("fails", ["rows", "check", "predict"])
@every_case("command", ["coverage", "report"])
def test_a_bug_of_a_format_is_a_finding_of_other_commands(
    command: str, fails: str, tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    enter(tmp_path, monkeypatch, {"theirs.json": THEIRS})
    break_format(monkeypatch, BROKEN[fails])
    code = command_line(command, "theirs.json", "datasets/ok.yaml")
    err = capsys.readouterr().err
    page = (tmp_path / "report.html").read_text() if command == "report" else ""
    assert (page or err).count("ZeroDivisionError: a plain bug") == 1
    assert code == (0 if command == "report" else 3)
    assert "Traceback" not in err


@every_case("fails", ["rows", "check", "reader", "writer"])
def test_nothing_is_converted_by_a_format_that_crashes(
    fails: str, tmp_path: Path, monkeypatch: Patch, capsys: Printed
) -> None:
    enter(tmp_path, monkeypatch, {"theirs.json": '[{"request": "a"}, {"request": "b", "x": 1}]'})
    break_format(monkeypatch, BROKEN[fails])
    to = "databricks" if fails == "writer" else "evalcontract"
    code = command_line("convert", "theirs.json", "o.json", "--from", "databricks", "--to", to)
    assert code == 3
    assert "ZeroDivisionError: a plain bug" in capsys.readouterr().err
    assert not (tmp_path / "o.json").exists()


@every_case("error", [MemoryError, KeyboardInterrupt])
def test_what_is_no_bug_of_a_format_passes(
    error: type[BaseException], tmp_path: Path, monkeypatch: Patch
) -> None:
    def stop(*_: Any) -> Any:
        raise error

    enter(tmp_path, monkeypatch, {"theirs.json": THEIRS})
    break_format(monkeypatch, {"rows": stop})
    code = command_line("validate-dataset", "theirs.json")
    assert code == (130 if error is KeyboardInterrupt else 2)
