"""What two runs depend on that is not the same, as sentences; what is not told is unknown."""

from __future__ import annotations

from typing import Any

from tables import every_case

from evalcontract.grading.basis import Basis, differences

ONE, OTHER = "1" * 64, "2" * 64
MANIFEST: dict[str, Any] = {
    "version": "1.0",
    "tool": {"name": "evalcontract", "version": "0.1.0"},
    "python": "3.12.3",
    "started": "2026-05-08T12:00:00Z",
    "dataset": {"file": "data.json", "sha256": ONE},
    "outputs": {"file": "outputs.jsonl", "sha256": ONE},
    "settings": {"map": [], "row_keys_graded": []},
}
USED: dict[str, dict[str, Any]] = {
    "artifacts": {"rubric/a@1.0.0": ONE, "judge/j@1.0.0": ONE},
    "files": {"schemas/a.json": ONE},
    "bundles": {"b": ONE},
    "endpoint": {"host": "one.example", "address_sha256": ONE},
    "models": {"judge/j@1.0.0": "m-1"},
    "prompts": {"judge/j@1.0.0": ONE},
    "parameters": {"temperature": 0},
    "programs": {"php": "8.3.6"},
    "packages": {"k": "acme 1.2"},
}


def without(values: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in names}


@every_case(
    ("manifest", "told"),
    [
        ({"started": "2027-01-01T00:00:00Z"}, []),
        (
            {"tool": {"name": "evalcontract", "version": "0.2.0"}},
            ["evalcontract is 0.2.0, before 0.1.0"],
        ),
        ({"python": "3.13.1"}, ["Python is 3.13.1, before 3.12.3"]),
        (
            {"dataset": {"file": "data.json", "sha256": OTHER}},
            ["the dataset `data.json` has other content"],
        ),
        ({"dataset": {"file": "moved.json", "sha256": ONE}}, []),
        (
            {"outputs": {"file": "new.jsonl", "sha256": OTHER}},
            ["the outputs are `new.jsonl`, before `outputs.jsonl`"],
        ),
        (
            {"outputs": {"file": "-"}},
            ["it is not known whether the outputs are the same: there is no digest"],
        ),
        ({"settings": {"map": ["q=input"]}}, ["`map` is q=input, before not set"]),
        (
            {"settings": {"map": [], "row_keys_graded": ["criteria", "tags"]}},
            ["`row_keys_graded` is criteria, tags, before not set"],
        ),
    ],
    ids=str,
)
def test_manifests(manifest: dict[str, Any], told: list[str]) -> None:
    after = Basis({**MANIFEST, **manifest}, USED)
    assert differences(Basis(MANIFEST, USED), after) == told


@every_case(
    ("section", "values", "told"),
    [
        (
            "artifacts",
            {"rubric/a@1.0.0": OTHER, "judge/j@1.0.0": ONE},
            ["rubric/a@1.0.0 has other content under the same version"],
        ),
        (
            "artifacts",
            {"rubric/a@1.1.0": OTHER, "judge/j@1.0.0": ONE},
            ["rubric/a@1.1.0 is used, before rubric/a@1.0.0"],
        ),
        (
            "artifacts",
            {"rubric/a@1.0.0": ONE, "rubric/c@1.0.0": ONE},
            [
                "judge/j@1.0.0 is not used any more",
                "rubric/c@1.0.0 is used now, and was not before",
            ],
        ),
        ("files", {"schemas/a.json": OTHER}, ["the file `schemas/a.json` has other content"]),
        (
            "files",
            {"schemas/a.json": None},
            ["the file `schemas/a.json` cannot be read any more"],
        ),
        (
            "files",
            {"b.json": None},
            [
                "the file `b.json` is used now, and was not before",
                "the file `schemas/a.json` is not used any more",
            ],
        ),
        ("bundles", {"b": OTHER}, ["the bundle `b` has other content"]),
        (
            "endpoint",
            {"host": "two.example", "address_sha256": OTHER},
            ["judges are asked at two.example, before one.example"],
        ),
        (
            "endpoint",
            {"host": "one.example", "address_sha256": OTHER},
            ["judges are asked at another address of one.example"],
        ),
        (
            "endpoint",
            {"host": None},
            ["judges are asked at no endpoint, before one.example"],
        ),
        ("models", {"judge/j@1.0.0": "m-2"}, ["judge/j@1.0.0 is asked over m-2, before m-1"]),
        (
            "prompts",
            {"judge/j@1.0.0": OTHER},
            ["the prompt around the template of judge/j@1.0.0 is another one"],
        ),
        (
            "parameters",
            {"temperature": 1, "max_tokens": 9},
            [
                "the parameter `max_tokens` is 9, before not sent",
                "the parameter `temperature` is 1, before 0",
            ],
        ),
        ("programs", {"php": "8.4.1"}, ["PHP is 8.4.1, before 8.3.6"]),
        ("programs", {"php": None}, ["PHP is absent, before 8.3.6"]),
        (
            "programs",
            {"php": "unknown"},
            ["it is not known whether PHP is the same: its version is unknown"],
        ),
        (
            "packages",
            {"k": "acme 1.3"},
            ["checks of the kind `k` are run by acme 1.3, before acme 1.2"],
        ),
        ("packages", {"k": None}, ["checks of the kind `k` are run by nothing, before acme 1.2"]),
    ],
    ids=str,
)
def test_what_is_used(section: str, values: dict[str, Any], told: list[str]) -> None:
    after = Basis(MANIFEST, {**USED, section: values})
    assert differences(Basis(MANIFEST, USED), after) == told


def test_the_same_has_no_differences() -> None:
    assert differences(Basis(MANIFEST, USED), Basis({**MANIFEST}, {**USED})) == []


@every_case(
    ("key", "told"),
    [
        ("python", "it is not known whether Python is the same"),
        ("settings", "it is not known whether the settings, rubrics, judges, files and programs"),
    ],
)
def test_what_one_run_does_not_tell_is_unknown(key: str, told: str) -> None:
    old = Basis(without(MANIFEST, key), {} if key == "settings" else USED)
    for before, after in ((old, Basis(MANIFEST, USED)), (Basis(MANIFEST, USED), old)):
        (found,) = differences(before, after)
        assert found.startswith(told)


def test_a_judge_that_only_one_run_used_is_told_once() -> None:
    judges = ("endpoint", "models", "prompts", "parameters")
    plain = Basis(MANIFEST, {**without(USED, *judges), "artifacts": {"rubric/a@1.0.0": ONE}})
    found = ["judge/j@1.0.0 is used now, and was not before"]
    assert differences(plain, Basis(MANIFEST, USED)) == found
