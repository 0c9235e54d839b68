"""What is to be typed where JSON is broken in an ordinary way."""

from __future__ import annotations

import pytest
from tables import every_case

from evalcontract.source.fault import ParseError
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
