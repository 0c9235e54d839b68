"""What holds of every test: a cache of its own, one time, and Ctrl-C reaches what it starts."""

from __future__ import annotations

import gc
import json
import os
import re
import signal
from collections import Counter
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from examples import load_profiles
from needs import shared
from programs import SECONDS, TOO_MANY_SECONDS, seconds_used, watch
from shares import Share

from evalcontract.cache import FOLDER_VARIABLE, checks
from evalcontract.checks import _time_limit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

load_profiles()
gc.disable()  # until all tests are collected

_MODEL_VARIABLES = (
    "EVALCONTRACT_(BASE_URL|API_KEY|MODEL|TIMEOUT_SECONDS|MAX_RETRIES|CONCURRENCY|ENDPOINTS"
    "|.*_PRICE)$"
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let one of several runs at once have its share of the files."""
    parser.addoption("--share", type=Share, metavar="1/2", help="the first of two runs at once")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files of tests that another share has."""
    share: Share | None = config.getoption("share")
    if share is None or not (collection_path.match("test_*.py") and collection_path.is_file()):
        return None
    return not share.has(collection_path) or None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Do not measure what properties cover: cases have covered it, and they are twice as fast.

    What is thorough is slow, too, and what is slow is costly.
    """
    for item in items:
        if item.get_closest_marker("thorough"):
            item.add_marker("slow")
        if item.get_closest_marker("slow"):
            item.add_marker("costly")
        if getattr(getattr(item, "obj", None), "is_hypothesis_test", False):
            item.add_marker("no_cover")


def pytest_collection_finish() -> None:
    """Look for garbage seldom, and not among the tests, of which each stays until the end."""
    gc.freeze()
    gc.set_threshold(100_000)
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Let only slow tests, and the fixtures of slow tests, start large programs."""
    watch.is_on = item.get_closest_marker("slow") is None
    try:
        return (yield)
    finally:
        watch.is_on = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Note a test that takes longer than its mark says."""
    before = seconds_used()
    try:
        return (yield)
    finally:
        seconds = seconds_used() - before
        # In a run of a few files, the first test pays for what all of them import.
        is_check = item.config.option.markexpr == "not costly"
        if is_check and seconds > TOO_MANY_SECONDS:
            item.user_properties.append((SECONDS, f"{seconds:.1f}"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say what was skipped, a line for each reason, and which tests lack the mark `costly`."""
    for report in terminalreporter.stats.get("passed", ()):
        for name, seconds in report.user_properties:
            if name == SECONDS and report.when == "call":
                terminalreporter.write_line(f"{report.nodeid} took {seconds} {SECONDS}: costly?")
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", ())
        if isinstance(report.longrepr, tuple)
    )
    if reasons:
        terminalreporter.section("skipped")
    for reason, times in reasons.most_common():
        terminalreporter.write_line(f"{times:5} {reason}")


@pytest.fixture(scope="session")
def caches(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Give what is run between the tests a cache of its own, too."""
    folder = tmp_path_factory.mktemp("caches")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(FOLDER_VARIABLE, str(folder / "between"))
        yield folder


@pytest.fixture(scope="session", autouse=True)
def _interrupts() -> None:
    """Let Ctrl-C end what tests start, also where the tests run in the background of a shell."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def _one_start() -> Iterator[None]:
    """Let all runs of `grade` start at one time, so that their results can be compared."""
    start = datetime(2026, 5, 8, 12, tzinfo=UTC)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evalcontract.grading.used.now", lambda: start)
        yield


@pytest.fixture(scope="session", autouse=True)
def _one_installation() -> Iterator[None]:
    """Look only once at the files of this checkout, which a cache of results does each time."""
    package, code_in = Path(checks.__file__).parents[1], checks.code_in
    ours = {folder: code_in(folder) for folder in (package, package.parents[1] / "schema")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(checks, "code_in", lambda path: ours.get(path) or code_in(path))
        yield


_numbers = count()


@pytest.fixture(autouse=True)
def own_cache(caches: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give a test a cache of its own; the folder is not made yet."""
    folder = caches / str(next(_numbers))
    monkeypatch.setenv(FOLDER_VARIABLE, str(folder))
    return folder


@pytest.fixture(scope="session", autouse=True)
def _no_model(caches: Path) -> Iterator[None]:
    """Let no test ask the model of whoever runs it; endpoints on this machine need no proxy."""
    with pytest.MonkeyPatch.context() as patch:
        for name in list(os.environ):
            if name.startswith("OPENAI_") or re.match(_MODEL_VARIABLES, name):
                patch.delenv(name)
        for name in ("XDG_CONFIG_HOME", "APPDATA"):
            patch.setenv(name, str(caches / "no-settings"))
        patch.setenv("NO_PROXY", "127.0.0.1")
        patch.setenv("no_proxy", "127.0.0.1")
        yield


@pytest.fixture
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a search of a pattern end after a third of a second, not after five."""
    defaults = {"full": False, "seconds": 0.3}
    monkeypatch.setattr(_time_limit.matcher, "__kwdefaults__", defaults)


@pytest.fixture(scope="session")
def cases_of() -> Callable[[str], list[dict[str, Any]]]:
    """Return what was put to the loader of another system, by its name; without it, skip."""

    def read(system: str) -> list[dict[str, Any]]:
        cases: list[dict[str, Any]] = json.loads(shared("cases", f"{system}.json").read_bytes())
        return cases

    return read
