"""A hostile workspace does not crash the program, nor take much time or memory."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from doors import Options, check_workspaces, command_line
from tables import every_case
from writing import write

from evalcontract.cli.output import guarded
from evalcontract.datasets import placing as crash
from evalcontract.model.reference import Version

if TYPE_CHECKING:
    from pathlib import Path

HANG, MEMORY = 60, 700 << 20
ROW = {"id": "a", "input": "b", "criteria": "c"}
REF = {"$ref": "#/$defs/n"}


def rubric(*checks: dict[str, Any], **keys: Any) -> dict[str, Any]:
    scoring = {"combine": "all_pass"}
    return {"id": "a", "version": "1.0.0", "checks": checks, "scoring": scoring, **keys}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def recursive(*requirements: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a bundle that refers to itself once in each of some alternatives."""
    options = [{"properties": {"a": REF}, **requirement} for requirement in requirements]
    return {"$defs": {"n": {"oneOf": options}}, "properties": {"context": REF}}


def limited(folder: Path) -> subprocess.CompletedProcess[str]:
    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))

    return subprocess.run(
        [sys.executable, "-P", "-m", "evalcontract", "check", "--no-cache", "."],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=HANG,
        check=False,
        preexec_fn=limit,
    )


BOMBS: dict[str, dict[str, Any]] = {
    "alternatives that all apply": {
        "bundles/x.schema.json": recursive({}, {}),
        "datasets/a.json": {"questions": [{**ROW, "bundle": "x", "context": nested(90)}]},
    },
    "alternatives that none applies": {
        "bundles/x.schema.json": recursive({"required": ["b"]}, {"required": ["c"]}),
        "datasets/a.json": {
            "questions": [
                {**ROW, "id": f"r{n}", "bundle": "x", "context": nested(60)} for n in range(30)
            ]
        },
    },
    "items to compare": {
        "bundles/x.schema.json": {"properties": {"context": {"uniqueItems": True}}},
        "datasets/a.json": {
            "questions": [
                {**ROW, "bundle": "x", "context": [{"k": n} for n in [*range(30_000), 1]]}
            ]
        },
    },
    "parts of a key": {"evalcontract.toml": ".".join("a" * 29_500) + "=1\n"},
    "parts of a quoted key": {"evalcontract.toml": ".".join(['"a"'] * 20_000) + "=1\n"},
    "parts of a table's name": {"evalcontract.toml": f"[{'.'.join('a' * 29_500)}]\n"},
    "slow patterns": {
        "rubrics/a.json": rubric(
            *(
                {"id": f"p{n}", "kind": "regex", "pattern": f"(a|a{n})*(b|b{n}?)*(c+)+d"}
                for n in range(2000)
            )
        )
    },
}


@pytest.mark.slow
@pytest.mark.parametrize("files", BOMBS.values(), ids=BOMBS)
@pytest.mark.thorough
def test_a_bomb_ends(files: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "rubrics").mkdir()
    write(tmp_path, files)
    done = limited(tmp_path)
    assert done.returncode in (0, 1, 2), done.stderr
    assert "Traceback" not in done.stderr


def test_a_setting_with_many_dots_is_no_deep_key(tmp_path: Path) -> None:
    names = ", ".join(['"data.*json"'] * 200)
    settings = f"datasets = [{names}]  # {'a.' * 40}\n"
    write(tmp_path, {"evalcontract.toml": settings, "data.json": {"questions": [ROW]}})
    assert command_line("check", "--no-cache", tmp_path) == 0


ODD_SCHEMAS: list[Any] = [
    {"enum": "pass"}, {"properties": {"k": {"enum": "pass"}}}, {"items": True},
    {"properties": {"k": True}}, {"properties": {"k": False}}, {"allOf": [True]},
    {"properties": {"context": {"properties": {"k": True}, "items": True}}},
    {"if": True, "then": True, "else": {"required": ["q"]}, "required": ["kkk"]},
    {"if": {"required": ["q"]}, "else": True, "required": ["kkk"]},
    {"allOf": [{"if": {"properties": {"k": True}}, "then": True}], "required": ["kkk"]},
    {"$ref": "#/$defs/a", "$defs": {"a": True}}, {"$ref": "#/$defs/a", "$defs": {"a": False}},
    {"required": 5}, {"properties": []}, {"type": [5]}, {"pattern": 5}, {"not": "pass"}, 5, None,
    {"minimum": float("inf")}, {"const": float("inf")}, {"enum": [float("nan")]},
    {"type": "integer", "const": float("inf")}, {"minItems": float("inf"), "type": "array"},
    {"$ref": "\0"}, {"$id": "http://["}, {"properties": {"": {"const": "\0"}}},
]  # fmt: skip


@pytest.mark.slow
@every_case("schema", ODD_SCHEMAS, ids=str)
def test_no_schema_crashes(schema: Any, tmp_path: Path) -> None:
    """Neither that of a check, in its file or another one, nor that of a bundle."""
    text = json.dumps(schema).replace("Infinity", ".inf").replace("NaN", ".nan")
    checks = [
        {"id": "x", "kind": "json_schema", "schema": "SCHEMA"},
        {"id": "y", "kind": "json_schema", "schema_ref": "shape.yaml"},
    ]
    reference = "rubric/a@1.0.0"
    rows = [
        {**ROW, "bundle": "x", "k": 1, "context": {"k": 1}},
        {**ROW, "id": "b", "bundle": "x", "kk": 1, "context": [1], "rubric_ref": reference},
    ]
    write(
        tmp_path,
        {
            "rubrics/a.yaml": json.dumps(rubric(*checks)).replace('"SCHEMA"', text),
            "shape.yaml": text,
            "bundles/x.schema.json": schema,
            "datasets/a.json": {"questions": rows},
        },
    )
    crashed = [
        finding.message for finding in found_in(tmp_path) if finding.code == "internal/rule-crashed"
    ]
    assert crashed == []


def found_in(folder: Path) -> list[Any]:
    return check_workspaces(folder, Options(root=folder)).diagnostics


LONG = f"1.{'9' * 4301}.0"
JUDGE = {"id": "j", "version": "1.0.0", "template": "{{ output }}"}
VALIDATION = {"tpr": 1, "tnr": 1, "validated_at": "2026-01-01", "sample_size": 5}
ODD_FILES: list[dict[str, Any]] = [
    {"rubrics/a.json": rubric(version=LONG)},
    {"rubrics/a.json": rubric({"id": "x", "kind": "composite", "rubric_ref": f"rubric/a@{LONG}"})},
    {"judges/j.json": {**JUDGE, "validation": {**VALIDATION, "judge_version": LONG}}},
    {"rubrics/a.json": rubric(), "datasets/a.json": {"questions": [
        {"id": "a", "input": "b", "rubric_ref": f"rubric/a@{LONG}"}]}},
    *(
        {"rubrics/a.json": rubric({"id": "x", "kind": "json_schema", "schema_ref": name})}
        for name in ("a\0b", "\ud800", "a" * 5000, ".", "rubrics/a.json/b", "")
    ),
]  # fmt: skip


@every_case("files", ODD_FILES, ids=" ".join)
def test_no_name_or_version_crashes(files: dict[str, Any], tmp_path: Path) -> None:
    write(tmp_path, files)
    codes = {finding.code for finding in found_in(tmp_path)}
    assert codes
    assert "internal/rule-crashed" not in codes


def test_numbers_of_versions_have_any_length() -> None:
    texts = ["1.2.0", f"1.{'9' * 4299}.0", f"1.{'9' * 4300}.0", f"1.1{'0' * 4300}.0",
             f"1.{'9' * 4301}.0", f"1.1{'0' * 4301}.0", f"2.0.0-{'9' * 4301}", "2.0.0-a",
             f"{'1' * 9000}.0.0"]  # fmt: skip
    versions = [Version.parse(text) for text in texts]
    assert [str(version) for version in versions] == texts
    for index, version in enumerate(versions):
        assert version is not None
        assert all(other is not None and version < other for other in versions[index + 1 :])


DIALECTS = (
    [],
    *(["--dialect", name] for name in ("mlflow", "databricks", "northstar", "evret", "openai")),
)


@pytest.mark.slow
@every_case("value", [{"queries": 5}, {"queries": None}, {"queries": [5]}, {"questions": 5}, 5])
def test_no_dataset_crashes(value: Any, tmp_path: Path) -> None:
    write(tmp_path, {"a.json": value})
    path = tmp_path / "a.json"
    for dialect in DIALECTS:
        assert command_line("validate-dataset", *dialect, path) in (0, 1), dialect
    assert command_line("check", "--no-cache", path) in (1, 2)
    assert command_line("coverage", path) in (0, 1, 2)


def exhaust(*_: object) -> int:
    raise MemoryError


def test_out_of_memory_is_no_bug(capsys: pytest.CaptureFixture[str]) -> None:
    assert guarded(exhaust) == 2
    assert "out of memory" in capsys.readouterr().err
    with pytest.raises(MemoryError):
        crash.guarded("rubric/empty", exhaust)  # type: ignore[arg-type]
