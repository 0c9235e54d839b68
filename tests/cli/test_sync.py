"""`sync`, and what the other commands make of libraries: with real git repositories."""

from __future__ import annotations

import json
import shutil
import stat
import threading
import time
import tomllib
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from doors import Options, Printed, UsageError, command_lines, printed_by
from examples import a_few
from repositories import commit_files as commit
from repositories import git, needs_git, write
from tables import every_case

from evalcontract.cache.store import digest_of_files, keep, kept_folder
from evalcontract.model.errors import ConfigurationError
from evalcontract.source.writing import write_text
from evalcontract.versioning.lock import lock
from evalcontract.workspace import open_workspace
from evalcontract.workspace.configuration import read_library
from evalcontract.workspace.syncing import Syncing

pytestmark = needs_git

RUBRIC = """\
id: tone
version: "2.1.0"
checks:
  - {id: kind, kind: llm_judge, judge_prompt_ref: judge/kind@1.0.0}
  - {id: short, kind: format, max_chars: 100}
scoring: {combine: all_pass}
"""
JUDGE = 'id: kind\nversion: "1.0.0"\ntemplate: "Is {{output}} kind?"\n'
#: A rubric without a judge, whose threshold makes its meaning.
PLAIN = """\
id: tone
version: "2.1.0"
checks:
  - {{id: short, kind: format, max_chars: {most}}}
scoring: {{combine: all_pass}}
"""
OWN = PLAIN.format(most=9).replace("tone", "mine")
SHARED = {"rubrics/tone.yaml": RUBRIC, "judges/kind.yaml": JUDGE}
ROWS = "questions:\n  - {id: a, input: Hi, rubric_ref: rubric/tone@2.1.0}\n"
SETTINGS = '[libraries]\nshared = {git = "../shared", tag = "v2.1.0"}\n'


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a repository with the tag v2.1.0."""
    folder = tmp_path_factory.mktemp("original")
    commit(folder, SHARED, "v2.1.0")
    return folder


@pytest.fixture
def shared(original: Path, tmp_path: Path) -> Path:
    """Return a repository with the tag v2.1.0."""
    return shutil.copytree(original, tmp_path / "shared")


@pytest.fixture
def mine(tmp_path: Path) -> Path:
    """Return a workspace that uses it."""
    write(tmp_path / "mine", {"evalcontract.toml": SETTINGS, "datasets/a.yaml": ROWS})
    (tmp_path / "mine" / "rubrics").mkdir()
    return tmp_path / "mine"


def use(mine: Path, libraries: str) -> None:
    """Set the libraries of a workspace."""
    (mine / "evalcontract.toml").write_text(f"[libraries]\n{libraries}\n")


def fault_of(libraries: str) -> str:
    """Return what is said of a library in the settings; nothing if it has no fault."""
    ((name, value),) = tomllib.loads(libraries).items()
    try:
        read_library(name, value, "evalcontract.toml:2")
    except ConfigurationError as error:
        return str(error)
    return ""


def check(mine: Path, *arguments: str) -> Printed:
    """Check a workspace, with one finding in a line."""
    return printed_by("check", "--output-format", "concise", *arguments, cwd=mine)


def locked(mine: Path) -> dict[str, dict[str, str]]:
    """Return the libraries in the lock."""
    libraries: dict[str, dict[str, str]] = yaml.safe_load((mine / "evalcontract.lock").read_text())[
        "libraries"
    ]
    return libraries


def kept(mine: Path, name: str = "shared") -> Path:
    """Return the folder in which the files of a library are kept."""
    folder = kept_folder(locked(mine)[name]["sha256"])
    assert folder is not None
    return folder


@pytest.mark.costly
def test_a_reference_resolves_to_the_rubric_of_a_library(shared: Path, mine: Path) -> None:
    synced = printed_by("sync", cwd=mine)
    head = git(shared, "rev-parse", "HEAD")
    assert (synced.code, synced.err) == (0, "")
    assert synced.out == f"shared v2.1.0: 1 rubric, 1 judge, commit {head[:12]} (new)\n"
    assert locked(mine)["shared"] == {
        "git": "../shared",
        "tag": "v2.1.0",
        "commit": head,
        "sha256": digest_of_files({name: text.encode() for name, text in SHARED.items()}),
    }
    assert check(mine, "--strict").code == 0
    assert printed_by("sync", "--check", cwd=mine).code == 0
    # The version counts, and the newest one is known.
    (mine / "datasets" / "a.yaml").write_text(ROWS.replace("2.1.0", "2.2.0"))
    dangling = printed_by("check", cwd=mine)
    assert "reference/dangling" in dangling.out
    assert "it has 2.1.0" in dangling.out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "head", "line"),
    [
        ("evalcontract.toml", "[libraries.shared]\n{}\n{}\n", 1),
        ("evalcontract.toml", "libraries = {{shared = {{{}, {}}}}}\n", 1),
        ("evalcontract.toml", "libraries.shared.{}\nlibraries.shared.{}\n", 1),
        ("evalcontract.toml", "[libraries]\nshared = {{{}, {}}}\n", 2),
        ("pyproject.toml", "[project]\n[tool.evalcontract.libraries]\nshared = {{{}, {}}}\n", 3),
        (
            "pyproject.toml",
            "[tool.evalcontract]\n[tool.evalcontract.libraries.shared]\n{}\n{}\n",
            2,
        ),
    ],
)
@pytest.mark.usefixtures("shared")
def test_however_the_settings_are_written(mine: Path, name: str, head: str, line: int) -> None:
    (mine / "evalcontract.toml").unlink()
    (mine / name).write_text(head.format('git = "../shared"', 'tag = "v2.1.0"'))
    result = check(mine)
    assert result.code == 1
    assert f"{name}:{line}:1: error[library/not-synced]" in result.out
    assert "dangling" not in result.out
    assert printed_by("sync", cwd=mine).code == 0
    assert check(mine, "--strict").code == 0


@pytest.mark.usefixtures("shared")
def test_what_is_not_synced_is_one_error_at_the_settings(mine: Path) -> None:
    for arguments in (
        ("check",),
        ("validate-dataset", "datasets/a.yaml"),
        ("coverage", "datasets/a.yaml"),
        ("grade", "datasets/a.yaml", "--outputs", "outputs.jsonl"),
        ("manifest", "datasets/a.yaml"),
        ("graph",),
        ("outdated",),
        ("lock",),
    ):
        (mine / "outputs.jsonl").write_text('{"id": "a", "output": "Hello"}\n')
        result = printed_by(*arguments, cwd=mine)
        text = result.out + result.err
        assert (arguments, result.code) == (arguments, 1)
        assert text.count("error[library/not-synced]") == 1
        assert "evalcontract.toml:2:1" in text
        assert "run `evalcontract sync shared`" in text
        assert "reference/dangling" not in text


def test_what_may_be_of_a_library_dangles_if_its_absence_is_ignored(mine: Path) -> None:
    with (mine / "evalcontract.toml").open("a") as file:
        file.write('[severity]\n"library/not-synced" = "ignore"\n')
    assert "reference/dangling" in check(mine).out


@pytest.mark.slow
@pytest.mark.parametrize(
    ("libraries", "why"),
    [
        ('shared = {git = "../shared", tag = "v2.1.1"}', "../shared has no tag v2.1.1"),
        ('shared = {git = "../nowhere", tag = "v2.1.0"}', "does not appear to be a git repository"),
        ('shared = {git = "../empty", tag = "v2.1.0"}', "../empty has no tag v2.1.0"),
        (f'shared = {{git = "../shared", rev = "{"0" * 40}"}}', "has no commit 0"),
        ('shared = {git = "../shared", tag = "v2.1.0", path = "evals"}', "there is no such folder"),
        ('shared = {git = "../shared", tag = "v2.1.0", path = "judges"}', "it has no `rubrics/`"),
        ('shared = {path = "../nowhere"}', "there is no such folder"),
    ],
)
@pytest.mark.usefixtures("shared")
def test_what_cannot_be_fetched_is_told(mine: Path, libraries: str, why: str) -> None:
    (mine.parent / "empty").mkdir()
    git(mine.parent / "empty", "init", "--quiet")
    use(mine, libraries)
    result = printed_by("sync", cwd=mine)
    assert (result.code, result.out) == (1, "")
    assert result.err.startswith("evalcontract.toml:2: error: the library `shared`: ")
    assert why in result.err
    assert check(mine).code == 1


@pytest.mark.costly
def test_a_commit_and_a_folder_of_a_repository(shared: Path, mine: Path) -> None:
    head = commit(shared, {f"sub/evals/{name}": text for name, text in SHARED.items()})
    commit(shared, {"rubrics/tone.yaml": "later"})
    use(mine, f'shared = {{git = "file://{shared}", rev = "{head}", path = "sub/evals"}}')
    assert printed_by("sync", cwd=mine).code == 0
    assert locked(mine)["shared"]["commit"] == head
    assert check(mine, "--strict").code == 0


@pytest.mark.costly
@pytest.mark.parametrize(
    ("key", "default", "form", "protocol"),
    a_few(product(("tag", "rev"), ("sha1", "sha256"), ("sha1", "sha256"), ("0", "2")), 4),
)
def test_objects_may_be_named_by_sha_1_or_sha_256(
    mine: Path, key: str, default: str, form: str, protocol: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (("COUNT", "1"), ("KEY_0", "protocol.version"), ("VALUE_0", protocol)):
        monkeypatch.setenv(f"GIT_CONFIG_{name}", value)
    other = mine.parent / "other"
    other.mkdir()
    git(other, "init", "--quiet", f"--object-format={form}")
    head = commit(other, SHARED)
    git(other, "tag", "--annotate", "--message=x", "v1.0.0")
    monkeypatch.setenv("GIT_DEFAULT_HASH", default)
    use(mine, f'shared = {{git = "../other", {key} = "{"v1.0.0" if key == "tag" else head}"}}')
    for arguments in ((), (), ("--check",)):
        assert printed_by("sync", *arguments, cwd=mine).code == 0
    assert locked(mine)["shared"]["commit"] == head
    assert check(mine, "--strict").code == 0


def test_why_a_host_cannot_be_reached_is_told(mine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Git says that it could not read, and ssh, in a line before, why."""
    monkeypatch.setenv("GIT_SSH_COMMAND", "echo 'Host key verification failed.' >&2; false")
    use(mine, 'shared = {git = "ssh://git@127.0.0.1/evals.git", tag = "v1.0.0"}')
    assert "`shared`: Host key verification failed." in printed_by("sync", cwd=mine).err


def test_an_annotated_tag_is_its_commit(shared: Path, mine: Path) -> None:
    head = git(shared, "rev-parse", "HEAD")
    git(shared, "tag", "--annotate", "--force", "--message=x", "v2.1.0")
    assert printed_by("sync", cwd=mine).code == 0
    assert locked(mine)["shared"]["commit"] == head
    assert printed_by("sync", "--check", cwd=mine).code == 0


@pytest.mark.costly
def test_a_tag_that_moved_is_taken_only_on_request(shared: Path, mine: Path) -> None:
    printed_by("sync", cwd=mine)
    before = locked(mine)["shared"]
    now = commit(shared, {"rubrics/tone.yaml": RUBRIC.replace("100", "200")}, "v2.1.0")
    differs = printed_by("sync", "--check", cwd=mine)
    assert differs.code == 1
    assert f"has moved from commit {before['commit'][:12]} to {now[:12]}" in differs.err
    assert printed_by("sync", cwd=mine).code == 0  # it is here already
    shutil.rmtree(kept(mine))
    moved = printed_by("sync", cwd=mine)
    assert moved.code == 1
    assert "`evalcontract sync --update shared` takes it" in moved.err
    assert locked(mine)["shared"] == before
    updated = printed_by("sync", "--update", "shared", cwd=mine)
    assert updated.out.endswith(f"(was commit {before['commit'][:12]})\n")
    assert locked(mine)["shared"]["commit"] == now
    assert printed_by("sync", "--check", cwd=mine).code == 0


@pytest.mark.costly
def test_another_tag_in_the_settings_is_fetched(shared: Path, mine: Path) -> None:
    printed_by("sync", cwd=mine)
    commit(shared, {"rubrics/tone.yaml": RUBRIC.replace('"2.1.0"', '"2.2.0"')}, "v2.2.0")
    use(mine, 'shared = {git = "../shared", tag = "v2.2.0"}')
    (mine / "datasets" / "a.yaml").write_text(ROWS.replace("2.1.0", "2.2.0"))
    differs = check(mine)
    assert differs.code == 1
    assert "in evalcontract.lock, its tag is v2.1.0" in differs.out
    assert "(was v2.1.0)" in printed_by("sync", cwd=mine).out
    assert check(mine, "--strict").code == 0


@pytest.mark.costly
@pytest.mark.usefixtures("shared")
def test_a_changed_cache_folder_is_never_used(mine: Path) -> None:
    printed_by("sync", cwd=mine)
    assert check(mine, "--strict").code == 0
    file = kept(mine) / "rubrics" / "tone.yaml"
    assert not file.stat().st_mode & stat.S_IWUSR
    file.chmod(0o644)
    file.write_text(RUBRIC.replace("100", "1000"))
    edited = check(mine)
    assert edited.code == 1
    assert "its files in the cache folder differ from evalcontract.lock" in edited.out
    assert printed_by("sync", cwd=mine).code == 0
    assert file.read_text() == RUBRIC
    assert check(mine, "--strict").code == 0


def test_a_library_in_a_folder_is_locked_by_its_digest(mine: Path) -> None:
    local = mine.parent / "local"
    write(local, {name: text.replace("\n", "\r\n") for name, text in SHARED.items()})
    use(mine, 'shared = {path = "../local"}')
    assert printed_by("sync", cwd=mine).code == 0
    digest = digest_of_files({name: text.encode() for name, text in SHARED.items()})
    assert locked(mine)["shared"] == {"path": "../local", "sha256": digest}
    assert check(mine, "--strict").code == 0
    write(local, {"rubrics/tone.yaml": RUBRIC.replace("100", "200")})
    assert "the files of ../local differ from evalcontract.lock" in check(mine).out
    assert "(changed)" in printed_by("sync", cwd=mine).out
    assert check(mine, "--strict").code == 0


def test_a_lock_is_no_way_to_ask_what_a_folder_has(mine: Path) -> None:
    write(mine.parent / "local", SHARED)
    use(mine, 'shared = {path = "../local"}')
    printed_by("sync", cwd=mine)
    lock = (mine / "evalcontract.lock").read_text()
    digest = locked(mine)["shared"]["sha256"]
    (mine.parent / "empty").mkdir()
    told = set()
    for folder in ("../local", "../nowhere", "../empty"):
        use(mine, f'shared = {{path = "{folder}"}}')
        text = lock.replace("../local", folder).replace(digest, "0" * 64)
        (mine / "evalcontract.lock").write_text(text)
        told.add(check(mine).out.replace(folder, "FOLDER"))
    (only,) = told
    assert "the files of FOLDER differ from evalcontract.lock" in only


@pytest.mark.costly
def test_no_command_but_sync_runs_git(
    shared: Path, mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed_by("sync", cwd=mine)
    shutil.rmtree(shared)
    log = tmp_path / "calls"
    (tmp_path / "bin").mkdir()
    fake = tmp_path / "bin" / "git"
    fake.write_text(f"#!/bin/sh\necho called >> {log}\nexit 1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    assert check(mine, "--strict").code == 0
    assert printed_by("coverage", "datasets/a.yaml", cwd=mine).code == 0
    assert printed_by("sync", cwd=mine).code == 0
    assert not log.exists()
    shutil.rmtree(kept(mine))
    assert check(mine).code == 1
    assert not log.exists()
    fake.unlink()
    missing = printed_by("sync", cwd=mine)
    assert missing.code == 1
    assert "git cannot be run: it is not installed" in missing.err


@pytest.mark.usefixtures("shared")
def test_the_environment_of_a_hook_does_not_lead_git_astray(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit(mine, {})
    before = git(mine, "count-objects")
    monkeypatch.setenv("GIT_DIR", str(mine / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(mine / ".git" / "index"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(mine / ".git" / "objects"))
    assert printed_by("sync", cwd=mine).code == 0
    monkeypatch.undo()
    assert git(mine, "count-objects") == before


@pytest.mark.usefixtures("shared")
def test_settings_of_the_user_do_not_turn_an_address_into_a_command(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim = tmp_path / "victim"
    config = tmp_path / "gitconfig"
    config.write_text(
        f'[protocol "ext"]\n\tallow = always\n[url "ext::touch {victim} "]\n\tinsteadOf = https://evil.example/\n'
    )
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    use(mine, 'shared = {git = "https://evil.example/x.git", tag = "v1"}')
    result = printed_by("sync", cwd=mine)
    assert result.code == 1
    assert "transport 'ext' not allowed" in result.err
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "ext:https")
    assert "transport 'ext' not allowed" in printed_by("sync", cwd=mine).err
    assert not victim.exists()
    use(mine, 'shared = {git = "../shared", tag = "v2.1.0"}')
    assert "transport 'file' not allowed" in printed_by("sync", cwd=mine).err


@every_case(
    "git_address",
    [
        "ext::sh -c touch% /tmp/x",
        "ext::x",
        "--upload-pack=touch /tmp/x",
        "-x",
        "fd::17/foo",
        "http://git.example.com/x.git",
        "git://git.example.com/x.git",
        "ftp://git.example.com/x.git",
        "HTTPS://git.example.com/x.git",
        "https://user:secret@git.example.com/x.git",
        "https://-x.example.com/x.git",
        "https://git.example.com/a b.git",
        "https://git.example.com/a\\nb.git",
        "https://git.example.com/\\u0000",
        "https://git.example.com/x.git?upload=1",
        "https://git.example.com",
        "ssh://-oProxyCommand=x/x",
        "ssh://a@-oProxyCommand=x/x",
        "ssh://-a@host/x",
        "-oProxyCommand=x:x",
        "git@host:-x",
        "git@-host:x",
        "host:x.git",
        "shared.git",
        "",
        " ../shared",
        "../shared ",
        "../sha red",
        "/srv/\\u202eshared",
    ],
)
def test_a_hostile_address_is_refused_before_git_sees_it(git_address: str) -> None:
    assert "`git` must" in fault_of(f'shared = {{git = "{git_address}", tag = "v1"}}')


@every_case(
    "address",
    [
        "https://git.example.com/evals/shared.git",
        "https://git.example.com:8443/~a/shared",
        "ssh://git@git.example.com:22/evals/shared.git",
        "git@git.example.com:evals/shared.git",
        "file:///srv/git/shared.git",
        "/srv/git/shared.git",
        "./shared",
        "../shared",
        "C:/git/shared",
    ],
)
def test_a_usual_address_is_accepted(address: str) -> None:
    assert fault_of(f'shared = {{git = "{address}", tag = "v1"}}') == ""


@every_case(
    ("library", "fault"),
    [
        *(
            (f'shared = {{git = "../x", tag = "{tag}"}}', "`tag` is not the name of a tag")
            for tag in (
                "-v1", "--upload-pack=x", "v1..v2", "v1@{0}", "a//b", "a/.b", "v1.", "v1.lock",
                "v 1", "v1~1", "v1^", "v1:x", "v1\\n", "*", "", "a/-b", "v" * 300, "v1\\\\x",
            )
        ),
        *(
            (f'shared = {{git = "../x", rev = "{rev}"}}', "`rev` must be a commit")
            for rev in ("main", "HEAD", "0123abc", "A" * 40, "-" * 40, "g" * 40)
        ),
        *(
            (f'shared = {{git = "../x", tag = "v1", path = "{path}"}}', "`path` must be a folder")
            for path in (
                "..", "../x", "a/../b", "/etc", "C:/x", ".git", "a//b", "", ".", "a/",
                "a\\\\b", "a\\n",
            )
        ),
        *(
            (f'shared = {{path = "{path}"}}', "`path` must be a folder")
            for path in ("/etc", "C:/x", "", "a\\\\b", "~/x:y", "a\\nb", "../.git")
        ),
        ('Shared = {path = "../x"}', "`Shared` is not a name"),
        ('"../x" = {path = "../x"}', "`../x` is not a name"),
        ('shared = "../x"', "`shared` must be a table of texts"),
        ("shared = {path = 1}", "`shared` must be a table of texts"),
        ("shared = {}", "`shared` needs `git`, or `path` alone"),
        ('shared = {tag = "v1"}', "`shared` needs `git`, or `path` alone"),
        ('shared = {path = "../x", tag = "v1"}', "`shared` needs `git`, or `path` alone"),
        ('shared = {git = "../x"}', "`shared` needs either `tag` or `rev`"),
        (
            f'shared = {{git = "../x", tag = "v1", rev = "{"0" * 40}"}}',
            "`shared` needs either `tag` or `rev`",
        ),
        ('shared = {gitt = "../x", tag = "v1"}', "did you mean `git`?"),
        ('shared = {git = "../x", branch = "main"}', "unknown key `branch`"),
    ],
)  # fmt: skip
def test_a_fault_of_the_settings_is_told(library: str, fault: str) -> None:
    assert fault in fault_of(library)


def test_a_fault_of_the_settings_ends_every_command(mine: Path) -> None:
    use(mine, 'shared = {git = "ext::x", tag = "v1"}')
    for command in ("check", "sync", "coverage datasets"):
        result = printed_by(*command.split(), cwd=mine)
        assert (result.code, result.out) == (2, "")
        assert "evalcontract.toml:2: `libraries`: `shared`: `git` must" in result.err


@pytest.mark.costly
@pytest.mark.usefixtures("shared")
def test_an_entry_of_the_lock_that_makes_no_sense_is_none(mine: Path) -> None:
    printed_by("sync", cwd=mine)
    text = (mine / "evalcontract.lock").read_text()
    digest = locked(mine)["shared"]["sha256"]
    head = text[: text.index("libraries:")]
    for entry in (
        "shared: 3",
        "shared: {git: ../shared, tag: v2.1.0, commit: x, sha256: y}",
        f"shared: {{git: 'ext::x', tag: v2.1.0, commit: {'0' * 40}, sha256: {digest}}}",
        f"shared: {{path: ../../.., sha256: ../{digest}}}",
        "3: {}",
        "[]",
    ):
        (mine / "evalcontract.lock").write_text(f"{head}libraries:\n  {entry}\n")
        result = check(mine)
        assert (entry, result.code) == (entry, 1)
        assert "library/not-synced" in result.out
    for broken in ("libraries: [", "<<<<<<< ours\n" + text, "\0", "a: 1\na: 2\n"):
        (mine / "evalcontract.lock").write_text(broken)
        result = check(mine)
        assert (broken, result.code) == (broken, 1)
        assert "evalcontract.lock cannot be read" in result.out
        assert printed_by("sync", cwd=mine).code == 2
        assert (mine / "evalcontract.lock").read_text() == broken


@pytest.mark.costly
def test_links_and_odd_names_of_a_library_are_left_out(shared: Path, mine: Path) -> None:
    secret = mine.parent / "secret.yaml"
    secret.write_text(JUDGE.replace("kind", "secret", 1))
    (shared / "judges" / "out.yaml").symlink_to(secret)
    (shared / "judges" / "inside.yaml").symlink_to("kind.yaml")
    (shared / "rubrics" / "folder").symlink_to("/etc")
    (shared / "bundles").symlink_to("/etc")
    write(shared, {"rubrics/a:b.yaml": RUBRIC, "rubrics/.hidden.yaml": RUBRIC})
    head = git(shared, "rev-parse", "HEAD")
    commit(shared, {}, "v2.1.0")
    # A submodule is no folder of this repository.
    git(shared, "update-index", "--add", "--cacheinfo", f"160000,{head},judges/module")
    git(shared, "commit", "--quiet", "--message=module")
    git(shared, "tag", "--force", "v2.1.0")
    result = printed_by("sync", cwd=mine)
    assert result.code == 0
    left_out = [line.split()[2] for line in result.out.splitlines()[1:]]
    assert left_out == [
        "bundles", "judges/inside.yaml", "judges/out.yaml", "rubrics/a:b.yaml", "rubrics/folder",
    ]  # fmt: skip
    files = [path.name for path in kept(mine).rglob("*") if path.is_file()]
    assert sorted(files) == ["kind.yaml", "tone.yaml"]
    (shared / "alias").symlink_to(".")
    commit(shared, {}, "v2.1.0")
    for path, why in (("bundles", "no such folder"), ("alias", "symbolic link")):
        use(mine, f'shared = {{git = "../shared", tag = "v2.1.0", path = "{path}"}}')
        assert why in printed_by("sync", cwd=mine).err
    use(mine, 'shared = {path = "../shared"}')
    assert printed_by("sync", cwd=mine).code == 0
    assert locked(mine)["shared"]["sha256"] == digest_of_files(
        {name: text.encode() for name, text in SHARED.items()}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "code", "says"),
    [
        ({"rubrics/tone.yaml": "id: [\n"}, "reference/dangling", "shared:rubrics/tone.yaml cannot"),
        (
            {"rubrics/tone.yaml": "id: tone\nchecks: []\n"},
            "reference/dangling",
            "shared:rubrics/tone.yaml cannot",
        ),
        (
            {"rubrics/tone.yaml": RUBRIC.replace("all_pass", "all")},
            "library/unusable",
            "shared:rubrics/tone.yaml has a fault",
        ),
        (
            {"rubrics/tone.yaml": RUBRIC.replace("kind@", "kin@")},
            "library/unusable",
            "there is no `judge/kin@1.0.0`",
        ),
        (
            {"judges/kind.yaml": JUDGE.replace("template", "templat")},
            "library/unusable",
            "judge/kind@1.0.0, to which it refers",
        ),
        (
            {"rubrics/tone.yaml": RUBRIC.replace(
                "{id: short, kind: format, max_chars: 100}",
                "{id: all, kind: composite, rubric_ref: rubric/tone@2.1.0}",
            )},
            "library/unusable",
            "it refers to itself in a circle",
        ),
        (
            {"rubrics/tone.yaml": RUBRIC.replace(
                "kind: format, max_chars: 100", "kind: json_schema, schema_ref: schemas/a.json"
            ), "schemas/a.json": "{}"},
            "library/unusable",
            "the schema `schemas/a.json` is not in the library",
        ),
        (
            {"rubrics/tone.yaml": RUBRIC.replace("format, max_chars: 100", "regex, pattern: '(a'")},
            "library/unusable",
            "the pattern does not compile",
        ),
        (
            {"judges/kind.yaml": JUDGE.replace("output", "outptu")},
            "library/unusable",
            "judge/kind@1.0.0, to which it refers",
        ),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_one_finding_at_the_reference(
    shared: Path, mine: Path, files: dict[str, str], code: str, says: str
) -> None:
    commit(shared, files, "v2.1.0")
    printed_by("sync", cwd=mine)
    (mine / "datasets" / "a.yaml").write_text(
        ROWS + ROWS.splitlines()[1].replace("a", "b", 1) + "\n"
    )
    result = check(mine)
    assert result.out.count(f"[{code}]") == 1
    assert "datasets/a.yaml:2" in result.out
    assert says in printed_by("check", cwd=mine).out.replace("\n    ", " ")
    assert check(mine, "--strict").code == 1
    own = (
        PLAIN.format(most=9)
        .replace("tone", "mine")
        .replace("kind: format, max_chars: 9", "kind: composite, rubric_ref: rubric/tone@2.1.0")
    )
    write(mine, {"rubrics/mine.yaml": own})
    (mine / "datasets" / "a.yaml").write_text(
        "questions: [{id: a, input: b, rubric_ref: rubric/mine@1.0.0}]\n"
    )
    assert "rubrics/mine.yaml:4" in check(mine).out


@pytest.mark.costly
def test_a_kind_that_is_declared_is_no_fault(shared: Path, mine: Path) -> None:
    files = {"rubrics/tone.yaml": RUBRIC.replace("kind: format, max_chars: 100", "kind: of_runner")}
    commit(shared, files, "v2.1.0")
    printed_by("sync", cwd=mine)
    assert "library/unusable" in check(mine).out
    (mine / "evalcontract.toml").write_text(f'declared_kinds = ["of_runner"]\n{SETTINGS}')
    assert check(mine, "--strict").code == 0


def test_findings_inside_of_a_library_are_its_own(shared: Path, mine: Path) -> None:
    files = {
        "rubrics/tone.yaml": RUBRIC.replace("id: tone", "id: tone\nlable: x"),
        "rubrics/unused.yaml": "id: [\n",
        "bundles/broken.schema.json": "[",
        "evalcontract.toml": 'strict = true\n[libraries]\nother = {path = "../nowhere"}\n',
    }
    commit(shared, files, "v2.1.0")
    assert printed_by("sync", cwd=mine).code == 0
    result = check(mine, "--strict")
    assert (result.code, "library" in result.out) == (0, False)


def test_two_versions_stand_side_by_side(shared: Path, mine: Path) -> None:
    newer = PLAIN.format(most=5).replace("2.1.0", "3.0.0-rc.1")
    older = PLAIN.format(most=5).replace("2.1.0", "2.0")
    commit(
        shared, {"rubrics/tone@2.0.yaml": older, "rubrics/tone/3.0.0-rc.1.yaml": newer}, "v2.1.0"
    )
    printed_by("sync", cwd=mine)
    lines = [
        f"  - {{id: {id_}, input: Hi, rubric_ref: rubric/tone{version}}}\n"
        for id_, version in (("a", "@2.0"), ("b", "@2.1.0"), ("c", "@3.0.0-rc.1"), ("d", ""))
    ]
    (mine / "datasets" / "a.yaml").write_text("questions:\n" + "".join(lines))
    result = check(mine)
    assert "resolves to 2.1.0" in result.out  # a pre-release only where there is nothing else
    assert result.out.count("warning[") == 1


@pytest.mark.costly
def test_own_artifacts_win_and_say_so_if_they_differ(shared: Path, mine: Path) -> None:
    commit(shared, {"rubrics/tone.yaml": PLAIN.format(most=100)}, "v2.1.0")
    printed_by("sync", cwd=mine)
    same = "# the same\n" + PLAIN.format(most=100).replace("version", "label: A label\nversion")
    write(mine, {"rubrics/tone.yaml": same})
    assert "library/" not in check(mine).out
    write(mine, {"rubrics/tone.yaml": PLAIN.format(most=50)})
    result = check(mine)
    assert "rubrics/tone.yaml:2:10" in result.out
    assert "warning[library/shadowed]" in result.out
    assert "shared:rubrics/tone.yaml" in result.out
    assert str(mine.parent) not in result.out
    (mine / "outputs.jsonl").write_text('{"id": "a", "output": "' + "x" * 70 + '"}\n')
    graded = printed_by("grade", "datasets/a.yaml", "--outputs", "outputs.jsonl", cwd=mine)
    assert "short: failed" in graded.out or "a: failed" in graded.out, graded.out


@pytest.mark.usefixtures("shared")
def test_two_libraries_that_disagree_are_an_error(mine: Path) -> None:
    other = mine.parent / "other"
    write(other, {"rubrics/tone.yaml": RUBRIC.replace("100", "50")})
    use(mine, 'shared = {git = "../shared", tag = "v2.1.0"}\nother = {path = "../other"}')
    printed_by("sync", cwd=mine)
    result = check(mine)
    assert result.code == 1
    assert "evalcontract.toml:3:1" in result.out
    assert "error[library/ambiguous]" in result.out
    assert "shared:rubrics/tone.yaml and other:rubrics/tone.yaml" in result.out
    write(other, {"rubrics/tone.yaml": f"# a comment\n{RUBRIC}"})
    printed_by("sync", cwd=mine)
    assert check(mine, "--strict").code == 0


@pytest.mark.costly
def test_schemas_and_bundles_of_a_library_are_read_from_it(shared: Path, mine: Path) -> None:
    schema = '{"type": "object", "required": ["name"]}'
    rubric = PLAIN.format(most=9).replace(
        "kind: format, max_chars: 9", "kind: json_schema, schema_ref: bundles/answer.schema.json"
    )
    bundle = (
        '{"type": "object", "required": ["product"], "properties": {"product": {"type": "string"}}}'
    )
    files = {
        "rubrics/tone.yaml": rubric,
        "bundles/answer.schema.json": schema,
        "bundles/shop.schema.json": bundle,
    }
    commit(shared, files, "v2.1.0")
    printed_by("sync", cwd=mine)
    row = "{id: a, input: Hi, bundle: shop, product: x, rubric_ref: rubric/tone@2.1.0}"
    (mine / "datasets" / "a.yaml").write_text(f"questions:\n  - {row}\n")
    assert check(mine, "--strict").code == 0
    outputs = mine / "outputs.jsonl"
    for output, code in (('{\\"name\\": 1}', 0), ("{}", 1)):
        outputs.write_text(f'{{"id": "a", "output": "{output}"}}\n')
        graded = printed_by(
            "grade", "datasets/a.yaml", "--outputs", "outputs.jsonl", "--threshold", "1", cwd=mine
        )
        assert (output, graded.code) == (output, code)
    (mine / "datasets" / "a.yaml").write_text(
        f"questions:\n  - {row.replace('product: x, ', '')}\n"
    )
    assert "product" in check(mine).out
    (mine / "datasets" / "a.yaml").write_text(f"questions:\n  - {row}\n")
    # Both are locked by what they say, and a new tag with others is told.
    assert printed_by("lock", cwd=mine).code == 0
    commit(mine, {})
    files |= {"bundles/answer.schema.json": '{"type": "object"}'}
    commit(shared, {**files, "bundles/shop.schema.json": '{"type": "object"}'}, "v3")
    use(mine, 'shared = {git = "../shared", tag = "v3"}')
    printed_by("sync", cwd=mine)
    told = check(mine).out
    assert "shared:bundles/answer.schema.json means something else than in" in told
    assert "the bundle of another package is another than in" in told
    changed = " ".join(printed_by("diff", "--against", "HEAD", cwd=mine).out.split())
    assert (
        "score-breaking: checks.short.schema_ref (`shared:bundles/answer.schema.json`)" in changed
    )
    assert "datasets/a.yaml: 1 of 1 row, through `rubric/tone@2.1.0`" in changed
    assert printed_by("lock", cwd=mine).code == 0
    assert check(mine).code == 0


@pytest.mark.usefixtures("shared")
def test_names_choose_libraries(mine: Path) -> None:
    write(mine.parent / "other", {"judges/mild.yaml": JUDGE.replace("kind", "mild", 1)})
    use(mine, 'shared = {git = "../shared", tag = "v2.1.0"}\nother = {path = "../other"}')
    assert printed_by("sync", "other", cwd=mine).out == "other ../other: 1 judge (new)\n"
    assert [*locked(mine)] == ["other"]
    assert printed_by("sync", "shared", cwd=mine).code == 0
    assert [*locked(mine)] == ["other", "shared"]
    use(mine, 'shared = {git = "../shared", tag = "v2.1.0"}')
    printed_by("sync", cwd=mine)
    assert [*locked(mine)] == ["shared"]
    unknown = printed_by("sync", "sharde", cwd=mine)
    assert unknown.code == 2
    assert "did you mean `shared`?" in unknown.err


@pytest.mark.costly
@pytest.mark.usefixtures("shared")
def test_libraries_and_versions_stand_in_one_lock(mine: Path) -> None:
    own = PLAIN.format(most=9).replace("tone", "mine")
    write(mine, {"rubrics/mine.yaml": own})
    printed_by("sync", cwd=mine)
    assert check(mine, "--strict").code == 0  # nobody has locked versions
    alone = (mine / "evalcontract.lock").read_text()
    assert printed_by("lock", cwd=mine).code == 0
    both = (mine / "evalcontract.lock").read_text()
    assert "rubric/mine@2.1.0:" in both
    assert both.endswith(alone[alone.index("libraries:") :])
    assert check(mine, "--strict").code == 0
    for command in ("sync", "lock", "lock --check"):
        assert printed_by(*command.split(), cwd=mine).code == 0
        assert (mine / "evalcontract.lock").read_text() == both
    # What a dataset reaches of a library is locked by its name, and by the digest of the library.
    reaches = yaml.safe_load(both)["datasets"]["datasets/a.yaml"]["reaches"]
    assert reaches == ["judge/kind@1.0.0", "rubric/tone@2.1.0"]
    write(mine, {"rubrics/mine.yaml": own.replace("9", "10")})
    assert "lock/changed-meaning" in check(mine).out
    write(mine, {"rubrics/mine.yaml": own})
    shutil.rmtree(kept(mine))
    refused = printed_by("lock", cwd=mine)
    assert refused.code == 1
    assert "library/not-synced" in refused.err
    assert "dangling" not in refused.err


@pytest.mark.usefixtures("shared")
def test_syncs_of_other_names_at_once_lose_no_entry(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each reads the lock and writes it again; nobody writes between."""
    pytest.importorskip("fcntl")
    names = ("first", "second", "third")
    use(mine, "\n".join(f'{name} = {{path = "../shared"}}' for name in names))

    def slowly(*arguments: Any, **named: Any) -> str | None:
        time.sleep(0.1)
        return write_text(*arguments, **named)

    monkeypatch.setattr("evalcontract.workspace.syncing.write_text", slowly)
    workspace = open_workspace(mine)
    threads = [
        threading.Thread(target=lambda each: [*each.run()], args=[Syncing(workspace, [name])])
        for name in names
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [*locked(mine)] == [*names]


def test_a_lock_that_another_process_has_written_is_not_overwritten(mine: Path) -> None:
    write(mine, {"datasets/a.yaml": ROWS.replace("tone", "mine"), "rubrics/mine.yaml": OWN})
    (mine / "evalcontract.toml").unlink()
    (ours,) = lock(mine, Options())
    (mine / "evalcontract.lock").write_text("lock: 1\nschema: '1.0'\nlibraries: {}\n")
    with pytest.raises(UsageError, match="another process has changed it"):
        ours.write()
    assert "rubric/mine" not in (mine / "evalcontract.lock").read_text()


UNPINNED_JUDGE = RUBRIC.replace("kind@1.0.0", "kind")
REACHING = """\
id: mine
version: "1.0.0"
checks: [{id: theirs, kind: composite, rubric_ref: rubric/tone@2.1.0}]
scoring: {combine: all_pass}
"""


@pytest.mark.costly
@pytest.mark.parametrize(
    ("new", "told"),
    [
        (
            {"rubrics/tone.yaml": UNPINNED_JUDGE.replace("100", "99")},
            [("changed-meaning", "`checks.short.max_chars` changed from 100 to 99")],
        ),
        (
            {"judges/kind.yaml": JUDGE.replace("kind?", "nice?")},
            [("changed-meaning", "judge/kind@1.0.0 of the library `shared`: `template` changed")],
        ),
        (
            {"judges/kind@2.yaml": JUDGE.replace("1.0.0", "2.0.0")},
            [
                ("missing-entry", "judge/kind@2.0.0 of the library `shared`"),
                ("resolves-elsewhere", "rubric/tone@2.1.0 of the library `shared`: `judge/kind`"),
            ],
        ),
        ({"rubrics/tone.yaml": f"# Layout is no meaning.\n{UNPINNED_JUDGE}"}, []),
        ({"rubrics/other.yaml": UNPINNED_JUDGE.replace("tone", "other")}, []),
    ],
)
def test_what_is_reached_of_a_library_keeps_its_meaning(
    mine: Path, new: dict[str, str], told: list[tuple[str, str]]
) -> None:
    """A new tag with another meaning under the same version is no less than a changed file."""
    base = {"rubrics/tone.yaml": UNPINNED_JUDGE, "judges/kind.yaml": JUDGE}
    commit(mine.parent / "shared", base, "v2.1.0")
    write(mine, {"rubrics/mine.yaml": REACHING})
    for command in ("sync", "lock"):
        assert printed_by(command, cwd=mine).code == 0
    assert check(mine).code == 0
    commit(mine.parent / "shared", {**base, **new}, "v3")
    use(mine, 'shared = {git = "../shared", tag = "v3"}')
    assert printed_by("sync", cwd=mine).code == 0
    found = [line for line in check(mine).out.splitlines() if "[lock/" in line]
    assert len(found) == len(told)  # one for the row and the rubric that refer to it
    for line, (code, message) in zip(found, told, strict=True):
        assert line.startswith("datasets/a.yaml:2:")
        assert f"[lock/{code}]" in line
        assert message in line
    changed = [code for code, _ in told if code == "changed-meaning"]
    assert printed_by("lock", cwd=mine).code == len(changed)
    for name in new if changed else ():
        assert printed_by("lock", "--update", f"shared:{name}", cwd=mine).code == 0
    assert printed_by("lock", "--check", cwd=mine).code == 0
    assert check(mine).code == 0


@pytest.mark.costly
def test_what_a_library_has_is_no_earlier_version_of_what_is_mine(mine: Path) -> None:
    """`bump` and `check` compare a new rubric with its own earlier versions alone."""
    commit(mine.parent / "shared", SHARED, "v2.1.0")
    printed_by("sync", cwd=mine)
    printed_by("lock", cwd=mine)
    write(mine, {"rubrics/tone@2.1.1.yaml": PLAIN.format(most=9).replace("2.1.0", "2.1.1")})
    assert "[lock/missing-entry] rubric/tone@2.1.1 is not in" in check(mine).out
    assert "it is new" in printed_by("bump", "rubrics/tone@2.1.1.yaml", cwd=mine).out


@pytest.mark.costly
def test_a_conflict_of_two_syncs_is_settled_by_another(shared: Path, mine: Path) -> None:
    printed_by("sync", cwd=mine)
    ours = (mine / "evalcontract.lock").read_text()
    commit(shared, {"rubrics/tone.yaml": RUBRIC.replace("100", "200")}, "v2.1.0")
    printed_by("sync", "--update", cwd=mine)
    theirs = (mine / "evalcontract.lock").read_text()
    assert ours != theirs
    text = f"<<<<<<< HEAD\n{ours}=======\n{theirs}>>>>>>> theirs\n"
    (mine / "evalcontract.lock").write_text(text)
    conflict = check(mine)
    assert conflict.code == 1
    assert "lock/conflict" in conflict.out
    assert printed_by("sync", cwd=mine).code == 0
    assert (mine / "evalcontract.lock").read_text() == ours
    assert check(mine, "--strict").code == 0


def test_references_into_a_library_are_drawn(shared: Path, mine: Path) -> None:
    commit(shared, {"rubrics/tone@3.yaml": RUBRIC.replace("2.1.0", "3.0.0")}, "v2.1.0")
    absent = printed_by("graph", cwd=mine)
    assert absent.code == 1
    assert "library/not-synced" in absent.err
    printed_by("sync", cwd=mine)
    drawn = printed_by("graph", cwd=mine)
    assert drawn.code == 0
    assert (
        "  rubric/tone@2.1.0 (1 row)  outdated, 3.0.0 exists\n    judge/kind@1.0.0\n" in drawn.out
    )
    assert "1 dataset, 1 rubric, 1 judge" in drawn.out
    manifest = json.loads(printed_by("manifest", "datasets/a.yaml", cwd=mine).out)
    assert [each["file"] for each in manifest["rubrics"]] == ["shared:rubrics/tone.yaml"]
    assert "rubric/tone@2.1.0 -> 3.0.0" in printed_by("outdated", cwd=mine).out


@pytest.mark.costly
def test_a_new_version_of_a_library_is_told_with_the_rows_that_it_moves(
    shared: Path, mine: Path
) -> None:
    printed_by("sync", cwd=mine)
    commit(mine, {})
    commit(shared, {"rubrics/tone.yaml": RUBRIC.replace("100", "50")}, "v2.2.0")
    use(mine, 'shared = {git = "../shared", tag = "v2.2.0"}')
    printed_by("sync", cwd=mine)
    printed = printed_by("diff", "--against", "HEAD", cwd=mine)
    told = " ".join(printed.out.split())
    assert printed.code == 1  # the library has broken its promise
    change = "score-breaking: checks.short.max_chars: 100 → 50"
    assert f"shared:rubrics/tone.yaml {change}" in told
    assert "datasets/a.yaml: 1 of 1 row, through `rubric/tone@2.1.0`" in told
    assert "1 of 2 artifacts changed" in told


def test_settings_above_several_workspaces(tmp_path: Path) -> None:
    files = {f"common/{name}": text for name, text in SHARED.items()}
    files |= {f"{team}/datasets/a.yaml": ROWS for team in ("one", "two")}
    files |= {f"{team}/judges/own.yaml": JUDGE.replace("kind", "own", 1) for team in ("one", "two")}
    write(tmp_path, {**files, "evalcontract.toml": '[libraries]\nshared = {path = "common"}\n'})
    assert check(tmp_path).out.count("library/not-synced") == 1
    synced = printed_by("sync", cwd=tmp_path)
    assert synced.code == 0
    assert [line.split(":")[0] for line in synced.out.splitlines()] == [".", "one", "two"]
    locks = {each.parent for each in tmp_path.rglob("evalcontract.lock")}
    assert locks == {tmp_path, tmp_path / "one", tmp_path / "two"}  # and none in the library
    assert check(tmp_path).code == 0
    assert "library/" not in check(tmp_path).out


@pytest.mark.slow
@pytest.mark.usefixtures("shared")
def test_two_syncs_at_once_and_an_interrupted_one_leave_whole_folders(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    contents = {name: text.encode() for name, text in SHARED.items()}
    folders: list[Path | None] = []
    threads = [
        threading.Thread(target=lambda: folders.extend(keep(contents) for _ in range(20)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (folder,) = {*folders}
    assert folder is not None
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    assert (folder / "rubrics" / "tone.yaml").read_text() == RUBRIC
    shutil.rmtree(folder)

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("evalcontract.cache.store._move", interrupt)
        printed_by("sync", cwd=mine)
    assert [*folder.parent.iterdir()] == []
    assert not (mine / "evalcontract.lock").exists()
    calls = [["sync"]]
    assert command_lines(calls, cwd=mine)[0].code == 0


@pytest.mark.usefixtures("shared")
def test_what_cannot_be_kept_is_told(
    mine: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("EVALCONTRACT_CACHE_DIR", str(tmp_path / "file"))
    result = printed_by("sync", cwd=mine)
    assert result.code == 1
    assert "it cannot be kept" in result.err
    assert not (mine / "evalcontract.lock").exists()


@pytest.mark.costly
def test_nothing_writes_into_a_library(shared: Path, mine: Path) -> None:
    commit(shared, {"rubrics/tone.yaml": RUBRIC.replace('"2.1.0"', "2.1")}, "v2.1.0")
    printed_by("sync", cwd=mine)
    (mine / "datasets" / "a.yaml").write_text(ROWS.replace("@2.1.0", ""))
    file = kept(mine) / "rubrics" / "tone.yaml"
    before = file.read_bytes()
    assert printed_by("fix", cwd=mine).code == 0
    assert "rubric/tone@2.1" in (mine / "datasets" / "a.yaml").read_text()
    refused = printed_by("fix", file, cwd=mine)
    assert refused.code == 2
    assert "read-only" in refused.err
    assert printed_by("bump", file, "--to", "major", cwd=mine).code == 2
    judge = printed_by("calibrate-judge", "judge/kind@1.0.0", "--labels", "x.csv", cwd=mine)
    assert judge.code == 2
    assert file.read_bytes() == before


@pytest.mark.costly
def test_what_refers_to_a_library_is_bumped(shared: Path, mine: Path) -> None:
    printed_by("sync", cwd=mine)
    own = (
        PLAIN.format(most=9)
        .replace("tone", "mine")
        .replace("kind: format, max_chars: 9", "kind: composite, rubric_ref: rubric/tone@2.1.0")
    )
    commit(mine, {"rubrics/mine.yaml": own})
    write(mine, {"rubrics/mine.yaml": own.replace("all_pass", "any_pass")})
    shutil.rmtree(shared)
    result = printed_by("bump", "--all", "--against", "HEAD", cwd=mine)
    assert (result.code, result.err) == (0, "")
    assert 'version: "3.0.0"' in (mine / "rubrics" / "mine.yaml").read_text()


def test_a_workspace_without_libraries_has_nothing_to_sync(mine: Path) -> None:
    (mine / "evalcontract.toml").write_text("strict = true\n")
    result = printed_by("sync", cwd=mine)
    assert result.code == 2
    assert "add a table `[libraries]`" in result.err
    use(mine, 'shared = {path = "../x"}')
    assert printed_by("sync", "--check", "--update", cwd=mine).code == 2


@pytest.mark.costly
def test_a_check_is_remembered_until_a_library_changes(shared: Path, mine: Path) -> None:
    printed_by("sync", cwd=mine)
    assert check(mine, "--strict").code == check(mine, "--strict").code == 0
    commit(shared, {"rubrics/tone.yaml": RUBRIC.replace("kind@", "kin@")}, "v2.1.0")
    printed_by("sync", "--update", cwd=mine)
    assert check(mine, "--strict").code == 1
