"""evalcontract once its pages are published: with another address than the reserved one."""

from __future__ import annotations

import sys

#: Where the pages are then.
PUBLISHED = "https://evalcontract.org"
_SCRIPT = f"""
import runpy
from evalcontract.model import codes as page
page.SITE = {PUBLISHED!r}
runpy.run_module("evalcontract", run_name="__main__")
"""
#: The command line `evalcontract` then, in a process of its own.
COMMAND = (sys.executable, "-c", _SCRIPT)
