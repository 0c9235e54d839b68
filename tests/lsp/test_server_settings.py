"""Help in `evalcontract.toml`, and in targets."""

from __future__ import annotations

import tomllib

from live import Live, applied, split
from tables import every_case

ROW = "questions:\n  - {id: a, input: b, criteria: c}\n"
FILES = {"datasets/a.yaml": ROW, "more/b.yaml": ROW, "other.yaml": "services: {}\n"}

#: The text with the cursor, what is chosen, the text then, and what is not offered.
COMPLETIONS = {
    "a setting": ("|", "strict", "strict = ", ["per-file-ignores", "soft"]),
    "a part of one": ("stric|", "strict", "strict = ", []),
    "another one": ("strict = true\ndata|", "datasets", "strict = true\ndatasets = ", ["strict"]),
    "a flag": ("strict = |", "true", "strict = true", ["error"]),
    "a table": ("sev|", "severity", "[severity]", []),
    "the name of a table": ("[sev|]", "severity", "[severity]", ["strict"]),
    "a code": (
        "[severity]\n|", "dataset/near-miss-key",
        '[severity]\n"dataset/near-miss-key" = ', ["strict", "per_file_ignores"],
    ),
    "a code in quotation marks": (
        '[severity]\n"dataset/near-m|"', "dataset/near-miss-key",
        '[severity]\n"dataset/near-miss-key"', [],
    ),
    "a severity": (
        '[severity]\n"dataset/near-miss-key" = "w|"', "warning",
        '[severity]\n"dataset/near-miss-key" = "warning"', ["true"],
    ),
    "a severity that replaces another": (
        '[severity]\n"dataset/near-miss-key" = "|error"', "note",
        '[severity]\n"dataset/near-miss-key" = "note"', [],
    ),
    "a code to ignore": (
        '[per_file_ignores]\n"a/*" = [|]', "dataset/near-miss-key",
        '[per_file_ignores]\n"a/*" = ["dataset/near-miss-key"]', ["error"],
    ),
    "a key of rows": ("row_keys_graded = [|]", "criteria", 'row_keys_graded = ["criteria"]', []),
    "one in a list of several lines": (
        'row_keys_graded = [\n  "id",\n  "crit|",\n]', "criteria",
        'row_keys_graded = [\n  "id",\n  "criteria",\n]', ["strict"],
    ),
    "a key of a library": (
        '[libraries.shared]\ngit = "x"\n|', "tag",
        '[libraries.shared]\ngit = "x"\ntag = ', ["git", "strict"],
    ),
}  # fmt: skip


@every_case(("marked", "chosen", "after", "others"), COMPLETIONS.values(), ids=[*COMPLETIONS])
def test_completion(server: Live, marked: str, chosen: str, after: str, others: list[str]) -> None:
    text, line, character = split(marked)
    document = server.start(server.folder / "evalcontract.toml", text)
    offered = document.completions(line, character)
    document.close()
    assert [name for name in others if name in offered] == []
    assert applied(text, [offered[chosen]["textEdit"]]) == after
    if after.endswith(("]", "true", 'note"', 'warning"')):  # a whole setting
        tomllib.loads(after)


@every_case(
    ("marked", "said"),
    [
        ("str|ict = true", "`boolean`"),
        ("[sev|erity]", "**`severity`**"),
        ('[severity]\n"dataset/near-miss|-key" = "error"', "**`dataset/near-miss-key`**"),
        ('[per_file_ignores]\n"a/*" = ["dataset/near-miss|-key"]', "**`dataset/near-miss-key`**"),
        ("[libraries.shared]\nt|ag = 'v1'", "The tag to use."),
        ("[libraries.str|ict]\n", "**`libraries`**"),
        ("# str|ict", ""),
        ("unkn|own = 1", ""),
        ("|", ""),
    ],
)
def test_hover(server: Live, marked: str, said: str) -> None:
    text, line, character = split(marked)
    document = server.start(server.folder / "evalcontract.toml", text)
    shown = document.hover(line, character)
    document.close()
    assert said in shown
    assert bool(said) == bool(shown)


@every_case(
    ("marked", "offered", "others"),
    [
        ("dataset: |", {"datasets/a.yaml", "more/b.yaml"}, {"other.yaml", "targets/a.yaml"}),
        ("row_keys_graded: [|]", {"criteria", "expected_facts"}, {"datasets/a.yaml"}),
        ("row_keys_graded:\n  - cr|", {"criteria"}, {"dataset"}),
        ("dataset: x\n|", {"threshold", "strict_validation"}, {"dataset", "rubric_ref"}),
    ],
)
def test_targets(server: Live, marked: str, offered: set[str], others: set[str]) -> None:
    text, line, character = split(marked)
    document = server.start(server.folder / "targets/a.yaml", text)
    found = document.completions(line, character).keys()
    document.close()
    assert found >= offered
    assert not found & others
