"""Whatever is done to a workspace: with a cache, a check finds the same as without."""

from __future__ import annotations

import os
import shutil
import sys
from contextlib import suppress
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import pytest
from doors import Options, check_workspaces
from examples import examples
from hypothesis import given
from hypothesis import strategies as st

from evalcontract import EvalContractError
from evalcontract.cache import Cache

if TYPE_CHECKING:
    from collections.abc import Callable

    from evalcontract.model.diagnostic import RunOutcome

    Edit = Callable[[Path], object]

JUDGED = "questions: [{id: a, input: b, rubric_ref: rubric/%s@1.0.0}]\n"
RUBRIC = """
id: %s
version: "1.0.0"
checks:
  - {id: shape, kind: json_schema, schema_ref: %s}
  - {id: right, kind: llm_judge, judge_prompt_ref: judge/j@1.0.0, threshold: 0.5}
scoring: {combine: all_pass}
"""
OUTER = """
id: r
version: "1.0.0"
checks: [{id: all, kind: composite, rubric_ref: rubric/s@1.0.0}]
scoring: {combine: all_pass}
"""
#: What may stand in a file, by the end of its name; the rest are datasets, and others.
TEXTS = {
    "toml": [
        "",
        "strict = true\n",
        "datasets = ['**/a.yaml']\n",
        "datasets = ['more/*', 'w/**/*.yaml']\n",
        "exclude = ['rubrics', 'more']\n",
        "strct = 1\n",
    ],
    "rubrics": [
        RUBRIC % ("r", "shapes/s.txt"),
        RUBRIC % ("s", "../away/s.txt"),
        RUBRIC % ("s", "shapes/t.txt") + "# a comment\n",
        OUTER,
        OUTER.replace("id: r", "id: s"),
        "id: r\n",
    ],
    "judges": [
        'id: j\nversion: "1.0.0"\ntemplate: "{{output}}"\n',
        'id: j\nversion: "1.0.0"\ntemplate: "{{context}} {{output}}"\n',
        "id: k\n",
    ],
    "targets": [
        f"dataset: {name}\nstrict_validation: true\n"
        for name in ("datasets/a.yaml", "../away/a.yaml", "inner/a.yaml", "shapes/t.txt", "rubrics")
    ],
    "bundles": ['{"required": ["top_k"]}\n', '{"properties": {"top_k": {"type": "objct"}}}\n'],
    "shapes": ['{"type": "object"}\n', '{"type": "objct"}\n', "questions: []\n"],
    "": [
        JUDGED % "r",
        JUDGED % "s",
        "questions: [{id: a, input: b, bundle: b}, {id: a}]\n",
        '{"id": "a", "input": "b"}\n{"id": "a"}\n',
        "- [\n",
        "",
    ],
}
FILES = [
    *("w/evalcontract.toml", "evalcontract.toml", "w/inner/evalcontract.toml"),
    *("w/rubrics/r.yaml", "w/rubrics/deep/s.yaml", "w/inner/rubrics/r.yaml", "away/rubrics/r.yaml"),
    *("w/judges/j.yaml", "w/targets/t.yaml", "w/bundles/b.schema.json"),
    *("w/shapes/s.txt", "w/shapes/t.txt", "away/s.txt", "w/notes.txt", "w/.hidden/a.yaml"),
    *("w/datasets/a.yaml", "w/datasets/b.jsonl", "w/a.json", "w/inner/a.yaml", "away/a.yaml"),
    *("w/more/a.yaml", "w/more/pyvenv.cfg"),
]
FOLDERS = sorted({str(Path(each).parent) for each in FILES} - {".", "w"})

files = st.sampled_from(FILES)
folders = st.sampled_from(FOLDERS)
places = files | folders


def write(name: str, number: int) -> Edit:
    kinds = [each for each in TEXTS if each and each in name]
    texts = TEXTS[kinds[0] if kinds else ""]

    def edit(top: Path) -> None:
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text(texts[number % len(texts)], encoding="utf-8")

    return edit


def remove(name: str) -> Edit:
    def edit(top: Path) -> None:
        path = top / name
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()

    return edit


def rename(name: str, new: str) -> Edit:
    return lambda top: (top / name).rename(top / new)


def link(name: str, to: str) -> Edit:
    def edit(top: Path) -> None:
        with suppress(OSError):
            remove(name)(top)
        (top / name).symlink_to(os.path.relpath(top / to, (top / name).parent))

    return edit


def touch(name: str) -> Edit:
    return lambda top: os.utime(top / name, (0, 0))


EDITS = (
    st.builds(write, files, st.integers(0, 5))
    | st.builds(remove, places)
    | st.builds(rename, files, files)
    | st.builds(rename, folders, folders)
    | st.builds(link, files, files)
    | st.builds(link, st.just("w/shapes/s.txt"), files)
    | st.builds(link, folders, folders)
    | st.builds(touch, files)
)


def outcome_of(top: Path, cache: Cache | None) -> RunOutcome | str:
    try:
        return check_workspaces(top / "w", Options(today=date(2026, 5, 8), cache=cache))
    except EvalContractError as error:
        return str(error)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="links are of POSIX")
@examples(25)
@given(st.sets(files, max_size=12), st.lists(EDITS, min_size=2, max_size=10))
def test_edits_are_seen(missing: set[str], edits: list[Edit]) -> None:
    with TemporaryDirectory() as name:
        top, cache = Path(name) / "top", Cache(Path(name) / "cache")
        (top / "w").mkdir(parents=True)
        for each in set(FILES) - missing - {"w/more/pyvenv.cfg"}:
            write(each, 0)(top)
        for edit in (touch("w"), *edits):
            with suppress(OSError):
                edit(top)
            anew = outcome_of(top, None)
            assert outcome_of(top, cache) == anew
            assert outcome_of(top, cache) == anew
