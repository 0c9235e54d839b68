"""Send the questions of several rows to judges before any of the rows is graded."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from evalcontract.checks.outcome import PASSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from evalcontract.checks._kind import Ask
    from evalcontract.checks.outcome import Verdict
    from evalcontract.judging.asking import Judging
    from evalcontract.library.artifact import Artifact

Task = TypeVar("Task")

# For each question that is sent at a time, so many more wait, in case that one takes long.
_WAITING = 4


def asked_ahead(
    tasks: Iterable[Task],
    judging: Judging,
    run: Callable[[Task, Ask], None],
    told: Callable[[], None] | None = None,
) -> Iterator[Task]:
    """Yield tasks, in order, each when the questions of its judges have been answered.

    `run` runs the checks of a task that ask judges, with what they are to ask by. They get no
    answer yet: what a check asks must not depend on earlier answers. If it does, the other
    questions are asked when the task is graded. `told` is called after each answer.
    """
    questions: list[Any] = []

    def ask(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        questions.append(judging.ask_ahead(judge, variables))
        return PASSED

    limit = judging.concurrency * _WAITING
    waiting: deque[tuple[Task, list[Any]]] = deque()
    sent = 0
    for task in tasks:
        run(task, ask)
        waiting.append((task, list(questions)))
        sent += len(questions)
        questions.clear()
        # Outputs may be large, so that the number of rows is limited, too.
        while waiting and (sent >= limit or len(waiting) >= limit or not waiting[0][1]):
            first, asked = waiting.popleft()
            sent -= len(asked)
            yield _answered(first, asked, judging, told)
    for task, asked in waiting:
        yield _answered(task, asked, judging, told)


def _answered(
    task: Task, asked: list[Any], judging: Judging, told: Callable[[], None] | None
) -> Task:
    for question in asked:
        judging.wait(question)
        if told:
            told()
    return task


def questions_to_send(
    tasks: Iterable[Task], judging: Judging, run: Callable[[Task, Ask], None]
) -> int:
    """Count the questions of tasks that only the endpoint can answer; none is sent.

    `run` is as above. A question that is asked again is sent once.
    """
    keys: set[str] = set()

    def ask(judge: Artifact, variables: Mapping[str, Any]) -> Verdict:
        key = judging.to_be_sent(judge, variables)
        if key is not None:
            keys.add(key)
        return PASSED

    for task in tasks:
        run(task, ask)
    return len(keys)
