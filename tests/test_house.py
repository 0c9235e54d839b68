"""The rules of the house: where things stand, and what they are called."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
from graphlib import TopologicalSorter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import grimp
import pytest
from doors import Kind

import evalcontract
from evalcontract import formats, report, rules
from evalcontract.formats import FORMATS
from evalcontract.model.codes import CORE
from evalcontract.rules._rule import DatasetRule, RowRule, Rule
from evalcontract.workspace.catalogue import KnownCodes, RulesInUse, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

SOURCE = Path(evalcontract.__file__).parent
#: The modules by name, as they are read.
TEXTS = {
    file.relative_to(SOURCE).as_posix(): file.read_text(encoding="utf-8")
    for file in sorted(SOURCE.rglob("*.py"))
}

#: The heart of a subject may be so long; most chapters have 100 to 400 lines.
MODULE_LINES = 600
FUNCTION_LINES = 60
SUMMARY_CHARACTERS = 100

SYSTEMS = "|".join(each.name for each in FORMATS)
CODE = re.compile(
    r"(source|dataset|rubric|judge|target|bundle|library|workspace|reference|labels|lock|output|internal|"
    rf"{SYSTEMS})"
    r"/[a-z-]+"
)
NO_WORDS = re.compile(r"util|helper|manager|handler|misc|common", re.IGNORECASE)
#: Modules of `report/` that are no output format.
NO_FORMATS = {"frame", "losses"}

STRICT = re.compile(r"\.strict\b|\bstrict=|strict_validation")
#: `zip(…, strict=True)` is another word; its arguments may hold brackets, two deep.
ZIP = re.compile(r"\bzip\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\bstrict=")
#: A code is declared with its severities in both modes.
DECLARATION = re.compile(r"\bCode\((?:[^()]|\([^()]*\))*\)")
#: Who knows the mode: the policy, the command line, and what carries it from one to the other.
KNOWS_MODES = (
    "policy.py",
    "cli/",
    "pytest_plugin/",
    "api/",
    "spark/",
    "types.py",  # the key of a target
    "datasets/run.py",
    "checking/pipeline.py",
    "grading/grade.py",
    "grading/manifest.py",
    "workspace/configuration.py",
    "model/codes.py",
    "structure/keys/names.py",  # what authors call the key of a target that asks for it
)


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    """Parse every module once."""
    return {name: ast.parse(text, name) for name, text in TEXTS.items()}


@pytest.fixture(scope="module")
def nodes(trees: dict[str, ast.Module]) -> dict[str, list[ast.AST]]:
    """List the nodes of every module once."""
    return {name: [*ast.walk(tree)] for name, tree in trees.items()}


def modules_of(package: ModuleType) -> list[ModuleType]:
    """Import the modules of a package that do not begin with an underscore."""
    found = pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    names = [each.name for each in found if not each.name.rpartition(".")[2].startswith("_")]
    return [importlib.import_module(name) for name in names]


def rule_modules() -> list[ModuleType]:
    """Import the modules with rules, which stand in folders by the question asked."""
    return [module for folder in modules_of(rules) for module in modules_of(folder)]


def rules_of(module: ModuleType) -> list[Any]:
    """Return the rules that a module makes."""
    found: list[Any] = []
    for value in vars(module).values():
        parts = value if type(value) is tuple else (value,)
        found += [part for part in parts if isinstance(part, Rule | RowRule | DatasetRule)]
    return found


def test_every_rule_stands_in_a_table() -> None:
    made = {rule.code: rule for module in rule_modules() for rule in rules_of(module)}
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
    assert [module for module in rule_modules() if not rules_of(module)] == []


def test_the_code_of_a_rule_is_its_own() -> None:
    codes = [rule.code for module in rule_modules() for rule in rules_of(module)]
    assert sorted(codes) == sorted(set(codes))
    assert set(codes) <= set(KnownCodes())


def test_a_code_names_a_kind_and_a_fault() -> None:
    assert [code for code in KnownCodes() if not CODE.fullmatch(code)] == []


def test_every_code_is_declared_once_and_known() -> None:
    declared: list[str] = [*CORE, *RulesInUse().codes]
    declared += [code for each in FORMATS for code in each.codes]
    assert sorted(declared) == sorted(KnownCodes())


def test_every_output_format_stands_in_the_table() -> None:
    stems = {module.__name__.rpartition(".")[2] for module in modules_of(report)}
    assert stems - NO_FORMATS == set(report.FORMATS)
    assert stems >= NO_FORMATS
    assert set(report.FORMATS.values()) == {"text", "json", "commands"}
    for name in report.FORMATS:
        assert report.write_of(name).__module__ == f"evalcontract.report.{name}"


def test_every_format_stands_in_the_table() -> None:
    packages = {module.__name__.rpartition(".")[2] for module in modules_of(formats)}
    assert packages == {each.name for each in FORMATS}
    assert [{*map(kind_of, each.codes)} for each in FORMATS] == [{each.name} for each in FORMATS]


@pytest.mark.slow
def test_patterns_of_modules_are_compiled_at_their_first_use(trees: dict[str, ast.Module]) -> None:
    assert [
        f"{name}:{call.lineno}"
        for name, tree in trees.items()
        if "re.compile" in TEXTS[name]
        for call in calls_at_import(tree)
        if ast.unparse(call.func) == "re.compile"
    ] == []


def calls_at_import(node: ast.AST) -> Iterator[ast.Call]:
    """Yield the calls that importing a module makes, in its own body and those of classes."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.Lambda):
            continue
        if isinstance(child, ast.Call):
            yield child
        yield from calls_at_import(child)


@pytest.mark.slow
def test_a_module_says_what_it_is(trees: dict[str, ast.Module]) -> None:
    summaries = {
        name: (ast.get_docstring(tree) or "").split("\n")[0] for name, tree in trees.items()
    }
    assert [name for name, line in summaries.items() if not line] == []
    assert [name for name, line in summaries.items() if len(line) > SUMMARY_CHARACTERS] == []


def test_a_module_is_short() -> None:
    texts = {name: text for name, text in TEXTS.items() if name != "types.py"}  # generated
    lengths = {name: len(text.splitlines()) for name, text in texts.items()}
    assert [item for item in lengths.items() if item[1] > MODULE_LINES] == []


@pytest.mark.slow
def test_a_function_is_short(nodes: dict[str, list[ast.AST]]) -> None:
    lengths = {
        f"{name}: {node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for name, walked in nodes.items()
        for node in walked
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert [item for item in lengths.items() if item[1] > FUNCTION_LINES] == []


def test_only_a_few_know_the_mode() -> None:
    others = {name: text for name, text in TEXTS.items() if not name.startswith(KNOWS_MODES)}
    said = {name: DECLARATION.sub("", ZIP.sub("", text)) for name, text in others.items()}
    assert [name for name, text in said.items() if STRICT.search(text)] == []


def test_who_knows_the_mode_is_there() -> None:
    assert [path for path in KNOWS_MODES if not (SOURCE / path).exists()] == []


@pytest.mark.slow
def test_a_name_says_what_a_thing_is(nodes: dict[str, list[ast.AST]]) -> None:
    named = ((file, name) for file, walked in nodes.items() for name in (file, *_names(walked)))
    assert [pair for pair in named if NO_WORDS.search(pair[1])] == []


#: Class names that stand twice: a name of the public API, and what stands behind it.
TWICE = {
    "Loss": ["api/in_memory.py", "formats/_conversion.py"],
    "Workspace": ["api/findings.py", "workspace/workspace.py"],
}


@pytest.mark.slow
def test_a_class_name_has_one_meaning(nodes: dict[str, list[ast.AST]]) -> None:
    homes: dict[str, list[str]] = {}
    for file, walked in nodes.items():
        for node in walked if file != "types.py" else ():
            if isinstance(node, ast.ClassDef):
                homes.setdefault(node.name, []).append(file)
    assert {name: sorted(files) for name, files in homes.items() if len(files) > 1} == TWICE


def _names(nodes: list[ast.AST]) -> Iterator[str]:
    """Yield the names that a module gives to what it defines."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def test_public_names_exist() -> None:
    wrong = {}
    for file in TEXTS:
        if file == "__main__.py":
            continue
        name = f"evalcontract/{file}".removesuffix(".py").removesuffix("/__init__")
        module = importlib.import_module(name.replace("/", "."))
        names = getattr(module, "__all__", [])
        missing = [each for each in names if not hasattr(module, each)]
        if missing or len(names) != len(set(names)):
            wrong[file] = missing or names
    assert wrong == {}


def test_the_package_has_a_home_for_each_public_name() -> None:
    assert set(evalcontract.__all__) - {"__version__"} == evalcontract._HOMES.keys()  # noqa: SLF001
    with pytest.raises(AttributeError, match="no attribute 'Loader'"):
        evalcontract.Loader  # noqa: B018


# Who asks the system for something

ASKS = re.compile(
    r"\b(?:listdir|scandir|iterdir|walk|r?glob|open|read_text|read_bytes|isfile|isdir|is_file|is_dir"
    r"|exists|lexists|islink|is_symlink|l?stat|access|realpath|readlink|getcwd|cwd|which"
    r"|environ|getenv|now|gethostname|getuid|geteuid)\b"
)
#: Modules that ask the system for something, and why the answer is known to who remembers.
KNOWN = {
    "source/filesystem.py": "the files: what is asked of them is recorded",
    "source/writing.py": "writes",
    "source/git.py": "reads commits, and no check of files on the disk does",
    "source/installed.py": "ours: `installation`",
    "structure/schemas.py": "ours: `installation`",
    "cache/store.py": "it is what is remembered by",
    "cache/checks.py": "the installation: in the key; the files: what is asked of them is recorded",
    "checks/php_lint.py": "grades outputs, and no check of files does",
    "workspace/configuration.py": "reads by `Files`",
    "workspace/roots.py": "the current folder bounds what is written",
    "workspace/workspace.py": "reads by `Files`",
    "workspace/libraries.py": "reads by `Files`",
    "workspace/syncing.py": "is not remembered",
    "datasets/run.py": "the day: in the key",
    "datasets/output_files.py": "grades outputs, and no check of files does",
    "covering.py": "is not remembered",
    "comparing/compare.py": "is not remembered",
    "grading/grade.py": "is not remembered",
    "judging/settings.py": "where judges are asked, which no check of files does",
    "grading/used.py": "is not remembered",
    "grading/export.py": "writes",
    "datasets/provenance.py": "the time of a manifest, which is not remembered",
    "grading/results.py": "results, and no check of files reads them",
    "grading/earlier.py": "results, and no check of files reads them",
    "source/text.py": "results, and no check of files reads them",
    "calibrating/files.py": "is not remembered",
    "workspace/writing.py": "writes",
    "converting/output.py": "writes",
    "starting/migrate.py": "writes",
    "starting/init.py": "writes",
    "starting/source.py": "is not remembered",
    "page/report.py": "ours, and no check reads it",
    "api/datasets.py": "is not remembered",
    "api/batch_runs.py": "is not remembered",
    "api/calibrating.py": "is not remembered",
    "api/grader.py": "is not remembered",
    "api/in_memory.py": "is not remembered",
    "api/findings.py": "is not remembered",
    "fixing.py": "is not remembered",
    "versioning/bump.py": "changes files, and no check does",
    "model/codes.py": "ours, and no check reads it",
    "pytest_plugin/rows.py": "is not remembered",
    "pytest_plugin/collecting.py": "the number of processes",
    "checking/baseline.py": "is compared with what is remembered",
    "checking/standing.py": "is not remembered",
}


@pytest.mark.slow
def test_who_asks_the_system_is_known(nodes: dict[str, list[ast.AST]]) -> None:
    """What a check asks must be noted, or the cache sees no changed answer; add it here then."""
    asking = set()
    for name, walked in nodes.items():
        called = [node.func for node in walked if isinstance(node, ast.Call)]
        # What is asked of `files` or `self.files` is recorded there.
        called = [each for each in called if _receiver(each) != "files"]
        names = [each.id for each in called if isinstance(each, ast.Name)]
        names += [each.attr for each in called if isinstance(each, ast.Attribute)]
        names += [
            each.attr
            for each in walked
            if isinstance(each, ast.Attribute) and each.attr == "environ"
        ]
        if not name.startswith(("cli/", "lsp/", "report/")) and any(map(ASKS.fullmatch, names)):
            asking.add(name)
    assert asking == KNOWN.keys()


def _receiver(called: ast.expr) -> str:
    return ast.unparse(called.value).rpartition(".")[2] if isinstance(called, ast.Attribute) else ""


def test_modules_import_each_other_in_no_circle() -> None:
    """Imports inside of functions and those for types alone count, too."""
    graph = grimp.build_graph("evalcontract")
    imports = {name: graph.find_modules_directly_imported_by(name) for name in graph.modules}
    order = [
        *TopologicalSorter(imports).static_order()
    ]  # raises CycleError, which names the circle
    assert set(order) == graph.modules


# The map


MAP = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
#: A room and the chapters to read first, in the table of the map.
ROOM = re.compile(r"^\| [^|]*\| `([a-z_.]+)` \|[^|]*\| ([^|]*)\|$", re.MULTILINE)
#: Folders with data.
NO_ROOMS = {"pages", "templates", "schema"}


def test_the_map_has_every_room() -> None:
    mapped = [room for room, _ in ROOM.findall(MAP)]
    rooms = {name.split("/")[0] for name in TEXTS} - {"__init__.py", "__main__.py", "_version.py"}
    assert sorted([*mapped, "plugin.py"]) == sorted(rooms - NO_ROOMS)


def test_what_the_map_names_is_there() -> None:
    first = {
        f"{room}/{name}"
        for room, chapters in ROOM.findall(MAP)
        for name in re.findall(r"`([a-z_]+\.py)`", chapters)
    }
    named = set(re.findall(r"(?<![\w/])((?:[a-z_]+/)+[a-z_]+\.py)", MAP)) - {"tests/test_house.py"}
    assert [name for name in sorted(first | named) if name not in TEXTS] == []


# Features

FEATURES = frozenset(
    [
        *("checking", "covering", "grading", "converting", "comparing", "fixing", "calibrating"),
        *("starting", "page", "versioning"),
    ]
)
#: What a feature takes from another, by its name.
TAKEN = {
    "grading": {"checking.artifacts.artifact_findings", "checking.artifacts.lock_findings"},
    "comparing": {
        "grading.grade.Grading",
        "grading.results.RowResult",
        "grading.runner.score_text",
        "grading.samples.reduced",
        "grading.comparison.Comparison",
        "grading.earlier.by_id",
    },
    "versioning": {
        "checking.artifact_check.bundles_of",
        "checking.artifact_check.schemas_of",
        "checking.pipeline.check_runs",
    },
    "fixing": {"checking.pipeline.check_workspaces", "checking.pipeline.validate"},
    "calibrating": {
        "checking.pipeline.validate",
        "grading.printed.usage_fields",
        "grading.printed.write_judge_usage",
    },
    "starting": {
        "converting.convert.convert",
        "converting.output.ConvertOptions",
        "converting.placing.GradedBy",
        "converting.placing.Names",
        "converting.placing.NativeTarget",
        "converting.placing.graded_by",
        "converting.placing.snake_case",
        "covering.run_for_coverage",
    },
    "page": {
        "calibrating.files.CalibrationOptions",
        "calibrating.files.NamedJudge",
        "calibrating.files.ReadFile",
        "calibrating.files.find_judge",
        "calibrating.files.read_rows",
        "calibrating.files.scale_for",
        "calibrating.joining.JoinedRecords",
        "calibrating.joining.LabelRecord",
        "calibrating.joining.LabelledVerdict",
        "calibrating.joining.have_scores",
        "calibrating.joining.join",
        "calibrating.measuring.Labels",
        "calibrating.measuring.Measurement",
        "calibrating.measuring.measure",
        "calibrating.measuring.remarks",
        "checking.pipeline.validate",
        "checking.pipeline.validate_in_modes",
        "comparing.compare.compare",
        "comparing.difference.ArtifactDifference",
        "comparing.difference.Difference",
        "comparing.printed.affected_sentence",
        "comparing.printed.alike",
        "comparing.printed.beside_rows",
        "comparing.printed.change_sentence",
        "comparing.printed.field_in_row",
        "comparing.printed.fields_of",
        "comparing.printed.file_sentence",
        "comparing.printed.headline",
        "comparing.printed.rows_sentence",
        "comparing.printed.stale_sentence",
        "comparing.printed.summary_sentence",
        "comparing.printed.version_sentence",
        "comparing.revisions.of_git",
        "covering.run_for_coverage",
        "grading.basis.Basis",
        "grading.basis.differences",
        "grading.comparison.Comparison",
        "grading.earlier.by_id",
        "grading.groups.Grouping",
        "grading.printed.methods_sentence",
        "grading.printed.samples_sentence",
        "grading.printed.tally_sentence",
        "grading.printed.unmeasured_lines",
        "grading.results.CheckResult",
        "grading.results.RowResult",
        "grading.results.earlier_results",
        "grading.rows.EXPECTATIONS",
        "grading.runner.row_name",
        "grading.runner.score_text",
        "grading.samples.reduced",
        "grading.summary.ALL_ALIKE",
        "grading.summary.Summary",
        "grading.summary.Tally",
        "grading.summary.counts",
    },
}


@pytest.mark.slow
def test_a_feature_takes_from_another_only_what_is_listed(nodes: dict[str, list[ast.AST]]) -> None:
    taken: dict[str, set[str]] = {}
    for name, walked in nodes.items():
        room = name.split("/")[0].removesuffix(".py")
        for node in walked if room in FEATURES else ():
            if isinstance(node, ast.ImportFrom) and node.module:
                module = node.module.removeprefix("evalcontract.")
                if module.split(".")[0] in FEATURES - {room}:
                    taken.setdefault(room, set()).update(
                        f"{module}.{each.name}" for each in node.names
                    )
    assert taken == TAKEN
