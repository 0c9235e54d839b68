"""Says how the real scorers of MLflow score records; run where MLflow is installed.

`python meaning_mlflow.py` reads JSON lines, each the name of a file of records, and prints for each
a mapping: by the inputs of a record, what each scorer finds. The judge model is a stub: its answer
is a digest of the prompt, so that two findings are equal only if the model would be asked the same.
"""

from __future__ import annotations

import contextlib
import hashlib
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
        score = _begin(Path(folder))
        for asked in sys.stdin:
            records = json.loads(Path(json.loads(asked)).read_bytes())
            quiet = io.StringIO()
            with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet):
                found = score(records)
            print(json.dumps(found), flush=True)  # noqa: T201 - the answer
        logging.shutdown()


def _begin(folder: Path) -> Any:
    import mlflow
    from mlflow.entities import AssessmentSource, Feedback
    from mlflow.genai.judges import builtin
    from mlflow.genai.scorers import builtin_scorers

    os.environ["MLFLOW_GENAI_EVAL_MAX_WORKERS"] = "1"
    os.environ["USER"] = os.environ["LOGNAME"] = "tester"
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    mlflow.set_tracking_uri(f"sqlite:///{folder}/mlflow.db")
    os.chdir(folder)
    mlflow.set_experiment("asked")

    def stub(model_uri: str, prompt: Any, assessment_name: str, **_: Any) -> Any:
        texts = prompt if isinstance(prompt, str) else [part.content for part in prompt]
        digest = hashlib.sha256(repr(texts).encode()).hexdigest()
        source = AssessmentSource(source_type="LLM_JUDGE", source_id=model_uri)
        value = "yes" if int(digest, 16) % 2 else "no"
        return Feedback(name=assessment_name, value=value, rationale=digest, source=source)

    for module in (builtin, builtin_scorers):
        module.invoke_judge_model = stub

    def predict(**inputs: Any) -> str:
        text = json.dumps(inputs, sort_keys=True)
        with mlflow.start_span("search", span_type="RETRIEVER") as span:
            span.set_inputs({"query": text})
            span.set_outputs([{"page_content": "The harbour is 9 m deep.", "metadata": {}}])
        with mlflow.start_span("chart", span_type="TOOL") as span:
            span.set_inputs({"port": "Wick"})
            span.set_outputs("9 m")
        return f"Nine metres, as asked in {text}"

    names = (
        *("Correctness", "Equivalence", "ExpectationsGuidelines", "RelevanceToQuery"),
        *("RetrievalSufficiency", "RetrievalRelevance", "RetrievalGroundedness"),
        *("ToolCallCorrectness", "ToolCallEfficiency", "Safety", "Fluency", "Completeness"),
        *("Summarization", "PIIDetection"),
    )
    used = [getattr(builtin_scorers, name)() for name in names]
    used.append(builtin_scorers.Guidelines(guidelines=["Names a depth."]))
    used.append(builtin_scorers.RegexMatch(pattern="as asked in .*deep"))
    used.append(builtin_scorers.ResponseLength(max_length=60))

    @mlflow.genai.scorer  # type: ignore[misc, unused-ignore]
    def mentions(outputs: Any, expectations: Any) -> Any:
        wanted = (expectations or {}).get("must_mention", ())
        return Feedback(value=[text in outputs for text in wanted])

    used.append(mentions)

    def score(records: list[Any]) -> dict[str, Any]:
        rows = [
            {key: part for key, part in record.items() if key in ("inputs", "expectations")}
            for record in records
        ]
        done = mlflow.genai.evaluate(data=rows, scorers=used, predict_fn=mlflow.trace(predict))
        found = zip(done.result_df["request"], done.result_df["assessments"], strict=True)
        return {
            json.dumps(request["inputs"], sort_keys=True): _scores(part) for request, part in found
        }

    return score


def _scores(assessments: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what scorers find in one record: a value and a rationale, or the kind of an error."""
    found = {}
    for assessment in assessments:
        feedback = assessment.get("feedback")
        if feedback is not None:
            error = (feedback.get("error") or {}).get("error_code")
            value = [feedback.get("value"), assessment.get("rationale"), error]
            found[assessment["assessment_name"]] = value
    return found


if __name__ == "__main__":
    main()
