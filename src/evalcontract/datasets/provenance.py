"""What a dataset reaches: exact versions, and digests of bytes and of meanings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from platform import python_version
from typing import Any

from evalcontract._version import __version__
from evalcontract.datasets.run import Run
from evalcontract.library.library import Artifact
from evalcontract.library.references import reach
from evalcontract.meaning.rows import RowsMeaning
from evalcontract.meaning.view import digest_of_json, view_of
from evalcontract.model.reference import Kind
from evalcontract.model.startup import NamedTuple
from evalcontract.structure.schemas import load

#: The version of the format of manifests; see the schema.
VERSION = "1.0"
_OURS = "evalcontract"


#: The settings that decide what rows are and what is read of them, by name.
Settings = tuple[tuple[str, tuple[str, ...]], ...]


class ReferencedArtifact(NamedTuple):
    """An artifact that is referenced transitively. `name` is exact, such as `rubric/tone@1.0.0`.

    `sha256` is the digest of the file's bytes, in hexadecimal. `pinned` is False if any reference
    on the path to it has no version. `meaning_sha256` is the digest of what the file says, whatever
    its layout and its wording. `model` has the provider and the name that a judge declares.
    """

    name: str
    file: str
    sha256: str
    pinned: bool
    meaning_sha256: str
    model: Mapping[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as manifests have it; a judge without a model has none."""
        return {key: value for key, value in self._asdict().items() if value is not None}


class ReferencedSchema(NamedTuple):
    """A bundle by its name, or a file that checks read by its path in the workspace.

    `sha256` is the digest of its bytes: None if it cannot be read, and for a bundle of a package.
    `meaning_sha256` is that of the schema, whatever its layout; None if there is none.
    """

    name: str
    sha256: str | None
    meaning_sha256: str | None


class Provenance(NamedTuple):
    """What a result is made by: a dataset, and all that it reaches.

    `file` and `sha256` are the name and the digest of the bytes of the dataset, or of a rubric or a
    judge. `rubrics`, `judges`, `bundles` and `files` are what it reaches, by name. `references` has
    the unpinned references with what each resolves to, `dangling` those that lead nowhere.
    `meaning_sha256` is the digest of what the
    dataset says; None if that is not known. `dialect` is its format, `rows` the number of its rows.
    """

    file: str
    sha256: str | None
    rubrics: tuple[ReferencedArtifact, ...] = ()
    judges: tuple[ReferencedArtifact, ...] = ()
    bundles: tuple[ReferencedSchema, ...] = ()
    files: tuple[ReferencedSchema, ...] = ()
    references: tuple[tuple[str, str], ...] = ()
    dangling: tuple[str, ...] = ()
    meaning_sha256: str | None = None
    dialect: str = _OURS
    id: str | None = None
    version: str | None = None
    rows: int | None = None
    settings: Settings = ()

    def to_dict(self, created: datetime | None = None) -> dict[str, Any]:
        """Return all of it with the versions of what grades; see `schema/manifest.schema.json`.

        `created` is the only time in it, by default now.
        """
        tool = {"name": _OURS, "version": __version__}
        system, _, _ = self.dialect.partition(":")
        harness = tool if self.dialect == _OURS else {"name": system, "version": None}
        names = ("file", "sha256", "meaning_sha256", "dialect", "id", "version", "rows")
        return {
            "version": VERSION,
            "created": time_text(created or datetime.now(tz=UTC)),
            "tool": tool,
            "python": python_version(),
            "contract": load("dataset")["$id"].rpartition("/")[0].rpartition("/")[2],
            "harness": harness,
            "dataset": {name: getattr(self, name) for name in names},
            "settings": {name: [*values] for name, values in self.settings},
            "rubrics": [each.to_dict() for each in self.rubrics],
            "judges": [each.to_dict() for each in self.judges],
            "bundles": [each._asdict() for each in self.bundles],
            "files": [each._asdict() for each in self.files],
            "dangling": [*self.dangling],
            "unpinned": [
                {"reference": text, "resolves_to": name} for text, name in self.references
            ],
        }


def time_text(time: datetime) -> str:
    """Return a time in UTC, to the second."""
    return f"{time.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='seconds')}Z"


class NamedByRows:
    """What the rows of a dataset name and mean, noted as they are read.

    `root` has the other keys of the dataset. `references` are the texts of references to rubrics,
    `bundles` the names of bundles.
    """

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._default = root.get("bundle")
        self.references: set[str] = set()
        self.bundles: set[str] = set()
        self._meaning = RowsMeaning()

    def note(self, row: Any, *, is_graded: bool = True) -> None:
        """Note a row; one that is not graded names nothing."""
        self._meaning = self._meaning.plus([row], self._default)
        if not is_graded or not isinstance(row, dict):
            return
        bundle, reference = row.get("bundle", self._default), row.get("rubric_ref")
        if isinstance(bundle, str):
            self.bundles.add(bundle)
        if isinstance(reference, str):
            self.references.add(reference)

    def take(self, references: Iterable[str], bundles: Iterable[str], meaning: RowsMeaning) -> None:
        """Take what was noted elsewhere of other rows."""
        self.references.update(references)
        self.bundles.update(bundles)
        self._meaning = self._meaning.joined(meaning)

    def provenance(self, run: Run, source: tuple[str, str | None]) -> Provenance:
        """Return the provenance of the dataset, whose name and digest is `source`."""
        reached = provenance_of(run, source, self.references, self.bundles)
        id_, version = (_text(self._root.get(key)) for key in ("id", "version"))
        meaning, count = self._meaning.digest(self._root), self._meaning.number
        return reached._replace(meaning_sha256=meaning, rows=count, id=id_, version=version)


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def settings_of(columns: Iterable[tuple[str, str]], graded: Iterable[str]) -> Settings:
    """Return the settings that decide what rows are and what is read of them."""
    return (
        ("map", tuple(sorted(map("=".join, columns)))),
        ("row_keys_graded", tuple(sorted(graded))),
    )


def provenance_of(
    run: Run,
    source: tuple[str, str | None],
    references: Iterable[str],
    bundles: Iterable[str] = (),
    *,
    artifacts: Iterable[tuple[Artifact, bool]] = (),
) -> Provenance:
    """Return what a file reaches, whose name and digest is `source`.

    `references` are the texts of its references to rubrics and judges, of which only those that
    resolve are part of the result. `bundles` are the names of its bundles. It also reaches
    `artifacts`, each with whether that is pinned.
    """
    found = reach(references, run.workspace.library, artifacts)
    all_ = [_artifact(artifact, is_pinned=is_pinned) for artifact, is_pinned in found.artifacts]
    reached = sorted(all_, key=lambda each: (each.name, each.file))
    by_kind = {
        kind: tuple(each for each in reached if each.name.startswith(f"{kind}/"))
        for kind in (Kind.RUBRIC, Kind.JUDGE)
    }
    return Provenance(
        *source,
        by_kind[Kind.RUBRIC],
        by_kind[Kind.JUDGE],
        tuple(_bundle(run, name) for name in sorted({*bundles})),
        tuple(_files(run, [artifact for artifact, _ in found.artifacts])),
        tuple(sorted(found.unpinned.items())),
        tuple(sorted(found.dangling)),
    )


def _artifact(artifact: Artifact, *, is_pinned: bool) -> ReferencedArtifact:
    value = artifact.document.value
    model = value.get("model") if isinstance(value, dict) else None
    return ReferencedArtifact(
        artifact.name,
        artifact.file,
        artifact.document.sha256,
        is_pinned,
        view_of(artifact.kind, value).digest,
        _declared(model) if artifact.kind is Kind.JUDGE else None,
    )


def _declared(model: Any) -> dict[str, str] | None:
    """Return the names of a model: other keys may be secret, and nobody asks with them."""
    if not isinstance(model, dict):
        return None
    names = {key: model.get(key) for key in ("provider", "name")}
    return {key: name for key, name in names.items() if isinstance(name, str)} or None


def _bundle(run: Run, name: str) -> ReferencedSchema:
    """Return a bundle; that of another package has no file."""
    source = run.workspace.bundle_files.get(name)
    schema = run.workspace.bundles.get(name)
    digest = source.document.sha256 if source and source.document else None
    return ReferencedSchema(name, digest, None if schema is None else digest_of_json(schema))


def _files(run: Run, artifacts: Iterable[Artifact]) -> Iterator[ReferencedSchema]:
    """Yield the files that the checks of rubrics read, which their plans note."""
    names: set[str] = set()
    for artifact in artifacts:
        if artifact.kind is Kind.RUBRIC:
            run.plans.of(artifact)
            names |= run.plans.reads.get(artifact.name, set())
    for name in sorted(names):
        digest = run.workspace.digest_of_json(name)
        meaning = None if digest is None else digest_of_json(run.workspace.read_json(name))
        yield ReferencedSchema(name, digest, meaning)
