"""The runner of ai_best_practices, written anew from what is documented of its rules.

See docs/coming-from-ai-eval.md. Texts are compared by `str.lower`, Markdown is read by lines, an
empty list passes, and so does PHP that is not there or cannot be linted.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADING = re.compile(r"^(#{1,6})\s+(.+)$", re.MULTILINE)
_PHP = re.compile(r"```php\n(.*?)```", re.DOTALL)
_FENCE = "```"
_MAX_LEVEL = 6


def passes(case: dict[str, Any], output: str) -> bool:
    """Whether an output passes all checks of a case."""
    return all(_verdicts(case, output))


def _verdicts(case: dict[str, Any], output: str) -> Iterator[bool]:
    searched = output.lower()
    wanted = case.get("must_contain_any", [])
    yield not wanted or any(text.lower() in searched for text in wanted)
    yield not any(text.lower() in searched for text in case.get("must_not_contain", []))
    if case.get("check_php_lint"):
        yield all(map(_is_php, _PHP.findall(output)))
    yield all(_structure(case.get("check_markdown_structure", {}), output))


def _is_php(code: str) -> bool:
    php = shutil.which("php")
    if php is None:
        return True
    text = f"<?php\n{code}".encode()
    done = subprocess.run([php, "-l"], input=text, capture_output=True, check=False, timeout=10)
    return done.returncode == 0


def _structure(rules: dict[str, Any], output: str) -> Iterator[bool]:
    headings = [(len(marks), text.lower()) for marks, text in _HEADING.findall(output)]
    lines = [line.strip() for line in output.splitlines()]
    text_lines = [line for line in lines if line and not line.startswith(("#", _FENCE))]
    yield len(headings) >= rules.get("min_headings", 0)
    yield all(level <= rules.get("max_heading_level", _MAX_LEVEL) for level, _ in headings)
    for section in rules.get("required_sections", []):
        yield any(section.lower() in text for _, text in headings)
    yield not any(pattern in output for pattern in rules.get("forbidden_patterns", []))
    yield output.count(_FENCE) // 2 >= rules.get("min_code_blocks", 0)
    yield len(text_lines) >= rules.get("min_paragraphs", 0)
    yield not (rules.get("no_h1") and any(level == 1 for level, _ in headings))
