"""The version and template that a judge's validation was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.reference import Version

if TYPE_CHECKING:
    from evalcontract.rules._rule import Subject


def is_of_other_version(subject: Subject) -> bool:
    """Whether the validation was made with another version of the judge; `1.0` is `1.0.0`.

    If so, a different template or model is expected and not a separate mistake.
    """
    validated = subject.value.get("validation", {}).get("judge_version")
    current = subject.artifact.version
    return validated is not None and current is not None and Version.parse(validated) != current


def template_digest(template: str) -> str:
    r"""Return the SHA-256 of a template, as 64 lower-case hexadecimal digits.

    The digest is of the parsed text in UTF-8 without a BOM: block scalars without indentation,
    lines ended by `\n`, with a final newline only if the YAML style keeps it (`|` does, `|-`
    does not).
    """
    from hashlib import sha256  # slow to import

    return sha256(template.encode("utf-8", "surrogatepass")).hexdigest()
