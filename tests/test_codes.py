"""A code is declared once; its severities, its page and what reads them follow from that."""

from __future__ import annotations

import copy
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest
from checkout import add_below, copy_package
from doors import command_lines
from publishing import PUBLISHED

from evalcontract.model import codes as page
from evalcontract.model.codes import (
    Code,
    CodeTable,
    Page,
    parse_markdown,
    parse_page,
    parse_shared,
    read_page,
)
from evalcontract.model.diagnostic import Severity
from evalcontract.model.errors import InstallationError
from evalcontract.policy import Policy
from evalcontract.rules._rule import RowRule
from evalcontract.workspace import catalogue as known_codes
from evalcontract.workspace.catalogue import KnownCodes, RulesInUse, code_named, url_of

ROOT = Path(__file__).parents[1]
NOTE, WARNING, ERROR = Severity.NOTE, Severity.WARNING, Severity.ERROR


def test_a_code_is_its_name() -> None:
    code = Code("dataset/duplicate-id")
    assert code == "dataset/duplicate-id"
    assert {code} == {"dataset/duplicate-id"}
    assert f"[{code}]" == "[dataset/duplicate-id]"
    assert type(str(code)) is str


@pytest.mark.parametrize(
    ("code", "soft", "strict"),
    [
        (Code("a/b"), WARNING, ERROR),
        (Code("a/b", soft=ERROR), ERROR, ERROR),
        (Code("a/b", soft=NOTE, strict=WARNING), NOTE, WARNING),
    ],
)
def test_a_policy_reads_the_severities(code: Code, soft: Severity, strict: Severity) -> None:
    assert Policy().severity_of(code) is soft
    assert Policy(strict=True).severity_of(code) is strict


def test_a_code_cannot_be_changed() -> None:
    with pytest.raises(AttributeError, match="cannot be changed"):
        Code("a/b").is_guess = True


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda code: pickle.loads(pickle.dumps(code))])  # noqa: S301 - our own
def test_a_copy_is_the_same_code(copied: object) -> None:
    code = Code("a/b", soft=NOTE, guess=True, page="text")
    other = copied(code)  # type: ignore[operator]
    assert (other, other.severities, other.is_guess, other.docstring) == (
        code,
        code.severities,
        code.is_guess,
        code.docstring,
    )


def test_a_table_makes_codes_when_they_are_looked_up() -> None:
    table = CodeTable(("a e", "b c", {"soft": NOTE}), ("a", "d", {"guess": True}))
    assert [*table] == ["a/b", "a/c", "e/b", "e/c", "a/d"]
    assert table["a/b"] is table["a/b"]
    assert (table["a/c"].severities, table["a/c"].is_guess) == ((NOTE, ERROR), False)
    assert (table["a/d"].severities, table["a/d"].is_guess) == ((WARNING, ERROR), True)
    assert table.get("a/e") is None


def test_a_table_declares_a_code_once() -> None:
    with pytest.raises(ValueError, match="a/b is declared twice"):
        CodeTable(("a", "b", {}), ("a", "b", {"guess": True}))


# Certain, or a guess


@pytest.mark.parametrize(
    ("faults", "is_guess"),
    [
        (("near-miss-key", "misplaced-key", "foreign-key", "near-miss-keyword"), True),
        (("near-miss-required", "misread-regex", "python-list", "list-as-text"), True),
        (("detected", "shadowed-key", "input-unused", "undocumented"), True),
        (("duplicate-id", "duplicate-key", "wrong-type", "missing-key", "unknown-key"), False),
        (("syntax", "dangling", "cycle", "slow-regex", "contradiction", "no-rows"), False),
    ],
)
def test_which_findings_are_guesses(faults: tuple[str, ...], *, is_guess: bool) -> None:
    codes = [code for code in KnownCodes().values() if code.partition("/")[2] in faults]
    assert len(codes) >= len(faults)
    assert {code.is_guess for code in codes} == {is_guess}


# Looked up by name


@pytest.mark.parametrize("name", ["rubric/file-name", "judge/file-name", "mlflow/mixed-goal"])
def test_a_name_finds_its_code(name: str) -> None:
    assert code_named(name) is KnownCodes()[name]
    assert KnownCodes()[name] in {*KnownCodes()}


def test_a_name_that_nobody_declares_has_the_usual_severities() -> None:
    assert "acme/house-style" not in KnownCodes()
    assert code_named("acme/house-style").severities == (WARNING, ERROR)


def test_the_codes_of_other_systems_stand_behind_ours() -> None:
    names = [*KnownCodes()]
    assert len(names) == len(set(names)) == len(KnownCodes())
    assert names.index("workspace/unused-ignore") + 1 == names.index("agent_skills/always-fails")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "spared"),
    [
        ("source/syntax", "evalcontract.rules.checks.unnamed_check"),
        ("rubric/unknown-weight", "evalcontract.rules.checks.unnamed_check"),
        ("rubric/unknown-weight", "evalcontract.formats"),
    ],
)
def test_one_code_is_found_without_all_others(name: str, spared: str) -> None:
    script = (
        "import sys; from evalcontract.workspace.catalogue import KnownCodes\n"
        "KnownCodes()[sys.argv[1]]; sys.exit(sys.argv[2] in sys.modules)"
    )
    subprocess.run(
        [sys.executable, "-c", script, name, spared], env=_environment(ROOT / "src"), check=True
    )


# Pages

MARKDOWN = """\
# a/b

A text is short.

## Why

Long ones are better.

## Bad

`x.yaml`

```yaml
a: b
```

`y.md`

````md
```
c
```
````

## Good

```yaml
a: bc
```
"""


def test_a_page_in_markdown() -> None:
    bad = "# file: x.yaml\na: b\n# file: y.md\n```\nc\n```\n"
    page = Page("a/b", "A text is short.", "Long ones are better.", bad, "a: bc\n")
    assert parse_markdown("a/b", MARKDOWN) == page


@pytest.mark.parametrize(
    ("given", "wanted"),
    [("# a/b", "# a/c"), ("## Why", "## Because"), ("a: bc\n", ""), ("A text is short.", "")],
)
def test_a_page_that_lacks_something_is_refused(given: str, wanted: str) -> None:
    with pytest.raises(ValueError, match="the page of a/b"):
        parse_markdown("a/b", MARKDOWN.replace(given, wanted))


def test_a_docstring_that_lacks_something_is_refused() -> None:
    with pytest.raises(ValueError, match="needs what, Why, Bad and Good"):
        parse_page("a/b", "\nA text is short.\n\nWhy: Long ones are better.\n")


SHARED = """\
# far

{title} does not go
so far.

## Why

It is far.
"""
OF_SYSTEM = """\
# Walkers

## Good

`walk.json`

```json
1
```

## far

Walkers have feet.

```json
9
```

## near
"""


@pytest.mark.parametrize(
    ("given", "wanted", "why", "bad", "good"),
    [
        ("", "", "It is far.\n\nWalkers have feet.", "walk.json\n9", "walk.json\n1"),
        ("Walkers have feet.\n", "", "It is far.", "walk.json\n9", "walk.json\n1"),
        (
            "\n```json\n9\n```\n",
            "",
            "It is far.\n\nWalkers have feet.",
            "walk.json\n1",
            "walk.json\n1",
        ),
        (
            "## near",
            "### Good\n\n`run.csv`\n\n```text\n2\n```",
            "It is far.\n\nWalkers have feet.",
            "walk.json\n9",
            "run.csv\n2",
        ),
    ],
)
def test_a_page_that_systems_share(given: str, wanted: str, why: str, bad: str, good: str) -> None:
    page = parse_shared("walkers/far", SHARED, OF_SYSTEM.replace(given, wanted))
    assert page == Page(
        "walkers/far", "Walkers does not go\nso far.", why, f"# file: {bad}\n", f"# file: {good}\n"
    )


def test_a_shared_page_may_have_an_example_of_its_own() -> None:
    shared = f"{SHARED}\n## Good\n\n`ours.yaml`\n\n```yaml\n{{title}}: 3\n```\n"
    page = parse_shared("walkers/far", shared, OF_SYSTEM)
    assert page.good == "# file: ours.yaml\nWalkers: 3\n"


def test_a_shared_page_of_another_fault_is_refused() -> None:
    with pytest.raises(ValueError, match="the page of walkers/near has the title '# far'"):
        parse_shared("walkers/near", SHARED, OF_SYSTEM)


def test_a_page_that_is_not_there() -> None:
    for code in ("a/b", "a/near-miss-key", "databricks/b"):
        with pytest.raises(InstallationError, match=f"the page of {code} is not installed"):
            read_page(code)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["dataset/duplicate-id", "source/syntax"])
def test_explain_without_docstrings(name: str) -> None:
    """`python -OO` drops what rules say of themselves, and `explain` says that."""
    done = subprocess.run(
        [sys.executable, "-OO", "-m", "evalcontract", "explain", name],
        env=_environment(ROOT / "src"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert ("Python runs without docstrings" in done.stdout) is (name == "dataset/duplicate-id")
    assert "Severity: " in done.stdout


# To add a rule: its file, and one line; to offer a fix: one argument

RULE = '''
"""
The input of a row shouts.

Why: A model answers in the same tone.

Bad:
    questions:
      - {id: greeting, input: HELLO, expected_facts: [Greets]}

Good:
    questions:
      - {id: greeting, input: Hello, expected_facts: [Greets]}
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.codes import Code
from evalcontract.model.diagnostic import Fix, Problem, Severity, Write
from evalcontract.rules._rule import RowSubject, row_rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.rules._rule import RowGroup

CODE = Code("dataset/shouted-input", soft=Severity.NOTE, guess=True, page=__doc__)


def _silent(group: RowGroup) -> dict[str, object]:
    del group
    return {"properties": {"input": {"pattern": "[a-z]"}}}


@row_rule(CODE, silent=_silent)
def RULE(subject: RowSubject) -> Iterator[Problem]:
    said, path = subject.row["input"], (*subject.path, "input")
    if said.isupper():
        fix = Fix(path, Write(said.capitalize()), safe=False)
        yield Problem(CODE, "this input shouts", path, fix=fix)
'''


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package with one more rule, added as CONTRIBUTING says."""
    place = tmp_path_factory.mktemp("checkout")
    rules = copy_package(place) / "rules"
    (rules / "rows" / "shouted_input.py").write_text(RULE.lstrip("\n"), encoding="utf-8")
    add_below(rules / "__init__.py", '    "rows.split_text",', '    "rows.shouted_input",\n')
    page = dedent(RULE.partition("Bad:\n")[2].partition("\nGood:")[0])
    (place / "data.yaml").write_text(page, encoding="utf-8")
    return place


def _environment(source: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(source)}


ADDED: list[tuple[str, int, str]] = [
    ("validate-dataset data.yaml", 0, "note[dataset/shouted-input]: this input shouts"),
    ("validate-dataset data.yaml --strict", 1, "error[dataset/shouted-input]"),
    ("explain dataset/shouted-input", 0, "A model answers in the same tone."),
    ("explain dataset/shouted-input", 0, "Severity: note (soft), error (strict)"),
    ("explain dataset/shouted-input", 0, "Confidence: guess"),
    ("explain", 0, "dataset/shouted-input\n    The input of a row shouts\n"),
    ("explain dataset/shouted-inputs", 2, "did you mean `dataset/shouted-input`?"),
    ("fix --select dataset/shouted-input data.yaml", 0, "1 note"),
]


@pytest.mark.slow
def test_a_new_rule_is_its_file_and_one_line(checkout: Path) -> None:
    calls = [call.split() for call, _, _ in ADDED]
    told = command_lines(calls, cwd=checkout, source=checkout / "src")
    wrong = [
        (call, printed)
        for (call, code, said), printed in zip(ADDED, told, strict=True)
        if printed.code != code or said not in printed.out + printed.err
    ]
    assert wrong == []


@pytest.mark.slow
def test_the_fix_of_a_new_rule_is_offered_and_applied(checkout: Path, tmp_path: Path) -> None:
    shutil.copy(checkout / "data.yaml", tmp_path)
    calls = [["fix", "data.yaml"], ["fix", "data.yaml", "--unsafe-fixes"], ["fix", "data.yaml"]]
    offered, applied, again = command_lines(calls, cwd=tmp_path, source=checkout / "src")
    assert "1 note" in offered.out + offered.err
    assert "1 finding fixed in 1 file; none left" in applied.out
    assert "1 note" not in again.out + again.err
    text = (checkout / "data.yaml").read_text(encoding="utf-8")
    assert (tmp_path / "data.yaml").read_text(encoding="utf-8") == text.replace("HELLO", "Hello")


@pytest.mark.slow
def test_a_configuration_knows_the_new_rule(checkout: Path, tmp_path: Path) -> None:
    shutil.copy(checkout / "data.yaml", tmp_path)
    settings = '[severity]\n"dataset/shouted-input" = {soft = "warning"}\n'
    (tmp_path / "evalcontract.toml").write_text(settings, encoding="utf-8")
    call: list[str | Path] = ["validate-dataset", tmp_path / "data.yaml"]
    (told,) = command_lines([call], cwd=checkout, source=checkout / "src")
    assert "warning[dataset/shouted-input]" in told.out


def test_every_built_in_code_has_the_address_of_its_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once it is published."""
    assert {url_of(code) for code in KnownCodes()} == {None}
    monkeypatch.setattr(page, "SITE", PUBLISHED)
    for code in KnownCodes():
        assert url_of(code) == f"{PUBLISHED}/rules/{code}/"
    assert url_of("nobody/knows") is None


@pytest.mark.parametrize("url", [None, "https://shout.example/loud"])
def test_a_code_of_another_package_has_the_address_it_gives(
    url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = Code("shout/loud", page="p", url=url)
    rules = RulesInUse({"shout": RowRule(code, lambda _: iter(()))})
    monkeypatch.setattr(known_codes, "rules_in_use", lambda: rules)
    monkeypatch.setattr(known_codes, "_of_others", known_codes._of_others.__wrapped__)  # noqa: SLF001
    assert url_of("shout/loud") == url
    monkeypatch.setattr(page, "SITE", PUBLISHED)
    assert url_of("dataset/near-miss-key") == f"{PUBLISHED}/rules/dataset/near-miss-key/"
    assert pickle.loads(pickle.dumps(code)).url == url  # noqa: S301 - our own bytes
