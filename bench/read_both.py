"""The floor under any grading here: read rows and outputs as `grade` reads them, and pair the ids.

python bench/read_both.py ROWS OUTPUTS

Both files are parsed by the package's reader of JSONL, with the proof that no duplicate key was
dropped; rows go through the gate and the rules on datasets, outputs through their schema, in one
process. Nothing is kept but ids, and no check of a rubric runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

from evalcontract.datasets.opening import Input, open_dataset
from evalcontract.datasets.outputs import OutputFile
from evalcontract.datasets.run import Run, today
from evalcontract.workspace import find_root, open_workspace

rows, outputs = (Input(Path(name)) for name in sys.argv[1:])
run = Run(open_workspace(find_root(rows.path)), None, today())
dataset_pass = open_dataset(rows).begin(run, run.standards.policy_for(rows.path))
ids, problems = set(), []
for checked in dataset_pass.batches(keep_rows=True):
    problems += [*checked.problems, *checked.faults]
    ids.update([row["id"] for row in checked.batch.rows])
findings = [*problems, *dataset_pass.finish()]
records = OutputFile(outputs.read(), run.standards.base)
pairs = sum(record.id in ids for some in records.batches() for record in some)
findings += records.diagnostics
print(pairs, "pairs,", len(findings), "findings")
