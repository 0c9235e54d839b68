"""Show what `evalcontract` says of the workspace beside this file: checks, and then grades."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def main() -> None:
    """Run the check as a person would, put both modes side by side, and grade recorded outputs."""
    command = ["check", "demo"]
    print(f"$ evalcontract {' '.join(command)}\n", flush=True)
    subprocess.run(_call(*command), cwd=HERE.parent, check=False)
    print("\nThe same findings, soft and strict side by side:\n")
    soft, strict = (_severities(mode) for mode in ("--soft", "--strict"))
    width = max(len(place) for place, _ in strict)
    print(f"{'':<{width}}  {'soft':<8} {'strict':<8}")
    for place, code in strict:
        key = (place, code)
        print(f"{place:<{width}}  {soft.get(key, '-'):<8} {strict[key]:<8} {code}")
    print(f"{'exit code':<{width}}  {_exit('--soft'):<8} {_exit('--strict'):<8}\n")
    outputs = "demo/outputs/smalltalk.jsonl"
    command = ["grade", "demo/datasets/smalltalk.jsonl", "--soft", "--outputs", outputs]
    print(f"$ evalcontract {' '.join(command)}\n", flush=True)
    subprocess.run(_call(*command), cwd=HERE.parent, check=False)


def _call(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "evalcontract", *arguments]


def _run(mode: str) -> subprocess.CompletedProcess[str]:
    call = _call("check", "demo", mode, "--output-format", "json")
    return subprocess.run(call, cwd=HERE.parent, check=False, capture_output=True, text=True)


def _exit(mode: str) -> int:
    return _run(mode).returncode


def _severities(mode: str) -> dict[tuple[str, str], str]:
    findings = json.loads(_run(mode).stdout)["findings"]
    return {
        (f"{each['file']}:{each['line']}:{each['column']}", each["code"]): each["severity"]
        for each in findings
    }


if __name__ == "__main__":
    main()
