"""`completion`: print the script with which a shell completes the commands."""

from __future__ import annotations

import click

from evalcontract.cli.command import Command
from evalcontract.cli.completing import SHELLS
from evalcontract.cli.output import put


@click.command(
    "completion",
    cls=Command,
    examples=[
        ("Complete in this bash", 'eval "$(evalcontract completion bash)"'),
        ("Complete in every new bash", "evalcontract completion bash >> ~/.bashrc"),
        (
            "Complete in every new fish",
            "evalcontract completion fish > ~/.config/fish/completions/evalcontract.fish",
        ),
    ],
)
@click.argument("shell", type=click.Choice(SHELLS), metavar="bash|zsh|fish")
def completion(shell: str) -> None:
    """Print the script with which a shell completes commands, options and their values.

    It serves all commands of evalcontract, and offers the files that a command reads, dialects,
    codes, output formats and the names of schemas. For zsh, write it to a file `_evalcontract` in
    a folder of `fpath`, or have `.zshrc` evaluate it below `compinit`.
    """
    put([script(shell)], raw=True)


def script(shell: str) -> str:
    """Return the completion script of a shell."""
    from importlib.resources import files  # slow to import

    from evalcontract.cli.start import SCRIPTS

    path = files("evalcontract") / "templates" / "completion" / shell
    return path.read_text(encoding="utf-8").replace("@COMMANDS@", " ".join(SCRIPTS))
