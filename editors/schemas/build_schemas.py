"""Write the schemas for editors into `schema/editor`, from the canonical schemas and `texts.json`.

python editors/schemas/build_schemas.py [FOLDER]

They refuse what the canonical ones refuse, and say it better: docs/editors.md describes what is
added.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from edition import Edition
from snippets import add_snippets

from evalcontract.structure import schemas

FOLDER = Path(__file__).parents[2] / "schema" / "editor"
TEXTS = Path(__file__).with_name("texts.json")
#: What people write. The other schemas describe what evalcontract writes for programs.
OF_AUTHORS = ("configuration", "dataset", "judge", "rubric", "target")


def build(folder: Path) -> list[str]:
    """Write all editions into a folder; return their names."""
    texts = json.loads(TEXTS.read_text(encoding="utf-8"))
    names = [*OF_AUTHORS, *schemas.names("formats/")]
    for name in names:
        edition = Edition(name, texts["guides"], texts["values"]).whole()
        if name in OF_AUTHORS:
            add_snippets(name, edition)
        path = folder / f"{name}.schema.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(edition, indent=1) + "\n", encoding="utf-8")
    return names


if __name__ == "__main__":
    for name in build(Path(sys.argv[1]) if sys.argv[1:] else FOLDER):
        sys.stdout.write(f"{name}\n")
