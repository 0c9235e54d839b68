"""The queries of the measured cases, as the real loaders of every release read them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from evret_files import laid_out, read_text

from evalcontract.formats.evret.releases import RELEASES, parsed

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("release", RELEASES)
def test_queries_are_read_as_the_real_loaders_read_them(
    release: str, cases_of: Callable[[str], list[dict[str, Any]]]
) -> None:
    count = 0
    for case in cases_of("evret"):
        real = case["by_version"][release]["parsed"]
        if real is None:
            continue
        read = read_text(case["input"]["text"], case["input"]["filename"])
        rows = laid_out(read, release).rows or []
        found = [parsed(row, RELEASES[release]) for row in rows]
        count += len(found)
        assert found == [
            (
                each["query_id"],
                each["query_text"],
                each.get("expected_doc_ids", each.get("relevant_doc_ids", [])),
                each["expected_answers"],
            )
            for each in real["queries"]
        ], case["name"]
    assert count > 20
