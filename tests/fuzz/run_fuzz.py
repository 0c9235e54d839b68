"""Fuzz for a while: `python tests/fuzz/run_fuzz.py SECONDS [TARGET]...`, the time for each target.

Uses atheris, which searches for inputs that reach new code, or changes seeds at random without it.
An input that breaks a promise is written to `tests/fuzz/crashes/TARGET/`, where the tests find it:
mend the cause, give the file a name that says what it is, and commit it with the mend.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
import traceback
from hashlib import sha1
from importlib.util import find_spec
from pathlib import Path

FOLDER = Path(__file__).parent
CRASHES = FOLDER / "crashes"
#: An input that takes longer hangs, and one that needs more memory exhausts it.
MAX_SECONDS, MAX_MEGABYTES = 120, 2000


def main() -> int:
    """Fuzz the targets one after the other, each in a process of its own."""
    sys.path[:0] = [str(FOLDER), str(FOLDER.parent)]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition(":")[0])
    parser.add_argument("seconds", type=int)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        fuzz = _with_atheris if find_spec("atheris") else _by_chance
        return fuzz(asked.targets[0], asked.seconds)

    from fuzz_targets import TARGETS

    names = asked.targets or [*TARGETS]
    with tempfile.TemporaryDirectory(prefix="fuzz") as cache:
        environment = {**os.environ, "EVALCONTRACT_CACHE_DIR": cache}
        script = [sys.executable, __file__, "--here", str(asked.seconds)]
        broken = [name for name in names if subprocess.call([*script, name], env=environment)]
    print(f"broken: {', '.join(broken)}" if broken else f"{len(names)} targets hold")  # noqa: T201
    return bool(broken)


def _by_chance(name: str, seconds: int) -> int:
    from fuzz_targets import TARGETS
    from mutation import mutated

    target = TARGETS[name]
    number = random.randrange(1 << 32)  # noqa: S311
    chance, seeds = random.Random(number), [*target.seeds()]  # noqa: S311
    end, tried = time.monotonic() + seconds, 0
    while time.monotonic() < end:
        data = mutated(chance.choice(seeds), chance)
        tried += 1
        try:
            target.check(data)
        except Exception:  # noqa: BLE001 - any exception is a broken promise
            traceback.print_exc()
            file = CRASHES / name / f"crash-{sha1(data, usedforsecurity=False).hexdigest()}"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            print(f"{name}: an input broke it: {file}")  # noqa: T201
            return 1
    print(f"{name}: {tried:,} inputs by chance")  # noqa: T201
    return 0


def _with_atheris(name: str, seconds: int) -> int:
    """Let libFuzzer choose the inputs; it ends the process itself."""
    import atheris

    with atheris.instrument_imports(include=["evalcontract"]):
        from fuzz_targets import TARGETS
    from mutation import mutated

    def changed(data: bytes, max_size: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311
        if chance.random() < 0.5:
            return bytes(atheris.Mutate(data, max_size))
        return mutated(data, chance)[:max_size]

    target = TARGETS[name]
    (CRASHES / name).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="corpus") as corpus:
        for number, data in enumerate(target.seeds()):
            (Path(corpus) / str(number)).write_bytes(data)
        options = {
            "max_total_time": seconds,
            "timeout": MAX_SECONDS,
            "report_slow_units": MAX_SECONDS,
            "rss_limit_mb": MAX_MEGABYTES,
            "max_len": 1 << 13,
            "artifact_prefix": f"{CRASHES / name}/",
            "print_final_stats": 1,
            "verbosity": 0,
        }
        arguments = [f"-{option}={value}" for option, value in options.items()]
        atheris.Setup([name, *arguments, corpus], target.check, custom_mutator=changed)
        atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
