"""Artifacts for the tests of the library, made of values."""

from __future__ import annotations

import io
import json
from typing import Any

from evalcontract.library.library import Artifact, read_artifact
from evalcontract.model.reference import Kind
from evalcontract.source import Document, read_stream


def artifact(file: str, **value: Any) -> Artifact:
    """Return the artifact of a file in `rubrics/` or `judges/`."""
    document = read_stream(io.BytesIO(json.dumps(value).encode()), file)
    assert isinstance(document, Document)
    return read_artifact(Kind(file.split("s/", maxsplit=1)[0]), document)


def composite(id_: str, *references: str, version: str = "1.0.0", **more: Any) -> Artifact:
    """Return a rubric with a composite check for each of the references."""
    checks = [
        {"id": f"c{n}", "kind": "composite", "rubric_ref": r} for n, r in enumerate(references)
    ]
    return artifact(f"rubrics/{id_}.yaml", id=id_, version=version, checks=checks, **more)
