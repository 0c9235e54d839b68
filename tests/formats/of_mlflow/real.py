"""Ask the real MLflow: for each line of standard input, `python real.py` prints one in answer.

A line asks by JSON: `oss` or `evaluate`, and the path of a file.

`exports` asks for what MLflow writes of the records of a file: `to_dict`, `to_json` of `to_df` in
each orient, and what `search_traces` finds of traces with their inputs.

A file is JSON: whatever is handed to `merge_records` of a new dataset in a new SQLite store, or to
`mlflow.genai.evaluate`. A line has `file`, `accepted`, `message`, and for `oss` the rows that are
`stored`, as `to_df` gives them. Lone surrogates and NaN pass, as Python's JSON has them.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any


def main() -> None:
    """Answer until there is nothing more to read."""
    with tempfile.TemporaryDirectory() as folder:
        ways = {"oss": _oss(), "evaluate": _evaluate(), "exports": _exports()}
        _begin(Path(folder))
        for asked in sys.stdin:
            mode, file = json.loads(asked)
            records = json.loads(Path(file).read_bytes())
            quiet = io.StringIO()
            with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
                answer = _answer(ways[mode], records)
            line = json.dumps({"file": file, **answer}, default=lambda each: each.to_dict())
            print(line, flush=True)  # noqa: T201 - the answer
        logging.shutdown()


def _begin(folder: Path) -> None:
    import mlflow

    os.environ["USER"] = os.environ["LOGNAME"] = "tester"
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    mlflow.set_registry_uri(f"sqlite:///{folder}/mlflow.db")
    os.chdir(folder)
    mlflow.set_experiment("asked")


def _answer(ask: Any, records: Any) -> dict[str, Any]:
    try:
        return {"accepted": True, "message": "", **ask(records)}
    except Exception as error:  # noqa: BLE001 - whatever it raises is its verdict
        return {"accepted": False, "message": f"{type(error).__name__}: {error}"}


def _oss() -> Any:
    from mlflow.genai import datasets

    def ask(records: Any) -> dict[str, Any]:
        dataset = datasets.create_dataset(name="asked")
        dataset.merge_records(records)
        again = datasets.get_dataset(dataset_id=dataset.dataset_id)
        return {"stored": again.to_df().to_dict("records")}

    return ask


def _evaluate() -> Any:
    import mlflow
    from mlflow.genai.scorers import scorer

    os.environ["MLFLOW_GENAI_EVAL_MAX_WORKERS"] = "1"

    @scorer  # type: ignore[untyped-decorator, unused-ignore]
    def one(outputs: Any) -> float:  # noqa: ARG001 - the name is what MLflow reads
        return 1.0

    def ask(records: Any) -> dict[str, Any]:
        found = mlflow.genai.evaluate(data=records, scorers=[one])
        return {"metrics": found.metrics}

    return ask


def _exports() -> Any:
    import mlflow
    from mlflow.genai import datasets

    orients = ("columns", "records", "index", "split", "table")

    def ask(records: Any) -> dict[str, Any]:
        dataset = datasets.create_dataset(name="exported", tags={"team": "port"})
        dataset.merge_records(records)
        whole = datasets.get_dataset(dataset_id=dataset.dataset_id)
        frame = whole.to_df()
        for record in records:
            mlflow.trace(lambda **inputs: str(inputs), name="asked")(**record["inputs"])
        mlflow.flush_trace_async_logging()
        traces = mlflow.search_traces(filter_string="trace.name = 'asked'")
        exported = {each: json.loads(frame.to_json(orient=each)) for each in orients}
        exported["to_dict"] = json.loads(json.dumps(whole.to_dict()))
        return {"exported": exported, "traces": json.loads(traces.to_json(orient="records"))}

    return ask


if __name__ == "__main__":
    main()
