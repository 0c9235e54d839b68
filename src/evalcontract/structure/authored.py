"""What is known of the schemas that authors write, and limits on the time to match their patterns.

The native engine matches most patterns in linear time. Where it has to backtrack it counts its
steps, but one step may scan the whole rest of a text, and nothing interrupts it. So the steps are
limited by the length of the text; what needs more is matched by a child process, which is killed
when the time is over.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from math import ceil
from pathlib import Path
from time import monotonic, thread_time
from typing import TYPE_CHECKING, Any

from evalcontract.structure.native import (
    MAX_STEPS,
    PatternLimitError,
    encodable,
    matches,
    may_backtrack,
    steps_for,
)
from evalcontract.structure.parts import patterns

if TYPE_CHECKING:
    from evalcontract.structure.schema_faults import SchemaFault
    from evalcontract.structure.schema_keywords import KeywordRemark


#: Seconds that all searches that backtrack may take in a process, or if that is more, for each
#: text and for each of its characters.
MAX_SECONDS, SECONDS_PER_TEXT, SECONDS_PER_CHARACTER = 2.0, 50e-6, 2e-6
#: Maximum number of steps times characters of a search in this process, up to half a second.
MAX_WORK = 300_000_000
# What took longer is remembered, because several passes look at the same text.
_SLOW_SECONDS = 0.01
#: Seconds that a child process may take to start and to read the text.
_START_SECONDS = 2.0
# It ends by itself, too: the process that would kill it may have been killed.
_ALARM = """\
import json, signal, sys
*arguments, seconds = json.load(sys.stdin)
if hasattr(signal, "alarm"):
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(seconds)
"""
_SEARCH = """\
path, pattern, text = arguments
sys.path.append(path)
import jsonschema_rs
errors = jsonschema_rs.Draft202012Validator({"pattern": pattern}).iter_errors(text)
print(*(type(error.kind).__name__ for error in errors), "ended")
"""
_MATCHES, _DOES_NOT = ["ended"], ["Pattern", "ended"]


class OutOfTimeError(Exception):
    """The time limit is over."""


class NoChildError(Exception):
    """A child process cannot be started, or came to no result."""


def answer_of_child(code: str, arguments: Iterable[Any], seconds: float) -> list[str]:
    """Run Python code in another process, which is killed when the time is over.

    The code has the values that are `arguments` in a list of this name. Return the words that it
    prints.

    Raises:
        OutOfTimeError: it takes longer than `seconds`.
        NoChildError: there can be no other process, or it fails.

    """
    import subprocess  # slow to import; few texts need another process

    limit = seconds + _START_SECONDS
    call = (sys.executable, "-I", "-S", "-W", "ignore", "-c", _ALARM + code)
    try:
        process = subprocess.run(  # noqa: S603 - the call is ours; what strangers wrote is its input
            call,
            input=json.dumps([*arguments, ceil(limit) + 1]).encode(),
            capture_output=True,
            timeout=limit,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise OutOfTimeError from None
    except (OSError, ValueError) as error:  # no executable, no memory for a process
        raise NoChildError(str(error)) from None
    if process.returncode:
        raise NoChildError(f"the process that searches it ended with status {process.returncode}")
    return process.stdout.decode(errors="replace").split()


class PatternMatcher:
    """Matches the patterns of the authored schemas of a run, which share a limit on their time."""

    def __init__(self) -> None:
        self._seconds = 0.0
        self._allowed = 0.0
        self._slow: dict[tuple[str, str], bool | PatternLimitError] = {}

    def matches(self, pattern: str, text: str) -> bool:
        """Whether a pattern matches anywhere in a text.

        Raises:
            PatternLimitError: this is not known within the limits.

        """
        if not may_backtrack(pattern):
            return matches(pattern, text)
        self._allowed += SECONDS_PER_TEXT + SECONDS_PER_CHARACTER * len(text)
        result = self._slow.get((pattern, text)) if self._slow else None
        if result is None:
            result = self._searched(pattern, text)
        if isinstance(result, PatternLimitError):
            raise result.with_traceback(None)
        return result

    def _searched(self, pattern: str, text: str) -> bool | PatternLimitError:
        left = max(MAX_SECONDS, self._allowed) - self._seconds
        if left <= 0:
            return PatternLimitError(pattern, "slow searches took too much time before")
        steps = steps_for(text, MAX_WORK)
        result: bool | PatternLimitError
        start = thread_time()
        try:
            result = matches(pattern, text, steps)
        except PatternLimitError as error:
            result = error
        seconds = thread_time() - start
        if isinstance(result, PatternLimitError) and steps < MAX_STEPS:
            start = monotonic()
            result = self._by_child(pattern, text, left - seconds)
            seconds += monotonic() - start
        self._seconds += seconds
        if seconds > _SLOW_SECONDS:
            self._slow[pattern, text] = result
        return result

    def _by_child(self, pattern: str, text: str, seconds: float) -> bool | PatternLimitError:
        import jsonschema_rs  # slow to import

        folder = str(Path(jsonschema_rs.__file__).parents[1])
        arguments = [folder, pattern, encodable(text)]
        try:
            answer = answer_of_child(_SEARCH, arguments, min(max(seconds, 0.0), MAX_SECONDS))
        except OutOfTimeError:
            return PatternLimitError(pattern, "the search takes too long")
        except NoChildError as failure:
            return PatternLimitError(pattern, str(failure))
        return answer == _MATCHES if answer in (_MATCHES, _DOES_NOT) else PatternLimitError(pattern)


class SchemaAnalyses:
    """The faults of authored schemas, and the remarks on those without faults.

    A schema is known by its identity, and kept, so that its id is not reused. The patterns of all
    schemas together must not be too large; `patterns` limits the time to match them.
    """

    def __init__(self) -> None:
        self.patterns = PatternMatcher()
        self._states = 0
        self._faults: dict[int, tuple[Any, tuple[SchemaFault, ...]]] = {}
        self._remarks: dict[int, tuple[Any, tuple[KeywordRemark, ...]]] = {}

    def faults(self, schema: Any) -> tuple[SchemaFault, ...]:
        """Return the faults of a schema."""
        if id(schema) not in self._faults:
            from evalcontract.structure.schema_faults import schema_faults  # slow to import

            too_large = self._patterns_beyond_limit(schema)
            faults = (too_large,) if too_large else schema_faults(schema)
            self._faults[id(schema)] = schema, faults
        return self._faults[id(schema)][1]

    def _patterns_beyond_limit(self, schema: Any) -> SchemaFault | None:
        """Return a fault at the first pattern that is beyond what all schemas may take."""
        from evalcontract.structure.schema_faults import MAX_STATES, SchemaFault, pattern_size

        for path, pattern, on_key in patterns(schema):
            self._states += pattern_size(pattern)
            if self._states > MAX_STATES:
                message = (
                    "the patterns of all schemas together have more than "
                    f"{MAX_STATES:,} states with this one"
                )
                advice = "repeat less: `{1,100}` copies what it repeats a hundred times"
                return SchemaFault(message, path, advice, on_key)
        return None

    def remarks(self, schema: Any) -> tuple[KeywordRemark, ...]:
        """Return the remarks on the keywords and keys of a valid schema."""
        if id(schema) not in self._remarks:
            from evalcontract.structure.schema_keywords import remarks  # slow to import

            self._remarks[id(schema)] = schema, tuple(remarks(schema))
        return self._remarks[id(schema)][1]
