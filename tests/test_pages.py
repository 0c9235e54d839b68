"""Every code has its manual page, and the examples of a page are what it says they are."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from page_examples import CODES, STAND_INS, findings_of, findings_of_bad_example
from tables import every_case

import evalcontract
from evalcontract.formats import FORMATS
from evalcontract.formats._format import codes_of_system
from evalcontract.model.codes import SITE, guide_url, page_url
from evalcontract.structure.schemas import load
from evalcontract.structure.value_messages import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from evalcontract.formats._format import Format

FOLDER = Path(evalcontract.__file__).parent / "pages"
#: The faults whose page the systems share.
SHARED = [code.partition("/")[2] for code in codes_of_system("any")]
#: Codes of structure that no keyword is behind: they come from what a schema leaves open.
WITHOUT_KEYWORD = {"dataset/near-miss-key", "rubric/near-miss-key", "judge/near-miss-key"}


def test_every_page_is_that_of_a_code_without_a_docstring() -> None:
    files = {path.relative_to(FOLDER).with_suffix("").as_posix() for path in FOLDER.rglob("*.md")}
    shared = {f"{form.name}/{fault}" for form in FORMATS for fault in SHARED}
    assert files == {
        *({code for code in CODES.values() if code.docstring is None} - shared),
        *(f"formats/{fault}" for fault in SHARED),
        *(form.name for form in FORMATS),
    }


@every_case("form", FORMATS, ids=lambda form: form.name)
def test_what_a_system_says_of_shared_pages_is_shown(form: type[Format]) -> None:
    text = (FOLDER / f"{form.name}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {form.title}\n\n## Good\n")
    sections = re.findall(r"(?m)^#+ (.+)$", text)[2:]
    assert {*sections} <= {*SHARED, "Good"}
    codes = [CODES.get(f"{form.name}/{fault}") for fault in SHARED]
    shown = "\n".join(str(tuple(code.page)) for code in codes if code)
    assert form.title in shown
    assert "{" + "title}" not in shown


@pytest.mark.slow
@every_case("code", CODES)
def test_bad_example_has_its_fault_and_no_other(code: str, tmp_path: Path) -> None:
    found = {each.code for each in findings_of_bad_example(tmp_path, code)}
    assert found == (set() if code in STAND_INS else {code})


@pytest.mark.slow
@every_case("code", CODES)
def test_good_example_has_no_fault(code: str, tmp_path: Path) -> None:
    assert findings_of(tmp_path, CODES[code].page.good, code) == []


@every_case("kind", ("dataset", "rubric", "judge"))
def test_pages_are_published_where_the_schemas_are(kind: str) -> None:
    assert load(kind)["$id"].startswith(f"{SITE}/")
    assert guide_url("judges#levels") == f"{SITE}/judges/#levels"
    assert guide_url("judges") == f"{SITE}/judges/"
    assert page_url(f"{kind}/invalid-id") == f"{SITE}/rules/{kind}/invalid-id/"


def test_pages_are_plain_text() -> None:
    for code, page in ((code, known.page) for code, known in CODES.items()):
        texts = (page.what, page.why, page.bad + page.good)
        assert max(len(line) for text in texts for line in text.split("\n")) <= 100, code
        assert page.what.endswith("."), code
        assert page.why.endswith("."), code


@pytest.mark.parametrize("kind", ["rubric", "judge", "target"])
def test_faults_of_structure_are_those_of_the_schema(kind: str) -> None:
    possible = {
        f"{kind}/{FAULTS.get(keyword, 'invalid-value')}" for keyword in keywords(load(kind))
    }
    assert possible == (_of_structure(kind) & CODES.keys()) - WITHOUT_KEYWORD


def test_a_bundle_can_bring_every_fault_to_a_dataset() -> None:
    assert _of_structure("dataset") <= CODES.keys()


def test_no_fault_of_the_dataset_schema_is_unnamed() -> None:
    assert set(keywords(load("dataset"))) <= FAULTS.keys()


def _of_structure(kind: str) -> set[str]:
    return {f"{kind}/{fault}" for fault in (*FAULTS.values(), "invalid-value", "near-miss-key")}


# Keywords that apply other schemas, and cannot fail by themselves.
_ONE = {"items", "then", "else"}
_MAPPING = {"properties", "patternProperties", "$defs"}
_LIST = {"allOf"}
_WORDS = {"$schema", "$id", "$ref", "title", "description", "default", "examples", "if"}


def keywords(schema: Any) -> Iterator[str]:
    """Yield the keywords that a value can fail by, in a schema and in all that it applies."""
    for keyword, value in schema.items():
        if keyword in _ONE or (keyword == "additionalProperties" and value is not False):
            yield from keywords(value)
        elif keyword in _MAPPING | _LIST:
            for part in value.values() if keyword in _MAPPING else value:
                yield from keywords(part)
        elif keyword not in _WORDS:
            yield keyword
