"""`grade`: how sure means and rates are, of all rows, by tag and key, and of rows in clusters."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
from doors import ROOT, command_line
from tables import every_case
from writing import write

from evalcontract.statistics.rates import wilson_interval

if TYPE_CHECKING:
    from pathlib import Path

RESULTS = json.loads((ROOT / "schema" / "results.schema.json").read_text(encoding="utf-8"))
#: Row 0 passes, 1 and 2 fail, and so on; the score of the check is 1, 0.5 or 0.
ANSWERS = ("a b", "a", "-")
COUNT = 36


def row(number: int) -> dict[str, Any]:
    metadata = {"document": f"d{number // 2}", "languages": ["en", "de"][: 1 + number % 2]}
    asked = {"input": "x", "expected_facts": ["a", "b"], "difficulty": number % 3}
    found = {"id": f"r{number}", **asked, "metadata": metadata, "tags": ["all", f"t{number % 2}"]}
    return found if number else {key: found[key] for key in ("id", "input", "expected_facts")}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    rows = [row(number) for number in range(COUNT)]
    outputs = [{"id": f"r{at}", "output": ANSWERS[at % 3]} for at in range(COUNT)]
    texts = {"rows": rows, "outputs": outputs}
    files = {f"{name}.jsonl": lines(each) for name, each in texts.items()}
    write(tmp_path, files)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lines(values: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


def grade(*arguments: str) -> int:
    return command_line("grade", "rows.jsonl", "--outputs", "outputs.jsonl", *arguments)


def summary(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    grade("--output-format", "json", *arguments)
    printed = json.loads(capsys.readouterr().out)
    for row in printed.pop("rows"):
        jsonschema.Draft202012Validator(RESULTS).validate(row)
    found: dict[str, Any] = printed["summary"]
    return found


@pytest.mark.usefixtures("place")
def test_each_mean_and_rate_has_its_interval(capsys: pytest.CaptureFixture[str]) -> None:
    found = summary(capsys)
    for tally in (found["rows"], found["rubrics"][0]):
        assert tally["method"] == tally["pass_rate"]["method"] == "wilson"
        assert tally["interval"] == pytest.approx(wilson_interval(12, COUNT))
        assert tally["stderr"] == pytest.approx((1 / 3 * 2 / 3 / (COUNT - 1)) ** 0.5)
    (check,) = found["checks"]
    assert (check["mean"], check["method"]) == (0.5, "t")
    # The standard deviation of twelve each of 0, 0.5 and 1 is √(6 / 35), and t of 35 is 2.0301.
    assert check["stderr"] == pytest.approx((6 / 35 / COUNT) ** 0.5)
    assert check["interval"] == pytest.approx([0.5 - 0.1401, 0.5 + 0.1401], abs=1e-4)
    assert check["pass_rate"]["interval"] == pytest.approx(wilson_interval(12, COUNT))


@pytest.mark.usefixtures("place")
def test_rows_are_grouped_by_tags_and_keys(capsys: pytest.CaptureFixture[str]) -> None:
    """The row without any is in no group; one with several values is in several."""
    found = summary(capsys, "--by", "languages", "--by", "difficulty", "--by", "tags")
    groups = {
        (each["key"], each["value"]): (each["total"], each["mean"]) for each in found["groups"]
    }
    assert groups["tags", "all"] == (35, pytest.approx(11 / 35))
    assert groups["tags", "t1"] == (18, pytest.approx(6 / 18))
    assert groups["languages", "en"][0] == 35
    assert groups["languages", "de"][0] == 18
    assert groups["difficulty", "0"] == (11, 1)
    assert groups["difficulty", "2"] == (12, 0)
    assert len(groups) == 8


@pytest.mark.usefixtures("place")
def test_rows_of_a_cluster_were_drawn_together(capsys: pytest.CaptureFixture[str]) -> None:
    found = summary(capsys, "--cluster", "document", "--by", "difficulty")
    assert found["cluster"] == "document"
    for tally in (found["rows"], found["rubrics"][0], found["checks"][0]):
        # 17 documents of two rows, one of which only one row is left, and that without any.
        assert tally["clusters"] == tally["pass_rate"]["clusters"] == 19
    group = next(each for each in found["groups"] if each["value"] == "all")
    assert group["clusters"] == 18
    text = _printed(capsys, "--cluster", "document")
    assert "rows of one `document` count as drawn together (18 of them)" in text
    assert "each of the 1 row without it for itself" in text


@pytest.mark.costly
@pytest.mark.usefixtures("place")
@every_case("jobs", ["1", "2"])
@pytest.mark.parametrize("cluster", [(), ("--cluster", "document")])
def test_processes_make_no_difference(
    jobs: str, cluster: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    one = summary(capsys, "--by", "difficulty", *cluster, "--jobs", "1")
    assert summary(capsys, "--by", "difficulty", *cluster, "--jobs", jobs) == one


@pytest.mark.usefixtures("place")
def test_a_key_that_no_row_has_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """Its groups, or its clusters, would be silently absent."""
    assert grade("--by", "language", "--cluster", "book") == 2
    assert "no row, and no `metadata` of one, has `book`, `language`" in capsys.readouterr().err


@pytest.mark.usefixtures("place")
def test_a_run_that_goes_on_groups_all_rows(capsys: pytest.CaptureFixture[str]) -> None:
    file = ("--results", "results.jsonl", "--no-texts")
    keys = ("--by", "difficulty", "--cluster", "document", *file)
    whole = summary(capsys, *keys)
    assert summary(capsys, *keys, "--resume") == whole
    assert grade("--by", "languages", *file, "--resume") == 2
    assert "do not tell `languages`" in capsys.readouterr().err


def _printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    grade(*arguments)
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("place")
def test_tables_show_intervals_and_most_frequent_values(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text = _printed(capsys, "--by", "document", "--limit", "2")
    assert "expected_facts fact_match 0.50 0.36 to 0.64 12 24" in text
    assert "by document: value score 95 % interval passed failed d1 0.50 0.09 to 0.91 1 1" in text
    assert "… and 16 more" in text
    assert text.endswith("95 % intervals: Wilson's of rates, t of other means")


def test_few_rows_are_too_few(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mean of two scores has no interval, rather than one of no width."""
    write(place, {"rows.jsonl": lines([row(1), row(4)])})
    text = _printed(capsys)
    assert "expected_facts fact_match 0.50 n is too small to say" in text
