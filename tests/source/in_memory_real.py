"""Reads datasets of Hugging Face `datasets` as rows in memory; run where it is installed.

Standard input has the columns of one, the answer its rows: as it is, as an iterable one, and with
its rows chosen.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import datasets

sys.path.insert(0, str(Path(__file__).parents[2] / "src"))

from evalcontract.source.tables.columnar import rows_in

datasets.disable_progress_bars()


def main() -> None:
    """Answer with the rows of each form."""
    whole = datasets.Dataset.from_dict(json.load(sys.stdin))
    turned = [*range(len(whole) - 1, -1, -1)]
    forms = (whole, whole.to_iterable_dataset(), whole.select(turned).select(turned))
    print(json.dumps([[row for block in rows_in(each) for row in block] for each in forms]))  # noqa: T201


if __name__ == "__main__":
    main()
