"""Records of every_eval_ever: the scores of a run and what they depend on, for other tools.

A record is `data/COLLECTION/DEVELOPER/MODEL/UUID.json` and, beside it, the rows in
`UUID_samples.jsonl`. The published schemas are versions 0.2.2 and 0.3.0.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import datetime
from hashlib import sha256
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Self
from uuid import UUID

from evalcontract.checks.outcome import Outcome, Output
from evalcontract.grading.basis import Sections, json_line
from evalcontract.grading.judged import judged_checks
from evalcontract.grading.results import RowResult
from evalcontract.grading.runner import Task
from evalcontract.grading.summary import Summary, Tally, counts
from evalcontract.library.library import Artifact, Library
from evalcontract.model.errors import UsageError
from evalcontract.model.startup import NamedTuple, lazy_pattern
from evalcontract.model.values import VALUE_LENGTH, clipped, harmless_json, listed
from evalcontract.source.encoding import canonical
from evalcontract.source.writing import StagedFiles
from evalcontract.workspace import display_name
from evalcontract.workspace.writing import open_staged, write_error, write_staged

#: The versions of the schema of every_eval_ever, the newest first.
SCHEMA_VERSIONS = ("0.3.0", "0.2.2")
#: The id of the result that is the mean score of all rows.
_ROWS = "rows"
# What evalcontract cannot know of those whose outputs it grades.
_NEEDED = {"model": "--model", "organization": "--organization", "relationship": "--relationship"}
_OPTIONAL = {"deployment": "--deployment", "weights": "--weights", "schema": "--schema-version"}
# The folders of a record are made of these alone, so that they are portable.
_NO_NAME = lazy_pattern(r"[^A-Za-z0-9._-]+")
_MODEL = lazy_pattern(
    r"[A-Za-z0-9_][A-Za-z0-9._+@:-]{0,99}(?:/[A-Za-z0-9_][A-Za-z0-9._+@:-]{0,99})+"
)
_RESERVED = lazy_pattern(r"(?i:con|prn|aux|nul|com[0-9]|lpt[0-9]|data)(?:\..*)?")
_MAX_NAME = 100
_SURROGATE = lazy_pattern("[\ud800-\udfff]")


class RecordInfo(NamedTuple):
    """What people say of a record: who produced the outputs, and who publishes it."""

    model: str | None = None
    organization: str | None = None
    relationship: str | None = None
    deployment: str | None = None
    weights: str | None = None
    schema: str | None = None

    @property
    def given_names(self) -> str:
        """The options that are given."""
        names = {**_NEEDED, **_OPTIONAL}
        return listed(names[key] for key, value in self._asdict().items() if value is not None)

    @property
    def is_given(self) -> bool:
        """Whether anything is given."""
        return any(value is not None for value in self)

    @property
    def schema_version(self) -> str:
        """The version of the schema, by default the newest."""
        return self.schema or SCHEMA_VERSIONS[0]

    def require(self) -> None:
        """Refuse a record of which something is missing that evalcontract does not know.

        Raises:
            UsageError: something is missing, or the model has no name that is usable.

        """
        missing = [name for key, name in _NEEDED.items() if not getattr(self, key)]
        if missing:
            raise UsageError(
                "a record of every_eval_ever names the model that produced the outputs, and the"
                f" publisher, which evalcontract does not know: pass {listed(missing)}"
            )
        name = self.model or ""
        parts = name.split("/")
        is_portable = not any(
            _RESERVED.fullmatch(part) or part.endswith(".") or part == "unknown" for part in parts
        )
        if not _MODEL.fullmatch(name) or not is_portable:
            raise UsageError(
                "--model is DEVELOPER/NAME, such as openai/gpt-5, not"
                f" `{clipped(name, VALUE_LENGTH)}`"
            )

    @property
    def folders(self) -> tuple[str, str]:
        """The folders of the developer and of the model."""
        developer, _, name = (self.model or "").replace(":", "_").partition("/")
        return developer, name.replace("/", "_")

    @property
    def model_info(self) -> dict[str, Any]:
        """The model as records have it."""
        details = {
            "deployment_type": self.deployment or "unknown",
            "model_availability": self.weights or "unknown",
        }
        return _model_info(str(self.model), details)


def _model_info(id_: str, details: Mapping[str, str] | None = None) -> dict[str, Any]:
    unknown = {"deployment_type": "unknown", "model_availability": "unknown"}
    return {
        "name": id_.rpartition("/")[2],
        "id": id_,
        "additional_details": {**unknown, **(details or {})},
    }


def record_of(
    block: Mapping[str, Any], info: RecordInfo, results: Sequence[dict[str, Any]] = ()
) -> dict[str, Any]:
    """Return a record; `block` is the manifest of a dataset, `results` the scores, if any.

    Raises:
        UsageError: `info` lacks something.

    """
    info.require()
    at = datetime.fromisoformat(block["created"])
    epoch = str(int(at.timestamp()))
    times = {"evaluation_timestamp": block["created"]} if results else {}
    dataset = block["dataset"]
    named = ("file", "id", "version", "sha256", "meaning_sha256")
    details = {f"dataset_{name}": dataset[name] for name in named if dataset[name] is not None}
    for kind in ("rubric", "judge"):
        each = {one["name"]: one["meaning_sha256"] for one in block[f"{kind}s"]}
        details[f"{kind}_versions"] = canonical(each)
    return {
        "schema_version": info.schema_version,
        "evaluation_id": f"{collection_of(block)}/{info.model}/{epoch}",
        **times,
        "retrieved_timestamp": epoch,
        "source_metadata": {
            "source_type": "evaluation_run",
            "source_organization_name": info.organization,
            "evaluator_relationship": info.relationship,
        },
        "eval_library": {
            "name": block["harness"]["name"],
            "version": block["harness"]["version"] or "unknown",
            "additional_details": {
                **details,
                "python_version": block["python"],
                "contract_version": block["contract"],
                "manifest": canonical(block),
            },
        },
        "model_info": info.model_info,
        "evaluation_results": [*results],
    }


def collection_of(block: Mapping[str, Any]) -> str:
    """Return the name of the folder for the records of a dataset: its id, or that of its file."""
    dataset = block["dataset"]
    stem = PurePosixPath(dataset["file"].replace("\\", "/")).stem
    name = _NO_NAME.sub("_", dataset["id"] or stem)[:_MAX_NAME].strip("._-")
    return f"dataset_{name}" if not name or _RESERVED.fullmatch(name) else name


# The scores


def results_of(
    summary: Summary, block: Mapping[str, Any], library: Library, used: Sections
) -> list[dict[str, Any]]:
    """Return the mean scores: of all rows, and of each check; none of what has no score at all.

    What did not run counts with the lowest score that it could have. `used` has the models that
    judges were asked over.
    """
    name = collection_of(block)
    missing = [
        {**cause._asdict(), "number": number} for cause, number in summary.unmeasured.items()
    ]
    rows = _result(_ROWS, name, summary.rows, block=block)
    rows["score_details"]["details"]["did_not_run"] = canonical(missing)
    rows["metric_config"]["evaluation_description"] = (
        f"Mean score of the rows, each graded by its rubric or by its own expectations. {_LOWEST}"
    )
    if summary.samples.rows:
        reduce, outputs = summary.grouping.reduce, str(summary.samples.outputs)
        rows["score_details"]["details"] |= {"reduce": reduce, "outputs": outputs}
    results = [rows]
    of_checks: dict[str | None, dict[str, dict[str, Any]]] = {}
    for (rubric, check), (kind, tally) in summary.checks.items():
        if rubric not in of_checks:
            checks = judged_checks(library.artifact_of(rubric) if rubric else None, library)
            of_checks[rubric] = {
                each.name: _scoring(each.check, each.judges, used) for each in checks
            }
        full = f"{rubric or 'row'}/{check}"
        result = _result(full, f"{name}/{full}", tally, block=block)
        result["metric_config"] |= {
            "evaluation_description": f"Mean score of a check of the kind {kind}. {_LOWEST}",
            **of_checks[rubric].get(check, {}),
        }
        result["metric_config"]["additional_details"]["kind"] = kind
        results.append(result)
    return [result for result in results if result["score_details"]["score"] is not None]


_LOWEST = "What did not run counts with the lowest score that it could have."


def _result(id_: str, name: str, tally: Tally, *, block: Mapping[str, Any]) -> dict[str, Any]:
    dataset, bounds = block["dataset"], tally.bounds
    known = {key: str(value) for key, value in dataset.items() if value is not None}
    details = {
        "results": str(tally.total),
        "decided": str(tally.decided),
        "undecided": str(tally.undecided),
        **{f"outcome_{outcome}": str(number) for outcome, number in counts(tally).items()},
    }
    if bounds is not None:
        details |= {"lowest_mean": str(bounds.low), "highest_mean": str(bounds.high)}
    if tally.mean is not None:
        details["mean_of_decided"] = str(tally.mean)
    return {
        "evaluation_result_id": id_,
        "evaluation_name": name,
        "source_data": {
            "dataset_name": dataset["id"] or collection_of(block),
            "source_type": "other",
            "additional_details": known,
        },
        "metric_config": {
            "metric_id": "evalcontract.mean_score",
            "metric_name": "Mean score",
            "metric_unit": "proportion",
            "lower_is_better": False,
            "score_type": "continuous",
            "min_score": 0,
            "max_score": 1,
            "additional_details": {},
        },
        "score_details": {
            "score": None if bounds is None else bounds.low,
            "details": details,
            "uncertainty": {"num_samples": tally.counted},
        },
    }


def _scoring(check: Mapping[str, Any], judges: list[Artifact], used: Sections) -> dict[str, Any]:
    """Return what a record says of the judges of a check: nothing of models that were not asked."""
    models = [used.get("models", {}).get(judge.name) for judge in judges]
    named = {"judges": canonical([judge.name for judge in judges])}
    if not all(models):
        return {"additional_details": named}
    jury = check.get("jury")
    jury = jury if isinstance(jury, dict) else {}
    weights = [each.get("weight", 1) for each in jury.get("judges", ())] or [1]
    configs = [
        {
            "model_info": _model_info(_id_of(str(model), judge)),
            **({"weight": weight} if jury else {}),
            "additional_details": {"judge": judge.name},
        }
        for judge, model, weight in zip(judges, models, weights, strict=False)
    ]
    templates = [str(judge.document.value.get("template")) for judge in judges]
    prompt = templates[0] if len({*templates}) == 1 else canonical(templates)
    scoring = {"judges": configs, "input_prompt": prompt}
    if jury:
        scoring["aggregation_method"] = jury.get("aggregation", "majority_vote")
    return {"llm_scoring": scoring, "additional_details": named}


def _id_of(model: str, judge: Artifact) -> str:
    """Return the id of a model that was asked, with its provider where the judge declares both."""
    declared = judge.document.value.get("model")
    declared = declared if isinstance(declared, dict) else {}
    provider = declared.get("provider")
    is_declared = declared.get("name") == model and isinstance(provider, str)
    return f"{provider}/{model}" if is_declared and "/" not in model else model


# The rows


class Samples(NamedTuple):
    """What the lines of all rows have in common; `lines` is called where rows are graded."""

    schema_version: str
    evaluation_id: str
    model_id: str
    evaluation_name: str

    def lines(self, tasks: Iterable[Task], results: Iterable[RowResult]) -> str:
        """Return a line for each row that has a part in the mean: those that are not skipped."""
        pairs = zip(tasks, results, strict=True)
        lines = (
            json_line(self._line(task, result))
            for task, result in pairs
            if result.outcome is not Outcome.SKIPPED
        )
        return "".join(harmless_json(lines))

    def _line(self, task: Task, result: RowResult) -> dict[str, Any]:
        expected = task.row.get("expected")
        reference = expected.get("reference") if isinstance(expected, dict) else None
        written = task.row.get("input")
        given = {
            "raw": written if isinstance(written, str) else "",
            "reference": [reference] if isinstance(reference, str) else [],
        }
        hashed = json.dumps(given, sort_keys=True, separators=(",", ":")).encode()
        return {
            "schema_version": self.schema_version,
            "evaluation_id": self.evaluation_id,
            "model_id": self.model_id,
            "evaluation_name": self.evaluation_name,
            "evaluation_result_id": _ROWS,
            "sample_id": task.id,
            "sample_hash": sha256(hashed).hexdigest(),
            **_interaction(given["raw"], task.output),
            "input": given,
            "answer_attribution": [],
            **_evaluation(result, task.output),
        }


def _interaction(question: Any, output: Output) -> dict[str, Any]:
    """Return what was answered: a text, or a text and calls of tools."""
    text = output.text
    if not output.tool_calls:
        raw = [] if text is None else [text]
        return {"interaction_type": "single_turn", "output": {"raw": raw}}
    calls = [
        {
            "id": str(number),
            "name": call.name,
            "arguments": {
                str(key): value if isinstance(value, str) else json.dumps(value)
                for key, value in _arguments(call.arguments)
            },
        }
        for number, call in enumerate(output.tool_calls, 1)
    ]
    messages = [
        {"turn_idx": 0, "role": "user", "content": question},
        {"turn_idx": 1, "role": "assistant", "content": text, "tool_calls": calls},
    ]
    return {"interaction_type": "agentic", "output": None, "messages": messages}


def _arguments(arguments: Any) -> Iterable[tuple[str, Any]]:
    return arguments.items() if isinstance(arguments, dict) else ()


def _evaluation(result: RowResult, output: Output) -> dict[str, Any]:
    """Return the score; a row that is undecided has the lowest that is possible, and an error."""
    bounds, score = result.bounds, result.score
    low = bounds.low if bounds else score or 0.0
    metadata = {"outcome": str(result.outcome or "scored")}
    if result.rubric:
        metadata["rubric"] = result.rubric
    if result.sample is not None:  # its `sample_id` is that of the row, as of epochs of Inspect
        metadata["sample"] = str(result.sample)
    if bounds:
        metadata |= {"lowest_score": str(bounds.low), "highest_score": str(bounds.high)}
    leaves = (leaf for check in result.checks for leaf in check.leaves())
    checks = {name: {"outcome": leaf.outcome, "score": leaf.score} for name, leaf in leaves}
    metadata["checks"] = canonical(checks)
    if result.reason:
        metadata["reason"] = result.reason
    evaluation = {"score": low, "is_correct": result.outcome is Outcome.PASSED}
    if output.tool_calls:
        evaluation |= {"num_turns": 1, "tool_calls_count": len(output.tool_calls)}
    is_undecided = result.outcome is Outcome.UNDECIDED
    error = f"undecided: {result.reason or 'a check did not run'}" if is_undecided else None
    return {
        "evaluation": evaluation,
        "metadata": metadata,
        **({"error": error} if error else {}),
    }


# The files


class RecordFiles:
    """A context manager for the files of a record below a folder: both are written, or none.

    Raises:
        UsageError: `info` lacks something, or the folder is no folder.

    """

    def __init__(self, folder: Path, info: RecordInfo, block: Mapping[str, Any]) -> None:
        if folder.exists() and not folder.is_dir():
            raise UsageError(f"{display_name(folder)} is no folder: records need one")
        self._base, self._info = folder, info
        self._parts = ("data", collection_of(block), *info.folders)
        id_ = record_of(block, info)["evaluation_id"]
        name = collection_of(block)
        self.samples = Samples(info.schema_version, id_, str(info.model), name)
        self._id, self._rows, self._digest = id_, 0, sha256()
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        from evalcontract.source.writing import spooled  # only for records

        self._staged = self._stack.enter_context(StagedFiles())
        self._stream = self._stack.enter_context(spooled())
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stack.__exit__(kind, error, trace)

    def write(self, lines: str) -> None:
        """Write the lines of some rows.

        Raises:
            UsageError: that is not possible, for example because the disk is full.

        """
        data = lines.encode()
        self._digest.update(data)
        self._rows += lines.count("\n")
        try:
            self._stream.write(data)
        except OSError as error:
            raise write_error(self._base, error) from None

    def complete(
        self, block: Mapping[str, Any], results: Sequence[dict[str, Any]], *, replace: bool
    ) -> list[str]:
        """Put the files in their places; return their names.

        Raises:
            UsageError: a file exists and `replace` is false, or cannot be written.

        """
        record = record_of(block, self._info, results)
        folder = self._base.joinpath(*self._parts)
        uuid = _uuid(f"{self._id}\n{self._digest.hexdigest()}")
        paths = [folder / f"{uuid}.json"]
        try:
            if self._rows:
                path = folder / f"{uuid}_samples.jsonl"
                record["detailed_evaluation_results"] = {
                    "format": "jsonl",
                    "file_path": "/".join((*self._parts, path.name)),
                    "hash_algorithm": "sha256",
                    "checksum": self._digest.hexdigest(),
                    "total_rows": self._rows,
                }
                self._stream.seek(0)
                with open_staged(self._staged, path, replace=replace) as target:
                    while part := self._stream.read(1 << 20):
                        target.write(part)
                paths.append(path)
            text = json.dumps(_clean(record), indent=2, ensure_ascii=False) + "\n"
            data = "".join(harmless_json([text])).encode()
            write_staged(self._staged, paths[0], data, replace=replace)
            self._staged.put()
        except OSError as error:
            raise write_error(paths[0], error) from None
        return [display_name(path) for path in paths]


def _uuid(text: str) -> str:
    """Return the UUID of a record in the form of version 4: the same for the same record."""
    return str(UUID(bytes=sha256(text.encode("utf-8", "surrogatepass")).digest()[:16], version=4))


def _clean(value: Any) -> Any:
    """Return a value whose texts have no halves of surrogate pairs, as names of files may have."""
    if isinstance(value, str):
        return _SURROGATE.sub("\ufffd", value)
    if isinstance(value, list):
        return [_clean(part) for part in value]
    return {key: _clean(part) for key, part in value.items()} if isinstance(value, dict) else value
