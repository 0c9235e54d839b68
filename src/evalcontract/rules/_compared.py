"""What a judge's validation says it was a validation of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract.model.version import Version

if TYPE_CHECKING:
    from evalcontract.rules._rule import Subject


def is_of_other_version(subject: Subject) -> bool:
    """Whether a validation names a version that is not the judge's; `1.0` is `1.0.0`.

    Where it does, another template and another model are to be expected, and no mistakes of
    their own.
    """
    written = subject.value.get("validation", {}).get("judge_version")
    mine = subject.artifact.version
    return written is not None and mine is not None and Version.parse(written) != mine


def template_digest(template: str) -> str:
    r"""Return the SHA-256 of a template, as 64 lower-case hexadecimal digits.

    Of its text as a YAML or JSON reader gives it, in UTF-8 without a mark in front: a block
    without its indentation, its lines ended by `\n`, and the last line's end only where the
    style keeps it (`|` does, `|-` does not).
    """
    from hashlib import sha256  # slow to import

    return sha256(template.encode("utf-8", "surrogatepass")).hexdigest()
