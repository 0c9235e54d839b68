"""An eval of each type of criterion, and what is done with it."""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from evalcontract.checking.pipeline import validate
from evalcontract.converting.convert import ConvertResult, convert
from evalcontract.converting.output import ConvertOptions
from evalcontract.datasets.opening import Input, Options
from evalcontract.model.reference import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from evalcontract.model.diagnostic import Diagnostic

OUTPUT = "{{ sample.output_text }}"
ASKED = [{"role": "user", "content": f"Is it kind to a {{{{item.tier}}}} guest?\n{OUTPUT}"}]
CRITERIA: dict[str, dict[str, Any]] = {
    "string_check": {
        "type": "string_check",
        "name": "Right label",
        "input": OUTPUT,
        "operation": "eq",
        "reference": "{{ item.label }}",
    },
    "text_similarity": {
        "type": "text_similarity",
        "name": "Close",
        "input": OUTPUT,
        "reference": "{{ item.label }}",
        "evaluation_metric": "fuzzy_match",
        "pass_threshold": 0.8,
    },
    "label_model": {
        "type": "label_model",
        "name": "Tone",
        "model": "m-1",
        "input": ASKED,
        "labels": ["kind", "cold", "rude"],
        "passing_labels": ["kind"],
    },
    "score_model": {
        "type": "score_model",
        "name": "Help",
        "model": "m-1",
        "input": [
            {"role": "developer", "content": "Give a number."},
            {"role": "user", "content": f"{{{{ item.question }}}}\n{OUTPUT}"},
        ],
        "range": [1, 7],
        "pass_threshold": 5.5,
    },
    "python": {"type": "python", "name": "Code", "source": "def grade(sample, item): return 1"},
}
ITEMS: list[dict[str, Any]] = [
    {"item": {"question": "The screen is black.", "label": "Hardware", "tier": "gold"}},
    {
        "item": {"question": "I cannot quit vim.", "label": "Software", "tier": "free"},
        "sample": {"output_text": "Software"},
    },
    {"item": {"question": "The mouse is dead.", "label": "Hardware", "tier": "free"}},
]
SCHEMA = {
    "type": "object",
    "properties": {key: {"type": "string"} for key in ("question", "label", "tier")},
    "required": ["question", "label"],
}


def eval_with(*types: str, **changes: Any) -> dict[str, Any]:
    """Return an eval with criteria of some types, the first of them changed."""
    criteria = [copy.deepcopy(CRITERIA[each]) for each in types]
    if criteria:
        criteria[0] |= changes
    source = {"type": "file_content", "content": copy.deepcopy(ITEMS)}
    return {
        "name": "Tickets",
        "data_source_config": {"type": "custom", "item_schema": copy.deepcopy(SCHEMA)},
        "testing_criteria": criteria,
        "data_source": {"type": "jsonl", "source": source},
    }


def findings(value: Any, folder: Path, dialect: str = "openai") -> list[Diagnostic]:
    """Return what is found in a JSON file, or in JSONL if the value is a text."""
    is_text = isinstance(value, str)
    path = folder / ("d.jsonl" if is_text else "d.json")
    path.write_text(value if is_text else json.dumps(value, indent=1), encoding="utf-8")
    options = Options(root=folder, strict=False, dialect=dialect)
    return validate(Kind.DATASET, [Input(path)], options).diagnostics


def converted(
    value: Any, name: str, folder: Path, from_: str | None = "openai", to: str = "evalcontract"
) -> ConvertResult:
    """Convert a JSON file, or JSONL if the value is a text, to the file `name`."""
    is_text = isinstance(value, str)
    path = folder / ("in.jsonl" if is_text else "in.json")
    path.write_text(value if is_text else json.dumps(value), encoding="utf-8")
    options = ConvertOptions(from_, to, folder / "losses.json", force=True)
    return convert(Input(path), folder / name, options, Options(root=folder))


def losses(folder: Path) -> list[tuple[str, str, bool]]:
    """Return the path, the reason and whether it is kept, for each loss of `converted`."""
    report = json.loads((folder / "losses.json").read_text(encoding="utf-8"))
    return [(each["path"], each["reason"], each["kept"]) for each in report["losses"]]


#: What stands instead of a part.
_INSTEAD: tuple[Any, ...] = ("leave out", None, 5, "x", [], {}, True)


def mutants(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield a value with each part of it left out, or of another type; each has a name."""
    for path in [*_paths(value)]:
        for instead in _INSTEAD:
            changed = copy.deepcopy(value)
            part = changed
            for step in path[:-1]:
                part = part[step]
            if instead == "leave out":
                del part[path[-1]]
            else:
                part[path[-1]] = instead
            yield f"{'.'.join(map(str, path))}: {instead}", changed


def _paths(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    steps: Iterable[tuple[Any, Any]] = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        steps = enumerate(value)
    for step, part in steps:
        yield (*path, step)
        yield from _paths(part, (*path, step))
