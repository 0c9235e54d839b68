"""Provenance: exactly which rubrics and judges a dataset's scores rest on."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reached:
    """One artifact that is reached. `name` is exact, such as `rubric/tone@1.0.0`.

    `sha256` is the digest of its file's bytes, in hexadecimal; `pinned` is False where at least
    one reference on the way to it names no version.
    """

    name: str
    file: str
    sha256: str
    pinned: bool


@dataclass(frozen=True, slots=True)
class Provenance:
    """What a result must quote to be repeated: the file's digest, and all that it reaches."""

    file: str
    sha256: str
    rubrics: tuple[Reached, ...] = ()
    judges: tuple[Reached, ...] = ()
