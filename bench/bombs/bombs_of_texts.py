"""Bombs in the text of files: YAML, JSON, JSONL, TOML."""

from __future__ import annotations

from bomb import CHECK, COVERAGE, FIX, JSON, REPORT, ROW, Bomb, Files, dataset, yaml_dataset

CONVERT = ("convert", "datasets/a.yaml", "converted.csv", "--to", "deepeval")
GRADE = ("grade", "datasets/a.yaml", "--outputs", "outputs.jsonl")
CHECKS = "checks: [{id: x, kind: regex, pattern: abc}]\nscoring: {combine: all_pass}\n"


def anchors(size: int) -> Files:
    """Anchors in a rubric, each with aliases of the two before it."""
    lines = [
        f"  k{at}: &a{at} [" + ", ".join(f"*a{to}" for to in range(max(0, at - 2), at)) + "]\n"
        for at in range(size)
    ]
    text = f"id: a\nversion: '1.0.0'\nmetadata:\n{''.join(lines)}{CHECKS}"
    return {"rubrics/a.yaml": text}


def rows_with_aliases(size: int) -> Files:
    """Rows with an anchor and ten aliases each."""
    rows = [
        f"  - {{id: r{at}, input: &a{at} text {at}, criteria: x, metadata: ["
        + ", ".join(f"*a{to}" for to in range(max(0, at - 10), at))
        + "]}\n"
        for at in range(size)
    ]
    return yaml_dataset("questions:\n" + "".join(rows))


def rows_with_anchors(size: int) -> Files:
    """Rows with an anchor that nothing repeats."""
    rows = [f"  - {{id: r{at}, input: &a{at} text {at}, criteria: x}}\n" for at in range(size)]
    return yaml_dataset("questions:\n" + "".join(rows))


def aliases_of_a_row(size: int) -> Files:
    """Aliases that repeat the same row."""
    return yaml_dataset("questions:\n- &a {id: a, input: b}\n" + "- *a\n" * size)


def aliases_of_a_faulty_row(size: int) -> Files:
    """Aliases that repeat the same faulty row."""
    row = "{input: 1, expected_fact: [x]}"
    files = yaml_dataset(f"questions: [&a {row}{', *a' * size}]\n")
    return {**files, "outputs.jsonl": '{"id": "a", "output": "b"}\n'}


def aliases_of_aliases(size: int) -> Files:
    """Lists of nine aliases of the list before."""
    lists = [f"m{at}: &m{at} [{', '.join([f'*m{at - 1}'] * 9)}]\n" for at in range(1, size)]
    return yaml_dataset(
        "m0: &m0 [x, x, x, x, x, x, x, x, x]\n" + "".join(lists) + "questions: []\n"
    )


def merge_keys(size: int) -> Files:
    """Mappings that each merge the one before."""
    parts = [f"  - &a{at} {{<<: *a{at - 1}, k{at}: 1}}\n" for at in range(1, size)]
    return yaml_dataset("d:\n  - &a0 {k0: 1}\n" + "".join(parts) + "questions: []\n")


def tag_handles(size: int) -> Files:
    """Directives that declare tag handles."""
    lines = "".join(f"%TAG !{at}! tag:x,2000:\n" for at in range(size))
    return yaml_dataset(f"{lines}---\nquestions: []\n")


def repeated_tag_handle(size: int) -> Files:
    """Directives that declare the same tag handle again."""
    return yaml_dataset("%TAG ! !\n" * size + "---\nquestions: []\n")


def nested_json(size: int) -> Files:
    """Lists of a JSON document, one inside the other."""
    return {"rubrics/": None, "datasets/a.json": "[" * size + "]" * size}


def nested_yaml(size: int) -> Files:
    """Lists of a YAML document that are never closed, one inside the other."""
    return yaml_dataset("questions: " + "[" * size)


def nested_lines(size: int) -> Files:
    """Lines of a YAML document, each one level deeper."""
    return yaml_dataset("questions:\n" + "".join(" " * at + "- \n" for at in range(1, size)))


def lines_of_a_text(size: int) -> Files:
    """Lines of one block of text."""
    lines = "      x\n" * size
    return yaml_dataset(f"questions:\n  - id: a\n    input: |\n{lines}    criteria: c\n")


def comments(size: int) -> Files:
    """Comments of a YAML document."""
    lines = "  # a comment #4711 x\n" * size
    return yaml_dataset(f"questions:\n{lines}  - {{id: a, input: b, criteria: c}}\n")


def texts_cut_by_a_comment(size: int) -> Files:
    """Texts that a `#` cuts off."""
    rows = [
        f"  - input: where is order #{at}\n    id: a{at}\n    criteria: c\n" for at in range(size)
    ]
    return yaml_dataset("questions:\n" + "".join(rows))


def blanks_before_a_comment(size: int) -> Files:
    """Blanks between a text and a `#`."""
    return yaml_dataset("questions:\n  - id: a b" + " " * size + "#c\n    input: x\n")


def repeated_keys(size: int) -> Files:
    """Occurrences of the same key in a mapping."""
    text = '{"questions": [{' + ", ".join(['"id": "a"'] * size) + "}]}"
    return {"rubrics/": None, "datasets/a.json": text}


def invalid_lines(size: int) -> Files:
    """Lines of a JSONL file that are no JSON."""
    return {"rubrics/": None, "datasets/a.jsonl": "{x\n" * size}


def dotted_key(size: int) -> Files:
    """Parts of one key in the configuration."""
    return _configured(".".join(["a"] * size) + "=1\n")


def dotted_tables(size: int) -> Files:
    """Tables of the configuration with names of 500 parts."""
    return _configured("".join("[" + "a." * 500 + f"b{at}]\n" for at in range(size)))


def nested_configuration(size: int) -> Files:
    """Lists of the configuration that are never closed, one inside the other."""
    return _configured("a=" + "[" * size + "\n")


def _configured(text: str) -> Files:
    return {**dataset(ROW), "evalcontract.toml": text}


BOMBS = (
    Bomb(anchors, 800),
    Bomb(rows_with_aliases, 800),
    Bomb(rows_with_anchors, 18_000),
    Bomb(aliases_of_a_row, 150_000, (CHECK, COVERAGE)),
    Bomb(aliases_of_a_faulty_row, 150_000, (CHECK, COVERAGE, REPORT, FIX, CONVERT, GRADE)),
    Bomb(aliases_of_aliases, 30),
    Bomb(merge_keys, 3000, (CHECK, FIX)),
    Bomb(tag_handles, 40_000),
    Bomb(repeated_tag_handle, 100_000),
    Bomb(nested_json, 500_000),
    Bomb(nested_yaml, 500_000),
    Bomb(nested_lines, 1400),
    Bomb(lines_of_a_text, 120_000),
    Bomb(comments, 40_000),
    Bomb(texts_cut_by_a_comment, 15_000, (CHECK, JSON)),
    Bomb(blanks_before_a_comment, 900_000),
    Bomb(repeated_keys, 80_000),
    Bomb(invalid_lines, 250_000, (CHECK, JSON)),
    Bomb(dotted_key, 29_500),
    Bomb(dotted_tables, 900),
    Bomb(nested_configuration, 100_000),
)
