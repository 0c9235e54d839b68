"""The files on which the editor and the command line have to agree, and what each says of them."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from doors import Input as File
from doors import Kind, Options, validate

from evalcontract.model.codes import example_files
from evalcontract.structure.value_messages import FAULTS
from evalcontract.workspace.catalogue import KnownCodes

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
KINDS = ("dataset", "rubric", "judge", "target")
_MODELINE = re.compile(r"# yaml-language-server: \$schema=\S*?(?P<kind>\w+)\.schema\.json\n")

#: What the schema finds, by our names; a key under another name is a finding at that name for us.
OF_SCHEMAS = {*FAULTS.values(), "invalid-value", "no-questions", "wrong-kind"}
OF_NAMES = {"near-miss-key", "misplaced-key", "foreign-key", "other-tool"}
#: What the server says, its own messages first, then those of our schemas.
_MESSAGES = {
    r'Missing property ".*"\.': "missing-key",
    r"Incorrect type\. .*": "wrong-type",
    r"Value is not accepted\. .*": "unknown-value",
    r"Value must be .*": "unknown-value",
    r"Property .* is not allowed\.": "unknown-key",
    r"String is shorter .*": "empty-value",
    r"Array has too few items\. .*": "too-few-items",
    r"Array has duplicate items\.": "repeated-item",
    r"Value is (below|above) .*": "out-of-range",
    r"Map keys must be unique": "duplicate-key",
    r"Write a text in quotes.*": "wrong-type",
    r"This is not an? .*": "malformed-value",
    r"Give `.*` or `.*`, not both\.": "conflicting-key",
    r"`.*` belongs to score type .*": "conflicting-key",
    r"Give .*": "missing-key",
}


class Finding(NamedTuple):
    """What is said of a line: the half of our code after the `/`."""

    line: int
    fault: str


class Sample(NamedTuple):
    """A file by a readable name, and what it is."""

    name: str
    kind: str
    text: str


def samples() -> list[Sample]:
    """List all files of the corpus: all ours, and the documents of the conformance suite."""
    found = [*_examples(), *_pages(), *_suite()]
    assert len(found) == len({sample.name for sample in found})
    return found


def _examples() -> Iterator[Sample]:
    for top in ("demo", "fixtures"):
        for path in sorted((ROOT / top).rglob("*.y*ml")):
            text = path.read_bytes().decode("utf-8", "replace")
            if match := _MODELINE.match(text):
                yield Sample(path.relative_to(ROOT).as_posix(), match["kind"], text)


def _pages() -> Iterator[Sample]:
    """Yield the bad examples of the codes of structure, and the good ones."""
    for name, code in KnownCodes().items():
        kind, fault = name.split("/")
        if kind in KINDS and fault in OF_SCHEMAS | OF_NAMES:
            for word, example in (("bad", code.page.bad), ("good", code.page.good)):
                for file, text in example_files(example, name).items():
                    own = Path(file).parent.name.removesuffix("s")
                    if file.endswith(".yaml"):
                        of = own if own in KINDS else kind
                        yield Sample(f"{name}: {word} {file}", of, f"#\n{text}")


def _suite() -> Iterator[Sample]:
    for path in sorted((ROOT / "fixtures" / "schema").glob("*/*.json")):
        for group in json.loads(path.read_text(encoding="utf-8")):
            for number, test in enumerate(group["tests"]):
                text = json.dumps(test["data"], indent=1)
                name = f"{path.parent.name}/{path.stem}: {group['description']} {number}"
                yield Sample(name, group["schema"], f"#\n{text}\n")


def ours(path: Path, kind: str) -> set[Finding]:
    """Return what the command line finds in a file by its schema or its reader."""
    options = Options(root=path.parent, dialect="evalcontract" if kind == "dataset" else None)
    found = validate(Kind(kind), [File(path)], options).diagnostics
    return {
        Finding(each.place.span.line, each.code.split("/")[1])
        for each in found
        if each.place.span is not None
        and each.place.file.endswith(path.name)
        and (each.code.split("/")[1] in OF_SCHEMAS | OF_NAMES or each.code.startswith("source/"))
    }


def editors(diagnostics: list[dict[str, Any]]) -> set[Finding]:
    """Return what a language server says, by our names."""
    return {Finding(each["range"]["start"]["line"] + 1, fault_of(each)) for each in diagnostics}


def fault_of(diagnostic: dict[str, Any]) -> str:
    """Return our name of what is said, or the message itself."""
    message = diagnostic["message"]
    names = (fault for form, fault in _MESSAGES.items() if re.fullmatch(form, message, re.DOTALL))
    return next(names, message)
