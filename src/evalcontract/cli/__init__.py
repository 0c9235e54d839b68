"""The command line: the only place that prints, exits and reads arguments."""

from __future__ import annotations

from evalcontract.cli.main import main

__all__ = ["main"]
