"""The targets of a conversion: evalcontract datasets with their rubrics, or other formats."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto
from typing import Any

from evalcontract.checks import State
from evalcontract.checks._kind import field_of
from evalcontract.checks.plan import own_predictions
from evalcontract.datasets.columns import OurTable
from evalcontract.datasets.losses import EmbeddedRubrics, with_judges
from evalcontract.formats import Format
from evalcontract.formats._conversion import BUNDLES, Loss, OurRow, with_unread
from evalcontract.model.diagnostic import Path, Problem
from evalcontract.model.startup import lazy_pattern
from evalcontract.model.values import many
from evalcontract.source.tables.parquet import TITLES
from evalcontract.structure.dialect_checker import dialect_checker
from evalcontract.structure.schemas import load
from evalcontract.workspace.catalogue import is_rejection

_VERSION = "1.0.0"
_OTHERS = lazy_pattern(r"[^a-z0-9]+")
# The keys of a row that say what is expected.
_EXPECTED = frozenset(
    (
        *("criteria", "expected", "expected_facts", "expected_tools", "expected_documents"),
        *("must_contain_any", "must_not_contain", "rubric_ref"),
    )
)
# What a row may lose without asking for less.
_NOT_EXPECTED = (("id",), ("metadata",))
#: The judge that reads `criteria` and the reference answer of a row.
STARTER_JUDGE = "judge/accuracy@1.0.0"
_JUDGED = {
    "label": "Right, as a judge sees it",
    "checks": [{"id": "accurate", "kind": "llm_judge", "judge_prompt_ref": STARTER_JUDGE}],
    "scoring": {"combine": "all_pass"},
}
# The media that have rows and nothing else.
_OF_ROWS = {"jsonl": "JSONL", **TITLES}
_NULL = "a null in a table is an absent key"
#: What to do with rows that nobody can grade.
ADD_EXPECTATIONS = (
    "add what is expected, such as `expected_facts`, or a rubric:"
    " `evalcontract explain dataset/nothing-to-grade`"
)
_UNREAD = "only a judge would read it, and the rubric of the row asks none"
#: What to do with rows that a judge can grade, where other rows have rubrics.
ADD_RUBRIC = "add the `rubric_ref` of a rubric with a check `llm_judge` to them"
#: A row to write, what it loses, and the problems that prevent writing it.
TargetRow = tuple[Any, Sequence[Loss], Sequence[Problem]]
# The most checks that the id of a rubric names, and the most letters that it has.
_MOST_NAMES, _MOST_LETTERS = 3, 60


class NativeTarget:
    """Writes evalcontract rows. New rubrics are named after the dataset and their checks.

    `extra_files` are the values of further files to write, by path relative to the workspace root.
    Equal rubrics are shared. If it `asks_judge`, rows that only a judge can grade get a rubric that
    asks `STARTER_JUDGE`, and `judged` counts them; else a remark names the `command` that does so.
    `graded` are the keys of rows that the graders of the runner read.
    """

    def __init__(
        self,
        stem: str,
        medium: str,
        command: str = "",
        graded: frozenset[str] = frozenset(),
        *,
        asks_judge: bool = False,
    ) -> None:
        self.extra_files: dict[str, Any] = {}
        self.judged = 0
        self._for_judges = self._for_nobody = self._rows = 0
        self._has_rubrics = False
        self._command = command
        self._graded = graded
        self._asks_judge = asks_judge
        self._table = OurTable() if medium in ("csv", "tsv") else None
        self._medium = medium
        self._stem = snake_case(stem, "dataset")
        self._ids: dict[str, str] = {}
        self._names = Names()
        self._retrievals = 0

    @property
    def remarks(self) -> Sequence[str]:
        """Remarks on expectations of rows that no check grades."""
        remarks = []
        if self._retrievals:
            rows = many(self._retrievals, "row expects", "rows expect")
            remarks.append(f"{rows} documents: no check of evalcontract grades what was retrieved")
        if self._for_judges:
            # Rubrics of a workspace are not those of a new one, which `init` would make.
            advice = ADD_RUBRIC if self._has_rubrics else f"`{self._command}` makes both"
            remarks.append(
                f"0 % of the checks of {self._share(self._for_judges)} will run, since only the"
                f" judge of a rubric reads what they expect: {advice}"
            )
        if self._for_nobody:
            remarks.append(
                f"0 % of the checks of {self._share(self._for_nobody)} will run, since neither a"
                f" check nor the judge of `init` reads what they have: {ADD_EXPECTATIONS}"
            )
        return remarks

    def _share(self, rows: int) -> str:
        return f"{rows:,} of {self._rows:,} rows"

    def take(self, converted: OurRow, number: int) -> TargetRow:
        """Return the row, with a reference to its rubric."""
        row = converted.row
        if converted.is_new and converted.rubric is not None:
            if problems := [*self._other_judges(converted.judges)]:
                return row, (), problems
            for judge in converted.judges:
                self.extra_files[_judge_file(judge)] = judge
            row = _with_reference(row, f"rubric/{self._id_of(converted.rubric)}@{_VERSION}")
        self._rows += 1
        if self._asks_judge:
            reference = self.judged_by(row)
            row = row if reference is None else _with_reference(row, reference)
        self._has_rubrics |= not converted.is_new and "rubric_ref" in row
        by = graded_by(row, self._graded)
        self._for_judges += by is GradedBy.JUDGE
        self._for_nobody += by is GradedBy.NOBODY
        self._retrievals += converted.is_new and bool(row.get("expected_documents"))
        if row.get("bundle") in BUNDLES:
            name = f"bundles/{row['bundle']}.schema.json"
            self.extra_files.setdefault(name, load(f"bundles/{row['bundle']}"))
        unread = {**converted.unread}
        paths = [("expected", key) for key in unread.pop("expected", {})] + [
            (key,) for key in unread
        ]
        losses = [Loss(path, _UNREAD, is_kept=True) for path in paths]
        if self._medium in TITLES:
            losses += [Loss(at, _NULL, is_kept=False) for at in nulls_in(row)]
        if self._table is None:
            return row, losses, ()
        cells, lost = self._table.cells(row)
        return cells, [*losses, *lost], ()

    def judged_by(self, row: dict[str, Any]) -> str | None:
        """Return the reference of a rubric that asks `STARTER_JUDGE`; None if others grade a row.

        The row is well-formed.
        """
        if graded_by(row, self._graded) is not GradedBy.JUDGE:
            return None
        self.judged += 1
        return f"rubric/{self._id_of(_JUDGED)}@{_VERSION}"

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return a dataset; JSONL and tables cannot represent the keys in `root`."""
        if self._table:
            return self._table.wrap(rows, root)
        if self._medium in _OF_ROWS:
            reason = f"{_OF_ROWS[self._medium]} contains only rows; YAML and JSON can represent it"
            return rows, tuple(Loss((key,), reason, is_kept=False) for key in root)
        return {**root, "questions": rows}, ()

    def _other_judges(self, judges: Iterable[dict[str, Any]]) -> Iterator[Problem]:
        """Yield a problem for each judge that another one has the file name of."""
        known: dict[str, Any] = {}
        for judge in judges:
            name = _judge_file(judge)
            if known.get(name, self.extra_files.get(name, judge)) != judge:
                message = f"there are two different judges `{judge['id']}`"
                yield Problem("judge/duplicate-version", message, ())
            known[name] = judge

    def _id_of(self, rubric: dict[str, Any]) -> str:
        key = repr(rubric)
        if key not in self._ids:
            id_ = self._named_by(rubric["checks"])
            self._ids[key] = id_
            self.extra_files[f"rubrics/{id_}.yaml"] = {"id": id_, "version": _VERSION, **rubric}
        return self._ids[key]

    def _named_by(self, checks: list[dict[str, Any]]) -> str:
        """Return an id that says what a rubric checks, and that no other rubric has."""
        names = [_words(str(check.get("id") or check["kind"])) for check in checks]
        if len(names) > _MOST_NAMES:
            names = [names[0], f"{len(names) - 1}_more"]
        whole = f"{self._stem}_{'_and_'.join(filter(None, names))}"
        return self._names.take(whole[:_MOST_LETTERS].strip("_"))


class GradedBy(Enum):
    """Who can grade a row as it is: a check or its rubric, only a judge that it lacks, or none."""

    CHECK = auto()
    JUDGE = auto()
    NOBODY = auto()


def graded_by(row: dict[str, Any], graded: frozenset[str]) -> GradedBy:
    """Return who can grade a well-formed row; of judges, `STARTER_JUDGE`.

    `graded` are the keys of rows that the graders of the runner read.
    """
    if "rubric_ref" in row:
        return GradedBy.CHECK
    outlooks = [outlook for *_, outlook in own_predictions(row, None, graded)]
    if any(each.runs or each.state is State.VACUOUS for each in outlooks):
        return GradedBy.CHECK
    texts = (field_of(row, key) for key in ("criteria", "expected.reference"))
    return GradedBy.JUDGE if any(isinstance(each, str) for each in texts) else GradedBy.NOBODY


def nulls_in(value: Any) -> Iterator[Path]:
    """Yield the paths of the nulls in mappings, which tables do not tell from absent keys."""
    pairs: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
    for key, part in pairs:
        if part is None and isinstance(value, dict):
            yield (key,)
        yield from ((key, *path) for path in nulls_in(part))


def without_nulls(value: Any) -> Any:
    """Return a value without the keys whose values are null."""
    if isinstance(value, dict):
        return {key: without_nulls(part) for key, part in value.items() if part is not None}
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


def _words(text: str) -> str:
    return _OTHERS.sub("_", text.lower()).strip("_")


def snake_case(text: str, default: str) -> str:
    """Return an id made of the ASCII letters and digits of a text, or of a default without any."""
    name = _words(text) or default
    return name if name[0].isalpha() else f"{default}_{name}"


class Names:
    """Names that are all different."""

    def __init__(self) -> None:
        self._last: dict[str, int] = {}  # the number that each name was given last

    def take(self, name: str) -> str:
        """Return a name that was not taken before, if need be with `_2`, `_3` … at its end."""
        free, number = name, self._last.get(name, 1)
        while free in self._last:
            number += 1
            free = f"{name}_{number}"
        self._last[name] = number
        self._last.setdefault(free, 1)
        return free


def _judge_file(judge: dict[str, Any]) -> str:
    return f"judges/{judge['id']}.yaml"


def _with_reference(row: dict[str, Any], reference: str) -> dict[str, Any]:
    """Return a row with `rubric_ref` inserted before `bundle` and `metadata`, or at the end."""
    keys = [*row]
    position = next((keys.index(key) for key in ("bundle", "metadata") if key in row), len(keys))
    items = [*row.items()]
    return dict([*items[:position], ("rubric_ref", reference), *items[position:]])


class DialectTarget:
    """Writes rows in another format; what it returns is as that of `NativeTarget`."""

    def __init__(self, dialect: Format, medium: str) -> None:
        self.extra_files: dict[str, Any] = {}
        self._dialect = dialect
        self._ungraded = 0
        self._writer = dialect.writer(medium)
        # A row of CSV consists of text cells, for which there is no schema.
        self._stage = dialect_checker(*dialect.stage) if medium != "csv" else None
        self._rubrics = EmbeddedRubrics()

    def take(self, converted: OurRow, number: int) -> TargetRow:
        """Return the row in the target format; rows are numbered from 0."""
        row, rubric = with_unread(converted.row, converted.unread), converted.rubric
        if converted.is_new and rubric is not None:
            if self._writer.says_rubrics:
                rubric = with_judges(rubric, converted.judges)
            else:
                row, rubric = self._rubrics.embed(row, rubric, converted.judges), None
        written = self._writer.write(row, rubric, number)
        problems = written.problems or self._rejections(written.row)
        # Of a row that keeps what it expects, something is graded; and the cells of a table are
        # not what its loader gives to graders.
        has_lost = any(loss.path not in _NOT_EXPECTED for loss in written.losses)
        is_whole = not row.keys().isdisjoint(_EXPECTED) and not has_lost
        if self._stage is not None and not problems and not is_whole:
            self._ungraded += not self._is_graded(written.row)
        return written.row, written.losses, problems

    @property
    def remarks(self) -> Sequence[str]:
        """A remark if rows ask for nothing that a grader of the system would look at."""
        if not self._ungraded:
            return ()
        rows = many(self._ungraded, "row asks", "rows ask")
        return (f"{rows} for nothing that {self._dialect.title} grades",)

    def _is_graded(self, row: Any) -> bool:
        """Whether any grader of the system can pass a row for what it asks."""
        graders = self._dialect.predict(row)
        return any(each.is_asked and each.state in ("run", "vacuous") for each in graders)

    def _rejections(self, row: Any) -> list[Problem]:
        """Return the problems for which the system would reject a written row."""
        if self._stage is None or self._stage.passes([row]):
            return []
        # A key that is not read in a row of its kind may have any value.
        found = self._dialect.checker(self._stage).check(row, (0,), is_clean=False)
        return [
            problem._replace(
                message=f"in the converted row: {problem.message}", path=(), on_key=False
            )
            for problem in found
            if is_rejection(problem.code)
        ]

    def wrap(self, rows: list[Any], root: dict[str, Any]) -> tuple[Any, Sequence[Loss]]:
        """Return the document in the target format."""
        return self._writer.wrap(rows, root)


#: Converts rows one by one to the target format.
ConversionTarget = NativeTarget | DialectTarget
