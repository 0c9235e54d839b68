"""What is to be typed where JSON is broken in an ordinary way."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.source.faults import ParseError
from evalcontract.source.json import load_json

ADVICE = [
    ('{"a": 1 "b": 2}', "write a comma before it"),
    ('["a" "b"]', "write a comma before it"),
    ('{"a": "b" c"}', None),
    ("{a: 1}", 'write "a"'),
    ('{"b": 1, a: 1}', 'write "a"'),
    ("{'a': 1}", 'write "a"'),
    ('{"a": 1},', "remove the comma"),
    ('{"a": 1}, {"a": 2}', "keep one value"),
    ('{"a": 1} {"a": 2}', "begin a new line before it"),
    ('{"a": 1}{"a": 2}', "begin a new line before it"),
    ('// a\n{"a": 1}', "remove it; JSON has no comments"),
    ('{"a": 1, // b', "remove it; JSON has no comments"),
    ('{"a": /* b */ 1}', "remove it; JSON has no comments"),
    ('["a" // b', "remove it; JSON has no comments"),
    ('{"a": 1} # b', "remove it; JSON has no comments"),
    ('```json\n{"a": 1}\n```', "remove the lines that begin with ```"),
    ('{"a": 1}\n```', "remove the lines that begin with ```"),
    (
        'Here it is:\n```json\n{"a": 1}',
        "remove the lines that begin with ```, and the text around them",
    ),
    ('Here it is: {"a": 1}', "remove everything before the `{`"),
    ('Here is [it]: {"a": 1}', "remove everything before the `[`"),
    ("hello", "put text in double quotes"),
    ('{"a": hello [b]}', "put text in double quotes"),
]


@every_case(("text", "advice"), ADVICE)
def test_line(text: str, advice: str | None) -> None:
    with pytest.raises(ParseError) as raised:
        load_json(text.encode(), is_line=True)
    (fault,) = raised.value.faults
    assert fault.help == advice


def test_document_of_two_values() -> None:
    with pytest.raises(ParseError) as raised:
        load_json(b'{"a": 1}\n{"a": 2}')
    assert raised.value.faults[0].help == "keep one value"
