"""The conformance suite through opis/json-schema, the validator of ai_eval: the same verdicts.

Needs PHP and the packages of `tests/php/composer.json`: `composer install` there, or the path of an
`autoload.php` in EVALCONTRACT_OPIS. Without them the test is skipped, in CI, too: the registry of
PHP's packages is not reached from everywhere.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def verdicts(root: Path) -> list[dict[str, Any]]:
    """Return what opis/json-schema says of each case."""
    php, folder = shutil.which("php"), root / "tests" / "php"
    autoload = os.environ.get("EVALCONTRACT_OPIS") or str(folder / "vendor" / "autoload.php")
    if php is None:
        pytest.skip("needs PHP")
    if not os.path.isfile(autoload):
        pytest.skip("needs opis/json-schema: `composer install` in tests/php")
    arguments = [autoload, str(root / "schema"), str(root / "fixtures" / "schema")]
    command = [php, str(folder / "opis_suite.php"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_verdicts_agree(verdicts: list[dict[str, Any]], root: Path) -> None:
    stated = {
        (f"{file.parent.name}/{file.name}", group["description"], case["description"]): case
        for file in (root / "fixtures" / "schema").glob("*/*.json")
        for group in json.loads(file.read_text(encoding="utf-8"))
        for case in group["tests"]
    }
    said = {(each["file"], each["group"], each["description"]): each["valid"] for each in verdicts}
    assert said == {name: case["valid"] for name, case in stated.items()}
