"""What `grade` takes beside the endpoint that it asks: `python bench/judged.py --seconds 0.2`.

The endpoint is a process of its own that answers each question after the same time. Beside `grade`
stand the time that the endpoint takes itself, and a script that asks it by threads and does nothing
with the answers.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import json
import multiprocessing
import os
import resource
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from threading import local
from typing import Any

ANSWER = json.dumps({"reason": "because", "verdict": "pass"})
COMPLETION = {
    "choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": ANSWER}}],
    "usage": {"prompt_tokens": 100, "completion_tokens": 10},
}
BODY = json.dumps(COMPLETION).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s"


def serve(seconds: float, told: Any) -> None:
    """Answer every question after so many seconds; tell the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                lines = (line.partition(b":") for line in head.lower().splitlines())
                size = next(int(value) for name, _, value in lines if name == b"content-length")
                await reader.readexactly(size)
                await asyncio.sleep(seconds)
                writer.write(RESPONSE % (len(BODY), BODY))
                await writer.drain()
        writer.close()

    async def run() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        told.send(server.sockets[0].getsockname()[1])
        await server.serve_forever()

    asyncio.run(run())


def write_workspace(folder: Path, rows: int) -> None:
    """Write rows with outputs, which one judge decides on."""
    judge = {"id": "p", "version": "1.0.0", "template": "Is it polite? {{ output }}"}
    check = {"id": "p", "kind": "llm_judge", "judge_prompt_ref": "judge/p@1.0.0"}
    rubric = {"id": "r", "version": "1.0.0", "checks": [check], "scoring": {"combine": "all_pass"}}
    for name, value in (("judges/p.json", judge), ("rubrics/r.json", rubric)):
        (folder / name).parent.mkdir()
        (folder / name).write_text(json.dumps(value), encoding="utf-8")
    dataset = ({"id": f"r{n}", "input": "q", "rubric_ref": "rubric/r@1.0.0"} for n in range(rows))
    outputs = ({"id": f"r{n}", "output": f"answer {n} {'word ' * 100}"} for n in range(rows))
    for name, lines in (("data.jsonl", dataset), ("outputs.jsonl", outputs)):
        text = "".join(f"{json.dumps(line)}\n" for line in lines)
        (folder / name).write_text(text, encoding="utf-8")


def ask_plainly(port: int, questions: int, at_once: int) -> None:
    """Ask by threads, each with a connection of its own."""
    own = local()
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "word " * 250}]})

    def ask(_: int) -> None:
        if not hasattr(own, "connection"):
            own.connection = http.client.HTTPConnection("127.0.0.1", port)
        own.connection.request("POST", "/v1/chat/completions", body)
        json.loads(own.connection.getresponse().read())

    with ThreadPoolExecutor(at_once) as pool:
        list(pool.map(ask, range(questions)))


def grade(folder: Path, port: int, at_once: int) -> float:
    """Grade all rows; return the processor time."""
    environment = {
        **os.environ,
        "EVALCONTRACT_BASE_URL": f"http://127.0.0.1:{port}/v1",
        "EVALCONTRACT_MODEL": "m",
        "EVALCONTRACT_CONCURRENCY": f"{at_once}",
        "EVALCONTRACT_CACHE_DIR": str(folder / "cache"),
        "NO_PROXY": "127.0.0.1",
    }
    command = [sys.executable, "-m", "evalcontract", "grade", "data.jsonl", "--cache"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*command, "--outputs", "outputs.jsonl"],
        cwd=folder,
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure once, and print it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--at-once", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=0.2, help="what the endpoint takes")
    given = parser.parse_args()
    heard, told = multiprocessing.Pipe(duplex=False)
    endpoint = multiprocessing.Process(target=serve, args=(given.seconds, told), daemon=True)
    endpoint.start()
    port = heard.recv()
    own = -(-given.rows // given.at_once) * given.seconds
    with tempfile.TemporaryDirectory() as name:
        write_workspace(Path(name), given.rows)
        begun = time.monotonic()
        ask_plainly(port, given.rows, given.at_once)
        plainly, begun = time.monotonic() - begun, time.monotonic()
        processor = grade(Path(name), port, given.at_once)
        graded = time.monotonic() - begun
    endpoint.terminate()
    sys.stdout.write(
        f"{given.rows:,} questions, {given.at_once} at once, {given.seconds:g} s each\n"
        f"the endpoint itself  {own:7.2f} s\n"
        f"a plain script       {plainly:7.2f} s  {plainly / own:.3f}\n"
        f"grade                {graded:7.2f} s  {graded / own:.3f}"
        f"  ({processor:.2f} s of the processor)\n"
    )


if __name__ == "__main__":
    main()
