"""Real shells that complete a line with the real scripts, in a folder of a test."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
from needs import missing

from evalcontract.cli.command import SCRIPTS, script

SOURCE = Path(__file__).parents[2] / "src"
#: Loads the script `$1` as a user does, and binds Control-T to print the line as `<LINE>`.
_BASH = r"""
bind 'set bell-style none'; bind 'set enable-bracketed-paste off'
bind 'set page-completions off'; bind 'set completion-query-items 0'
show() { printf '<%s>\n' "$READLINE_LINE"; }
bind -x '"\C-t": show'
source '{script}'
PS1='> '; echo rea'dy'
"""
_ZSH = r"""
unsetopt zle_bracketed_paste prompt_sp prompt_cr list_beep auto_menu; LISTMAX=1000
autoload -Uz compinit; compinit -D -u
show() { print -r -- "<$BUFFER>"; }
zle -N show; bindkey '^T' show
source '{script}'
PS1='> '; echo rea'dy'
"""
_CALLS = {"bash": (["--norc", "--noprofile", "-i"], _BASH), "zsh": (["-f", "-i"], _ZSH)}


def require(shell: str) -> None:
    """Skip a test if a shell is not installed; in CI, fail."""
    if shutil.which(shell) is None:
        missing(f"the shell `{shell}`")


class Machine:
    """A home folder with the console scripts and the completion script of a shell."""

    def __init__(self, shell: str, home: Path) -> None:
        require(shell)
        self.shell, self.home = shell, home
        self.folder = home / "work"
        binaries = home / "bin"
        for folder in (self.folder, binaries):
            folder.mkdir()
        for name in SCRIPTS:
            attribute = name.replace("-", "_")
            path = binaries / name
            path.write_text(
                f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(SOURCE)!r})\n"
                f"from evalcontract.cli.start import {attribute}\n{attribute}()\n",
                encoding="utf-8",
            )
            path.chmod(0o755)
        self.script = home / f"script.{shell}"
        self.script.write_text(script(shell), encoding="utf-8")
        self.environment: Any = {
            "PATH": f"{binaries}:/usr/local/bin:/usr/bin:/bin",
            "HOME": str(home), "TERM": "dumb", "LANG": "C.UTF-8", "INPUTRC": os.devnull,
        }  # fmt: skip

    def completed(self, line: str) -> str:
        """Return what the line editor of bash or zsh makes of a line when Tab is pressed."""
        arguments, setting = _CALLS[self.shell]
        start = self.home / "start"
        start.write_text(setting.replace("{script}", str(self.script)), encoding="utf-8")
        process = pexpect.spawn(
            self.shell,
            arguments,
            cwd=self.folder,
            env=self.environment,
            encoding="utf-8",
            dimensions=(60, 400),
            timeout=60,
        )
        try:
            process.sendline(f". '{start}'")
            process.expect("ready\r\n.*> ")
            process.send(f"{line}\t\x14")
            process.expect("<([^\r\n]*)>\r?\n")
            match: Any = process.match
            return str(match[1])
        finally:
            process.close(force=True)

    def offered(self, line: str) -> list[str]:
        """Return what fish offers at the end of a line."""
        call: list[str | Path] = [
            "fish", "--no-config", "--command", "source $argv[1]; complete --do-complete $argv[2]",
            self.script, line,
        ]  # fmt: skip
        done = subprocess.run(
            call, cwd=self.folder, env=self.environment, capture_output=True, text=True, check=True
        )
        return [each.partition("\t")[0] for each in done.stdout.splitlines()]
