"""Standard streams that are closed, full, left by their reader, or of another encoding."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from functools import cache
from itertools import product
from pathlib import Path

import pytest
from examples import some
from work import let_work

ROOT = Path(__file__).parents[2]
COMMAND = f'"{sys.executable}" -m evalcontract'
# Every case starts processes.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="the cases are written for a POSIX shell"),
]
NEAR_MISS = "questions:\n  - {id: a, input: b, criteria: c, expecteed_facts: [café 春 🎉]}\n"
CALLS = [
    ("check .", 1),
    ("check . --output-format json", 1),
    ("check . --output-format sarif", 1),
    ("check . --output-format github", 1),
    ("validate-dataset good.yaml", 0),
    ("fix --diff rows.yaml", 1),
    ("coverage good.yaml", 0),
    ("coverage good.yaml --output-format json", 0),
    ("explain", 0),
    ("explain dataset/no-questions", 0),
    ("schema list", 0),
    ("schema show rubric", 0),
    ("--version", 0),
    ("--help", 0),
    ("check --help", 0),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write what the calls read; none of them writes."""
    folder = tmp_path_factory.mktemp("streams")
    (folder / "rows.yaml").write_text(NEAR_MISS, encoding="utf-8")
    (folder / "broken.yaml").write_text("questions: [\n", encoding="utf-8")
    (folder / "good.yaml").write_text(
        "questions: [{id: a, input: b, criteria: c}]\n", encoding="utf-8"
    )
    return folder


@cache
def whole(call: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    """Return what a call gives where nothing is wrong with its streams; each is made once."""
    return shell(f"{COMMAND} {call}", cwd, **more)


def shell(script: str, cwd: Path, **more: str) -> subprocess.CompletedProcess[bytes]:
    dropped = ("NO_COLOR", "FORCE_COLOR", "PYTHONUTF8", "PYTHONIOENCODING", "LC_ALL")
    kept = {key: value for key, value in os.environ.items() if key not in dropped}
    return subprocess.run(
        ["bash", "-c", script],
        cwd=cwd,
        env={**kept, "COLUMNS": "80", **more},
        capture_output=True,
        check=False,
    )


@pytest.mark.parametrize("call", some([call for call, _ in CALLS], times=4))
@pytest.mark.parametrize(
    ("stream", "reason"),
    [
        (">&-", "standard output is closed"),
        pytest.param(
            ">/dev/full",
            "no space left on device",
            marks=pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full"),
        ),
    ],
)
def test_output_that_cannot_be_written(call: str, stream: str, reason: str, folder: Path) -> None:
    """A verdict that nobody got is no success: one line says so, and the exit code is 2."""
    done = shell(f"{COMMAND} {call} {stream}", folder)
    assert done.returncode == 2
    assert done.stderr.decode().count("\n") == 1
    assert reason in done.stderr.decode()


@pytest.mark.parametrize(
    ("call", "streams"),
    some(
        product(
            ["check .", "explain", "check --help"],
            [">&- 2>&-", ">/dev/full 2>&-", ">/dev/full 2>&1"],
        ),
        times=6,
    ),
)
def test_neither_stream_can_be_written(call: str, streams: str, folder: Path) -> None:
    """Where the line that says so is lost as well, the exit code is the same."""
    if "full" in streams and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    assert shell(f"{COMMAND} {call} {streams}", folder).returncode == 2


WRONG_CALLS = [("nope", 2), ("", 2), ("check nowhere", 2)]


@pytest.mark.parametrize(
    ("call", "status", "stream"),
    [
        *some(((*call, "2>&-") for call in [*CALLS, *WRONG_CALLS]), times=4),
        *some(((*call, "2>/dev/full") for call in [*CALLS[:3], *WRONG_CALLS]), times=4),
    ],
)
def test_errors_that_cannot_be_written(call: str, status: int, stream: str, folder: Path) -> None:
    """Without a standard error, the result and the exit code are the same."""
    if "full" in stream and not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    done = shell(f"{COMMAND} {call} {stream}", folder)
    assert (done.stdout, done.returncode) == (whole(call, folder).stdout, status)


@pytest.mark.parametrize("call", some([call for call, _ in CALLS], times=4))
def test_reader_that_goes_away(call: str, folder: Path) -> None:
    """Nothing is said; with `pipefail` it is no success."""
    script = f"set -o pipefail; {{ sleep 0.2; {COMMAND} {call}; }} | true"
    done = shell(script, folder)
    assert (done.returncode, done.stderr) == (2, b"")


def test_closed_standard_input(folder: Path) -> None:
    for call in ("validate-dataset -", "coverage -"):
        done = shell(f"{COMMAND} {call} <&-", folder)
        assert (done.returncode, done.stderr) == (2, b"error: standard input is closed\n")


ENCODINGS = [
    {"PYTHONIOENCODING": "ascii"},
    {"PYTHONIOENCODING": "latin-1"},
    {"PYTHONIOENCODING": "cp1252"},
    {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"},
    {"LC_ALL": "C"},
]


#: Calls that print what is not ASCII, and some that do not.
BEYOND_ASCII = ["check .", "fix --diff rows.yaml", "check nö", "explain 春"]
OF_ASCII = ["check . --output-format json", "explain", "check --help"]
OF_ASCII += ["check . --output-format sarif", "check . --output-format junit"]


@pytest.mark.parametrize(
    ("call", "variables"),
    [
        *some(product(BEYOND_ASCII, ENCODINGS), times=4),
        *some(product(OF_ASCII, ENCODINGS[:1]), times=4),
    ],
    ids=str,
)
def test_encoding_of_the_streams(call: str, variables: dict[str, str], folder: Path) -> None:
    """What a stream cannot show is a sign; nothing else changes."""
    expected = whole(call, folder, PYTHONUTF8="1")
    done = shell(f"{COMMAND} {call}", folder, **variables)
    assert done.returncode == expected.returncode
    assert b"Traceback" not in done.stderr
    encoding = variables.get("PYTHONIOENCODING", "utf-8")
    for one, other in ((done.stdout, expected.stdout), (done.stderr, expected.stderr)):
        assert one.decode(encoding).count("\n") == other.decode().count("\n")


@pytest.fixture(scope="module")
def accented(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write them once more, with a file whose name is not ASCII."""
    copied = shutil.copytree(folder, tmp_path_factory.mktemp("accented") / "streams")
    (copied / "café.yaml").write_text(NEAR_MISS, encoding="utf-8")
    return copied


@pytest.mark.parametrize(
    ("variables", "call"),
    some(
        product(
            ENCODINGS,
            ["check . --output-format json", "coverage caf*.yaml rows.yaml --output-format json"],
        ),
        times=4,
    ),
    ids=str,
)
def test_json_is_the_same_in_every_encoding(
    call: str, variables: dict[str, str], accented: Path
) -> None:
    """JSON is UTF-8, or has no character beyond ASCII: both read as UTF-8."""
    expected = whole(call, accented, PYTHONUTF8="1")
    done = shell(f"{COMMAND} {call}", accented, **variables)
    if "LC_ALL" not in variables or "PYTHONCOERCECLOCALE" not in variables:
        assert json.loads(done.stdout.decode("utf-8")) == json.loads(
            expected.stdout.decode("utf-8")
        )
    else:  # names of files are read in ASCII there, too
        json.loads(done.stdout.decode("utf-8"))


def test_control_c(tmp_path: Path) -> None:
    """The exit code is that of the signal, and there is no traceback, however early it comes."""
    with (tmp_path / "rows.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f'{{"id": "r{n}", "input": "b", "inptu": {n}}}\n' for n in range(200_000))
    codes = set()
    for delay in (0.15, 0.3, 0.6, 1.2):
        process = subprocess.Popen(
            [sys.executable, "-m", "evalcontract", "validate-dataset", "rows.jsonl"],
            cwd=tmp_path,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        let_work(process, delay)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
        if b"evalcontract" in errors or process.returncode == 130:
            codes.add(process.returncode)
            assert b"Traceback" not in errors
    assert codes == {130}


@pytest.mark.parametrize(("call", "status"), [("check .", 1), ("explain rubric/cycle", 0)])
def test_python_without_docstrings_checks_all_the_same(
    folder: Path, call: str, status: int
) -> None:
    done = shell(f"{COMMAND} {call}", folder, PYTHONOPTIMIZE="2")
    assert (done.returncode, done.stderr) == (status, b"")
