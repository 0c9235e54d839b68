"""The rules of the house: where things stand, and what they are called."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import evalcontract
from evalcontract import formats, report, rules
from evalcontract.formats import FORMATS
from evalcontract.formats._codes import codes_of_formats
from evalcontract.model.reference import Kind
from evalcontract.rules._dataset_rule import DatasetRule
from evalcontract.rules._row_rule import RowRule
from evalcontract.rules._rule import Rule
from evalcontract.workspace.known_codes import KnownCodes, kind_of
from evalcontract.workspace.rules_in_use import RulesInUse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SOURCE = Path(evalcontract.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))
NAMES = [file.relative_to(SOURCE).as_posix() for file in FILES]

MODULE_LINES = 300
FUNCTION_LINES = 60
SUMMARY_CHARACTERS = 100

SYSTEMS = "|".join(each.name for each in FORMATS)
CODE = re.compile(
    rf"(source|dataset|rubric|judge|target|bundle|reference|internal|{SYSTEMS})/[a-z-]+"
)
NO_WORDS = re.compile(r"util|helper|manager|handler|misc|common", re.IGNORECASE)
#: Modules of `report/` that are no output format.
NO_FORMATS = {"report", "frame", "coverage", "losses", "fixes"}

STRICT = re.compile(r"\.strict\b|\bstrict=|strict_validation")
#: `zip(…, strict=True)` is another word; its arguments may hold brackets, two deep.
ZIP = re.compile(r"\bzip\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\bstrict=")
#: A code is declared with its severities in both modes.
DECLARATION = re.compile(r"\bCode\((?:[^()]|\([^()]*\))*\)")
#: Who knows the mode: the policy, the command line, and what carries it from one to the other.
KNOWS_MODES = (
    "policy/",
    "cli/",
    "api/loaders.py",
    "engine/run.py",
    "engine/pipeline.py",
    "workspace/configuration.py",
    "model/code.py",
    "structure/words.py",  # what authors call the key of a target that asks for it
)

every_file = pytest.mark.parametrize("file", FILES, ids=NAMES)


def modules_of(package: ModuleType) -> list[ModuleType]:
    """Import the modules of a package that do not begin with an underscore."""
    found = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    names = [each.name for each in found if not each.name.rpartition(".")[2].startswith("_")]
    return [importlib.import_module(name) for name in names]


def rules_of(module: ModuleType) -> list[Any]:
    """Return the rules that a module makes."""
    found: list[Any] = []
    for value in vars(module).values():
        parts = value if type(value) is tuple else (value,)
        found += [part for part in parts if isinstance(part, Rule | RowRule | DatasetRule)]
    return found


def test_every_rule_stands_in_a_table() -> None:
    made = {rule.code: rule for module in modules_of(rules) for rule in rules_of(module)}
    tables: tuple[Any, ...] = (
        *rules.load_rules(rules.RUBRIC_RULES, Kind.RUBRIC),
        *rules.load_rules(rules.JUDGE_RULES, Kind.JUDGE),
        *rules.load_rules(rules.ROW_RULES),
        *rules.load_rules(rules.DATASET_RULES),
    )
    listed = {rule.code: rule for rule in tables}
    assert len(tables) == len(listed)
    assert made == listed


def test_a_rule_stands_in_the_table_of_what_it_looks_at() -> None:
    for table, kind in ((rules.RUBRIC_RULES, Kind.RUBRIC), (rules.JUDGE_RULES, Kind.JUDGE)):
        assert {rule.kinds for rule in rules.load_rules(table, kind)} == {(kind,)}
    assert {type(rule) for rule in rules.load_rules(rules.ROW_RULES)} == {RowRule}
    assert {type(rule) for rule in rules.load_rules(rules.DATASET_RULES)} == {DatasetRule}


def test_a_module_without_a_rule_is_none() -> None:
    assert [module for module in modules_of(rules) if not rules_of(module)] == []


def test_the_code_of_a_rule_is_its_own() -> None:
    codes = [rule.code for module in modules_of(rules) for rule in rules_of(module)]
    assert sorted(codes) == sorted(set(codes))
    assert set(codes) <= set(KnownCodes())


@pytest.mark.parametrize("code", KnownCodes())
def test_a_code_names_a_kind_and_a_fault(code: str) -> None:
    assert CODE.fullmatch(code)


def test_every_code_is_declared_once_and_known() -> None:
    names = [".".join(file.relative_to(SOURCE.parent).with_suffix("").parts)
             for file in SOURCE.rglob("codes.py")]  # fmt: skip
    declared = [code for name in names for code in importlib.import_module(name).CODES]
    declared += RulesInUse().codes
    assert sorted(declared) == sorted(KnownCodes())


def test_every_output_format_stands_in_the_table() -> None:
    stems = {module.__name__.rpartition(".")[2] for module in modules_of(report)}
    assert stems - NO_FORMATS == set(report.FORMATS)
    assert stems >= NO_FORMATS
    for name, write in report.FORMATS.items():
        assert write.__module__ == f"evalcontract.report.{name}"


def test_every_format_stands_in_the_table() -> None:
    packages = {module.__name__.rpartition(".")[2] for module in modules_of(formats)}
    assert packages == {each.name for each in FORMATS} == set(map(kind_of, codes_of_formats()))


@every_file
def test_a_module_says_what_it_is(file: Path) -> None:
    docstring = ast.get_docstring(_tree(file))
    assert docstring
    assert len(docstring.split("\n")[0]) <= SUMMARY_CHARACTERS


@every_file
def test_a_module_is_short(file: Path) -> None:
    assert len(file.read_text(encoding="utf-8").splitlines()) <= MODULE_LINES


@every_file
def test_a_function_is_short(file: Path) -> None:
    long = [
        f"{each.name}: {lines} lines"
        for each in ast.walk(_tree(file))
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        if (lines := (each.end_lineno or each.lineno) - each.lineno + 1) > FUNCTION_LINES
    ]
    assert long == []


@every_file
def test_only_a_few_know_the_mode(file: Path) -> None:
    if file.relative_to(SOURCE).as_posix().startswith(KNOWS_MODES):
        return
    text = DECLARATION.sub("", ZIP.sub("", file.read_text(encoding="utf-8")))
    assert STRICT.findall(text) == []


def test_who_knows_the_mode_is_there() -> None:
    assert [path for path in KNOWS_MODES if not (SOURCE / path).exists()] == []


@every_file
def test_a_name_says_what_a_thing_is(file: Path) -> None:
    assert [name for name in _names(file) if NO_WORDS.search(name)] == []


def _names(file: Path) -> Iterator[str]:
    """Yield the names that a module gives: its own, and those of what it defines."""
    yield file.relative_to(SOURCE).as_posix()
    for each in ast.walk(_tree(file)):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield each.name
        elif isinstance(each, ast.arg):
            yield each.arg
        elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id


@every_file
def test_public_names_exist(file: Path) -> None:
    if file.name == "__main__.py":
        return
    parts = file.relative_to(SOURCE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    names = getattr(module, "__all__", [])
    assert sorted(names) == sorted(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


def test_the_package_has_a_home_for_each_public_name() -> None:
    assert set(evalcontract.__all__) - {"__version__"} == evalcontract._HOMES.keys()  # noqa: SLF001
    with pytest.raises(AttributeError, match="no attribute 'Loader'"):
        evalcontract.Loader  # noqa: B018


def _tree(file: Path) -> ast.Module:
    return ast.parse(file.read_text(encoding="utf-8"))
