"""Bombs of ignores and settings: comments, metadata and patterns that multiply."""

from __future__ import annotations

from bomb import CHECK, REPORT, ROW, Bomb, Files, dataset, yaml_dataset


def codes_of_an_ignore(size: int) -> Files:
    """Codes that do not exist, in a comment that ignores them."""
    codes = ",".join(f"dataset/x{at}" for at in range(size))
    return yaml_dataset(f"questions:\n- {{id: a, input: b}}  # evalcontract: ignore[{codes}] x\n")


def ignores(size: int) -> Files:
    """Rows, each with a fault and a comment that ignores it."""
    ignored = "# evalcontract: ignore[dataset/near-miss-key]"
    rows = (f"- {{id: a{at}, input: b, tagss: [c]}}  {ignored}\n" for at in range(size))
    return yaml_dataset("questions:\n" + "".join(rows))


def codes_of_ignores(size: int) -> Files:
    """Rows of several lines, each with a fault and a comment that ignores it with others."""
    codes = "dataset/near-miss-key, dataset/missing-key, dataset/wrong-type"
    rows = (f"# evalcontract: ignore[{codes}]\n- id: a{at}\n  inptu: 5\n" for at in range(size))
    return yaml_dataset("questions:\n" + "".join(rows))


def codes_in_metadata(size: int) -> Files:
    """Codes that do not exist, in the metadata of a row."""
    codes = [f"dataset/x{at}" for at in range(size)]
    return dataset({**ROW, "metadata": {"evalcontract": {"ignore": codes}}})


def faulty_metadata(size: int) -> Files:
    """Rows whose metadata ignore nothing, because they are malformed."""
    faulty = {"metadata": {"evalcontract": {"ignore": {"code": "dataset/x"}}}}
    return dataset(*({**ROW, "id": f"{at}", **faulty} for at in range(size)))


def patterns_by_files(size: int) -> Files:
    """Datasets, and half as many patterns that ignore something in each of them."""
    names = [f"datasets/{'a' * 20}{at}.json" for at in range(size)]
    lines = (f'"datasets/*a*a*{at}*" = ["dataset/near-miss-key"]\n' for at in range(size // 2))
    settings = f"[per_file_ignores]\n{''.join(lines)}"
    return {"evalcontract.toml": settings, **{name: {"questions": [ROW]} for name in names}}


def folders_of_a_pattern(size: int) -> Files:
    """Parts of a pattern that each match any number of folders."""
    folder = "/".join("a" * 40)
    pattern = "**/a/" * size
    return {
        "evalcontract.toml": f'datasets = ["{pattern}b.json", "**/a.json"]\n',
        f"{folder}/a.json": {"questions": [ROW]},
    }


BOMBS = (
    Bomb(codes_of_an_ignore, 60_000),
    Bomb(ignores, 10_000),
    Bomb(codes_of_ignores, 7000, (CHECK, REPORT)),
    Bomb(codes_in_metadata, 50_000),
    Bomb(faulty_metadata, 7000),
    Bomb(patterns_by_files, 1000),
    Bomb(folders_of_a_pattern, 30_000),
)
