"""The Python API: loaders, what they load, grading, converting, calibrating.

Its names are those of `evalcontract`, which imports each at first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from evalcontract import __all__ as __all__
from evalcontract import __getattr__ as __getattr__
from evalcontract import __version__ as __version__

if TYPE_CHECKING:
    from evalcontract import *  # noqa: F403 - all of them
