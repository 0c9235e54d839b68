"""A mapping is set in a text of YAML or JSON: layout, comments and all else stay."""

from __future__ import annotations

import json
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tables import every_case

from evalcontract.model.errors import EditError
from evalcontract.source.setting import set_key, with_new_key

NEW = {"tpr": 0.92, "day": "2026-11-22", "counts": {"tp": 92, "fn": 8}}

#: The new value in block style.
BLOCK = "v:\n  tpr: 0.92\n  day: '2026-11-22'\n  counts: {tp: 92, fn: 8}"
COMMENTED = """\
v: # old
    day: 2026-05-01 # by Ann
    old: 1

    tpr: 0.5 # low
# end
id: a
"""
COMMENTED_AFTER = """\
v: # old
    day: '2026-11-22' # by Ann

    tpr: 0.92 # low
    counts: {tp: 92, fn: 8}
# end
id: a
"""
SAME_KEYS = "v:\n  counts: {fn: 1, tp: 2} # c\n  day: 'x'\n  tpr: 0.92\n"
SAME_KEYS_AFTER = "v:\n  counts: {fn: 8, tp: 92} # c\n  day: '2026-11-22'\n  tpr: 0.92\n"
YAML = [
    ("id: a # name\n", f"id: a # name\n{BLOCK}\n"),
    ("t: |\n  {{ output }}\n\n", f"t: |\n  {{{{ output }}}}\n{BLOCK}\n\n"),
    (COMMENTED, COMMENTED_AFTER),
    ("v: {tpr: 0.5}  # both\nid: a\n", f"{BLOCK}  # both\nid: a\n"),
    (SAME_KEYS, SAME_KEYS_AFTER),
    ("v:\nid: a\n", f"{BLOCK}\nid: a\n"),
    ("v: [1,\n  2]\nid: a", f"{BLOCK}\nid: a"),
    ("{id: a}\n", "{id: a, v: {tpr: 0.92, day: '2026-11-22', counts: {tp: 92, fn: 8}}}\n"),
    ("{}\n", "{v: {tpr: 0.92, day: '2026-11-22', counts: {tp: 92, fn: 8}}}\n"),
    ("text: |+\n  lines\n\n\n# end\n", f"text: |+\n  lines\n\n\n{BLOCK}\n# end\n"),
    ("a: &a 1\nb: *a\n\n# end\n", f"a: &a 1\nb: *a\n{BLOCK}\n\n# end\n"),
    ("\ufeffid: a\r\n", f"\ufeffid: a\r\n{BLOCK}\r\n".replace("\n  ", "\r\n  ")),
]


@every_case(("before", "after"), YAML)
def test_yaml(before: str, after: str) -> None:
    assert set_key(before, "yaml", ("v",), NEW) == after
    assert set_key(after, "yaml", ("v",), NEW) == after


@every_case(
    ("before", "after"),
    [
        ('{"id": "a"}', '{"id": "a", "v": {"b": [1, "é"]}}'),
        (
            '{\n  "id": "a"\n}\n',
            '{\n  "id": "a",\n  "v": {\n    "b": [\n      1,\n      "é"\n    ]\n  }\n}\n',
        ),
        ('{"v": {"b": 2, "c": 3}, "id": "a"}', '{"v": {"b": [1, "é"]}, "id": "a"}'),
    ],
)
def test_json(before: str, after: str) -> None:
    assert set_key(before, "json", ("v",), {"b": [1, "é"]}) == after


def test_json_of_another_system() -> None:
    before = '{\r\n\t"v": null,\r\n\t"id": "a"\r\n}'
    after = '{\r\n\t"v": {\r\n\t\t"b": 2\r\n\t},\r\n\t"id": "a"\r\n}'
    assert set_key(before, "json", ("v",), {"b": 2}) == after


def test_a_scalar() -> None:
    assert set_key("a: 1\nb: 3.5 # from\n", "yaml", ("b",), 4) == "a: 1\nb: 4 # from\n"


@every_case(
    "text",
    [
        "v: &v {tpr: 1}\nw: *v\n",
        "base: &b {v: {tpr: 1}}\n<<: *b\nid: a\n",
        "v:\n  - 1 # one\n  - 2\n",
        "text: |+\n  all the lines\n\n\n...\n",
        "- a\n",
        "v: {a: 1\n",
        "",
    ],
)
def test_what_cannot_be_set_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        set_key(text, "yaml", ("v",), NEW)


SCALARS = st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text(max_size=5)
MAPPINGS = st.dictionaries(st.sampled_from("abcd"), SCALARS, min_size=1) | st.dictionaries(
    st.sampled_from("abcd"),
    st.dictionaries(st.sampled_from("efg"), SCALARS, min_size=1),
    min_size=1,
)


@pytest.mark.costly
@given(MAPPINGS, MAPPINGS, st.sampled_from([None, True, False]))
def test_any_mapping(old: Any, new: Any, style: bool | None) -> None:  # noqa: FBT001 - as PyYAML
    before = yaml.safe_dump({"id": "a", "v": old, "z": 1}, default_flow_style=style, width=9999)
    after = set_key(before, "yaml", ("v",), new)
    assert yaml.safe_load(after) == {"id": "a", "v": new, "z": 1}
    in_json = set_key(json.dumps({"id": "a", "v": old}, indent=2), "json", ("v",), new)
    assert json.loads(in_json) == {"id": "a", "v": new}


@every_case(
    ("before", "form", "after"),
    [
        ("- a: 1 # x\n- {a: 2}\n", "yaml", "- a: 1 # x\n  k: v\n- {a: 2, k: v}\n"),
        ('[{"a": 1}, {"a": 2}]', "json", '[{"a": 1, "k": "v"}, {"a": 2, "k": "v"}]'),
        ('{"a": 1}\r\n{"a": 2}\n', "jsonl", '{"a": 1, "k": "v"}\r\n{"a": 2, "k": "v"}\n'),
    ],
)
def test_a_new_key_is_added_to_several_mappings(before: str, form: str, after: str) -> None:
    assert with_new_key(before, form, "k", {(0,): "v", (1,): "v"}) == after


@every_case("text", ["- b\n", "- a: [\n", "a: 1\n"])
def test_a_new_key_that_cannot_be_added_is_refused(text: str) -> None:
    with pytest.raises(EditError):
        with_new_key(text, "yaml", "k", {(0,): "v"})
