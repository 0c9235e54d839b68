"""`init`: a workspace that is clean, that can be graded, and that changes nothing of anybody's."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from doors import command_line
from tables import every_case
from writing import write

from evalcontract import DatasetLoader
from evalcontract.model import codes as page
from evalcontract.source import installed as shipped
from evalcontract.starting import init as init_install
from evalcontract.starting import source as init_source
from evalcontract.starting.init import CI_FILES

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "src" / "evalcontract" / "templates"
NOTHING_FOUND = ": no findings\n"
OURS = "# Mine.\r\nquestions:\r\n  - {id: a, input: Hello!, expected_facts: [Hi]} # yes\r\n"
MOVED = "# yaml-language-server: $schema=https://elsewhere.example/dataset.json\n" + OURS.replace(
    "\r", ""
)

#: A URL that CI installs from.
URL = "https://git.example.org/evals/evalcontract.git"
SOURCE = ("--source", f"git+{URL}@v0.1.0")
WHEEL = "vendor/evalcontract-0.1.0-py3-none-any.whl"


def begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return an empty folder, in which the commands run."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "project"
    place.mkdir()
    monkeypatch.chdir(place)
    return place


@pytest.fixture(name="folder")
def one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    return begun(tmp_path, monkeypatch)


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def run(capsys: pytest.CaptureFixture[str], *command: str, exits: int = 0) -> str:
    """Run a command; return what it prints, on standard error too if it fails."""
    code = command_line(*command)
    out, err = capsys.readouterr()
    assert code == exits, out + err
    return out + (err if exits else "")


def commands_in(printed: str) -> list[list[str]]:
    """Return the commands that the end of the output names."""
    return [line.split() for line in printed.partition("next:\n")[2].splitlines()]


@pytest.mark.slow
@every_case("where", [".", "evals", "deep/er/evals"])
def test_what_it_makes_is_clean(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    begun(tmp_path, monkeypatch)
    out = run(capsys, "init", where)
    assert [line for line in out.splitlines() if len(line) > 80] == []
    commands = commands_in(out)
    if where != ".":
        assert commands.pop(0) == ["cd", where]
    monkeypatch.chdir(where)
    assert [each[:2] for each in commands] == [
        ["evalcontract", "check"],
        ["evalcontract", "coverage"],
        ["evalcontract", "grade"],
    ]
    check, coverage, grade = (run(capsys, *each[1:]) for each in commands)
    assert check.endswith(
        "1 dataset (3 rows), 1 rubric, 1 judge, 1 target, 1 output file" + NOTHING_FOUND
    )
    assert coverage.endswith("checks will run: 100.0 %\n")
    assert "3 rows, mean score" in grade
    assert run(capsys, "check").endswith(NOTHING_FOUND)
    run(capsys, "fix", "--diff")


@pytest.mark.costly
def test_files_are_formatted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "init", "evals", *SOURCE)
    run(capsys, "init", "evals", "--ci", "gitlab", *SOURCE)
    for name, data in contents(folder).items():
        text = data.decode()
        assert text.endswith("\n"), name
        assert not text.endswith("\n\n"), name
        lines = text.splitlines()
        assert [line for line in lines if line != line.rstrip() or "\t" in line] == [], name
        if "schema" not in name and "judges/" not in name:  # those stand elsewhere
            assert [line for line in lines if len(line) > 120] == [], name


@pytest.mark.costly
def test_every_template_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for ci in CI_FILES:
        run(capsys, "init", "--ci", ci, *SOURCE)
    written = [data.decode() for data in contents(folder).values()]
    folders = (TEMPLATES / "project", TEMPLATES / "workspace")
    templates = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    assert len(templates) >= 8
    for path in templates:
        name = path.relative_to(TEMPLATES).as_posix()
        text = re.escape(shipped.template(name)).replace("%%", "%")
        pattern = re.sub(r"%\\\{\w+\\\}", r"[\\s\\S]+", text)
        assert any(re.search(pattern, each) for each in written), name


def test_settings_lead_to_the_schemas(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "init", "my evals")
    settings = json.loads((folder / ".vscode/settings.json").read_text(encoding="utf-8"))
    found = set()
    for schema, globs in settings["yaml.schemas"].items():
        title = json.loads((folder / schema).read_text(encoding="utf-8"))["title"]
        for glob in globs:
            found |= {(path.parent.name, title.lower() + "s") for path in folder.glob(glob)}
    assert found == {(name, name) for name in ("datasets", "rubrics", "judges", "targets")}
    assert {each["url"] for each in settings["json.schemas"]} == set(settings["yaml.schemas"])
    project = ET.parse(folder / ".idea/jsonSchemas.xml").getroot()
    entries = project.findall("component/state/map/entry/value/SchemaInfo")
    assert len(entries) == len(settings["yaml.schemas"]) + 1
    for entry in entries:
        paths = [option.get("value", "") for option in entry.iter("option")
                 if option.get("name") in ("relativePathToSchema", "path")]  # fmt: skip
        assert len(paths) == 2
        assert all((folder / path).exists() for path in paths)


def settings_of(folder: Path, name: str) -> Any:
    """Return what a file of settings says, in YAML."""
    return yaml.safe_load((folder / name).read_text(encoding="utf-8"))


def hook_of(folder: Path) -> dict[str, Any]:
    """Return the only hook of pre-commit."""
    (repository,) = settings_of(folder, ".pre-commit-config.yaml")["repos"]
    assert repository["repo"] == "local"
    (hook,) = repository["hooks"]
    return dict(hook)


def sources_of(folder: Path, command: str) -> list[str]:
    """Return what the files of CI install, as pip gets it."""
    workflow = settings_of(folder, CI_FILES["github"][0])
    steps = workflow["jobs"]["check"]["steps"]
    (install,) = [step for step in steps if "pip install" in step.get("run", "")]
    assert '"$SOURCE"' in install["run"]
    script = settings_of(folder, CI_FILES["gitlab"][0])["evalcontract"]["script"]
    (line,) = [line for line in script if "pip install" in line]
    called = f'{command}() {{ printf "%s" "${{!#}}"; }}\n' + line.replace(
        "/tmp/evalcontract/bin/python",  # noqa: S108 - of the container of the job
        command,
    )
    done = subprocess.run(["bash", "-euc", called], capture_output=True, text=True, check=True)
    return [install["env"]["SOURCE"], done.stdout]


@pytest.mark.slow
@every_case(
    ("named", "written", "facts"),
    [
        (f"git+{URL}@v0.1.0", f"evalcontract @ git+{URL}@v0.1.0", []),
        (f"git+{URL}@v0.1.0#subdirectory=a", f"evalcontract @ git+{URL}@v0.1.0#subdirectory=a", []),
        (f"{URL}@v0.1.0", f"evalcontract @ git+{URL}@v0.1.0", []),
        (URL, f"evalcontract @ git+{URL}", ["@COMMIT"]),
        (
            "git+ssh://git@example.org/a.git@1",
            "evalcontract @ git+ssh://git@example.org/a.git@1",
            [],
        ),
        ("https://example.org/$(id).whl", "evalcontract @ https://example.org/$(id).whl", []),
        (WHEEL, f"./{WHEEL}", [f"commit ./{WHEEL}"]),
        ("./vendor/../" + WHEEL, f"./{WHEEL}", ["commit"]),
        ("it's $(id)", "./it's $(id)", ["commit"]),
    ],
)
def test_what_ci_installs(
    named: str,
    written: str,
    facts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The very source that is named, whatever it is called."""
    folder = begun(tmp_path, monkeypatch)
    write(folder, {WHEEL: "", "it's $(id)/pyproject.toml": ""})
    printed = run(capsys, "init", "evals", "--source", named)
    run(capsys, "init", "evals", "--source", named, "--ci", "gitlab")
    assert sources_of(folder, "python") == [written, written]
    assert [fact for fact in facts if fact not in printed] == []
    assert printed.count("note: ") == 1 + len(facts)


@every_case(
    ("named", "facts"),
    [
        ("../evalcontract-0.1.0.tar.gz", ["outside of the repository"]),
        ("missing.whl", ["no such file"]),
        ("other-1.0-py3-none-any.whl", ["no wheel"]),
        ("empty", ["pyproject.toml"]),
        ("a[b]", ["choose another name"]),
        ("a;b", ["choose another name"]),
        ("${{ github.token }}", ["choose another name"]),
        ("-r evil.txt", ["no such file"]),
        ("http://example.org/a.whl", ["https://"]),
        ("git+http://example.org/a.git", ["git+https://"]),
        ("git+file:///srv/a.git", ["on this machine", "git URL"]),
        ("file:///srv/a.whl", ["on this machine", "wheel"]),
        ("https://example.org/evalcontract", ["git+", ".whl"]),
        ("https://[", ["is no URL"]),
        ("https://example.org/a b.whl", ["is no URL"]),
        ("https://example.org/a.whl; id", ["is no URL"]),
        ("https://example.org/${{ github.token }}.whl", ["is no URL"]),
        ("https://example.org/a.whl\n- run: id", ["is no URL"]),
        ("git@example.org:a/b.git", ["git+ssh://git@example.org/a/b.git"]),
        ("https://me:SECRET@example.org/a.git", ["a name or a key"]),
        ("git+https://SECRET@example.org/a.git", ["a name or a key"]),
    ],
    ids=ascii,
)
def test_a_source_that_a_clone_cannot_install(
    named: str,
    facts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """It is refused, nothing is written, and a key is not repeated."""
    folder = begun(tmp_path, monkeypatch)
    there = ("../evalcontract-0.1.0.tar.gz", "other-1.0-py3-none-any.whl", "empty/a", "a[b]/a")
    write(folder, dict.fromkeys((*there, "a;b/a", "${{ github.token }}/a"), ""))
    before = contents(folder)
    printed = run(capsys, "init", "--source", named, exits=2)
    assert [fact for fact in facts if fact not in printed] == []
    assert "SECRET" not in printed
    assert contents(folder) == before


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.slow
@every_case(
    ("direct", "expected"),
    [
        (None, None),
        ("no JSON", None),
        ([], None),
        ({"url": 7}, None),
        ({"url": URL, "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
         f"evalcontract @ git+{URL}@{COMMIT}"),
        ({"url": "file:///srv/a", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, None),
        ({"url": "https://me:key@example.org/a.git", "vcs_info": {"vcs": "git", "commit_id": "1"}},
         None),
        ({"url": "https://example.org/a.whl", "archive_info": {}},
         "evalcontract @ https://example.org/a.whl"),
        ({"url": "file:HERE/vendor/evalcontract-0.1.0.tar.gz", "archive_info": {}},
         "./vendor/evalcontract-0.1.0.tar.gz"),
        ({"url": "file:HERE/my%20clone", "dir_info": {"editable": True}}, "./my clone"),
        ({"url": "file:///", "dir_info": {}}, None),
        ({"url": "file:HERE/gone", "dir_info": {}}, None),
    ],
    ids=str,
)  # fmt: skip
def test_ci_installs_what_this_one_came_from(
    direct: object,
    expected: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where others can reach it; else there is no file for CI, and that is said."""
    folder = begun(tmp_path, monkeypatch)
    write(folder, {"vendor/evalcontract-0.1.0.tar.gz": "", "my clone/pyproject.toml": ""})
    text = direct if isinstance(direct, str | None) else json.dumps(direct)
    installed(monkeypatch, text and text.replace("file:HERE", folder.as_uri()))
    printed = run(capsys, "init", "evals")
    if expected:
        run(capsys, "init", "evals", "--ci", "gitlab")
        assert sources_of(folder, "python") == [expected, expected]
        assert f"CI installs what is installed here: {expected}\n" in printed
    else:
        assert not (folder / CI_FILES["github"][0]).exists()
        assert hook_of(folder)["language"] == "system"
        assert f"note: {CI_FILES['github'][0]} was not written" in printed
        assert "--source" in printed


def installed(monkeypatch: pytest.MonkeyPatch, direct_url: str | None) -> None:
    """Let evalcontract be installed from somewhere else (PEP 610)."""

    def distribution(name: str) -> SimpleNamespace:
        assert name == "evalcontract"
        return SimpleNamespace(read_text={"direct_url.json": direct_url}.__getitem__)

    monkeypatch.setattr("importlib.metadata.distribution", distribution)


def test_after_a_release_ci_installs_what_is_published(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One constant decides that; a source that somebody names comes first."""
    assert not page.is_published()
    monkeypatch.setattr(page, "SITE", "https://evalcontract.org")
    found = init_install.source_of(None, tmp_path)
    assert found
    assert found.requirement.startswith(f"evalcontract @ git+{page.REPOSITORY}@v")
    named = init_install.source_of(f"git+{URL}@v1", tmp_path)
    assert named
    assert URL in named.requirement


@pytest.mark.costly
def test_a_note_on_ci_only_where_it_is_wanted(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not if there is a file that knows of evalcontract, and not if none was asked for."""
    for command in (["--ci", "none"], ["--bare"]):
        assert "was not written" not in run(capsys, "init", *command)
    write(folder, {".gitlab-ci.yml": "test: {script: [make]}\n"})
    assert ".gitlab-ci.yml was not written" in run(capsys, "init", "--ci", "gitlab")
    write(folder, {".gitlab-ci.yml": "test: {script: [evalcontract check]}\n"})
    assert "was not written" not in run(capsys, "init", "--ci", "gitlab")


@pytest.mark.costly
def test_nobody_is_sent_to_an_address_that_leads_nowhere(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No file for people or programs that run it has the address; schemas have it as their name."""
    assert not page.is_published()
    host = page.SITE.removeprefix("https://").encode()
    for ci in (*CI_FILES, "none"):
        run(capsys, "init", "evals", "--ci", ci, *(() if ci == "none" else SOURCE))
    with_it = {name for name, data in contents(folder).items() if host in data}
    assert {name for name in with_it if not name.endswith(".schema.json")} == set()


@pytest.mark.costly
def test_none_and_bare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "init", "a", "--ci", "none")
    assert not any((folder / path).exists() for path, _ in CI_FILES.values())
    run(capsys, "init", "b", "--bare")
    assert "contradicts" in run(capsys, "init", "c", "--bare", *SOURCE, exits=2)
    assert {path.name for path in folder.iterdir()} == {
        *("a", "b", ".vscode", ".idea", ".pre-commit-config.yaml")
    }


# What is there already


@pytest.mark.costly
def test_nothing_is_changed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every file that it would write is there already; what is missing in them is told."""
    run(capsys, "init", *SOURCE)
    mine = {name: b"mine: true\n" for name in contents(folder) if "schema" not in name}
    mine["evalcontract.toml"] = b"strict = false\n"
    mine["datasets/example.yaml"] = b"questions: [{id: a, input: b, expected_facts: [c]}]\n"
    mine[".vscode/settings.json"] = b"{}\n"
    mine[".idea/jsonSchemas.xml"] = b"<project/>\n"
    for name, data in mine.items():
        (folder / name).write_bytes(data)
    before = contents(folder)
    out = run(capsys, "init", *SOURCE)
    assert contents(folder) == before
    assert "nothing was made: all files exist\n" in out
    assert len(out.splitlines()) < 45
    assert _added(out) == [".vscode/extensions.json"]
    snippets = run(capsys, "init", "--snippets", *SOURCE)
    assert contents(folder) == before
    assert _added(snippets) == [
        *(".vscode/settings.json", ".vscode/extensions.json", ".idea/jsonSchemas.xml"),
        *(".pre-commit-config.yaml", ".github/workflows/evalcontract.yml"),
    ]
    others = {*_added(snippets)} - {*_added(out)}
    assert all(f"\n  {name}\n" in out.partition("--snippets")[2] for name in others)


def test_snippets_are_what_is_lacking(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With them added, nothing is left to add."""
    write(folder, {".vscode/settings.json": "{}\n", ".pre-commit-config.yaml": "repos:\n"})
    before = contents(folder)
    out = run(capsys, "init", "--snippets", "--ci", "none")
    assert contents(folder) == before
    assert _added(out) == [".vscode/settings.json", ".pre-commit-config.yaml"]
    settings, hooks = (
        re.sub("(?m)^    ", "", part) for part in re.split("add to .*:\n\n", out)[1:]
    )
    write(
        folder, {".vscode/settings.json": settings, ".pre-commit-config.yaml": f"repos:\n{hooks}"}
    )
    assert yaml.safe_load(f"repos:\n{hooks}")["repos"][0]["repo"] == "local"
    assert run(capsys, "init", "--snippets", "--ci", "none") == "there is nothing to add\n"


def _added(out: str) -> list[str]:
    return re.findall(r"^add to (.*):$", out, re.MULTILINE)


def test_again_there_is_nothing_to_add(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(capsys, "init", *SOURCE)
    before = contents(folder)
    out = run(capsys, "init", *SOURCE)
    assert contents(folder) == before
    assert "add to" not in out


@pytest.mark.costly
def test_settings_that_exist_get_the_judge(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With what it says to add, the workspace is clean."""
    settings = folder / "evalcontract.toml"
    settings.write_text("strict = false\n", encoding="utf-8")
    out = run(capsys, "init", "--bare")
    snippet = out.partition("add to evalcontract.toml:\n\n")[2].partition("\n\n")[0]
    run(capsys, "check", "--strict", exits=1)
    text = re.sub("^    ", "", snippet, flags=re.MULTILINE)
    settings.write_text(f"strict = false\n{text}\n", encoding="utf-8")
    assert run(capsys, "check", "--strict").endswith(NOTHING_FOUND)


def test_settings_go_to_the_repository(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "--quiet"], check=True)
    (folder / "docs").mkdir()
    monkeypatch.chdir(folder / "docs")
    run(capsys, "init", "../evals", *SOURCE)
    made = contents(folder)
    assert {name.partition("/")[0] for name in made} == {
        *("evals", ".vscode", ".idea", ".github", ".pre-commit-config.yaml")
    }
    assert b'args: ["evals"]' in made[".pre-commit-config.yaml"]


def test_datasets_that_exist_need_no_example(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The target is theirs; their faults stay warnings."""
    write(
        folder,
        {"data/mine.yaml": OURS.replace("expected_facts", "expected_fatcs"), "notes.json": "{}"},
    )
    out = run(capsys, "init", "--bare")
    assert not (folder / "datasets").exists()
    target = yaml.safe_load((folder / "targets/nightly.yaml").read_text(encoding="utf-8"))
    assert target["dataset"] == "data/mine.yaml"
    assert "1 dataset (1 row), 1 rubric, 1 judge, 1 target: 1 warning\n" in out
    assert commands_in(out)[1:] == [
        ["evalcontract", "coverage", "data/mine.yaml"],
        ["evalcontract", "fix", "--diff"],
    ]


def test_a_library_that_exists_is_not_mixed_with_the_example(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rubric = "id: own\nversion: '1.0.0'\nchecks: [{id: a, kind: fact_match}]\n"
    write(folder, {"rubrics/own.yaml": rubric})
    run(capsys, "init", "--bare")
    names = {name for name in contents(folder) if not name.startswith("schema/")}
    assert names == {"evalcontract.toml", "rubrics/own.yaml"}


# Start from what somebody has

EVALS = {"evals": [{"id": "tide", "prompt": "When?", "must_contain_any": ["noon"]}]}
SKILL = {"evals": [{"id": 1, "prompt": "When?", "assertions": ["It names a time."]}]}
MLFLOW = '{"inputs": {"question": "x"}, "expectations": {"expected_response": "y"}}\n'
DATABRICKS = '{"request_id": "a", "request": "x", "expected_response": "y"}\n'
NORTHSTAR = [
    {
        "id": "a",
        "messages": [{"role": "user", "content": "Hello!"}],
        "expected": {"goal": "greet"},
        "metrics": {"latency_ms": 320.5},
    },
]
EVRET = {"queries": [{"query_id": "q", "query_text": "x", "expected_answers": ["y"]}]}


@pytest.mark.slow
@every_case(
    ("name", "content", "dataset", "ids"),
    [
        ("mine.yaml", OURS, "mine.yaml", ["a"]),
        ("mine.json", [{"id": "a", "input": "b", "expected_facts": ["c"]}], "mine.json", ["a"]),
        ("mine.jsonl", '{"id": "a", "input": "b", "expected_facts": ["c"]}\n', "mine.jsonl", ["a"]),
        ("mine.txt", OURS, "mine.yaml", ["a"]),
        ("rows.json", [{"id": "a", "question": "b"}], "rows.yaml", ["a"]),
        ("no ids.jsonl", '{"input": "b"}\n{"input": "c"}\n', "no_ids.yaml", ["row_1", "row_2"]),
        ("in.json", {"v": 1, "data": [{"input": "b"}]}, "in.yaml", ["row_1"]),
        ("T.csv", "input,criteria,notes\nb,c,\n", "t.yaml", ["row_1"]),
        ("ids.csv", "id,input,criteria\nx,b,c\n", "ids.yaml", ["x"]),
        ("mlflow.jsonl", MLFLOW, "mlflow.yaml", ["row_1"]),
        ("databricks.jsonl", DATABRICKS, "databricks.yaml", ["a"]),
        ("north.json", NORTHSTAR, "north.yaml", ["a"]),
        ("evret.json", EVRET, "evret.yaml", ["q"]),
        ("evals.json", EVALS, "tides.yaml", ["tide"]),
        ("skill.json", SKILL, "skill.yaml", ["1"]),
    ],
)
def test_it_contains_what_it_starts_from(
    name: str,
    content: object,
    dataset: str,
    ids: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(folder / "tides", {name: content})
    before = contents(folder)
    out = run(capsys, "init", "evals", "--from", f"tides/{name}", "--bare")
    assert f"evals/datasets/{dataset}" in out
    loaded = DatasetLoader().load(folder / "evals/datasets" / dataset)
    assert [row.value["id"] for row in loaded] == ids
    after = contents(folder)
    assert {key: after[key] for key in before} == before
    assert "evals/datasets/example.yaml" not in after
    target = yaml.safe_load(after["evals/targets/nightly.yaml"])
    assert target["dataset"] == f"datasets/{dataset}"
    assert "reference/dangling" not in run(capsys, "check", "evals")
    unvalidated = after["evals/evalcontract.toml"].endswith(b'"judge/unvalidated" = "ignore"\n')
    assert unvalidated is any(key.startswith("evals/judges/") for key in after)
    assert unvalidated is ("`judge/unvalidated`" in out)


@pytest.mark.costly
@every_case("text", [OURS, MOVED, "\ufeff" + OURS], ids=["plain", "modeline", "mark"])
def test_a_dataset_of_ours_is_only_given_its_schema(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(folder, {"../mine.yaml": text})
    out = run(capsys, "init", "--bare", "--from", "../mine.yaml")
    data = (folder / "datasets/mine.yaml").read_bytes().decode()
    assert re.sub(r"# yaml-language-server: \S+\r?\n", "", data) == re.sub(
        r"# yaml-language-server: \S+\n", "", text
    )
    assert data.count("yaml-language-server: $schema=../schema/editor/dataset.schema.json") == 1
    assert "target" + NOTHING_FOUND in out


@every_case(("key", "fixes"), [("criteria", False), ("criterai", True)])
def test_a_fix_is_named_if_there_is_one(
    key: str,
    fixes: bool,  # noqa: FBT001 - a column of the table
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(
        folder,
        {"../mine.yaml": f"questions:\n  - {{id: a, input: b, must_not_contain: [c], {key}: d}}\n"},
    )
    commands = commands_in(run(capsys, "init", "--bare", "--from", "../mine.yaml"))
    assert (["evalcontract", "fix", "--diff"] in commands) is fixes


@pytest.mark.slow
@pytest.mark.thorough
def test_a_large_file_becomes_json_lines(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = "".join(f'{{"input": "{"x" * 100}{number}"}}\n' for number in range(10_000))
    write(folder, {"../large.jsonl": rows})
    run(capsys, "init", "--bare", "--from", "../large.jsonl")
    lines = (folder / "datasets/large.jsonl").read_text(encoding="utf-8").splitlines()
    assert len(lines) == 10_000
    assert json.loads(lines[-1])["id"] == "row_10000"


def test_files_with_one_name_are_all_taken(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder.parent, {f"{name}/set.yaml": OURS for name in ("a", "b")})
    write(folder.parent, {"c/set.csv": "input\nx\n"})
    sources = [part for name in ("a/set.yaml", "b/set.yaml", "c/set.csv")
               for part in ("--from", f"../{name}")]  # fmt: skip
    run(capsys, "init", "--bare", *sources)
    assert sorted(path.name for path in (folder / "datasets").iterdir()) == [
        *("set.yaml", "set_2.yaml", "set_3.yaml")
    ]


def test_a_dataset_of_the_workspace_stays_where_it_is(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"mine.yaml": OURS})
    run(capsys, "init", "--bare", "--from", "mine.yaml")
    assert not (folder / "datasets").exists()
    assert (folder / "mine.yaml").read_bytes().decode() == OURS


# What cannot be done is not begun


@pytest.mark.costly
@every_case(
    ("files", "command", "exits", "fact"),
    [
        ({"../x.yaml": "a: [\n"}, ("--from", "../x.yaml"), 1, "x.yaml"),
        ({"../x.json": "{}"}, ("--from", "../x.json", "--dialect", "evret:9"), 2, "evret"),
        ({"../x.csv": "a,b\n"}, ("--from", "../x.csv"), 1, "no column is read as `input`"),
        ({}, ("--from", "../missing.yaml"), 1, "missing.yaml"),
        ({}, ("--from", "-"), 2, "standard input"),
        ({"../x.txt": "Just text."}, ("--from", "../x.txt"), 2, "no dataset"),
        ({"../x.json": {"a": 1}}, ("--from", "../x.json"), 2, "no dataset"),
        ({"../x.yaml": "[1, 2]"}, ("--from", "../x.yaml"), 2, "no dataset, but a list: it is not"),
        (
            {"../x.yaml": "task: arc\ndoc_to_text: q"},
            *(("--from", "../x.yaml"), 1, "x.yaml is no dataset"),
        ),
        *(
            ({f"../{name}": text}, ("--from", f"../{name}"), 2, fact)
            for name, text, fact in [
                ("x.yaml", "- task: arc\n- task: hella", "a list: it is not converted"),
                ("x.json", '{"plugins": [{"name": "a"}]}', "a file with `plugins`: it is not"),
                ("x.yaml", "prompt: a\nchoice_strings: [A]", "a file of OpenAI evals"),
            ]
        ),
        ({"rubrics": "a file"}, (), 2, "rubrics"),
        (
            {"../m.yaml": OURS, "datasets/m.yaml": "x: y"},
            ("--from", "../m.yaml"),
            2,
            "already exists",
        ),
        ({"evalcontract.toml": "strict = 7"}, (), 2, "strict"),
    ],
    ids=[
        "syntax",
        "dialect",
        "empty",
        "missing",
        "stdin",
        "text",
        "mapping",
        "numbers",
        "a task",
        *("a list of tasks", "other settings", "another tool"),
        "blocked",
        "taken",
        "settings",
    ],
)
def test_nothing_is_half_made(
    files: Mapping[str, str],
    command: tuple[str, ...],
    exits: int,
    fact: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(folder, files)
    before = contents(folder.parent)
    assert fact in run(capsys, "init", *command, exits=exits)
    assert contents(folder.parent) == before
    assert all(path.is_file() or any(path.iterdir()) for path in folder.rglob("*"))


def test_it_does_not_write_through_a_link(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder.parent / "elsewhere").mkdir()
    (folder / "targets").symlink_to(folder.parent / "elsewhere")
    run(capsys, "init", exits=2)
    assert [path.name for path in folder.rglob("*")] == ["targets"]
    assert not any((folder.parent / "elsewhere").iterdir())


@every_case("name", ["a\nb", "a\x1b[31m", "${{ github.token }}"])
def test_a_folder_that_settings_cannot_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(tmp_path, monkeypatch)
    printed = run(capsys, "init", name, exits=2)
    assert "choose another name" in printed
    assert "\x1b" not in printed
    assert contents(folder) == {}


@pytest.mark.slow
@every_case("name", ["it's", 'say "x"', "$(id)", "a: b #c", "日本", "<&>"])
def test_a_folder_with_an_odd_name(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Settings, XML, YAML and shells all mean that very folder."""
    folder = begun(tmp_path, monkeypatch)
    run(capsys, "init", name, *SOURCE)
    run(capsys, "init", name, *SOURCE, "--ci", "gitlab")
    assert hook_of(folder)["args"] == [name]
    workflow = settings_of(folder, CI_FILES["github"][0])
    assert workflow["jobs"]["check"]["steps"][-1]["env"]["FOLDER"] == name
    check = settings_of(folder, CI_FILES["gitlab"][0])["evalcontract"]["script"][-1]
    assert shlex.split(check)[-1] == name
    project = ET.parse(folder / ".idea/jsonSchemas.xml").getroot()
    paths = [each.get("value") for each in project.iter("option") if each.get("name") == "path"]
    assert f"{name}/datasets" in paths
    assert run(capsys, "check", name, "--strict").endswith(NOTHING_FOUND)


@pytest.mark.slow
@every_case(
    ("name", "text", "rubric"),
    [
        ("a.csv", "question,answer\nWhere?,Ghent\n", "rubric/a_accurate@1.0.0"),
        ("a.csv", "question,criteria\nWhere?,Names Ghent\n", "rubric/a_accurate@1.0.0"),
        ("a.csv", "question,facts\nWhere?,Ghent\n", None),
        ("a.csv", "question,topic\nWhere?,towns\n", None),
        (
            "a.jsonl",
            '{"inputs": {"question": "Where?"}, "expectations": {"expected_response": "Ghent"}}\n',
            "rubric/a_accurate@1.0.0",
        ),
        (
            "a.jsonl",
            '{"inputs": {"question": "Where?"}, "expectations": {"guidelines": ["Be kind"]}}\n',
            "rubric/a_accurate@1.0.0",
        ),
        ("a.jsonl", '{"input": "Where?", "target": "Ghent"}\n', "rubric/a_accurate@1.0.0"),
        ("a.jsonl", '{"id": "a", "input": "b", "criteria": "c"}\r\n', "rubric/a_accurate@1.0.0"),
        ("a.json", '[{"input": "b", "criteria": "c"}]', "rubric/a_accurate@1.0.0"),
        (
            "a.jsonl",
            '{"id": "a", "input": "b", "expected": {"reference": "c"}}\n',
            "rubric/a_accurate@1.0.0",
        ),
        ("a.jsonl", '{"id": "a", "input": "b", "expected_facts": ["c"]}\n', None),
        ("a.jsonl", '{"id": "a", "input": "b"}\n', None),
    ],
)
def test_rows_that_only_a_judge_can_grade_get_one(
    name: str,
    text: str,
    rubric: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(folder, {f"../{name}": text})
    told = run(capsys, "init", "--bare", "--from", f"../{name}")
    (row,) = DatasetLoader().load(next((folder / "datasets").glob("a.*")))
    assert row.value.get("rubric_ref") == rubric
    assert (folder / "rubrics" / "a_accurate.yaml").exists() is (rubric is not None)
    assert (folder / "judges" / "accuracy.yaml").exists()
    is_graded = rubric is not None or "facts" in text
    assert ("1 of 1 checks will run: 100.0 %" in told) is is_graded
    assert ("0 of 1 checks will run: 0.0 %" in told) is not is_graded
    assert command_line("check", "--strict") == (not is_graded)


def test_a_row_of_yaml_gets_its_rubric_and_keeps_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(tmp_path, monkeypatch)
    text = "questions:\n  - id: a\n    input: b # why\n    criteria: c\n\n  - {id: d, input: 7}\n"
    write(folder, {"../a.yaml": text})
    run(capsys, "init", "--bare", "--from", "../a.yaml")
    made = (folder / "datasets" / "a.yaml").read_text().partition("\n")[2]
    reference = "    rubric_ref: rubric/a_accurate@1.0.0\n"
    assert made == text.replace("criteria: c\n", f"criteria: c\n{reference}")


def columns(*rows: Mapping[str, object]) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


@pytest.mark.costly
@every_case(
    ("rows", "options", "expected"),
    [
        ([{"question": "Where?", "answer": "Ghent"}], (),
         {"id": "row_1", "input": "Where?", "expected": {"reference": "Ghent"}}),
        ([{"question_id": 7, "Prompt": "Where?", "Ground Truth": 42}], (),
         {"id": "7", "input": "Where?", "expected": {"reference": "42"}}),
        ([{"id": 7, "input": "Where?", "expected": "Ghent"}], (),
         {"id": "7", "input": "Where?", "expected": {"reference": "Ghent"}}),
        ([{"id": "a", "question": "Where?", "answer": True, "topic": "t", "more": {"b": 1}}], (),
         {"id": "a", "input": "Where?", "expected": {"reference": "true"},
          "metadata": {"topic": "t", "more": {"b": 1}}}),
        ([{"input": "Where?", "answer": "Ghent", "expected": {"note": "n"}, "of_us": [1],
           "more": {"b": 1}}], (),
         {"id": "row_1", "input": "Where?", "expected": {"note": "n", "reference": "Ghent"},
          "of_us": [1], "more": {"b": 1}}),
        ([{"question": "Where?", "answer": ["Ghent"]}], ("--map", "answer=must_contain_any"),
         {"id": "row_1", "input": "Where?", "must_contain_any": ["Ghent"]}),
        ([{"input": "Where?", "target": "Ghent"}], ("--map", "target=criteria"),
         {"id": "row_1", "input": "Where?", "criteria": "Ghent"}),
        ([{"Frage": "Where?", "Antwort": "Ghent"}],
         ("--map", "Frage=input", "--map", "Antwort=criteria"),
         {"id": "row_1", "input": "Where?", "criteria": "Ghent"}),
    ],
)  # fmt: skip
@pytest.mark.parametrize("suffix", [".json", ".jsonl"])
def test_rows_of_json_are_read_by_the_names_of_columns(
    suffix: str,
    rows: list[dict[str, object]],
    options: tuple[str, ...],
    expected: dict[str, object],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(folder, {f"../a{suffix}": json.dumps(rows) if suffix == ".json" else columns(*rows)})
    told = run(capsys, "init", "--bare", "--from", f"../a{suffix}", *options)
    (row,) = DatasetLoader().load(folder / "datasets" / "a.yaml")
    assert {key: part for key, part in row.value.items() if key != "rubric_ref"} == expected
    assert "1 of 1 checks will run: 100.0 %" in told


def test_a_mapping_keeps_what_another_key_would_replace(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(tmp_path, monkeypatch)
    kept = {"expected": {"reference": "Ghent"}, "metadata": {"topic": 1}}
    write(folder, {"../a.jsonl": columns({"question": "b", "answer": "c", "topic": 2, **kept})})
    run(capsys, "init", "--bare", "--from", "../a.jsonl")
    (row,) = yaml.safe_load((folder / "datasets" / "a.yaml").read_text())["questions"]
    reference = {"rubric_ref": "rubric/a_accurate@1.0.0"}
    assert row == {"id": "row_1", "input": "b", "answer": "c", "topic": 2, **kept, **reference}


@pytest.mark.costly
@every_case("form", ["csv", "json", "jsonl"])
def test_the_same_rows_are_the_same_dataset_in_each_format(
    form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = begun(tmp_path, monkeypatch)
    row = {"question": "Where?", "answer": "Ghent", "tags": "a | b", "owner": "Ada"}
    text = {
        "csv": "".join(f"{','.join(cells)}\n" for cells in ([*row], [*row.values()])),
        "json": json.dumps([row]),
        "jsonl": columns(row),
    }[form]
    write(folder, {f"../a.{form}": text})
    run(capsys, "init", "--bare", "--from", f"../a.{form}")
    made = yaml.safe_load((folder / "datasets" / "a.yaml").read_text())
    assert made["questions"] == [
        {
            "id": "row_1",
            "input": "Where?",
            "expected": {"reference": "Ghent"},
            "tags": ["a", "b"],
            "rubric_ref": "rubric/a_accurate@1.0.0",
            "metadata": {"owner": "Ada"},
        }
    ]


@every_case(
    ("row", "options", "exits", "facts"),
    [
        ({"question": "q", "answer": ["a"]}, (), 0,
         ["`--map answer=must_contain_any`", "`--map answer=expected_facts`"]),
        ({"foo": "q", "bar": "a"}, (), 1, ["`--map COLUMN=input`", "nothing was written"]),
        ({"foo": "q"}, ("--map", "fo=input"), 2, ["there is no column `fo`"]),
        ({"foo": {"q": 1}}, ("--map", "foo=input"), 2, ["`foo` cannot be mapped"]),
    ],
)  # fmt: skip
def test_what_keys_of_json_may_mean_is_told(
    row: dict[str, object],
    options: tuple[str, ...],
    exits: int,
    facts: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    write(folder, {"../a.jsonl": columns(row)})
    assert command_line("init", "--bare", "--from", "../a.jsonl", *options) == exits
    told = capsys.readouterr().err
    assert [fact for fact in facts if fact not in told] == []
    assert (folder / "datasets").exists() is (exits == 0)


def remedies(told: str) -> str:
    """Return the lines below the coverage, as one."""
    return " ".join(told.partition("checks will run: ")[2].partition("next:")[0].split())


def test_rows_that_stay_without_a_rubric_name_the_command_that_gives_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A dataset of the workspace is not changed: the command makes a workspace of its own."""
    folder = begun(tmp_path, monkeypatch)
    write(folder, {"my set.jsonl": columns({"id": "a", "input": "b", "criteria": "c"})})
    told = run(capsys, "init", "--bare", "--from", "my set.jsonl")
    assert max(map(len, told.splitlines())) <= 80
    (command,) = re.findall("`(evalcontract [^`]*)`", remedies(told))
    assert command == "evalcontract init judged --from 'my set.jsonl'"
    again = run(capsys, *shlex.split(command)[1:], "--bare")
    assert "1 of 1 checks will run: 100.0 %" in again


@pytest.mark.costly
@every_case(
    ("row", "fact"),
    [
        ({"id": "a", "input": "b"}, "`evalcontract explain dataset/nothing-to-grade`"),
        ({"id": "a", "input": "b", "criteria": 7}, "correct first what `evalcontract check`"),
        ({"id": "a", "input": "b", "rubric_ref": "rubric/no@1.0.0"}, "correct first what"),
        ({"id": "a", "input": "b", "rubric_ref": "rubric/r@1.0.0"},
         "`evalcontract coverage datasets/a.jsonl` says what their checks lack"),
    ],
)  # fmt: skip
def test_rows_that_nothing_grades_say_what_changes_it(
    row: dict[str, object],
    fact: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = begun(tmp_path, monkeypatch)
    checks = "[{id: f, kind: fact_match}]"
    rubric = f'id: r\nversion: "1.0.0"\nchecks: {checks}\nscoring: {{combine: all_pass}}\n'
    write(folder, {"../a.jsonl": columns(row), "rubrics/r.yaml": rubric})
    told = run(capsys, "init", "--bare", "--from", "../a.jsonl")
    assert fact in remedies(told)
    assert max(map(len, told.splitlines())) <= 80


@pytest.mark.costly
def test_yaml_of_more_than_a_megabyte_gets_rubrics_up_to_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Above it, what is said is what has to be typed."""
    folder = begun(tmp_path, monkeypatch)
    monkeypatch.setattr(init_source, "_MAX_YAML_BYTES", 40)
    text = "questions:\n  - id: a\n    input: b # why\n    criteria: c\n"
    write(folder, {"../a.yaml": text})
    assert "100.0 %" in run(capsys, "init", "one", "--bare", "--from", "../a.yaml")
    assert "# why" in (folder / "one" / "datasets" / "a.yaml").read_text()
    monkeypatch.setattr(init_source, "_MAX_EDITED_BYTES", 40)
    told = remedies(run(capsys, "init", "two", "--bare", "--from", "../a.yaml"))
    assert "MB of YAML" in told
    convert, init = (shlex.split(each)[1:] for each in re.findall("`(evalcontract [^`]*)`", told))
    assert command_line(*convert) == 0
    assert "1 of 1 checks will run: 100.0 %" in run(capsys, *init, "--bare")
