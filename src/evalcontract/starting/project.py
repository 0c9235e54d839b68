"""The settings around a workspace: of editors, of pre-commit, and of CI."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from string import Template
from urllib.parse import urlsplit
from urllib.request import url2pathname
from xml.sax.saxutils import quoteattr

from evalcontract._version import __version__
from evalcontract.model.errors import UsageError
from evalcontract.model.page import REPOSITORY, is_published
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.source import DISK, SUFFIXES
from evalcontract.source import installed as shipped
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import EditorSchema, editor_schemas

#: The file of each system of CI, and its template.
CI_FILES = {
    "github": (".github/workflows/evalcontract.yml", "project/github.yaml"),
    "gitlab": (".gitlab-ci.yml", "project/gitlab-ci.yaml"),
}
_EXTENSIONS = ("redhat.vscode-yaml", "tamasfe.even-better-toml")
#: The name by which a file knows of evalcontract.
PACKAGE = "evalcontract"


class ProjectFile(NamedTuple):
    """A file of the project that the workspace is in, by its path.

    If it is there already, `mark` says whether it knows of evalcontract, and `snippet` is what to
    add to it if it does not.
    """

    path: str
    text: str
    mark: str
    snippet: str


class _Template(Template):
    """Text with names such as `%{version}`: `$` has a meaning in YAML, TOML and shells."""

    delimiter = "%"


def filled(template: str, **values: str) -> str:
    """Return a template with its values."""
    return _Template(shipped.template(template)).substitute(values)


def project_files(
    folder: str, ci: str | None, source: InstallSource | None
) -> Iterator[ProjectFile]:
    """Yield the files for a workspace in a folder of the project, which is `.` or a path.

    CI installs evalcontract from `source`; without one, there is no file for CI. pre-commit runs
    what is installed.
    """
    values = {"quoted_folder": _quoted(folder), "shell_folder": shlex.quote(folder)}
    mark = f'{_below(folder, next(iter(editor_schemas())).path)}"'
    settings = _json(_vs_code(folder))
    yield ProjectFile(".vscode/settings.json", settings, f"./{mark}", settings)
    extensions = _json({"recommendations": [*_EXTENSIONS]})
    yield ProjectFile(".vscode/extensions.json", extensions, _EXTENSIONS[0], extensions)
    entries = "".join(_mapping(schema, folder) for schema in editor_schemas())
    mappings = filled("project/jsonSchemas.xml", entries=entries)
    yield ProjectFile(".idea/jsonSchemas.xml", mappings, f'"{mark}', entries)
    hooks = filled("project/pre-commit-config.yaml", **values)
    snippet = hooks.partition("repos:\n")[2]
    yield ProjectFile(".pre-commit-config.yaml", hooks, PACKAGE, snippet)
    if ci is not None and source is not None:
        path, template = CI_FILES[ci]
        values |= {"quoted_source": _quoted(source.requirement),
                   "shell_source": shlex.quote(source.requirement)}  # fmt: skip
        text = filled(template, **values)
        yield ProjectFile(path, text, PACKAGE, text)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def _below(folder: str, name: str) -> str:
    return name if folder == "." else f"{folder}/{name}"


def _json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _vs_code(folder: str) -> dict[str, object]:
    """Return settings of the YAML extension, and of the JSON support that is built in."""
    kinds = [schema for schema in editor_schemas() if schema.is_of_folder]

    def files_of(schema: EditorSchema, kind: str) -> list[str]:
        below = _below(folder, schema.describes)
        return [f"{below}/**/*{ending}" for ending, of in SUFFIXES.items() if of == kind]

    paths = {schema: f"./{_below(folder, schema.path)}" for schema in kinds}
    return {
        "yaml.schemas": {paths[schema]: files_of(schema, "yaml") for schema in kinds},
        "json.schemas": [
            {"fileMatch": [f"/{each}" for each in files_of(schema, "json")], "url": paths[schema]}
            for schema in kinds
        ],
    }


def _mapping(schema: EditorSchema, folder: str) -> str:
    """Return the mapping of a folder or a file to its schema, as IDEs of JetBrains store it."""
    described = {"path": _below(folder, schema.describes)}
    if schema.is_of_folder:
        described = {"directory": "true", **described, "mappingKind": "Directory"}
    options = (f'<option name="{key}" value={quoteattr(of)} />' for key, of in described.items())
    return filled(
        "project/jsonSchemas-entry.xml",
        name=quoteattr(f"{PACKAGE} {schema.name}"),
        schema=quoteattr(_below(folder, schema.path)),
        options="".join(f"{' ' * 20}{option}\n" for option in options),
    )


# Schemes that nobody on the way can change what comes from.
_SCHEMES = ("git+https", "git+ssh", "https")
_ARCHIVES = (".whl", ".tar.gz", ".zip")
_REPOSITORY = lazy_pattern(r"\.git(@[^/@]+)?$")
_URL = lazy_pattern(r"[\w.~:/?#@!$&'()*+,=%-]+", re.ASCII)
# pip reads `;` as the begin of a condition, and brackets as extras.
_PATH = lazy_pattern(r"[^;\[\]]+")
_FILES = lazy_pattern(r"evalcontract-[^/]+(\.whl|\.tar\.gz)$")
_PROJECT = "pyproject.toml"
#: What GitHub replaces before a shell or pip sees it.
EXPRESSION = "${{"


class InstallSource(NamedTuple):
    """What pip installs in a clone of the repository: a path in it, or a URL.

    `requirement` is one argument of pip, to be run at the top of the clone. `is_remote` says that
    it is a URL, which pip can use anywhere. `is_moving` says that it names no version: what it
    installs may change. `is_own` says that nobody named it: evalcontract itself is installed
    from there.
    """

    requirement: str
    is_remote: bool = False
    is_moving: bool = False
    is_own: bool = False


def source_of(name: str | None, project: Path) -> InstallSource | None:
    """Return the source that somebody names, or else where this evalcontract comes from.

    `project` is the folder that is cloned. Returns None if nobody else can install from there: it
    was installed from a folder of this machine, for example.

    Raises:
        UsageError: a clone of the project cannot install from what is named.

    """
    if name is not None:
        return _source_of_name(name, project)
    if is_published():
        return _remote(f"git+{REPOSITORY}@v{__version__}")
    try:
        source = _source_of_record(_direct_url(), project)
    except UsageError:  # what it was installed from is nothing that settings should hold
        return None
    return source._replace(is_own=True) if source else None


def _source_of_name(name: str, project: Path) -> InstallSource:
    if "://" in name:
        return _remote(name)
    if re.match(r"[\w.-]+@[\w.-]+:", name):
        user, _, path = name.partition(":")
        raise UsageError(f"write this address for `--source` as git+ssh://{user}/{path}")
    return _local(Path(name), project)


def _remote(url: str) -> InstallSource:
    """Return a URL as a source, if pip can use it, and others may read it."""
    try:
        parts = urlsplit(url)
    except ValueError:
        raise UsageError(f"`--source {url}` is no URL") from None
    if parts.password or (parts.username and not parts.scheme.endswith("ssh")):
        raise UsageError("the URL of `--source` holds a name or a key: others would read it")
    if parts.scheme.removeprefix("git+") == "file":
        raise UsageError(
            f"`--source {url}` is on this machine, so that a clone does not have it: put a wheel "
            "into the repository, or name a git URL that CI can reach"
        )
    if not _URL.fullmatch(url) or not parts.netloc or EXPRESSION in url:
        raise UsageError(f"`--source {url}` is no URL")
    if parts.scheme == "https" and _REPOSITORY.search(parts.path):
        return _remote(f"git+{url}")
    if parts.scheme not in _SCHEMES:
        allowed = ", ".join(f"`{scheme}://`" for scheme in _SCHEMES)
        raise UsageError(f"`--source` must be a path, or a URL that begins with {allowed}")
    is_git = parts.scheme.startswith("git+")
    if not is_git and not parts.path.endswith(_ARCHIVES):
        endings = ", ".join(_ARCHIVES)
        raise UsageError(f"`--source {url}` must begin with `git+`, or end with {endings}")
    is_moving = is_git and "@" not in parts.path
    return InstallSource(f"evalcontract @ {url}", is_remote=True, is_moving=is_moving)


def _local(path: Path, project: Path) -> InstallSource:
    """Return a file or folder as a source, if a clone of the project has it, and pip can use it."""
    name, real = display_name(path), DISK.real(path)
    if not DISK.is_there(real):
        raise UsageError(f"`--source {name}`: there is no such file or folder")
    if not real.is_relative_to(project):
        raise UsageError(
            f"`--source {name}` is outside of the repository, so that a clone does not have it: "
            "put a wheel into the repository, or name a git URL"
        )
    inside = real.relative_to(project).as_posix()
    if not inside.isprintable() or not _PATH.fullmatch(inside) or EXPRESSION in inside:
        raise UsageError(f"`--source {name}` cannot be used in settings: choose another name")
    if DISK.is_folder(real):
        if not DISK.is_there(real / _PROJECT):
            raise UsageError(f"`--source {name}` has no {_PROJECT}: pip cannot install it")
    elif not _FILES.fullmatch(real.name):
        raise UsageError(f"`--source {name}` is no wheel or source distribution of evalcontract")
    return InstallSource(f"./{inside}")


def _direct_url() -> Mapping[str, object]:
    """Return where the installer got evalcontract from (PEP 610); empty if it did not say."""
    from importlib.metadata import PackageNotFoundError, distribution  # slow to import

    try:
        text = distribution("evalcontract").read_text("direct_url.json")
        record = json.loads(text or "{}")
    except (PackageNotFoundError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _source_of_record(direct: Mapping[str, object], project: Path) -> InstallSource | None:
    """Return the source that PEP 610 describes, or None if a clone cannot install from it."""
    url, vcs = direct.get("url"), direct.get("vcs_info")
    if not isinstance(url, str):
        return None
    if isinstance(vcs, dict):
        return _remote(f"{vcs.get('vcs')}+{url}@{vcs.get('commit_id')}")
    parts = urlsplit(url)
    if parts.scheme == "file":
        return _local(Path(url2pathname(parts.path)), project)
    return _remote(url)
