"""Several runs at once have every file of tests once, and about the same work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from shares import Share
from tables import every_case

if TYPE_CHECKING:
    from pathlib import Path


def test_every_file_is_in_one_share(tmp_path: Path) -> None:
    sizes = [900, 100, 500, 300, 300, 100, 700, 200, 400]
    files = [tmp_path / f"test_{number}.py" for number in range(len(sizes))]
    for file, size in zip(files, sizes, strict=True):
        file.write_bytes(b"#" * size)
    shares = [Share(f"{number}/3") for number in (1, 2, 3)]
    found = [[file for file in files if share.has(file)] for share in shares]
    assert sorted(file for each in found for file in each) == files
    totals = [sum(file.stat().st_size for file in each) for each in found]
    assert max(totals) - min(totals) <= max(sizes) // 2


@every_case("which", ["", "1", "0/2", "3/2", "a/2", "1/0", "-1/2", "1/2/3"])
def test_what_is_no_share(which: str) -> None:
    with pytest.raises(pytest.UsageError, match="is not like 1/2"):
        Share(which)
